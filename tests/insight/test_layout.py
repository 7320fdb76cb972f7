"""Nothing overlaps in the pictures, whatever the calls are like: checked by geometry."""

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hfpy.insight.diagram import Diagram, diagram
from hfpy.insight.layout import Layout, lay_out
from hfpy.insight.selection import selected
from hfpy.insight.survey import Survey
from hfpy.insight.svg import box_size, placed
from hfpy.options import Options
from hfpy.pipeline import translate
from tests.insight.drawn import holds, is_level, overlaps, track, within
from tests.insight.generated import MODULES, ROUTINES, program
from tests.support import write_files


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    """The survey of a program with 501 routines."""
    paths = write_files(program(), tmp_path_factory.mktemp("large"))
    survey = translate(paths, Options(target="gpu", opt=0)).survey()
    assert survey is not None and len(survey.routines) == MODULES * ROUTINES + 1
    return survey


def check(layout: Layout, groups: dict[str, str]) -> None:
    """No box meets another, boxes lie in their groups, arrows pass through nothing that is not theirs."""
    for first, second in combinations(layout.boxes, 2):
        assert not overlaps(layout.boxes[first], layout.boxes[second]), (first, second)
    for left, right in combinations(layout.groups, 2):
        assert not overlaps(layout.groups[left], layout.groups[right]), (left, right)
    for key, box in layout.boxes.items():
        assert within(box, layout.groups[groups[key]])
        assert box.x >= 0 and box.right <= layout.width and box.y >= 0 and box.bottom <= layout.height
    for edge, stretches in layout.routes.items():
        assert is_level(stretches)
        own = {groups[edge[0]], groups[edge[1]]}
        others = [box for name, box in layout.groups.items() if name not in own]
        others += [box for key, box in layout.boxes.items() if groups[key] in own]
        for point in track(edge, layout):
            assert not any(holds(box, point) for box in others), edge


def checked(view: Diagram) -> Layout:
    """The layout of a diagram, which keeps the rules."""
    layout = placed(view)
    check(layout, {box.key: box.group for box in view.boxes})
    for box in view.boxes:
        width, height = box_size(box)
        assert layout.boxes[box.key].width > width - 0.01 and layout.boxes[box.key].height > height - 0.01
    return layout


def test_five_hundred_routines(large: Survey) -> None:
    layout = checked(diagram(large, "large"))
    assert layout.width < 12_000 and layout.height < 6_000
    for call in large.calls:  # calls lead to the right, since nothing is recursive
        assert layout.boxes[call.caller].right < layout.boxes[call.callee].x
    assert not layout.turned


def test_five_hundred_routines_with_their_arrays(large: Survey) -> None:
    part = selected(large, large.routines[0].name, 3, False, False)
    view = diagram(part, "arrays", data=True)
    assert any(box.style == "label" for box in view.boxes)
    checked(view)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_calls(data: st.DataObject) -> None:
    """Cycles, routines that call themselves, modules that call each other, routines that call nobody."""
    number = data.draw(st.integers(1, 14))
    names = [f"r{n}" for n in range(number)]
    groups = {name: f"m{data.draw(st.integers(0, 4))}" for name in names}
    sizes = {name: (data.draw(st.integers(20, 200)) * 1.0, data.draw(st.integers(20, 60)) * 1.0) for name in names}
    name = st.sampled_from(names)
    edges = data.draw(st.lists(st.tuples(name, name), max_size=30))
    layout = lay_out(sizes, groups, dict.fromkeys(groups.values(), 40.0), edges)
    assert set(layout.boxes) == set(names)
    assert set(layout.routes) == {e for e in edges if e[0] != e[1]}
    check(layout, groups)


def test_a_cycle_is_turned_round_once() -> None:
    names = ["a", "b", "c"]
    layout = lay_out(
        dict.fromkeys(names, (50.0, 20.0)), dict.fromkeys(names, "m"), {"m": 10.0}, [("a", "b"), ("b", "c"), ("c", "a")]
    )
    assert layout.turned == {("c", "a")}
    assert layout.boxes["a"].x < layout.boxes["b"].x < layout.boxes["c"].x


def test_the_geometry_sees_an_overlap(tmp_path: Path) -> None:
    """The checks can fail."""
    layout = lay_out({"a": (50.0, 20.0), "b": (50.0, 20.0)}, {"a": "m", "b": "m"}, {"m": 10.0}, [("a", "b")])
    moved = {**layout.boxes, "b": layout.boxes["a"].moved(1, 1)}
    broken = Layout(moved, layout.groups, layout.routes, layout.turned, layout.width, layout.height)
    with pytest.raises(AssertionError):
        check(broken, {"a": "m", "b": "m"})

"""Passes are objects in lists: their order, what they refuse, what they made, and the kernels after each."""

from collections.abc import Collection, Mapping
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from hfpy.analyze.analysis import analyse
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.cli import cli
from hfpy.options import Options
from hfpy.parse.application import read_application
from hfpy.transform.passes import Made, NewText, Refusal
from hfpy.transform.pipelines import LEVELS, PASSES, lowered
from hfpy.transform.stencil.effort import EFFORTS
from hfpy.transform.stencil.optimise import Fuse
from hfpy.values import dataclass

SOURCE = """\
module m
contains
  subroutine work(n, a, b, c)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: b(n), c(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    b(i) = a(i) + 1.0d0
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n)}
    c(i) = b(i) * 2.0d0
    @end parallelRegion
  end subroutine
  subroutine apart(n, a, k)
    integer, intent(in) :: n, k(n)
    real(8), intent(inout) :: a(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    a(i) = real(k(k(i)), 8)
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n)}
    if (k(i) > 0) print *, a(i)
    @end parallelRegion
  end subroutine
end module
"""


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    """The facts of the source, for the CPU."""
    path = tmp_path / "m.h90"
    path.write_text(SOURCE)
    application, found = read_application([path], Options(backend="sequential"))
    assert not found
    return analyse(application)


def test_levels_are_lists_that_go_together() -> None:
    assert LEVELS[0] == ()
    for passes in LEVELS:
        for early, late in combinations(passes, 2):
            assert early.name != late.name
            assert late.name not in early.needs
    assert PASSES == ("arrays", "fuse", "columns", "loops", "specialise")


def test_a_list_in_the_wrong_order_is_noticed(facts: Facts) -> None:
    early, late = (next(p for p in LEVELS[2] if p.name == name) for name in ("fuse", "columns"))
    with pytest.raises(AssertionError, match="columns"):
        lowered(facts, Effects(facts), (late, early))


def test_validate_gives_all_reasons_and_changes_nothing(facts: Facts) -> None:
    step = Fuse(EFFORTS[2])
    reasons = step.validate(facts, Effects(facts))
    assert reasons["m::work"] == ()
    lines = SOURCE.splitlines()
    assert len(reasons["m::apart"]) == 2, "one for each region"
    for refusal in reasons["m::apart"]:
        assert refusal.text
        assert "k(" in lines[refusal.place.line - 1]
    assert step.apply(facts, Effects(facts)).refusals == reasons


@dataclass(frozen=True)
class Adding:
    """A pass that adds a line at the end of the file."""

    row: str
    name: str = "adding"
    needs: frozenset[str] = frozenset()
    whole: bool = False

    def validate(self, facts: Facts, effects: Effects) -> Mapping[str, tuple[Refusal, ...]]:
        return {}

    def apply(self, facts: Facts, effects: Effects, only: Collection[str] | None = None) -> Made:
        (index,) = facts.application.files
        return Made(
            {index.path: NewText((*index.source.lines, self.row), tuple(range(len(index.source.lines) + 1)))}, {}
        )

    def explain(self, made: Made, facts: Facts, key: str) -> tuple[str, ...]:
        return ()


def test_a_pass_of_ones_own_comes_after_others(facts: Facts) -> None:
    done = lowered(facts, Effects(facts), (Fuse(EFFORTS[1]), Adding("! at the end")))
    text = done.facts.application.files[0].source.text
    assert "2 regions as one" in text
    assert text.rstrip().endswith("! at the end")
    assert [s.done.name for s in done.steps] == ["fuse", "adding"]


def test_text_that_is_not_accepted_is_left_out(facts: Facts) -> None:
    done = lowered(facts, Effects(facts), (Adding("@parallelRegion{domName(i)}"), Fuse(EFFORTS[1])))
    assert done.steps[0].made.files == {}
    assert "parallelRegion{domName(i)}" not in done.facts.application.files[0].source.text
    assert "2 regions as one" in done.facts.application.files[0].source.text


def test_what_was_made_before_must_still_hold(facts: Facts) -> None:
    @dataclass(frozen=True)
    class Fussy(Made):
        def holds(self, facts: Facts) -> bool:
            return "! at the end" not in facts.application.files[0].source.text

    class First(Adding):
        def apply(self, facts: Facts, effects: Effects, only: Collection[str] | None = None) -> Made:
            return Fussy(super().apply(facts, effects).files, {})

    done = lowered(facts, Effects(facts), (First("! first", "first"), Adding("! at the end")))
    assert done.facts.application.files[0].source.text.rstrip().endswith("! first")


def dump(folder: Path, step: str, *words: str) -> str:
    """What ``hfpy explain --dump-after`` prints about the source, or why it does not."""
    path = folder / "m.h90"
    path.write_text(SOURCE)
    done = CliRunner().invoke(cli, ["explain", "work", str(path), "--dump-after", step, *words])
    return str(done.exception) if done.exception else done.output


def test_kernels_after_a_pass(tmp_path: Path) -> None:
    text = dump(tmp_path, "fuse")
    assert text.startswith("! m::work after fuse\n")
    assert text.count("@parallelRegion") == 1
    assert "apart" not in text


def test_kernels_after_a_pass_that_is_not_run(tmp_path: Path) -> None:
    assert "'columns' is not run here" in dump(tmp_path, "columns", "--opt", "1")
    assert "no pass 'magic'; there are arrays, fuse, columns, loops, specialise" in dump(tmp_path, "magic")

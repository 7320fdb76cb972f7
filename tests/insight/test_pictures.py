"""What pictures say: positions, kernels, arrays on calls; well-formed SVG, DOT that reads back; the command line."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from hfpy.cli import run
from hfpy.insight.diagram import BACK_CALL, HOST_CALL, KERNEL_CALL, STYLES, ArrowView, BoxView, Diagram, diagram
from hfpy.insight.dot import dot
from hfpy.insight.selection import selected
from hfpy.insight.survey import Survey
from hfpy.insight.svg import svg
from hfpy.options import Options
from hfpy.pipeline import translate
from tests.support import write_files

HEAT = """module heat
  implicit none
contains
  subroutine simulate(nx, ny, t)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: t(nx,ny)
    integer :: n
    call report(nx, ny, t)
    do n = 1, 3
      call step(nx, ny, t)
    end do
  end subroutine simulate

  subroutine step(nx, ny, t)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: t(nx,ny)
    @domainDependant{attribute(present)}
    t
    @end domainDependant
    @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}
    call cool(t)
    @end parallelRegion
    @parallelRegion{appliesTo(CPU), domName(j), domSize(ny)}
    t = t - 0.5d0
    @end parallelRegion
  end subroutine step

  pure subroutine cool(x)
    real(8), intent(inout) :: x
    x = x - 0.5d0
  end subroutine cool

  recursive subroutine report(nx, ny, t)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: t(nx,ny)
    if (ny > 1) call report(nx, ny - 1, t(:,1:ny-1))
    print *, sum(t)
  end subroutine report
end module heat
"""
MAIN = """program main
  use heat, only: simulate
  use plain_parts, only: greet
  implicit none
  real(8) :: t(4,3)
  t = 1
  call greet
  call simulate(4, 3, t)
end program main
"""
PLAIN = """module plain_parts
contains
  subroutine greet
    call say('hello')
  end subroutine greet
  subroutine say(what)
    character(*), intent(in) :: what
    print *, what
  end subroutine say
end module plain_parts
module other_parts
contains
  subroutine say(what)
    character(*), intent(in) :: what
    print *, what
  end subroutine say
end module other_parts
"""
FILES = {"heat.h90": HEAT, "main.f90": MAIN, "plain.f90": PLAIN}


def survey_of(folder: Path, target: str) -> Survey:
    survey = translate(write_files(FILES, folder), Options(target=target)).survey()
    assert survey is not None
    return survey


def test_positions_and_kernels(tmp_path: Path) -> None:
    for target, kernels, cool in (("gpu", ["i, j"], "outside"), ("cpu", ["j"], "none")):
        survey = survey_of(tmp_path, target)
        by_name = {r.name: r for r in survey.routines}
        assert by_name["simulate"].position == by_name["main"].position == "inside"
        assert by_name["step"].position == "within"
        assert by_name["cool"].position == cool
        assert by_name["report"].position == "none"
        assert [k.iterators for k in by_name["step"].kernels] == kernels
        assert by_name["step"].line == 14 and by_name["step"].last_line == 26
    calls = {(c.caller, c.callee): c for c in survey.calls}
    assert calls[("heat::simulate", "heat::step")].lines == (10,)


def test_arrays_on_calls(tmp_path: Path) -> None:
    calls = {(c.caller, c.callee): c for c in survey_of(tmp_path, "gpu").calls}
    (passed,) = calls[("heat::simulate", "heat::step")].arrays
    assert (passed.name, passed.state) == ("t", "on the device")
    (whole,) = calls[("program::main", "heat::simulate")].arrays
    assert whole.state == "brought to the device and back"
    assert calls[("heat::step", "heat::cool")].in_region
    view = diagram(survey_of(tmp_path, "gpu"), "heat", data=True)
    labels = {box.key: box.lines for box in view.boxes if box.style == "label"}
    assert labels["heat::simulate -> heat::step"] == ("on the device: t",)
    assert ("heat::simulate", "heat::step") not in {(a.source, a.target) for a in view.arrows}


def test_parts(tmp_path: Path) -> None:
    survey = survey_of(tmp_path, "gpu")

    def names(around: str | None, depth: int = 2, kernels: bool = False, everything: bool = False) -> set[str]:
        return {r.name for r in selected(survey, around, depth, kernels, everything).routines}

    assert names(None) == {"main", "simulate", "step", "cool", "report", "greet", "say"} - _unparsed(survey)
    assert names(None, everything=True) == {"main", "simulate", "step", "cool", "report", "greet", "say"}
    assert names(None, kernels=True) == {"main", "simulate", "step", "cool"}
    assert names("STEP", 1) == {"simulate", "step", "cool"}
    assert names("heat::step", 0) == {"step"}
    assert names("cool", 2) == {"cool", "step", "simulate"}


def _unparsed(survey: Survey) -> set[str]:
    return {r.name for r in survey.routines if r.position == "unparsed"}


def test_calls_of_what_was_not_parsed_lead_to_what_the_name_means(tmp_path: Path) -> None:
    survey = survey_of(tmp_path, "gpu")
    pairs = {(c.caller, c.callee) for c in survey.calls}
    assert ("plain_parts::greet", "plain_parts::say") in pairs
    assert ("plain_parts::greet", "other_parts::say") not in pairs


def test_svg_is_well_formed_and_says_everything(tmp_path: Path) -> None:
    root = ElementTree.fromstring(svg(diagram(survey_of(tmp_path, "gpu"), "a < b & c")))
    space = "{http://www.w3.org/2000/svg}"
    texts = [t.text for t in root.iter(f"{space}text")]
    assert "a < b & c" in texts
    assert {"step", "kernel over i, j", "not here: region over j", "cool", "main", "heat"} <= set(texts)
    assert {STYLES[s].meaning for s in ("within", "inside", "outside", "none")} <= set(texts)
    titles = [t.text or "" for t in root.iter(f"{space}title")]
    assert any(t.startswith("subroutine step\n") and "kernel over i=nx, j=ny, heat.h90:20" in t for t in titles)
    loops = [p for p in root.iter(f"{space}path") if p.get("class") == "back" and p.find(f"{space}title") is not None]
    assert len(loops) == 1  # report calls itself
    assert "<script" not in ElementTree.tostring(root, "unicode")


def test_colours_can_be_read() -> None:
    for style in STYLES.values():
        assert _contrast("#1a1a1a", style.fill) >= 7
        assert _contrast(style.line, "#ffffff") >= (2.5 if style is STYLES["label"] else 3)
    for colour in (HOST_CALL, KERNEL_CALL, BACK_CALL):
        assert _contrast(colour, "#ffffff") >= 4.5


def _contrast(first: str, second: str) -> float:
    """The ratio of WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


NASTY = 'a "quoted" \\N name\\'


def nasty() -> Diagram:
    boxes = (
        BoxView(NASTY, 'group "g"', "within", (NASTY, "second -> line; }"), "tip\n\"'<>&\\"),
        BoxView("strict", "graph", "none", ("node",), ""),
    )
    return Diagram('title "t" \\', boxes, (ArrowView(NASTY, "strict", "calls"), ArrowView("strict", "strict", "")))


def test_dot_escapes_what_it_must() -> None:
    strings = [_unquoted(s) for s in re.findall(r'"(?:[^"\\]|\\.)*"', dot(nasty()))]
    assert strings.count(NASTY) == 2  # the box, and the arrow from it
    assert f"{NASTY}\nsecond -> line; }}\n" in strings
    assert 'title "t" \\' in strings and 'group "g"' in strings and "tip\n\"'<>&\\" in strings
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "s", dot(nasty()))
    assert outside.count("{") == outside.count("}") == 3 and "\\" not in outside


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] in "nl" else m[1], text[1:-1])


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not here")
def test_graphviz_reads_it() -> None:
    done = subprocess.run(["dot", "-Tsvg"], input=dot(nasty()), capture_output=True, text=True, check=True)
    texts = [t.text for t in ElementTree.fromstring(done.stdout).iter("{http://www.w3.org/2000/svg}text")]
    assert NASTY in [(t or "").replace("\u00a0", " ") for t in texts]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(FILES, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["graph", "heat.h90", "main.f90", "-o", "out.dot", "--target", "gpu"]) == 0
    assert (tmp_path / "out.dot").read_text().startswith('digraph "2 files: calls on the GPU" {')
    assert run(["graph", "heat.h90", "--around", "cool", "--depth", "1", "-o", "out.svg", "--target", "gpu"]) == 0
    drawn = (tmp_path / "out.svg").read_text()
    assert ">cool<" in drawn and ">step<" in drawn and ">simulate<" not in drawn
    capsys.readouterr()
    assert run(["graph", "heat.h90", "--format", "dot", "--kernels-only"]) == 0
    assert '"heat::step"' in capsys.readouterr().out
    assert run(["graph", "heat.h90", "--around", "stop"]) == 2
    assert "did you mean 'step'" in capsys.readouterr().err
    assert run(["graph", "plain.f90"]) == 2
    assert "nothing to draw" in capsys.readouterr().err
    (tmp_path / "broken.h90").write_text("subroutine s\n@parallelRegion{domNme(i)}\nend subroutine s\n")
    assert run(["graph", "broken.h90"]) == 1

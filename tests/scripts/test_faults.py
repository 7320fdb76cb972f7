"""What is wrong with scripts, and what they ask for in vain: the code, the user's line, and the script's."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hfpy.diagnostics import Diagnostic, render
from hfpy.options import ScriptFolder
from hfpy.transform.scripts import loading
from tests.support import Translated, translate_text

PROGRAM = """module m
  implicit none
contains
  subroutine work(nx, ny, n, u, v)
    integer, intent(in) :: nx, ny, n
    real(8), intent(inout) :: u(nx,ny,n,n), v(nx,ny,n)
    integer :: a, b
    real(8) :: s
    @parallelRegion{domName(i,j), domSize(nx,ny)ATTRIBUTES}
BODY
    @end parallelRegion
  end subroutine
end module
"""
REGION = 9
NEST = "do a = 1, n\n do b = 1, n\n  u(i,j,b,a) = 2 * v(i,j,a)\n end do\n end do"


def translated(script: str, folder: Path, attributes: str = "", body: str = NEST, **options: object) -> Translated:
    """A program after a script ``domain.py``, and the text of another one."""
    scripts = folder / "scripts"
    scripts.mkdir(exist_ok=True)
    (scripts / "domain.py").write_text(script)
    options.setdefault("scripts", ScriptFolder(scripts, "domain", "", True))
    return translate_text(PROGRAM.replace("ATTRIBUTES", attributes).replace("BODY", body), **options)


def annotate(*rows: str) -> str:
    return "def annotate(kernel, annotations, context):\n" + "".join(f"    {row}\n" for row in rows)


def lines(found: Diagnostic) -> list[int]:
    """The line of the program, and those of scripts."""
    return [found.place.line, *(r.place.line for r in found.related)]


@pytest.mark.parametrize(
    ("rows", "code", "said", "at"),
    [
        (["kernel.collapse(2)", "return kernel"], "HF671", "the result of collapse(2) is dropped", [REGION, 2]),
        (["made = kernel.collapse(2)", "return kernel"], "HF671", "collapse(2)", [REGION, 2]),
        (["kernel.collapse(2)"], "HF672", "gives nothing back", [REGION, 1]),
        (["return 5"], "HF672", "gives a value of type int back", [REGION, 1]),
        (["return kernel.interchange('a', 'c')"], "HF670", "there is no loop 'c'", [REGION, 2]),
        (["return kernel.interchange('a', 'j')"], "HF670", "in its body", [REGION, 2]),
        (["return kernel.split('a', 0)"], "HF670", "a number from 1", [REGION, 2]),
        (["return kernel.split('i', 4)"], "HF670", "use tile", [REGION, 2]),
        (["return kernel.unroll('a')"], "HF670", "how many turns 'a' has is not known", [REGION + 1, 2]),
        (["return kernel.tile(a=4)"], "HF670", "'a' is none of the region's loops", [REGION, 2]),
        (["return kernel.tile(i=0)"], "HF670", "0 is no size", [REGION, 2]),
        (["return kernel.march(i=4)"], "HF670", "not the innermost", [REGION, 2]),
        (["return kernel.collapse(3)"], "HF670", "it has 2", [REGION, 2]),
        (["return kernel.schedule('often')"], "HF670", "often", [REGION, 2]),
        (["return kernel.order('i')"], "HF670", "once", [REGION, 2]),
        (["return kernel.block(0)"], "HF670", "no sizes of a block", [REGION, 2]),
        (["return kernel.async_(1)"], "HF670", "'sequential' has none", [REGION, 2]),
        (["return kernel.specialise()"], "HF670", "nothing to specialise for", [REGION, 2]),
        (["x = 1", "return kernel.foo()"], "HF672", "AttributeError", [REGION, 3]),
        (["return context['device::warps']"], "HF672", "the context has no 'device::warps'", [REGION, 2]),
        (["raise SystemExit(3)"], "HF672", "SystemExit: 3", [REGION, 2]),
    ],
)
def test_what_is_asked_in_vain(rows: list[str], code: str, said: str, at: list[int], tmp_path: Path) -> None:
    done = translated(annotate(*rows), tmp_path)
    assert [d.code for d in done.errors] == [code], done.errors
    assert said in done.errors[0].message + done.errors[0].hint and lines(done.errors[0]) == at
    assert "domain.py" in render(done.errors[0]) and not done.files


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("do a = 2, n\n do b = 1, n-1\n  u(i,j,a,b) = u(i,j,a-1,b+1)\n end do\n end do", "no value goes"),
        ("do a = 1, n\n do b = a, n\n  u(i,j,a,b) = 0\n end do\n end do", "the bounds"),
        ("do a = 1, n\n s = 0\n do b = 1, n\n  u(i,j,a,b) = s\n end do\n end do", "one loop is all"),
        ("s = 0\n do a = 1, n\n do b = 1, n\n  s = s + u(i,j,a,b)\n end do\n end do\n v(i,j,1) = s", "scalars"),
        ("do a = 1, n\n do b = 1, n\n  s = u(i,j,a,b)\n end do\n end do\n v(i,j,1) = s", "scalars"),
        ("do a = 1, n\n do b = 1, n\n  if (u(i,j,a,b) > 0) exit\n  u(i,j,a,b) = 0\n end do\n end do", "the body has"),
        ("do a = 1, n\n do b = 1, n\n  call hit(u(i,j,a,b))\n end do\n end do", "the body has"),
        ("do a = 1, n\n do b = 1, n, a\n  u(i,j,a,b) = 0\n end do\n end do", "the bounds"),
        ("do a = 1, n\n do b = 1, n\n  u(i,j,a,1) = v(i,j,b)\n end do\n end do", ""),
        ("do a = 1, n\n do b = 1, n\n  u(i,j,1,1) = v(i,j,b) + v(i,j,a)\n end do\n end do", "no value goes"),
        ("do a = 2, n\n do b = 2, n\n  u(i,j,a,b) = u(i,j,a-1,b) + u(i,j,a,b-1)\n end do\n end do", ""),
        ("do a = 2, n\n do b = 1, n-1\n  u(i,j,a,b) = v(i,j,a) + v(i,j,b)\n end do\n end do", ""),
    ],
)
def test_interchange(body: str, rule: str, tmp_path: Path) -> None:
    text = "  subroutine hit(x)\n real(8), intent(inout) :: x\n x = x + 1\n end subroutine\nend module"
    whole = PROGRAM.replace("end module", text)
    scripts = tmp_path / "s"
    scripts.mkdir()
    (scripts / "domain.py").write_text(annotate("return kernel.interchange('a', 'b')"))
    source = whole.replace("ATTRIBUTES", "").replace("BODY", body)
    done = translate_text(source, scripts=ScriptFolder(scripts, "domain", "", True))
    rules = [d.hint.removeprefix("what has to hold: ") for d in done.errors]
    assert [r[: len(rule)] for r in rules] == [rule] * bool(rule), rules


def test_scripts_that_are_not_there(tmp_path: Path) -> None:
    keep = annotate("return kernel")
    for given, said in (
        ("other:hdiff", "there is no script 'other'"),
        ("domain:annotat", "has no function 'annotat'"),
        ("../domain:annotate", "there is no script '../domain'"),
    ):
        done = translated(keep, tmp_path, f", transform({given})")
        assert [d.code for d in done.errors] == ["HF672"] and said in done.errors[0].message
    broken = translated("def annotate(:\n", tmp_path)
    assert "is not Python" in broken.errors[0].message and lines(broken.errors[0])[1] == 1
    nothing = translated(keep, tmp_path, ", transform(domain:annotate)", scripts=None)
    assert [d.code for d in nothing.errors] == ["HF672"]


def test_annotations(tmp_path: Path) -> None:
    given = ', annotate(column:a, halo:2, stencil), annotate(matrix:zz, field:u, "text")'
    done = translated(annotate("return kernel if 'column' in annotations else None"), tmp_path, given)
    said = [d.message for d in done.diagnostics if d.code == "HF673"]
    unused = ["halo", "stencil", "matrix", "field"]
    assert not done.errors and [m for m in said if "asks for" in m][:4] == [
        f"no script asks for the annotation '{key}'" for key in unused
    ]
    assert "the annotation 'matrix' names 'zz', which is no loop or array of the kernel" in said
    assert all(d.place.line == REGION for d in done.diagnostics if d.code == "HF673")
    nobody = translated(annotate("return kernel"), tmp_path, ", annotate(stencil)", scripts=None)
    assert not nobody.codes("warning")  # without scripts they are for people


@pytest.mark.parametrize(
    "rows", [["raise ValueError('no')"], ["return kernel.unroll(annotations['inner'], 'x')"], ["return"]]
)
def test_annotations_of_a_script_that_fails(rows: list[str], tmp_path: Path) -> None:
    """What it would have asked for is not known."""
    done = translated(annotate(*rows), tmp_path, ", annotate(inner:a, outer:b)")
    assert [d.severity for d in done.diagnostics] == ["error"]


def test_what_only_looks_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    folder = ScriptFolder(tmp_path / "scripts", "domain", "", False)
    done = translated("raise SystemExit('run')\n", tmp_path, ", transform(domain:annotate)", scripts=folder)
    assert not done.errors and "HF674" in done.codes("note")


def test_nothing_asked_is_nothing_changed(tmp_path: Path) -> None:
    """A script that leaves kernels alone leaves the text as it is, byte for byte."""
    kept = translated(annotate("kernel.loops, kernel.arrays, repr(kernel)", "return kernel"), tmp_path)
    assert kept.files == translated("", tmp_path, scripts=None).files
    again = [translated(annotate("return kernel.interchange('b', 'a').split('a', 2)"), tmp_path) for _ in range(2)]
    assert again[0].files == again[1].files != kept.files


def test_precedence(tmp_path: Path) -> None:
    """A kernel's own script comes after that of the domain, which comes after the directive."""
    script = annotate("return kernel.schedule('dynamic').collapse(1)") + (
        "\n\ndef work(kernel, context):\n    return kernel.schedule('guided')\n"
    )
    asked = ", schedule(static), collapse(2), transform(domain)"
    done = translated(script, tmp_path, asked, backend="openmp")
    assert not done.errors and "schedule(guided)" in done.text and "collapse(2)" not in done.text


def test_a_script_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "LIMIT", 0.3)
    done = translated(
        annotate("while True:", "    try:", "        x = 1", "    except Exception:", "        pass"), tmp_path
    )
    assert [d.code for d in done.errors] == ["HF672"] and "longer than 0.3 seconds" in done.errors[0].message
    assert 2 <= lines(done.errors[0])[1] <= 6
    top = translated("while True:\n    pass\n", tmp_path)
    assert "longer than 0.3 seconds" in top.errors[0].message


def test_a_script_changes_nothing_but_kernels(tmp_path: Path) -> None:
    """Kernels, loops and arrays are values: what a script does to them is an error, or reaches nobody."""
    for row in ("kernel.region = None", "kernel.loops['a'] = 1", "kernel.region.name = 'x'", "context['x'] = 1"):
        done = translated(annotate(row, "return kernel"), tmp_path)
        assert [d.code for d in done.errors] == ["HF672"], row


def test_scripts_import_each_other(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "common.py").write_text("SIZE = 3\n")
    done = translated("from common import SIZE\n\n\n" + annotate("return kernel.split('b', SIZE)"), tmp_path)
    assert "do hf_b_block = 1, n, 3" in done.text
    assert sorted(p.name for p in (tmp_path / "scripts").iterdir()) == ["common.py", "domain.py"]


@pytest.mark.parametrize(("queue", "codes"), [(2, []), (0, ["HF670"]), (17, ["HF670"])])
def test_queues(queue: int, codes: list[str], tmp_path: Path) -> None:
    """The kernel goes to the queue; a number that is none is refused."""
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "domain.py").write_text(annotate(f"return kernel.async_({queue})"))
    text = PROGRAM.replace("ATTRIBUTES", "").replace("BODY", "u(i,j,1,1) = v(i,j,1)")
    scripts = ScriptFolder(tmp_path / "s", "domain", "", True)
    done = translate_text(text, target="gpu", backend="cuda-c", scripts=scripts)
    assert [d.code for d in done.errors] == codes
    assert (f"launcher.queue({queue});" in done.text) == (not codes)


def _with_kernels(count: int, script: str, folder: Path, attributes: str = "") -> Translated:
    """A program with so many kernels after a script."""
    region = f"    @parallelRegion{{domName(i,j), domSize(nx,ny){attributes}}}\nBODY\n    @end parallelRegion\n"
    head, _, tail = PROGRAM.partition("    @parallelRegion")
    text = head + region * count + tail.partition("    @end parallelRegion\n")[2]
    scripts = folder / "scripts"
    scripts.mkdir(exist_ok=True)
    (scripts / "domain.py").write_text(script)
    return translate_text(text.replace("BODY", "v(i,j,1) = 1"), scripts=ScriptFolder(scripts, "domain", "", True))


@pytest.mark.parametrize(
    ("script", "attributes", "code"),
    [
        (annotate("return kernel.foo()"), "", "HF672"),
        (annotate("raise ValueError(kernel.name)"), "", "HF672"),
        (annotate("pass"), "", "HF672"),
        (annotate("kernel.collapse(2)", "return kernel"), "", "HF671"),
        (annotate("return kernel.unroll('c')"), "", "HF670"),
        ("raise ValueError", "", "HF672"),
        ("def annotate(:", "", "HF672"),
        (annotate("return kernel"), ", transform(other:f)", "HF672"),
        (annotate("return kernel"), ", transform(domain:f)", "HF672"),
    ],
)
def test_a_fault_of_a_script_is_told_once(script: str, attributes: str, code: str, tmp_path: Path) -> None:
    done = _with_kernels(3, script, tmp_path, attributes)
    assert [d.code for d in done.errors] == [code] and done.errors[0].place.line == REGION
    reported = done.errors[0].related[-1]
    assert (
        reported.message == "the same for 2 more kernels, the first of which is here"
        and reported.place.line == REGION + 3
    )
    done = _with_kernels(2, script, tmp_path, attributes)
    assert [d.code for d in done.errors] == [code]
    assert done.errors[0].related[-1].message == "the same for another kernel, here"


def test_faults_at_two_lines_are_two(tmp_path: Path) -> None:
    rows = ["if kernel.name == 'work:2':", "    return kernel.bar()", "return kernel.foo()"]
    done = _with_kernels(3, annotate(*rows), tmp_path)
    assert [d.place.line for d in done.errors] == [REGION, REGION + 3]


def test_a_function_that_takes_too_long_runs_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "LIMIT", 0.2)
    started = time.monotonic()
    done = _with_kernels(8, annotate("while True: pass"), tmp_path)
    assert [d.code for d in done.errors] == ["HF672"] and "7 more kernels" in done.errors[0].related[-1].message
    assert time.monotonic() - started < 1.2

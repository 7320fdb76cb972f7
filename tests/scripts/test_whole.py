"""Kernels that follow each other as one: what is done, what is refused by which rule, and random programs."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import hfpy
from hfpy.api import IllegalTransform
from hfpy.options import ScriptFolder
from hfpy.transform.scripts import whole
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, SEQUENTIAL, Corpus, Pair, Variant, translate_text

COUNT = int(os.environ.get("HFPY_TRANSFORMED", "3"))
FIRST = int(os.environ.get("HFPY_TRANSFORMED_FROM", "0"))
HEAD = """module {name}
  implicit none
  real(8) :: kept
contains
  subroutine work(nx, ny, n, u, v, w)
    integer, intent(in) :: nx, ny, n
    real(8), intent(inout) :: u(nx,ny,n), v(nx,ny,n), w(nx,ny,n)
    integer :: i, j, k, l
    real(8) :: s, t, c(3)
"""
TAIL = """  end subroutine
  subroutine add(x, y)
    real(8), intent(inout) :: x
    real(8), intent(in) :: y
    x = x + y
  end subroutine
  subroutine told(x)
    real(8), intent(in) :: x
    if (x > 1d9) print *, x
  end subroutine
  subroutine run()
    integer, parameter :: nx = 5, ny = 4, n = 3
    real(8) :: u(nx,ny,n), v(nx,ny,n), w(nx,ny,n)
    integer :: m
    u = reshape([(sin(0.37d0*m), m = 1, size(u))], shape(u))
    v = reshape([(cos(0.53d0*m), m = 1, size(v))], shape(v))
    w = reshape([(sin(0.11d0*m + 1), m = 1, size(w))], shape(w))
    call work(nx, ny, n, u, v, w)
    print '(5es24.16)', u, v, w
  end subroutine
end module
"""
BOUNDS = "startAt(2,2), endAt(nx-1,ny-1)"
# With ``forced`` nothing is asked, and hfpy is told that no points meet, as it would refuse what comes out.
SCRIPT = """from dataclasses import replace

from hfpy.api import IllegalTransform
from hfpy.transform.scripts import whole

if {forced}:
    whole.check_points = lambda *_: None


def annotate(kernel, annotations, context):
    name, number = kernel.name[:-1], int(kernel.name[-1])
    for other in range(number + 1, 4):
        try:
            kernel = kernel.fuse(f"{{name}}{{other}}")
        except IllegalTransform:
            break
    if {forced} and kernel.taken:
        used = tuple(name for name in "uvw" if name in kernel.arrays)
        kernel = kernel._with("forced", replace(kernel.region, independent=used))
    return kernel
"""


def statements(rng: Random, target: str, others: list[str]) -> list[str]:
    """The lines of a region that sets one array; each point reads others, mostly at its own place."""

    def element(array: str, level: str) -> str:
        i, j = ("" if array == target or rng.random() < 0.75 else rng.choice(["+1", "-1"]) for _ in "ij")
        return f"{array}(i{i},j{j},{level})"

    left = f"{target}(i,j,k)"
    kind = rng.randrange(4)
    if kind == 0:
        return ["do k = 1, n", f"  {left} = 0.5d0*{left} + {element(rng.choice(others), 'k')}", "end do"]
    if kind == 1:
        read = element(rng.choice(others), "1")
        return [f"s = {read}", "do k = 1, n", f"  if (k > 1) s = 0.5d0*s + {left}", f"  {left} = s", "end do"]
    if kind == 2:
        rows = [f"c = {element(rng.choice(others), '1')}", "do k = 1, 3", "  c(k) = c(k) + k", "end do"]
        return [*rows, f"{target}(i,j,2) = c(1) - c(3)*{element(rng.choice(others), '2')}"]
    read = element(rng.choice(others), "k")
    return ["do k = n, 1, -1", f"  if ({left} > 0.2d0) call add({left}, {read})", "end do"]


def pair_of(number: int) -> Pair:
    """A program with four regions side by side, and the same as plain loops."""
    rng = Random(number)
    name = f"side{number}"
    hybrid, plain = [HEAD.format(name=name)], [HEAD.format(name=name)]
    for region in range(4):
        target, *others = rng.sample(["u", "v", "w"], 3)
        body = "".join(f"      {row}\n" for row in statements(rng, target, others))
        directive = f"@parallelRegion{{domName(i,j), domSize(nx,ny), {BOUNDS}, name({name}_{region})}}"
        hybrid.append(f"    {directive}\n{body}    @end parallelRegion\n")
        plain.append(f"    do j = 2, ny-1\n    do i = 2, nx-1\n{body}    end do\n    end do\n")
    texts = ["".join([*rows, TAIL]) for rows in (hybrid, plain)]
    return Pair(name, {f"{name}.h90": texts[0]}, {f"{name}.f90": texts[1]}, name)


def failures(variant: Variant, numbers: range, folder: Path, forced: bool) -> tuple[list[str], int]:
    """The programs that print something else than their plain twins, and how many kernels were fused."""
    scripts = folder / "scripts"
    scripts.mkdir()
    (scripts / "fuses.py").write_text(SCRIPT.format(forced=forced))
    way = replace(variant, options={**variant.options, "scripts": ScriptFolder(scripts, "fuses", "", True)})
    pairs = [pair_of(n) for n in numbers]
    corpus = Corpus(pairs, folder, {p.name: (way,) for p in pairs})
    done, wrong = 0, []
    for pair in pairs:
        made = corpus.translation(pair.name, way)
        done += len(re.findall(r"! by fuses\.py:\d+: fuse", made.text))
        try:
            assert not made.errors, made.errors[0]
            corpus.check_one(pair.name, way)
        except AssertionError as failure:
            wrong.append(f"{pair.name}: {str(failure)[:300]}")
    return wrong, done


FULL = [pytest.param(v, marks=pytest.mark.full) for v in (SEQUENTIAL, CUDA_C, CUDA_FORTRAN, OPENACC)]


@pytest.mark.parametrize("variant", [OPENMP, *FULL], ids=lambda v: v.label)
def test_what_is_legal_changes_nothing(variant: Variant, tmp_path: Path) -> None:
    wrong, done = failures(variant, range(FIRST, FIRST + COUNT), tmp_path, False)
    assert not wrong, "\n".join(wrong[:4])
    assert done >= COUNT // 2 > 0


@pytest.mark.full
def test_what_is_refused_would_change_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "check_points", whole.check_points)  # what the script does to it is undone
    wrong, done = failures(SEQUENTIAL, range(FIRST, FIRST + 20), tmp_path, True)
    assert done > 40 and len(wrong) > 4 and all("differs" in w for w in wrong), (wrong, done)


def _program(tmp_path: Path, first: str, second: str, between: str = "", more: str = "") -> hfpy.api.Program:
    """A program with two kernels, ``one`` and ``two``; ``more`` is for the directive of the second."""
    rows = []
    for name, body, said in (("one", first, ""), ("two", second, more)):
        bounds = "startAt(2,2)" if "startAt" not in said else ""
        reported = ", ".join(x for x in ("domName(i,j), domSize(nx,ny)", bounds, f"name({name})", said) if x)
        rows += [f"    @parallelRegion{{{reported}}}", f"      {body}", "    @end parallelRegion", f"    {between}"]
    path = tmp_path / "m.h90"
    path.write_text(HEAD.format(name="m") + "\n".join(rows) + "\n" + TAIL)
    return hfpy.read(path, backend="sequential", opt=0)


def test_fuse(tmp_path: Path) -> None:
    program = _program(tmp_path, "u(i,j,1) = v(i,j,1)", "w(i,j,1) = u(i,j,1)", "! in between", "annotate(thin)")
    kernel = program["one"].fuse("m::two")
    assert kernel.name == "one" and kernel.region.annotations == {"thin": ""}
    assert [row.strip() for row in kernel.text.splitlines()[1:-1]] == [
        *("u(i,j,1) = v(i,j,1)", "! in between", "w(i,j,1) = u(i,j,1)")
    ]
    assert program["one"].steps[0].call == "fuse('m::two')"
    text = program.texts()["m.F90"]
    assert text.count("do j = 2, ny") == 1 and "by test_whole.py" in text
    program["two"].after("s = 0")
    with pytest.raises(hfpy.diagnostics.HfpyError, match="'two' is part of the kernel 'one'"):
        program.texts()


@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        ("u(i,j,1) = v(i,j,1)", "w(i,j,1) = u(i-1,j,1)", "no two points meet"),
        ("u(i,j,1) = v(i-1,j,1)", "v(i,j,1) = w(i,j,1)", "no two points meet"),
        ("u(i,j,1) = v(i,j,1)", "v(i-1,j,2) = w(i,j,1)", ""),
        ("u(i,j,1) = v(i,j,1)", "u(i-1,j,1) = w(i,j,1)", "no two points meet"),
        ("u(i,j,1) = v(i,j,1)\n if (u(i,j,1) > 0) @exit", "w(i,j,1) = u(i,j,1)", "each point of the first"),
        ("do k = 1, n\n if (u(i,j,k) > 0) exit\n end do", "w(i,j,1) = u(i,j,1)", ""),
        ("u(i,j,1) = 2", "print *, w(i,j,1)", "nothing keeps"),
        ("call told(u(i,j,1))", "w(i,j,1) = 1", "nothing keeps"),
        ("s = u(i,j,1)\n u(i,j,1) = s", "s = v(i,j,1)\n v(i,j,1) = s", ""),
    ],
)
def test_rules(first: str, second: str, rule: str, tmp_path: Path) -> None:
    kernel = _program(tmp_path, first, second)["one"]
    if not rule:
        assert kernel.fuse("two").taken == (1,)
        return
    with pytest.raises(IllegalTransform) as refused:
        kernel.fuse("two")
    assert refused.value.rule.startswith(rule), (refused.value.rule, refused.value.message)


@pytest.mark.parametrize(
    ("between", "more", "message"),
    [
        ("s = 1", "", "something else is between"),
        ("#if 0\n#endif", "", "a line for the preprocessor"),
        ("", "startAt(3,2)", "they differ in their loops"),
        ("", "fuse(no)", "they differ in what they say with 'fuse'"),
        ("", "tile(i:4)", "they differ in what they say with 'tile'"),
        ("", "backend(openmp)", "they differ in what they say with 'backend'"),
    ],
)
def test_directives(between: str, more: str, message: str, tmp_path: Path) -> None:
    kernel = _program(tmp_path, "u(i,j,1) = 1", "v(i,j,1) = 1", between, more)["one"]
    with pytest.raises(IllegalTransform, match=message):
        kernel.fuse("two")


def test_names(tmp_path: Path) -> None:
    program = _program(tmp_path, "u(i,j,1) = 1", "v(i,j,1) = 1")
    with pytest.raises(IllegalTransform, match="no kernel is after 'two'"):
        program["two"].fuse("one")
    with pytest.raises(IllegalTransform, match="'two' comes after 'one'"):
        program["one"].fuse("tow")


def test_a_kernel_that_is_in_another_gets_no_script(tmp_path: Path) -> None:
    pair = pair_of(0)
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    rows = ["if kernel.name.endswith('_1'): raise ValueError('never')"]
    rows += ["if kernel.name.endswith('_0'): kernel = kernel.fuse(kernel.name[:-1] + '1')"]
    (scripts / "s.py").write_text(
        "\n    ".join(["def annotate(kernel, annotations, context):", *rows, "return kernel"])
    )
    text = pair.hybrid["side0.h90"].replace("(i+1", "(i").replace("(i-1", "(i").replace("j+1", "j").replace("j-1", "j")
    folder = ScriptFolder(scripts, "s", "", True)
    done = translate_text({"side0.h90": text}, **{**SEQUENTIAL.options, "scripts": folder})
    assert not done.errors and done.text.count("do j = 2, ny-1") == 3

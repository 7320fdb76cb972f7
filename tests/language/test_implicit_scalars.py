"""Scalars that only the implicit rules type (Fortran 2018, 8.7): the dependence engine sees them as it sees others.

Before, a sum in such a scalar was taken for a value that each point sets, by hand and by ``--auto``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, Corpus, Pair, compile_files, output, translate_text

TEXT = """module {name}
contains
  subroutine run
    implicit real*8 (a-h,o-z)
    parameter (nx=60, ny=40)
    common /par/ grav, kount
    dimension a(nx,ny), b(nx)
    grav = 2
    kount = 3
    do j = 1, ny
      do i = 1, nx
        a(i,j) = mod(i*7+j*3, 13) - 5.5d0
        b(i) = i
      end do
    end do
    s = 0
    {before}
    {directive}
    {loop}
    print '(5f16.6)', s, grav, sum(a), sum(b), kount + b(7)
  end subroutine run
  subroutine outside(x)
    real(8) :: x
    x = x + 1
  end subroutine outside
end module {name}
"""
CARRIED = {
    "sum": "do j = 1, ny\ndo i = 1, nx\ns = s + a(i,j)*4\nend do\nend do",
    "labels": "do 20 j = 1, ny\ndo 20 i = 1, nx\n20 s = s + a(i,j)*4",
    "value of the point before": "do i = 1, nx\nb(i) = b(i) + s\ns = a(i,5)\nend do",
    "common": "do j = 1, ny\ngrav = grav + a(1,j)\na(2,j) = grav\nend do",
    "index that meets": "do i = 1, nx\nkk = 1 - i\nb(i+kk) = b(i+kk) + a(i,2)\nend do",
    "index by halves": "do i = 2, nx\nkk = i/2\nb(kk) = b(kk) + a(i,4)\nend do",
    "set by a call": "do i = 1, nx\ncall outside(s)\nb(i) = s\nend do",
    "namelist": "do i = 1, nx\nb(i) = b(i) + z\nz = a(i,5)\nend do",
}
OWN = {
    "set first": "do i = 1, nx\nx = a(i,3)\nb(i) = x*2\nend do",
    "index that turns": "do i = 1, nx\nkk = nx + 1 - i\nb(kk) = a(i,3) + kk\nend do",
    "read": "do i = 1, nx\nb(i) = b(i) + grav*kount\nend do",
    "used after": "do i = 1, nx\ns = a(i,3)\nb(i) = s*2\nend do",
}


def _text(name: str, loop: str, directive: str) -> str:
    text = TEXT.format(name=name, loop=loop, directive=directive, before="z = 0" if "z =" in loop else "")
    return text.replace("dimension", "namelist /group/ z\ndimension") if "z =" in loop else text


@pytest.mark.parametrize("loop", CARRIED.values(), ids=CARRIED)
def test_what_goes_from_point_to_point_is_told(loop: str) -> None:
    done = translate_text({"m.f90": _text("m", loop, "!@parallelRegion")}, backend="openmp")
    reported = {*done.codes(), *done.codes("warning")}
    assert reported & {"HF500", "HF502", "HF504"}, reported


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """All loops, without directives: what hfpy makes of them by itself."""
    pairs = []
    for number, loop in enumerate((*CARRIED.values(), *OWN.values())):
        text = {f"imp{number}.f90": _text(f"imp{number}", loop, "")}
        pairs.append(Pair(f"imp{number}", text, text, f"imp{number}"))
    way = type(OPENMP)("auto", {"backend": "openmp", "auto": True}, threads=(1, 3))
    return Corpus(pairs, tmp_path_factory.mktemp("auto"), {p.name: (way,) for p in pairs})


@pytest.mark.parametrize("number", range(len(CARRIED) + len(OWN)), ids=(*CARRIED, *OWN))
def test_found_regions_give_the_results_of_the_serial_program(
    found: Corpus, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)  # short loops become regions, too
    found.check(f"imp{number}")


@pytest.fixture(scope="module")
def regions(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Loops with directives whose points are apart."""
    pairs = []
    for number, loop in enumerate(OWN.values()):
        text = {f"own{number}.f90": _text(f"own{number}", loop, "!@parallelRegion")}
        pairs.append(Pair(f"own{number}", text, text, f"own{number}"))
    ways = {p.name: (OPENMP, CUDA_C, CUDA_FORTRAN, OPENACC) for p in pairs}
    last = pairs[-1].name
    return Corpus(pairs, tmp_path_factory.mktemp("own"), {**ways, last: ways[last][:3]})


@pytest.mark.parametrize("number", range(len(OWN)), ids=OWN)
def test_points_that_are_apart(regions: Corpus, number: int) -> None:
    regions.check(f"own{number}")


@pytest.mark.parametrize("backend", ["openacc", "openmp-target"])
def test_a_result_beside_which_compilers_would_make_a_local_is_refused(backend: str) -> None:
    """In a block around the loops ``s`` would be a variable of the block."""
    done = translate_text({"m.f90": _text("m", OWN["used after"], "!@parallelRegion")}, target="gpu", backend=backend)
    assert done.codes() == ["HF702"] and "declared nowhere" in done.errors[0].message


def test_a_result_beside_an_array_that_threads_allocate_is_refused() -> None:
    loop = "do j = 1, ny\nwork = a(1:nx/2,1:ny/2)\ns = work(1,1)\na(2,j) = s\nend do"
    text = _text("m", loop, "!@parallelRegion").replace("dimension a", "real*8 work(kount,kount)\ndimension a")
    text = text.replace("parameter (nx=60, ny=40)\n    common /par/ grav, kount", "use sizes\nparameter (nx=60, ny=40)")
    sizes = "module sizes\ninteger :: kount = 20\nreal(8) :: grav\nend module sizes\n"
    done = translate_text({"sizes.f90": sizes, "m.f90": text}, backend="openmp")
    assert [d.code for d in done.errors if "declared nowhere" in d.message] == ["HF502"]


def test_macros_are_no_scalars() -> None:
    text = "#define NY 40\n" + _text("m", OWN["set first"].replace("a(i,3)", "a(i,NY)"), "!@parallelRegion")
    done = translate_text({"m.F90": text.replace(", ny=40", "")}, backend="openmp").require()
    assert "shared(a, b)" in done.text


@pytest.mark.parametrize("backend", ["openacc", "openmp-target"])
@pytest.mark.parametrize("kept", ["save x", "save", "data x /2.0/"])
def test_routines_that_keep_them_are_refused_in_kernels(kept: str, backend: str) -> None:
    """Compilers have no such variable on the device."""
    text = f"subroutine f(a)\nreal a\n{kept}\na = a*x\nend\nsubroutine s(n, a)\nreal a(n)\n"
    text += "!@parallelRegion{domName(i), domSize(n)}\ndo i = 1, n\ncall f(a(i))\nend do\n!@end parallelRegion\nend\n"
    found = [d.message for d in translate_text({"s.f90": text}, target="gpu", backend=backend).errors]
    assert any("'f', which keeps 'x' between calls" in message for message in found), found
    assert not translate_text({"s.f90": text.replace(f"{kept}\n", "x = 1\n")}, target="gpu", backend=backend).errors


OLD = """{head}      subroutine work(n, a, b)
      common /par/ kext, gamma, tab(10)
      dimension a(n), b(n)
      do 10 i = 1, n
        a(i) = b(i)*gamma +
     {mark}         tab(3)*tiny2
        if (kext .gt. 2) a(i) = a(i) + float(kext)
 10   continue
      end
      block data start
      common /par/ kext, gamma, tab(10)
      data kext, gamma, tab /3, 2.5, 10*0.5/
      end
      program main
      dimension a(1000), b(1000)
      do 7 i = 1, 1000
        b(i) = mod(i, 17)
 7    continue
      call work(1000, a, b)
      print '(3f12.4)', a(10), a(1000), sum(a)
      end
"""


FILES = [("f", "", "#"), ("for", "", "&"), ("F", "#define tiny2 0.5\n", "#")]


@pytest.mark.parametrize(("suffix", "head", "mark"), FILES)
@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "openmp"])
def test_scalars_of_common_blocks_in_files_with_hash_signs(
    backend: str, suffix: str, head: str, mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ``#`` in column 6 continues a line. It was taken for the preprocessor, whose macros all names could be that
    nothing sets; but none is in a common block.
    """
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)  # short loops become regions, too
    text = OLD.format(head=head, mark=mark)
    text = text if head else text.replace("tiny2", "0.5")
    name = f"old.{suffix}"
    target = "cpu" if backend == "openmp" else "gpu"
    done = translate_text({name: text}, target=target, backend=backend, auto=True, exports=None).require()
    assert ("!$omp parallel do" if target == "cpu" else "hfl0_work") in done.text
    if backend == "openmp":
        expected = output(compile_files({name: text}, tmp_path / "plain"))
        assert output(compile_files(dict(done.files), tmp_path / "made", openmp=True), threads=3) == expected

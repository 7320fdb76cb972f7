"""Constructs around loops that give names of variables another meaning: ``associate``, ``block``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.automatic.test_verdicts import VARIANTS
from tests.automatic.test_verdicts import _auto as auto
from tests.support import CUDA_FORTRAN, Corpus, Pair, Variant, translate_text

N = 24
#: Parts of a program with arrays ``a``, ``b`` and ``c``, and numbers ``j``, ``k``: the statements around a loop,
#: what that adds, and for which targets hfpy refuses a region there.
PARTS = {
    "by_itself": ("associate (k => k + 1)\n{add}\nend associate", "k", "gpu"),
    "scaled": ("associate (k => 2*k, z => b(3))\n{add}\nend associate", "k + z", "gpu"),
    "its_own_part": ("associate (b => b(k:))\n{add}\nend associate", "b(mod(j, 5) + 1)", "gpu"),
    "element": ("associate (k => b(3), z => c(2) + 1)\n{add}\nz9 = z\nend associate", "k + z", ""),
    "section": ("associate (k => b)\n{add}\ncall show(k)\nend associate", "k(j)", ""),
    "taken_apart_nowhere": ("associate (q => b(k))\nk = 9\n{add}\nend associate", "q", "gpu"),
    "variable_of_a_block": ("block\ninteger :: k\nk = 7\n{add}\nend block", "k", "block"),
    "beside": ("associate (k => b(3), z => 2*k + 1)\n{add}\nend associate", "z", "both"),
    "within": ("associate (z => 2*k + 1)\nassociate (k => b(3))\n{add}\nend associate\nend associate", "z + k", "both"),
    "swapped": ("associate (a => b, b => a)\n{add}\nend associate", "b(j)", "both"),
    "printed": ("associate (b => c, z => b)\n{add}\ncall show(z)\nz(3) = 5\nend associate", "b(j) + z(j)", "both"),
    "names_of_names": (
        "associate (x => b)\nassociate (y => x)\nassociate (x => a)\n{add}\nx(2) = y(3)\n" + 3 * "end associate\n",
        "y(n + 1 - j)",
        "",
    ),
    "in_a_block": ("associate (z => k)\nblock\ninteger :: k\nk = 9\n{add}\nend block\nend associate", "z", "both"),
}
LOOP = "LOOP\ndo j = 1, n\n  a(j) = a(j) + {}\nend do"
PROGRAM = f"""module parts
  implicit none
contains
  subroutine part(n, a, b, c, k, z9)
    integer, intent(in) :: n
    integer, intent(inout) :: a(n), b(n), c(n), k, z9
    integer :: j
    do j = 1, n
      c(j) = b(j) + j
    end do
PART
    do j = 1, n
      b(j) = b(j) + a(j) + c(j)
    end do
  end subroutine part
  subroutine show(x)
    integer, intent(in) :: x(:)
    print '(12i6)', x
  end subroutine show
  subroutine run
    integer :: a({N}), b({N}), c({N}), k, z9, j
    do j = 1, {N}
      a(j) = mod(5*j, 7)
      b(j) = 3*j
    end do
    k = 4
    z9 = 0
    call part({N}, a, b, c, k, z9)
    print '(12i6)', a, b, c, k, z9
  end subroutine run
end module parts
"""


def program(part: str, directive: str = "") -> dict[str, str]:
    text, value, _ = PARTS[part]
    loop = LOOP.format(value).replace("LOOP", directive or "continue")
    return {"parts.f90": PROGRAM.replace("PART", text.format(add=loop))}


@pytest.mark.parametrize("variant", (*VARIANTS, auto(CUDA_FORTRAN)), ids=lambda v: v.label)
def test_the_programs_are_the_plain_ones(variant: Variant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    for part in PARTS:
        files = program(part)
        pair = Pair(part, files, files, "parts")
        Corpus([pair], tmp_path / part, {part: (variant,)}).check_one(part, variant)


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "openmp"])
@pytest.mark.parametrize("part", PARTS)
def test_by_hand(part: str, backend: str) -> None:
    """Launchers name variables of the routine; threads find what the loop names."""
    done = translate_text(
        program(part, "!@parallelRegion"), target="cpu" if backend == "openmp" else "gpu", backend=backend
    )
    wanted = {
        "both": "HF702",
        "block": "HF404",
        "gpu": "" if backend == "openmp" else "HF702",
    }.get(PARTS[part][2], "")
    assert {d.code for d in done.errors} == ({wanted} if wanted else set())


CALLED = """module m
  implicit none
contains
  subroutine set(a, b, i)
    real(8), intent(inout) :: a(:), b(:)
    integer, intent(in) :: i
    CONSTRUCT
  end subroutine set
  subroutine step(x, y, z, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n), z(n)
    integer :: i
    LOOP
    do i = 2, n
      call set(x, y, i)
      z(i) = y(i-1)
    end do
  end subroutine step
end module m
"""
SWAPPED = {
    "in one construct": "associate (a => b, b => a)\na(i) = 1\nend associate",
    "in another one": "associate (c => b)\nassociate (b => a)\nc(i) = 1\nend associate\nend associate",
}


@pytest.mark.parametrize("construct", SWAPPED)
def test_in_a_called_routine_without_regions(construct: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was known to set the other array, so that the loop that calls it was taken for a parallel one."""
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    text = CALLED.replace("CONSTRUCT", SWAPPED[construct])
    found = translate_text({"m.f90": text.replace("LOOP", "")}, backend="openmp", auto=True).require()
    assert "!$omp" not in found.text
    assert "HF702" in translate_text({"m.f90": text.replace("LOOP", "!@parallelRegion")}, backend="openmp").codes()


@pytest.mark.parametrize("construct", SWAPPED)
def test_in_a_main_program_without_regions(construct: str) -> None:
    """Its objects are declared with save for the sake of threads; the program was refused."""
    text = f"""program p
  implicit none
  type t
    real(8) :: v(9) = 0
  end type t
  type(t) :: o
  real(8), target :: a(300000), b(300000)
  integer :: i
  b = 1
  do i = 1, 300000
    a(i) = b(i)*i
  end do
  {SWAPPED[construct]}
  print *, sum(a), sum(b), o%v
end program p
"""
    text = text.replace("(i) = 1", "(1) = 1")
    done = translate_text({"p.f90": text}, backend="openmp", auto=True)
    assert not done.errors
    assert "!$omp" not in done.require().text

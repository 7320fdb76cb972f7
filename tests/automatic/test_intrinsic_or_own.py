"""Names that both an intrinsic procedure and something of the program have: a function whose type is declared is the
intrinsic one, also where the program has an external one of that name that nothing declares as external.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_verdicts import VARIANTS
from tests.support import Corpus, Pair, Variant, translate_text, write_files

N = 40000
TYPED = f"""      subroutine drive
      implicit real*8 (a-h,o-z)
      parameter (n = {N})
      real*8 a(n), b(n), dabs, dexp, sqrt, scale
      integer mod
      intrinsic dexp
      real*8 sum, own, total
      integer index, size
      character*4 char
      external scale
      data index /3/
      common /sizes/ size
      do 10 i = 1, n
        a(i) = dabs(dble(mod(i, 17)) - 8d0)
   10 continue
      do 20 i = 1, n
        b(i) = sqrt(a(i)) + dexp(-a(i))
   20 continue
      do 30 i = 1, n
        b(i) = b(i) + scale(a(i), 2)
   30 continue
      sum = own(2)
      size = 5
      call grow(index)
      char = 'abcd'
      call scan(a, b, n)
      total = 0
      do 40 i = 1, n
        total = total + b(i)*mod(i, 7)
   40 continue
      print '(3f16.6)', total, sum, a(7)
      print '(2i4,1x,a)', index, size, char(2:3)
      end
      subroutine grow(k)
      common /sizes/ size
      integer size
      k = k + size
      size = k
      end
      subroutine scan(a, b, n)
      real*8 a(n), b(n)
      do 10 i = 1, n
        a(i) = a(i) - 0.5d0*b(i)
   10 continue
      end
"""
OWN = """      real*8 function own(i)
      own = i + 0.25d0
      end
      real*8 function scale(x, i)
      real*8 x
      scale = 10*x + i
      end
"""
HIDDEN = """      real*8 function dabs(x)
      real*8 x
      dabs = 1000*x
      end
      integer function mod(i, j)
      mod = 9
      end
"""
RUN = "module old\ncontains\n  subroutine run\n    call drive\n  end subroutine run\nend module old\n"
FILES = {"drive.f90": TYPED + OWN + HIDDEN, "old.f90": RUN}


@pytest.mark.parametrize(("target", "backend"), [("cpu", "openmp"), ("gpu", "cuda-c"), ("gpu", "openacc")])
@pytest.mark.parametrize("hidden", ["", HIDDEN], ids=["without", "with others"])
def test_functions_with_a_declared_type_may_be_intrinsic(
    target: str, backend: str, hidden: str, tmp_path: Path
) -> None:
    files = write_files({"old.f90": TYPED + OWN + hidden}, tmp_path)
    found = found_regions(files, Options(target=target, backend=backend))
    lines = [n for n, line in enumerate(TYPED.splitlines(), 1) if line.lstrip().startswith("do ")]
    assert {v.place.line for v in found.verdicts if v.region} >= {lines[0], lines[1], lines[2], lines[4]}


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_the_program_is_the_plain_one(variant: Variant, tmp_path: Path) -> None:
    Corpus([Pair("old", FILES, FILES, "old")], tmp_path, {"old": (variant,)}).check_one("old", variant)


DOUBTFUL = """real(8) function second(x)
  real(8), intent(in) :: x
  second = 100*x
end function second
real(8) function erf(x)
  real(8), intent(in) :: x
  erf = 1000*x
end function erf
subroutine s(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  real(8) :: erf, second
  integer :: i
  !@parallelRegion
  do i = 1, n
    a(i) = a(i) + CALL(a(i))
  end do
end subroutine s
"""


@pytest.mark.parametrize("name", ["erf", "second"])
@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "openacc", "opencl"])
def test_what_depends_on_the_compiler_is_refused_in_kernels(name: str, backend: str) -> None:
    text = DOUBTFUL.replace("CALL", name)
    made = translate_text({"s.f90": text}, target="gpu", backend=backend)
    assert [d.code for d in made.errors] == ["HF702"]
    for said in ("external", "intrinsic"):
        declared = text.replace("  integer :: i\n", f"  integer :: i\n  {said} {name}\n")
        made = translate_text({"s.f90": declared}, target="gpu", backend=backend)
        assert (said == "intrinsic" and name == "second") or not made.errors


STATEFUL = f"""program p
  implicit none
  real :: a({N})
  integer :: i
  DECLARED
  do i = 1, {N}
    STATEMENT
  end do
  print *, sum(a)
end program p
real function rand(i)
  integer :: i
  rand = 0.5*i
end function rand
subroutine second(x)
  real :: x
  x = 2*x
end subroutine second
real function erf(x)
  real :: x
  erf = x
end function erf
"""


@pytest.mark.parametrize(
    ("statement", "declared", "region"),
    [
        ("a(i) = rand(i)", "real :: rand", False),
        ("a(i) = rand(i)", "real, external :: rand", True),
        ("call second(a(i))", "", False),
        ("call second(a(i))", "external second", True),
        ("a(i) = erf(0.1*i)", "real :: erf", True),
        ("a(i) = erf(0.1*i)", "", True),
    ],
)
def test_what_may_be_an_intrinsic_procedure_with_a_state_is_serial(
    statement: str, declared: str, region: bool, tmp_path: Path
) -> None:
    """Compilers that have ``rand`` and ``second`` call theirs, whatever the program's do."""
    text = STATEFUL.replace("DECLARED", declared).replace("STATEMENT", statement)
    found = found_regions(write_files({"p.f90": text}, tmp_path), Options(target="cpu", backend="openmp"))
    assert [v.region for v in found.verdicts] == [region]

"""Routines in no module that kernels call: external subroutines and functions, with interfaces and without."""

import pytest

from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, OPENMP_TARGET, Corpus, Pair, Variant

PARTS = """subroutine outer_NAME(n, x)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  real(8), external :: twice_NAME
  integer :: k
  do k = 1, n
    x(k) = twice_NAME(x(k)) + 1
  end do
  call deepest_NAME(x(1))
end subroutine outer_NAME
real(8) function twice_NAME(x)
  implicit none
  real(8), intent(in) :: x
  twice_NAME = 2*x
end function twice_NAME
subroutine deepest_NAME(x)
  real(8), intent(inout) :: x
  x = x + 0.5d0
end subroutine deepest_NAME
"""
MAIN = """module NAME
  implicit none
contains
  subroutine run()
    integer, parameter :: nx = 5, nk = 3
    real(8) :: a(nk,nx), b(nx)
    integer :: i, k
    DECLARED
    do i = 1, nx
      do k = 1, nk
        a(k,i) = i + 10*k
      end do
      b(i) = i
    end do
<
    call outer_NAME(nk, a(:,i))
    b(i) = twice_NAME(b(i))
    call deepest_NAME(b(i))
>
    print '(5f8.2)', a, b
  end subroutine run
end module NAME
"""
INTERFACE = """interface
      subroutine outer_NAME(n, x)
        integer, intent(in) :: n
        real(8), intent(inout) :: x(n)
      end subroutine outer_NAME
      real(8) function twice_NAME(x)
        real(8), intent(in) :: x
      end function twice_NAME
    end interface"""
DECLARED = {
    "implicit": "real(8) :: twice_NAME",
    "external": "real(8) :: twice_NAME\n    external outer_NAME, twice_NAME, deepest_NAME",
    "attribute": "real(8), external :: twice_NAME",
    "interface": INTERFACE,
    "procedure": f"{INTERFACE}\n    procedure(), pointer :: other\n    external deepest_NAME",
}


def pair(word: str) -> Pair:
    name = f"o_{word}"
    main, parts = MAIN.replace("DECLARED", DECLARED[word]).replace("NAME", name), PARTS.replace("NAME", name)
    hybrid = main.replace("<\n", "@parallelRegion{domName(i), domSize(nx)}\n").replace(">\n", "@end parallelRegion\n")
    plain = main.replace("<\n", "do i = 1, nx\n").replace(">\n", "end do\n")
    files = {f"{name}_parts.h90": parts, f"{name}.h90": hybrid}
    return Pair(name, files, {f"{name}_parts.f90": parts, f"{name}.f90": plain}, name)


VARIANTS = (OPENACC, OPENMP_TARGET, CUDA_C, CUDA_FORTRAN, OPENMP)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = [pair(word) for word in DECLARED]
    return Corpus(pairs, tmp_path_factory.mktemp("outside"), {p.name: VARIANTS for p in pairs})


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
@pytest.mark.parametrize("word", DECLARED)
def test_external_routines(word: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(f"o_{word}", variant)

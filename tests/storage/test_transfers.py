"""``transferHere`` of pointers, and of allocatables that a called routine allocates (D in defects)."""

import pytest

from tests.storage.programs import program
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, SEQUENTIAL, Corpus

TEXT = """\
module NAME
  implicit none
  real(8), pointer :: kept(:) => null()
contains
  subroutine run()
    real(8), pointer :: q(:)
    real(8) :: s(4)
    allocate(q(4), kept(4))
    q = [1, 2, 3, 4]
    kept = [10, 20, 30, 40]
    call work(q, s)
    print *, q, s, kept
  end subroutine run
  subroutine make(w, by)
    real(8), allocatable, intent(out) :: w(:)
    real(8), intent(in) :: by
    allocate(w(4))
    w = [by, 2*by, 3*by, 4*by]
  end subroutine make
  subroutine work(p, s)
    real(8), pointer :: p(:)
    real(8), intent(out) :: s(4)
    real(8), allocatable :: w(:)
    integer :: i
    @domainDependant{attribute(transferHere)}
    p, s, w, kept
    @end domainDependant
    call make(w, 2.0d0)
<i
    p(i) = p(i) + w(i) + kept(i)
    s(i) = p(i)
>
    p(1) = p(1) + 100
    CHANGED
    call make(w, 5.0d0)
    w(2) = 50
<i
    s(i) = s(i) + p(i) + w(i)
    kept(i) = kept(i) + 1
>
  end subroutine work
end module NAME
"""
PAIRS = [
    program("transfers", TEXT.replace("CHANGED", "kept(2) = 7")),
    program("transfers_moved", TEXT.replace("CHANGED", "kept(4:) = -1").replace("p(1) = p(1) + 100", "p = p + 100")),
]
VARIANTS = (SEQUENTIAL, CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("transfers"), {p.name: VARIANTS for p in PAIRS})


@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_programs(name: str, corpus: Corpus) -> None:
    corpus.check(name)

"""What a block of columns need not be filled with: arrays that each column sets all of before it reads any of it.

Operators without blanks around them hid reads before. Programs are their own twins: directives are in comments.
"""

from __future__ import annotations

import pytest

from tests.support import OPENMP, SEQUENTIAL, Corpus, Pair

PROGRAM = """module {name}
  implicit none
  integer, parameter :: nx = 37, nz = 9
contains
  subroutine run()
    real(8) :: t(nz,nx), q(nz,nx)
    integer :: i, k
    do i = 1, nx
      do k = 1, nz
        t(k,i) = 0.3d0 + 0.01d0*k; q(k,i) = 0.25d0 + 0.01d0*i/k
      end do
    end do
    call columns(t, q)
    print '(es24.16)', t
  end subroutine run
  subroutine columns(t, q)
    real(8), intent(inout) :: t(nz,nx)
    real(8), intent(in) :: q(nz,nx)
    real(8) :: carry
    logical :: wet
    integer :: i, k
    !@parallelRegion{{domName(i), domSize(nx)}}
    do i = 1, nx
      carry = 0.d0; wet = .false.
      {before}
      do k = 1, nz
        t(k,i) = carry; carry = carry*0.5d0 + exp(q(k,i)) + sqrt(q(k,i))/(1.d0+q(k,i)**2)
        {within}
      end do
      {behind}
    end do
    !@end parallelRegion
  end subroutine columns
  subroutine look(x, y)
    real(8), intent(in) :: x(nz)
    real(8), intent(inout) :: y
    y = y + x(2)
  end subroutine look
end module {name}
"""

CASES = {
    "plain": ("", "", ""),
    "greater": ("if (q(1,i).gt.t(1,i)) carry = 1.d0", "", ""),
    "and": ("wet = q(1,i)>0.3d0.and.t(2,i)<0.31d0\n if (wet) carry = 2", "", ""),
    "not": ("if (.not.t(nz,i)>q(1,i)) carry = 3", "", ""),
    "called": ("call look(t(:,i), carry)", "", ""),
    "later": ("", "if (k<nz.and.t(min(k+1,nz),i)>0.32d0) carry = carry + 1", ""),
    "beyond": ("", "if (wet) exit", ""),
    "left_out": ("", "", "if (q(1,i).gt.0.4d0) t(1,i) = t(1,i) + 1"),
    "not_all": ("", "if (carry.gt.4.d0) exit", ""),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = []
    for name, (before, within, behind) in CASES.items():
        text = {f"{name}.f90": PROGRAM.format(name=name, before=before, within=within, behind=behind)}
        pairs.append(Pair(name, text, text, name))
    return Corpus(pairs, tmp_path_factory.mktemp("first"), {p.name: (SEQUENTIAL, OPENMP) for p in pairs})


@pytest.mark.parametrize("name", CASES)
def test_runs(corpus: Corpus, name: str) -> None:
    corpus.check(name)


def test_what_is_set_first_is_not_filled(corpus: Corpus) -> None:
    """The column pass is at work, and leaves out what it may."""
    filled = {n for n in CASES if "= t(" in corpus.translation(n, SEQUENTIAL).text.replace("t(:,i)", "")}
    assert "plain" not in filled and {"greater", "and", "not", "called"} <= filled
    assert all("hf_" in corpus.translation(n, SEQUENTIAL).text for n in CASES)

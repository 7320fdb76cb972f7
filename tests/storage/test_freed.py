"""Arrays on the device whose memory is freed: under a condition, or by a called routine. Another array may have the
memory at once.
"""

from __future__ import annotations

import pytest

from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, Corpus, Pair, translate_text

PERHAPS = """\
module perhaps
  implicit none
contains
  subroutine fitted(a, n)
    real(8), allocatable, intent(inout) :: a(:)
    integer, intent(in) :: n
    integer :: i
    if (allocated(a)) then
      if (size(a) /= n) deallocate(a)
    end if
    if (.not. allocated(a)) allocate(a(n), source=7d0)
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) + i
    end do
  end subroutine fitted
  subroutine pointed(p, new)
    real(8), pointer, intent(inout) :: p(:)
    logical, intent(in) :: new
    integer :: i
    !@parallelRegion
    do i = 1, size(p)
      p(i) = 2*p(i)
    end do
    if (new) &
      deallocate(p)
    if (new) allocate(p(5), source=1d0)
    !@parallelRegion
    do i = 1, size(p)
      p(i) = p(i) + i
    end do
  end subroutine pointed
  subroutine run()
    real(8), allocatable :: v(:), t(:)
    real(8), pointer :: r(:)
    integer :: i, turn
    allocate(v(12), source=2d0)
    call fitted(v, 12)
    print *, v
    call fitted(v, 10)
    print *, v
    allocate(r(7), source=3d0)
    call pointed(r, .false.)
    print *, r
    call pointed(r, .true.)
    print *, r
    allocate(t(6), source=1d0)
    do turn = 1, 3
      if (turn == 2) deallocate(t)
      if (.not. allocated(t)) allocate(t(8), source=4d0)
      !@parallelRegion
      do i = 1, size(t)
        t(i) = t(i) + i*turn
      end do
      print *, t
    end do
  end subroutine run
end module perhaps
"""

BELOW = """\
module below
  implicit none
  real(8), allocatable, target :: g(:)
  real(8), pointer :: old(:) => null()
contains
  subroutine freed(a)
    real(8), allocatable, intent(inout) :: a(:)
    if (allocated(a)) deallocate(a)
  end subroutine freed
  subroutine pointer_freed(p)
    real(8), pointer, intent(inout) :: p(:)
    deallocate(p)
  end subroutine pointer_freed
  subroutine pointer_renewed(p)
    real(8), pointer, intent(inout) :: p(:)
    integer :: n
    n = size(p)
    deallocate(p)
    allocate(p(n), source=6d0)
  end subroutine pointer_renewed
  subroutine other_instead(a, n)
    real(8), allocatable, intent(inout) :: a(:)
    integer, intent(in) :: n
    call freed(a)
    call fill(n)
  end subroutine other_instead
  subroutine given_back(a, n)
    real(8), allocatable, intent(out) :: a(:)
    integer, intent(in) :: n
    call fill(n)
    allocate(a(n - 1), source=4d0)
  end subroutine given_back
  subroutine longer(a)
    real(8), allocatable, intent(inout) :: a(:)
    integer :: n
    n = size(a)
    a = [a, 1d0, 2d0]
    deallocate(g)
    allocate(g(n), source=3d0)
  end subroutine longer
  subroutine fill(n)
    integer, intent(in) :: n
    integer :: i
    if (allocated(g)) deallocate(g)
    allocate(g(n), source=3d0)
    !@parallelRegion
    do i = 1, n
      g(i) = g(i) + i
    end do
  end subroutine fill
  subroutine run()
    real(8), allocatable, target :: v(:)
    real(8), pointer :: r(:), q(:)
    integer :: i, turn
    do turn = 1, 3
      allocate(r(8), source=1d0*turn)
      !@parallelRegion
      do i = 1, 8
        r(i) = r(i) + i
      end do
      call pointer_freed(r)
      allocate(r(9 - turn), source=10d0*turn)
      !@parallelRegion
      do i = 1, size(r)
        r(i) = r(i) + i
      end do
      print *, r
      call pointer_renewed(r)
      !@parallelRegion
      do i = 1, size(r)
        r(i) = r(i) + i
      end do
      print *, r
      call pointer_freed(r)
      allocate(v(8), source=1d0*turn)
      !@parallelRegion
      do i = 1, 8
        v(i) = v(i) + i
      end do
      q => v(2:5)
      !@parallelRegion
      do i = 1, 4
        q(i) = 2*q(i)
      end do
      print *, v
      call other_instead(v, 10 - turn)
      print *, allocated(v), g
      allocate(v(8), source=1d0*turn)
      !@parallelRegion
      do i = 1, 8
        v(i) = v(i) + i
      end do
      !@parallelRegion
      do i = 1, size(g)
        g(i) = 2*g(i)
      end do
      print *, v, g
      call given_back(v, 9)
      !@parallelRegion
      do i = 1, 8
        v(i) = v(i) + g(i)
      end do
      print *, v, g
      call longer(v)
      !@parallelRegion
      do i = 1, size(g)
        g(i) = g(i) + i
      end do
      !@parallelRegion
      do i = 1, size(v)
        v(i) = v(i)*2
      end do
      print *, v, g
      call freed(v)
      allocate(r(10 - turn), source=5d0)
      !@parallelRegion
      do i = 1, size(r)
        r(i) = r(i) + i
      end do
      print *, r
      call pointer_freed(r)
    end do
  end subroutine run
end module below
"""

MODULES = """\
module modules
  implicit none
  real(8), allocatable, target :: g(:), h(:)
contains
  subroutine g_freed(perhaps, n)
    logical, intent(in) :: perhaps
    integer, intent(in) :: n
    integer :: i
    if (perhaps) deallocate(g)
    if (allocated(h)) deallocate(h)
    allocate(h(n), source=5d0)
    !@parallelRegion
    do i = 1, n
      h(i) = h(i) + i
    end do
  end subroutine g_freed
  subroutine g_there(n, x)
    integer, intent(in) :: n
    real(8), intent(in) :: x
    if (.not. allocated(g)) allocate(g(n), source=x)
  end subroutine g_there
  subroutine run()
    real(8), pointer :: q(:)
    integer :: i, turn
    do turn = 1, 4
      call g_there(9, 1d0*turn)
      q => g(2:7)
      !@parallelRegion
      do i = 1, 9
        g(i) = g(i) + i
      end do
      !@parallelRegion
      do i = 1, 6
        q(i) = 2*q(i)
      end do
      print *, g
      call g_freed(turn /= 2, 9)
      print *, allocated(g), h
      if (turn == 2) then
        !@parallelRegion
        do i = 1, 6
          q(i) = 2*q(i)
        end do
        print *, g
      end if
      call g_there(8, 7d0)
      q => g(1:3)
      !@parallelRegion
      do i = 1, 3
        q(i) = q(i) + i
      end do
      print *, g
      deallocate(g)
      allocate(g(8), source=3d0)
      q => g(4:)
      !@parallelRegion
      do i = 1, 5
        q(i) = q(i)*2
      end do
      print *, g, h
      deallocate(g)
    end do
  end subroutine run
end module modules
"""

TARGETS = """\
module targets
  implicit none
contains
  subroutine swapped(n, turns, a)
    integer, intent(in) :: n, turns
    real(8), intent(inout) :: a(n)
    real(8), allocatable, target :: x(:), y(:)
    real(8), pointer :: p(:), q(:)
    integer :: i, turn
    allocate(x(n), y(n), source=1d0)
    p => x
    q => y
    do turn = 1, turns
      !@parallelRegion{independent(q)}
      do i = 1, n
        q(i) = p(i)*0.5d0 + a(i)
      end do
      if (mod(turn, 2) == 1) then
        p => y
        q => x
      else
        p => x
        q => y
        deallocate(x)
        allocate(x(n), source=7d0)
        p => x
      end if
    end do
    !@parallelRegion{independent(a)}
    do i = 1, n
      a(i) = p(i) - q(i)
    end do
  end subroutine swapped
  subroutine run()
    real(8) :: a(9)
    integer :: turns
    a = 2
    do turns = 1, 5
      call swapped(9, turns, a)
      print *, a
    end do
  end subroutine run
end module targets
"""

OTHERS = """\
module others
  implicit none
contains
  subroutine freed(p, really)
    real(8), pointer, intent(inout) :: p(:)
    logical, intent(in) :: really
    if (really) deallocate(p)
  end subroutine freed
  subroutine run()
    real(8), pointer :: r(:), q(:)
    integer :: i, turn
    do turn = 1, 3
      allocate(r(8), source=1d0*turn)
      q => r(2:5)
      !@parallelRegion
      do i = 1, 4
        q(i) = q(i) + i
      end do
      call freed(r, turn < 0)
      !@parallelRegion
      do i = 1, 4
        q(i) = 2*q(i)
      end do
      print *, r
      call freed(r, turn > 0)
      allocate(r(9 - turn), source=5d0)
      q => r
      !@parallelRegion
      do i = 1, size(q)
        q(i) = q(i) + i
      end do
      print *, r
      deallocate(r)
    end do
  end subroutine run
end module others
"""

RENEWED = """\
module renewed
  implicit none
contains
  subroutine run()
    real(8), allocatable, target :: x(:)
    real(8), pointer :: q(:)
    integer :: i, turn
    allocate(x(6), source=1d0)
    do turn = 1, 3
      !@parallelRegion
      do i = 1, size(x)
        x(i) = x(i) + i
      end do
      q => x(2:5)
      !@parallelRegion
      do i = 1, 4
        q(i) = 2*q(i)
      end do
      x = [x, 1d0, 2d0]
      print *, x
      q => x
      !@parallelRegion
      do i = 1, size(q)
        q(i) = q(i) + 1
      end do
      print *, x
      x = x(2:)
    end do
  end subroutine run
end module renewed
"""


def _pair(name: str, text: str) -> Pair:
    files = {f"{name}.f90": text}
    return Pair(name, files, files, name)


PAIRS = [
    _pair("perhaps", PERHAPS),
    _pair("below", BELOW),
    _pair("modules", MODULES),
    _pair("targets", TARGETS),
    _pair("others", OTHERS),
    _pair("renewed", RENEWED),
]
KERNELS = (CUDA_C, CUDA_FORTRAN)
VARIANTS = {
    "perhaps": (*KERNELS, OPENACC),
    "below": KERNELS,
    "modules": (*KERNELS, OPENACC),
    "targets": KERNELS,
    "others": KERNELS,
    "renewed": KERNELS,
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("freed"), VARIANTS)


@pytest.mark.parametrize("name", [pair.name for pair in PAIRS])
def test_what_has_the_memory_then_has_its_own_values(corpus: Corpus, name: str) -> None:
    corpus.check(name)


CONDITION = """\
module m
  implicit none
contains
  logical function emptied(p)
    real(8), allocatable, intent(inout) :: p(:)
    emptied = size(p) > 5
    if (emptied) deallocate(p)
    if (emptied) allocate(p(5), source=1d0)
  end function emptied
  subroutine go(v, n)
    real(8), allocatable, intent(inout) :: v(:)
    integer, intent(inout) :: n
    integer :: i
    logical :: done
    !@parallelRegion
    do i = 1, size(v)
      v(i) = v(i) + i
    end do
    CALL
    !@parallelRegion
    do i = 1, size(v)
      v(i) = 2*v(i)
    end do
  end subroutine go
end module m
"""
BRANCHES = {
    "if": "if (emptied(v)) then\nn = 1\nelse\nn = 2\nend if",
    "else if": "if (n > 3) then\nn = 1\nelse if (emptied(v)) then\nn = 2\nend if",
    "do while": "do while (emptied(v))\nn = n + 1\nend do",
    "select": "select case (merge(1, 2, emptied(v)))\ncase (1)\nn = 3\nend select",
    "one line": "if (emptied(v)) return",
}


@pytest.mark.parametrize("branch", BRANCHES.values(), ids=BRANCHES)
def test_calls_that_free_are_refused_where_statements_branch(branch: str) -> None:
    """The array was brought back in the first branch alone, so that the next kernel ended the run."""
    done = translate_text({"m.f90": CONDITION.replace("CALL", branch)}, target="gpu", backend="cuda-c")
    assert "HF603" in {d.code for d in done.errors}


@pytest.mark.parametrize("statement", ["done = emptied(v)", "if (emptied(v)) n = 2"])
def test_other_calls_that_free_are_taken(statement: str) -> None:
    done = translate_text({"m.f90": CONDITION.replace("CALL", statement)}, target="gpu", backend="cuda-c")
    assert not done.errors
    assert "hf_take_back" in done.text

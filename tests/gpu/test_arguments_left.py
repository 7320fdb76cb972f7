"""Host routines that may leave an array as it is that they get with ``intent(out)``, as where an error ends them."""

from __future__ import annotations

from pathlib import Path

from tests.support import CUDA_C, OPENACC, Corpus, Pair, translate_text

TEXT = """\
module left
  implicit none
  type reader
  contains
    procedure :: next => next_of
  end type reader
contains
  subroutine next(v, k, status)
    integer, intent(in) :: k
    real(8), intent(out) :: v(6)
    integer, intent(out) :: status
    status = -1
    if (k == 0) return
    status = 0
    print *, 'read'
    v = k
  end subroutine next
  subroutine next_of(this, v, k, status)
    class(reader), intent(in) :: this
    integer, intent(in) :: k
    real(8), intent(out) :: v(6)
    integer, intent(out) :: status
    call next(v, k, status)
  end subroutine next_of
  logical function got(v, k)
    integer, intent(in) :: k
    real(8), intent(out) :: v(:)
    character(11) :: digits = '3 1 4 1 5 9'
    got = k > 0
    if (got) read (digits, *) v
  end function got
  subroutine both(k)
    integer, intent(in) :: k
    real(8) :: v(6)
    type(reader) :: from
    integer :: i, status
    !@parallelRegion
    do i = 1, 6
      v(i) = i
    end do
    call next(v, k, status)
    if (status /= 0) then
      !@parallelRegion
      do i = 1, 6
        v(i) = -i
      end do
    end if
    print *, v
    !@parallelRegion
    do i = 1, 6
      v(i) = v(i)*2
    end do
    call from%next(v, k, status)
    if (status /= 0) v = 7
    !@parallelRegion
    do i = 1, 6
      v(i) = v(i) + i
    end do
    if (.not. got(v, k)) v = 8
    !@parallelRegion
    do i = 1, 6
      v(i) = v(i) + i
    end do
    print *, v
  end subroutine both
  subroutine counted()
    integer :: i, n, w(20), s(90)
    !@parallelRegion
    do i = 1, 20
      w(i) = 10*i
    end do
    call date_and_time(values=w)
    !@parallelRegion
    do i = 1, 20
      w(i) = w(i) + 1
    end do
    print *, w(9:)
    !@parallelRegion
    do i = 1, 90
      s(i) = i
    end do
    call random_seed(size=n)
    call random_seed(get=s)
    !@parallelRegion
    do i = 1, 90
      s(i) = mod(s(i), 1000) + 1
    end do
    print *, s(n+1:)
  end subroutine counted
  subroutine run()
    call counted()
    call both(0)
    call both(2)
  end subroutine run
end module left
"""

FILLED = """\
subroutine filled(v)
  implicit none
  real(8), intent(inout) :: v(6)
  integer :: i
  !@parallelRegion
  do i = 1, 6
    v(i) = v(i) + i
  end do
  call random_number(v)
  !@parallelRegion
  do i = 1, 6
    v(i) = v(i) + i
  end do
end subroutine filled
"""


def test_what_a_called_routine_leaves_is_there_on_the_host(tmp_path: Path) -> None:
    """The run ended: "the host does not have what kernel … has set there"."""
    files = {"left.f90": TEXT}
    corpus = Corpus([Pair("left", files, files, "left")], tmp_path, {"left": (CUDA_C, OPENACC)})
    corpus.check_one("left", CUDA_C)
    corpus.check_one("left", OPENACC)


def test_random_numbers_are_set_all() -> None:
    text = translate_text({"m.f90": FILLED}, target="gpu", backend="cuda-c").require().text
    assert "hf_update_host" not in text and "hf_update_device(v" in text

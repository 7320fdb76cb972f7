"""Every cause for which a region is refused, told at once, each with name, line and cure."""

import pytest

from tests.support import translate_text

REGION = """module m
  implicit none
  type cell
    real(8), allocatable :: v(:)
  end type
  real(8) :: total, sum_of_all
  type(cell) :: cells(10)
  real(8), parameter :: table(2,2) = reshape([1d0,2d0,3d0,4d0],[2,2])
contains
  subroutine go(n, a, b, c, k)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n), c(*)
    real(8), intent(inout) :: b(n)
    integer :: i, k
    @parallelRegion{domName(i), domSize(n)}
      b(i) = a(i) + Thing * 2                    ! 16
      if (b(i).gt.top .and. foo(a(i)) > bar(b(i))) then
        print *, 'big', b(1:2)                   ! 18
        total = b(i)
      else if (missing > 2) then                 ! 20
        b(i) = b(i) + cells(i)%v(2) + c(i)
      end if
      do step = 1, k                             ! 23
        write(9, *) i
        call nowhere(b(i))                       ! 25
      end do
      select case (choice)                       ! 27
      case (1)
        b(i) = thing                             ! 29
      end select
      call sub(b(i))
    @end parallelRegion
  end subroutine
  subroutine sub(x)
    real(8), intent(inout) :: x
    real(8), save :: kept = 0                    ! 36
    real(8), allocatable :: w(:)
    if (x > 1) allocate(w(3))                    ! 38
    kept = kept + x
    print *, x                                   ! 40
    x = x + w(1)
    call deeper(x)
  end subroutine
  subroutine deeper(x)
    real(8), intent(inout) :: x
    read(*,*) x                                  ! 46
    sum_of_all = sum_of_all + x
  end subroutine
end module
"""

COMMON = {
    (16, "kernel (also on line 29)"),
    (17, "'top'"),
    (17, "'foo'"),
    (17, "'bar'"),
    (18, "'print'"),
    (20, "'missing'"),
    (21, "'cells'"),
    (21, "'c'"),
    (23, "'step'"),
    (24, "'write'"),
    (25, "'nowhere'"),
    (27, "'choice'"),
    (36, "'kept'"),
    (37, "'w'"),
    (38, "'allocate'"),
    (40, "'print'"),
    (46, "'read'"),
    (47, "'sum_of_all'"),
}


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
def test_every_statement_is_told_with_its_name(backend: str) -> None:
    done = translate_text(REGION, target="gpu", backend=backend)
    found = [d for d in done.errors if d.code == "HF702"]
    for line, name in COMMON:
        said = [d for d in found if d.place.line == line and name in d.message]
        assert len(said) == 1, (line, name, [d.message for d in found if d.place.line == line])
        assert said[0].hint
        assert said[0].place.column > 1
    assert {d.place.line for d in found} == {line for line, _ in COMMON}
    assert len({(d.place.line, d.place.column, d.message) for d in found}) == len(found)


def test_what_only_follows_is_not_told() -> None:
    """A name that an error is about already gives no second one, whatever it is in."""
    done = translate_text(REGION, target="gpu", backend="cuda-c")
    about_total = [d for d in done.errors if "'total'" in d.message]
    assert [(d.code, d.place.line) for d in about_total] == [("HF502", 19)]
    assert len([d for d in done.errors if d.place.line == 21]) == 2
    assert not [d for d in done.errors if d.place.line == 29]


def test_each_write_of_what_all_points_share() -> None:
    source = """module m
  implicit none
  real(8) :: shared_one
contains
  subroutine go(n, b, flag)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    real(8), intent(inout), optional :: flag
    @parallelRegion{domName(i), domSize(n)}
    if (b(i) > 0) flag = b(i)
    shared_one = shared_one + b(i)
    call other(b(i))
    shared_one = shared_one * 2
    @end parallelRegion
  end subroutine
  subroutine other(x)
    real(8), intent(inout) :: x
    x = shared_one
  end subroutine
end module
"""
    done = translate_text(source, target="gpu", backend="cuda-c")
    (reported,) = [d for d in done.errors if d.code == "HF702" and d.message.endswith("(also on line 13)")]
    assert reported.place.line == 11
    assert "'shared_one'" in reported.message
    assert not [d for d in done.diagnostics if d.code == "HF501" and d.place == reported.place]


def test_a_routine_of_two_regions_is_told_once() -> None:
    source = """module m
  implicit none
contains
  subroutine go(n, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    @parallelRegion{domName(i), domSize(n)}
    call sub(b(i))
    print *, i
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n)}
    call sub(b(i))
    @end parallelRegion
  end subroutine
  subroutine sub(x)
    real(8), intent(inout) :: x
    print *, x
  end subroutine
end module
"""
    done = translate_text(source, target="gpu", backend="cuda-c")
    assert [d.place.line for d in done.errors] == [9, 17]

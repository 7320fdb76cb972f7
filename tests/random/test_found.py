"""What random programs have found: defects as small programs, with variants that nobody reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import CUDA_C, CUDA_FORTRAN, OPENMP, SEQUENTIAL, Corpus, Pair

INTERNAL = """module NAME
  implicit none
contains
  subroutine step(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,n)
    integer :: i, j
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      do j = 1, n
        BODY
      end do
    end do
    !@end parallelRegion
  contains
    real(8) function near(x)
      real(8), intent(in) :: x
      near = 0.5d0*x + n
    end function near
    subroutine Twice(x)
      real(8), intent(inout) :: x
      x = 2*x
    end subroutine Twice
  end subroutine step
  subroutine run()
    real(8) :: a(3,3)
    a = 1
    call step(3, a)
    print *, a
  end subroutine run
end module NAME
"""
BODIES = {
    "called": "a(i,j) = near(a(i,j))",
    "both": "a(i,j) = max(near(1.d0), NEAR(a(i,j)))",
    "routine": "call TWICE(a(i,j))",
    "under_if": "if (near(a(i,j)) > 3) call twice(a(i,j))",
}


def own(name: str, text: str) -> Pair:
    """A program that is its own twin."""
    files = {f"{name}.f90": text.replace("NAME", name)}
    return Pair(name, files, files, name)


@pytest.fixture(scope="module")
def internal(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = [own(name, INTERNAL.replace("BODY", body)) for name, body in BODIES.items()]
    return Corpus(pairs, tmp_path_factory.mktemp("internal"), {p.name: (OPENMP, SEQUENTIAL) for p in pairs})


@pytest.mark.parametrize("name", BODIES)
def test_procedures_of_the_routines_own_keep_the_body_there(internal: Corpus, name: str) -> None:
    internal.check(name)


PARTS = """module NAME
  implicit none
  type part_t
    real(8) :: r(4,3)
  end type part_t
  type field_t
    type(part_t) :: inner
    real(8) :: s(4,3)
  end type field_t
  type(field_t), target :: f
contains
  subroutine step()
    real(8), pointer :: p(:,:)
    integer :: i, j
    p => f%WHOLE
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        p(i,j) = 10*i + j
      end do
    end do
    !@end parallelRegion
    HOST
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        p(i,j) = p(i,j)*2
      end do
    end do
    !@end parallelRegion
  end subroutine step
  subroutine run()
    f%inner%r = -1
    f%s = -2
    call step()
    print '(4f10.3)', f%inner%r, f%s
  end subroutine run
  subroutine change(x)
    real(8), intent(inout) :: x(3)
    x(2) = 7
  end subroutine change
end module NAME
"""
WRITES = {
    "an_element": ("inner%r", "f%inner%r(3,2) = 0.5d0"),
    "a_row": ("inner%r", "f%inner%r(2,:) = 0.25d0"),
    "all_of_it": ("s", "f%s = 0.25d0"),
    "by_ranges": ("s", "f%s(:,:) = 0.25d0"),
    "in_capitals": ("s", "F % S ( 1 , 1 ) = 5"),
    "in_a_branch": ("s", "if (f%s(1,1) > 0) f%s(4,3) = 3"),
    "by_a_call": ("s", "call change(f%s(2:4,1))"),
    "by_a_mask": ("s", "where (f%s > 22) f%s = -f%s"),
}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = [own(name, PARTS.replace("WHOLE", whole).replace("HOST", host)) for name, (whole, host) in WRITES.items()]
    return Corpus(pairs, tmp_path_factory.mktemp("parts"), {p.name: (CUDA_C, CUDA_FORTRAN) for p in pairs})


@pytest.mark.parametrize("name", WRITES)
def test_host_statements_that_write_a_part_of_a_component(parts: Corpus, name: str) -> None:
    """What the device has set in the rest of the array comes back before."""
    parts.check(name)


def test_a_component_under_another_name_is_refused() -> None:
    host = "associate (part => f%inner)\n part%r(1,2) = 4\n end associate"
    pair = own("renamed", PARTS.replace("WHOLE", "inner%r").replace("HOST", host))
    assert CUDA_C.translated(pair).codes() == ["HF603"]


EMPTY = """module NAME
  implicit none
  integer, parameter :: one = 1, none = 0
contains
  subroutine run()
    real(8) :: a(4,3,2,2)
    real(8) :: total
    integer :: i, j, k, l
    a = 1.5d0
    total = 2
    !@parallelRegion{ATTRIBUTES}
    do l = 1, 2
      do k = FIRST, LAST
        do j = 1, 3
          do i = 1, 4
            BODY
          end do
        end do
      end do
    end do
    !@end parallelRegion
    print *, a, total
  end subroutine run
end module NAME
"""
RANGES = {"number": ("2", "1"), "constant": ("2", "one"), "expression": ("none + 3", "one*2"), "far": ("9", "-9")}
BODIES_OF_NONE = {"write": ("a(i,j,k,l) = 3", ""), "sum": ("total = total + a(i,j,k,l)", ", reduction(+:total)")}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = []
    for name, (first, last) in RANGES.items():
        for kind, (body, clause) in BODIES_OF_NONE.items():
            bounds = f"domName(i,j,k,l), domSize(4,3,2,2), startAt(1,1,{first},1), endAt(4,3,{last},2)"
            text = EMPTY.replace("ATTRIBUTES", bounds + clause).replace("FIRST", first).replace("LAST", last)
            pairs.append(own(f"{name}_{kind}", text.replace("BODY", body)))
    return Corpus(pairs, tmp_path_factory.mktemp("empty"), {p.name: (CUDA_C, CUDA_FORTRAN, OPENMP) for p in pairs})


@pytest.mark.parametrize("kind", BODIES_OF_NONE)
@pytest.mark.parametrize("name", RANGES)
def test_regions_without_any_point(empty: Corpus, name: str, kind: str) -> None:
    """Compilers refuse a division by a number of points that is zero."""
    empty.check(f"{name}_{kind}")


POINTING = """module NAME
  implicit none
  real(8), target :: held(4,3), kept(4,3)
contains
  subroutine below(x)
    real(8), intent(inout), target :: x(:,:)
    real(8), pointer :: p(:,:)
    SET
  end subroutine below
  subroutine between(x)
    real(8), intent(inout), target :: x(:,:)
    call below(x)
  end subroutine between
  subroutine step(a)
    real(8), intent(inout), target :: a(:,:)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = a(i,j) + held(i,j)
        held(i,j) = 2*held(i,j)
        kept(i,j) = 10*i + j
      end do
    end do
    !@end parallelRegion
    call CALLED(a)
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = a(i,j) + held(i,j) - 3*kept(i,j)
      end do
    end do
    !@end parallelRegion
  end subroutine step
  subroutine run()
    real(8), target :: a(4,3)
    integer :: i
    a = reshape([(0.5d0*i, i=1, 12)], [4, 3])
    held = reshape([(0.25d0*i, i=12, 1, -1)], [4, 3])
    kept = 0
    call step(a)
    print '(4f12.4)', a, held, kept
  end subroutine run
end module NAME
"""
SETS = {
    "whole": "p => held\n p = 0.5d0*p + 1",
    "element": "p => held\n p(2,3) = -7",
    "loop": "integer :: n\n P => KEPT\n do n = 1, 4\n p(n,1) = n\n end do",
    "section": "p => kept(2:3,:)\n p = 5",
    "either": "p => held\n if (x(1,1) > 0) p => kept\n p(1,:) = 4",
    "argument": "p => x\n p = p + 2",
}


@pytest.fixture(scope="module")
def pointing(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = [
        own(f"{name}_{called}", POINTING.replace("SET", text).replace("CALLED", called))
        for name, text in SETS.items()
        for called in ("below", "between")
    ]
    return Corpus(pairs, tmp_path_factory.mktemp("pointing"), {p.name: (CUDA_C, CUDA_FORTRAN) for p in pairs})


@pytest.mark.parametrize("called", ["below", "between"])
@pytest.mark.parametrize("name", SETS)
def test_called_routines_that_write_through_pointers_of_their_own(pointing: Corpus, name: str, called: str) -> None:
    pointing.check(f"{name}_{called}")


GROWN = """module NAME
  implicit none
  real(8), allocatable :: held(:)
contains
  subroutine grow()
    held = [held, 2.5d0]
  end subroutine grow
  subroutine double()
    integer :: i
    !@parallelRegion
    do i = 1, size(held)
      held(i) = 2*held(i)
    end do
  end subroutine double
  subroutine both()
    call grow()
    call double()
  end subroutine both
  subroutine step()
    integer :: i
    !@parallelRegion
    do i = 1, size(held)
      held(i) = held(i) + i
    end do
    call CALLED()
    !@parallelRegion
    do i = 1, size(held)
      held(i) = held(i) - 0.5d0
    end do
  end subroutine step
  subroutine run()
    allocate(held(9))
    held = 1
    call step()
    print *, held
    deallocate(held)
  end subroutine run
end module NAME
"""


@pytest.mark.parametrize("called", ["grow", "both"])
def test_called_routines_that_assign_an_array_of_a_module_anew(called: str, tmp_path: Path) -> None:
    """The device has it at its new place then."""
    pair = own(f"grown_{called}", GROWN.replace("CALLED", called))
    Corpus([pair], tmp_path, {pair.name: (CUDA_C, CUDA_FORTRAN)}).check(pair.name)

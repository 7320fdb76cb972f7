"""Pointers that regions set: who sets what they point to, asks about it or frees it uses where they point."""

from pathlib import Path

import pytest

from hfpy.analyze.analysis import analyse
from hfpy.analyze.arrays.storage import ANYTHING
from hfpy.options import Options
from hfpy.pipeline import settled_application
from tests.support import translate_text, write_files

ROUTINE = """module m
  implicit none
contains
  subroutine work(n, b, z, found)
    integer, intent(in) :: n
    real, intent(in) :: b(n)
    real, intent(inout), target :: z(10,n)
    logical, intent(inout) :: found(n)
    real, pointer :: p(:), q(:), one
    integer :: i, j
    character(40) :: text
    text = '1 2 3 4 5 6 7 8 9 10'
    nullify(p, one)
    if (n > 3) p => z(:,1)
    if (n > 3) one => z(1,1)
    !@parallelRegion{independent(z)}
    do i = 1, n
      BODY
    end do
    AFTER
  end subroutine work
  subroutine fill(x)
    real, intent(out) :: x(10)
    x = 7
  end subroutine fill
  subroutine set_values(x)
    real, pointer :: x(:)
    x = 7
  end subroutine set_values
  recursive subroutine point(x, z, depth)
    real, pointer, intent(out) :: x(:)
    real, target :: z(10)
    integer, intent(in) :: depth
    if (depth > 0) then
      call other(x, z, depth)
    else
      x => z
    end if
  end subroutine point
  recursive subroutine other(x, z, depth)
    real, pointer, intent(out) :: x(:)
    real, target :: z(10)
    integer, intent(in) :: depth
    call point(x, z, depth - 1)
  end subroutine other
  subroutine point_only(x, z)
    real, pointer, intent(out) :: x(:)
    real, target :: z(10)
    x => z
  end subroutine point_only
end module m
"""
SET, ONE = "p => z(:,i); p(:) = b(i)", "one => z(1,i); one = b(i)"


def codes(body: str, after: str = "") -> set[str]:
    text = ROUTINE.replace("BODY", body.replace("; ", "\n      ")).replace("AFTER", after.replace("; ", "\n    "))
    done = translate_text({"m.f90": text}, backend="openmp")
    assert all(f"'{name}'" in e.message for e in done.errors for name in ("p", "one") if f"{name} =>" in body), (
        done.errors
    )
    return {e.code for e in done.errors}


@pytest.mark.parametrize(
    "after",
    [
        "p = 7",
        "p(3) = 7",
        "p(:) = 7",
        "where (p > 0) p = 7",
        "read (text, *) p",
        "call fill(p)",
        "call set_values(p)",
        "deallocate(p)",
        "found(1) = associated(p)",
        "if (n > 5) p => z(:,2); p = 7",
        "q => p",
    ],
)
def test_used_after_the_region(after: str) -> None:
    assert codes(SET, after) == {"HF502"}


@pytest.mark.parametrize(
    "after", ["", "p => z(:,2); p = 7", "nullify(p)", "allocate(p(3)); p = 7", "call point_only(p, z); p = 7"]
)
def test_not_used_after_the_region(after: str) -> None:
    assert codes(SET, after) == set()


def test_used_in_the_next_turn_of_a_loop_around() -> None:
    text = ROUTINE.replace("    !@", "    do j = 1, 3\n    !@").replace("    AFTER", "    p(2) = j\n    end do")
    done = translate_text({"m.f90": text.replace("BODY", SET.replace("; ", "\n      "))}, backend="openmp")
    assert [e.code for e in done.errors] == ["HF502"]


def test_a_pointer_to_one_value() -> None:
    """It is that of the last point then, which sets it."""
    for after, last in (("one = 7", True), ("one => z(1,1); one = 7", False)):
        text = ROUTINE.replace("BODY", ONE.replace("; ", "\n      ")).replace("AFTER", after.replace("; ", "\n    "))
        made = translate_text({"m.f90": text}, backend="openmp").require().text
        assert ("lastprivate(one)" in made) == last


@pytest.mark.parametrize(
    "body",
    [
        "if (b(i) > 0) p => z(:,i); p(:) = b(i)",
        "if (b(i) > 0) p => z(:,i); found(i) = associated(p)",
        "do j = 1, mod(i, 3); p => z(:,i); end do; p(2) = b(i)",
        "call fill(p); p => z(:,i); p(:) = b(i)",
        "call set_values(p); p => z(:,i); p(:) = b(i)",
        "call point(p, z(:,i), 3); p(:) = b(i); if (i < 0) p => z(:,1)",
        "if (b(i) > 0) one => z(1,i); one = b(i)",
    ],
)
def test_used_before_the_point_sets_it(body: str) -> None:
    assert codes(body) == {"HF504"}


def test_set_by_a_call() -> None:
    assert codes("call point_only(p, z(:,i)); p(:) = b(i); if (i < 0) p => z(:,1)") == set()


FROM_C = """module from_c
  use iso_c_binding
  implicit none
  abstract interface
    subroutine given(x) bind(c)
      import :: c_double
      real(c_double), intent(inout) :: x(*)
    end subroutine given
  end interface
  type(c_funptr) :: held
  type(c_ptr) :: address
contains
  subroutine ask(x)
    real(c_double), intent(inout) :: x(*)
    procedure(given), pointer :: f
    real(c_double), pointer :: a(:)
    call c_f_procpointer(held, f)
    call c_f_pointer(address, a, [9])
    call f(x)
    a(1) = x(1)
  end subroutine ask
end module from_c
"""


def test_procedures_are_no_data(tmp_path: Path) -> None:
    """What a pointer to a procedure gets from C was taken for any memory, as what a pointer to data gets is."""
    paths = write_files({"from_c.f90": FROM_C}, tmp_path)
    application = settled_application(paths, Options(target="gpu", backend="cuda-c", auto=True)).application
    storage = analyse(application).storage
    assert storage.of_identity(("from_c::ask", "f")) == frozenset()
    assert ANYTHING in storage.of_identity(("from_c::ask", "a"))

"""Arrays on the device that a ``use`` in a ``block`` gives names: such names are not followed."""

from __future__ import annotations

from tests.support import translate_text

PROGRAM = """
module used
  implicit none
  real(8) :: field(5), other(5)
end module used
module m
  use used, only: field
  implicit none
contains
  subroutine run()
    real(8) :: top
    integer :: i
    !@parallelRegion
    do i = 1, 5
      field(i) = i
    end do
    %s
    !@parallelRegion
    do i = 1, 5
      field(i) = field(i) + top
    end do
  end subroutine run
  subroutine asked(top)
    real(8), intent(out) :: top
    block
      use used, only: mine => field
      top = mine(4)
    end block
  end subroutine asked
end module m
"""
BLOCK = "block\n use used%s\n top = %s(4)\n end block"


def test_such_a_name_of_an_array_on_the_device_is_refused() -> None:
    for names in (", only: mine => field", ", mine => field"):
        made = translate_text({"m.f90": PROGRAM % (BLOCK % (names, "mine"))}, target="gpu", backend="cuda-c")
        assert made.codes() == ["HF603"] and "'field'" in made.errors[0].message


def test_other_arrays_are_no_obstacle() -> None:
    text = PROGRAM % (BLOCK % (", only: mine => other", "mine"))
    translate_text({"m.f90": text}, target="gpu", backend="cuda-c").require()


def test_a_called_routine_finds_the_values_of_the_device() -> None:
    text = translate_text({"m.f90": PROGRAM % "call asked(top)"}, target="gpu", backend="cuda-c").require().text
    rows = [row.strip() for row in text.splitlines()]
    at = rows.index("call asked(top)")
    assert any(row.startswith("call hf_update_host(field") for row in rows[at - 2 : at]), rows[at - 3 : at + 2]

"""Pointers to parts of complex numbers: they mean the memory of the numbers."""

import pytest

from tests.support import translate_text

PROGRAM = """module m
  implicit none
  type held
    complex(8), pointer :: c(:) => null()
    complex(8) :: w(10)
  end type held
contains
  subroutine run()
    complex(8), target :: z(10)
    type(held), target :: o
    real(8), pointer :: p(:)
    integer :: i
    z = (1, 2)
    o%w = z
    o%c => z
    SET
    do i = 2, 10
      p(i) = READ
    end do
    print *, p
  end subroutine run
  subroutine behind(p, z)
    real(8), target, intent(inout) :: p(:)
    complex(8), target, intent(in) :: z(:)
    integer :: i
    do i = 2, size(z)
      p(i) = z(i-1)%im
    end do
  end subroutine behind
end module m
"""


def regions(text: str) -> int:
    return translate_text({"m.f90": text}, backend="openmp", auto=True).require().text.count("omp parallel do")


@pytest.fixture(autouse=True)
def short_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)


@pytest.mark.parametrize(
    ("set_", "read"),
    [
        ("p => z%im", "z(i-1)%im"),
        ("p => z(:)%im", "aimag(z(i-1))"),
        ("p(1:10) => z%im", "z(i-1)%im"),
        ("associate (y => z); p => y%im; end associate", "z(i-1)%im"),
        ("associate (y => z%im); p => y; end associate", "z(i-1)%im"),
        ("p => o%w%im", "o%w(i-1)%im"),
        ("p => o%c%im", "o%c(i-1)%im"),
        ("p => o%c%im", "z(i-1)%im"),
    ],
)
def test_a_pointer_to_parts_meets_the_numbers(set_: str, read: str) -> None:
    text = PROGRAM.replace("SET", set_)
    assert not regions(text.replace("READ", read))
    assert regions(text.replace("READ", "2*i"))


def test_arguments_that_are_parts_meet_the_numbers() -> None:
    text = PROGRAM.replace("SET", "call behind(GIVEN, z)").replace("READ", "p(i-1)")
    assert not regions(text.replace("GIVEN", "z%im"))
    assert regions(text.replace("GIVEN", "o%w%im"))

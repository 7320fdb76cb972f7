"""Polymorphic variables of which each thread would need its own: GNU Fortran 12 frees memory that is not theirs."""

import pytest

from tests.support import translate_text

PROGRAM = """module m
  implicit none
  type :: cell
    real(8) :: c = 5
  end type cell
contains
  subroutine run(y, w)
    type(cell), target, intent(inout) :: y(400)
    class(cell), intent(inout) :: w
    class(cell), pointer :: one
    class(*), pointer :: anything
    class(cell), allocatable :: own
    type(cell), pointer :: plain
    integer :: i
    allocate(own)
    DIRECTIVE
    do i = 1, 400
      BODY
    end do
  end subroutine run
end module m
"""
POINTER = "one => y(i); one%c = 2*one%c"
ANYTHING = "anything => y(i); select type (anything); type is (cell); anything%c = i; end select"


def text_of(body: str, directive: str = "") -> dict[str, str]:
    return {"m.f90": PROGRAM.replace("BODY", body.replace("; ", "\n      ")).replace("DIRECTIVE", directive)}


@pytest.mark.parametrize("backend", ["openmp", "openmp-target", "openacc"])
@pytest.mark.parametrize("body", [POINTER, ANYTHING])
def test_found_loops_stay_serial(body: str, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    target = "cpu" if backend == "openmp" else "gpu"
    made = translate_text(text_of(body), backend=backend, target=target, auto=True).require().text
    assert "@parallelRegion" not in made
    plain = text_of("plain => y(i); plain%c = 2*plain%c")
    assert backend != "openmp" or "private(i, plain)" in translate_text(plain, backend=backend, auto=True).text


@pytest.mark.parametrize(
    ("name", "body"),
    [("one", POINTER), ("anything", ANYTHING), ("own", "own%c = i; y(i)%c = own%c"), ("w", "w%c = i; y(i)%c = w%c")],
)
def test_directives_are_refused(name: str, body: str) -> None:
    directive = f"!@parallelRegion{{private({name}), independent(y)}}"
    assert translate_text(text_of(body, directive), backend="openmp").codes() == ["HF409"]

"""What kernels cannot take of objects: procedures that types bind, and parent components."""

from __future__ import annotations

import pytest

from tests.support import translate_text

TEXT = """module m
  implicit none
  type :: base
    real(8) :: w(9)
  contains
    procedure :: at
    procedure, nopass :: add
  end type base
  type, extends(base) :: law
    procedure(add), pointer, nopass :: chosen => null()
  end type law
contains
  pure real(8) function at(self, i)
    class(base), intent(in) :: self
    integer, intent(in) :: i
    at = self%w(i)
  end function at
  subroutine add(x)
    real(8), intent(inout) :: x
    x = x + 1
  end subroutine add
  subroutine s(n, l, q)
    integer, intent(in) :: n
    DECLARED(law), intent(inout) :: l
    real(8), intent(inout) :: q(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      BODY
    end do
    !@end parallelRegion
  end subroutine s
end module m
"""
LINE = TEXT.splitlines().index("      BODY") + 1
CALL = "the call of '{}' through an object, whose type decides which procedure is meant,"
PARENT = "'base', the parent component of an object,"


def _text(body: str, declared: str) -> str:
    return TEXT.replace("BODY", body).replace("DECLARED", declared)


@pytest.mark.parametrize(
    ("body", "what", "backends"),
    [
        ("call l%add(q(i))", CALL.format("add"), ("cuda-c", "cuda-fortran", "opencl", "openacc", "openmp-target")),
        ("call l%chosen(q(i))", CALL.format("chosen"), ("cuda-c", "cuda-fortran", "openacc")),
        ("q(i) = q(i) + l%at(i)", CALL.format("at"), ("cuda-c", "cuda-fortran", "hip", "openacc", "openmp-target")),
        ("q(i) = q(i) + l%base%w(i)", PARENT, ("cuda-c", "cuda-fortran")),
    ],
)
def test_refused_with_its_cure(body: str, what: str, backends: tuple[str, ...]) -> None:
    for backend in backends:
        found = translate_text({"m.f90": _text(body, "class")}, backend=backend).errors
        reported = [d for d in found if what in d.message]
        assert reported, (backend, [d.message for d in found])
        assert all(d.code == "HF702" and "x%" in d.hint and d.place.line == LINE for d in reported), reported
        assert not any("hfpy does not find" in d.message for d in found), found


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "hip"])
@pytest.mark.parametrize("body", ["call l%add(q(i))", "q(i) = q(i) + l%at(i)"])
def test_a_call_through_an_object_of_a_declared_type_is_the_call_of_its_procedure(body: str, backend: str) -> None:
    assert not translate_text({"m.f90": _text(body, "type")}, backend=backend).errors

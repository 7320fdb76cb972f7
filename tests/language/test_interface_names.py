"""Interface bodies that give arguments other names than the definition does, as Fortran allows (2018, 15.4.3.2)."""

from __future__ import annotations

import pytest

from tests.support import translate_text

DEFINITION = """subroutine s(a, b)
  real(8), intent(in) :: a
  real(8), intent(out) :: b
  b = 2*a + 1
end subroutine
"""
BODY = """  interface {generic}
    subroutine s({names})
      real(8), intent(in) :: {first}
      real(8), intent(out) :: {second}
    end subroutine
  end interface
"""
CALLER = """subroutine t(n, x, y)
  {use}
  implicit none
{body}  integer, intent(in) :: n
  real(8) :: x(n), y(n)
  integer :: i
  !@parallelRegion
  do i = 1, n
    call {call}
  end do
end subroutine
"""


def codes(call: str, names: str, generic: str = "", module: bool = False) -> list[str]:
    """What is said of a call in a region, with an interface in the caller or in a module that it uses."""
    first, _, second = names.partition(", ")
    body = BODY.format(names=names, first=first, second=second, generic=generic)
    files = {"d.f90": DEFINITION}
    if module:
        files["f.f90"] = f"module f\n{body}end module\n"
        files["g.f90"] = "module g\n  use f\nend module\n"
    files["t.f90"] = CALLER.format(body="" if module else body, call=call, use="use g" if module else "")
    return [d.message for d in translate_text(files, target="gpu", backend="cuda-c").errors]


@pytest.mark.parametrize("module", [False, True])
@pytest.mark.parametrize("generic", ["", "h"])
def test_keywords_mean_the_names_of_the_interface(module: bool, generic: str) -> None:
    name = generic or "s"
    for call in (f"{name}(a=y(i), b=x(i))", f"{name}(x(i), a=y(i))"):
        (message,) = codes(call, "b, a", generic, module)
        assert message.startswith("the interface of 's' has ")
    assert codes(f"{name}(p=x(i), q=y(i))", "p, q", generic, module)


@pytest.mark.parametrize("module", [False, True])
def test_other_calls_are_taken(module: bool) -> None:
    assert not codes("s(x(i), y(i))", "b, a", module=module)
    assert not codes("s(b=y(i), a=x(i))", "a, b", module=module)
    assert not codes("s(x(i), b=y(i))", "p, b", module=module)

"""Arrays of asynchronous input and output stay on the host: nothing tells when their values are there."""

from __future__ import annotations

import pytest

from tests.support import translate_text

MODULE = """module fields
  implicit none
  integer, parameter :: n = 6000
  type state
    real(8) :: t(n)
  end type state
  real(8) :: u(n), v(n)
  type(state) :: s
contains
  subroutine begin(unit)
    integer, intent(in) :: unit
    read (unit, asynchronous={how}) {item}
  end subroutine begin
  subroutine finish(unit)
    integer, intent(in) :: unit
    wait (unit)
  end subroutine finish
end module fields
"""
STEPS = """subroutine step(k)
  use fields
  implicit none
  integer, intent(in) :: k
  integer :: i
  do i = 1, n
    u(i) = u(i) + sqrt(abs(u(i)))
  end do
  do i = 1, n
    v(i) = v(i) + sqrt(abs(v(i)))
  end do
  do i = 1, n
    s%t(i) = s%t(i) + sqrt(abs(s%t(i)))
  end do
end subroutine step
"""
PROGRAM = """program main
  use fields
  implicit none
  integer :: k
  do k = 1, 4
    call step(k)
    call begin(7)
    call finish(7)
    call step(k)
  end do
  print *, sum(u), sum(v), sum(s%t)
end program main
"""
ITEMS = [("u(2:9)", "'yes'", True), ("v, k", "how", True), ("u", "'no'", False), ("k", "'yes'", False)]


def files(item: str, how: str) -> dict[str, str]:
    text = MODULE.replace("{how}", how).replace("{item}", item)
    text = text.replace("  real(8) :: u(n), v(n)\n", "  real(8) :: u(n), v(n)\n  integer :: k\n  character(3) :: how\n")
    return {"fields.f90": text, "steps.f90": STEPS, "main.f90": PROGRAM}


@pytest.mark.parametrize(("item", "how", "stays"), ITEMS)
def test_no_caller_brings_them_to_the_device(item: str, how: str, stays: bool) -> None:
    done = translate_text(files(item, how), target="gpu", backend="cuda-c", auto=True).require()
    assert ("hf_enter" in done.files["main.f90"]) != stays
    assert done.files["steps.f90"].count("call hfl") >= 2


@pytest.mark.parametrize(("item", "how", "stays"), ITEMS)
def test_by_hand_that_is_an_error(item: str, how: str, stays: bool) -> None:
    begin = "  !@domainDependant{attribute(transferHere)}\n  !u, v\n  !@end domainDependant\n  do k"
    given = files(item, how)
    given["main.f90"] = PROGRAM.replace("  do k", begin)
    given["steps.f90"] = STEPS.replace("  do i", "  !@parallelRegion\n  do i")
    done = translate_text(given, target="gpu", backend="cuda-c")
    assert done.codes() == (["HF604"] if stays else [])

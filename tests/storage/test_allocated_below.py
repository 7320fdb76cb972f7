"""Arrays of a program that its own procedures allocate and free: they stay on the device in between, as asked."""

from __future__ import annotations

import pytest

from tests.support import translate_text

TEXT = """\
program p
  implicit none
  integer, parameter :: n = 4
  real(8), allocatable :: a(:), b(:)
  integer :: t
  !@domainDependant{attribute(transferHere)}
  ! a
  !@end domainDependant
  call start()
  do t = 1, 3
    call step()
  end do
  call finish()
contains
  subroutine start()
    call start_below()
  end subroutine start
  subroutine start_below()
    START
  end subroutine start_below
  subroutine finish()
    FINISH
  end subroutine finish
  subroutine step()
    integer :: i
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) + i
    end do
  end subroutine step
end program p
"""
BACKENDS = {
    "cuda-c": ("call hf_enter_once(a,", "call hf_set_aside(a,"),
    "openacc": ("enter data copyin(a)", "copyout(a)"),
}


@pytest.mark.parametrize("backend", BACKENDS)
def test_held_between_calls(backend: str) -> None:
    enter, leave = BACKENDS[backend]
    text = TEXT.replace("START", "allocate(a(n), b(n), source=1d0)").replace("FINISH", "if (a(1) < 0) deallocate(a)")
    done = translate_text({"p.f90": text}, target="gpu", backend=backend).require()
    main = done.text.partition("contains")[0]
    before, _, rest = main.partition("call start()")
    between, _, after = rest.partition("do t = 1")
    assert enter not in before and enter in between
    assert leave in after.partition("call finish()")[0]  # with its values: maybe nothing frees it


@pytest.mark.parametrize(
    "start", ["allocate(b(n)); allocate(a(n))", "real(8), allocatable :: a(:)\nallocate(a(n), b(n))"]
)
def test_the_same_array(start: str) -> None:
    """One that only has the name of the program's is another array."""
    text = TEXT.replace("START", start).replace("FINISH", "print *, 1")
    done = translate_text({"p.f90": text}, target="gpu", backend="cuda-c").require()
    rest = done.text.partition("contains")[0].partition("call start()")[2]
    assert ("hf_enter_once(a," in rest.partition("do t = 1")[0]) == ("real" not in start)

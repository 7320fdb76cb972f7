"""What ends a program for many processes, and what it says then; nothing hangs."""

from __future__ import annotations

import pytest

from tests.processes.programs import WAYS, Case, faults

HEAD = """module NAME
  use zoo
  implicit none
  integer :: nx, ny
contains
  subroutine setup()
    @decomposition{domName(i,j), global(17,15), local(nx,ny), halo(i:2, j:2), grid(px,py), reductions(global)}
  end subroutine
"""
RUN = """
  subroutine run()
    real(8), allocatable :: u(:,:)
    integer :: n
    current = 'NAME'
    call setup()
    allocate(u(-1:nx+2, -1:ny+2))
    u = 0
    n = size(u, 1) - 2
CALL
  end subroutine
end module
"""
SMALL = """  subroutine work(u)
    real(8), intent(inout) :: u(0:nx+1, 0:ny+1)
    @haloExchange{fields(u)}
  end subroutine"""
FROM_ONE = """  subroutine work(u)
    real(8), intent(inout) :: u(nx+4, ny+4)
    @haloExchange{fields(u)}
  end subroutine"""
OTHER_SIZES = """  subroutine work(u, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(n)
    @wholeGrid
    u(1) = 3
  end subroutine"""
LACKING = """  subroutine work(u, low)
    integer, intent(in) :: low
    real(8), intent(inout) :: u(low:nx, ny)
    @wholeGrid
    u(3,1) = 3
  end subroutine"""
EARLY = """  subroutine work(s)
    integer, intent(inout) :: s
    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(+:s)}
    s = s + i*j
    @end parallelRegion
  end subroutine"""
CASES = {
    "small": (SMALL, "call work(u(0:nx+1,0:ny+1))", "the exchange of 'u' takes the points -1 to 11 along dimension 1"),
    "from_one": (FROM_ONE, "call work(u)", "the exchange of 'u' takes the points -1 to 11 along dimension 1"),
    "other_sizes": (OTHER_SIZES, "call work(u, n)", "'u' has other bounds in dimension 1 on the first process"),
    "lacking": (
        LACKING,
        "call work(u(2:nx,1:ny), 2)",
        "'u' has the points 2 to 9 in dimension 1, and the process owns 1",
    ),
    "too_wide": (
        SMALL.replace("fields(u)", "fields(u), width(i:nx)"),
        "call work(u)",
        "the exchange of 'u' is wider than the halo",
    ),
}


def programs() -> dict[str, Case]:
    """All cases; the last ends one process before a reduction."""
    calls = {name: (routine, call) for name, (routine, call, _) in CASES.items()}
    calls["early"] = EARLY, "if (onEdge(i, low)) error stop 'gone'\n    call work(n)"
    texts = {name: (HEAD + routine + RUN).replace("CALL", f"    {call}") for name, (routine, call) in calls.items()}
    return {name: Case(name, {f"{name}.h90": text.replace("NAME", name)}) for name, text in texts.items()}


@pytest.mark.parametrize("name", CASES)
def test_message(name: str) -> None:
    said = faults(WAYS["sequential"], "openmpi", (2, 1), programs(), only=name)
    assert "hfpy: rank" in said
    assert CASES[name][2] in said


@pytest.mark.full
def test_a_process_that_ends_before_a_reduction() -> None:
    assert "gone" in faults(WAYS["sequential"], "openmpi", (2, 1), programs(), only="early")

"""Dummies that are declared larger than what callers give: a copy to the device would take what lies after."""

from __future__ import annotations

import pytest

from tests.support import translate_text

SOURCE = """module m
implicit none
contains
subroutine step(n, h)
integer, intent(in) :: n
real(8), intent(inout) :: h(DECLARED)
integer :: i
!@parallelRegion{domName(i), domSize(n)}
do i = 1, n
h(i) = h(i) + 1
end do
!@end parallelRegion
end subroutine step
subroutine outer(m)
integer, intent(in) :: m
real(8) :: seven(7), many(40), square(2,0:10), open(m)
seven = 0; many = 0; square = 0; open = 0
call step(3, GIVEN)
end subroutine outer
end module m
"""


def reported(declared: str, given: str, backend: str = "cuda-c") -> list[tuple[str, int, int]]:
    text = SOURCE.replace("DECLARED", declared).replace("GIVEN", given)
    done = translate_text({"m.f90": text}, target="cpu" if backend == "openmp" else "gpu", backend=backend)
    return [(d.code, d.place.line, d.related[0].place.line) for d in done.errors if d.place is not None]


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "openacc", "openmp-target"])
@pytest.mark.parametrize("given", ["seven", "many(22)", "square(2,1)", "seven(:)"])
def test_refused_with_the_region_and_the_call(given: str, backend: str) -> None:
    assert reported("20", given, backend) == [("HF603", 10, 18)]


@pytest.mark.parametrize("given", ["many", "many(21)", "square(1,1)", "square(2,0)", "open"])
def test_what_is_large_enough_or_not_known(given: str) -> None:
    assert not reported("20", given)


@pytest.mark.parametrize("declared", ["*", "n", "7", "1:7"])
def test_dummies_that_fit(declared: str) -> None:
    assert not reported(declared, "seven")


def test_threads_have_no_copies() -> None:
    assert not reported("20", "seven", "openmp")

"""Arrays of elements of others in another order, in kernels: what is refused. What runs is in ``language``."""

from __future__ import annotations

import pytest

from tests.support import translate_text

SOURCE = """module m
implicit none
contains
subroutine s(n, m, a, b)
integer, intent(in) :: n, m
real(8), intent(inout) :: a(n,m)
real(8), intent(in) :: b(n,m)
integer :: i, k
real(8) :: v(4)
!@parallelRegion{{domName(i), domSize(n)}}
do i = 1, n
{statement}
end do
!@end parallelRegion
end subroutine s
end module m
"""
CASES = {
    "a(i,:) = [(b(i,k), k = 1, m)]": "an implied loop whose bounds are no constants",
    "a(i,:) = cshift(b(i,:), 1)": "'cshift' with an array as value whose size is no constant",
    "v = cshift(v, 1, i)": "'cshift' along a dimension that is no constant",
    "v = [b(i,:), 1.d0]": "an array constructor with an array whose size is no constant",
    "v = [(k, k = 1, 2), 2*1.d0]": "an array constructor of several types",
    "v = [real :: (k, k = 1, 4)]": "an array constructor with a type and implied loops",
    "v = spread(b(i,1), 1, m)": "'spread' with an array as value whose size is no constant",
    "a(i,1) = sum([(sum(b(i,1:k)), k = 1, m)])": "an implied loop with a value that needs statements of its own",
    "v = [(b(i,1)*k, k = 1, 2000)]": "an array constructor with more than 1024 elements, or none",
}


@pytest.mark.parametrize("backend", ["cuda-c", "opencl"])
@pytest.mark.parametrize("statement", CASES)
def test_refused_with_the_statement(statement: str, backend: str) -> None:
    done = translate_text({"m.f90": SOURCE.format(statement=statement)}, target="gpu", backend=backend)
    found = [(d.code, d.place.line, d.message) for d in done.errors if d.place is not None]
    assert ("HF702", 12, f"{CASES[statement]} cannot be translated for a kernel") in found, found

"""Arrays of kernels that go to routines in another shape are refused where their elements are not next to each other.
What is accepted runs as ``language/other_shapes.f90``.
"""

from __future__ import annotations

import pytest

from tests.support import translate_text

SOURCE = """module m
implicit none
contains
subroutine step(n, d)
integer, intent(in) :: n
real(8), intent(inout) :: d(n)
real(8) :: w(4,6), v(3,4,5)
integer :: i
!@parallelRegion{domName(i), domSize(n)}
do i = 1, n
w = 1; v = 2
call GIVEN
d(i) = w(1,1) + v(1,1,1)
end do
!@end parallelRegion
end subroutine step
subroutine square(a)
real(8), intent(inout) :: a(3,4)
a(2,2) = 5
end subroutine square
subroutine flat(a)
real(8), intent(inout) :: a(12)
a(2) = 5
end subroutine flat
subroutine sized(m, a)
integer, intent(in) :: m
real(8), intent(inout) :: a(m,4)
a(2,2) = 5
end subroutine sized
subroutine on(a)
real(8), intent(inout) :: a(3,4)
call flat(a)
end subroutine on
subroutine twice(a)
real(8), intent(inout) :: a(3,4)
call on(a)
end subroutine twice
subroutine open(a)
real(8), intent(inout) :: a(:,:)
call square(a)
end subroutine open
subroutine gaps(a)
real(8), intent(inout) :: a(:,:)
call flat(a)
end subroutine gaps
end module m
"""


def refused(given: str, backend: str) -> list[tuple[str, int]]:
    done = translate_text({"m.f90": SOURCE.replace("GIVEN", given)}, target="gpu", backend=backend)
    return [(d.code, d.place.line) for d in done.errors]


@pytest.mark.parametrize("backend", ["cuda-c", "opencl"])
@pytest.mark.parametrize(
    "given",
    [
        "flat(w(2:3,:))",
        "flat(v(:,2,:))",
        "flat(w(1:4:2,1:6))",
        "on(w(1:3,1:4))",
        "twice(v(:,2,:))",
        "square(v(1:2,2,:))",
        "sized(i, v(:,2,:))",
    ],
)
def test_refused(given: str, backend: str) -> None:
    assert refused(given, backend) == [("HF702", 12)]


@pytest.mark.parametrize("backend", ["cuda-c", "opencl"])
def test_gaps_of_a_caller_are_refused_where_they_matter(backend: str) -> None:
    assert refused("gaps(w(1:3,:))", backend)[0] == (
        "HF702",
        SOURCE[: SOURCE.index("call flat(a)\nend subroutine gaps")].count("\n") + 1,
    )


@pytest.mark.parametrize("backend", ["cuda-c", "opencl"])
@pytest.mark.parametrize(
    "given",
    [
        "flat(w)",
        "flat(v(:,:,3))",
        "flat(w(:,2:4))",
        "square(v(:,:,2:2))",
        "square(w)",
        "square(w(1:3,1:4))",
        "square(v(:,2,:))",
        "on(v(:,:,2))",
        "sized(3, w)",
        "twice(w)",
        "open(w(1:3,:))",
    ],
)
def test_accepted(given: str, backend: str) -> None:
    assert not refused(given, backend)


@pytest.mark.parametrize("backend", ["cuda-c", "opencl"])
@pytest.mark.parametrize("whole", ["a = 5", "a(:) = 5", "b = sum(a)", "b = size(a)", "b = maxval(a(2:))"])
def test_a_size_that_is_not_known(whole: str, backend: str) -> None:
    """Of a dummy that is declared with 1 and has more elements, the whole is one element, or all of them."""
    text = SOURCE.replace("GIVEN", "old(w)").replace(
        "end module",
        f"subroutine old(a)\nreal(8), intent(inout) :: a(1)\nreal(8) :: b\na(3) = 2\n{whole}\nend\nend module",
    )
    done = translate_text({"m.f90": text}, target="gpu", backend=backend)
    assert "HF702" in {d.code for d in done.errors}
    assert any("whose last dimension has no size" in d.message for d in done.errors)

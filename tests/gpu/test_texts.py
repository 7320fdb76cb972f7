"""Texts in regions that become kernels: which comparisons the host may work out, and which are refused."""

from __future__ import annotations

import pytest

from tests.support import translate_text

SOURCE = """module m
implicit none
type box
character(len=4) :: kind
end type box
contains
subroutine s(n, k, a, kind, names, given, own)
integer, intent(in) :: n, k
real(8), intent(inout) :: a(n)
character(len=*), intent(in) :: kind
character(len=4), intent(in) :: names(n)
character(len=4), intent(in), optional :: given
character(len=:), allocatable, intent(in) :: own
character(len=4) :: mine
integer :: i
!@parallelRegion{{domName(i), domSize(n)}}
do i = 1, n
mine = 'x'
{statement}
end do
!@end parallelRegion
end subroutine s
end module m
"""
PLAIN = SOURCE.replace("mine = 'x'\n", "")


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
@pytest.mark.parametrize(
    "statement",
    [
        "if (names(i) == 'one') a(i) = 1",
        "if (kind(k:k) == 'o') a(i) = 1",
        "if (present(given)) then; if (given == 'one') a(i) = 1; end if",
        "if (allocated(own)) then; if (own == 'one') a(i) = 1; end if",
        "select case (names(i)); case ('one'); a(i) = 1; end select",
        "a(i) = index(kind, 'o')",
    ],
)
def test_texts_that_the_host_may_not_ask_for_beforehand(statement: str, backend: str) -> None:
    done = translate_text({"m.f90": PLAIN.format(statement=statement)}, target="gpu", backend=backend)
    assert "HF702" in done.codes("error"), done.text


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
def test_texts_that_points_set(backend: str) -> None:
    statement = "if (mine == 'x') a(i) = 1"
    done = translate_text({"m.f90": SOURCE.format(statement=statement)}, target="gpu", backend=backend)
    assert "HF702" in done.codes("error"), done.text


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
def test_one_comparison_is_worked_out_once(backend: str) -> None:
    statement = "if (kind == 'up') a(i) = 1\nif (.not. kind == 'up') a(i) = 2"
    text = translate_text({"m.f90": PLAIN.format(statement=statement)}, target="gpu", backend=backend).require().text
    assert text.count("kind == 'up'") == 1

"""Arrays of unknown size in regions on devices: what is refused, and where. Those that run are in ``language``."""

from __future__ import annotations

import pytest

from tests.support import translate_text

BACKENDS = ("cuda-c", "hip", "opencl", "cuda-fortran", "openacc", "openmp-target")
TEXT = """module m
implicit none
contains
subroutine s(n, k, x, a)
integer, intent(inout) :: n
integer, intent(in) :: k(n)
real(8), intent(in) :: x(n)
real(8), intent(inout) :: a({shape})
integer :: i, j
real(8) :: t
{before}
!@parallelRegion{{domName(i), domSize(n)}}
do i = 1, n
  t = x(i)
  j = i
  {statement}
end do
!@end parallelRegion
end subroutine s
end module m
"""
CASES = {
    "a condition of data": ("*", "", "if (t > 0) a(i) = t", "whether this is executed for the last of its elements"),
    "an index array": ("*", "", "t = a(k(i))", "its subscripts are not linear in the loops"),
    "a loop that ends by data": ("*", "", "do while (t > 0); t = t - a(j); j = j + 1; end do", "its subscripts"),
    "bounds that change": ("n:*", "n = n - 1", "a(n+i) = t", "whose last lower bound changes"),
}


def refusals(shape: str, before: str, statement: str, backend: str) -> list[tuple[int, str]]:
    text = TEXT.format(shape=shape, before=before, statement=statement)
    done = translate_text({"m.f90": text}, target="gpu", backend=backend)
    assert not done.files
    return [(d.place.line, d.message) for d in done.errors if d.code == "HF702" and d.place is not None]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", CASES)
def test_what_is_not_known_is_refused_with_the_statement(case: str, backend: str) -> None:
    *source, why = CASES[case]
    found = [(line, message) for line, message in refusals(*source, backend) if why in message]
    assert found, refusals(*source, backend)
    assert all("'a', an array of unknown size" in message for _, message in found)
    if "bounds" not in case:
        assert {line for line, _ in found} == {16}


@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_that_need_not_be_there(backend: str) -> None:
    text = TEXT.format(shape="*", before="", statement="if (present(a)) a(i) = t")
    text = text.replace("intent(inout) :: a(*)", "intent(inout), optional :: a(*)")
    done = translate_text({"m.f90": text}, target="gpu", backend=backend)
    assert any("need not be there" in d.message for d in done.errors), done.errors


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape", ["*", "2,*", "1"])
def test_arrays_of_objects(backend: str, shape: str) -> None:
    """Their components were asked for bounds that compilers do not know."""
    index = "1,i" if "," in shape else "i"
    text = f"""subroutine s(n, x, y)
  type cell
    real :: q
  end type cell
  integer, intent(in) :: n
  type(cell), intent(inout) :: x({shape})
  real, intent(in) :: y(n)
  integer :: i
  !@parallelRegion
  do i = 1, n
    x({index})%q = y(i)
  end do
end subroutine s
"""
    found = translate_text({"m.f90": text}, target="gpu", backend=backend).errors
    assert [d.code for d in found] == ["HF702"] and found[0].message.startswith("'x', an array of unknown size,")

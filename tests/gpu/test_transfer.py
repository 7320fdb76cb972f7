"""``transfer`` in kernels: numbers of as many bytes; what is refused, and that its second argument is not read."""

import pytest

from tests.support import translate_text

ROUTINE = """subroutine s(n, a, k, m)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer, intent(inout) :: k(n), m(2,n)
  integer(8) :: h
  integer :: i
  !@parallelRegion{{domName(i), domSize(n)}}
  do i = 1, n
    {statement}
  end do
  !@end parallelRegion
end subroutine s
"""


@pytest.mark.parametrize("backend", ["cuda-c", "opencl"])
@pytest.mark.parametrize(
    ("statement", "refused"),
    [
        ("k(i) = transfer(real(a(i), 4), k(1))", ""),
        ("h = transfer(a(i), h); a(i) = transfer(h + 1, a(n))", ""),
        ("k(i) = transfer(a(i), 0)", "between other types than numbers of as many bytes"),
        ("k(i) = merge(1, 2, transfer(k(i), .true.))", "between other types than numbers of as many bytes"),
        ("m(:,i) = transfer(a(i), m(:,i))", "of arrays"),
        ("k(i) = sum(transfer(a(i), 0, 2))", "array"),
    ],
)
def test_what_kernels_take(statement: str, refused: str, backend: str) -> None:
    done = translate_text({"p.f90": ROUTINE.format(statement=statement)}, target="gpu", backend=backend)
    assert [d.code for d in done.errors] == (["HF702"] if refused else [])
    assert refused in "".join(d.message for d in done.errors)

"""Dummies declared with ``1`` as the last dimension, of which more is used: their size is not known."""

import pytest

from tests.support import translate_text

SOURCE = """subroutine work(n, a)
  integer :: n, i, j
  real(8) :: a({shape})
  {before}
  !@parallelRegion{{domName(i), domSize(n)}}
  do i = 1, n
    do j = 1, 3
      {statement}
    end do
  end do
  !@end parallelRegion
end subroutine
subroutine other(n, b)
  integer :: n
  real(8) :: b(n)
  b = 1
end subroutine
"""
LARGER = [
    ("1", "a(i) = j", ""),
    ("n,1", "a(i,j) = j", ""),
    ("n, 1:1", "a(i,j) = j", ""),
    ("1", "a(i) = a(i) + 1", ""),
    ("1", "a(i) = max(a(i), 1.d0)", ""),
    ("1", "if (a(2) > 1) a(1) = 1", ""),
    ("1", "a(1) = 1", "call other(n, a)"),
    ("1", "a(1) = 1", "call other(n, a(2))"),
    ("n,1", "a(i,1) = i", "a(:,n) = 1"),
]
ONE = [
    ("1", "a(1) = 2", ""),
    ("n,1", "a(i,1) = 2*i", ""),
    ("n,1", "a(i,1) = size(a)", ""),
    ("0:1", "a(i) = 2", ""),
    ("2:1", "a(i) = 2", ""),
]


@pytest.mark.parametrize(("shape", "statement", "before"), LARGER)
def test_larger_than_declared(shape: str, statement: str, before: str) -> None:
    source = SOURCE.format(shape=shape, statement=statement, before=before)
    for backend in ("cuda-c", "openacc"):
        done = translate_text({"w.f90": source}, target="gpu", backend=backend)
        brought = "hf_enter_bytes(a" if backend == "cuda-c" else "a(:,:hf_size_a)" if "n" in shape else "a(:hf_size_a)"
        assert brought in done.text or {"HF702", "HF603"} & set(done.codes()), (backend, done.text)
    assert "HF702" not in translate_text({"w.f90": source}, backend="openmp").codes()


@pytest.mark.parametrize(("shape", "statement", "before"), ONE)
def test_as_declared(shape: str, statement: str, before: str) -> None:
    source = SOURCE.format(shape=shape, statement=statement, before=before)
    done = translate_text({"w.f90": source}, target="gpu", backend="cuda-c")
    assert "HF702" not in done.codes()
    assert "hf_enter_bytes" not in done.text

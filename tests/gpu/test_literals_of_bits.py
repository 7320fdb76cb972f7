"""Literals such as ``z'FF'`` as arguments of intrinsics in kernels: integers of the other argument's kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

PROGRAM = """program bits
  use iso_fortran_env, only: int64
  implicit none
  integer, parameter :: n = 8
  integer :: a(n), i
  integer(8) :: b(n)
  integer(2) :: h(n)
  logical :: l(n)
  do i = 1, n
    a(i) = (i - 4)*123456789
    b(i) = (i - 4)*1234567890123_8
    h(i) = int((i - 4)*1111, 2)
  end do
  {directive}
  do i = 1, n
    a(i) = ieor(a(i), int(z'7FFFFFFF')) + iand(a(i), z'FF')
    b(i) = iand(z'7FFFFFFF', b(i)) + ior(b(i), int(o'777', kind=int64)) + int(b'1011', 8)
    h(i) = ieor(h(i), int(Z"7ABC", 2))
    l(i) = bgt(a(i), z'70000000')
    b(i) = b(i) + merge_bits(b(i), z'00FF00FF00FF00FF', ishft(b(i), 3)) + dshiftl(a(i), z'70000000', 5)
  end do
  print *, a, b, h, l
end program bits
"""


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
def test_values(backend: str, tmp_path: Path) -> None:
    text = PROGRAM.format(directive="!@parallelRegion")
    done = translate_text({"p.f90": text}, target="gpu", backend=backend).require()
    plain = compile_files({"p.f90": PROGRAM.format(directive="")}, tmp_path / "plain")
    assert output(compile_files(done.files, tmp_path / backend)) == output(plain)


@pytest.mark.parametrize("value", ["real(z'3F800000')", "iand(k, z'1FFFFFFFF')"])
def test_what_is_no_integer_is_refused(value: str) -> None:
    """``real`` takes the bits as they are; too many bits are an error of compilers as well."""
    text = f"""subroutine s(n, a, k)
  integer, intent(in) :: n, k
  real, intent(out) :: a(n)
  integer :: i
  !@parallelRegion
  do i = 1, n
    a(i) = {value}
  end do
end subroutine s
"""
    assert translate_text({"p.f90": text}, target="gpu", backend="cuda-c").codes("error") == ["HF702"]

"""Powers with constant exponents of 64 bits: compilers call a library for them, which rounds in another way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

PROGRAM = """program powers
  implicit none
  integer, parameter :: n = 200
  integer(8), parameter :: inverse = -3
  real(4) :: x(n), a(n), b(n)
  real(8) :: y(n), c(n), d(n)
  integer :: i
  do i = 1, n
    x(i) = 0.37*i
    y(i) = 0.37d0*i
  end do
  {directive}
  do i = 1, n
    a(i) = x(i)**(-2_8) + x(i)**4_8
    b(i) = x(i)**inverse
    c(i) = y(i)**7_8 + y(i)**(-1_8)
    d(i) = y(i)**(-2)
  end do
  print *, a, b, c, d
end program powers
"""


@pytest.mark.parametrize("backend", ["cuda-c", "opencl"])
def test_values(backend: str, tmp_path: Path) -> None:
    text = PROGRAM.format(directive="!@parallelRegion")
    done = translate_text({"p.f90": text}, target="gpu", backend=backend).require()
    kernels = "".join(done.files.values())
    assert kernels.count("hf_ipow") == 3
    if backend == "cuda-c":
        plain = compile_files({"p.f90": PROGRAM.format(directive="")}, tmp_path / "plain")
        assert output(compile_files(done.files, tmp_path / backend)) == output(plain)

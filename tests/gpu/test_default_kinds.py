"""Compiler flags that change default kinds: kernels must know what the Fortran compiler makes of ``real``."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import DefaultKinds, Options, default_kinds
from hfpy.pipeline import translate
from tests.support import write_files

SOURCE = """\
module m
contains
  subroutine s(n, a, d)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    double precision, intent(inout) :: d(n)
    @parallelRegion{domName(i), domSize(n)}
    a = 0.5 * a
    d = 0.5d0 * d
    @end parallelRegion
  end subroutine s
end module m
"""


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("-O2", DefaultKinds(4, 8, 4)),
        ("-r8 -O2", DefaultKinds(8, 8, 4)),
        ("-fdefault-real-8 -fdefault-double-8", DefaultKinds(8, 8, 4)),
        ("-fdefault-real-8", DefaultKinds(8, 16, 4)),
        ("-fdefault-integer-8", DefaultKinds(4, 8, 8)),
    ],
)
def test_flags_set_kinds(flags: str, expected: DefaultKinds) -> None:
    assert default_kinds(flags.split()) == expected


def test_kernels_follow(tmp_path: Path) -> None:
    (path,) = write_files({"m.h90": SOURCE}, tmp_path)
    plain = next(f.text for f in translate([path], Options(target="gpu")).files if f.name == "m.cu")
    assert "float *__restrict__ a_data" in plain and "0.5f * a(i)" in plain
    wide = translate([path], Options(target="gpu", kinds=DefaultKinds(8, 8, 4)))
    text = next(f.text for f in wide.files if f.name == "m.cu")
    assert "double *__restrict__ a_data" in text and "float" not in text


def test_reals_of_sixteen_bytes_are_refused(tmp_path: Path) -> None:
    (path,) = write_files({"m.h90": SOURCE}, tmp_path)
    found = translate([path], Options(target="gpu", kinds=DefaultKinds(8, 16, 4))).diagnostics
    assert [(d.severity, d.code) for d in found] == [("error", "HF702")]


NAMES = """\
module m
contains
  subroutine s(n, k, a)
    integer, intent(in) :: n, k(n)
    real, intent(inout) :: a(n)
    @parallelRegion{domName(i), domSize(n)}
    a = float(k) / 3 + sngl(0.1d0 * k)
    @end parallelRegion
  end subroutine s
end module m
"""


def test_old_names_follow(tmp_path: Path) -> None:
    """``float`` gave reals of four bytes."""
    (path,) = write_files({"m.h90": NAMES}, tmp_path)
    wide = translate([path], Options(target="gpu", kinds=DefaultKinds(8, 8, 4)))
    text = next(f.text for f in wide.files if f.name == "m.cu")
    assert "(double)k(i) / 3 + 0.1e0 * k(i)" in text and "float" not in text

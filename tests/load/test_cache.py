"""Libraries are compiled once for the same content."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hfpy
from hfpy.build.cachefolder import cache_folder
from hfpy.diagnostics import ToolError, UsageError

SOURCE = """
module counted
  implicit none
contains
  integer function twice(n)
    integer, intent(in) :: n
    include 'body.inc'
  end function twice
end module counted
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler that writes down what it is asked, and a cache of this test's own."""
    written = tmp_path / "log"
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\necho "$@" >> {written}\nexec gfortran "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("FC", str(compiler))
    monkeypatch.setenv("HFPY_CACHE", str(tmp_path / "cache"))
    return written


def compilations(log: Path) -> int:
    """How often the compiler compiled or linked something."""
    return sum("--version" not in line for line in log.read_text().splitlines())


def test_the_same_content_is_compiled_once(log: Path, tmp_path: Path) -> None:
    (tmp_path / "body.inc").write_text("    twice = 2 * n\n")
    source = tmp_path / "counted.f90"
    source.write_text(SOURCE)
    assert hfpy.load(source).twice(4) == 8
    assert compilations(log) == 2  # one file, one library

    assert hfpy.load(source).twice(5) == 10
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("counted.f90", "body.inc"):
        (elsewhere / name).write_bytes((tmp_path / name).read_bytes())
    assert hfpy.load(elsewhere / "counted.f90").twice(6) == 12
    script = f"import hfpy; print(hfpy.load({str(source)!r}).twice(7))"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "14\n"
    assert compilations(log) == 2

    (tmp_path / "body.inc").write_text("    twice = 2 * n + 1\n")
    assert hfpy.load(source).twice(4) == 9
    assert compilations(log) == 4
    assert hfpy.load(source, flags=["-O0"]).twice(4) == 9
    assert compilations(log) == 6
    assert hfpy.load(elsewhere / "counted.f90").twice(4) == 8
    assert compilations(log) == 6


def test_a_build_that_fails_leaves_nothing(log: Path, tmp_path: Path) -> None:
    (tmp_path / "body.inc").write_text("    twice = 2 * m\n")
    source = tmp_path / "counted.f90"
    source.write_text(SOURCE)
    with pytest.raises(ToolError, match=r"body\.inc:1"):
        hfpy.load(source)
    assert not [path for path in (tmp_path / "cache").iterdir() if path.name != "texts"]
    (tmp_path / "body.inc").write_text("    twice = 2 * n\n")
    assert hfpy.load(source).twice(1) == 2


def test_where_the_cache_is() -> None:
    home = Path("~/.cache/hfpy").expanduser().resolve()
    assert cache_folder({}) == home
    assert cache_folder({"XDG_CACHE_HOME": "/tmp/caches"}) == Path("/tmp/caches/hfpy").resolve()
    assert cache_folder({"XDG_CACHE_HOME": "/tmp/caches", "HFPY_CACHE": "/tmp/mine"}) == Path("/tmp/mine").resolve()


def test_matching_arrays_are_not_copied() -> None:
    """The routine sees the array's own memory."""
    loaded = hfpy.load(
        """
        module places
          use, intrinsic :: iso_c_binding
          implicit none
        contains
          integer(c_intptr_t) function place(n, a)
            integer, intent(in) :: n
            real(8), intent(in), target :: a(n, n)
            place = transfer(c_loc(a), place)
          end function place
        end module places
        """
    )
    a = np.zeros((3, 3), order="F")
    assert loaded.place(3, a) == a.ctypes.data


def test_hfpy_starts_without_what_load_needs() -> None:
    script = "import sys, hfpy; print([n for n in ('numpy', 'hfpy.kernels', 'hfpy.pipeline') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_missing_numpy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(UsageError, match=r"hfpy\.load needs NumPy: pip install 'hfpy\[python\]'"):
        hfpy.load("module m\nend module m\n")

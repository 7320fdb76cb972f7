"""What is wrong is said with routine, argument, what was wanted and what came."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hfpy
from hfpy.diagnostics import ToolError, UsageError
from tests.load.sources import FORMS, SMOOTH, field


def refused(kind: type[Exception], *parts: str) -> Any:
    """A call fails with a message that has the parts in this order."""
    return pytest.raises(kind, match=".*".join(map(re.escape, parts)))


@pytest.fixture
def smooth() -> Any:
    return hfpy.load(SMOOTH, backend="sequential")


@pytest.fixture
def forms() -> Any:
    return hfpy.load(FORMS)


def test_kinds_and_types_of_arrays(smooth: Any) -> None:
    a, b = field(6, 5), field(6, 5)
    about = ("smooth.twice: argument 'a' (real(rk), intent(in) :: a(0:nx+1,0:ny+1))", "float64")
    with refused(TypeError, *about, "float32"):
        smooth.twice(4, 3, a.astype("f4"), b)
    with refused(TypeError, *about, "foreign byte order"):
        smooth.twice(4, 3, a.astype(">f8"), b)
    with refused(TypeError, *about, "list"):
        smooth.twice(4, 3, a.tolist(), b)


def test_shapes_ranks_and_order(smooth: Any) -> None:
    a, b, before = field(6, 5), field(6, 5), field(6, 5)
    with refused(ValueError, "smooth.twice: argument 'b'", "wanted shape (6, 5), got (6, 6)"):
        smooth.twice(4, 3, a, field(6, 6))
    with refused(ValueError, "argument 'a'", "wanted shape (7, 5), got (6, 5)"):
        smooth.twice(5, 3, a, b)
    with refused(ValueError, "argument 'a'", "wanted shape (0, 5), got (6, 5)"):
        smooth.twice(-4, 3, a, b)
    with refused(ValueError, "argument 'a'", "wanted 2 dimensions, got shape (30,)"):
        smooth.twice(4, 3, a.ravel(), b)
    with refused(ValueError, "argument 'a'", "order 'F'", "order C"):
        smooth.twice(4, 3, np.ascontiguousarray(a), b)
    with refused(ValueError, "argument 'b'", "order 'F'", "with strides"):
        smooth.twice(4, 3, a, field(12, 5)[::2])
    assert np.array_equal(b, before)


def test_memory_that_must_not_change(smooth: Any) -> None:
    a, b = field(6, 5), field(6, 5)
    with refused(ValueError, "smooth.twice: arguments 'a' and 'b' share memory"):
        smooth.twice(4, 3, a, a)
    a.flags.writeable = False
    smooth.twice(4, 3, a, b)  # is only read
    b.flags.writeable = False
    with refused(ValueError, "argument 'b'", "read-only"):
        smooth.twice(4, 3, a, b)


def test_scalars(forms: Any) -> None:
    with refused(TypeError, "forms.changed: argument 'n' (integer :: n): wanted an integer, got float 4.0"):
        forms.changed(4.0)
    with refused(TypeError, "argument 'n'", "wanted an integer, got bool True"):
        forms.changed(True)
    with refused(ValueError, "argument 'n'", "wanted an integer from -2147483648 to 2147483647, got 2147483648"):
        forms.changed(2**31)
    with refused(ValueError, "argument 'i1'", "from -128 to 127, got 128"):
        forms.every_scalar(128, 0, 0.0, True, 0)
    with refused(TypeError, "argument 'r4'", "wanted a real number, got complex 1j"):
        forms.every_scalar(1, 0, 1j, True, 0)
    with refused(TypeError, "argument 'l1'", "wanted True or False, got int 1"):
        forms.every_scalar(1, 0, 0.0, 1, 0)
    with refused(TypeError, "forms.factor (real(wide)): wanted a real number, got str 'x'"):
        forms.factor = "x"


def test_lists_of_arguments(forms: Any) -> None:
    with refused(TypeError, "forms.results_integer takes 1 argument (n), got 2"):
        forms.results_integer(1, 2)
    with refused(TypeError, "forms.results_logical: missing 'b'"):
        forms.results_logical(1.0)
    with refused(TypeError, "forms.results_logical has no argument 'c' to pass; it has a, b"):
        forms.results_logical(1.0, c=2.0)
    with refused(TypeError, "forms.results_logical: argument 'a' is given twice"):
        forms.results_logical(1.0, a=2.0)


def test_logical_arrays_are_arrays_of_bool(forms: Any) -> None:
    with refused(TypeError, "argument 'mask'", "wanted an array of bool, got one of int32"):
        forms.flags(np.ones((2, 2), np.int32, order="F"))


def test_routines_that_python_cannot_call(forms: Any) -> None:
    assert set(forms.refused) == {"forms.of_pair", "forms.of_text", "forms.vector"}
    assert forms.of_text.refused == "argument 't': its type character(len=*) has no counterpart"
    with refused(NotImplementedError, "forms.of_pair cannot be called from Python: argument 'p': its type type(pair)"):
        forms.of_pair(1)
    with refused(NotImplementedError, "forms.vector", "functions that give arrays"):
        forms.vector(3)
    with refused(AttributeError, "no public routine or scalar 'nothing' in sizes, forms"):
        _ = forms.nothing


def test_options() -> None:
    with refused(UsageError, "unknown target 'tpu'; known are cpu, gpu"):
        hfpy.load(SMOOTH, target="tpu")
    with refused(UsageError, "cannot use openacc for target gpu; it can use cuda-c"):
        hfpy.load(SMOOTH, target="gpu", backend="openacc", emulate=True)
    with refused(UsageError, "cannot use cuda-c for target cpu; it can use sequential, openmp"):
        hfpy.load(SMOOTH, backend="cuda-c")
    with refused(UsageError, "'nq' is no option of load, nor a module's scalar; there is:", "nx"):
        hfpy.load(FORMS, nq=1)
    with refused(UsageError, "no such file or folder:", "missing.h90"):
        hfpy.load("missing.h90")
    with refused(AttributeError, "sizes.halo (integer) cannot be set"):
        hfpy.load(FORMS, halo=2)
    with refused(TypeError, "sizes.nx (integer): wanted an integer, got str '4'"):
        hfpy.load(FORMS, nx="4")


def test_fixed_form_and_names_in_several_modules(tmp_path: Path) -> None:
    (tmp_path / "old.f").write_text(
        "      module old\n      integer :: state = 1\n      contains\n"
        "      subroutine one(n)\n      integer, intent(out) :: n\n      n = state\n      end subroutine\n"
        "      end module\n"
    )
    new = "module new{0}\ncontains\n  integer function one()\n    one = {0}\n  end function one\nend module new{0}\n"
    (tmp_path / "new.f90").write_text(new.format(1) + new.format(2))
    loaded = hfpy.load(tmp_path)
    assert loaded.refused == {"old.one": "its module is in fixed form"}
    assert [loaded.modules[name].one() for name in ("new1", "new2")] == [1, 2]
    with refused(AttributeError, "'one' is in several modules"):
        loaded.one()


def test_a_library_with_something_missing() -> None:
    text = "module lacks\ncontains\n  subroutine s()\n    call elsewhere()\n  end subroutine s\nend module lacks\n"
    with refused(ToolError, "cannot be opened:", "elsewhere_"):
        hfpy.load(text, flags=["-O0"]).s()


def test_warnings_come_with_each_load() -> None:
    text = SMOOTH.replace("flux(i,j) = a(i+1,j) - a(i,j)\n", "b(i,j) = b(i,j+calls_before) + a(i,j)\n")
    for _ in range(2):
        with pytest.warns(UserWarning, match=r"source\.h90:\d+:\d+: warning HF\d+: "):
            hfpy.load(text, backend="sequential", opt=0)


def test_routines_outside_of_modules_are_told() -> None:
    text = "subroutine alone(x)\n  real(8), intent(inout) :: x\n  x = 1\nend subroutine\n"
    inside = "module has\ncontains\n  subroutine within(x)\n    real(8), intent(inout) :: x\n    x = 2\n"
    with pytest.warns(UserWarning, match="outside of modules: 'alone'; hfpy.load has routines of modules only"):
        loaded = hfpy.load(text + inside + "  end subroutine\nend module has\n", flags=["-O0"])
    assert list(loaded.routines) == ["has.within"]

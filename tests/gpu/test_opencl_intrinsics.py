"""Intrinsic functions and powers of kernels in OpenCL C give the bits that gfortran's programs give."""

from __future__ import annotations

import ctypes
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import hfpy
from tests.command import CXXFLAGS
from tests.gpu.emulated import run
from tests.gpu.intrinsic_cases import FORTRAN, Case, Values, cases
from tests.gpu.opencl import needs_opencl
from tests.gpu.test_intrinsics import NAMES, differences, fortran_source, results
from tests.support import OPENCL, translate_text

# What is tried by default; all others under ``-m full``.
SOON = (
    "modulo_f8 mod_f4 modulo_i4 mod_i8 sign_f8 sign_i2 dim_f4 min3_f4 max_f8 nint_i8_f8 floor_i4_f8 ceiling_i4_f4 "
    "anint_f8 ishft_i4 ishftc_i8 shifta_i2 ibits_i4 ibset_i1 btest_i8 popcnt_i2 leadz_i1 trailz_i8 pow_f8_m3 pow_f8_15"
).split()
ALL = {case.name: case for case in cases()}


def routine(case: Case) -> str:
    """A region that applies a case to all elements."""
    names = NAMES[: len(case.types)]
    element = re.sub(r"\b([abc])\b", r"\1_(i)", case.fortran)
    rows = [f"subroutine {case.name}(n, {', '.join(f'{n}_' for n in names)}, r)", "integer, intent(in) :: n"]
    rows += [f"{FORTRAN[t]}, intent(in) :: {n}_(n)" for n, t in zip(names, case.types, strict=True)]
    rows += [f"{FORTRAN[case.result]}, intent(out) :: r(n)", "@parallelRegion{domName(i), domSize(n)}"]
    return "\n".join([*rows, f"r(i) = {element}", "@end parallelRegion", f"end subroutine {case.name}"])


def module(chosen: list[Case]) -> str:
    return "\n".join(["module tried", "implicit none", "contains", *map(routine, chosen), "end module tried", ""])


def printable(case: Case) -> bool:
    """Whether kernels may hold a case at all."""
    return not translate_text(module([case]), **OPENCL.options).errors


def compared(chosen: list[Case], folder: Path) -> list[str]:
    """The differences from gfortran's optimised code."""
    (folder / "cases.f90").write_text(fortran_source())
    run(["gfortran", "-shared", "-fPIC", "-w", "-ffree-line-length-none", "-fno-range-check", "-O2",
         "-ffp-contract=off", "cases.f90", "-o", "cases.so"], folder)  # fmt: skip
    fortran = ctypes.CDLL(str(folder / "cases.so"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = hfpy.load(module(chosen), target="gpu", backend="opencl", flags=("-O1", "-fno-range-check"))
    wrong: list[str] = []
    for case in chosen:
        found: Values = np.zeros(case.inputs[0].size, case.result)
        getattr(library, case.name)(found.size, *case.inputs, found)
        wrong += differences(case, results(fortran, case), found)[:3]
    return wrong


@needs_opencl
def test_some_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXXFLAGS", CXXFLAGS)  # for the launchers: what computes is compiled by the driver
    chosen = [ALL[name] for name in SOON if name in ALL]
    assert len(chosen) > 15, set(SOON) - ALL.keys()
    wrong = compared(chosen, tmp_path)
    assert not wrong, "\n".join(wrong)


@needs_opencl
@pytest.mark.full
def test_all_functions(tmp_path: Path) -> None:
    chosen = [case for case in ALL.values() if printable(case)]
    assert len(chosen) > 150
    wrong = compared(chosen, tmp_path)
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong)

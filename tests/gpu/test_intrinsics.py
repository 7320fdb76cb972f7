"""Intrinsic functions and powers of kernels give the bits that gfortran's programs give (design contract 7)."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence

import numpy as np
import pytest

from hfpy.build.compile.cuda import EMULATION, RUNTIME
from tests.gpu.emulated import WARNINGS, Emulation, ran, run
from tests.gpu.intrinsic_cases import CPP, FORTRAN, Case, Values, cases

CASES = tuple(cases())
NAMES = "abc"
OPTIONS = {"O0": ("-O0",), "O2": ("-O2", "-ffp-contract=off")}


def fortran_source() -> str:
    """A procedure for each case that applies its expression to all elements."""
    lines = [
        "module cases",
        "use, intrinsic :: iso_c_binding",
        "use, intrinsic :: ieee_arithmetic",
        "implicit none",
        "contains",
    ]
    for case in CASES:
        names = NAMES[: len(case.types)]
        dummies = ", ".join([*(f"{n}_" for n in names), "r"])
        lines += [f"subroutine {case.name}(n, {dummies}) bind(c)", "integer(c_int), value :: n"]
        lines += [f"{FORTRAN[t]}, intent(in) :: {n}_(n)" for n, t in zip(names, case.types, strict=True)]
        lines += [f"{FORTRAN[case.result]}, intent(out) :: r(n)", "integer :: i", "do i = 1, n"]
        lines += [f"associate ({', '.join(f'{n} => {n}_(i)' for n in names)})", f"r(i) = {case.fortran}"]
        lines += ["end associate", "end do", f"end subroutine {case.name}"]
    return "\n".join([*lines, "end module cases", ""])


def cpp_source() -> str:
    """The same with the functions of kernels."""
    lines = ['#include "hfpy_kernel.hpp"']
    for case in CASES:
        names = NAMES[: len(case.types)]
        dummies = "".join(f"const {CPP[t]} *{n}_, " for n, t in zip(names, case.types, strict=True))
        lines.append(f'extern "C" void {case.name}(int n, {dummies}{CPP[case.result]} *r) {{')
        lines.append("  for (int i = 0; i < n; ++i) {")
        lines += [f"    {CPP[t]} {n} = {n}_[i]; (void){n};" for n, t in zip(names, case.types, strict=True)]
        lines += [f"    r[i] = {case.cpp};", "  }", "}"]
    return "\n".join([*lines, ""])


@pytest.fixture(scope="module")
def fortran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ctypes.CDLL]:
    """The Fortran procedures, by optimisation."""
    folder = tmp_path_factory.mktemp("fortran")
    (folder / "cases.f90").write_text(fortran_source())
    shared = ["gfortran", "-shared", "-fPIC", "-w", "-ffree-line-length-none", "-fno-range-check"]
    for name, options in OPTIONS.items():
        run([*shared, *options, "cases.f90", "-o", f"{name}.so"], folder)
    return {name: ctypes.CDLL(str(folder / f"{name}.so")) for name in OPTIONS}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The procedures with the functions of kernels."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "cases.cpp").write_text(cpp_source())
    options = ["-std=c++17", "-O2", "-ffp-contract=off", "-DHFPY_EMULATE", f"-I{RUNTIME}", f"-I{EMULATION}"]
    options += [*WARNINGS, "-Wl,--unresolved-symbols=ignore-all"]
    run(["g++", "-shared", "-fPIC", *options, "cases.cpp", "-o", "cases.so"], folder)
    return ctypes.CDLL(str(folder / "cases.so"))


def results(library: ctypes.CDLL, case: Case) -> Values:
    """What a case's procedure gives."""
    made = np.zeros(case.inputs[0].size, case.result)
    addresses = [array.ctypes.data_as(ctypes.c_void_p) for array in (*case.inputs, made)]
    getattr(library, case.name)(made.size, *addresses)
    return made


def differences(case: Case, expected: Values, found: Values) -> Sequence[str]:
    """The elements with other bits; all NaNs are alike."""
    same = expected.view(f"u{expected.itemsize}") == found.view(f"u{found.itemsize}")
    if case.result[0] == "f":
        same |= np.isnan(expected) & np.isnan(found)
    return [
        f"{case.fortran} of {[str(array[i]) for array in case.inputs]}: {expected[i]!r}, not {found[i]!r}"
        for i in np.flatnonzero(~same)
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bits(case: Case, fortran: dict[str, ctypes.CDLL], kernels: ctypes.CDLL) -> None:
    found = results(kernels, case)
    for name in ("O2",) if case.optimised else ("O0", "O2"):
        wrong = differences(case, results(fortran[name], case), found)
        assert not wrong, f"{name}: {len(wrong)} of {found.size}, such as\n" + "\n".join(wrong[:5])


def test_the_table_of_products_matters(fortran: dict[str, ctypes.CDLL]) -> None:
    """Without optimisation gfortran multiplies in another order, so powers are compared with optimised code."""
    case = next(c for c in CASES if c.name == "pow_f8_15")
    assert differences(case, results(fortran["O0"], case), results(fortran["O2"], case))


@pytest.mark.full
def test_all_bits_of_a_word(emulation: Emulation) -> None:
    assert ran(emulation.program("kernels.cu"), "all_bits").stdout == "done\n"


def test_every_function_is_tried() -> None:
    """No intrinsic of the header is forgotten."""
    header = (RUNTIME / "hfpy_intrinsics.hpp").read_text() + (RUNTIME / "hfpy_powers.hpp").read_text()
    defined = set(re.findall(r"^HF_DEVICE .*?\b(hf_\w+)\(", header, re.M))
    inner = {"hf_bit_size", "hf_mask", "hf_infinity_of", "hf_min_identity", "hf_max_identity"}
    inner |= {"hf_power_by_squaring", "hf_integer_power", "hf_positive_power"}
    used = set(re.findall(r"hf_\w+", cpp_source()))
    assert defined - inner - used == set()
    assert len(defined) > 30

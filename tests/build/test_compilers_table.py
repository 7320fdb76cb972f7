"""The table of compilers in the docs has the flags that compilers get; names and flags tell families and kinds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hfpy.build.compile.compilers import _SPELLINGS, family_by_name, family_of
from hfpy.build.compile.tools import _DEBUG_FLAGS
from hfpy.build.session import Given, open_project
from hfpy.options import DefaultKinds, default_kinds, fixed_columns, keeps_locals

PAGE = Path(__file__).parents[2] / "docs" / "projects.md"
ROWS = {
    "gnu": "| gfortran |",
    "llvm": "| flang |",
    "intel": "| ifx, ifort (not run) |",
    "nvidia": "| nvfortran (not run) |",
    "cray": "| Cray's ftn (not run) |",
    "other": "| others |",
}


def _cell(flags: tuple[str, ...]) -> str:
    return f" `{' '.join(flags)}` |" if flags else " |"


def test_every_family_has_its_row() -> None:
    assert set(ROWS) == set(_SPELLINGS)


@pytest.mark.parametrize("family", ROWS)
def test_the_table_has_the_flags(family: str) -> None:
    s = _SPELLINGS[family]
    own = (s.module_out, s.preprocess, s.long_lines, s.free_form)
    columns = (*own, s.openmp, s.openacc, s.exact, _DEBUG_FLAGS[family])
    assert ROWS[family] + "".join(map(_cell, columns)) in PAGE.read_text()


@pytest.mark.parametrize(
    "text, family",
    [
        ("GNU Fortran (Debian 12.2.0-14) 12.2.0", "gnu"),
        ("flang version 22.0.0", "llvm"),
        ("ifx (IFX) 2025.0.0 20241008\nCopyright (C) Intel Corporation", "intel"),
        ("nvfortran 24.9-0 64-bit target on x86-64 Linux", "nvidia"),
        ("Cray Fortran : Version 17.0.1", "cray"),
    ],
)
def test_versions_tell_families(text: str, family: str) -> None:
    assert family_of(text) == family


@pytest.mark.parametrize(
    "flags, kinds",
    [
        ("-O2 -r8", DefaultKinds(8, 8, 4)),
        ("-real-size 64 -integer-size 64", DefaultKinds(8, 8, 8)),
        ("-real-size=64", DefaultKinds(8, 8, 4)),
        ("-s real64", DefaultKinds(8, 8, 4)),
        ("-sdefault64", DefaultKinds(8, 8, 8)),
        ("-fdefault-real-8", DefaultKinds(8, 16, 4)),
        ("-fdefault-real-8 -fdefault-double-8", DefaultKinds(8, 8, 4)),
        ("-O 64 -real-size 32", DefaultKinds(4, 8, 4)),
    ],
)
def test_flags_tell_default_kinds(flags: str, kinds: DefaultKinds) -> None:
    assert default_kinds(flags.split()) == kinds


@pytest.mark.parametrize(
    "flags, columns",
    [
        ("-O2 -N", 72),
        ("-ffixed-line-length-132 -O2", 132),
        ("-ffixed-line-length-none", sys.maxsize),
        ("-ffixed-line-length=0", sys.maxsize),
        ("-extend-source -O2", 132),
        ("-extend_source 80", 80),
        ("-132", 132),
        ("-132 -ffixed-line-length-72", 72),
        ("-Mextend", 132),
        ("-N 1023", 1023),
        ("-fextend-source", 2048),
        ("-DN132 -O1320", 72),
    ],
)
def test_flags_tell_columns_of_fixed_form(flags: str, columns: int) -> None:
    assert fixed_columns(flags.split()) == columns


@pytest.mark.parametrize(
    "flags, kept",
    [
        ("-O2", False),
        ("-fno-automatic -O2", True),
        ("-O2 -save", True),
        ("-noautomatic", True),
        ("-save -auto", False),
        ("-Mnosave -Msave", True),
        ("-qsave", True),
    ],
)
def test_flags_tell_whether_locals_keep_their_values(flags: str, kept: bool) -> None:
    assert keeps_locals(flags.split()) is kept


def test_flags_of_a_single_file_keep_locals_of_all(tmp_path: Path) -> None:
    (tmp_path / "a.f").write_text("      end\n")
    (tmp_path / "hfpy.toml").write_text('[project]\nsources = ["a.f"]\n[files."a.f"]\nflags = ["-fno-automatic"]\n')
    assert open_project(tmp_path, Given(), {}).options.locals_kept


def test_flags_of_a_project_and_of_the_environment_count(tmp_path: Path) -> None:
    (tmp_path / "a.f").write_text("      end\n")
    (tmp_path / "hfpy.toml").write_text(
        '[project]\nsources = ["a.f"]\n[target.cpu]\nflags = ["-ffixed-line-length-132"]\n'
    )
    assert open_project(tmp_path, Given(), {}).options.columns == 132
    assert open_project(tmp_path, Given(), {"FFLAGS": "-fno-automatic"}).options.locals_kept
    assert open_project(tmp_path, Given(), {"FFLAGS": "-ffixed-line-length-none"}).options.columns == sys.maxsize


def test_families_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("hfpy", "flang-99"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert family_by_name(None, {}) == "gnu"
    assert family_by_name(None, {"FC": "flang-99"}) == "llvm"
    assert family_by_name(None, {"FC": "hfpy fc flang-99"}) == "llvm"
    assert family_by_name("flang-99", {}) == "llvm"

"""Compilers: which one to use, what family it is of, and how that family spells what hfpy needs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from hfpy.build import codes
from hfpy.diagnostics import ToolError, UsageError
from hfpy.values import dataclass

Family = Literal["gnu", "nvidia", "intel", "llvm", "cray", "other"]
Language = Literal["fortran", "c", "c++", "cuda", "hip"]

_CANDIDATES: Mapping[Language, tuple[str, ...]] = {
    "fortran": ("gfortran", "flang", "flang-new", "ifx", "nvfortran", "ftn"),
    "c": ("gcc", "cc", "clang"),
    "c++": ("g++", "c++", "clang++"),
    "cuda": ("nvcc",),
    "hip": ("hipcc", "/opt/rocm/bin/hipcc", "amdclang++"),
}
_NAMES: Mapping[Language, str] = {
    "fortran": "Fortran compiler",
    "c": "C compiler",
    "c++": "C++ compiler",
    "cuda": "CUDA compiler",
    "hip": "HIP compiler",
}
_WELL_KNOWN = frozenset("flang clang clang++ ifort icc icx icpx pgf90 pgcc mpif90 mpifort mpicc mpicxx cc".split())
_VARIABLES: Mapping[Language, str] = {"fortran": "FC", "c": "CC", "c++": "CXX", "cuda": "NVCC", "hip": "HIPCC"}
_PACKAGES: Mapping[Language, tuple[str, str, str]] = {
    "fortran": ("gfortran", "gcc-gfortran", "gcc"),
    "c": ("gcc", "gcc", "gcc"),
    "c++": ("g++", "gcc-c++", "gcc"),
    "cuda": ("nvidia-cuda-toolkit", "cuda-toolkit", "-"),
    "hip": ("hipcc", "hipcc", "-"),
}


@dataclass(frozen=True)
class Spelling:
    """How a family of Fortran compilers spells things (a table in docs/projects.md shows them); ``module_out`` is
    followed by a folder, as a word of its own.

    ``selections`` are for files with selections by ``merge`` (:mod:`hfpy.transform.stencil.selects`): gfortran would
    move what they select from back into branches, and then not vectorise the loop. ``untrapped`` lets it compute both
    sides of branches in them, and in loops over blocks of columns, where an operation may set a flag that nobody asks
    for; values stay what they are. Programs that stop at such flags do without it. ``exact`` keeps the last bits what
    they are without optimisation: no fused multiply-add, no vectorised library functions.
    ``free_form`` is for files in free form whose names say otherwise.
    """

    module_out: tuple[str, ...]
    preprocess: tuple[str, ...]
    long_lines: tuple[str, ...]
    openmp: tuple[str, ...]
    openacc: tuple[str, ...]
    selections: tuple[str, ...] = ()
    untrapped: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    free_form: tuple[str, ...] = ()

    @property
    def in_free_form(self) -> tuple[str, ...]:
        """The flags of a file in free form whose name says otherwise: it may have long lines, too."""
        return (*self.free_form, *self.long_lines)


_SPELLINGS: Mapping[Family, Spelling] = {
    "gnu": Spelling(
        ("-J",),
        ("-cpp",),
        ("-ffree-line-length-none",),
        # By itself gfortran asks for every point what is the same for a whole row, unless the body is short: loops with
        # such a question do not become vector code (docs/optimiser.md).
        ("-fopenmp", "-foffload=disable", "--param=max-unswitch-insns=200"),
        ("-fopenacc", "-foffload=disable"),
        ("-fno-tree-sink", "-fno-thread-jumps"),
        ("-fno-trapping-math",),
        ("-ffp-contract=off", "-nostdinc"),
        ("-ffree-form",),
    ),
    "nvidia": Spelling(
        ("-module",), ("-Mpreprocess",), (), ("-mp",), ("-acc",), exact=("-Mnofma",), free_form=("-Mfree",)
    ),
    "intel": Spelling(
        ("-module",), ("-fpp",), (), ("-qopenmp",), (), exact=("-no-fma", "-fp-model=precise"), free_form=("-free",)
    ),
    "llvm": Spelling(
        ("-J",), ("-cpp",), (), ("-fopenmp",), ("-fopenacc",), exact=("-ffp-contract=off",), free_form=("-ffree-form",)
    ),
    "cray": Spelling(
        ("-em", "-J"),
        ("-eT",),
        ("-N1023",),
        ("-homp",),
        ("-hacc",),
        exact=("-hfp0", "-hflex_mp=intolerant"),
        free_form=("-ffree",),
    ),
    "other": Spelling(("-J",), (), (), ("-fopenmp",), ("-fopenacc",)),
}


@dataclass(frozen=True)
class Compiler:
    """A compiler that is on this machine: its command (with words such as ``ccache`` before it), family and version."""

    command: tuple[str, ...]
    family: Family
    version: str

    @property
    def spelling(self) -> Spelling:
        """How this compiler wants its options."""
        return _SPELLINGS[self.family]

    def module_flags(self, out: Path, search: Path) -> tuple[str, ...]:
        """Options to write module files to ``out`` and to look for them there, then in ``search``."""
        return (*self.spelling.module_out, str(out), f"-I{out}", f"-I{search}")


def find_compiler(language: Language, asked: str | None, environment: Mapping[str, str]) -> Compiler:
    """The compiler to use: what FC, CC, CXX, NVCC or HIPCC says, else ``asked`` (from the project), else the first that
    is found. It is run to ask what it is.

    Raises ToolError with one message on how to get one, if it is not on this machine.
    """
    return _described(_command(language, asked, environment))


def named_compiler(language: Language, asked: str | None, environment: Mapping[str, str]) -> Compiler:
    """The same without running anything: its family is that of its name, and GNU's where the name says nothing.

    Raises ToolError as well.
    """
    command = _command(language, asked, environment)
    name = Path(command[-1] if _is_wrapper(command[0]) else command[0]).name
    family = "nvidia" if name.startswith(("pg", "nv")) else family_of(name)
    return Compiler(command, "gnu" if family == "other" else family, "")


def family_by_name(asked: str | None, environment: Mapping[str, str]) -> Family:
    """The family of the Fortran compiler by its name, which may be after others (``hfpy fc flang``); GNU's where
    there is none.
    """
    try:
        family = named_compiler("fortran", asked, environment).family
        words = shlex.split(environment.get(_VARIABLES["fortran"], ""))
    except (ToolError, ValueError):
        return "gnu"
    behind = family_of(" ".join(Path(word).name for word in words))
    return behind if family == "gnu" and behind != "other" else family


def is_well_known(command: str) -> bool:
    """Whether a command is the bare name of a compiler, perhaps with a version: nothing that a project brings along."""
    name = re.sub(r"-\d+(\.\d+)*$", "", command.strip())
    return name in _WELL_KNOWN or any(name in candidates for candidates in _CANDIDATES.values())


def _command(language: Language, asked: str | None, environment: Mapping[str, str]) -> tuple[str, ...]:
    wanted = environment.get(_VARIABLES[language]) or asked
    if wanted:
        command = tuple(shlex.split(wanted))
        if command and shutil.which(command[-1] if _is_wrapper(command[0]) else command[0]):
            return command
        raise ToolError(missing_message(language, wanted))
    for candidate in _CANDIDATES[language]:
        if shutil.which(candidate):
            return (candidate,)
    raise ToolError(missing_message(language, None))


def missing_message(language: Language, wanted: str | None) -> str:
    """One message that says what is missing and how to get it."""
    debian, fedora, homebrew = _PACKAGES[language]
    name = f"the {_NAMES[language]} '{wanted}' is not" if wanted else f"no {_NAMES[language]} is"
    ways = [f"Debian, Ubuntu: apt-get install {debian}", f"Fedora: dnf install {fedora}"]
    if homebrew != "-":
        ways.append(f"macOS: brew install {homebrew}")
    return (
        f"error {codes.TOOL_MISSING}: {name} on this machine\n"
        f"  hint: install one ({'; '.join(ways)}), or name yours in the environment variable {_VARIABLES[language]}"
    )


def _is_wrapper(word: str) -> bool:
    return Path(word).name in ("ccache", "sccache", "env")


def _described(command: tuple[str, ...]) -> Compiler:
    """The compiler after a command, by what it says about itself (MPI wrappers pass the question on)."""
    try:
        answer = subprocess.run(
            (*command, "--version"), capture_output=True, text=True, errors="replace", timeout=60, check=False
        )
        text = f"{answer.stdout}\n{answer.stderr}".strip()
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise ToolError(f"error {codes.TOOL_FAILED}: '{shlex.join(command)}' does not run: {fault}") from None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reported = next((line for line in lines if re.search(r"\d\.\d", line)), lines[0] if lines else "")
    return Compiler(command, family_of(text), reported)


def family_of(version_text: str) -> Family:
    """The family that a ``--version`` text tells of."""
    text = version_text.lower()
    for words, family in (
        (("gnu fortran", "gcc", "free software foundation"), "gnu"),
        (("cray",), "cray"),
        (("nvfortran", "nvc", "pgfortran", "pgi"), "nvidia"),
        (("ifx", "ifort", "intel"), "intel"),
        (("flang", "clang", "llvm"), "llvm"),
    ):
        if any(word in text for word in words):
            return family  # type: ignore[return-value]
    return "other"


def environment_flags(environment: Mapping[str, str], name: str) -> tuple[str, ...]:
    """The words of FFLAGS, CFLAGS or LDFLAGS, empty if it is not set.

    Raises ToolError if its quotes do not match.
    """
    try:
        return tuple(shlex.split(environment.get(name, "")))
    except ValueError as fault:
        raise ToolError(f"error {codes.WRONG_VALUE}: the environment variable {name}: {fault}") from None


def shown(command: Sequence[str]) -> str:
    """A command as the user would type it."""
    return shlex.join(command)


def default_jobs() -> int:
    """How many processes this one may keep busy: as ``HFPY_JOBS`` says, else one for each core.

    Raises UsageError if ``HFPY_JOBS`` is no such number.
    """
    asked = os.environ.get("HFPY_JOBS", "").strip()
    if asked:
        if not (asked.isascii() and asked.isdigit()) or int(asked) < 1:
            raise UsageError(f"HFPY_JOBS is '{asked}', which is no number of processes: set it to 1 or more")
        return int(asked)
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # not every system tells
        return max(1, os.cpu_count() or 1)

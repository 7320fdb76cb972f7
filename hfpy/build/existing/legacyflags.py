"""Flags that settings of existing projects hold for PGI's and Intel's compilers, in the words of GNU's (design §6)."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from hfpy.build.compile.compilers import Family
from hfpy.values import dataclass

# What a flag becomes; an empty tuple: the compiler does it anyway, or the build does, or it concerns what is not here.
_WHOLE: dict[str, tuple[str, ...]] = {
    "-r8": ("-fdefault-real-8", "-fdefault-double-8"),
    "-i8": ("-fdefault-integer-8",),
    "-fast": ("-O3",),
    "-fastsse": ("-O3",),
    "-O": ("-O2",),
    "-C": ("-fcheck=all",),
    "-Mbounds": ("-fcheck=bounds",),
    "-Mchkptr": ("-fcheck=pointer",),
    "-Mchkstk": (),
    "-traceback": ("-fbacktrace",),
    "-Mextend": ("-ffixed-line-length-132",),
    "-extend_source": ("-ffixed-line-length-132",),
    "-Mfree": ("-ffree-form",),
    "-Mfreeform": ("-ffree-form",),
    "-Mfixed": ("-ffixed-form",),
    "-byteswapio": ("-fconvert=swap",),
    "-Mbyteswapio": ("-fconvert=swap",),
    "-Mrecursive": ("-frecursive",),
    "-Msave": ("-fno-automatic",),
    "-Mprof": ("-pg",),
    "-Mnofma": ("-ffp-contract=off",),
    "-Mdclchk": ("-fimplicit-none",),
    "-Bstatic": ("-static-libgfortran",),
    "-Bstatic_pgi": ("-static-libgfortran",),
    "-Kieee": ("-ffp-contract=off",),
    "-Kpic": ("-fPIC",),
    "-fpic": ("-fPIC",),
    "-Mbackslash": (),
    "-Mnobackslash": ("-fbackslash",),
    "-xHost": ("-march=native",),
    "-ipo": (),
    "-no-prec-div": (),
    "-heap-arrays": (),
    "-fpp": (),
    "-cpp": (),
    "-mp": (),
    "-openmp": (),
    "-qopenmp": (),
    "-fopenmp": (),
    "-acc": (),
    "-Minfo": (),
    "-Mpreprocess": (),
    "-lacc": (),
    "-v": ("-v",),
    "-fpe0": ("-ffpe-trap=invalid,zero,overflow",),
    "-fpe:0": ("-ffpe-trap=invalid,zero,overflow",),
    "-fpe1": ("-ffpe-trap=invalid,zero,overflow",),
    "-fpe:1": ("-ffpe-trap=invalid,zero,overflow",),
    "-no-fma": ("-ffp-contract=off",),
    "-nofma": ("-ffp-contract=off",),
    "-132": ("-ffixed-line-length-132",),
    "-free": ("-ffree-form",),
    "-fixed": ("-ffixed-form",),
    "-save": ("-fno-automatic",),
    "-recursive": ("-frecursive",),
    "-u": ("-fimplicit-none",),
    "-nowarn": ("-w",),
    "-static-intel": ("-static-libgfortran",),
}
# Choices of a processor: -xHost is that of the machine. To gcc, -x is the language of what follows.
_PROCESSOR = re.compile(r"-a?x[A-Z]\w*(?:[.,_-]\w+)*")
_HYPHENS = ("\N{HYPHEN}", "\N{NON-BREAKING HYPHEN}", "\N{EN DASH}", "\N{EM DASH}", "\N{MINUS SIGN}")
_BEGINNINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("-Ktrap=", ("-ffpe-trap=invalid,zero,overflow",)),
    ("-fp-model", ()),
    ("-mp=", ()),
    ("-M", ()),
    ("-tp", ()),
    ("-ta=", ()),
    ("-gpu=", ()),
    ("-acc=", ()),
    ("-cuda", ()),
    ("-pc", ()),
    ("-K", ()),
    ("-Q", ()),
    ("-q", ()),
    ("-fpe", ()),
    ("-opt-", ()),  # gcc would take these for names of output files
    ("-openmp", ()),
    ("-pgf", ()),
    ("-pgc", ()),
)
# What GNU's compilers say of a flag that they do not know, and of a word that they take for a file.
_UNKNOWN = re.compile(
    r"unrecognized (?:command-line|command line|argument in) option '([^']+)'"
    r"|command[- ]line option '([^']+)' is valid for \S+ but not for C"
    r"|error: ([^\s:]+): (?:linker input file not found: )?No such file or directory"
)
_WITH_WORD: dict[str, dict[str, tuple[str, ...]]] = {
    "-convert": {"big_endian": ("-fconvert=big-endian",), "little_endian": ("-fconvert=little-endian",)},
    "-check": {"all": ("-fcheck=all",), "bounds": ("-fcheck=bounds",)},
    "-assume": {},
    "-real-size": {"64": ("-fdefault-real-8", "-fdefault-double-8")},
    "-real_size": {"64": ("-fdefault-real-8", "-fdefault-double-8")},
    "-integer-size": {"64": ("-fdefault-integer-8",)},
    "-integer_size": {"64": ("-fdefault-integer-8",)},
    "-debug": {},
    "-diag-disable": {},
    "-align": {},
    "-are": {},
    "-names": {},
    "-reentrancy": {},
    "-heap-arrays": {},
    "-fp-model": {},
    "-warn": {},
    "-module": {},
    "-tp": {},
    "-pc": {},
}


@dataclass(frozen=True)
class TranslatedFlags:
    """Flags for the compiler that is there; ``changed`` tells what became of each flag that is not as it was."""

    flags: tuple[str, ...]
    changed: tuple[tuple[str, str], ...]


def unknown_flags(
    words: Sequence[str], command: Sequence[str], language: str, environment: Mapping[str, str]
) -> list[str]:
    """Those of some flags that a compiler of GNU's, or one that tells of such flags as they do, says it does not know;
    with words after them that it then takes for files. The compiler is run, on an empty program.
    """
    left, unknown = list(words), []
    while left:
        run = [*command, *left, "-fsyntax-only", "-x", language, os.devnull]
        try:
            done = subprocess.run(
                run, capture_output=True, text=True, errors="replace", env={**environment, "LC_ALL": "C"}, check=False
            )
        except OSError:
            break
        named = _UNKNOWN.findall(done.stderr)
        new = [word for word in left if any(word in names for names in named)]
        if not new:
            break
        unknown += new
        left = [word for word in left if word not in new]
    return unknown


def translate_flags(words: Iterable[str], family: Family) -> TranslatedFlags:
    """Flags for PGI's or Intel's compilers as flags for a compiler of ``family``.

    For the compilers that know such flags themselves nothing changes, save that what the build adds by
    itself (preprocessing, OpenMP, module folders) is left out everywhere for GNU and LLVM.
    """
    if family not in ("gnu", "llvm"):
        return TranslatedFlags(tuple(words), ())
    flags: list[str] = []
    changed: dict[str, str] = {}
    pending = [_with_plain_hyphen(word) for word in words]
    while pending:
        word = pending.pop(0)
        if word in _WITH_WORD and pending and not pending[0].startswith("-"):
            value = pending.pop(0)
            new = _WITH_WORD[word].get(value, ())
            word = f"{word} {value}"
        else:
            new = _single(word)
        if new != (word,):
            changed[word] = " ".join(new)
        flags += [flag for flag in new if flag not in flags]
    return TranslatedFlags(tuple(flags), tuple(changed.items()))


def _with_plain_hyphen(word: str) -> str:
    """A flag as it was meant: text that went through a word processor has other hyphens."""
    return "-" + word[1:] if word[:1] in _HYPHENS else word


def _single(word: str) -> tuple[str, ...]:
    if word in _WHOLE:
        return _WHOLE[word]
    if _PROCESSOR.fullmatch(word):
        return ()
    for beginning, new in _BEGINNINGS:
        if word.startswith(beginning):
            return new
    return (word,)

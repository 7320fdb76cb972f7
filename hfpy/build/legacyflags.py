"""Flags that settings of existing projects hold for PGI's and Intel's compilers, in the words of GNU's (design §6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hfpy.build.compilers import Family

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
    "-Bstatic": ("-static",),
    "-Bstatic_pgi": ("-static",),
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
}
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
)
_WITH_WORD: dict[str, dict[str, tuple[str, ...]]] = {
    "-convert": {"big_endian": ("-fconvert=big-endian",), "little_endian": ("-fconvert=little-endian",)},
    "-check": {"all": ("-fcheck=all",), "bounds": ("-fcheck=bounds",)},
    "-assume": {},
    "-real-size": {"64": ("-fdefault-real-8", "-fdefault-double-8")},
    "-integer-size": {"64": ("-fdefault-integer-8",)},
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
    for beginning, new in _BEGINNINGS:
        if word.startswith(beginning):
            return new
    return (word,)

"""A compiler's command line taken apart: what it compiles, what it links, where it writes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from hfpy.suffixes import FORTRAN
from hfpy.values import dataclass

SUFFIXES = frozenset(suffix.lower() for suffix in FORTRAN)
# Options whose value is a word of its own, as gfortran, flang, ifx and nvfortran have them.
_WITH_VALUE = frozenset(
    "-o -I -J -D -U -L -l -x -include -isystem -idirafter -iquote -imacros -MF -MT -MQ -module -Xlinker -Xpreprocessor "
    "-u -T -z -arch -framework -target --param -module-dir -fmodule-file -aux-info -dumpbase -wrapper".split()
)
_ENDS_BEFORE = frozenset("-E -S -fsyntax-only --version -dumpversion -dumpmachine --help -###".split())


@dataclass(frozen=True)
class Command:
    """A compiler with its arguments, response files read. ``sources`` and ``linked`` are places among these."""

    compiler: tuple[str, ...]
    arguments: tuple[str, ...]
    sources: tuple[int, ...] = ()
    linked: tuple[int, ...] = ()
    output: str = ""
    compiles: bool = False  # -c: no linking
    ends_before: bool = False  # no object is made
    defined: frozenset[str] = frozenset()
    dependencies: str = ""  # the file that -MD, -MMD or -MF writes
    unfinished: bool = False  # the last word wants a value

    @property
    def links(self) -> bool:
        """Whether a program or a library is made."""
        return not self.compiles and not self.ends_before and bool(self.sources or self.linked)

    def object_of(self, source: str) -> str:
        """The object that a source becomes, as compilers name it."""
        return self.output if self.compiles and self.output else f"{Path(source).stem}.o"

    def with_argument(self, place: int, word: str) -> list[str]:
        """The whole command with another word at a place."""
        return [*self.compiler, *self.arguments[:place], word, *self.arguments[place + 1 :]]


def parsed(words: Sequence[str]) -> Command:
    """A command line taken apart: the compiler is all up to the first option, source or object."""
    expanded = tuple(_expanded(words))
    first = next((n for n, w in enumerate(expanded) if n and (w[:1] == "-" or _is_file(w))), len(expanded))
    compiler, arguments = expanded[:first], expanded[first:]
    sources: list[int] = []
    linked: list[int] = []
    defined: set[str] = set()
    output = dependencies = ""
    skip = False
    for place, word in enumerate(arguments):
        if skip:
            skip = False
            continue
        following = arguments[place + 1] if place + 1 < len(arguments) else ""
        skip = word in _WITH_VALUE
        if word == "-o":
            output = following
        elif word[:2] == "-o" and word[2:3] != "p":
            output = word[2:]
        elif word == "-D":
            defined.add(following)
        elif word[:2] == "-D":
            defined.add(word[2:])
        elif word == "-MF":
            dependencies = following
        elif word[:1] != "-" and Path(word).suffix.lower() in SUFFIXES:
            sources.append(place)
        elif word[:1] != "-" and Path(word).suffix in (".o", ".obj", ".a", ".lo"):
            linked.append(place)
    compiles = "-c" in arguments
    if {"-MD", "-MMD"} & set(arguments) and not dependencies and len(sources) == 1:
        dependencies = str(Path(output or f"{Path(arguments[sources[0]]).stem}.o").with_suffix(".d"))
    ends = bool(_ENDS_BEFORE & set(arguments))
    return Command(
        compiler,
        arguments,
        tuple(sources),
        tuple(linked),
        output,
        compiles,
        ends,
        frozenset(defined),
        dependencies,
        skip,
    )


def _is_file(word: str) -> bool:
    return Path(word).suffix.lower() in SUFFIXES or Path(word).suffix in (".o", ".a")


def _expanded(words: Sequence[str], depth: int = 0) -> Iterator[str]:
    """The words, those of response files (``@FILE``) in their places."""
    for word in words:
        if word[:1] == "@" and depth < 8 and Path(word[1:]).is_file():
            yield from _expanded(shlex.split(Path(word[1:]).read_text(encoding="utf-8")), depth + 1)
        else:
            yield word

"""What a translation leaves after for the next one, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from hfpy.diagnostics import Diagnostic
from hfpy.translation import Translation
from hfpy.values import dataclass


@dataclass(frozen=True)
class KeptForm:
    """A blocked form of a routine: a digest of its lines, and the files whose regions use it."""

    digest: str
    users: frozenset[str]


@dataclass(frozen=True)
class Part:
    """A procedure or main program that is in no other, with its internal procedures: the keys of its units, their
    kinds and names, its first and its last line (from 0), the module around it.
    """

    keys: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    first: int
    last: int
    host: str = ""

    @property
    def key(self) -> str:
        """The key of the outermost unit."""
        return self.keys[0]


@dataclass(frozen=True)
class Host:
    """A module or submodule: its key, the line it begins on, that of its ``contains`` (or of its last declaration), the
    lines of the statement that ends it (from 0).
    """

    key: str
    first: int
    behind: int
    end: int
    last: int


@dataclass(frozen=True)
class Parted:
    """A file that may be read in parts: its text, its modules and its procedures in the order of the text, and the keys
    of the procedures with directives, an empty one where some are elsewhere.
    """

    text: str
    hosts: tuple[Host, ...]
    parts: tuple[Part, ...]
    directed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Steps:
    """What is known of the steps of a translation. ``stages`` are the numbers of the facts after each step, by its
    name, and ``signatures`` those of all files in each. ``net`` tells which files ask for whose bodies, ``forms`` are
    the blocked forms of routines by file and name, ``openmp`` the files with OpenMP directives, ``whole`` is what was
    found for the program as a whole, ``text`` what was found in the texts by themselves, ``said`` what the optimiser
    alone says, ``mentioned`` the names of called subroutines that no file has and that are elsewhere, each with the
    path of a file where it does.

    Of files that may be read in parts, ``parted`` has these, ``units`` the signatures of all routines in each of the
    facts, ``among`` which parts, by their keys, ask for whose bodies.
    """

    signatures: tuple[Mapping[str, str], ...]
    stages: Mapping[str, int]
    net: Mapping[str, frozenset[str]] = field(default_factory=dict)
    forms: Mapping[tuple[str, str], KeptForm] = field(default_factory=dict)
    openmp: frozenset[str] = frozenset()
    whole: tuple[Diagnostic, ...] = ()
    text: tuple[Diagnostic, ...] = ()
    said: tuple[Diagnostic, ...] = ()
    mentioned: Mapping[str, str] = field(default_factory=dict)
    parted: Mapping[str, Parted] = field(default_factory=dict)
    units: tuple[Mapping[str, str], ...] = ()
    among: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Kept:
    """A translation under the ``key`` of all that it depends on, with the digests of the sources. Without ``steps`` it
    is of use only while nothing changes.
    """

    key: str
    digests: Mapping[str, str]
    translation: Translation
    steps: Steps | None = None

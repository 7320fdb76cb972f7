"""What a translation leaves behind for the next one, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hfpy.diagnostics import Diagnostic
from hfpy.translation import Translation


@dataclass(frozen=True)
class KeptForm:
    """A blocked form of a routine: a digest of its lines, and the files whose regions use it."""

    digest: str
    users: frozenset[str]


@dataclass(frozen=True)
class Steps:
    """What is known of the steps of a translation. ``stages`` are the numbers of the facts after each step, by its
    name, and ``signatures`` those of all files in each. ``net`` tells which files ask for whose bodies, ``forms`` are
    the blocked forms of routines by file and name, ``openmp`` the files with OpenMP directives, ``whole`` is what was
    found for the program as a whole.
    """

    signatures: tuple[Mapping[str, str], ...]
    stages: Mapping[str, int]
    net: Mapping[str, frozenset[str]] = field(default_factory=dict)
    forms: Mapping[tuple[str, str], KeptForm] = field(default_factory=dict)
    openmp: frozenset[str] = frozenset()
    whole: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Kept:
    """A translation under the ``key`` of all that it depends on, with the digests of the sources. Without ``steps`` it
    is of use only while nothing changes.
    """

    key: str
    digests: Mapping[str, str]
    translation: Translation
    steps: Steps | None = None

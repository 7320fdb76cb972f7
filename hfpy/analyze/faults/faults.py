"""Faults that otherwise the compiler or the linker finds: for ``hfpy check``, which runs neither."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.faults.mismatches import Mismatches
from hfpy.analyze.faults.sizetypes import size_types
from hfpy.analyze.faults.undeclared import Undeclared
from hfpy.analyze.language.gnu import EXTENSIONS
from hfpy.analyze.language.intrinsics import WITHOUT_USE
from hfpy.diagnostics import Diagnostic
from hfpy.options import Outside
from hfpy.parse.outside import missing_modules, missing_subroutines, unknown_subroutines

_INTRINSIC = WITHOUT_USE | EXTENSIONS


def faults(facts: Facts, effects: Effects, outside: Outside) -> tuple[Diagnostic, ...]:
    """All that is certain. Statements are looked at in the units that directives reach, which are those that are
    parsed in full; ``use`` and ``call`` in all files.
    """
    return (
        *missing_modules(facts.application, outside),
        *missing_subroutines(facts.application, outside, _INTRINSIC),
        *_in_statements(facts, effects, outside),
    )


def faults_of(
    facts: Facts, effects: Effects, outside: Outside, files: Collection[str], mentioned: Collection[str] = ()
) -> tuple[Diagnostic, ...] | None:
    """The faults in some files, by their paths, whose statements are there; None where that takes the text of all.
    ``mentioned`` are names of subroutines that other files are known to contain.
    """
    if unknown_subroutines(facts.application, outside, _INTRINSIC, mentioned):
        return None
    found = (*missing_modules(facts.application, outside), *_in_statements(facts, effects, outside))
    return tuple(d for d in found if d.place.file in files)


def _in_statements(facts: Facts, effects: Effects, outside: Outside) -> Iterator[Diagnostic]:
    mismatches = Mismatches(facts, effects, outside.kinds_known)
    yield from Undeclared(facts).found()
    yield from mismatches.found()
    yield from mismatches.written()
    yield from size_types(facts)

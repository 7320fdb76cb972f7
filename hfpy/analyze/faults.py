"""Faults that otherwise the compiler or the linker finds: for ``hfpy check``, which runs neither."""

from __future__ import annotations

from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.gnu import EXTENSIONS
from hfpy.analyze.intrinsics import INTRINSICS
from hfpy.analyze.mismatches import Mismatches
from hfpy.analyze.undeclared import Undeclared
from hfpy.diagnostics import Diagnostic
from hfpy.options import Outside
from hfpy.parse.outside import missing_modules, missing_subroutines


def faults(facts: Facts, effects: Effects, outside: Outside) -> tuple[Diagnostic, ...]:
    """All that is certain. Statements are looked at in the units that directives reach, which are those that are
    parsed in full; ``use`` and ``call`` in all files.
    """
    mismatches = Mismatches(facts, effects, outside.kinds_known)
    return (
        *missing_modules(facts.application, outside),
        *missing_subroutines(facts.application, outside, INTRINSICS | EXTENSIONS),
        *Undeclared(facts).found(),
        *mismatches.found(),
        *mismatches.written(),
    )

"""Which files have what the optimiser makes of branches: compilers need flags of their own for it."""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.model.expressions import Apply, Name, base_name
from hfpy.model.names import is_mask, is_own
from hfpy.model.statements import Assignment, Header, OneLine, Statement, flatten
from hfpy.model.units import Routine
from hfpy.transform.columns.common import LANE


def holds_selections(routines: Iterable[Routine]) -> bool:
    """Whether some routines have selections that the optimiser made of branches, or loops over blocks of columns."""
    return any(_made(s.action if isinstance(s, OneLine) else s) for r in routines for s in flatten(r.body))


def _made(statement: Statement) -> bool:
    match statement:
        case Header(var=var):
            return var == LANE
        case Assignment(value=Apply(base=Name(name="merge"), args=(first, _, mask))):
            return is_own(base_name(first) or "") and is_mask(base_name(mask) or "")
    return False

"""Input that goes on at a label: what it has set of arrays is on the host alone, as the copy after it is passed by."""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import ImpliedDo, Keyword, Range
from hfpy.model.statements import InputOutput


def set_at_label(statement: InputOutput, references: Iterable[Reference]) -> bool:
    """Whether some references of a statement may set elements that count where it goes on at a label. At the end of a
    file, or after an error, what the list sets is not defined (Fortran 2018, 12.11.3); but programs count what a text
    had, as in ``read (5, *, end=10) (x(i), i = 1, n)``. At the end of a record all is padded, and ``iostat=`` and
    ``size=`` have values in any case.
    """
    labels = {c.name for c in statement.control if isinstance(c, Keyword)}
    counted = "eor" in labels or ("end" in labels and _formatted(statement))
    for reference in references:
        if reference.role not in ("input", "write"):
            continue
        among = next((i for i in statement.items if i.start <= reference.node.start < i.end), None)
        if among is None or "eor" in labels:
            return True
        if counted and (isinstance(among, ImpliedDo) or not _is_element(reference)):
            return True
    return False


def _formatted(statement: InputOutput) -> bool:
    given = [c for c in statement.control if not isinstance(c, Keyword)]
    named = {c.name for c in statement.control if isinstance(c, Keyword)}
    return len(given) > 1 or "fmt" in named


def _is_element(reference: Reference) -> bool:
    indices = reference.indices
    return indices is not None and not any(isinstance(index, Range) for index in indices)

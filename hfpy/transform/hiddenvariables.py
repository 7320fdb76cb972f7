"""Constructs that give names of variables another meaning, as ``associate (dt => 0.5*dt)`` does.

Two things are refused: text for the device within such a construct that needs the variable, and an associate name whose
selector mentions a name that has another meaning in the construct.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hfpy.analyze.language.context import RENAMING
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.uses import Aliases, aliases_in
from hfpy.diagnostics import Diagnostic, Place, Related, error
from hfpy.model.expressions import Name, names_in
from hfpy.model.statements import Construct, Header, Node, constructs
from hfpy.model.units import Routine, Symbol
from hfpy.parse.text.called import named_for_device
from hfpy.transform.text.edits import Edit

_HINT = "give one of them another name, or put the region into a routine of its own"


def hidden_variables(scopes: Scopes, routine: Routine, edits: Iterable[Edit]) -> Iterator[Diagnostic]:
    """An error for each line of a routine where edits put such text. Names that mean nothing outside of the construct
    mean there what it says.
    """
    renaming = [c for c in constructs(routine.body) if c.kind in RENAMING]
    named = ((c, {n for n in _names(c) if scopes.variable(n, routine.key) is not None}) for c in renaming)
    around = [(construct, hidden) for construct, hidden in named if hidden]
    if not around:
        return
    for edit in edits:
        words: set[str] | None = None
        for construct, hidden in around:
            if not _holds(construct, edit):
                continue
            if words is None:
                words = named_for_device(edit.text)
            for name in sorted(hidden & words):
                message = f"'{name}' has another meaning in this '{construct.kind}', where text for the device needs it"
                meant = construct.header.line.place(routine.file)
                yield error("HF702", message, Place(routine.file, edit.line + 1, 1), _HINT, (Related(meant, "here"),))


def mixed_names(routine: Routine, edits: Sequence[Edit], regions: bool) -> Iterator[Diagnostic]:
    """An error for each associate name of a routine whose selector mentions a name that the same construct, or one in
    it, gives another meaning: in ``associate (a => b, c => a)`` hfpy would take ``c`` for a part of ``b``. That matters
    to ``edits`` in the construct, and it may matter to ``regions`` in other routines, which call this one or are called
    by it.
    """
    for construct in constructs(routine.body):
        if construct.kind in RENAMING and (regions or any(_holds(construct, edit) for edit in edits)):
            yield from _mixed(routine, routine.body, {})
            return


def _mixed(routine: Routine, nodes: tuple[Node, ...], around: Aliases) -> Iterator[Diagnostic]:
    """The errors in some nodes; ``around`` are the meanings of names in the constructs around them."""
    for node in nodes:
        if not isinstance(node, Construct):
            continue
        hidden = _names(node) if node.kind in RENAMING else set()
        inner = aliases_in(node, around)
        for name, meant in inner.items() if hidden else ():
            itself = {name} & hidden  # `associate (k => k + 1)` means the `k` around it
            for other in sorted(hidden & names_in(meant) - itself)[:1] if meant is not None else ():
                place = node.header.line.place(routine.file)
                message = f"'{name}' stands for '{other}', whose name has another meaning in this '{node.kind}'"
                yield error("HF702", message, place, "give one of them another name")
        for part in node.parts:
            yield from _mixed(routine, part.body, inner)


def _holds(construct: Construct, edit: Edit) -> bool:
    """Whether an edit is behind the header of a construct, and before its end."""
    end = construct.end.line.first if construct.end is not None else construct.header.line.last
    return construct.header.line.last < edit.line <= end


def _names(construct: Construct) -> set[str]:
    """The names to which a construct gives another meaning than they have around it."""
    if construct.kind == "block":
        return {s.name for s in construct.declarations if isinstance(s, Symbol)}
    header = construct.header
    if not isinstance(header, Header):
        return set()
    pairs = zip(header.names, header.exprs, strict=False)
    return {name for name, meant in pairs if not (isinstance(meant, Name) and meant.name == name)}

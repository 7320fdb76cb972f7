"""Arrays whose storage order is fixed by their declaration, by a second one, or by a call that shows no argument list.

Defined operators, defined assignment and final procedures get operands, not arguments. An interface body, or code that
hfpy does not see, expects the shape that is declared.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.order.exports import Exports
from hfpy.diagnostics import Place
from hfpy.model.expressions import Apply, ArrayConstructor, Expr, Keyword, Name, walk
from hfpy.model.statements import Assignment, Call, Specification
from hfpy.model.units import Routine

# An array, why it keeps its declared order, where, and whether code that hfpy does not see is the reason.
Fixed = tuple[DataObject, str, Place, bool]


_UNSEEN = "code that hfpy does not see"


def arrays_declared(facts: Facts) -> Iterator[tuple[DataObject, Place]]:
    """The arrays that units declare, each with the place of its name."""
    for key, routine in facts.application.routines.items():
        for name, symbol in routine.spec.symbols.items():
            data = facts.object(name, key)
            if data is not None and data.home == key and data.rank > 1:
                line = symbol.line
                yield data, line.place(routine.file, *symbol.name_span) if line is not None else routine.place()


def declared_orders(facts: Facts, by_macros: bool) -> Iterator[Fixed]:
    """The arrays whose declaration fixes their order. Users of storage-order macros (``by_macros``) expect arrays to go
    to other code as they lie in memory.
    """
    exports, listed = Exports(facts), facts.scopes.in_namelists
    for data, place in arrays_declared(facts):
        routine = facts.routine(data.home)
        if reason := _declared(data, routine, by_macros):
            yield data, reason, place, False
        elif data.identity in listed:
            yield data, "it is named in a namelist of another unit", place, False
        elif not by_macros and data.name in routine.dummies and exports.uses_dummies(routine):
            yield data, f"{_UNSEEN} may call '{routine.name}'", place, True
        elif not by_macros and exports.uses_variable(routine, data.name):
            yield data, f"{_UNSEEN} may use it", place, True


def _declared(data: DataObject, routine: Routine, by_macros: bool) -> str:
    """Why the declaration of an array fixes its order; empty if it does not."""
    symbol, name = data.symbol, data.name
    initial = symbol.initial.expr if "initialised" in symbol.attributes and symbol.initial is not None else None
    reasons = (
        (name in routine.spec.storage, "it is named in a data, common, equivalence or namelist statement"),
        (any(d.form == "star" for d in symbol.shape), "it has an assumed size"),
        (initial is not None and not _scalar_initial(initial), "it has an array of initial values"),
        (symbol.constant, "it is a named constant"),
        (bool(data.user_macro) and not by_macros, "its shape is a macro call"),
        (symbol.line is not None and bool(symbol.line.file), "it is declared in an included file"),
        (name == routine.result and routine.kind == "function", "it is a function result"),
        (routine.interoperable, "it belongs to an interoperable procedure"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def _scalar_initial(value: Expr) -> bool:
    return not any(isinstance(node, (ArrayConstructor, Apply)) for node in walk(value))


def fixed_orders(facts: Facts, by_macros: bool) -> Iterator[Fixed]:
    """The arrays of a program that keep their declared order for how procedures are called."""
    yield from _operands(facts)
    yield from _finalised(facts)
    yield from _described(facts)
    if not by_macros:
        yield from _handed_out(facts)
    yield from _entered(facts)


def _arrays(facts: Facts, key: str, names: tuple[str, ...]) -> Iterator[DataObject]:
    found = (facts.object(name, key) for name in names)
    yield from (data for data in found if data is not None and data.rank > 1)


def _dummies(facts: Facts, key: str, reason: str, unseen: bool = False) -> Iterator[Fixed]:
    routine = facts.application.routines.get(key)
    if routine is not None:
        yield from ((data, reason, routine.place(), unseen) for data in _arrays(facts, key, routine.dummies))


def _operands(facts: Facts) -> Iterator[Fixed]:
    """Operands of defined operators and assignments, and the dummies that they become."""
    for key, sites in facts.graph.indirect.items():
        for site in sites:
            if not site.callee or _has_arguments(site):
                continue
            routine = facts.routine(key)
            if site.hidden:
                yield from _dummies(
                    facts, site.callee, f"'{site.name}' may be called with arguments that hfpy does not see"
                )
                continue
            place = site.at.statement.line.place(routine.file, site.node.start, site.node.end)
            names = (n for n in map(_whole, site.args) if n)
            plain = tuple(p for n in names if (p := resolve_alias(n, site.at)[0]) is not None)
            reason = f"'{facts.routine(site.callee).name}' defines an operator or assignment that takes it"
            yield from ((data, reason, place, False) for data in _arrays(facts, key, plain))
            yield from _dummies(facts, site.callee, f"'{facts.routine(site.callee).name}' defines an operator")


def _has_arguments(site: CallSite) -> bool:
    """Whether a call shows its arguments, which then are references of their own."""
    statement = site.at.statement
    if isinstance(statement, Call) and site.node is statement.designator:
        return True
    return isinstance(site.node, Apply) and not (isinstance(statement, Assignment) and site.node is statement.target)


def _whole(arg: Expr) -> str:
    value = arg.value if isinstance(arg, Keyword) else arg
    base = value.base if isinstance(value, Apply) else value
    return base.name if isinstance(base, Name) else ""


def _finalised(facts: Facts) -> Iterator[Fixed]:
    """Arrays of derived types, where a final procedure takes arrays."""
    finals = [k for k in sorted(facts.graph.candidates.finals) if k in facts.application.routines]
    dummies = [fixed for key in finals for fixed in _dummies(facts, key, "it is the argument of a final procedure")]
    yield from dummies
    for key, routine in facts.application.routines.items() if dummies else ():
        names = tuple(s.name for s in routine.spec.symbols.values() if s.type.base in ("type", "class"))
        place = routine.place()
        yield from ((d, "a final procedure takes arrays", place, False) for d in _arrays(facts, key, names))


def _described(facts: Facts) -> Iterator[Fixed]:
    """Dummies with explicit sizes of procedures that may be called through an interface body, which repeats them."""
    routines = facts.application.routines
    bodies = {body for routine in routines.values() for i in routine.spec.interfaces for body in i.bodies}
    candidates = facts.graph.candidates
    called = {k for keys in candidates.bound.values() for k in keys} | candidates.taken
    others = bodies - {r.name for r in routines.values()}
    for key in sorted(routines):
        routine = facts.routine(key)
        if routine.name in bodies or (others and key in called):
            reason = f"an interface body may describe '{routine.name}'"
            yield from (f for f in _dummies(facts, key, reason) if _sized(f[0]))


def _sized(data: DataObject) -> bool:
    return not data.user_macro and any(d.form not in ("assumed", "deferred") for d in data.symbol.shape)


def _handed_out(facts: Facts) -> Iterator[Fixed]:
    """Dummies of procedures that are passed to code which hfpy does not see."""
    for key, sites in facts.graph.sites.items():
        for site in sites:
            if site.callee or facts.graph.candidates_at(key, site.at, site.node):
                continue
            for arg in site.args:
                for called in _procedure(facts, facts.routine(key), arg):
                    reason = f"'{site.name}', whose source hfpy does not have, may call '{facts.routine(called).name}'"
                    yield from _dummies(facts, called, reason, unseen=True)


def _entered(facts: Facts) -> Iterator[Fixed]:
    """All arrays of a routine with several entries: their dummies are not distinguished from local arrays."""
    for key, statements in facts.graph.statements.items():
        if any(isinstance(at.statement, Specification) and at.statement.kind == "entry" for at in statements):
            routine = facts.routine(key)
            reason = f"'{routine.name}' has several entries"
            names = tuple(routine.spec.symbols)
            yield from ((data, reason, routine.place(), False) for data in _arrays(facts, key, names))


def _procedure(facts: Facts, routine: Routine, arg: Expr) -> tuple[str, ...]:
    value = arg.value if isinstance(arg, Keyword) else arg
    if not isinstance(value, Name) or facts.scopes.variable(value.name, routine.key) is not None:
        return ()
    return tuple(k for k in facts.scopes.procedures(value.name, routine.key) if k in facts.application.routines)

"""Local arrays of kernels and device routines: on the thread's own stack where their size is a constant, else in a
workspace of all threads whose size the launcher works out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.facts import Facts
from hfpy.backends.c.body import Body, DeviceRoutines, Scratch
from hfpy.backends.c.expressions import Expressions
from hfpy.backends.c.values import CannotPrint, CVariable, c_name, c_type, extent, operand
from hfpy.backends.c.views import array_variable, scalar_of
from hfpy.model.expressions import Expr, Fragment, Keyword
from hfpy.model.kernel import Bounds
from hfpy.parse.expressions.fragments import ONE, expanded_dim


def constant_bounds(
    facts: Facts, data: DataObject, given: Sequence[tuple[Fragment, Fragment]] | None = None
) -> list[tuple[int, int]] | None:
    """The bounds of an array whose dimensions are all known numbers; None otherwise. ``given`` are its bounds where
    more is known of them than the declaration tells.
    """
    bounds = []
    for low, high in given if given is not None else bounds_of(facts, data):
        pair = [facts.domains.value(b, data.home) for b in (low, high)]
        if pair[0] is None or pair[1] is None:
            return None
        bounds.append((pair[0], pair[1]))
    return bounds


def bounds_of(facts: Facts, data: DataObject) -> list[tuple[Fragment, Fragment]]:
    """Lower and upper bound of each dimension of a local array. Raises CannotPrint where there is none."""
    result = []
    for dimension in data.used:
        dim = expanded_dim(dimension.extent, facts.application.macros_of(data.home))
        if dim.upper is None:
            raise CannotPrint(f"the array '{data.name}', whose size is not declared,")
        result.append((dim.lower or ONE, dim.upper))
    return result


def local_array(
    body: Body,
    data: DataObject,
    given: Sequence[tuple[Fragment, Fragment]] | None = None,
) -> tuple[CVariable, list[str]]:
    """A local array: variable and definition; ``given`` as in :func:`constant_bounds`. Raises CannotPrint where its
    size cannot be printed.
    """
    facts = body.facts
    scalar = scalar_of(body.kinds, data)
    constant = constant_bounds(facts, data, given)
    if constant is None:
        bounds = [(_size(body, low), _size(body, high)) for low, high in given or bounds_of(facts, data)]
        variable = array_variable(data, facts, scalar, bounds, room_name(body, data.name))
        return variable, body.dialect.taken(variable, data.name)
    storage = room_name(body, data.name)
    variable = array_variable(data, facts, scalar, [(str(a), str(b)) for a, b in constant], storage, "private")
    count = 1
    for low_bound, high_bound in constant:
        count *= max(high_bound - low_bound + 1, 0)
    return variable, [
        f"{c_type(scalar)} {storage}[{max(count, 1)}];",
        *body.dialect.view(variable, data.name, False, storage),
    ]


def room_name(body: Body, array: str) -> str:
    """The room of a local array with constant bounds; the array's own name is that of its view."""
    return body.names.name(f"{c_name(array)}_data", (array, "data"))


def _size(body: Body, bound: Fragment) -> str:
    return Expressions(body, body.key, None).print(bound.expr).text


def needs_space(device: DeviceRoutines, key: str) -> bool:
    """Whether a routine, or one that it calls, has local arrays of run-time size or needs room for array statements."""
    return any(own_arrays(device, unit) or device.scratch(unit) for unit in device.reached({key}))


def own_arrays(device: DeviceRoutines, key: str) -> list[DataObject]:
    """Local arrays of a device routine whose size is not a constant, but for pointers and allocatable ones."""
    facts = device.facts
    names = {r.name for r in facts.references.get(key, ())}
    objects = (facts.object(n, key) for n in sorted(names))
    return [
        d
        for d in objects
        if d is not None and d.local and d.rank and not (d.symbol.constant or d.symbol.dynamic)
        if constant_bounds(facts, d) is None
    ]


def elements_of(body: Body, arrays: Iterable[tuple[DataObject, Bounds | None]]) -> list[str]:
    """The elements that local arrays have in a thread's part of the workspace, as C text for the launcher. Their bounds
    are as in :func:`constant_bounds`.
    """
    texts = []
    for data, given in arrays:
        bounds = given or bounds_of(body.facts, data)
        texts.append(_elements(body, bounds))
    return texts


def _elements(body: Body, bounds: Iterable[tuple[Fragment, Fragment]]) -> str:
    """How many elements there are between bounds."""
    return " * ".join(f"hf_count({extent(_size(body, low), _size(body, high), '1')})" for low, high in bounds)


def scratch_elements(scratch: Sequence[Scratch]) -> list[str]:
    """The same for the room of a kernel's own array statements."""
    return [" * ".join(f"hf_count({e})" for e in made.extents) for made in scratch]


def _scratch_of_routine(body: Body, scratch: Sequence[Scratch]) -> list[str]:
    """The same for a device routine, whose arrays the host knows by their declarations."""
    texts = []
    for made in scratch:
        data = body.facts.object(made.name, body.key)
        assert data is not None
        bounds = [bounds_of(body.facts, data)[d] for d in made.dimensions]
        texts.append(_elements(body, bounds))
    return texts


def called_elements(body: Body, sites: list[CallSite]) -> list[str]:
    """The elements that each call takes, with what is called below it; ``body`` knows what the host knows about the
    caller.

    Raises CannotPrint where a size depends on what only the device knows.
    """
    texts = []
    for site in sites:
        if needs_space(body.device, site.callee):
            texts.append(_call_elements(body, site))
    return texts


def _call_elements(body: Body, site: CallSite) -> str:
    facts = body.facts
    inner = replace(body, key=site.callee, variables=_arguments(body, site), temporaries=[], prelude=[], scratch=[])
    own = elements_of(inner, ((data, None) for data in own_arrays(body.device, site.callee)))
    own += _scratch_of_routine(inner, body.device.scratch(site.callee))
    sites = [s for s in facts.graph.sites.get(site.callee, ()) if s.callee and facts.live(s.at, site.callee)]
    return total(own, called_elements(inner, sites))


def slot_of(body: Body, own: Iterable[DataObject], scratch: Iterable[Scratch], called: Iterable[str]) -> int:
    """The bytes that an element takes in a kernel's workspace: those of the largest type in it. With sizes of their own
    elements would lie where calls before had those of other threads, which may still need them.
    """
    called = list(called)
    arrays = [*own, *(data for key in called for data in own_arrays(body.device, key))]
    rooms = [*scratch, *(made for key in called for made in body.device.scratch(key))]
    return max([made.type.size for made in rooms] + [scalar_of(body.kinds, data).size for data in arrays])


def total(own: list[str], below: list[str]) -> str:
    """All of a routine's own arrays and the largest of what it calls, one call at a time."""
    parts = list(own)
    if below:
        parts.append(f"hf_max({', '.join(below)})" if len(below) > 1 else below[0])
    return " + ".join(parts) if parts else "0"


def _arguments(body: Body, site: CallSite) -> Mapping[str, CVariable]:
    """What the host knows about a routine's arguments: integers whose actuals it can print, bounds of arrays."""
    routine = body.facts.routine(site.callee)
    known: dict[str, CVariable] = {}
    printer = Expressions(body, body.key, site.at)
    for number, argument in enumerate(site.args):
        name = argument.name if isinstance(argument, Keyword) else routine.dummies[number]
        value = argument.value if isinstance(argument, Keyword) else argument
        data = body.facts.object(name, site.callee)
        if data is None or data.rank or data.symbol.type.base != "integer":
            continue
        try:
            shown = printer.print(value)
        except CannotPrint:
            continue
        known[name] = CVariable(f"({shown.text})", shown.type)
    for name, value in _arrays(body, site):
        try:
            inner = replace(body, key=site.callee, variables=dict(known))
            known[name] = _array_of(inner, site.callee, name, printer, value)
        except CannotPrint:
            continue
    return known


def _arrays(body: Body, site: CallSite) -> Iterator[tuple[str, Expr]]:
    """The array dummies of a call with their actual arguments."""
    dummies = body.facts.routine(site.callee).dummies
    for number, argument in enumerate(site.args):
        name = argument.name if isinstance(argument, Keyword) else dummies[number]
        data = body.facts.object(name, site.callee)
        if data is not None and data.rank:
            yield name, argument.value if isinstance(argument, Keyword) else argument


def _array_of(inner: Body, key: str, name: str, caller: Expressions, actual: Expr) -> CVariable:
    """The bounds of an array dummy: as declared, or those of the actual argument."""
    data = inner.facts.object(name, key)
    assert data is not None
    scalar = scalar_of(inner.kinds, data)
    forms = [data.symbol.shape[d.declared] if d.declared is not None else d.extent for d in data.used]
    if all(form.form == "explicit" for form in forms):
        bounds = [(_size(inner, low), _size(inner, high)) for low, high in bounds_of(inner.facts, data)]
        return array_variable(data, inner.facts, scalar, bounds)
    extents = caller.extents(actual)
    if len(extents) != data.rank or caller.rank(actual) != data.rank:
        raise CannotPrint(f"the shape of '{name}'")
    bounds = []
    for form, extent_of in zip(forms, extents, strict=True):
        low = _size(inner, form.lower or ONE)
        bounds.append((low, extent_of if low == "1" else f"{extent_of} + {operand(low)} - 1"))
    return array_variable(data, inner.facts, scalar, bounds)

"""One region as a CUDA Fortran kernel with its launcher.

Kernel and launcher are procedures of one module. The launcher gets what the region names: bounds, scalars, host
arrays, whose device memory it asks the runtime for (design §4, hybrid-fortran.md §9.3).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

from hfpy.analyze.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.flow import Flow
from hfpy.analyze.graph import CallSite
from hfpy.analyze.kinds import INTEGER, Scalar
from hfpy.analyze.known import known_values, values_here, with_values
from hfpy.analyze.sharing import RegionSharing
from hfpy.backends.base import render
from hfpy.backends.c.components import components
from hfpy.backends.c.device import scalar_of
from hfpy.backends.c.kernel import Kernel, KernelBuilder
from hfpy.backends.c.parameters import Parameter
from hfpy.backends.c.space import bounds_of
from hfpy.backends.c.statements import Unprintable
from hfpy.backends.c.values import CannotPrint
from hfpy.backends.fortran.constants import Constants, type_text
from hfpy.backends.fortran.device import FortranRoutines, identity_of, zero
from hfpy.backends.fortran.parameters import count, passed, shape, value_lines, wrapped
from hfpy.backends.fortran.spaces import add_space
from hfpy.backends.fortran.text import KernelText, Spelling, words
from hfpy.model.expressions import Fragment, names_in
from hfpy.model.names import cut
from hfpy.model.units import Symbol
from hfpy.parse.expressions import expression
from hfpy.parse.fragments import ONE, expanded
from hfpy.parse.nests import innermost_body, own_nest
from hfpy.transform.wrapping import wrap_line

_UPDATES = {
    "+": "{0} = {0} + {1}",
    "-": "{0} = {0} + {1}",
    "*": "{0} = {0} * {1}",
    ".and.": "{0} = {0} .and. {1}",
    ".or.": "{0} = {0} .or. {1}",
    ".eqv.": "{0} = {0} .eqv. {1}",
    ".neqv.": "{0} = {0} .neqv. {1}",
}


@dataclass(frozen=True)
class Domain:
    """One domain of a region: iterator, first and last point, step, number of points."""

    name: str
    first: str
    last: str
    step: str
    count: str


class FortranKernel:
    """Builds the kernel of one active region. ``block`` are the threads a block in x, y, z."""

    def __init__(self, device: FortranRoutines, sharing: RegionSharing, name: str, block: tuple[int, int, int]) -> None:
        self.routines = device
        self.device = device.device
        self.facts: Facts = device.facts
        self.sharing = sharing
        self.routine = sharing.routine
        self.key = sharing.key
        self.region = sharing.region
        self.name = name
        self.block = block
        self.flow: Flow = sharing.body.flow()
        self.known = known_values(self.facts, self.routine, sharing.body.construct, set(self.flow.written))
        self.parameters: dict[str, Parameter] = {}
        self.bounds: dict[str, tuple[tuple[str, str], ...]] = {}
        self.locals: list[str] = []
        self.start: list[str] = []
        self.epilogue: list[str] = []
        self.components: dict[str, str] = {}
        self.threaded: dict[str, bool] = {}
        self.ranks: dict[str, int] = {}
        self.given: dict[str, str] = {}
        self.imports: list[tuple[str, str, str]] = []
        self.globals: dict[tuple[str, str], str] = {}
        self.names: set[str] = set(self.region.iterators)

    def build(self) -> Kernel:
        """The kernel. Raises Unprintable."""
        line = self.region.line
        try:
            called = self._called()
            domains = self._domains()
            self._symbols(called)
            for key in called:
                for home, name in self.routines.globals(key):
                    self._global(home, name)
            for slot in dict.fromkeys(slot for key in called for slot in self.routines.spaces(key)):
                add_space(self, slot, called)
        except CannotPrint as problem:
            raise Unprintable(problem.what, line, 0, len(line.text), self.routine.file) from problem
        body = self._body()
        try:
            return self._assemble(domains, body, called)
        except CannotPrint as problem:
            raise Unprintable(problem.what, line, 0, len(line.text), self.routine.file) from problem

    # -- domains

    def _domains(self) -> list[Domain]:
        region = self.region
        strides = region.strides or (ONE,) * len(region.domains)
        result = []
        for name, start, end, step in zip(region.iterators, region.starts, region.ends, strides, strict=True):
            first = self._bound(f"{name}_first", start)
            last = self._bound(cut(f"{name}_last"), end)
            by = "1" if step == ONE else self._bound(f"{name}_step", step)
            result.append(Domain(name, first, last, by, count(first, last, by)))
        return result

    def _bound(self, name: str, bound: Fragment) -> str:
        plain = self.fixed(bound, self.key)
        return plain if plain is not None else self._value(name, INTEGER, bound.text)

    def _value(self, name: str, scalar: Scalar, actual: str) -> str:
        if name in self.names and name not in self.parameters:
            raise CannotPrint(f"the name '{name}', which hfpy needs,")
        self.parameters.setdefault(name, Parameter("value", name, name, scalar, actual))
        self.names.add(name)
        return name

    def fixed(self, bound: Fragment, home: str) -> str | None:
        """A bound as it stands, if made of constants and integers that nothing changes; None otherwise."""
        plain = expanded(bound, self.facts.application.macros_of(self.key))
        shown = with_values(plain, values_here(self.facts, self.known, self.key, home))
        value = self.device.kinds.value(shown.expr, home)
        if value is not None:
            return str(value)
        scopes = self.facts.scopes
        objects = []
        for name in sorted(shown.names):
            if home != self.key and scopes.variable(name, home) != scopes.variable(name, self.key):
                return None
            found = self.facts.object(name, self.key)
            if found is None or not self._fixed_integer(found):
                return None
            objects.append(found)
        for found in objects:
            if not found.symbol.constant:
                self._value(found.name, scalar_of(self.device.kinds, found), found.name)
        return shown.text

    def _fixed_integer(self, data: DataObject) -> bool:
        """Whether a scalar is an integer that nothing in this routine, or below it, changes."""
        symbol = data.symbol
        if data.rank or symbol.type.base != "integer" or "optional" in symbol.attributes:
            return False
        if symbol.constant or data.home == self.key:
            return symbol.constant or not self._changes(data.name)
        return ("module", symbol.name) not in self.device.effects.shared_writes(self.key)

    def _changes(self, name: str) -> bool:
        effects = self.device.effects
        return any(r.name == name and effects.of(r, self.key)[1] for r in self.facts.references[self.key])

    # -- symbols

    def _symbols(self, called: Iterable[str]) -> None:
        sharing = self.sharing.result
        if not sharing.complete:
            raise CannotPrint("a name that hfpy does not know")
        for reduction in self.region.reductions:
            self._reduction(reduction.name, reduction.op)
        flags = {n for a in sharing.flags for n in names_in(a.target)}
        mentioned = self.sharing.body.mentioned
        for name in sharing.shared:
            if name in mentioned and name not in self.region.iterators:
                self._shared(name, name in flags)
        for name in (*sharing.private, *sharing.heap):
            if name not in self.region.iterators:
                self._private(name)
        for name in sharing.firstprivate:
            self._copied(name, "before")
        for name in sharing.lastprivate:
            self._copied(name, "after")

    def _object(self, name: str) -> tuple[DataObject, Scalar]:
        data = self.facts.object(name, self.key)
        if data is None:
            raise CannotPrint(f"'{name}'")
        return data, scalar_of(self.device.kinds, data)

    def _shared(self, name: str, flag: bool) -> None:
        found = self.facts.scopes.variable(name, self.key)
        if found is not None and found.symbol.type.base in ("type", "class"):
            self._derived(name, found.symbol)
            return
        data, scalar = self._object(name)
        if data.symbol.constant:
            return
        optional = "optional" in data.symbol.attributes
        if optional:
            self.given[name] = cut(f"{name}_given")
            self.names.add(cut(f"{name}_given"))
        if data.rank:
            self._array(data, scalar, name, name)
        elif optional and (flag or name in self.flow.written):
            raise CannotPrint(f"a write of the optional argument '{name}'")
        elif optional:
            self.names.add(name)
            self.parameters[name] = Parameter("optional", name, name, scalar, name, optional=True)
        elif flag:
            self.names.add(name)
            self.parameters[name] = Parameter("result", name, name, scalar, name)
        elif name in self.flow.written:
            raise CannotPrint(f"a write of '{name}', which all points share")
        else:
            self._value(name, scalar, name)

    def _derived(self, name: str, symbol: Symbol) -> None:
        """Components of a derived type are parameters of their own, with bounds asked of them."""
        for parameters, chain, variable, _ in components(cast(KernelBuilder, self), name, symbol):
            for parameter in parameters:
                text = parameter.text.removesuffix("_data") if parameter.kind == "array" else parameter.text
                if text in self.names or self.facts.scopes.variable(text, self.key) is not None:
                    raise CannotPrint(f"'{chain}' beside a variable '{text}'")
                self.names.add(text)
                self.parameters[text] = replace(parameter, text=text)
            self.components[chain] = variable.text
            if variable.rank:
                self.bounds[variable.text] = tuple(zip(variable.lower, variable.upper, strict=True))

    def _private(self, name: str) -> None:
        data, scalar = self._object(name)
        self.names.add(name)
        if not data.rank:
            self.locals.append(f"{type_text(scalar)} :: {name}")
            return
        pairs = []
        constant = True
        for low, high in bounds_of(self.facts, data):
            values = [self.fixed(low, data.home), self.fixed(high, data.home)]
            if values[0] is None or values[1] is None:
                raise CannotPrint(f"the local array '{name}', whose size changes")
            constant = constant and all(v.lstrip("-").isdigit() for v in values if v)
            pairs.append((values[0], values[1]))
        if constant:
            self.locals.append(f"{type_text(scalar)} :: {name}({shape(pairs)})")
            return
        whole = self._whole(name)
        self.threaded[name] = not whole
        self.ranks[name] = data.rank
        threads = ("1", "hf_threads")
        self.bounds[name] = (*pairs, threads) if whole else (threads, *pairs)
        self.parameters[name] = Parameter("space", name, name, scalar, "", False)

    def _whole(self, name: str) -> bool:
        """Whether a local array, or a part of it, goes to a routine: its elements must lie together then."""
        return any(name in names_in(a) for s in self.sites() for a in s.args)

    def _copied(self, name: str, when: str) -> None:
        """A local whose value goes into the region, or whose last value is used after it."""
        data, scalar = self._object(name)
        if data.rank:
            raise CannotPrint(f"the local array '{name}', whose values go into the region or come out of it")
        text = f"{name}_{when}"
        self.names |= {name, text}
        self.locals.append(f"{type_text(scalar)} :: {name}")
        if when == "before":
            self.parameters[text] = Parameter("value", name, text, scalar, name)
            self.start.append(f"{name} = {text}")
            return
        self.parameters[text] = Parameter("result", name, text, scalar, name)
        self.epilogue.append(f"{text} = {name}")

    def _reduction(self, name: str, op: str) -> None:
        data, scalar = self._object(name)
        if data.rank:
            raise CannotPrint(f"the reduction of the array '{name}'")
        update = _UPDATES.get(op, f"{{0}} = {op}({{0}}, {{1}})")
        text = f"{name}_partial"
        self.names |= {name, text}
        self.parameters[text] = Parameter("reduction", name, text, scalar, name, operator=update)
        self.bounds[text] = (("1", "hf_threads"),)
        self.locals.append(f"{type_text(scalar)} :: {name}")
        self.start.append(f"{name} = {identity_of(op, scalar)}")

    # -- arrays

    def _array(self, data: DataObject, scalar: Scalar, actual: str, text: str) -> None:
        storage = self.facts.order(data).storage or tuple(range(data.rank))
        self.bounds[text] = tuple(self._array_bounds(data, d, storage, actual, text) for d in storage)
        const = data.name not in self.flow.written
        aliased = bool(data.symbol.attributes & {"pointer", "target"})
        both = not const and data.name in self.flow.read
        self.names.add(text)
        self.parameters[text] = Parameter(
            "array",
            data.name,
            text,
            scalar,
            actual,
            const,
            restrict=not aliased,
            updated=both,
            optional="optional" in data.symbol.attributes,
        )

    def _array_bounds(
        self, data: DataObject, dimension: int, storage: tuple[int, ...], actual: str, text: str
    ) -> tuple[str, str]:
        """Bounds of one dimension: from the declaration where its names keep their values, else asked of the array."""
        size = data.used[dimension]
        dim = size.extent
        form = data.symbol.shape[size.declared].form if size.declared is not None else "explicit"
        if form == "star":
            raise CannotPrint(f"the assumed-size array '{data.name}'")
        lower = self.fixed(dim.lower or ONE, data.home) if form == "explicit" else None
        upper = self.fixed(dim.upper, data.home) if form == "explicit" and dim.upper is not None else None
        place = storage.index(dimension) + 1
        if "optional" in data.symbol.attributes and (lower is None or upper is None):
            raise CannotPrint(f"the optional array '{data.name}', whose bounds its declaration does not tell")
        if lower is None:
            lower = self._value(cut(f"{text}_lower{place}"), INTEGER, f"lbound({actual}, {place})")
        if upper is None:
            upper = self._value(cut(f"{text}_upper{place}"), INTEGER, f"ubound({actual}, {place})")
        return lower, upper

    def _global(self, home: str, name: str) -> None:
        """A module variable that a routine called in the region names."""
        if (home, name) in self.globals:
            return
        found = self.facts.scopes.variable(name, self.key)
        here = found is not None and (found.home, found.symbol.name) == (home, name)
        if here and name in self.parameters:
            self.globals[(home, name)] = name
            return
        data = self.facts.object(name, home)
        assert data is not None
        owner = self.facts.routine(home)
        hidden = owner.spec.default_private and "public" not in data.symbol.attributes
        if self.routine.host != home and (owner.kind != "module" or hidden or name in owner.spec.private):
            raise CannotPrint(f"'{name}' of '{owner.name}', which a routine called here uses and which is private")
        local = name
        if not here:
            local = f"hf_{owner.name}_{name}"
            self.imports.append((owner.name, name, local))
        text = f"{name}_of_{owner.name}"
        scalar = scalar_of(self.device.kinds, data)
        self.globals[(home, name)] = text
        if data.rank:
            self._array(data, scalar, local, text)
        else:
            self._value(text, scalar, local)

    # -- texts

    def sites(self) -> list[CallSite]:
        """The calls in the region."""
        number = self.sharing.body.identity.number
        sites = self.facts.graph.sites[self.key]
        return [s for s in sites if s.callee and number in s.at.regions and self.facts.live(s.at, self.key)]

    def _callees(self) -> list[str]:
        return list(dict.fromkeys(s.callee for s in self.sites()))

    def _called(self) -> list[str]:
        return self.device.reached(set(self._callees()))

    def _body(self) -> KernelText:
        callees = self._callees()
        spelling = Spelling(
            self.routines.names(),
            self.routines.further(self.globals, self.bounds, callees),
            self.routines.optional(callees),
            self.given,
            self.components,
            self.threaded,
            self.ranks,
        )
        leave = "return"
        if self._looped or self.epilogue:
            leave = "exit hf_turn" if self.epilogue else "cycle hf_turns"
        text = KernelText(self.facts, self.routine, spelling, leave)
        if self.region.loops:
            inner = own_nest(self.sharing.body.construct.body, self.region.iterators)[-1]
            text.point = getattr(inner.header, "construct_name", "")
        text.block(innermost_body(self.sharing.body.construct, self.region), 2 + self._looped + bool(self.epilogue))
        return text

    @property
    def _looped(self) -> bool:
        """Whether each thread runs over many points (reductions)."""
        return bool(self.region.reductions)

    def _ordered(self) -> list[Parameter]:
        ranks = {"value": 0, "optional": 1, "result": 2, "reduction": 3, "space": 4, "array": 5}
        return sorted(self.parameters.values(), key=lambda p: ranks[p.kind])

    def _assemble(self, domains: list[Domain], body: KernelText, called: list[str]) -> Kernel:
        parameters = self._ordered()
        line = self.region.line
        mentioned = " ".join(
            [
                *(text for text, _ in body.lines),
                *(t for d in domains for t in (d.first, d.last, d.step)),
                *(f"{low} {high}" for pairs in self.bounds.values() for low, high in pairs),
                *self.locals,
            ]
        )
        for name in sorted(body.expanded - self.names):
            found = self.facts.scopes.variable(name, self.key)
            if found is not None and not found.symbol.constant:
                raise CannotPrint(f"'{name}', which only a macro names,")
        constants = Constants(self.facts, self.device.kinds, self.names)
        constants.of(mentioned, self.key)
        launch_constants = Constants(self.facts, self.device.kinds, self.names)
        launch_constants.of(" ".join(self._launch_words(domains)), self.key)
        values: dict[str, object] = {
            "place": f"{self.routine.file.rsplit('/', 1)[-1]}:{line.first + 1}",
            "routine": self.routine.name,
            "kind": self.routine.kind,
            "iterators": ", ".join(self.region.iterators),
            "name": self.name,
            "launcher": self.name.replace("hfk", "hfl", 1),
            "parameters": parameters,
            "names": [dummy for dummy, _ in passed(parameters)],
            "type": lambda p: type_text(p.type),
            "shape": lambda p: shape(self.bounds[p.text]),
            "extents": lambda p: ", ".join(self._extent(lo, hi) for lo, hi in self.bounds[p.text]),
            "colons": lambda p: ",".join(":" for _ in self.bounds[p.text]),
            "rank": lambda p: len(self.bounds[p.text]),
            "value_lines": list(value_lines(parameters, ("value",))),
            "kernel_value_lines": list(value_lines(parameters, ("value", "optional"))),
            "arguments": [actual for _, actual in passed(parameters)],
            "zero": lambda p: zero(p.type),
            "domains": domains,
            "looped": self._looped,
            "threads": self._looped or any(p.kind == "space" for p in parameters),
            "constants": constants.lines,
            "locals": self.locals,
            "start": self.start,
            "epilogue": self.epilogue,
            "block": self.block,
            "cut": cut,
            "launch_constants": launch_constants.lines,
        }
        head = [(t, line.first) for r in render("cuda_fortran/kernel_begin.j2", **values) for t in wrap_line(r)]
        tail = [(t, line.first) for r in render("cuda_fortran/kernel_end.j2", **values) for t in wrap_line(r)]
        launch = [(t, line.first) for r in render("cuda_fortran/launcher.j2", **values) for t in wrapped(r)]
        return Kernel(
            self.name,
            str(values["launcher"]),
            [*head, *body.lines, *tail],
            launch,
            tuple(p for p in parameters if p.kind != "space"),
            tuple(called),
            tuple(self.imports),
            tuple(p.actual for p in parameters if p.kind == "array"),
        )

    def _extent(self, lower: str, upper: str) -> str:
        """The extent of a dimension, for the launcher."""
        if lower == "1" and upper == "hf_threads":
            return upper
        return f"hf_extent({self._default(lower)}, {self._default(upper)})"

    def _default(self, text: str) -> str:
        """A bound as an integer of the default kind."""
        for name in names_in(expression(text)):
            data = self.facts.object(name, self.key)
            known = self.parameters[name].type if name in self.parameters else None
            if known is None and data is not None and data.symbol.constant:
                known = self.device.kinds.scalar(data.symbol.type, data.home)
            if known != INTEGER:
                return f"int({text})"
        return text

    def _launch_words(self, domains: list[Domain]) -> set[str]:
        texts = [d.count for d in domains]
        texts += [f"{low} {high}" for pairs in self.bounds.values() for low, high in pairs]
        return words(" ".join(texts))

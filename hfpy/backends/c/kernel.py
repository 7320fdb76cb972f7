"""One region as a CUDA C kernel: its parameters, its text, its launcher, and the call that takes its place in Fortran.

The parameters are what the region names and no more: bounds, scalars by value, scalars that it gives back, arrays.
Host arrays stay the handles; the launcher looks up their device memory (design §4, hybrid-fortran.md §9.3).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from hfpy.analyze.context import Located
from hfpy.analyze.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.flow import Flow
from hfpy.analyze.kinds import INTEGER, Scalar
from hfpy.analyze.known import known_values, values_here, with_values
from hfpy.analyze.sharing import RegionSharing
from hfpy.backends.base import render
from hfpy.backends.c.body import Body
from hfpy.backends.c.components import components
from hfpy.backends.c.device import DeviceRoutines, Lines, array_variable, scalar_of, view_line
from hfpy.backends.c.expressions import Expressions, extent, operand
from hfpy.backends.c.parameters import Parameter, in_order, kernel_parameter, launch_parameter
from hfpy.backends.c.space import (
    bytes_of,
    called_bytes,
    constant_bounds,
    local_array,
    needs_space,
    scratch_bytes,
    total,
)
from hfpy.backends.c.statements import Statements, Unprintable
from hfpy.backends.c.teams import not_by_teams, shared_by_team, team_block
from hfpy.backends.c.values import CannotPrint, CVariable, c_name, c_type
from hfpy.model.expressions import Fragment, names_in
from hfpy.model.statements import Header
from hfpy.model.units import Symbol
from hfpy.parse.fragments import ONE, expanded
from hfpy.parse.nests import innermost_body, own_nest

_OPERATORS = {
    "+": "hf_sum",
    "-": "hf_sum",
    "*": "hf_product",
    "max": "hf_maximum",
    "min": "hf_minimum",
    "iand": "hf_iand",
    "ior": "hf_ior",
    "ieor": "hf_ieor",
    ".and.": "hf_and",
    ".or.": "hf_or",
    ".eqv.": "hf_eqv",
    ".neqv.": "hf_neqv",
}


@dataclass(frozen=True)
class Domain:
    """One domain of a region as the kernel sees it."""

    name: str
    first: str
    last: str
    step: str
    count: str


@dataclass(frozen=True)
class Kernel:
    """A kernel's texts: C lines of kernel and launcher, and what the Fortran side needs.

    ``imports`` are module variables that the Fortran routine has to import for the call: module, name there, local
    name.
    """

    name: str
    launcher: str
    lines: Lines
    launch: Lines
    parameters: tuple[Parameter, ...]
    device: tuple[str, ...]
    imports: tuple[tuple[str, str, str], ...] = ()
    arrays: tuple[str, ...] = field(default=())


class KernelBuilder:
    """Builds the kernel of one active region. ``block`` are the names of the block-size macros with their values."""

    def __init__(self, device: DeviceRoutines, sharing: RegionSharing, name: str, block: tuple[int, int, int]) -> None:
        self.device = device
        self.facts: Facts = device.facts
        self.sharing = sharing
        self.routine = sharing.routine
        self.key = sharing.key
        self.region = sharing.region
        self.name = name
        self.team = dict(self.region.factors("team"))
        self.block = team_block(self.team) or block
        self.flow: Flow = sharing.body.flow()
        self.known = known_values(self.facts, self.routine, sharing.body.construct, set(self.flow.written))
        self.parameters: dict[str, Parameter] = {}
        self.definitions: list[str] = []
        self.prologue: list[str] = []
        self.epilogue: list[str] = []
        self.variables: dict[str, CVariable] = {}
        self.globals: dict[tuple[str, str], CVariable] = {}
        self.imports: list[tuple[str, str, str]] = []
        self.spacious: list[DataObject] = []
        self.space = ""
        self.body = Body(self.facts, device.effects, device.kinds, self.key, device, self.variables, self.globals)

    def build(self) -> Kernel:
        """The kernel. Raises Unprintable."""
        line = self.region.line
        try:
            domains = self._domains()
            self._symbols()
            called = self._called()
            for key in called:
                for found in self.device.globals(key):
                    self._global(found.home, found.symbol.name)
            statements = self._statements()
            self._find_space(called)
        except CannotPrint as problem:
            raise Unprintable(problem.what, line, 0, len(line.text), self.routine.file) from problem
        return self._assemble(domains, statements, called)

    # -- domains

    def _domains(self) -> list[Domain]:
        region = self.region
        strides = region.strides or (ONE,) * len(region.domains)
        result = []
        for name, start, end, step in zip(region.iterators, region.starts, region.ends, strides, strict=True):
            text = c_name(name)
            self.variables[name] = CVariable(text, INTEGER)
            first = self._bound(f"{text}_first", start)
            last = self._bound(f"{text}_last", end)
            by = "1" if step == ONE else self._bound(f"{text}_step", step)
            result.append(Domain(text, first, last, by, extent(first, last, by)))
        return result

    def _bound(self, name: str, bound: Fragment) -> str:
        """A bound as C text: made of constants and integers that nothing changes, or else evaluated by the host."""
        plain = self._fixed(bound, self.key)
        if plain is not None:
            return plain
        return self._value(name, name, INTEGER, bound.text)

    def _value(self, slot: str, name: str, scalar: Scalar, actual: str) -> str:
        self.parameters.setdefault(slot, Parameter("value", name, name, scalar, actual))
        return name

    # -- symbols

    def _symbols(self) -> None:
        sharing = self.sharing.result
        if not sharing.complete:
            raise CannotPrint("a name that hfpy does not know")
        reductions = {r.name: r.op for r in self.region.reductions}
        for name, op in reductions.items():
            self._reduction(name, op)
        flags = {n for a in sharing.flags for n in names_in(a.target)}
        mentioned = self.sharing.body.mentioned
        for name in sharing.shared:
            if name in mentioned:
                self._shared(name, name in flags)
        for name in (*sharing.private, *sharing.heap):
            self._private(name)
        for name in sharing.firstprivate:
            self._firstprivate(name)
        for name in sharing.lastprivate:
            self._lastprivate(name)

    def _object(self, name: str) -> tuple[DataObject, Scalar]:
        data = self.facts.object(name, self.key)
        if data is None:
            raise CannotPrint(f"'{name}'")
        return data, scalar_of(self.device.kinds, data)

    def _shared(self, name: str, flag: bool) -> None:
        symbol = self._symbol(name)
        if symbol is not None and symbol.type.base in ("type", "class"):
            for parameters, chain, variable, definitions in components(self, name, symbol):
                self.parameters.update({p.text: p for p in parameters})
                self.variables[chain] = variable
                self.definitions += definitions
            return
        data, scalar = self._object(name)
        optional = "optional" in data.symbol.attributes
        if data.rank:
            self._array(data, scalar)
        elif optional and (flag or name in self.flow.written):
            raise CannotPrint(f"a write of the optional argument '{name}'")
        elif optional:
            text = c_name(name)
            self.parameters[name] = Parameter("optional", name, text, scalar, name)
            self.variables[name] = CVariable(f"{text}.value", scalar, present=f"{text}.present")
        elif flag:
            text = c_name(name)
            self.variables[name] = CVariable(f"(*{text})", scalar)
            self.parameters[name] = Parameter("result", name, text, scalar, name)
        elif name in self.flow.written:
            raise CannotPrint(f"a write of '{name}', which all points share")
        else:
            self.variables[name] = CVariable(c_name(name), scalar)
            self._value(name, c_name(name), scalar, name)

    def _symbol(self, name: str) -> Symbol | None:
        found = self.facts.scopes.variable(name, self.key)
        return found.symbol if found is not None else None

    def _private(self, name: str) -> None:
        data, scalar = self._object(name)
        if data.rank:
            variable, lines = local_array(self.body, data)
            if constant_bounds(self.facts, data) is None:
                self.spacious.append(data)
            self.variables[name] = variable
            self.definitions += shared_by_team(variable, lines) if self.team else lines
            return
        self.variables[name] = CVariable(c_name(name), scalar)
        self.definitions.append(f"{c_type(scalar)} {c_name(name)};")

    def _firstprivate(self, name: str) -> None:
        data, scalar = self._object(name)
        text = c_name(name)
        if data.rank:
            before = self._array(data, scalar, name, f"{text}_before", const=True)
            self._private(name)
            self.prologue.append(f"hf_copy({text}, {before.text});")
            return
        self._value(name, f"{text}_before", scalar, name)
        self.variables[name] = CVariable(text, scalar)
        self.definitions.append(f"{c_type(scalar)} {text};")
        self.prologue.append(f"{text} = {text}_before;")

    def _lastprivate(self, name: str) -> None:
        data, scalar = self._object(name)
        if data.rank:
            raise CannotPrint(f"the array '{name}', whose last value is used after the region")
        text = c_name(name)
        self.parameters[name] = Parameter("result", name, f"{text}_after", scalar, name)
        self.variables[name] = CVariable(text, scalar)
        self.definitions.append(f"{c_type(scalar)} {text};")
        self.epilogue.append(f"*{text}_after = {text};")

    def _reduction(self, name: str, op: str) -> None:
        data, scalar = self._object(name)
        if data.rank or op not in _OPERATORS:
            raise CannotPrint(f"the reduction of '{name}' by {op}")
        text = c_name(name)
        self.parameters[name] = Parameter("reduction", name, f"{text}_partial", scalar, name, operator=_OPERATORS[op])
        self.variables[name] = CVariable(text, scalar)
        self.definitions.append(f"{c_type(scalar)} {text} = {_OPERATORS[op]}::identity<{c_type(scalar)}>();")

    def _find_space(self, called: list[str]) -> None:
        """The bytes a thread needs in the workspace, worked out from what the launcher is given."""
        scratch = self.body.scratch
        if not self.spacious and not scratch and not any(needs_space(self.device, key) for key in called):
            return
        self.definitions += [made.definition for made in scratch]
        given = {p.text for p in self.parameters.values() if p.kind == "value"}
        known = {n: v for n, v in self.variables.items() if v.text in given}
        host = replace(self.body, variables=known)
        number = self.sharing.body.identity.number
        sites = [
            s
            for s in self.facts.graph.sites[self.key]
            if s.callee and number in s.at.regions and self.facts.live(s.at, self.key)
        ]
        own = [*bytes_of(host, self.spacious), *scratch_bytes(scratch)]
        self.space = total(own, called_bytes(host, sites))

    # -- arrays

    def _array(
        self, data: DataObject, scalar: Scalar, actual: str = "", text: str = "", const: bool | None = None
    ) -> CVariable:
        """An array on the device as a parameter. ``actual`` is its Fortran name if it is not the routine's own
        variable in the kernel, ``text`` its C name, ``const`` whether it is only read if the data flow does not tell.
        """
        text = text or c_name(data.name)
        bounds = [self._array_bounds(data, d, actual or data.name, text) for d in range(data.rank)]
        variable = array_variable(data, self.facts, scalar, bounds)
        variable = CVariable(text, scalar, variable.lower, variable.upper, variable.storage)
        count = " * ".join(["1LL"] + [operand(extent(low, high, "1")) for low, high in bounds])
        const = data.name not in self.flow.written if const is None else const
        aliased = bool(data.symbol.attributes & {"pointer", "target"})
        optional = "optional" in data.symbol.attributes
        self.parameters[text] = Parameter(
            "array",
            data.name,
            f"{text}_data",
            scalar,
            actual or data.name,
            const,
            count,
            restrict=not aliased,
            optional=optional,
            updated=not const and data.name in self.flow.read,
        )
        self.definitions.append(view_line(variable, data.name, const, f"{text}_data"))
        if optional:
            variable = replace(variable, present=f"({text}_data != nullptr)")
        if not actual:
            self.variables[data.name] = variable
        return variable

    def _array_bounds(self, data: DataObject, dimension: int, actual: str, text: str) -> tuple[str, str]:
        """Bounds of one dimension: from the declaration where its names keep their values, else asked of the array."""
        size = data.used[dimension]
        dim = size.extent
        form = data.symbol.shape[size.declared].form if size.declared is not None else "explicit"
        storage = self.facts.order(data).storage or tuple(range(data.rank))
        place = storage.index(dimension) + 1
        if form == "star":
            raise CannotPrint(f"the assumed-size array '{data.name}'")
        lower = self._fixed(dim.lower or ONE, data.home) if form == "explicit" else None
        upper = self._fixed(dim.upper, data.home) if form == "explicit" and dim.upper is not None else None
        if "optional" in data.symbol.attributes and (lower is None or upper is None):
            raise CannotPrint(f"the optional array '{data.name}', whose bounds its declaration does not tell")
        if lower is None:
            lower = self._value(f"{text}%l{place}", f"{text}_lower{place}", INTEGER, f"lbound({actual}, {place})")
        if upper is None:
            upper = self._value(f"{text}%u{place}", f"{text}_upper{place}", INTEGER, f"ubound({actual}, {place})")
        return lower, upper

    def _fixed(self, bound: Fragment, home: str) -> str | None:
        """A bound printed from its names: named constants, and integers of this routine that nothing changes.

        ``home`` is the unit whose names it means. None where something else stands in it.
        """
        plain = expanded(bound, self.facts.application.macros_of(self.key))
        tree = with_values(plain, values_here(self.facts, self.known, self.key, home)).expr
        value = self.device.kinds.value(tree, home)
        if value is not None:
            return str(value)
        names = names_in(tree)
        scopes = self.facts.scopes
        if home != self.key and any(scopes.variable(n, home) != scopes.variable(n, self.key) for n in names):
            return None
        for name in names:
            found = self.facts.object(name, self.key)
            if found is None or not self._fixed_integer(found):
                return None
        for name in names:
            found = self.facts.object(name, self.key)
            assert found is not None
            if not found.symbol.constant and name not in self.variables:
                scalar = scalar_of(self.device.kinds, found)
                self.variables[name] = CVariable(c_name(name), scalar)
                self._value(name, c_name(name), scalar, name)
        try:
            return Expressions(self.body, self.key, None).print(tree).text
        except CannotPrint:
            return None

    def _fixed_integer(self, data: DataObject) -> bool:
        """Whether a scalar is an integer that nothing in this routine, or below it, changes."""
        if data.rank or data.symbol.type.base != "integer" or "optional" in data.symbol.attributes:
            return False
        if data.symbol.constant or data.home == self.key:
            return data.symbol.constant or not self._changes(data.name)
        return ("module", data.symbol.name) not in self.device.effects.shared_writes(self.key)

    def _changes(self, name: str) -> bool:
        return name in self.device.changed(self.key)

    def _global(self, home: str, name: str) -> None:
        """A module variable that only a routine called in the region names."""
        if (home, name) in self.globals:
            return
        own = next(
            (
                n
                for n in self.variables
                if (f := self.facts.scopes.variable(n, self.key)) and (f.home, f.symbol.name) == (home, name)
            ),
            None,
        )
        if own is not None:
            self.globals[(home, name)] = self.variables[own]
            return
        data = self.facts.object(name, home)
        assert data is not None
        owner = self.facts.routine(home)
        hidden = owner.spec.default_private and "public" not in data.symbol.attributes
        if self.routine.host != home and (owner.kind != "module" or hidden or name in owner.spec.private):
            raise CannotPrint(f"'{name}' of '{owner.name}', which a routine called here uses and which is private")
        local = self._imported(home, name)
        text = f"{c_name(name)}_of_{owner.name}"
        scalar = scalar_of(self.device.kinds, data)
        if data.rank:
            self.globals[(home, name)] = self._array(data, scalar, local, text)
            return
        self.globals[(home, name)] = CVariable(text, scalar)
        self._value(text, text, scalar, local)

    def _imported(self, home: str, name: str) -> str:
        """The name under which the Fortran routine reaches a module variable."""
        found = self.facts.scopes.variable(name, self.key)
        if found is not None and (found.home, found.symbol.name) == (home, name):
            return name
        owner = self.facts.routine(home)
        local = f"hf_{owner.name}_{name}"
        self.imports.append((owner.name, name, local))
        return local

    def _launch_constants(self, domains: list[Domain]) -> list[str]:
        """The definitions of the named constants in what the launcher works out, in their order."""
        wanted = " ".join([self.space, *(p.count for p in self.parameters.values()), *(d.count for d in domains)])
        kept: list[str] = []
        for variable, lines in reversed(self.body.constants.values()):
            if re.search(rf"\b{variable.text}\b", wanted):
                kept = [*lines, *kept]
                wanted += " ".join(lines)
        return kept

    # -- texts

    def _called(self) -> list[str]:
        number = self.sharing.body.identity.number
        keys = {
            s.callee
            for s in self.facts.graph.sites[self.key]
            if s.callee and number in s.at.regions and self.facts.live(s.at, self.key)
        }
        return self.device.reached(keys)

    def _statements(self) -> Statements:
        located: dict[int, Located] = {id(at.statement): at for at in self.facts.graph.statements[self.key]}
        leave = "goto hf_next_point;" if self.epilogue or self._looped or self.team else "return;"
        loops = own_nest(self.sharing.body.construct.body, self.region.iterators) if self.region.loops else []
        innermost = loops[-1].header if loops else None
        own_loop = innermost.construct_name if isinstance(innermost, Header) else None
        statements = Statements(self.body, self.routine.file, located, leave, own_loop, self.team)
        nodes = innermost_body(self.sharing.body.construct, self.region)
        statements.block(nodes, 2 if self._looped else 1)
        return statements

    @property
    def _looped(self) -> bool:
        """Whether each thread runs over many points (reductions)."""
        return bool(self.region.reductions)

    def _assemble(self, domains: list[Domain], statements: Statements, called: list[str]) -> Kernel:
        parameters = in_order(self.parameters.values())
        line = self.region.line
        place = f"{self.routine.file.rsplit('/', 1)[-1]}:{line.first + 1}"
        jumped = any("hf_next_point" in text for text, _ in statements.lines)
        values: dict[str, object] = {
            "place": place,
            "routine": self.routine.name,
            "kind": self.routine.kind,
            "iterators": ", ".join(self.region.iterators),
            "name": self.name,
            "launcher": self.name.replace("hfk", "hfl", 1),
            "parameters": parameters,
            "kernel_parameters": [kernel_parameter(p) for p in parameters],
            "launch_parameters": [launch_parameter(p) for p in parameters],
            "ctype": lambda p: c_type(p.type),
            "domains": domains,
            "looped": self._looped,
            "constants": self.body.constant_lines(),
            "definitions": self.definitions,
            "temporaries": self.body.temporaries,
            "prologue": self.prologue,
            "epilogue": self.epilogue,
            "jumped": jumped,
            "block": self.block,
            "space": self.space,
            "launch_constants": self._launch_constants(domains),
            "team": self.team,
        }
        what = not_by_teams(self.block, self._looped, bool(self.epilogue), jumped, bool(self.space))
        if self.team and what:
            raise Unprintable(what, line, 0, len(line.text), self.routine.file)
        kind = "team" if self.team else "kernel"
        head = [(text, line.first) for text in render(f"cuda_c/{kind}_begin.j2", **values)]
        tail = [(text, line.first) for text in render(f"cuda_c/{kind}_end.j2", **values)]
        launch = [(text, line.first) for text in render("cuda_c/launcher.j2", **values)]
        return Kernel(
            self.name,
            str(values["launcher"]),
            [*head, *statements.lines, *tail],
            launch,
            tuple(parameters),
            tuple(called),
            tuple(self.imports),
            tuple(p.actual for p in parameters if p.kind == "array"),
        )

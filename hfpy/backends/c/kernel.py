"""A region's kernel and launcher as CUDA C.

Host arrays stay the handles; the launcher looks up their device memory (design §4, hybrid-fortran.md §9.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.sizes import constant
from hfpy.analyze.regions.sharing import RegionSharing
from hfpy.backends.base import Kernel, render
from hfpy.backends.c.around import Around, around_points
from hfpy.backends.c.body import Body
from hfpy.backends.c.device import DeviceRoutines
from hfpy.backends.c.dialect import CUDA, Dialect, Reduced
from hfpy.backends.c.expressions import Expressions
from hfpy.backends.c.parameters import c_parameter, data_name, distances_name, scope_of
from hfpy.backends.c.space import (
    called_elements,
    constant_bounds,
    elements_of,
    local_array,
    needs_space,
    room_name,
    scratch_elements,
    slot_of,
    total,
)
from hfpy.backends.c.statements import Statements
from hfpy.backends.c.teams import not_by_teams, shared_by_team, team_block
from hfpy.backends.c.values import (
    CannotPrint,
    CVariable,
    Problem,
    Refusals,
    Unprintable,
    c_name,
    c_type,
    extent,
    operand,
    refused_at,
)
from hfpy.backends.chains import mentioned_at
from hfpy.backends.kernelspec import sites_of
from hfpy.model.expressions import Fragment
from hfpy.model.kernel import Bounds, KernelSpec, Local, Parameter, Range, Slot
from hfpy.model.statements import Header
from hfpy.parse.statements.nests import innermost_body, own_nest
from hfpy.values import dataclass

# Threads of a block where each runs over many points: hf_reduction_grid and hf_walking_grid of hfpy_grid.hpp.
REDUCING, WALKING = (128, 1, 1), (64, 1, 1)

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
    """One domain of a region as C text; ``type`` is that of the iterator, ``divisor`` the number of points where
    something is divided by it, ``way`` the sign of the step (0: not known).
    """

    name: str
    type: str
    first: str
    last: str
    step: str
    count: str
    divisor: str
    way: int

    @property
    def outside(self) -> str:
        """Whether the iterator is after the last point."""
        return self._behind(self.name)

    @property
    def inside(self) -> str:
        """Whether the iterator is not after the last point."""
        signs = {1: "<=", -1: ">="}
        return f"{self.name} {signs[self.way]} {self.last}" if self.way else f"!{self.outside}"

    @property
    def at_end(self) -> str:
        """Whether the iterator is at the last point."""
        return f"{self.name} == {self.last}" if self.step == "1" else self._behind(f"{self.name} + {self.step}")

    def _behind(self, place: str) -> str:
        if not self.way:
            return f"({self.step} > 0 ? {place} > {self.last} : {place} < {self.last})"
        return f"{place} {'>' if self.way > 0 else '<'} {self.last}"


@dataclass(frozen=True)
class View:
    """The view of an array that a kernel gets: what it is called in messages, whether it is only read, its memory, and
    the name of the distances between its elements where these may have gaps.
    """

    array: CVariable
    name: str
    const: bool
    data: str
    apart: str = ""

    def lines(self, dialect: Dialect, around: Around | None = None) -> list[str]:
        """Its definition, perhaps from a point on."""
        point = around.point if around else ()
        return dialect.parameter_view(self.array, self.name, self.const, self.data, point, self.apart)


class CKernel:
    """Prints one kernel, in a dialect and by the templates in a folder. ``refusals`` has what the signature refused;
    ``walking`` asks for threads that run over many points each.
    """

    def __init__(
        self,
        device: DeviceRoutines,
        sharing: RegionSharing,
        spec: KernelSpec,
        refusals: Refusals,
        dialect: Dialect = CUDA,
        templates: str = "cuda_c",
        walking: bool = False,
    ) -> None:
        self.device = device
        self.dialect = dialect
        self.templates = templates
        self.walking = walking
        self.facts = device.facts
        self.sharing = sharing
        self.spec = spec
        self.routine = sharing.routine
        self.key = sharing.key
        self.definitions: list[str] = []
        self.prologue: list[str] = []
        self.epilogue: list[str] = []
        self.scope = scope_of(spec)
        self.views: dict[str, View] = {}
        self.wide: list[str] = []
        self.reduced: list[Reduced] = []
        self.spacious: list[tuple[DataObject, Bounds | None]] = []
        self.space = ""
        self.slot = 0  # the bytes of an element in the workspace
        self.variables = {r.iterator: CVariable(c_name(r.iterator), r.type) for r in spec.ranges}
        values = (p for p in spec.parameters if p.passing == "value")
        self.variables.update({p.text: CVariable(c_name(p.text), p.type) for p in values})
        self.globals: dict[Slot, CVariable] = {}
        self.refusals = refusals
        self.body = Body(
            self.facts,
            device.effects,
            device.kinds,
            self.key,
            device,
            refusals,
            self.variables,
            self.globals,
            names=self.scope,
            dialect=dialect,
        )

    def print(self) -> Kernel:
        """The kernel's texts. Raises Unprintable."""
        domains: list[Domain] = []
        with self.refusals.at(self.sharing.region.line):
            domains = [self._domain(r) for r in self.spec.ranges]
        for variable in self.spec.variables:
            with self.refusals.at(*mentioned_at(self.sharing, variable.name), name=variable.name):
                if isinstance(variable, Local):
                    self._local(variable)
                else:
                    self._parameter(variable)
        self.variables.update({n: self.variables[t] for n, t in self.spec.meaning.items() if t in self.variables})
        self.globals.update({s: self.variables[t] for s, t in self.spec.globals.items() if t in self.variables})
        statements = self._statements()
        self.refusals.check()
        with refused_at(self.sharing.region.line, self.routine.file):
            self.body.asked.clear()
            self._find_space()
            return self._assemble(domains, statements)

    def _domain(self, made: Range) -> Domain:
        first, last, step = (self._bound(b) for b in (made.first, made.last, made.step))
        count = extent(first, last, step)
        by = constant(made.step.expr) or 0
        divisor = "1" if made.empty else count
        return Domain(
            c_name(made.iterator), c_type(made.type), first, last, operand(step), count, divisor, (by > 0) - (by < 0)
        )

    def _bound(self, bound: Fragment) -> str:
        number = constant(bound.expr)
        return str(number) if number is not None else Expressions(self.body, self.key, None).print(bound.expr).text

    def _wide(self, bounds: Iterable[Fragment]) -> list[str]:
        """Those of some bounds that are integers of 8 bytes, as C text."""
        shown = [Expressions(self.body, self.key, None).print(b.expr) for b in bounds if constant(b.expr) is None]
        return [value.text for value in shown if value.type.bytes == 8]

    # -- variables

    def _parameter(self, parameter: Parameter) -> None:
        text, scalar = c_name(parameter.text), parameter.type
        if parameter.passing in ("result", "reduction"):
            self.definitions += self.dialect.pointer(c_type(scalar), text)
        if parameter.passing == "optional":
            self.variables[parameter.text] = CVariable(f"{text}.value", scalar, present=f"{text}.present", handed=text)
        elif parameter.passing == "result":
            self.variables[parameter.text] = CVariable(f"(*{text})", scalar, space="global")
        elif parameter.passing == "array":
            bounds = [(self._bound(low), self._bound(high)) for low, high in parameter.bounds]
            lower, upper = (tuple(pair[side] for pair in bounds) for side in (0, 1))
            data = data_name(self.scope, parameter)
            present = self.dialect.present(data) if parameter.optional else ""
            made = CVariable(text, scalar, lower, upper, parameter.storage, present, data=data, space="global")
            self.wide += [text for pair in parameter.bounds for text in self._wide(pair)]
            apart = distances_name(self.scope, parameter, self.dialect)
            view = View(made, parameter.name, parameter.access == "in", data, apart)
            self.views[text] = view
            self.definitions += view.lines(self.dialect)
            self.variables[parameter.text] = made

    def _local(self, local: Local) -> None:
        text, ctype = c_name(local.name), c_type(local.type)
        made = CVariable(text, local.type)
        if local.rank:
            data = self.facts.object(local.name, self.key)
            assert data is not None
            made, lines = local_array(self.body, data, local.bounds)
            if constant_bounds(self.facts, data, local.bounds) is None:
                self.spacious.append((data, local.bounds))
            self.definitions += shared_by_team(room_name(self.body, local.name), lines) if self.spec.team else lines
        elif local.partial:
            if local.operator not in _OPERATORS:
                raise CannotPrint(f"the reduction of '{local.name}' by {local.operator}")
            operator, room = _OPERATORS[local.operator], self.scope.name(f"{text}_room", (local.name, "room"))
            identity = self.dialect.identity(operator, local.type)
            self.definitions += [self.dialect.room(local.type, room), f"{ctype} {text} = {identity};"]
            self.reduced.append(Reduced(local.type, operator, room, c_name(local.partial), text))
        else:
            self.definitions.append(f"{ctype} {text};")
        self.variables[local.name] = made
        if local.before:
            before = c_name(local.before)
            if local.rank:
                self.prologue.append(self.dialect.copy(made, self.variables[local.before]))
            else:
                self.prologue.append(f"{text} = {before};")
        if local.after:
            self.epilogue.append(f"*{c_name(local.after)} = {text};")

    def _find_space(self) -> None:
        """The bytes a thread needs in the workspace, worked out from what the launcher is given."""
        scratch = self.body.scratch
        if not self.spacious and not scratch and not any(needs_space(self.device, key) for key in self.spec.called):
            return
        self.definitions += [line for made in scratch for line in self.dialect.taken(made.variable, made.name)]
        given = {c_name(p.text) for p in self.spec.parameters if p.passing == "value"}
        known = {n: v for n, v in self.variables.items() if v.text in given or v.rank}
        used = set().union(*(self.device.mentioned(key) for key in self.spec.called))
        globals_known = {slot: v for slot, v in self.globals.items() if v.text in given or (v.rank and slot in used)}
        host = replace(self.body, variables=known, globals=globals_known, elements=False)
        own = [*elements_of(host, self.spacious), *scratch_elements(scratch)]
        self.slot = slot_of(self.body, (data for data, _ in self.spacious), scratch, self.spec.called)
        self.space = f"{self.slot} * ({total(own, called_elements(host, self._sites()))})"

    # -- texts

    def _sites(self) -> list[CallSite]:
        return sites_of(self.device, self.sharing)

    @property
    def _goes_on(self) -> bool:
        """Whether a thread has something to do after a point."""
        return bool(self.epilogue or self._looped or self.spec.team)

    @property
    def _looped(self) -> bool:
        """Whether each thread runs over many points: it reduces variables, or has a part of a workspace."""
        return self.spec.reduces or self.walking

    @property
    def _shape(self) -> tuple[int, int, int]:
        """The threads of a block."""
        if self.spec.reduces:
            return REDUCING
        return WALKING if self.walking else team_block(self.spec.team) or self.spec.block

    def _statements(self) -> Statements:
        region = self.sharing.region
        located: dict[int, Located] = {id(at.statement): at for at in self.facts.graph.statements[self.key]}
        leave = "goto hf_next_point;" if self._goes_on else "return;"
        loops = own_nest(self.sharing.body.construct.body, region.iterators) if region.loops else []
        innermost = loops[-1].header if loops else None
        own_loop = innermost.construct_name if isinstance(innermost, Header) else None
        stops = {stop.line: stop.parameter for stop in self.spec.stops}
        prints = {made.line: made for made in self.spec.prints}
        statements = Statements(
            self.body, self.routine.file, located, leave, own_loop, self.spec.team, stops, prints, self._point()
        )
        depth = 2 if self._looped else 1
        statements.block(innermost_body(self.sharing.body.construct, region), depth)
        if loops:
            statements.end_label(loops[-1], depth)
        return statements

    def _point(self) -> str:
        """The number of the point, in the order of the loops."""
        text = ""
        for made in reversed([self._domain(r) for r in self.spec.ranges] if self.spec.prints else []):
            place = f"(long long)({made.name} - {operand(made.first)}) / {operand(made.step)}"
            text = f"({text}) * {operand(made.count)} + {place}" if text else place
        return text

    def _count(self, parameter: Parameter) -> str:
        """The number of an array's elements."""
        if parameter.elements is not None:
            return c_name(parameter.elements.parameter)
        pairs = [(self._bound(low), self._bound(high)) for low, high in parameter.bounds]
        return " * ".join(["1LL"] + [operand(extent(low, high, "1")) for low, high in pairs])

    def _around(self, domains: Sequence[Domain], statements: Statements) -> Mapping[str, Around]:
        """The arrays that are addressed from the thread's point: those of a kernel with one point a thread."""
        if self._looped or not self.dialect.can_shift:
            return {}
        own = {row for view in self.views.values() for row in view.lines(self.dialect)}
        others = [row for row in self.definitions if row not in own]
        lines = [*others, *self.prologue, *(text for text, _ in statements.lines), *self.epilogue]
        arrays = {name: view.array for name, view in self.views.items() if not view.array.present}
        return around_points(lines, arrays, [d.name for d in domains])

    def _defined(self, around: Mapping[str, Around]) -> list[str]:
        """The definitions, of arrays that are addressed from the point as such."""
        views = {view.lines(self.dialect)[-1]: name for name, view in self.views.items()}
        shown = []
        for row in self.definitions:
            name = views.get(row, "")
            shown.append(self.views[name].lines(self.dialect, around[name])[-1] if name in around else row)
        return shown

    @staticmethod
    def _certain(domains: Sequence[Domain], block: tuple[int, int, int]) -> list[Domain]:
        """The domains whose points blocks of this shape cover without any left over."""
        return [d for n, d in enumerate(domains) if n > 0 and block[min(n, 2)] == 1]

    def _assemble(self, domains: Sequence[Domain], statements: Statements) -> Kernel:
        spec, scope, line = self.spec, self.scope, self.sharing.region.line
        block = self._shape
        fixed = self._looped or bool(spec.team)
        around = self._around(domains, statements)
        jumped = statements.left and self._goes_on
        for made in spec.ranges:
            self._domain(made)  # the launcher works out their counts, too
        values: dict[str, object] = {
            "spec": spec,
            "block": block,
            "head": self.dialect.kernel_head(prod(block), fixed),
            "blocks_are": self.dialect.blocks_are(block, fixed),
            "known": [row for d in self._certain(domains, block) for row in self.dialect.known(d.inside)],
            "wide": dict.fromkeys(self.wide),
            "reaches": dict.fromkeys(a.distance(self.views[n].array) for n, a in around.items() if any(a.reach)),
            "parameters": [c_parameter(scope, p, self._count(p), self.dialect) for p in spec.parameters],
            "reduced": self.reduced,
            "collected": self.dialect.collected(self.reduced),
            "operators": _OPERATORS,
            "grid": scope.name("grid", "grid"),
            "launched": scope.name("launcher", "launcher"),
            "domains": domains,
            "looped": self._looped,
            "constants": self.body.constant_lines(),
            "launch_constants": self.body.constant_lines(self.body.asked),
            "definitions": self._defined(around),
            "temporaries": self.body.temporaries,
            "prologue": self.prologue,
            "epilogue": self.epilogue,
            "jumped": jumped,
            "space": self.space,
            "slot": self.slot,
        }
        what = not_by_teams(block, self._looped, bool(self.epilogue), jumped, bool(self.space))
        if spec.team and what:
            raise Unprintable([Problem(what, line, 0, len(line.text), self.routine.file)])
        kind = "team" if spec.team else "kernel"
        head, tail, launch = (
            [(text, line.first) for text in render(f"{folder}/{name}.j2", **values)]
            for folder, name in (("cuda_c", f"{kind}_begin"), ("cuda_c", f"{kind}_end"), (self.templates, "launcher"))
        )
        return Kernel(spec, (*head, *statements.lines, *tail), tuple(launch), frozenset(self.body.calls))


def printed(
    device: DeviceRoutines,
    sharing: RegionSharing,
    spec: KernelSpec,
    refusals: Refusals,
    dialect: Dialect = CUDA,
    templates: str = "cuda_c",
) -> Kernel:
    """A kernel's texts. Where it needs a workspace, threads run over many points each, so that the workspace is as
    large as the threads that run at a time, not as the region. Raises Unprintable.
    """
    first = CKernel(device, sharing, spec, refusals, dialect, templates)
    made = first.print()
    if not first.space or spec.reduces:
        return made
    return CKernel(device, sharing, spec, refusals, dialect, templates, walking=True).print()

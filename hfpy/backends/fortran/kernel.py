"""A region's kernel and launcher as CUDA Fortran: procedures of one module.

Host arrays stay the handles; the launcher asks the runtime for their device memory (design §4, hybrid-fortran.md §9.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from hfpy.analyze.language.sizes import constant
from hfpy.analyze.language.uses import aliases_of
from hfpy.analyze.regions.sharing import RegionSharing
from hfpy.backends.base import Kernel, render
from hfpy.backends.behind import behind
from hfpy.backends.c.values import CannotPrint, Refusals, refused_at
from hfpy.backends.chains import mentioned_at
from hfpy.backends.fortran.accepted import asks_ieee
from hfpy.backends.fortran.constants import Constants, type_text
from hfpy.backends.fortran.device import FortranRoutines, identity_of, zero
from hfpy.backends.fortran.parameters import THREADS, Memory, count, launch_rows, shape, texts_of, value_lines
from hfpy.backends.fortran.spelling import Spelling
from hfpy.backends.fortran.text import KernelText
from hfpy.backends.kernelspec import sites_of
from hfpy.backends.refused import ELEMENTS
from hfpy.model.expressions import names_in
from hfpy.model.kernel import KernelSpec, Local, Parameter, Range, Workspace
from hfpy.model.names import Names
from hfpy.model.scalars import INTEGER
from hfpy.parse.expressions.expressions import expression
from hfpy.parse.statements.nests import innermost_body, own_nest
from hfpy.transform.text.wrapping import wrap_line
from hfpy.values import dataclass

_UPDATES = {
    "+": "{0} = {0} + {1}",
    "-": "{0} = {0} + {1}",
    "*": "{0} = {0} * {1}",
    ".and.": "{0} = {0} .and. {1}",
    ".or.": "{0} = {0} .or. {1}",
    ".eqv.": "{0} = {0} .eqv. {1}",
    ".neqv.": "{0} = {0} .neqv. {1}",
}
# What kernels and launchers name besides the user's variables and names with `hf_`.
_NEEDED = frozenset(
    "int mod max present not huge blockidx threadidx blockdim griddim dim3 c_devptr c_char c_null_char c_size_t "
    "c_f_pointer".split()
)
_FOR_OUTPUT = frozenset("atomicadd transfer merge real aimag".split())


@dataclass(frozen=True)
class Domain:
    """One domain of a region as Fortran text: iterator and its type, first and last point, step, number of points, and
    this number where something is divided by it.
    """

    name: str
    type: str
    first: str
    last: str
    step: str
    count: str
    divisor: str

    @property
    def outside(self) -> str:
        """Whether the iterator is after the last point."""
        return behind(self.name, self.last, self.step)

    @property
    def at_end(self) -> str:
        """Whether the iterator is at the last point."""
        if self.step == "1":
            return f"{self.name} == {self.last}"
        return behind(f"{self.name} + {self.step}", self.last, self.step)


def _domain(made: Range) -> Domain:
    step = made.step.text
    step = step if step.isalnum() or step.isidentifier() else f"({step})"
    bounds = (made.first.text, made.last.text, step)
    points = count(*bounds)
    return Domain(made.iterator, type_text(made.type), *bounds, points, "1" if made.empty else points)


class FortranKernel:
    """Prints one kernel. ``refusals`` has what the signature refused."""

    def __init__(self, routines: FortranRoutines, sharing: RegionSharing, spec: KernelSpec, refusals: Refusals) -> None:
        self.refusals = refusals
        self.routines = routines
        self.device = routines.device
        self.facts = routines.facts
        self.sharing = sharing
        self.spec = spec
        self.routine = sharing.routine
        self.key = sharing.key
        self.sites = sites_of(self.device, sharing)
        self.rooms: list[Memory] = []
        self.locals: list[str] = []
        self.start: list[str] = []
        self.point_start: list[str] = []
        self.epilogue: list[str] = []
        self.threaded: dict[str, bool] = {}
        self.ranks: dict[str, int] = {}
        self.globals = dict(spec.globals)
        made = (v.text if isinstance(v, Parameter) else v.name for v in spec.variables)
        self.names = Names(frozenset((*spec.iterators, *made, *(w.text for w in spec.workspace))))

    def print(self) -> Kernel:
        """The kernel's texts. Raises Unprintable."""
        needed = _NEEDED | _FOR_OUTPUT if self.spec.prints else _NEEDED
        for name in sorted(self.names.taken & needed):
            with self.refusals.at(*mentioned_at(self.sharing, name), name=name):
                raise CannotPrint(
                    f"a variable '{name}' in CUDA Fortran, where kernels need that name,", hint="rename it"
                )
        self._refuse_aliases()
        for local in self.spec.locals:
            with self.refusals.at(*mentioned_at(self.sharing, local.name), name=local.name):
                self._local(local)
        for room in self.spec.workspace:
            with self.refusals.at(self.sharing.region.line):
                self._workspace(room)
        spelling = None
        with self.refusals.at(self.sharing.region.line):
            spelling = self._spelling()
        body = self._body(spelling or Spelling(self.routines.names(), {}, {}))
        if self.refusals.problems:
            with self.refusals.at(self.sharing.region.line):
                self._constants(self._bound_names() | body.names, body.expanded)
        self.refusals.check()
        with refused_at(self.sharing.region.line, self.routine.file):
            return self._assemble(body)

    # -- variables

    def _word(self, text: str, word: str) -> str:
        """A name that belongs to a parameter, such as ``x_device``."""
        return self.names.name(f"{text}_{word}", (text, word))

    def _local(self, local: Local) -> None:
        name, kind = local.name, type_text(local.type)
        if local.bounds is None:
            raise CannotPrint(f"the local array '{name}', whose size changes,")
        self.start += [f"{name} = {identity_of(local.operator, local.type)}"] if local.partial else []
        self.epilogue += [f"{local.after} = {name}"] if local.after else []
        pairs = texts_of(local.bounds)
        if all(constant(b.expr) is not None for pair in local.bounds for b in pair):
            self.locals.append(f"{kind} :: {name}({shape(pairs)})" if local.rank else f"{kind} :: {name}")
            self.point_start += [f"{name} = {local.before}"] if local.before else []
            return
        # Elements lie together where the array, or a part of it, goes to a routine.
        whole = any(name in names_in(a) for s in self.sites for a in s.args)
        self.threaded[name] = not whole
        self.ranks[name] = local.rank
        self.rooms.append(Memory("space", name, name, local.type, (*pairs, THREADS) if whole else (THREADS, *pairs)))
        own = ",".join(":" * local.rank)
        mine = f"{own},hf_thread" if whole else f"hf_thread,{own}"
        self.point_start += [f"{name}({mine}) = {local.before}"] if local.before else []

    def _workspace(self, room: Workspace) -> None:
        name = room.slot[1]
        if room.bounds is None:
            raise CannotPrint(f"the local array '{name}' of '{room.routine}', whose size varies,", hint=ELEMENTS)
        self.rooms.append(Memory("space", name, room.text, room.type, (*texts_of(room.bounds), THREADS)))
        self.globals[room.slot] = f"{room.text}({','.join(':' * len(room.bounds))}, hf_thread)"

    def _memory(self) -> list[Memory]:
        """All memory on the device: for reductions, for local arrays, of arrays."""
        parameters = self.spec.parameters
        partial = [Memory(p.passing, p.name, p.text, p.type, (THREADS,)) for p in parameters if p.operator]
        arrays = [
            Memory(
                p.passing,
                p.name,
                p.text,
                p.type,
                texts_of(p.stored_bounds),
                p.access,
                p.aliased,
                p.optional,
                p.asked,
                p.elements.parameter if p.elements is not None else "",
            )
            for p in parameters
            if p.passing == "array"
        ]
        return [*partial, *self.rooms, *arrays]

    # -- texts

    def _spelling(self) -> Spelling:
        callees = list(dict.fromkeys(s.callee for s in self.sites))
        return Spelling(
            self.routines.names(),
            self.routines.further(self.globals, {m.text: m.bounds for m in self._memory()}, callees),
            self.routines.optional(callees),
            {p.name: self._word(p.text, "given") for p in self.spec.parameters if p.optional},
            {name: text for name, text in self.spec.meaning.items() if name != text},
            self.threaded,
            {**self.ranks, **{p.text: p.rank for p in self.spec.parameters if p.component}},
        )

    def _refuse_aliases(self) -> None:
        """Names that a construct around the region gives a meaning, which its body in the kernel would not have.
        Components have names of their own there.
        """
        for reference in self.sharing.body.references:
            if reference.name in aliases_of(reference.at) and not reference.component:
                with self.refusals.at(reference.at.statement.line):
                    what = f"'{reference.name}', which has its meaning from a construct around the region,"
                    raise CannotPrint(what, hint="put the region into a routine of its own")

    def _body(self, spelling: Spelling) -> KernelText:
        region = self.sharing.region
        looped, last = self.spec.reduces, bool(self.epilogue)
        leave = "exit hf_turn" if last else "cycle hf_turns" if looped else "return"
        text = KernelText(self.facts, self.routine, spelling, leave, self.refusals)
        text.stops = {stop.line: stop.parameter for stop in self.spec.stops}
        text.prints = {made.line: made for made in self.spec.prints}
        text.number = self._point()
        if region.loops:
            inner = own_nest(self.sharing.body.construct.body, region.iterators)[-1]
            text.point = getattr(inner.header, "construct_name", "")
        depth = 2 + looped + last
        text.block(innermost_body(self.sharing.body.construct, region), depth)
        if region.loops:
            text.end_label(inner, depth)
        return text

    def _point(self) -> str:
        """The number of the point, in the order of the loops."""
        text = ""
        for made in reversed([_domain(r) for r in self.spec.ranges] if self.spec.prints else []):
            place = f"({made.name} - ({made.first})) / {made.step}"
            text = f"({text}) * int({made.count}, 8) + {place}" if text else f"int({place}, 8)"
        return text

    def _passed(self) -> Iterator[tuple[str, str]]:
        """Dummy arguments of the kernel with the actual ones of the launch."""
        word = self._word
        scalars = (p for p in self.spec.parameters if p.passing in ("value", "optional", "result"))
        for p in scalars:
            yield p.text, p.text if p.passing == "value" else word(p.text, "value" if p.optional else "device")
            if p.optional:
                yield word(p.text, "given"), word(p.text, "given")
        for made in self._memory():
            yield made.text, word(made.text, "device")
            if made.optional:
                yield word(made.text, "given"), word(made.text, "given")
        if self.spec.reduces or self.rooms:
            yield "hf_threads", "hf_threads"

    def _assemble(self, body: KernelText) -> Kernel:
        spec, line, memory = self.spec, self.sharing.region.line, self._memory()
        domains = [_domain(r) for r in spec.ranges]
        launched = self._bound_names()
        passed = list(self._passed())
        values: dict[str, object] = {
            "spec": spec,
            "memory": memory,
            "dummies": [dummy for dummy, _ in passed],
            "actuals": launch_rows(actual for _, actual in passed),
            "word": self._word,
            "type": lambda p: type_text(p.type),
            "zero": lambda p: zero(p.type),
            "shape": lambda m: shape(m.bounds),
            "extents": lambda m: ", ".join(self._extent(*pair) for pair in m.bounds),
            "counted": self._counted,
            "update": lambda p: _UPDATES.get(p.operator, f"{{0}} = {p.operator}({{0}}, {{1}})"),
            "value_lines": list(value_lines(spec.parameters, ("value",))),
            "kernel_value_lines": list(value_lines(spec.parameters, ("value", "optional"))),
            "domains": domains,
            "looped": spec.reduces,
            "threads": spec.reduces or bool(self.rooms),
            "constants": self._constants(launched | body.names, body.expanded),
            "launch_constants": self._constants(launched),
            "locals": self.locals,
            "start": self.start,
            "point_start": self.point_start,
            "counters": sorted(body.counted),
            "printing": bool(spec.prints),
            "epilogue": self.epilogue,
        }
        head, tail, launch = (
            [(text, line.first) for row in render(f"cuda_fortran/{name}.j2", **values) for text in wrap_line(row)]
            for name in ("kernel_begin", "kernel_end", "launcher")
        )
        ieee = asks_ieee(self.facts, (self.key,))
        return Kernel(spec, (*head, *body.lines, *tail), tuple(launch), ieee=ieee)

    def _counted(self, number: int) -> str:
        """A number as the runtime takes it."""
        return self.device.kinds.defaults.counted(number)

    def _bound_names(self) -> set[str]:
        """The names in the bounds of loops and arrays."""
        bounds = [b for r in self.spec.ranges for b in (r.first, r.last, r.step)]
        bounds += [b for v in (*self.spec.variables, *self.spec.workspace) for pair in v.bounds or () for b in pair]
        return {name for bound in bounds for name in bound.names}

    def _constants(self, names: Set[str], expanded: Set[str] = frozenset()) -> list[str]:
        """Declarations of the named constants among some names. Raises CannotPrint."""
        taken = self.names.taken | {*self.names.given.values()}
        for name in sorted(expanded - taken):
            found = self.facts.scopes.variable(name, self.key)
            if found is not None and not found.symbol.constant:
                raise CannotPrint(f"'{name}', which only a macro names,")
        constants = Constants(self.facts, self.device.kinds, taken)
        constants.of(names, self.key)
        return constants.lines

    def _extent(self, lower: str, upper: str) -> str:
        """The extent of a dimension, for the launcher."""
        if (lower, upper) == THREADS:
            return upper
        return f"hf_extent({self._default(lower)}, {self._default(upper)})"

    def _default(self, text: str) -> str:
        """A bound as an integer of four bytes."""
        if self.device.kinds.defaults.integer != INTEGER.bytes:
            return f"int({text}, 4)"
        types = {p.text: p.type for p in self.spec.parameters}
        for name in names_in(expression(text)):
            data = self.facts.object(name, self.key)
            known = types.get(name)
            if known is None and data is not None and data.symbol.constant:
                known = self.device.kinds.scalar(data.symbol.type, data.home)
            if known != INTEGER:
                return f"int({text})"
        return text

"""Regions that become kernels in files of their own: the call of a launcher takes the region's place in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeGuard

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.device.states import States, kept_there
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.regions.sharing import RegionSharing, RoutineSharing
from hfpy.backends.base import Kernel, KernelWriter
from hfpy.backends.c.device import DeviceRoutines
from hfpy.backends.c.teams import too_many
from hfpy.backends.c.values import CannotPrint, Problem, Refusals, Unprintable
from hfpy.backends.kernelspec import SpecBuilder, sites_of
from hfpy.backends.prints import shown
from hfpy.backendtable import TABLE
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, Literal, Name, names_in
from hfpy.model.kernel import KernelSpec, Local, Packed, Parameter, Slot
from hfpy.model.macros import Macro
from hfpy.model.names import kernel_name, plain_from
from hfpy.model.printing import character
from hfpy.model.scalars import Scalar
from hfpy.model.statements import LOOPS, Construct, constructs
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import expanded, fragment, single
from hfpy.parse.statements.nests import innermost_body
from hfpy.transform.device.queues import no_effect
from hfpy.transform.imports import Imports
from hfpy.transform.plain.form import PlainForm
from hfpy.transform.plain.texts import is_text_value, worked_out
from hfpy.transform.regions.regioncode import Backend
from hfpy.transform.regions.regions import RegionRewriter
from hfpy.transform.text.edits import Edit, replace_lines
from hfpy.transform.text.wrapping import wrap_line

# Threads a block where no macro says otherwise: whole warps along the first domain. Where each thread has loops to run
# through, as over a column, there are fewer points than threads to hide how long memory takes: small blocks reach more
# multiprocessors.
_BLOCK, _COLUMNS = (64, 4, 1), (64, 1, 1)
_LINE = 256  # of a region over one domain without loops


class KernelRewriter(RegionRewriter):
    """Edits for the regions of a routine whose backend writes kernels. ``kernels`` and ``removed`` (physical lines)
    are filled on the way.
    """

    def __init__(
        self,
        facts: Facts,
        effects: Effects,
        routine: Routine,
        backend: Backend,
        plain: PlainForm,
        device: DeviceRoutines,
        imported: Imports,
        writer: KernelWriter,
        held: Callable[[str, Slot], bool],
    ) -> None:
        super().__init__(facts, effects, routine, backend)
        self.plain = plain
        self.device = device
        self.in_plain = self.sharing
        if plain.facts is not facts:
            self.in_plain = RoutineSharing(plain.facts, plain.effects, plain.facts.routine(routine.key))
        self.imported = imported
        self.writer = writer
        self.held = held
        self.kernels: list[Kernel] = []
        self.procedures: set[str] = set()

    def _region(self, node: Construct, region: Region) -> Iterator[Edit]:
        assert node.end is not None
        number = self.numbers[id(node)]
        if RegionId(self.routine.key, number) not in self.facts.positions.regions:
            yield from super()._region(node, region)
            return
        sharing = self.in_plain.region(number)
        sharing.place()
        self.found += map(self.plain.reported, sharing.result.found)
        self._check_jumps(node, region)
        name = kernel_name(self.device.stem(self.routine.key), number)
        block = block_sizes(
            self.facts.application.macros_of(self.routine.key), region, _COLUMNS if self._walks(sharing) else _BLOCK
        )
        builder = SpecBuilder(self.device, self.imported, sharing, name, block)
        spec = replace(self._with_texts(self._with_lent(builder.build())), queue=region.queue)
        try:
            with builder.refusals.at(sharing.region.line):
                _check_names(spec)
                if what := too_many(spec.block):
                    raise CannotPrint(what, hint="ask for smaller blocks: block(…), tile(…), or CUDA_BLOCKSIZE_X …")
            kernel = self.writer.kernel(sharing, spec, builder.refusals)
        except Unprintable as problems:
            self._refused(problems, spec, builder.refusals)
            return
        self.kernels.append(kernel)
        self.procedures |= builder.procedures
        if region.queue and TABLE[self.backend.name].queues and spec.waited_for:
            self.found.append(no_effect(region, spec.waited_for))
        first, last = node.header.line.first, node.end.line.last
        self.removed.append((first, last))
        yield replace_lines(first, last, self._call(node, spec))

    def only_own(self, name: str, states: States) -> bool:
        """Whether a local array is never needed on the device: each thread has its own, and nothing else is done."""
        variables = [v for kernel in self.kernels for v in kernel.spec.variables]
        own = {v.name for v in variables if isinstance(v, Local) and v.rank}
        taken = {n for v in variables if _is_array(v) for n in (v.name, *names_in(fragment(v.actual).expr))}
        return name in own - taken and not kept_there(self.facts, states, self.routine.key, name)

    def _walks(self, sharing: RegionSharing) -> bool:
        """Whether a thread runs through loops for its point of a region over one or two domains, there or in a routine
        that it calls.
        """
        region = sharing.region
        if len(region.domains) > 2:
            return False
        try:
            called = self.device.reached({site.callee for site in sites_of(self.device, sharing)})
        except Unprintable:
            return False  # recursion, which is refused where the kernel is printed
        bodies = [self.device.facts.routine(key).body for key in called]
        bodies.append(innermost_body(sharing.body.construct, region))
        return any(node.kind in LOOPS for body in bodies for node in constructs(body))

    def _with_lent(self, spec: KernelSpec) -> KernelSpec:
        """The signature with arrays of modules that only called routines name, and that nothing else has brought to the
        device: they go there for the kernel.
        """
        below = {text for slot, text in spec.globals.items() if not self.held(self.routine.key, slot)}
        texts = below - set(spec.meaning.values())
        made = (replace(v, lent=v.lent or v.text in texts) if _is_array(v) else v for v in spec.variables)
        return replace(spec, variables=tuple(made)) if texts else spec

    def _with_texts(self, spec: KernelSpec) -> KernelSpec:
        """The signature with what the host works out of texts, in the place of variables of the plain form."""
        if not any(isinstance(v, Parameter) and is_text_value(v.actual) for v in spec.variables):
            return spec
        values = worked_out(self.plain.facts.routine(self.routine.key))
        made = (
            replace(v, actual=values[v.actual]) if isinstance(v, Parameter) and is_text_value(v.actual) else v
            for v in spec.variables
        )
        return replace(spec, variables=tuple(made))

    def _refused(self, problems: Unprintable, spec: KernelSpec, refusals: Refusals) -> None:
        """Tell all that is against a region's kernel, and against the routines that it calls."""
        refusals.add(problems.problems)
        for key in spec.called:
            with refusals.at(self.routine.header):
                self.writer.check_routine(key)
        errors = [self.plain.reported(d) for d in refused(refusals.problems)]
        places = {d.place for d in errors}
        self.found = [d for d in self.found if d.code != "HF501" or d.place not in places]
        self.found += errors
        assert any(d.severity == "error" for d in self.found), "a kernel that is refused without a reason"

    def _actual(self, parameter: Parameter) -> str:
        """The actual argument of a launcher's call."""
        actual = parameter.actual
        if parameter.passing != "value":
            return actual
        if parameter.type.base == "logical":
            return self.writer.logical(actual)
        if parameter.type.base == "integer" and not self._is_of(actual, parameter.type):
            default = parameter.type.bytes == self.device.kinds.defaults.integer
            return f"int({actual})" if default else f"int({actual}, {parameter.type.bytes})"
        return actual

    def _is_of(self, actual: str, scalar: Scalar) -> bool:
        """Whether an expression is a name or an inquiry of the type: the kinds of others are not known."""
        given = expanded(fragment(actual), self.facts.application.macros_of(self.routine.key))
        kinds = self.device.kinds
        match given.expr:
            case Name(name=name):
                data = self.facts.object(name, self.routine.key)
                known = kinds.scalar(data.symbol.type, data.home) if data is not None else None
                return known is None or known == scalar
            case Apply(base=Name(name="lbound" | "ubound")):
                return scalar.bytes == kinds.defaults.integer
        return False

    def _call(self, node: Construct, spec: KernelSpec) -> list[str]:
        indent = " " * node.header.line.segments[0][2]
        macros = self.facts.application.macros_of(self.routine.key)
        listed = ", ".join(self._actual(p) for p in spec.parameters)
        comment = f"{indent}! region over {', '.join(spec.iterators)}: kernel {spec.name}"
        call = wrap_line(f"{indent}call {spec.launcher}({listed})", macros)
        rows = [*self._components(spec, indent, 1), *call, *self._components(spec, indent, 0)]
        rows = self._with_elements(spec, indent, rows)
        return [comment, *_with_stops(spec, indent, self._printed(spec, indent, self._packed(spec, indent, rows)))]

    def _printed(self, spec: KernelSpec, indent: str, rows: list[str]) -> list[str]:
        """The rows, and after them what shows what points have printed."""
        if not spec.prints:
            return rows
        self.procedures.add("hf_order_printed")
        before, after = ([w for row in part for w in wrap_line(f"{indent}  {row}")] for part in shown(spec))
        return [f"{indent}block", *before, *rows, *after, f"{indent}end block"]

    @staticmethod
    def _packed(spec: KernelSpec, indent: str, rows: list[str]) -> list[str]:
        """The rows with arrays around them for components of all elements of arrays of objects."""
        packed = [(p, p.packed) for p in spec.parameters if p.packed is not None]
        if not packed:
            return rows
        before, back = [], []
        for p, _ in packed:
            before.append(f"{p.type.base}({p.type.bytes}), allocatable :: {p.actual}({','.join(':' * p.rank)})")
        counters = sorted({counter for _, made in packed for counter, _, _ in made.inner})
        before += [f"integer :: {', '.join(counters)}"] if counters else []
        for p, made in packed:
            sizes = [f"size({made.whole}, {d + 1})" for d in range(p.rank - len(made.inner))]
            sizes += [f"{lower}:{upper}" for _, lower, upper in made.inner]
            before += [f"allocate({p.actual}({', '.join(sizes)}))", *_copied(p, made, back=False)]
            back += _copied(p, made, back=True) if p.access != "in" else []
        margin = f"{indent}  "
        there = [wrapped for row in before for wrapped in wrap_line(margin + row)]
        after = [wrapped for row in back for wrapped in wrap_line(margin + row)]
        return [f"{indent}block", *there, *rows, *after, f"{indent}end block"]

    def _components(self, spec: KernelSpec, indent: str, entering: int) -> list[str]:
        """Arrays in derived types have no directives that bring them to the device: they go there for the kernel."""
        rows = []
        for parameter in spec.parameters:
            if parameter.passing != "array" or not parameter.component or parameter.asked:
                continue
            procedure = "hf_enter" if entering else "hf_leave"
            given = parameter.actual
            if parameter.elements is not None:
                procedure += "_bytes"
                given += f", {parameter.elements.variable}*{parameter.type.size}"
            copy = self.device.kinds.defaults.counted(bool(entering) or parameter.access != "in")
            self.procedures.add(procedure)
            text = f'call {procedure}({given}, {copy}, "{parameter.name}"//hf_end, "{spec.place}"//hf_end)'
            rows += wrap_line(indent + text, ())
        return rows

    @staticmethod
    def _with_elements(spec: KernelSpec, indent: str, rows: list[str]) -> list[str]:
        """The rows, and before them how many elements of arrays of unknown size the kernel needs."""
        made = [p.elements for p in spec.parameters if p.elements is not None]
        if not made:
            return rows
        before = [f"integer(8) :: {', '.join(e.variable for e in made)}", *(f"{e.variable} = {e.value}" for e in made)]
        inner = [wrapped for row in before for wrapped in wrap_line(f"{indent}  {row}")]
        return [f"{indent}block", *inner, *rows, f"{indent}end block"]


def _copied(p: Parameter, made: Packed, back: bool) -> list[str]:
    """A component of all elements of an array of objects to its own array, or ``back``. Only one array of a designator
    may be a whole one (Fortran 2018, 9.4.2): there is a loop for each dimension of the others.
    """
    counters = [counter for counter, _, _ in made.inner]
    left, chain = iter(counters), made.whole
    for name, rank in made.rest:
        chain += f"%{name}" + (f"({', '.join(next(left) for _ in range(rank))})" if rank else "")
    whole = ", ".join([*":" * (p.rank - len(counters)), *counters])
    sides = (chain, f"{p.actual}({whole})" if counters else p.actual)
    row = " = ".join(sides if back else reversed(sides))
    loops = [f"do {counter} = {lower}, {upper}" for counter, lower, upper in made.inner]
    return [*reversed(loops), row, *["end do"] * len(loops)]


def _is_array(variable: Parameter | Local) -> TypeGuard[Parameter]:
    return isinstance(variable, Parameter) and variable.passing == "array"


def _with_stops(spec: KernelSpec, indent: str, rows: list[str]) -> list[str]:
    """The rows, and after them what the host does where a point has come to a statement that ends the run."""
    if not spec.stops:
        return rows
    margin = f"{indent}  "
    names = ", ".join(stop.parameter for stop in spec.stops)
    before = ["use, intrinsic :: iso_fortran_env, only: hf_errors => error_unit", f"integer(4) :: {names}"]
    before += [f"{stop.parameter} = 0" for stop in spec.stops]
    after = []
    for stop in spec.stops:
        reported = f"hfpy: {stop.place}: stop in kernel {spec.name}"
        after += [f"if ({stop.parameter} /= 0) then", f"  write (hf_errors, '(a)') {character(reported)}"]
        after += [f"  {stop.statement}", "end if"]
    made = [wrapped for row in before for wrapped in wrap_line(margin + row)]
    made += [*rows, *(wrapped for row in after for wrapped in wrap_line(margin + row))]
    return [f"{indent}block", *made, f"{indent}end block"]


def _check_names(spec: KernelSpec) -> None:
    """Raise CannotPrint for a variable of the plain form whose value would have to come from the host."""
    for parameter in spec.parameters:
        for name in names_in(fragment(parameter.actual).expr):
            if meant := plain_from(name):
                raise CannotPrint(f"'{meant}', which may be read here before the point has set it,")


def refused(problems: Iterable[Problem]) -> list[Diagnostic]:
    """The errors for what kernels cannot do."""
    general = "write it in terms that kernels know, or choose another backend for this routine"
    return [
        error(
            "HF702",
            f"{problem.what} cannot be translated for a kernel{problem.also}",
            problem.line.place(problem.file, problem.start, problem.end),
            problem.hint or general,
            cause=f"{problem.what} cannot be translated for a kernel",
        )
        for problem in problems
    ]


def block_sizes(macros: Mapping[str, Macro], region: Region, default: tuple[int, int, int]) -> tuple[int, int, int]:
    """Threads a block in x, y, z: ``tile(i:32, j:8)`` or ``block(…)`` of the region, else the macros
    ``CUDA_BLOCKSIZE_X`` … with the region's template (§9.4), else a default.
    """
    sizes = list(default) if len(region.domains) > 1 or default == _COLUMNS else [_LINE, 1, 1]
    for place, axis in enumerate("XYZ"):
        for name in (f"CUDA_BLOCKSIZE_{axis}_{region.template}", f"CUDA_BLOCKSIZE_{axis}"):
            macro = macros.get(name)
            given = single(macro) if macro is not None else None
            if isinstance(given, Literal) and given.integer is not None:
                sizes[place] = given.integer
                break
    for hint, values in region.hints:
        if hint == "block":
            sizes = [int(v) for v in values if v.strip().isdigit()] or sizes
    if tile := dict(region.factors("tile")):
        sizes = [tile.get(name, 1) for name in region.iterators]
    sizes = [*sizes, 1, 1][:3]
    if len(region.domains) < 3:
        sizes[2] = 1
    if len(region.domains) < 2:
        sizes[1] = 1
    return sizes[0], sizes[1], sizes[2]

"""A region for the device in directives, as a value: what is said of its variables, and its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.backends.base import render
from hfpy.backends.called import Known
from hfpy.backends.sections import Section
from hfpy.backends.sequential import nest
from hfpy.model.expressions import Fragment
from hfpy.model.names import derived
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.device.directivelines import Clause, directive_lines
from hfpy.transform.device.queues import Queued
from hfpy.transform.regions.regioncode import RegionCode
from hfpy.transform.text.wrapping import wrap_line
from hfpy.values import dataclass

KINDS = ("real", "integer", "logical", "complex")
_AT_ONCE = Queued()


@dataclass(frozen=True)
class OffloadCode(RegionCode):
    """A region that becomes a kernel.

    ``arrays`` are on the device, ``transient`` those of them that may not be there before, ``asked`` are those of which
    only shapes are asked. ``copied`` are scalars that come back, ``scalars`` those that are only read, ``objects``
    variables of derived type and such like that are only read, ``changed`` those that are written. ``owned`` are
    private; ``given`` and ``results`` name those of them that have a value before and after the region. ``updates``
    are module variables that the device knows, as called routines read them or the region itself names them,
    ``returned`` those that it sets; ``constants`` are named constants with elements. ``nested`` is how many loops, from
    the outermost, may become one; ``last`` the condition that a point is the last one.
    ``deep`` are objects with the arrays in them that are attached to them on the device.
    ``sections`` are the parts of arrays of unknown size that are copied for the region alone.
    ``addressed`` says that the arrays are dummies with device addresses, which the compiler's runtime does not know.
    ``queued`` is when the host waits for it. ``members`` are those of common blocks that have memory on the device.
    """

    arrays: tuple[str, ...] = ()
    transient: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    owned: tuple[str, ...] = ()
    given: tuple[DataObject, ...] = ()
    results: tuple[DataObject, ...] = ()
    constants: tuple[DataObject, ...] = ()
    updates: tuple[Known, ...] = ()
    returned: tuple[Known, ...] = ()
    nested: int = 1
    last: str = ""
    addressed: bool = False
    sections: tuple[Section, ...] = ()
    deep: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    queued: Queued = _AT_ONCE
    members: tuple[str, ...] = ()

    @property
    def waited_for(self) -> str:
        """Why the host waits for the end of the region; empty if it need not."""
        for name in (*self.copied, *(d.name for d in self.results), *self.changed):
            return f"'{name}' comes back from it"
        if self.transient:
            return f"'{self.transient[0]}' is copied for it"
        if self.returned:
            return f"'{self.returned[0].name}' comes back from it"
        if self.given or self.constants:
            return f"'{(*self.given, *self.constants)[0].name}' is copied for it"
        if self.deep:
            return f"'{next(iter(self.deep))}' goes to the device for it"
        if self.sections:
            return f"'{self.sections[0].array}' is copied for it"
        if self.objects:
            return f"'{self.objects[0]}' goes to the device for it"
        return "its arrays are in the table of kernels" if self.addressed else ""

    @property
    def given_arrays(self) -> tuple[str, ...]:
        """The copies of arrays that points take their private ones from."""
        return tuple(_given_name(d) for d in self.given if d.rank)

    @property
    def given_scalars(self) -> tuple[str, ...]:
        """The copies of scalars that points take their private ones from."""
        return tuple(_given_name(d) for d in self.given if not d.rank)

    @property
    def brought_back(self) -> tuple[str, ...]:
        """Scalars that come back, those of the last point included."""
        return (*self.copied, *(_result_name(d) for d in self.results))

    @property
    def first_rows(self) -> list[str]:
        """What each point does first."""
        return [f"{d.name} = {_given_name(d)}" for d in self.given]

    @property
    def last_rows(self) -> list[str]:
        """What each point does last."""
        if not self.results:
            return []
        return [f"if ({self.last}) then", *(f"  {_result_name(d)} = {d.name}" for d in self.results), "end if"]

    @property
    def in_block(self) -> bool:
        """Whether a ``block`` or ``associate`` is written around its loops."""
        return bool(self.declared or self.members)

    @property
    def declared(self) -> list[str]:
        """Declarations of the block around the loops."""
        rows = []
        for data, name in ((d, _given_name(d)) for d in self.given):
            shape = f"({','.join(':' * data.rank)})" if data.rank else ""
            rows.append(f"{_type_text(data)}{', allocatable' if data.rank else ''} :: {name}{shape}")
        rows += [f"{_type_text(d)} :: {_result_name(d)}" for d in self.results]
        rows += [f"integer(8) :: {s.variable}" for s in self.sections]
        return rows + [_same_bounds(d, d.name, _given_name(d)) for d in self.constants]

    @property
    def before(self) -> list[str]:
        """Statements before the loops."""
        rows = [f"{_given_name(d)} = {d.name}" for d in self.given]
        rows += [f"{_result_name(d)} = {d.name}" for d in self.results]
        rows += [f"{_given_name(d)} = {d.name}" for d in self.constants]
        rows += [row for s in self.sections for row in wrap_line(f"{s.variable} = {s.last}")]
        if self.constants:
            rows += ["block", *(f"  {_same_bounds(d, _given_name(d), d.name)}" for d in self.constants)]
            rows += [f"  {d.name} = {_given_name(d)}" for d in self.constants]
        return rows

    @property
    def after(self) -> list[str]:
        """Statements after the loops."""
        ends = ["end block"] if self.constants else []
        return ends + [f"{d.name} = {_result_name(d)}" for d in self.results]


def open_lines(
    code: OffloadCode, sentinel: str, directives: Sequence[Sequence[str | Clause]], updates: Sequence[str]
) -> list[str]:
    """The lines before a region's body: ``updates``, block, directives, loops."""
    return render(
        "offload/open.j2",
        indent=code.indent,
        updates=updates,
        declared=code.declared,
        before=code.before,
        directives=[line for parts in directives for line in directive_lines(code.indent, sentinel, parts)],
        loops=nest(code.loops),
        first=code.first_rows,
    )


def close_lines(code: OffloadCode, ends: Sequence[str], wait: str, returned: Sequence[str]) -> list[str]:
    """The lines after a region's body. ``ends`` are end directives, from the innermost one; ``wait`` is the directive
    that waits for a queue, ``returned`` are copies.
    """
    return render(
        "offload/close.j2",
        indent=code.indent,
        loops=nest(code.loops),
        last=code.last_rows,
        ends=ends,
        returned=returned,
        declared=code.declared,
        after=code.after,
        waits=[wait.format(queue) for queue in code.queued.waits],
    )


def _type_text(data: DataObject) -> str:
    base = data.symbol.type.base
    return f"{base}(kind({data.name}))" if base in KINDS else data.symbol.type.text


def _same_bounds(data: DataObject, of: str, name: str) -> str:
    """A variable with the type and bounds of a named constant, or of its copy.

    Lower bounds are written out: compilers lose those of constants of other modules.
    """
    bounds = (f"{low}:size({of},{n})+({low})-1" for n, low in enumerate(lower_bounds(data), 1))
    return f"{data.symbol.type.base}(kind({of})) :: {name}({','.join(bounds)})"


def lower_bounds(data: DataObject) -> list[Fragment]:
    """The lower bounds of an array as declared."""
    return [dimension.lower or ONE for dimension in data.symbol.shape]


def _given_name(data: DataObject) -> str:
    return derived("hf_given_", data.name)


def _result_name(data: DataObject) -> str:
    return derived("hf_last_", data.name)

"""The kernel of a region, decided once for all backends that write kernels (design §9).

The parameters are what the region names and no more: bounds, scalars by value, scalars that it gives back, arrays, and
the variables of modules that routines called in it name (design §4, hybrid-fortran.md §9.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.device.inquired import inquired
from hfpy.analyze.effects.flow import Flow
from hfpy.analyze.facts import Facts, block_of
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.sizes import constant
from hfpy.analyze.regions.known import known_values, team_of, values_here, with_values
from hfpy.analyze.regions.sharing import RegionSharing
from hfpy.backends.blocks import in_block
from hfpy.backends.c.device import DeviceRoutines
from hfpy.backends.c.space import bounds_of, own_arrays
from hfpy.backends.c.values import CannotPrint, Follows, Refusals
from hfpy.backends.c.views import scalar_of
from hfpy.backends.chains import mentioned_at
from hfpy.backends.kernelcomponents import add_components
from hfpy.backends.prints import prints_of
from hfpy.backends.refused import (
    COMMON,
    INTERNAL,
    LAST_VALUE,
    MADE_SIZE,
    OPTIONAL_BOUNDS,
    PRIVATE,
    SIZE,
    UNKNOWN,
)
from hfpy.backends.stops import stops_of
from hfpy.backends.unsized import Measured, is_unsized, unsized
from hfpy.backends.workspace import declared_bound, shaped, workspace
from hfpy.model.expressions import Fragment, Name, names_in
from hfpy.model.extents import Dim
from hfpy.model.kernel import Access, Block, Bounds, Import, KernelSpec, Local, Parameter, Passing, Range, Slot
from hfpy.model.names import Names, launcher_name, plain_from
from hfpy.model.scalars import INTEGER, Scalar
from hfpy.model.source import LogicalLine
from hfpy.model.units import Symbol
from hfpy.parse.expressions.fragments import ONE, expanded, fragment
from hfpy.transform.imports import Imports


def sites_of(device: DeviceRoutines, sharing: RegionSharing) -> list[CallSite]:
    """The calls in a region of routines that hfpy has the source of."""
    facts, number = device.facts, sharing.body.identity.number
    found = facts.graph.sites[sharing.key]
    return [s for s in found if s.callee and number in s.at.regions and facts.live(s.at, sharing.key)]


def _is_there(symbol: Symbol) -> bool:
    """Whether a variable of the routine is certainly there, and has no gaps in memory."""
    gaps = "contiguous" not in symbol.attributes and any(dim.form == "assumed" for dim in symbol.shape)
    return not gaps and not symbol.attributes & {"optional", "pointer"}


def _empty(first: int | None, last: int | None, step: int | None) -> bool:
    """Whether there is certainly no point. Compilers refuse what divides by a number of points that is zero."""
    return first is not None and last is not None and bool(step) and not range(first, last + 1, step or 1)


class SpecBuilder:
    """Decides about one active region, whose names are placed. ``block`` are the threads of a block in x, y, z."""

    def __init__(
        self,
        device: DeviceRoutines,
        imported: Imports,
        sharing: RegionSharing,
        name: str,
        block: tuple[int, int, int],
    ) -> None:
        self.device = device
        self.imported = imported
        self.facts: Facts = device.facts
        self.sharing = sharing
        self.routine = sharing.routine
        self.key = sharing.key
        self.region = sharing.region
        self.name = name
        self.sites = sites_of(device, sharing)
        self.block = block
        self.asked_about = inquired(sharing.body)
        self.flow: Flow = sharing.body.flow()
        self.measured = Measured(sharing.body)
        self.known = known_values(self.facts, self.routine, sharing.body.construct, set(self.flow.written))
        self.variables: dict[str, Parameter | Local] = {}
        self.meaning: dict[str, str] = {}
        self.globals: dict[Slot, str] = {}
        self.imports: list[Import] = []
        self.blocks: list[Block] = []
        self.procedures: set[str] = set()  # of the runtime, that the host asks
        taken = {*self.region.iterators, *sharing.body.mentioned, *self.routine.spec.symbols}
        self.names = Names(frozenset(taken))
        self.refusals = Refusals(self.routine.file)

    def build(self) -> KernelSpec:
        """The signature. What kernels cannot have is left out of it, and to be found in ``refusals``."""
        called: list[str] = []
        with self.refusals.at(self.region.line):
            called = self.device.reached({s.callee for s in self.sites})
        ranges: tuple[Range, ...] = ()
        with self.refusals.at(self.region.line):
            ranges = tuple(self._ranges())
        self._symbols()
        stops, prints = tuple(stops_of(self)), tuple(prints_of(self))
        for key in called:
            for found in self.device.globals(key):
                slot = self.device.slot(found)
                with self.refusals.at(self._call_of(key), name=slot):
                    self._global(found, slot)
        room = []
        for slot in ((key, data.name) for key in called for data in own_arrays(self.device, key)):
            with self.refusals.at(self._call_of(slot[0])):
                room.append(workspace(self, slot, called))
        return KernelSpec(
            self.name,
            launcher_name(self.name),
            self.facts.application.shown_place(self.routine.key, self.region.line),
            (self.routine.kind, self.routine.name),
            ranges,
            self.block,
            team_of(self.facts, self.routine, self.region, self.known),
            tuple(self.variables.values()),
            self.meaning,
            self.globals,
            tuple(called),
            tuple(room),
            tuple(self.imports),
            tuple(self.blocks),
            stops,
            prints,
        )

    def _call_of(self, key: str) -> LogicalLine:
        """The call in the region that leads to a routine."""
        for site in self.sites:
            if key in self.device.reached({site.callee}):
                return site.at.statement.line
        return self.region.line

    # -- bounds

    def _ranges(self) -> Iterator[Range]:
        region = self.region
        strides = region.strides or (ONE,) * len(region.domains)
        for name, start, end, step in zip(region.iterators, region.starts, region.ends, strides, strict=True):
            bounds = (
                self._bound(name, "first", start),
                self._bound(name, "last", end),
                self._bound(name, "step", step),
            )
            yield Range(name, self._counting(name), *bounds, _empty(*(constant(b.expr) for b in bounds)))

    def _counting(self, iterator: str) -> Scalar:
        """The type of an iterator in the kernel, where what it is computed with has as many bytes as in the routine."""
        data = self.facts.object(iterator, self.key)
        declared = self.device.kinds.scalar(data.symbol.type, data.home) if data is not None else None
        return declared if declared is not None and declared.base == "integer" else INTEGER

    def _bound(self, iterator: str, word: str, given: Fragment) -> Fragment:
        """A bound of constants and integers that nothing changes, or else one that the host evaluates."""
        kind = self._counting(iterator)
        return self.lasting(given, self.key) or self.asked(f"{iterator}_{word}", (iterator, word), given.text, kind)

    def asked(self, wanted: str, meaning: object, actual: str, kind: Scalar | None = None) -> Fragment:
        """A number that the host works out before the launch, of the default kind where nothing else is said."""
        name = self.names.name(wanted, meaning)
        kind = kind or Scalar("integer", self.device.kinds.defaults.integer)
        self.variables.setdefault(name, Parameter("value", name, name, kind, actual))
        return Fragment(name, Name(0, len(name), name))

    def lasting(self, bound: Fragment, home: str) -> Fragment | None:
        """A bound as it is, if made of constants and integers that nothing changes; None otherwise.

        ``home`` is the unit whose names it means.
        """
        plain = expanded(bound, self.facts.application.macros_of(self.key))
        shown = with_values(plain, values_here(self.facts, self.known, self.key, home))
        value = self.device.kinds.value(shown.expr, home)
        if value is not None:
            return fragment(str(value))
        objects = self.device.lasting(shown.names, home, self.key)
        for found in objects or ():
            if not found.symbol.constant:
                self._value(found.name, scalar_of(self.device.kinds, found))
        return shown if objects is not None else None

    # -- symbols

    def _symbols(self) -> None:
        sharing = self.sharing.result
        self.refusals.names.update(sharing.refused)
        for name in sharing.unknown:
            with self._noted(name):
                raise CannotPrint(f"'{name}', which hfpy does not know,", hint=UNKNOWN, also=self._also(name))
        for reduction in self.region.reductions:
            with self._noted(reduction.name):
                self._reduction(reduction.name, reduction.op)
        flags = {n for a in sharing.flags for n in names_in(a.target)}
        iterators, mentioned = set(self.region.iterators), self.sharing.body.mentioned
        for name in (n for n in sharing.shared if n in mentioned and n not in iterators):
            with self._noted(name):
                self._shared(name, name in flags)
        own = [(name, "") for name in (*sharing.private, *sharing.heap) if name not in iterators]
        own += [(name, "before") for name in sharing.firstprivate]
        own += [(name, "after") for name in sharing.lastprivate]
        for name, when in own:
            with self._noted(name):
                self._own(name, when)

    def _noted(self, name: str) -> AbstractContextManager[None]:
        """Keeps why a variable is refused, at the place where the region first mentions it."""
        return self.refusals.at(*mentioned_at(self.sharing, name), name=name)

    def _also(self, name: str, writes: bool = False) -> str:
        """The other lines of the region that mention a variable, or that change it, in parentheses."""
        named = (r for r in self.sharing.body.references_of(name) if not r.at.statement.line.file)
        if writes:
            named = (r for r in named if self.device.effects.of(r, self.key)[1])
        lines = sorted({r.at.statement.line.place(self.routine.file).line for r in named})[1:]
        shown = ", ".join(map(str, lines))
        return f" (also on line{'s' if len(lines) > 1 else ''} {shown})" if lines else ""

    def _refuse_write(self, name: str, what: str) -> None:
        """A variable that is refused for being written, at the place of the first write."""
        written = self.flow.written[name]
        with self.refusals.at(written.at.statement.line, written.node.start, written.node.end, name):
            raise CannotPrint(what, hint=COMMON, also=self._also(name, True))

    def _object(self, name: str) -> tuple[DataObject, Scalar]:
        data = self.facts.object(name, self.key)
        if data is None:
            raise CannotPrint(f"'{name}'")
        return data, scalar_of(self.device.kinds, data)

    def _named(self, name: str) -> str:
        """The routine's own name for a variable, which no other has in the kernel."""
        if self.names.own(name) != name:
            raise CannotPrint(f"the name '{name}', which hfpy needs,", hint="rename it")
        self.meaning[name] = name
        return name

    def _value(self, name: str, scalar: Scalar) -> None:
        self.variables.setdefault(self._named(name), Parameter("value", name, name, scalar, name))

    def _shared(self, name: str, flag: bool) -> None:
        found = self.facts.scopes.variable(name, self.key)
        if found is not None and found.symbol.type.base in ("type", "class"):
            add_components(self, name, found)
            return
        data, scalar = self._object(name)
        if data.symbol.constant:
            return
        optional = "optional" in data.symbol.attributes
        written = name in self.flow.written
        if data.rank:
            self._array(data, scalar, name, self._named(name), self._access(name))
        elif optional and (flag or written):
            self._refuse_write(name, f"a write of the optional argument '{name}'")
        elif written and not flag:
            self._refuse_write(name, f"a write of '{name}', which all points share,")
        elif optional or flag:
            passing: Passing = "optional" if optional else "result"
            access: Access = "inout" if flag else "in"
            made = Parameter(passing, name, self._named(name), scalar, name, access, optional=optional)
            self.variables[made.text] = made
        else:
            self._value(name, scalar)

    def _access(self, name: str) -> Access:
        if name not in self.flow.written:
            return "in"
        return "inout" if name in self.flow.read else "out"

    def _own(self, name: str, when: str = "") -> None:
        """A variable of which each point has its own; ``when`` it has a value outside of the region, if it has."""
        data, scalar = self._object(name)
        text = self.names.name(f"{self._named(name)}_{when}", (name, when)) if when else ""
        if when == "before":
            if data.rank:
                self._array(data, scalar, name, text, "in")
            else:
                self.variables[text] = Parameter("value", name, text, scalar, name)
        elif when == "after":
            if data.rank:
                raise CannotPrint(f"the array '{name}', whose last value is used after the region,", hint=LAST_VALUE)
            self.variables[text] = Parameter("result", name, text, scalar, name, "inout")
        before, after = (text if when == word else "" for word in ("before", "after"))
        bounds = self._own_bounds(data)
        self.variables[self._named(name)] = Local(name, scalar, data.rank, bounds, before, after)

    def _own_bounds(self, data: DataObject) -> Bounds | None:
        """The bounds of a local array, which were worked out at the beginning of the routine (for an array that the
        plain form alone has: of the region): None where they are not known here. Raises CannotPrint where a variable in
        them has changed, and the host does not have the array, too.
        """
        pairs = []
        for number, (low, high) in enumerate(bounds_of(self.facts, data) if data.rank else ()):
            here = bool(plain_from(data.name))
            changes = any(self._changes(name, data.home, here) for name in low.names | high.names)
            if here and changes:
                what = "an array that the region makes, such as an expression as an argument, whose size changes,"
                raise CannotPrint(what, hint=MADE_SIZE)
            lower, upper = (
                (None if changes else self.lasting(bound, data.home) or shaped(self, data, bound))
                or declared_bound(self, data, word, number)
                for word, bound in (("lbound", low), ("ubound", high))
            )
            if lower is None or upper is None:
                if changes:
                    raise CannotPrint(f"the local array '{data.name}', whose size changes,", hint=SIZE)
                return None
            pairs.append((lower, upper))
        return tuple(pairs)

    def _changes(self, name: str, home: str, here: bool) -> bool:
        """Whether a variable, as a unit means it, gets other values in the routine or below it, or an array another
        shape, of which ``here`` says that it counts as it is.
        """
        found = self.facts.scopes.variable(name, home)
        if found is None or (found.symbol.rank and (here or not found.symbol.dynamic)):
            return False
        if found.home == self.key:
            return name in self.device.changed(self.key)
        return found.symbol.name in self.device.effects.shared_writes(self.key)

    def _reduction(self, name: str, op: str) -> None:
        data, scalar = self._object(name)
        if data.rank:
            raise CannotPrint(f"the reduction of the array '{name}'")
        text = self.names.name(f"{self._named(name)}_partial", (name, "partial"))
        self.variables[text] = Parameter("reduction", name, text, scalar, name, "inout", operator=op)
        self.variables[name] = Local(name, scalar, partial=text, operator=op)

    # -- arrays

    def _array(self, data: DataObject, scalar: Scalar, actual: str, text: str, access: Access) -> None:
        """An array on the device: ``actual`` is its name in the routine, ``text`` the one in the kernel."""
        elements, last = unsized(self, data, text) if is_unsized(data) else (None, None)
        bounds = [self._array_bounds(data, d, actual, text) for d in range(data.rank - (last is not None))]
        self.variables[text] = Parameter(
            "array",
            data.name,
            text,
            scalar,
            actual,
            access,
            tuple(bounds if last is None else [*bounds, last]),
            self.facts.order(data).storage or tuple(range(data.rank)),
            self._aliased(data),
            "optional" in data.symbol.attributes,
            asked=actual in self.asked_about,
            elements=elements,
            gapped=self.facts.may_have_gaps(data),
        )

    def _aliased(self, data: DataObject) -> bool:
        """Whether another name in the kernel may mean some of the array's memory."""
        if data.symbol.attributes & {"pointer", "target"}:
            return True
        others = (name for name in self.sharing.result.shared if name != data.name)
        return any(self.facts.storage.shared(data.name, name, self.key) for name in others)

    def _array_bounds(self, data: DataObject, dimension: int, actual: str, text: str) -> tuple[Fragment, Fragment]:
        """Bounds of one dimension: from the declaration where its names keep their values, else asked of the array."""
        size = data.used[dimension]
        dim = size.extent
        form = data.symbol.shape[size.declared].form if size.declared is not None else "explicit"
        lower = self.lasting(dim.lower or ONE, data.home) if form == "explicit" else None
        upper = self.lasting(dim.upper, data.home) if form == "explicit" and dim.upper is not None else None
        place = self.facts.order(data).place(dimension) + 1
        if "optional" in data.symbol.attributes and (lower is None or upper is None):
            return self._optional_bounds(data, dim, actual, text, place)
        asked = self.asked_bounds(text, actual, place, lower is None, upper is None)
        return lower or next(asked), upper or next(asked)

    def _optional_bounds(
        self, data: DataObject, dim: Dim, actual: str, text: str, place: int
    ) -> tuple[Fragment, Fragment]:
        """Those of an optional array of assumed shape. One that is not there has no bounds that could be asked for."""
        lower = self.lasting(dim.lower or ONE, data.home) if dim.form == "assumed" else None
        if lower is None or data.symbol.attributes & {"allocatable", "pointer"}:
            what = f"the optional array '{data.name}', whose bounds its declaration does not tell,"
            raise CannotPrint(what, hint=OPTIONAL_BOUNDS)
        self.procedures.add("hf_extent")
        extent = f"hf_extent({actual}, {self.device.kinds.defaults.counted(place)})"
        return lower, self.asked(f"{text}_upper{place}", (text, "upper", place), f"{extent} + ({lower.text}) - 1")

    def asked_bounds(self, text: str, actual: str, place: int, lower: bool, upper: bool) -> Iterator[Fragment]:
        """The bounds of a dimension in storage that the host asks the array for."""
        for word, wanted in (("lower", lower), ("upper", upper)):
            if wanted:
                asked = f"{word[0]}bound({actual}, {place})"
                yield self.asked(f"{text}_{word}{place}", (text, word, place), asked)

    # -- variables of modules and common blocks

    def _global(self, found: Found, slot: Slot) -> None:
        """Such a variable that a routine called in the region names."""
        if slot in self.globals:
            return
        scopes = self.facts.scopes
        known = ((n, f) for n in self.meaning if (f := scopes.variable(n, self.key)) is not None)
        own = next((n for n, f in known if self.device.slot(f) == slot), None)
        if own is not None:
            self.globals[slot] = self.meaning[own]
            return
        home, name = found.home, found.symbol.name
        data = self.facts.object(name, home)
        assert data is not None
        owner = self.facts.routine(home)
        local = self._imported(found) if slot == (home, name) else self._in_block(found)
        text = self.globals[slot] = self.names.name(f"{name}_of_{owner.name}", ("global", *slot))
        scalar = scalar_of(self.device.kinds, data)
        if data.rank:
            self._array(data, scalar, local, text, "in")
        else:
            self.variables[text] = Parameter("value", name, text, scalar, local)

    def _imported(self, found: Found) -> str:
        """The name that a module's variable has in the routine."""
        home, name = found.home, found.symbol.name
        owner = self.facts.routine(home)
        block = block_of(owner, name)
        if block is not None and owner.kind != "module":
            raise Follows(f"'{name}'")  # reported where the called routine is printed
        if home == self.key and _is_there(found.symbol):
            return name
        if owner.kind in ("program", "subroutine", "function") and home != self.routine.host:
            raise CannotPrint(f"'{name}' of '{owner.name}', which an internal procedure uses,", hint=INTERNAL)
        if self.routine.host != home and (owner.kind != "module" or not owner.spec.accessible(name)):
            what = f"'{name}' of '{owner.name}', which a routine called here uses and which is private,"
            raise CannotPrint(what, hint=PRIVATE)
        imported = self.imported.found(home, name, self.key)
        self.imports += [imported] if imported is not None else []
        return imported.local if imported is not None else name

    def _in_block(self, found: Found) -> str:
        """The name that a member of a common block has in the routine."""
        local, block = in_block(self.device, self.imported, found, self.key)
        self.blocks += [block] if block is not None and block not in self.blocks else []
        return local

"""A region as one of blocks of columns: data put side by side before the body, and put back after it."""

from __future__ import annotations

from collections.abc import Mapping

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.internal import named_inside
from hfpy.analyze.language.referenced import meant_otherwise
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.allocations import known_size
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.model.building import COLON, Maker, apply, as_written, binary, number, plus
from hfpy.model.building import name as variable
from hfpy.model.directives import Domain, Region
from hfpy.model.expressions import Apply, Expr, Name, walk
from hfpy.model.extents import Dim
from hfpy.model.names import stem
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Node, all_names, constructs, jumps_out
from hfpy.parse.expressions.fragments import ONE, fragment
from hfpy.parse.statements.nests import innermost_body
from hfpy.transform.columns.clones import COUNT, Clones
from hfpy.transform.columns.common import LANE, Instance, Lanes, column_positions, named, place_of, refused
from hfpy.transform.columns.fitness import check_same_in_all
from hfpy.transform.columns.home import HomeBlocks
from hfpy.transform.columns.packing import Mover, Packed
from hfpy.transform.columns.statements import BodyWriter, Variables
from hfpy.transform.columns.types import plain_type
from hfpy.transform.columns.varying import Varying
from hfpy.transform.samekinds import CONVERSION, SameKinds
from hfpy.transform.stencil.fusion import fused
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.regions import with_loops

# Columns of a block where nothing is put side by side for routines that are called: long rows are read faster.
WIDE = 128


class RegionBlocks:
    """Writes neighbouring regions of a routine, over the same points, as one for blocks of columns. Raises Refused."""

    def __init__(
        self,
        analysis: Varying,
        sharing: RoutineSharing,
        numbers: tuple[int, ...],
        clones: Clones,
        names: Locals,
    ) -> None:
        self.analysis = analysis
        self.facts = analysis.facts
        self.sharings = [sharing.region(n) for n in numbers]
        self.routine = sharing.routine
        self.region: Region = self.sharings[0].region
        self.constructs: list[Construct] = [sharing.constructs[n] for n in numbers]
        self.numbers = frozenset(numbers)
        self._own_positions: dict[str, Mapping[int, str]] = {}
        self.in_place: frozenset[str] = frozenset()
        self.packed: tuple[Packed, ...] = ()
        self.clones = clones
        self.names = names
        names.scalar(stem(LANE), "", "integer")  # before the blocks of variables have their names
        self.first = self.region.iterators[0]
        bodies = [innermost_body(c, s.region) for c, s in zip(self.constructs, self.sharings, strict=True)]
        self.nodes = analysis.plain(self.routine, tuple(node for body in bodies for node in body))
        self.references = [
            r
            for s in self.sharings
            for r in s.body.references
            if r.at.loop_of != s.body.identity.number and r.name not in self.region.iterators
        ]
        self.home = HomeBlocks(self.facts, self.routine.key, self.region, self.references, self._all_items)
        self.width = clones.width if self._calls() else self.home.extent or WIDE

    def _calls(self) -> bool:
        """Whether the region calls routines that may have blocked forms, which are made for one width."""
        sites = self.facts.graph.sites.get(self.routine.key, ())
        return any(self.numbers & set(site.at.regions) and site.callee for site in sites)

    def write(self) -> Construct:
        """The new region. Raises Refused."""
        self._check()
        seed = {self.first} | {n for n, data in self._arrays().items() if self._depends(n, data)}
        varying = self.analysis.in_nodes(self.routine, self.nodes, frozenset(seed))
        around = {id(c): c for r in self.references for c in r.at.constructs if c.kind == "associate"}
        check_same_in_all(self.routine, tuple(around.values()), varying)
        self._check_written(varying)
        direct = frozenset(n for n in varying if n in self._arrays() and self._stays(n))
        self.in_place = frozenset(n for n in direct if self._in_place(n))
        packed = [self._packed(n) for n in sorted(varying - direct - {self.first})]
        self.packed = tuple(packed)
        variables = Variables(
            {p.name: p.block for p in packed},
            direct,
            self._items,
            self._rank,
            lambda name: plain_type(self.facts, self.routine.key, name),
            {self.first: self._column},
            self.in_place,
            self.block_name,
        )

        def name(instance: Instance) -> str:
            return self.clones.name(instance, self.routine.file)

        writer = BodyWriter(self.analysis, self.routine, varying, variables, self.names, name, self.width)
        inner = writer.block(self.nodes, Lanes(self.count_name))
        make = Maker(self.region.line)
        macros = frozenset(m.lower() for m in self.facts.application.macros_of(self.routine.key))
        left = plus(binary(as_written(self.region.ends[0], macros), "-", variable(self.block_name)), 1)
        left = SameKinds(self.facts, self.routine.key).of_default(left, self.region.ends[0].expr)
        count = make.assign(variable(self.count_name), apply("min", (number(self.width), left)))
        mover = Mover(make, self.names, self.count_name, macros)
        before = mover.moves([p for p in packed if p.before], back=False)
        behind = mover.moves([p for p in packed if p.behind], back=True)
        return self._region((count, *before, *inner, *behind))

    @property
    def _column(self) -> Expr:
        """The column of a lane."""
        return binary(variable(self.block_name), "+", variable(LANE))

    @property
    def block_name(self) -> str:
        """The iterator over blocks: the first column of each."""
        return self.names.scalar(self.first, "_block", "integer")

    @property
    def count_name(self) -> str:
        """How many columns a block has."""
        return self.names.scalar(stem(COUNT), "", "integer")

    # -- what the region is

    def _check(self) -> None:
        if name := meant_otherwise(("min", CONVERSION), self.routine.key, self.facts.scopes):
            text = f"its text needs the intrinsic function '{name}', which is something else there"
            raise refused(text, self.region.place)
        for sharing in self.sharings:
            region = sharing.region
            if region.reductions or region.vector or any(s != ONE for s in region.strides):
                raise refused("it has a reduction, is a vector loop, or has a stride", region.place)
            if region.private or self._kept(region):
                raise refused("it is made of blocks already, or says that it shall not be", region.place)
            left = next(jumps_out(innermost_body(sharing.body.construct, region)), None)
            if left is not None:
                raise refused(f"'{left.kind}' goes on with another point of it", place_of(self.routine, left))
            placed = sharing.place()
            if region.independent or region.distinct or not placed.clean:
                raise refused("its points may meet in an element, as far as hfpy can tell", region.place)
            if placed.lastprivate or placed.flags:
                raise refused("a scalar carries a value out of it", region.place)
            if placed.firstprivate:
                raise refused(f"'{placed.firstprivate[0]}' brings a value into it", region.place)
            for reference in sharing.body.references:
                self.analysis.check_reference(self.routine, reference)
        if len(self.sharings) > 1:
            self._check_neighbours()

    def _check_neighbours(self) -> None:
        """What neighbouring regions write must be touched at the column itself by all of them."""
        for name in {r.name for r in self.references if self.analysis.effects.of(r, self.routine.key)[1]}:
            data = self.facts.object(name, self.routine.key)
            if data is None or (data.rank and self._depends(name, data) and not self._own(name)):
                raise refused(f"'{name}' is used at other points", self.region.place)
            if data.rank and not self._depends(name, data) and name not in self._private():
                raise refused(f"'{name}' is not the column's own", self.region.place)

    def _private(self) -> set[str]:
        return {name for s in self.sharings for name in s.place().private}

    def _arrays(self) -> Mapping[str, DataObject]:
        found = {}
        for reference in self.references:
            data = self.facts.object(reference.name, self.routine.key)
            if data is not None and data.rank:
                found[reference.name] = data
        return found

    def _of(self, name: str) -> list[Reference]:
        return [r for r in self.references if r.name == name]

    def _all_items(self, reference: Reference) -> tuple[Expr | str, ...]:
        plan = self.facts.plan_of(reference, self.routine.key)
        if plan is not None and plan.items is not None:
            return plan.items
        return reference.indices or ()

    def _depends(self, name: str, data: DataObject) -> bool:
        """Whether which element is meant depends on the column."""
        return any(
            i == self.first
            or (isinstance(i, Expr) and any(isinstance(n, Name) and n.name == self.first for n in walk(i)))
            for r in self._of(name)
            for i in self._all_items(r)
        )

    def _check_written(self, varying: frozenset[str]) -> None:
        """What is written must be the column's own."""
        for name in sorted(varying - {self.first}):
            data = self.facts.object(name, self.routine.key)
            if data is None or not self._changed(name):
                continue
            own = not data.rank or name in self._private() or self._depends(name, data)
            if not own or (not data.rank and data.home != self.routine.key):
                raise refused(f"'{name}' is not the column's own", self.region.place)

    def _positions(self, name: str) -> Mapping[int, str]:
        """The dimensions of an array that the region's iterators index; none where it is used at neighbours."""
        if name not in self._own_positions:
            rank = self._arrays()[name].rank
            listed = [self._all_items(r) for r in self._of(name)]
            found = column_positions(listed, self.region.iterators) if all(len(i) == rank for i in listed) else None
            self._own_positions[name] = found or {}
        return self._own_positions[name]

    def _own(self, name: str) -> bool:
        """Whether an array is touched at the column itself only."""
        return self.first in self._positions(name).values()

    def _stays(self, name: str) -> bool:
        """Whether an array is used where it is: at neighbours, or with its columns side by side already."""
        if not self._depends(name, self._arrays()[name]):
            return False
        if not self._own(name):
            return True
        if self._only_here(name):
            return False
        if self._in_place(name):
            return True
        contiguous = self._contiguous(self._arrays()[name])
        return contiguous and not any(self._passed(r) for r in self._of(name))

    def _passed(self, reference: Reference) -> bool:
        """Whether a reference is an argument of a routine that may get a blocked form."""
        if reference.call is None or reference.role != "argument":
            return False
        return not self.facts.scopes.is_intrinsic(named(reference.call), self.routine.key)

    def _in_place(self, name: str) -> bool:
        """Whether the blocks of columns of an array are those that it has in memory."""
        data = self._arrays()[name]
        return self._own(name) and self.home.lies_in_blocks(data, self._positions(name), self.width)

    def _contiguous(self, data: DataObject) -> bool:
        """Whether neighbouring columns lie side by side in memory."""
        storage = self._storage(data)
        return bool(storage) and self._positions(data.name).get(storage[0]) == self.first

    def _storage(self, data: DataObject) -> tuple[int, ...]:
        """The dimensions of an array in the order in which they lie in memory; none where that is not known."""
        order = self.facts.order(data)
        return order.storage if order.storage is not None else tuple(range(data.rank)) if order.identity else ()

    def would_move(self) -> int:
        """How many times arrays whose columns lie in one piece would be moved: into blocks, and back if they change."""
        moved = (n for n, d in self._arrays().items() if self._own(n) and not self._contiguous(d) and self._long(n))
        return sum(1 + self._changed(n) for n in moved if not self._in_place(n))

    def _long(self, name: str) -> bool:
        return self._arrays()[name].rank > len(self._positions(name))

    def wanted(self) -> bool:
        """Whether nothing in the directives of the regions is against blocks."""
        regions = [s.region for s in self.sharings]
        odd = any(r.reductions or r.vector or r.private or any(s != ONE for s in r.strides) for r in regions)
        return not odd and not self._kept(self.region)

    @staticmethod
    def _kept(region: Region) -> bool:
        """Whether the user wants a region to stay as it is."""
        words = ("fuse", "block")
        return any(n in words and [v.lower() for v in values] == ["no"] for n, values in region.hints)

    def columns_lie_apart(self) -> bool:
        """Whether the elements of a column do not lie next to each other, in some array whose columns are used."""
        return any(
            self._own(n) and self._contiguous(d) and d.rank > len(self._positions(n)) for n, d in self._arrays().items()
        )

    def _items(self, expr: Expr, line: LogicalLine) -> tuple[Expr | str, ...] | None:
        plan = self.facts.plan_at(line.key, expr, self.routine.key)
        items = plan.items if plan is not None and plan.items is not None else None
        if items is None:
            items = expr.args if isinstance(expr, Apply) else None
        data = self.facts.object(named(expr), self.routine.key)
        if items is None or data is None or len(items) != data.rank or not self._packs(named(expr)):
            return items
        parallel = self._positions(data.name)
        rest = tuple(i for p, i in enumerate(items) if p not in parallel)
        return None if rest and all(i == ":" for i in rest) else rest

    def _packs(self, name: str) -> bool:
        return name in self._arrays() and self._depends(name, self._arrays()[name]) and not self._stays(name)

    def _rank(self, name: str) -> int:
        data = self.facts.object(name, self.routine.key)
        if data is None:  # an iterator of the region that nothing declares
            return 0
        return data.rank - (len(self._positions(name)) if self._packs(name) else 0)

    # -- data side by side

    def _packed(self, name: str) -> Packed:
        data = self.facts.object(name, self.routine.key)
        if data is None:
            raise refused(f"'{name}' is not declared", self.region.place)
        type_text = plain_type(self.facts, self.routine.key, name)
        if not self._packs(name):  # the thread's own
            sizes = tuple(d.extent for d in data.used)
            column: tuple[Expr, ...] = ()
            inner: tuple[int, ...] = ()
            before = behind = apart = False
        else:
            parallel = self._positions(data.name)
            rest = [p for p in range(data.rank) if p not in parallel]
            where = [parallel.get(p, "") for p in range(data.rank)]
            sizes = tuple(known_size(self.facts, data, p) or Dim("deferred") for p in rest)
            storage = self._storage(data)
            inner = tuple(sorted(range(len(rest)), key=lambda n: storage.index(rest[n]) if storage else n))
            apart = self._contiguous(data)
            column = tuple(self._column if i == self.first else variable(i) if i else COLON for i in where)
            before = not self._set_first(name, sizes) and not self._only_here(name)
            behind = self._changed(name) and not self._only_here(name)
        if any(dim.open for dim in sizes):
            raise refused(f"the size of '{name}' is not known", self.region.place)
        for word in {name for dim in sizes for name in dim.names}:
            size = self.facts.object(word, self.routine.key)
            if size is not None and size.local and not size.symbol.constant:
                raise refused(f"the size of '{name}' is a local variable", self.region.place)
        shape = ",".join([f"0:{self.width - 1}", *(dim.text for dim in sizes)])
        block = self.names.array(name, "", type_text, shape)
        extents = tuple(map(self._extent, sizes))
        return Packed(name, block, sizes, before, behind, column, inner, apart, extents)

    def _extent(self, dim: Dim) -> int | None:
        """The number of elements of a dimension, where it is known."""
        assert dim.upper is not None
        first = self.facts.domains.value(dim.lower or ONE, self.routine.key)
        last = self.facts.domains.value(dim.upper, self.routine.key)
        return None if first is None or last is None else last - first + 1

    def _changed(self, name: str) -> bool:
        return any(self.analysis.effects.of(r, self.routine.key)[1] for r in self._of(name))

    def _only_here(self, name: str) -> bool:
        """Whether an array is the routine's own and nobody else looks at it."""
        data = self._arrays()[name]
        if not data.local or data.symbol.dynamic or "save" in data.symbol.attributes:
            return False
        if named_inside(self.facts, self.routine.key, name):
            return False
        here = self._of(name)
        if any(c.kind in ("do", "dowhile") and c not in self._inner_loops() for r in here for c in r.at.constructs):
            return False  # what one turn of a loop around the region leaves, the next may read
        return all(self.numbers & set(r.at.regions) for r in self.facts.references[self.routine.key] if r.name == name)

    def _inner_loops(self) -> list[Construct]:
        return [c for outer in self.constructs for c in constructs((outer,))]

    def _set_first(self, name: str, sizes: tuple[Dim, ...]) -> bool:
        """Whether all of an array's columns are set before they are read; a module's may be read by what is called."""
        data = self._arrays()[name]
        own = data.home == self.routine.key
        first = next(s for s in self.sharings if s.body.references_of(name))
        return own and first.sets_all(name)

    # -- the region

    def _region(self, body: tuple[Node, ...]) -> Construct:
        region = self.region
        iterators = (self.block_name, *region.iterators[1:])
        used = all_names(body)
        made = fused(
            [s.region for s in self.sharings],
            domains=tuple(Domain(i, d.extent) for i, d in zip(iterators, region.domains, strict=True)),
            starts=region.starts,
            ends=region.ends,
            strides=(fragment(str(self.width)), *(ONE for _ in region.iterators[1:])),
            stated=frozenset({"startat", "endat"}),
            private=tuple(n for n in self.names.types if n in used and self.names.shapes[n]),
            applies_to=frozenset({"cpu"}),
            schedule=region.schedule,
            collapse=region.collapse,
            loops=region.line.comment,
        )
        return with_loops(made, body, (self.width, *(1 for _ in iterators[1:])), self.constructs[-1])

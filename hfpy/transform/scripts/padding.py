"""Arrays with more elements along a dimension than the program uses (kernel-metadata-and-transforms.md §2.3, ``pad``).

What is declared or allocated gets more elements, in all views of the array. Where the program means all elements of
such a dimension, it gets the bounds that were declared, so that it never sees the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.orders import Node
from hfpy.analyze.calls import dummy_of
from hfpy.analyze.facts import Facts, views_by_class
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import dimension_argument
from hfpy.analyze.language.typed import Types
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.fixedorders import declared_orders, fixed_orders
from hfpy.analyze.order.pointers import seen_otherwise
from hfpy.analyze.order.unsplit import kept_whole
from hfpy.diagnostics import Place, has_errors
from hfpy.model.expressions import Apply, Expr, Fragment, Keyword, Name, Range, base_name
from hfpy.model.extents import Dim, shape_text
from hfpy.model.statements import Assignment, Header, Memory, Opaque
from hfpy.model.units import Symbol
from hfpy.options import DECLARED
from hfpy.parse.expressions.fragments import ONE, fragment
from hfpy.transform.declarations import shape_edits
from hfpy.transform.scripts.layouts import ARRAY, NO_MACROS, along, check_orders, refused, users_place, whole_program
from hfpy.transform.scripts.legality import Against
from hfpy.transform.scripts.questions import Questions
from hfpy.transform.scripts.work import Work
from hfpy.transform.settled import Settled, changed
from hfpy.transform.text.edits import Edit, insert, replace_range

Pads = tuple[tuple[int, int], ...]  # dimensions, from 0, with the numbers of elements that they get

ELEMENTS = (
    "dimensions of the array, by a loop of the kernel that runs along one or by number from 0, with numbers above 0"
)
ONE_SHAPE = "hfpy sees all that uses the array, and nothing there asks how large that dimension is"
_MOST = 4096
_ATTRIBUTES = frozenset({"pointer", "target", "volatile", "asynchronous", "codimension", "value", "contiguous"})
_ABOUT_THE_WHOLE = frozenset({"allocated", "present", "lbound", "kind", "storage_size", "huge", "tiny", "epsilon"})
_OF_A_DIMENSION = frozenset({"size", "ubound"})
_SIZES = frozenset({"size", "shape"})


def asked(work: Work, key: str, number: int, array: str, sizes: Mapping[str | int, int]) -> tuple[Node, Pads]:
    """What a script asks for: an array, by its home and name there, and its dimensions with so many elements more.
    Raises Against.
    """
    data = work.facts.object(array, key)
    if data is None or data.rank < 2:
        raise Against(ARRAY, f"'{array}' is none")
    loops = along(work, key, number, data)
    found: dict[int, int] = {}
    for given, count in sizes.items():
        name = given.lower() if isinstance(given, str) else given
        places = [n for n, names in enumerate(loops) if name in names] if isinstance(name, str) else [name]
        if len(places) != 1 or not 0 <= places[0] < data.rank or not 0 < count <= _MOST:
            raise Against(ELEMENTS, f"'{name}' with {count} is none of '{array}' in this kernel")
        found[places[0]] = count
    if not found:
        raise Against(ELEMENTS, "none is named")
    return data.identity, tuple(sorted(found.items()))


def padded(work: Work, wanted: Mapping[Node, Pads]) -> Settled:
    """The program with arrays that have more elements, by home and name. Raises Against where one of them cannot have
    them.
    """
    application, before = work.application, work.facts
    options = application.options
    if options.storage_order is not None or any(order.access_macro for order in before.orders.values()):
        raise Against(NO_MACROS, "the macros of a storage-order file decide them in this program")
    settled = whole_program(work.settled, options.layout or DECLARED, ONE_SHAPE)
    whole = settled.application
    padding = _Padding(Work(settled, work), wanted)
    changes = padding.edits()
    pads, shapes = {**options.padded, **padding.padded}, {**options.unpadded, **padding.unpadded}
    whole = replace(whole, options=replace(whole.options, padded=pads, unpadded=shapes))
    made = changed(replace(settled, application=whole), changes, [])
    known = {d.message for d in before.found}
    done = Work(made, work)
    faults = made.found if has_errors(made.found) else done.facts.found
    for fault in faults:
        if fault.severity == "error" and fault.message not in known:
            raise Against(ONE_SHAPE, fault.message, place=users_place(made.application, fault.place))
    check_orders(done, options.layout_asked, [d for d in done.facts.found if d.message not in known])
    return made


@dataclass
class _Padding:
    """The edits of all files for some arrays."""

    work: Work
    wanted: Mapping[Node, Pads]
    changes: dict[str, list[Edit]] = field(default_factory=dict)
    padded: dict[Node, Pads] = field(default_factory=dict)
    unpadded: dict[Node, tuple[Dim, ...]] = field(default_factory=dict)
    shapes: dict[tuple[str, int], tuple[list[Symbol], dict[str, str]]] = field(default_factory=dict)

    classes: dict[Node, Pads] = field(default_factory=dict)

    @property
    def facts(self) -> Facts:
        return self.work.facts

    def edits(self) -> dict[str, list[Edit]]:
        """Edits of files, by path. Raises Against."""
        self.classes = self._by_class()
        views = {n: v for n, v in views_by_class(self.facts, hybrid_only=False).items() if n in self.classes}
        for data, reason, place, _ in (*declared_orders(self.facts, False), *fixed_orders(self.facts, False)):
            if self._pads(data):
                raise Against(ONE_SHAPE, f"'{data.name}': {reason}", place=self._shown(place))
        for node, reason in kept_whole(self.facts, views).items():
            if node not in views:
                continue
            raise Against(ONE_SHAPE, f"'{views[node][0][0].name}': {reason}", place=self._shown(views[node][0][1]))
        for members in views.values():
            for data, place in members:
                self._declared(data, place)
        for key in self.facts.references:
            self._routine(key)
        for (path, _), (symbols, shapes) in self.shapes.items():
            self._changes(path).extend(shape_edits(symbols, shapes))
        return self.changes

    def _by_class(self) -> dict[Node, Pads]:
        found: dict[Node, Pads] = {}
        for identity, pads in self.wanted.items():
            root = self.facts.classes.root(identity)
            if found.setdefault(root, pads) != pads:
                raise Against(ONE_SHAPE, f"'{identity[1]}' is asked to have other sizes under another name")
        return found

    def _pads(self, data: DataObject | None) -> Pads:
        return self.classes.get(self.facts.classes.root(data.identity), ()) if data is not None else ()

    def _changes(self, path: str) -> list[Edit]:
        return self.changes.setdefault(path, [])

    def _shown(self, place: Place | None) -> Place | None:
        return users_place(self.work.application, place) if place is not None else None

    # -- declarations

    def _declared(self, data: DataObject, place: Place) -> None:
        symbol, pads = data.symbol, dict(self._pads(data))
        line = symbol.line
        reason = ""
        if data.removed or data.rank <= max(pads):
            reason = "it has other dimensions there"
        elif line is None or line.file or data.user_macro or "header" in symbol.attributes:
            reason = "its declaration cannot be changed"
        elif symbol.attributes & _ATTRIBUTES:
            reason = f"it has the attribute '{min(symbol.attributes & _ATTRIBUTES)}'"
        elif any(data.used[d].declared is None for d in pads) or data.listed is not None:
            reason = "a directive says which dimensions it has"
        elif self.facts.order(data).blocks:
            reason = "its dimensions are in blocks, which have more elements in any case"
        if reason:
            raise Against(ONE_SHAPE, f"'{data.name}': {reason}", place=self._shown(place))
        assert line is not None
        if data.home != data.routine:
            return
        self.padded[data.identity] = self._pads(data)
        dims = list(symbol.shape)
        for dimension, count in pads.items():
            declared = data.used[dimension].declared
            assert declared is not None
            upper = dims[declared].upper
            if upper is not None:
                dims[declared] = replace(dims[declared], upper=fragment(f"{upper.text}+{count}"))
        if tuple(dims) != symbol.shape:
            routine = self.facts.routine(data.home)
            entities = [s for s in routine.spec.symbols.values() if s.line is line]
            slot = self.shapes.setdefault((routine.file, id(line)), (entities, {}))
            slot[1][symbol.name] = shape_text(dims)
            self.unpadded[data.identity] = symbol.shape

    # -- uses

    def _routine(self, key: str) -> None:
        for reference in self.facts.references[key]:
            data = self.facts.object(reference.name, key)
            pads = self._pads(data)
            if data is not None and pads and self.facts.live(reference.at, key):
                self._reference(data, dict(pads), reference, key)
        for at in self.facts.graph.statements[key]:
            names = at.statement.names if isinstance(at.statement, Opaque) else ()
            for name in sorted(names):
                if self._pads(self.facts.object(name, key)):
                    raise self._against(key, at, f"'{name}': a statement that hfpy cannot parse names it")
            for data, reason in seen_otherwise(self.facts, at, key):
                if self._pads(data):
                    raise self._against(key, at, f"'{data.name}': {reason}")
        for site in self.facts.graph.sites[key]:
            for position, arg in enumerate(site.args) if site.callee else ():
                value, where = (arg.value, arg.name) if isinstance(arg, Keyword) else (arg, position)
                _, dummy = dummy_of(self.facts, site, where)
                given = self.facts.object(value.name, key) if isinstance(value, Name) else None
                if self._pads(dummy) and not self._pads(given):
                    raise self._against(key, site.at, f"'{site.name}' gets something else as '{arg}'")

    def _against(self, key: str, at: Located, message: str, node: Expr | None = None) -> Against:
        line, file = at.statement.line, self.facts.routine(key).file
        place = line.place(file, node.start, node.end) if node is not None else line.place(file)
        return Against(ONE_SHAPE, message, place=self._shown(place))

    def _reference(self, data: DataObject, pads: dict[int, int], reference: Reference, key: str) -> None:
        made = self.facts.plan_of(reference, key)
        items: Sequence[Expr | str] | None = made.items if made is not None and made.changed else reference.indices
        listed = items if items is not None else (":",) * data.rank
        ranged = [d for d in pads if len(listed) != data.rank or self._open(listed[d])]
        reason = ""
        if (made is not None and made.final) or len(listed) != data.rank:
            reason = "its indices are not those of its dimensions"
        elif reference.at.statement.line.file:
            reason = "an included line names it"
        elif reference.role == "allocate":
            reason = self._allocated(reference, pads, key)
        elif reference.role == "inquiry":
            reason = self._inquired(data, reference, pads, items, key)
        elif reference.role == "pointer" or self._named(reference):
            reason = "it gets another name"
        elif reference.role == "argument" and (ranged or self._whole_callee(reference, key)):
            reason = self._given(data, reference, ranged, items, key)
        elif ranged and not self._set_to_one(reference, key):
            reason = self._bounded(data, reference, ranged, items, key)
        if reason:
            raise self._against(key, reference.at, f"'{data.name}': {reason}", reference.node)

    @staticmethod
    def _open(item: Expr | str) -> bool:
        """Whether an index means all elements from one, or up to one, that the declaration tells."""
        return item == ":" or (isinstance(item, Range) and (item.lower is None or item.upper is None))

    @staticmethod
    def _named(reference: Reference) -> bool:
        statement = reference.at.statement
        if not isinstance(statement, Header) or statement.kind not in ("associate", "selecttype"):
            return False
        return any(e.start <= reference.node.start and reference.node.end <= e.end for e in statement.exprs)

    def _allocated(self, reference: Reference, pads: dict[int, int], key: str) -> str:
        statement = reference.at.statement
        assert isinstance(statement, Memory)
        if statement.kind != "allocate":
            return ""
        options = {o.name for o in statement.options if isinstance(o, Keyword)}
        if reference.indices is None or options & {"source", "mold"}:
            return "it is allocated like another array"
        for dimension, count in pads.items():
            item = reference.indices[dimension]
            edit = insert(statement.line, item.end, f"+{count}")
            self._changes(self.facts.routine(key).file).append(edit)
        return ""

    def _inquired(
        self,
        data: DataObject,
        reference: Reference,
        pads: dict[int, int],
        items: Sequence[Expr | str] | None,
        key: str,
    ) -> str:
        """An inquiry: nothing changes for most; sizes are those of the elements that are meant."""
        call = reference.call
        name = base_name(call) if isinstance(call, Apply) else ""
        if name in _ABOUT_THE_WHOLE:
            return ""
        number = dimension_argument(call) if isinstance(call, Apply) else None
        if name in _OF_A_DIMENSION and number is not None and items is None and int(number.text) - 1 not in pads:
            return ""
        if name in _OF_A_DIMENSION and number is not None and items is None:
            return self._size(data, reference, int(number.text) - 1, key)
        ranged = [d for d in pads if items is None or self._open(items[d])]
        from_one = all((self._bounds(data, d, key) or ("", ""))[0] == "1" for d in ranged)
        if name in _SIZES or (name == "ubound" and from_one):
            return self._bounded(data, reference, ranged, items, key) if ranged else ""
        return f"'{name}' asks about a dimension that gets more elements"

    def _size(self, data: DataObject, reference: Reference, dimension: int, key: str) -> str:
        """The declared size or last index of a dimension in the place of an inquiry; gives why that cannot be."""
        call, bounds = reference.call, self._bounds(data, dimension, key)
        assert isinstance(call, Apply)
        if bounds is None or len(call.args) > 2:
            return f"'{base_name(call)}' asks about a dimension that gets more elements"
        low, high = bounds
        text = f"({high})" if base_name(call) == "ubound" or low == "1" else f"({high} - ({low}) + 1)"
        edit = replace_range(reference.at.statement.line, call.start, call.end, text)
        self._changes(self.facts.routine(key).file).append(edit)
        return ""

    def _whole_callee(self, reference: Reference, key: str) -> bool:
        """Whether an element is passed to a procedure that takes an array, which begins there."""
        site = self.facts.graph.site(key, reference.at, reference.call)
        if site is None or not site.callee:
            return site is not None and not self.facts.scopes.is_intrinsic(site.name, key)
        known, dummy = dummy_of(self.facts, site, reference.position)
        return not known or dummy is None or bool(dummy.rank)

    def _given(
        self, data: DataObject, reference: Reference, ranged: list[int], items: Sequence[Expr | str] | None, key: str
    ) -> str:
        """An array as an argument: whole, where the dummy is a view of it; else its elements for an intrinsic."""
        call = reference.call
        site = self.facts.graph.site(key, reference.at, call)
        name = base_name(call) if call is not None else ""
        if site is not None and site.callee:
            _, dummy = dummy_of(self.facts, site, reference.position)
            same = isinstance(reference.node, Name) and items is None and self._pads(dummy) == self._pads(data)
            same = same and dummy is not None and dummy.rank == data.rank
            return "" if same else f"'{site.name}' takes it, or a part of it, in another shape"
        if isinstance(call, Apply) and name and self.facts.scopes.is_intrinsic(name, key):
            return self._bounded(data, reference, ranged, items, key) if ranged else ""
        return f"it goes to '{name or 'a procedure'}'"

    def _set_to_one(self, reference: Reference, key: str) -> bool:
        """Whether all elements are set to one value, which those that are not used may have, too."""
        statement = reference.at.statement
        if reference.role != "write" or not isinstance(statement, Assignment) or statement.target is not reference.node:
            return False
        found = Types(self.work.application, self.facts.scopes).expression(statement.value, key)
        return found is not None and not found.rank

    def _bounded(
        self, data: DataObject, reference: Reference, ranged: list[int], items: Sequence[Expr | str] | None, key: str
    ) -> str:
        """All elements of dimensions as those between the declared bounds; gives why that cannot be."""
        node, line = reference.node, reference.at.statement.line
        if items is not None and items is not reference.indices:
            return "it is used as an array in a region"
        bounds = {}
        for dimension in ranged:
            found = self._bounds(data, dimension, key)
            if found is None:
                return "it is used as an array where nothing tells how many elements are meant"
            bounds[dimension] = found
        changes = self._changes(self.facts.routine(key).file)
        if items is None:
            shown = (":".join(bounds[d]) if d in bounds else ":" for d in range(data.rank))
            changes.append(insert(line, node.end, f"({','.join(shown)})"))
            return ""
        for dimension, (low, high) in bounds.items():
            item = items[dimension]
            assert isinstance(item, Range)
            first = self._text(reference, item.lower) or low
            last = self._text(reference, item.upper) or high
            step = self._text(reference, item.step)
            if step:
                return "a part of it with a step is used"
            changes.append(replace_range(line, item.start, item.end, f"{first}:{last}"))
        return ""

    @staticmethod
    def _text(reference: Reference, expr: Expr | None) -> str:
        return reference.at.statement.line.text[expr.start : expr.end] if expr is not None else ""

    def _bounds(self, data: DataObject, dimension: int, key: str) -> tuple[str, str] | None:
        """The declared bounds of a dimension as a routine can write them; None where it cannot."""
        declared = data.used[dimension].declared
        assert declared is not None
        dim: Dim = data.symbol.shape[declared]
        if dim.form != "explicit" or dim.upper is None:
            return None
        shown = [self._bound(bound, data, key) for bound in (dim.lower or ONE, dim.upper)]
        return (shown[0], shown[1]) if all(shown) else None

    def _bound(self, bound: Fragment, data: DataObject, key: str) -> str:
        value = self.facts.domains.value(bound, data.home)
        if value is not None:
            return str(value)
        if data.home != key or not all(self._lasts(name, key) for name in bound.names):
            return ""
        return bound.text

    def _lasts(self, name: str, key: str) -> bool:
        found = self.facts.scopes.variable(name, key)
        return found is not None and (found.symbol.constant or found.symbol.intent == "in")


def with_pads(settled: Settled, kernels: Sequence[Questions]) -> Settled:
    """A program after the scripts, with the elements more that the kernels ask for.

    Raises HfpyError where two kernels ask for different numbers, or they cannot be had with all that the scripts did.
    """
    wanted: dict[Node, tuple[Pads, Questions]] = {}
    for kernel in kernels:
        for array, pads in kernel.padded.items():
            other = wanted.setdefault(array, (pads, kernel))
            if other[0] != pads:
                message = f"the kernel '{other[1].name}' asks for other sizes"
                raise refused("pad", array[1], message, ONE_SHAPE, _asking(array, kernel, other[1]))
    if not wanted or has_errors(settled.found):
        return settled
    try:
        return padded(Work(settled), {array: pads for array, (pads, _) in wanted.items()})
    except Against as reason:
        array, (_, kernel) = next(reversed(wanted.items()))
        raise refused("pad", array[1], reason.message, reason.rule, _asking(array, kernel)) from None


def _asking(array: Node, *kernels: Questions) -> list[tuple[Questions, Place | None]]:
    """Kernels with the lines of the script where they got more elements of an array."""
    found = []
    for kernel in kernels:
        asking = kernel
        while asking.parent is not None and array in asking.parent.padded:
            asking = asking.parent
        found.append((kernel, asking.steps[-1].script if asking.steps else None))
    return found

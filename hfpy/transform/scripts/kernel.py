"""A kernel as users' scripts see it: a value with questions, and with transformations that each give a new kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from hfpy.analyze.language.referenced import meant_otherwise
from hfpy.analyze.language.sizes import constant
from hfpy.backendtable import TABLE
from hfpy.diagnostics import UsageError
from hfpy.model.names import in_unit_of
from hfpy.model.statements import Construct, Header
from hfpy.options import schedule_fault
from hfpy.parse.directives.regions import MOST_COPIES, MOST_QUEUES
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.scripts import (
    common,
    cuts,
    inlined,
    interleaving,
    layouts,
    legality,
    loopchanges,
    meanings,
    padding,
    whole,
)
from hfpy.transform.scripts.assumed import assumption
from hfpy.transform.scripts.changing import Changing, call_text, listed
from hfpy.transform.scripts.legality import Against

# Where a loop of the region is put, counted from the innermost one.
GPU_TAGS = {f"{level}.{axis}": place for level in ("thread", "block") for place, axis in enumerate("xyz")}
TAGS = {**GPU_TAGS, "omp.simd": 0, "vector": 0, "omp.parallel": -1}
ITERATORS = "the region's points may be computed in any order, so its own loops may"


@dataclass(frozen=True, eq=False, repr=False)
class Kernel(Changing):
    """A region of a program. Transformations leave it as it is and give another one; each raises IllegalTransform where
    it would change results, or where the kernel has no place for it.
    """

    def run(self, rounds: int = 5, **sizes: int) -> float:
        """Seconds that a call of its routine takes with this form of the kernel, the median of some rounds. Arguments
        are made up; ``sizes`` are values of integer ones.

        Raises UsageError where the routine cannot be called, or in a script: scripts are run while the program is
        translated.
        """
        if self.ledger.timed is None:
            raise UsageError("a script cannot run kernels; hfpy tune --script times the forms that it proposes")
        return self.ledger.timed(self, sizes, rounds)

    # -- statements around it

    def before(self, *statements: str) -> Kernel:
        """With Fortran statements before the region; nobody asks what they do."""
        return self._around(call_text("before", *statements), (*self.rows_before, *statements), self.rows_after)

    def after(self, *statements: str) -> Kernel:
        """With Fortran statements after the region, after those that are there; nobody asks what they do."""
        return self._around(call_text("after", *statements), self.rows_before, (*self.rows_after, *statements))

    def _around(self, call: str, before: tuple[str, ...], after: tuple[str, ...]) -> Kernel:
        if self.work.file(self.key).fixed:
            raise self._illegal(call, "a file in free form", "hfpy adds no statements in fixed form")
        return self._made(replace(self, rows_before=before, rows_after=after, steps=self._done(call), parent=self))

    def assume(self, condition: str) -> Kernel:
        """With a condition on integer scalars, such as ``nz >= 8``, that the program tests before the kernel: it ends
        with a message where that is false. What comes after may rely on it.
        """
        call = call_text("assume", condition)
        try:
            made = assumption(self.work, self.key, self.number, condition)
        except Against as reason:
            raise self._against(call, reason) from None
        place = f"{PurePath(self.source.file).name}:{self.source.line}"
        said = f"hfpy: {place}: kernel {self.name} needs {made.text}"
        rows = (f"if (.not. ({made.text})) then", f"  error stop '{said}'", "end if")
        kernel = self._around(call, (*self.rows_before, *rows), self.rows_after)
        return self._made(
            replace(
                kernel,
                work=replace(self.work, assumed=(*self.work.assumed, (self.key, self.number, made))),
                parent=self,
            )
        )

    # -- the region's own loops

    def order(self, *iterators: str) -> Kernel:
        """The region's loops in another order, the outermost first."""
        return self._ordered(call_text("order", *iterators), iterators)

    def _ordered(self, call: str, iterators: tuple[str, ...]) -> Kernel:
        names = [i.lower() for i in iterators]
        if sorted(names) != sorted(self.region.iterators):
            raise self._illegal(
                call, "each of the region's loops once", f"its loops are {listed(self.region.iterators)}"
            )
        if self.region.loops:
            raise self._illegal(call, ITERATORS, "the region's loops are written in its body; write them in that order")
        return self._with(call, loopchanges.reordered(self.region, names[::-1]))

    def tile(self, sizes: Mapping[str, int] | None = None, /, **more: int) -> Kernel:
        """In tiles of so many points: of the loops on a CPU, of threads on a GPU."""
        return self._factors("tile", sizes, more)

    def march(self, **sizes: int) -> Kernel:
        """A thread walks so many points along a loop, which is not the innermost (GPUs)."""
        call = call_text("march", **sizes)
        if len(sizes) != 1 or next(iter(sizes)).lower() == self.region.iterators[0]:
            raise self._illegal(call, "one loop, and not the innermost", "a thread walks along one of the outer loops")
        return self._factors("march", None, sizes)

    def share(self, sizes: Mapping[str, int] | None = None, /, **more: int) -> Kernel:
        """Tiles whose values in between are in memory that the threads of a block share (GPUs)."""
        return self._factors("share", sizes, more)

    def team(self, threads: Mapping[str, int] | None = None, /, **more: int) -> Kernel:
        """Each point by a team of threads, so many along loops of its body, with private arrays in memory that they
        share (CUDA C); the loops may be in any order.
        """
        given = {name.lower(): n for name, n in {**(threads or {}), **more}.items()}
        call = call_text("team", **given)
        if not 0 < len(given) <= 3 or any(n < 1 for n in given.values()):
            raise self._illegal(call, "one to three loops with numbers above 0", "these are no threads of a team")
        for name in given:
            if self._loop(call, name).parallel:
                raise self._illegal(call, "loops in the body", f"'{name}' is a loop of the region")
        self._require(call, legality.check_team, tuple(given))
        return self._hint(call, "team", tuple(f"{name}:{n}" for name, n in given.items()))

    def block(self, *threads: int) -> Kernel:
        """The numbers of threads of a block along each loop, innermost first (CUDA)."""
        call = call_text("block", *threads)
        if not threads or len(threads) > 3 or any(n < 1 for n in threads):
            raise self._illegal(call, "one to three numbers above 0", "these are no sizes of a block")
        return self._hint(call, "block", tuple(map(str, threads)))

    def collapse(self, loops: int) -> Kernel:
        """So many of the outer loops are shared among threads as one (OpenMP)."""
        call = call_text("collapse", loops)
        if not 0 < loops <= len(self.region.iterators):
            raise self._illegal(call, "a number of the region's loops", f"it has {len(self.region.iterators)}")
        return self._with(call, replace(self.region, collapse=loops))

    def schedule(self, text: str) -> Kernel:
        """How turns are shared among threads, as OpenMP writes it: ``dynamic,4``."""
        call = call_text("schedule", text)
        if fault := schedule_fault(text):
            raise self._illegal(call, "a schedule of OpenMP", fault)
        return self._with(call, replace(self.region, schedule=text))

    def async_(self, queue: int) -> Kernel:
        """In a queue, so that the host does not wait for its end before it goes on (GPUs)."""
        call = call_text("async_", queue)
        if not TABLE[self.target].queues:
            raise self._illegal(call, "a backend with queues", f"'{self.target}' has none")
        if not 0 < queue <= MOST_QUEUES:
            raise self._illegal(call, f"a number from 1 to {MOST_QUEUES}", "this is no number of a queue")
        return self._hint(call, "async", (str(queue),))

    def group(self, name: str) -> Kernel:
        """In one kernel with the neighbours that are in the group of that name."""
        return self._hint(call_text("group", name), "fuse", (name,))

    def apart(self) -> Kernel:
        """A kernel of its own, whatever its neighbours are."""
        return self._hint(call_text("apart"), "fuse", ("no",))

    def specialise(self, *listed: str, **sizes: int) -> Kernel:
        """With a version for sizes that have these values, and one for each value that the project lists for a size
        that is named alone (``[specialise]``); the general version stays for others.
        """
        call = call_text("specialise", *listed, **sizes)
        if not (listed or sizes) or any(n < 1 for n in sizes.values()):
            raise self._illegal(call, "names of sizes with numbers above 0", "there is nothing to specialise for")
        known = self.region.entries("specialise")
        entries = (*known, *(n.lower() for n in listed), *(f"{name.lower()}:{n}" for name, n in sizes.items()))
        return self._hint(call, "specialise", tuple(dict.fromkeys(entries)))

    def tag(self, loop: str, where: str) -> Kernel:
        """A loop at a place: ``unroll``; of the region's loops on GPUs ``thread.x``, ``block.x`` (the innermost),
        ``.y`` and ``.z``, on CPUs ``omp.simd``, ``vector`` (the innermost), ``omp.parallel`` (it and those around it).
        """
        call = call_text("tag", loop, where)
        found = self._loop(call, loop)
        if where == "unroll":
            return self.unroll(loop)
        gpu = self.work.application.options.target == "gpu"
        if where not in TAGS or (where in GPU_TAGS) != gpu:
            places = ["unroll", *(t for t in TAGS if (t in GPU_TAGS) == gpu)]
            raise self._illegal(call, "a place for loops on the target", f"there are {listed(places)}")
        if not found.parallel:
            at = found.construct.header if found.construct is not None else None
            raise self._illegal(call, "a loop of the region", f"'{loop}' is in its body", at)
        iterators = self.region.iterators
        if where == "omp.parallel":
            return self._with(call, replace(self.region, collapse=len(iterators) - iterators.index(found.name)))
        place = TAGS[where]
        if place >= len(iterators):
            raise self._illegal(call, "as many loops as places", f"the region has {len(iterators)} loops")
        names = [i for i in iterators if i != found.name]
        names.insert(place, found.name)
        return self._ordered(call, tuple(reversed(names)))

    def reduction(self, kind: str) -> Kernel:
        """Its reductions in two stages (``two_stage``): sums of parts, then the sum of these, in an order that does not
        depend on the run. That is what kernels of CUDA, HIP and OpenCL do in any case.
        """
        call = call_text("reduction", kind)
        if not self.region.reductions:
            raise self._illegal(call, "a kernel with a reduction", "its directive names none")
        if kind != "two_stage":
            raise self._illegal(call, "a way to reduce that hfpy has", f"'{kind}' is none: there is 'two_stage'")
        if self.target not in ("cuda-c", "cuda-fortran", "hip", "opencl"):
            raise self._illegal(call, "kernels that hfpy writes", f"with {self.target} the compiler decides")
        return self._with(call, self.region)

    def layout(self, arrays: str | Sequence[str], *order: str | int) -> Kernel:
        """An array, or several together, in another order in memory, in the whole program: the loops of the kernel that
        run along its dimensions, the contiguous one first, or the numbers of all dimensions, from 0. ``"i:32"`` with a
        later ``"i"`` makes blocks.
        """
        call = call_text("layout", arrays, *order)
        names = [arrays] if isinstance(arrays, str) else arrays
        try:
            asked = [layouts.asked(self.work, self.key, self.number, name.lower(), order) for name in names]
            work = layouts.laid_out(self.work, dict(asked))
        except Against as reason:
            raise self._against(call, reason) from None
        return self._made(replace(self, work=work, steps=self._done(call), parent=self))

    def pad(self, arrays: str | Sequence[str], sizes: Mapping[str | int, int] | None = None, /, **more: int) -> Kernel:
        """An array, or several together, with so many elements more along dimensions, in the whole program. A dimension
        is named by a loop of the kernel that runs along it, or by its number, from 0. The program never sees these
        elements.
        """
        given: dict[str | int, int] = dict(sizes or {})
        given.update(more)
        call = call_text("pad", arrays, *((sizes,) if sizes else ()), **more)
        names = [arrays] if isinstance(arrays, str) else arrays
        pads = dict(self.padded)
        try:
            for name in names:
                array, asked = padding.asked(self.work, self.key, self.number, name.lower(), given)
                pads[array] = tuple(sorted({**dict(pads.get(array, ())), **dict(asked)}.items()))
            padding.padded(self.work, pads)
        except Against as reason:
            raise self._against(call, reason) from None
        return self._made(replace(self, padded=pads, steps=self._done(call), parent=self))

    def aos(self, *arrays: str) -> Kernel:
        """Arrays of one shape as one array, whose first dimension tells them apart, in the whole program: ``u(i,j)``
        and ``v(i,j)`` lie side by side.
        """
        call = call_text("aos", *arrays)
        try:
            group = interleaving.asked(self.work, self.key, [name.lower() for name in arrays])
            together = tuple(dict.fromkeys((*self.together, group)))
            interleaving.interleaved(self.work, together)
        except Against as reason:
            raise self._against(call, reason) from None
        return self._made(replace(self, together=together, steps=self._done(call), parent=self))

    # -- loops in the body

    def interchange(self, one: str, other: str) -> Kernel:
        """Two loops, one right in the other, the other way round."""
        call = call_text("interchange", one, other)
        first, second = self._loop(call, one), self._loop(call, other)
        if first.parallel and second.parallel:
            swap = {first.name: second.name, second.name: first.name}
            return self._ordered(call, tuple(swap.get(i, i) for i in reversed(self.region.iterators)))
        if first.construct is None or second.construct is None:
            raise self._illegal(call, legality.PERFECT, "one of them is the region's, the other one is in its body")
        outer, inner = (second, first) if first.parent == second.name else (first, second)
        assert outer.construct is not None and inner.construct is not None
        self._require(call, legality.check_interchange, outer.construct, inner.construct)
        return self._rewritten(call, outer.construct, (loopchanges.interchanged(outer.construct, inner.construct),))

    def carried(self, loop: str) -> tuple[str, ...]:
        """The arrays and scalars by which a turn of a loop depends on another one, or may: the loop's turns can be in
        any order if there are none. Of the region's own loops there are none.
        """
        call = call_text("carried", loop)
        found = self._loop(call, loop).construct
        try:
            return tuple(cuts.carried(self.work, self.key, self.number, found)) if found is not None else ()
        except Against as reason:
            raise self._against(call, reason) from None

    def fission(self, loop: str, after: int | str) -> Kernel:
        """A loop of the body in two, one after the other: ``after`` so many of its statements (a branch or loop is
        one), or after the last one that sets a variable.
        """
        call = call_text("fission", loop, after)
        found = self._inner(call, loop, 1)
        nodes = found.parts[0].body
        count = after
        if isinstance(after, str):
            places = [
                n for n, x in enumerate(nodes, 1) if cuts.sets(self.work, self.key, self.number, x, after.lower())
            ]
            if not places:
                raise self._illegal(call, "a variable that the loop sets", f"'{loop}' sets no '{after}'", found.header)
            count = places[-1]
        if not isinstance(count, int) or not 0 < count < len(nodes):
            message = f"'{loop}' holds {len(nodes)} statements, and the cut is after number {count}"
            raise self._illegal(call, "statements in both parts", message, found.header)
        self._require(call, cuts.check_fission, found, count)
        return self._rewritten(call, found, loopchanges.cut(found, count))

    def fuse(self, one: str, other: str = "") -> Kernel:
        """Two loops of the body, the second right after the first, as one. With one name: this kernel and the one of
        that name, which follows it, as one; it has this kernel's name and directive.
        """
        if not other:
            return self._fused_with(one)
        call = call_text("fuse", one, other)
        first, second = self._inner(call, one, 1), self._inner(call, other, 1)
        self._require(call, cuts.check_neighbours, self.loops[one.lower()], self.loops[other.lower()])
        self._require(call, meanings.check_counter, first, second)
        counters = {self.loops[name.lower()].variable for name in (one, other)}
        for loop in (first, second) if len(counters) > 1 else ():
            self._require(call, meanings.check_meanings, counters, loop)
        made = self._tried(call, loopchanges.fused(self.construct, first, second))
        together = made.loops[one.lower()].construct
        assert together is not None
        made._require(call, cuts.check_fission, together, len(first.parts[0].body))  # what may be cut may be joined
        return self._made(made)

    def _fused_with(self, name: str) -> Kernel:
        call = call_text("fuse", name)
        behind = self.number + len(self.taken) + 1
        shown = self.ledger.kernels.get((self.key, behind), "")
        if name.lower() not in (shown.lower(), in_unit_of(self.key, shown)):
            said = f"'{shown}' comes after '{self.name}'" if shown else f"no kernel is after '{self.name}'"
            raise self._illegal(call, whole.BEHIND, said)
        if self.work.file(self.key).fixed:
            raise self._illegal(call, "a file in free form", "hfpy does not write kernels anew in fixed form")
        count = len(self.construct.parts[0].body)
        try:
            whole.check_behind(self.work, self.key, self.number)
            construct = whole.joined(self.work, self.key, self.number, self.region)
            own = whole.private_in_both(self.work, self.key, self.number)
            whole.check_parts(self.work, self.key, self.number)
        except Against as reason:
            raise self._against(call, reason) from None
        work = self.work.with_region(self.key, self.number, construct, (), 1)
        if work is None:
            raise self._illegal(call, "text that hfpy reads", "hfpy cannot read what this makes of the kernels")
        region = work.routine(self.key).regions[self.number].region
        assert region is not None
        made = replace(self, work=work, region=region, steps=self._done(call), parent=self, taken=(*self.taken, behind))
        made._require(call, whole.check_points, count, own)
        return self._made(made)

    def inline(self, variable: str) -> Kernel:
        """What a scalar of the body is set to, in the places where it is read."""
        call, scalar = call_text("inline", variable), variable.lower()
        self._require(call, inlined.check_inline, scalar)
        return self._written(call, inlined.without(self.construct, scalar), frozenset())

    def privatise(self, variable: str, loop: str) -> Kernel:
        """A scalar of the body as another one within a loop, so that it is that loop's alone."""
        call, scalar = call_text("privatise", variable, loop), variable.lower()
        found = self._inner(call, loop, 1)
        self._require(call, cuts.check_privatise, found, scalar)
        self._require(call, meanings.check_meanings, (scalar,), found)
        symbol = self.work.facts.object(scalar, self.key)
        assert symbol is not None
        own = self._names().scalar(scalar, f"_{self.loops[loop.lower()].variable}", symbol.symbol.type.text)
        return self._rewritten(call, found, (loopchanges.renamed(found, scalar, own),), frozenset({own}))

    def expand(self, variable: str, loop: str) -> Kernel:
        """A scalar of the body as an array that has an element for each turn of a loop."""
        call, scalar = call_text("expand", variable, loop), variable.lower()
        found = self._inner(call, loop, 1)
        self._require(call, cuts.check_expand, found, scalar)
        shown, symbol = self.loops[loop.lower()], self.work.facts.object(scalar, self.key)
        self._require(call, meanings.check_meanings, (scalar, shown.variable), found)
        assert symbol is not None
        shape = shown.upper if shown.lower == "1" else f"{shown.lower}:{shown.upper}"
        array = self._names().array(scalar, f"_{shown.variable}", symbol.symbol.type.text, shape)
        return self._rewritten(call, found, (loopchanges.expanded(found, scalar, array),), frozenset({array}))

    def precompute(self, expression: str) -> Kernel:
        """An expression that several statements have computed once, before the first of them."""
        call = call_text("precompute", expression)
        try:
            found = common.find_common(self.work, self.key, self.number, expression)
        except Against as reason:
            raise self._against(call, reason) from None
        names = self._names()
        variable = names.scalar(f"value{len(names.types) + 1}", "", found.type)
        return self._written(call, common.computed_once(self.construct, found, variable), frozenset({variable}))

    def jam(self, **factors: int) -> Kernel:
        """So many turns of a loop together in each turn of the one right in it."""
        call = call_text("jam", **factors)
        if len(factors) != 1:
            raise self._illegal(call, "one loop with a number", f"these are {len(factors)}")
        ((loop, size),) = factors.items()
        outer = self._inner(call, loop, size)
        inner = outer.parts[0].body[0] if outer.parts[0].body else None
        if not isinstance(inner, Construct) or inner.kind != "do":
            raise self._illegal(call, legality.PERFECT, f"there is no loop right in '{loop}'", outer.header)
        header = outer.header
        assert isinstance(header, Header)
        if len(header.exprs) > 2:
            raise self._illegal(call, "the step is 1", f"the loop over '{header.var}' has a step", header)
        self._require(call, legality.check_interchange, outer, inner)
        self._require(call, meanings.check_counter, outer)
        self._require(call, meanings.check_meanings, (header.var,), outer)
        return self._rewritten(call, outer, loopchanges.jammed(outer, inner, size)) if size > 1 else self

    def split(self, loop: str, size: int) -> Kernel:
        """A loop of the body in blocks of so many turns, with a loop over the blocks around it."""
        call = call_text("split", loop, size)
        found = self._inner(call, loop, size)
        header = found.header
        assert isinstance(header, Header)
        if len(header.exprs) > 2:
            raise self._illegal(call, "the step is 1", f"the loop over '{header.var}' has a step", header)
        try:
            legality.check_bounds((found,), found)
            legality.check_left(found)
            high = meanings.as_counter(self.work, self.key, found, header.exprs[1])
        except Against as reason:
            raise self._against(call, reason) from None
        if meant_otherwise(("min", "int"), self.key, self.work.facts.scopes):
            raise self._illegal(call, "the intrinsic functions 'min' and 'int'", "one is something else here", header)
        counter = self.work.facts.object(header.var, self.key)
        assert counter is not None
        block = self._names().scalar(f"{header.var}_block", "", counter.symbol.type.text or "integer")
        return self._rewritten(call, found, (loopchanges.in_blocks(found, size, block, high),), frozenset({block}))

    def unroll(self, *loops: str, **factors: int) -> Kernel:
        """Turns of loops one after the other: so many, or all of a loop that is named alone and whose turns are a
        number. Of the region's loops several points are computed together.
        """
        call = call_text("unroll", *loops, **factors)
        if not loops and not factors:
            raise self._illegal(call, "names of loops", "no loop is named")
        made = self
        own = {n.lower(): f for n, f in factors.items() if n.lower() in self.region.iterators}
        if own:
            made = made._factors("unroll", {**dict(self.region.factors("unroll")), **own}, {}, call)
        for name in (*loops, *(n for n in factors if n.lower() not in own)):
            made = made._unrolled(call, name, factors.get(name, 0))
        return made

    def _unrolled(self, call: str, name: str, factor: int) -> Kernel:
        loop = self._inner(call, name, factor or 1)
        header = loop.header
        assert isinstance(header, Header)
        try:
            legality.check_simple(loop)
            legality.check_bounds((loop,), loop)
            kind = meanings.kind_of_counter(self.work, self.key, loop)
        except Against as reason:
            raise self._against(call, reason) from None
        self._require(call, meanings.check_meanings, (header.var,), loop)
        trip = self.loops[name.lower()].trip
        if not factor:
            if trip is None:
                raise self._illegal(
                    call, "a number of turns that is known", f"how many turns '{name}' has is not known", header
                )
            if trip > MOST_COPIES:
                raise self._illegal(call, f"{MOST_COPIES} turns at most", f"'{name}' has {trip}", header)
            first, step = (constant(e) for e in (header.exprs[0], *header.exprs[2:], ONE.expr)[:2])
            assert first is not None and step is not None
            return self._rewritten(call, loop, loopchanges.unrolled(loop, first, trip, step, kind))
        if len(header.exprs) > 2:
            raise self._illegal(call, "the step is 1", f"the loop over '{header.var}' has a step", header)
        return self._rewritten(call, loop, loopchanges.unrolled_by(loop, factor)) if factor > 1 else self

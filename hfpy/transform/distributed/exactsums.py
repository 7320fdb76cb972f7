"""Sums over all processes without rounding but the last (``reductions(exact)``): the same bits for any number of
processes and threads, on every device.

The region adds nothing up. Each point has an element of an array for its terms, and the runtime library adds the
elements of all processes exactly. What one point adds stays in the order of its statements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.sizes import constant
from hfpy.analyze.processes.decomposed import Grid, element_type
from hfpy.analyze.regions.reductions import misuse
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Reduction
from hfpy.model.expressions import Fragment
from hfpy.model.printing import attributes
from hfpy.model.statements import Construct
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE, mentions
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.text.edits import Edit, replace_lines, replace_range
from hfpy.values import dataclass

#: By type: the routine of the runtime library.
_ROUTINES = {
    "real(4)": "hf_exact_real4",
    "real(8)": "hf_exact_real8",
    "complex(4)": "hf_exact_complex4",
    "complex(8)": "hf_exact_complex8",
}
_SUMS = ("+", "-")


def can_be_exact(reduction: Reduction, element: str) -> bool:
    """Whether a reduction is a sum whose bits depend on the order. Others of these types have none that is exact."""
    return reduction.op in _SUMS and element in _ROUTINES


def depends_on_order(reduction: Reduction, element: str) -> bool:
    """Whether a reduction has other bits in another order, and no exact form."""
    return reduction.op == "*" and element in _ROUTINES


@dataclass
class ExactSums:
    """The exact sums of one region; what is to be said is added to ``found``."""

    facts: Facts
    effects: Effects
    routine: Routine
    grid: Grid
    construct: Construct
    reductions: Sequence[Reduction]
    names: Locals
    found: list[Diagnostic]

    def edits(self, indent: str) -> Iterator[Edit]:
        """The region without these reductions, and with elements in the place of their variables."""
        region = self.construct.region
        assert region is not None
        number = next(n for n, c in enumerate(self.routine.regions) if c is self.construct)
        body = RegionBody(self.facts, self.effects, self.routine, self.construct, number)
        if any(self._refused(body, reduction) for reduction in self.reductions):
            return
        line, sign = self.construct.header.line, "!@" if self.construct.header.line.comment else "@"
        rest = tuple(r for r in region.reductions if r not in self.reductions)
        text = ", ".join(attributes(replace(region, reductions=rest)))
        yield replace_lines(line.first, line.last, [f"{indent}{sign}parallelRegion{{{text}}}"])
        at = ", ".join(region.iterators)
        for reduction in self.reductions:
            for reference in body.references:
                plain = resolve_alias(reference.name, reference.at)[0] == reference.name
                if reference.name == reduction.name and plain:
                    node = reference.node
                    yield replace_range(
                        reference.at.statement.line, node.start, node.end, f"{self._terms(reduction)}({at})"
                    )

    def before(self) -> Iterator[str]:
        """Statements before the region: terms for all of its points."""
        region = self.construct.region
        assert region is not None
        strides = region.strides or (ONE,) * len(region.domains)
        bounds = ", ".join(map(_bounds, region.starts, region.ends, strides))
        for reduction in self.reductions:
            yield f"allocate({self._terms(reduction)}({bounds}))"
            yield f"{self._terms(reduction)} = 0"

    def behind(self) -> Iterator[str]:
        """Statements after the region: the sum of the terms, added to what was there before."""
        for reduction in self.reductions:
            name, terms, element = reduction.name, self._terms(reduction), self._element(reduction)
            total = self.names.scalar("sum_", name, element)
            yield f"call {_ROUTINES[element]}('{self.grid.what.name}', size({terms}), {terms}, {total})"
            yield f"deallocate({terms})"
            yield f"{name} = {name} + {total}"

    def _element(self, reduction: Reduction) -> str:
        data = self.facts.object(reduction.name, self.routine.key)
        assert data is not None
        return element_type(self.facts, data)

    def _terms(self, reduction: Reduction) -> str:
        region = self.construct.region
        assert region is not None
        shape = ",".join(":" for _ in region.domains)
        return self.names.array("terms_", reduction.name, f"{self._element(reduction)}, allocatable", shape)

    def _refused(self, body: RegionBody, reduction: Reduction) -> bool:
        """Whether the terms of a sum are not known; that is said."""
        wrong = misuse(body, reduction)
        if wrong is not None:
            self.found.append(wrong)
        elsewhere = [r for r in body.references_of(reduction.name) if r.at.statement.line.file]
        hidden = bool(elsewhere) or any(mentions(macro, reduction.name) for macro in body.macros.values())
        if hidden:
            where = "an included file" if elsewhere else "a macro"
            message = f"the exact sum '{reduction.name}' needs its terms, and {where} has some of them"
            hint = "write them in the region, or reductions(global) in @decomposition"
            self.found.append(error("HF653", message, body.region.place, hint))
        return hidden or (wrong is not None and wrong.severity == "error")


def _bounds(start: Fragment, end: Fragment, stride: Fragment) -> str:
    """The bounds of terms for all points of a loop, which may go downwards."""
    low, high = (end, start) if (constant(stride.expr) or 1) < 0 else (start, end)
    return high.text if low.text == "1" else f"{low.text}:{high.text}"

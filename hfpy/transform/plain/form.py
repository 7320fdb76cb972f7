"""The plain form of a program, from which kernels are printed. Host code is made from the program as it is.

Each step looks at the routines with regions that become kernels and at those that they call, and gives edits of their
text, which is read and analysed again like the user's own. A step whose text is not accepted is left out, and the
printers refuse what they do not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace
from functools import partial

from hfpy.analyze.analysis import analyse
from hfpy.analyze.arrays.orders import IDENTITY, Order
from hfpy.analyze.checks import check
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.unchanged import settled_routines
from hfpy.diagnostics import Diagnostic, Place, has_errors
from hfpy.parse.application import with_texts
from hfpy.transform.hiddennames import files_need_hidden
from hfpy.transform.passes import Again, NewText, with_text
from hfpy.transform.plain.aliased import alias_edits
from hfpy.transform.plain.allocatedlocals import allocated_local_edits
from hfpy.transform.plain.arrayvalues import value_edits
from hfpy.transform.plain.boundcalls import bound_edits
from hfpy.transform.plain.constantobjects import constant_edits
from hfpy.transform.plain.exits import exit_edits
from hfpy.transform.plain.functions import function_edits
from hfpy.transform.plain.headers import header_edits
from hfpy.transform.plain.hostvariables import host_variable_edits
from hfpy.transform.plain.indexed import index_edits
from hfpy.transform.plain.masked import mask_edits
from hfpy.transform.plain.moduleobjects import module_object_edits
from hfpy.transform.plain.objectargs import object_edits
from hfpy.transform.plain.pointobjects import point_object_edits
from hfpy.transform.plain.specifics import specific_edits
from hfpy.transform.plain.stops import stop_edits
from hfpy.transform.plain.tables import table_edits
from hfpy.transform.plain.texts import text_edits
from hfpy.transform.plain.vectors import vector_edits
from hfpy.transform.text.edits import Edit, OverlapError, apply_edits
from hfpy.transform.text.wrapping import wrap_line
from hfpy.values import dataclass

Edits = Mapping[str, list[Edit]]
#: Gives the edits of routines, by their keys.
Step = Callable[[Facts, Effects, Collection[str]], Edits]


@dataclass(frozen=True)
class PlainForm:
    """The program in plain form. ``rows`` are, for each file that differs, the lines (0-based) of the program as it is
    that its lines stem from, ``steps`` the facts after each step.
    """

    facts: Facts
    effects: Effects
    rows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    steps: tuple[Facts, ...] = ()

    def row(self, path: str, row: int) -> int:
        """The line that a line of a file stems from, both counted from 0."""
        rows = self.rows.get(path)
        return rows[row] if rows is not None and 0 <= row < len(rows) else row

    def reported(self, found: Diagnostic) -> Diagnostic:
        """A diagnostic with its places in the program as it is."""

        def back(place: Place) -> Place:
            return replace(place, line=self.row(place.file, place.line - 1) + 1)

        related = tuple(replace(r, place=back(r.place)) for r in found.related)
        return replace(found, place=back(found.place), related=related)


def plain_form(
    facts: Facts,
    effects: Effects,
    writes_kernels: Callable[[str], bool],
    packs: Callable[[str], bool],
    only: Collection[str] | None = None,
    again: Again | None = None,
) -> PlainForm:
    """The plain form of a program. ``writes_kernels`` tells it of a backend, ``packs`` that sections with gaps are no
    arguments there. ``only`` are the paths of the files whose kernels are wanted, where not all are; ``again`` gives
    the facts after a step, by its number.
    """
    keys = _in_free_form(facts, writes_kernels, only)
    owners = {r.routine for r in facts.positions.regions}
    packed = all(packs(facts.backend(key)) for key in keys if key in owners)
    form = PlainForm(facts, effects)
    steps: tuple[Step, ...] = (
        vector_edits,
        header_edits,
        specific_edits,
        bound_edits,
        function_edits,
        table_edits,
        exit_edits,
        index_edits,
        alias_edits,
        allocated_local_edits,
        host_variable_edits,
        constant_edits,
        bound_edits,  # through objects that had other names
        mask_edits,
        text_edits,
        point_object_edits,
        partial(value_edits, packs=packed),
        point_object_edits,  # assignments that came
        module_object_edits,
        object_edits,
        partial(point_object_edits, last=True),  # objects that were arguments as a whole
        constant_edits,  # components of constants that were arguments, or values of other objects
        stop_edits,
    )
    for number, step in enumerate(steps) if keys else ():
        edits = {path: made for path, made in step(form.facts, form.effects, keys).items() if made}
        if edits or again is not None:
            form = _after(form, edits, again, str(number)) or form
            keys = _in_free_form(form.facts, writes_kernels, only)
        form = replace(form, steps=(*form.steps, form.facts))
    return form


def _in_free_form(facts: Facts, writes_kernels: Callable[[str], bool], only: Collection[str] | None) -> list[str]:
    """The routines of :func:`in_kernels`, but for those in fixed form: lines end where they would have to go on."""
    return [key for key in in_kernels(facts, writes_kernels, only) if not facts.application.file(key).fixed]


def in_kernels(facts: Facts, writes_kernels: Callable[[str], bool], only: Collection[str] | None = None) -> list[str]:
    """The routines with regions that become kernels (those in some files, if their paths are given), and those that
    code in kernels calls.
    """
    regions = (r.routine for r in facts.positions.regions)
    wanted = (r for r in regions if facts.graph.has(facts.application.routines[r], only))
    found = dict.fromkeys(r for r in wanted if writes_kernels(facts.backend(r)))
    owners = set(found)
    pending = list(found)
    while pending:
        key = pending.pop()
        for site in facts.graph.sites.get(key, ()):
            inside = key not in owners or site.at.regions
            if site.callee and inside and site.callee not in found and facts.live(site.at, key):
                found[site.callee] = None
                pending.append(site.callee)
    return list(found)


def _after(form: PlainForm, edits: Edits, again: Again | None, step: str) -> PlainForm | None:
    """The form with edits; None where its text is not accepted, or needs intrinsics that have other meanings there."""
    application = form.facts.application
    if files_need_hidden(form.facts, edits):
        return None
    rows, texts = dict(form.rows), dict[str, NewText]()
    for index in application.files:
        if index.path not in edits:
            continue
        try:
            done = apply_edits(index.source, edits[index.path], lambda text, _: wrap_line(text, application.macros))
        except OverlapError:
            return None
        rows[index.path] = tuple(form.row(index.path, n - 1) for n in done.line_map)
        texts[index.path] = NewText(done.lines, tuple(index.user_line(n - 1) for n in done.line_map))
    if again is not None:
        new = again(step, form.facts, texts)
        same = new is not None and _same_orders(form.facts, new[0])
        return replace(form, facts=new[0], effects=new[1], rows=rows) if new is not None and same else None
    changed, problems = with_texts(
        application, {f.path: with_text(f, texts[f.path]) for f in application.files if f.path in texts}
    )
    hybrid = {f.path: f.hybrid for f in application.files}
    changed = replace(changed, files=tuple(replace(f, hybrid=hybrid[f.path]) for f in changed.files))
    facts = analyse(changed, form.facts)
    settled = settled_routines(form.facts, facts)
    effects = Effects(facts).taking_over(form.effects, settled)
    problems += [*facts.found, *check(replace(facts, settled=settled), effects)]
    if has_errors(problems) and not _errors(problems) <= _errors([*form.facts.found, *check(form.facts, form.effects)]):
        return None
    return replace(form, facts=facts, effects=effects, rows=rows) if _same_orders(form.facts, facts) else None


def _same_orders(before: Facts, after: Facts) -> bool:
    """Whether all arrays of the program have the order in memory that they have in the text of the host."""
    if before is after or not (before.orders or after.orders):
        return True
    known = {node for nodes in before.classes.members().values() for node in nodes}
    orders = (
        [facts.orders.get(facts.classes.root(node), IDENTITY).of(node) for facts in (before, after)] for node in known
    )
    return all(_in_memory(one) == _in_memory(other) for one, other in orders)


def _in_memory(order: Order) -> tuple[object, ...]:
    return () if order.identity else (order.storage, order.pieces)


def _errors(found: Collection[Diagnostic]) -> Counter[tuple[str, str, str]]:
    """Errors by what they say and in which file: their lines change with the text."""
    return Counter((d.code, d.message, d.place.file) for d in found if d.severity == "error")

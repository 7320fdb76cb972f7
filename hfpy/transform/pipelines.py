"""The optimiser's levels as lists of passes, and an application after a list of them.

New texts are read and analysed again like the user's own. Text that is not accepted is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from hfpy.analyze.analysis import analyse
from hfpy.analyze.checks import check
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.unchanged import settled_routines
from hfpy.diagnostics import has_errors
from hfpy.options import DECLARED
from hfpy.parse.application import with_texts
from hfpy.transform.columns.optimise import Columns
from hfpy.transform.passes import Again, Made, NewText, Pass, with_text
from hfpy.transform.regions.arrays import Arrays
from hfpy.transform.regions.ownturns import Loops
from hfpy.transform.regions.sizes import Specialise
from hfpy.transform.stencil.effort import EFFORTS
from hfpy.transform.stencil.optimise import Fuse
from hfpy.values import dataclass

LEVELS: tuple[tuple[Pass, ...], ...] = (
    (),
    (Arrays(), Fuse(EFFORTS[1]), Loops(), Specialise()),
    (Arrays(), Fuse(EFFORTS[2]), Columns(), Loops(), Specialise()),
    (Arrays(), Fuse(EFFORTS[3]), Columns(), Loops(), Specialise()),
)
# Passes that say nothing of what became of their texts: the last two say something only of what options ask of them.
_APART = ("columns", "loops", "specialise")
PASSES = tuple(dict.fromkeys(step.name for level in reversed(LEVELS) for step in level))


@dataclass(frozen=True)
class Step:
    """A pass that was run: what it made, the facts that it worked on, and those afterwards."""

    done: Pass
    made: Made
    before: Facts
    after: Facts


@dataclass(frozen=True)
class Lowered:
    """An application after the passes, and what each of them did."""

    facts: Facts
    effects: Effects
    steps: tuple[Step, ...]

    @property
    def changed(self) -> frozenset[str]:
        """The paths of the files with new text."""
        return frozenset(path for step in self.steps for path in step.made.files)

    def made_by(self, name: str) -> Made | None:
        """What a pass made; None where it was not run."""
        return next((step.made for step in self.steps if step.done.name == name), None)


def lowered(
    facts: Facts,
    effects: Effects,
    passes: Sequence[Pass],
    without: Collection[str] = (),
    only: Collection[str] | None = None,
    again: Again | None = None,
    begun: Lowered | None = None,
) -> Lowered:
    """The application after passes. New text of a file that is not accepted, or of one named in ``without``, is left
    out. ``only`` are the files that the passes look at (None: all), ``again`` gives the facts with new texts, ``begun``
    is the application after passes before these.
    """
    steps: list[Step] = []
    if begun is not None:
        steps, facts, effects = [*begun.steps], begun.facts, begun.effects
    for number, step in enumerate(passes, 1):
        assert not step.needs & {later.name for later in passes[number:]}, step.name
        made = step.apply(facts, effects, only)
        wanted = {path: text for path, text in made.files.items() if path not in without}
        if step.whole and len(wanted) < len(made.files):
            wanted = {}
        if again is None:
            new, accepted = _again(facts, effects, wanted, made.declared)
        else:
            new, accepted = again(step.name, facts, wanted), wanted.keys()
        earlier = [s.made for s in steps]
        if new is not None and not _accepted(step, [*earlier, made], accepted, new[0]):
            new, accepted = None, ()
        made = made.only(accepted, facts) if accepted != made.files.keys() else made
        before = facts
        facts, effects = new or (facts, effects)
        steps.append(Step(step, made, before, facts))
    return Lowered(facts, effects, tuple(steps))


def _accepted(step: Pass, made: Sequence[Made], accepted: Collection[str], after: Facts) -> bool:
    """Whether new texts are taken, and all that was made before is still right with them."""
    complete = not step.whole or accepted == made[-1].files.keys()
    return complete and all(one.holds(after) for one in made)


def _again(
    before: Facts, known: Effects, files: Mapping[str, NewText], declared: Collection[str]
) -> tuple[tuple[Facts, Effects] | None, Collection[str]]:
    """The facts with new texts of some files, and which of them: those without fault. None if there is none.
    ``before`` are facts in which the checks found no error, ``known`` the effects there. ``declared`` are arrays that
    keep their declared order.
    """
    application, left = before.application, dict(files)
    while left:
        texts = {f.path: with_text(f, left[f.path]) for f in application.files if f.path in left}
        changed, problems = with_texts(application, texts)
        if declared and changed.options.layout:
            kept = {**changed.options.layout_arrays, **dict.fromkeys(declared, DECLARED)}
            changed = replace(changed, options=replace(changed.options, layout_arrays=kept))
        after = analyse(changed, before)
        settled = settled_routines(before, after)
        effects = Effects(after).taking_over(known, settled)
        problems += [*after.found, *check(replace(after, settled=settled), effects)]
        if not has_errors(problems):
            return (after, effects), left.keys()
        faulty = {d.place.file for d in problems if d.severity == "error"} & left.keys()
        left = {path: text for path, text in left.items() if path not in (faulty or left.keys())}
    return None, ()


def heard(facts: Facts, effects: Effects, passes: Sequence[Pass], only: Collection[str], again: Again) -> Lowered:
    """As :func:`lowered`, for what the passes say of some files, whose sizes are not specialised. Where all passes but
    the last, which say nothing of what became of their texts, leave these files as they are, the facts are those that
    were given.
    """
    first = [step for step in passes if step.name not in _APART]
    begun = lowered(facts, effects, first, only=only, again=again)
    if begun.facts is not facts or begun.changed:
        return lowered(facts, effects, passes[len(first) :], only=only, again=again, begun=begun)
    columns = [step for step in passes if step.name == "columns"]
    said = (Step(step, step.apply(facts, effects, only), facts, facts) for step in columns)
    return Lowered(facts, effects, (*begun.steps, *said))


def kernels_after(lowered: Lowered, name: str, routine: str | None) -> str:
    """The regions of routines as they are after a pass: of one routine (by its name or ``module::name``), or of all
    that have regions. Empty where the pass was not run, or no routine has the name.
    """
    step = next((s for s in lowered.steps if s.done.name == name), None)
    if step is None:
        return ""
    facts = step.after
    parts = []
    for key, unit in facts.application.routines.items():
        if routine is not None and routine.lower() not in (key, unit.name):
            continue
        lines = facts.application.file(key).source.lines
        for construct in regions_of(unit):
            if construct.end is not None:
                rows = lines[construct.header.line.first : construct.end.line.last + 1]
                parts.append("\n".join([f"! {key} after {name}", *rows]))
    return "\n\n".join(parts)

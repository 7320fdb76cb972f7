"""The report of ``hfpy annotate`` as text: a line for each nest, and one that sums up."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.annotate.nests import INSIDE, QUESTION, SERIAL, Nest, Nests


def report(nests: Nests) -> str:
    """A line for each nest, questions and what sums up."""
    listed = [n for n in nests.nests if n.verdict != INSIDE and not _said_around(nests, n)]
    places = [f"{n.place.file}:{n.place.line}" for n in listed]
    width = max(map(len, places), default=0)
    rows = [
        f"{place:{width}}  {n.verdict:9} {100 * n.weight:5.1f} %  {reported(n)}"
        for place, n in zip(places, listed, strict=True)
    ]
    reported_ = [*questions(nests), *brought(nests), *unseen(nests), summary(nests)]
    return "\n".join([*rows, *([""] if rows else []), *reported_])


def brought(nests: Nests) -> Iterator[str]:
    """The arrays that routines bring to the device."""
    for (file, _), found in sorted(nests.brought.items()):
        yield f"{file}: on GPUs '{found.routine}' brings {', '.join(found.names)} to the device for what it calls"


def unseen(nests: Nests) -> Iterator[str]:
    """The included files, and the modules, whose source is not there."""
    if nests.unread:
        several = "s" if len(nests.unread) > 1 else ""
        names = ", ".join(sorted(nests.unread))
        yield f"no folder has the included file{several} {names}, whose macros may be loops: -I DIR says where to look"
    if nests.unseen:
        several = "s" if len(nests.unseen) > 1 else ""
        yield f"no file has the module{several} {', '.join(sorted(nests.unseen))}, whose procedures may do anything"


def _said_around(nests: Nests, nest: Nest) -> bool:
    """Whether a loop around a serial one has the same reason."""
    around = (n for n in nests.nests if n.routine == nest.routine and n.place.line < nest.place.line <= n.last)
    return nest.verdict == SERIAL and any(n.verdict == SERIAL and n.reported.why == nest.reported.why for n in around)


def reported(nest: Nest) -> str:
    """What is said of a nest: what its region is over, or why it is none."""
    regions = {target: f for target, f in nest.found.items() if f.iterators}
    if not regions:
        beside = nest.reported.beside
        return nest.reported.why + (f"; and not column by column: {beside}" if beside else "")
    said = nest.reported
    text = f"over {', '.join(said.iterators)}"
    text += f"; columns, to line {nest.last}" if nest.columns else ""
    text += "".join(f"; {r}" for r in said.reductions)
    others = {t: f for t, f in nest.found.items() if t not in regions}
    return text + "".join(f"; not on {t}: {_why(f.inside, f.why)}" for t, f in others.items())


def _why(inside: bool, why: str) -> str:
    return "it is in a region" if inside and not why else why


def questions(nests: Nests) -> Iterator[str]:
    """What the user could state, each with the clause that does."""
    for nest in nests.nests:
        if nest.verdict == QUESTION:
            yield f"{nest.place.file}:{nest.place.line}: {nest.reported.why}"
            yield f"  if this cannot happen, write before the loop: !@parallelRegion{{{nest.reported.clause}}}"


def summary(nests: Nests) -> str:
    """For each target one line: how many nests are regions, and which share of the work that is; and how many nests
    wait for an answer.
    """
    rows = [_summed(nests, target) for target in nests.targets]
    asked = nests.questions
    clauses = {(n.routine, n.reported.clause) for n in asked}
    if asked:
        words = "1 question decides" if len(clauses) == 1 else f"{len(clauses)} questions decide"
        rows.append(f"{words} {len(asked)} more")
    return "\n".join(rows) if rows else "there is no loop outside of regions"


def _summed(nests: Nests, target: str) -> str:
    count, parallel, share = figures(nests, target)
    of = "their work (estimated)" if nests.samples is None else f"the run time ({nests.samples} samples)"
    return f"{target}: {parallel} of {count} nests, {100 * share:.1f} % of {of}, are parallel"


def figures(nests: Nests, target: str) -> tuple[int, int, float]:
    """How many nests there are on a target, how many of them are regions, and which share of their work these have; of
    the run time, where that was measured.
    """
    counted = nests.counted(target)
    parallel = [n for n in counted if n.found[target].iterators]
    whole = sum(n.weight for n in counted) if nests.samples is None else 1.0
    return len(counted), len(parallel), sum(n.weight for n in parallel) / whole if whole else 0.0


def as_values(nests: Nests) -> dict[str, object]:
    """The report as plain data for JSON: places are the user's, lines and columns counted from 1."""
    return {
        "nests": [_as_values(n) for n in nests.nests],
        "summary": {target: _figures(nests, target) for target in nests.targets},
        "questions": len(nests.questions),
        "samples": nests.samples,
        "unseen": sorted(nests.unseen),
        "unread": sorted(nests.unread),
    }


def _figures(nests: Nests, target: str) -> dict[str, object]:
    count, parallel, share = figures(nests, target)
    return {"nests": count, "parallel": parallel, "share": share}


def _as_values(nest: Nest) -> dict[str, object]:
    return {
        "file": nest.place.file,
        "line": nest.place.line,
        "routine": nest.routine,
        "verdict": nest.verdict,
        "weight": nest.weight,
        "targets": {
            target: {
                "verdict": f.verdict,
                "iterators": list(f.iterators),
                "reductions": list(f.reductions),
                "why": f.why,
                "clause": f.clause,
                "columns": f.columns,
            }
            for target, f in nest.found.items()
        },
    }

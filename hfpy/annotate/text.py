"""The report of ``hfpy annotate`` as text: a line for each nest, and one that sums up."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.annotate.nests import INSIDE, QUESTION, REDUCTION, REGION, Nest, Nests


def report(nests: Nests) -> str:
    """A line for each nest, questions and what sums up."""
    listed = [n for n in nests.nests if n.verdict != INSIDE]
    places = [f"{n.place.file}:{n.place.line}" for n in listed]
    width = max(map(len, places), default=0)
    rows = [
        f"{place:{width}}  {n.verdict:9} {100 * n.weight:5.1f} %  {told(n)}"
        for place, n in zip(places, listed, strict=True)
    ]
    return "\n".join([*rows, *([""] if rows else []), *questions(nests), summary(nests)])


def told(nest: Nest) -> str:
    """What is said of a nest: what its region is over, or why it is none."""
    regions = {target: f for target, f in nest.found.items() if f.iterators}
    if not regions:
        return nest.told.why
    said = nest.told
    text = f"over {', '.join(said.iterators)}"
    text += "".join(f"; {r}" for r in said.reductions)
    others = {t: f for t, f in nest.found.items() if t not in regions}
    return text + "".join(f"; not on {t}: {_why(f.inside, f.why)}" for t, f in others.items())


def _why(inside: bool, why: str) -> str:
    return "it stands in a region" if inside and not why else why


def questions(nests: Nests) -> Iterator[str]:
    """What the user could state, each with the clause that does."""
    for nest in nests.nests:
        if nest.verdict == QUESTION:
            yield f"{nest.place.file}:{nest.place.line}: {nest.told.why}"
            yield f"  if this cannot happen, write before the loop: !@parallelRegion{{{nest.told.clause}}}"


def summary(nests: Nests) -> str:
    """One line: how many nests are regions, which share of the work that is, and how many questions are left."""
    counted, parallel = nests.counted, nests.parallel
    share = sum(n.weight for n in parallel)
    whole = sum(n.weight for n in counted)
    percent = f"{100 * share / whole:.1f} %" if whole else "0.0 %"
    text = f"{len(parallel)} of {len(counted)} nests, {percent} of their work (estimated), are parallel"
    asked = [n for n in counted if n.verdict == QUESTION]
    clauses = {(n.routine, n.told.clause) for n in asked}
    if asked:
        words = "question decides" if len(clauses) == 1 else "questions decide"
        text += f"; {len(clauses)} {words} {len(asked)} more"
    return text


def as_values(nests: Nests) -> dict[str, object]:
    """The report as plain data for JSON: places are the user's, lines and columns counted from 1."""
    return {
        "nests": [_as_values(n) for n in nests.nests],
        "summary": {
            "nests": len(nests.counted),
            "parallel": len(nests.parallel),
            "regions": sum(n.verdict == REGION for n in nests.nests),
            "reductions": sum(n.verdict == REDUCTION for n in nests.nests),
            "questions": sum(n.verdict == QUESTION for n in nests.nests),
            "share": sum(n.weight for n in nests.parallel),
        },
    }


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
            }
            for target, f in nest.found.items()
        },
    }

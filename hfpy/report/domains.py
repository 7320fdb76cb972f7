"""A proposal for ``[domains]`` as text that can be put into ``hfpy.toml``."""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.analyze.loops.proposed import Proposal


def show_domains(found: Sequence[Proposal]) -> str:
    """The table, with a comment on each domain that says what tells of it."""
    if not found:
        return "# no loop here has a variable that indexes arrays of sizes with names"
    rows = [f"{p.name} = {{ size = [{_texts(p.sizes)}], iterators = [{_texts(p.iterators)}] }}" for p in found]
    width = max(map(len, rows))
    reported = [f"{row:{width}}  # {_report(p)}" for row, p in zip(rows, found, strict=True)]
    return "\n".join(["[domains]", *reported])


def _report(proposal: Proposal) -> str:
    loops = "1 loop or region" if proposal.loops == 1 else f"{proposal.loops} loops and regions"
    times = "1 index" if proposal.uses == 1 else f"{proposal.uses} indices"
    first = f"first in {proposal.place.file}:{proposal.place.line}"
    return f"{loops}, {times}, {first}" + (", sizes of a domain that you have" if proposal.stated else "")


def _texts(values: Sequence[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)

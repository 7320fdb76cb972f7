"""Widths of halos in attributes of directives (distributed.md §3.1): ``i:2``, or ``i:0:1`` for both sides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.model.directives import Width
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.tokens import split_top

_NAME = re.compile(r"[A-Za-z]\w*")


def widths_of(name: str, entries: Sequence[str], place: Place) -> tuple[tuple[Width, ...], list[Diagnostic]]:
    """The entries of an attribute as widths, and what is wrong with them."""
    made: dict[str, Width] = {}
    found: list[Diagnostic] = []
    for entry in entries:
        parts = [entry[a:b].strip() for a, b in split_top(entry, ":")]
        if len(parts) not in (2, 3) or not _NAME.fullmatch(parts[0]):
            found.append(error("HF202", f"'{entry}' is no domain with a width", place, f"write {name}(i:2)"))
            continue
        domain = parts[0].lower()
        if domain in made:
            found.append(error("HF202", f"'{domain}' is named twice", place))
        try:
            made[domain] = Width(domain, fragment(parts[1]), fragment(parts[-1]))
        except GrammarError as fault:
            found.append(error("HF202", f"'{entry}' cannot be parsed: {fault}", place))
    return tuple(made.values()), found

"""What is compared between a program and its changed form: what hfpy says, and what it writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.metamorphic import calls, changes, moves, splits
from tests.metamorphic.lines import Program, program, texts
from tests.metamorphic.programs import Tested
from tests.support import Pair, Translated, Variant, statements

Change = Callable[[Program], Program | None]
# Changes of spelling: what hfpy writes is the same but for the spelling.
SPELLING: Mapping[str, Change] = {
    c.__name__: c
    for c in (changes.dotted, changes.signs, changes.tight, changes.wide, changes.upper, changes.continued)
}
NAMES: Mapping[str, Change] = {c.__name__: c for c in (changes.keywords, changes.ends, changes.reversed_names)}
STATEMENTS: Mapping[str, Change] = {
    c.__name__: c
    for c in (
        changes.reordered,
        moves.if_statement,
        moves.if_block,
        moves.if_region,
        moves.twin_modules,
        calls.through_pointers,
        calls.through_bindings,
        calls.through_generics,
        splits.split_modules,
    )
}
CHANGES: Mapping[str, Change] = {**SPELLING, **NAMES, **STATEMENTS}


# Programs that pass elements for arrays, which generic names do not take (Fortran 2018, 15.5.2.4).
SEQUENCES = frozenset(
    "state_sections state_parts r15 overlapping unsized unsized_bounds unsized_calls unsized_columns".split()
)


@dataclass(frozen=True)
class Finding:
    """A difference between a program and its changed form."""

    program: str
    change: str
    variant: str
    kind: str  # "verdict" or "text"
    before: tuple[str, ...]
    after: tuple[str, ...]

    def __str__(self) -> str:
        lost = "\n    ".join(self.before[:6])
        new = "\n    ".join(self.after[:6])
        head = f"{self.program} {self.change} {self.variant}: {self.kind}"
        return f"{head}\n  only before:\n    {lost}\n  only after:\n    {new}"


def verdicts(done: Translated, lines: Program) -> set[str]:
    """Errors and warnings: severity, code, and the statement by file and line of the user's own program."""
    found = set()
    for d in done.diagnostics:
        if d.severity == "note":
            continue
        name = Path(d.place.file).name
        content = lines.get(name, ())
        home = content[d.place.line - 1].home if 0 < d.place.line <= len(content) else (name, d.place.line)
        found.add(f"{d.severity} {d.code} {home[0]}:{home[1]}")
    return found


def by_pointers(done: Translated) -> set[str]:
    """Codes of what hfpy may say of calls through pointers only: which arrays are one it cannot tell there, and device
    routines know no such calls.
    """
    reasons = (
        "may be the same memory",
        "a 'block' construct",
        "'block' cannot",
        "a procedure pointer",
        "which works on the device",
        "may mean several procedures",
    )
    return {d.code for d in done.diagnostics if any(reason in d.message for reason in reasons)}


def without_directives(said: set[str]) -> set[str]:
    """Verdicts but for directives without effect: a group of regions that go together is told of once, and changes of
    statements may part the group.
    """
    return {v for v in said if v.split()[1] != "HF701"}


def spelled(done: Translated, lines: Program) -> list[str]:
    """All generated text but for its spelling; places of statements in it are those of the user's own program."""

    def place(found: re.Match[str]) -> str:
        content, number = lines[found[1]], int(found[2])
        return f"{found[1]}:{content[number - 1].home[1] if 0 < number <= len(content) else number}"

    files = "|".join(re.escape(name) for name in lines)
    return [re.sub(rf"({files}):(\d+)", place, row) for row in _rows(done)]


def _rows(done: Translated) -> list[str]:
    fortran = [text for name, text in sorted(done.files.items()) if not name.endswith((".cu", ".h", ".inc"))]
    other = [text for name, text in sorted(done.files.items()) if name.endswith(".cu")]
    rows = [_signs(row) for text in fortran for row in statements(text) if not row.startswith("#")]
    for text in other:
        plain = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
        rows += [row for row in plain.splitlines() if row.strip()]
    return [re.sub(r"\s+", "", row).lower() for row in rows]


def _signs(row: str) -> str:
    for word, sign in changes.SIGNS.items():
        row = row.replace(word, sign)
    return row


def changed_pair(pair: Pair, change: Change) -> tuple[Pair, Program] | None:
    """A pair with its hybrid program changed, and the lines of that; None if nothing changes."""
    before = program(pair.hybrid)
    after = change(before)
    if after is None or texts(after) == dict(pair.hybrid):
        return None
    return Pair(pair.name, texts(after), pair.reference, pair.module, pair.entry, pair.layout), after


def findings(tested: Tested, names: tuple[str, ...], variants: tuple[Variant, ...]) -> Iterator[Finding]:
    """What changes of a program change in hfpy's verdicts, and for changes of spelling in its text."""
    pair = tested.pair
    made = {name: changed_pair(pair, CHANGES[name]) for name in names}
    for variant in variants:
        first = tested.translated(variant, pair)
        plain = program(pair.hybrid)
        known = verdicts(first, plain)
        for name, changed in made.items():
            if changed is None or (name == "through_generics" and pair.name in SEQUENCES):
                continue
            done = tested.translated(variant, changed[0])
            said = verdicts(done, changed[1])
            if name in ("through_pointers", "through_bindings") and (allowed := by_pointers(done)):
                said = {v for v in said if v.split()[1] not in allowed} | known if allowed else said
            label = f"{variant.label}-{variant.options.get('opt', 2)}"
            before = known
            if name in STATEMENTS:
                said, before = without_directives(said), without_directives(known)
            if said != before:
                yield Finding(
                    pair.name, name, label, "verdict", tuple(sorted(before - said)), tuple(sorted(said - before))
                )
            elif name in SPELLING and (one := spelled(first, plain)) != (other := spelled(done, changed[1])):
                rows = [(a, b) for a, b in zip(one, other, strict=False) if a != b] or [
                    (str(len(one)), str(len(other)))
                ]
                yield Finding(tested.name, name, label, "text", tuple(a for a, _ in rows), tuple(b for _, b in rows))

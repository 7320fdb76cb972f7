"""Mutants: programs of the corpora and samples with a few random changes of bytes, tokens, lines or directives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from tests.attacks.judge import warm
from tests.support import load_pairs, storage_order, translate_text

TESTS = Path(__file__).parents[1]
CORPORA = (
    "blocks/programs",
    "defects/programs",
    "gpu/language",
    "language/programs",
    "optimiser/programs",
    "realcode/programs",
)
SAMPLES = TESTS.parent / "samples"
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+\.?\d*|\*\*|//|==|/=|<=|>=|=>|::|\S")
_WORDS = (
    *(
        "end",
        "do",
        "if (n > 1) then",
        "else",
        "select case (n)",
        "where (a > 0)",
        "contains",
        "use m",
        "return",
        "stop",
    ),
    *("integer", "real(8) ::", "intent(in)", "parameter", "save", "data", "common /c/", "include 'm.h'", "allocatable"),
    *("@parallelRegion", "@end parallelRegion", "@domainDependant", "@if", "@exit", "&", "!$omp parallel", "#if 1"),
    *(
        "0",
        "-1",
        "1e400",
        "2147483648",
        "'",
        '"',
        "(",
        ")",
        ":",
        "%",
        ",",
        "=",
        "=>",
        "*",
        "i",
        "j",
        "k",
        "nx",
        "huge(1)",
    ),
)
_ATTRIBUTES = (
    *(
        "domName(i)",
        "domName(i,j)",
        "domSize(nx)",
        "domSize(nx,ny)",
        "startAt(1)",
        "endAt(0,0)",
        "stride(0)",
        "stride(n)",
    ),
    *(
        "appliesTo(GPU)",
        "reduction(+:a)",
        "private(i)",
        "collapse(9)",
        "schedule(static)",
        "unroll(i:3)",
        "tile(i:4,j:0)",
    ),
    *(
        "attribute(autoDom)",
        "attribute(present)",
        "attribute(transferHere)",
        "vector",
        "team(i:8)",
        "march(j:4)",
        "fuse(x)",
    ),
    *(
        "share(i:4)",
        "template(T)",
        "name(s)",
        "backend(openmp)",
        "specialise(nx:4)",
        "domName()",
        "domSize(,)",
        "async",
    ),
)
_DIRECTIVE = re.compile(r"^\s*!?\s*@")

Lines = list[str]


def _delete_byte(rng: Random, lines: Lines, at: int) -> None:
    place = rng.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:place] + lines[at][place + 1 :]


def _insert_byte(rng: Random, lines: Lines, at: int) -> None:
    place = rng.randrange(len(lines[at]) + 1)
    new = rng.choice("()'\"&!@{},:;%=*/<>.#`\\ \t1aé~$?[]\x00\x0c\x1b|^-+_\r")
    lines[at] = lines[at][:place] + new + lines[at][place:]


def _change_token(rng: Random, lines: Lines, at: int) -> None:
    found = list(_TOKEN.finditer(lines[at]))
    if not found:
        return
    token = rng.choice(found)
    elsewhere = _TOKEN.findall(rng.choice(lines))
    new = rng.choice(["", "", token[0] * 2, rng.choice(_WORDS), *elsewhere[:20]])
    lines[at] = lines[at][: token.start()] + new + lines[at][token.end() :]


def _swap_tokens(rng: Random, lines: Lines, at: int) -> None:
    found = list(_TOKEN.finditer(lines[at]))
    if len(found) < 2:
        return
    one, other = sorted(rng.sample(found, 2), key=lambda m: m.start())
    text = lines[at]
    lines[at] = text[: one.start()] + other[0] + text[one.end() : other.start()] + one[0] + text[other.end() :]


def _repeat_token(rng: Random, lines: Lines, at: int) -> None:
    found = list(_TOKEN.finditer(lines[at]))
    if found:
        token = rng.choice(found)
        lines[at] = lines[at][: token.start()] + f"{token[0]} " * rng.choice((2, 30, 3000)) + lines[at][token.end() :]


def _delete_line(_rng: Random, lines: Lines, at: int) -> None:
    del lines[at]


def _double_line(rng: Random, lines: Lines, at: int) -> None:
    lines[at:at] = [lines[at]] * rng.choice((1, 1, 1, 2, 150))


def _move_line(rng: Random, lines: Lines, at: int) -> None:
    line = lines.pop(at)
    lines.insert(rng.randrange(len(lines) + 1), line)


def _cut_line(rng: Random, lines: Lines, at: int) -> None:
    lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]


def _join_lines(_rng: Random, lines: Lines, at: int) -> None:
    if at + 1 < len(lines):
        lines[at : at + 2] = [lines[at] + lines[at + 1].lstrip()]


def _add_line(rng: Random, lines: Lines, at: int) -> None:
    lines.insert(at, rng.choice(_WORDS) + " " + rng.choice(_WORDS))


def _cut_file(rng: Random, lines: Lines, at: int) -> None:
    del lines[max(at, len(lines) // 2) :]


def _directive_lines(lines: Lines) -> list[int]:
    return [n for n, line in enumerate(lines) if _DIRECTIVE.match(line)]


def _change_directive(rng: Random, lines: Lines, at: int) -> None:
    places = _directive_lines(lines)
    if places:
        _change_token(rng, lines, rng.choice(places))


def _drop_directive(rng: Random, lines: Lines, at: int) -> None:
    places = _directive_lines(lines)
    if places:
        del lines[rng.choice(places)]


def _add_attribute(rng: Random, lines: Lines, at: int) -> None:
    places = [n for n in _directive_lines(lines) if "{" in lines[n]]
    if places:
        place = rng.choice(places)
        head, brace, rest = lines[place].partition("{")
        lines[place] = f"{head}{brace}{rng.choice(_ATTRIBUTES)}, {rest}"


def _replace_attribute(rng: Random, lines: Lines, at: int) -> None:
    places = [n for n in _directive_lines(lines) if "(" in lines[n]]
    if places:
        place = rng.choice(places)
        found = list(re.finditer(r"\w+\([^()]*\)", lines[place]))
        if found:
            old = rng.choice(found)
            lines[place] = lines[place][: old.start()] + rng.choice(_ATTRIBUTES) + lines[place][old.end() :]


def _move_directive(rng: Random, lines: Lines, at: int) -> None:
    places = _directive_lines(lines)
    if places:
        line = lines.pop(rng.choice(places))
        lines.insert(rng.randrange(len(lines) + 1), line)


OPERATORS: tuple[Callable[[Random, Lines, int], None], ...] = (
    *(_delete_byte, _insert_byte, _change_token, _change_token, _swap_tokens, _repeat_token),
    *(_delete_line, _double_line, _move_line, _cut_line, _join_lines, _add_line, _cut_file),
    *(_change_directive, _change_directive, _drop_directive, _add_attribute, _replace_attribute, _move_directive),
)

WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"backend": "openmp"},
    {"backend": "openmp", "opt": 3},
    {"backend": "sequential", "layout": "j i k"},
    {"backend": "openmp", "layout": "i:4 k i j"},
    {"target": "gpu", "backend": "cuda-c"},
    {"target": "gpu", "backend": "cuda-fortran"},
    {"target": "gpu", "backend": "openacc"},
    {"target": "gpu", "backend": "openmp-target"},
    {"target": "gpu", "backend": "cuda-c", "layout": "k i j"},
)


@dataclass(frozen=True)
class Mutant:
    """Sources with some changes, and the way in which they are translated."""

    name: str
    files: Mapping[str, str]
    storage: str | None
    options: Mapping[str, Any]


def programs() -> list[tuple[str, Mapping[str, str]]]:
    """All programs of the corpora, and the samples, by name."""
    found = [(f"{c}/{p.name}", p.hybrid) for c in CORPORA for p in load_pairs(TESTS / c)]
    for sample in sorted(SAMPLES.iterdir()):
        sources = sorted((sample / "source").glob("*.[hfF]90")) if (sample / "source").is_dir() else []
        if sources:
            found.append((f"samples/{sample.name}", {p.name: p.read_text() for p in sources}))
    return found


def mutant(number: int, chosen: list[tuple[str, Mapping[str, str]]]) -> Mutant:
    """The mutant of a number, always the same."""
    rng = Random(number)
    name, known = rng.choice(chosen)
    files = dict(known)
    which = rng.choice([f for f in files if not f.endswith((".h", ".inc"))])
    lines = files[which].split("\n")
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if lines:
            rng.choice(OPERATORS)(rng, lines, rng.randrange(len(lines)))
    files[which] = "\n".join(lines)
    options = rng.choice(WAYS)
    return Mutant(name, files, None if "layout" in options else storage_order(), options)


@cache
def warm_up() -> None:
    """Load and compile in this process what translations need, once; see :func:`warm`.

    Larger programs would take longer than what they save.
    """
    known = dict(programs())
    chosen = [known[name] for name in ("samples/diffusion", "realcode/programs/t11")]
    warm(partial(translate_text, p, None if "layout" in w else storage_order(), **w) for w in WAYS for p in chosen)

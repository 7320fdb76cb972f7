"""Faults of files that no directive reaches: found when the user pauses, and never in between."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hfpy.commands.unreached import Unreached
from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.lsp.looking import Looked
from hfpy.lsp.plain import Plain

PATH = Path("/nowhere/plain.f90")
FOUND = (error("HF250", "unknown", Place(str(PATH), 3)),)


def _looked(*lines: str) -> Looked:
    return Looked(sources=frozenset([PATH]), lines={PATH: lines}, plain_files=Unreached((PATH,), None))  # type: ignore[arg-type]


async def _found(steps: list[Looked | None], pause: float) -> tuple[int, int, list[int]]:
    """How often files were read while the user went on, and in the end; the lines of what was found then."""
    read = []

    async def find(files: Unreached) -> tuple[Diagnostic, ...]:
        read.append(files)
        return FOUND

    plain = Plain(find, lambda _looked, _files: None, pause)
    before: list[Looked] = []
    for step in steps:
        plain.asked()
        if step is not None:
            plain.looked(step, before)
            before = [step]
        await asyncio.sleep(pause / 4)
    meanwhile = len(read)
    await asyncio.sleep(4 * pause)
    return meanwhile, len(read), [d.place.line for d in plain.found.get(PATH, ())]


def test_a_pause_is_waited_for() -> None:
    look = _looked("a", "b", "c")
    assert asyncio.run(_found([look, *[None] * 12, look, None], 0.1)) == (0, 1, [3])


@pytest.mark.parametrize(
    ("lines", "line"), [(("a", "new", "b", "c"), [4]), (("a", "b", "d"), []), (("c",), [1]), (("a", "b", "c"), [3])]
)
def test_until_then_they_move_with_their_lines(lines: tuple[str, ...], line: list[int]) -> None:
    plain = Plain(None, lambda _looked, _files: None)  # type: ignore[arg-type]
    plain.found = {PATH: FOUND}

    async def look() -> None:
        plain.looked(_looked(*lines), [_looked("a", "b", "c")])

    asyncio.run(look())
    assert [d.place.line for d in plain.found.get(PATH, ())] == line

"""Garbage is looked for when the user pauses, or after some looks; never in between."""

from __future__ import annotations

import asyncio

from hfpy.lsp.garbage import MOST, Garbage


async def _times(looks: int, asked: int, pause: float) -> tuple[int, int]:
    """How often it was collected while the user went on, and in the end."""
    collected = []

    async def run(work: object) -> int:
        collected.append(work)
        return 0

    garbage = Garbage(run, pause)
    for _ in range(looks):
        garbage.left()
    for _ in range(asked):
        garbage.asked()
        await asyncio.sleep(pause / 4)
    meanwhile = len(collected)
    await asyncio.sleep(4 * pause)
    return meanwhile, len(collected)


def test_a_pause_is_waited_for() -> None:
    assert asyncio.run(_times(2, 12, 0.1)) == (0, 1)


def test_without_a_pause_after_some_looks() -> None:
    assert asyncio.run(_times(MOST, 12, 0.1)) == (1, 1)


def test_nothing_without_a_look() -> None:
    assert asyncio.run(_times(0, 2, 0.02)) == (0, 0)

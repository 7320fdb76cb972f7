"""Teams of threads: each point of a region by the threads of a block, which share its loops (``team(i:32, j:8)``).

Arrays that are private to a point lie in shared memory. In emulation they hold poison before each point.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

_MOST, _DEEP = 1024, 64  # threads of a block, and in its third dimension (CUDA programming guide)


def team_block(team: Mapping[str, int]) -> tuple[int, int, int] | None:
    """The threads of a team in x, y, z; None where there is no team."""
    if not team:
        return None
    x, y, z = [*team.values(), 1, 1][:3]
    return x, y, z


def too_many(block: tuple[int, int, int]) -> str:
    """What is wrong with blocks of that shape, which no GPU can start; empty if they can be."""
    shown = " x ".join(map(str, block))
    if min(block) < 1:
        return f"a block of {shown} threads"
    if prod(block) > _MOST or block[2] > _DEEP:
        return f"a block of {shown} threads (a block has at most {_MOST}, and {_DEEP} in z)"
    return ""


def shared_by_team(storage: str, lines: list[str]) -> list[str]:
    """The definition of a local array (its room ``storage``, then the view of it) as one in shared memory."""
    room, *rest = lines
    return [f"__shared__ {room}", f"HF_SHARED_BEGINS({storage});", *rest]


def not_by_teams(block: tuple[int, int, int], reduces: bool, last_point: bool, jumps: bool, run_time: bool) -> str:
    """What of a region a team of threads cannot do: reductions, values of the last point, jumps out of a point, private
    arrays of run-time size; or that a block cannot have so many threads. Empty if all is well.
    """
    if prod(block) > _MOST or block[2] > _DEEP:
        return f"a team of {block[0]} x {block[1]} x {block[2]} threads (a block has {_MOST}, {_DEEP} in z)"
    found = ((reduces, "a reduction"), (last_point, "a value of the last point"), (jumps, "a jump out of a point"))
    what = next((text for there, text in found if there), "a private array of run-time size" if run_time else "")
    return what and f"{what}, where a team of threads computes each point,"

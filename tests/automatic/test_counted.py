"""Random programs with running counters and work arrays, with the regions that hfpy finds: the plain program's bits.

2 programs in every run; ``HFPY_COUNTED=40`` for more, ``HFPY_COUNTED_FROM=N`` for others.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hfpy.analyze.loops.counters import _Search
from tests.automatic.counted import pair_of
from tests.automatic.test_random import VARIANTS, failures
from tests.support import Variant

COUNT = int(os.environ.get("HFPY_COUNTED", "12"))
FIRST = int(os.environ.get("HFPY_COUNTED_FROM", "0"))


@pytest.mark.parametrize(
    "variant", [pytest.param(v, id=v.label, marks=[pytest.mark.full] * (v not in VARIANTS[:2])) for v in VARIANTS]
)
@pytest.mark.parametrize("count", [min(COUNT, 2), pytest.param(COUNT, id="all", marks=pytest.mark.full)])
def test_counters_and_work_arrays(count: int, variant: Variant, tmp_path: Path) -> None:
    wrong, regions = failures(variant, range(FIRST, FIRST + count), tmp_path, pair_of)
    assert not wrong, "\n".join(wrong[:4])
    assert regions > 4 * count, regions


@pytest.mark.full
def test_counters_that_jumps_pass_are_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Search, "_in_order", lambda _search, _nodes: True)
    wrong, _ = failures(VARIANTS[0], range(12), tmp_path, pair_of)
    assert wrong

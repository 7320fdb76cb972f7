"""The full run of changes that mean nothing, in the ways that make kernels: see test_runs.py."""

from pathlib import Path

import pytest

from tests.metamorphic.judge import CHANGES
from tests.metamorphic.test_runs import KERNELS, check, share
from tests.support import Variant


@pytest.mark.full
@pytest.mark.parametrize("way", KERNELS, ids=lambda w: w.label)
@pytest.mark.parametrize("change", CHANGES)
def test_every_change(change: str, way: Variant, tmp_path: Path) -> None:
    if pairs := share(change, way):
        check(change, pairs, way, tmp_path)

"""Random plain programs in modern Fortran, with the regions that hfpy finds: the plain program's bits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hfpy.analyze.dependence import queries
from hfpy.analyze.dependence.answers import Proved
from tests.automatic.modern import pair_of
from tests.automatic.test_random import VARIANTS, failures
from tests.automatic.test_storages import TOLD
from tests.support import Variant

# GNU Fortran 12 gives up on some of the programs as they are.
ALLOWED = (*TOLD, "internal compiler error")
COUNT = int(os.environ.get("HFPY_MODERN", "2"))
FIRST = int(os.environ.get("HFPY_MODERN_FROM", "0"))


@pytest.mark.parametrize(
    "variant", [pytest.param(v, id=v.label, marks=[pytest.mark.full] * (v is not VARIANTS[0])) for v in VARIANTS]
)
def test_modern_programs(variant: Variant, tmp_path: Path) -> None:
    wrong, regions = failures(variant, range(FIRST, FIRST + COUNT), tmp_path, pair_of, ALLOWED)
    assert not wrong, "\n".join(wrong[:4])
    assert regions > (COUNT if variant is VARIANTS[0] else 0), regions  # other backends take fewer objects


@pytest.mark.full
def test_an_engine_that_proves_all_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries.Engine, "independent", lambda *_: Proved())
    wrong, _ = failures(VARIANTS[0], range(4), tmp_path, pair_of, ALLOWED)
    assert wrong

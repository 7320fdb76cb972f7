"""The tests of this folder compile fast."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import CXXFLAGS


@pytest.fixture(scope="module", autouse=True)
def cache(shared_cache: Path) -> Iterator[Path]:
    """The cache that ``hfpy.load`` uses; kernels and their runtime are compiled fast, for fixtures of modules, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HFPY_CACHE", str(shared_cache))
        patch.setenv("CXXFLAGS", CXXFLAGS)
        for name in ("FC", "FFLAGS", "LDFLAGS", "CXX"):
            patch.delenv(name, raising=False)
        patch.setenv("OMP_WAIT_POLICY", "passive")
        yield shared_cache

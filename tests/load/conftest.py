"""The tests of this folder compile fast."""

from pathlib import Path

import pytest

from tests.command import CXXFLAGS


@pytest.fixture(autouse=True)
def cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache that ``hfpy.load`` uses; kernels and their runtime are compiled fast."""
    monkeypatch.setenv("HFPY_CACHE", str(shared_cache))
    monkeypatch.setenv("CXXFLAGS", CXXFLAGS)
    for name in ("FC", "FFLAGS", "LDFLAGS", "CXX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    return shared_cache

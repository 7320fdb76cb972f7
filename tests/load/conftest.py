"""One cache for all tests of this folder, also where they run in several processes."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A cache folder of this run of the tests."""
    base = tmp_path_factory.getbasetemp()
    return (base if worker_id == "master" else base.parent) / "hfpy-cache"


@pytest.fixture(autouse=True)
def cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache that ``hfpy.load`` uses; kernels and their runtime are compiled fast."""
    monkeypatch.setenv("HFPY_CACHE", str(shared_cache))
    monkeypatch.setenv("CXXFLAGS", "-O0")
    for name in ("FC", "FFLAGS", "LDFLAGS", "CXX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    return shared_cache

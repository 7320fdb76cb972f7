"""What all tests share: a folder in which compiled runtimes and libraries are kept, how hypothesis draws, and that
processes find Python's bytecode.
"""

import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import kept

# A slow machine is no fault.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

# Thousands of programs are translated here, and what is kept of them is looked through again and again.
gc.set_threshold(20_000, 20, 20)

# Tests start hundreds of processes of hfpy. Where a machine forbids bytecode, each compiles hundreds of modules again,
# which takes it longer than its work.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder, also where tests run in several processes."""
    base = tmp_path_factory.getbasetemp()
    return (base if worker_id == "master" else base.parent) / "hfpy-cache"


@pytest.fixture(scope="session", autouse=True)
def _own_cache(shared_cache: Path) -> Iterator[None]:
    """Nothing of a run gets into the user's own cache, or comes from there. The runtimes of kernels, whose names are
    digests of all that decides about them, are those of earlier runs where tests keep what compilers make.
    """
    if (earlier := kept.runtimes()) is not None:
        shared_cache.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):  # another worker was faster
            (shared_cache / "runtimes").symlink_to(earlier)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HFPY_CACHE", str(shared_cache))
        yield

"""What the tests of the GPU runtime share: its emulation, built once with and once without sanitizers."""

from __future__ import annotations

import shutil

import pytest

from tests.gpu.emulated import SANITIZERS, Emulation


@pytest.fixture(scope="session", autouse=True)
def cplusplus() -> None:
    """Leave these tests out where there is no C++ compiler."""
    if shutil.which("g++") is None:
        pytest.skip("no g++ here")


@pytest.fixture(scope="session")
def emulation(tmp_path_factory: pytest.TempPathFactory) -> Emulation:
    """The emulated runtime."""
    return Emulation(tmp_path_factory.mktemp("emulation"), ()).prepare()


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Emulation:
    """The emulated runtime with AddressSanitizer and UndefinedBehaviorSanitizer."""
    return Emulation(tmp_path_factory.mktemp("sanitized"), SANITIZERS).prepare()

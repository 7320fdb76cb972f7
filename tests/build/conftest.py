"""What the tests of the build share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import plain_pipeline
import pytest

from hfpy.build.driver import Built, Request, build
from hfpy.build.progress import Phases
from hfpy.build.settings.projectfile import load_project
from hfpy.project import options_for


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The translator passes everything through."""
    monkeypatch.setitem(sys.modules, "hfpy.pipeline", plain_pipeline)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., None]:
    """Writes files below the test's folder: ``write({"source/a.f90": text})``."""

    def writer(files: dict[str, str]) -> None:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return writer


class Builder:
    """Builds the project in a folder and remembers what was said."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.said, self.commands = folder, [], []
        self.environment: dict[str, str] = {}

    def __call__(self, target: str = "cpu", jobs: int = 2, debug: bool = False) -> Built:
        project = load_project(self.folder)
        self.said, self.commands = [], []
        request = Request(
            jobs=jobs,
            environment=self.environment,
            phases=Phases(terminal=False),
            debug=debug,
            say=self.said.append,
            reported=self.commands.append,
        )
        return build(project, options_for(project, target), request)


@pytest.fixture
def builder(tmp_path: Path, plain: None) -> Builder:
    """A builder for the test's folder, with a translator that passes everything through."""
    return Builder(tmp_path)

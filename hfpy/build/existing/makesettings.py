"""Settings of an existing Hybrid Fortran project (hybrid-fortran.md §13.4), read as make would read them."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from hfpy.build import codes
from hfpy.build.existing.assignments import read_assignments
from hfpy.diagnostics import Place, ToolError
from hfpy.values import dataclass

GENERAL = "MakesettingsGeneral"
_MARK = "hfpy-setting "


@dataclass(frozen=True)
class Settings:
    """Values by name, as make has them after it read the files of ``folder/config``."""

    folder: Path
    values: Mapping[str, str]
    files: tuple[Path, ...]
    unknown: tuple[tuple[Place, str, str], ...] = ()  # what only make could tell: place, key, why

    def text(self, key: str, default: str = "") -> str:
        """A value without the quotes that the shell would take away."""
        value = self.values.get(key, "").strip()
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1].strip()
        return value or default

    def words(self, key: str) -> tuple[str, ...]:
        """A value as a list of words. Quotes around the whole list do not count, those around a word do."""
        text = self.text(key)
        try:
            return tuple(shlex.split(text))
        except ValueError:
            return tuple(text.split())

    def place(self, key: str) -> Place:
        """Where a key is set, the last time."""
        pattern = re.compile(rf"^\s*(?:export\s+)?{re.escape(key)}\s*[:?+]?=")
        for file in reversed(self.files):
            try:
                lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                continue
            for number in range(len(lines), 0, -1):
                match = pattern.match(lines[number - 1])
                if match:
                    start = lines[number - 1].index(key)
                    return Place(str(file), number, start + 1, len(key))
        return Place(str(self.folder / "config" / GENERAL))


def read_settings(
    folder: Path, target: str, environment: Mapping[str, str], *, debug: bool, hf_dir: Path, runs: bool = False
) -> Settings:
    """The settings of the project in ``folder`` for a target, with ``DEBUG`` defined or not.

    Besides the keys of the two files there are those of the backend selection files in ``config``. They are read, not
    run; only if that leaves something unknown, and ``runs`` allows commands of the project's, make is asked.
    Raises ToolError if it is missing then or cannot read the files.
    """
    config = folder / "config"
    files = tuple(f for f in (config / GENERAL, config / f"Makesettings{target.upper()}") if f.is_file())
    given = {"HF_DIR": str(hf_dir), **({"DEBUG": "1"} if debug else {})}
    inherited = {k: v for k, v in environment.items() if k not in ("DEBUG", "EMULATED", "MAKEFLAGS", "MAKELEVEL")}
    read = read_assignments(folder, files, given, inherited)
    values, unknown = dict(read.values), read.unknown
    if unknown and runs:
        values, unknown = _asked(folder, files, given, inherited), ()
    for file in sorted(config.glob("*_IMPLEMENTATION_*")):
        values.setdefault(file.name, file.read_text(encoding="utf-8", errors="replace").strip())
    return Settings(folder, values, files, unknown)


def _asked(
    folder: Path, files: Sequence[Path], given: Mapping[str, str], environment: Mapping[str, str]
) -> dict[str, str]:
    """The values as make has them. Raises ToolError."""
    includes = "".join(f"include {file.relative_to(folder)}\n" for file in files)
    text = (
        f"{includes}"
        f"$(foreach v,$(.VARIABLES),$(if $(filter file,$(origin $v)),$(info {_MARK}$v=$($v))))\n"
        "hfpy-nothing: ;@:\n"
    )
    command = ["make", "-r", "-R", "-s", "-f", "-", "hfpy-nothing", *(f"{k}={v}" for k, v in given.items())]
    try:
        answer = subprocess.run(
            command,
            cwd=folder,
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            check=False,
        )
    except OSError:
        message = (
            f"error {codes.TOOL_MISSING}: GNU make is not on this machine; the settings in {folder / 'config'} need it"
        )
        raise ToolError(f"{message}\n  hint: Debian, Ubuntu: apt-get install make") from None
    if answer.returncode != 0:
        raise ToolError(
            f"{answer.stderr.strip()}\nerror {codes.TOOL_FAILED}: make cannot read the settings in {folder / 'config'}"
        )
    marked = (line[len(_MARK) :] for line in answer.stdout.splitlines() if line.startswith(_MARK))
    return {key: value for key, _, value in (line.partition("=") for line in marked)}

"""The tests of existing projects: runs that test/NAME/testConfig_*.txt describe, compared with references (§14)."""

from __future__ import annotations

import shlex
import subprocess
import tarfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hfpy.build.environment import program_environment
from hfpy.build.existing.comparer import compare_files
from hfpy.build.existing.framework import installed_programs
from hfpy.build.existing.legacy import HF_DIR, is_legacy
from hfpy.build.existing.makesettings import GENERAL, Settings, read_settings
from hfpy.diagnostics import UsageError
from hfpy.values import dataclass

FATAL = 102


@dataclass(frozen=True)
class Run:
    """One run of a program: its arguments, and the folder of reference output if there may be one."""

    arguments: tuple[str, ...]
    reference: str | None


@dataclass(frozen=True)
class Result:
    """How a run went; ``fault`` is empty if all was well."""

    name: str
    arguments: tuple[str, ...]
    fault: str


def run_tests(
    folder: Path, target: str, kind: str, environment: Mapping[str, str], reported: Callable[[Result], None]
) -> list[Result]:
    """Run the tests of a kind of the existing project in ``folder``; ``reported`` is called with each result.

    Raises UsageError if nothing is there to test, ToolError if the project's settings cannot be read.
    """
    if not is_legacy(folder):
        raise UsageError(f"{folder} is no existing Hybrid Fortran project: it has no config/{GENERAL}")
    settings = read_settings(folder, target, environment, debug=False, hf_dir=HF_DIR, runs=True)
    tests = folder / settings.text("TESTDIR", "test")
    results = []
    for program in _programs(settings, tests, target):
        if not program.is_file():
            raise UsageError(f"{program} is not there; build the project first")
        place, name = program.parent, program.name.removesuffix(f"_{target}")
        _unpack_references(place, name, environment)
        for run in configured_runs(place, kind):
            fault = _one(settings, place, [f"./{program.name}", target], run, environment)
            results.append(Result(name, run.arguments, fault))
            reported(results[-1])
    if not results:
        raise UsageError(f"nothing to test: {folder}/config/{GENERAL} names no EXECUTABLES")
    return results


def _programs(settings: Settings, tests: Path, target: str) -> list[Path]:
    """What is tested: the installed executables, or what ``TEST_EXECUTABLES`` names, by paths in the project."""
    named = settings.words("TEST_EXECUTABLES")
    if named:
        return [settings.folder / word for word in named]
    installed = installed_programs(settings).values()
    if installed:
        return [settings.folder / f"{path}_{target}" for path in installed]
    return [tests / name / f"{name}_{target}" for name in settings.words("EXECUTABLES")]


def configured_runs(place: Path, kind: str) -> list[Run]:
    """The runs that the files in a test folder ask for; without such files one run without arguments."""
    runs = []
    for words in _lines(place / f"testConfig_{kind}.txt"):
        pairs = list(zip(words[::2], words[1::2], strict=False))
        arguments = tuple(text for name, value in pairs for text in (f"-{name}", value))
        runs.append(Run(arguments, "ref_" + "_".join(f"{name}{value}" for name, value in pairs)))
    runs += [Run(tuple(words), None) for words in _lines(place / f"testConfigParams_{kind}.txt")]
    return runs or [Run((), "ref")]


def _lines(file: Path) -> list[list[str]]:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    return [shlex.split(line) for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _unpack_references(place: Path, name: str, environment: Mapping[str, str]) -> None:
    candidates = [place / "ref.tar.gz"]
    elsewhere = environment.get("HF_REFERENCE_OUTPUT_DIR")
    if elsewhere:
        candidates.append(Path(elsewhere) / f"{name}.ref.tar.gz")
    for archive in candidates:
        if archive.is_file():
            with tarfile.open(archive) as content:
                content.extractall(place, filter="data")
            return


def _one(settings: Settings, place: Path, command: Sequence[str], run: Run, environment: Mapping[str, str]) -> str:
    """Run once and compare; what went wrong, or nothing."""
    pattern = settings.text("TEST_OUTPUT_FILE_PATTERN", "./out/*.dat").removeprefix("./")
    for old in place.glob(pattern):
        old.unlink()
    line = shlex.join([*command, *run.arguments])
    for key, form in (
        ("SOURCE_THIS_BEFORE_TESTING", "{0} && {1}"),
        ("SOURCE_THIS_AFTER_TESTING", "{1}; s=$?; {0}; exit $s"),
    ):
        if settings.text(key):
            script = (settings.folder / settings.text(key)).resolve()
            line = form.format(f". {shlex.quote(str(script))}", line)
    host = environment.get("HF_RUN_OVER_SSH")
    full = ["bash", "-c", line]
    if host:
        full = ["ssh", host, f"cd {shlex.quote(str(place.resolve()))} && {line}"]
    ended = subprocess.run(
        full,
        cwd=place,
        capture_output=True,
        text=True,
        errors="replace",
        env=program_environment(environment),
        check=False,
    )
    log = f"$ {line}\n{ended.stdout}{ended.stderr}"
    (place / "log_lastRun.txt").write_text(log, encoding="utf-8")
    with (place / "log.txt").open("a", encoding="utf-8") as all_runs:
        all_runs.write(log)
    status = FATAL if ended.returncode == 0 and "fatal error" in ended.stderr.lower() else ended.returncode
    if status:
        last = ended.stderr.strip().splitlines()[-1:] or ["no message"]
        return f"ended with status {status}: {last[0]}"
    return _differences(place, pattern, run)


def _differences(place: Path, pattern: str, run: Run) -> str:
    """What differs from the reference; a reference file that was not written is a difference too."""
    if run.reference is None or not (place / run.reference).is_dir():
        return ""
    written = {path.name: path for path in sorted(place.glob(pattern))}
    for reference in sorted((place / run.reference).rglob("*")):
        if not reference.is_file() or not Path(reference.name).match(Path(pattern).name):
            continue
        if reference.name not in written:
            return f"{reference.name} was not written"
        wrong = compare_files(written[reference.name], reference)
        if wrong:
            return f"{reference.name}: {wrong}"
    return ""

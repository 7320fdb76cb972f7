"""Programs built to watch for races, below the command: nothing is refused, so that races can be planted anywhere."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hfpy.analyze.analysis import analyse
from hfpy.analyze.effects.effects import Effects
from hfpy.build.compile.cuda import SHADOW
from hfpy.build.compile.messages import Origin
from hfpy.build.compile.races import FLAGS, WRAPPED, Watched, run_watched
from hfpy.diagnostics import Diagnostic
from hfpy.making import rewritten
from hfpy.options import Options, silent
from hfpy.parse.application import read_application
from hfpy.transform.settled import Settled, with_labels_before
from tests.support import in_use_order, write_files


@cache
def runtime() -> Path:
    """A folder with the runtime, compiled."""
    folder = Path(mkdtemp(prefix="hfpy-races-runtime-"))
    _run(["gcc", "-c", "-O2", "-Wall", "-Wextra", "-Werror", SHADOW / "hfpy_races.c", "-o", "races.o"], folder)
    _run(["gfortran", "-c", "-Wall", "-Werror", SHADOW / "hfpy_races.f90"], folder)
    return folder


def _run(command: list[object], folder: Path) -> None:
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def watching_files(
    files: Mapping[str, str], folder: Path, **options: Any
) -> tuple[dict[str, str], list[Origin], tuple[Diagnostic, ...]]:
    """The generated files by name, where their lines come from, and what was said while they were made."""
    paths = [path for path in write_files(files, folder / "source") if path.suffix not in (".h", ".inc")]
    chosen = Options(backend="sequential", opt=0, races=True, jobs=1, **options)
    application, _ = read_application(paths, chosen, silent)
    facts = analyse(with_labels_before(Settled(application, [])).application)
    done = rewritten(facts, Effects(facts), silent)
    made = {f.name: f.text for f in done.files}
    made.update({name: text for name, text in files.items() if name.endswith((".h", ".inc"))})
    return made, [Origin(folder / f.name, f.source, f.line_map) for f in done.files], done.found


def built(files: Mapping[str, str], folder: Path, flags: Sequence[str] = ()) -> Path:
    """An executable of generated files."""
    write_files(files, folder)
    names = [n for n in in_use_order(files) if not n.endswith((".h", ".inc")) and n != "storage_order.F90"]
    options = ["-cpp", "-ffree-line-length-none", "-ffixed-line-length-none", f"-I{runtime()}", "-I.", *flags, *FLAGS]
    for name in names:
        _run(["gfortran", "-c", *options, name, "-o", f"{name}.o"], folder)
    objects = [*(f"{name}.o" for name in names), runtime() / "races.o"]
    _run(["gfortran", *objects, *(f"-Wl,--wrap={name}" for name in WRAPPED), "-o", "x"], folder)
    return folder / "x"


def watched(files: Mapping[str, str] | str, main: str, folder: Path, **options: Any) -> Watched:
    """What the watch finds in a program: its files (a single text is ``m.h90``) and the statements of its main program
    after ``program main``.
    """
    named = {"m.h90": files} if isinstance(files, str) else files
    whole = {**named, "main.f90": f"program main\n{main}\nend program main\n"}
    made, origins, _ = watching_files(whole, folder, **options)
    found = run_watched(built(made, folder), (), folder, origins)
    assert found.status == 0, found.messages
    return found

"""``hfpy report``: from two folders to a report, and to the files that hold it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hfpy.build.compile.runtimelib import runtime_sources
from hfpy.build.existing.legacy import is_legacy
from hfpy.build.files import write_if_changed
from hfpy.build.session import Given, Session, open_files, open_project
from hfpy.build.verify.verify import side
from hfpy.diagnostics import HfpyError, Place, error
from hfpy.nosources import no_fortran_in
from hfpy.options import Options
from hfpy.project import PROJECT_FILE, TARGETS, source_files
from hfpy.report.productivity.estimate import estimate
from hfpy.report.productivity.figures import compare
from hfpy.report.productivity.generated import generated
from hfpy.report.productivity.page import page
from hfpy.report.productivity.report import Report, as_data
from hfpy.report.productivity.tree import Tree, fortran_files, read_tree
from hfpy.values import dataclass

Say = Callable[[str], None]


@dataclass(frozen=True)
class Side:
    """One side: the folder that names start from, its files, and the project that they belong to, if there is one."""

    root: Path
    files: tuple[Path, ...]
    project: Path | None = None

    def session(self, given: Given, environment: Mapping[str, str]) -> Session:
        """The options for a target: those of the project, else the defaults."""
        if self.project is not None:
            return open_project(self.project, given, environment)
        return open_files(self.files, given)

    def sources(self, options: Options) -> tuple[Path, ...]:
        """What is translated: the files without the one of the storage order, and what they use of hfpy's library."""
        order = options.storage_order.resolve() if options.storage_order is not None else None
        files = tuple(f for f in self.files if f.resolve() != order)
        return (*files, *runtime_sources(files))


def make_report(
    reference: Path, hybrid: Path, targets: Sequence[str], environment: Mapping[str, str], say: Say = lambda _: None
) -> Report:
    """Compare two folders, estimate, and generate for ``targets`` (``cpu``, ``gpu:openacc``, as for ``hfpy verify``).

    ``say`` gets what is being done. Raises HfpyError for folders without Fortran files, UsageError for a target that
    there is not.
    """
    sides = [side(target) for target in targets]
    before, after = find_side(reference, environment), find_side(hybrid, environment)
    cpu, gpu = (after.session(Given(target=target), environment).options for target in TARGETS)
    say("reading")
    trees = _read(before, None), _read(after, cpu.storage_order)
    say("comparing")
    figures = compare(*trees)
    say("estimating")
    found = estimate(after.sources(cpu), cpu, gpu, trees[1])
    made = []
    for chosen in sides:
        say(f"generating for {chosen.name}")
        given = Given(target=chosen.target, backend=chosen.backend or None)
        options = after.session(given, environment).options
        made.append(generated(chosen.name, after.sources(options), options, trees[1]))
    return Report(str(reference), str(hybrid), figures, found, tuple(made))


def write_report(report: Report, folder: Path) -> tuple[Path, Path]:
    """Write ``report.json`` and ``report.html`` to a folder. Raises HfpyError if that cannot be done."""
    data, html = folder / "report.json", folder / "report.html"
    text = json.dumps(as_data(report), indent=1, ensure_ascii=False) + "\n"
    write_if_changed(data, text.encode("utf-8", "replace"))
    write_if_changed(html, page(report).encode("utf-8", "replace"))
    return data, html


def find_side(folder: Path, environment: Mapping[str, str]) -> Side:
    """The files of a folder: those of its project if it has one, else all that are Fortran; and the project that they
    are sources of.

    Raises HfpyError if the folder is not there or has no Fortran files.
    """
    place = Place(str(folder))
    if not folder.exists():
        raise HfpyError([error("HF100", "there is no such folder", place)])
    if _is_project(folder):
        files = _project_files(folder, environment)
        project: Path | None = folder
    else:
        files, project = fortran_files(folder), _project_around(folder, environment)
    if not files:
        raise HfpyError([no_fortran_in(place)])
    return Side(folder if folder.is_dir() else folder.parent, files, project)


def _is_project(folder: Path) -> bool:
    return (folder / PROJECT_FILE).is_file() or is_legacy(folder)


def _project_files(folder: Path, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The Fortran sources of a project with the file of the storage order."""
    session = open_project(folder, Given(), environment)
    order = session.options.storage_order
    return (*source_files(session.project), *((order,) if order is not None and order.is_file() else ()))


def _project_around(folder: Path, environment: Mapping[str, str]) -> Path | None:
    """The project that a folder has sources of."""
    found = next((parent for parent in folder.resolve().parents if _is_project(parent)), None)
    if found is None:
        return None
    sources = {path.resolve() for path in _project_files(found, environment)}
    return found if sources & {path.resolve() for path in fortran_files(folder)} else None


def _read(found: Side, storage_order: Path | None) -> Tree:
    try:
        return read_tree(found.root, found.files, storage_order)
    except OSError as fault:
        place = Place(str(fault.filename or found.root))
        raise HfpyError([error("HF100", f"cannot be read: {fault.strerror}", place)]) from None

"""``hfpy install``: executables, libraries, module files and a pkg-config file go to the folders under a prefix."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from hfpy.build.compile.linking import Library
from hfpy.build.driver import Built
from hfpy.build.files import explained, write_if_changed
from hfpy.project import Project


def install(project: Project, built: Built, prefix: Path, staged: Path | None = None) -> list[Path]:
    """Copy what was built to ``prefix/bin``, ``lib``, ``include/NAME`` and ``lib/pkgconfig``; gives the files that are
    new or have changed. With ``staged`` they go below that folder, as with ``DESTDIR`` of make: what they say of the
    prefix stays.

    Raises HfpyError if one cannot be written.
    """
    base = prefix.absolute()
    root = base if staged is None else staged.absolute() / base.relative_to(base.anchor)
    copies = [(path, root / "bin" / name) for name, path in built.executables.items()]
    library = built.library
    changed = []
    if library is not None:
        copies += [(path, root / "lib" / path.name) for path in library.files]
        copies += [(path, root / "include" / library.name / path.name) for path in _modules(library)]
        config = root / "lib" / "pkgconfig" / f"{library.name}.pc"
        if write_if_changed(config, pkg_config(project, library, base).encode()):
            changed.append(config)
    for source, target in copies:
        with explained(source):
            data = source.read_bytes()
        if write_if_changed(target, data):
            changed.append(target)
        with explained(target):
            shutil.copymode(source, target)
    return changed


def _modules(library: Library) -> Iterator[Path]:
    """The module files: of any compiler, so all there are."""
    with explained(library.modules):
        yield from sorted(path for path in library.modules.iterdir() if path.is_file())


def pkg_config(project: Project, library: Library, prefix: Path) -> str:
    """The text of the library's ``.pc`` file. What only programs with the archive need is private."""
    lines = [
        f"prefix={prefix}",
        "libdir=${prefix}/lib",
        f"includedir=${{prefix}}/include/{library.name}",
        "",
        f"Name: {project.name}",
        f"Description: {project.name}, built by hfpy",
        f"Version: {project.version}",
        "Cflags: -I${includedir}",
        f"Libs: -L${{libdir}} -l{library.name}",
    ]
    if library.flags:
        lines.append(f"Libs.private: {' '.join(library.flags)}")
    return "\n".join(lines) + "\n"

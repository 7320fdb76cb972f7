"""In which order files are compiled: who provides the modules that others use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hfpy.build import codes
from hfpy.diagnostics import Diagnostic, HfpyError, Place, error
from hfpy.translation import Contents
from hfpy.values import dataclass


@dataclass(frozen=True)
class CompiledFile:
    """A Fortran file to compile: what the translator wrote (``path``) for a file of the user's (``source``).

    ``contents`` tells what the build has to know about it; ``line_map`` leads from a line of ``path`` to the line of
    ``source`` (0: made by hfpy).
    """

    name: str
    source: Path
    path: Path
    digest: str
    contents: Contents
    line_map: Sequence[int]

    @property
    def provides(self) -> tuple[str, ...]:
        """The modules in it."""
        return self.contents.provides

    @property
    def uses(self) -> tuple[str, ...]:
        """The modules that it uses."""
        return self.contents.uses

    @property
    def programs(self) -> tuple[str, ...]:
        """The main programs in it."""
        return self.contents.programs


def providers(files: Sequence[CompiledFile]) -> dict[str, str]:
    """For each module the name of the file that provides it.

    Raises HfpyError if two files provide the same module.
    """
    found: dict[str, CompiledFile] = {}
    problems: list[Diagnostic] = []
    for file in files:
        for module in file.provides:
            first = found.setdefault(module, file)
            if first is not file:
                problems.append(
                    error(
                        codes.MODULE_TWICE,
                        f"module '{module}' is also defined in {first.source}",
                        Place(str(file.source)),
                        hint="name one of them under exclude in hfpy.toml, or rename it",
                    )
                )
    if problems:
        raise HfpyError(problems)
    return {module: file.name for module, file in found.items()}


def dependencies(files: Sequence[CompiledFile]) -> dict[str, tuple[str, ...]]:
    """For each file (by ``name``) the files whose modules it uses; modules from elsewhere are left out.

    Raises HfpyError if a module is provided twice, or if files use each other in a circle (which is shown).
    """
    where = providers(files)
    needs = {
        file.name: tuple(
            dict.fromkeys(where[m] for m in file.uses if m in where and where[m] != file.name),
        )
        for file in files
    }
    circle = find_circle(needs)
    if circle:
        source = {file.name: file.source for file in files}
        way = " → ".join(source[name].name for name in [*circle, circle[0]])
        raise HfpyError(
            [
                error(
                    codes.CIRCULAR_USE,
                    f"these files use each other's modules in a circle: {way}",
                    Place(str(source[circle[0]])),
                    hint="move what both need into a module of its own",
                )
            ]
        )
    return needs


def find_circle(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """The names on one circle of dependencies, each before the one that it needs; empty if there is none."""
    state: dict[str, bool] = {}  # False: being looked at, True: done
    for start in needs:
        if start in state:
            continue
        way = [start]
        pending = [iter(needs[start])]
        state[start] = False
        while way:
            following = next(pending[-1], None)
            if following is None:
                state[way.pop()] = True
                pending.pop()
            elif following not in state:
                state[following] = False
                way.append(following)
                pending.append(iter(needs[following]))
            elif not state[following]:
                return way[way.index(following) :]
    return []


def closure(needs: Mapping[str, Sequence[str]], start: str) -> tuple[str, ...]:
    """Everything that ``start`` needs, directly or not, without itself, sorted."""
    found: set[str] = set()
    pending = list(needs.get(start, ()))
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += needs.get(name, ())
    return tuple(sorted(found))

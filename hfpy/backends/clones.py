"""Routines that regions of OpenACC and OpenMP target call, and that read members of common blocks: regions call copies
of them, which get the members as further arguments.

Directives for variables on the device know common blocks on paper only: GCC 12 does not link a program in which a
routine on the device names one. So the copies are those of CUDA Fortran's kernels, with a directive in the place of
``attributes(device)``, in a module at the head of the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from pathlib import Path

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.facts import Facts
from hfpy.backends.base import render
from hfpy.backends.blocks import in_block
from hfpy.backends.c.device import DeviceRoutines
from hfpy.backends.c.values import CannotPrint, Refusals, check_all
from hfpy.backends.fortran.accepted import asks_ieee
from hfpy.backends.fortran.device import Form, FortranRoutines
from hfpy.model.expressions import Apply, Expr, Keyword, Name
from hfpy.model.kernel import Block, Import, Slot
from hfpy.model.names import module_of_file
from hfpy.model.statements import Call, OneLine, Statement
from hfpy.model.units import FileIndex, Routine
from hfpy.transform.imports import Imports
from hfpy.transform.text.edits import Edit, insert, replace_range
from hfpy.transform.text.fixedform import fixed_row
from hfpy.transform.workshop import Added
from hfpy.translation import Contents
from hfpy.values import dataclass

FORMS = {
    "openacc": Form("", "!$acc routine seq", spaces=False),
    "openmp-target": Form("", "!$omp declare target", spaces=False),
}
_MODULES = {"openacc": "hfa", "openmp-target": "hft"}
_BEHIND_ARGUMENTS = 9  # of edits at one place, those of the arguments themselves come first


@dataclass
class Given:
    """What a region gives the copies: ``members`` of common blocks by their names in its routine, and ``others``, the
    variables of modules, each with its rank; what is to be declared and imported there; ``edits`` of the calls in it,
    and the ``use`` statements for that.
    """

    members: dict[str, int] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)


@dataclass
class Clones:
    """The copies of one translation. ``wanted`` are the routines of which a file has copies, by its path and the
    backend.
    """

    facts: Facts
    device: DeviceRoutines
    imports: Imports
    wanted: dict[str, dict[str, dict[str, None]]] = field(default_factory=dict)
    _routines: dict[str, FortranRoutines] = field(default_factory=dict)

    def of(self, routine: Routine, family: str, sites: Iterable[CallSite], refusals: Refusals) -> Given:
        """What a region that makes some calls gives the copies, and how it calls them. What cannot be done is kept in
        ``refusals``.
        """
        made = Given()
        routines = self._routines.setdefault(family, FortranRoutines(self.device, FORMS[family]))
        for site in (s for s in sites if self.device.reads_blocks(s.callee)):
            with refusals.at(site.at.statement.line, site.node.start, site.node.end):
                reached = self.device.reached({site.callee})
                check_all(reached, lambda key: _check(routines, key))
                self._call(site, family, routines, made)
                self.wanted.setdefault(routine.file, {}).setdefault(family, {}).update(dict.fromkeys(reached))
        return made

    def _call(self, site: CallSite, family: str, routines: FortranRoutines, made: Given) -> None:
        """One call of a copy."""
        self._check(site)
        given: dict[Slot, str] = {}
        bounds: dict[str, tuple[tuple[str, str], ...]] = {}
        for found in self.device.globals(site.callee):
            slot, rank = self.device.slot(found), found.symbol.rank
            if self.device.in_block(found):
                name, block = in_block(self.device, self.imports, found, site.caller)
                made.blocks += [block] if block is not None else []
                made.members[name] = rank
                rank = 0  # the copy knows the bounds
            else:
                imported = self.imports.found(*slot, site.caller)
                made.imports += [imported] if imported is not None else []
                name = imported.local if imported is not None else found.symbol.name
                made.others[name] = rank
            given[slot] = name
            bounds[name] = tuple((f"lbound({name}, {d})", f"ubound({name}, {d})") for d in range(1, rank + 1))
        further = ", ".join(routines.further(given, bounds, [site.callee])[site.callee])
        name = self.device.name(site.callee)
        base = site.node.base if isinstance(site.node, Apply) else site.node
        line = site.at.statement.line
        made.uses.append(f"use {self._module(self.facts.routine(site.caller).file, family)}, only: {name}")
        made.edits.append(replace_range(line, base.start, base.end, name))
        if site.args:
            made.edits.append(insert(line, site.args[-1].end, f", {further}", _BEHIND_ARGUMENTS))
        elif (opened := _opened(site)) >= 0:
            made.edits.append(insert(line, opened + 1, further))
        else:
            made.edits.append(insert(line, base.end, f"({further})", _BEHIND_ARGUMENTS))

    def _check(self, site: CallSite) -> None:
        """Raise CannotPrint for a call that a compiler would not take of a procedure whose interface it sees."""
        routine = self.facts.routine(site.callee)
        for number, argument in enumerate(site.args):
            if not isinstance(argument, Keyword) and number >= len(routine.dummies):
                raise CannotPrint(f"a call of '{site.name}' with more arguments than it takes")
            dummy = argument.name if isinstance(argument, Keyword) else routine.dummies[number]
            data = self.facts.object(dummy, site.callee)
            value: Expr = argument.value if isinstance(argument, Keyword) else argument
            own = self.facts.object(value.name, site.caller) if isinstance(value, Name) else None
            if data is not None and data.rank and own is not None and not own.rank:
                raise CannotPrint(f"the scalar '{own.name}' as the array '{dummy}' of '{site.name}'")
        optional = (d for d in routine.dummies if (s := routine.spec.symbols.get(d)) and "optional" in s.attributes)
        for dummy in optional:
            raise CannotPrint(f"the optional argument '{dummy}' of '{site.name}', which reads a common block,")

    def _module(self, path: str, family: str) -> str:
        """The module with the copies of a file for a backend."""
        return module_of_file(_MODULES[family], self.facts.application.outputs.stems[path])

    def finished(self, index: FileIndex) -> Added:
        """The module with the copies for a file, at its head."""
        path = index.path
        rows, modules = [], []
        for family, keys in self.wanted.get(path, {}).items():
            modules.append(self._module(path, family))
            ieee = asks_ieee(self.facts, keys)
            rows += render("offload/module_begin.j2", source=Path(path).name, module=modules[-1], ieee=ieee)
            for key in keys:
                rows += ["", *(text for text, _ in self._routines[family].text(key))]
            rows.append(f"end module {modules[-1]}")
        if index.fixed:
            rows = [fixed_row(row) for row in rows]
        return Added(head=tuple(rows), contents=Contents(provides=tuple(modules)))


def _check(routines: FortranRoutines, key: str) -> None:
    routines.text(key)


def _opened(site: CallSite) -> int:
    """The offset of the parenthesis of a call without arguments; -1 if it has none."""
    if isinstance(site.node, Apply):
        return site.node.open
    statement: Statement = site.at.statement
    while isinstance(statement, OneLine):
        statement = statement.action
    return statement.open if isinstance(statement, Call) else -1

"""What OpenACC and OpenMP target have to know about routines that kernels call: that they exist on the device too,
and which module variables they know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.device.states import HOST, TRANSFER, States
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, block_of, keeps_value
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import IEEE_CALLED, INTRINSICS
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.types import component, is_bound
from hfpy.analyze.language.uses import aliases_of
from hfpy.backends.c.device import DeviceRoutines
from hfpy.backends.c.values import Unprintable
from hfpy.backends.outsidemodules import described_by_module, described_here, known_as_procedure
from hfpy.backends.refused import BOUND, ENTRY, SAVED, WRITTEN_BELOW, through_object
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Apply, Binary, Component, Literal, Name, Unary, walk
from hfpy.model.kernel import Import
from hfpy.model.printing import OPERATORS
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Call, InputOutput, Specification, Statement, expressions, flatten
from hfpy.model.units import Routine
from hfpy.parse.declarations.specification import has_entry
from hfpy.parse.text.physical import physical
from hfpy.transform.imports import Imports
from hfpy.transform.text.edits import Edit, insert_lines
from hfpy.values import dataclass

OFFLOADED = ("openacc", "openmp-target")
_ROUTINE = {"openacc": "!$acc routine seq", "openmp-target": "!$omp declare target"}
_VARIABLES = {"openacc": "!$acc declare create({})", "openmp-target": "!$omp declare target({})"}
_OWN = {"openacc": ("acc", ("routine",)), "openmp-target": ("omp", ("declare", "target"))}  # of the user's
_NAMED = {"openacc": "!$acc routine({}) seq", "openmp-target": "!$omp declare target({})"}  # where others call them
_SUBROUTINES = ("mvbits",)


def plain_type(facts: Facts, data: DataObject) -> bool:
    """Whether a variable of derived type is one piece of memory: its type is known and has no allocatable or pointer
    components, in its components neither.
    """
    return data.symbol.type.base == "type" and _plain(facts, data.symbol.type.derived.lower(), data.home)


def _plain(facts: Facts, derived: str, key: str) -> bool:
    """Whether a type that is visible in a unit is known and has no such components, also inherited ones."""
    line = facts.scopes.lineage(derived, key)
    if not line or line[-1][1].extends:
        return False
    for home, definition in line:
        for part in definition.components:
            if part.dynamic or part.type.base in ("class", "procedure"):
                return False
            if part.type.base == "type":
                inner = part.type.derived.lower()
                if inner == definition.name or not _plain(facts, inner, home):
                    return False
    return True


@dataclass(frozen=True)
class Known:
    """A module variable that the device knows, by its name in a routine; ``bound``: its type has procedures."""

    name: str
    rank: int = 0
    bound: bool = False


@dataclass
class Called:
    """Routines that kernels of these backends call, and what was found wrong with them.

    ``shared``: arrays are in hfpy's own table. Routines that are called in regions cannot ask it for those that they
    take from modules: they get a copy for each region, in ``tables`` by routine, number, and name there, with the word
    whether it is allocatable.
    """

    facts: Facts
    effects: Effects
    states: States
    device: DeviceRoutines
    imports: Imports
    shared: bool = False
    tables: dict[tuple[str, int], dict[str, bool]] = field(default_factory=dict)
    _checked: set[tuple[str, str]] = field(default_factory=set)
    _found: dict[RegionId, list[CallSite]] = field(default_factory=dict)
    _declared: dict[tuple[str, str], set[str]] | None = None

    def families(self, key: str) -> list[str]:
        """The backends of the kernels that call a routine."""
        above = {self.facts.backend(region.routine) for region in self.facts.positions.get(key).above}
        return sorted((above & set(OFFLOADED)) | self._by_operators.get(key, set()))

    @cached_property
    def _by_operators(self) -> dict[str, set[str]]:
        """The routines that kernels reach by operators and assignments that the program defines, with the backends."""
        found: dict[str, set[str]] = {}
        for region in self.facts.positions.regions:
            family = self.facts.backend(region.routine)
            for site in self._sites(region) if family in OFFLOADED else ():
                for key in self._reached(site.callee) if _is_defined(site) else ():
                    found.setdefault(key, set()).add(family)
        return found

    def lines(self, routine: Routine) -> Iterator[Edit]:
        """Directives in the specification part of a routine that kernels call, or of a module whose variables such
        routines know.
        """
        margin = " " * (routine.header.segments[0][2] + 2)
        column = "" if self.facts.application.file(routine.key).fixed else margin  # of directives
        rows: list[str] = []
        if routine.kind in ("subroutine", "function") and not self.device.reads_blocks(routine.key):
            families = [f for f in self.families(routine.key) if not self._own(routine, f)]
            rows += [f"{column}{_ROUTINE[family]}" for family in families]
        for name, key in described_here(self.facts, routine):
            rows += [column + _NAMED[family].format(name) for family in self.families(key)]
        for name, named in self._outside(routine).items():
            if described_by_module(self.facts, name, routine):
                continue
            rows += [] if known_as_procedure(self.facts, name, routine) else [f"{margin}external :: {name}"]
            rows += [column + _NAMED[family].format(name) for family in sorted(named)]
        if rows:
            yield insert_lines(routine.spec_insert + 1, rows, 5, routine.header.first)
        if routine.kind == "module":
            yield from self._module(routine, column)

    def changes(self, routine: Routine) -> bool:
        """Whether :meth:`lines` has something to say of a routine."""
        return self.offloads and next(self.lines(routine), None) is not None

    @cached_property
    def offloads(self) -> bool:
        """Whether there are kernels of these backends."""
        return any(self.facts.backend(region.routine) in OFFLOADED for region in self.facts.positions.regions)

    def _outside(self, routine: Routine) -> dict[str, set[str]]:
        """The routines in no module that a routine calls in kernels, by their names there, with the backends: a
        compiler sees nothing of such a routine where it is called.
        """
        key = routine.key
        own = self.facts.backend(key)
        found: dict[str, set[str]] = {}
        for site in self.facts.graph.sites.get(key, ()):
            called = self.facts.application.routines.get(site.callee)
            if called is None or called.host or not self.facts.live(site.at, key):
                continue
            if self.device.reads_blocks(called.key):
                continue  # kernels call copies of it
            families = {*self.families(key), *([own] if site.at.regions and own in OFFLOADED else [])}
            if families:
                found.setdefault(site.name, set()).update(families)
        return found

    def _module(self, routine: Routine, column: str) -> Iterator[Edit]:
        listed = sorted((name, families) for (home, name), families in self.declared().items() if home == routine.key)
        rows = [column + _VARIABLES[family].format(name) for name, families in listed for family in sorted(families)]
        file = self.facts.application.file(routine.key)
        unit = file.units[routine.unit]
        if rows and routine.end is not None:
            end = file.lines[unit.contains] if unit.contains >= 0 else routine.end
            yield insert_lines(end.first, rows, -3, routine.header.first)

    def _own(self, routine: Routine, family: str) -> bool:
        """Whether the user has written the directive himself."""
        if routine.end is None:
            return False
        index = self.facts.application.file(routine.key)
        rows = index.rows[routine.header.first : routine.end.last + 1]
        sentinel, words = _OWN[family]
        found = (physical(row) for row in rows)
        return any(row.sentinel == sentinel and row.words[: len(words)] == words for row in found)

    # -- module variables

    def declared(self) -> dict[tuple[str, str], set[str]]:
        """The module variables that need a declaration, by home and name, with the backends that ask for it."""
        if self._declared is None:
            self._declared = {}
            for region in self.facts.positions.regions:
                family = self.facts.backend(region.routine)
                if family in OFFLOADED:
                    for variable in self._known(region):
                        slot = (variable.home, variable.symbol.name)
                        self._declared.setdefault(slot, set()).add(family)
        return self._declared

    def _mentioned(self, region: RegionId) -> list[tuple[CallSite, Found]]:
        """The variables of modules that routines called in a region know, with the first call that leads to each."""
        found: dict[tuple[str, str], tuple[CallSite, Found]] = {}
        for site in self._sites(region):
            for variable in self.device.globals(site.callee):
                if self.device.in_block(variable):
                    continue  # copies of routines get them as arguments
                found.setdefault((variable.home, variable.symbol.name), (site, variable))
        return list(found.values())

    def _known(self, region: RegionId) -> list[Found]:
        """The variables of :meth:`_mentioned`; none where that is not known, which :meth:`updates` says."""
        try:
            return [variable for _, variable in self._mentioned(region)]
        except Unprintable:
            return []

    def sites(self, key: str, number: int) -> list[CallSite]:
        """The calls of routines with source in a region of a routine, by their names."""
        return [site for site in self._sites(RegionId(key, number)) if not _is_defined(site)]

    def _sites(self, region: RegionId) -> list[CallSite]:
        """The same with what operators and assignments call that the program defines, in the region and below it."""
        if region not in self._found:
            key = region.routine
            sites = (*self.facts.graph.sites.get(key, ()), *self._defined(key))
            found = [s for s in sites if s.callee and region.number in s.at.regions and self.facts.live(s.at, key)]
            seen: set[str] = set()
            for site in found:  # which grows
                new = [k for k in self._reached(site.callee) if k not in seen]
                seen.update(new)
                found += (s for k in new for s in self._defined(k))
            self._found[region] = found
        return self._found[region]

    def _defined(self, key: str) -> Iterator[CallSite]:
        """What operators and assignments call in a routine."""
        sites = self.facts.graph.indirect.get(key, ())
        return (s for s in sites if s.callee and _is_defined(s) and self.facts.live(s.at, key))

    def _reached(self, key: str) -> list[str]:
        """A routine and those that it calls by their names; none where that is not known."""
        try:
            return self.device.reached({key})
        except Unprintable:
            return []

    def updates(self, routine: Routine, number: int) -> tuple[list[Known], list[Import], list[Diagnostic]]:
        """What a region has to bring to the device for the routines that it calls: module variables by the names that
        they have in its routine, imports for them, and what cannot be done.
        """
        family = self.facts.backend(routine.key)
        region = RegionId(routine.key, number)
        names: list[Known] = []
        imports: list[Import] = []
        problems = list(self._unknown(routine.key, family, number))
        for site in self._sites(region):
            problems += self._routines(site, family)
        if problems:
            return [], [], problems
        for site, variable in self._mentioned(region):
            problem = self._not_declarable(variable, routine, family)
            if problem:
                problems.append(self._refused(problem, family, site))
                continue
            in_table = self.shared and bool(variable.symbol.rank)
            if variable.symbol.rank and not in_table and self._there(variable, routine.key):
                continue
            local = self._local(variable, routine, imports)
            if in_table:
                self.tables.setdefault((routine.key, number), {})[local] = variable.symbol.dynamic
            else:
                names.append(self._as_known(local, variable))
        return names, imports, problems

    def own_updates(self, routine: Routine, names: Iterable[str]) -> list[Known]:
        """Those of a region's own scalars that the device knows by a directive of their module. What a region says of
        them copies nothing, since they are there already (OpenACC 3.3, 2.7.3; OpenMP 5.2, 5.8.3).
        """
        family = self.facts.backend(routine.key)
        found = ((name, self.facts.scopes.variable(name, routine.key)) for name in names)
        return [
            self._as_known(name, variable)
            for name, variable in found
            if variable is not None and family in self.declared().get((variable.home, variable.symbol.name), ())
        ]

    def _as_known(self, name: str, variable: Found) -> Known:
        line = self.facts.scopes.lineage(variable.symbol.type.derived.lower(), variable.home)
        bound = any(definition.bindings for _, definition in line)
        return Known(name, variable.symbol.rank, bound)

    def _local(self, variable: Found, routine: Routine, imports: list[Import]) -> str:
        """The name of a module variable in a routine, which imports it if it does not know it."""
        wanted = self.imports.found(variable.home, variable.symbol.name, routine.key)
        imports += [wanted] if wanted is not None else []
        return wanted.local if wanted is not None else variable.symbol.name

    def _not_declarable(self, variable: Found, routine: Routine, family: str) -> str:
        """Why a variable of another unit cannot be known on the device; empty if it can."""
        home = self.facts.application.routines[variable.home]
        symbol = variable.symbol
        what = f"'{symbol.name}' of '{home.name}', which a routine called here uses,"
        data = self.facts.object(symbol.name, variable.home)
        if home.kind != "module":
            return f"{what} a variable of the program around it,"
        kinds = {group.kind for group in home.spec.groups if symbol.name in group.members}
        if symbol.name in home.spec.storage and kinds != {"namelist"}:
            return f"{what} in a common block or an equivalence,"
        if data is None or "pointer" in symbol.attributes or symbol.type.base in ("character", "class"):
            return f"{what} a pointer or a text,"
        if symbol.type.base == "type" and not plain_type(self.facts, data):
            return f"{what} whose type has allocatable or pointer components,"
        if routine.host != variable.home and not home.spec.accessible(symbol.name):
            return f"{what} private in its module,"
        if not data.rank:
            return f"{what} allocatable," if symbol.dynamic else ""
        if self.shared:
            return ""  # read only, and copied for the region
        brought = self._brought(variable)
        if symbol.dynamic and not brought:
            return f"{what} which no routine brings to the device,"
        return (
            f"{what} which is brought to the device within a routine that does so, too," if self._twice(brought) else ""
        )

    def _brought(self, variable: Found) -> dict[str, str]:
        """The routines that know an array of a module to be on the device, each with its state there."""
        identity = (variable.home, variable.symbol.name)
        states = {}
        for key, references in self.facts.references.items():
            for name in sorted({r.name for r in references} | self.facts.domains.listings(key).keys()):
                found = self.facts.scopes.variable(name, key)
                same = found is not None and (found.home, found.symbol.name) == identity
                if same and self.states.of(name, key) != HOST:
                    states[key] = self.states.of(name, key)
        return states

    def _there(self, variable: Found, key: str) -> bool:
        """Whether an array of a module is on the device when a routine runs: by itself, or by a caller."""
        return any(other == key or key in self._below(other) for other in self._brought(variable))

    def _below(self, key: str) -> set[str]:
        """The routines that a routine leads to."""
        reached: set[str] = set()
        left = [key]
        while left:
            for site in self.facts.graph.sites.get(left.pop(), ()):
                if site.callee and site.callee not in reached:
                    reached.add(site.callee)
                    left.append(site.callee)
        return reached

    def _twice(self, brought: dict[str, str]) -> bool:
        """Whether a routine brings an array to the device while a caller has it there: the copies of an array with
        memory of its own on the device are not counted.
        """
        transfers = {key for key, state in brought.items() if state == TRANSFER}
        return any(transfers & self._below(key) - {key} for key in transfers)

    # -- routines

    def _routines(self, site: CallSite, family: str) -> Iterator[Diagnostic]:
        """What is wrong with a routine that is called in a region, and with those below it."""
        if _is_defined(site) and self.device.reads_blocks(site.callee):
            what = (
                f"an operator or assignment that calls '{self.facts.routine(site.callee).name}', which reads a common"
            )
            yield self._refused(f"{what} block,", family, site)
            return
        try:
            reached = self.device.reached({site.callee})
        except Unprintable as problem:
            yield self._refused(str(problem), family, site)
            return
        for key in reached:
            if (key, family) in self._checked:
                continue
            self._checked.add((key, family))
            routine = self.facts.routine(key)
            wrong, hint = self._wrong(routine)
            if wrong:
                what = f"a call that leads to '{routine.name}', {wrong},"
                yield refused(what, family, site.at.statement.line, self.facts.routine(site.caller).file, hint)
            yield from self._unknown(key, family, None)

    def _wrong(self, routine: Routine) -> tuple[str, str]:
        """What a routine does that kernels cannot, and what helps; both empty if there is nothing."""
        constant = self._constant_array(routine)
        if constant:
            return f"which picks elements of the constant array '{constant}'", ""
        blocks = (n for n in self._locals(routine) if block_of(routine, n) is None)  # others are arguments of a copy
        kept = next((n for n in blocks if keeps_value(routine, n)), None)
        if kept is not None:
            return f"which keeps '{kept}' between calls", SAVED
        kinds = (s.kind for s in flatten(routine.body) if isinstance(s, Specification))
        if "entry" in kinds or has_entry(routine.spec.lines):
            return "which has another entry", ENTRY
        written = self.effects.shared_writes(routine.key)
        if written:
            return f"which changes the module variable '{written[0]}'", WRITTEN_BELOW
        return "", ""

    def _locals(self, routine: Routine) -> Iterator[str]:
        """The variables of a routine, also those that only the implicit rules type."""
        yield from (name for name, symbol in routine.spec.symbols.items() if not symbol.constant)
        others = {r.name for r in self.facts.references.get(routine.key, ())} - routine.spec.symbols.keys()
        for name in sorted(others):
            found = self.facts.scopes.variable(name, routine.key)
            if found is not None and found.home == routine.key:
                yield name

    def _constant_array(self, routine: Routine) -> str:
        """A named constant with elements picked at run time: compilers keep it in the host's memory only."""
        for reference in self.facts.references.get(routine.key, ()):
            found = self.facts.scopes.variable(reference.name, routine.key)
            if found is None or not found.symbol.constant or not found.symbol.rank:
                continue
            if reference.role != "inquiry" and not all(isinstance(i, Literal) for i in reference.indices or (None,)):
                return reference.name
        return ""

    def _unknown(self, key: str, family: str, number: int | None) -> Iterator[Diagnostic]:
        """Input and output, and calls of procedures without source, in a region or in a whole routine."""
        file = self.facts.routine(key).file
        for at in self.facts.graph.statements.get(key, ()):
            if (number is not None and number not in at.regions) or not self.facts.live(at, key):
                continue
            statement = at.statement
            if isinstance(statement, InputOutput):
                yield refused(f"'{statement.kind}' in a kernel", family, statement.line, file)
            for called in self._through_objects(statement, key):
                yield refused(through_object(called.name), family, statement.line, file, BOUND)
            if isinstance(statement, Call) and isinstance(statement.designator, Component):
                continue
            for name in self._named_procedures(statement, key):
                yield refused(f"the procedure '{name}' as an argument", family, statement.line, file)
            for name in self._without_source(statement, key, at):
                what = f"a call of '{name}', whose source is not here or which may mean several procedures,"
                yield refused(what, family, statement.line, file)

    def _through_objects(self, statement: Statement, key: str) -> Iterator[Component]:
        """The procedures that a statement calls by an object."""
        if isinstance(statement, Call) and isinstance(statement.designator, Component):
            yield statement.designator
        nodes = (node for top in expressions(statement) for node in walk(top))
        named = (n.base for n in nodes if isinstance(n, Apply) and isinstance(n.base, Component))
        scopes = self.facts.scopes
        for part in named:
            pointed = (symbol := component(part, key, scopes)) is not None and symbol.type.base == "procedure"
            if pointed or is_bound(part, key, scopes):
                yield part

    def _named_procedures(self, statement: Statement, key: str) -> Iterator[str]:
        """The procedures that a statement names without a call of them, such as the target of a pointer."""
        trees = statement.args if isinstance(statement, Call) else expressions(statement)
        nodes = [node for tree in trees for node in walk(tree)]
        called = {id(node.base) for node in nodes if isinstance(node, Apply)}
        scopes = self.facts.scopes
        for name in (n.name for n in nodes if isinstance(n, Name) and id(n) not in called):
            if scopes.variable(name, key) is None and scopes.procedures(name, key):
                yield name

    def _without_source(self, statement: Statement, key: str, at: Located) -> Iterator[str]:
        inside = aliases_of(at)
        application = self.facts.application
        macros = {m.lower() for m in (*application.macros_of(key), *application.file(key).macros)}
        scopes = self.facts.scopes
        callees = {s.name: s.callee for s in self.facts.graph.sites.get(key, ()) if s.at.statement is statement}
        defined = {(s.node.start, s.node.end) for s in self._defined(key) if s.at.statement is statement}
        yield from (name for name, callee in callees.items() if not callee and name not in _SUBROUTINES)
        if isinstance(statement, Call):
            trees = statement.args
        else:
            trees = expressions(statement)
        for tree in trees:
            for node in walk(tree):
                if isinstance(node, (Binary, Unary)) and node.op not in OPERATORS:
                    yield from () if (node.start, node.end) in defined else (node.op,)
                if not isinstance(node, Apply) or not isinstance(node.base, Name) or node.base.name in callees:
                    continue
                name = node.base.name
                found = scopes.variable(name, key)
                array = found is not None and (found.symbol.rank or found.symbol.type.base == "character")
                data = self.facts.object(name, key)
                if array or (data is not None and data.full) or name in inside:
                    continue
                if name in INTRINSICS and name not in IEEE_CALLED:
                    continue
                known = scopes.statement_function(name, key) or scopes.derived_type(name, key) is not None
                if not known and name not in macros:
                    yield name

    def _refused(self, what: str, family: str, site: CallSite) -> Diagnostic:
        return refused(what, family, site.at.statement.line, self.facts.routine(site.caller).file)


def _is_defined(site: CallSite) -> bool:
    """Whether a call is that of an operator or an assignment that the program defines."""
    statement = site.at.statement
    assigns = isinstance(statement, Assignment) and site.args == (statement.target, statement.value)
    return site.chosen and (assigns or isinstance(site.node, (Binary, Unary)))


def not_shared(what: str, line: LogicalLine, file: str) -> Diagnostic:
    """The error for something that directives cannot do with arrays that they share with CUDA kernels."""
    message = f"{what} is not possible where CUDA kernels and directives share arrays on the device"
    hint = "give both the same backend, pass it as an argument, or let each bring its arrays to the device and back"
    return error("HF703", message, line.place(file), hint)


def refused(what: str, family: str, line: LogicalLine, file: str, hint: str = "", also: str = "") -> Diagnostic:
    """The error for something that a backend with directives cannot do."""
    general = "choose the backend cuda-c for this routine, or write it in another way"
    return error("HF702", f"{what} is not possible with {family}{also}", line.place(file), hint or general)

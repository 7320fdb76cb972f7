"""What host routines that are called do with arrays on the device that they do not get as arguments: variables of
modules, pointers, common blocks, components of objects.

The caller keeps such arrays in step around the call, under a name that it has for them, or imports one. Where it cannot
have one, or cannot know what is called, it says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hfpy.analyze.arrays.pointerresults import pointer_result
from hfpy.analyze.arrays.storage import Identity, actual, holds_address
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import dummy_name, dummy_of, passed, position_in
from hfpy.analyze.device.commonparts import element_of
from hfpy.analyze.device.families import common_backend
from hfpy.analyze.device.packing import NEVER, gaps
from hfpy.analyze.device.residence import (
    View,
    address_given,
    block_variable,
    common_block,
    namelist_members,
    used_in_block,
)
from hfpy.analyze.device.states import HOST, PRESENT, States
from hfpy.analyze.effects.declared import SIZE, read_by_functions
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.members import Otherwise
from hfpy.analyze.facts import Facts, block_of, stands_for
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.uses import Reference, named_list
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Apply, Expr, Keyword, Name
from hfpy.model.kernel import Block, Import
from hfpy.model.names import unit_name
from hfpy.model.statements import Assignment, Call, Construct, InputOutput, Statement
from hfpy.model.units import Routine, Symbol
from hfpy.transform.blocknames import NotDeclared
from hfpy.transform.device.touched import Touched
from hfpy.transform.imports import Imports


class HostCalls:
    """The calls of one routine. ``arrays`` are the arrays of it that may be on the device.

    ``imports`` are module variables that the routine has to import, ``blocks`` common blocks that it has to declare;
    ``foreign`` what is not declared here but has to be named: those, and components.
    """

    def __init__(
        self,
        facts: Facts,
        effects: Effects,
        states: States,
        imports: Imports,
        routine: Routine,
        arrays: Callable[[], Iterable[str]],
        components: bool,
        parts: bool,
    ) -> None:
        """``components`` tells whether components of objects can be kept in step, ``parts`` whether parts of arrays
        can: directives follow no array that moves.
        """
        self.facts = facts
        self.effects = effects
        self.states = states
        self.routine = routine
        self.key = routine.key
        self.arrays = arrays
        self.components = components
        self.parts = parts
        self.direct = {id(site) for site in facts.graph.sites.get(routine.key, ())}
        self.sites: dict[int, list[CallSite]] = {}
        for site in facts.graph.below(routine.key):
            self.sites.setdefault(id(site.at.statement), []).append(site)
        self.found: list[Diagnostic] = []
        self.imported = imports
        self.imports: list[Import] = []
        self.blocks: list[Block] = []
        self.foreign: dict[str, Symbol] = {}

    def touch(self, statement: Statement, touched: Touched) -> None:
        """Add what the calls of a statement read and write."""
        there = self.states.there(self.key)
        for site in self.sites.get(id(statement), ()) if there else ():
            if not self.facts.live(site.at, self.key):
                continue
            self._result(site, there, touched)
            if site.callee:
                self._resized(site, touched)
            if site.callee:
                self._declarations(site, self.effects.declared(site.callee), touched)
            if site.callee and not self._works_on_device(site.callee):
                self._host_routine(site, there, touched)
                continue
            if id(site) not in self.direct:
                self._chosen_at_run_time(site, touched)

    def listed(self, statement: Statement, touched: Touched) -> None:
        """Add the arrays of a namelist that the routine does not know by their own names."""
        for data in namelist_members(self.facts, self.key, statement):
            at = next(at for at in self.facts.graph.statements[self.key] if at.statement is statement)
            name = named_list(statement) if isinstance(statement, InputOutput) else None
            if name is not None and isinstance(statement, InputOutput):
                meant = common_block(self.facts, data.identity) or data.identity
                site = CallSite(self.key, "", name.name, (), at, name, False)
                if self.facts.storage.meet(self.facts.storage.of_identity(meant), self.states.there(self.key)):
                    self._may_mean(site, [meant], statement.kind == "read", touched)

    def led_to(self, reference: Reference, touched: Touched) -> None:
        """Add the arrays that a pointer of a ``block`` may mean, or an address that a procedure without source gets."""
        storage, address = self.facts.storage, address_given(self.facts, reference, self.key)
        meant = address or block_variable(self.facts, reference, self.key)
        if meant is None or not storage.meet(storage.of_identity(meant), self.states.there(self.key)):
            return
        if not self.states.stays_on_device(reference, self.key):
            site = CallSite(self.key, "", reference.name, (), reference.at, reference.node, False)
            writes = address is not None or self.effects.of(reference, self.key)[1]
            self._may_mean(site, [meant], writes, touched)

    def used_in_block(self, statement: Statement) -> None:
        """Refuse a ``use`` in a block that gives an array on the device another name."""
        storage = self.facts.storage
        for home, name in used_in_block(self.facts, statement):
            if storage.meet(storage.of_identity((home, name)), self.states.there(self.key)):
                message = f"'{name}' may be on the device, and hfpy does not follow the name that a block gives it"
                place = statement.line.place(self.routine.file)
                self.found.append(error("HF603", message, place, "use the module in the routine"))
                return

    def runs_kernels(self, statement: Statement) -> bool:
        """Whether a statement calls a routine that works on the device, or may do so."""
        return any(s.callee and self._works_on_device(s.callee) for s in self.sites.get(id(statement), ()))

    def _host_routine(self, site: CallSite, there: frozenset[Identity], touched: Touched) -> None:
        storage = self.facts.storage
        views = [
            v for v in self.states.residence.seen_from(site) if storage.meet(storage.of_identity(v.stands_for), there)
        ]
        written = {(v.root, v.path, v.part) for v in views if v.writes}
        for view in sorted({View(v.root, v.path, v.part, False) for v in views}, key=str):
            names = self._names(site, view)
            for name in names:
                self._message_left(site, view, name)
                touched.read.add(name)
                if (view.root, view.path, view.part) in written:
                    touched.written.add(name)
                    touched.partly.add(name)

    def _result(self, site: CallSite, there: frozenset[Identity], touched: Touched) -> None:
        """What a function points to is read where its value is, and may be set as a variable or as an argument."""
        storage = self.facts.storage
        place = site.at.statement.line.key, site.node.start, site.node.end
        written = self.states.residence.set_results(self.key).get(place, [])
        result = pointer_result(self.facts.application, site.callee) if site.function else None
        results = written or ([result] if result is not None else [])
        meant = [i for i in results if storage.meet(storage.of_identity(i), there)]
        if not meant or _only_pointed_to(site) or self._handed_on(site):
            return
        if self._works_on_device(site.callee):
            message = f"what '{site.name}' points to may be on the device, and '{site.name}' itself works there"
            self._refuse(site, message, "set a pointer, as in p => f(x), and use that in a statement of its own")
        self._may_mean(site, meant, bool(written), touched)

    def _may_mean(self, site: CallSite, meant: Iterable[Identity], writes: bool, touched: Touched) -> None:
        """Add all arrays that some names of a called routine may mean as read, and as set in part."""
        names = {name for identity in meant for name in self._names(site, View(identity, (), "", writes))}
        touched.read |= names
        if writes:
            touched.written |= names
            touched.partly |= names

    def points_elsewhere(self, reference: Reference, touched: Touched) -> bool:
        """Whether a called routine may give a pointer that it gets another target. What that is has to be in step
        before, and the pointer has it only afterwards.
        """
        if reference.role != "argument" or reference.call is None:
            return False
        found = False
        for site in self.facts.graph.called_at(self.key, reference.at, reference.call):
            dummy = dummy_name(self.facts, site, position_in(site, reference))
            view = site.callee, dummy or ""
            if (view, "pointer") not in self.effects.all_memory(site.callee):
                continue
            found = True
            there = self.facts.references.get(site.callee, ())
            writes = any(r.role != "pointer" and r.name == dummy and self.effects.of(r, site.callee)[1] for r in there)
            if writes and self._works_on_device(site.callee):
                message = f"'{site.name}' sets what '{reference.name}' points to, and may point it elsewhere"
                self._refuse(site, message, "set it in a routine that has no kernels")
            self._may_mean(site, [view], writes, touched)
        return found

    def _handed_on(self, site: CallSite) -> bool:
        """Whether what a function points to goes to a routine that finds it on the device."""
        span = site.node.start, site.node.end
        for other in self.sites[id(site.at.statement)]:
            for dummy, value in passed(self.facts, other):
                data = self.facts.object(dummy, other.callee) if (value.start, value.end) == span else None
                if data is not None and data.rank and self.states.on_device(dummy, other.callee):
                    return True
        return False

    def _declarations(self, site: CallSite, read: Iterable[tuple[Identity, str]], touched: Touched) -> None:
        """The sizes that declarations name are found by the host: those of a routine, or of a block in one, before its
        first statement.
        """
        storage, there = self.facts.storage, self.states.there(self.key)
        meant = sorted(i for i, word in read if word == SIZE and storage.meet(storage.of_identity(i), there))
        self._may_mean(site, meant, False, touched)

    def in_blocks(self, node: Construct) -> Iterable[str]:
        """The arrays that functions read which declarations in blocks call."""
        read = read_by_functions(self.facts, self.effects.mentioned_memory, self.key, (node,))
        touched = Touched()
        if read:
            at = next(at for at in self.facts.graph.statements[self.key] if at.statement is node.header)
            site = CallSite(self.key, "", "block", (), at, Name(0, 0, "block"), False)
            self._declarations(site, read, touched)
        return touched.read

    def _resized(self, site: CallSite, touched: Touched) -> None:
        """Arrays that a called routine knows by itself, and that an assignment there may allocate anew. Directives have
        to leave an array on the device around a call that needs it there.
        """
        if self._works_on_device(site.callee) and not self.parts:
            return
        memory = self.effects.memory(site.callee)
        anew = {identity for identity, word in memory if word == "resize"}
        anew -= {identity for identity, word in memory if word in ("allocate", "deallocate")}  # see HeldArrays
        for name in self.arrays() if anew else ():
            data = self.facts.object(name, self.key)
            if data is not None and data.identity in anew and data.home != site.callee:
                (touched.followed if self._works_on_device(site.callee) else touched.moved).add(name)

    def _chosen_at_run_time(self, site: CallSite, touched: Touched) -> None:
        """A call that may run kernels, or of which nothing is known."""
        if site.callee:
            reason = self._differ(site)
            if reason:
                name = unit_name(site.callee)
                called = f"this may call '{name}'" if site.hidden else f"'{site.name}' may be '{name}'"
                message = f"{called}, which works on the device"
                hint = "call it by its own name where arrays are on the device"
                self._refuse(site, f"{message}, while arrays are there already: {reason}", hint)
        elif self.states.resident(self.key):
            message = f"nothing tells which procedure '{site.name}' is, and a caller has arrays on the device"
            self._refuse(site, message, "call a procedure by its own name where arrays are on the device")
        else:
            names = set(self.arrays())
            touched.read |= names
            touched.written |= names
            touched.partly |= names

    def _differ(self, site: CallSite) -> str:
        """Why a call that may run kernels cannot be taken as a call of any of its candidates; empty if it can."""
        candidates = [s for s in self.sites[id(site.at.statement)] if s.node is site.node and id(s) not in self.direct]
        hosts = [s for s in candidates if not s.callee or not self._works_on_device(s.callee)]
        if hosts:
            name = unit_name(hosts[0].callee)
            return f"it may also be '{name}', which does not" if name else "it may also be one that hfpy does not see"
        if not common_backend(self.facts):
            return "there are kernels of several backends"
        found: set[int | str] = set()
        for reference in self.facts.references.get(self.key, ()):
            if reference.at.statement is site.at.statement and reference.call is site.node:
                found.add(reference.position)
                if reason := self._unsettled(reference):
                    return reason
        shift = len(site.args) - len(_given(site))
        for number, arg in enumerate(site.args):
            position = arg.name if isinstance(arg, Keyword) else number
            if (position - shift if isinstance(position, int) else position) in found:
                continue
            dummies = (dummy_of(self.facts, s, position)[1] for s in candidates)
            if any(d is not None and self.states.decided(d.name, d.routine) == PRESENT for d in dummies):
                return "it expects an array on the device, and gets a value"
        return ""

    def _unsettled(self, reference: Reference) -> str:
        """Why the candidates of a call do not find an argument in the same place; empty if they do."""
        name = stands_for(reference.name, reference.at)[0]
        dummies = [d for d in self.states.chosen(reference, self.key) if d is not None and d.rank]
        there = {self.states.on_device(d.name, d.routine) for d in dummies}
        present = any(self.states.decided(d.name, d.routine) == PRESENT for d in dummies)
        own = name is not None and self.states.decided(name, self.key) != HOST
        if len(there) > 1:
            return f"some of the procedures that it may be use '{reference.name}' on the device, others on the host"
        if present and not own:
            return f"it expects '{reference.name}' on the device"
        if there == {True} and gaps(self.facts, reference, self.key, own) != NEVER:
            return f"'{reference.name}' may be passed with gaps"
        return ""

    # -- names for what is touched

    def _names(self, site: CallSite, view: View) -> list[str]:
        """The names here under which a view of a called routine is kept in step."""
        storage = self.facts.storage
        objects = storage.of_identity(view.stands_for)
        known = {name: storage.objects(name, self.key) for name in self.arrays()}
        if len(objects) == 1 and next(iter(objects))[0] in self.facts.application.routines:
            exact = [name for name, means in known.items() if means == objects and self._is_all(name, self.key)]
            if exact:
                return exact[:1]
        if (name := self._root_name(site, view)) is not None:
            return [name]
        if not storage.meet(objects, self.states.resident(self.key)):
            return [name for name, means in known.items() if storage.meet(objects, means)]
        if view.root[0] == "common":
            names = self._members(site, view.root[1])
        else:
            names = self._targets(site, objects, known)
        if names is None:
            self._unreachable(site, view)
        return names or []

    def _targets(
        self, site: CallSite, objects: frozenset[Identity], known: Mapping[str, frozenset[Identity]]
    ) -> list[str] | None:
        """The names here of all arrays on the device that a pointer of a called routine may mean; None where one has
        none.
        """
        storage, there, names = self.facts.storage, self.states.there(self.key), list[str]()
        for meant in sorted(o for o in objects if storage.meet({o}, there)):
            owner = self.facts.application.routines.get(meant[0])
            name = next((n for n, means in known.items() if means == {meant} and self._is_all(n, self.key)), None)
            if name is None and owner is not None and owner.kind == "module":
                name = self._root_name(site, View(meant, (), "", False))
            if name is None:
                return None
            names.append(name)
        return names

    def _is_all(self, name: str, key: str, seen: frozenset[Identity] = frozenset()) -> bool:
        """Whether an array is all that it means a part of: a pointer may point to a section, and a dummy argument may
        get one.
        """
        data = self.facts.object(name, key)
        if data is None or self.facts.storage.of_identity(data.identity) <= {data.identity}:
            return data is not None
        if not data.dummy or data.identity in seen or "pointer" in data.symbol.attributes:
            return data.identity in seen
        sites, routine = self.facts.graph.callers.get(key, ()), self.facts.routine(key)
        given = [(actual(site, routine.dummies, name), site) for site in sites]
        alike = seen | {data.identity}
        return all(isinstance(e, Name) and not s.at.renamed and self._is_all(e.name, s.caller, alike) for e, s in given)

    def _members(self, site: CallSite, block: str) -> list[str] | None:
        """The names here of the arrays of a common block that a called routine mentions, which is declared here if need
        be; None where it cannot be.
        """
        blocks, names = self.imported.blocks, []
        if blocks.members.tangled_anywhere(block):
            return None
        for home, name in sorted(self.effects.members(site.callee) | self.effects.mentioned(site.callee)):
            if block_of(self.facts.routine(home), name) != block:
                continue
            found = self.facts.scopes.variable(name, home)
            if found is None or blocks.members.member(home, name) is None:
                return None
            if not found.symbol.rank:
                holders = {self.key, *self.facts.graph.callers_above([self.key])}
                if element_of(self.states, (home, name), holders) is not None:
                    return None
                continue
            try:
                local, declared = blocks.found(found, self.key, self.effects)
            except (Otherwise, NotDeclared):
                return None
            self.blocks += [declared] if declared is not None else []
            self.foreign[local] = found.symbol
            names.append(local)
        return list(dict.fromkeys(names))

    def _root_name(self, site: CallSite, view: View) -> str | None:
        """The view's own name, if it can be had here: it is visible, or a module has it."""
        home, name = view.root
        owner = self.facts.application.routines.get(home)
        if owner is None or view.path is None or (view.part and not self.components):
            return None
        symbol = owner.spec.symbols.get(name)
        local = owner.kind in ("subroutine", "function") and home not in (self.key, self.routine.host)
        if symbol is None or local or holds_address(symbol):
            return None
        wanted = self.imported.found(home, name, self.key)
        if wanted is not None and _nested(owner):
            return None
        here = self._imported(site, home, wanted) if wanted is not None else name
        if not view.part:
            return here
        text = "%".join((here, *view.path))
        part = self._part(symbol, view.path, home)
        if part is None or not part.rank:
            return None
        self.foreign[text] = part
        return text

    def _part(self, symbol: Symbol, path: tuple[str, ...], home: str) -> Symbol | None:
        """The declaration of the component at the end of a path."""
        current: Found | None = Found(home, symbol)
        for name in path:
            if current is not None:
                current = self.facts.scopes.component(name, current.symbol.type.derived, current.home)
        return current.symbol if current is not None else None

    def _imported(self, site: CallSite, home: str, wanted: Import) -> str:
        """The name here of a module's variable that only a called routine names."""
        owner, name = self.facts.routine(home), wanted.name
        symbol = owner.spec.symbols[name]
        if not owner.spec.accessible(name) and self.routine.host != home:
            message = f"'{site.name}' uses '{name}' of '{owner.name}', which is private and may be on the device here"
            self._refuse(site, message, f"make '{name}' public", "HF601")
        if wanted not in self.imports:
            self.imports.append(wanted)
        self.foreign[wanted.local] = symbol
        return wanted.local

    # -- what cannot be done

    def _message_left(self, site: CallSite, view: View, name: str) -> None:
        if view.root in self.states.messages.left_open(site.callee):
            message = f"'{site.name}' leaves a message on its way from or to '{name}', which may be on the device"
            self._refuse(site, message, "wait for it in the same routine", "HF604")

    def _unreachable(self, site: CallSite, view: View) -> None:
        home, name = view.root
        if home == "common":
            what = f"the common block '{name}'" if name else "the blank common block"
            message = f"'{site.name}' uses {what}, of which a caller of '{self.routine.name}' has arrays on the device"
            self._refuse(site, message, f"declare the block in '{self.routine.name}', too, in the same way")
            return
        what = f"a component '{view.part}'" if view.part else f"'{name}'"
        message = f"'{site.name}' uses {what}, which may be on the device and cannot be named in '{self.routine.name}'"
        self._refuse(site, message, "pass it as an argument, or bring it to the device nearer to its kernels")

    def _refuse(self, site: CallSite, message: str, hint: str, code: str = "HF603") -> None:
        place = site.at.statement.line.place(self.routine.file, site.node.start, site.node.end)
        self.found.append(error(code, message, place, hint))

    def _works_on_device(self, callee: str) -> bool:
        position = self.facts.positions.get(callee)
        return bool(position.own or position.below)


def _given(site: CallSite) -> tuple[Expr, ...]:
    """The arguments of a call as they are written, without the object that a bound procedure gets."""
    if isinstance(site.node, Apply):
        return site.node.args
    return site.at.statement.args if isinstance(site.at.statement, Call) else ()


def _only_pointed_to(site: CallSite) -> bool:
    """Whether a function only gives a pointer its target."""
    statement, span = site.at.statement, (site.node.start, site.node.end)
    return (
        isinstance(statement, Assignment) and statement.pointer and span == (statement.value.start, statement.value.end)
    )


def _nested(owner: Routine) -> bool:
    """Whether a unit's variables cannot be imported."""
    return owner.kind not in ("module", "submodule")

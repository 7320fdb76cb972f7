"""Device routines: procedures that kernels call, printed as C functions into every file that needs them.

A copy a file keeps the generated files independent of each other, whatever modules the routines come from (L3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.members import Members
from hfpy.analyze.facts import Facts, block_of, keeps_value, resolve_alias
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found
from hfpy.backends.c.body import Body, Scratch
from hfpy.backends.c.dialect import CUDA, Dialect
from hfpy.backends.c.expressions import Expressions
from hfpy.backends.c.sequences import with_unknown_size
from hfpy.backends.c.space import local_array, needs_space, own_arrays, room_name
from hfpy.backends.c.statements import Statements
from hfpy.backends.c.values import (
    CannotPrint,
    CVariable,
    Follows,
    Problem,
    Refusals,
    Space,
    Unprintable,
    c_name,
    c_type,
)
from hfpy.backends.c.views import array_variable, scalar_of
from hfpy.backends.refused import (
    EQUIVALENT,
    IN_COMMON,
    MEMORY,
    ONE_NAME,
    RECURSIVE,
    SAVED,
    WRITTEN_BELOW,
    WRITTEN_IN_BLOCK,
    shown_block,
)
from hfpy.model.expressions import Fragment
from hfpy.model.extents import Dim
from hfpy.model.kernel import Slot
from hfpy.model.names import Names, cut, stems
from hfpy.model.scalars import Scalar
from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine, Symbol
from hfpy.parse.expressions.fragments import ONE, expanded, expanded_dim
from hfpy.values import dataclass

Lines = list[tuple[str, int]]


@dataclass
class DeviceRoutines:
    """Names, arguments and texts of all device routines of a program; texts are made when asked for."""

    facts: Facts
    effects: Effects
    kinds: Kinds
    _texts: dict[str, tuple[str, Lines]] = field(default_factory=dict)
    _scratch: dict[str, tuple[Scratch, ...]] = field(default_factory=dict)

    _changed: dict[str, frozenset[str]] = field(default_factory=dict)
    _written: dict[str, frozenset[Slot]] = field(default_factory=dict)
    _stems: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Sets ``members``, the members of all common blocks."""
        self.members = Members(self.facts.application, self.facts.scopes, self.kinds)

    # -- what callers ask

    def changed(self, key: str) -> frozenset[str]:
        """The names that statements of a routine change, or routines that they call."""
        if key not in self._changed:
            references = self.facts.references[key]
            self._changed[key] = frozenset(r.name for r in references if self.effects.of(r, key)[1])
        return self._changed[key]

    def lasting(self, names: Iterable[str], home: str, key: str) -> list[DataObject] | None:
        """The constants and integers of some names, as the unit ``home`` means them, if ``key`` means the same by them
        and neither changes one nor calls what does; None otherwise.
        """
        scopes = self.facts.scopes
        objects = []
        for name in sorted(names):
            found = self.facts.object(name, key)
            if home != key and scopes.variable(name, home) != scopes.variable(name, key):
                return None
            if found is None or not self._keeps_value(found, key):
                return None
            objects.append(found)
        return objects

    def _keeps_value(self, data: DataObject, key: str) -> bool:
        """Whether a scalar is an integer that nothing in a routine, or below it, changes."""
        symbol = data.symbol
        if data.rank or symbol.type.base != "integer" or "optional" in symbol.attributes:
            return False
        if symbol.constant or data.home == key:
            return symbol.constant or data.name not in self.changed(key)
        return symbol.name not in self.effects.shared_writes(key)

    def name(self, key: str) -> str:
        """The C name of a routine: ``hff_name``, with its module where several have that name."""
        return cut(f"hff_{self.stem(key)}")

    def stem(self, key: str) -> str:
        """What represents a routine in names of its kernels and of its form on the device."""
        if not self._stems:
            routines = self.facts.application.routines.values()
            own = [r.key for r in routines if r.kind not in ("module", "submodule", "blockdata")]
            self._stems.update(stems(own))
        return self._stems[key]

    def globals(self, key: str) -> tuple[Found, ...]:
        """Variables of modules and common blocks that a routine or one below it names, in a fixed order (further
        arguments). A member of a block is there once, by the routine's own name if it has one.
        """
        named = self.effects.mentioned(key) | self.effects.members(key) | self._in_sizes(key)
        found: dict[Slot, Found] = {}
        for home, name in sorted(named, key=lambda one: (one[0] != key, one)):
            symbol = self.facts.application.routines[home].spec.symbols.get(name)
            if symbol is not None and not symbol.constant:
                found.setdefault(self.members.slot(home, name), self._found(home, name, symbol))
        return tuple(found[slot] for slot in sorted(found))

    def mentioned(self, key: str) -> frozenset[Slot]:
        """The keys of those that statements of the routines name."""
        return frozenset(self.members.slot(*i) for i in self.effects.mentioned(key) | self.effects.members(key))

    def _found(self, home: str, name: str, symbol: Symbol) -> Found:
        """A variable, with the type that the implicit rules give one that is declared without."""
        return self.facts.scopes.variable(name, home) or Found(home, symbol)

    def in_block(self, found: Found) -> bool:
        """Whether a variable is a member of a common block."""
        return block_of(self.facts.routine(found.home), found.symbol.name) is not None

    def reads_blocks(self, key: str) -> bool:
        """Whether a routine, or one that it calls, names a member of a common block."""
        named = self.effects.mentioned(key)
        return bool(self.effects.members(key)) or any(block_of(self.facts.routine(h), n) is not None for h, n in named)

    def slot(self, found: Found) -> Slot:
        """The key of a variable, the same in the kernel and in all routines that it calls."""
        return self.members.slot(found.home, found.symbol.name)

    def _in_sizes(self, key: str) -> frozenset[tuple[str, str]]:
        """Variables of other units in the sizes that a routine, or one below it, declares."""
        found: set[tuple[str, str]] = set()
        for unit in self.reached({key}):
            for symbol in self.facts.routine(unit).spec.symbols.values():
                for name in _names(symbol.shape, self.facts, unit):
                    variable = self.facts.scopes.variable(name, unit)
                    if variable is not None and variable.home != unit:
                        found.add((variable.home, variable.symbol.name))
        return frozenset(found)

    def by_value(self, key: str, dummy: str) -> bool:
        """Whether a scalar dummy is passed by value: it is only read, or is a copy by its attribute."""
        return self.effects.intent(key, dummy) == "in"

    def locals(self, key: str) -> Iterator[DataObject]:
        """Local variables that a routine's statements name, and a function's result; no members of common blocks."""
        routine = self.facts.routine(key)
        names: list[str | None] = [routine.result or routine.name] if routine.kind == "function" else []
        live = (r for r in self.facts.references[key] if self.facts.live(r.at, key))
        names += [resolve_alias(r.name, r.at)[0] for r in live]
        for name in dict.fromkeys(n for n in names if n is not None and n not in routine.dummies):
            data = self.facts.object(name, key)
            if data is None or data.home != key or data.symbol.constant:
                continue
            if block_of(routine, data.name) is None:
                yield data

    def check_local(self, data: DataObject) -> None:
        """Raise CannotPrint for a local variable that a thread cannot have."""
        if keeps_value(self.facts.routine(data.home), data.name):
            raise CannotPrint(f"'{data.name}', which keeps its value between calls,", hint=SAVED)
        if self.facts.storage.equivalent(data.identity):
            raise CannotPrint(f"'{data.name}', whose memory has other names by an equivalence,", hint=ONE_NAME)
        if data.symbol.dynamic:
            raise CannotPrint(f"the pointer or allocatable '{data.name}'", hint=MEMORY)

    def written(self, key: str) -> frozenset[Slot]:
        """The variables of modules and common blocks that a routine, or one that it calls, writes."""
        if key not in self._written:
            self._written[key] = frozenset(self.members.slot(*i) for i in self.effects.lasting_writes(key))
        return self._written[key]

    def check_global(self, key: str, found: Found, refusals: Refusals) -> None:
        """Refuse a variable of a module or a common block that a routine writes, at the place of the first write.
        Raises Follows for one that it, or a routine below it, writes, and CannotPrint for a member of a block whose
        place is not known.
        """
        name, slot = found.symbol.name, self.slot(found)
        block = block_of(self.facts.routine(found.home), name)
        if slot in self.written(key):
            for reference in self.facts.references[key]:
                variable = self.facts.scopes.variable(reference.name, key)
                if variable is None or self.slot(variable) != slot or not self.effects.of(reference, key)[1]:
                    continue
                node = reference.node
                with refusals.at(reference.at.statement.line, node.start, node.end):
                    shown = "the module variable " if block is None else ""
                    where = "" if block is None else f" of {shown_block(block)}"
                    what = f"a write of {shown}'{reference.name}'{where} in a device routine"
                    raise CannotPrint(what, hint=WRITTEN_BELOW if block is None else WRITTEN_IN_BLOCK)
                break
            raise Follows(f"'{name}'")
        if block is not None and self.members.member(found.home, name) is None:
            what = f"'{name}' of {shown_block(block)}"
            if self.members.tangled(found.home, block):
                unit = self.facts.routine(found.home).name
                raise CannotPrint(f"{what}, of which '{unit}' has memory in an equivalence,", hint=EQUIVALENT)
            raise CannotPrint(f"{what}, whose place in memory hfpy cannot tell,", hint=IN_COMMON)

    def check_result(self, key: str) -> None:
        """Raise CannotPrint for a function whose value is no scalar of a plain type."""
        routine = self.facts.routine(key)
        if routine.kind == "function" and self.result_type(key) is None:
            raise CannotPrint(f"the function '{routine.name}', whose value is no scalar of a plain type,")

    def result_type(self, key: str) -> Scalar | None:
        """The type of a function's result."""
        routine = self.facts.routine(key)
        found = self.facts.scopes.variable(routine.result or routine.name, key)
        if found is None or found.symbol.rank:
            return None
        return self.kinds.scalar(found.symbol.type, key)

    def needs_space(self, key: str) -> bool:
        """Whether a routine, or one below it, has local arrays of run-time size."""
        return needs_space(self, key)

    def reached(self, keys: set[str]) -> list[str]:
        """The routines and all that they call, callees first. Raises Unprintable for recursion."""
        order: list[str] = []
        for key in sorted(keys):
            self._visit(key, order, ())
        return order

    def _visit(self, key: str, order: list[str], above: tuple[str, ...]) -> None:
        if key in above:
            line = self.facts.routine(key).header
            what = f"the recursive routine '{self.facts.routine(key).name}'"
            raise Unprintable([Problem(what, line, 0, len(line.text), self.facts.routine(key).file, RECURSIVE)])
        if key in order:
            return
        for site in self.facts.graph.sites.get(key, ()):
            if site.callee and self.facts.live(site.at, key):
                self._visit(site.callee, order, (*above, key))
        order.append(key)

    # -- texts

    def text(self, key: str) -> tuple[str, Lines]:
        """Prototype and definition of a routine. Raises Unprintable."""
        if key not in self._texts:
            function = Function(self, self.facts.routine(key))
            self._texts[key] = function.text()
            self._scratch[key] = tuple(function.body.scratch)
        return self._texts[key]

    def scratch(self, key: str) -> tuple[Scratch, ...]:
        """The room that a routine's own array statements need, known once it is printed. Raises Unprintable."""
        self.text(key)
        return self._scratch[key]


def _names(shape: tuple[Dim, ...], facts: Facts, key: str) -> set[str]:
    macros = facts.application.macros_of(key)
    return {name for dim in shape for name in expanded_dim(dim, macros).names}


def declared_at(routine: Routine, name: str) -> tuple[LogicalLine, int, int]:
    """Where a routine declares a name; its own first line for what it does not declare."""
    symbol = routine.spec.symbols.get(name)
    if symbol is None or symbol.line is None or symbol.line.file:
        return routine.header, 0, -1
    return symbol.line, *symbol.name_span


class Function:
    """Prints one device routine in a dialect. ``spaces`` is where the variables lie that it gets by their addresses."""

    def __init__(
        self,
        device: DeviceRoutines,
        routine: Routine,
        dialect: Dialect = CUDA,
        spaces: Sequence[Space] = (),
    ) -> None:
        self.dialect = dialect
        self.spaces = tuple(spaces)
        self.device = device
        self.facts = device.facts
        self.routine = routine
        self.key = routine.key
        self.variables: dict[str, CVariable] = {}
        self.globals: dict[Slot, CVariable] = {}
        self.parameters: list[str] = []
        self.definitions: list[str] = []
        self.places: dict[object, Space] = {}
        names = Names(frozenset(map(c_name, routine.spec.symbols)))
        self.refusals = Refusals(routine.file)
        self.body = Body(
            device.facts,
            device.effects,
            device.kinds,
            self.key,
            device,
            self.refusals,
            self.variables,
            self.globals,
            names=names,
            dialect=dialect,
        )

    def text(self) -> tuple[str, Lines]:
        """Prototype and definition. Raises Unprintable."""
        line = self.routine.header
        with self.refusals.at(line):
            self.device.check_result(self.key)
        places = self._places()
        for found in self.device.globals(self.key):
            slot = self.device.slot(found)
            place = declared_at(self.routine, found.symbol.name) if found.home == self.key else (line, 0, -1)
            with self.refusals.at(*place, name=slot):
                self._global(found, slot, places.get(slot, "global"))
        shared = self.parameters
        self.places = places
        self.parameters = [*self._dummies(), *shared]
        for data in self.device.locals(self.key):
            with self.refusals.at(*declared_at(self.routine, data.name), name=data.name):
                self.device.check_local(data)
                self._local(data)
        result = self._result()
        statements = Statements(
            self.body, self.routine.file, self._located(), f"return {result};" if result else "return;"
        )
        statements.block(self.routine.body, 1)
        self.refusals.check()
        if own_arrays(self.device, self.key) or self.body.scratch or self._callees_need_space():
            self.parameters.append("hf_space_of_thread hf_space")
        head = self._head()
        ending: Lines = [(f"  return {result};", line.first)] if result else []
        return f"{head};", self._assembled(head, statements, ending, line)

    def _places(self) -> dict[object, Space]:
        """Where the dummies and module variables lie that are passed by their addresses, in the order of the list."""
        by_address: list[object] = []
        for name in self.routine.dummies:
            data = self.facts.object(name, self.key)
            optional = data is not None and "optional" in data.symbol.attributes
            if data is not None and (data.rank or not (optional or self.device.by_value(self.key, name))):
                by_address.append(name)
        found = (f for f in self.device.globals(self.key) if f.symbol.rank)
        by_address += [self.device.slot(f) for f in found]
        return dict(zip(by_address, self.spaces, strict=False))

    def _callees_need_space(self) -> bool:
        return any(needs_space(self.device, key) for key in self.device.reached({self.key}) if key != self.key)

    def _assembled(self, head: str, statements: Statements, ending: Lines, line: LogicalLine) -> Lines:
        place = self.facts.application.shown_place(self.key, line)
        lines = [(f"// {place}: {self.routine.kind} {self.routine.name}", line.first)]
        lines += [(head, line.first), ("{", line.first)]
        made = [*self.body.constant_lines(), *self.definitions]
        made += [row for s in self.body.scratch for row in self.dialect.taken(s.variable, s.name)]
        made += [f"{ctype} {name};" for ctype, name in self.body.temporaries]
        lines += [(f"  {row}", line.first) for row in made]
        return [*lines, *statements.lines, *ending, ("}", line.first)]

    def _located(self) -> dict[int, Located]:
        return {id(at.statement): at for at in self.facts.graph.statements[self.key]}

    def _head(self) -> str:
        result = self.device.result_type(self.key) if self.routine.kind == "function" else None
        ctype = c_type(result) if result is not None else "void"
        listed = ", ".join(self.dialect.routine_parameters(self.parameters))
        name = self.dialect.called(self.device.name(self.key), self.spaces)
        return self.dialect.routine_head(f"{ctype} {name}({listed})")

    def _result(self) -> str:
        if self.routine.kind != "function":
            return ""
        result = self.routine.result or self.routine.name
        return self.variables[result].text if result in self.variables else result

    # -- variables

    def _dummies(self) -> list[str]:
        """The parameters for the dummy arguments. Scalars come to be known first: sizes of arrays name them."""
        made = {}
        symbols = self.routine.spec.symbols
        for name in sorted(self.routine.dummies, key=lambda n: n in symbols and symbols[n].rank > 0):
            self.parameters = []
            with self.refusals.at(*declared_at(self.routine, name), name=name):
                self._dummy(name)
            made[name] = self.parameters
        return [text for name in self.routine.dummies for text in made[name]]

    def _dummy(self, name: str) -> None:
        data = self.facts.object(name, self.key)
        if data is None:
            raise CannotPrint(f"the argument '{name}'")
        scalar = scalar_of(self.device.kinds, data)
        if data.rank:
            self._array_parameter(data, scalar)
            return
        text = c_name(name)
        if "optional" in data.symbol.attributes:
            self.parameters.append(self.dialect.optional_parameter(scalar, text))
            self.variables[name] = CVariable(f"{text}.value", scalar, present=f"{text}.present", handed=text)
            return
        if not self.device.by_value(self.key, name):
            space = self.places.get(name, "private")
            parameter, shown = self.dialect.reference_parameter(scalar, text, space)
            self.parameters.append(parameter)
            self.variables[name] = CVariable(shown, scalar, space=space)
            return
        self.variables[name] = CVariable(text, scalar)
        const = "" if "value" in data.symbol.attributes else "const "  # a value is the routine's own
        self.parameters.append(f"{const}{c_type(scalar)} {text}")

    def _array_parameter(self, data: DataObject, scalar: Scalar) -> None:
        actual = self.body.names.name(f"{c_name(data.name)}_actual", (data.name, "actual"))
        const = self.device.effects.intent(self.key, data.name) == "in"
        element = f"{'const ' if const else ''}{c_type(scalar)}"
        memory, space = room_name(self.body, data.name), self.places.get(data.name, "global")
        self.parameters.append(self.dialect.array_parameter(element, data.rank, actual, memory, space))
        bounds = [self._bounds(data, d, actual) for d in range(data.rank)]
        bounds = with_unknown_size(self.dialect, data, actual, bounds)
        variable = array_variable(data, self.facts, scalar, bounds, memory, space)
        if "optional" in data.symbol.attributes:
            variable = replace(variable, present=self.dialect.present(self.dialect.data_of(actual, memory)))
        self.variables[data.name] = variable
        self.definitions += self.dialect.dummy_view(variable, data.name, const, actual)

    def _bounds(self, data: DataObject, dimension: int, actual: str) -> tuple[str, str]:
        """Lower and upper bound of a dummy's dimension as C text."""
        place = self.facts.order(data).place(dimension)
        size = data.used[dimension]
        form = data.symbol.shape[size.declared] if size.declared is not None else None
        if form is not None and form.form != "explicit":
            lower = self._size(form.lower or ONE)
            return lower, f"{self.dialect.bound(actual, 'extent', place)} + {lower} - 1"
        dim = size.extent
        assert dim.upper is not None
        return self._size(dim.lower or ONE), self._size(dim.upper)

    def _size(self, bound: Fragment) -> str:
        tree = expanded(bound, self.facts.application.macros_of(self.key)).expr
        return Expressions(self.body, self.key, None).print(tree).text

    def _global(self, found: Found, slot: Slot, space: Space) -> None:
        data = self.facts.object(found.symbol.name, found.home)
        if data is None:
            raise CannotPrint(f"the module variable '{found.symbol.name}'")
        self.device.check_global(self.key, found, self.refusals)
        scalar = scalar_of(self.device.kinds, data)
        home = self.facts.routine(found.home).name
        text = self.body.names.name(f"{c_name(found.symbol.name)}_of_{home}", slot)
        if not data.rank:
            self.parameters.append(f"const {c_type(scalar)} {text}")
            self.globals[slot] = CVariable(text, scalar)
            return
        storage = self.facts.order(data).storage or tuple(range(data.rank))
        order = self.facts.order(data)
        lower = tuple(self.dialect.bound(text, "lower", order.place(d)) for d in range(data.rank))
        upper = tuple(self.dialect.bound(text, "upper", order.place(d)) for d in range(data.rank))
        memory = self.body.names.name(f"{text}_data", (*slot, "data"))
        element = f"const {c_type(scalar)}"
        self.parameters.append(self.dialect.array_parameter(element, data.rank, text, memory, space))
        self.globals[slot] = CVariable(text, scalar, lower, upper, storage, data=memory, space=space)

    def _local(self, data: DataObject) -> None:
        if data.rank:
            variable, lines = local_array(self.body, data)
            self.definitions += lines
        else:
            scalar = scalar_of(self.device.kinds, data)
            variable = CVariable(c_name(data.name), scalar)
            self.definitions.append(f"{c_type(scalar)} {variable.text};")
        self.variables[data.name] = variable

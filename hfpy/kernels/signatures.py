"""What a generated module offers to Python: its routines with their arguments, its variables.

Read from the *generated* text, so that inserted dimensions and storage order are those that callers meet. Sizes and
kinds stay text here: the compiled wrappers evaluate them (:mod:`hfpy.kernels.wrappers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from hfpy.model.extents import shape_text
from hfpy.model.units import FileIndex, Routine, Specification, Symbol
from hfpy.options import Options
from hfpy.parse.expressions.fragments import expanded_shape
from hfpy.parse.routines import parse_unit
from hfpy.values import dataclass

SIMPLE_TYPES = ("integer", "real", "logical", "complex")
_NO_DUMMY = {
    "allocatable": "allocatable",
    "pointer": "a pointer",
    "procedure": "a procedure",
    "external": "a procedure",
}
_MADE_BY_HFPY = re.compile(r"hf[a-z]*\d*_", re.I)
_NAME = re.compile(r"[a-z]\w*", re.I)


@dataclass(frozen=True)
class Extent:
    """One dimension of an argument: ``form`` as in :class:`hfpy.model.extents.Dim`, bounds as text (empty: none)."""

    form: str
    lower: str
    upper: str

    @property
    def text(self) -> str:
        """The dimension as it is written in a declaration."""
        head = f"{self.lower}:" if self.lower else ""
        return head + (self.upper or ("*" if self.form == "star" else "" if head else ":"))


@dataclass(frozen=True)
class Argument:
    """A dummy argument, or a function's result: name, type, dimensions, intent (empty: none is declared).

    ``on_device``: the routine expects the array on the device; ``on_host``: host code may work on its elements.
    """

    name: str
    base: str
    type: str
    extents: tuple[Extent, ...] = ()
    intent: str = ""
    optional: bool = False
    on_device: bool = False
    on_host: bool = False

    @property
    def changes(self) -> bool:
        """Whether a call may change it."""
        return self.intent != "in"

    @property
    def text(self) -> str:
        """Its declaration, for messages."""
        words = [self.type, *(["optional"] if self.optional else [])]
        words += [f"intent({self.intent})"] if self.intent else []
        shape = f"({','.join(extent.text for extent in self.extents)})" if self.extents else ""
        return f"{', '.join(words)} :: {self.name}{shape}"


@dataclass(frozen=True)
class Signature:
    """A routine. ``refused`` says why it cannot be called from Python (empty: it can).

    ``uses`` and ``constants`` are the statements of the routine that its argument declarations need.
    """

    name: str
    arguments: tuple[Argument, ...] = ()
    result: Argument | None = None
    refused: str = ""
    uses: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()


@dataclass(frozen=True)
class Variable:
    """A scalar of a module; ``fixed`` ones can only be read (named constants, ``protected``)."""

    name: str
    base: str
    type: str
    fixed: bool


@dataclass(frozen=True)
class ModuleSignature:
    """A module with its public routines and scalars, in textual order."""

    name: str
    routines: tuple[Signature, ...]
    variables: tuple[Variable, ...]

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def from_json(data: Mapping[str, Any]) -> ModuleSignature:
    """What :meth:`ModuleSignature.as_json` gave."""

    def argument(item: Mapping[str, Any]) -> Argument:
        return Argument(**{**item, "extents": tuple(Extent(**extent) for extent in item["extents"])})

    def routine(item: Mapping[str, Any]) -> Signature:
        result = argument(item["result"]) if item["result"] else None
        return Signature(item["name"], tuple(map(argument, item["arguments"])), result, item["refused"])

    return ModuleSignature(
        data["name"], tuple(map(routine, data["routines"])), tuple(Variable(**item) for item in data["variables"])
    )


def signatures(index: FileIndex, source: str, options: Options) -> list[tuple[int, ModuleSignature]]:
    """The user's modules in a generated file, each with the number of its unit; ``source`` is the user's text.

    What hfpy brought in has a name of its own kind, and one that the user's text does not hold.
    """
    words = _words(source)

    def made_by_hfpy(name: str) -> bool:
        return _made_by_hfpy(name, words)

    found = []
    for number, unit in enumerate(index.units):
        if unit.kind != "module" or made_by_hfpy(unit.name):
            continue
        module, _ = parse_unit(index, number, options.include_dirs)
        spec = module.spec
        routines = []
        for child in unit.children:
            name, kind = index.units[child].name, index.units[child].kind
            if kind in ("subroutine", "function") and spec.accessible(name) and not made_by_hfpy(name):
                routine, _ = parse_unit(index, child, options.include_dirs)
                symbols = {name: _without_macros(symbol, index) for name, symbol in routine.spec.symbols.items()}
                routine = replace(routine, spec=replace(routine.spec, symbols=symbols))
                routines.append(_signature(routine, index.fixed))
        variables = () if index.fixed else tuple(_variables(spec))
        found.append((number, ModuleSignature(unit.name, tuple(routines), variables)))
    return found


def outside_modules(index: FileIndex, source: str) -> list[str]:
    """The user's routines in a generated file that are in no module, and so cannot be called from Python."""
    words = _words(source)
    own = (u.name for u in index.units if u.parent is None and u.kind in ("subroutine", "function"))
    return [name for name in own if not _made_by_hfpy(name, words)]


def _words(source: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _NAME.findall(source))


def _made_by_hfpy(name: str, words: frozenset[str]) -> bool:
    return _MADE_BY_HFPY.match(name) is not None and name.lower() not in words


def _without_macros(symbol: Symbol, index: FileIndex) -> Symbol:
    """A symbol with the shape behind the preprocessor: a storage-order macro means several dimensions."""
    return replace(symbol, shape=expanded_shape(symbol, index.definitions))


def _variables(spec: Specification) -> Iterable[Variable]:
    """The scalars of a module that Python may see."""
    for symbol in spec.symbols.values():
        simple = symbol.type.base in SIMPLE_TYPES and not symbol.shape and not symbol.dynamic
        if simple and spec.accessible(symbol.name) and not symbol.attributes & set(_NO_DUMMY):
            fixed = symbol.constant or "protected" in symbol.attributes
            yield Variable(symbol.name, symbol.type.base, symbol.type.text, fixed)


def _signature(routine: Routine, fixed_form: bool) -> Signature:
    """The signature of a routine, with the reason if it has none that Python can meet."""
    if fixed_form:
        return Signature(routine.name, refused="its module is in fixed form")
    arguments = []
    for name in routine.dummies:
        symbol = routine.spec.symbols.get(name.lower())
        reason = "it is not declared" if symbol is None else _against(symbol)
        if symbol is None or reason:
            return Signature(routine.name, refused=f"argument '{name}': {reason}")
        arguments.append(_argument(symbol))
    result = None
    if routine.kind == "function":
        symbol = routine.spec.symbols.get((routine.result or routine.name).lower())
        reason = "its type is not declared" if symbol is None else _against(symbol)
        if symbol is not None and symbol.shape and not reason:
            reason = "functions that give arrays are not supported; make it a subroutine with an intent(out) argument"
        if symbol is None or reason:
            return Signature(routine.name, refused=f"its result: {reason}")
        result = Argument("hf_result", symbol.type.base, symbol.type.text)
    uses = tuple(use.line.text.strip() for use in routine.spec.uses if use.line is not None)
    constants = _constants(routine.spec, [*arguments, *([result] if result else [])])
    return Signature(routine.name, tuple(arguments), result, "", tuple(dict.fromkeys(uses)), constants)


def _against(symbol: Symbol) -> str:
    """Why a dummy argument cannot come from Python (empty: it can)."""
    for attribute, meaning in _NO_DUMMY.items():
        if attribute in symbol.attributes:
            return f"it is {meaning}"
    if symbol.type.base not in SIMPLE_TYPES:
        return f"its type {symbol.type.text or symbol.type.base} has no counterpart"
    if any(dim.form not in ("explicit", "assumed", "star") for dim in symbol.shape):
        return "its dimensions are not known"
    if symbol.rank > 1 and symbol.shape[-1].form == "star" and "optional" in symbol.attributes:
        return "it is optional and of assumed size"
    return ""


def _argument(symbol: Symbol) -> Argument:
    extents = tuple(Extent(d.form, str(d.lower or ""), str(d.upper or "")) for d in symbol.shape)
    optional = "optional" in symbol.attributes
    intent = "in" if "value" in symbol.attributes else symbol.intent
    return Argument(symbol.name, symbol.type.base, symbol.type.text, extents, intent, optional)


def _constants(spec: Specification, arguments: Iterable[Argument]) -> tuple[str, ...]:
    """Declarations of the routine's own named constants that its arguments' declarations mention, in their order."""
    pending = [n for a in arguments for part in (a.type, *(e.text for e in a.extents)) for n in _NAME.findall(part)]
    wanted: set[str] = set()
    while pending:
        symbol = spec.symbols.get(pending.pop().lower())
        if symbol is not None and symbol.constant and symbol.name not in wanted:
            wanted.add(symbol.name)
            pending += symbol.names
    declared = (symbol for symbol in spec.symbols.values() if symbol.name in wanted)
    return tuple(_declaration(symbol) for symbol in declared)


def _declaration(symbol: Symbol) -> str:
    shape = f"({shape_text(symbol.shape)})" if symbol.shape else ""
    return f"{symbol.type.text}, parameter :: {symbol.name}{shape} = {symbol.initial}"

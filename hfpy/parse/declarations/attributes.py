"""Statements that give variables attributes apart from their types: ``dimension``, ``save``, ``common``, ``intent``."""

from __future__ import annotations

import re
from dataclasses import replace

from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Fragment
from hfpy.model.extents import Dim
from hfpy.model.source import LogicalLine
from hfpy.model.units import POINTEE, FType, Symbol
from hfpy.parse.declarations.datastatements import set_variables
from hfpy.parse.declarations.declarations import common_arrays, implicit_types, storage_groups
from hfpy.parse.declarations.sofar import SoFar
from hfpy.parse.expressions.fragments import fragment, shape_of
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.tokens import matching, split_top

_GIVEN = frozenset(
    "dimension codimension allocatable pointer target optional external intrinsic intent volatile".split()
)
_WORD = re.compile(r"([A-Za-z_]\w*)")


class AttributeStatements:
    """What such statements add to ``state``; what is wrong with them is in ``found``."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.state = SoFar()
        self.found: list[Diagnostic] = []

    def attribute_statement(self, line: LogicalLine, masked: str, word: str) -> None:
        """Take one statement; ``word`` is its first."""
        lowered = masked.lower()
        rest = masked[len(word) :]
        if word == "implicit":
            self._implicit(lowered)
        elif word in ("private", "public"):
            names = [n.strip().lower() for n in rest.replace("::", "").split(",") if n.strip()]
            if word == "private" and not names:
                self.state.default_private = True
            elif word == "private":
                self.state.private.update(names)
            else:
                self.state.private.difference_update(names)
                self.state.public.update(names)
        elif word == "save":
            saved = {n.strip().lower() for n in rest.replace("::", "").split(",") if n.strip()}
            self.state.saved.update(saved or {"*"})
        elif word == "bind":
            self.state.groups += storage_groups(word, rest.lower())
        elif word in ("data", "common", "equivalence", "namelist"):
            self.state.storage.update(n.lower() for n in _WORD.findall(rest))
            groups = storage_groups(word, rest.lower())
            self.state.groups += groups
            for member in (m for g in groups if g.kind == "common" for m in g.members):
                self._update(member, set())
            for name, begin, *shape in common_arrays(masked, len(word)) if word == "common" else ():
                self._give_shape(line, name, (begin, begin + len(name)), shape[0], shape[1])
            if word == "data":
                known = set_variables(line)
                self.state.saved.update(known if known is not None else map(str.lower, _WORD.findall(rest)))
        elif word == "parameter":
            self._parameter(line, masked)
        elif word == "pointer" and rest.lstrip().startswith("("):
            self._pointees(line, masked, len(word))
        elif word in _GIVEN:
            self._give_attribute(line, masked, word)

    def _implicit(self, lowered: str) -> None:
        if re.match(r"implicit\s+none", lowered):
            self.state.implicit_none = True
            return
        self.state.implicit += implicit_types(lowered[8:])

    def _parameter(self, line: LogicalLine, masked: str) -> None:
        opening = masked.find("(")
        closing = matching(masked, opening) if opening >= 0 else -1
        for a, b in split_top(masked, ",", opening + 1, max(closing, opening + 1)):
            given, _, value = line.text[a:b].partition("=")
            name = "".join(given.split())  # in fixed form blanks within a name mean nothing
            try:
                self._update(name.lower(), {"parameter"}, initial=fragment(value))
            except GrammarError as problem:
                message = f"the value of '{name}' cannot be parsed: {problem}"
                self.found.append(error("HF110", message, line.place(self.file, a, b)))

    def _give_attribute(self, line: LogicalLine, masked: str, word: str) -> None:
        start = len(word)
        intent = ""
        if word == "intent":
            opening = masked.find("(")
            closing = matching(masked, opening) if opening >= 0 else -1
            if closing < 0:
                message = "this statement cannot be parsed: intent(in), intent(out) or intent(inout) begins it"
                self.found.append(error("HF110", message, line.place(self.file)))
                return
            intent = "".join(masked[opening + 1 : closing].lower().split())
            start = closing + 1
        tail = masked[start:]
        start += len(tail) - len(tail.lstrip(": "))
        for a, b in split_top(masked, ",", start):
            found = _WORD.search(masked, a, b)
            if not found:
                continue
            name = found.group(1).lower()
            attributes = set() if word in ("dimension", "intent") else {word}
            attributes |= {"codimension"} if "[" in masked[a:b] else set()
            self._update(name, attributes, intent=intent)
            opening = masked.find("(", found.end(), b)
            if opening >= 0:
                self._give_shape(line, name, found.span(1), opening + 1, matching(masked, opening))
            if opening >= 0 and word == "dimension":
                entity = (found.start(1), matching(masked, opening) + 1)
                self.state.symbols[name] = replace(self.state.symbols[name], entity_span=entity)
            if word in ("allocatable", "pointer"):
                symbol = self.state.symbols[name]
                shape = tuple(Dim("deferred") if d.form == "assumed" else d for d in symbol.shape)
                self.state.symbols[name] = replace(symbol, shape=shape)

    def _pointees(self, line: LogicalLine, masked: str, start: int) -> None:
        """``pointer (p, a), (q, b(n))``, as Cray's compilers have it: integers that tell where arrays are."""
        for a, b in split_top(masked, ",", start):
            names = list(_WORD.finditer(masked, a, b))
            if len(names) < 2:
                continue
            name = names[1].group(1).lower()
            self._update(name, {POINTEE})
            opening = masked.find("(", names[1].end(), b)
            if opening >= 0:
                self._give_shape(line, name, names[1].span(1), opening + 1, matching(masked, opening))

    def _give_shape(self, line: LogicalLine, name: str, span: tuple[int, int], start: int, end: int) -> None:
        """The dimensions of a variable that a statement without its type has, such as ``dimension`` or ``common``."""
        symbol = self.state.symbols[name]
        shape = self._shape(line, start, end, symbol.dynamic)
        self.state.symbols[name] = replace(symbol, shape=shape, line=line, name_span=span, shape_span=(start, end))

    def _shape(self, line: LogicalLine, start: int, end: int, dynamic: bool) -> tuple[Dim, ...]:
        try:
            return shape_of(line.text[start:end], dynamic)
        except GrammarError as problem:
            self.found.append(
                error("HF110", f"this shape cannot be parsed: {problem}", line.place(self.file, start, end))
            )
            return ()

    def _update(self, name: str, attributes: set[str], intent: str = "", initial: Fragment | None = None) -> None:
        known = self.state.symbols.get(name, Symbol(name, FType("")))
        self.state.symbols[name] = replace(
            known,
            attributes=known.attributes | attributes,
            intent=intent or known.intent,
            initial=initial or known.initial,
        )

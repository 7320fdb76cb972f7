"""Who calls whom, from the call graph of a project."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types as lsp

from hfpy.insight.survey import CallView, RoutineView
from hfpy.lsp.looking import Looked
from hfpy.lsp.places import uri_of
from hfpy.lsp.texts import Part, Text
from hfpy.values import dataclass

_KINDS = {"program": lsp.SymbolKind.Module, "function": lsp.SymbolKind.Function}


@dataclass(frozen=True)
class Calls:
    """The calls of a project. ``text`` gives the text of a file that is open, ``lines`` the lines of any file."""

    looked: Looked
    text: Callable[[Path], Text | None]
    lines: Callable[[Path], Sequence[str]]

    def named(self, word: str, text: Text, row: int) -> RoutineView | None:
        """The routine that a word in a line (from 0) of a text means: one that begins or is called there, or the only
        one of that name.
        """
        for part in text.around(row):
            here = self.looked.routines.get(part.routine.key)
            if here is None:
                continue
            if here.name == word.lower():
                return here
            called = [self.looked.routines[c.callee] for c in self._calls() if c.caller == here.key]
            meant = [r for r in called if r.name == word.lower()]
            if len(meant) == 1:
                return meant[0]
        alone = self.looked.survey.named(word)
        return alone[0] if len(alone) == 1 else None

    def item(self, routine: RoutineView) -> lsp.CallHierarchyItem:
        """A routine as the protocol has it, where it is now."""
        part = self._part(routine)
        first = part.first if part is not None else routine.line - 1
        last = part.last if part is not None else routine.last_line - 1
        path = Path(routine.file).resolve()
        whole = lsp.Range(lsp.Position(first, 0), lsp.Position(last + 1, 0))
        return lsp.CallHierarchyItem(
            name=routine.name,
            kind=_KINDS.get(routine.kind, lsp.SymbolKind.Method),
            uri=uri_of(path),
            range=whole,
            selection_range=self._words(path, first, routine.name)[0],
            detail=routine.module or None,
            data={"uri": uri_of(path), "key": routine.key},
        )

    def incoming(self, key: str) -> Iterator[lsp.CallHierarchyIncomingCall]:
        """Who calls a routine, and where."""
        for call in self._calls():
            if call.callee == key:
                caller = self.looked.routines[call.caller]
                yield lsp.CallHierarchyIncomingCall(self.item(caller), self._ranges(call))

    def outgoing(self, key: str) -> Iterator[lsp.CallHierarchyOutgoingCall]:
        """Whom a routine calls, and where."""
        for call in self._calls():
            if call.caller == key:
                callee = self.looked.routines[call.callee]
                yield lsp.CallHierarchyOutgoingCall(self.item(callee), self._ranges(call))

    def _calls(self) -> Sequence[CallView]:
        known = self.looked.routines
        return [c for c in self.looked.survey.calls if c.caller in known and c.callee in known]

    def _ranges(self, call: CallView) -> list[lsp.Range]:
        """The names of the routine in the lines of the caller that call it."""
        caller, callee = self.looked.routines[call.caller], self.looked.routines[call.callee]
        part = self._part(caller)
        moved = part.first - (caller.line - 1) if part is not None else 0
        path = Path(caller.file).resolve()
        return [r for line in dict.fromkeys(call.lines) for r in self._words(path, line - 1 + moved, callee.name)]

    def _part(self, routine: RoutineView) -> Part | None:
        text = self.text(Path(routine.file).resolve())
        parts = text.parts if text is not None else ()
        return next((p for p in parts if p.routine.key == routine.key), None)

    def _words(self, path: Path, row: int, word: str) -> list[lsp.Range]:
        """The places of a word in a line, or the beginning of the line."""
        lines = self.lines(path)
        line = lines[row] if 0 <= row < len(lines) else ""
        spans = [found.span() for found in re.finditer(rf"\b{re.escape(word)}\b", line, re.IGNORECASE)]
        return [lsp.Range(lsp.Position(row, begin), lsp.Position(row, end)) for begin, end in spans or [(0, 0)]]

"""The grammar of the directives for many processes (distributed.md §3.1)."""

from __future__ import annotations

import re

from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Listed, Width
from hfpy.model.distributed import MODES, Decomposition, Distributed, HaloExchange, WholeGrid
from hfpy.model.expressions import Fragment
from hfpy.model.source import LogicalLine
from hfpy.options import EXCHANGES, REDUCTIONS
from hfpy.parse.directives.directives import Attribute, Directive, check_names, listed_words, suggestion
from hfpy.parse.directives.widths import widths_of
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.expressions.grammar import GrammarError

DECOMPOSITION_ATTRIBUTES = ("name", "domname", "global", "local", "halo", "periodic", "grid", "reductions", "exchange")
EXCHANGE_ATTRIBUTES = ("fields", "width", "corners", "mode", "decomposition", "every")
MOST_DOMAINS = 2
_NAME = re.compile(r"[A-Za-z]\w*")


def distributed_of(directive: Directive, line: LogicalLine, file: str) -> tuple[Distributed | None, list[Diagnostic]]:
    """The value of a ``@decomposition`` or ``@haloExchange`` line; None with diagnostics if it is malformed."""
    reader = _Reader(directive, line, file)
    made: Decomposition | HaloExchange | WholeGrid | None
    match directive.keyword:
        case "decomposition":
            made = reader.decomposition()
        case "haloexchange":
            made = reader.exchange()
        case _:
            made = reader.whole_grid()
    return (Distributed(line, made) if made is not None and not reader.found else None), reader.found


class _Reader:
    """Takes the attributes of one directive apart; what is wrong is added to ``found``."""

    def __init__(self, directive: Directive, line: LogicalLine, file: str) -> None:
        self.directive = directive
        self.line = line
        self.file = file
        self.found: list[Diagnostic] = []

    def decomposition(self) -> Decomposition | None:
        """The value of ``@decomposition``."""
        self.found += check_names(self.directive, self.line, self.file, DECOMPOSITION_ATTRIBUTES)
        for needed in ("domname", "global", "local"):
            if not self.found and self.directive.get(needed) is None:
                hint = "@decomposition{domName(i,j), global(nx_all,ny_all), local(nx,ny), halo(i:2, j:2)}"
                shown = {"domname": "domName"}.get(needed, needed)
                self._error("HF208", f"a decomposition needs {shown}", None, hint)
        if self.found:
            return None
        domains = self._names("domname")
        if len(domains) > MOST_DOMAINS:
            self._error("HF202", f"a decomposition has at most {MOST_DOMAINS} domains", self.directive.get("domname"))
        local, sizes = self._names("local"), self._expressions("global")
        for attribute, given in (("global", len(sizes)), ("local", len(local))):
            if given != len(domains):
                message = f"'{attribute}' has {given} entries for {len(domains)} domains"
                self._error("HF203", message, self.directive.get(attribute))
        for attribute, names in (("domname", domains), ("local", local)):
            if len(set(names)) < len(names):
                self._error("HF202", f"'{names[0]}' is named twice", self.directive.get(attribute))
        grid = self._expressions("grid")
        if grid and len(grid) != len(domains):
            self._error(
                "HF203", f"'grid' has {len(grid)} entries for {len(domains)} domains", self.directive.get("grid")
            )
        reductions, exchange = self._word("reductions", REDUCTIONS), self._word("exchange", EXCHANGES)
        periodic = self._known(self._names("periodic"), domains, self.directive.get("periodic"))
        name = (self._names("name") or ("grid",))[0]
        halos = self._widths("halo", domains)
        return Decomposition(name, domains, sizes, local, halos, periodic, grid, reductions, exchange)

    def exchange(self) -> HaloExchange | None:
        """The value of ``@haloExchange``."""
        self.found += check_names(self.directive, self.line, self.file, EXCHANGE_ATTRIBUTES)
        attribute = self.directive.get("fields")
        if attribute is None and not self.found:
            self._error("HF208", "an exchange needs fields", None, "@haloExchange{fields(u, v)}")
        if attribute is None or self.found:
            return None
        place = self.line.place(self.file, attribute.start, attribute.end)
        fields = tuple(Listed(name, place) for name in self._names("fields"))
        twice = [f.name for n, f in enumerate(fields) if f.name in [other.name for other in fields[:n]]]
        if twice:
            self._error("HF214", f"'{twice[0]}' is listed twice", attribute)
        words, problems = listed_words(self.directive, "corners", ("yes", "no"), self.line, self.file)
        self.found += problems
        mode = self._word("mode", MODES) or "blocking"
        named = (self._names("decomposition") or ("",))[0]
        widths, every = self._widths("width", None), self._expressions("every")
        if len(every) > 1:
            self._error("HF203", f"'every' has {len(every)} entries", self.directive.get("every"), "write one number")
        turns = every[0] if every else None
        return HaloExchange(fields, widths, words != ("no",), named, mode, turns)

    def whole_grid(self) -> WholeGrid:
        """The value of ``@wholeGrid``."""
        self.found += check_names(self.directive, self.line, self.file, ("decomposition",))
        return WholeGrid((self._names("decomposition") or ("",))[0])

    def _error(self, code: str, message: str, attribute: Attribute | None, hint: str = "") -> None:
        at = (attribute.start, attribute.end) if attribute is not None else ()
        self.found.append(error(code, message, self.line.place(self.file, *at), hint))

    def _word(self, name: str, known: tuple[str, ...]) -> str:
        """The one word of an attribute; empty if it is not there."""
        words, problems = listed_words(self.directive, name, known, self.line, self.file)
        self.found += problems
        if len(words) > 1:
            self._error("HF203", f"'{name}' has {len(words)} entries", self.directive.get(name), "write one of them")
        return words[0] if words else ""

    def _names(self, name: str) -> tuple[str, ...]:
        """The entries of an attribute, which are names, in lower case."""
        attribute = self.directive.get(name)
        entries = attribute.entries if attribute is not None else ()
        for entry in entries:
            if not _NAME.fullmatch(entry):
                self._error("HF202", f"'{entry}' is no name", attribute)
        return tuple(entry.lower() for entry in entries)

    def _expressions(self, name: str) -> tuple[Fragment, ...]:
        attribute = self.directive.get(name)
        entries = attribute.entries if attribute is not None else ()
        return tuple(self._expression(entry, attribute) for entry in entries)

    def _expression(self, text: str, attribute: Attribute | None) -> Fragment:
        try:
            return fragment(text)
        except GrammarError as fault:
            self._error("HF202", f"'{text}' cannot be parsed: {fault}", attribute)
            return fragment("0")

    def _known(self, names: tuple[str, ...], known: tuple[str, ...], attribute: Attribute | None) -> tuple[str, ...]:
        for name in names:
            if name not in known:
                hint = suggestion(name, known)
                self._error("HF202", f"'{name}' is no domain of this decomposition", attribute, hint)
        return names

    def _widths(self, name: str, domains: tuple[str, ...] | None) -> tuple[Width, ...]:
        """``i:2`` or ``i:1:2`` for each domain: equal on both sides, or low and high."""
        attribute = self.directive.get(name)
        if attribute is None:
            return ()
        made, problems = widths_of(name, attribute.entries, self.line.place(self.file, attribute.start, attribute.end))
        self.found += problems
        if domains is not None:
            self._known(tuple(width.domain for width in made), domains, attribute)
        return made

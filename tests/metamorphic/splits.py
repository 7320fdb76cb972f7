"""One module as three: its variables and types, some of its procedures, and the others, which share names with those.

The module keeps its name, and everything can be had from it. Procedures that call none of those that stay move to a
second module. There they get names of procedures that stay, where nothing hinders it, and the module imports
them under their own (``use m_below, only: own => other``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.metamorphic.changes import entities
from tests.metamorphic.lines import Line, Program, alone, changeable, names, tokens, words
from tests.metamorphic.moves import modules

_UNITS = ("subroutine", "function")
_ENTRY = ("run", "main")  # procedures that are called from outside
_KEPT = ("procedure", "interface", "bind", "include", "import", "submodule", "generic", "external")


@dataclass(frozen=True)
class Procedure:
    """A procedure of a module: its lines, with comments and directives before it."""

    name: str
    lines: tuple[Line, ...]

    @property
    def words(self) -> set[str]:
        """The words of its statements."""
        return {w for line in self.lines if line.code for w in words(line.parts[1])}


@dataclass(frozen=True)
class Module:
    """A module in the lines of a file, from ``first`` to ``last``."""

    name: str
    first: int
    last: int
    head: tuple[Line, ...]
    procedures: tuple[Procedure, ...]


def split_modules(lines: Program) -> Program | None:
    """Each module with procedures that may move becomes three."""
    if any(not changeable(name) for name in lines):
        return None
    if set(names(lines)) & {f"{m}{kind}" for m in modules(lines) for kind in ("_data", "_below")}:
        return None
    result = {name: _split(content) for name, content in lines.items()}
    return result if result != dict(lines) else None


def _split(content: tuple[Line, ...]) -> tuple[Line, ...]:
    changed = list(content)
    for module in reversed(_modules(content)):
        made = _three(module, content)
        if made is not None:
            changed[module.first : module.last + 1] = made
    return tuple(changed)


def _modules(content: tuple[Line, ...]) -> list[Module]:
    """The modules of a file that end as they should."""
    found: list[Module] = []
    first, name = -1, ""
    for at, line in enumerate(content):
        code = words(line.parts[1]) if line.code else []
        if code[:1] == ["module"] and len(code) == 2:
            first, name = at, code[1]
        elif first >= 0 and (code[:2] == ["end", "module"] or code[:1] == ["endmodule"]):
            made = _module(name, first, at, content)
            found += [made] if made is not None else []
            first = -1
    return found


def _contains(inside: tuple[Line, ...]) -> int | None:
    """The line after which a module's procedures are; types may have such a line, too."""
    typed = False
    for number, line in enumerate(inside):
        code = words(line.parts[1]) if line.code else []
        if code[:1] == ["type"] and code[1:2] != ["("]:
            typed = True
        elif code[:2] == ["end", "type"] or code[:1] == ["endtype"]:
            typed = False
        elif code == ["contains"] and not typed:
            return number
    return None


def _module(name: str, first: int, last: int, content: tuple[Line, ...]) -> Module | None:
    inside = content[first + 1 : last]
    if any(line.fixed or (line.code and words(line.parts[1])[:1] == ["entry"]) for line in inside):
        return None
    behind = _contains(inside)
    if behind is None:
        return None
    procedures: list[Procedure] = []
    rows: list[Line] = []
    depth, called = 0, ""
    for line in inside[behind + 1 :]:
        rows.append(line)
        if line.directive and not depth:
            return None  # it may hold for several procedures
        code = words(line.parts[1]) if line.code else []
        if not code:
            continue
        if code == ["end"] or (code[0] == "end" and code[1:2] and code[1] in _UNITS) or code[0] in _ENDS:
            depth -= 1
            if depth == 0:
                procedures.append(Procedure(called, tuple(rows)))
                rows = []
        elif _opens(code):
            if depth == 0:
                called = code[next(n for n, w in enumerate(code) if w in _UNITS) + 1]
            depth += 1
    if depth or any(line.code for line in rows):
        return None
    return Module(name, first, last, inside[:behind], tuple(procedures))


_ENDS = ("endsubroutine", "endfunction")


def _opens(code: list[str]) -> bool:
    return code[0] != "end" and any(w in _UNITS for w in code[:6]) and "=" not in code and code[0] != "call"


def _three(module: Module, content: tuple[Line, ...]) -> list[Line] | None:
    """The lines of the three modules; None where nothing may move."""
    spoken = {w for line in module.head if line.code for w in words(line.parts[1])}
    if spoken & set(_KEPT) or not all(alone(content, n) for n in _heads(module, content)):
        return None
    moved = _moving(module)
    if not moved:
        return None
    new = _names(module, moved)
    start, end = content[module.first], content[module.last]
    data, below = f"{module.name}_data", f"{module.name}_below"
    at = lambda text: replace(start, text=text)  # noqa: E731
    closing = lambda name: replace(end, text=f"end module {name}")  # noqa: E731
    imported = ", ".join(f"{p.name} => {new[p.name]}" if p.name in new else p.name for p in moved)
    typing = [line for line in module.head if line.code and words(line.parts[1])[0] == "implicit"]
    stay = [p for p in module.procedures if p not in moved]
    return [
        at(f"module {data}"),
        *(_open(line) for line in module.head if not _about_access(line)),
        closing(data),
        at(f"module {below}"), at(f"use {data}"), *typing, at("contains"),
        *(_renamed(line, new) for p in moved for line in p.lines),
        closing(below),
        start, at(f"use {data}"), at(f"use {below}, only: {imported}"), *typing,
        *_access(module.head),
        at("contains"),
        *(line for p in stay for line in p.lines),
        end,
    ]  # fmt: skip


def _heads(module: Module, content: tuple[Line, ...]) -> list[int]:
    """The lines about access, which must be whole statements: they are taken apart."""
    rows = range(module.first + 1, module.first + 1 + len(module.head))
    return [n for n in rows if content[n].code and _hidden(content[n])]


def _hidden(line: Line) -> bool:
    return bool({"private", "public", "protected"} & set(words(line.parts[1])))


def _about_access(line: Line) -> bool:
    return bool(line.code) and words(line.parts[1])[0] in ("private", "public")


def _open(line: Line) -> Line:
    """A declaration without what hides the variable from other modules."""
    if not line.code or not _hidden(line):
        return line
    head, code, comment = line.parts
    found = [t for t in tokens(code) if t.kind != "space"]
    kept = []
    for place, token in enumerate(found):
        hides = token.word in ("private", "public", "protected")
        if hides or (token.text == "," and found[place + 1].word in ("private", "public", "protected")):
            continue
        kept.append(token.text)
    return replace(line, text=head + " ".join(kept) + comment)


def _access(head: tuple[Line, ...]) -> list[Line]:
    """What the module says of access, for names that are now imported."""
    found = []
    for line in head:
        code = words(line.parts[1]) if line.code else []
        if _about_access(line):
            found.append(line)
        elif "private" in code and entities(code):
            found.append(replace(line, text=f"private :: {', '.join(entities(code))}"))
    return found


def _moving(module: Module) -> list[Procedure]:
    """About half of the procedures: such that call none of those that stay."""
    all_ = {p.name for p in module.procedures}
    moved: list[Procedure] = []
    for _ in module.procedures:
        for p in module.procedures:
            known = {m.name for m in moved} | {p.name}
            free = p not in moved and p.name not in _ENTRY and (p.words & all_) <= known
            if free and len(moved) < (len(all_) + 1) // 2 and len(moved) < len(all_) - 1:
                moved.append(p)
    return moved


def _names(module: Module, moved: list[Procedure]) -> dict[str, str]:
    """New names of procedures that move: those of procedures that stay, where they mean nothing else."""
    said = {w for p in moved for w in p.words} | {w for line in module.head for w in words(line.parts[1])}
    free = [p.name for p in module.procedures if p not in moved and p.name not in (*_ENTRY, *said)]
    variables = {e for p in moved for x in p.lines if x.code for e in entities(words(x.parts[1]))}
    shown = {w for p in moved for line in p.lines if line.directive for w in words(line.text)}
    old = [p.name for p in moved if p.name not in variables | shown and "bind" not in p.words]
    return dict(zip(old, free, strict=False))


def _renamed(line: Line, new: dict[str, str]) -> Line:
    if not line.code:
        return line
    head, code, comment = line.parts
    pieces: list[str] = []
    before = ""
    for token in tokens(code):
        component = token.kind == "name" and before == "%"
        pieces.append(token.text if component or token.kind != "name" else new.get(token.word, token.text))
        before = token.text if token.kind != "space" else before
    return replace(line, text=head + "".join(pieces) + comment)

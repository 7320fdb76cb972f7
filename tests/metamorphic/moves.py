"""Changes of programs that add statements or move them, and mean nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tests.metamorphic.lines import Line, Program, alone, changeable, names, tokens, words

_ACTIONS = ("call", "print", "write", "allocate", "deallocate", "nullify")
UNITS = ("subroutine", "function", "program")


def executable(content: tuple[Line, ...]) -> set[int]:
    """The lines with one simple action statement each, that may be after ``if (...)``."""
    found: set[int] = set()
    running, masked, typed = False, False, False
    for at, line in enumerate(content):
        code = words(line.parts[1])
        if not code:
            continue
        if line.directive:
            running = running or code[1:2] == ["parallelregion"]
            continue
        if opens_unit(code) or code[:1] == ["contains"]:
            running = masked = False
        elif code[0] in ("where", "forall") and code[-1] == ")" and _whole_head(code):
            masked = running = True
        elif code[:2] in (["end", "where"], ["end", "forall"]) or code[0] in ("endwhere", "endforall"):
            masked = False
        elif code[0] in ("type", "interface") and code[1:2] != ["("]:
            typed = True
        elif code[0] == "end" and code[1:2] in (["type"], ["interface"]):
            typed = False
        if typed or masked or not alone(content, at):
            continue
        action = code[0] in _ACTIONS and code[1:2] != ["="]
        running = running or action or _is_scalar_assignment(code) or code[0] in ("do", "if", "select")
        if running and (action or assigns(code)):
            found.add(at)
    return found


def opens_unit(code: list[str]) -> bool:
    return code[0] != "end" and any(word in UNITS for word in code[:6]) and "=" not in code


def _whole_head(code: list[str]) -> bool:
    """Whether the first parenthesis is closed by the last token only."""
    depth = 0
    for place, word in enumerate(code):
        depth += (word == "(") - (word == ")")
        if depth == 0 and word == ")":
            return place == len(code) - 1
    return False


def _is_scalar_assignment(code: list[str]) -> bool:
    return len(code) > 2 and code[0].isidentifier() and code[1] == "="


def assigns(code: list[str]) -> bool:
    """Whether a statement is an assignment, but no definition of a statement function at the beginning of a routine."""
    if not code or not code[0].isidentifier():
        return False
    depth = 0
    for place, word in enumerate(code[1:], 1):
        if depth == 0 and word == "=":
            return True
        opening, closing = word in ("(", "(/", "["), word in (")", "/)", "]")
        before = code[place - 1]
        name_follows = depth == 0 and word.isidentifier() and before != "%"
        if name_follows or (depth == 0 and not opening and not closing and word != "%" and not word.isidentifier()):
            return False
        depth += opening - closing
    return False


def if_statement(lines: Program) -> Program | None:
    """``if (.true.)`` before each simple statement."""
    result = {}
    for name, content in lines.items():
        found = executable(content) if changeable(name) else set()
        changed = []
        for at, line in enumerate(content):
            head, code, comment = line.parts
            changed.append(replace(line, text=f"{head}if (.true.) {code}{comment}") if at in found else line)
        result[name] = tuple(changed)
    return result


def if_block(lines: Program) -> Program | None:
    """``if (.true.) then`` and ``end if`` around each simple statement."""
    result = {}
    for name, content in lines.items():
        found = executable(content) if changeable(name) else set()
        changed = []
        for at, line in enumerate(content):
            inside = [replace(line, text="if (.true.) then"), line, replace(line, text="end if")]
            changed.extend(inside if at in found else [line])
        result[name] = tuple(changed)
    return result


def ends_region(code: list[str]) -> bool:
    return code[1:3] == ["end", "parallelregion"] or code[1:2] == ["endparallelregion"]


def if_region(lines: Program) -> Program | None:
    """``if (.true.) then`` and ``end if`` around each region."""

    def around(content: tuple[Line, ...]) -> Iterator[Line]:
        depth = 0
        for line in content:
            code = words(line.parts[1]) if line.directive else []
            begins = code[1:2] == ["parallelregion"]
            ends = ends_region(code)
            if begins and depth == 0:
                yield replace(line, text="if (.true.) then")
            depth += begins - ends
            yield line
            if ends and depth == 0:
                yield replace(line, text="end if")

    return {name: tuple(around(content)) if changeable(name) else content for name, content in lines.items()}


# --- modules


def modules(lines: Program) -> list[str]:
    """The names of the modules."""
    return [
        code[1]
        for name, content in lines.items()
        if changeable(name)
        for line in content
        for code in [words(line.parts[1]) if line.code else []]
        if code[:1] == ["module"] and len(code) == 2
    ]


def twin_modules(lines: Program) -> Program | None:
    """The program twice, the second time with other names of modules and files, but the same names of procedures."""
    found = modules(lines)
    if any(f"{name}_again" in names(lines) for name in found):
        return None
    text = " ".join(line.text.lower() for content in lines.values() for line in content)
    shared = r"^\s*program\b|bind\s*\(|\bcommon\b|\bsubmodule\b|^\s*block\s*data"
    if (
        not found
        or any(not changeable(n) for n in lines if not n.endswith((".h", ".inc")))
        or re.search(shared, text, re.M)
    ):
        return None
    if any(_outside(content) for name, content in lines.items() if changeable(name)):
        return None
    result = dict(lines)
    for name, content in lines.items():
        if changeable(name):
            stem, dot, kind = name.partition(".")
            result[f"{stem}_again{dot}{kind}"] = tuple(_other_module(line, found) for line in content)
    return result


def _outside(content: tuple[Line, ...]) -> bool:
    """Whether a file has procedures outside of modules."""
    depth = 0
    for line in content:
        code = words(line.parts[1]) if line.code else []
        if code[:1] == ["module"] and len(code) == 2:
            depth = 1
        elif code[:2] == ["end", "module"] or code[:1] == ["endmodule"]:
            depth = 0
        elif not depth and code and opens_unit(code):
            return True
    return False


def _other_module(line: Line, found: list[str]) -> Line:
    head, code, comment = line.parts
    named = words(code)
    if named[:1] in (["module"], ["use"]) or named[:2] == ["end", "module"] or named[:1] == ["endmodule"]:
        changed = "".join(f"{t.text}_again" if t.word in found else t.text for t in tokens(code))
        return replace(line, text=head + changed + comment)
    return line

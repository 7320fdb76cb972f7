"""Changes of calls that mean nothing: through procedure pointers, type-bound procedures and generic names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from tests.metamorphic.lines import Line, Program, changeable, names, words
from tests.metamorphic.moves import UNITS, ends_region, executable, opens_unit

_LONGEST = 55  # of a name to which something is added
# How one call is written anew: its line, the name of the subroutine, and what follows the name.
Written = Callable[[Line, str, str], list[Line]]
# What a module needs for the calls of some subroutines: lines for its beginning and for its end.
Heads = Callable[[list[str]], tuple[list[str], list[str]]]


def through_pointers(lines: Program) -> Program | None:
    """Calls of a module's own subroutines through procedure pointers, where they are simple statements, and where the
    subroutine is above: gfortran 12 does not find the interface of others in a block.
    """
    result = {n: _changed(c, _by_pointer, True, False)[0] if changeable(n) else c for n, c in lines.items()}
    return result if result != dict(lines) else None


def through_bindings(lines: Program) -> Program | None:
    """The same calls through type-bound procedures of an object that is declared for the call."""
    if {"bound_type", "binding"} & set(names(lines)):
        return None
    result = {n: _with_heads(c, _by_binding, _bound_type, False) if changeable(n) else c for n, c in lines.items()}
    return result if result != dict(lines) else None


def through_generics(lines: Program) -> Program | None:
    """Calls of a module's own subroutines by generic names, which another procedure has, too, in regions as well."""
    if any(name.startswith(("any_", "decoy_")) for name in names(lines)):
        return None
    result = {n: _with_heads(c, _by_generic, _interfaces, True) if changeable(n) else c for n, c in lines.items()}
    return result if result != dict(lines) else None


def _by_pointer(line: Line, name: str, rest: str) -> list[Line]:
    return _in_block(line, f"procedure({name}), pointer :: to_{name}", f"to_{name} => {name}", f"call to_{name}{rest}")


def _by_binding(line: Line, name: str, rest: str) -> list[Line]:
    return _in_block(line, "type(bound_type) :: binding", f"call binding%{name}{rest or '()'}")


def _in_block(line: Line, *statements: str) -> list[Line]:
    """Lines with statements in a block, in the place of a line."""
    head, _, comment = line.parts
    rows = ("block", *statements, "end block")
    return [replace(line, text=f"{head}{row}{comment if row == statements[-1] else ''}") for row in rows]


def _by_generic(line: Line, name: str, rest: str) -> list[Line]:
    head, _, comment = line.parts
    return [replace(line, text=f"{head}call any_{name}{rest}{comment}")]


def _bound_type(called: list[str]) -> tuple[list[str], list[str]]:
    return ["type :: bound_type", "contains", *(f"procedure, nopass :: {n}" for n in called), "end type bound_type"], []


def _interfaces(called: list[str]) -> tuple[list[str], list[str]]:
    """Interfaces for the beginning of a module, and the other procedures of their names for its end."""
    interfaces, decoys = [], []
    for name in called:
        interfaces += [f"interface any_{name}", f"module procedure decoy_{name}, {name}", f"end interface any_{name}"]
        decoys += [
            f"subroutine decoy_{name}(d)",
            "character(7), intent(in) :: d(:,:,:,:,:)",
            "if (size(d) > 0) print *, d",
            f"end subroutine decoy_{name}",
        ]
    return interfaces, decoys


def _with_heads(
    content: tuple[Line, ...],
    written: Written,
    heads: Callable[[list[str]], tuple[list[str], list[str]]],
    anywhere: bool,
) -> tuple[Line, ...]:
    """A file with changed calls, and with what they need in its modules."""
    changed, called = _changed(content, written, False, anywhere)
    result: list[Line] = []
    module, typed, placed = "", False, False
    for line in changed:
        code = words(line.parts[1]) if line.code else []
        if code[:1] == ["module"] and len(code) == 2:
            module, placed = code[1], False
        elif code[:1] == ["type"] and code[1:2] != ["("]:
            typed = True
        elif code[:2] == ["end", "type"] or code[:1] == ["endtype"]:
            typed = False
        before, behind = heads(called[module]) if module in called else ([], [])
        if code == ["contains"] and module and not typed and not placed:
            result += [replace(line, text=text) for text in before]
            placed = True
        elif code[:2] == ["end", "module"] or code[:1] == ["endmodule"]:
            result += [replace(line, text=text) for text in behind]
            module = ""
        result.append(line)
    return tuple(result)


def _changed(
    content: tuple[Line, ...], written: Written, above: bool, in_regions: bool
) -> tuple[tuple[Line, ...], dict[str, list[str]]]:
    """A file with the calls of own subroutines written anew, and the names of those that are called, by module."""
    own = _own_subroutines(content)
    depth, module = 0, ""
    changed: list[Line] = []
    called: dict[str, list[str]] = {}
    simple = executable(content)
    for at, line in enumerate(content):
        code = line.parts[1]
        named = words(code) if line.code or line.directive else []
        if line.directive:
            depth += (named[1:2] == ["parallelregion"]) - ends_region(named)
        elif named[:1] == ["module"] and len(named) == 2:
            module = named[1]
        there = own.get((module, named[1])) if len(named) > 1 else None
        meant = at in simple and named[0] == "call" and there is not None and (in_regions or not depth)
        if not meant or line.fixed or len(named) < 3 or len(named[1]) > _LONGEST or (above and there > at):
            changed.append(line)
            continue
        rest = code[re.match(r"call\s+\w+", code, re.I).end() :]  # type: ignore[union-attr]
        changed += written(line, named[1], rest)
        called.setdefault(module, [])
        called[module] += [] if named[1] in called[module] else [named[1]]
    return tuple(changed), called


def _own_subroutines(content: tuple[Line, ...]) -> dict[tuple[str, str], int]:
    """Subroutines of the file's modules, not those in other procedures: module and name, with the line."""
    found: dict[tuple[str, str], int] = {}
    inside, module = 0, ""
    for number, line in enumerate(content):
        code = words(line.parts[1]) if line.code else []
        if not code:
            continue
        if code[0] == "module" and len(code) == 2:
            module = code[1]
        elif (code[0] == "end" and code[1:2] and code[1] in UNITS) or code[0] in ("endsubroutine", "endfunction"):
            inside -= 1
        elif opens_unit(code):
            if inside == 0 and code[0] == "subroutine":
                found[module, code[1]] = number
            inside += 1
    return found

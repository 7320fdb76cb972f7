"""Changes of programs that mean nothing: spelling, blanks, case, names, order of declarations.

Each takes a program and gives another one with the same meaning, or None where it has nothing to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from tests.metamorphic.lines import (
    Line,
    Program,
    Token,
    alone,
    changeable,
    each_code,
    each_token,
    fixed_names,
    names,
    tokens,
    words,
)

DOTTED = {">": ".gt.", "<": ".lt.", ">=": ".ge.", "<=": ".le.", "==": ".eq.", "/=": ".ne."}
SIGNS = {word: sign for sign, word in DOTTED.items()}
_SPLIT_WORDS = {
    "else": ("if", "where"),
    "select": ("case", "type"),
    "go": ("to",),
    "in": ("out",),
    "double": ("precision",),
}
_ENDS = ("if", "do", "where", "select", "subroutine", "function", "module", "program", "type", "interface", "associate")
_TYPES = ("integer", "real", "logical", "character", "complex", "double", "type", "class")
# Directives' attributes whose arguments are names of the program.
_OF_NAMES = frozenset(
    """domname domsize startat endat stride reduction private tile unroll independent temporary distinct march share
    team global local halo periodic grid fields width""".split()
)
_KNOWN = frozenset(
    """abs acos acosh adjustl adjustr aimag aint all allocate allocatable allocated and anint any asin associate
    associated asynchronous atan atan2 atomic backspace bind bit_size block btest call case ceiling char
    character class close cmplx common complex concurrent conjg contains contiguous continue cos cosh count
    cpu_time cycle data date_and_time dble deallocate default deferred digits dim dimension do dot_product
    double elemental else elseif elsewhere end entry eor epsilon equivalence err error exit exp exponent
    extends external false file final floor flush forall format fraction function gamma generic go goto huge
    iachar iand ibclr ibits ibset ichar ieor if implicit import impure in include index inout inquire int
    integer intent interface intrinsic ior iostat is ishft ishftc kind lbound len len_trim log log10 logical
    loc matmul max maxexponent maxloc maxval merge min minexponent minloc minval mod module modulo move_alloc
    mvbits namelist nan nearest newunit nint non_intrinsic nopass not null nullify only open operator optional
    or out pack parameter pass pause pointer precision present print private procedure product program
    protected public pure radix random_number random_seed rank read real recl recursive repeat reshape result
    return rewind save scan select selected_int_kind selected_real_kind sequence shape sign sin sinh size
    spacing spread sqrt stat stop subroutine sum system_clock tan tanh target then tiny to transfer transpose
    trim true type ubound unit unpack use value verify volatile where while write advance c_int c_double
    c_float c_ptr c_loc c_f_pointer kinds iso_c_binding iso_fortran_env""".split()
)


# --- spelling of operators and blanks


def dotted(lines: Program) -> Program | None:
    """``.gt.`` for ``>``."""
    return _code_tokens(lines, lambda token: DOTTED.get(token.text, token.text))


def signs(lines: Program) -> Program | None:
    """``>`` for ``.gt.``."""
    return _code_tokens(lines, lambda token: SIGNS.get(token.word, token.text))


def _code_tokens(lines: Program, change: Callable[[Token], str]) -> Program:
    """Tokens changed outside of directives and formats."""

    def changed(code: str) -> str:
        if code.lstrip().startswith("@") or _is_format(code):
            return code
        return "".join(change(token) for token in tokens(code))

    return each_code(lines, changed)


def _is_format(code: str) -> bool:
    return bool(re.match(r"\d+\s*format\b", code, re.IGNORECASE))


def tight(lines: Program) -> Program | None:
    """As few blanks as the language allows, ``enddo`` and ``elseif`` too."""
    return each_code(lines, _tight)


def _tight(code: str) -> str:
    if _is_format(code):
        return code
    found = tokens(code)
    kept: list[str] = []
    for place, token in enumerate(found):
        if token.kind != "space" or place in (0, len(found) - 1):
            kept.append(token.text)
            continue
        if _must_stay(found[place - 1], found[place + 1], place == 1):
            kept.append(" ")
    return "".join(kept)


def _must_stay(left: Token, right: Token, first: bool) -> bool:
    """Whether a blank between two tokens says something."""
    if left.kind == "name" and right.kind == "name":
        joined = _ENDS if left.word == "end" and first else _SPLIT_WORDS.get(left.word, ()) if first else ()
        return right.word not in joined
    wordy = ("name", "number", "string", "open")
    if left.kind in wordy and right.kind in wordy:
        return True
    return left.text == "&" or right.text == "&" or left.text + right.text in ("//", "/=", "(/", "**", "=>", "==", "::")


def wide(lines: Program) -> Program | None:
    """Blanks around every token of a statement."""

    def change(code: str) -> str:
        if code.lstrip().startswith("@") or _is_format(code) or any(t.kind == "open" for t in tokens(code)):
            return code
        pieces = _kinds_apart([t for t in tokens(code) if t.kind != "space"])
        changed = "  ".join(pieces)
        return changed if len(changed) < 100 else code

    return each_code(lines, change)


def _kinds_apart(found: list[Token]) -> list[str]:
    """Texts of tokens; literals keep their kinds (``1.0_rp``), leading ``&`` what it continues."""
    pieces: list[str] = []
    glue = False
    for token in found:
        if (glue or token.text.startswith("_")) and pieces:
            pieces[-1] += token.text
        else:
            pieces.append(token.text)
        glue = token.text == "_" or (token.text == "&" and len(pieces) == 1)
    return pieces


def upper(lines: Program) -> Program | None:
    """Everything in upper case but what the preprocessor sees, which minds the case."""
    kept = fixed_names(lines)
    return each_token(
        lines, lambda t: t.text.upper() if t.kind in ("name", "number", "dots") and t.word not in kept else t.text
    )


def continued(lines: Program) -> Program | None:
    """Each statement over several lines, cut after commas, operators and ``=``."""
    return {name: tuple(_pieces(content)) if changeable(name) else content for name, content in lines.items()}


def _pieces(content: tuple[Line, ...]) -> Iterable[Line]:
    macros = any(line.text.lstrip().startswith("#") for line in content)
    for at, line in enumerate(content):
        head, code, comment = line.parts
        found = tokens(code)
        if not alone(content, at) or len(found) < 9 or macros or _is_format(code):
            yield line
            continue
        pieces = [""]
        for token in found:
            pieces[-1] += token.text
            if token.text in (",", "=", "+", "*", "==", ">", "(") and len(pieces) < 30:
                pieces.append("")
        pieces = [piece for piece in pieces if piece.strip()]
        for number, piece in enumerate(pieces):
            end = " &" if number < len(pieces) - 1 else comment
            yield replace(line, text=f"{head}{'  & ' if number else ''}{piece.strip()}{end}")


# --- names


def declared(lines: Program) -> set[str]:
    """Variables with a declaration: of routines, modules and types."""
    found: set[str] = set()
    for name, content in lines.items():
        for at, line in enumerate(content):
            if changeable(name) and line.code and alone(content, at):
                found.update(entities(words(line.parts[1])))
    return found


def entities(code: list[str]) -> list[str]:
    """The names that a declaration of variables declares."""
    if not code or code[0] not in _TYPES or "function" in code or (code[0] in ("type", "class") and code[1:2] != ["("]):
        return []
    if "::" in code:
        rest = code[code.index("::") + 1 :]
    else:
        rest = code[2:] if code[0] == "double" else code[1:]
        if rest[:1] == ["*"]:
            rest = rest[2:]
        elif rest[:1] == ["("]:
            rest = rest[_closing(rest, 0) + 1 :]
        if not rest or not rest[0].isidentifier() or rest[1:2] == ["="]:
            return []
    result, depth, fresh = [], 0, True
    for word in rest:
        if fresh and depth == 0 and word.isidentifier():
            result.append(word)
        depth += (word in ("(", "[", "(/")) - (word in (")", "]", "/)"))
        fresh = word == "," and depth == 0
    return result


def _closing(code: list[str], at: int) -> int:
    depth = 0
    for place in range(at, len(code)):
        depth += (code[place] in ("(", "(/")) - (code[place] in (")", "/)"))
        if depth == 0:
            return place
    return len(code)


def iterators(lines: Program) -> set[str]:
    """The names that directives give to domains."""
    text = " ".join(line.text.lower() for content in lines.values() for line in content if line.directive)
    return {name for group in re.findall(r"domname\s*\(([^)]*)\)", text) for name in re.findall(r"[a-z]\w*", group)}


def implicit(lines: Program) -> bool:
    """Whether some names may have types by their first letter."""
    heads = sum(
        bool(re.match(r"\s*(module|program)\s+(?!procedure)\w", x.text.lower())) for c in lines.values() for x in c
    )
    said = sum(words(line.text)[:2] == ["implicit", "none"] for content in lines.values() for line in content)
    return said < heads or any(not changeable(name) for name in lines)


def renameable(lines: Program) -> list[str]:
    """Variables that may have other names: not words of the language, nor names of procedures or of other things."""
    if any("##" in line.text for content in lines.values() for line in content):
        return []  # names are made of pieces
    others = _KNOWN | fixed_names(lines) | _other_things(lines)
    wanted = declared(lines) | (set() if implicit(lines) else iterators(lines))
    return sorted(wanted - others)


def _other_things(lines: Program) -> set[str]:
    """Names of units, procedures, types, and of what namelists and external files show."""
    found: set[str] = set()
    for content in lines.values():
        for line in content:
            code = words(line.parts[1])
            for place, word in enumerate(code[:-1]):
                if word in (
                    "subroutine",
                    "function",
                    "module",
                    "program",
                    "procedure",
                    "use",
                    "interface",
                    "call",
                    "type",
                    "submodule",
                ):
                    found.update(
                        w for w in code[place + 1 :] if w.isidentifier()
                    ) if word == "procedure" else found.add(code[place + 1])
            if (
                code[:1] in (["external"], ["namelist"], ["intrinsic"], ["import"])
                or "bind" in code
                or "namelist" in code
            ):
                found.update(code)
    return found


def renamed(lines: Program, new: Mapping[str, str]) -> Program:
    """The program with names changed everywhere, in directives only where names of variables are."""

    def change(code: str) -> str:
        if not code.lstrip().startswith("@"):
            return "".join(_renamed(token, new) for token in tokens(code)) if not _is_format(code) else code
        return "".join(_in_directive(tokens(code), new))

    # ``!`` and the names of a block of domain dependants in comments
    return _comment_names(each_code(lines, change), new)


def _in_directive(found: list[Token], new: Mapping[str, str]) -> Iterable[str]:
    depth, of_names, last = 0, False, ""
    for token in found:
        if depth == 0 and token.text == "(":
            of_names = last in _OF_NAMES
        depth += (token.text == "(") - (token.text == ")")
        yield _renamed(token, new) if of_names and depth else token.text
        last = token.word if token.kind != "space" else last


def _renamed(token: Token, new: Mapping[str, str]) -> str:
    return new.get(token.word, token.text) if token.kind == "name" else token.text


def _comment_names(lines: Program, new: Mapping[str, str]) -> Program:
    def block(content: tuple[Line, ...]) -> Iterable[Line]:
        inside = False
        for line in content:
            listed = inside and bool(re.match(r"\s*!\s*@(?!\s*end)", line.text, re.IGNORECASE))
            if line.directive and not listed:
                inside = bool(re.match(r"\s*!\s*@\s*domaindepend", line.text, re.IGNORECASE)) and "}" in line.text
            elif inside and line.text.lstrip().startswith("!"):
                line = replace(line, text="".join(_renamed(t, new) for t in tokens(line.text)))
            yield line

    return {name: tuple(block(content)) if changeable(name) else content for name, content in lines.items()}


_LIKE_WORDS = """allocate_ block_ call_ do end_ forall_ goto_ if_ logical_ module_ nullify open_ print_ return select_
type use_ where_""".split()
_LIKE = {word[0]: word for word in _LIKE_WORDS}


def keywords(lines: Program) -> Program | None:
    """Names that begin with words of the language; the first letter stays, which may tell the type."""
    return with_names(lines, {x: f"{_LIKE[x[0]]}{x}" for x in renameable(lines) if x[0] in _LIKE and len(x) < 40})


def ends(lines: Program) -> Program | None:
    """Names that begin with ``if_``, ``do``, ``end``, by turns."""
    if implicit(lines):
        return None
    return with_names(
        lines, {x: ("if_", "do", "end")[n % 3] + x for n, x in enumerate(renameable(lines)) if len(x) < 40}
    )


def reversed_names(lines: Program) -> Program | None:
    """Names whose alphabetical order is the reverse."""
    if implicit(lines):
        return None
    found = renameable(lines)
    return with_names(lines, {x: f"v{len(found) - n:03d}_{x}" for n, x in enumerate(found) if len(x) < 40})


def with_names(lines: Program, new: Mapping[str, str]) -> Program | None:
    """The program with new names, if they are new."""
    if not new or set(new.values()) & set(names(lines)):
        return None
    return renamed(lines, new)


# --- order of declarations


def reordered(lines: Program) -> Program | None:
    """Neighbouring declarations in the reverse order as far as none needs what another one declares."""
    return {name: tuple(_reordered(content)) if changeable(name) else content for name, content in lines.items()}


def _reordered(content: tuple[Line, ...]) -> Iterable[Line]:
    run: list[Line] = []
    in_type = False  # where the order of components shows in constructors
    for at, line in enumerate(content):
        code = words(line.parts[1]) if line.code else []
        in_type = (code[:1] == ["type"] and code[1:2] != ["("]) or (
            in_type and code[:2] != ["end", "type"] and code[:1] != ["endtype"]
        )
        if code and not in_type and alone(content, at) and entities(code) and "::" in code:
            run.append(line)
            continue
        yield from _reverse(run)
        run = []
        yield line
    yield from _reverse(run)


def _reverse(run: list[Line]) -> Iterable[Line]:
    """The last that needs none of those still left comes first."""
    left = [(line, set(entities(code)), set(code)) for line in run for code in [words(line.parts[1])]]
    while left:
        free = [x for n, x in enumerate(left) if not any(own & x[2] for m, (_, own, _) in enumerate(left) if m != n)]
        chosen = free[-1] if free else left[0]
        left.remove(chosen)
        yield chosen[0]

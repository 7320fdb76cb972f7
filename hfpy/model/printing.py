"""Trees as Fortran text: the one printer for expressions, statements, constructs and directives of regions.

What has a place in the line that it comes from is printed as it is there, character for character, but for what was
put in the place of something (:class:`~hfpy.model.expressions.Instead`). What a pass made is printed in one form: the
names in lower case, blanks around operators as people set them, parentheses where the operators ask for them.
Read again, the text gives the same tree (``tests/parse/test_printing.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from hfpy.model.directives import Region
from hfpy.model.expressions import (
    NOWHERE,
    Apply,
    ArrayConstructor,
    Binary,
    Complex,
    Component,
    Expr,
    Fragment,
    ImpliedDo,
    Instead,
    Keyword,
    Literal,
    Name,
    Paren,
    Quoted,
    Range,
    Star,
    Unary,
    children,
    with_children,
)
from hfpy.model.extents import Dim
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    End,
    Header,
    InputOutput,
    Jump,
    Memory,
    Node,
    OneLine,
    Statement,
    expressions,
    map_expressions,
)
from hfpy.values import dataclass

STEP = "  "
# Where an expression is: by itself, as a bound, whose sums have no blanks, or in parentheses: no comma has one.
OUTSIDE, BOUND, INSIDE = range(3)
# How tightly operators bind (F2018 §10.1.2): defined ones loosest as binary, tightest as unary operators.
_BINARY = {".eqv.": 2, ".neqv.": 2, ".or.": 3, ".and.": 4, "//": 7, "+": 8, "-": 8, "*": 9, "/": 9, "**": 10}
_BINARY |= dict.fromkeys(("==", "/=", "<", "<=", ">", ">="), 6)
_UNARY = {".not.": (5, 6), "+": (8, 9), "-": (8, 9)}
OPERATORS = frozenset({*_BINARY, *_UNARY})  # of the language: others are defined by the program
_PRIMARY = 12
_TIGHT = frozenset({"*", "/", "**"})
# Functions of the language that mean themselves, outside of other arguments, with a blank after each comma.
_WIDE = frozenset({"min", "max", "merge"})


def _level(expr: Expr) -> int:
    """How tightly the outermost operator of an expression binds."""
    match expr:
        case Instead() | Quoted():
            return _level(children(expr)[0])
        case Binary(op=op):
            return _BINARY.get(op, 1)
        case Unary(op=op):
            return _UNARY[op][0] if op in _UNARY else 11
    return _PRIMARY


def _wanted(parent: Expr) -> tuple[int, ...]:
    """How tightly each direct operand must bind; 0 where anything goes."""
    match parent:
        case Binary(op="**"):
            return (11, 10)
        case Binary(op=op):
            own = _BINARY.get(op, _PRIMARY)  # operands of a defined operator are easier to read in parentheses
            return (7, 7) if own == 6 else (own, min(own + 1, _PRIMARY))
        case Unary(op=op):
            return (_UNARY[op][1] if op in _UNARY else _PRIMARY,)
        case Apply(args=args):
            return (_PRIMARY, *(0 for _ in args))
        case Component():
            return (_PRIMARY,)
    return tuple(0 for _ in children(parent))


class _Printer:
    """Prints expressions of one line, whose text is ``text``."""

    def __init__(self, text: str) -> None:
        self.text = text

    def show(self, expr: Expr, wanted: int = 0, nested: int = OUTSIDE) -> str:
        """An expression; in parentheses unless it binds as tightly as ``wanted``. ``nested`` says where it is."""
        if isinstance(expr, Instead):
            return self.show(expr.made, wanted, nested)
        if isinstance(expr, Quoted):
            return _Printer(expr.fragment.text).show(expr.fragment.expr, wanted, nested)
        if _level(expr) < wanted:
            return f"({self.show(expr, 0, INSIDE)})"
        if expr.start >= 0 and all(child.start >= 0 for child in children(expr)):
            return self.written(expr)
        return self._made(expr, nested)

    def written(self, expr: Expr) -> str:
        """An expression as it is in the line, but for what is there instead of something."""
        listed = zip(children(expr), _wanted(expr), strict=True)
        return self.between(expr.start, expr.end, listed)

    def between(self, start: int, end: int, listed: Iterable[tuple[Expr, int]]) -> str:
        """The line from ``start`` to ``end`` with these expressions of it as they are now."""
        pieces: list[str] = []
        position = start
        for expr, wanted in listed:
            new = self.show(expr, wanted if isinstance(expr, Instead) else 0, INSIDE)
            # "1" before ".and." would be a real number.
            changed = new != self.text[expr.start : expr.end]
            blank = " " if changed and new[-1:].isdigit() and self.text[expr.end : expr.end + 1] == "." else ""
            pieces += [self.text[position : expr.start], new + blank]
            position = expr.end
        return "".join([*pieces, self.text[position:end]])

    def listed(self, exprs: Iterable[Expr], nested: bool = True) -> str:
        """Expressions with commas between them."""
        return ("," if nested else ", ").join(self.show(e, 0, INSIDE) for e in exprs)

    def _made(self, expr: Expr, nested: int) -> str:
        wanted = _wanted(expr)
        match expr:
            case Name(name=name):
                return name
            case Literal(text=text):
                return text
            case Star():
                return "*"
            case Paren(inner=inner):
                return f"({self.show(inner, 0, INSIDE)})"
            case Keyword(name=name, value=value):
                return f"{name}={self.show(value, 0, nested)}"
            case Range(lower=lower, upper=upper, step=step):
                low, high = ("" if e is None else self.show(e, 0, INSIDE) for e in (lower, upper))
                return f"{low}:{high}" + ("" if step is None else f":{self.show(step, 0, INSIDE)}")
            case Apply(base=base, args=args):
                wide = nested < INSIDE and isinstance(base, Name) and base.name in _WIDE
                return f"{self.show(base, wanted[0], nested)}({self.listed(args, not wide)})"
            case Component(base=base, name=name):
                return f"{self.show(base, wanted[0], nested)}%{name}"
            case Unary(op=op, operand=operand):
                return f"{op}{' ' if '.' in op else ''}{self.show(operand, wanted[0], nested)}"
            case Binary(op=op, left=left, right=right):
                tight = op in _TIGHT or (nested and op in ("+", "-"))
                sign = op if tight else f" {op} "
                return f"{self.show(left, wanted[0], nested)}{sign}{self.show(right, wanted[1], nested)}"
            case ImpliedDo(items=items, var=var, bounds=bounds, typed=typed, kind=kind):
                shown = f"integer({self.show(kind)}) :: " if kind is not None else "integer :: " if typed else ""
                return f"({self.listed(items, False)}, {shown}{var} = {self.listed(bounds, False)})"
            case ArrayConstructor(items=items, type_spec=spec):
                return f"[{f'{spec} :: ' if spec else ''}{self.listed(items, False)}]"
            case Complex(real=real, imag=imag):
                return f"({self.listed((real, imag), False)})"
        raise TypeError(type(expr).__name__)


def expression(expr: Expr, text: str = "", tight: bool = False) -> str:
    """The text of an expression; ``text`` is that of the line in which what has a place is. ``tight`` is for what
    will be in parentheses.
    """
    return _Printer(text).show(expr, 0, BOUND if tight else OUTSIDE)


def character(text: str) -> str:
    """A text as a character constant."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def statement(made: Statement) -> str:
    """The text of one statement, without label and without the bodies of constructs.

    Raises TypeError for one that hfpy knows by its text alone, if it is to be printed anew.
    """
    exprs = sorted(_all(made), key=lambda e: e.start)
    if made.made or any(e.start < 0 for e in exprs):
        return _anew(made)
    text = made.line.text
    start = made.target.start if isinstance(made, Assignment) else 0  # it may be the action of an ``if``
    return _Printer(text).between(start, len(text), ((e, 0) for e in exprs)).strip()


def statement_of(made: Statement, shown: Callable[[Expr], str]) -> str:
    """The text of a statement that a pass made; ``shown`` gives that of the expressions in it that have a place."""

    def replaced(expr: Expr) -> Expr:
        if expr.start < 0:
            return with_children(expr, replaced)
        text = shown(expr)
        return Literal(NOWHERE, NOWHERE, "real", f"({text})" if isinstance(expr, (Binary, Unary)) else text)

    return _anew(map_expressions(made, replaced))


def _all(made: Statement) -> tuple[Expr, ...]:
    return (*expressions(made), *(_all(made.action) if isinstance(made, OneLine) else ()))


def _action(made: Statement) -> str:
    """The action of a one-line ``if``: only an assignment knows where in the line it begins."""
    return statement(made) if isinstance(made, Assignment) else _anew(made)


def _anew(made: Statement) -> str:
    show, listed = _Printer(made.line.text).show, _Printer(made.line.text).listed
    match made:
        case Assignment(target=target, value=value, pointer=pointer):
            return f"{show(target)} {'=>' if pointer else '='} {show(value)}"
        case Call(designator=designator, args=args):
            return f"call {show(designator)}({listed(args, False)})"
        case OneLine(kind=kind, control=control, action=action):
            return f"{kind} ({listed(control, False)}) {_action(action)}"
        case Header():
            return _header(made)
        case End(kind=kind, construct_name=name):
            return " ".join(w for w in ("end", "select" if kind == "selecttype" else kind, name) if w)
        case Jump(kind=kind, target=target, exprs=exprs):
            word = {"goto": "go to", "errorstop": "error stop"}.get(kind, kind)
            shown = "" if kind == "@exit" else target
            return " ".join(w for w in (word, shown, listed(exprs, False)) if w)
        case Memory(kind=kind, items=items, options=options):
            return f"{kind}({listed((*items, *options), False)})"
        case InputOutput(kind="print", items=items):
            raise TypeError("the format of a print statement is known by its text alone")
        case InputOutput(kind=kind, control=control, items=items):
            return f"{kind} ({listed(control, False)}) {listed(items, False)}".strip()
    raise TypeError(type(made).__name__)


def _header(made: Header) -> str:
    printer = _Printer(made.line.text)
    name = f"{made.construct_name}: " if made.construct_name else ""
    controls = printer.listed(made.exprs, False)
    match made.kind:
        case "do" if made.var:
            bounds = ", ".join(printer.show(e, 0, BOUND) for e in made.exprs)
            return f"{name}do {f'{made.label} ' if made.label else ''}{made.var} = {bounds}"
        case "dowhile" | "doconcurrent":
            return f"{name}do {made.kind.removeprefix('do')} ({controls})"
        case "if":
            return f"{name}if ({controls}) then"
        case "elseif":
            return f"else if ({controls}) then"
        case "select":
            return f"{name}select case ({controls})"
        case "selecttype":
            renamed = f"{made.names[0]} => " if made.names else ""
            return f"{name}select type ({renamed}{controls})"
        case "case":
            return f"case ({controls})" if made.exprs else "case default"
        case "associate":
            parts = (f"{n} => {printer.show(e, 0, INSIDE)}" for n, e in zip(made.names, made.exprs, strict=True))
            return f"{name}associate ({', '.join(parts)})"
        case kind:
            return f"{name}{kind} ({controls})" if made.exprs else f"{name}{kind}"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of printed text, and the logical line that it comes from."""

    text: str
    origin: LogicalLine


def rows(nodes: Iterable[Node], indent: str = "") -> Iterator[Row]:
    """Statements and constructs line by line."""
    for node in nodes:
        if not isinstance(node, Construct):
            yield Row(indent + statement(node), node.line)
            continue
        if node.kind == "region" and node.region is not None:
            yield from _region(node, node.region, indent)
            continue
        for part in node.parts:
            yield Row(indent + statement(part.header), part.header.line)
            yield from rows(part.body, indent + STEP)
        assert node.end is not None
        yield Row(indent + statement(node.end), node.end.line)


def _region(node: Construct, made: Region, indent: str) -> Iterator[Row]:
    sign = "!@" if made.line.comment else "@"
    last = node.end if node.end is not None else node.header
    yield Row(f"{indent}{sign}parallelRegion{{{', '.join(attributes(made))}}}", node.header.line)
    yield from rows(node.body, indent + ("" if made.loops else STEP))
    yield Row(f"{indent}{sign}end parallelRegion", last.line)


def attributes(made: Region) -> Iterator[str]:
    """The attributes of a region's directive, each as text. What has its default is left out."""

    def texts(values: Iterable[Dim | Fragment]) -> tuple[str, ...]:
        return tuple(v.text for v in values)

    given = {
        "domName": made.iterators,
        "domSize": texts(d.extent for d in made.domains),
        "startAt": texts(made.starts),
        "endAt": texts(made.ends),
        "stride": texts(made.strides),
        "template": (made.template,),
        "reduction": tuple(f"{r.op}:{r.name}" for r in made.reductions),
        "private": made.private,
        "independent": made.independent,
        "distinct": made.distinct,
        "local": made.local,
        "schedule": (made.schedule,),
        "collapse": (str(made.collapse),) if made.collapse else (),
        "name": (made.name,),
        "backend": (made.backend,),
        **dict(made.hints),
        "appliesTo": tuple(sorted(t.upper() for t in made.applies_to)),
    }
    yield from (f"{name}({','.join(values)})" for name, values in given.items() if any(values))
    yield from (flag for flag, given in (("vector", made.vector), ("explicit", made.explicit)) if given)

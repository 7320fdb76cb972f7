"""Uses of variables: every reference in a routine, with its role and its surroundings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import INQUIRY
from hfpy.model.distributed import MARKS
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Component,
    Expr,
    ImpliedDo,
    Keyword,
    Name,
    Range,
    Star,
    base_name,
    children,
    with_children,
)
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    Header,
    InputOutput,
    Memory,
    OneLine,
    Opaque,
    Statement,
)
from hfpy.model.units import Symbol
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """One occurrence of a variable.

    ``node`` is the :class:`Apply` that indexes it, or the bare :class:`Name`. ``role`` is read, write, argument,
    inquiry, pointer, allocate, io, input or message, which is a text that a statement sets where it fails. ``call`` is
    the reference or designator whose direct argument it is, ``position`` its place there (a number or a keyword);
    ``component`` tells that a component of it is meant, ``perhaps`` that the statement may leave it as it is. Names in
    a statement that is not understood are arguments of no call.
    """

    name: str
    node: Expr
    at: Located
    role: str
    call: Expr | None = None
    position: int | str = 0
    component: bool = False
    perhaps: bool = False

    @property
    def sure(self) -> bool:
        """Whether a statement that sets the variable certainly does: a message is set where there is one."""
        return not self.perhaps and self.role != "message"

    @property
    def indices(self) -> tuple[Expr, ...] | None:
        """The indices given, or None for a bare name."""
        return self.node.args if isinstance(self.node, Apply) else None

    @property
    def writes(self) -> bool:
        """Whether the statement itself changes the variable."""
        return self.role in ("write", "input", "message")


Aliases = dict[str, Expr | None]
_NO_ALIASES: Mapping[str, Expr | None] = MappingProxyType({})


def aliases_of(at: Located) -> Mapping[str, Expr | None]:
    """Names that mean something else at a statement: associate names → selector, names declared in a ``block`` →
    None.
    """
    if not at.renamed:
        return _NO_ALIASES
    result: Aliases = {}
    for construct in at.constructs:
        result = aliases_in(construct, result)
    return result


def aliases_in(construct: Construct, around: Aliases) -> Aliases:
    """The same in a construct, where ``around`` are those around it.

    Where the construct gives an associate name ``x`` another meaning, names that mean ``x`` get its old selector: in
    ``associate (x => b)``, ``associate (y => x)``, ``associate (x => a)`` the name ``y`` means ``b``. Selectors such as
    ``x(2)`` are kept (:mod:`hfpy.transform.hiddenvariables` refuses them).
    """
    own: Aliases = {}
    if construct.kind in ("associate", "selecttype") and isinstance(construct.header, Header):
        own = dict(zip(construct.header.names, construct.header.exprs, strict=False))
    elif construct.kind == "block":
        own = {symbol.name: None for symbol in construct.declarations if isinstance(symbol, Symbol)}
    meant = {name: known for name in own if (known := around.get(name)) is not None}
    if not meant:
        return {**around, **own}
    return {name: None if expr is None else _standing_for(expr, meant) for name, expr in {**around, **own}.items()}


def _standing_for(expr: Expr, meant: Mapping[str, Expr]) -> Expr:
    """An expression with what some names have meant in their places; within others only names."""
    if isinstance(expr, Name):
        return meant.get(expr.name, expr)
    names = {name: known for name, known in meant.items() if isinstance(known, Name)}
    return with_children(expr, lambda part: _standing_for(part, names)) if names else expr


def meanings(at: Located) -> Mapping[str, Expr | None]:
    """The same names for questions of type: what ``select type`` names has a type of its own in each block, None."""
    result = dict(aliases_of(at))
    for construct in at.constructs if at.renamed else ():
        if construct.kind == "selecttype" and isinstance(construct.header, Header):
            selectors = (e.name for e in construct.header.exprs if isinstance(e, Name))
            result |= dict.fromkeys((*construct.header.names, *selectors))
    return result


def declared_in_block(name: str, at: Located) -> Symbol | None:
    """The declaration of a name in a ``block`` around a statement, the innermost one."""
    found: Symbol | None = None
    for construct in at.constructs:
        if construct.kind == "block":
            own = (s for s in construct.declarations if isinstance(s, Symbol) and s.name == name)
            found = next(own, found)
    return found


def associated(reference: Reference) -> bool:
    """Whether a statement gives a pointer its target: ``p => a``, ``nullify(p)``."""
    statement = reference.at.statement
    if reference.role != "pointer" or reference.component:
        return False
    if isinstance(statement, Memory):
        return True
    return isinstance(statement, Assignment) and reference.node.start == statement.target.start


def sets_component(reference: Reference) -> bool:
    """Whether a statement gives a pointer in an object its target: ``o%p => a``, ``nullify(o%p)``."""
    statement = reference.at.statement
    if reference.role != "pointer" or not reference.component:
        return False
    if isinstance(statement, Memory):
        return True
    return isinstance(statement, Assignment) and reference.node.start == statement.target.start


def frees(reference: Reference) -> bool:
    """Whether a statement frees a variable: ``deallocate(a)``."""
    statement = reference.at.statement
    return reference.role == "allocate" and isinstance(statement, Memory) and statement.kind == "deallocate"


_WRITTEN = frozenset({"iostat", "newunit", "size"})  # by statements of input and output

# The first dummy arguments of inquiry functions (Fortran 2018, 16.9): what is asked about.
_ASKED_ABOUT = frozenset({"a", "array", "i", "pointer", "scalar", "source", "string", "x"})

TextRank = Callable[[Expr, Located], int | None]
Intrinsic = Callable[[str, Located], bool]
Listed = Callable[[InputOutput], tuple[str, ...]]


def uses(
    statements: tuple[Located, ...],
    rank_of_text: TextRank = lambda _, __: None,
    intrinsic: Intrinsic = lambda _, __: True,
    listed: Listed = lambda _: (),
) -> tuple[Reference, ...]:
    """All references of a routine in the order of the text. ``rank_of_text`` tells designators of type character, by
    their number of dimensions: a ``write`` with one as its unit writes into it. ``intrinsic`` tells whether a name
    means an intrinsic function: arrays and functions of the program may be called ``size`` or ``range``, too.
    ``listed`` gives the variables of the namelist that a statement names.
    """
    found: list[Reference] = []
    for at in statements:
        _statement(at, rank_of_text, found)
        if isinstance(at.statement, InputOutput) and not at.regions:
            _of_namelist(at.statement, at, listed(at.statement), found)
    return tuple(_given(r) if r.role == "inquiry" and not _asks(r, intrinsic) else r for r in found)


def _asks(reference: Reference, intrinsic: Intrinsic) -> bool:
    """Whether a statement, or an intrinsic function, only asks something about what it names."""
    name = base_name(reference.call) if isinstance(reference.call, Apply) else None
    return name is None or name == "loc" or intrinsic(name, reference.at)


def _given(reference: Reference) -> Reference:
    """What looked like an inquiry is an index of an array or an argument of a function of the program."""
    return replace(reference, role="argument")


def _statement(at: Located, rank_of_text: TextRank, found: list[Reference]) -> None:
    statement = at.statement
    match statement:
        case Assignment(target=target, value=value, pointer=pointer):
            _target(target, at, "pointer" if pointer else "write", found)
            _expr(value, at, "pointer" if pointer else "read", found)
        case Call(designator=designator, args=args):
            if not isinstance(designator, Name):
                _inner(designator, at, found)
            _arguments(args, at, designator, found)
        case Memory(kind=kind, items=items, options=options):
            for item in items:
                _target(item, at, "pointer" if kind == "nullify" else "allocate", found)
            for option in options:
                _expr(option, at, _role(option, ("stat",)), found)
        case InputOutput():
            _input_output(statement, at, rank_of_text, found)
        case Header(exprs=exprs, var=var, kind=kind):
            if kind == "associate":
                for expr in exprs:
                    _expr(expr, at, "pointer", found)
                return
            if var:
                start = statement.var_start
                found.append(Reference(var, Name(start, start + len(var), var), at, "write"))
            for expr in exprs:
                _expr(expr, at, "read", found)
        case OneLine(control=control):
            for expr in control:
                _expr(expr, at, "read", found)
        case Opaque(words=words):
            found += (Reference(word.name, word, at, "argument", perhaps=True) for word in words)
        case _:
            _others(statement, at, found)


def _input_output(statement: InputOutput, at: Located, rank_of_text: TextRank, found: list[Reference]) -> None:
    """The references of a statement of input or output. What is written to an array of texts sets as many of them as
    there are records (Fortran 2018, 12.4); what is read from a text may leave items as they are.
    """
    kind, rank = statement.kind, None
    for number, expr in enumerate(statement.control):
        if _is_unit(expr, number) and kind in ("read", "write"):
            rank = rank_of_text(_value(expr), at)
            first = len(found)
            _expr(expr, at, "write" if rank is not None and kind == "write" else "read", found)
            _perhaps(found, first, "write" if rank else "")
        else:
            asks = kind == "inquire" and not _is_unit(expr, number)
            _expr(expr, at, _role(expr, _WRITTEN, asks), found)
    first = len(found)
    for expr in statement.items:
        _expr(expr, at, "input" if kind == "read" else "io", found)
    _perhaps(found, first, "input" if rank is not None and has_nulls(statement) else "")


def named_list(statement: InputOutput) -> Name | None:
    """What may be the name of a namelist in a statement: after ``nml=``, or where a format could be."""
    given = next((c.value for c in statement.control if isinstance(c, Keyword) and c.name == "nml"), None)
    second = statement.control[1] if len(statement.control) > 1 else None
    found = given or second or (statement.form if statement.kind == "print" else None)
    return found if isinstance(found, Name) else None


def _of_namelist(statement: InputOutput, at: Located, listed: Collection[str], found: list[Reference]) -> None:
    """The references of what a namelist has, at its name. What is read sets those that the text names."""
    name = named_list(statement) if listed else None
    if name is not None:
        role, reads = ("input", True) if statement.kind == "read" else ("io", False)
        for each in listed:
            found.append(Reference(each, Name(name.start, name.end, each), at, role, perhaps=reads))


def _perhaps(found: list[Reference], first: int, role: str) -> None:
    """Take that references with a role, of those from the ``first`` on, may leave what they name as it is."""
    found[first:] = [replace(r, perhaps=True) if r.role == role else r for r in found[first:]]


def has_nulls(statement: InputOutput) -> bool:
    """Whether what is read may have null values, or end before the last item (Fortran 2018, 13.10.3.2): where the
    format is an asterisk, or where only the text of the statement has it.
    """
    if not statement.control:
        return True
    form = next((c.value for c in statement.control if isinstance(c, Keyword) and c.name == "fmt"), None)
    second = statement.control[1] if len(statement.control) > 1 else None
    return isinstance(second if form is None else form, Star)


def _role(option: Expr, written: Collection[str], asks: bool = False) -> str:
    """What a statement does with what an option names: one of ``written`` is set, and in one that ``asks`` all but what
    it asks about. A message is set where there is one, and else stays (Fortran 2018, 9.7.5, 12.11.6).
    """
    name = option.name if isinstance(option, Keyword) else ""
    if name in ("errmsg", "iomsg"):
        return "message"
    return "write" if name in written or (asks and name not in ("file", "id")) else "read"


def _is_unit(expr: Expr, number: int) -> bool:
    return expr.name == "unit" if isinstance(expr, Keyword) else number == 0


def _value(expr: Expr) -> Expr:
    return expr.value if isinstance(expr, Keyword) else expr


def _others(statement: Statement, at: Located, found: list[Reference]) -> None:
    from hfpy.model.statements import expressions

    for expr in expressions(statement):
        _expr(expr, at, "read", found)


def _target(expr: Expr, at: Located, role: str, found: list[Reference]) -> None:
    _designator(expr, at, role, None, 0, found)


def _arguments(args: tuple[Expr, ...], at: Located, call: Expr, found: list[Reference]) -> None:
    for number, arg in enumerate(args):
        position: int | str = number
        value = arg
        if isinstance(arg, Keyword):
            position, value = arg.name, arg.value
        if isinstance(value, (Name, Apply, Component)):
            _designator(value, at, "argument", call, position, found)
        else:
            _expr(value, at, "read", found)


def _expr(expr: Expr, at: Located, role: str, found: list[Reference]) -> None:
    if isinstance(expr, (Name, Apply, Component)):
        _designator(expr, at, role, None, 0, found)
        return
    if isinstance(expr, Keyword):
        _expr(expr.value, at, role, found)
        return
    keep = isinstance(expr, (ImpliedDo, ArrayConstructor)) and role in ("io", "input")
    if isinstance(expr, ImpliedDo):
        items: list[Reference] = []
        for item in expr.items:
            _expr(item, at, role if keep else "read", items)
        found += (r for r in items if not (expr.typed and r.name == expr.var))  # a variable of the loop's own
        for bound in (*expr.bounds, *((expr.kind,) if expr.kind is not None else ())):
            _expr(bound, at, "read", found)
        if keep and not expr.typed:  # a variable of the routine: it has a value after the list (Fortran 2018, 19.4)
            found.append(Reference(expr.var, Name(expr.start, expr.end, expr.var), at, "write"))
        return
    for child in children(expr):
        _expr(child, at, "read", found)


def _inner(expr: Expr, at: Located, found: list[Reference]) -> None:
    for child in children(expr):
        _expr(child, at, "read", found)


def _designator(
    expr: Expr, at: Located, role: str, call: Expr | None, position: int | str, found: list[Reference]
) -> None:
    """References of a designator or function reference: its base with the role, everything in its indices as read."""
    chain: list[Expr] = []
    node: Expr = expr
    while isinstance(node, (Apply, Component)):
        chain.append(node)
        node = node.base
    if not isinstance(node, Name):
        _inner(expr, at, found)
        return
    base = base_name(expr)
    assert base is not None
    first = chain[-1] if chain else None
    component = any(isinstance(c, Component) for c in chain)
    if isinstance(first, Apply):
        found.append(Reference(base, first, at, role, call, position, component))
        inquiry = base in INQUIRY or (base == "loc" and _is_mark(at.statement))
        for number, arg in enumerate(first.args):
            _index(arg, number, at, first, inquiry, found)
    else:
        found.append(Reference(base, node, at, role, call, position, component))
    for link in chain[:-1]:
        if isinstance(link, Apply):
            for arg in link.args:
                _expr(arg, at, "read", found)


def _is_mark(statement: Statement) -> bool:
    """Whether a statement notes something of an array for hfpy, by its address alone."""
    return isinstance(statement, Call) and base_name(statement.designator) in MARKS


def _index(arg: Expr, number: int, at: Located, first: Apply, inquiry: bool, found: list[Reference]) -> None:
    """An index of an array or an argument of a function: which of the two, only a scope can tell."""
    position: int | str = number
    value = arg
    asked = inquiry and number == 0
    if isinstance(arg, Keyword):
        position, value = arg.name, arg.value
        asked = inquiry and arg.name in _ASKED_ABOUT
    if position in (1, "mold") and base_name(first) == "transfer":
        asked = True  # only the type of it counts (Fortran 2018, 16.9.193)
    if isinstance(value, (Name, Apply, Component)):
        _designator(value, at, "inquiry" if asked else "argument", first, position, found)
    elif isinstance(value, Range):
        for child in children(value):
            _expr(child, at, "read", found)
    else:
        _expr(value, at, "read", found)

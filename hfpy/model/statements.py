"""Statements and constructs of a routine's executable part.

A statement is one class with its logical line and the expressions it holds. Blocks are one class,
:class:`Construct`, whose parts have a header statement and a body; a region or an ``@if`` is a
construct like any other. The flat order of statements is the order of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace

from hfpy.model.directives import IfDirective, Region
from hfpy.model.expressions import Expr, Keyword, Name, Star, mentioned
from hfpy.model.source import LogicalLine
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Statement:
    """Base of all statements. ``construct_name`` is the name before ``:`` or after ``end do``.

    ``made`` says that a pass made the statement: its text is not that of ``line``, which it comes from, and in which
    the expressions that have a place are.
    """

    line: LogicalLine
    made: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Assignment(Statement):
    """``target = value``, or ``target => value`` if ``pointer``."""

    target: Expr
    value: Expr
    pointer: bool = False


@dataclass(frozen=True, slots=True)
class Call(Statement):
    """``call designator(args)``; ``open`` is the offset of the parenthesis or -1."""

    designator: Expr
    args: tuple[Expr, ...]
    open: int = -1


@dataclass(frozen=True, slots=True)
class OneLine(Statement):
    """``if (cond) action``, ``where (mask) action`` or ``forall (…) action``; ``kind`` says which. ``behind`` and
    ``begin`` are the offsets after the parenthesis and of the action (-1 where a pass made the statement).
    """

    kind: str
    control: tuple[Expr, ...]
    action: Statement
    behind: int = -1
    begin: int = -1


@dataclass(frozen=True, slots=True)
class Header(Statement):
    """The first statement of a block or of one of its parts.

    ``kind``: if, elseif, else, do, dowhile, doconcurrent, select, selecttype, case, where,
    elsewhere, forall, associate, block, critical. ``exprs`` are the condition, the bounds (lower, upper, step) of a
    ``do``, the selector, the case values; ``var`` is the loop variable, ``var_start`` its offset in the line;
    ``names`` the associate names. ``local`` are variables that each turn of a ``do concurrent`` has for its own,
    ``begun`` those of them that begin with a value. ``serial`` is the user's reason why a loop has to stay as it is
    (``@serial``). ``guard`` is the type in a guard of a ``select type``, as written; empty for ``class default``.
    """

    kind: str
    exprs: tuple[Expr, ...] = ()
    var: str = ""
    construct_name: str = ""
    label: str = ""
    names: tuple[str, ...] = ()
    var_start: int = -1
    serial: str = ""
    local: tuple[str, ...] = ()
    begun: tuple[str, ...] = ()
    guard: str = ""


@dataclass(frozen=True, slots=True)
class End(Statement):
    """The end of a block: ``kind`` as in :class:`Header` (empty where the text only says ``end``)."""

    kind: str
    construct_name: str = ""


@dataclass(frozen=True, slots=True)
class Jump(Statement):
    """``return``, ``exit``, ``cycle``, ``goto``, ``stop``, ``errorstop``, ``continue``, and the directive ``@exit``.

    ``span`` is the place of ``exit``, ``cycle`` or ``@exit`` in its line (its end is -1 for the whole line). The target
    of an ``@exit`` is the name of its region.
    """

    kind: str
    target: str = ""
    exprs: tuple[Expr, ...] = ()
    span: tuple[int, int] = (0, -1)


@dataclass(frozen=True, slots=True)
class Memory(Statement):
    """``allocate``, ``deallocate``, ``nullify``: the objects, and the options (``stat=`` …)."""

    kind: str
    items: tuple[Expr, ...]
    options: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class InputOutput(Statement):
    """``write``, ``read``, ``print``, ``open`` …: control expressions and items; ``form`` is the format of a ``print``,
    where it is no variable.
    """

    kind: str
    control: tuple[Expr, ...]
    items: tuple[Expr, ...]
    form: Expr | None = None


@dataclass(frozen=True, slots=True)
class Specification(Statement):
    """A statement of a specification part that is where hfpy needs no more than its text. ``name`` is that of an
    ``entry``, ``saved`` what a ``save`` lists.
    """

    kind: str
    name: str = ""
    saved: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Opaque(Statement):
    """A statement hfpy does not understand: passed through where no directive reaches it, else refused. ``words`` are
    all words in it that may be names: it may read and set what they mean, and call it. A ``legal`` one is Fortran, but
    it is not known what it does.
    """

    reason: str
    words: tuple[Name, ...] = ()
    legal: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The words, each once."""
        return frozenset(word.name for word in self.words)


@dataclass(frozen=True, slots=True)
class DirectiveLine(Statement):
    """A directive that opens or closes a construct, or is alone (``@exit`` is a :class:`Jump`). Where it opens a
    region, ``name`` is one that no other region of the routine has, and nothing in Fortran.
    """

    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a construct: its header and what follows up to the next header or the end."""

    header: Statement
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Construct:
    """A block: ``kind`` as its first header's (``region`` and ``at_if`` for directives)."""

    kind: str
    parts: tuple[Part, ...]
    end: Statement | None
    region: Region | None = None
    condition: IfDirective | None = None
    declarations: tuple[object, ...] = field(default=())

    @property
    def header(self) -> Statement:
        """The first statement of the block."""
        return self.parts[0].header

    @property
    def body(self) -> tuple[Node, ...]:
        """The body of the first part."""
        return self.parts[0].body


Node = Statement | Construct
#: The kinds of constructs that ``cycle`` and ``exit`` without a name mean.
LOOPS = ("do", "dowhile", "doconcurrent")
# Where input and output go on after an error, or at the end of a file or a record.
LABELS = frozenset({"err", "end", "eor"})


def within(loop: Construct) -> tuple[Node, ...]:
    """The body of a loop without the ``continue`` that ends it alone (``do 20 …``, ``20 continue``)."""
    header, last = loop.header, loop.body[-1] if loop.body else None
    if isinstance(header, Header) and header.label and isinstance(last, Jump) and last.kind == "continue":
        return loop.body[:-1] if last.line.label == header.label else loop.body
    return loop.body


def turn_ends(loop: Construct) -> frozenset[str]:
    """The labels at which a turn of a loop ends: that of a ``do 10``, and that of its ``end do``."""
    header = loop.header
    labels = {header.label} if isinstance(header, Header) else set()
    labels |= {loop.end.line.label} if loop.end is not None else set()
    return frozenset(labels - {""})


def flatten(nodes: tuple[Node, ...] | list[Node]) -> Iterator[Statement]:
    """All statements below the nodes in the order of the text, headers and ends included."""
    for node in nodes:
        if isinstance(node, Construct):
            for part in node.parts:
                yield part.header
                yield from flatten(part.body)
            if node.end is not None:
                yield node.end
        else:
            yield node
            while isinstance(node, OneLine):  # "if (c) where (m) a = b" has one in another
                node = node.action
                yield node


def name_of(node: Construct) -> str:
    """The name by which jumps mean a construct: its own, or that of a region; empty if it has none."""
    header = node.header
    if isinstance(header, Header):
        return header.construct_name
    return header.name if isinstance(header, DirectiveLine) else ""


def own_exits(region: Construct) -> list[Jump]:
    """The ``@exit`` of a region: those of regions within it are theirs."""
    return list(_exits(region.body))


def _exits(nodes: tuple[Node, ...]) -> Iterator[Jump]:
    for node in nodes:
        for part in node.parts if isinstance(node, Construct) and node.kind != "region" else ():
            yield from _exits(part.body)
        last: Node = node
        while isinstance(last, OneLine):
            last = last.action
        if isinstance(last, Jump) and last.kind == "@exit":
            yield last


def constructs(nodes: tuple[Node, ...] | list[Node]) -> Iterator[Construct]:
    """All constructs below the nodes, parents first."""
    for node in nodes:
        if isinstance(node, Construct):
            yield node
            for part in node.parts:
                yield from constructs(part.body)


def named_blocks(nodes: tuple[Node, ...] | list[Node]) -> dict[str, Construct]:
    """The constructs below the nodes that have a name and are no loops, by their names."""
    found = {c.header.construct_name: c for c in constructs(nodes) if isinstance(c.header, Header)}
    return {name: c for name, c in found.items() if name and c.kind not in LOOPS}


def jumps_out(nodes: tuple[Node, ...]) -> Iterator[Jump]:
    """The ``cycle`` and ``exit`` below the nodes that mean a loop or another construct around them."""
    yield from _jumps_out(nodes, False, frozenset())


def _jumps_out(nodes: tuple[Node, ...], in_loop: bool, names: frozenset[str]) -> Iterator[Jump]:
    for node in nodes:
        if isinstance(node, Construct):
            name = node.header.construct_name if isinstance(node.header, Header) else ""
            for part in node.parts:
                yield from _jumps_out(part.body, in_loop or node.kind in LOOPS, names | {name})
            continue
        statement: Statement = node
        while isinstance(statement, OneLine):
            statement = statement.action
        if isinstance(statement, Jump) and statement.kind in ("cycle", "exit"):
            within = statement.target in names if statement.target else in_loop
            yield from () if within else (statement,)


def leaving(node: Node) -> Iterator[Statement]:
    """The statements of a node that may go on elsewhere than in it or right behind it. Its beginning is elsewhere: one
    that jumps there comes to the node again.
    """
    listed = list(flatten([node]))
    labels = {s.line.label for s in listed[1:]} - {listed[0].line.label}
    away = {id(jump) for jump in jumps_out((node,))}
    for statement in listed:
        others = set(targets(statement)) - labels
        if others or id(statement) in away or (isinstance(statement, Jump) and statement.kind == "return"):
            yield statement


def all_names(nodes: tuple[Node, ...]) -> set[str]:
    """Every name that statements mention, kinds of literals included; of regions what is in them."""
    found: set[str] = set()
    for statement in flatten(nodes):
        for expr in expressions(statement):
            found |= mentioned(expr)
        if isinstance(statement, Header):
            found |= {statement.var, *statement.names}
    return found - {""}


def expressions(statement: Statement) -> tuple[Expr, ...]:
    """The top-level expressions of one statement (not those of the action of a one-line ``if``)."""
    match statement:
        case Assignment(target=target, value=value):
            return (target, value)
        case Call(designator=designator, args=args):
            return (designator, *args)
        case OneLine(control=control):
            return control
        case Header(exprs=exprs) | Jump(exprs=exprs):
            return exprs
        case Memory(items=items, options=options):
            return (*items, *options)
        case InputOutput(control=control, items=items):
            return (*control, *items)
    return ()


def branches(statement: Statement) -> bool:
    """Whether the line after a statement is not always executed next, or more than once: after the header of a choice
    or a loop, and after an ``if`` with a jump.
    """
    if isinstance(statement, Header):
        return statement.kind not in ("associate", "block", "critical")
    return isinstance(statement, OneLine) and leads_away(statement.action)


def leads_away(action: Statement) -> bool:
    """Whether the action of a one-line ``if`` is a jump."""
    return isinstance(action, Jump) and action.kind in ("return", "goto", "exit", "cycle")


def ways_out(statement: Statement) -> tuple[str, ...]:
    """The labels at which a call or input and output may go on, instead of at the next statement: alternate returns
    (``*10``), ``err=10``, ``end=10`` and ``eor=10``. The action of a one-line ``if`` is not looked at.
    """
    match statement:
        case Call(args=args, line=line):
            named = [a.value if isinstance(a, Keyword) else a for a in args]
            return tuple(_label(line.text[a.start + 1 : a.end]) for a in named if isinstance(a, Star))
        case InputOutput(control=control, line=line):
            given = [c.value for c in control if isinstance(c, Keyword) and c.name in LABELS]
            return tuple(_label(line.text[value.start : value.end]) for value in given)
    return ()


def targets(statement: Statement) -> tuple[str, ...]:
    """The labels at which a statement may go on, by a ``goto`` or otherwise."""
    if isinstance(statement, Jump):
        return (statement.target,) if statement.kind == "goto" else ()
    return ways_out(statement)


def _label(text: str) -> str:
    return text.replace(" ", "").lstrip("0")


def sides(node: Node) -> tuple[Expr, tuple[tuple[Node, ...], ...]] | None:
    """The condition and the sides of an ``if`` that has two at most; None for anything else."""
    if isinstance(node, OneLine):
        return (node.control[0], ((node.action,),)) if node.kind == "if" else None
    if not isinstance(node, Construct) or node.kind != "if" or len(node.parts) > 2:
        return None
    last = node.parts[-1].header
    if len(node.parts) == 2 and not (isinstance(last, Header) and last.kind == "else"):
        return None
    return expressions(node.header)[0], tuple(part.body for part in node.parts)


def map_expressions(statement: Statement, change: Callable[[Expr], Expr]) -> Statement:
    """The statement with each of its expressions changed, those of the action of a one-line ``if`` as well."""
    match statement:
        case Assignment(target=target, value=value):
            return replace(statement, target=change(target), value=change(value))
        case Call(designator=designator, args=args):
            return replace(statement, designator=change(designator), args=tuple(map(change, args)))
        case OneLine(control=control, action=action):
            return replace(statement, control=tuple(map(change, control)), action=map_expressions(action, change))
        case Header(exprs=exprs) | Jump(exprs=exprs):
            return replace(statement, exprs=tuple(map(change, exprs)))
        case Memory(items=items, options=options):
            return replace(statement, items=tuple(map(change, items)), options=tuple(map(change, options)))
        case InputOutput(control=control, items=items):
            return replace(statement, control=tuple(map(change, control)), items=tuple(map(change, items)))
    return statement

"""What has to hold for a transformation of a kernel's loops (kernel-metadata-and-transforms.md §2.3)."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.dependence.forms import Index
from hfpy.analyze.dependence.model import Access, Nest
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.flow import FlowScan
from hfpy.analyze.language.context import Located
from hfpy.analyze.nests.builder import build
from hfpy.analyze.nests.calls import Source
from hfpy.analyze.nests.turns import exchanged, index_of, shared
from hfpy.diagnostics import Place
from hfpy.model.expressions import Apply, Binary, Expr, Literal, Name, Paren, Unary, walk
from hfpy.model.names import without_home
from hfpy.model.statements import (
    Assignment,
    Construct,
    Header,
    Node,
    OneLine,
    Statement,
    constructs,
    expressions,
    flatten,
    jumps_out,
)
from hfpy.parse.statements.nests import innermost_body
from hfpy.transform.scripts.work import Work

# What a rule says; the words are in messages.
BOUNDS = "the bounds of both loops are scalars that the loops do not change, and steps are numbers"
PERFECT = "one loop is all that the other holds"
SIMPLE = "the body has assignments, branches and loops alone"
ORDER = "no value goes from a turn to one that would come before it"
ALL = "the loop comes to its last turn"
APART = "turns that threads share set nothing that another turn uses"
WHOLE = "every element is set in loops over all variables of the team, which no condition is around"
SCALARS = "scalars are set in each turn before they are read, and are not read after the loops"


class Against(Exception):
    """A rule that does not hold, with what is against it, and where: a statement of the kernel, or a ``place`` in a
    user's file (neither: the kernel's directive).
    """

    def __init__(self, rule: str, message: str, statement: Statement | None = None, place: Place | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.statement = statement
        self.place = place


def check_simple(loop: Construct) -> None:
    """Nothing leaves the loop, is called, has a label, or is written to a file. Raises Against."""
    for statement in flatten((loop,)):
        header = statement if isinstance(statement, Header) else None
        if statement.line.label or (header is not None and header.label):
            raise Against(SIMPLE, "there is a label in the loop", statement)
        if header is not None and header.kind not in ("do", "if", "elseif", "else", "select", "case"):
            raise Against(SIMPLE, f"there is a '{header.kind}' in the loop", statement)
        if header is not None and header.kind == "do" and not header.var:
            raise Against(SIMPLE, "there is a loop without a variable in it", statement)
        if header is not None and header.serial:
            raise Against(SIMPLE, f"a loop is called serial: {header.serial}", statement)
        if header is None and not isinstance(statement, (Assignment, OneLine)) and type(statement).__name__ != "End":
            raise Against(SIMPLE, "a statement in the loop is neither an assignment nor a branch", statement)
        if isinstance(statement, OneLine) and statement.kind != "if":
            raise Against(SIMPLE, f"there is a '{statement.kind}' in the loop", statement)
        if isinstance(statement, Assignment) and statement.pointer:
            raise Against(SIMPLE, "a pointer is set in the loop", statement)


def check_left(loop: Construct) -> None:
    """Nothing in a loop ends it before its last turn, other than by leaving what is around it, too. Raises Against."""
    header = loop.header
    if isinstance(header, Header) and header.label:
        raise Against(SIMPLE, "it ends at a label", header)
    own = {"", header.construct_name} if isinstance(header, Header) else {""}
    for jump in jumps_out(loop.parts[0].body):
        if jump.kind == "exit" and jump.target in own:
            raise Against(ALL, "this may leave the loop before its last turn", jump)


def check_no_calls(work: Work, key: str, loop: Construct) -> None:
    """No routine is called in the loop. Raises Against."""
    for site in work.facts.graph.below(key):
        if any(c is loop for c in site.at.constructs) and not work.facts.scopes.is_intrinsic(site.name, key):
            raise Against(SIMPLE, f"'{site.name}' is called in the loop", site.at.statement)


def check_bounds(loops: tuple[Construct, ...], nest: Construct) -> None:
    """Bounds stay what they are while the loops run, and steps are numbers. Raises Against."""
    changed = {n for s in flatten((nest,)) for n in _set_by(s)} | {_variable(x) for x in loops}
    for loop in loops:
        header = loop.header
        assert isinstance(header, Header)
        if len(header.exprs) > 2 and not isinstance(_bare(header.exprs[2]), Literal):
            raise Against(BOUNDS, f"the step of '{header.var}' is no number", header)
        for expr in header.exprs[:2]:
            for node in walk(expr):
                if not isinstance(node, (Name, Literal, Paren, Unary, Binary)):
                    raise Against(BOUNDS, f"a bound of '{header.var}' is no scalar", header)
                if isinstance(node, Name) and node.name in changed:
                    raise Against(BOUNDS, f"a bound of '{header.var}' changes with '{node.name}'", header)


def check_interchange(work: Work, key: str, number: int, outer: Construct, inner: Construct) -> None:
    """Whether two loops in the body of a region may be exchanged. Raises Against."""
    if outer.parts[0].body != (inner,):
        raise Against(
            PERFECT, f"the loop over '{_variable(inner)}' is not all that '{_variable(outer)}' holds", inner.header
        )
    check_simple(outer)
    check_no_calls(work, key, outer)
    check_bounds((outer, inner), outer)
    body = work.body(key, number)
    for loop in (outer, inner):
        behind = read_elsewhere(body, loop)
        if behind is not None:
            raise Against(SCALARS, f"the variable '{_variable(loop)}' is used outside of its loop", behind)
    _check_scalars(work, body, outer, inner)
    check_memory(work, body, outer)
    nest = build(body, work.known(body), True)
    if nest is None:
        raise Against(ORDER, "the kernel is too long to look into", outer.header)
    _check_arrays(work, nest, outer, inner)


def _check_scalars(work: Work, body: RegionBody, outer: Construct, inner: Construct) -> None:
    sharing = work.sharing(body.key).region(body.identity.number).place()
    effects = work.sharing(body.key).uses.all_effects
    flow = FlowScan(effects).scan(inner.parts[0].body)
    for name, reference in flow.written.items():
        data = work.facts.object(name, body.key)
        if data is not None and data.rank:
            continue
        if name in flow.exposed:
            raise Against(SCALARS, f"'{name}' goes from one turn to the next", reference.at.statement)
        behind = [r for r in body.references_of(name) if not inside(r.at, outer) and r.role != "write"]
        if behind or name not in (*sharing.private, *sharing.firstprivate):
            raise Against(SCALARS, f"'{name}' is read after the loops", reference.at.statement)


def _check_arrays(work: Work, nest: Nest, outer: Construct, inner: Construct) -> None:
    for array in dict.fromkeys(a.array for a in nest.accesses if a.write and (a.subscripts or not a.exact)):
        indices = {_both(index_of(a, outer), index_of(a, inner)) for a in nest.of(array)} - {None}
        for pair in indices:
            assert pair is not None
            met = exchanged(work.effects.engine.sets, nest, array, *pair)
            if met is not None:
                message = f"elements of '{without_home(array)}' would be used in another order"
                raise Against(ORDER, message, statement_of(met[0], outer))


def check_memory(work: Work, body: RegionBody, outer: Construct) -> None:
    """No array that is set may be the memory of another one."""
    references = [r for r in body.references if inside(r.at, outer)]
    arrays = {r.name for r in references if (data := work.facts.object(r.name, body.key)) is not None and data.rank}
    for reference in references:
        if reference.name in arrays and work.effects.of(reference, body.key)[1]:
            others = sorted(
                n for n in arrays - {reference.name} if work.facts.storage.shared(reference.name, n, body.key)
            )
            if others:
                message = f"'{reference.name}' and '{others[0]}' may be the same memory"
                raise Against(ORDER, message, reference.at.statement)


def _both(outer: Index | None, inner: Index | None) -> tuple[Index, Index] | None:
    return (outer, inner) if outer is not None and inner is not None else None


def check_team(work: Work, key: str, number: int, variables: tuple[str, ...]) -> None:
    """Whether threads may share the loops of a region's body over some variables. Raises Against."""
    body = work.body(key, number)
    nodes = innermost_body(body.construct, body.region)
    outermost = list(_outermost(nodes, frozenset(variables)))
    for loop in outermost:
        check_simple(loop)
        check_no_calls(work, key, loop)
        for one in [c for c in constructs((loop,)) if _variable(c) in variables]:
            _check_own_scalars(work, body, one)
    _check_elements(work, body, nodes, frozenset(variables))
    nest = build(body, work.known(body), True)
    if nest is None:
        raise Against(APART, "the kernel is too long to look into", body.construct.header)
    for loop in outermost:
        check_memory(work, body, loop)
        _check_threads(work, nest, loop, variables)


def _outermost(nodes: tuple[Node, ...], variables: frozenset[str]) -> Iterator[Construct]:
    """The loops over some variables that are in none of these themselves; they may be in other loops, in no branch."""
    for node in nodes:
        if not isinstance(node, Construct):
            continue
        if _variable(node) in variables:
            yield node
        elif node.kind == "do":
            yield from _outermost(node.parts[0].body, variables)
        elif any(_variable(c) in variables for part in node.parts for c in constructs(part.body)):
            raise Against(WHOLE, f"a loop of the team is in this '{node.kind}'", node.header)


def _check_own_scalars(work: Work, body: RegionBody, loop: Construct) -> None:
    """Scalars that a shared loop sets belong to its turns. Raises Against."""
    flow = FlowScan(work.sharing(body.key).uses.all_effects).scan(loop.parts[0].body)
    for name, reference in flow.written.items():
        data = work.facts.object(name, body.key)
        if data is not None and data.rank:
            continue
        if name in flow.exposed:
            raise Against(APART, f"'{name}' goes from one turn to the next", reference.at.statement)
        outside = [r for r in body.references_of(name) if not (inside(r.at, loop) or _counted(r.at, name))]
        if any(r.role != "write" and not _set_before(work, body, name, r.at, loop) for r in outside):
            raise Against(APART, f"'{name}' is read after the loop", reference.at.statement)


def _counted(at: Located, name: str) -> bool:
    """Whether a reference is in a loop over the variable, which sets it."""
    return any(c.kind == "do" and _variable(c) == name for c in at.constructs)


def _set_before(work: Work, body: RegionBody, name: str, at: Located, loop: Construct) -> bool:
    """Whether another outermost loop, in which a reference is, sets a variable before it reads it."""
    nodes = innermost_body(body.construct, body.region)
    other = next((c for c in nodes if isinstance(c, Construct) and any(x is c for x in at.constructs)), None)
    if other is None or any(c is loop for c in constructs((other,))):
        return False
    return name not in FlowScan(work.sharing(body.key).uses.all_effects).scan((other,)).exposed


def _check_elements(work: Work, body: RegionBody, nodes: tuple[Node, ...], variables: frozenset[str]) -> None:
    """Elements are set by one thread each. Raises Against."""
    for reference in body.references:
        data = work.facts.object(reference.name, body.key)
        if data is None or not data.rank or not work.effects.of(reference, body.key)[1]:
            continue
        around = {_variable(c) for c in reference.at.constructs if c.kind == "do"}
        if not variables <= around:
            missing = ", ".join(f"'{v}'" for v in sorted(variables - around))
            message = f"'{reference.name}' is set outside of the loops over {missing}"
            raise Against(WHOLE, message, reference.at.statement)


def _check_threads(work: Work, nest: Nest, outer: Construct, variables: tuple[str, ...]) -> None:
    """No two threads that share the turns of a nest meet in an element. Raises Against."""
    loops = [c for c in constructs((outer,)) if _variable(c) in variables]
    if len({_variable(c) for c in loops}) < len(loops):
        raise Against(WHOLE, "two loops over one variable are in one that threads share", outer.header)
    for array in dict.fromkeys(a.array for a in nest.accesses if a.write and (a.subscripts or not a.exact)):
        within = [a for a in nest.of(array) if index_of(a, outer) is not None]
        for access in within if any(a.write for a in within) else ():
            if any(index_of(access, loop) is None for loop in loops):
                message = f"'{without_home(array)}' is used outside of some of the loops that threads share"
                raise Against(APART, message, statement_of(access, outer))
        for indices in {tuple(index_of(a, loop) for loop in loops) for a in within}:
            met = shared(work.effects.engine.sets, nest, array, tuple(i for i in indices if i is not None))
            if met is not None:
                message = f"threads meet in elements of '{without_home(array)}'"
                raise Against(APART, message, statement_of(met[0], outer))


def statement_of(access: Access, otherwise: Construct) -> Statement:
    """The statement that an access is in."""
    source = access.source
    return source.reference.at.statement if isinstance(source, Source) else otherwise.header


def read_elsewhere(body: RegionBody, loop: Construct) -> Statement | None:
    """A statement of a region outside of a loop that uses the loop's variable, but not as that of a loop."""
    name = _variable(loop)
    for reference in body.references_of(name):
        header = reference.at.statement
        own = reference.role == "write" and isinstance(header, Header) and header.kind == "do" and header.var == name
        if not inside(reference.at, loop) and not own:
            around = (c for c in reference.at.constructs if c.header is not header)  # bounds are read before it is set
            if not any(c.kind == "do" and _variable(c) == name for c in around):
                return reference.at.statement
    return None


def inside(at: Located, loop: Construct) -> bool:
    """Whether a statement is in a loop, or its first line."""
    return any(c is loop for c in at.constructs) or at.statement is loop.header


def _set_by(statement: Statement) -> Iterator[str]:
    if isinstance(statement, Assignment):
        target = statement.target
        while isinstance(target, Apply):
            target = target.base
        yield from (n.name for n in walk(target) if isinstance(n, Name))
    elif isinstance(statement, Header) and statement.var:
        yield statement.var


def _bare(expr: Expr) -> Expr:
    return _bare(expr.operand) if isinstance(expr, Unary) else expr


def _variable(loop: Construct) -> str:
    return loop.header.var if isinstance(loop.header, Header) else ""


def used_names(nodes: tuple[Node, ...]) -> set[str]:
    """The names in the expressions of statements."""
    found = (e for s in flatten(nodes) for top in expressions(s) for e in walk(top))
    return {e.name for e in found if isinstance(e, Name)}

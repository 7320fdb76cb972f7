"""Which routines can have a blocked form, by their place in the program and their declarations: statement functions,
interface blocks, names of ``associate``.

The blocked form keeps names of ``associate`` and statement functions unchanged. So their values must be the same in all
columns of a block, and no variable may be set under such a name.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.intrinsics import INTRINSICS
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Place
from hfpy.model.expressions import Apply, Name, mentioned, names_in, walk
from hfpy.model.statements import Construct, Header, Jump, Node, constructs, expressions, flatten, named_blocks
from hfpy.model.units import Routine
from hfpy.transform.columns.common import Questions, place_of, refused


def check_routine(questions: Questions, routine: Routine) -> None:
    """Raises Refused for a routine that calls itself, is in no place where a blocked form can be added, or has
    declarations that a blocked form cannot have.
    """
    facts, spec = questions.facts, routine.spec
    if "recursive" in routine.prefix or any(s.callee == routine.key for s in facts.graph.sites[routine.key]):
        raise refused(f"'{routine.name}' calls itself", routine.place())
    module = facts.application.routines.get(routine.host)
    inside = module is not None and module.kind == "module"
    if (routine.host and not inside) or facts.application.file(routine.key).fixed:
        raise refused(f"'{routine.name}' is called, which is an internal procedure or in fixed form", routine.place())
    if not inside:
        _check_external(questions, routine)
    if not (spec.implicit_none or (module is not None and module.spec.implicit_none)):
        raise refused(f"'{routine.name}' has no 'implicit none'", routine.place())
    if spec.types or spec.conditions:
        raise refused(f"'{routine.name}' has declarations of other kinds than variables", routine.place())
    _check_interfaces(questions, routine)
    _check_functions(questions, routine)


def _check_external(questions: Questions, routine: Routine) -> None:
    """A routine outside modules: its blocked form is called without an interface."""
    if routine.kind != "subroutine":
        raise refused(f"'{routine.name}' is a function, which is in no module", routine.place())
    for dummy in routine.dummies:
        data = questions.facts.object(dummy, routine.key)
        assumed = data is None or any(d.extent.form in ("assumed", "deferred") for d in data.used)
        if assumed or data is None or data.symbol.attributes & {"optional", "value", "allocatable", "pointer"}:
            text = f"'{routine.name}' is in no module, and its argument '{dummy}' needs an interface"
            raise refused(text, routine.place())


def _check_interfaces(questions: Questions, routine: Routine) -> None:
    """Interface blocks are left out of blocked forms, which call no other subroutines than blocked forms."""
    for block in routine.spec.interfaces:
        known = (questions.facts.application.routines.get(f"::{name}") for name in block.procedures)
        if block.name or not all(r is not None and r.kind == "subroutine" for r in known):
            raise refused(
                f"'{routine.name}' has an interface block of other routines than subroutines", routine.place()
            )


def _check_functions(questions: Questions, routine: Routine) -> None:
    """Raises Refused for functions that are declared but have no source here: they may do anything."""
    scopes, known = questions.facts.scopes, {id(s.node) for s in _with_source(questions, routine)}
    for statement in flatten(routine.body):
        for expr in expressions(statement):
            for node in walk(expr):
                if not isinstance(node, Apply) or not isinstance(node.base, Name) or id(node) in known:
                    continue
                name = node.base.name
                symbol = routine.spec.symbols.get(name)
                external = symbol is not None and not symbol.rank and symbol.type.base != "character"
                reported = scopes.variable(name, routine.key) is not None or scopes.statement_function(
                    name, routine.key
                )
                if external and not reported and name not in INTRINSICS:
                    text = f"'{name}' is called, whose source is not known"
                    raise refused(text, place_of(routine, statement, node))


def _with_source(questions: Questions, routine: Routine) -> Iterator[CallSite]:
    return (s for s in questions.facts.graph.sites.get(routine.key, ()) if s.callee)


def check_jumps(routine: Routine, nodes: tuple[Node, ...]) -> None:
    """Raises Refused for jumps out of constructs that are no loops: columns go different ways there."""
    blocks = named_blocks(nodes)
    for statement in flatten(nodes):
        if isinstance(statement, Jump) and statement.kind == "exit" and statement.target in blocks:
            text = f"the construct '{statement.target}', which is no loop, is left early"
            raise refused(text, place_of(routine, statement))


def check_same_in_all(routine: Routine, nodes: tuple[Node, ...], varying: frozenset[str]) -> None:
    """Raises Refused where a name of ``associate`` or a statement function has a value that varies."""
    for construct in constructs(nodes):
        if construct.kind == "associate" and isinstance(construct.header, Header):
            hidden = set(construct.header.names).union(*map(mentioned, construct.header.exprs)) & varying
            if hidden:
                text = f"'{min(hidden)}', which differs from column to column, has another name in an 'associate'"
                raise refused(text, _place(routine, construct))
    for name, dummies, value, line in routine.spec.statement_functions:
        hidden = (names_in(value) | {*dummies}) & varying
        if hidden:
            text = f"the statement function '{name}' has '{min(hidden)}', which differs from column to column"
            raise refused(text, routine.place() if line.file else line.place(routine.file))


def _place(routine: Routine, construct: Construct) -> Place:
    return construct.header.line.place(routine.file)


def renames(reference: Reference) -> bool:
    """Whether a reference is the selector of an ``associate`` name, in the ``associate`` statement itself."""
    statement = reference.at.statement
    return isinstance(statement, Header) and statement.kind == "associate" and reference.role == "pointer"


def other_name(questions: Questions, routine: Routine, reference: Reference) -> bool:
    """Whether a reference uses a name of an ``associate``. Raises Refused where it may set what it names, or
    where the name is declared in a ``block``.
    """
    root, whole = stands_for(reference.name, reference.at)
    if root == reference.name and whole:
        return False
    changed = questions.effects.of(reference, routine.key)[1]
    if root is None or changed or reference.role not in ("read", "inquiry", "argument"):
        place = place_of(routine, reference.at.statement, reference.node)
        raise refused(f"'{reference.name}' is another name of something", place)
    return True


def defined(routine: Routine, used: set[str]) -> list[str]:
    """The statement functions of a routine that some names need, in the order of the text; each one only needs those
    before it.
    """
    needed: list[str] = []
    functions = routine.spec.statement_functions
    for name, *_ in reversed(functions):
        if name in used or any(name in mentioned(value) for n, _, value, _ in functions if n in needed):
            needed.append(name)
    return needed[::-1]

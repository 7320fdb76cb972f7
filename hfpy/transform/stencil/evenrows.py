"""One block of rows a thread, where rows alone give the threads their work.

How many rows a block has is decided when the program runs, by the number of rows and of threads. Blocks of a constant
size would leave threads without work (200 rows in blocks of 16 are enough for 13), and each block computes some rows
again that the one before it has (measured: a chain of three stages over 100 × 100 to 1000 × 1000 points takes 0.69 to
0.89 of the time of blocks of 16 with two threads, 0.79 to 0.96 with one).
"""

from __future__ import annotations

from collections.abc import Collection

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.sizes import Linear
from hfpy.model.printing import expression as printed
from hfpy.model.units import Routine, Use
from hfpy.parse.outside import STANDARD
from hfpy.transform.samekinds import CONVERSION, SameKinds
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.linearforms import bound
from hfpy.transform.stencil.program import Span, moved
from hfpy.transform.stencil.rings import goes_by_rings

# OpenMP 5.2, 18.2.4: how many threads a parallel region that is met now may have.
THREADS = "omp_get_max_threads"
COUNTING = frozenset({"max", CONVERSION})  # the intrinsic functions that count rows


def in_even_blocks(group: Group) -> bool:
    """Whether a group is computed in one block of rows a thread: row after row, where there is no iterator outside and
    directives say nothing else.
    """
    wishes = group.wishes
    return len(group.program.iterators) == 2 and goes_by_rings(group) and not (wishes.schedule or wishes.tile)


def rows_counted(variable: str, rows: Span, threads: bool, kinds: SameKinds) -> tuple[str, ...]:
    """The statements that set the rows of a block: all rows where no ``threads`` share them."""
    count = printed(kinds.of_default(bound(_count(rows))), tight=True)
    every = f"{variable} = max({count}, 1)"
    return (every, f"!$ {variable} = ({variable} - 1)/{THREADS}() + 1") if threads else (every,)


def declared_threads() -> str:
    """The declaration of the function that gives the number of threads, for compilers that have OpenMP switched on."""
    return f"!$ integer, external :: {THREADS}"


def may_declare_threads(facts: Facts, routine: Routine, words: Collection[str]) -> bool:
    """Whether a routine with some ``words`` in its text may declare the function: it has none of that name, and gets
    none by ``use`` or ``include``.
    """
    if {THREADS, "omp_lib", "include"} & {*words}:
        return False
    waiting, seen = [*routine.spec.uses], set[str]()
    while waiting:
        use = waiting.pop()
        if not _brings(use) or use.module in seen:
            continue
        seen.add(use.module)
        key = facts.scopes.modules.get(use.module)
        module = facts.application.routines.get(key) if key is not None else None
        if module is not None:
            waiting += module.spec.uses
        elif use.module not in STANDARD:
            return False
    return True


def _brings(use: Use) -> bool:
    """Whether a ``use`` may bring the name in."""
    return use.only is None or any(THREADS in names for names in use.only)


def _count(rows: Span) -> Linear:
    """How many rows there are, as a linear form."""
    terms = dict(rows.upper)
    for what, factor in rows.lower:
        terms[what] = terms.get(what, 0) - factor
    return moved(tuple(terms.items()), 1)

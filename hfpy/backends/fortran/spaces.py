"""Local arrays of run-time size in routines that kernels call: a place for each thread, which the kernel hands on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hfpy.analyze.graph import CallSite
from hfpy.analyze.scopes import Found
from hfpy.backends.c.device import scalar_of
from hfpy.backends.c.parameters import Parameter
from hfpy.backends.c.space import bounds_of
from hfpy.backends.c.values import CannotPrint
from hfpy.model.expressions import Fragment, Keyword, Name, walk
from hfpy.parse.fragments import expanded, piece

if TYPE_CHECKING:
    from hfpy.backends.fortran.kernel import FortranKernel


def add_space(kernel: FortranKernel, slot: tuple[str, str], called: list[str]) -> None:
    """A local array of run-time size of a routine called here: a place for each thread."""
    owner, name = slot
    data = kernel.facts.object(name, owner)
    assert data is not None
    pairs = []
    for low, high in bounds_of(kernel.facts, data):
        known = (_known(kernel, low, owner, called), _known(kernel, high, owner, called))
        if known[0] is None or known[1] is None:
            raise CannotPrint(f"the local array '{name}' of '{kernel.facts.routine(owner).name}', whose size varies,")
        pairs.append((known[0], known[1]))
    text = f"{name}_of_{kernel.facts.routine(owner).name}"
    storage = kernel.facts.order(data).storage or tuple(range(data.rank))
    kernel.names.add(text)
    kernel.bounds[text] = (*(pairs[d] for d in storage), ("1", "hf_threads"))
    kernel.parameters[text] = Parameter("space", name, text, scalar_of(kernel.device.kinds, data), "", False)
    kernel.globals[slot] = f"{text}({','.join(':' * data.rank)}, hf_thread)"


def _known(kernel: FortranKernel, bound: Fragment | None, unit: str, called: list[str]) -> str | None:
    """A size of a routine called here in terms of this kernel; None where it is not the same for every call."""
    if bound is None:
        return None
    if unit == kernel.key:
        return kernel.fixed(bound, unit)
    plain = expanded(bound, kernel.facts.application.macros_of(kernel.key))
    shown, tree = plain.text, plain.expr
    value = kernel.device.kinds.value(tree, unit)
    if value is not None:
        return str(value)
    pieces: list[tuple[int, int, str]] = []
    for node in walk(tree):
        if not isinstance(node, Name):
            continue
        found = kernel.facts.scopes.variable(node.name, unit)
        given = _given_size(kernel, node.name, found, unit, called) if found is not None else None
        if given is None:
            return None
        pieces.append((node.start, node.end, given if given.isidentifier() or given.isdigit() else f"({given})"))
    # All names at once: what stands for one may mention another, such as `n, m` given for `m, n`.
    for start, end, given in sorted(pieces, reverse=True):
        shown = shown[:start] + given + shown[end:]
    return shown


def _given_size(kernel: FortranKernel, name: str, found: Found, unit: str, called: list[str]) -> str | None:
    if found.symbol.constant:
        value = kernel.device.kinds.value(Name(0, 0, name), unit)
        return str(value) if value is not None else None
    if found.home != unit:
        return kernel.globals.get((found.home, found.symbol.name))
    if name not in kernel.facts.routine(unit).dummies or kernel.device.effects.intent(unit, name) != "in":
        return None
    texts: set[str | None] = set()
    for caller in (kernel.key, *called):
        sites = kernel.sites() if caller == kernel.key else kernel.facts.graph.sites.get(caller, ())
        for site in sites:
            if site.callee == unit:
                texts.add(_known(kernel, _actual(site, kernel.facts.routine(unit).dummies, name), caller, called))
    return texts.pop() if len(texts) == 1 else None


def _actual(site: CallSite, dummies: tuple[str, ...], name: str) -> Fragment | None:
    """An actual argument; None if it is not given."""
    text = site.at.statement.line.text
    for number, argument in enumerate(site.args):
        given = argument.name if isinstance(argument, Keyword) else dummies[number]
        if given == name:
            value = argument.value if isinstance(argument, Keyword) else argument
            return piece(text, value)
    return None

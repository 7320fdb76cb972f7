"""Orders of arrays in memory that scripts ask for (kernel-metadata-and-transforms.md §2.3, ``layout``).

An array has one order in the whole program, so that the whole program is looked at: what the analyses say against an
order (:mod:`hfpy.analyze.order.observed`) is said against the transformation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.orders import Node, Order
from hfpy.analyze.order.layout import by_numbers
from hfpy.diagnostics import Diagnostic, HfpyError, Place, Related, error, has_errors
from hfpy.layouts import Layout, LayoutFault, Letter, read_layout
from hfpy.model.application import Application
from hfpy.model.expressions import Binary, Expr, Literal, Name, Paren
from hfpy.parse.application import completed
from hfpy.transform.scripts.legality import Against
from hfpy.transform.scripts.questions import Questions
from hfpy.transform.scripts.work import Work
from hfpy.transform.settled import Settled

ARRAY = "an array of the routine with two or more dimensions"
EACH = "each dimension of the array once: by a loop of the kernel that runs along it, or all by number, from 0"
ONE = "the whole program can have the array in that order"
NO_MACROS = "hfpy decides the orders of arrays, no macros do"


def asked(work: Work, key: str, number: int, array: str, order: Sequence[str | int]) -> tuple[Node, Layout]:
    """What a script asks for: an array, by its home and name there, and numbers of dimensions, from 1. Raises
    Against.
    """
    data = work.facts.object(array, key)
    if data is None or data.rank < 2:
        raise Against(ARRAY, f"'{array}' is none")
    numbers = [word for word in order if isinstance(word, int)]
    if numbers and len(numbers) == len(order):
        layout = Layout(tuple(Letter(str(n + 1)) for n in numbers))
        said = f"the dimensions of '{array}' are {', '.join(map(str, range(data.rank)))}"
    else:
        found = along(work, key, number, data)
        layout = _by_loops(" ".join(map(str, order)), array, found)
        loops = ", ".join("/".join(sorted(names)) or "?" for names in found)
        said = f"loops along the dimensions of '{array}' are: {loops}"
    if by_numbers(layout, data.rank) is None:
        raise Against(EACH, said)
    return data.identity, layout


def _by_loops(text: str, array: str, along: Sequence[frozenset[str]]) -> Layout:
    """An order by loops as one by numbers of the dimensions that they run along. Raises Against."""
    try:
        letters = read_layout(text).letters
    except LayoutFault as fault:
        raise Against(EACH, str(fault)) from None
    made = []
    for letter in letters:
        found = [n for n, names in enumerate(along, 1) if letter.name in names]
        if len(found) != 1:
            several = "several dimensions" if found else "no dimension"
            raise Against(EACH, f"'{letter.name}' runs along {several} of '{array}' in this kernel")
        made.append(replace(letter, name=str(found[0])))
    return Layout(tuple(made))


def along(work: Work, key: str, number: int, data: DataObject) -> tuple[frozenset[str], ...]:
    """The loops and domains along each dimension of an array, by its indices in a kernel: ``i`` in ``u(i-1,k)``."""
    found: list[set[str]] = [{d.name} - {""} for d in data.used]
    for reference in work.body(key, number).references_of(data.name):
        made = work.facts.plan_of(reference, key)
        items = made.items if made is not None and made.items is not None else reference.indices
        if items is not None and len(items) == data.rank:
            for names, item in zip(found, items, strict=True):
                names |= {item} if isinstance(item, str) else _variable(item)
    return tuple(frozenset(names - {":"}) for names in found)


def _variable(index: Expr) -> set[str]:
    """The variable of an index that is one plus or minus a number."""
    match index:
        case Name(name=name):
            return {name}
        case Paren(inner=inner):
            return _variable(inner)
        case Binary(op="+" | "-", left=left, right=Literal()):
            return _variable(left)
        case Binary(op="+", left=Literal(), right=right):
            return _variable(right)
    return set()


def laid_out(work: Work, wanted: Mapping[Node, Layout]) -> Work:
    """The program with arrays in other orders, by home and name. Raises Against where one of them cannot have its
    order.
    """
    application, before = work.application, work.facts
    options = application.options
    if options.storage_order is not None or any(order.access_macro for order in before.orders.values()):
        raise Against(NO_MACROS, "the macros of a storage-order file decide them in this program")
    orders = {**options.layout_asked, **wanted}
    whole, found = completed(replace(application, options=replace(options, layout_asked=orders)))
    made = replace(work, settled=replace(work.settled, application=whole), before=work)
    known = {d.message for d in before.found}
    news = [d for d in (*found, *(() if has_errors(found) else made.facts.found)) if d.message not in known]
    for fault in news:
        if fault.severity == "error":
            raise Against(ONE, fault.message, place=users_place(whole, fault.place))
    check_orders(made, orders, news)
    return made


def whole_program(settled: Settled, layout: str, rule: str) -> Settled:
    """A program all of whose files are read, under a layout. Raises Against where one of them cannot be."""
    application = settled.application
    read = replace(application, options=replace(application.options, layout=layout))
    whole, found = completed(read, everything=True)
    if has_errors(found):
        raise Against(rule, found[0].message, place=found[0].place)
    return replace(settled, application=whole)


def check_orders(made: Work, orders: Mapping[Node, Layout], news: Sequence[Diagnostic]) -> None:
    """Whether arrays have the orders that scripts ask for; ``news`` is what the analyses have found since. Raises
    Against.
    """
    for (home, name), layout in orders.items():
        data = made.facts.object(name, home)
        assert data is not None
        if not _same(made.facts.order(data), by_numbers(layout, data.rank), data.rank):
            kept = next((d for d in news if d.code == "HF310"), None)
            if kept is None:
                raise Against(
                    ONE, f"'{name}' keeps the order that hfpy.toml, another script or a note on it (HF310) says"
                )
            hint = f"; {kept.hint}" if kept.hint else ""
            raise Against(ONE, f"{kept.message}{hint}", place=users_place(made.application, kept.place))


def _same(given: Order, wanted: Order | None, rank: int) -> bool:
    return wanted is not None and (given.stored(rank), given.pieces) == (wanted.stored(rank), wanted.pieces)


def users_place(application: Application, place: Place) -> Place | None:
    """A place of a file as the user has it, of one that was made of that; None of a file as a whole."""
    if not place.line:
        return None
    index = next((f for f in application.files if f.path == place.file), None)
    if index is None or index.expanded is None:
        return place
    return Place(place.file, index.user_line(place.line - 1))


def with_layouts(settled: Settled, kernels: Sequence[Questions]) -> Settled:
    """A program after the scripts, with its arrays in the orders that the kernels ask for.

    Raises HfpyError where two kernels ask for different ones, or one cannot be had with all that the scripts did.
    """
    orders: dict[Node, tuple[Layout, Questions]] = {}
    for kernel in kernels:
        for array, layout in kernel.work.application.options.layout_asked.items():
            other = orders.setdefault(array, (layout, kernel))
            if other[0] != layout:
                raise _refused(array, f"the kernel '{other[1].name}' asks for another order", kernel, other[1])
    if not orders or has_errors(settled.found):
        return settled
    try:
        return laid_out(Work(settled), {array: layout for array, (layout, _) in orders.items()}).settled
    except Against as reason:
        array, (_, kernel) = next(reversed(orders.items()))
        raise _refused(array, reason.message, kernel) from None


def refused(
    what: str, array: str, message: str, rule: str, asking: Sequence[tuple[Questions, Place | None]]
) -> HfpyError:
    """The error where something asked for an array cannot be had: by which kernels, on which lines of the script."""
    related = [Related(place, f"kernel '{k.name}': asked for here") for k, place in asking if place is not None]
    hint = f"what has to hold: {rule}"
    return HfpyError([error("HF670", f"{what} of '{array}': {message}", asking[0][0].source, hint, related)])


def _refused(array: Node, message: str, *kernels: Questions) -> HfpyError:
    return refused("layout", array[1], message, ONE, [(kernel, _asked_at(kernel, array)) for kernel in kernels])


def _asked_at(kernel: Questions, array: Node) -> Place | None:
    """The line of the script where a kernel got the order of an array."""
    while kernel.parent is not None and array in kernel.parent.work.application.options.layout_asked:
        kernel = kernel.parent
    return kernel.steps[-1].script if kernel.steps else None

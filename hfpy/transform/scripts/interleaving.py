"""Arrays of one shape as one array (kernel-metadata-and-transforms.md §2.3, ``aos``): ``u(i,j)`` becomes ``uv(1,i,j)``.

All that the program does with the arrays is written anew, in all their views: declarations, allocations, imports,
arguments, references. What cannot be written so is against the transformation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hfpy.diagnostics import Place, has_errors
from hfpy.options import DECLARED
from hfpy.transform.scripts.interleaveduses import Uses
from hfpy.transform.scripts.joined import TOGETHER, Group, Joined
from hfpy.transform.scripts.layouts import ARRAY, NO_MACROS, refused, users_place, whole_program
from hfpy.transform.scripts.legality import Against
from hfpy.transform.scripts.questions import Questions
from hfpy.transform.scripts.work import Work
from hfpy.transform.settled import Settled, changed
from hfpy.transform.text.edits import OverlapError

SEVERAL = "two or more arrays"


def asked(work: Work, key: str, names: Sequence[str]) -> Group:
    """What a script asks for: arrays, by their homes and names there. Raises Against."""
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise Against(SEVERAL, "another one has to be named")
    found = []
    for name in names:
        data = work.facts.object(name, key)
        if data is None or data.rank < 2:
            raise Against(ARRAY, f"'{name}' is none")
        found.append(data.identity)
    return tuple(found)


def interleaved(work: Work, groups: Iterable[Group]) -> Settled:
    """The program with each group of arrays as one array. Raises Against where one of them cannot be that."""
    application, before = work.application, work.facts
    if application.options.storage_order is not None or any(o.access_macro for o in before.orders.values()):
        raise Against(NO_MACROS, "the macros of a storage-order file decide them in this program")
    settled = whole_program(work.settled, application.options.layout or DECLARED, TOGETHER)
    joined = Joined(Work(settled, work), tuple(groups))
    joined.check()
    changes = joined.declarations()
    for path, edits in Uses(joined).edits().items():
        changes.setdefault(path, []).extend(edits)
    try:
        made = changed(settled, changes, [])
    except OverlapError:
        raise Against(TOGETHER, "a statement uses several of them in each other") from None
    known = {d.message for d in before.found}
    for fault in made.found if has_errors(made.found) else Work(made, work).facts.found:
        if fault.severity == "error" and fault.message not in known:
            raise Against(TOGETHER, fault.message, place=users_place(made.application, fault.place))
    return made


def with_interleaved(settled: Settled, kernels: Sequence[Questions]) -> Settled:
    """A program after the scripts, with the arrays as one that the kernels ask for.

    Raises HfpyError where that cannot be had with all that the scripts did.
    """
    groups: dict[Group, list[Questions]] = {}
    for kernel in kernels:
        for group in kernel.together:
            groups.setdefault(group, []).append(kernel)
    if not groups or has_errors(settled.found):
        return settled
    try:
        return interleaved(Work(settled), groups)
    except Against as reason:
        group, asking = next(reversed(groups.items()))
        places = [(kernel, _asked_at(kernel, group)) for kernel in asking]
        raise refused("aos", group[0][1], reason.message, reason.rule, places) from None


def _asked_at(kernel: Questions, group: Group) -> Place | None:
    """The line of the script where a kernel asked for a group."""
    while kernel.parent is not None and group in kernel.parent.together:
        kernel = kernel.parent
    return kernel.steps[-1].script if kernel.steps else None

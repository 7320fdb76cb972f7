"""Transformations by their texts: those that the command line asks for, and those that ``hfpy tune`` has chosen."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from hfpy.changes import CALLS, TUNE, Changes
from hfpy.diagnostics import Diagnostic, Place, error, warning
from hfpy.transform.scripts.illegal import IllegalTransform
from hfpy.transform.scripts.kernel import Kernel
from hfpy.transform.scripts.ledger import Step


class NoCall(Exception):
    """A text that is no call of a transformation."""


def called(kernel: Kernel, text: str) -> Kernel:
    """A kernel after one transformation such as ``unroll(k=4)``; arguments are literals, nothing is executed.

    Raises IllegalTransform as the transformation does, NoCall for a text that is no such call.
    """
    try:
        node = ast.parse(text, mode="eval").body
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS):
            raise NoCall(f"'{text}' is no transformation")
        args = [ast.literal_eval(arg) for arg in node.args]
        named = {k.arg: ast.literal_eval(k.value) for k in node.keywords if k.arg is not None}
        made = getattr(kernel, node.func.id)(*args, **named)
    except (SyntaxError, ValueError, TypeError, AttributeError):
        raise NoCall(f"'{text}' is no transformation with such arguments") from None
    assert isinstance(made, Kernel)
    return made


def digest_of(kernel: Kernel) -> str:
    """What says whether a kernel's text is still the one that transformations were chosen for."""
    rows = kernel.work.region_rows(kernel.key, kernel.number, kernel.region)
    text = "\n".join(row.strip() for row, _ in rows)
    return hashlib.sha256(f"{kernel.target}\n{text}".encode("utf-8", "surrogateescape")).hexdigest()[:16]


@dataclass
class Replay:
    """Does the changes of a program's options to its kernels; what cannot be done is in ``found``. Those that
    ``hfpy tune`` has chosen are dropped where the kernel has another text or backend now, and at level 0.
    """

    changes: Sequence[Changes]
    tuned: bool = True
    found: list[Diagnostic] = field(default_factory=list)
    used: set[Changes] = field(default_factory=set)

    def done(self, kernel: Kernel) -> Kernel:
        """A kernel after all changes that name it: those of ``hfpy tune`` first."""
        wanted = [c for c in self.changes if c.kernel.lower() in (kernel.name.lower(), kernel.full_name)]
        for change in sorted(wanted, key=lambda c: c.by != TUNE):
            self.used.add(change)
            if change.by != TUNE or (self.tuned and self._fits(change, kernel)):
                kernel = self._changed(kernel, change)
        return kernel

    @staticmethod
    def _fits(change: Changes, kernel: Kernel) -> bool:
        return change.backend in ("", kernel.target) and change.text in ("", digest_of(kernel))

    def _changed(self, kernel: Kernel, change: Changes) -> Kernel:
        made, steps = kernel, kernel.steps
        for text in change.calls:
            try:
                made = called(made, text)
            except NoCall as fault:
                self._refuse(change, str(fault), kernel.source, "")
                return kernel
            except IllegalTransform as fault:
                self._refuse(change, f"{text}: {fault.message}", fault.place, f"what has to hold: {fault.rule}")
                return kernel
            steps = (*steps, Step(text, None, change.by))
        return replace(made, steps=steps, parent=made)

    def _refuse(self, change: Changes, message: str, place: Place, hint: str) -> None:
        if change.by == TUNE:
            message = f"what {change.by} has chosen is not possible any more: {message}"
            self.found.append(warning("HF675", message, place, "the kernel stays as it is; tune again"))
        else:
            self.found.append(error("HF675", f"{change.by}: {message}", place, hint))

    def unused(self, names: Iterable[str]) -> list[Diagnostic]:
        """Errors for changes of the command line that name no kernel."""
        known = list(names)
        found = []
        for change in self.changes:
            if change not in self.used and change.by != TUNE:
                near = get_close_matches(change.kernel, known, 1)
                hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}" if known else ""
                message = f"no kernel is called '{change.kernel}'"
                found.append(error("HF675", message, Place(change.by), hint))
        return found


def calls_of(kernels: Mapping[str, Kernel], by: str) -> tuple[Changes, ...]:
    """The transformations of kernels as changes, by their full names."""
    return tuple(Changes(name, tuple(s.call for s in k.steps), by) for name, k in kernels.items() if k.steps)

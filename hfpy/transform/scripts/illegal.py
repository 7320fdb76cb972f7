"""What a script asks for and does not get, with the line of the script."""

from __future__ import annotations

import sys
from pathlib import Path

from hfpy.diagnostics import HfpyError, Place, Related, error

_OWN = Path(__file__).resolve().parents[2]


class IllegalTransform(HfpyError):
    """A transformation that would change results, or that the kernel has no place for.

    ``rule`` names what has to hold, ``place`` is the line of the kernel, ``script`` that of the call (None where there
    is no file, as at a prompt).
    """

    def __init__(self, call: str, rule: str, message: str, place: Place, script: Place | None = None) -> None:
        self.rule = rule
        self.message = message
        self.place = place
        self.script = script if script is not None else script_place()
        hint = f"what has to hold: {rule}"
        related = [Related(self.script, "the script asks for it here")] if self.script is not None else []
        super().__init__([error("HF670", f"{call}: {message}", place, hint, related)])


def script_place() -> Place | None:
    """The line outside of hfpy that the present call comes from; None where that is no file."""
    frame = sys._getframe(1)
    while frame is not None and Path(frame.f_code.co_filename).is_relative_to(_OWN):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None or not Path(frame.f_code.co_filename).is_file():
        return None
    return Place(frame.f_code.co_filename, frame.f_lineno)

"""Transformations of kernels that no script asks for: those of the command line, and what ``hfpy tune`` has chosen."""

from __future__ import annotations

import difflib
import re

from hfpy.values import dataclass

# The transformations that can be asked for by name (kernel-metadata-and-transforms.md §2.3); each is a method of
# :class:`hfpy.transform.scripts.kernel.Kernel`.
CALLS = (
    "order interchange split unroll jam fission fuse expand privatise inline precompute tile march share team block "
    "collapse schedule group apart async_ specialise before after assume tag reduction layout pad aos"
).split()
_STATEMENTS = ("before", "after", "precompute", "assume")  # they take Fortran, which options do not
_SETTING = re.compile(r"(\w+)\.((?:\w+::)?[\w:]+)(?:=(.*))?")
TUNE = "hfpy tune"
SET = "--set"


@dataclass(frozen=True)
class Changes:
    """Transformations of a kernel: its name or ``module::name``, and calls such as ``unroll(k=4)``.

    ``by`` is who asks, :data:`TUNE` or :data:`SET`; ``text`` is a digest of the kernel that the calls were chosen for
    (empty: they are for any), ``backend`` the backend (empty: any).
    """

    kernel: str
    calls: tuple[str, ...]
    by: str = SET
    text: str = ""
    backend: str = ""


def changes_of(setting: str) -> Changes:
    """What ``--set unroll.hdiff=j:4`` asks for: a transformation, the kernel's name, and entries as attributes have
    them: ``j:4``, ``k``, ``8``.

    Raises ValueError with what is wrong.
    """
    found = _SETTING.fullmatch(setting.strip())
    if found is None:
        raise ValueError("wants TRANSFORMATION.KERNEL=ENTRIES, such as unroll.hdiff=j:4")
    call, kernel, entries = found[1].lower(), found[2].lower(), found[3] or ""
    known = [c for c in CALLS if c not in _STATEMENTS]
    if call not in known:
        near = difflib.get_close_matches(call, known, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}"
        raise ValueError(f"'{call}' is no transformation: {hint}")
    listed = [e.strip() for e in entries.split(",") if e.strip()]
    if call == "schedule":
        listed = [repr(",".join(listed))] if listed else []
    else:
        listed = [_argument(entry) for entry in listed]
    return Changes(kernel, (f"{call}({', '.join(listed)})",))


def _argument(entry: str) -> str:
    """An entry as an argument of a call. Raises ValueError."""
    name, colon, value = (part.strip() for part in entry.partition(":"))
    if colon and name.isidentifier() and value:
        return f"{name.lower()}={_value(value)}"
    if colon:
        raise ValueError(f"'{entry}' is no name with a number")
    return _value(name)


def _value(word: str) -> str:
    return str(int(word)) if re.fullmatch(r"-?\d{1,18}", word) else repr(word.lower())

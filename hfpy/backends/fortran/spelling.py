"""What the text of a kernel, or of a device routine, calls things."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field

from hfpy.values import dataclass


@dataclass
class Spelling:
    """What kernels call things.

    ``routines`` are the names of device routines by their key, ``further`` the further arguments of their calls as
    ``dummy=actual``, ``optional`` their optional dummies, each with the argument that tells whether it is given and a
    value if it is not, ``given`` what tells whether an optional argument of this routine was given. ``components`` are
    parameters, ``threaded`` the local arrays that have a place for each thread (whether that index comes first);
    ``ranks`` are theirs, and those of components.
    """

    routines: Mapping[str, str]
    further: Mapping[str, Collection[str]]
    optional: Mapping[str, Mapping[str, tuple[str, str]]]
    given: Mapping[str, str] = field(default_factory=dict)
    components: Mapping[str, str] = field(default_factory=dict)
    threaded: Mapping[str, bool] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)

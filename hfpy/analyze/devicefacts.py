"""What is known of arrays on the device, routine by routine, where the statements of routines are not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.analyze.device.residence import View


@dataclass(frozen=True)
class DeviceFacts:
    """Answers of :class:`hfpy.analyze.device.states.States` for all routines: the states that dummies have by
    themselves, the arrays that routines have on the device by themselves, what callers hold there, the names by which
    routines get at arrays, the variables of messages that routines leave open, and what procedures without source get.
    """

    decided: Mapping[tuple[str, str], str]
    held: Mapping[str, tuple[DataObject, ...]]
    resident: Mapping[str, frozenset[Identity]]
    views: Mapping[str, frozenset[View]]
    left_open: Mapping[str, frozenset[Identity]]
    passed: frozenset[Identity]

"""Members of common blocks that routines in kernels read, as the routine with the region knows them."""

from __future__ import annotations

from hfpy.analyze.effects.members import Otherwise
from hfpy.analyze.facts import block_of
from hfpy.analyze.language.scopes import Found
from hfpy.backends.c.device import DeviceRoutines
from hfpy.backends.c.values import CannotPrint
from hfpy.backends.refused import EQUIVALENT, IN_COMMON, OTHER_LAYOUT, shown_block
from hfpy.model.kernel import Block
from hfpy.transform.blocknames import NotDeclared
from hfpy.transform.imports import Imports


def in_block(device: DeviceRoutines, imports: Imports, found: Found, key: str) -> tuple[str, Block | None]:
    """The name that the routine ``key`` has for a member, and the block to be declared in it where it has none. Raises
    CannotPrint where it divides the block in another way, or the block cannot be declared there.
    """
    name, owner = found.symbol.name, device.facts.routine(found.home)
    block = block_of(owner, name)
    what = f"'{name}' of {shown_block(block or '')}, which '{owner.name}' reads"
    try:
        return imports.blocks.found(found, key, device.effects)
    except Otherwise as other:
        unit = device.facts.routine(other.key).name
        if other.tangled:
            raise CannotPrint(f"{what} and of which '{unit}' has memory in an equivalence,", hint=EQUIVALENT) from other
        raise CannotPrint(f"{what} and which '{unit}' divides in another way,", hint=OTHER_LAYOUT) from other
    except NotDeclared as problem:
        raise CannotPrint(f"{what} and {problem},", hint=IN_COMMON) from problem

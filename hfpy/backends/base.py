"""What backends share: templates, and what their parts offer each other.

Decisions are made by analyses and passes; boilerplate is in templates (design contract 9).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from hfpy.model.kernel import KernelSpec
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.analyze.regions.sharing import RegionSharing
    from hfpy.backends.c.body import Instance
    from hfpy.backends.c.device import DeviceRoutines
    from hfpy.backends.c.values import Refusals
    from hfpy.transform.regions.regioncode import RegionCode
    from hfpy.transform.workshop import Added


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("hfpy", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )


def render(template: str, **values: object) -> list[str]:
    """The lines of a template; empty ones are dropped."""
    text: str = _environment().get_template(template).render(**values)
    return [line for line in text.split("\n") if line.strip()]


@dataclass(frozen=True)
class Kernel:
    """A kernel's signature with the texts of kernel and launcher, each line with the one it stems from. ``calls`` are
    the device routines that its text calls, with where their arguments lie. ``ieee``: its routine has functions
    of ``ieee_arithmetic``.
    """

    spec: KernelSpec
    lines: tuple[tuple[str, int], ...]
    launch: tuple[tuple[str, int], ...]
    calls: frozenset[Instance] = frozenset()
    ieee: bool = False


class NoLoops:
    """A backend whose regions are replaced as a whole."""

    openmp = False

    def open_region(self, code: RegionCode) -> list[str]:
        """Nothing."""
        return []

    close_region = open_region


class KernelWriter(Protocol):
    """Writes the kernels of one translation in one language."""

    def kernel(self, sharing: RegionSharing, spec: KernelSpec, refusals: Refusals) -> Kernel:
        """The texts of a region's kernel and of its launcher; ``refusals`` has what the signature refused. Raises
        Unprintable.
        """

    def check_routine(self, key: str) -> None:
        """Raise Unprintable for a routine that kernels cannot call."""

    def logical(self, actual: str) -> str:
        """How a logical is passed to a launcher."""

    def module(self, path: str) -> str:
        """The module by which the routines of a file know its launchers."""

    def finished(self, path: str, kernels: Sequence[Kernel]) -> Added:
        """What a file gets that has kernels. Raises Unprintable."""


@runtime_checkable
class WritesKernels(Protocol):
    """What a backend must have that is in the table as one that writes kernels."""

    def writer(self, device: DeviceRoutines) -> KernelWriter:
        """Who writes the kernels of one translation, with the routines that they call."""


@runtime_checkable
class PacksSections(Protocol):
    """A backend whose language has no sections with gaps as arguments for arrays of assumed shape in kernels."""

    packs_sections: bool

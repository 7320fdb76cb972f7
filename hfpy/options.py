"""What a translation is asked to do: plain values, made by the command line or by a project file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_BACKEND = {"cpu": "openmp", "gpu": "cuda-c"}


@dataclass(frozen=True)
class DomainSpec:
    """One entry of ``[domains]``: the sizes (texts) and iterator names that mean this domain."""

    size: tuple[str, ...] = ()
    iterators: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """Everything that decides what a translation yields, besides the sources themselves.

    ``schemes`` maps a scheme name (upper case) to a backend, ``routines`` maps ``routine`` or
    ``module::routine`` (lower case) to a backend. ``layout`` is an order of domain names such as
    ``"k i j"`` (leftmost contiguous), ``layout_arrays`` the same for single arrays.
    ``legacy`` repairs leniencies of older compilers in existing projects (design §6).
    """

    target: str = "cpu"
    backend: str | None = None
    schemes: Mapping[str, str] = field(default_factory=dict)
    routines: Mapping[str, str] = field(default_factory=dict)
    storage_order: Path | None = None
    define: tuple[str, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    layout: str | None = None
    layout_arrays: Mapping[str, str] = field(default_factory=dict)
    domains: Mapping[str, DomainSpec] = field(default_factory=dict)
    schedule: str = "static"
    line_markers: bool = False
    legacy: bool = False
    opt: int = 0
    jobs: int = 0
    parse_limit: float = 60.0
    cache_dir: Path | None = None

    @property
    def default_backend(self) -> str:
        """The backend of routines that nothing else assigns one to."""
        return self.backend or DEFAULT_BACKEND[self.target]

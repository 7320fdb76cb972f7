"""What was read of a specification part so far."""

from __future__ import annotations

from dataclasses import field

from hfpy.model.directives import Dependants, IfDirective
from hfpy.model.source import LogicalLine
from hfpy.model.units import DerivedType, FType, Interface, StorageGroup, Symbol, Use
from hfpy.values import dataclass


@dataclass
class SoFar:
    """The fields of :class:`hfpy.model.units.Specification`, as they grow line by line."""

    symbols: dict[str, Symbol] = field(default_factory=dict)
    uses: list[Use] = field(default_factory=list)
    interfaces: list[Interface] = field(default_factory=list)
    types: dict[str, DerivedType] = field(default_factory=dict)
    dependants: list[Dependants] = field(default_factory=list)
    implicit_none: bool = False
    implicit: list[tuple[str, FType]] = field(default_factory=list)
    statement_functions: list[tuple[str, tuple[str, ...], object, LogicalLine]] = field(default_factory=list)
    private: set[str] = field(default_factory=set)
    public: set[str] = field(default_factory=set)
    default_private: bool = False
    saved: set[str] = field(default_factory=set)
    storage: set[str] = field(default_factory=set)
    groups: list[StorageGroup] = field(default_factory=list)
    repeated: list[Symbol] = field(default_factory=list)
    alternatives: list[tuple[IfDirective, Symbol]] = field(default_factory=list)
    interface_blocks: list[LogicalLine] = field(default_factory=list)
    lines: list[LogicalLine] = field(default_factory=list)

    @property
    def used_names(self) -> frozenset[str] | None:
        """The names that ``use`` statements give a meaning here; None if one of them lists no names."""
        if any(use.only is None for use in self.uses):
            return None
        return frozenset(local for use in self.uses for local, _ in use.only or ())

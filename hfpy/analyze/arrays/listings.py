"""What ``@domainDependant`` says of a variable: its domains, where its data are, how it is accessed."""

from __future__ import annotations

from hfpy.diagnostics import Place
from hfpy.model.directives import Dependants, Domain
from hfpy.values import dataclass

_STATES = ("transferhere", "present", "host")


@dataclass(frozen=True)
class Listing:
    """What the directives say of one name: domains, flags, macros (routine block over module block)."""

    domains: tuple[Domain, ...] = ()
    auto: bool = True
    state: str = ""
    access_macro: str = ""
    domain_macro: str = ""
    place: Place | None = None
    listed: bool = False

    def over(self, home: Listing) -> Listing:
        """With what the module of the variable says, where this says nothing (hybrid-fortran.md §3.3)."""
        return Listing(
            domains=self.domains or home.domains,
            auto=self.auto if self.domains else (home.auto if home.domains else self.auto),
            state=self.state or home.state,
            access_macro=self.access_macro or home.access_macro,
            domain_macro=self.domain_macro or home.domain_macro,
            place=self.place,
            listed=True,
        )


def listing_of(block: Dependants, place: Place) -> Listing:
    """What a block says of each of its names."""
    state = next((s for s in _STATES if s in block.flags), "")
    return Listing(block.domains, block.auto, state, block.access_macro, block.domain_macro, place, True)


def merged_listing(first: Listing | None, second: Listing) -> Listing:
    """Two blocks of one scope that list the same name: the later one adds to the earlier one."""
    if first is None:
        return second
    state = min((s for s in (first.state, second.state) if s), key=_STATES.index, default="")
    return Listing(
        domains=second.domains or first.domains,
        auto=second.auto if second.domains else first.auto,
        state=state,
        access_macro=second.access_macro or first.access_macro,
        domain_macro=second.domain_macro or first.domain_macro,
        place=first.place,
        listed=True,
    )

"""Dimensions of every data object: which it has, which of them are parallel, which are in use where.

The rules are hybrid-fortran.md §5; sizes are compared in normal form and domain names come first (B9).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from hfpy.analyze.arrays.listings import Listing, listing_of, merged_listing
from hfpy.analyze.callgraph.positions import Position, Positions
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found, Scopes
from hfpy.analyze.language.sizes import linear, normal
from hfpy.diagnostics import Diagnostic, Place, error, warning
from hfpy.model.application import Application
from hfpy.model.directives import Domain
from hfpy.model.expressions import Apply, Fragment, Name
from hfpy.model.extents import Dim
from hfpy.model.macros import Macro
from hfpy.model.names import from_statement, plain_from, with_home
from hfpy.model.units import Routine, Symbol
from hfpy.parse.expressions.fragments import BY_MACRO, ONE, arguments, dim_of, expanded, fragment
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.macros import applied, argument_order, permutation
from hfpy.values import dataclass, fixed

_MODULES = ("module", "submodule")


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of a data object's full list.

    ``declared`` is its position in the declaration, or None for an inserted one; ``name`` the domain or empty;
    ``by_size`` says that the name was found by the size alone, so that a region with other names over the same size
    matches too;
    ``ambiguous`` that there are more dimensions of this size than domains. ``unpadded`` is the size that tells domains
    where a script has given the dimension more elements.
    """

    extent: Dim
    name: str = ""
    declared: int | None = None
    parallel: bool = False
    ambiguous: bool = False
    by_size: bool = False
    unpadded: Dim | None = None

    @property
    def meant(self) -> Dim:
        """The size that tells which domain it is."""
        return self.unpadded or self.extent

    @property
    def size(self) -> str:
        """The dimension as it is written."""
        return self.extent.text


@dataclass(frozen=True)
class DataObject:
    """A variable as one routine sees it on one target.

    ``full`` is the full dimension list, ``kept`` the positions in use here; ``identity`` (home unit, name) is
    the same for every view of one module variable. ``user_macro`` names a macro around the whole shape that the user
    wrote himself, or one that means dimensions in it (``dimensions_by_macro``): such a declaration, and indices
    given for it, are final (B8).
    """

    name: str
    routine: str
    home: str
    symbol: Symbol
    full: tuple[Dimension, ...]
    kept: tuple[int, ...]
    auto: bool = True
    flags: frozenset[str] = frozenset()
    access_macro: str = ""
    domain_macro: str = ""
    listed: Place | None = None
    dummy: bool = False
    user_macro: str = ""
    dimensions_by_macro: bool = False

    @property
    def order_macro(self) -> str:
        """The macro around the whole shape, which may also order the dimensions; empty if there is none."""
        return "" if self.dimensions_by_macro else self.user_macro

    @property
    def identity(self) -> tuple[str, str]:
        """Home unit and name there."""
        return self.home, self.symbol.name

    def name_in(self, key: str) -> str:
        """Its name beside variables of other routines: its own in the routine ``key``, with its home elsewhere."""
        home, name = self.identity
        return name if home == key else with_home(name, home)

    @property
    def used(self) -> tuple[Dimension, ...]:
        """The dimensions in use in this routine, in the order of the full list."""
        return tuple(self.full[i] for i in self.kept)

    @property
    def rank(self) -> int:
        """Number of dimensions in use."""
        return len(self.kept)

    @property
    def inserted(self) -> bool:
        """Whether a dimension in use is not in the declaration."""
        return any(d.declared is None for d in self.used)

    @property
    def removed(self) -> tuple[int, ...]:
        """Positions of the full list that are not in use here."""
        return tuple(i for i in range(len(self.full)) if i not in self.kept)

    @property
    def shaped(self) -> bool:
        """Whether it is an array with a shape of its own, which as a dummy does not depend on that of its argument."""
        forms = (dim.form for dim in self.symbol.shape)
        return bool(self.rank) and not (self.inserted or self.removed) and all(f in ("explicit", "star") for f in forms)

    @property
    def local(self) -> bool:
        """Whether it is a local variable of its routine."""
        return self.home == self.routine and not self.dummy


@dataclass
class Domains:
    """Dimensions of all data objects on one target; objects are made when asked for. ``private`` are variables, as
    routine and name, that get no dimensions in a routine, since each point of its regions has one of its own.
    ``known`` are the objects made so far, by routine and name.
    """

    application: Application
    scopes: Scopes
    positions: Positions
    found: list[Diagnostic] = field(default_factory=list)
    private: frozenset[tuple[str, str]] = frozenset()
    known: dict[tuple[str, str], DataObject | None] = field(default_factory=dict)
    _listings: dict[str, dict[str, Listing]] = field(default_factory=dict)
    _related: dict[str, tuple[Domain, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._kinds = Kinds(self.scopes, self.application.options.kinds)

    def object(self, name: str, key: str) -> DataObject | None:
        """The data object that a name means in a routine; None for anything but variables and constants."""
        try:
            return self.known[key, name]
        except KeyError:
            found = self.known[key, name] = self._make(name, key)
            return found

    def turn_to(self, application: Application, scopes: Scopes, positions: Positions) -> None:
        """Go on with an application that differs in bodies only: objects are made anew."""
        self.application, self.scopes, self.positions = application, scopes, positions
        self._kinds = Kinds(scopes, application.options.kinds)
        self.found = []
        self.known.clear()
        self._listings.clear()
        self._related.clear()

    # -- directives

    def listings(self, key: str) -> dict[str, Listing]:
        """Directive entries of a unit by name."""
        if key not in self._listings:
            routine = self.application.routines[key]
            merged: dict[str, Listing] = {}
            for block in routine.spec.dependants:
                for listed in block.names:
                    merged[listed.name] = merged_listing(merged.get(listed.name), listing_of(block, listed.place))
            self._listings[key] = merged
        return self._listings[key]

    def listing(self, name: str, key: str, found: Found) -> Listing:
        """What directives say of a name in a routine, with what its module says as the default (§3.3)."""
        own = self.listings(key).get(name)
        if found.home == key:
            return own or Listing()
        home = self.listings(found.home).get(found.symbol.name) if found.home in self.application.routines else None
        if home is None:
            return own or Listing()
        if own is None:
            return home
        return own.over(home)

    # -- regions related to a routine

    def related(self, key: str) -> tuple[Domain, ...]:
        """Domains of every region the routine is related to: its own first, then below, then above (§4.2). Regions that
        were array statements give no dimension a name.
        """
        if key not in self._related:
            self._related[key] = self._domains_related(key)
        return self._related[key]

    def _domains_related(self, key: str) -> tuple[Domain, ...]:
        position = self.positions.get(key)
        ordered = [
            *position.own,
            *sorted(position.below, key=lambda r: (r.routine, r.number)),
            *sorted(position.above, key=lambda r: (r.routine, r.number)),
        ]
        pairs: dict[tuple[str, str], Domain] = {}
        for identity in ordered:
            region = self.positions.regions[identity]
            for domain in () if from_statement(region.iterators) else region.domains:
                pairs.setdefault((domain.name, normal(domain.extent)), domain)
        return tuple(pairs.values())

    def names_above(self, key: str) -> frozenset[str]:
        """Names of the domains whose loops lie around the routine."""
        above = self.positions.get(key).above
        return frozenset(d.name for r in above for d in self.positions.regions[r].domains)

    # -- one object

    def _make(self, name: str, key: str) -> DataObject | None:
        found = self.scopes.variable(name, key)
        if found is None:
            return None
        routine = self.application.routines[key]
        listing = self.listing(name, key, found)
        dummy = found.home == key and name in routine.dummies
        symbol, user_macro = self._without_macro(found.symbol)
        by_macro = BY_MACRO in symbol.attributes
        found = Found(found.home, symbol)
        full = self._full(found, listing, key)
        kept = self._kept(full, found, routine, dummy)
        flags = fixed({listing.state} if listing.state else ())
        return DataObject(
            name=name,
            routine=key,
            home=found.home,
            symbol=found.symbol,
            full=full,
            kept=kept,
            auto=listing.auto or not listing.domains,
            flags=flags,
            access_macro=listing.access_macro,
            domain_macro=listing.domain_macro,
            listed=listing.place if listing.listed else None,
            dummy=dummy,
            user_macro=user_macro or by_macro * BY_MACRO,
            dimensions_by_macro=by_macro,
        )

    def macro_of(self, symbol: Symbol) -> str:
        """The macro of the user's around the shape of a variable, ``a(DOM(nx,ny,nz))``; empty if there is none."""
        call = symbol.shape[0].upper if len(symbol.shape) == 1 and symbol.shape[0].lower is None else None
        if call is None or not isinstance(call.expr, Apply) or not isinstance(call.expr.base, Name):
            return ""
        name = call.text[call.expr.base.start : call.expr.base.end]
        return name if name in self.application.macros else ""

    def _without_macro(self, symbol: Symbol) -> tuple[Symbol, str]:
        """A shape that is one macro call: its arguments are the dimensions."""
        name = self.macro_of(symbol)
        call = symbol.shape[0].upper if name else None
        if call is None:
            return symbol, ""
        macros = self.application.macros
        given = arguments(call, symbol.dynamic)
        if permutation(name, len(given), macros) is not None:
            return replace(symbol, shape=given), name
        return _shape_of_macro(symbol, name, given, macros)

    def _full(self, found: Found, listing: Listing, key: str) -> tuple[Dimension, ...]:
        symbol = found.symbol
        declared = [Dimension(d, "", i) for i, d in enumerate(symbol.shape)]
        if listing.domains:
            dims = self._with_domains(symbol, declared, listing, key)
        else:
            dims = declared
        if not dims:
            return ()
        home = found.home if found.home in self.application.routines else key
        # What only the plain form has belongs to one point, whatever sizes it has.
        related = () if plain_from(symbol.name) else self.related(key) or self.related(home)
        shape = self.application.options.unpadded.get((found.home, symbol.name))
        if shape is not None:
            dims = [d if d.declared is None else replace(d, unpadded=shape[d.declared]) for d in dims]
        return _name_by_regions(dims, related, lambda size: self.size_of(size, key))

    def size_of(self, dim: Dim, key: str) -> int | None:
        """The value of the size ``n`` of a dimension that begins at 1; None where it is not known."""
        return self.value(dim.upper, key) if dim.upper is not None and dim.lower in (None, ONE) else None

    def value(self, size: Fragment, key: str) -> int | None:
        """The value of a size, which is a constant expression but for what cancels out; None where it is not known."""
        total = 0
        for atom, factor in linear(expanded(size, self.application.macros).expr):
            value = self._kinds.value(fragment(atom).expr, key) if atom else 1
            if value is None:
                return None
            total += factor * value
        return total

    def _with_domains(self, symbol: Symbol, declared: list[Dimension], listing: Listing, key: str) -> list[Dimension]:
        pairs = listing.domains
        place = listing.place or Place(self.application.routines[key].file)
        deferred = bool(declared) and all(d.form in ("deferred", "assumed", "star") for d in symbol.shape)
        if deferred:
            if len(pairs) != len(declared):
                hint = "a shape without sizes needs every dimension in domName and domSize"
                message = f"'{symbol.name}' has {len(declared)} dimensions, its directive names {len(pairs)}"
                self.found.append(error("HF312", message, place, hint))
                return declared
            return [replace(d, name=p.name) for d, p in zip(declared, pairs, strict=True)]
        matched = _match(declared, pairs)
        if listing.auto:
            missing = [Dimension(p.extent, p.name) for i, p in enumerate(pairs) if i not in matched.values()]
            return missing + [
                replace(d, name=pairs[matched[i]].name) if i in matched else d for i, d in enumerate(declared)
            ]
        taken = self._taken_for(symbol, declared, pairs, matched, key)
        if taken is None:
            hint = "without autoDom the directive lists every dimension, with sizes as declared"
            sizes = ", ".join(d.size for i, d in enumerate(declared) if i not in matched)
            message = f"dimension {sizes} of '{symbol.name}' is not among its domains"
            self.found.append(error("HF302", message, place, hint))
            return declared
        self._tell_taken(symbol, [(declared[i], pairs[j]) for i, j in taken.items()], place, key)
        matched |= taken
        if len(pairs) == len(declared):
            return [replace(d, name=pairs[matched[i]].name) for i, d in enumerate(declared)]
        position = {pair: i for i, pair in matched.items()}
        return [
            Dimension(p.extent, p.name, position.get(i))
            if i not in position
            else Dimension(declared[position[i]].extent, p.name, position[i])
            for i, p in enumerate(pairs)
        ]

    def _tell_taken(self, symbol: Symbol, taken: list[tuple[Dimension, Domain]], place: Place, key: str) -> None:
        """A warning for dimensions taken for domains of other sizes, unless named constants make them equal."""
        reported = []
        for dimension, pair in taken:
            value = self.size_of(dimension.extent, key)
            if value is None or value != self.size_of(pair.extent, key):
                reported.append(f"{dimension.size} for {pair.name} ({pair.extent})")
        if reported:
            message = f"'{symbol.name}' has other sizes than its domains, and keeps them: {', '.join(reported)}"
            self.found.append(warning("HF302", message, place, "write one size in both places if it is one"))

    def _taken_for(
        self,
        symbol: Symbol,
        declared: list[Dimension],
        pairs: tuple[Domain, ...],
        matched: dict[int, int],
        key: str,
    ) -> dict[int, int] | None:
        """The domains of the declared dimensions whose sizes no domain has, where these may be equal at run time all
        the same: two names for one size. None if that does not tell one domain for each, or if the sizes differ for
        certain.

        With as many domains as dimensions several of them go by place. With fewer dimensions, those domains are left
        out that regions run over, since these are the ones that a declaration leaves out (§5.2).
        """
        open_dims = [i for i in range(len(declared)) if i not in matched]
        if not open_dims:
            return {}
        left = [j for j in range(len(pairs)) if j not in matched.values()]
        if len(pairs) > len(declared):
            regions = self.positions.regions.values()
            parallel = {d.name for d in self.related(key) or [d for r in regions for d in r.domains]}
            left = [j for j in left if pairs[j].name not in parallel]
        if len(left) != len(open_dims) or (len(pairs) == len(declared) and len(left) > 1 and left != open_dims):
            return None
        taken = dict(zip(open_dims, left, strict=True))
        possible = all(self._may_be_equal(declared[i].extent, pairs[j].extent, key) for i, j in taken.items())
        return taken if possible else None

    def _may_be_equal(self, one: Dim, other: Dim, key: str) -> bool:
        """Whether two dimensions may have one extent as far as their texts and the named constants in them tell."""
        sizes = [self._extent_of(dim, key) for dim in (one, other)]
        if sizes[0] is None or sizes[1] is None:
            return False
        difference = dict(sizes[0])
        for atom, factor in sizes[1].items():
            difference[atom] = difference.get(atom, 0) - factor
        left = {atom: factor for atom, factor in difference.items() if factor}
        return not left or any(left.keys() - {""})

    def _extent_of(self, dim: Dim, key: str) -> dict[str, int] | None:
        """The extent of a dimension as a linear form, numbers for named constants; None where it is left open."""
        if dim.upper is None:
            return None
        terms = {"": 1}
        for bound, sign in ((dim.upper, 1), (dim.lower or ONE, -1)):
            value = self.value(bound, key)
            form = linear(expanded(bound, self.application.macros).expr) if value is None else (("", value),)
            for atom, factor in form:
                terms[atom] = terms.get(atom, 0) + sign * factor
        return terms

    def _kept(self, full: tuple[Dimension, ...], found: Found, routine: Routine, dummy: bool) -> tuple[int, ...]:
        """Positions of the full list that the routine uses (§5.3)."""
        everything = tuple(range(len(full)))
        if found.home != routine.key:
            around = self._in_host(found, full)
            if around is not None:
                return around
            whole = (routine.key, found.symbol.name) not in self.private
            return everything if whole else tuple(i for i in everything if full[i].declared is not None)
        if routine.kind in _MODULES:
            return everything
        position = self.positions.get(routine.key)
        inserted = [i for i, d in enumerate(full) if d.declared is None]
        if not inserted:
            return everything
        dropped = self._dropped(position, routine.key, found.symbol.name, full, dummy)
        return tuple(i for i in everything if i not in dropped)

    def _in_host(self, found: Found, full: tuple[Dimension, ...]) -> tuple[int, ...] | None:
        """What the procedure around an internal one uses of a variable of its own: both mean the same memory. None for
        variables of modules.
        """
        home = self.application.routines.get(found.home)
        if home is None or home.kind in _MODULES:
            return None
        theirs = self.object(found.symbol.name, found.home)
        return theirs.kept if theirs is not None and len(theirs.full) == len(full) else None

    def _dropped(self, position: Position, key: str, name: str, full: tuple[Dimension, ...], dummy: bool) -> set[int]:
        inserted = {i for i, d in enumerate(full) if d.declared is None}
        if position.label == "none":
            return inserted
        above = self.names_above(key)
        dropped = {i for i in inserted if full[i].name in above}
        if position.label == "outside":
            # §5.3: a routine inside a region holds one point; nothing is inserted that no own loop runs over.
            return dropped or inserted
        if dummy or (key, name) not in self.private:
            return dropped
        return inserted


def _shape_of_macro(
    symbol: Symbol, name: str, given: tuple[Dim, ...], macros: Mapping[str, Macro]
) -> tuple[Symbol, str]:
    """A symbol whose shape is a call of a macro that does more than to order its arguments: with the dimensions that it
    makes of them in their order, or as if they had been written without a macro where they have no such order.
    """
    parts = applied(name, [d.text for d in given], macros)
    listed = argument_order(name, len(given), macros)
    try:
        dims = tuple(dim_of(part, symbol.dynamic) for part in parts)
    except GrammarError:
        return replace(symbol, shape=given), name
    if listed is None:
        return replace(symbol, shape=dims), ""
    placed = dict(zip(listed, dims, strict=True))
    return replace(symbol, shape=tuple(placed[n] for n in range(len(given)))), name


def _match(declared: list[Dimension], pairs: tuple[Domain, ...]) -> dict[int, int]:
    """Declared dimensions to directive pairs of equal size, each pair used once, in order."""
    matched: dict[int, int] = {}
    for i, dimension in enumerate(declared):
        for j, pair in enumerate(pairs):
            if j not in matched.values() and normal(pair.extent) == normal(dimension.extent):
                matched[i] = j
                break
    return matched


def _name_by_regions(
    dims: list[Dimension], related: tuple[Domain, ...], value: Callable[[Dim], int | None]
) -> tuple[Dimension, ...]:
    """Mark parallel dimensions: by name first, anonymous ones by size, names used up in order (§5.2, L15).

    A dimension declared as a number matches a domain whose size is a named constant of that value.
    """
    names = {d.name for d in related}
    taken = {d.name for d in dims if d.name}
    result = [replace(d, parallel=d.name in names) if d.name else d for d in dims]
    by_size: dict[str, list[Domain]] = {}
    for domain in related:
        same = by_size.setdefault(normal(domain.extent), [])
        if domain.name not in taken and domain.name not in [d.name for d in same]:
            same.append(domain)
    anonymous: dict[str, list[int]] = {}
    for i, dimension in enumerate(result):
        if not dimension.name and (dimension.meant.upper is not None or dimension.meant.lower is not None):
            anonymous.setdefault(normal(dimension.meant), []).append(i)
    for size, positions_of_size in anonymous.items():
        candidates = [d.name for d in by_size.get(size, ())]
        if not candidates and size.isdigit():
            candidates = [d.name for same in by_size.values() for d in same if value(d.extent) == int(size)]
        if not candidates:
            continue
        ambiguous = len(positions_of_size) > len(candidates)
        for i, name in zip(positions_of_size, candidates, strict=False):
            result[i] = replace(result[i], name=name, parallel=True, ambiguous=ambiguous, by_size=True)
    return tuple(result)

"""Which decompositions a program has, and along which of its dimensions an array is cut (distributed.md §3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from hfpy.analyze.arrays.domains import DataObject, Dimension
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.calls import passed
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.sizes import canonical, constant, linear
from hfpy.analyze.order.layout import Letters
from hfpy.analyze.processes.halodepths import FAR
from hfpy.diagnostics import Diagnostic, Place, Related, error
from hfpy.model.application import Application
from hfpy.model.distributed import Decomposition, Distributed
from hfpy.model.expressions import Apply, Component, Expr, Fragment, Name, base_name, walk
from hfpy.model.extents import Dim
from hfpy.model.statements import Assignment, OneLine, flatten
from hfpy.model.units import Routine
from hfpy.options import DomainSpec
from hfpy.parse.expressions.fragments import dim_of, fragment
from hfpy.values import dataclass

# The types of elements that the runtime library has messages for.
SENT = frozenset("real(4) real(8) integer(4) integer(8) logical(4) complex(4) complex(8)".split())
MOST_GRIDS = 32  # `most` of the runtime library
UNCLEAR = "?"  # in the place of a domain
_DEEPEST_SIZES = 20  # calls through which sizes are passed on


@dataclass(frozen=True)
class Directed:
    """A directive for many processes with its routine."""

    routine: Routine
    statement: Distributed

    @property
    def place(self) -> Place:
        """Where the directive is."""
        return self.statement.line.place(self.routine.file)


def directives(application: Application) -> Iterator[Directed]:
    """All directives for many processes."""
    for routine in application.routines.values():
        for statement in flatten(routine.body):
            if isinstance(statement, Distributed):
                yield Directed(routine, statement)


@dataclass(frozen=True)
class Cut:
    """A dimension of an array that is cut: its position in the full list of dimensions, the domain and the number of
    that (from 0) in the decomposition, and how far the array goes, as declared (None: as it was allocated).
    """

    position: int
    domain: str
    number: int
    extent: Dim


@dataclass(frozen=True)
class Grid:
    """A decomposition with what tells the domain of a dimension, an index or a size: ``facts`` have the sizes with
    which arrays are allocated, ``passed`` the domains whose local sizes the arguments of a routine are.
    """

    what: Decomposition
    letters: Letters
    facts: Facts | None = None
    passed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def within(self, facts: Facts) -> Grid:
        """The same in a program whose facts are known."""
        return replace(self, facts=facts, passed=passed_sizes(facts, self.what, _size_variables(facts, self.what)))

    def letters_of(self, key: str) -> Letters:
        """What tells the domain of a dimension, an index or a size in a routine."""
        own = self.passed.get(key)
        if not own:
            return self.letters
        others = {name for name, domain in own.items() if not domain}
        sizes = {
            domain: tuple(dim for dim in dims if dim.text.lower() not in others)
            for domain, dims in self.letters.sizes.items()
        }
        for name, domain in own.items():
            if domain and domain != UNCLEAR:
                sizes[domain] = (*sizes.get(domain, ()), dim_of(name))
        return replace(self.letters, sizes=sizes)

    def number_of_size(self, name: str, key: str) -> int | None:
        """The number of the domain whose local size a variable of a routine has, from 0; None if it has none."""
        domain = self.passed.get(key, {}).get(name)
        if domain is None:
            return self.what.number_of_size(name)
        return self.what.number(domain) if domain and domain != UNCLEAR else None

    def unclear(self, data: DataObject) -> str:
        """A size of an array, beside those of cut dimensions, that depends on a local size in a way that is not known;
        empty if there is none.
        """
        known = self.passed.get(data.routine, {})
        own = {name for name, domain in known.items() if domain} | {n for n in self.what.local if known.get(n) != ""}
        cut = {c.position for c in self.cuts(data)}
        rest = [dimension for position, dimension in enumerate(data.full) if position not in cut]
        return next((name for dimension in rest for name in sorted(own & dimension.extent.names)), "")

    def lacking(self, data: DataObject) -> Cut | None:
        """A dimension of an array that certainly lacks some of the points that each process owns; None if there is
        none.
        """
        return next((cut for cut in self.cuts(data) if self._lacks(cut, data.routine)), None)

    def _lacks(self, cut: Cut, key: str) -> bool:
        lower, upper = cut.extent.lower, cut.extent.upper
        first = constant(lower.expr) if lower is not None else 1
        if first is not None and first > 1:
            return True
        if upper is None:
            return False
        sizes = [size.upper for size in self.letters_of(key).sizes.get(cut.domain, ()) if size.upper is not None]
        short = (difference(upper.expr, size.expr) for size in sizes)
        return any(points is not None and points < 0 for points in short)

    @staticmethod
    def of(what: Decomposition, domains: Mapping[str, DomainSpec]) -> Grid:
        """A decomposition in a project with some ``[domains]``."""
        known = {name.lower(): spec for name, spec in domains.items()}
        sizes = {name: tuple(dim_of(size) for size in spec.size) for name, spec in known.items()}
        for domain, local in zip(what.domains, what.local, strict=True):
            sizes[domain] = (*sizes.get(domain, ()), dim_of(local))
        return Grid(what, Letters(what.domains, known, sizes))

    def cuts(self, data: DataObject) -> tuple[Cut, ...]:
        """The dimensions of an array that are cut, in the order of the decomposition's domains."""
        found: dict[str, Cut] = {}
        for position, dimension in enumerate(data.full):
            domain = self.domain(dimension, data.routine) or self._allocated(data, dimension)
            if domain and domain not in found:
                found[domain] = Cut(position, domain, self.what.number(domain), dimension.extent)
        return tuple(found[d] for d in self.what.domains if d in found)

    def domain(self, dimension: Dimension, key: str) -> str:
        """The domain of the decomposition that a dimension belongs to in a routine, or empty."""
        found = self.letters_of(key).of_dimension(dimension)
        return found if found in self.what.domains else ""

    def _allocated(self, data: DataObject, dimension: Dimension) -> str:
        """The domain that all allocations of an array give a dimension, under any of the array's names; or empty."""
        if self.facts is None or dimension.declared is None or dimension.extent.form != "deferred":
            return ""
        found = set()
        for key, sizes in allocated_sizes(self.facts, data):
            known = len(sizes) == data.symbol.rank
            found.add(self.letters_of(key).of_size(sizes[dimension.declared]) if known else "")
        domain = found.pop() if len(found) == 1 else ""
        return domain if domain in self.what.domains else ""

    def room(self, data: DataObject, cut: Cut) -> tuple[int | None, int | None]:
        """How many points an array has beside the part on the low and on the high side of a dimension that is cut, as
        it is declared or, everywhere, allocated; None where that is not known. :data:`FAR` where it has as many as the
        decomposition says that arrays have at most.
        """
        extents = [(data.routine, cut.extent)]
        if cut.extent.form == "deferred" and self.facts is not None:
            declared = data.full[cut.position].declared
            sizes = allocated_sizes(self.facts, data)
            extents = [(key, dims[declared]) for key, dims in sizes if declared is not None and declared < len(dims)]
        found = [self._room(key, cut.domain, extent) for key, extent in extents]
        return (_least(low for low, _ in found), _least(high for _, high in found))

    def _room(self, key: str, domain: str, extent: Dim) -> tuple[int | None, int | None]:
        if extent.form != "explicit" or extent.upper is None:
            return None, None
        halo = next((width for width in self.what.halos if width.domain == domain), None)
        below = fragment(f"1 - ({extent.lower.text})" if extent.lower is not None else "0")
        sizes = [size.upper.text for size in self.letters_of(key).sizes.get(domain, ()) if size.upper is not None]
        above = (_points(fragment(f"{extent.upper.text} - ({size})"), halo.high if halo else None) for size in sizes)
        return _points(below, halo.low if halo else None), next((one for one in above if one is not None), None)

    def is_whole(self, domain: str, end: Fragment, key: str) -> bool:
        """Whether an upper bound is the number of points that a process owns: a size of the domain, and no more."""
        sizes = self.letters_of(key).sizes.get(domain, ())
        return any(size.upper is not None and canonical(size.upper) == canonical(end) for size in sizes)


def _points(count: Fragment, most: Fragment | None) -> int | None:
    """A number of points in a halo, which has so many at ``most``; None if it is not known."""
    if most is not None and difference(count.expr, most.expr) == 0:
        return FAR
    return difference(count.expr, fragment("0").expr)


def _least(counts: Iterable[int | None]) -> int | None:
    """The least of some numbers; None if there is none, or one is not known."""
    known = list(counts)
    found = [count for count in known if count is not None]
    return min(found) if found and len(found) == len(known) else None


def difference(one: Expr, other: Expr) -> int | None:
    """By how much one size is larger than another; None if that is not always the same."""
    difference = dict(linear(one))
    for atom, factor in linear(other):
        difference[atom] = difference.get(atom, 0) - factor
    return difference.get("", 0) if not any(factor for atom, factor in difference.items() if atom) else None


def grids(application: Application) -> tuple[dict[str, Grid], list[Diagnostic]]:
    """The decompositions of a program by their names; errors for names that are given twice."""
    found: dict[str, tuple[Grid, Place]] = {}
    problems: list[Diagnostic] = []
    for item in directives(application):
        what = item.statement.what
        if not isinstance(what, Decomposition):
            continue
        if what.name in found:
            related = [Related(found[what.name][1], "the first one")]
            hint = "give it another name, or call the routine with the first one"
            problems.append(error("HF650", f"a second decomposition '{what.name}'", item.place, hint, related))
            continue
        if len(found) == MOST_GRIDS:
            hint = "one decomposition holds all the domains whose sizes belong together"
            message = f"a program has room for {MOST_GRIDS} decompositions, this is one more"
            problems.append(error("HF650", message, item.place, hint))
            continue
        settings = application.options.decomposition
        what = what.with_defaults(settings.exchange, settings.reductions)
        found[what.name] = Grid.of(what, application.options.domains), item.place
    return {name: grid for name, (grid, _) in found.items()}, problems


def _size_variables(facts: Facts, what: Decomposition) -> Mapping[Identity, str]:
    """The domains of the variables with local sizes, by their homes and names."""
    found = {}
    for item in directives(facts.application):
        made = item.statement.what
        if isinstance(made, Decomposition) and made.name == what.name:
            for domain, name in zip(made.domains, made.local, strict=True):
                variable = facts.scopes.variable(name, item.routine.key)
                if variable is not None:
                    found[variable.home, variable.symbol.name] = domain
    return _with_computed(facts, found)


def _with_computed(facts: Facts, sizes: Mapping[Identity, str]) -> Mapping[Identity, str]:
    """The same with variables that get values computed from local sizes, as in ``nxp = nx + 1``: their domain is
    ``UNCLEAR``.
    """
    given: dict[Identity, set[Identity]] = {}
    for key, routine in facts.application.routines.items():
        for statement in flatten(routine.body):
            if isinstance(statement, OneLine):
                statement = statement.action
            if isinstance(statement, Assignment) and isinstance(statement.target, Name):
                target = _integer(facts, statement.target.name, key)
                names = {node.name for node in walk(statement.value) if isinstance(node, Name)}
                if target is not None and target not in sizes:
                    values = (_integer(facts, name, key) for name in names)
                    given.setdefault(target, set()).update(value for value in values if value is not None)
    found = dict(sizes)
    while more := {
        target for target, values in given.items() if target not in found and not found.keys().isdisjoint(values)
    }:
        found |= dict.fromkeys(more, UNCLEAR)
    return found


def _integer(facts: Facts, name: str, key: str) -> Identity | None:
    """A variable of type integer that is no array."""
    found = facts.scopes.variable(name, key)
    if found is None or found.symbol.type.base != "integer" or found.symbol.shape:
        return None
    return found.home, found.symbol.name


def passed_sizes(
    facts: Facts, what: Decomposition, variables: Mapping[Identity, str]
) -> Mapping[str, Mapping[str, str]]:
    """By routine: the domains of names that are local sizes there, beside those of the directive: other names of the
    ``variables``, and dummy arguments for which all callers pass local sizes. The domain ``UNCLEAR`` has a dummy for
    which one passes something else that depends on a local size. An empty one has another variable of the name that a
    local size has elsewhere.
    """
    renamed = _renamed(facts, what, variables)
    known = renamed
    for _ in range(_DEEPEST_SIZES):
        given: dict[tuple[str, str], set[str]] = {}
        for caller in facts.application.routines:
            for site in facts.graph.below(caller):
                for dummy, value in passed(facts, site):
                    domain = _local_size(value, what, known.get(caller, {}))
                    given.setdefault((site.callee, dummy), set()).add(domain)
        found = {key: dict(names) for key, names in renamed.items()}
        for (key, dummy), domains in given.items():
            if domains != {""} or dummy in what.local:
                found.setdefault(key, {})[dummy] = next(iter(domains)) if len(domains) == 1 else UNCLEAR
        if found == known:
            break
        known = found
    return known


def _renamed(facts: Facts, what: Decomposition, variables: Mapping[Identity, str]) -> dict[str, dict[str, str]]:
    """By routine: the domains of names that mean local sizes there and nowhere else, and no domain for other variables
    of the routine that have the name of one. What dummy arguments are, callers tell.
    """
    uses = (use for routine in facts.application.routines.values() for use in routine.spec.uses)
    names = {name for use in uses for name, _ in (*(use.only or ()), *use.renames)} | set(what.local)
    names |= {name for _, name in variables}
    found: dict[str, dict[str, str]] = {}
    for key, routine in facts.application.routines.items():
        for name in names - set(routine.dummies):
            variable = facts.scopes.variable(name, key)
            if variable is None or not variables:
                continue
            number = what.number_of_size(name)
            domain = variables.get((variable.home, variable.symbol.name), "")
            if domain != (what.domains[number] if number is not None else ""):
                found.setdefault(key, {})[name] = domain
    return found


def _local_size(value: Expr, what: Decomposition, known: Mapping[str, str]) -> str:
    """The domain whose local size an argument is; empty if it is no number that depends on one."""
    if isinstance(value, Name):
        number = what.number_of_size(value.name)
        return known.get(value.name, what.domains[number] if number is not None else "")
    if isinstance(value, (Apply, Component)):
        return ""
    names = [node.name for node in walk(value) if isinstance(node, Name)]
    return UNCLEAR if any(_local_size(Name(0, 0, name), what, known) for name in names) else ""


def not_of_grid(grid: Grid, others: Iterable[Grid], data: DataObject) -> str:
    """Why it is not known which part of the grid an array has: what is to be said of it; empty if it is known."""
    if size := grid.unclear(data):
        return f"has a size with '{size}', which depends on the size of a process's part"
    if lacking := grid.lacking(data):
        return f"lacks some of the points in '{lacking.domain}' that a process owns"
    if grid.cuts(data):
        return ""
    other = next((o for o in others if o.cuts(data)), None)
    return f"is a field of the decomposition '{other.what.name}'" if other is not None else ""


def passes_parts(facts: Facts, grid: Grid, key: str, name: str) -> bool:
    """Whether a call passes a decomposed field for a dummy argument of a routine."""
    for caller in facts.graph.callers_of(key):
        for site in facts.graph.below(caller):
            for given, value in passed(facts, site) if site.callee == key else ():
                actual = base_name(value)
                data = facts.object(actual, caller) if actual else None
                if given == name and data is not None and grid.cuts(data):
                    return True
    return False


def allocated_sizes(facts: Facts, data: DataObject) -> Iterator[tuple[str, tuple[Dim, ...]]]:
    """The sizes in all statements that allocate an array, or what it may be an argument for, each with its routine."""
    root = facts.classes.root(data.identity)
    for identity, there in facts.allocations.items():
        if identity == data.identity or facts.classes.root(identity) == root:
            yield from there


def grid_of(item: Directed, known: Mapping[str, Grid]) -> Grid | Diagnostic:
    """The decomposition that another directive is about, or what is wrong."""
    what = item.statement.what
    assert not isinstance(what, Decomposition)
    if not known:
        hint = "write @decomposition where the sizes of the grid are set"
        return error("HF650", "there is no decomposition in the program", item.place, hint)
    if what.decomposition:
        if what.decomposition in known:
            return known[what.decomposition]
        return error("HF650", f"there is no decomposition '{what.decomposition}'", item.place, ", ".join(known))
    if len(known) > 1:
        hint = f"write decomposition({next(iter(known))})"
        return error("HF650", "it is not clear which decomposition is meant", item.place, hint)
    return next(iter(known.values()))


def seen_from(facts: Facts, known: Mapping[str, Grid], setters: Mapping[str, str], key: str) -> Mapping[str, Grid]:
    """The decompositions whose local sizes a routine knows as the same variables, where it knows those of some; else
    all of them. ``setters`` are the routines that make them.
    """

    def knows(grid: Grid) -> bool:
        setter = setters[grid.what.name]
        here = [facts.scopes.variable(name, key) for name in grid.what.local]
        there = [facts.scopes.variable(name, setter) for name in grid.what.local]
        pairs = zip(here, there, strict=True)
        return all(a is not None and b is not None and (a.home, a.symbol) == (b.home, b.symbol) for a, b in pairs)

    if len(known) < 2:
        return known
    return {name: grid for name, grid in known.items() if knows(grid)} or known


def without_place(cut: Cut) -> bool:
    """Whether nothing tells which of the indices of a cut dimension are those of the part: where its shape is assumed,
    they begin with 1, whatever halo there is.
    """
    return cut.extent.form == "assumed" and cut.extent.lower is None


def is_sent(facts: Facts, data: DataObject) -> bool:
    """Whether messages can have elements of an array or a scalar."""
    return element_type(facts, data) in SENT


def element_type(facts: Facts, data: DataObject) -> str:
    """The type of an array's elements as any routine can write it; empty where its kind is not known."""
    if data.home not in facts.application.routines:
        return ""
    scalar = Kinds(facts.scopes, facts.application.options.kinds).scalar(data.symbol.type, data.home)
    return f"{scalar.base}({scalar.bytes})" if scalar is not None and scalar.base != "character" else ""

"""Names that hfpy gives to new things in generated code (hybrid-fortran.md §14 has those of device code).

All of them come from here: :func:`cut` keeps them within what Fortran allows, and :class:`Names` keeps those of one
scope apart, from each other and from the user's.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import field

from hfpy.values import dataclass

TOUCH_ITERATOR = "hf_touch"
TWIN = "_hfdev"  # ends the name of the twin on the device that a user's array has
_PREFIX = "hf_"
MASK = "_mask"  # ends the names of masks
_BLOCKED = "hfv_"
_NAME_LIMIT = 63
_STATEMENT = "hf_a"
# What is before the name of a user's array or variable in names that belong to it, in the same routine.
_PREFIXES = ("hf_at_", "hf_was_", "hf_aside_", "hf_entered_", "hf_given_", "hf_last_", "hf_size_")


@dataclass
class Names:
    """The names of one scope: ``taken`` by the user (in lower case), and those that were given, by what they mean."""

    taken: frozenset[str] = frozenset()
    given: dict[Hashable, str] = field(default_factory=dict)

    def name(self, wanted: str, meaning: Hashable) -> str:
        """A name for something: the same for the same meaning, and no other's; ``wanted`` if that is free."""
        if meaning not in self.given:
            used = set(self.given.values())  # not joined with those that are taken, which may be all of a program
            found, number = cut(wanted), 1
            while found.lower() in used or found.lower() in self.taken:
                number += 1
                found = cut(f"{wanted}_{number}")
            self.given[meaning] = found
        return self.given[meaning]

    def own(self, name: str) -> str:
        """A name of the user's, which goes to nothing else from now on; another name where it has gone already."""
        return name if name in self.taken else self.name(name, ("own", name))


def unit_name(key: str) -> str:
    """The name of a routine or module by its key, ``module::name``."""
    return key.rsplit("::", 1)[-1]


def is_own(name: str) -> bool:
    """Whether a name is one of hfpy's own."""
    return name.startswith(_PREFIX)


def shown_key(key: str) -> str:
    """A key as people write it: ``module::name``, or the name alone of what is in no module."""
    return key.strip(":")


def with_home(name: str, home: str) -> str:
    """A name of another unit's, given by its key, in a text that has names of several."""
    return f"{name}@{home}"


def in_unit_of(key: str, name: str) -> str:
    """A name in the module of a routine's key, as ``module::name``; the name alone for a routine in no module."""
    module = key.rpartition("::")[0]
    return f"{module}::{name}".lower() if module else name.lower()


def without_home(name: str) -> str:
    """The name in the unit that it is of."""
    return name.partition("@")[0]


def at_home(text: str, home: str) -> str:
    """A text with names of several units as this unit reads it: its own names mean themselves."""
    return text.replace(f"@{home}", "")


def at_homes(text: str, homes: Iterable[str]) -> str:
    """A text with names of several units as people write them, without the units, which are among ``homes``."""
    for home in sorted(homes, key=len, reverse=True) if "@" in text else ():
        text = at_home(text, home)
    return text


def access_macro(domain_macro: str) -> str:
    """The macro for accesses that belongs to one for shapes: ``AT`` to ``DOM``, ``AT4`` to ``DOM4``
    (hybrid-fortran.md §6.3).
    """
    return domain_macro.replace("DOM", "AT", 1)


def domain_macro(access_macro: str) -> str:
    """The macro for shapes that belongs to one for accesses."""
    return access_macro.replace("AT", "DOM", 1)


def is_operator(name: str) -> bool:
    """Whether a generic name is that of an operator or of the assignment, as ``operator(+)``."""
    return "(" in name


def blocked_name(name: str) -> str:
    """The routine that computes a block of columns, beside the user's for one column."""
    return _BLOCKED + name


def is_added(name: str) -> bool:
    """Whether a name is one of those of routines that hfpy puts beside the user's."""
    return name.startswith((_PREFIX, _BLOCKED))


def stem(name: str) -> str:
    """A name that hfpy gives, without what all of them begin with."""
    return name.removeprefix(_PREFIX)


def is_mask(name: str) -> bool:
    """Whether a name is that of a mask that means the condition of a branch."""
    return is_own(name) and name.endswith(MASK)


def twin_of(name: str) -> str:
    """The array whose device twin has this name; empty if it is no name of one (hybrid-fortran.md §7.3)."""
    return name.removesuffix(TWIN) if name.endswith(TWIN) else ""


def stems(keys: Iterable[str]) -> dict[str, str]:
    """A part of a name for each of some routines, given by key: the routine's name, with the module where several have
    it. No two are the same.
    """
    ordered = sorted(keys)
    same = Counter(map(unit_name, ordered))
    names = Names()
    alone = [key for key in ordered if same[unit_name(key)] == 1]
    for key in alone:
        names.given[key] = unit_name(key)
    for key in ordered:
        names.name(key.replace("::", "_").strip("_"), key)
    return {key: names.given[key] for key in ordered}


def derived(prefix: str, name: str) -> str:
    """A name that belongs to a user's variable in the same routine, such as ``hf_at_NAME``."""
    assert prefix in _PREFIXES
    return cut(f"{prefix}{name}")


def derived_from(name: str, variables: Iterable[str]) -> bool:
    """Whether a name of the user's is one that hfpy would derive from one of some variables."""
    return name.startswith(_PREFIXES) and any(name == cut(p + v) for p in _PREFIXES for v in variables)


def module_of_file(prefix: str, stem: str) -> str:
    """The module that belongs to a file, given by its name without what is after the last dot."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in stem).lower()
    return cut(f"{prefix}_{plain}" if plain == stem.lower() else f"{prefix}_{plain}_{_hash(stem)}")


def kernel_name(stem: str, number: int) -> str:
    """``hfk<n>_stem``, the kernel of a region (B24)."""
    return cut(f"hfk{number}_{stem}")


def launcher_name(kernel: str) -> str:
    """``hfl<n>_stem``, the launcher of a kernel."""
    return kernel.replace("hfk", "hfl", 1)


def outlined_name(routine: str, number: int) -> str:
    """``hfb<n>_routine``, the body of a region in a routine of its own; too long names are cut with a hash (B24)."""
    return cut(f"hfb{number}_{routine}")


def lower_bound_name(array: str, place: int) -> str:
    """The lower bound of an array's dimension (from 1), where its declaration does not say it."""
    return cut(f"hf_low{place}_{array}")


def addressed_name(routine: str, number: int) -> str:
    """``hfr<n>_routine``, a region in an internal procedure of its routine, with addresses on the device."""
    return cut(f"hfr{number}_{routine}")


def plain_name(name: str, number: int) -> str:
    """``hfn<n>_name``, a variable that only the plain form of a program has."""
    return cut(f"hfn{number}_{name}")


def object_constant(name: str, path: Iterable[str]) -> str:
    """The constant for a component of a named constant of derived type."""
    return cut("_".join((f"hf_{name}", *path)))


def plain_from(name: str) -> str:
    """What such a variable means; empty for all other names."""
    head, _, rest = name.partition("_")
    return rest if head[:3] == "hfn" and head[3:].isdigit() else ""


def plain_number(name: str) -> int:
    """The number in the name of such a variable; zero for all other names."""
    return int(name[3:].split("_", 1)[0]) if plain_from(name) else 0


def block_counter(iterator: str) -> str:
    """The loop over the blocks of an iterator."""
    return cut(f"hf_{iterator}_n")


def statement_iterator(number: int) -> str:
    """An iterator of a region that an array statement became (from 0)."""
    return f"{_STATEMENT}{number + 1}"


def from_statement(iterators: Iterable[str]) -> bool:
    """Whether a region was an array statement, by its iterators."""
    return all(i.startswith(_STATEMENT) for i in iterators)


def element_counter(dimension: int) -> str:
    """The loop over a dimension (from 0) in a list of input or output that is written element by element."""
    return f"hf_e{dimension + 1}"


def cut(name: str) -> str:
    """A name with a hash in the place of what is too much; names that differ stay different."""
    if len(name) <= _NAME_LIMIT:
        return name
    return f"{name[: _NAME_LIMIT - 9]}_{_hash(name)}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def point_name(number: int) -> str:
    """The innermost loop of a region that an ``@exit`` leaves for its next turn."""
    return f"hf_point{number}"


def region_name(number: int) -> str:
    """The block in the place of an inactive region that an ``@exit`` leaves."""
    return f"hf_region{number}"


def generated_names(routine: str, numbers: range) -> set[str]:
    """All names that the regions with these numbers may bring into their routine and its module."""
    names = {TOUCH_ITERATOR}
    for number in numbers:
        names |= {outlined_name(routine, number), addressed_name(routine, number)}
        names |= {point_name(number), region_name(number)}
    return names

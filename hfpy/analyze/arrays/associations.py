"""What ``common`` and ``equivalence`` join in the units of a program (Fortran 2018, 19.5.3)."""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.model.application import Application
from hfpy.model.units import StorageGroup

Identity = tuple[str, str]  # home unit and name there


class Associations:
    """Answers which variables share storage, from the declarations of their units: those of a unit are read once."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._joined: dict[str, dict[str, frozenset[str]]] = {}
        self._found: dict[str, dict[str, Identity]] = {}

    def equivalent(self, identity: Identity) -> frozenset[str]:
        """The names that ``equivalence`` gives the memory of a variable in its unit, its own among them."""
        key, name = identity
        if key not in self._joined:
            groups = self._groups(key)
            self._joined[key] = _joined([g.members for g in groups if g.kind == "equivalence"])
        return self._joined[key].get(name) or frozenset({name})

    def associated(self, identity: Identity) -> Identity | None:
        """What represents all that shares storage with a variable by ``common`` and ``equivalence``, if anything
        does.
        """
        key, name = identity
        if key not in self._found:
            self._found[key] = self._representatives(key)
        return self._found[key].get(name)

    def _representatives(self, key: str) -> dict[str, Identity]:
        blocks: dict[str, int] = {}  # the first block of a name
        named = [g for g in self._groups(key) if g.kind == "common"]
        for number, group in enumerate(named):
            for member in group.members:
                blocks.setdefault(member, number)
        found: dict[str, Identity] = {member: ("common", named[number].name) for member, number in blocks.items()}
        self.equivalent((key, ""))
        for members in {id(m): m for m in self._joined[key].values()}.values():
            within = [blocks[m] for m in members if m in blocks]
            if within or len(members) > 1:
                one = ("common", named[min(within)].name) if within else (key, min(members))
                found.update(dict.fromkeys(members, one))
        return found

    def _groups(self, key: str) -> tuple[StorageGroup, ...]:
        home = self.application.routines.get(key)
        return home.spec.groups if home is not None else ()


def _joined(groups: Iterable[tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """The sets of names that some groups join, by each of their names."""
    above: dict[str, str] = {}

    def top(name: str) -> str:
        while above.setdefault(name, name) != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    for first, *others in groups:
        for other in others:
            above[top(other)] = top(first)
    sets: dict[str, list[str]] = {}
    for name in list(above):
        sets.setdefault(top(name), []).append(name)
    return {name: made for members in sets.values() for made in (frozenset(members),) for name in members}

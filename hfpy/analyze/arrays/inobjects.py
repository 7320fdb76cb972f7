"""What lies in objects of derived types: the names of the components, and of theirs, that a pointer may point to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from hfpy.analyze.arrays.associations import Identity
from hfpy.analyze.language.scopes import Scopes
from hfpy.model.application import Application
from hfpy.model.units import DerivedType, FType

_OBJECTS = ("type", "class")

#: A type or a component's type, with the unit in which it is visible.
_Typed = tuple[FType, str]


def owners(name: str) -> Identity:
    """What notes the objects whose components of a name have other names: pointers point there, or arguments do."""
    return "%of", name


class InObjects:
    """Answers which components may lie in which objects."""

    def __init__(self, application: Application, scopes: Scopes) -> None:
        self.application = application
        self.scopes = scopes
        self._found: dict[tuple[str, str, str], frozenset[str] | None] = {}
        self._owners: dict[str, frozenset[Identity]] = {}

    def meet(
        self,
        parts: Iterable[str],
        objects: Iterable[Identity],
        known: Mapping[Identity, frozenset[Identity]],
        any_: Identity,
    ) -> bool:
        """Whether components that have another name, by their names, may lie in some objects. ``known`` has what
        each variable may mean, ``any_`` represents unknown memory.
        """
        for name in parts:
            around = self._owned_by(name, known)
            for identity in objects if around else ():
                outer = self._owned_by(identity[1], known) if identity[0] == "%" else frozenset[Identity]()
                inside = self._inside(identity)
                if (inside is None or name in inside) and not around.isdisjoint({any_, identity, *outer}):
                    return True
        return False

    def of_type(self, ftype: FType, home: str) -> frozenset[str] | None:
        """The names of the components in an object of a type that is visible in a unit, and of those in these; None if
        they are not known. Other types have none.
        """
        return self._of([(ftype, home)])

    def without(self, pointed: Iterable[Identity], objects: Iterable[Identity], parts: frozenset[str]) -> bool:
        """Whether a pointer means components alone, and none of those that are used of some objects. These are whole
        variables: of one that is a component, or is not known, what lies around it is not among the parts. Nor do
        designators name the parent through which a component is inherited (Fortran 2018, 7.5.7.2).
        """
        whole = all(kind not in ("%", "") for kind, _ in objects)
        return whole and all(kind == "%" and name not in parts and name not in self._parents for kind, name in pointed)

    @cached_property
    def _parents(self) -> frozenset[str]:
        """The names of parent components."""
        types = (t for routine in self.application.routines.values() for t in routine.spec.types.values())
        return frozenset(t.extends for t in types if t.extends)

    def _owned_by(self, name: str, known: Mapping[Identity, frozenset[Identity]]) -> frozenset[Identity]:
        """The objects, and those around them, whose components of a name have another one."""
        if name not in self._owners:
            found, pending = set[Identity](), [owners(name)]
            while pending:
                there = known.get(pending.pop(), frozenset()) - found
                found |= there
                pending += [owners(inner) for kind, inner in there if kind == "%"]
            self._owners[name] = frozenset(found)
        return self._owners[name]

    def _inside(self, identity: Identity) -> frozenset[str] | None:
        """The names of the components that lie in an object, and in objects in it; None if any may."""
        home, name = identity
        if home == "%":
            return self._of(self._components.get(name, ()))
        if home == "common":
            return self._of(self._blocks.get(name, ()))
        routine = self.application.routines.get(home)
        symbol = routine.spec.symbols.get(name) if routine is not None else None
        return self._of([(symbol.type, home)]) if symbol is not None else None

    @cached_property
    def _blocks(self) -> dict[str, list[_Typed]]:
        """The types of the objects in each common block."""
        found: dict[str, list[_Typed]] = {}
        for home, routine in self.application.routines.items():
            for group in routine.spec.groups:
                members = (routine.spec.symbols.get(m) for m in group.members if group.kind == "common")
                objects = [(m.type, home) for m in members if m is not None and m.type.base in _OBJECTS]
                found.setdefault(group.name, []).extend(objects)
        return found

    @cached_property
    def _components(self) -> dict[str, list[_Typed]]:
        """The types of the components of each name; a parent component has the name of its type."""
        found: dict[str, list[_Typed]] = {}
        for home, routine in self.application.routines.items():
            for derived in routine.spec.types.values():
                for part in derived.components:
                    if part.type.base in _OBJECTS:
                        found.setdefault(part.name, []).append((part.type, home))
                if derived.extends:
                    found.setdefault(derived.extends, []).append((FType("type", derived=derived.extends), home))
        return found

    def _of(self, types: Iterable[_Typed]) -> frozenset[str] | None:
        names: set[str] = set()
        for one, home in types:
            slot = (one.base, one.derived, home)
            if one.base not in _OBJECTS:
                continue
            if slot not in self._found:
                self._found[slot] = self._walked((one, home))
            inside = self._found[slot]
            if inside is None:
                return None
            names |= inside
        return frozenset(names)

    def _walked(self, typed: _Typed) -> frozenset[str] | None:
        """What lies in objects of a type, in objects in these, and so on."""
        names: set[str] = set()
        seen: set[tuple[str, str]] = set()
        pending = [typed]
        while pending:
            one, home = pending.pop()
            line = self._line(one, home)
            if line is None:
                return None
            for unit, derived in line:
                if (unit, derived.name) in seen:
                    continue
                seen.add((unit, derived.name))
                parts = [part for part in derived.components if "pointer" not in part.attributes]
                names.update(part.name for part in parts)
                names.update([derived.extends] if derived.extends else [])
                pending += [(part.type, unit) for part in parts if part.type.base in _OBJECTS]
        return frozenset(names)

    def _line(self, one: FType, home: str) -> tuple[tuple[str, DerivedType], ...] | None:
        """A type with those that it extends, and, for an object that may be of an extension, those that extend it; None
        if they are not all known.
        """
        line = self.scopes.lineage(one.derived, home)
        if not line or line[-1][1].extends:
            return None
        return (*line, *self.scopes.extensions(one.derived, home)) if one.base == "class" else line

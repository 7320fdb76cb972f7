"""Modules whose source hfpy does not have: which names of a unit may come from them (design contract 2)."""

from __future__ import annotations

from collections.abc import Mapping

from hfpy.model.application import Application
from hfpy.model.units import Use
from hfpy.parse.outside import may_have


class Opaque:
    """Answers what a unit may have from modules without source. ``modules`` are those with source, by name."""

    def __init__(self, application: Application, modules: Mapping[str, str]) -> None:
        self.application = application
        self.modules = modules
        self._seen_by: dict[str, bool] = {}

    def seen_by(self, key: str) -> bool:
        """Whether a unit (or its host) uses a module without source as a whole, so that unknown names may come from
        it.
        """
        if key not in self._seen_by:
            self._seen_by[key] = self._sees(key, set())
        return self._seen_by[key]

    def _sees(self, key: str, seen: set[str]) -> bool:
        if key in seen:
            return False
        seen.add(key)
        routine = self.application.routines.get(key)
        if routine is None:
            return True
        for use in routine.spec.uses:
            module = self.modules.get(use.module)
            if module is None and not use.intrinsic and use.only is None:
                return True
            if module is not None and use.only is None and self._sees(module, seen):
                return True
        return bool(routine.host) and self._sees(routine.host, seen)

    def brings(self, name: str, key: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a unit has a name from a module without source: by name, or with all of an intrinsic one. ``seen``
        are units that ask, in modules that use each other.
        """
        current: str | None = key
        while current and current not in seen:
            seen |= {current}
            routine = self.application.routines.get(current)
            if routine is None:
                return False
            if any(self._by_use(use, name, seen) for use in routine.spec.uses):
                return True
            current = routine.host or None
        return False

    def _by_use(self, use: Use, name: str, seen: frozenset[str]) -> bool:
        """The same for one ``use``, also of modules that pass an intrinsic one on."""
        module = self.modules.get(use.module)
        if use.only is not None:
            return module is None and any(local == name for local, _ in use.only)
        remote = next((remote for local, remote in use.renames if local == name), name)
        if module is None:
            return use.intrinsic and may_have(use.module, remote)
        return self.brings(remote, module, seen)

"""Libraries and modules as objects whose attributes are Fortran's routines and scalars."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hfpy.diagnostics import UsageError
from hfpy.kernels.calls import Compiled, Routine, Scalar
from hfpy.kernels.library import Built
from hfpy.kernels.signatures import ModuleSignature


class Module:
    """A Fortran module: its routines and scalars are attributes."""

    _names: tuple[Mapping[str, Routine], Mapping[str, Scalar]]

    def __init__(self, compiled: Compiled, signature: ModuleSignature, routines: int, variables: int) -> None:
        made = {r.name: Routine(compiled, signature.name, r, n) for n, r in enumerate(signature.routines, routines)}
        held = {v.name: Scalar(compiled, signature.name, v, n) for n, v in enumerate(signature.variables, variables)}
        object.__setattr__(self, "__name__", signature.name)
        object.__setattr__(self, "_names", (made, held))

    @property
    def routines(self) -> Mapping[str, Routine]:
        """Its public routines by name, those that are refused among them."""
        return self._names[0]

    @property
    def scalars(self) -> Mapping[str, Scalar]:
        """Its public scalars by name."""
        return self._names[1]

    def __getattr__(self, name: str) -> Any:
        routines, scalars = self._names
        if name in scalars:
            return scalars[name].get()
        if name in routines:
            return routines[name]
        raise AttributeError(f"module {self.__name__} has no public routine or scalar '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.scalars:
            raise AttributeError(f"module {self.__name__} has no public scalar '{name}'")
        self.scalars[name].set(value)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.routines, *self.scalars})


class Library:
    """A compiled library. Its modules' routines and scalars are attributes, where the name is in one module only;
    ``library.modules["name"]`` has those of one module.

    Loads of the same content in one process share the module variables; the sizes of each are set before its calls.
    """

    _sizes: dict[str, Any]
    path: Path
    generated: Path
    modules: Mapping[str, Module]

    def __init__(self, built: Built, sizes: Mapping[str, Any]) -> None:
        keep = object.__setattr__
        keep(self, "path", built.library)
        keep(self, "generated", built.generated)
        keep(self, "_sizes", {})
        compiled = Compiled(built.library, self._set_sizes if sizes else None, built.kernels, built.opencl)
        modules: dict[str, Module] = {}
        routines = variables = 0
        for signature in built.modules:
            modules[signature.name] = Module(compiled, signature, routines, variables)
            routines += len(signature.routines)
            variables += len(signature.variables)
        keep(self, "modules", modules)
        for name, value in sizes.items():
            homes = self._homes(name, "scalars")
            if len(homes) != 1:
                known = sorted({n for m in modules.values() for n in m.scalars}) or ["none"]
                what = f"a scalar of {len(homes)} modules" if homes else "no option of load, nor a module's scalar"
                raise UsageError(f"'{name}' is {what}; there is: {', '.join(known)}")
            homes[0].scalars[name].set(value)
            self._sizes[name] = value

    def _set_sizes(self) -> None:
        for name, value in self._sizes.items():
            self._homes(name, "scalars")[0].scalars[name].set(value)

    @property
    def routines(self) -> Mapping[str, Routine]:
        """All routines, as ``module.routine``."""
        return {routine.__qualname__: routine for m in self.modules.values() for routine in m.routines.values()}

    @property
    def refused(self) -> Mapping[str, str]:
        """The routines that cannot be called from Python, with the reason."""
        return {name: routine.refused for name, routine in self.routines.items() if routine.refused}

    def _homes(self, name: str, kind: str = "") -> list[Module]:
        kinds = (kind,) if kind else ("routines", "scalars")
        return [m for m in self.modules.values() if any(name in getattr(m, k) for k in kinds)]

    def _home(self, name: str) -> Module:
        homes = self._homes(name)
        if len(homes) > 1:
            raise AttributeError(f"'{name}' is in several modules; say library.modules[…].{name}")
        if not homes:
            raise AttributeError(f"no public routine or scalar '{name}' in {', '.join(self.modules) or 'any module'}")
        return homes[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "modules" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._home(name), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._home(name), name, value)
        if name in self._sizes:
            self._sizes[name] = value

    def __dir__(self) -> list[str]:
        names = {name for module in self.modules.values() for name in (*module.routines, *module.scalars)}
        return sorted({*object.__dir__(self), *names})

    def __repr__(self) -> str:
        return f"<hfpy library of {', '.join(self.modules)}>"

"""Generic calls: which specific procedure is meant, by number, type, kind and rank of the arguments.

A specific procedure fits, does not fit, or may fit, where something is not known. A call is resolved where one fits for
certain, or where all others certainly do not (Fortran 2018, 15.4.3.4.5, 15.5.5.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import INTRINSICS
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.typed import Typed, Types, dummy_symbol
from hfpy.analyze.language.uses import meanings
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, ArrayConstructor, Component, Expr, Keyword, Name, base_name
from hfpy.model.names import plain_from
from hfpy.model.units import Routine, Symbol

Actuals = dict[int, Typed | None]  # what arguments of one statement are, by the identity of the expression


class Generics:
    """Resolves calls by name."""

    def __init__(self, application: Application, scopes: Scopes) -> None:
        self.application = application
        self.scopes = scopes
        self.types = Types(application, scopes)
        self._dummies: dict[tuple[str, str], tuple[Symbol | None, Typed | None]] = {}

    def resolved(self, name: str, args: tuple[Expr, ...], caller: str, at: Located) -> tuple[str, tuple[str, ...]]:
        """The procedure that a call means (empty if that is not known), and all that it may mean."""
        found = self.scopes.named(name, caller)
        if found.doubtful:
            return "", found.keys
        beside = name in INTRINSICS or self.scopes.derived_type(name, caller) is not None
        complete = found.complete and not (found.generic and beside)  # or it means an intrinsic, or a constructor
        if len(found.keys) <= 1 and complete:
            return (found.keys[0] if found.keys else ""), found.keys
        fits = self.fitting(found.keys, args, caller, at)
        possible = tuple(key for key, fit in fits.items() if fit is not False)
        certain = [key for key in possible if fits[key]]
        plain = [key for key in possible if not self._elemental(key)]
        # Elemental procedures come after others (15.5.5.2).
        best = [key for key in certain if key in plain] if plain else certain
        if len(best) == 1:
            return best[0], possible
        return (possible[0] if len(possible) == 1 and complete else ""), possible

    def _elemental(self, key: str) -> bool:
        routine = self.application.routines.get(key)
        return routine is not None and "elemental" in routine.prefix

    def fits(
        self,
        key: str,
        args: tuple[Expr, ...],
        caller: str,
        at: Located,
        ranks: bool = True,
        passed: Expr | None = None,
        known: Actuals | None = None,
    ) -> bool | None:
        """Whether a call may mean a procedure; None where that is open, such as the rank of an array in a region. Ranks
        tell nothing where ``ranks`` is false: a procedure that is called by a name of its own takes elements for
        arrays. ``passed`` is the argument that is the object of a type-bound procedure, whose type is known at run time
        only. ``known`` has what arguments of the same statement are, and gets more of them.
        """
        return self.fitting((key,), args, caller, at, ranks, passed, known)[key]

    def fitting(
        self,
        keys: Iterable[str],
        args: tuple[Expr, ...],
        caller: str,
        at: Located,
        ranks: bool = True,
        passed: Expr | None = None,
        known: Actuals | None = None,
    ) -> dict[str, bool | None]:
        """The same for several procedures: what an argument is does not depend on the procedure, and is asked once."""
        actuals = known if known is not None else {}

        def known_of(value: Expr) -> Typed | None:
            if id(value) not in actuals:
                actuals[id(value)] = self.actual(value, caller, at)
            return actuals[id(value)]

        return {key: self._fits(key, args, known_of, ranks, passed) for key in keys}

    def actual(self, value: Expr, caller: str, at: Located) -> Typed | None:
        """What an argument is."""
        found = self.types.expression(value, caller, meanings(at))
        if found is not None and found.rank and at.regions and not self._indexed(value, caller):
            return replace(found, rank=None)  # a region takes dimensions from an array without indices
        return found

    def _fits(
        self,
        key: str,
        args: tuple[Expr, ...],
        actual: Callable[[Expr], Typed | None],
        ranks: bool,
        passed: Expr | None,
    ) -> bool | None:
        routine = self.application.routines.get(key)
        if routine is None:
            return None
        if len(args) > len(routine.dummies):
            return False
        given: set[str] = set()
        verdict: bool | None = True
        for position, arg in enumerate(args):
            name = arg.name if isinstance(arg, Keyword) else routine.dummies[position]
            value = arg.value if isinstance(arg, Keyword) else arg
            if name not in routine.dummies or name in given:
                return False
            given.add(name)
            fit = self._argument(routine, name, actual(value), ranks, value is passed)
            if fit is False:
                return False
            verdict = verdict and fit
        left = [routine.spec.symbols.get(d) for d in routine.dummies if d not in given and d != "*"]
        return False if any(s is None or "optional" not in s.attributes for s in left) else verdict

    def _indexed(self, value: Expr, caller: str) -> bool:
        """Whether a region takes no dimensions from an expression: a list of values, an array with all indices, or a
        component of an object that has none without them.
        """
        if isinstance(value, Name):
            return bool(plain_from(value.name))
        if isinstance(value, ArrayConstructor):
            return True
        inner, name = value, base_name(value)
        while isinstance(inner, Component) or (isinstance(inner, Apply) and not isinstance(inner.base, Name)):
            inner = inner.base
        found = self.scopes.variable(name, caller) if name else None
        if isinstance(inner, Apply):
            return found is not None
        return found is not None and isinstance(value, (Component, Apply)) and not found.symbol.rank

    def _argument(self, routine: Routine, name: str, actual: Typed | None, ranks: bool, passed: bool) -> bool | None:
        symbol, dummy = self._dummy(routine, name)
        if dummy is None or actual is None:
            return None
        shape = True if "elemental" in routine.prefix or not ranks else _same(actual.rank, dummy.rank)
        if shape is False:
            return False
        if symbol is not None and symbol.type.derived == "*":
            return shape  # class(*), type(*)
        types = self._object(actual, dummy) if passed else self._type(actual, dummy)
        return False if types is False else (shape and types)

    def _dummy(self, routine: Routine, name: str) -> tuple[Symbol | None, Typed | None]:
        """A dummy argument, and what it is."""
        slot = (routine.key, name)
        if slot not in self._dummies:
            symbol = dummy_symbol(routine, name, self.scopes)
            typed = self.types.variable(symbol, routine.key, routine.key) if symbol is not None else None
            self._dummies[slot] = symbol, typed
        return self._dummies[slot]

    def _object(self, actual: Typed, dummy: Typed) -> bool | None:
        """Whether a procedure that is bound to a type may be that of an object: of its type, or of a related one."""
        if actual.derived is None or dummy.derived is None:
            return None
        above, below = self.types.ancestors(actual), self.types.ancestors(dummy)
        if dummy.derived in above or actual.derived in below:
            return True
        return None if above[-1][1].extends or below[-1][1].extends else False

    def _type(self, actual: Typed, dummy: Typed) -> bool | None:
        """Whether an actual argument has the type of a dummy, or one that the dummy's class takes (7.3.2.3)."""
        derived = [t.base in ("type", "class") for t in (actual, dummy)]
        if derived[0] != derived[1]:
            return False
        if not derived[0]:
            return actual.base == dummy.base and _same(actual.bytes, dummy.bytes)
        if actual.derived is None or dummy.derived is None:
            return None
        if actual.derived == dummy.derived:
            return True
        if dummy.base == "type":
            return False
        above = self.types.ancestors(actual)
        whole = not above[-1][1].extends
        return dummy.derived in above or (False if whole else None)


def _same(one: int | None, other: int | None) -> bool | None:
    return None if one is None or other is None else one == other

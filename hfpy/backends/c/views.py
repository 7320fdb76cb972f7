"""Arrays in kernels: views of memory that know their bounds, in storage order."""

from __future__ import annotations

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.backends.c.values import CannotPrint, CVariable, Space, c_name, c_type
from hfpy.backends.chains import elements_of
from hfpy.backends.refused import OBJECT, TEXT
from hfpy.model.expressions import Expr, Name
from hfpy.model.scalars import Scalar


def array_variable(
    data: DataObject,
    facts: Facts,
    scalar: Scalar,
    bounds: list[tuple[str, str]],
    memory: str = "",
    space: Space = "global",
) -> CVariable:
    """An array whose view bears its own name; ``memory`` is the pointer to its elements."""
    storage = facts.order(data).storage or tuple(range(data.rank))
    lower, upper = (tuple(b[side] for b in bounds) for side in (0, 1))
    return CVariable(c_name(data.name), scalar, lower, upper, storage, data=memory, space=space)


def objects_in_storage(facts: Facts, node: Expr, rank: int, key: str) -> tuple[int, ...]:
    """For each place in storage the dimension of an array of ``rank`` that has a component of all elements of arrays of
    objects: first those of the array that a chain of components begins with, as they are stored, then all others.
    """
    objects = elements_of(node)[0]
    data = facts.object(objects.base.name, key) if isinstance(objects.base, Name) else None
    declared = tuple(range(len(objects.args)))
    stored = facts.order(data).storage if data is not None and data.rank == len(declared) else ()
    return (*(stored or declared), *range(len(declared), rank))


def check_size(facts: Facts, key: str, name: str, expr: Expr) -> None:
    """Raise CannotPrint for an array whose last dimension has no known size: a dummy with ``*``, or with 1 where more
    of it is used.
    """
    data = facts.object(name, key)
    if data is not None and data.symbol.shape and data.symbol.shape[-1].form == "star":
        what = f"'{name}' as a whole, whose last dimension has no size,"
        more = "declare its size" + (", which is more than 1," if data.symbol.old_size is not None else "")
        raise CannotPrint(what, expr.start, expr.end, f"{more} or name the elements")


def scalar_of(kinds: Kinds, data: DataObject) -> Scalar:
    """The type of a data object. Raises CannotPrint for derived types and the like."""
    scalar = kinds.scalar(data.symbol.type, data.home)
    if data.symbol.type.base == "character":
        raise CannotPrint(f"the text '{data.name}'", hint=TEXT)
    if scalar is None:
        what = f"'{data.name}', which has the type {data.symbol.type.text or data.symbol.type.base},"
        raise CannotPrint(what, hint=OBJECT)
    c_type(scalar)
    return scalar

"""Nests as the dependence engine sees them: accesses of arrays in loops under conditions.

The model knows neither Fortran's text nor how questions are decided. A nest is what one region executes: its points
are the values of ``points``, and each access says where, when and how surely it happens.
"""

from __future__ import annotations

from dataclasses import field

from hfpy.analyze.dependence.forms import Application, Form, Index, atom, number
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Compare:
    """``form op 0``; ``op`` is ``>=``, ``=`` or ``!=``."""

    form: Form
    op: str


@dataclass(frozen=True, slots=True)
class Every:
    """All conditions hold."""

    of: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one condition holds."""

    of: tuple[Condition, ...]


Condition = Compare | Every | Some


@dataclass(frozen=True, slots=True)
class Loop:
    """``do index = lower, upper, step``; a step that is no number is positive."""

    index: Index
    lower: Form
    upper: Form
    step: Form


@dataclass(frozen=True, slots=True)
class Section:
    """The part ``lower:upper:step`` of a dimension; None for a bound that is the array's own."""

    lower: Form | None = None
    upper: Form | None = None
    step: int = 1


@dataclass(frozen=True, slots=True)
class Part:
    """``%name`` among the subscripts of an object of derived type."""

    name: str


Subscript = Form | Section | Part
Position = tuple[int | Index, ...]


@dataclass(frozen=True, slots=True)
class Instance:
    """When something happens: the loops around it (those of the region first), the conditions it is under, and its
    place in the order of the text: numbers of statements, and the index of each loop that is entered.
    """

    loops: tuple[Loop, ...]
    guards: tuple[Condition, ...] = ()
    position: Position = ()


@dataclass(frozen=True, slots=True)
class Value:
    """What is written: a text with gaps, and the forms that fill them. Equal texts and forms are one value."""

    text: str
    forms: tuple[Form, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """One access of an array, or of a scalar without subscripts.

    ``exact``: it touches these elements and no fewer whenever its conditions hold. ``must``: it touches these and no
    fewer, as far as a later read can rely on. Both hold unless something is not known. ``why`` says what that is.
    ``mask`` is the position of the part of a ``where`` in which it goes through sections element by element.
    ``inside`` says that the subscripts are within declared bounds, which no program may leave.
    ``source`` is what the caller wants back in answers.
    """

    array: str
    subscripts: tuple[Subscript, ...]
    write: bool
    at: Instance
    must: bool = True
    exact: bool = True
    value: Value | None = None
    inside: tuple[Condition, ...] = field(default=(), compare=False)
    mask: Position = field(default=(), compare=False)
    why: str = field(default="", compare=False)
    source: object = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known besides: conditions on parameters, and names of functions that take no value twice."""

    assumed: tuple[Condition, ...] = ()
    distinct: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Nest:
    """What a region executes."""

    points: tuple[Index, ...]
    accesses: tuple[Access, ...]
    facts: Facts = Facts()

    def of(self, array: str) -> tuple[Access, ...]:
        """The accesses of one array."""
        return tuple(a for a in self.accesses if a.array == array)


def negated(condition: Condition) -> Condition:
    """The opposite of a condition."""
    match condition:
        case Every(of=of):
            return Some(tuple(negated(c) for c in of))
        case Some(of=of):
            return Every(tuple(negated(c) for c in of))
        case Compare(form=form, op=">="):
            return Compare(form.times(-1) - _ONE, ">=")
        case Compare(form=form, op=op):
            return Compare(form, "!=" if op == "=" else "=")
    raise AssertionError(condition)


def always(condition: Condition) -> bool:
    """Whether a condition holds whatever the values in it are."""
    match condition:
        case Every(of=of):
            return all(always(c) for c in of)
        case Some(of=of):
            return any(always(c) for c in of)
    return False


def holds(name: str, args: tuple[Form, ...], shown: str = "") -> Condition:
    """A condition of which only is known that equal arguments decide it equally."""
    return Compare(atom(Application(name, args, True, shown)) - _ONE, "=")


def forms_of(condition: Condition) -> tuple[Form, ...]:
    """All forms in a condition."""
    if isinstance(condition, Compare):
        return (condition.form,)
    return tuple(f for c in condition.of for f in forms_of(c))


_ONE = number(1)


def target_of(pointer: str, array: str) -> str:
    """The name in a nest for what of an array a pointer is set to."""
    return f"{pointer} => {array}"

"""Output in regions that become kernels: points write records to a buffer, from which the host shows them.

A record has the number of its words, the point in the order of the loops, which statement it is of, and the values.
Texts stay in the host's statement, which is the user's but for the values. A buffer that is full takes no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hfpy.analyze.language.typed import Types
from hfpy.analyze.language.uses import meanings
from hfpy.model.expressions import Expr, Fragment, Literal, Star
from hfpy.model.kernel import KernelSpec, Parameter, Print
from hfpy.model.printing import character
from hfpy.model.scalars import Scalar
from hfpy.model.statements import InputOutput, OneLine, flatten
from hfpy.parse.expressions.fragments import fragment

if TYPE_CHECKING:
    from hfpy.backends.kernelspec import SpecBuilder

#: The words of a buffer, and those of a record before its values.
WORDS, HEAD = 65536, 3
_TYPES = ("integer", "logical", "real", "complex")


def prints_of(builder: SpecBuilder) -> Iterator[Print]:
    """The output of a region that kernels can have; the printers refuse any other. The buffer is a parameter."""
    facts, key = builder.facts, builder.key
    types = Types(facts.application, facts.scopes)
    body = builder.sharing.body.construct.body
    begins = {id(s.action): s.begin for s in flatten(body) if isinstance(s, OneLine)}
    located = {id(at.statement): at for at in facts.graph.statements[key]}
    count = 0
    for statement in flatten(body):
        at = located.get(id(statement))
        if not isinstance(statement, InputOutput) or at is None or not facts.live(at, key) or not _plain(statement):
            continue
        values = [item for item in statement.items if not _is_text(item)]
        typed = [types.expression(value, key, meanings(at)) for value in values]
        if any(t is None or t.base not in _TYPES or t.bytes is None or t.rank for t in typed):
            continue
        count += 1
        scalars = [Scalar(t.base, t.bytes) for t in typed if t is not None and t.bytes is not None]
        begin = begins.get(id(statement), 0)
        name = builder.names.name("hf_printed", "printed")
        text = _with_fetched(statement, begin, name, dict(zip(map(id, values), scalars, strict=True)))
        yield Print(statement.line.key, begin, count, name, tuple(zip(values, scalars, strict=True)), text)
    if count:
        one, last = (Fragment(text, fragment(text).expr) for text in ("1", str(WORDS)))
        whole, kind = ((one, last),), Scalar("integer", 8)
        builder.variables[name] = Parameter("array", "printed", name, kind, name, "inout", whole, (0,), lent=True)


def _plain(statement: InputOutput) -> bool:
    """Whether a statement writes to the default unit, by a format that is a constant."""
    if statement.kind == "print":
        return statement.form is not None and _is_format(statement.form)
    control = statement.control
    return statement.kind == "write" and len(control) == 2 and isinstance(control[0], Star) and _is_format(control[1])


def _is_text(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.kind == "char"


def _is_format(expr: Expr) -> bool:
    return isinstance(expr, Star) or _is_text(expr)


def words(scalars: tuple[Scalar, ...]) -> int:
    """The words of a record."""
    return HEAD + sum(1 + (s.base == "complex") for s in scalars)


def _with_fetched(statement: InputOutput, begin: int, name: str, scalars: dict[int, Scalar]) -> str:
    """A statement with values from a record in the places of its own."""
    text, position, word = "", begin, HEAD
    for item in statement.items:
        if id(item) in scalars:
            text += statement.line.text[position : item.start] + _fetched(scalars[id(item)], name, word)
            position = item.end
            word += 1 + (scalars[id(item)].base == "complex")
    end = statement.items[-1].end if statement.items else len(statement.line.text)
    return text + statement.line.text[position:end]


def _fetched(scalar: Scalar, name: str, word: int) -> str:
    """A value of a record as Fortran text."""
    given = f"{name}(hf_at + {word})"
    if scalar.base == "integer":
        return f"int({given}, {scalar.bytes})"
    if scalar.base == "logical":
        return f"logical({given} /= 0, {scalar.bytes})"
    real = Scalar("real", scalar.bytes)
    if scalar.base == "complex":
        return f"cmplx({_fetched(real, name, word)}, {_fetched(real, name, word + 1)}, {scalar.bytes})"
    return f"transfer({given}, 0.0_8)" if scalar.bytes == 8 else f"transfer(int({given}, 4), 0.0_4)"


def shown(spec: KernelSpec) -> tuple[list[str], list[str]]:
    """What is before the call of a kernel, in a block with its buffer, and after it what shows the records."""
    name = spec.prints[0].parameter
    before = [
        "use, intrinsic :: iso_fortran_env, only: hf_errors => error_unit",
        f"integer(8), allocatable :: {name}(:)",
        "integer, allocatable :: hf_order(:)",
        "integer :: hf_at, hf_record",
        f"allocate({name}({WORDS}))",
        f"{name} = 0",
    ]
    after = [
        f"call hf_order_printed({name}, hf_order)",
        "do hf_record = 1, size(hf_order)",
        "  hf_at = hf_order(hf_record)",
        f"  select case ({name}(hf_at + 2))",
    ]
    for made in spec.prints:
        after += [f"  case ({made.number})", f"    {made.statement}"]
    reported = f"hfpy: {spec.place}: kernel {spec.name} has printed more than fits; the rest is lost"
    after += [
        "  end select",
        "end do",
        f"if ({name}(1) >= {WORDS}) write (hf_errors, '(a)') {character(reported)}",
    ]
    return before, after

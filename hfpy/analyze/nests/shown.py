"""Expressions of a nest as messages show them, and parts of arrays as texts with gaps."""

from __future__ import annotations

from hfpy.analyze.dependence.forms import Form
from hfpy.analyze.dependence.model import Section, Subscript
from hfpy.model.expressions import Apply, Binary, Component, Expr, Keyword, Literal, Name, Paren, Range, Unary


def part_text(array: str, places: tuple[Subscript, ...], forms: list[Form]) -> str:
    """Some elements of an array as a text with gaps."""
    text, listed = array, list[str]()
    for place in (*places, None):
        match place:
            case Form():
                forms.append(place)
                listed.append("#")
            case Section(lower=lower, upper=upper, step=step):
                forms += [end for end in (lower, upper) if end is not None]
                listed.append(":".join(("#" if lower is not None else "", "#" if upper is not None else "", str(step))))
            case _:
                text += f"({','.join(listed)})" if set(listed) - {"#"} else ""
                text, listed = text + (f"%{place.name}" if place is not None else ""), []
    return text


def show(expr: Expr) -> str:
    """An expression as messages show it."""
    match expr:
        case Name(name=name):
            return name
        case Literal(text=text):
            return text
        case Paren(inner=inner):
            return f"({show(inner)})"
        case Apply(base=base, args=args):
            return f"{show(base)}({', '.join(show(a) for a in args)})"
        case Component(base=base, name=name):
            return f"{show(base)}%{name}"
        case Binary(op=op, left=left, right=right):
            return f"{show(left)} {op} {show(right)}"
        case Unary(op=op, operand=operand):
            return f"{op}{show(operand)}" if op in ("+", "-") else f"{op} {show(operand)}"
        case Keyword(name=name, value=value):
            return f"{name}={show(value)}"
        case Range(lower=lower, upper=upper):
            return f"{show(lower) if lower else ''}:{show(upper) if upper else ''}"
    return "…"

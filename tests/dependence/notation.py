"""Nests in a small notation, as the engine's model and as something that runs.

``Do``, ``If`` and ``Set`` make a tree whose expressions are Python's, so that the two readings share nothing: one makes
forms, the other computes numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hfpy.analyze.dependence.forms import (
    Application,
    Form,
    Index,
    Parameter,
    atom,
    extreme,
    number,
    quotient,
    remainder,
)
from hfpy.analyze.dependence.model import (
    Access,
    Compare,
    Condition,
    Every,
    Facts,
    Instance,
    Loop,
    Nest,
    Section,
    Some,
    Value,
    holds,
    negated,
)


@dataclass
class Do:
    var: str
    lower: str
    upper: str
    body: list
    step: str = "1"


@dataclass
class If:
    condition: str
    then: list
    other: list


@dataclass
class Set:
    """Reads happen before writes; ``value`` names what is written, where that is known."""

    writes: list
    reads: list
    value: str = ""


def do(var, lower, upper, *body, step="1"):
    return Do(var, lower, upper, list(body), step)


def when(condition, *then, other=()):
    return If(condition, list(then), list(other))


def put(writes, *reads, value=""):
    return Set([writes] if isinstance(writes, str) else list(writes), list(reads), value)


# -- as the model


def nest(body: list, points: list[str], assumed: tuple[str, ...] = (), distinct: tuple[str, ...] = ()) -> Nest:
    """The model of a tree; ``assumed`` are comparisons of parameters."""
    accesses = tuple(_accesses(body, (), (), (), {}))
    conditions = tuple(condition(ast.parse(t, mode="eval").body, {}) for t in assumed)
    indices = {loop.index for a in accesses for loop in a.at.loops}
    return Nest(
        tuple(Index(p) for p in points if Index(p) in indices), accesses, Facts(conditions, frozenset(distinct))
    )


def _accesses(body, loops, guards, position, names) -> Iterator[Access]:
    for place, node in enumerate(body):
        here = (*position, place)
        if isinstance(node, Do):
            index = Index(node.var if not position or node.var not in names else f"{node.var}_{here}")
            inner = {**names, node.var: atom(index)}
            loop = Loop(index, form(node.lower, names), form(node.upper, names), form(node.step, names))
            yield from _accesses(node.body, (*loops, loop), guards, (*here, index), inner)
        elif isinstance(node, If):
            tested = condition(ast.parse(node.condition, mode="eval").body, names)
            yield from _accesses(node.then, loops, (*guards, tested), (*here, 0), names)
            yield from _accesses(node.other, loops, (*guards, negated(tested)), (*here, 1), names)
        else:
            value = Value("", (form(node.value, names),)) if node.value else None
            for order, (texts, write) in enumerate(((node.reads, False), (node.writes, True))):
                for text in texts:
                    tree = ast.parse(text, mode="eval").body
                    name = tree.id if isinstance(tree, ast.Name) else tree.func.id
                    args = () if isinstance(tree, ast.Name) else tree.args
                    at = Instance(loops, guards, (*here, order))
                    given = value if write else None
                    yield Access(name, tuple(_subscript(a, names) for a in args), write, at, value=given, source=text)


def _subscript(tree, names):
    if isinstance(tree, ast.Call) and tree.func.id == "R":
        bounds = [_form(a, names) for a in tree.args]
        return Section(*bounds)
    return _form(tree, names)


def form(text: str, names: dict[str, Form]) -> Form:
    return _form(ast.parse(text, mode="eval").body, names)


def _form(tree, names) -> Form:
    match tree:
        case ast.Constant(value=value):
            return number(value)
        case ast.Name(id=name):
            return names.get(name) or atom(Parameter(name))
        case ast.UnaryOp(operand=operand):
            return _form(operand, names).times(-1)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _form(left, names), _form(right, names)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return quotient(a, b.constant)
        case ast.Call(func=ast.Name(id=name), args=args):
            forms = tuple(_form(a, names) for a in args)
            if name == "mod":
                return remainder(forms[0], forms[1].constant)
            return extreme(name, forms) if name in ("min", "max") else atom(Application(name, forms))
    raise ValueError(ast.dump(tree))


def condition(tree, names) -> Condition:
    match tree:
        case ast.BoolOp(op=op, values=values):
            return (Every if isinstance(op, ast.And) else Some)(tuple(condition(v, names) for v in values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return negated(condition(operand, names))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            difference = _form(left, names) - _form(right, names)
            match op:
                case ast.Eq():
                    return Compare(difference, "=")
                case ast.NotEq():
                    return Compare(difference, "!=")
                case ast.GtE():
                    return Compare(difference, ">=")
                case ast.Gt():
                    return Compare(difference - number(1), ">=")
                case ast.LtE():
                    return Compare(difference.times(-1), ">=")
                case ast.Lt():
                    return Compare(difference.times(-1) - number(1), ">=")
        case ast.Call(func=ast.Name(id=name), args=args):
            return holds(name, tuple(_form(a, names) for a in args))
    raise ValueError(ast.dump(tree))


# -- as something that runs

Touched = tuple[dict[str, int], str, tuple[int, ...], bool]


def run(body: list, names: dict[str, int], function: Callable[[str, tuple[int, ...]], int]) -> list[Touched]:
    """What the tree touches: (indices, array, element, whether it is written), in order."""
    found: list[Touched] = []
    _run(body, names, function, found)
    return found


def _run(body, names, function, found) -> None:
    for node in body:
        if isinstance(node, Do):
            low, high, step = (_number(t, names, function) for t in (node.lower, node.upper, node.step))
            for value in range(low, high + (1 if step > 0 else -1), step):
                _run(node.body, {**names, node.var: value}, function, found)
        elif isinstance(node, If):
            _run(node.then if _number(node.condition, names, function) else node.other, names, function, found)
        else:
            for texts, write in ((node.reads, False), (node.writes, True)):
                for text in texts:
                    array, subscripts = _parts(text)
                    places: list[tuple[int, ...]] = [()]
                    for bounds in subscripts:
                        values = [_number(b, names, function) for b in bounds]
                        taken = range(values[0], values[-1] + 1)
                        places = [(*p, t) for p in places for t in taken]
                    found += [(names, array, p, write) for p in places]


_CODES: dict[str, object] = {}
_PARTS: dict[str, tuple[str, list[list[str]]]] = {}


def _parts(text: str) -> tuple[str, list[list[str]]]:
    """The name of an array, and the text of its subscripts: one, or the bounds of a section."""
    if text not in _PARTS:
        tree = ast.parse(text, mode="eval").body
        if isinstance(tree, ast.Name):
            _PARTS[text] = tree.id, []
        else:
            sections = (a.args if isinstance(a, ast.Call) and a.func.id == "R" else [a] for a in tree.args)
            _PARTS[text] = tree.func.id, [[ast.unparse(b) for b in bounds] for bounds in sections]
    return _PARTS[text]


class _Python(ast.NodeTransformer):
    """Fortran's division, and functions by their names."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            return ast.Call(ast.Name("_cut", ast.Load()), [node.left, node.right], [])
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if node.func.id in ("min", "max", "mod"):
            return node
        args = ast.Tuple(node.args, ast.Load())
        return ast.Call(ast.Name("_function", ast.Load()), [ast.Constant(node.func.id), args], [])


def _number(text: str, names, function) -> int:
    if text not in _CODES:
        tree = ast.fix_missing_locations(_Python().visit(ast.parse(text, mode="eval")))
        _CODES[text] = compile(tree, text, "eval")
    return eval(_CODES[text], {"_cut": _cut, "_function": function, "mod": lambda a, b: a - b * _cut(a, b)}, names)


def _cut(a: int, b: int) -> int:
    result = abs(a) // abs(b)
    return result if (a >= 0) == (b >= 0) else -result


def meets(touched: list[Touched], points: list[str], array: str) -> bool:
    """Whether two points meet in an element that one of them writes."""
    seen: dict[tuple[int, ...], set[tuple[tuple[int, ...], bool]]] = {}
    for names, name, element, write in touched:
        if name == array:
            seen.setdefault(element, set()).add((tuple(names[p] for p in points), write))
    return any(len({p for p, _ in found}) > 1 and any(w for _, w in found) for found in seen.values())


def reads_from_outside(touched: list[Touched], points: list[str], array: str) -> bool:
    """Whether a point reads an element that it has not set before."""
    done = set()
    for names, name, element, write in touched:
        if name != array:
            continue
        key = (tuple(names[p] for p in points), element)
        if write:
            done.add(key)
        elif key not in done:
            return True
    return False

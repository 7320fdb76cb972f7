"""``stop`` and ``error stop`` in regions that become kernels: each tells the host by a scalar of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hfpy.model.expressions import names_in
from hfpy.model.kernel import Parameter, Stop
from hfpy.model.scalars import INTEGER
from hfpy.model.statements import Jump, flatten

if TYPE_CHECKING:
    from hfpy.backends.kernelspec import SpecBuilder


def stops_of(builder: SpecBuilder) -> Iterator[Stop]:
    """The statements in a region that end the run, but for those with a code that is no constant, which the printers
    refuse. What tells that a point has come to one is a parameter that comes back.
    """
    facts, key = builder.facts, builder.key
    located = {id(at.statement): at for at in facts.graph.statements[key]}
    for statement in flatten(builder.sharing.body.construct.body):
        at = located.get(id(statement))
        if not isinstance(statement, Jump) or statement.kind not in ("stop", "errorstop"):
            continue
        names = {name for e in statement.exprs for name in names_in(e)}
        found = [facts.scopes.variable(name, key) for name in names]
        if at is None or not facts.live(at, key) or any(f is None or not f.symbol.constant for f in found):
            continue
        line = statement.line
        code = ", ".join(line.text[e.start : e.end] for e in statement.exprs)
        text = builder.names.name("hf_stopped", ("stop", line.key))
        builder.variables[text] = Parameter("result", "stop", text, INTEGER, text, "inout")
        word = "stop" if statement.kind == "stop" else "error stop"
        yield Stop(line.key, text, f"{word} {code}".rstrip(), facts.application.shown_place(key, line))

"""Types of variables as declarations in any routine may give them."""

from __future__ import annotations

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.transform.columns.common import NUMBERS, refused


def plain_type(facts: Facts, key: str, name: str) -> str:
    """The type of a variable with its kind as a number. Raises Refused where it is not known."""
    data = facts.object(name, key)
    place = facts.routine(key).place()
    if data is None or data.symbol.type.base not in NUMBERS:
        raise refused(f"'{name}' is no number", place)
    ftype = data.symbol.type
    scalar = Kinds(facts.scopes, facts.application.options.kinds).scalar(ftype, data.home)
    if scalar is None:
        raise refused(f"the kind of '{name}' is not known", place)
    return f"{ftype.base}({scalar.bytes})" if not ftype.default else ftype.base

"""The variables of namelists: a statement of input or output that names one reads or sets them without their names."""

from __future__ import annotations

from hfpy.analyze.language.scopes import Found, Scopes
from hfpy.analyze.language.uses import named_list
from hfpy.model.statements import InputOutput


def listed_variables(name: str, key: str, scopes: Scopes, seen: frozenset[str] = frozenset()) -> tuple[Found, ...]:
    """The variables of the namelist that a name means in a unit; none if it means something else."""
    routine = scopes.application.routines.get(key)
    if routine is None or key in seen:
        return ()
    groups = [g for g in routine.spec.groups if g.kind == "namelist" and g.name == name]
    if groups:
        found = (scopes.variable(member, key) for group in groups for member in group.members)
        return tuple(f for f in found if f is not None)
    others = [(scopes.modules.get(module), remote) for module, remote in scopes.sources(name, key)]
    others.append((routine.host, name))
    for home, there in others:
        if home and (listed := listed_variables(there, home, scopes, seen | {key})):
            return listed
    return ()


def listed_by(statement: InputOutput, key: str, scopes: Scopes) -> tuple[Found, ...]:
    """The variables of the namelist that a statement names."""
    name = named_list(statement)
    if name is None or not scopes.in_namelists:
        return ()
    return listed_variables(name.name, key, scopes)


def names_listed(statement: InputOutput, key: str, scopes: Scopes) -> tuple[str, ...]:
    """The names in a unit of those that it knows by their own ones. Others may have a name that ``use`` gives them."""
    found = listed_by(statement, key, scopes)
    return tuple(f.symbol.name for f in found if scopes.variable(f.symbol.name, key) == f)

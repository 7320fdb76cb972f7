"""The file that ``hfpy scale`` reads: a machine and a program in figures."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar

from hfpy.diagnostics import UsageError
from hfpy.options import CPU
from hfpy.scale.network import SHARED_MEMORY, Network
from hfpy.scale.prediction import Computer, Exchange, Program
from hfpy.values import dataclass

Made = TypeVar("Made")


@dataclass(frozen=True)
class Plan:
    """What is to be predicted: its ``name``, and the numbers of processes."""

    name: str
    program: Program
    computer: Computer
    processes: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


def read_plan(path: Path) -> Plan:
    """The plan of a file. Raises UsageError, with the key, for one that is not as docs/scale.md says."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise UsageError(f"'{path}' cannot be read: {fault}") from None
    reader = _Reader(path)
    reader.only(data, "", ("name", "processes", "machine", "program", "exchange"))
    listed = data.get("exchange", [])
    if not isinstance(listed, list):
        raise reader.wrong("exchange", "tables [[exchange]]")
    exchanges = tuple(reader.made(Exchange, one, f"exchange {n}") for n, one in enumerate(listed, 1))
    program = reader.made(Program, {**reader.table(data, "program"), "exchanges": exchanges}, "program")
    if not 1 <= len(program.grid) <= 2 or len(program.periodic) < len(program.grid):
        raise reader.wrong("program.grid", "one or two sizes, and periodic as many")
    if program.contiguous > len(program.grid):
        raise reader.wrong("program.contiguous", "the number of a domain of the grid, or 0")
    plan = Plan(str(data.get("name", path.stem)), program, reader.computer(reader.table(data, "machine")))
    processes = data.get("processes", list(plan.processes))
    if not isinstance(processes, list) or not processes or not all(_is_count(n) for n in processes):
        raise reader.wrong("processes", "a list of numbers above 0")
    return Plan(plan.name, program, plan.computer, tuple(sorted(set(processes))))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


@dataclass(frozen=True)
class _Reader:
    """Tables of the file as values."""

    path: Path

    def wrong(self, key: str, wanted: str) -> UsageError:
        """An entry that is something else."""
        return UsageError(f"'{self.path}': {key} must be {wanted}; see docs/scale.md")

    def only(self, table: Mapping[str, Any], where: str, known: tuple[str, ...]) -> None:
        """Refuse other keys."""
        for key in table:
            if key not in known:
                raise UsageError(f"'{self.path}': unknown key '{where}{key}'; known are {', '.join(known)}")

    def table(self, data: Mapping[str, Any], key: str) -> dict[str, Any]:
        """A table, which has to be there."""
        found = data.get(key)
        if not isinstance(found, dict):
            raise self.wrong(key, f"a table [{key}]")
        return dict(found)

    def made(self, kind: type[Made], table: Mapping[str, Any], where: str) -> Made:
        """A value of a class from the entries for its fields."""
        listed = fields(kind)  # type: ignore[arg-type]
        self.only(table, f"{where}.", tuple(f.name for f in listed))
        values = {}
        for one in listed:
            value = table.get(one.name, MISSING)
            if value is MISSING:
                if one.default is MISSING and one.default_factory is MISSING:
                    raise self.wrong(f"{where}.{one.name}", "there")
                continue
            if one.name in ("grid", "periodic"):
                kind_of_one = bool if one.name == "periodic" else int
                if not isinstance(value, list) or not all(isinstance(v, kind_of_one) for v in value):
                    raise self.wrong(f"{where}.{one.name}", "a list")
                value = tuple(value)
            elif one.name == "corners":
                if not isinstance(value, bool):
                    raise self.wrong(f"{where}.{one.name}", "true or false")
            elif not isinstance(value, (tuple, Network)):
                whole = one.type == "int"
                if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or value < 0:
                    raise self.wrong(f"{where}.{one.name}", "a whole number" if whole else "a number")
            values[one.name] = value
        return kind(**values)

    def computer(self, table: dict[str, Any]) -> Computer:
        """The machine: by itself, or over the figures of a file of ``hfpy probe``."""
        measured = table.pop("file", None)
        known = {"memory": CPU.bandwidth, "rate": CPU.rate, "launch": CPU.launch}
        network = {f.name: getattr(SHARED_MEMORY, f.name) for f in fields(Network)}
        if measured is not None:
            found = self.measured(measured)
            names = {"memory": "bandwidth", "rate": "rate", "launch": "launch"}
            known |= {name: found.get("cpu", {}).get(key, known[name]) for name, key in names.items()}
            network |= found.get("network", {})
        own = {name: table.pop(name) for name in list(table) if name in network}
        made = self.made(Network, {**network, **own}, "machine")
        if made.bandwidth <= 0:
            raise self.wrong("machine.bandwidth", "above 0")
        computer = self.made(Computer, {**known, **table, "network": made}, "machine")
        if min(computer.memory, computer.rate) <= 0:
            raise self.wrong("machine.memory and machine.rate", "above 0")
        return computer

    def measured(self, name: object) -> dict[str, Any]:
        """What ``hfpy probe`` has written."""
        if not isinstance(name, str):
            raise self.wrong("machine.file", "a path")
        path = self.path.parent / name
        try:
            found = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as fault:
            raise UsageError(f"'{path}' cannot be read: {fault}") from None
        if not isinstance(found, dict):
            raise UsageError(f"'{path}' is no result of hfpy probe")
        return found

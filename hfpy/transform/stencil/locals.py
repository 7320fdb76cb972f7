"""Names for the new local variables of a routine, with their declarations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from hfpy.model.names import cut, stem
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.text.physical import names_in_file, names_in_rows
from hfpy.values import dataclass

_ROW = 100


@dataclass
class Locals:
    """New names and what they are declared as; ``taken`` are names that the routine sees already."""

    taken: frozenset[str]
    types: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, str] = field(default_factory=dict)
    origins: dict[str, tuple[str, str]] = field(default_factory=dict)

    def scalar(self, base: str, suffix: str, type_text: str) -> str:
        """A scalar: the same name for the same base, suffix and type."""
        return self._name(base, suffix, type_text, "")

    def like(self, name: str, suffix: str) -> str:
        """A scalar like another new one, or a logical one for the suffix ``mask``."""
        type_text = "logical" if suffix == "mask" else self.types[name]
        return self._name(stem(name), f"_{suffix}", type_text, "")

    def array(self, base: str, suffix: str, type_text: str, shape: str) -> str:
        """An array: the same name for the same base, suffix, type and shape."""
        return self._name(base, suffix, type_text, shape)

    def new(self, base: str, suffix: str) -> str:
        """A name that is declared in another way, as of an import."""
        return self._name(base, suffix, "", "")

    def _name(self, base: str, suffix: str, type_text: str, shape: str) -> str:
        long = f"hf_{base}{suffix}"
        wanted = cut(long)
        known = (type_text, shape, (base, suffix))
        while wanted in self.taken or self._meaning(wanted, known) != known:
            long += "x"
            wanted = cut(long)
        self.origins[wanted] = (base, suffix)
        self.types[wanted] = type_text
        self.shapes[wanted] = shape
        return wanted

    def _meaning(self, name: str, new: tuple[str, str, tuple[str, str]]) -> tuple[str, str, tuple[str, str]]:
        """What a name has been made for: type, shape, and base with suffix, as two may give the same text."""
        return (self.types[name], self.shapes[name], self.origins[name]) if name in self.types else new

    @classmethod
    def of(cls, index: FileIndex, routine: Routine | None = None) -> Locals:
        """New names beside all that mean something in a file's text, or in that of a routine in it."""
        lines = index.source.lines
        if routine is None:
            return cls(names_in_file(lines))
        last = routine.end.last if routine.end is not None else routine.header.first
        return cls(names_in_rows(lines[routine.header.first : last + 1]))

    @property
    def arrays(self) -> set[str]:
        """The names of arrays."""
        return {n for n, shape in self.shapes.items() if shape}

    def declarations(self, used: set[str]) -> Iterator[str]:
        """Declarations of the names among ``used``: scalars of one type in rows, arrays one by one."""
        names = [n for n in self.types if n in used and self.types[n]]
        for type_text in dict.fromkeys(self.types[n] for n in names):
            row = ""
            for name in (n for n in names if self.types[n] == type_text and not self.shapes[n]):
                if row and len(row) + len(name) > _ROW:
                    yield row
                    row = ""
                row = f"{row}, {name}" if row else f"{type_text} :: {name}"
            if row:
                yield row
        for name in (n for n in names if self.shapes[n]):
            yield f"{self.types[name]} :: {name}({self.shapes[name]})"

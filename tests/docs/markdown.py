"""The examples of a document: fenced blocks whose info string says what they are.

    ```fortran heat.h90              a file of the section; it is translated and compiled, and run if it is a program
    ```fortran heat.h90 refused      a file that hfpy refuses (after "with": by these options)
    ```fortran plain.f90 by hand     a file that is only written (for commands, or for the compiler)
    ```fortran from heat.F90         lines that are, one after the other, in the text generated from the section
    ```fortran from heat.F90 with --backend sequential
                                     the same, generated with further options
    ```text printed                  what the section's program prints, with every backend
    ```console                       commands after ``$``, run in the section's folder, and what they print; ``python``
                                     is the one that runs the tests
    ```toml hfpy.toml                a file of the section, as for Fortran; any other language and name likewise

A section is what is between two headings of the second level. Blocks with nothing after their language are
not examples. Sections whose commands need CMake are skipped where there is none. In what commands print, and in lines
``from`` a file, a line ``...`` means any lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_FENCE = re.compile(r"^```(\w*)[ \t]*(.*)$")


@dataclass(frozen=True)
class Block:
    """A fenced block: language, the words after it, its text, and the line of the document that it begins on."""

    language: str
    info: str
    text: str
    line: int

    @property
    def file(self) -> str:
        """The name of the file that the block is, or empty."""
        first = self.info.split(" ")[0]
        return first if "." in first else ""

    @property
    def marks(self) -> str:
        """What is after the file name."""
        return self.info.partition(" ")[2]


@dataclass
class Section:
    """Blocks under one heading."""

    title: str
    blocks: list[Block] = field(default_factory=list)


def sections(path: Path) -> list[Section]:
    """The sections of a document that hold examples."""
    found = [Section("")]
    lines = path.read_text(encoding="utf-8").split("\n")
    index = 0
    while index < len(lines):
        fence = _FENCE.match(lines[index])
        if fence:
            first = index + 1
            index = lines.index("```", first)
            block = Block(fence[1], fence[2].strip(), "\n".join(lines[first:index]) + "\n", first)
            if block.info or block.language == "console":
                found[-1].blocks.append(block)
        elif lines[index].startswith("## "):
            found.append(Section(lines[index][3:].strip()))
        index += 1
    return [section for section in found if section.blocks]


def holds(wanted: str, got: str) -> bool:
    """Whether the lines wanted are the lines got; ``...`` means any."""
    pieces = [re.escape(line.rstrip()) for line in wanted.rstrip("\n").split("\n")]
    pattern = "".join(r"(?:.*\n)*?" if piece == re.escape("...") else piece + r"\n" for piece in pieces)
    text = "".join(line.rstrip() + "\n" for line in got.rstrip("\n").split("\n"))
    return re.fullmatch(pattern, text) is not None


def stands_in(wanted: str, got: str) -> bool:
    """Whether the lines wanted are in a text, one after the other; ``...`` means any lines between."""
    return bool(wanted.strip()) and holds(f"...\n{wanted.rstrip()}\n...", got)

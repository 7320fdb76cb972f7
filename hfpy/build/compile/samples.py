"""``hfpy annotate --profile``: one sequential build of the program as it is, run once, with samples of where it is.

Samples need no change of the sources: what is in a called routine, inlined or not, counts for the loops around the
calls, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from hfpy.build import codes
from hfpy.build.compile.addresses import lines_at
from hfpy.build.compile.messages import Origin
from hfpy.build.compile.tools import Tools
from hfpy.build.environment import program_environment
from hfpy.diagnostics import ToolError
from hfpy.values import dataclass

FOLDER = "HFPY_SAMPLES"
ENOUGH = 100  # with fewer samples a share is wrong by more than a tenth
_BEGIN = "hfy_samples_begin"  # nothing in the program calls it

Line = tuple[Path, int]
Stack = tuple[int, ...]


def sampling(tools: Tools) -> Tools:
    """The tools of a build whose lines are known from addresses, linked with what takes samples."""
    linked = (f"-Wl,-u,{_BEGIN}", *tools.link_flags)
    return replace(tools, fortran_flags=(*tools.fortran_flags, "-g"), link_flags=linked)


@dataclass(frozen=True)
class Samples:
    """How often the program was where: by the lines of the user's files (whole paths) that were being executed, each
    in a routine that another line called.
    """

    stacks: tuple[tuple[frozenset[Line], int], ...]

    @cached_property
    def count(self) -> int:
        """How many samples there are."""
        return sum(times for _, times in self.stacks)

    def share(self, file: Path, first: int, last: int) -> float:
        """Which part of the time was spent in some lines of a file, or in what they call."""
        inside = (times for lines, times in self.stacks if any(f == file and first <= n <= last for f, n in lines))
        return sum(inside) / self.count if self.count else 0.0


def run_sampled(command: Sequence[str], program: Path, origins: Iterable[Origin]) -> Samples:
    """Run a program that was built to be sampled, by a command (of a launcher, too); what it prints goes to the error
    stream.

    Raises ToolError if it cannot be run, or ends with a status.
    """
    with tempfile.TemporaryDirectory(prefix="hfpy-samples-") as temporary:
        environment = {**program_environment(os.environ), FOLDER: temporary, "OMP_NUM_THREADS": "1"}
        try:
            status = subprocess.run(command, env=environment, stdout=sys.stderr.fileno(), check=False).returncode
        except OSError as fault:
            raise ToolError(f"error {codes.TOOL_FAILED}: '{command[0]}' cannot be run: {fault.strerror}") from None
        if status:
            raise ToolError(f"error {codes.TOOL_FAILED}: the program ended with status {status}")
        stacks = Counter(s for path in sorted(Path(temporary).glob("*.samples")) for s in _stacks(path.read_bytes()))
    by_name = {o.generated.name: o for o in origins}
    at = lines_at(program, {code for stack in stacks for code in stack})
    lines = {code: [_line(path, number, by_name) for path, number in found] for code, found in at.items()}
    return Samples(
        tuple((frozenset(line for code in stack for line in lines[code]), times) for stack, times in stacks.items())
    )


def _stacks(data: bytes) -> Iterator[Stack]:
    """The samples of one process: addresses in the executable. The last one may have been cut off."""
    words = array("Q")
    words.frombytes(data[: len(data) // words.itemsize * words.itemsize])
    at = 0
    while at < len(words):
        count = words[at]
        yield tuple(words[at + 1 : at + 1 + count])
        at += 1 + count


def _line(path: Path, number: int, origins: Mapping[str, Origin]) -> Line:
    origin = origins.get(path.name)
    if origin is None:
        return path.resolve(), number
    return origin.source.resolve(), origin.line(number)[0]

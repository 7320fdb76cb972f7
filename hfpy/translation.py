"""What a translation yields, as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hfpy.diagnostics import Diagnostic
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.commands.tables import Table
    from hfpy.insight.survey import Survey
    from hfpy.options import Outside
    from hfpy.transform.loops.verdicts import Automatic


#: The module of the runtime by which programs bring arrays to the device.
ARRAYS_MODULE = "hfpy_arrays"
#: The module of the runtime that programs for many processes use.
PROCESSES_MODULE = "hfpy_processes"
Language = Literal["fortran", "cuda-c", "cuda-fortran", "hip", "opencl"]
#: Languages of kernels that a compiler of C++, or one derived from it, compiles.
C_LANGUAGES: frozenset[Language] = frozenset({"cuda-c", "hip", "opencl"})


@dataclass(frozen=True)
class Contents:
    """What the build has to know about a generated file, in whose text it does not look (names in lower case).

    ``provides`` and ``uses`` are modules, those of hfpy's runtime included, ``programs`` main programs. ``kernels`` are
    the names by which a driver finds the kernels. ``selections`` asks for the flags for what the optimiser makes of
    branches, ``block_data`` for an object that is linked by name, ``submodules`` for the object files of the modules
    used, ``preprocessed`` for the preprocessor, and ``free_form`` for free form, which the name of the file does not
    ask for. ``sharing`` are the backends of regions that work on device memory of hfpy's.
    """

    language: Language = "fortran"
    provides: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    selections: bool = False
    block_data: bool = False
    submodules: bool = False
    sharing: tuple[str, ...] = ()
    preprocessed: bool = False
    free_form: bool = False

    def using(self, more: Iterable[str]) -> Contents:
        """The same with further modules used; those of its own are none."""
        names = dict.fromkeys((*self.uses, *more))
        return replace(self, uses=tuple(name for name in names if name not in self.provides))

    def with_added(self, added: Contents) -> Contents:
        """The same with what hfpy has put into the file."""
        made = replace(
            self,
            provides=(*self.provides, *added.provides),
            selections=self.selections or added.selections,
            sharing=(*self.sharing, *added.sharing),
        )
        return made.using(added.uses)


@dataclass(frozen=True)
class GeneratedFile:
    """One file that comes out: the user's file, its output name, text, for each output line the source line (0: none),
    and what the build has to know about it.
    """

    source: Path
    name: str
    text: str
    line_map: tuple[int, ...]
    contents: Contents = Contents()


@dataclass(frozen=True, repr=False)  # it has the text of all files
class Translation:
    """The result of a translation; ``files`` is empty if there are errors.

    ``beside`` are files for the compiler to include. ``explained`` says what is known of a routine (None: of all), in
    lines and tables. ``kernels`` shows the regions after a pass of the optimiser, by
    its name. ``survey`` tells what is known of the program, None if it could not be read, ``loops`` what became of its
    plain loops, None if regions were not looked for, and ``faults`` what compilers would find, with what is known of
    the surroundings of the sources.
    """

    files: tuple[GeneratedFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    explained: Callable[[str | None], Sequence[str | Table]] = lambda _name: ()
    openmp: bool = False
    beside: tuple[GeneratedFile, ...] = ()
    schedule: Callable[[str | None], str] = lambda _name: ""
    kernels: Callable[[str, str | None], str] = lambda _pass, _name: ""
    survey: Callable[[], Survey | None] = lambda: None
    loops: Callable[[], Automatic | None] = lambda: None
    faults: Callable[[Outside], tuple[Diagnostic, ...]] = lambda _outside: ()

    def explain(self, name: str | None) -> str:
        """What is known of a routine (None: of all), as text."""
        from hfpy.commands.tables import as_text

        return as_text(self.explained(name), blank=False)

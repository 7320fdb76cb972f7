"""What the optimiser costs itself: its own time, and what its output takes the compiler more than plain loops."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from hfpy.analyze.analysis import analyse
from hfpy.analyze.effects.effects import Effects
from hfpy.build.compile.compilers import find_compiler
from hfpy.build.files import read_json
from hfpy.build.translated import STATE
from hfpy.options import Options
from hfpy.parse.application import read_application
from hfpy.transform.pipelines import LEVELS, lowered
from hfpy.transform.stencil.optimise import Fused

OPERATOR = "fv3::fvtp2d"
STAGES = 18
MOST_SECONDS = 2.0  # issue 4, section 5
MOST_TIMES = 1.5
_FILES = ("cosmo", "fv3", "vertical")

Runner = Callable[[Sequence[str | Path], Path], object]


@dataclass(frozen=True)
class Costs:
    """Seconds: of the optimiser for the operator of 18 stages and for all kernels; of the compiler for the kernels as
    generated and plain.
    """

    operator: float
    kernels: float
    generated: float
    plain: float

    def text(self) -> str:
        """What is shown, with what it is held against."""
        return (
            f"the optimiser's own time: {self.operator:.2f} s for the operator of {STAGES} stages (at most "
            f"{MOST_SECONDS:g} s is asked for), {self.kernels:.2f} s for all kernels\n"
            f"compile time: {self.generated:.2f} s generated, {self.plain:.2f} s plain, "
            f"{self.generated / self.plain:.2f} times as long (at most {MOST_TIMES:g})"
        )


def costs(project: Path, compiler: str, flags: str, level: int, rounds: int, run: Runner) -> Costs:
    """Measure them in a built copy of the sample; medians of ``rounds``."""
    sources = sorted((project / "source").iterdir())
    times = [(optimiser_time(sources, level, OPERATOR), optimiser_time(sources, level)) for _ in range(rounds)]
    build = project / "build" / "cpu-openmp"
    words = [compiler, *flags.split(), "-cpp", "-fopenmp"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        generated = [build / "generated" / f"{name}.F90" for name in _FILES]
        plain = [project / "reference" / f"{name}.f90" for name in _FILES]
        before = [project / "source" / "kinds.F90", project / "reference" / "scratch.f90"]
        for path in before:
            _compile(words, path, build / "modules", folder, run)
        pairs = []
        for _ in range(rounds):
            one = sum(_compile(_held(words, path), path, build / "modules", folder, run) for path in generated)
            pairs.append((one, sum(_compile(words, path, folder, folder, run) for path in plain)))
    middle = [statistics.median(column) for column in (*zip(*times, strict=True), *zip(*pairs, strict=True))]
    return Costs(*middle)


def optimiser_time(sources: Sequence[Path], level: int, only: str = "") -> float:
    """The seconds that the optimiser takes for all routines of some files, or for one of them."""
    options = Options(backend="openmp", opt=level, layout="i j k")
    fortran = [path for path in sources if path.suffix in (".h90", ".f90", ".F90")]
    application, _ = read_application(fortran, options)
    if only:
        kept = {k: r for k, r in application.routines.items() if k == only or r.kind == "module"}
        application = replace(application, routines=kept)
    facts = analyse(application)
    effects = Effects(facts)
    begin = perf_counter()
    done = lowered(facts, effects, LEVELS[level])
    seconds = perf_counter() - begin
    fused = done.made_by("fuse")
    schedules = fused.schedules[only] if only and isinstance(fused, Fused) else ()
    if only and [len(s.program.stages) for s in schedules] != [STAGES]:
        raise ValueError(f"{only} is no longer one program of {STAGES} stages")
    return seconds


def _held(words: Sequence[str], path: Path) -> list[str]:
    """The command with what ``hfpy build`` adds for selections."""
    files = read_json(path.parents[1] / STATE)["files"]
    held = any(file["name"] == path.name and file["contents"]["selections"] for file in files)
    return [*words, *(find_compiler("fortran", words[0], {}).spelling.selections if held else ())]


def _compile(words: Sequence[str], path: Path, modules: Path, folder: Path, run: Runner) -> float:
    begin = perf_counter()
    run([*words, f"-I{modules}", f"-J{folder}", "-c", path, "-o", folder / f"{path.stem}.o"], folder)
    return perf_counter() - begin

"""What benchmarks/stencils.py measured: as text, as JSON, as a part of docs/performance.md, and as pictures."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.samples import RESULTS, ROOT
from benchmarks.stencil_costs import Costs

PAGE = ROOT / "docs" / "performance.md"
PICTURES = ROOT / "docs" / "pictures"
BEGIN, END = "<!-- stencils: begin -->", "<!-- stencils: end -->"

Size = tuple[int, int, int]
Case = tuple[int, Size, int]


@dataclass(frozen=True)
class Run:
    """All times of a kernel in one case, by program and in the order of the pairs; ``bytes`` and ``operations`` that
    a call cannot avoid; what the machine could do meanwhile. ``counted``: one of those that means are made of.
    """

    kernel: str
    counted: bool
    size: Size
    real: int
    threads: int
    seconds: Mapping[str, tuple[float, ...]]
    bytes: int
    operations: int
    bandwidth: float
    rate: float

    @property
    def case(self) -> Case:
        """Kind of reals, size, threads."""
        return self.real, self.size, self.threads

    def median(self, program: str) -> float:
        """The median time of a program."""
        return statistics.median(self.seconds[program])

    def speedup(self, over: str, of: str = "generated") -> float | None:
        """How many times as fast as another program one is, hfpy's unless named: the median over the pairs."""
        if over not in self.seconds or of not in self.seconds:
            return None
        return statistics.median(b / a for a, b in zip(self.seconds[of], self.seconds[over], strict=True))

    @property
    def bound(self) -> float:
        """The time that the machine would need at best."""
        return max(self.bytes / self.bandwidth, self.operations / self.rate)

    def share(self, program: str) -> float:
        """The share of the roofline that a program reaches."""
        return self.bound / self.median(program)


@dataclass(frozen=True)
class Report:
    """Everything that was measured, and how."""

    runs: tuple[Run, ...]
    compiler: str
    flags: str
    level: int
    pairs: int
    costs: Costs | None = None

    @property
    def cases(self) -> list[Case]:
        """The cases in the order they were measured."""
        return list(dict.fromkeys(r.case for r in self.runs))

    def of(self, case: Case) -> list[Run]:
        """The runs of a case."""
        return [r for r in self.runs if r.case == case]


def mean(values: Sequence[float]) -> float:
    """The geometric mean; not a number where there are no values."""
    return math.exp(statistics.fmean(math.log(v) for v in values)) if values else math.nan


def _counted(runs: Sequence[Run], value: Callable[[Run], float | None]) -> float:
    return mean([v for r in runs if r.counted and (v := value(r)) is not None])


def _title(case: Case) -> str:
    real, size, threads = case
    return f"{' × '.join(map(str, size))}, real({real}), {threads} thread{'s' if threads > 1 else ''}"


def _text(value: float | None, form: str) -> str:
    return "" if value is None or math.isnan(value) else format(value, form)


def _rows(runs: Sequence[Run]) -> Iterator[tuple[str, ...]]:
    """Kernel, plain, hfpy in ms, speed-up, shares of the roofline of both, by hand in ms, speed-up over that."""
    for run in runs:
        tuned = f"{1e3 * run.median('tuned'):.2f}" if "tuned" in run.seconds else ""
        yield (
            run.kernel,
            f"{1e3 * run.median('plain'):.2f}",
            f"{1e3 * run.median('generated'):.2f}",
            _text(run.speedup("plain"), ".2f"),
            f"{100 * run.share('plain'):.0f} %",
            f"{100 * run.share('generated'):.0f} %",
            tuned,
            _text(run.speedup("tuned"), ".2f"),
        )
    yield (
        "geometric mean",
        "",
        "",
        _text(_counted(runs, lambda r: r.speedup("plain")), ".2f"),
        f"{100 * _counted(runs, lambda r: r.share('plain')):.0f} %",
        f"{100 * _counted(runs, lambda r: r.share('generated')):.0f} %",
        "",
        _text(mean([v for r in runs if (v := r.speedup("tuned")) is not None]), ".2f"),
    )


_HEAD = ("kernel", "plain, ms", "hfpy, ms", "speed-up", "roof, plain", "roof, hfpy", "tuned, ms", "speed-up over tuned")


def table(report: Report) -> str:
    """The results as text, a block a case."""
    lines: list[str] = []
    for case in report.cases:
        runs = report.of(case)
        lines += [f"{_title(case)}; {_machine(runs)}"]
        for row in (_HEAD, *_rows(runs)):
            lines.append(f"{row[0]:<16}" + "".join(f"{cell:>13}" for cell in row[1:]))
        lines.append("")
    if report.costs is not None:
        lines += [report.costs.text(), ""]
    return "\n".join(lines)


def _machine(runs: Sequence[Run]) -> str:
    bandwidth = statistics.median(r.bandwidth for r in runs)
    rate = statistics.median(r.rate for r in runs)
    return f"triad {bandwidth / 1e9:.1f} GB/s, multiply-add {rate / 1e9:.0f} Gop/s"


def save(report: Report, folder: Path = RESULTS) -> Path:
    """Write everything as JSON, with pictures beside it where matplotlib is installed; the path of the file."""
    folder.mkdir(parents=True, exist_ok=True)
    moment = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    data = {
        "time": moment,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "compiler": _version(report.compiler),
        "flags": report.flags,
        "opt": report.level,
        "costs": asdict(report.costs) if report.costs is not None else None,
        "runs": [
            {**asdict(r), "speedup": r.speedup("plain"), "share": r.share("generated"), "bound": r.bound}
            for r in report.runs
        ],
    }
    path = folder / f"stencils-{moment}.json"
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    pictures(report, folder, f"stencils-{moment}-")
    return path


def _version(compiler: str) -> str:
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]


def publish(report: Report) -> Path:
    """Bring table and pictures to docs/performance.md, between its markers; the path of the page."""
    drawn = pictures(report, PICTURES, "stencils-")
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + "\n\n" + _section(report, drawn) + "\n" + END + after, encoding="utf-8")
    return PAGE


def _section(report: Report, drawn: Sequence[Path]) -> str:
    day = datetime.datetime.now(datetime.UTC).strftime("%-d %B %Y")
    lines = [
        f"{day}, {_version(report.compiler)}, `{report.flags}`, `--opt {report.level}`, medians of {report.pairs}",
        f"pairs of runs. {os.cpu_count()} cores of a shared machine, load average {os.getloadavg()[1]:.0f} while this"
        " ran: the more other work there is, the rougher the figures.",
        "",
        "| case | speed-up over plain | the least | roofline, plain | roofline, hfpy | speed-up over tuned by hand |",
        "|---|---|---|---|---|---|",
    ]
    for case in report.cases:
        runs = report.of(case)
        slowest = min((s for r in runs if r.counted and (s := r.speedup("plain")) is not None), default=math.nan)
        cells = (
            _title(case),
            _text(_counted(runs, lambda r: r.speedup("plain")), ".2f"),
            _text(slowest, ".2f"),
            f"{100 * _counted(runs, lambda r: r.share('plain')):.0f} %",
            f"{100 * _counted(runs, lambda r: r.share('generated')):.0f} %",
            _text(mean([v for r in runs if (v := r.speedup("tuned")) is not None]), ".2f"),
        )
        lines.append("| " + " | ".join(cells) + " |")
    for case in _largest(report):
        lines += ["", f"{_title(case)}; {_machine(report.of(case))}:", ""]
        lines += ["| " + " | ".join(_HEAD) + " |", "|" + "---|" * len(_HEAD)]
        lines += ["| " + " | ".join(row) + " |" for row in _rows(report.of(case))]
    if report.costs is not None:
        lines += ["", *(f"* {row}" for row in report.costs.text().splitlines())]
    for path in drawn:
        lines += ["", f"![{path.stem.replace('-', ' ')}]({path.relative_to(PAGE.parent)})"]
    return "\n".join(lines) + "\n"


def _largest(report: Report) -> list[Case]:
    """The cases of the largest size and kind, for all numbers of threads."""
    real = max(r.real for r in report.runs)
    size = max((r.size for r in report.runs if r.real == real), key=math.prod)
    return [c for c in report.cases if c[0] == real and c[1] == size]


def pictures(report: Report, folder: Path, prefix: str) -> list[Path]:
    """Draw speed-ups and rooflines of the largest case as PNG files; none where matplotlib is missing."""
    try:
        from benchmarks.stencil_pictures import draw_rooflines, draw_speedups
    except ImportError:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    cases = _largest(report)
    made = [folder / f"{prefix}speedup.png", folder / f"{prefix}roofline.png"]
    draw_speedups([(_title(c), report.of(c)) for c in cases], made[0])
    draw_rooflines([(_title(c), report.of(c)) for c in cases], made[1])
    return made

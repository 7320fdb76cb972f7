"""Run what `prepare.py` built on a machine with a GPU: results against the CPU's, times, bytes, bandwidth.

    python3 benchmarks/gpu/run.py [--carried FOLDER] [-o RESULT.json]

Needs Python 3.12 and NumPy, an NVIDIA GPU and its driver; no compiler, no network. Each sample runs in a small size, as
the hand-written twin on the CPU and as the generated programs on the GPU (cuda-c, and OpenACC if it was carried along),
and their files are compared; then, in a large size, on the GPU alone, with the times of its kernels by CUDA events
(HFPY_TRACE; of OpenACC the time of the whole program). A kernel's bytes are those of the arrays that it names, each
counted once a direction; its share is of the bandwidth of a copy measured in the same run. Then the stencil kernels one
by one, as written and optimised, in each way to compute a group that directives can ask for, and by hand. At the end
are the questions that the documentation leaves open without a GPU, with their answers.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

CARRIED = Path(__file__).resolve().parent / "carried"
TOLERANCE = 1e-11
PARTS = ("samples", "stencils")


class Failure(Exception):
    """A program that did not end well, with what it said."""


@dataclass(frozen=True)
class Carried:
    """What was built elsewhere: executables, and libraries that they load. ``environment`` is added to that here."""

    folder: Path
    environment: Mapping[str, str]

    @property
    def work(self) -> Path:
        """Where results go."""
        return self.folder / "work"

    def run(self, program: str, *arguments: str, **more: str) -> str:
        """What an executable prints; raises :class:`Failure`."""
        return self._done(program, arguments, more).stdout

    def reported(self, program: str, arguments: Sequence[str], more: Mapping[str, str]) -> str:
        """What an executable writes to the standard error; raises :class:`Failure`."""
        return self._done(program, arguments, more).stderr

    def module(self, name: str) -> Any:
        """A file of Python that was carried along."""
        spec = importlib.util.spec_from_file_location(f"carried_{name}", self.folder / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    def _done(
        self, program: str, arguments: Sequence[str], more: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        libraries = os.pathsep.join(filter(None, [str(self.folder / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]))
        known = {
            **os.environ,
            "OMP_NUM_THREADS": str(os.cpu_count()),
            "LD_LIBRARY_PATH": libraries,
            **self.environment,
            **more,
        }
        command = [str(self.folder / program), *arguments]
        done = subprocess.run(command, cwd=self.work, env=known, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done


def compared(sample: str, backend: str, arguments: Sequence[str], carried: Carried) -> str:
    """What the files of GPU and CPU have in common: ``bits``, or how far they differ."""
    gpu, cpu = carried.work / f"{sample}_{backend}.dat", carried.work / f"{sample}_cpu.dat"
    try:
        carried.run(f"{sample}_{backend}", str(gpu), *arguments)
        carried.run(f"{sample}_twin", str(cpu), *arguments)
    except Failure as failure:
        return f"DIFFERENT: {failure}"
    if gpu.read_bytes() == cpu.read_bytes():
        return "bits"
    found = carried.module("compare").compare(sample, gpu, cpu, TOLERANCE)
    return f"within {TOLERANCE:g}" if not found else f"DIFFERENT: {found[0]}"


def hand_written(carried: Carried, size: Sequence[str], name: str) -> dict[str, dict[str, float]]:
    """Times and bytes of the hand-written kernels of a program."""
    lines = carried.run(f"{name}_hand", *size).splitlines()
    return {row["kernel"]: row for row in map(json.loads, lines)}


def timed(sample: str, backend: str, arguments: Sequence[str], carried: Carried) -> dict[str, Any]:
    """The trace of a large run: copies, and launches, time and bytes of each kernel; ``wall`` is that of the program.

    All work is in one queue: the times of kernels that run at the same time would include one another. With OpenACC
    there is no trace.
    """
    trace = carried.work / f"{sample}.json"
    begin = time.perf_counter()
    large = carried.work / f"{sample}_large.dat"
    carried.run(f"{sample}_{backend}", str(large), *arguments, HFPY_TRACE=f"json:{trace}", HFPY_QUEUES="1")
    found: dict[str, Any] = {"wall": time.perf_counter() - begin}
    if backend != "openacc":
        found |= json.loads(trace.read_text(encoding="utf-8"))
    return found


def table(results: Mapping[str, Any]) -> str:
    """The results as text."""
    lines = [f"copy: {results['copy']:.0f} GB/s", ""]
    for backend, verdicts in results["equal"].items():
        lines += [f"{sample:<12} {backend:<8} result as on the CPU: {found}" for sample, found in verdicts.items()]
    lines += [
        "",
        f"{'kernel':<34} {'launches':>8} {'us each':>9} {'MB each':>9} {'GB/s':>7} {'share':>6} {'by hand':>9}",
    ]
    for trace in results["traces"].values():
        for name, kernel in sorted(trace["kernels"].items(), key=lambda item: -item[1]["seconds"]):
            each, moved = kernel["seconds"] / kernel["launches"], kernel["bytes"] / kernel["launches"]
            rate = moved / each / 1e9 if each else 0.0
            hand = results["hand"].get(name.split("_", 1)[-1])
            by_hand = f"{hand['seconds'] * 1e6:>9.1f}" if hand else ""
            lines.append(
                f"{name:<34} {kernel['launches']:>8} {each * 1e6:>9.1f} {moved / 1e6:>9.1f} {rate:>7.0f} "
                f"{rate / results['copy']:>6.0%} {by_hand}"
            )
    for sample, trace in results["traces"].items():
        to, back = trace["host_to_device"], trace["device_to_host"]
        lines.append(f"{sample}: {to['count']} copies to the device, {back['count']} back")
    for backend, seconds in results["wall"].items():
        lines += [f"{sample}: {backend} {found:.2f} s, the whole program" for sample, found in seconds.items()]
    return "\n".join(lines)


def measured(carried: Carried, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Run everything."""
    carried.work.mkdir(exist_ok=True)
    hand = by_hand(carried, manifest)
    small, large, backends = manifest["small"], manifest["large"], manifest["backends"]
    runs: dict[str, dict[str, Any]] = {b: {} for b in backends}
    for backend, (sample, words) in product(backends, large.items()):
        try:
            runs[backend][sample] = timed(sample, backend, words, carried)
        except Failure as failure:  # the others still run
            print(failure, file=sys.stderr)
    return {
        "copy": hand["copy"]["bytes"] / hand["copy"]["seconds"] / 1e9,
        "hand": hand,
        "equal": {b: {s: compared(s, b, a, carried) for s, a in small.items()} for b in backends},
        "traces": runs["cuda-c"],
        "wall": {b: {s: found["wall"] for s, found in traces.items()} for b, traces in runs.items()},
    }


def seconds_of_calls(kernels: Mapping[str, Mapping[str, Any]], calls: int) -> dict[str, float]:
    """By routine, the shortest time that a call has in kernels: of each kernel its shortest launch, as often as a call
    launches it. The names of kernels are those of routines after ``hfkN_``.
    """
    found: dict[str, float] = {}
    for name, one in kernels.items():
        routine = name.split("_", 1)[-1]
        found[routine] = found.get(routine, 0.0) + one["shortest"] * one["launches"] / calls
    return found


def stencil_kernels(plan: Mapping[str, Any], carried: Carried) -> list[dict[str, Any]]:
    """Seconds that a call of each stencil kernel takes on the device, in each way it was built for, with its bytes."""
    rows: list[dict[str, Any]] = []
    for real in (8, 4):
        for size in plan["sizes"]:
            times = {}
            for way in plan["ways"]:
                trace = carried.work / "stencils.json"
                words = ["-", *size, "all", str(plan["calls"]), "waves"]
                carried.run(f"stencils_{way}_real{real}", *words, HFPY_TRACE=f"json:{trace}")
                times[way] = seconds_of_calls(json.loads(trace.read_text(encoding="utf-8"))["kernels"], plan["calls"])
            for kernel, passes in plan["passes"].items():
                row = {"kernel": kernel, "real": real, "size": "x".join(size), "counted": kernel in plan["counted"]}
                row["bytes"] = passes * real * int(size[0]) * int(size[1]) * int(size[2])
                rows.append(row | {way: found[kernel] for way, found in times.items()})
    return rows


def stencil_table(
    rows: Sequence[Mapping[str, Any]],
    copy: float,
    others: Sequence[str] = (),
    by_hand: Mapping[tuple[str, str], float] | None = None,
) -> str:
    """Levels 0 and 2 next to each other; the share is of the bandwidth of a copy, for the bytes that must move. Then
    the microseconds of other ways, and which was the fastest of all, and those of kernels ``by_hand`` in double
    precision, by their names and sizes.
    """
    further = "".join(f"{way:>11}" for way in others) + ("  fastest" if others else "")
    lines = [
        f"{'kernel':<14}{'size':>12}{'real':>5}{'opt 0, us':>11}{'opt 2, us':>11}{'ratio':>7}{'share':>7}{further}"
    ]
    groups: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for row in rows:
        ratio = row["opt0"] / row["opt2"] if row["opt2"] else 0.0
        share = row["bytes"] / row["opt2"] / 1e9 / copy if row["opt2"] else 0.0
        lines.append(
            f"{row['kernel']:<14}{row['size']:>12}{row['real']:>5}{row['opt0'] * 1e6:>11.1f}{row['opt2'] * 1e6:>11.1f}"
            f"{ratio:>7.2f}{share:>7.0%}"
        )
        if others:
            lines[-1] += "".join(f"{row[way] * 1e6:>11.1f}" for way in others)
            lines[-1] += f"  {min(('opt2', *others), key=lambda way: row[way])}"
        seconds = (by_hand or {}).get((row["kernel"], row["size"])) if row["real"] == 8 else None
        lines[-1] += f"  by hand {seconds * 1e6:.1f}" if seconds is not None else ""
        if row["counted"]:
            groups.setdefault((row["size"], row["real"]), []).append((ratio, share))
    for (size, real), values in groups.items():
        ratio, share = (math.prod(v[n] for v in values) ** (1 / len(values)) for n in (0, 1))
        lines.append(f"{'mean':<14}{size:>12}{real:>5}{'':>22}{ratio:>7.2f}{share:>7.0%}")
    return "\n".join(lines)


def stencils(carried: Carried, manifest: Mapping[str, Any], results: Mapping[str, Any]) -> dict[str, Any]:
    """Run the stencil kernels in each way, and print their tables."""
    carried.work.mkdir(exist_ok=True)
    hand = results.get("hand") or by_hand(carried, manifest)
    copy = hand["copy"]["bytes"] / hand["copy"]["seconds"] / 1e9
    rows = stencil_kernels(manifest["stencils"], carried)
    ways = manifest["stencils"]["ways"]
    others = [way for way in ways if way not in ("opt0", "opt2")]
    size = "x".join(manifest["hand"]["stencils"])
    print(stencil_table(rows, copy, others, {(name, size): one["seconds"] for name, one in hand.items()}), flush=True)
    small = manifest["small"]["stencils"]
    same = {way: compared("stencils", f"{way}_real8", small, carried) for way in ways}
    print("\n".join(f"stencils, {way}: result as on the CPU: {found}" for way, found in same.items()), flush=True)
    return {"copy": copy, "hand": hand, "stencils": rows, "ways": same}


def by_hand(carried: Carried, manifest: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Times and bytes of all hand-written kernels."""
    found: dict[str, dict[str, float]] = {}
    for name, size in manifest["hand"].items():
        found |= hand_written(carried, size, name)
    return found


def main() -> int:
    """The command line; status 1 if a result differs from the CPU's."""
    parser = argparse.ArgumentParser(description="Run the samples on a GPU.")
    parser.add_argument("--carried", type=Path, default=CARRIED)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="the questions belong to the samples")
    arguments = parser.parse_args()
    folder: Path = arguments.carried.resolve()
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    carried = Carried(folder, manifest["environment"])
    results: dict[str, Any] = {}
    if "samples" in arguments.parts:
        results |= measured(carried, manifest)
        print(table(results), flush=True)
    if "stencils" in arguments.parts:
        results |= stencils(carried, manifest, results)
    if "samples" in arguments.parts:
        questions = carried.module("questions")
        print(questions.answers(questions.Run(carried.reported, manifest["large"], results)))
    if arguments.output:
        arguments.output.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    verdicts = [v for found in results.get("equal", {}).values() for v in found.values()]
    verdicts += results.get("ways", {}).values()
    return 1 if any(v.startswith("DIFFERENT") for v in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())

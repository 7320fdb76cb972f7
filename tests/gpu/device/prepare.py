"""Build the programs of the tests for a real GPU, on a machine that need not have one.

    HFPY_TEST_DEVICE=sm_90 python -m tests.gpu.device.prepare FOLDER [--random 40] [--from 0]

The corpora of ``tests/gpu/test_language.py`` and random programs, hybrid and plain ones, are built as their tests build
them, but for the GPU: with nvcc (``cuda-c``), and for nvptx where GCC can offload (``openacc``, ``openmp-target``). The
folder has the executables, what each program must print, and :mod:`tests.gpu.device.run`, which runs them there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.gpu.prepare import OFFLOADED, STATIC, can_offload, carry_libraries
from hfpy.build.compile.limits import LIMITS
from tests.automatic.programs import pair_of as plain_pair
from tests.automatic.storages import pair_of as stored_pair
from tests.automatic.test_random import VARIANTS as AUTOMATIC
from tests.gpu.test_language import RUNNING, variants
from tests.gpu.test_mixed import PROGRAM, translated
from tests.random.test_random import DIRECTIVE_VARIANTS, KERNEL_VARIANTS, OPENCL_VARIANTS, draw
from tests.support import (
    CUDA_C,
    CUDA_C_KIJ,
    DEVICE,
    GFORTRAN,
    OPENCL,
    OPENCL_KIJ,
    Corpus,
    Pair,
    Variant,
    compile_files,
    output,
    translate_text,
)

PLAIN = ("-O1", "-ffp-contract=off", "-cpp", "-w", *STATIC.split())
NVPTX = ("-foffload=nvptx-none", *(f"-foffload-options=nvptx-none={word}" for word in OFFLOADED))
TOGETHER = 20  # programs in an executable
BACKENDS = ("cuda-c", "openacc", "openmp-target", "opencl")
AS_OPENCL = {CUDA_C.label: OPENCL, CUDA_C_KIJ.label: OPENCL_KIJ}  # whatever the one takes the other does, too

Task = tuple[Pair, Variant]


def tasks(random: int, first: int) -> Iterator[Task]:
    """What is built: programs, each with a way to translate it."""
    for pair in RUNNING:
        for variant in variants(pair):
            yield pair, variant
            if variant.label in AS_OPENCL:
                yield pair, AS_OPENCL[variant.label]
    for number, pair in enumerate(draw(first, random)):
        yield pair, KERNEL_VARIANTS[number % len(KERNEL_VARIANTS)]
        yield pair, DIRECTIVE_VARIANTS[number % len(DIRECTIVE_VARIANTS)]
        yield pair, OPENCL_VARIANTS[number % len(OPENCL_VARIANTS)]
    for number in range(first, first + random):
        for pair in (plain_pair(number), stored_pair(number)):
            yield from ((pair, variant) for variant in AUTOMATIC)


def limits(folder: Path) -> str:
    """The object by which programs get more stack on the GPU (``hfpy/build/compile/limits.py``)."""
    made = folder / "work" / "limits.o"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["gcc", "-O1", "-c", LIMITS, "-o", made], check=True)
    return str(made)


def build(task: Sequence[Task], name: str, folder: Path) -> dict[str, str]:
    """One executable of programs in one way; what each must print. Programs that do not compile are named."""
    variant = task[0][1]
    kernels = variant.options["backend"] in ("cuda-c", "opencl")
    flags = (*PLAIN, *(("-foffload=disable",) if kernels else (*NVPTX, limits(folder))))
    compiler = replace(GFORTRAN, flags=flags, checks=())
    corpus = Corpus((p for p, _ in task), folder / "work" / name, {p.name: (variant,) for p, _ in task}, compiler)
    batch = corpus._batch(variant)
    for program, fault in batch.faults.items():
        print(f"{name}: {program} does not compile: {fault[-1500:]}", flush=True)
    if batch.built is None:
        return {}
    shutil.copy2(batch.built.path, folder / name)
    return {program: corpus.expected(program) for program in batch.cases if program not in batch.faults}


def mixed(folder: Path) -> dict[str, dict[str, str]]:
    """Programs whose routines have kernels of CUDA and regions of directives on the same arrays."""
    plain = translate_text({"m.h90": PROGRAM}, target="gpu", backend="sequential").require()
    expected = output(compile_files(plain.files, folder / "work" / "plain", PLAIN))
    wanted = {}
    for name, flag in (("openacc", "-fopenacc"), ("openmp-target", "-fopenmp")):  # GCC for nvptx takes one of them
        files = translated({"smooth": name}).require().files
        built = compile_files(files, folder / "work" / f"mixed-{name}", (*PLAIN, *NVPTX, limits(folder), flag))
        shutil.copy2(built.path, folder / f"mixed-{name}")
        wanted[f"mixed-{name}"] = {"": expected}
    return wanted


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build the programs of the tests for a GPU.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--random", type=int, default=40, help="how many random programs of each kind")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=BACKENDS)
    given = parser.parse_args()
    if DEVICE is None:
        parser.error("HFPY_TEST_DEVICE has to name the architecture, as sm_90")
    folder: Path = given.folder.resolve()
    folder.mkdir(parents=True)
    ways: dict[str, list[Task]] = {}
    for pair, variant in tasks(given.random, given.first):
        backend = variant.options["backend"]
        if backend in given.backends and (can_offload() or not backend.startswith("open") or backend == "opencl"):
            ways.setdefault(variant.label, []).append((pair, variant))
    wanted = mixed(folder) if can_offload() and given.backends == BACKENDS else {}
    for label, of_way in ways.items():
        for at in range(0, len(of_way), TOGETHER):
            name = f"{label}-{at}"
            print(f"building {name} …", flush=True)
            wanted[name] = build(of_way[at : at + TOGETHER], name, folder)
    (folder / "wanted.json").write_text(json.dumps(wanted), encoding="utf-8")
    carry_libraries(folder)
    shutil.copy2(Path(__file__).parent / "run.py", folder)
    shutil.rmtree(folder / "work")
    return 0


if __name__ == "__main__":
    sys.exit(main())

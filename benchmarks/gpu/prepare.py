"""Build everything that `run.py` needs on a machine with a GPU, which need not have a Fortran compiler.

    python -m benchmarks.gpu.prepare [--arch sm_90] [-o benchmarks/gpu/carried]

Each sample is built for the GPU (``cuda-c``, contraction off, CUDA's runtime and Fortran's linked statically), its
hand-written twin for the CPU, and the hand-written kernels with nvcc. Where GCC can offload to nvptx (Debian's package
gcc-12-offload-nvptx), each sample is also built with OpenACC; the libraries that it loads are carried along. The
stencil kernels are built for both kinds of reals, as written, as the optimiser has them, and in each way to compute a
group that directives can ask for. A manifest says how to run what.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

from benchmarks.stencils import KERNELS

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
HAND = Path(__file__).resolve().parent / "hand"
QUESTIONS = Path(__file__).resolve().parent / "questions.py"
CARRIED = Path(__file__).resolve().parent / "carried"
STATIC = "-static-libgfortran -static-libgcc"
EXACT = "-ffp-contract=off -nostdinc"
# What goes through to the compiler for nvptx: the newest architecture that GCC 12 knows (the driver compiles it for
# newer ones), results as on the CPU, and libraries of its own.
OFFLOADED = ("-misa=sm_80", "-ffp-contract=off", "-lgfortran", "-lm", "-latomic")
OFFLOAD = " ".join(["-foffload=nvptx-none", *(f"-foffload-options=nvptx-none={word}" for word in OFFLOADED)])
# What a program with OpenACC loads when it runs, the last one by libgomp itself.
LIBRARIES = ("libgomp.so.1", "libquadmath.so.0", "libgomp-plugin-nvptx.so.1")

# After the output file: a small run, whose result is compared with the twin's, and a large one, which is timed.
SMALL: Mapping[str, tuple[str, ...]] = {
    "weather": ("32", "24", "20", "6", "1"),
    "diffusion": ("40", "36", "32", "50"),
    "columns": ("17", "13", "15", "12"),
    "reduction": ("24", "20", "18"),
    "module_data": ("14", "10", "8"),
    "stencils": ("37", "70", "12"),
    "euler": ("48", "24", "8", "2"),
    "cloud": ("300", "20", "3"),
    "ocean": ("64", "48", "10", "30", "2"),
}
LARGE: Mapping[str, tuple[str, ...]] = {
    "weather": ("512", "512", "60", "4", "1"),
    "diffusion": ("512", "512", "256", "20"),
    "columns": ("1024", "512", "60", "10"),
    "euler": ("2000", "1000", "60", "1"),
    "cloud": ("131072", "60", "6"),
    "ocean": ("1024", "768", "30", "10", "1"),
}
# The stencil kernels by their fields that must move, at these sizes, so many calls each; built with these options.
STENCIL_SIZES = (("128", "128", "60"), ("256", "256", "60"))
STENCIL_CALLS = 10
# The sizes for which hand-written kernels are timed: those of the generated ones beside them.
HAND_SIZES = {**{sample: LARGE[sample][:3] for sample in ("weather", "diffusion")}, "stencils": STENCIL_SIZES[-1]}
# Ways to compute them: the level of the optimiser, and what the directives of all regions over points ask for.
STENCIL_WAYS: Mapping[str, tuple[str, str]] = {
    "opt0": ("0", ""),
    "opt2": ("2", ""),
    "points": ("2", "march(j:1)"),
    "unroll_j": ("2", "unroll(j:2)"),
    "walk_j": ("2", "march(j:8)"),
    "walk_k": ("2", "march(k:10)"),
    "tiles": ("2", "share(i:64, j:4)"),
    "wide_tiles": ("2", "share(i:128, j:8)"),
}
POINTS = "domSize(nx,ny,nz)"


def _run(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")


def can_offload() -> bool:
    """Whether gfortran here can compile for nvptx."""
    found = subprocess.run(["gfortran", "-print-file-name=accel/nvptx-none/mkoffload"], capture_output=True, text=True)
    return found.returncode == 0 and Path(found.stdout.strip()).is_absolute() and library(LIBRARIES[-1]) is not None


def library(name: str) -> Path | None:
    """Where a shared library is that the linker finds."""
    found = subprocess.run(["gfortran", f"-print-file-name={name}"], capture_output=True, text=True, check=False)
    path = Path(found.stdout.strip())
    return path.resolve() if path.is_absolute() and path.exists() else None


def build_gpu(
    sample: str,
    backend: str,
    work: Path,
    target: Path,
    settings: Mapping[str, str],
    *options: str,
    name: str = "",
    asked: str = "",
) -> None:
    """A sample's program for the GPU, put into ``target`` as ``name``, or as ``SAMPLE_BACKEND``; ``asked`` is put into
    the directives of its regions over points.
    """
    name = name or f"{sample}_{backend}"
    project = work / name / sample
    shutil.copytree(SAMPLES / sample, project, ignore=shutil.ignore_patterns("build", "output"))
    for path in project.rglob("*.h90") if asked else ():
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(POINTS, f"{POINTS}, {asked}"), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LDFLAGS": STATIC, **settings}
    words = ["--target", "gpu", "--backend", backend, *options]
    _run([sys.executable, "-m", "hfpy", "build", project, *words], work, environment)
    (built,) = (project / "build").glob(f"gpu-{backend}*/{sample}")
    shutil.copy2(built, target / name)


def build_twin(sample: str, target: Path) -> None:
    """A sample's hand-written twin for the CPU, put into ``target``."""
    reference = SAMPLES / sample / "reference"
    files = (reference / "files.txt").read_text(encoding="utf-8").split()
    with tempfile.TemporaryDirectory() as modules:
        in_c = [str(reference / file) for file in files if file.endswith(".c")]
        if in_c:  # without the options of Fortran, which hide the headers of C
            _run(["gcc", "-c", "-O2", *in_c], Path(modules))
        objects = sorted(map(str, Path(modules).glob("*.o")))
        flags = ["-O2", *EXACT.split(), "-fopenmp", *STATIC.split(), "-J", modules]
        in_fortran = [file for file in files if not file.endswith(".c")]
        _run(["gfortran", *flags, *in_fortran, *objects, "-o", target / f"{sample}_twin"], reference)


def carry_libraries(target: Path) -> None:
    """The libraries for OpenACC, put into ``target/lib``."""
    (target / "lib").mkdir()
    for name in LIBRARIES:
        found = library(name)
        if found is not None:
            shutil.copy2(found, target / "lib" / name)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build what benchmarks/gpu/run.py needs.")
    parser.add_argument("--arch", default="sm_90", help="nvcc's name of the GPU's architecture")
    parser.add_argument("-o", "--output", type=Path, default=CARRIED)
    arguments = parser.parse_args()
    target: Path = arguments.output.resolve()
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    backends = {
        "cuda-c": {
            "FFLAGS": f"-O2 -fopenmp {EXACT}",  # the host fills the fields with all its cores
            "NVCCFLAGS": f"-arch={arguments.arch} -fmad=false",
        },
        "openacc": {"FFLAGS": f"-O2 {EXACT} {OFFLOAD}"},
    }
    if can_offload():
        carry_libraries(target)
    else:
        del backends["openacc"]
        print("without OpenACC: gfortran cannot offload to nvptx here (Debian: apt-get install gcc-12-offload-nvptx)")
    with tempfile.TemporaryDirectory() as temporary:
        for sample in SMALL:
            print(f"building {sample} …", flush=True)
            build_twin(sample, target)
            for backend, settings in backends.items():
                build_gpu(sample, backend, Path(temporary), target, settings)
        for (way, (level, asked)), real in product(STENCIL_WAYS.items(), (4, 8)):
            name = f"stencils_{way}_real{real}"
            print(f"building {name} …", flush=True)
            words = ("--opt", level, *(("-DSINGLE",) if real == 4 else ()))
            build_gpu("stencils", "cuda-c", Path(temporary), target, backends["cuda-c"], *words, name=name, asked=asked)
    for source in sorted(HAND.glob("*.cu")):
        print(f"building {source.name} by hand …", flush=True)
        _run(["nvcc", "-O3", f"-arch={arguments.arch}", source, "-o", target / f"{source.stem}_hand"], HAND)
    shutil.copy2(SAMPLES / "compare.py", target / "compare.py")
    shutil.copy2(QUESTIONS, target / "questions.py")
    stencils = {
        "sizes": STENCIL_SIZES,
        "calls": STENCIL_CALLS,
        "ways": list(STENCIL_WAYS),
        "passes": {k.name: k.passes for k in KERNELS},
        "counted": [k.name for k in KERNELS if k.counted],
    }
    manifest = {
        "arch": arguments.arch,
        "small": SMALL,
        "large": LARGE,
        "stencils": stencils,
        "hand": {source.stem: HAND_SIZES[source.stem] for source in sorted(HAND.glob("*.cu"))},
        "backends": list(backends),
        "environment": {
            "ACC_DEVICE_TYPE": "nvidia",  # so that nothing runs on the CPU by mistake
            "CUDA_MODULE_LOADING": "EAGER",  # so that no launch has to wait for its code
        },
    }
    (target / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(f"ready: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

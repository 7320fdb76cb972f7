"""Build everything that `run.py` needs on a machine with a GPU, which need not have a Fortran compiler.

    python -m benchmarks.gpu.prepare [--arch sm_90] [-o benchmarks/gpu/carried]

Each sample is built for the GPU (``cuda-c``, contraction off, CUDA's runtime and Fortran's linked statically), its
hand-written twin for the CPU, and the hand-written kernels with nvcc; the stencil kernels for both kinds of reals, as
written and at level 2 of the optimiser. A manifest says how to run what.
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
from pathlib import Path

from benchmarks.stencils import KERNELS

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
HAND = Path(__file__).resolve().parent / "hand"
CARRIED = Path(__file__).resolve().parent / "carried"
STATIC = "-static-libgfortran -static-libgcc"
EXACT = "-ffp-contract=off -nostdinc"

# Behind the output file: a small run, whose result is compared with the twin's, and a large one, which is timed.
SMALL: Mapping[str, tuple[str, ...]] = {
    "weather": ("32", "24", "20", "6", "1"),
    "diffusion": ("40", "36", "32", "50"),
    "columns": ("17", "13", "15", "12"),
    "reduction": ("24", "20", "18"),
    "module_data": ("14", "10", "8"),
    "stencils": ("37", "70", "12"),
}
LARGE: Mapping[str, tuple[str, ...]] = {
    "weather": ("512", "512", "60", "4", "1"),
    "diffusion": ("512", "512", "256", "20"),
    "columns": ("1024", "512", "60", "10"),
}
# The stencil kernels by their fields that must move, at these sizes, so many calls each; built with these options.
STENCIL_SIZES = (("128", "128", "60"), ("256", "256", "60"))
STENCIL_CALLS = 30
STENCIL_PROGRAMS: Mapping[str, tuple[str, ...]] = {
    f"stencils_opt{level}_real{real}": ("--opt", level, *(("-DSINGLE",) if real == 4 else ()))
    for real in (4, 8)
    for level in ("0", "2")
}


def _run(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")


def build_gpu(sample: str, arch: str, work: Path, options: Sequence[str] = ()) -> Path:
    """The sample's GPU program, built in a copy of its own."""
    project = work / "-".join((sample, *(o.strip("-") for o in options)))
    shutil.copytree(SAMPLES / sample, project, ignore=shutil.ignore_patterns("build", "output"))
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "FFLAGS": f"-O2 {EXACT}",
        "LDFLAGS": STATIC,
        "NVCCFLAGS": f"-arch={arch} -fmad=false",
    }
    _run([sys.executable, "-m", "hfpy", "build", project, "--target", "gpu", *options], work, environment)
    return project / "build" / "gpu-cuda-c" / sample


def build_sample(sample: str, arch: str, work: Path, target: Path) -> None:
    """The sample's GPU program and its twin, put into ``target``."""
    shutil.copy2(build_gpu(sample, arch, work), target / f"{sample}_gpu")
    reference = SAMPLES / sample / "reference"
    files = (reference / "files.txt").read_text(encoding="utf-8").split()
    modules = work / f"{sample}-modules"
    modules.mkdir()
    flags: list[str | Path] = ["-O2", *EXACT.split(), "-fopenmp", *STATIC.split(), "-J", modules]
    _run(["gfortran", *flags, *files, "-o", target / f"{sample}_twin"], reference)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build what benchmarks/gpu/run.py needs.")
    parser.add_argument("--arch", default="sm_90", help="nvcc's name of the GPU's architecture")
    parser.add_argument("-o", "--output", type=Path, default=CARRIED)
    arguments = parser.parse_args()
    target: Path = arguments.output.resolve()
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        for sample in SMALL:
            print(f"building {sample} …", flush=True)
            build_sample(sample, arguments.arch, Path(temporary), target)
        for name, options in STENCIL_PROGRAMS.items():
            print(f"building {name} …", flush=True)
            shutil.copy2(build_gpu("stencils", arguments.arch, Path(temporary), options), target / name)
    for source in sorted(HAND.glob("*.cu")):
        print(f"building {source.name} by hand …", flush=True)
        _run(["nvcc", "-O3", f"-arch={arguments.arch}", source, "-o", target / f"{source.stem}_hand"], HAND)
    shutil.copy2(SAMPLES / "compare.py", target / "compare.py")
    stencils = {
        "sizes": STENCIL_SIZES,
        "calls": STENCIL_CALLS,
        "passes": {k.name: k.passes for k in KERNELS},
        "counted": [k.name for k in KERNELS if k.counted],
    }
    manifest = {"arch": arguments.arch, "small": SMALL, "large": LARGE, "stencils": stencils}
    (target / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(f"ready: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

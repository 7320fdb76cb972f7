#!/usr/bin/env python3
"""The demonstration after ``make demo-opencl``: samples/weather as kernels in OpenCL C, and as OpenMP on the CPU.

Both are built by hfpy from the same source. Where the device rounds library functions as the CPU does, as pocl on a CPU
does here, the output is equal bit for bit; elsewhere differences are shown.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from compare import compare
from demo import EXACT, OUTPUT, SAMPLE, build_model, call, reported, run, shown


def build_kernels(environment: dict[str, str]) -> Path:
    """The model built by hfpy for OpenCL."""
    call([sys.executable, "-m", "hfpy", "build", SAMPLE, "--target", "gpu", "--backend", "opencl"], environment)
    return SAMPLE / "build" / "gpu-opencl" / "weather"


def main() -> None:
    """The whole demonstration."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    flags = f"{os.environ.get('FFLAGS', '')} {EXACT}".strip()
    environment = {"OMP_STACKSIZE": "64M", **os.environ, "FFLAGS": flags, "GFORTRAN_UNBUFFERED_ALL": "1"}
    reported(f"building {shown(SAMPLE)} for OpenCL and for OpenMP with hfpy")
    kernels, model = build_kernels(environment), build_model(environment)
    reported("running both")
    data, wanted = OUTPUT / "weather_opencl.dat", OUTPUT / "weather.dat"
    seconds, steps = run(kernels, data, "kernels in OpenCL C", environment)
    cpu_seconds, _ = run(model, wanted, "OpenMP on the CPU  ", environment, steps)
    differences = compare("weather", data, wanted)
    if differences:
        sys.exit("demo: the results differ from those of the CPU:\n  " + "\n  ".join(differences))
    reported(
        f"the results are equal bit for bit ({data.stat().st_size / 1e6:.0f} MB); "
        f"{seconds:.1f} s with OpenCL, {cpu_seconds:.1f} s with OpenMP"
    )


if __name__ == "__main__":
    main()

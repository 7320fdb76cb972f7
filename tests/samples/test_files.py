"""Fields in NetCDF and HDF5 files: right in every order, on every backend, whether the libraries get copies or the
fields themselves.
"""

import filecmp
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.command import CXXFLAGS, hfpy_process
from tests.mpi.launch import BUILDS, environment
from tests.support import LEVEL

SAMPLE = Path(__file__).parents[2] / "samples" / "files"
FULL = pytest.mark.full


def said(*command: str) -> str:
    """What a tool of the libraries says; empty where it is not there."""
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


FLAGS = f"{said('nf-config', '--fflags')} {said('pkg-config', '--cflags', 'hdf5')}".strip()
PLACE = said("pkg-config", "--libs-only-L", "hdf5")
pytestmark = pytest.mark.skipif(
    "hdf5" not in FLAGS or not said("nf-config", "--version"),
    reason="NetCDF or HDF5 for Fortran is not here (apt-get install libnetcdff-dev libhdf5-dev)",
)
CPU = ("--backend", "openmp")
CASES = [
    ("cuda-c", "j i k", ("--target", "gpu", "--emulate")),
    *(
        pytest.param(*case, marks=FULL)
        for case in (
            ("openmp", "k i j", CPU),
            ("openmp", "i:8 k i j", CPU),
            ("openmp", "i j k", CPU),
            ("sequential", "k j i", ("--backend", "sequential")),
            ("cuda-c", "i j k", ("--target", "gpu", "--emulate")),
            ("cuda-fortran", "k i j", ("--target", "gpu", "--backend", "cuda-fortran", "--emulate")),
            ("openacc", "j k i", ("--target", "gpu", "--backend", "openacc")),
            ("openmp-target", "k i j", ("--target", "gpu", "--backend", "openmp-target")),
        )
    ),
]


def directly(store: str) -> str:
    """The routines that call the libraries, without the copies."""
    region = r" *@parallelRegion\{[^\n]*\n *\w+\(i,j,k\) = \w+\(i,j,k\)\n *@end parallelRegion\n"
    made, copies = re.subn(region, "", store)
    assert copies == 4
    for name, field in (("written", "c"), ("found", "c")):
        made = re.sub(rf" *real\(r8\) :: {name}\(.*\n", "", made)
        made = re.sub(rf"\b{name}\b", field, made)
    made = re.sub(r" *real\(r8\) :: copy\(.*\n", "", made).replace("    copy(:,:,:) = 0\n", "")
    return made.replace("double, copy, sizes", "double, c, sizes", 1).replace(
        "double, copy, sizes", "double, back, sizes"
    )


SIZES = ("13", "10", "7")  # that no number of processes divides


def project(folder: Path, order: str, copied: bool) -> Path:
    """The sample in a folder, in an order of dimensions; ``copied``: the libraries get copies."""
    made = folder / "files"
    shutil.copytree(SAMPLE, made, ignore=shutil.ignore_patterns("build", "*.nc", "*.h5"))
    settings = made / "hfpy.toml"
    settings.write_text(re.sub(r'^(cpu|gpu) = ".*"$', rf'\1 = "{order}"', settings.read_text(), flags=re.M))
    store = made / "source" / "store.h90"
    if not copied:
        store.write_text(directly(store.read_text()))
    return made


def run(made: Path, name: str, options: Sequence[str], **extra: str) -> str:
    """Run it, and compare its files with NumPy: what hfpy said."""
    flags = f"{LEVEL} -ffp-contract=off -fno-tree-vectorize {FLAGS}"
    cache = os.environ["HFPY_CACHE"]  # the runtime of kernels is there already
    surroundings = environment(FFLAGS=flags, LDFLAGS=PLACE, CXXFLAGS=CXXFLAGS, HFPY_CACHE=cache, **extra)
    command = ["run", *options, "--", name, *SIZES]
    ended = hfpy_process(command, cwd=made, env=surroundings)
    assert ended.returncode == 0 and "test ok" in ended.stdout, ended.stdout + ended.stderr
    check = [sys.executable, "check.py", f"{name}.nc", f"{name}.h5", *SIZES]
    compared = subprocess.run(check, cwd=made, capture_output=True, text=True, check=False)
    assert compared.returncode == 0, compared.stdout + compared.stderr
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("copied", [True, pytest.param(False, marks=FULL)])
@pytest.mark.parametrize(("backend", "order", "options"), CASES)
def test_files(backend: str, order: str, options: Sequence[str], copied: bool, tmp_path: Path) -> None:
    said_of_it = run(project(tmp_path, order, copied), "out", options)
    fields = set(re.findall(r"HF310: '(\w+)' keeps", said_of_it)) - {"written", "found", "copy"}
    assert bool(fields) == (not copied and order != "i j k")


MANY = [
    pytest.param("openmp", "k i j", CPU, marks=FULL),
    *(pytest.param(*getattr(c, "values", c), marks=FULL) for c in CASES),
]


@pytest.mark.parametrize("copied", [True, pytest.param(False, marks=FULL)])
@pytest.mark.parametrize(("backend", "order", "options"), MANY)
def test_files_of_many_processes(
    backend: str, order: str, options: Sequence[str], copied: bool, tmp_path: Path
) -> None:
    """The first process writes and reads the fields of all: the NetCDF file has the same bytes."""
    build = BUILDS["openmpi"]
    if build.missing:
        pytest.skip(f"{build.missing} is not installed (make mpi)")
    made = project(tmp_path, order, copied)
    run(made, "one", options)
    for ranks in (1, 2, 4):
        launcher = " ".join([*build.launcher, "-n", str(ranks)])
        run(made, f"many{ranks}", ("--mpi", "--launcher", launcher, *options), FC=build.compiler)
        assert filecmp.cmp(made / "one.nc", made / f"many{ranks}.nc", shallow=False)


def test_few_lines_are_for_many_processes() -> None:
    words = ("@decomposition", "@haloExchange", "@wholeGrid", "global(", "onEdge(")
    rows = [row for path in (SAMPLE / "source").iterdir() for row in path.read_text().splitlines()]
    assert 1 < sum(any(word in row for word in words) for row in rows) <= 10


def test_a_wrong_file_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.nc").write_bytes(b"CDF" + bytes(8 * 3 * 24 * 16 * 8))
    (tmp_path / "a.h5").write_bytes(bytes(8 * 24 * 16 * 8))
    command = [sys.executable, str(SAMPLE / "check.py"), "a.nc", "a.h5"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 1

"""Which device a process of an MPI program takes, by what launchers leave in the environment."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support import Built, compile_files, translate_text

PROGRAM = """
program main
  implicit none
  real :: a(4)
  a = 1
  call step(a)
  print '(4f4.1)', a
contains
  subroutine step(a)
    real, intent(inout) :: a(4)
    @parallelRegion{domName(i), domSize(4)}
    a = a + 1
    @end parallelRegion
  end subroutine step
end program main
"""
ROOT = Path(__file__).parents[2]
LAUNCHERS = re.compile(r"OMPI|MPI|PMI|MV2|PALS|FLUX|SLURM|HFPY")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A program with one kernel."""
    done = translate_text({"m.h90": PROGRAM}, target="gpu").require()
    return compile_files(done.files, tmp_path_factory.mktemp("ranks"))


def first_line(program: Built, **environment: str) -> str:
    """What the trace says of the device, after a good end."""
    known = {k: v for k, v in os.environ.items() if not LAUNCHERS.match(k)}
    ended = subprocess.run(
        [program.path], capture_output=True, text=True, env={**known, "HFPY_TRACE": "1", **environment}, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, " 2.0 2.0 2.0 2.0\n"), ended.stderr
    return ended.stderr.splitlines()[0]


def test_alone(program: Built) -> None:
    assert "device 0" not in first_line(program)  # there is nothing to choose
    assert first_line(program, HFPY_EMULATE_DEVICES="4") == "hfpy: device 0 of 4"


@pytest.mark.parametrize(
    ("environment", "device", "rank", "name"),
    [
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "3"}, 3, 3, "OMPI_COMM_WORLD_LOCAL_RANK"),
        ({"MV2_COMM_WORLD_LOCAL_RANK": "2"}, 2, 2, "MV2_COMM_WORLD_LOCAL_RANK"),
        ({"MPI_LOCALRANKID": "1"}, 1, 1, "MPI_LOCALRANKID"),
        ({"PMI_LOCAL_RANK": "6"}, 2, 6, "PMI_LOCAL_RANK"),
        ({"PALS_LOCAL_RANKID": "1"}, 1, 1, "PALS_LOCAL_RANKID"),
        ({"FLUX_TASK_LOCAL_ID": "3"}, 3, 3, "FLUX_TASK_LOCAL_ID"),
        ({"SLURM_LOCALID": "5"}, 1, 5, "SLURM_LOCALID"),
        ({"SLURM_LOCALID": "0", "PMI_LOCAL_RANK": "2"}, 2, 2, "PMI_LOCAL_RANK"),
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "odd", "SLURM_LOCALID": "3"}, 3, 3, "SLURM_LOCALID"),
    ],
)
def test_one_device_a_rank(program: Built, environment: dict[str, str], device: int, rank: int, name: str) -> None:
    line = first_line(program, HFPY_EMULATE_DEVICES="4", **environment)
    assert line == f"hfpy: device {device} of 4, for rank {rank} on this machine ({name})"


def test_both_parts_of_the_runtime_read_the_same_variables() -> None:
    """The Fortran library and the runtime of kernels, in the same order; the page has them all."""
    runtime = ROOT / "hfpy" / "runtime"
    fortran = (runtime / "fortran" / "hf_ranks.f90").read_text().partition("rank_names(7)")[2].partition("]")[0]
    cplusplus = (runtime / "cuda" / "hfpy_ranks.cpp").read_text().partition("names[]")[2].partition("}")[0]
    names = re.findall(r"'(\w+)'", fortran)
    assert len(names) == 7 and names == re.findall(r'"(\w+)"', cplusplus)
    page = (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8").partition("## One GPU a rank")[2]
    assert names == re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)


def test_an_own_choice_is_kept(tmp_path: Path) -> None:
    """``hfd_init_device`` goes over the environment, and so does another device than the first."""
    chosen = PROGRAM.replace("  a = 1\n", "  a = 1\n  call choose()\n").replace(
        "  real :: a(4)\n",
        "  real :: a(4)\n  interface\n    subroutine choose() bind(c)\n    end subroutine\n  end interface\n",
        1,
    )
    done = translate_text({"m.h90": chosen}, target="gpu").require()
    sources = {
        "init": "void hfd_init_device(int rank);\nvoid choose(void) { hfd_init_device(6); }\n",
        "set": 'int set(int device) __asm__("_Z13cudaSetDevicei");\nvoid choose(void) { set(3); }\n',
    }
    lines = {}
    for name, text in sources.items():
        (tmp_path / f"{name}.c").write_text(text)
        subprocess.run(["gcc", "-c", f"{name}.c"], cwd=tmp_path, check=True)
        program = compile_files(done.files, tmp_path / name, ("-O1", "-cpp", str(tmp_path / f"{name}.o")))
        lines[name] = first_line(program, HFPY_EMULATE_DEVICES="4", SLURM_LOCALID="1")
    assert lines["init"] == "hfpy: device 2 of 4, for rank 6 on this machine (hfd_init_device)"
    assert lines["set"] == "hfpy: device 3 of 4"

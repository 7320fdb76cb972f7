"""The runtime library (hybrid-fortran.md §12): small programs that call each of its procedures."""

from __future__ import annotations

import os
import re
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

RUNTIME = Path(__file__).parents[2] / "hfpy" / "runtime" / "fortran"
FILES = (
    "hf_files.f90",
    "hf_write.F90",
    "hf_ordered.F90",
    "hf_ranks.f90",
    "helper_functions.F90",
    "time_profiling.f90",
    "M_kracken.f90",
)
FLAGS = ("-cpp", "-Wall", "-Wextra", "-Werror", "-fcheck=all")
KIJ = """\
#define AT(a,b,c) c,a,b
#define AT4(a,b,c,d) c,d,a,b
#define DOM AT
#define DOM4 AT4
#define DOM5(a,b,c,d,e) e,d,c,b,a
#define AT5 DOM5
"""

Runner = Callable[..., subprocess.CompletedProcess[str]]


class Library:
    """The library compiled in a folder with some flags; programs can be run against it."""

    def __init__(self, folder: Path, *flags: str) -> None:
        self.folder, self.flags = folder, flags
        for file in FILES:
            self._fortran("-c", str(RUNTIME / file))

    def _fortran(self, *arguments: str) -> None:
        command = ["gfortran", *FLAGS, *self.flags, *arguments]
        ended = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr

    def run(
        self, program: str, *arguments: str, status: int = 0, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Compile a program, run it in the folder with some environment variables, and check its status."""
        (self.folder / "main.F90").write_text(program)
        self._fortran("main.F90", *(str(p) for p in sorted(self.folder.glob("*.o"))), "-o", "main")
        known = {k: v for k, v in os.environ.items() if not re.match(r"OMP|SLURM|OMPI|MPI|PMI|MV2|PALS|FLUX", k)}
        ended = subprocess.run(
            [self.folder / "main", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env={**known, **environment},
            check=False,
        )
        assert ended.returncode == status, ended.stderr
        return ended

    def record(self, name: str) -> bytes:
        """The one record of an unformatted file."""
        data = (self.folder / name).read_bytes()
        (length,) = struct.unpack("<i", data[:4])
        assert length == len(data) - 8
        assert data[-4:] == data[:4]
        return data[4:-4]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The library as a project with the storage order KIJ sees it."""
    folder = tmp_path_factory.mktemp("kij")
    (folder / "storage_order.F90").write_text(KIJ)
    return Library(folder, "-DHFPY_STORAGE_ORDER", f"-I{folder}")


@pytest.fixture(scope="module")
def parallel(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("mpi"), "-fopenmp", "-DUSE_MPI")


def both(library: Library, ordered: Library) -> Iterator[Library]:
    yield library
    yield ordered


def test_start(library: Library) -> None:
    for start in ("init_hf", "printHeading"):
        ended = library.run(f"use helper_functions\ncall init_helper()\ncall {start}()\nend")
        assert "CPU Implementation" in ended.stderr


@pytest.mark.parametrize("directives", [("-fopenacc",), ("-fopenmp",), ("-fopenacc", "-fopenmp")])
def test_start_on_a_gpu(directives: tuple[str, ...], tmp_path: Path) -> None:
    on_gpu = Library(tmp_path, "-DGPU", "-DUSE_MPI", *directives, "-foffload=disable")
    ended = on_gpu.run("use helper_functions\ncall init_hf()\nend", OMPI_COMM_WORLD_LOCAL_RANK="3")
    assert "GPU Implementation" in ended.stderr


def test_units_are_found_from_99_down(library: Library) -> None:
    program = """\
use helper_functions
integer :: first, second
call findNewFileHandle(first)
open (unit=first, status='scratch')
call findNewFileHandle(second)
print '(2i4)', first, second
end"""
    assert library.run(program).stdout.split() == ["99", "98"]


def test_no_unit_left(library: Library) -> None:
    program = """\
use helper_functions
integer :: unit
do
  call findNewFileHandle(unit)
  open (unit=unit, status='scratch')
end do
end"""
    library.run(program, status=98)


def test_print1d(library: Library) -> None:
    ended = library.run("use helper_functions\nreal(8) :: a(3) = [1.5d0, 2.5d0, -3.d0]\ncall print1D(a, 2)\nend")
    assert [float(word) for word in ended.stderr.split()] == [1.5, 2.5]


@pytest.mark.parametrize(
    ("declaration", "dtype"),
    [("real(4)", "f4"), ("real(8)", "f8"), ("integer(4)", "i4"), ("integer(8)", "i8"), ("logical", "i4")],
)
def test_write_to_file_takes_every_type_and_rank(library: Library, declaration: str, dtype: str) -> None:
    shapes = [(6,), (2, 3), (2, 3, 4), (2, 3, 4, 2), (2, 2, 2, 2, 2)]
    lines = []
    for rank, shape in enumerate(shapes, start=1):
        n = int(np.prod(shape))
        value = "[(mod(i, 3) == 0, i = 1, n)]" if declaration == "logical" else "[(i * 7, i = 1, n)]"
        sizes = ", ".join(map(str, shape))
        lines += [
            "block",
            f"integer, parameter :: n = {n}",
            "integer :: i",
            f"{declaration} :: a({sizes})",
            f"a = reshape({value}, [{sizes}])",
            f"call writeToFile('out/deep/{dtype}_{rank}.dat', a)",
            "end block",
        ]
    library.run("\n".join(["use helper_functions", *lines, "end"]))
    for rank, shape in enumerate(shapes, start=1):
        numbers = np.arange(1, np.prod(shape) + 1)
        expected = (numbers % 3 == 0) if declaration == "logical" else numbers * 7
        found = np.frombuffer(library.record(f"out/deep/{dtype}_{rank}.dat"), dtype)
        np.testing.assert_array_equal(found, expected.astype(dtype))


def test_sections_are_written_as_they_are_and_files_replaced(library: Library) -> None:
    program = """\
use helper_functions
integer(4) :: a(4) = [1, 2, 3, 4]
call writeToFile('again.dat', a)
call writeToFile('again.dat', a(4:1:-2))
end"""
    library.run(program)
    assert np.frombuffer(library.record("again.dat"), "i4").tolist() == [4, 2]


FIELD = """\
use helper_functions
implicit none
integer, parameter :: n1 = 2, n2 = 3, n3 = 4
DECLARATION :: a(DOM(n1, n2, n3)), tail(DOM(n1, n2, 0:n3)), one(5), two(n1, n2)
integer :: i, j, k
do k = 1, n3
  do j = 1, n2
    do i = 1, n1
      a(AT(i, j, k)) = i + 10 * j + 100 * k
      tail(AT(i, j, k)) = i + 10 * j + 100 * k
      tail(AT(i, j, 0)) = i + 10 * j
      two(i, j) = i + 10 * j
    end do
  end do
end do
one = [1, 2, 3, 4, 5]
"""


def field(first: int = 1) -> np.ndarray:
    i, j, k = np.meshgrid(range(1, 3), range(1, 4), range(first, 5), indexing="ij")
    return i + 10 * j + 100 * k


def program(library: Library, declaration: str, body: str) -> str:
    macros = KIJ if "-DHFPY_STORAGE_ORDER" in library.flags else "#define AT(a,b,c) a,b,c\n#define DOM AT\n"
    return macros + FIELD.replace("DECLARATION", declaration) + body + "\nend"


def test_files_do_not_depend_on_the_order_in_memory(library: Library, ordered: Library) -> None:
    """write3DToFile writes k fastest, then i, then j; writeInOrder as declared."""
    for lib in both(library, ordered):
        lib.run(
            program(
                lib,
                "real(8)",
                "call write3DToFile('k.dat', a, n1, n2, n3)\ncall writeToFile('g.dat', a, n1, n2, n3, 'big_endian')\n"
                "call write3DToFile_n3StartsAt('t.dat', tail, n1, n2, n3, 0)\n"
                "call writeInOrder('o.dat', a, n1, n2, n3)\n"
                "call writeToFile('1.dat', one, 4)\ncall writeToFile('2.dat', two, n1, n2)\n"
                "call write1DToFile('1s.dat', one, 5)\ncall write2DToFile('2s.dat', two, n1, n2, 'little_endian')",
            )
        )
        k_first = field().transpose(2, 0, 1).ravel(order="F")
        np.testing.assert_array_equal(np.frombuffer(lib.record("k.dat"), "f8"), k_first)
        big = (lib.folder / "g.dat").read_bytes()
        assert struct.unpack(">i", big[:4]) == (24 * 8,)
        np.testing.assert_array_equal(np.frombuffer(big[4:-4], ">f8"), k_first)
        from_zero = field(0).transpose(2, 0, 1).ravel(order="F")
        np.testing.assert_array_equal(np.frombuffer(lib.record("t.dat"), "f8"), from_zero)
        np.testing.assert_array_equal(np.frombuffer(lib.record("o.dat"), "f8"), field().ravel(order="F"))
        assert np.frombuffer(lib.record("1.dat"), "f8").tolist() == [1, 2, 3, 4]
        assert np.frombuffer(lib.record("1s.dat"), "f8").tolist() == [1, 2, 3, 4, 5]
        two = np.frombuffer(lib.record("2.dat"), "f8").tolist()
        assert two == [11, 12, 21, 22, 31, 32]
        assert np.frombuffer(lib.record("2s.dat"), "f8").tolist() == two


@pytest.mark.parametrize(("declaration", "dtype"), [("real(4)", "f4"), ("integer(4)", "i4"), ("integer(8)", "i8")])
def test_order_for_every_kind(library: Library, ordered: Library, declaration: str, dtype: str) -> None:
    for lib in both(library, ordered):
        body = "call writeToFile('k.dat', a, n1, n2, n3)\ncall writeInOrder('o.dat', a, n1, n2, n3)\n"
        body += "call writeInOrder('1.dat', one, 5)\ncall writeInOrder('2.dat', two, n1, n2)"
        lib.run(program(lib, declaration, body))
        k_first = field().transpose(2, 0, 1).ravel(order="F")
        np.testing.assert_array_equal(np.frombuffer(lib.record("k.dat"), dtype), k_first)
        np.testing.assert_array_equal(np.frombuffer(lib.record("o.dat"), dtype), field().ravel(order="F"))
        assert np.frombuffer(lib.record("1.dat"), dtype).tolist() == [1, 2, 3, 4, 5]
        assert np.frombuffer(lib.record("2.dat"), dtype).tolist() == [11, 12, 21, 22, 31, 32]


def test_order_for_four_and_five_dimensions(ordered: Library) -> None:
    body = """\
use helper_functions
implicit none
real(8) :: four(DOM4(2, 3, 4, 5))
logical :: five(DOM5(1, 2, 3, 2, 2))
integer :: i, j, k, l
five = .false.
five(AT5(1, 2, 3, 1, 2)) = .true.
do l = 1, 5
  do k = 1, 4
    do j = 1, 3
      do i = 1, 2
        four(AT4(i, j, k, l)) = i + 2 * (j - 1) + 6 * (k - 1) + 24 * (l - 1)
      end do
    end do
  end do
end do
call writeInOrder('4.dat', four, 2, 3, 4, 5)
call writeInOrder('5.dat', five, 1, 2, 3, 2, 2)
end"""
    ordered.run(KIJ + body)
    np.testing.assert_array_equal(np.frombuffer(ordered.record("4.dat"), "f8"), np.arange(1, 121))
    five = np.frombuffer(ordered.record("5.dat"), "i4").reshape((1, 2, 3, 2, 2), order="F")
    assert np.argwhere(five).tolist() == [[0, 1, 2, 0, 1]]


def test_a_file_that_cannot_be_written(library: Library) -> None:
    (library.folder / "blocked").write_text("")
    program = "use helper_functions\nreal(8) :: a(1) = 0\ncall writeToFile('blocked/a.dat', a)\nend"
    assert "blocked/a.dat" in library.run(program, status=2).stderr


def test_generic_files_are_numbered_for_c(library: Library) -> None:
    c = "void write1DToGenericFile(double *, int *);\n"
    c += "void from_c_(void) { double a[2] = {1, 2}; int n = 2; write1DToGenericFile(a, &n); }\n"
    (library.folder / "from_c.c").write_text(c)
    subprocess.run(["gcc", "-c", "from_c.c"], cwd=library.folder, check=True)
    program = """\
use helper_functions
real(8) :: a(1) = 5
call from_c()
call from_c()
call write1DToGenericFile(a, 1)
call init_helper()
call write1DToGenericFile(a, 1)
end"""
    library.run(program)
    (library.folder / "from_c.o").unlink()
    assert np.frombuffer(library.record("output000.dat"), "f8").tolist() == [5]  # written again after init_helper
    assert np.frombuffer(library.record("output001.dat"), "f8").tolist() == [1, 2]
    assert np.frombuffer(library.record("output002.dat"), "f8").tolist() == [5]


TIMES = """\
use helper_functions
use time_profiling
implicit none
real(8) :: start, elapsed
counter1 = 7
call time_profiling_ini()
if (any(abs([counter_timestep, counter_mainloop, counter_rad, counter_rad_sw_wrapper, counter_rad_sw, &
  counter_rad_sw_main, &
  counter_rad_lw, counter_sf_flx, counter_pbl_mym, counter_pbl_coupler, counter1, counter2, counter3, counter4, &
  counter5]) > 0)) stop 1
call getTime(start)
do
  call getElapsedTime(start, elapsed)
  if (elapsed > 0.05d0) exit
end do
call incrementCounter(counter1, start)
if (counter1 < 0.05d0 .or. counter1 > 5) stop 2
call incrementCounterWithElapsed(counter1, 10.d0)
if (counter1 < 10.05d0) stop 3
call printElapsedTime(start, 'the loop took')
end"""


def test_times(library: Library, parallel: Library) -> None:
    for lib in (library, parallel):
        words = lib.run(TIMES).stderr.split()
        assert words[:3] == ["the", "loop", "took"]
        assert float(words[3]) >= 0.05


RANKS = "use hf_ranks\nprint '(2i4)', local_rank(), local_size()\nend"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, (0, 1)),
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "3", "OMPI_COMM_WORLD_LOCAL_SIZE": "4"}, (3, 4)),
        ({"MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "2"}, (1, 2)),
        ({"PMI_LOCAL_RANK": "5", "PMI_LOCAL_SIZE": "8"}, (5, 8)),
        ({"MV2_COMM_WORLD_LOCAL_RANK": "2", "MV2_COMM_WORLD_LOCAL_SIZE": "3"}, (2, 3)),
        ({"SLURM_LOCALID": "7", "SLURM_TASKS_PER_NODE": "8"}, (7, 8)),
        ({"SLURM_LOCALID": "1", "SLURM_TASKS_PER_NODE": "4(x2),3", "SLURM_NODEID": "1"}, (1, 4)),
        ({"SLURM_LOCALID": "1", "SLURM_TASKS_PER_NODE": "4(x2),3", "SLURM_NODEID": "2"}, (1, 3)),
        ({"SLURM_LOCALID": "0", "SLURM_TASKS_PER_NODE": "16", "SLURM_STEP_TASKS_PER_NODE": "2"}, (0, 2)),
        ({"SLURM_LOCALID": "0", "OMPI_COMM_WORLD_LOCAL_RANK": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "4"}, (2, 4)),
        ({"SLURM_LOCALID": "odd"}, (0, 1)),
    ],
)
def test_local_ranks(library: Library, environment: dict[str, str], expected: tuple[int, int]) -> None:
    assert tuple(map(int, library.run(RANKS, **environment).stdout.split())) == expected


def test_threads_are_shared_among_processes(parallel: Library) -> None:
    body = "use helper_functions\nuse omp_lib\nn = omp_get_max_threads()\ncall init_hf()\n"
    body += "print *, n, omp_get_max_threads()\nend"
    before, after = parallel.run(body, OMPI_COMM_WORLD_LOCAL_SIZE="2").stdout.split()
    assert int(after) == max(1, int(before) // 2)
    assert parallel.run(body, OMPI_COMM_WORLD_LOCAL_SIZE="2", OMP_NUM_THREADS="6").stdout.split() == ["6", "6"]


KRACKEN = """\
use M_kracken
implicit none
character(len=40) :: value
integer :: length, status
call kracken('cmd', '-nx 200 -te 1.5e3 -title "a  b" -path -verbose #N# -quiet -low -4 -on .true. -off F')
print '(i0)', iget('cmd_nx')
print '(es10.3)', rget('cmd_te')
print '(es22.15)', dget('cmd_te')
print '(6l1)', lget('cmd_verbose'), lget('cmd_quiet'), lget('cmd_on'), lget('cmd_off')
print '(3a)', '<', trim(sget('cmd_title')), '>'
print '(3a)', '<', sget('cmd_title', 2), '>'
print '(i0)', iget('cmd_low')
call retrev('cmd_oo', value, length, status)
print '(a, 1x, i0, 1x, i0)', trim(value), length, status
call retrev('cmd_nothing', value, length, status)
print '(l1)', status /= 0
end"""


def test_command_line_defaults(library: Library) -> None:
    lines = library.run(KRACKEN).stdout.splitlines()
    assert lines[0] == "200"
    assert float(lines[1]) == 1500
    assert lines[3:] == ["FTTF", "<a  b>", "<a >", "-4", " 0 0", "T"]


def test_command_line_values(library: Library) -> None:
    arguments = ["cpu", "-nx", "-12", "-te", "0.1d0", "-verbose", "-title", "one", "two", "-low", "-.5"]
    lines = library.run(KRACKEN, *arguments).stdout.splitlines()
    assert lines[0] == "-12"
    assert float(lines[2]) == 0.1
    assert lines[3:] == ["TTTF", "<one two>", "<on>", "-1", "cpu 3 0", "T"]


def test_unknown_names_and_values_stop(library: Library) -> None:
    ended = library.run(KRACKEN, "-ny", "5", status=2)
    assert "unknown option -ny" in ended.stderr
    assert "-nx" in ended.stderr
    assert "is no number" in library.run(KRACKEN, "-nx", "many", status=2).stderr
    program = "use M_kracken\ncall kracken('c', '-a 1', i)\nprint *, i\nprint *, iget('c_b')\nend"
    assert "no such option was declared: c_b" in library.run(program, "-x", status=2).stderr


def test_delim_and_string_to_real(library: Library) -> None:
    program = """\
use M_kracken
implicit none
character(len=8) :: words(4)
integer :: n, begins(4), ends(4), last, status(4)
real(kind(1.d0)) :: x(4)
call delim(' ab,cde; f  ', words, 4, n, begins, ends, last, ' ,;')
print '(20(i0, 1x))', n, begins(:n), ends(:n), last
print '(9a)', words(:n)
call delim('a b c d e f', words, 4, n, begins, ends, last, ' ')
print '(i0)', n
call delim('', words, 4, n, begins, ends, last, ' ')
print '(i0)', n
call string_to_real('12', x(1), status(1))
call string_to_real('-1.5D-2', x(2), status(2))
call string_to_real('12x', x(3), status(3))
call string_to_real(' ', x(4), status(4))
print *, x
print '(4l1)', status == 0
end"""
    lines = library.run(program).stdout.splitlines()
    assert lines[0].split() == ["3", "2", "5", "10", "3", "7", "10", "10"]
    assert lines[1].split() == ["ab", "cde", "f"]
    assert lines[2:4] == ["4", "0"]
    assert [float(x) for x in lines[4].split()] == [12, -0.015, 0, 0]
    assert lines[5] == "TTFF"

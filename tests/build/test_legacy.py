"""Existing Hybrid Fortran projects: settings translated, built as they are, through make too, and tested."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import textwrap
from array import array
from pathlib import Path

import pytest

from hfpy import cli
from hfpy.build.existing import legacy
from hfpy.build.existing.comparer import compare_files, guessed_kind
from hfpy.build.existing.framework import place_of
from hfpy.build.existing.legacyflags import translate_flags
from hfpy.build.existing.makesettings import read_settings
from hfpy.build.existing.testrunner import Run, configured_runs
from hfpy.build.session import Given, open_project
from hfpy.diagnostics import HfpyError
from hfpy.project import options_for, source_files

FIXTURE = Path(__file__).parent / "existing_project"
HFPY = f"{sys.executable} -m hfpy"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the fixture; no compiler settings in the environment."""
    for name in ("FC", "CC", "FFLAGS", "CFLAGS", "LDFLAGS", "MAKEFLAGS", "MAKELEVEL", "DEBUG"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "project"
    shutil.copytree(FIXTURE, folder)
    return folder


@pytest.fixture
def quick(project: Path) -> None:
    """It is not optimised: most of what is compiled is hfpy's own, and its speed is not what is tested here."""
    settings = project / "config/MakesettingsCPU"
    settings.write_text(settings.read_text().replace("-fastsse", "-O0"))


def load(folder: Path, target: str = "cpu", debug: bool = False) -> tuple[legacy.Project, list[str]]:
    project, notes = legacy.load_legacy(folder, target, dict(os.environ), debug=debug)
    assert all(note.severity == ("warning" if note.code == "HF809" else "note") for note in notes)
    return project, [f"{Path(n.place.file).name}:{n.place.line}: {n.message}" for n in notes]


def set_in(folder: Path, file: str, **values: str) -> None:
    with (folder / "config" / file).open("a") as stream:
        stream.writelines(f"{key}={value}\n" for key, value in values.items())


def add_schemes(folder: Path, *names: str) -> None:
    text = (
        "module MODULE\ncontains\n@scheme{ name(NAME) }\nsubroutine s_NAME\nend subroutine\n@end scheme\nend module\n"
    )
    for name in names:
        path = folder / f"source/{name.lower()}.h90"
        path.write_text(text.replace("MODULE", f"m_{name}").replace("NAME", name))


def test_settings_become_a_project(project: Path) -> None:
    loaded, notes = load(project)
    assert loaded.executables == ("settle",)
    assert loaded.name == "settle"
    assert loaded.build_path("cpu") == project / "build/cpu-openmp"
    assert loaded.legacy
    assert [p.relative_to(project / "source").as_posix() for p in source_files(loaded)] == [
        "driver.h90",
        "physics/settling.h90",
        "settle.h90",
    ]
    assert set(loaded.include_dirs) == {"source", "source/physics"}
    options = options_for(loaded, "cpu")
    assert options.storage_order == project / "source/storage_order.F90"
    assert options.define == ("LAYERS=8", "HFPY_STORAGE_ORDER")
    assert options.backend == "openmp"
    assert options.legacy
    target = loaded.target("cpu")
    assert target.compiler == "gfortran"
    assert target.flags == ("-std=legacy", "-O3", "-fdefault-real-8", "-fdefault-double-8")
    assert target.ldflags == ("-L.",)
    assert notes == [
        "MakesettingsCPU:1: FC=pgf90 is not on this machine, gfortran is used",
        "MakesettingsCPU:2: CC=pgcc is not on this machine, gcc is used",
        "MakesettingsCPU:13: FFLAGS was translated for gfortran: -fastsse → -O3; "
        "-r8 → -fdefault-real-8 -fdefault-double-8; left out: -Mpreprocess -mp -Minfo=all -tp=sandybridge",
        "MakesettingsCPU:14: LDFLAGS was translated for gfortran: left out: -mp",
    ]


def test_debug_takes_the_debug_settings(project: Path) -> None:
    loaded, _ = load(project, debug=True)
    assert loaded.backend("cpu") == "sequential"
    assert loaded.target("cpu").flags == (
        "-std=legacy",
        "-g",
        "-fdefault-real-8",
        "-fdefault-double-8",
        "-fcheck=bounds",
        "-fbacktrace",
    )
    set_in(project, "MakesettingsGeneral", DEBUG_MODE="true")
    assert load(project)[0].backend("cpu") == "sequential"


def test_backends_of_the_gpu(project: Path) -> None:
    add_schemes(project, "HOST_ONLY", "REDUCTION_SUPPORT")
    loaded, notes = load(project, "gpu")
    assert loaded.backend("gpu") == "cuda-c"
    assert loaded.schemes == {"HOST_ONLY": {"gpu": "sequential"}, "REDUCTION_SUPPORT": {"gpu": "cuda-c"}}
    assert any("CUDAFortranImplementation needs nvfortran" in note for note in notes)


def test_openacc_beside_cuda(project: Path) -> None:
    """What shares arrays with CUDA kernels goes to the device in their way; OpenACC for all stays what it is."""
    add_schemes(project, "REDUCTION_SUPPORT", "RADIATION", "HOST_ONLY")
    set_in(project, "MakesettingsGeneral", GPU_IMPLEMENTATION_PRODUCTION_RADIATION="PGIOpenACCFortranImplementation")
    loaded, notes = load(project, "gpu")
    assert {name: by["gpu"] for name, by in loaded.schemes.items()} == {
        "HOST_ONLY": "sequential",
        "RADIATION": "cuda-c",
        "REDUCTION_SUPPORT": "cuda-c",
    }
    assert any("the scheme RADIATION is built as backend cuda-c" in note for note in notes)
    set_in(project, "MakesettingsGeneral", GPU_IMPLEMENTATION_PRODUCTION="PGIOpenACCFortranImplementation")
    loaded, _ = load(project, "gpu")
    assert loaded.backend("gpu") == loaded.schemes["RADIATION"]["gpu"] == "openacc"


@pytest.mark.parametrize("backend", ["hip", "opencl"])
def test_schemes_go_along_with_a_backend_of_the_command_line(project: Path, backend: str) -> None:
    """A program has one runtime for devices: PGI's and NVIDIA's classes were refused beside hip or opencl (HF703)."""
    add_schemes(project, "REDUCTION_SUPPORT", "RADIATION", "HOST_ONLY")
    set_in(project, "MakesettingsGeneral", GPU_IMPLEMENTATION_PRODUCTION_RADIATION="CUDAFortranImplementation")
    session = open_project(project, Given(target="gpu", backend=backend), dict(os.environ))
    assert session.options.schemes == {"HOST_ONLY": "sequential", "RADIATION": backend, "REDUCTION_SUPPORT": backend}
    assert any(f"RADIATION is built as backend {backend}" in note.message for note in session.notes)


def test_settings_that_differ(project: Path) -> None:
    set_in(
        project,
        "MakesettingsGeneral",
        OPTION_FLAGS='"DEBUG_PRINT,DO_NOT_TOUCH_GPU_CACHE_SETTINGS"',
        LIBRARY_OBJECTS='"a.o b.o"',
        CPU_IMPLEMENTATION_PRODUCTION_FAST="FortranImplementation",
        CPU_IMPLEMENTATION_PRODUCTION="FortranImplementation",
        EXECUTABLES='"settle other"',
        BASEDIR="./out",
    )
    add_schemes(project, "Fast")
    loaded, notes = load(project)
    assert loaded.backend("cpu") == "sequential"  # the variable goes over the file of the same name
    assert loaded.schemes == {"FAST": {"cpu": "sequential"}}
    assert loaded.executables == ("settle", "other")
    assert loaded.build_dir == "out"
    assert any(
        n.startswith("MakesettingsGeneral") and "DO_NOT_TOUCH_GPU_CACHE_SETTINGS has no effect" in n for n in notes
    )
    assert loaded.debug_print.on and not any("DEBUG_PRINT" in n for n in notes)


def test_main_programs_of_a_framework(project: Path) -> None:
    (project / "framework").mkdir()
    (project / "framework/outer.f90").write_text("program outer\nend program\n")
    set_in(project, "MakesettingsGeneral", FRAMEWORK_DIRS="framework", FRAMEWORK_MAKEFILE="framework/Makefile")
    assert load(project)[0].sources == ("source",)
    set_in(project, "MakesettingsGeneral", EXECUTABLES="outer")
    loaded, notes = load(project)
    assert loaded.sources == ("source", "framework")
    assert any("FRAMEWORK_MAKEFILE is not run" in note for note in notes)


FRAMEWORK = """\
# links with -lnothing
LIBS = -lm -lsettle -L$(ELSEWHERE)
outer: outer.o scale.o driver.o \\
       vendor.o
\t$(LD) -DFAST -o $@ $^ -L./third $(LIBS) blas.a
"""


@pytest.mark.usefixtures("quick")
def test_objects_and_libraries_of_a_framework(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What the framework's makefile links is linked; what hfpy does not follow is named."""
    for folder in ("framework", "tools"):
        (project / folder).mkdir()
    (project / "framework/Makefile").write_text(FRAMEWORK)
    (project / "framework/outer.f90").write_text(
        "program outer\n interface\n real(8) function scale_it(x) bind(c)\n real(8), value :: x\n end function\n"
        " end interface\n print '(f5.1)', scale_it(2d0)\nend program\n"
    )
    (project / "tools/scale.c").write_text("#include <math.h>\ndouble scale_it(double x) { return pow(x, 3); }\n")
    words = {"FRAMEWORK_DIRS": '"./framework ./tools"', "FRAMEWORK_MAKEFILE": "./framework/Makefile"}
    set_in(project, "MakesettingsGeneral", EXECUTABLES="outer", **words)
    loaded, notes = load(project)
    assert loaded.targets["cpu"].ldflags[-2:] == ("-lm", "-L./third")
    reported = next(n for n in notes if "FRAMEWORK_MAKEFILE" in n)
    assert "linked with -lm -L./third" in reported
    assert "left out: -L$(ELSEWHERE) vendor.o -DFAST blas.a" in reported
    assert cli.run(["build", str(project)]) == 0
    output = subprocess.run([project / "test/outer/outer_cpu"], capture_output=True, text=True, check=True).stdout
    assert output == "  8.0\n"


@pytest.mark.usefixtures("quick")
def test_where_programs_of_a_framework_go(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """They have the names and folders of the project's own build system, and its tests look for them there."""
    (project / "framework").mkdir()
    set_in(
        project,
        "MakesettingsGeneral",
        EXECUTABLES="",
        TESTDIR="",
        FRAMEWORK_DIRS="framework",
        FRAMEWORK_MAKEFILE="framework/Makefile",
        FRAMEWORK_EXECUTABLE_PATHS='"framework/settle_hybrid"',
        FRAMEWORK_INSTALLED_EXECUTABLE_PATHS='"./runs/both"',
        FRAMEWORK_NON_HYBRID_EXECUTABLE_PATHS='"framework/settle_c"',
    )
    assert cli.run(["build", str(project)]) == 0
    shown = capfd.readouterr()
    assert "built " in shown.out and "runs/both/settle_hybrid_cpu" in shown.out
    assert "FRAMEWORK_NON_HYBRID_EXECUTABLE_PATHS has no effect" in shown.err
    assert not (project / "test/settle/settle_cpu").exists()
    assert cli.run(["test", str(project)]) == 0
    assert capfd.readouterr().out == "settle_hybrid: ok\n1 of 1 test runs ok\n"
    (project / "runs/both/settle_other_cpu").write_text("mine")
    assert cli.run(["clean", str(project)]) == 0
    assert not (project / "runs/both/settle_hybrid_cpu").exists()
    assert (project / "runs/both/settle_other_cpu").exists()


@pytest.mark.parametrize(
    ("program", "programs", "names", "wanted"),
    [
        ("wave", "wave", "wave_hf", "wave_hf"),
        ("wave", "wave", "sea", "sea"),
        ("wave", "wave wave2", "wave2 wave_hf", "wave_hf"),
        ("wave2", "wave wave2", "wave2 wave_hf", "wave2"),
        ("wave", "wave", "waves_hf other", None),
        ("wave", "wave sea", "other", None),
        ("wave", "wave", "wave_a wave_b", None),
    ],
)
def test_names_of_programs_of_a_framework(program: str, programs: str, names: str, wanted: str | None) -> None:
    installed = {name: f"bin/{name}" for name in names.split()}
    assert place_of(program, programs.split(), installed) == (f"bin/{wanted}" if wanted else None)


def test_faulty_settings(project: Path) -> None:
    set_in(project, "MakesettingsGeneral", CPU_IMPLEMENTATION_PRODUCTION="FastImplementation")
    with pytest.raises(HfpyError) as caught:
        load(project)
    assert caught.value.diagnostics[0].code == "HF802"
    set_in(project, "MakesettingsGeneral", SRC_DIR_COMMON="./nowhere")
    with pytest.raises(HfpyError, match="nowhere"):
        load(project)


def test_settings_are_read_as_make_reads_them(project: Path) -> None:
    text = "A = 1\nifdef DEBUG\nA += debug\nelse\nA += fast\nendif\nB := $(shell echo from shell)\nC = '$(A)' # told\n"
    (project / "config/MakesettingsCPU").write_text(text)
    settings = read_settings(project, "cpu", dict(os.environ), debug=False, hf_dir=legacy.HF_DIR, runs=True)
    assert settings.text("A") == "1 fast"
    assert settings.text("B") == "from shell"
    assert settings.words("C") == ("1", "fast")
    assert settings.place("A").line == 5
    debugged = read_settings(project, "cpu", dict(os.environ), debug=True, hf_dir=legacy.HF_DIR, runs=True)
    assert debugged.text("A") == "1 debug"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-fast -O3 -g", "-O3 -g"),
        ("-Mcuda=cc60 -ta=nvidia -Mvect=simd -Kieee", "-ffp-contract=off"),
        ("-i8 -byteswapio -Mextend", "-fdefault-integer-8 -fconvert=swap -ffixed-line-length-132"),
        ("-Bstatic_pgi -Bstatic", "-static-libgfortran"),
        ("-convert big_endian -xHost -qopenmp -fpp", "-fconvert=big-endian -march=native"),
        ("-module mods -Ktrap=fp -I/usr/include -DX=1", "-ffpe-trap=invalid,zero,overflow -I/usr/include -DX=1"),
        ("-Wall -funroll-loops", "-Wall -funroll-loops"),
    ],
)
def test_flags(words: str, expected: str) -> None:
    assert " ".join(translate_flags(words.split(), "gnu").flags) == expected
    assert " ".join(translate_flags(words.split(), "nvidia").flags) == words


def test_flags_with_hyphens_of_a_word_processor() -> None:
    assert translate_flags(["\N{NON-BREAKING HYPHEN}Mipa=inline", "-g"], "gnu").flags == ("-g",)


def test_the_projects_own_library_is_not_linked_twice(project: Path) -> None:
    """Settings link with the library that the predecessor makes, ``libpp.a`` where no other name is set."""
    set_in(project, "MakesettingsGeneral", HYBRID_LIBRARY_FILENAME_POSTFIX="")
    set_in(project, "MakesettingsCPU", LDFLAGS="-L/usr/lib -lpp -lm")
    loaded, _ = load(project)
    assert loaded.target("cpu").ldflags == ("-L/usr/lib", "-lm")


@pytest.mark.usefixtures("quick")
def test_build_puts_executables_in_place(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["build", str(project)]) == 0
    out, err = capfd.readouterr()
    assert "test/settle/settle_cpu" in out
    assert err.count("HF808") == 4
    ended = subprocess.run(
        ["./settle_cpu", "cpu", "-nt", "2"], cwd=project / "test/settle", capture_output=True, text=True, check=True
    )
    assert ended.stdout == "settled for 2 steps\n"
    assert "CPU Implementation" in ended.stderr


def expected(nx: int, ny: int, steps: int) -> tuple[list[float], list[float]]:
    """The model of the fixture, by hand: the field with k fastest, then i, then j; the ground with i fastest."""
    nz = 8
    field, ground = [], []
    for j in range(1, ny + 1):
        for i in range(1, nx + 1):
            c, reached = [i + 0.25 * j * k for k in range(1, nz + 1)], 0.0
            for _ in range(steps):
                reached += 0.5 * c[0]
                c = [c[k] + 0.5 * (c[k + 1] - c[k]) for k in range(nz - 1)] + [c[nz - 1] * 0.5]
            field += c
            ground.append(reached)
    return field, ground


def record(values: list[float]) -> bytes:
    data = array("d", values).tobytes()
    return struct.pack("<i", len(data)) + data + struct.pack("<i", len(data))


def add_references(test: Path, *runs: tuple[int, int, int]) -> None:
    for nx, ny, nt in runs:
        folder = test / f"ref_nx{nx}_ny{ny}_nt{nt}"
        folder.mkdir()
        for name, values in zip(("c", "ground"), expected(nx, ny, nt), strict=True):
            (folder / f"{name}.dat").write_bytes(record(values))


@pytest.mark.usefixtures("quick")
def test_its_own_makefile_works(project: Path) -> None:
    """make build_cpu, tests_cpu and clean_cpu in such a project, its HF_DIR pointing to hfpy's rules."""
    add_references(project / "test/settle", (5, 4, 3), (3, 7, 6))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "HF_DIR": str(legacy.HF_DIR)}

    def make(*goals: str, status: int = 0) -> str:
        ended = subprocess.run(
            ["make", "-j2", f"HFPY={HFPY}", *goals],
            cwd=project,
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        assert ended.returncode == status, ended.stdout + ended.stderr
        return ended.stdout

    make("build_cpu", "install_cpu")
    assert (project / "test/settle/settle_cpu").is_file()
    reported = make("tests_cpu")
    assert "settle -nx 5 -ny 4 -nt 3: ok\nsettle -nx 3 -ny 7 -nt 6: ok\n2 of 2 test runs ok\n" in reported
    assert "-nx 3 -ny 7 -nt 6" in (project / "test/settle/log_lastRun.txt").read_text()
    reference = project / "test/settle/ref_nx3_ny7_nt6/c.dat"
    values = array("d", reference.read_bytes()[4:-4])
    values[17] *= 1.001
    reference.write_bytes(record(list(values)))
    reported = make("tests_cpu", status=2)
    assert "settle -nx 3 -ny 7 -nt 6: c.dat: record 1: root mean square error" in reported
    assert "1 of 2 test runs ok" in reported
    make("source_cpu")
    assert (project / "build/source_cpu/driver.F90").is_file()
    make("clean_cpu")
    assert not (project / "build/cpu-openmp").exists()


def test_runner_takes_a_packed_reference_and_tells_failures(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for the program: what it writes and how it ends is in its arguments."""
    test = project / "test/settle"
    script = '#!/bin/sh\nmkdir -p out; printf "%s" "$2" > out/a.dat; echo "$3" >&2; test -z "$STOP"\n'
    (test / "settle_cpu").write_text(script)
    (test / "settle_cpu").chmod(0o755)
    (test / "testConfig_validation.txt").unlink()
    assert cli.run(["test", str(project)]) == 0
    (test / "testConfigParams_validation.txt").write_text("one two\n'a b' 'Fatal Error here'\n")
    assert cli.run(["test", str(project)]) == 1
    assert "settle a b Fatal Error here: ended with status 102" in capfd.readouterr().out
    monkeypatch.setenv("STOP", "1")
    assert cli.run(["test", str(project)]) == 1
    assert "settle one two: ended with status 1: two" in capfd.readouterr().out
    monkeypatch.delenv("STOP")
    (test / "testConfigParams_validation.txt").unlink()
    (test / "testConfig_validation.txt").write_text("nx 5\n")
    (project / "ref_nx5").mkdir()
    (project / "ref_nx5/a.dat").write_text("-nx")
    with tarfile.open(test / "ref.tar.gz", "w:gz") as archive:
        archive.add(project / "ref_nx5", "ref_nx5")
    assert cli.run(["test", str(project)]) == 0
    (project / "ref_nx5/b.dat").write_text("more")
    with tarfile.open(test / "ref.tar.gz", "w:gz") as archive:
        archive.add(project / "ref_nx5", "ref_nx5")
    assert cli.run(["test", str(project)]) == 1
    assert "b.dat was not written" in capfd.readouterr().out


def test_runs_from_configuration(tmp_path: Path) -> None:
    assert configured_runs(tmp_path, "validation") == [Run((), "ref")]
    (tmp_path / "testConfig_validation.txt").write_text("nx 5 te 0.5\n\n# no run\nnx 6 te 1\n")
    assert configured_runs(tmp_path, "validation") == [
        Run(("-nx", "5", "-te", "0.5"), "ref_nx5_te0.5"),
        Run(("-nx", "6", "-te", "1"), "ref_nx6_te1"),
    ]


def test_a_project_that_is_not_built_is_told(project: Path) -> None:
    assert cli.run(["test", str(project)]) == 2
    assert cli.run(["test", str(project / "source")]) == 2


@pytest.mark.parametrize(
    ("kind", "found", "reference", "words"),
    [
        ("d", [1.0, 2.0], [1.0, 2.0], ""),
        ("d", [1.0, 2.0 + 1e-7], [1.0, 2.0], ""),
        ("d", [1.0, 2.0 + 1e-5], [1.0, 2.0], "largest error 5.0"),
        ("f", [1.5, -3.0], [1.5, -3.0], ""),
        ("f", [1.5, -3.1], [1.5, -3.0], "root mean square"),
        ("i", [7, -8], [7, -8], ""),
        ("i", [7, -9], [7, -8], "error"),
        ("d", [float("nan"), 2.0], [1.0, 2.0], "no numbers"),
        ("d", [1.0], [1.0, 2.0], "bytes"),
        ("d", [0.0, 0.0], [0.0, 0.0], ""),
        ("d", [0.0, 1e-3], [0.0, 0.0], "largest error 1.000e-03"),
    ],
)
def test_comparer(tmp_path: Path, kind: str, found: list[float], reference: list[float], words: str) -> None:
    for name, values in (("found", found), ("reference", reference)):
        data = array(kind, values).tobytes()  # type: ignore[arg-type]
        (tmp_path / name).write_bytes(struct.pack("<i", len(data)) + data + struct.pack("<i", len(data)))
    reported = compare_files(tmp_path / "found", tmp_path / "reference")
    assert words in reported
    assert bool(reported) == bool(words)


def test_comparer_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("some text")
    (tmp_path / "b").write_text("some text")
    assert compare_files(tmp_path / "a", tmp_path / "b") == ""
    (tmp_path / "b").write_text("same text")
    assert "differs" in compare_files(tmp_path / "a", tmp_path / "b")
    (tmp_path / "b").write_bytes(record([1.0]) + record([2.0]))
    (tmp_path / "a").write_bytes(record([1.0]))
    assert "number of records" in compare_files(tmp_path / "a", tmp_path / "b")
    assert "cannot be read" in compare_files(tmp_path / "none", tmp_path / "b")


def test_kinds_are_guessed() -> None:
    assert guessed_kind(array("d", [1.0, 280.5, -3e-5]).tobytes()) == "d"
    assert guessed_kind(array("f", [1.0, 280.5, -3e-5, 4.0]).tobytes()) == "f"
    assert guessed_kind(array("i", [1, 2, 3]).tobytes()) == "i"
    assert guessed_kind(b"abc") is None


def test_programs_that_settings_name_for_tests(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    general = project / "config/MakesettingsGeneral"
    general.write_text(general.read_text() + '\nTEST_EXECUTABLES="./scripts/first.sh scripts/deep/second"\n')
    for path in ("scripts/first.sh", "scripts/deep/second"):
        script = project / path
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text('#!/bin/sh\ntest "$(basename "$PWD")/$1/$2" = "$(cat wanted)"\n')
        script.chmod(0o755)
        (script.parent / "wanted").write_text(f"{script.parent.name}/cpu/")
    assert cli.run(["test", str(project)]) == 0
    assert capfd.readouterr().out == "first.sh: ok\nsecond: ok\n2 of 2 test runs ok\n"
    (project / "scripts/deep/wanted").write_text("elsewhere")
    assert cli.run(["test", str(project)]) == 1
    (project / "scripts/deep/second").unlink()
    assert cli.run(["test", str(project)]) == 2


def test_nothing_to_test_is_a_fault(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    general = project / "config/MakesettingsGeneral"
    general.write_text(re.sub(r"(?m)^EXECUTABLES=.*$", "EXECUTABLES=", general.read_text()))
    assert cli.run(["test", str(project)]) == 2
    assert "names no EXECUTABLES" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("flags", "debug", "level"),
    [("-fcheck=bounds", False, "-O3"), ("-g -O1", False, "-O1"), ("", False, "-O3"), ("-fast", False, "-O3")],
)
def test_level_of_optimisation(project: Path, flags: str, debug: bool, level: str) -> None:
    cpu = project / "config/MakesettingsCPU"
    cpu.write_text(f"FC=gfortran\nFFLAGS={flags}\n")
    found, notes = legacy.load_legacy(project, "cpu", {}, debug=debug)
    given = found.target("cpu").flags or ()
    assert [flag for flag in given if flag.startswith("-O")] == [level]
    reported = sum("no level of optimisation, -O3 is used" in n.message for n in notes)
    assert reported == (level not in flags and "-fast" not in flags)


def test_no_level_for_debugging(project: Path) -> None:
    (project / "config/MakesettingsCPU").write_text("FC=gfortran\nFFLAGS=-g\n")
    found, notes = legacy.load_legacy(project, "cpu", {}, debug=True)
    assert not any(flag.startswith("-O") for flag in found.target("cpu").flags or ())
    assert not any("optimisation" in n.message for n in notes)


def test_configure_makes_what_is_missing(project: Path) -> None:
    kept = (project / "config/MakesettingsGeneral").read_text()
    (project / "config/CPU_IMPLEMENTATION_DEBUG").unlink()
    (project / "configure").write_text('#!/bin/bash\n"$HF_DIR"/hf_bin/configure.sh "$@"\n')

    def configure(*options: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", "configure", *options]
        environment = {**os.environ, "HF_DIR": str(legacy.HF_DIR)}
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)

    assert configure("-a=openacc").returncode == 0
    config = project / "config"
    assert (config / "CPU_IMPLEMENTATION_DEBUG").read_text() == "FortranImplementation\n"
    assert (config / "GPU_IMPLEMENTATION_EMULATION").read_text() == "PGIOpenACCFortranImplementation\n"
    assert (config / "MakesettingsGeneral").read_text() == kept
    assert configure("--acceleratorImplementation=opencl").returncode == 2
    shutil.rmtree(config)
    assert configure().returncode == 0
    add_schemes(project, "REDUCTION_SUPPORT")
    found, _ = legacy.load_legacy(project, "gpu", {}, debug=False)
    assert found.executables == (project.name,)
    assert found.schemes["REDUCTION_SUPPORT"] == {"gpu": "cuda-c"}


def test_where_makefiles_look_for_the_rules() -> None:
    for place in (
        "hf_Makefile",
        "Makefile",
        "hf_config/Makefile",
        "hf_build/hf_Makefile",
        "hf_processor/MakefileCommon",
        "hf/MakefileCommon",
    ):
        command = ["make", "-n", "-f", str(legacy.HF_DIR / place), "HFPY=hfpy", "build_cpu"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.stdout.strip() == "hfpy build . --target cpu", place


def test_schemes_that_no_source_has(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Settings are copied from project to project: what is said of other schemes has no effect, and cannot be wrong."""
    set_in(
        project,
        "MakesettingsGeneral",
        CPU_IMPLEMENTATION_PRODUCTION_RADIATION="FortranImplementation",
        CPU_IMPLEMENTATION_PRODUCTION_OTHER="NoSuchImplementation",
        GPU_IMPLEMENTATION_PRODUCTION_OTHER="NoSuchImplementation",
    )
    (project / "config/GPU_IMPLEMENTATION_PRODUCTION_REDUCTION_SUPPORT").write_text("PGIOpenACCFortranImplementation\n")
    add_schemes(project, "Radiations")
    loaded, notes = load(project)
    assert loaded.schemes == {}
    reported = [n for n in notes if "@scheme" in n]
    assert [n.split(":")[0] for n in reported] == ["MakesettingsGeneral"] * 2
    assert "CPU_IMPLEMENTATION_PRODUCTION_OTHER has no effect: no source has a @scheme 'OTHER'" in reported[0]
    assert not any("REDUCTION_SUPPORT" in n for n in load(project, "gpu")[1])
    assert cli.run(["check", str(project)]) == 0
    shown = "".join(capfd.readouterr())
    assert shown.count("HF809") == 2 and "did you mean 'Radiations'?" in shown
    add_schemes(project, "OTHER")
    with pytest.raises(HfpyError, match="NoSuchImplementation"):
        load(project)


def test_flags_that_the_compiler_does_not_know(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Told once for each setting, left out where something is compiled."""
    (project / "config/MakesettingsCPU").write_text(
        "FC=gfortran\nCC=gcc\nPFLAGS=-D LAYERS=8 -Isource -w -D_OPENMP\n"
        "FFLAGS=-O0 -r8 -fno-such-thing -xCORE-AVX2 -fpe0 -frob 3 -Mcuda\n"
        "CFLAGS=-O1 -Minfo=all -noway -r8\nLDFLAGS=-L. -pgf90libs -no-such\n"
    )
    assert cli.run(["build", str(project)]) == 0
    shown = capfd.readouterr().err
    reported = [line.split("HF808: ")[1] for line in shown.splitlines() if "HF808" in line]
    assert reported == [
        "PFLAGS: left out: -w -D_OPENMP",
        "FFLAGS was translated for gfortran: -r8 → -fdefault-real-8 -fdefault-double-8; "
        "-fpe0 → -ffpe-trap=invalid,zero,overflow; left out: -xCORE-AVX2 -Mcuda -fno-such-thing -frob 3",
        "CFLAGS was translated for gcc: -r8 → -fdefault-real-8 -fdefault-double-8; "
        "left out: -Minfo=all -noway -fdefault-real-8 -fdefault-double-8",
        "LDFLAGS was translated for gfortran: left out: -pgf90libs -no-such",
    ]
    done = subprocess.run(
        ["./settle_cpu", "cpu", "-nt", "2"], cwd=project / "test/settle", capture_output=True, text=True
    )
    assert done.stdout == "settled for 2 steps\n"


def test_settings_without_effect_are_told(project: Path) -> None:
    set_in(project, "MakesettingsGeneral", TEST_WITH_EVERY_BUILD="true", ACCURACY_TEST_PARAMETERS='"-e 1e-3"')
    set_in(project, "MakesettingsGPU", CUDAFLAGS="-O3 -arch=sm_35")
    reported = [n for n in load(project, "gpu")[1] if "has no effect: " in n and "@scheme" not in n]
    assert [n.split(": ")[1].split(" ")[0] for n in reported] == [
        "ACCURACY_TEST_PARAMETERS",
        "CUDAFLAGS",
        "TEST_WITH_EVERY_BUILD",
    ]


def test_goals_and_variables_of_its_makefile(project: Path) -> None:
    """EMULATED, DEBUG and VERBOSE; graphs, and clean, which removes all that was made."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "HF_DIR": str(legacy.HF_DIR)}

    def make(*goals: str) -> str:
        command = ["make", f"HFPY={HFPY}", *goals]
        ended = subprocess.run(command, cwd=project, capture_output=True, text=True, env=environment, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    assert " build . --target gpu --debug --verbose --emulate" in make(
        "-n", "build_gpu", "EMULATED=1", "DEBUG=1", "VERBOSE=1"
    )
    assert "--emulate" not in make("-n", "build_cpu", "EMULATED=1")
    assert "--emulate" not in make("-n", "build_gpu", "EMULATED=0")
    make("graphs", "source_cpu")
    for target in ("CPU", "GPU"):
        assert "<svg" in (project / f"build/callgraphs/CG_{target}.svg").read_text()
    make("clean")
    assert not (project / "build").exists()


VERSION = """\
module cuda_version
  use cudafor
contains
  subroutine shown()
    print '(a)', 'from the other version'
  end subroutine
end module
"""


@pytest.mark.usefixtures("quick")
def test_versions_for_another_compiler(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """They lie beside the hybrid program, and are left out while no executable needs them."""
    (project / "source/cuda_version.F90").write_text(VERSION)
    (project / "source/above.f90").write_text("module above\n  use cuda_version, only: shown\nend module\n")
    (project / "source/settle_cuda.F90").write_text("program settle_cuda\n  use above\n  call shown()\nend program\n")
    assert cli.run(["build", str(project)]) == 0
    shown = "".join(capfd.readouterr())
    reported = [line for line in shown.splitlines() if "HF811" in line]
    assert [Path(line.split(": note")[0].split(":")[0]).name for line in reported] == ["above.f90", "cuda_version.F90"]
    assert "uses 'cudafor', which this compiler cannot have" in shown
    (project / "source/cudafor.f90").write_text("module cudafor\nend module\n")
    assert cli.run(["build", str(project)]) == 0
    assert "HF811" not in "".join(capfd.readouterr())
    (project / "source/cudafor.f90").unlink()
    set_in(project, "MakesettingsGeneral", EXECUTABLES='"settle settle_cuda"')
    assert cli.run(["build", str(project)]) != 0
    shown = "".join(capfd.readouterr())
    assert "cudafor.mod" in shown and "HF811" not in shown


@pytest.mark.usefixtures("quick")
def test_modules_with_the_name_of_a_procedure(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """PGI's compiler lets a module have the name of one of its procedures; the module gets another, in all files."""
    files = {
        "erode.h90": """
        Module Erode ! module erode
          integer :: erode_module = 3
        contains
          subroutine erode(n, h)
            integer, intent(in) :: n
            real, intent(inout) :: h(n)
            @parallelRegion{domName(i), domSize(n)}
            h(i) = h(i) - 0.5
            @end parallelRegion
          end subroutine erode
        END MODULE erode
        """,
        "between.f90": """
        module between
          use :: ERODE, only: slope => erode, erode_module
        end module between
        """,
        "settle.h90": """
        program settle
          use erode
          use between, only: slope
          real :: h(4)
          h = 1.5
          call erode(4, h); call slope(4, h)
          print '(a,4f5.1,i2)', 'module erode', h, erode_module
        end program settle
        """,
    }
    shutil.rmtree(project / "source/physics")
    (project / "source/driver.h90").unlink()
    for name, text in files.items():
        (project / "source" / name).write_text(textwrap.dedent(text).lstrip())
    assert cli.run(["build", str(project)]) == 0
    shown = capfd.readouterr().err
    assert "erode.h90:4:3: warning HF108: subroutine 'erode' has the name of the module around it" in shown
    assert "the module is called 'erode_module_' because this is an existing project" in shown
    done = subprocess.run([project / "test/settle/settle_cpu"], capture_output=True, text=True, check=True)
    assert done.stdout == "module erode  0.5  0.5  0.5  0.5 3\n"
    submodule = "submodule (erode) deeper\nend submodule\n"
    (project / "source/deeper.f90").write_text(submodule)
    assert cli.run(["build", str(project)]) == 1
    assert "error HF108" in capfd.readouterr().err


def test_projects_for_many_processes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """USE_MPI asks for MPI's compiler where that of the settings is not there; that has libraries of its own."""
    (project / "config/MakesettingsCPU").write_text(
        "FC=pgf90\nFFLAGS=-O2\nPFLAGS=-DUSE_MPI -DLAYERS=8\nLDFLAGS=-L/x -lmpi_f90 -lmpi -lmpfr\n"
    )
    monkeypatch.setattr(
        "hfpy.build.existing.legacy.shutil.which", lambda name: f"/bin/{name}" if name != "pgf90" else None
    )
    monkeypatch.setattr(
        "hfpy.build.compile.compilers.shutil.which", lambda name: f"/bin/{name}" if name != "pgf90" else None
    )
    loaded, notes = load(project)
    assert loaded.target("cpu").compiler == "mpifort"
    assert loaded.target("cpu").ldflags == ("-L/x", "-lmpfr")
    assert notes[0] == "MakesettingsCPU:1: FC=pgf90 is not on this machine, mpifort is used"
    assert notes[1] == "MakesettingsCPU:4: LDFLAGS: left out: -lmpi_f90 -lmpi; mpifort links its own MPI"
    general = project / "config/MakesettingsCPU"
    general.write_text(general.read_text().replace("-DUSE_MPI", ""))
    loaded, _ = load(project)
    assert loaded.target("cpu").compiler == "gfortran" and "-lmpi" in (loaded.target("cpu").ldflags or ())


def test_cuda_c_of_a_project_on_the_cpu(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings for the CPU may name a compiler for it; what is left out is told."""
    tools = {"gcc", "gfortran", "nvcc"}
    monkeypatch.setattr("hfpy.build.existing.legacy.shutil.which", lambda name: name if name in tools else None)
    assert not load(project)[0].cuda_everywhere
    (project / "source/reference.cu").write_text("int reference;\n")
    loaded, notes = load(project)
    assert not loaded.cuda_everywhere
    assert any(note.endswith("left out: reference.cu; MakesettingsCPU has no CUDAC") for note in notes)
    set_in(project, "MakesettingsCPU", CUDAC="nvcc")
    assert load(project)[0].cuda_everywhere
    tools.remove("nvcc")
    loaded, notes = load(project)
    assert not loaded.cuda_everywhere
    assert any(note.endswith("left out: reference.cu; nvcc is not on this machine") for note in notes)


def test_what_no_source_has_is_told_at_its_lines(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Settings name folders of libraries, which bring no subroutine; a library that they link may."""
    driver = project / "source/driver.h90"
    lines = driver.read_text().splitlines()
    end = next(number for number, line in enumerate(lines) if line.strip().startswith("end subroutine"))
    wrong = "\n".join([*lines[:end], "    call setle(1)", *lines[end:]]) + "\n"
    driver.write_text(wrong)
    (project / "source/settle.h90").write_text("program settle\n  use driver, only: run_model\nend program settle\n")
    set_in(project, "MakesettingsCPU", LDFLAGS="-L/usr/local/lib")
    assert cli.run(["check", str(project)]) == 1
    said = capsys.readouterr().err
    assert re.search(rf"driver\.h90:{end + 1}:\d+: error HF253: no file has the subroutine 'setle'", said)
    set_in(project, "MakesettingsCPU", LDFLAGS="-L/usr/local/lib -lsetle")
    assert cli.run(["check", str(project)]) == 0
    driver.write_text(wrong.replace("implicit none", "use nowhere\n  implicit none", 1))
    assert cli.run(["check", str(project)]) == 1
    assert "driver.h90:4:3: error HF254: no file has the module 'nowhere'" in capsys.readouterr().err


@pytest.mark.parametrize(("called", "hint"), [("acc_init(4)", "-lgomp"), ("setle(1)", "'hfpy check'")])
def test_links_that_fail_say_where_to_look(
    called: str, hint: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    external = called.partition("(")[0]
    main = f"program settle\n  external :: {external}\n  call {called}\nend program settle\n"
    (project / "source/settle.h90").write_text(main)
    (project / "config/CPU_IMPLEMENTATION_PRODUCTION").write_text("FortranImplementation")
    assert cli.run(["build", str(project)]) == 3
    assert f"hint: {'acc_' if external[0] == 'a' else hint}" in (said := capsys.readouterr().err) and hint in said

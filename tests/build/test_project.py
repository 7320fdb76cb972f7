"""hfpy.toml: every key of the design is read, everything else is refused with its line and a suggestion."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.build.settings.projectfile import load_project
from hfpy.diagnostics import Diagnostic, HfpyError
from hfpy.options import Decompositions, DomainSpec
from hfpy.project import options_for, source_files, storage_order_file

FULL = """\
[project]
name = "heat"
sources = ["source", "extra/*.f90", "single.F90"]
executables = ["heat"]
storage_order = "source/storage_order.F90"
define = ["NX=256"]
build_dir = "out"
exclude = ["old", "*_draft.f90"]
include_dirs = ["include"]
libraries = ["netcdff"]
ldflags = ["-L/opt/lib"]
cflags = ["-O1"]
nvccflags = ["-lineinfo"]

[target.cpu]
backend = "sequential"
compiler = "gfortran"
flags = ["-O3"]
define = ["CPU_ONLY"]
schedule = "dynamic,4"
opt = 1

[target.gpu]
backend = "openacc"
arch = "sm_90"

[domains]
i = { size = ["nx"], iterators = ["i", "ii"] }
k = { size = "nz", iterators = "k" }

[decomposition]
exchange = "auto"
reductions = "global"

[layout]
cpu = "k i j"
gpu = "i j k"

[layout.arrays]
"physics::tend" = { cpu = "i j k" }
flux = "j i k"

[schemes]
reduction_support = { gpu = "openacc" }

[routines]
"Physics::Radiate" = { gpu = "openacc", cpu = "sequential" }
tail = "sequential"

[files."midaco.f"]
flags = ["-O1"]
"""


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hfpy.toml").write_text(text)
    return folder


def faults(folder: Path, text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(HfpyError) as caught:
        load_project(write(folder, text))
    return caught.value.diagnostics


def test_every_key_is_read(tmp_path: Path) -> None:
    project = load_project(write(tmp_path, FULL))
    (tmp_path / "source").mkdir()
    (tmp_path / "source/storage_order.F90").write_text("")
    assert project.name == "heat"
    assert project.executables == ("heat",)
    assert project.build_path("cpu") == tmp_path / "out/cpu-sequential"
    assert project.libraries == ("netcdff",)
    assert project.ldflags == ("-L/opt/lib",)
    assert project.cflags == ("-O1",)
    assert project.nvccflags == ("-lineinfo",)
    assert project.target("cpu").compiler == "gfortran"
    assert project.target("cpu").flags == ("-O3",)
    assert project.target("gpu").arch == "sm_90"
    cpu, gpu = options_for(project, "cpu"), options_for(project, "gpu")
    assert (cpu.backend, gpu.backend) == ("sequential", "openacc")
    assert cpu.define == ("NX=256", "CPU_ONLY", "HFPY_STORAGE_ORDER")
    assert gpu.define == ("NX=256", "HFPY_STORAGE_ORDER")
    assert (cpu.schedule, cpu.opt) == ("dynamic,4", 1)
    assert (cpu.layout, gpu.layout) == ("k i j", "i j k")
    assert cpu.layout_arrays == {"physics::tend": "i j k", "flux": "j i k"}
    assert gpu.layout_arrays == {"flux": "j i k"}
    assert cpu.domains == {"i": DomainSpec(("nx",), ("i", "ii")), "k": DomainSpec(("nz",), ("k",))}
    assert cpu.decomposition == gpu.decomposition == Decompositions("auto", "global")
    assert cpu.schemes == {}
    assert gpu.schemes == {"REDUCTION_SUPPORT": "openacc"}
    assert cpu.routines == {"physics::radiate": "sequential", "tail": "sequential"}
    assert gpu.routines == {"physics::radiate": "openacc", "tail": "sequential"}
    assert cpu.storage_order == tmp_path / "source/storage_order.F90"
    assert cpu.include_dirs == (tmp_path / "include",)
    assert project.flags_of_file(tmp_path / "source/midaco.f") == ("-O1",)
    assert project.flags_of_file(tmp_path / "source/other.f") == ()


def test_only_sources_is_needed(tmp_path: Path) -> None:
    project = load_project(write(tmp_path / "wind", '[project]\nsources = ["src"]\n'))
    assert project.name == "wind"
    assert project.build_path("cpu").name == "cpu-openmp"
    assert project.build_path("gpu").name == "gpu-cuda-c"


def test_sources_are_folders_files_and_globs(tmp_path: Path) -> None:
    for name in (
        "source/a.h90",
        "source/deep/b.F90",
        "source/old/c.f90",
        "source/x_draft.f90",
        "source/storage_order.F90",
        "source/.hidden/d.f90",
        "source/e.c",
        "source/notes.txt",
        "extra/f.f90",
        "single.F90",
        "out/cpu-openmp/generated/z.f90",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    text = FULL.replace('exclude = ["old"', 'exclude = ["source/old"')
    project = load_project(write(tmp_path, text.replace('"source",', '"source", "out", ')))
    names = [p.relative_to(tmp_path).as_posix() for p in source_files(project)]
    assert names == ["source/a.h90", "source/deep/b.F90", "extra/f.f90", "single.F90"]
    assert [p.name for p in source_files(project, (".c",))] == ["e.c"]


def test_storage_order_among_the_sources_is_found(tmp_path: Path) -> None:
    project = load_project(write(tmp_path, '[project]\nsources = ["src"]\n'))
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.f90").write_text("")
    assert storage_order_file(project) is None
    (tmp_path / "src/storage_order.F90").write_text("")
    project = load_project(tmp_path)
    assert storage_order_file(project) == tmp_path / "src/storage_order.F90"


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "words"),
    [
        ('[project]\nsource = ["a"]\nsources = ["b"]\n', "HF801", 2, 1, "did you mean 'sources'?"),
        ('[project]\nsources = ["b"]\nflags = ["-O2"]\n', "HF801", 3, 1, "it belongs to [target.cpu] or [target.gpu]"),
        ('[project]\nsources = ["b"]\n[target.cpu]\nauto = true\n', "HF801", 4, 1, "it belongs to [project]"),
        ('[projekt]\n[project]\nsources = ["b"]\n', "HF801", 1, 2, "did you mean 'project'?"),
        (
            '[project]\nsources = ["b"]\n[target.cpu]\nflags = [\n  "backend",\n]\nbackand = "x"\n',
            "HF801",
            7,
            1,
            "did you mean 'backend'?",
        ),
        ('[project]\nsources = ["b"]\n[target.cuda]\n', "HF801", 3, 2, "known here: cpu, gpu"),
        (
            '[project]\nsources = ["b"]\n[domains]\ni = { size = ["n"], iterator = ["i"] }\n',
            "HF801",
            4,
            21,
            "did you mean 'iterators'?",
        ),
        (
            '[project]\nsources = ["b"]\n[target.cpu]\nbackend = "opnemp"\n',
            "HF802",
            4,
            1,
            "did you mean 'openmp'?",
        ),
        ('[project]\nsources = ["b"]\n[schemes]\nA = { gpu = "cuda" }\n', "HF802", 4, 1, "did you mean 'cuda-c'?"),
        ('[project]\nsources = "b"\n', "HF802", 2, 1, "must be a list of texts"),
        ('[project]\nsources = ["b"]\n[target.cpu]\nopt = 7\n', "HF802", 4, 1, "0, 1, 2 or 3"),
        (
            '[project]\nsources = ["b"]\n[debug_print]\npoint = { i = "3" }\n',
            "HF802",
            4,
            11,
            "the index to print",
        ),
        (
            '[project]\nsources = ["b"]\n[decomposition]\nexchange = "always"\n',
            "HF802",
            4,
            1,
            "unknown exchange",
        ),
        (
            '[project]\nsources = ["b"]\n[decomposition]\nreductions = "globl"\n',
            "HF802",
            4,
            1,
            "did you mean 'global'?",
        ),
        ('[project]\nsources = ["b"]\n[decomposition]\nexchange = true\n', "HF802", 4, 1, "must be a text in quotes"),
        ('[project]\nsources = ["b"]\n[decomposition]\nhalo = 2\n', "HF801", 4, 1, "unknown key 'halo'"),
        ('[project]\nname = "x"\n', "HF803", 1, 2, "names no sources"),
        ("[project]\nname = x\n", "HF800", 2, 8, "not valid TOML"),
    ],
)
def test_faults_have_their_line(tmp_path: Path, text: str, code: str, line: int, column: int, words: str) -> None:
    found = [d for d in faults(tmp_path, text) if d.code == code]
    assert len(found) == 1
    assert found[0].place.file == str(tmp_path / "hfpy.toml")
    assert (found[0].place.line, found[0].place.column) == (line, column)
    assert words in f"{found[0].message} {found[0].hint}"


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    text = '[project]\nsource = ["a"]\nname = 3\n[target.cpu]\nbackend = "omp"\n'
    assert [d.code for d in faults(tmp_path, text)] == ["HF801", "HF802", "HF803", "HF802"]


def test_no_project_is_told(tmp_path: Path) -> None:
    with pytest.raises(HfpyError) as caught:
        load_project(tmp_path)
    assert caught.value.diagnostics[0].code == "HF800"
    assert "hfpy new" in caught.value.diagnostics[0].hint


def test_an_entry_that_names_nothing_is_told_with_its_line(tmp_path: Path) -> None:
    project = load_project(write(tmp_path, '[project]\nname = "a"\nsources = ["nowhere"]\n'))
    with pytest.raises(HfpyError) as caught:
        source_files(project)
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.place.line) == ("HF803", 3)
    assert "'nowhere'" in fault.message

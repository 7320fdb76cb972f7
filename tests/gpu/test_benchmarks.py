"""The measurements on a GPU, as far as they can be tried without one: building, running emulated programs, tables."""

from __future__ import annotations

import ast
import json
import re
import sys
from itertools import product
from pathlib import Path

import pytest

from benchmarks.gpu import prepare, questions, run
from benchmarks.gpu.run import Carried, measured, table

pytestmark = pytest.mark.full

HAND = """#!/bin/sh
echo '{"kernel": "copy", "seconds": 0.001, "bytes": 3e9}'
echo '{"kernel": "by_hand", "seconds": 0.002, "bytes": 1e9}'
"""

needs_offload = pytest.mark.skipif(not prepare.can_offload(), reason="gfortran cannot offload to nvptx here")


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    """One sample as prepare.py builds it, but with emulated kernels, and OpenACC for the host."""
    folder = tmp_path_factory.mktemp("carried")
    work = tmp_path_factory.mktemp("work")
    prepare.build_twin("module_data", folder)
    flags = {"FFLAGS": f"-O1 {prepare.EXACT}", "CXXFLAGS": "-O0"}
    prepare.build_gpu("module_data", "cuda-c", work, folder, flags, "--emulate")
    prepare.build_gpu("module_data", "openacc", work, folder, flags)
    (folder / "compare.py").write_text((prepare.SAMPLES / "compare.py").read_text())
    for name in ("diffusion", "weather"):
        (folder / f"{name}_hand").write_text(HAND)
        (folder / f"{name}_hand").chmod(0o755)
    return Carried(folder, {"ACC_DEVICE_TYPE": "host"})


def test_a_run(carried: Carried) -> None:
    sizes = {"module_data": ["7", "5", "4"]}
    manifest = {"small": sizes, "large": sizes, "backends": ["cuda-c", "openacc"]}
    results = measured(carried, {**manifest, "hand": {"diffusion": ["1"], "weather": ["1"]}})
    assert results["copy"] == pytest.approx(3000)
    assert results["equal"] == {b: {"module_data": "bits"} for b in manifest["backends"]}
    shown = table(results).splitlines()
    assert shown[0] == "copy: 3000 GB/s"
    assert "module_data  openacc  result as on the CPU: bits" in shown
    kernels = [line for line in shown if line.startswith("hfk")]
    assert len(kernels) == len(results["traces"]["module_data"]["kernels"]) > 0
    assert any("copies to the device" in line for line in shown)
    assert any("openacc" in line and "the whole program" in line for line in shown)


def test_a_wrong_result_is_told(carried: Carried) -> None:
    """The program of another size in the place of the right one."""
    arguments = ["7", "5", "4"]
    script = carried.folder / "module_data_other"
    script.write_text(f'#!/bin/sh\nexec {carried.folder}/module_data_twin "$1" 7 5 5\n')
    script.chmod(0o755)
    assert run.compared("module_data", "other", arguments, carried).startswith("DIFFERENT")


def test_the_table() -> None:
    kernel = {"launches": 4, "seconds": 0.008, "bytes": 8e9}
    trace = {
        "kernels": {"hfk0_step": kernel},
        "host_to_device": {"count": 3, "bytes": 1},
        "device_to_host": {"count": 2, "bytes": 1},
    }
    results = {
        "copy": 2000.0,
        "hand": {"step": {"seconds": 0.0021}},
        "equal": {"cuda-c": {"s": "bits"}},
        "traces": {"s": trace},
        "wall": {"cuda-c": {"s": 1.234}},
    }
    lines = table(results).splitlines()
    row = next(line for line in lines if line.startswith("hfk0_step"))
    assert row.split()[1:] == ["4", "2000.0", "2000.0", "1000", "50%", "2100.0"]
    assert "s: 3 copies to the device, 2 back" in lines
    assert "s: cuda-c 1.23 s, the whole program" in lines


def test_ways_side_by_side(tmp_path: Path) -> None:
    """Programs that say how long their kernels took: each way's time of a call, and the fastest named."""
    seconds = {"opt0": 0.4, "opt2": 0.1, "walk_j": 0.05}
    for way, real in product(seconds, (4, 8)):
        program = tmp_path / f"stencils_{way}_real{real}"
        one = {"seconds": 1.0, "shortest": seconds[way] * real, "launches": 2}
        kernels = {"hfk0_a": one, "hfk1_a": one}
        program.write_text(f"#!/bin/sh\necho '{json.dumps({'kernels': kernels})}' > ${{HFPY_TRACE#json:}}\n")
        program.chmod(0o755)
    carried = Carried(tmp_path, {})
    carried.work.mkdir()
    plan = {"sizes": [["100", "100", "10"]], "passes": {"a": 3}, "counted": ["a"], "calls": 2, "ways": list(seconds)}
    rows = run.stencil_kernels(plan, carried)
    assert [row["real"] for row in rows] == [8, 4]
    assert [rows[0][way] for way in seconds] == pytest.approx([6.4, 1.6, 0.8])
    head, double, *_ = run.stencil_table(rows, 100.0, ["walk_j"]).splitlines()
    assert head.split()[-2:] == ["walk_j", "fastest"]
    assert double.split()[3:6] == ["6400000.0", "1600000.0", "4.00"]
    assert double.split()[-2:] == ["800000.0", "walk_j"]


def test_the_stencils_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the samples, as one may run it where time on a GPU is short; a wrong result is named."""
    kernels = json.dumps({"kernels": {"hfk0_a": {"seconds": 1.0, "shortest": 0.25, "launches": 2}}})
    for name in ("stencils_opt0", "stencils_opt2"):
        for real in (4, 8):
            program = tmp_path / f"{name}_real{real}"
            result = "printf right" if name.endswith("2") else "printf wrong"
            program.write_text(
                f"#!/bin/sh\ntest $1 = - && echo '{kernels}' > ${{HFPY_TRACE#json:}} || {result} > \"$1\"\n"
            )
            program.chmod(0o755)
    twin = tmp_path / "stencils_twin"
    twin.write_text('#!/bin/sh\nprintf right > "$1"\n')
    hand = tmp_path / "stencils_hand"
    hand.write_text(HAND)
    for program in (twin, hand):
        program.chmod(0o755)
    (tmp_path / "compare.py").write_text("def compare(sample, a, b, tolerance):\n    return ['another value']\n")
    plan = {"sizes": [["8", "8", "4"]], "passes": {"a": 2}, "counted": ["a"], "calls": 2, "ways": ["opt0", "opt2"]}
    manifest = {"stencils": plan, "hand": {"stencils": ["8", "8", "4"]}, "small": {"stencils": ["4"]}}
    found = run.stencils(Carried(tmp_path, {}), manifest, {})
    assert found["ways"] == {"opt0": "DIFFERENT: another value", "opt2": "bits"}
    assert [row["opt2"] for row in found["stencils"]] == [0.25, 0.25]
    assert "stencils, opt2: result as on the CPU: bits" in capsys.readouterr().out


def test_what_is_asked_for_reaches_the_directives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def built(command: list[str | Path], folder: Path, environment: object = None) -> None:
        project = next(word for word in command if isinstance(word, Path))
        texts.extend(path.read_text() for path in sorted(project.rglob("fv3.h90")))
        out = project / "build" / "gpu-cuda-c"
        out.mkdir(parents=True)
        (out / "stencils").write_text("")

    monkeypatch.setattr(prepare, "_run", built)
    (tmp_path / "carried").mkdir()
    for way, (level, asked) in prepare.STENCIL_WAYS.items():
        words = ("--opt", level)
        target = tmp_path / "carried"
        prepare.build_gpu("stencils", "cuda-c", tmp_path, target, {}, *words, name=way, asked=asked)
        count = texts[-1].count(f"domSize(nx,ny,nz), {asked}") if asked else 1
        assert count == (texts[-1].count("@parallelRegion{") if asked else 1)


def test_the_machine_with_the_gpu_needs_python_and_numpy_only() -> None:
    for path in (Path(run.__file__), prepare.QUESTIONS, prepare.SAMPLES / "compare.py"):
        imported = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text()))
            for name in (
                [a.name for a in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", None)]
            )
            if name and isinstance(node, ast.Import | ast.ImportFrom)
        }
        assert imported <= {*sys.stdlib_module_names, "numpy"}, path


@needs_offload
@pytest.mark.full
def test_programs_for_nvptx(tmp_path: Path) -> None:
    """They hold code for the device, and find their libraries beside them."""
    target = tmp_path / "carried"
    target.mkdir()
    prepare.carry_libraries(target)
    assert sorted(p.name for p in (target / "lib").iterdir()) == sorted(prepare.LIBRARIES)
    settings = {"FFLAGS": f"-O2 {prepare.EXACT} {prepare.OFFLOAD}"}
    prepare.build_gpu("weather", "openacc", tmp_path / "work", target, settings)
    assert b".target sm_80" in (target / "weather_openacc").read_bytes()
    with pytest.raises(run.Failure, match="nvidia"):
        run_without_gpu(Carried(target, {"ACC_DEVICE_TYPE": "nvidia"}))


def run_without_gpu(carried: Carried) -> None:
    """Nothing may run on the CPU instead."""
    carried.work.mkdir()
    carried.run("weather_openacc", "x.dat", "8", "8", "8", "1", "1")


# Words by which pages say that something has not been seen on a GPU.
_OPEN = re.compile(
    r"has not been at hand|has not been seen yet|ha(?:s|ve) (?:not )?been timed|[Nn]ot run on a GPU|not yet on a GPU|"
    r"has not been tried on a machine|no GPU could be used|Times on GPUs have not been measured",
)


def test_each_question_is_one_of_the_documentation() -> None:
    """What pages leave open has an answer, and what is answered is said there."""
    for one in questions.QUESTIONS:
        assert one.words in " ".join((prepare.ROOT / one.page).read_text(encoding="utf-8").split()), one
    pages = [prepare.ROOT / "README.md", *sorted((prepare.ROOT / "docs").glob("*.md"))]
    found = {path: " ".join(path.read_text(encoding="utf-8").split()) for path in pages}
    known = {one.words for one in questions.QUESTIONS}
    for path, text in found.items():
        for said in _OPEN.finditer(text):
            around = text[max(0, said.start() - 60) : said.end() + 60]
            assert any(words in around for words in known), (path.name, around)


def test_answers(carried: Carried) -> None:
    """The program is the emulated one; its times mean nothing."""
    results = {"equal": {"cuda-c": {"module_data": "bits", "weather": "within 1e-11"}}}
    carried.work.mkdir(exist_ok=True)
    text = questions.answers(questions.Run(carried.reported, {"module_data": ["7", "5", "4"]}, results))
    assert text.count("\n    ") == len(questions.QUESTIONS)
    assert "    not in: weather within 1e-11\n" in text
    assert "    module_data 0." in text and "s, in one queue 0." in text
    assert (
        "    there is one device only (hfpy: device 0 of 1, for rank 1 on this machine (OMPI_COMM_WORLD_LOCAL_RANK))"
        in text
    )


def test_hand_written_kernels_stand_beside() -> None:
    row = {"kernel": "a", "size": "2x2x2", "real": 8, "bytes": 1, "opt0": 1e-6, "opt2": 1e-6, "counted": False}
    _, double, single = run.stencil_table([row, row | {"real": 4}], 1.0, (), {("a", "2x2x2"): 2.5e-6}).splitlines()
    assert double.endswith("  by hand 2.5") and "hand" not in single
    assert prepare.HAND_SIZES.keys() == {source.stem for source in prepare.HAND.glob("*.cu")}

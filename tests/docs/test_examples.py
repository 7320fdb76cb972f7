"""Every example in the documents is what it says: files are translated, compiled and run, output is compared."""

import contextlib
import importlib.util
import io
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from hfpy import cli
from hfpy.build.session import Given, open_files, open_project, with_given
from hfpy.diagnostics import render
from hfpy.pipeline import translate
from hfpy.project import source_files
from tests.command import CXXFLAGS, hfpy_process, python_process
from tests.docs.markdown import Block, Section, holds, sections, stands_in
from tests.gpu.opencl import has_opencl
from tests.support import CompileError, compile_files, output

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("ARCHITECTURE.md")])
FORTRAN = (".h90", ".H90", ".f90", ".F90", ".f")
EXAMPLES = [(path, section) for path in DOCUMENTS for section in sections(path)]

# Commands that take long, and what they show is shown by others on the same page, or tested elsewhere: the full run has
# them. A section without a command is one that is left to the full run as a whole.
LEFT_OUT = {
    ("tutorial", ""): "hfpy run --target gpu --emulate",  # hfpy verify runs these kernels once more
    ("tutorial-plain", ""): "hfpy run --target gpu --backend cuda-c --emulate",  # tests/automatic runs such kernels
    ("tutorial-editor", ""): "python ask.py 10 5",  # another place in the same file
    ("scripts", "From Python"): "python search.py",  # tests/scripts/test_tuning.py
    ("python", "OpenCL"): "",  # tests/load/test_opencl.py
}


def translated(folder: Path, files: list[str], arguments: tuple[str, ...] = ()) -> dict[str, str]:
    """The texts generated from the files of a section, by the project there if there is one."""
    given = given_by(arguments)
    if (folder / "hfpy.toml").exists():
        session = open_project(folder, given, {})
        options, paths = session.options, list(source_files(session.project))
    else:
        session = open_files([folder / name for name in files], given)
        options, paths = session.options, [folder / name for name in files if name != "storage_order.F90"]
        if "storage_order.F90" in files:
            options = with_given(options, Given(storage_order=folder / "storage_order.F90"))
    done = translate(paths, options)
    errors = [render(d) for d in done.diagnostics if d.severity == "error"]
    assert not errors, "\n".join(errors)
    texts = {file.name: file.text for file in done.files}
    if options.storage_order is not None:
        texts["storage_order.F90"] = options.storage_order.read_text()
    return texts


def given_by(arguments: tuple[str, ...]) -> Given:
    """The options of ``hfpy`` as a command line gives them."""
    seen: list[Given] = []

    def keep(given: Given) -> Given:
        seen.append(given)
        return given

    command = cli.cli.commands["check"]
    context = command.make_context("check", list(arguments))
    values = {key: value for key, value in context.params.items() if key not in ("paths", "form")}
    return keep(cli.given_by(values))


def run_commands(block: Block, folder: Path, left_out: str) -> None:
    """Run the commands of a console block, but for one that is left out, and compare what they print."""
    commands: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
    assert commands, f"line {block.line}: a console block without a command"
    for command, wanted in commands:
        if command == left_out:
            continue
        said = printed_by(command, folder)
        assert holds("\n".join(wanted), said), f"line {block.line}: $ {command}\n{said}"


def printed_by(command: str, folder: Path) -> str:
    """Standard output and error of a command."""
    words = shlex.split(command)
    if words[0] == "python" and words[1].endswith(".py"):
        done = python_process(words[1:], folder)
        return done.stdout + done.stderr
    if words[0] == "python":
        command = shlex.join([sys.executable, *words[1:]])
    if words[:2] == ["hfpy", "run"]:  # the program prints for itself
        done = hfpy_process(words[1:], cwd=folder)
        return done.stdout + done.stderr
    if words[0] != "hfpy":
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        return done.stdout + done.stderr
    text = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        cli.run(words[1:])
    return text.getvalue()


class Example:
    """The folder of one section while its blocks are gone through."""

    def __init__(self, folder: Path, left_out: str = "") -> None:
        self.folder = folder
        self.left_out = left_out
        self.files: list[str] = []
        self.refused: dict[str, tuple[str, ...]] = {}
        self.programs: dict[str, str] = {}

    def write(self, block: Block) -> None:
        """Put a file into the folder."""
        path = self.folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        if not block.file.endswith(FORTRAN) or block.marks == "by hand":
            return
        if block.marks.startswith("refused"):
            self.refused[block.file] = tuple(shlex.split(block.marks.partition(" with ")[2]))
        elif block.file not in self.files:
            self.files.append(block.file)
        self.programs.clear()

    def build(self) -> None:
        """Translate, compile and, where there is a main program, run with every backend."""
        if self.programs or not [f for f in self.files if f != "storage_order.F90"]:
            return
        for backend in ("sequential", "openmp"):
            texts = translated(self.folder, self.files, ("--backend", backend))
            folder = self.folder / f"built-{backend}"
            main = any("end program" in text.lower() for text in texts.values())
            flags = ["-O1", "-cpp", "-fcheck=all,no-array-temps", "-ffp-contract=off", "-foffload=disable"]
            try:
                built = compile_files(texts, folder, flags if main else [*flags, "-fsyntax-only"], backend == "openmp")
            except CompileError as failed:
                raise AssertionError(f"{failed}\n" + "\n".join(texts.values())) from None
            self.programs[backend] = output(built, threads=2) if main else ""

    def check(self, block: Block) -> None:
        """Go through one block."""
        if block.language == "console":
            run_commands(block, self.folder, self.left_out)
        elif block.info == "printed":
            self.build()
            for backend, text in self.programs.items():
                assert holds(block.text, text), f"line {block.line}: {backend} prints\n{text}"
        elif block.info.startswith("from "):
            name, _, options = block.info.removeprefix("from ").partition(" with ")
            text = translated(self.folder, self.files, tuple(shlex.split(options)))[name]
            assert stands_in(block.text, text), f"line {block.line}: not in {name}:\n{text}"
        elif block.file:
            self.write(block)
        else:
            raise AssertionError(f"line {block.line}: what is '{block.info}'?")


def examples() -> list[ParameterSet]:
    """All sections; those of which something is left out by default come a second time for the full run."""
    found = []
    for path, section in EXAMPLES:
        name, left_out = f"{path.stem}-{section.title or 'top'}", LEFT_OUT.get((path.stem, section.title))
        if left_out:
            found.append(pytest.param(path, section, left_out, id=f"{name}-short"))
        marks = [pytest.mark.full] * (left_out is not None)
        found.append(pytest.param(path, section, "", id=name, marks=marks))
    return found


@pytest.mark.parametrize(("path", "section", "left_out"), examples())
def test_examples(path: Path, section: Section, left_out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FC", "CC", "FFLAGS", "CFLAGS", "LDFLAGS", "NVCC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CXXFLAGS", CXXFLAGS)
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if shutil.which("cmake") is None and any("$ cmake" in block.text for block in section.blocks):
        pytest.skip("cmake is not on this machine (make buildtools)")
    if any("import pyopencl" in block.text for block in section.blocks) and not (
        has_opencl() and importlib.util.find_spec("pyopencl")
    ):
        pytest.skip("there is no pyopencl, or no driver for OpenCL, on this machine")
    example = Example(tmp_path, left_out)
    for block in section.blocks:
        example.check(block)
    example.build()
    for name, options in example.refused.items():
        with pytest.raises(AssertionError, match="error HF"):
            translated(tmp_path, [name], options)


def test_what_is_left_out_is_there() -> None:
    commands = {
        (path.stem, section.title): [""]
        + [line[2:] for b in section.blocks for line in b.text.splitlines() if line[:2] == "$ "]
        for path, section in EXAMPLES
    }
    assert all(command in commands[place] for place, command in LEFT_OUT.items())


def test_links_lead_somewhere() -> None:
    """Every relative link of a document is a file of the repository."""
    import re

    for path in [*DOCUMENTS, ROOT / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_a_wrong_example_is_seen(tmp_path: Path) -> None:
    """The comparison can fail."""
    good = "program p\n  print '(i0)', 1\nend program p\n"
    example = Example(tmp_path)
    example.check(Block("fortran", "p.h90", good, 1))
    example.check(Block("text", "printed", "1\n", 2))
    for wrong in (Block("text", "printed", "2\n", 3), Block("fortran", "from p.F90", "  print '(i0)', 2\n", 4)):
        with pytest.raises(AssertionError):
            example.check(wrong)
    assert not os.path.exists(tmp_path / "hfpy.toml")

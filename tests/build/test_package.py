"""The package as users get it: a wheel, installed away from the checkout, makes, builds and runs a project."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hfpy.version import VERSION
from tests.command import hfpy_process

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, folder: Path) -> str:
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "FC", "FFLAGS", "LDFLAGS")}
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=kept, check=False)
    assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what git would give, so that nothing lying around gets in."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    names = ("pyproject.toml", "README.md", "LICENSE", "hfpy")
    listed = run("git", "ls-files", "-co", "--exclude-standard", *names, folder=ROOT).split("\n")
    for name in filter(None, listed):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation")
    run(*pip, "-w", folder, source, folder=folder)
    return next(folder.glob("hfpy-*.whl"))


def test_the_wheel_holds_what_is_needed_besides_modules(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    beside = [p for p in (ROOT / "hfpy").rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc")]
    missing = [p.relative_to(ROOT).as_posix() for p in beside if p.relative_to(ROOT).as_posix() not in held]
    assert missing == []
    assert {"hfpy/makefiles/hfpy.mk", "hfpy/runtime/fortran/helper_functions.F90", "hfpy/py.typed"} <= held
    about = f"hfpy-{VERSION}.dist-info"
    assert f"{about}/licenses/LICENSE" in held
    metadata = zipfile.ZipFile(wheel).read(f"{about}/METADATA").decode()
    assert f"Version: {VERSION}\n" in metadata and "License-Expression: Apache-2.0\n" in metadata


def test_an_installed_hfpy_builds_a_new_project(wheel: Path, tmp_path: Path) -> None:
    """In an environment of its own that sees the libraries of this one, so that nothing is fetched."""
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", folder=tmp_path)
    packages = next((tmp_path / "venv/lib").glob("python*/site-packages"))
    run(
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--no-compile",  # only what is run
        "--target",
        packages,
        wheel,
        folder=tmp_path,
    )
    ours = [p for p in sys.path if p.endswith("site-packages")]
    (packages / "libraries.pth").write_text("\n".join(ours) + "\n")
    hfpy = tmp_path / "venv/bin/python", "-c", "from hfpy.cli import main; main()"
    where = run(hfpy[0], "-c", "import hfpy; print(hfpy.__file__)", folder=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path)
    run(*hfpy, "new", "wind", folder=tmp_path)
    assert "built build/cpu-openmp/wind" in run(*hfpy, "build", folder=tmp_path / "wind")
    reported = run(*hfpy, "run", folder=tmp_path / "wind")
    assert "hottest point at the start:         300.000" in reported
    makefile = Path(run(*hfpy, "makefile", folder=tmp_path).strip())
    assert makefile.is_file() and makefile.is_relative_to(tmp_path)


def test_new_projects_give_the_same_under_every_backend_and_order(tmp_path: Path) -> None:
    kept = {k: v for k, v in os.environ.items() if k not in ("FC", "LDFLAGS")} | {"FFLAGS": "-O0"}

    def hfpy(*words: str, folder: Path) -> str:
        ended = hfpy_process(words, folder, kept)
        assert ended.returncode == 0, f"{words}\n{ended.stdout}{ended.stderr}"
        return ended.stdout

    hfpy("new", "wind", folder=tmp_path)
    project = tmp_path / "wind"
    reported = {hfpy("run", folder=project), hfpy("run", "--backend", "sequential", folder=project)}
    domains = "".join(f'{x} = {{ size = ["n{y}"], iterators = ["{x}"] }}\n' for x, y in zip("ijk", "xyz", strict=True))
    with (project / "hfpy.toml").open("a") as stream:
        stream.write(f'\n[layout]\ncpu = "k i j"\n\n[domains]\n{domains}')
    reported.add(hfpy("run", folder=project))
    numbers = {tuple(line.split(":")[1].strip() for line in text.splitlines()[:2]) for text in reported}
    assert numbers == {("300.000", "288.335")}

"""fpm with ``hfpy-gfortran`` as its compiler: the package is scanned by what its ``fpm.toml`` says."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from hfpy.diagnostics import HfpyError
from hfpy.wrapper.fpm import read_package, with_manifest
from hfpy.wrapper.store import read_store
from tests.wrapper.programs import ROOT, done, hfpy, path_with_hfpy

SAMPLE = ROOT / "samples" / "builds"
FPM = Path(sys.executable).parent / "fpm"
needs_fpm = pytest.mark.skipif(not FPM.exists(), reason="fpm is not on this machine (make buildtools)")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The sample in a folder of its own."""
    return Path(shutil.copytree(SAMPLE, tmp_path / "heat", ignore=shutil.ignore_patterns("out", "build", ".hfpy")))


def fpm(package: Path, *arguments: str, status: int = 0) -> str:
    """What fpm says, and the program that it runs."""
    return done(package, str(FPM), *arguments, status=status, PATH=path_with_hfpy())


def numbers(said: str) -> list[str]:
    """The lines that the program prints."""
    return [line for line in said.splitlines() if line.startswith(("hottest", "in the middle"))]


@needs_fpm
@pytest.mark.parametrize(
    "options",
    [
        'backend = "sequential"',
        pytest.param('target = "gpu"\nemulate = true', marks=pytest.mark.full),
    ],
    ids=["sequential", "kernels"],
)
def test_the_sample(options: str, package: Path) -> None:
    expected = numbers(fpm(package, "run"))
    assert len(expected) == 2
    assert numbers(fpm(package, "run", "--compiler", "hfpy-gfortran")) == expected
    assert "!$omp" in (package / ".hfpy" / "generated" / "diffusion.f90").read_text()
    manifest = package / "fpm.toml"
    text = manifest.read_text().replace('target = "cpu"\nbackend = "openmp"', options)
    manifest.write_text(text)
    source = package / "src" / "diffusion.f90"
    source.write_text(source.read_text().replace("rows(j) = 0.d0", "rows(j) = 1.d0"))
    said = numbers(fpm(package, "run", "--compiler", "hfpy-gfortran"))
    assert said[0] == expected[0] and said[1] != expected[1]
    generated = "".join(file.read_text() for file in (package / ".hfpy" / "generated").glob("diffusion.*"))
    assert "!$omp" not in generated and ("__global__" in generated) == ("emulate" in options)
    manifest.write_text(f"{text}opts = 1\n")
    source.write_text(f"{source.read_text()}! the end\n")
    said = fpm(package, "run", "--compiler", "hfpy-gfortran", status=1)
    assert ": error HF801" in said and "did you mean 'opt'" in said


@needs_fpm
def test_macros_and_included_files(tmp_path: Path) -> None:
    for name, text in {
        "fpm.toml": 'name = "m"\nversion = "1.0"\n[library]\ninclude-dir = "inc"\n'
        '[preprocess.cpp]\nmacros = ["FACTOR=2"]\n[extra.hfpy]\n',
        "inc/sizes.h": "#define NX 3\n",
        "src/work.f90": 'module work\n#include "sizes.h"\ncontains\n'
        "subroutine double(a)\nreal :: a(NX)\ninteger :: i\n"
        "!@parallelRegion{domName(i), domSize(NX)}\ndo i = 1, NX\na(i) = FACTOR * a(i)\nend do\n!@end parallelRegion\n"
        "end subroutine double\nend module work\n",
        "app/main.f90": "program main\nuse work\nreal :: a(3) = 1\n"
        "call double(a)\nprint '(3f4.1)', a\nend program main\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert " 2.0 2.0 2.0" in fpm(tmp_path, "run", "--compiler", "hfpy-gfortran")


def test_what_a_manifest_says(tmp_path: Path) -> None:
    for name in ("lib", "app", "tools", "include", "more"):
        (tmp_path / name).mkdir()
    (tmp_path / "fpm.toml").write_text(
        'version = "2"\n[library]\nsource-dir = "lib"\n[[executable]]\nname = "a"\n[[executable]]\n'
        'source-dir = "tools"\n'
        '[preprocess.cpp]\nmacros = ["V={version}"]\n'
        '[extra.hfpy]\nopt = 0\nlayout = "j i"\ndefine = ["X=1"]\ninclude-dirs = ["more"]\n'
    )
    found = read_package(tmp_path)
    assert found.folders == tuple(str(tmp_path / name) for name in ("lib", "app", "tools"))
    includes = (str(tmp_path / "include"), str(tmp_path / "more"))
    assert found.given == {"opt": 0, "layout": "j i", "define": ("V=2", "X=1"), "include_dirs": includes}
    merged = with_manifest({"define": ("Y",), "layout": "i j", "target": "gpu"}, found)
    assert merged["define"] == ("V=2", "X=1", "Y") and merged["layout"] == "i j" and merged["opt"] == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('target = "gpus"', "unknown target 'gpus'"),
        ('backend = "cuda"', "unknown backend 'cuda'"),
        ("opt = 9", "must be 0, 1, 2 or 3"),
        ("emulate = 1", "must be true or false"),
        ('schedule = "now"', "is not possible"),
        ('specialise = "nx"', "must be sizes"),
        ("layout = 3", "must be a text"),
    ],
)
def test_what_is_wrong_in_a_manifest(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "fpm.toml").write_text(f"[extra.hfpy]\n{line}\n")
    with pytest.raises(HfpyError) as caught:
        read_package(tmp_path)
    (one,) = caught.value.diagnostics
    assert message in one.message and one.place.line == 2


def test_a_scan_of_a_package(package: Path, tmp_path: Path) -> None:
    (tmp_path / "order.F90").write_text("#define AT(a,b,c) a,b,c\n")
    said = hfpy(package, "fc", "--scan", "--backend", "sequential", "--storage-order", "../order.F90")
    assert "2 sources" in said
    store = read_store(package / ".hfpy")
    assert store is not None and not store.openmp
    assert store.folders == tuple(str(package / name) for name in ("src", "app"))
    assert str(package / "fpm.toml") in store.inputs
    assert store.covers(str(package / "src" / "new.f90")) and not store.covers(str(package / "build" / "other.f90"))


def test_a_scan_of_a_project_covers_its_sources(package: Path) -> None:
    """A file beside them, such as a test, goes to the compiler without another scan."""
    (package / "hfpy.toml").write_text('[project]\nname = "heat"\nsources = ["src/*.f90", "app/main.f90"]\n')
    assert "2 sources" in hfpy(package, "fc", "--scan")
    store = read_store(package / ".hfpy")
    assert store is not None and str(package / "hfpy.toml") in store.inputs
    assert store.covers(str(package / "src" / "new.f90")) and not store.covers(str(package / "test" / "check.f90"))

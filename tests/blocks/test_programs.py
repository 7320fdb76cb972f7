"""A program of many sorts of arrays writes the same in every order, blocks among them, as its plain twin does."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import hfpy
from hfpy.build.verify.differences import compare
from hfpy.build.verify.storage import read_storage
from hfpy.options import DomainSpec
from tests.support import Case, Corpus, Variant, batch_main, compile_files, load_pairs, translate_text

DOMAINS = {
    "i": DomainSpec(("nx",), ("i",)),
    "j": DomainSpec(("ny",), ("j",)),
    "k": DomainSpec(("nz", "0:nz"), ("k",)),
}
PAIR = replace(load_pairs(Path(__file__).parent / "programs")[0], layout={"domains": DOMAINS})
# Blocks that end with the row or do not, longer than rows, of several dimensions, not first, not a power of two.
WAYS = {
    "k i j": ("openmp", 2),
    "i:4 k i j": ("openmp", 2),
    "i:16 k i j": ("sequential", 2),
    "i:2 j:2 k j i": ("openmp", 0),
    "k i:3 j i": ("sequential", 0),
}


def variant(layout: str) -> Variant:
    backend, level = WAYS[layout]
    options = {"backend": backend, "opt": level, "layout": layout}
    return Variant(layout.replace(" ", "_").replace(":", ""), options, None, (1, 2), layout=True)


VARIANTS = tuple(variant(layout) for layout in WAYS)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus([PAIR], tmp_path_factory.mktemp("blocks"), {PAIR.name: VARIANTS})


def test_the_same_in_every_order(corpus: Corpus) -> None:
    corpus.check(PAIR.name)


def test_what_keeps_its_declared_order(corpus: Corpus) -> None:
    """Nothing where i is in blocks, so that the comparison is one of blocks; what is used along j where j is."""
    for way in VARIANTS[1:]:
        made = corpus.translation(PAIR.name, way).require()
        kept = {d.message.split("'")[1] for d in made.diagnostics if d.code == "HF310"}
        assert kept == ({"copy", "u", "wide"} if "j2" in way.label else set()), way.label
        assert "hf_i_n" in made.text


def test_no_warning_of_the_compiler(corpus: Corpus) -> None:
    """Blocks of a power of two are counted by shifts; of others by divisions, which gfortran warns of."""
    found = [w for w in corpus.new_warnings(PAIR.name) if "unused-function" not in w]  # only its blocked form is called
    assert [w for w in found if not w.startswith("k_i3")] == []


def traced(layout: str | None, folder: Path) -> Path:
    """What the program writes for ``hfpy verify`` in an order."""
    runtime = Path(hfpy.__file__).parent / "runtime" / "verify"
    options = {"layout": layout, "domains": DOMAINS, "trace": True}
    files = dict(translate_text(PAIR.hybrid, **options).require().files)
    files["hfpy_verify.f90"] = (runtime / "hfpy_verify.f90").read_text()
    files["batch_main.f90"] = batch_main([Case(PAIR.name, files, PAIR.module)])
    folder.mkdir()
    subprocess.run(["gcc", "-c", runtime / "hfpy_verify.c", "-o", folder / "c.o"], check=True)
    built = compile_files(files, folder, ("-O0", "-cpp", "c.o"))
    trace = folder / "trace"
    environment = {**os.environ, "HFPY_VERIFY": str(trace)}
    subprocess.run([built.path, PAIR.name], env=environment, cwd=folder, check=True, capture_output=True)
    return trace


def test_verify_compares_without_padding(tmp_path: Path) -> None:
    """Arrays in blocks against arrays in declared order: the same, and each with as many elements as it has."""
    plain, blocks = traced(None, tmp_path / "plain"), traced("i:4 k i j", tmp_path / "blocks")
    verdict = compare(plain, blocks, 0.0)
    assert verdict.difference is None, verdict.difference
    assert (verdict.compared, verdict.passed_over, verdict.problem) == (compare(plain, plain, 0.0).compared, 0, "")
    assert verdict.compared > 10


def test_the_declared_order_of_traces() -> None:
    numpy = pytest.importorskip("numpy")
    declared = numpy.arange(9 * 2).reshape(9, 2)  # indices -1 to 7: blocks of 4 from -3 to 0, 1 to 4, 5 to 8
    stored = numpy.full((4, 2, 3), -1)
    for i in range(-1, 8):
        stored[(i - 1) % 4, :, (i + 3) // 4] = declared[i + 1]
    storage = read_storage("0:4 1 0/4;0 -1 7", 3)
    assert (storage.declared(stored) == declared).all()
    assert storage.shape((4, 2, 3)) == (9, 2)
    assert read_storage("1 0", 2).shape((5, 7)) == (7, 5)
    assert read_storage("", 2).shape((5, 7)) == (5, 7)

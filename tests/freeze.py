"""All that hfpy makes of the test corpora, as a folder of texts: two versions of hfpy are compared by ``diff -r``.

    python -m tests.freeze OUT               # this version
    PYTHONPATH=OTHER python -m tests.freeze OUT2   # the version in the folder OTHER
    diff -r OUT OUT2

Each program of each corpus is translated for every backend at levels 0 and 2. ``OUT/CORPUS/PROGRAM/VARIANT/`` holds the
generated files and ``diagnostics.txt``. What the programs print is compared with their plain twins by the tests.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from hfpy.diagnostics import render
from tests.support import (
    CUDA_C,
    CUDA_C_KIJ,
    CUDA_FORTRAN,
    OPENACC,
    OPENMP,
    OPENMP_KIJ,
    OPENMP_TARGET,
    SEQUENTIAL,
    Pair,
    Translated,
    Variant,
    load_pairs,
    write_files,
)

TESTS = Path(__file__).parent
FOLDERS = ("blocks", "defects", "language", "optimiser", "realcode")
VARIANTS = (SEQUENTIAL, OPENMP, OPENMP_KIJ, CUDA_C, CUDA_C_KIJ, CUDA_FORTRAN, OPENACC, OPENMP_TARGET)
LEVELS = (0, 2)
_TEMPORARY = re.compile(r"\S*/hfpy-test-\w+/")  # folders whose names differ from run to run


def corpora() -> Iterator[tuple[str, Pair]]:
    """Every program of the corpora with the name of its corpus; samples have a pair without a twin."""
    for folder in FOLDERS:
        yield from ((folder, pair) for pair in load_pairs(TESTS / folder / "programs"))
    yield from (("gpu", pair) for pair in load_pairs(TESTS / "gpu" / "language"))
    for sample in sorted(p for p in (TESTS.parent / "samples").iterdir() if (p / "source").is_dir()):
        sources = sorted(p for p in (sample / "source").iterdir() if p.suffix in (".h90", ".H90", ".f90", ".F90"))
        texts = {p.name: p.read_text(encoding="utf-8") for p in sources if p.name != "storage_order.F90"}
        yield "samples", Pair(sample.name, texts, {}, sample.name)


def write(done: Translated, folder: Path) -> None:
    """One translation as files."""
    shown = "\n".join(sorted(_TEMPORARY.sub("", render(d)) for d in done.diagnostics))
    write_files({**done.files, "diagnostics.txt": shown}, folder)


def freeze(out: Path) -> None:
    """Translate all corpora into a folder."""
    for corpus, pair in corpora():
        for variant in VARIANTS:
            for level in LEVELS:
                asked = Variant(variant.label, {**variant.options, "opt": level}, variant.order)
                write(asked.translated(pair), out / corpus / pair.name / f"{variant.label}-{level}")


if __name__ == "__main__":
    freeze(Path(sys.argv[1]))

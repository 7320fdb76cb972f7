"""Messages at run time name lines of the user's file, whatever text hfpy has made of it before."""

import re
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from tests.optimiser.test_wishes import MODULE, region

ROWS = (
    region("t(i,j) = 2 * a(i,j)"),
    region("p(i,j) = t(i,j) + a(i+1,j)"),
    "    p(1,1) = 0",
    region("q(i,j) = p(i,j)"),
)
BACKENDS = ("cuda-c", "cuda-fortran", "openacc", "openmp-target")


def places(path: Path, **options: object) -> set[tuple[str, int]]:
    done = translate([path], Options(target="gpu", jobs=1, **options))
    assert done.files, [d.message for d in done.diagnostics]
    text = "".join(f.text for f in done.files)
    return {(name, int(line)) for name, line in re.findall(r"\b(m\.[hH]90):(\d+)\b", text)}


def regions_of(text: str) -> set[int]:
    return {n for n, line in enumerate(text.splitlines(), 1) if "parallelRegion{" in line}


@pytest.mark.parametrize("backend", BACKENDS)
def test_behind_an_optimiser(backend: str, tmp_path: Path) -> None:
    path = tmp_path / "m.h90"
    path.write_text(MODULE.format(body="\n".join(ROWS)))
    plain, optimised = (places(path, backend=backend, opt=level) for level in (0, 2))
    assert optimised <= plain
    assert {line for _, line in optimised} & regions_of(path.read_text()) or backend != "cuda-c"


@pytest.mark.parametrize("backend", BACKENDS)
def test_behind_the_preprocessor(backend: str, tmp_path: Path) -> None:
    head = "".join(f"#define UNUSED_{n} {n}\n" for n in range(30))
    (tmp_path / "more.inc").write_text("! of an included file\n" * 40)
    path = tmp_path / "m.H90"
    path.write_text(head + '#include "more.inc"\n' + MODULE.format(body="\n".join(ROWS)))
    lines = path.read_text().splitlines()
    found = places(path, backend=backend, opt=0)
    named = {line for name, line in found if name == "m.H90"}
    assert named <= set(range(31, len(lines) + 1)), (named, len(lines))
    assert named & regions_of(path.read_text()) or backend.startswith("open")

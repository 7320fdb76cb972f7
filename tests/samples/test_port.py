"""The port that docs/porting.md tells of: lines were added and none changed, and hfpy said what is there."""

from __future__ import annotations

import re

from tests.samples.programs import SAMPLES
from tests.support import translate_text

SOURCE = (SAMPLES / "euler" / "source" / "euler.f90").read_text(encoding="utf-8")
REFERENCE = (SAMPLES / "euler" / "reference" / "euler.f90").read_text(encoding="utf-8")
PAGE = (SAMPLES.parent / "docs" / "porting.md").read_text(encoding="utf-8")
SERIAL = {"mpi.f90": (SAMPLES / "euler" / "serial" / "mpi.f90").read_text(encoding="utf-8")}
DATA = re.compile(r"    !@domainDependant.*?!@end domainDependant\n\n", re.DOTALL)


def test_lines_were_added_and_none_changed() -> None:
    without = re.sub(r" *!@parallelRegion.*\n", "", DATA.sub("", SOURCE))
    assert without == REFERENCE
    assert len(SOURCE.splitlines()) - len(REFERENCE.splitlines()) == 14
    assert SOURCE.count("!@parallelRegion") == 9


def test_what_hfpy_said() -> None:
    text = DATA.sub("", SOURCE).replace("{reduction(+:m,e)}", "")
    done = translate_text({"euler.f90": text, **SERIAL}, backend="openmp")
    assert done.codes() == ["HF502", "HF504", "HF502", "HF504"] and not done.codes("warning")
    for error in done.errors[:2]:
        said = f"source/euler.f90:{error.place.line}:{error.place.column}: error {error.code}: {error.message}"
        assert said in PAGE and error.hint in PAGE
    assert not translate_text({"euler.f90": DATA.sub("", SOURCE), **SERIAL}, backend="openmp").diagnostics

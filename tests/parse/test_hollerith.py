"""Texts with their length before them, ``5habcde`` (Fortran 66): old codes hand them to routines for messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.model.expressions import Literal, walk
from hfpy.parse.expressions.expressions import expression
from hfpy.parse.text.lexer import mask_strings
from hfpy.parse.text.tokens import tokenise
from tests.support import FLAGS, compile_files, output, translate_text

MASKED = {
    "call f(5hab(,), 12)": "call f(5h_____, 12)",
    "call f(x, 3H'b')": "call f(x, 3H___)",
    "data w /4ha/b,/, v/1h//": "data w /4h____/, v/1h_/",
    "t = 6hx = 'a": "t = 6h______",
    "if (w .eq. 4ha)b,) t = 1": "if (w .eq. 4h____) t = 1",
    "format (1x, 3ha,b, i4)": "format (1x, 3h___, i4)",
    "print *, 'call f(5hab', x(2)": "print *, '___________', x(2)",
    "real*8 h, g(3)": "real*8 h, g(3)",
    "x(2) = 3*h(4)": "x(2) = 3*h(4)",
}
LITERALS = {
    "f(5hab(,), 12)": ["5hab(,)", "12"],
    "a .eq. 4Ha_b)": ["4Ha_b)"],
    "[2h,,, 2h::]": ["2h,,", "2h::"],
}


@pytest.mark.parametrize("text", MASKED)
def test_what_is_in_them_is_no_code(text: str) -> None:
    assert mask_strings(text) == MASKED[text]


@pytest.mark.parametrize("text", LITERALS)
def test_they_are_literals(text: str) -> None:
    found = [node for node in walk(expression(text)) if isinstance(node, Literal)]
    assert [node.text for node in found] == LITERALS[text]
    assert all(node.kind == ("hollerith" if "h" in node.text.lower() else "int") for node in found)
    assert not any(node.parameter for node in found)


def test_types_with_lengths_are_none() -> None:
    assert [token.kind for token in tokenise("real*8 hx")] == ["name", "op", "number", "name"]


PROGRAM = """      program main
      real a(100)
      integer word
      data word /4habcd/
      do 10 i = 1, 100
        a(i) = i*0.5
  10  continue
      call report(26habnormal, return from (qag, 26, a)
      call other(100, a)
      write (6, 100) a(1), word
 100  format (1x, 3ha,b, f8.3, 1x, a4)
      write (6, '(10f8.3)') a
      end
      subroutine other(n, a)
      real a(n)
      do 20 i = 1, n
        a(i) = a(i)*2 + 1
  20  continue
      end
      subroutine report(messg, nmessg, a)
      integer messg(*), nmessg
      real a(100)
      do 30 i = 2, 100
        a(i) = a(i) + nmessg
  30  continue
      write (6, '(6a4)') messg(1:6)
      end
"""
LENIENT = ("-std=legacy", "-w", "-fallow-argument-mismatch")


@pytest.mark.parametrize("backend", ["openmp", "openacc"])
def test_loops_beside_them_are_regions(backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    target = {"openacc": "gpu"}.get(backend, "cpu")
    done = translate_text({"m.f": PROGRAM}, exports=None, auto=True, backend=backend, target=target).require()
    assert done.text.count({"openmp": "!$omp parallel do", "openacc": "!$acc parallel loop"}[backend]) == 3
    flags = (*FLAGS, *LENIENT)
    expected = output(compile_files({"m.f": PROGRAM}, tmp_path / "plain", flags))
    built = compile_files(dict(done.files), tmp_path / "made", flags, openmp=backend == "openmp")
    assert output(built, threads=3 if backend == "openmp" else 1) == expected

"""Blanks of fixed form that mean nothing (Fortran 2018, 6.3.3.1); gfortran is the oracle."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hfpy.parse.text.lexer import logical_lines
from tests.support import compile_files, output, translate_text

READ = {
    "IF (A .L T. B . AND . C .G  E. 1 0) GO TO 1 0": "IF (A .LT. B .AND. C .GE. 10) GO TO 10",
    "X = 1 . 5 E + 0 3 * * 2 + 1. 5 D0 + 3 1E - 5": "X = 1.5E+03 ** 2 + 1.5D0 + 31E-5",
    "IF (1. EQ. X .OR. X.EQ.1.) Y = . 5": "IF (1.EQ. X .OR. X.EQ.1.) Y = .5",
    "DATA PI / 3.1415926535 8979323846 50 d0 /": "DATA PI / 3.1415926535897932384650d0 /",
    "DO 1 0 I = 1 , 1 0": "DO 10 I = 1 , 10",
    "DO 1 E5 = 1, 1 0": "DO 1 E5 = 1, 10",
    "DO 1 0 I = 1.5": "DO10I = 1.5",
    "IF (.NOT. L .AND. .TR UE.) X = 2": "IF (.NOT. L .AND. .TRUE.) X = 2",
    "Z = A / = B": "Z = A /= B",
    "COMMON / / Q": "COMMON // Q",
    "AL PHA = BE TA( 1, GAM MA) + 1 2": "ALPHA = BETA( 1, GAMMA) + 12",
    "SUB ROUTINE F(A, B)": "SUBROUTINE F(A, B)",
    "REAL FUNC TION G(X)": "REAL FUNCTION G(X)",
    "REAL*8 F UNCTION G()": "REAL*8 FUNCTION G()",
    "CON TINUE": "CONTINUE",
    "E ND": "END",
    "G O TO 1 0": "GOTO 10",
    "INTE GER A": "INTEGER A",
    "WRI TE(6, *) X = = Y": "WRITE(6, *) X == Y",
    "ELSE CS = 1.0": "ELSECS = 1.0",
    "END IF X (1, 2) = AL PHA": "ENDIFX (1, 2) = ALPHA",
    "CALL X % END Y (I) = 9": "CALLX % ENDY (I) = 9",
    "CASE DEFAULT = 4": "CASEDEFAULT = 4",
    "IF X = 3": "IFX = 3",
    "RETURN X = A (1, 2)": "RETURNX = A (1, 2)",
    "WRITE X = F (A = 1)": "WRITEX = F (A = 1)",
    "IF (A (1) .GT. B) EL SE = AL PHA": "IF (A (1) .GT. B) ELSE = ALPHA",
    "IF (A .GT. B) CON TINUE": "IF (A .GT. B) CONTINUE",
    "WHERE (A = = B) END A = C": "WHERE (A == B) ENDA = C",
    "SUBROUTINE CHECK CONNECTION (A L, B)": "SUBROUTINE CHECKCONNECTION (AL, B)",
    "RECURSIVE SUBROUTINE GO ON (A)": "RECURSIVE SUBROUTINE GOON (A)",
    "END SUBROUTINE CHECK CONNECTION": "END SUBROUTINE CHECKCONNECTION",
    "CALL CHECK CONNECTION (A L + 1 2, B)": "CALL CHECKCONNECTION (AL + 12, B)",
    "IF (A .GT. B) CALL DO IT": "IF (A .GT. B) CALL DOIT",
    "REAL FUNCTION MY FUN (A L)": "REAL FUNCTION MYFUN (AL)",
    "INTEGER FUNC TION MY FUN (A)": "INTEGER FUNCTION MYFUN (A)",
    "FUNCTION MY FUN (A)": "FUNCTION MYFUN (A)",
    "REAL*8 E5, D 0": "REAL*8 E5, D0",
    "INTEGER*4 A L, BE TA (1 0)": "INTEGER*4 AL, BETA (10)",
    "DOUBLE PRECISION AL PHA": "DOUBLE PRECISION ALPHA",
    "COMMON / BL K / A L, B": "COMMON / BLK / AL, B",
    "DIMENSION A L (N X)": "DIMENSION AL (NX)",
    "PROGRAM MY MAIN": "PROGRAM MYMAIN",
    "REAL   FUNCTION   MY FUN (A L)": "REAL   FUNCTION   MYFUN (AL)",
    "FORALL (I = 1 : N) DO A (I) = B (I)": "FORALL (I = 1 : N) DOA (I) = B (I)",
    "IF (LA ST) THEN": "IF (LAST) THEN",
    "IF (LA ST .AND. A (I J) . G T. 1 0) GO TO 1 0": "IF (LAST .AND. A (IJ) .GT. 10) GO TO 10",
    "IF (LA ST) AL PHA = BE TA": "IF (LAST) ALPHA = BETA",
    "ELSE IF (A L .GT. BE TA (I J)) THEN": "ELSE IF (AL .GT. BETA (IJ)) THEN",
    "ELSEIF (A L .GT. B) THEN": "ELSEIF (AL .GT. B) THEN",
    "DO WHILE (LA ST)": "DO WHILE (LAST)",
    "DO 1 0 WHILE (LA ST)": "DO 10 WHILE (LAST)",
    "IF (C .EQ. 'A B' .OR. LA ST) THEN": "IF (C .EQ. 'A B' .OR. LAST) THEN",
    "WRITE (6, *) A L, (B (I J), I J = 1, N)": "WRITE (6, *) AL, (B (IJ), IJ = 1, N)",
    "READ (5, *, END = 1 0) A L": "READ (5, *, END = 10) AL",
    "PRINT *, A L, 'A B'": "PRINT *, AL, 'A B'",
}
RUN_TOGETHER = {
    "DO30L=1,N": "DO 30 L=1,N",
    "DO 3 0L=1,N": "DO 30L=1,N",
    "DO30 L=1,N": "DO 30 L=1,N",
    "DO30,L=1,N": "DO 30,L=1,N",
    "DOI=1,N": "DO I=1,N",
    "DO8WHILE(A.GT.B)": "DO 8 WHILE(A.GT.B)",
    "CALLS(A,B)": "CALL S(A,B)",
    "IF(A.EQ.B)CALLS(A)": "IF(A.EQ.B)CALL S(A)",
    "IF(A.EQ.B)STOP1": "IF(A.EQ.B)STOP 1",
    "SUBROUTINES(A)": "SUBROUTINE S(A)",
    "REAL*8FUNCTIONF(A)": "REAL*8 FUNCTION F(A)",
    "INTEGERFUNCTIONF()": "INTEGER FUNCTION F()",
    "FUNCTIONF(A)": "FUNCTION F(A)",
    "PROGRAMP": "PROGRAM P",
    "IMPLICITREAL*8(A-H)": "IMPLICIT REAL*8(A-H)",
    "IMPLICITNONE": "IMPLICIT NONE",
    "DOUBLEPRECISIONX,Y(3)": "DOUBLEPRECISION X,Y(3)",
    "INTEGERI": "INTEGER I",
    "DATAX/1.0/": "DATA X/1.0/",
    "COMMONA,B": "COMMON A,B",
    "DIMENSIONW(10)": "DIMENSION W(10)",
    "EXTERNALS": "EXTERNAL S",
    "ENTRYE(A)": "ENTRY E(A)",
    "ASSIGN50TOL": "ASSIGN 50 TO L",
    "PRINT10,A": "PRINT 10,A",
    "REWIND5": "REWIND 5",
}
SAME = (
    "DO30L=F(1,N)",
    "CALLS(A)=B",
    "REALTYPE X",
    "CALLER: DO I = 1, N",
    "DOUBLE PRECISION X",
    "DOUBLEPRECISION X",
    "BLOCKDATA X",
    "READ(5,*) X",
    "CALL_OF(A)",
    "FORMAT (1 0X, 3HA B)",
    "CALL F(5Hab . c, 1 2)",
    "PRINT *, 'A . B 1 2 * * 3', X",
    "REAL FUN (3)",
    "INTEGER :: N = 5",
    "DOUBLE PRECISION FUNCTION G()",
    "DOUBLE PRECISION   FUNCTION   G   (A,B)",
    "REAL   FUNCTION G(A)",
    "INTEGER*4  FUNCTION G(A)",
    "REAL  RECURSIVE  FUNCTION G(X)",
    "IF (A .EQ. B) C = D",
    "IF (1 .EQ. 2) C = D",
    "X = A(1 :: 2)",
    "READ (5, FMT = 10, END = 20) X, Y",
    "ELSE IF (X .GT. 1.) THEN",
    "CHARACTER*8 NAME",
    "PARAMETER A = 5",
    "REAL RECURSIVE FUNCTION G(X)",
    "INTEGER FUNCTION G()",
    "SAVE",
    "END PROGRAM",
    "PROCEDURE SET => SET REAL",
    "REAL, PARAMETER :: A = 5, B = 6",
    "INTEGER A, B = 5",
    "IF (A) GO TO 5",
    "IF (A) THEN",
    "WHERE (A .GT. B) C = D",
    "ELSE IF (A) THEN",
    "DO I = 1, N",
    "DO WHILE (A .LE. B)",
    "CALL S (A = 1, B = 2)",
)


def lines_of(statement: str) -> tuple[list[str], str]:
    rows = [f"      {statement}"]
    (line,), found = logical_lines("x.f", rows, hybrid=False, fixed=True)
    assert not found
    return rows, line.text


@pytest.mark.parametrize("statement", READ)
def test_statements(statement: str) -> None:
    assert lines_of(statement)[1] == READ[statement]


@pytest.mark.parametrize("statement", RUN_TOGETHER)
def test_words_that_run_together(statement: str) -> None:
    rows = [f"      {statement}"]
    (line,), _ = logical_lines("x.f", rows, hybrid=False, fixed=True)
    assert line.text == RUN_TOGETHER[statement]
    placed = [rows[r][c] for r, c in map(line.locate, range(len(line.text)))]
    assert all(a == b for a, b in zip(placed, line.text, strict=True) if b != " ")


@pytest.mark.parametrize("statement", SAME)
def test_statements_that_stay(statement: str) -> None:
    assert lines_of(statement)[1] == statement


@pytest.mark.parametrize("statement", (*READ, *SAME))
def test_free_form_stays(statement: str) -> None:
    (line,), _ = logical_lines("x.f90", [f"      {statement}"], hybrid=False)
    assert line.text == statement


@pytest.mark.parametrize("cut", range(3, 40, 4))
def test_characters_keep_their_places(cut: int) -> None:
    """Also where a statement goes on in other lines."""
    for statement in READ:
        rows = [f"      {statement[:cut]}", "c", f"     1{statement[cut:]}"] if cut < len(statement) else []
        lines, _ = logical_lines("x.f", rows, hybrid=False, fixed=True)
        for line in lines:
            assert [rows[r][c] for r, c in map(line.locate, range(len(line.text)))] == list(line.text)


PROGRAM = """      sub routine work(n, a, b)
      re al a(n), b(n)
      alp ha = 2 . 5
      do 1 0 i = 1, n
        a(i) = b(i)*al pha + 1 2 . 5 E - 0 1 * * 2
        if (b(i) .l t. 1 0 0 . or . b(i) . gt. 2 0 0.) go to 1 0
        else cs = b(i)*2
        end if x = 0
        if (b(i) .gt. 1 5 0.) end if x = else cs
        a(i) = a(i) + 1 0 0 + end if x
 1 0  con tinue
      re turn
      e nd
      real func tion total(n, a)
      real a(n)
      s = 0
      do 2 0 i = 1, n
 2 0  s = s + a(i)*0 . 5
      total = s
      end
      pro gram main
      real a(300), b(300)
      do 5 i = 1, 300
  5   b(i) = i
      call work(300, a, b)
      print '(3f12.4)', a(10), a(1 5 0), total(3 0 0, a)
      end
"""
WAYS: dict[str, dict[str, Any]] = {
    "openmp": {"backend": "openmp"},
    "openacc": {"target": "gpu", "backend": "openacc"},
    "cuda-c": {"target": "gpu", "backend": "cuda-c"},
    "cuda-fortran": {"target": "gpu", "backend": "cuda-fortran"},
    "opencl": {"target": "gpu", "backend": "opencl"},
}


@pytest.mark.parametrize("way", WAYS)
def test_programs(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)  # short loops become regions, too
    done = translate_text({"m.f": PROGRAM}, exports=None, auto=True, **WAYS[way]).require()
    found = {"openmp": "!$omp parallel do", "openacc": "!$acc parallel loop"}.get(way, "hfl0_work")
    assert found in done.text
    if way in ("openmp", "openacc"):
        expected = output(compile_files({"m.f": PROGRAM}, tmp_path / "plain"))
        built = compile_files(dict(done.files), tmp_path / "made", openmp=way == "openmp")
        assert output(built, threads=3 if way == "openmp" else 1) == expected


INCLUDING = """      subroutine work(n, a, b)
      include 'par.inc'
      dimension a(n), b(n)
      do 10 i = 1, n
        gamma = b(i)
        call point(a(i))
 10   continue
      end
      subroutine point(x)
      common /par/ kext, gamma
      do 5 k = 1, 50
        x = x + gamma/k
  5   continue
      end
      program main
      dimension a(1000), b(1000)
      do 5 i = 1, 1000
        a(i) = 0
        b(i) = i
  5   continue
      call work(1000, a, b)
      print '(2f16.4)', sum(a), a(1000)
      end
"""
INCLUDED = {
    "marks": "C a comment\n      common /par/ kext,\n     & gamma\n",
    "digits": "* a comment\n      common\n     1/par/ kext\n     2, gamma\n",
    "margin": f"      common /par/ kext,{' ' * 48}comment\n     & gamma\n",
}


@pytest.mark.parametrize("name", INCLUDED)
def test_included_files_have_the_form_of_the_file_that_includes_them(name: str, tmp_path: Path) -> None:
    """What stood in lines that continue others was not seen: each thread had its own ``gamma``, beside that of the
    common block.
    """
    (tmp_path / "par.inc").write_text(INCLUDED[name])
    files = {"m.f": INCLUDING}
    done = translate_text(files, exports=None, auto=True, backend="openmp", include_dirs=(tmp_path,)).require()
    assert not re.search(r"private\([^)]*gamma", done.text)
    for folder in ("plain", "made"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "par.inc").write_text(INCLUDED[name])
    expected = output(compile_files(files, tmp_path / "plain"))
    assert output(compile_files(dict(done.files), tmp_path / "made", openmp=True), threads=3) == expected

"""Jumps into regions: to the first loop, before which their directives are, or to a statement within."""

import pytest

from tests.support import translate_text

SOURCE = """subroutine s(n, a)
integer, intent(in) :: n
real(8), intent(inout) :: a(n)
integer :: i
if (n > 3) goto TARGET
a(1) = 0
DIRECTIVE
20 do 30 i = 1, n
if (a(i) > 5) goto 25
a(i) = a(i)*2
25 a(i) = a(i) + 1
30 continue
40 a(1) = 2
end subroutine
"""
BACKENDS = [("cpu", "openmp"), ("cpu", "sequential"), ("gpu", "cuda-c"), ("gpu", "cuda-fortran"), ("gpu", "openacc")]


def source(target: int, directive: str = "!@parallelRegion") -> str:
    return SOURCE.replace("TARGET", str(target)).replace("DIRECTIVE", directive)


@pytest.mark.parametrize(("target", "backend"), BACKENDS)
def test_refused(target: str, backend: str) -> None:
    done = translate_text({"s.f90": source(25)}, target=target, backend=backend)
    assert [(d.code, d.place.line) for d in done.errors] == [("HF405", 5)]
    assert done.errors[0].related[0].place.line == 7
    for taken in (source(20), source(40), source(10, "10 continue\n!@parallelRegion")):
        assert not translate_text({"s.f90": taken}, target=target, backend=backend).errors


@pytest.mark.parametrize(("target", "backend"), BACKENDS)
def test_loops_in_plain_code(target: str, backend: str) -> None:
    """hfpy makes no region by itself of a loop with a jump into it; one to the loop leads to what becomes of it."""
    text = translate_text({"s.f90": source(25, "")}, target=target, backend=backend, auto=True).require().text
    assert "parallelRegion" not in text
    for label in (20, 40):
        done = translate_text({"s.f90": source(label, "")}, target=target, backend=backend, auto=True).require()
        lines = done.text.splitlines()
        if label == 20 and backend != "sequential":
            at = next(n for n, line in enumerate(lines) if line.startswith("20"))
            assert lines[at].split() == ["20", "continue"]
            assert any("parallelRegion" in line or "region over i" in line for line in lines[at + 1 :])

"""Macros that an annotated file defines by itself: what they mean is placed, so that default(none) stays."""

from pathlib import Path

import pytest

from tests.support import load_pairs, translate_text

PAIR = next(p for p in load_pairs(Path(__file__).parent / "programs") if p.name == "file_macros")


def region(definitions: str, value: str) -> list[str]:
    """The generated statements of a region over ``a`` that assigns a value."""
    source = f"""{definitions}
module m
  implicit none
  real(8) :: offset = 1, shift = 2
contains
  subroutine s(a)
    real(8), intent(inout) :: a(4)
    @parallelRegion{{domName(i), domSize(4)}}
    a = {value}
    @end parallelRegion
  end subroutine s
end module m
"""
    done = translate_text({"m.h90": source, "settings.h": "#define SCALE shift\n"}, backend="openmp").require()
    return [s for s in done.statements if s.startswith("!$ompparallel")]


def test_everything_is_placed() -> None:
    done = translate_text(PAIR.hybrid, backend="openmp").require()
    (directive,) = [s for s in done.statements if s.startswith("!$ompparallel")]
    assert directive == "!$ompparalleldodefault(none)shared(a,b,factor,nk)private(i,j)"
    assert "NXM*b(i,j)*nk" in done.text


@pytest.mark.parametrize(
    "definitions, value, shared",
    [
        ("#define N 4", "N", "a"),
        ("#define N 4\n#define M N", "M + N", "a"),
        ("#define Value offset", "Value", "a,offset"),
        ("#define ADD(x) (x + offset*shift)", "ADD(a)", "a,offset,shift"),
        ("#define OFFSET 3", "offset*OFFSET", "a,offset"),
        ('#include "settings.h"', "SCALE", "a,shift"),
        ("#if 1\n#define N offset\n#else\n#define N shift\n#endif", "N", "a,offset"),
    ],
)
def test_what_a_macro_stands_for_is_placed(definitions: str, value: str, shared: str) -> None:
    (directive,) = region(definitions, value)
    assert f"default(none)shared({shared})" in directive


@pytest.mark.parametrize("definitions", ["#define N 4\n#undef N\n#define N 5", "#define N 4\n#define N 5"])
def test_macros_that_change_stay_unknown(definitions: str) -> None:
    (directive,) = region(definitions, "N")
    assert "default(shared)" in directive

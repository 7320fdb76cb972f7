"""Points that end before their last statement: what they set only after a jump is not set by every point."""

from __future__ import annotations

import pytest

from tests.support import CUDA_C, OPENMP, Corpus, Pair, translate_text

PROGRAM = """module {name}
  implicit none
contains
  subroutine run
    integer :: i, k, x, a(40)
    x = -1
    !$hf@parallelRegion{{domName(i), domSize(40), explicit}}
    outer: do i = 1, 40
{body}
    end do outer
    !$hf@end parallelRegion
    print '(i6)', x, a
  end subroutine run
end module {name}
"""
JUMPS = {
    "cycle": "if (i > 7) cycle\nx = i",
    "named": "do k = 1, 3\nif (i > 7) cycle outer\nend do\nx = i",
    "branch": "if (i > 7) then\na(i) = 2\ncycle\nend if\nx = i",
    "select": "select case (i)\ncase (8:)\ncycle\ncase default\na(i) = 1\nend select\nx = i",
    "label": "if (i > 7) goto 10\nx = i\n10 continue",
}


def program(name: str, body: str) -> str:
    """The program with the statements of a point, of which ``a`` gets one value in each."""
    return PROGRAM.format(name=name, body="a(i) = i\n" + body).replace("!$hf@", "!@")


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The programs that set the value before the jump."""
    pairs = []
    for name, body in JUMPS.items():
        text = program(f"left_{name}", f"x = 3*i\n{body.replace('x = i', 'a(i) = a(i) + x')}")
        files = {f"left_{name}.f90": text}
        pairs.append(Pair(f"left_{name}", files, files, f"left_{name}"))
    return Corpus(pairs, tmp_path_factory.mktemp("left"), {p.name: (OPENMP, CUDA_C) for p in pairs})


@pytest.mark.parametrize("body", JUMPS.values(), ids=JUMPS)
def test_a_value_that_some_points_do_not_set_is_no_last_value(body: str) -> None:
    done = translate_text({"left.f90": program("left", body)}, backend="openmp")
    assert "HF502" in done.codes()


@pytest.mark.parametrize("name", JUMPS)
def test_one_that_is_set_before_the_jump_is(ways: Corpus, name: str) -> None:
    ways.check(f"left_{name}")

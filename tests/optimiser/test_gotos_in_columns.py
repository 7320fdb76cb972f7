"""``goto`` out of a loop to the statement right after it, in columns: an ``exit``, with the results of the jump."""

import pytest

from tests.optimiser.test_rare_branches import TEXT, VARIANTS
from tests.storage.programs import asked, in_part
from tests.support import Corpus, Pair, Variant, translate_text

BLOCKED = {
    "one_line": "do n2 = 1, 3\nif (a(k) > 0.3_dp*n2) goto 10\nt = t + n2*c(k)\nend do\n10 continue",
    "construct": "do n2 = 1, 3\nif (a(k) > 0.3_dp*n2) then\nu = 2\ngoto 10\nend if\nt = t + n2\nend do\n10 continue",
    "both_sides": "do n2 = 1, 3\nif (a(k) > 0.9_dp) then\ngo to 10\nelse if (c(k) > 0.5_dp) then\ngo to 10\nend if\n"
    "t = t + n2\nend do\n10 continue",
    "while": "do while (t > 0.5_dp)\nt = 0.5_dp*t\nif (a(k) > 0.5_dp) goto 20\nend do\n20 continue",
    "in_loop": "do n1 = 1, 2\ndo n2 = 1, 3\nif (a(k) > 0.3_dp*n2) goto 10\nt = t + n2\nend do\n10 continue\n"
    "t = t + n1\nend do",
    "function": "do n2 = 1, 3\nif (above(a(k), n2)) goto 10\nt = t + n2\nend do\n10 continue",
    "same_in_all": "do n2 = 1, 3\nif (n2 > n) goto 10\nt = t + n2\nend do\n10 continue",
}
LEFT = {
    "two_loops": "do n1 = 1, 2\ndo n2 = 1, 3\nif (a(k) > 0.3_dp*n2) goto 10\nt = t + n2\nend do\nend do\n10 continue",
    "further": "do n2 = 1, 3\nif (a(k) > 0.3_dp*n2) goto 10\nt = t + n2\nend do\nt = t + 1\n10 continue",
    "from_before": "if (c(k) > 0.9_dp) goto 10\n"
    "do n2 = 1, 3\nif (a(k) > 0.3_dp*n2) goto 10\nt = t + n2\nend do\n10 continue",
    "a_statement": "do n2 = 1, 3\nif (a(k) > 0.3_dp*n2) goto 10\nt = t + n2\nend do\n10 t = t + 1",
    "backwards": "n2 = 0\n10 continue\nn2 = n2 + 1\nt = t + n2\nif (n2 < 3) goto 10",
}
ABOVE = """  pure logical function above(x, m)
    real(dp), intent(in) :: x
    integer, intent(in) :: m
    above = x > 0.3_dp*m
  end function above
"""


def pair(name: str) -> Pair:
    body = {**BLOCKED, **LEFT}[name]
    text = (
        TEXT.replace("NAME", f"g_{name}")
        .replace("BODY", body)
        .replace("integer :: k, m, h", "integer :: k, m, h, n1, n2")
    )
    text = text.replace("contains\n", f"contains\n{ABOVE}", 1)
    region = "@parallelRegion{domName(i,j), domSize(nx,ny)}", "@end parallelRegion"
    hybrid = text.replace("\n<\n", f"\n{region[0]}\n").replace("\n>\n", f"\n{region[1]}\n")
    plain = text.replace("\n<\n", "\ndo j = 1, ny\ndo i = 1, nx\n").replace("\n>\n", "\nend do\nend do\n")
    return Pair(f"g_{name}", {f"g_{name}.h90": hybrid}, {f"g_{name}.f90": plain}, f"g_{name}")


PAIRS = {name: pair(name) for name in (*BLOCKED, *LEFT)}
EACH = [VARIANTS[0], *(pytest.param(v, marks=pytest.mark.full) for v in VARIANTS[1:])]


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(
        asked(request, PAIRS.values()), tmp_path_factory.mktemp("gotos"), {p.name: VARIANTS for p in PAIRS.values()}
    )


@pytest.mark.parametrize("variant", EACH, ids=lambda v: v.label)
@pytest.mark.parametrize("name", in_part(PAIRS, 4))
def test_gotos(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(f"g_{name}", variant)


@pytest.mark.parametrize("name", PAIRS)
def test_which_get_blocked_forms(name: str) -> None:
    text = translate_text(dict(PAIRS[name].hybrid), **VARIANTS[0].options).require().text
    assert ("subroutine hfv_column" in text) == (name in BLOCKED)

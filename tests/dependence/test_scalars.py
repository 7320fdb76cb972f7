"""Scalars of a region that are not obviously set before they are read: whether a point sees what another point sets."""

from __future__ import annotations

import pytest

from tests.support import CUDA_C, OPENMP, Corpus, Pair, Variant, translate_text

TEXT = """\
module NAME
  implicit none
contains
  subroutine advance(x)
    real(8), intent(inout) :: x
    x = x + 1
  end subroutine advance
  subroutine chosen(on, x, y)
    logical, intent(in) :: on
    real(8), intent(in) :: x
    real(8), intent(inout) :: y
    if (on) y = x
  end subroutine chosen
  subroutine run()
    real(8) :: a(6), b(6), w(4,6), s, t
    logical :: mask(6), late
    integer :: i, k, n
    s = 7; t = 2; n = 3; late = .false.
    do i = 1, 6
      a(i) = 3*i - i*i
      b(i) = i
      mask(i) = a(i) > 0
      w(:,i) = [(k*0.5d0 + i, k = 1, 4)]
    end do
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
BODY
    end do
    !@end parallelRegion
    print '(4f12.4)', a, b, w
  end subroutine run
end module NAME
"""
# Some point certainly sees what another sets.
CARRIED = {
    "read first": "b(i) = s\ns = a(i)",
    "a sum": "s = s + a(i)\nb(i) = 1",
    "a counter": "if (i > 2) n = n + 1\na(n) = i",
    "one line": "b(i) = s; s = 1 + a(i)",
    "at some points": "if (i > 2) then\nb(i) = s\nend if\ns = a(i)",
    "in a loop": "do k = 1, 4\nw(k,i) = s\nend do\ns = w(2,i)",
    "called": "call advance(s)\nb(i) = 1",
    "a keyword": "call advance(x=s)",
    "a flag": "if (late) b(i) = 0\nlate = .true.",
    "in a bound": "do k = 1, n\nw(k,i) = 0\nend do\nn = 2",
    "as an index": "a(n) = 1\nn = i",
}
# Data decide.
DOUBTFUL = {
    "set after a jump": "block\nif (mask(i)) go to 10\ns = a(i)\n10 end block\nb(i) = s",
    "set after an exit": "rest: block\nif (mask(i)) exit rest\ns = a(i)\nend block rest\nb(i) = s",
    "set under a mask": "if (mask(i)) s = a(i)\nb(i) = s",
    "read under a mask": "if (mask(i)) b(i) = s\ns = a(i)",
    "another mask": "if (mask(i)) s = a(i)\nif (a(i) > 1) b(i) = s",
    "a mask that changes": "if (mask(i)) s = a(i)\nmask(i) = .not. mask(i)\nif (mask(i)) b(i) = s",
    "called under a mask": "call chosen(mask(i), a(i), s)\nb(i) = s",
}
# Each point sets it first, though not where the text shows it.
SET_FIRST = {
    "first turn": "do k = 1, 4\nif (k > 1) w(k,i) = w(k,i) + s\ns = w(k,i)\nend do",
    "first turn down": "do k = 4, 1, -1\nif (k < 4) w(k,i) = w(k,i) + s\ns = w(k,i)\nend do",
    "begun in a branch": "do k = 1, 4\nif (k == 1) then\ns = a(i)\nelse\ns = s + w(k,i)\nend if\nw(k,i) = s\nend do",
    "one mask": "if (mask(i)) s = a(i)\nif (mask(i)) b(i) = s",
    "its parts": "if (mask(i)) then\ns = a(i)\nt = s + 1\nend if\nif (i > 1 .and. mask(i)) b(i) = s*t",
    "always true": "if (i > 0) s = a(i)\nb(i) = s",
    "all turns": "do k = 1, 4\nif (k <= 4) t = w(k,i)\nend do\nb(i) = t",
    "both ends": "if (i < 4) s = a(i)\nif (i >= 4) s = b(i)\nb(i) = s",
    "select": "select case (i)\ncase (:3)\ns = 1\ncase (4:)\ns = 2\nend select\nb(i) = s",
    "a logical": "do k = 1, 4\nif (k > 1) then\nif (late) w(k,i) = 0\nend if\nlate = w(k,i) > 2.5d0\nend do",
}


def found(body: str) -> list[tuple[str, str]]:
    """Severity and code of what is said of a body, but for notes."""
    done = translate_text({"m.f90": TEXT.replace("NAME", "m").replace("BODY", body)}, backend="openmp")
    return [(d.severity, d.code) for d in done.diagnostics if d.severity != "note"]


@pytest.mark.parametrize("name", CARRIED)
def test_carried(name: str) -> None:
    assert ("error", "HF504") in found(CARRIED[name])


@pytest.mark.parametrize("name", DOUBTFUL)
def test_doubtful(name: str) -> None:
    assert found(DOUBTFUL[name]) == [("warning", "HF500")]


def program(name: str, body: str) -> Pair:
    """A program that is its own twin: directives are in comments."""
    module = f"s_{name.replace(' ', '_')}"
    text = TEXT.replace("NAME", module).replace("BODY", body)
    return Pair(module, {f"{module}.f90": text}, {f"{module}.f90": text}, module)


PAIRS = {name: program(name, body) for name, body in SET_FIRST.items()}
VARIANTS = (OPENMP, CUDA_C)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(list(PAIRS.values()), tmp_path_factory.mktemp("scalars"), {p.name: VARIANTS for p in PAIRS.values()})


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
@pytest.mark.parametrize("name", SET_FIRST)
def test_set_first(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(PAIRS[name].name, variant)


@pytest.mark.parametrize("name", SET_FIRST)
def test_nothing_is_said(name: str) -> None:
    assert found(SET_FIRST[name]) == []

"""What a statement or a called routine may leave as it is, what functions and pointers in objects point to: no point
has that to itself.
"""

from __future__ import annotations

from functools import lru_cache

import pytest

from tests.support import translate_text

TEXT = """module m
  implicit none
  type :: box
    character(6) :: t(3) = 'abcdef', s = 'abcdef'
    integer, pointer :: p(:) => null()
  contains
    procedure :: at
  end type
  type(box) :: shared
  procedure(element), pointer :: chosen => null()
  procedure(always), pointer :: done => null()
  integer, target :: field(40)
contains
  function element(v)
    integer, intent(in) :: v
    integer, pointer :: element
    element => field(mod(v, 5) + 1)
  end function
  function at(self, v)
    class(box), intent(in) :: self
    integer, intent(in) :: v
    integer, pointer :: at
    at => self%p(v)
  end function
  subroutine some(x, v)
    integer, intent(inout) :: x
    integer, intent(in) :: v
    if (v < 30) x = v
  end subroutine
  subroutine deeper(x, v)
    integer :: x
    integer, intent(in) :: v
    call some(x, v)
  end subroutine
  subroutine all_ways(x, v)
    integer, intent(inout) :: x
    integer, intent(in) :: v
    if (v > 5) then
      x = v
    else
      call always(x, v)
    end if
  end subroutine
  subroutine always(x, v)
    integer :: x
    integer, intent(in) :: v
    x = v
  end subroutine
  subroutine first_two(x, v)
    character(*), intent(inout) :: x
    integer, intent(in) :: v
    write (x(1:2), '(i2)') v
  end subroutine
  subroutine in_object(o, v)
    class(box), intent(in) :: o
    integer, intent(in) :: v
    o%at(2) = v
  end subroutine
WORK
end module
"""
WORK = """  subroutine workNUMBER(texts, c)
    character(8), intent(in) :: texts(40)
    integer, intent(inout) :: c(40)
    integer :: i, k, w(3)
    character(6) :: t(3), one
    character(:), allocatable :: local
    character(:), allocatable, target :: pointed
    character(:), allocatable, save :: saved
    type(box) :: mine
    integer, pointer :: q, part(:), whole(:)
    k = 7
    t = 'abcdef'
    one = 'abcdef'
    local = 'abcdef'
    pointed = local
    saved = local
    mine%p => field
    whole => field
    !@parallelRegion
    do i = 1, 40
      STATEMENT
    end do
    print *, BEHIND
  end subroutine
"""
KEPT = ("HF502", "which point sets it last")
MEET = ("HF504", "points")


STAY = [
    ("call some(k, i)", "k", *KEPT),
    ("call deeper(k, i)", "k", *KEPT),
    ("associate (q2 => k); call some(q2, i); end associate", "k", *KEPT),
    ("call first_two(one, i)", "one", *KEPT),
    ("write (t, '(i2)') i; c(i) = iachar(t(2)(2:2))", "c", "HF504", "'t'"),
    ("write (t(1:2), '(i2)') i; c(i) = iachar(t(2)(2:2))", "c", "HF504", "'t'"),
    ("write (shared%t(2), '(i2)') i", "shared%t", *MEET),
    ("write (mine%s, '(i2)') i", "mine%s", *MEET),
    ("associate (q2 => mine%s); write (q2, '(i2)') i; end associate", "mine%s", *MEET),
    ("read (texts(i), *) k; c(i) = k", "c", "HF500", "'k' is read before it is set"),
    ("read (texts(i), fmt=*) w; c(i) = sum(w)", "c", "HF504", "'w'"),
    ("call always(element(i), i)", "c", "HF404", "'element' points to"),
    ("shared%at(i) = i", "c", "HF404", "'at' points to"),
    ("associate (q2 => shared); q2%at(i) = i; end associate", "c", "HF404", "'at' points to"),
    ("q => shared%at(i); q = i", "c", "HF500", "'q' is written"),
    ("call in_object(shared, i)", "c", "HF501", "'at' points to"),
    ("c(i) = k; write (one, '(2i3)') (w(k), k = 1, 2)", "c", "HF504", "writes k, which point"),
    ("c(i) = chosen(i); chosen => element", "c", "HF501", "the procedure pointer 'chosen'"),
    ("call done(c(i), i); done => always", "c", "HF501", "the procedure pointer 'done'"),
    ("mine%p(1) = i", "field", "HF504", "both write mine%p(1)"),
    ("associate (q2 => mine); q2%p(2) = i; end associate", "field", *MEET),
    ("mine = shared; mine%p(1) = i", "field", "HF500", "the pointers 'p' of several objects"),
    ("mine%p => field; mine%p(1) = i", "field", "HF500", "the pointers 'p' of several objects"),
    ("part => field(i:i); part(1) = i; c(i) = whole(2)", "c", "HF500", "'part' is written"),
    ("c(i) = iachar(local)", "c", "HF409", "'local' is a local text of deferred length"),
    ("write (one, '(a)') local; c(i) = iachar(one)", "c", "HF409", "'local'"),
]
SET = [
    ("call always(k, i)", "k"),
    ("call all_ways(k, i)", "k"),
    ("call some(k, i)", "c"),
    ("write (one, '(i2)') i", "one"),
    ("write (t(2), '(i2)') i; c(i) = iachar(t(2)(2:2))", "c"),
    ("read (texts(i), '(i8)') k; c(i) = k", "c"),
    ("k = 0; read (texts(i), *) k; c(i) = k", "c"),
    ("c(i) = element(i)", "c"),
    ("chosen => element; c(i) = chosen(i)", "c"),
    ("done => always; call done(c(i), i)", "c"),
    ("write (one, '(2i3)') (w(k), k = 1, 2); c(i) = k", "k"),
    ("w = [(i + k, k = 1, 3)]; c(i) = sum(w) + k", "k"),
    ("mine%p(i) = i", "field"),
    ("part => field(i:i); part(1) = i", "field"),
    ("c(i) = len(local) + iachar(pointed) + iachar(saved)", "c"),
]
CASES = [*(one[:2] for one in STAY), *SET]


@lru_cache
def said() -> dict[int, list[tuple[str, str]]]:
    """What hfpy says of each case, by its number."""
    works = []
    for number, (statement, behind) in enumerate(CASES):
        work = WORK.replace("NUMBER", str(number)).replace("STATEMENT", statement.replace("; ", "\n"))
        works.append(work.replace("BEHIND", behind))
    text = TEXT.replace("WORK", "\n".join(works))
    rows = text.split("\n")
    found: dict[int, list[tuple[str, str]]] = {}
    for d in translate_text({"m.f90": text}, backend="openmp").diagnostics:
        place = next((r.place for r in d.related if "region" in r.message), d.place)
        begun = [row for row in rows[: place.line] if "subroutine work" in row and "end" not in row]
        number = int(begun[-1].split("work")[1].split("(")[0])
        if d.severity != "note":
            found.setdefault(number, []).append((d.code, d.message))
    return found


@pytest.mark.parametrize("number", range(len(STAY)))
def test_what_may_stay(number: int) -> None:
    code, words = STAY[number][2:]
    found = said()[number]
    assert [c for c, _ in found] == [code], STAY[number]
    assert words in found[0][1], STAY[number]


def test_what_each_point_sets() -> None:
    assert not [CASES[n] for n in said() if n >= len(STAY)]

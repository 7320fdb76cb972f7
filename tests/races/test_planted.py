"""Races planted in programs: the watch names both points, the element and the statement."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.races.watched import watched, watching_files

SIZES = "integer, parameter :: n = 5"
HEAD = f"""module m
  implicit none
  {SIZES}
contains
  subroutine go(a, b, w, mask, idx, cnt, h, u)
    real(8), intent(inout) :: a(n), b(n,n), w(n,n), h(n), u(n,n)
    integer, intent(inout) :: mask(n,n), idx(n,n), cnt(n)
    integer :: m, jt, kt
"""
TAIL = """
  end subroutine go
end module m
"""
MAIN = """use m
  implicit none
  real(8) :: a(n), b(n,n), w(n,n), h(n), u(n,n)
  integer :: mask(n,n), idx(n,n), cnt(n), k
  a = 0; h = 0; u = 0; b = 1; w = 1; cnt = 0; mask = 1
  do k = 1, n
    idx(:,k) = [(mod(k, n) + 1, k = 1, n)]
    b(:,k) = [(k*1.5d0, k = 1, n)]
    idx(k,:) = mod(k, n) + 1
    b(k,:) = k*1.5d0
  end do
  b(:,2) = b(:,2) + 1
  call go(a, b, w, mask, idx, cnt, h, u)"""


def region(domains: str, body: str) -> str:
    """A module with one region."""
    sizes = ",".join("n" for _ in domains.split(","))
    rows = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f"{HEAD}    @parallelRegion{{domName({domains}), domSize({sizes})}}\n{rows}    @end parallelRegion{TAIL}"


# The spellings of defects S2 and S3: domains, statements of the region, the array with the race.
RACES = [
    ("i,k", "if (w(i,k) > 0.5d0) a(i) = a(i) + w(i,k)", "a"),
    ("i,k", "if (w(i,k) > 0.5d0) a(i) = max(a(i), b(k,i))", "a"),
    ("i,k", "if (w(i,k).gt.0.5d0) cnt(i) = cnt(i) + 1", "cnt"),
    ("i,k", "if (k > 1) a(i) = a(i) + w(i,k)", "a"),
    ("i,k", "if (k > 1) then\n a(i) = a(i) + w(i,k)\nend if", "a"),
    ("i,j", "if (j <= 2) a(i) = a(i) + w(i,j)", "a"),
    ("i,j", "if (b(i,j) > 0.d0) a(i) = b(i,j)", "a"),
    ("j,k", "if (mask(j,k)==1) h(1) = h(1) + b(j,k)", "h"),
    ("j,k", "if (mask(j,k)==1) a(k) = a(k) + b(j,k)", "a"),
    (
        "j,k",
        "do jt = j, min(j+1, n)\ndo kt = k, min(k+1, n)\nif (mask(j,k)==1) u(jt,kt) = b(j,k)\nend do\nend do",
        "u",
    ),
    ("j,k", "m = idx(j,k)\nh(m) = h(m) + b(j,k)", "h"),
    ("j,k", "h(idx(j,k)) = b(j,k)", "h"),
    ("i", "a(i/2+1) = b(i,1)", "a"),
    ("i", "where (b(i,:) > 0) h(1:n) = h(1:n) + b(i,:)", "h"),
    ("i", "h(:) = h(:) + b(i,:)", "h"),
    ("i", "h(1:n) = b(i,1)", "h"),
    ("i", "h(2:4) = b(i,2:4)", "h"),
    ("i", "a(i) = sum(a(1:n))", "a"),
    ("i", "if (i > 1) a(i) = a(i-1) + 1", "a"),
    ("i", "if (i < n) a(i) = a(i+1) + 1", "a"),
    ("i", "select case (mask(i,1))\ncase (1)\n  cnt(mod(i,2)+1) = i\nend select", "cnt"),
    ("i,j", "call more(i, j, a)", "a"),
    ("i,j", "a(i) = a(i) + twice(h, j)", "a"),
]
CALLED = """
  subroutine more(i, j, a)
    integer, intent(in) :: i, j
    real(8), intent(inout) :: a(n)
    call inner(a, i + j - 1)
  end subroutine more
  subroutine inner(a, k)
    real(8), intent(inout) :: a(*)
    integer, intent(in) :: k
    if (k <= n) a(k) = k + a(k)
  end subroutine inner
  pure real(8) function twice(h, j)
    real(8), intent(in) :: h(n)
    integer, intent(in) :: j
    twice = 2*h(j) + 1
  end function twice
end module m
"""


@pytest.mark.parametrize(("domains", "body", "array"), RACES)
def test_race(domains: str, body: str, array: str, tmp_path: Path) -> None:
    text = region(domains, body).replace("end module m\n", CALLED)
    found = watched(text, MAIN, tmp_path)
    assert {m.array for m in found.races} == {array}
    race = found.races[0]
    assert race.iterators == tuple(domains.split(","))
    assert race.point != race.other
    assert race.place.rsplit("/", 1)[-1].startswith("m.h90:")


RIGHT = [
    ("i,k", "w(i,k) = w(i,k) + b(i,k)"),
    ("i,k", "if (k == 1) a(i) = a(i) + w(i,k)"),
    ("i,k", "if (k == mask(1,1)) a(i) = b(i,k)"),
    ("i", "a(idx(i,1)) = a(idx(i,1)) + 1"),
    ("i", "m = idx(i,1)\nh(m) = h(m) + b(i,1)"),
    ("i", "if (b(i,1) > 0) cnt(1) = 7"),
    ("i", "cnt = 0"),
    ("i", "h = b(1,1)"),
    ("i", "b(i,:) = w(:,i)"),
    ("i", "a(i) = sum(b(i,:)) + maxval(w)"),
    ("i", "where (b(i,:) > 2) u(i,:) = b(i,:)"),
    ("i", "!$omp atomic\nh(1) = h(1) + b(i,1)"),
]


@pytest.mark.parametrize(("domains", "body"), RIGHT)
def test_no_race(domains: str, body: str, tmp_path: Path) -> None:
    assert watched(region(domains, body), MAIN, tmp_path).races == ()


def test_what_is_told(tmp_path: Path) -> None:
    found = watched(region("i", "if (i > 3) a(i) = a(i-1) + 1"), MAIN, tmp_path)
    (race,) = found.races
    assert re.sub(r"\S*/m\.h90", "m.h90", race.text()) == (
        "m.h90:10: race: 'a(4)' is read by point i = 5; point i = 4 has set it (region m.h90:9)"
    )
    assert (found.launches, found.points) == (1, 5)


def test_same_value_is_a_note(tmp_path: Path) -> None:
    found = watched(region("i,j", "if (w(i,j) > 0) cnt(i) = 3"), MAIN, tmp_path)
    assert [m.text().split(": ", 1)[1] for m in found.meetings] == [
        "note: several points set 'cnt(1)' to the same value"
    ]


PRIVATE_COLUMN = """module m
  implicit none
contains
  subroutine go(ks, z)
    integer, intent(in) :: ks(4)
    real(8), intent(out) :: z(4)
    real(8) :: col(3)
    @parallelRegion{domName(i), domSize(4)}
    col = 0
    col(ks(i)) = i
    z(i) = sum(col)
    @end parallelRegion
  end subroutine go
end module m
"""


def test_shared_column(tmp_path: Path) -> None:
    """S5, as long as hfpy takes the column for shared: the same in each point, or not."""
    main = "use m\n  real(8) :: z(4)\n  call go([1, 2, 1, 3], z)\n  if (any(z /= [1, 2, 3, 4])) stop 1"
    found = watched(PRIVATE_COLUMN, main, tmp_path)
    made, _, _ = watching_files({"m.h90": PRIVATE_COLUMN}, tmp_path / "again")
    shared = "hf_race_array(col" in made["m.F90"]
    assert {m.array for m in found.races} == ({"col"} if shared else set())


CALLED_ROUTINES = """module m
  implicit none
  integer, parameter :: n = 4
  real(8) :: kept(n), table(n) = 1
  real(8), allocatable :: work(:)
  integer :: calls = 0
  private :: kept
contains
  subroutine go(a, c)
    real(8), intent(inout) :: a(n,n,n), c(n,n,n)
    @parallelRegion{domName(x,y), domSize(n,n)}
    call column(x, y, a, c)
    @end parallelRegion
  end subroutine go
  subroutine column(x, y, a, c)
    integer, intent(in) :: x, y
    real(8), intent(in) :: a(n,n,n)
    real(8), intent(inout) :: c(n,n,n)
    real(8) :: own(n), half(n), other(2,n/2)
    equivalence (half, other)
    real(8), save :: saved(n) = 0
    real(8), allocatable :: mine(:)
    if (x < 1) return
    STATEMENT
  end subroutine column
  pure real(8) function looked(x)
    integer, intent(in) :: x
    looked = table(x)
  end function looked
end module m
"""
CALLED_MAIN = """use m
  implicit none
  real(8) :: a(n,n,n), c(n,n,n)
  a = 1; c = 0
  allocate (work(n)); work = 0
  call go(a, c)"""


@pytest.mark.parametrize(
    ("statement", "array"),
    [
        ("c(1,1,:) = c(1,1,:) + a(x,y,:)", "c"),
        ("c(1,y,2) = x", "c"),
        ("kept(x) = kept(x) + 1", "kept"),
        ("saved(y) = saved(y) + 1", "saved"),
        ("work(x) = y", "work"),
        ("calls = calls + 1", "calls"),
        ("table(y) = looked(x) + x", "table"),
        ("c(x,y,:) = a(x,y,:) + 1", ""),
        ("own = a(x,y,:); own(x) = own(y) + 1; c(x,y,1) = sum(own)", ""),
        ("allocate (mine(n)); mine = x; mine(2) = mine(1) + y; c(x,y,1) = mine(2); deallocate (mine)", ""),
        ("half = y; other(1,2) = x; c(x,y,1) = half(3) + half(4)", ""),
        ("calls = 1", ""),
        ("c(x,y,1) = looked(x) + looked(y)", ""),
    ],
)
def test_called_routine(statement: str, array: str, tmp_path: Path) -> None:
    """S6: races in routines that a region calls, and in what outlives their calls."""
    found = watched(CALLED_ROUTINES.replace("STATEMENT", statement), CALLED_MAIN, tmp_path)
    assert {m.array for m in found.races} == ({array} if array else set())
    if array:
        assert "m.h90:" in found.races[0].place
        assert found.races[0].region == "m.h90:11"


def test_what_ends_with_a_call_is_not_watched(tmp_path: Path) -> None:
    """Other routines may have its memory later, also if it has two names."""
    files, _, _ = watching_files(
        {"m.h90": CALLED_ROUTINES.replace("STATEMENT", "half = x; saved = other(1,1)")}, tmp_path
    )
    made = "".join(files.values())
    assert "hf_race_array(saved" in made and not any(f"hf_race_array({n}," in made for n in ("own", "half", "other"))


COMPONENTS = """module m
  implicit none
  integer, parameter :: n = 4
  type :: inner
    real(8), pointer :: p(:) => null()
  end type inner
  type :: field
    real(8) :: fixed(n) = 0
    real(8), allocatable :: r(:)
    type(inner) :: in
    integer :: count = 0
  end type field
contains
  subroutine go(f, b)
    type(field), intent(inout) :: f
    real(8), intent(in) :: b(n,n)
    associate (view => f%r)
    @parallelRegion{domName(i,j), domSize(n,n)}
    STATEMENT
    @end parallelRegion
    end associate
  end subroutine go
end module m
"""
COMPONENTS_MAIN = """use m
  implicit none
  type(field) :: f
  real(8) :: b(n,n)
  b = 1
  allocate (f%r(n), f%in%p(n)); f%r = 0; f%in%p = 0
  call go(f, b)"""


@pytest.mark.parametrize(
    ("statement", "array"),
    [
        ("if (b(i,j) > 0) f%r(i) = f%r(i) + b(i,j)", "f%r"),
        ("if (b(i,j) > 0) f%in%p(j) = i", "f%in%p"),
        ("if (b(i,j) > 0) f%fixed(j) = f%fixed(j) + 1", "f"),
        ("if (b(i,j) > 0) f%count = f%count + 1", "f"),
        ("if (b(i,j) > 0) view(j) = view(j) + 1", "f%r"),
        ("if (i == j) f%r(i) = f%r(i) + b(i,j)", ""),
    ],
)
def test_components(statement: str, array: str, tmp_path: Path) -> None:
    found = watched(COMPONENTS.replace("STATEMENT", statement), COMPONENTS_MAIN, tmp_path)
    assert {m.array for m in found.races} == ({array} if array else set())


PLAIN = """module m
  implicit none
  integer, parameter :: n = 5
contains
  subroutine go(a, most, total)
    real(8), intent(inout), target :: a(n,n)
    real(8), intent(inout) :: most, total
    real(8), pointer :: p(:,:)
    real(8) :: t
    integer :: i, j
    p => a
    !@parallelRegion{domName(i,j), domSize(n,n), reduction(max:most), reduction(+:total)}
    do j = 1, n
      do i = 1, n
        t = i + j
        most = max(most, t)
        total = total + t
        STATEMENT
      end do
    end do
    !@end parallelRegion
  end subroutine go
end module m
"""


@pytest.mark.parametrize(
    ("statement", "array"),
    [
        ("p(i,j) = t", ""),
        ("p(i,n) = t", "p"),
        ("p(i,j) = a(max(i-1,1),j)", "p a"),
    ],
)
def test_own_loops_and_pointers(statement: str, array: str, tmp_path: Path) -> None:
    main = "use m\n  real(8) :: a(n,n), most, total\n  a = 0; most = 0; total = 0\n  call go(a, most, total)"
    found = watched({"m.f90": PLAIN.replace("STATEMENT", statement)}, main, tmp_path)
    assert {m.array for m in found.races} <= set(array.split())
    assert bool(found.races) == bool(array)


def test_what_is_not_watched_is_said(tmp_path: Path) -> None:
    text = region("i", "b(i,:) = matmul(w, b(i,:))\ncall foreign(a, i)")
    _, _, found = watching_files({"m.h90": text}, tmp_path)
    messages = [d.message for d in found if d.code == "HF508"]
    assert messages == [
        "accesses of 'matmul' are not watched: it is the compiler's",
        "accesses of 'foreign' are not watched: hfpy does not see it",
    ]

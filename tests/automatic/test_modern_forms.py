"""Forms of modern Fortran in plain loops: what assignments mean, lines with several statements, what threads own."""

from __future__ import annotations

from pathlib import Path

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_random import VARIANTS
from tests.support import Corpus, Pair, compile_files, output, translate_text, write_files

ASSIGNED = """module assigned
  implicit none
  type :: point
    integer :: x = 0, y = 0
  contains
    procedure, private :: from_number
    generic :: assignment(=) => from_number
  end type point
  type :: tally
    integer :: x = 0, y = 0
  end type tally
  type :: cell
    type(point) :: at
    type(tally) :: seen
    integer, allocatable :: q(:)
  end type cell
  interface assignment(=)
    module procedure from_other
  end interface
contains
  pure subroutine from_number(self, v)
    class(point), intent(inout) :: self
    integer, intent(in) :: v
    self%x = v
    self%y = self%y + v
  end subroutine from_number
  pure subroutine from_other(self, v)
    type(tally), intent(inout) :: self
    integer, intent(in) :: v
    self%x = v
    self%y = self%y + v
  end subroutine from_other
  subroutine into(c, v)
    type(cell), intent(inout) :: c
    integer, intent(in) :: v
    c%at = v
  end subroutine into
  subroutine run
    call work(30)
  end subroutine run
  subroutine work(n)
    integer, intent(in) :: n
    integer :: i, a(30), b(30), c(30), d(30), e(30)
    type(cell) :: one, two, three, four
    integer, allocatable :: x
    do i = 1, n
      call into(one, i)
      a(i) = one%at%y
    end do
    do i = 1, n
      two%at = i
      b(i) = two%at%y
    end do
    do i = 1, n
      three%seen = i
      c(i) = three%seen%y
    end do
    allocate(x)
    do i = 1, n
      four%q = [i, 2]
      x = i
      d(i) = four%q(1) + x
    end do
    do i = 1, n
      four%seen%x = i
      e(i) = four%seen%x
    end do
    print *, a, b, c, d, e
  end subroutine work
end module assigned
"""


def test_assignments_that_a_program_defines_read_what_they_set(tmp_path: Path) -> None:
    """Also those of components. Objects with allocatable parts that threads own are named around their regions."""
    pair = Pair("assigned", {"assigned.f90": ASSIGNED}, {"assigned.f90": ASSIGNED}, "assigned")
    corpus = Corpus([pair], tmp_path, {"assigned": (VARIANTS[0],)})
    corpus.check_one("assigned", VARIANTS[0])
    text = corpus.translation("assigned", VARIANTS[0]).text
    assert text.count("@parallelRegion{") == 2 and text.count("!$omp parallel") == 1, text


BESIDE = """module beside
  implicit none
contains
  subroutine run
    call work(30)
  end subroutine run
  subroutine work(n)
    integer, intent(in) :: n
    integer :: i, k, a(30)
    a = 1
    k = 3; do concurrent (i = 1:n)
      a(i) = a(i) + i
    end do; k = k + 2
    do concurrent (i = 1:n, a(i) > 4); a(i) = a(i) + k; end do
    k = 4; do i = 1, n
      a(i) = a(i) + i
    end do
    do i = 1, n
      a(i) = a(i) + i
    end do; k = k + 1
    do i = 1, n; a(i) = a(i) + k; end do
    print *, a, k
  end subroutine work
end module beside
"""


def test_statements_on_the_lines_of_a_loop_stay(tmp_path: Path) -> None:
    """They were lost beside ``do concurrent``, whose lines are written anew."""
    expected = output(compile_files({"beside.f90": BESIDE, "main.f90": MAIN}, tmp_path / "plain"))
    done = translate_text({"beside.f90": BESIDE, "main.f90": MAIN}, backend="openmp", auto=True).require()
    assert done.text.count("@parallelRegion{") == 1
    assert output(compile_files(done.files, tmp_path / "made", openmp=True), threads=3) == expected
    by_hand = BESIDE.replace("k = 3; do", "k = 3\n!@parallelRegion\ndo")
    (found,) = translate_text({"beside.f90": by_hand}, backend="openmp").errors
    assert found.code == "HF241" and "other statements" in found.message


MAIN = """program main
  use beside, only: run
  call run
end program main
"""


# Types, procedures, and loops over i, each with whether its points stay apart.
HIDDEN = """module hidden
  implicit none
  type :: fin
    integer :: v = 0
  contains
    final :: gone
  end type fin
  type :: around
    type(fin) :: inner
  end type around
  type :: box
    integer, pointer :: p(:) => null(), q(:) => null(), r(:) => null(), own(:) => null()
    integer :: k = 3
  contains
    procedure :: ref
  end type box
  type :: keyed(k)
    integer, kind :: k = 4
    integer(k) :: v(30)
  end type keyed
  integer :: freed = 0
  integer, target :: g(60), h(60)
  type(box), target :: bs(60), cs(60), one, two
contains
  subroutine gone(self)
    type(fin), intent(inout) :: self
    freed = freed + self%v
  end subroutine gone
  function low(i) result(r)
    integer, intent(in) :: i
    integer, pointer :: r
    r => g(i/2 + 1)
  end function low
  function ref(self, i) result(r)
    class(box), intent(in) :: self
    integer, intent(in) :: i
    integer, pointer :: r
    r => self%p(i/2 + 1)
  end function ref
  subroutine ended(i)
    integer, intent(in) :: i
    type(around) :: here
    here%inner%v = i
  end subroutine ended
  subroutine through(b, v)
    type(box), intent(in) :: b
    integer, intent(in) :: v
    b%p(2) = v
  end subroutine through
  subroutine chosen(j)
    integer, intent(in) :: j
    bs(j)%p(3) = j
  end subroutine chosen
  subroutine run
    integer :: i
    do i = 1, 60
      bs(i)%p => h
      bs(i)%q => g
      allocate(bs(i)%r(5), bs(i)%own(5))
    end do
    one = bs(1)
    two%r => g
    two%q => h
    call work(30)
  end subroutine run
  subroutine work(n)
    integer, intent(in) :: n
    integer :: i, a(60)
    type(fin) :: f
    type(around) :: t
    type(keyed(8)) :: w
    a = 1
{loops}
    print *, a, g, h
  end subroutine work
end module hidden
"""
LOOPS = (
    ("f = fin(i)", False),
    ("t = around(fin(i))", False),
    ("f%v = i; a(i) = f%v", True),
    ("call ended(i)", False),
    ("low(i) = i", False),
    ("bs(1)%ref(i) = i", False),
    ("a(i) = low(i)", False),
    ("g(i) = low(i) + 1", False),
    ("bs(i)%p(1) = i", False),
    ("a(i) = bs(i)%p(1)", True),
    ("cs(i)%r(1) = i", False),
    ("bs(i)%own(1) = i", False),
    ("two%own(i) = i", True),
    ("bs(3)%p(i) = i", True),
    ("one%p(i) = two%q(i+1)", False),
    ("bs(i)%k = i", True),
    ("call through(bs(i), i)", False),
    ("call chosen(i)", False),
    ("w%v(i) = 2_8*i", True),
)


def test_what_is_not_written_counts(tmp_path: Path) -> None:
    """Final procedures run without a call, functions with pointers as results are variables, and pointers in several
    objects may have one target: what is copied with its object, or set to something, and not allocated alone.
    """
    loops = "\n".join(f"    do i = 1, n\n      {body}\n    end do" for body, _ in LOOPS)
    paths = write_files({"hidden.f90": HIDDEN.replace("{loops}", loops)}, tmp_path)
    found = [v for v in found_regions(paths, Options(target="cpu")).verdicts if v.key == "hidden::work"]
    apart = [bool(v.region) for v in sorted(found, key=lambda v: v.place.line)]
    assert apart == [wanted for _, wanted in LOOPS]
    lone = HIDDEN.replace("    one = bs(1)\n", "").replace("{loops}", loops)
    paths = write_files({"hidden.f90": lone}, tmp_path)
    found = [v for v in found_regions(paths, Options(target="cpu")).verdicts if v.key == "hidden::work"]
    assert sum(bool(v.region) for v in found) == sum(apart) + 1  # own is never shared then


MOVING = """module moving
  implicit none
  integer, target :: g(12,30), h(12,30), f(30)
contains
  subroutine run
    g = 1; h = 2; f = 3
    call work(30, 3)
    print *, g, h, f
  end subroutine run
  subroutine work(n, m)
    integer, intent(in) :: n, m
    integer :: i
    integer, pointer :: p(:), q(:,:)
    p => g(:,1)
    q => g
    do i = 1, n
      f(i) = g(m,i) + h(m,i)
    end do
    do i = 1, n
      p => g(:,i)
      p(3:5) = p(2:4) + i
      f(1) = f(1) + p(3)
    end do
    do i = 1, n
      g(m,i) = g(m,i) + h(m,i) + f(i)
    end do
    if (m > 2) then
      q(1:3,1:3) => h(1:9,2)
      q(1,:) = q(2,:) + f(1)
      q => g
    else
      q => h
      q(:,1) = f(1)
    end if
    do i = 1, n
      h(m,i) = h(m-1,i) + f(i)
    end do
    do i = 1, n
      h(m,i) = h(m-1,i) + f(i)
    end do
  end subroutine work
end module moving
"""


def test_pointers_that_move_among_host_statements_mean_their_targets(tmp_path: Path) -> None:
    """A copy by the pointer's name before a loop or condition, and another after it, are of different elements."""
    pair = Pair("moving", {"moving.f90": MOVING}, {"moving.f90": MOVING}, "moving")
    corpus = Corpus([pair], tmp_path, {"moving": (VARIANTS[1],)})
    corpus.check_one("moving", VARIANTS[1])
    assert corpus.translation("moving", VARIANTS[1]).text.count("__global__") > 2


RESIZED = """module resized
  implicit none
  type :: obj
    integer, allocatable :: al(:)
    integer, pointer :: pp(:) => null()
  end type obj
  integer, target :: ta(60), tb(60), t2(12,60)
  integer, pointer :: mp(:)
contains
  subroutine grow(x, n)
    integer, allocatable, intent(inout) :: x(:)
    integer, intent(in) :: n
    x = [n, n, n]
  end subroutine grow
  subroutine run
    call work(30)
  end subroutine run
  subroutine work(n)
    integer, intent(in) :: n
    integer :: i, a(60), c(60)
    integer, allocatable :: x(:), y(:), z(:), w(:), all(:)
    character(len=:), allocatable :: t
    integer, pointer :: p(:), q(:), r(:)
    type(obj) :: o, os(60)
    a = 1; x = a; y = a; z = a; w = a; all = a; o%al = a; t = 'x'; p => ta; q => ta; o%pp => ta
{loops}
    print *, c, size(z), r
  end subroutine work
end module resized
"""
# Each alone is a region, where no other turn has to do with what it sets.
SIZES = (
    ("if (i == 7) x = [x, y]; c(i) = size(x)", False),
    ("w = a(1:i); c(i) = size(w)", True),
    ("z = a(1:i); c(i) = size(z)", False),
    ("c(i) = size(all); all(i) = i", True),
    ("if (i == 7) t = 'abc'; c(i) = len(t)", False),
    ("if (i == 7) call grow(x, i); c(i) = ubound(x, 1)", False),
    ("if (i == 7) o%al = [1, 2]; c(i) = size(o%al)", False),
    ("os(i)%al = a(1:i); c(i) = size(os(i)%al)", True),
    ("if (i == 7) p => tb; c(i) = p(3)", False),
    ("q => t2(:,i); c(i) = q(3) + size(q)", True),
    ("r => t2(:,i); c(i) = r(3)", False),
    ("mp => t2(:,i); c(i) = mp(3)", False),
    ("if (i == 7) o%pp => tb; c(i) = o%pp(3)", False),
    ("os(i)%pp => t2(:,i); c(i) = os(i)%pp(3)", True),
)


def test_bounds_and_associations_are_values(tmp_path: Path) -> None:
    """A turn must not see those of another one, and they may be asked for after the loop."""
    loops = "\n".join(f"    do i = 1, n\n      {body}\n    end do" for body, _ in SIZES)
    paths = write_files({"resized.f90": RESIZED.replace("{loops}", loops)}, tmp_path)
    found = [v for v in found_regions(paths, Options(target="cpu")).verdicts if v.key == "resized::work"]
    apart = [bool(v.region) for v in sorted(found, key=lambda v: v.place.line)]
    assert apart == [wanted for _, wanted in SIZES]


OPERATORS = """module operators
  implicit none
  type :: vec
    integer :: c(3) = 0
  contains
    procedure, private :: times
    generic :: operator(*) => times
  end type vec
contains
  pure type(vec) function times(a, x)
    class(vec), intent(in) :: a
    integer, intent(in) :: x
    times%c = a%c*x
  end function times
  subroutine run
    call work(30)
  end subroutine run
  subroutine work(n)
    integer, intent(in) :: n
    integer :: i
    type(vec) :: v(60), w(60)
    do i = 1, n
      v(i)%c = i
    end do
    do i = 1, n
      w(i) = v(i)*2
    end do
    print *, (w(i)%c, i = 1, n)
  end subroutine work
end module operators
"""


def test_operators_that_a_program_defines_are_calls(tmp_path: Path) -> None:
    """GNU Fortran 12 makes wrong code of a call with a class dummy in a loop with ``simd``."""
    pair = Pair("operators", {"operators.f90": OPERATORS}, {"operators.f90": OPERATORS}, "operators")
    corpus = Corpus([pair], tmp_path, {"operators": (VARIANTS[0],)})
    corpus.check_one("operators", VARIANTS[0])
    text = corpus.translation("operators", VARIANTS[0]).text
    assert text.count("@parallelRegion{") == 2 and "simd" not in text, text


PARTS = """module parts
  implicit none
  integer, target :: g(12,30), h(30), f(30)
contains
  subroutine run
    call work(24)
  end subroutine run
  subroutine work(n)
    integer, intent(in) :: n
    integer :: i
    integer, pointer :: p(:,:), q(:)
    p(1:30,1:12) => g
    q => h
    do i = 1, n
      associate (x => p(i,1:9))
        x(2) = g(3,n+1-i) + 1
      end associate
    end do
    do i = 1, n
      associate (x => h(i))
        x = q(n+1-i) + 1
      end associate
    end do
    do i = 1, n
      associate (x => h(i))
        x = f(n+1-i) + 1
      end associate
    end do
    print *, g, h
  end subroutine work
end module parts
"""


def test_names_for_parts_of_targets(tmp_path: Path) -> None:
    """What a name of an ``associate`` sets is memory that pointers may have."""
    paths = write_files({"parts.f90": PARTS}, tmp_path)
    found = [v for v in found_regions(paths, Options(target="cpu")).verdicts if v.key == "parts::work"]
    assert [bool(v.region) for v in sorted(found, key=lambda v: v.place.line)] == [False, False, True]


GROWING = """module growing
  implicit none
  integer, allocatable :: known(:)
contains
  integer function asked()
    asked = size(known)
  end function asked
  subroutine grow
    known = [1, 2]
  end subroutine grow
  subroutine made
    if (allocated(known)) deallocate(known)
  end subroutine made
  subroutine own(i, r)
    integer, intent(in) :: i
    integer, intent(out) :: r
    integer, allocatable :: w(:), kept(:)
    save :: kept
    w = [i, i + 1]
    w = [w, 5]
    KEPT
    r = sum(w)
  end subroutine own
  subroutine work(n, c)
    integer, intent(in) :: n
    integer, intent(out) :: c(n)
    integer :: i
    do i = 1, n
      if (i == 9) known = [1, 2]
      c(i) = asked()
    end do
    do i = 1, n
      if (i == 9) call grow()
      c(i) = asked()
    end do
    do i = 1, n
      if (i == 9) call made()
      c(i) = asked()
    end do
    do i = 1, n
      call own(i, c(i))
    end do
  end subroutine work
end module growing
"""


def test_what_others_know_is_not_allocated_in_turns(tmp_path: Path) -> None:
    """A routine that is called may ask for the size that another turn gives a variable of the module."""
    for kept, apart in (("", [False, False, False, True]), ("if (i == 9) kept = [1, 2]", [False] * 4)):
        paths = write_files({"growing.f90": GROWING.replace("KEPT", kept)}, tmp_path)
        found = [v for v in found_regions(paths, Options(target="cpu")).verdicts if v.key == "growing::work"]
        assert [bool(v.region) for v in sorted(found, key=lambda v: v.place.line)] == apart

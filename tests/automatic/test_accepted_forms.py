"""Forms of old and new Fortran that compilers take: nothing is said of them, and loops beside them are regions."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.commands.unreached import Unreached
from hfpy.options import Options, Outside
from hfpy.pipeline import found_regions, translate
from tests.automatic.test_random import VARIANTS
from tests.support import Corpus, Pair, Variant, compile_files, output, translate_text, write_files

MODULE = """module forms
  implicit none
  interface cell
    procedure made
  end interface
  type cell
    real(8) :: q, t
  end type cell
  character(3), parameter :: part = 'abcdef'(2:4)
  character(kind=1, len=3) :: kinds(2) = [1_'xyz', 1_"uvw"]
contains
  type(cell) function made()
    made%q = 1
    made%t = 2
  end function made
  subroutine run
    real(8) :: a(40)
    type(cell) :: c
    integer :: k
    call filled(40, a)
    write (*, '(10f8.2)'), a
    c = cell()
    k = 3
    write (*, *) c%q, part, kinds
    c = cell(5.d0, 6.d0)
    write (*, '(2f6.1, a)'), c, 'digits'(k:)
    c = cell(t=7.d0, q=8.d0)
    print 1_'(2f6.1)', c
    call applied(later, 5)
    print '(3i4)', sized(3, counted)
    if (k == 4) stop 3, quiet=.true.
    if (k == 5) error stop 'it, and so on', quiet=.false.
  end subroutine run
  subroutine filled(n, a)
    integer, intent(in) :: n
    real(8), intent(out) :: a(n)
    integer :: i
    do, i = 1, n
      a(i) = ichar('0123456789'(mod(i, 10) + 1:mod(i, 10) + 1)) + 0.5d0
    end do
    do, concurrent (i = 1:n)
      a(i) = a(i) + max1(real(a(i)), 50.2) - min1(real(a(i)), 50.2)
    end do
  end subroutine filled
  subroutine applied(what, k)
    external :: what
    integer, intent(in) :: k
    call what(k)
  end subroutine applied
  subroutine first(k)
    integer, intent(in) :: k
    print '(a)', 'first'
    return
    entry later(k)
    print '(i4)', k
  end subroutine first
  pure integer function counted(x)
    integer, intent(in) :: x(:)
    counted = size(x)
  end function counted
  function sized(n, extent)
    integer, intent(in) :: n
    interface
      pure integer function extent(x)
        integer, intent(in) :: x(:)
      end function extent
    end interface
    integer :: i
    integer :: sized(extent([(i, i = 1, 3)]))
    sized = n
  end function sized
end module forms
"""
RANKS = """module ranks
  interface
    subroutine sent(buffer, n)
      type(*), dimension(..), intent(in) :: buffer
      integer, intent(in) :: n
    end subroutine sent
  end interface
  interface shown
    procedure shown_reals, shown_integers
  end interface
contains
  subroutine told(n, a, b, k)
    integer, intent(in) :: n
    real, intent(inout) :: a(n), b(n,n)
    integer, intent(inout) :: k(n)
    real :: c
    integer :: i
    c = 1
    do i = 1, n
      a(i) = i
    end do
    call sent(a, n)
    call sent(b(:,1), n)
    call sent(c, n)
    call shown(b)
    call shown(c)
    call shown(k)
  end subroutine told
  subroutine shown_reals(x)
    real, intent(inout) :: x(..)
    integer :: i
    select rank (y => x)
    rank (1)
      do i = 1, size(y)
        y(i) = i
      end do
    rank (2)
      y(1,1) = 5
    end select
  end subroutine shown_reals
  subroutine shown_integers(x)
    integer, intent(in) :: x(..)
    print *, rank(x)
  end subroutine shown_integers
end module ranks
"""
OTHERS = """subroutine others(n, a)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  integer :: i
  call outside(%val(n), %ref(a), a)
  wait (10)
  if (n == 3) pause 'x (y'
  write (*, *), a(1)
  do i = 1, n
    a(i) = 2*a(i)
  end do
end subroutine others
"""
CRAY = """subroutine moved(n, a)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  real :: from(100), q
  integer :: i
  pointer (at, from), (other, q(10))
  at = loc(a(2))
  do i = 1, n - 1
    from(i) = a(i) + 1
  end do
  other = loc(a(1))
  q(1) = 3
end subroutine moved
"""
NO_NAME = {
    "interface": """  interface
    subroutine doubled(a)
      real, intent(inout) :: a(5000)
    end subroutine doubled
  end interface
  real :: a(5000)
  do i = 1, 5000
    a(i) = i
  end do
  call doubled(a)
  print *, a(7)
end
subroutine doubled(a)
  real, intent(inout) :: a(5000)
  a = 2*a
end subroutine doubled
""",
    "type": """subroutine doubled(a)
  real, intent(inout) :: a(5000)
  a = 2*a
end subroutine doubled
  type field
    real :: a(5000)
  end type field
  type(field) :: f
  call filled
  call doubled(f%a)
  print *, f%a(7)
contains
  subroutine filled
    do i = 1, 5000
      f%a(i) = i
    end do
  end subroutine filled
end
""",
    "contains": """contains
  subroutine filled(a)
    real, intent(out) :: a(5000)
    do i = 1, 5000
      a(i) = i
    end do
  end subroutine filled
end
""",
}
FORMS = Pair("forms", {"forms.f90": MODULE}, {"forms.f90": MODULE}, "forms")
WAYS = [v for v in VARIANTS if v.options["backend"] in ("openmp", "openacc")]


def said(text: str, folder: Path, **options: bool) -> list[str]:
    """What ``hfpy check`` says of a file that is a whole program but for external procedures."""
    paths = write_files({"m.f90": text}, folder)
    made = translate(paths, Options(**options))
    outside = Outside(complete=True, libraries=True, unknown=False, kinds_known=True)
    plain = Unreached(tuple(paths), Options(**options)).found()
    return [d.message for d in (*made.diagnostics, *made.faults(outside), *plain) if d.severity != "note"]


@pytest.mark.parametrize("text", [MODULE, RANKS, OTHERS, CRAY, *NO_NAME.values()])
@pytest.mark.parametrize("auto", [False, True])
def test_nothing_is_said(text: str, auto: bool, tmp_path: Path) -> None:
    assert said(text, tmp_path, auto=auto) == []


def test_constants_with_names_of_macros(tmp_path: Path) -> None:
    """Names of macros differ by their case, those of constants do not."""
    text = (
        "#define N (4*8)\nsubroutine s(a)\n  integer, parameter :: n = N, m = N + n\n  real :: a(n, m)\n  a = 0\nend\n"
    )
    assert said(text, tmp_path, auto=True) == []


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The program in all ways."""
    return Corpus([FORMS], tmp_path_factory.mktemp("forms"), {"forms": tuple(WAYS)})


@pytest.mark.parametrize("variant", WAYS, ids=lambda v: v.label)
def test_they_mean_the_same(variant: Variant, corpus: Corpus) -> None:
    corpus.check_one("forms", variant)


def test_loops_beside_them_are_regions(tmp_path: Path) -> None:
    for name, text, least in (("forms.f90", MODULE, 2), ("others.f90", OTHERS, 1)):
        found = found_regions(write_files({name: text}, tmp_path / name), Options(target="cpu"))
        assert sum(bool(v.region) for v in found.verdicts) == least, [(v.place.line, v.why) for v in found.verdicts]


def test_statements_of_any_rank_are_not_known(tmp_path: Path) -> None:
    found = found_regions(write_files({"m.f90": RANKS}, tmp_path), Options(target="cpu"))
    assert any("the rank of 'x' is not known" in v.why for v in found.verdicts)
    text = RANKS.replace("      do i = 1, size(y)", "      !@parallelRegion\n      do i = 1, size(y)")
    errors = translate_text({"m.f90": text}).errors
    assert "what this statement does is not known: the rank of 'x' is not known" in {d.message for d in errors}


def test_pointers_of_crays_kind(tmp_path: Path) -> None:
    """What they point to may be any memory: the loop was a region, with two names of one array."""
    found = found_regions(write_files({"m.f90": CRAY}, tmp_path), Options(target="cpu"))
    assert [bool(v.region) for v in found.verdicts] == [False]
    assert "tells where 'from' is" in found.verdicts[0].why
    by_hand = CRAY.replace("  do i = 1", "  !@parallelRegion{independent(from, a)}\n  do i = 1")
    assert "HF110" in translate_text({"m.f90": by_hand}).codes()


@pytest.mark.parametrize("begins", NO_NAME)
def test_main_programs_without_a_name(begins: str, tmp_path: Path) -> None:
    """They may begin with an interface, a type, or procedures."""
    files = {"m.f90": NO_NAME[begins]}
    done = translate_text(files, auto=True, backend="openmp").require()
    assert "!$omp parallel do" in done.text
    made, plain = (compile_files(f, tmp_path / n, openmp=True) for n, f in (("made", done.files), ("plain", files)))
    assert output(made, threads=2) == output(plain)

"""What kernels of directives can hold: operators and assignments that a program defines, and what not."""

from __future__ import annotations

import pytest

from tests.support import Translated, translate_text

PROGRAM = """module m
  implicit none
  type vec
    real(8) :: x = 0, y = 0
  contains
    procedure :: times
    generic :: operator(*) => times
  end type
  interface operator(+)
    module procedure plus
  end interface
  interface operator(.dot.)
    module procedure dot
  end interface
  interface assignment(=)
    module procedure from_scalar
  end interface
  real(8) :: factor = 2
  real(8) :: member(4)
  common /block/ member
contains
  elemental function plus(a, b) result(c)
    type(vec), intent(in) :: a, b
    type(vec) :: c
    c%x = a%x + helper(b%x)
    c%y = a%y + b%y
  end function
  elemental real(8) function helper(a)
    real(8), intent(in) :: a
    helper = a
  end function
  elemental function times(a, b) result(c)
    class(vec), intent(in) :: a
    real(8), intent(in) :: b
    type(vec) :: c
    c%x = a%x * b
    c%y = a%y * b
  end function
  impure elemental real(8) function dot(a, b)
    type(vec), intent(in) :: a, b
    {dot}
    dot = a%x*b%x + a%y*b%y
  end function
  elemental subroutine from_scalar(a, b)
    type(vec), intent(inout) :: a
    real(8), intent(in) :: b
    a%x = b*factor
  end subroutine
  subroutine run
    real(8) :: r(40)
    type(vec) :: p, q
    integer :: i
    !@parallelRegion
    do i = 1, 40
      p%x = i
      p%y = 1
      q%x = 1
      q%y = i
      q = p + q
      q = q*2.d0
      p = r(i)
      r(i) = twice(p, q)
    end do
  end subroutine
  real(8) function twice(p, q)
    type(vec), intent(in) :: p, q
    twice = 2*(p .dot. q)
  end function
end module
"""


def made(backend: str, dot: str = "") -> Translated:
    text = PROGRAM.replace("{dot}", dot)
    return translate_text({"m.f90": text}, target="gpu", backend=backend)


@pytest.mark.parametrize(("backend", "word"), [("openacc", "!$accroutineseq"), ("openmp-target", "!$ompdeclaretarget")])
def test_their_procedures_are_routines_of_the_device(backend: str, word: str) -> None:
    rows = [row.strip().replace(" ", "") for row in made(backend).require().text.split("\n")]
    names = ("plus", "helper", "times", "dot", "from_scalar", "twice")
    for name in names:
        heading = next(n for n, row in enumerate(rows) if f"function{name}(" in row or f"subroutine{name}(" in row)
        ends = next(n for n, row in enumerate(rows) if n > heading and row.startswith("end"))
        assert word in rows[heading:ends], name
    assert any(row.startswith("!$acc" if backend == "openacc" else "!$omp") and "factor" in row for row in rows)


@pytest.mark.parametrize(
    ("dot", "cause"),
    [("print *, a%x", "'print' in a kernel"), ("member(2) = a%x", "'dot', which reads a common block")],
)
def test_what_they_cannot_do(dot: str, cause: str) -> None:
    assert any(d.code == "HF702" and cause in d.message for d in made("openacc", dot).errors)


def test_routines_with_another_entry_are_refused() -> None:
    """GNU Fortran makes a routine of all of their entries, which nothing marks for the device."""
    text = """module m
contains
  integer function one(x)
    integer, intent(in) :: x
    integer :: other
    one = x
    return
    entry other(x)
    other = x + 1
  end function
  subroutine run
    integer :: c(40), i
    !@parallelRegion
    do i = 1, 40
      c(i) = one(i)
    end do
    print *, c
  end subroutine
end module
"""
    (found,) = translate_text({"m.f90": text}, target="gpu", backend="openacc").errors
    assert (found.code, "'one', which has another entry," in found.message) == ("HF702", True)


@pytest.mark.parametrize(
    ("statement", "cause"),
    [
        ("if (i == 9 .and. .not. allocated(t)) allocate (t(5), source=i)", "to allocate or free 't'"),
        ("if (associated(pf, one)) c(i) = 3", "the procedure 'one' as an argument"),
    ],
)
def test_what_kernels_of_directives_cannot_hold(statement: str, cause: str) -> None:
    text = """module m
contains
  integer function one(x)
    integer, intent(in) :: x
    one = x
  end function
  subroutine run
    integer :: c(40), i
    integer, allocatable :: t(:)
    procedure(one), pointer :: pf
    pf => one
    c = 0
    !@parallelRegion
    do i = 1, 40
      c(i) = c(i) + i
      {statement}
    end do
    print *, c
  end subroutine
end module
"""
    made = translate_text({"m.f90": text.replace("{statement}", statement)}, target="gpu", backend="openacc")
    assert [d.code for d in made.errors if cause in d.message] == ["HF702"], made.diagnostics


@pytest.mark.parametrize("backend", ["openacc", "openmp-target"])
def test_variables_in_the_namelist_of_another_routine_get_no_private_copies(backend: str) -> None:
    """GNU Fortran refuses them in such clauses."""
    text = """module m
  real(8) :: nu = 2
contains
  subroutine read_it
    namelist /list/ nu
    read (*, nml=list)
  end subroutine
  subroutine run
    real(8) :: c(40)
    integer :: i
    !@parallelRegion
    do i = 1, 40
      c(i) = i*nu
    end do
    print *, c
  end subroutine
end module
"""
    made = translate_text({"m.f90": text}, target="gpu", backend=backend).require().text
    assert "firstprivate(" not in made and ("copyin(nu)" in made or "map(to: nu)" in made)


def test_called_routines_read_members_of_namelists() -> None:
    text = """module m
  real(8) :: nu = 2
  namelist /list/ nu
contains
  real(8) function scaled(x)
    real(8), intent(in) :: x
    scaled = x*nu
  end function
  subroutine run
    real(8) :: c(40)
    integer :: i
    !@parallelRegion
    do i = 1, 40
      c(i) = scaled(1.d0*i)
    end do
    print *, c
  end subroutine
end module
"""
    assert "!$acc declare create(nu)" in translate_text({"m.f90": text}, target="gpu", backend="openacc").require().text

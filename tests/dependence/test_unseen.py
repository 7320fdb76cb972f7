"""What points change together though no variable of a routine shows it: random numbers, entries, blocks that save."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import translate_text, write_files

MODULE = """
module m
  use, intrinsic :: ieee_exceptions
  implicit none
  integer :: total
  integer, target :: there(9)
  type holder
    integer, pointer :: p(:)
  end type holder
contains
  subroutine work(n, c, r)
    integer, intent(in) :: n
    integer, intent(inout) :: c(n)
    real, intent(inout) :: r(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      %s
    end do
  end subroutine
  subroutine put(v)
    integer, intent(in) :: v
    total = v
    return
    entry adding(v)
    total = total + v
  end subroutine
  subroutine through(v)
    integer, intent(in) :: v
    call adding(v)
  end subroutine
  integer function name_of()
    integer :: v, count_of
    name_of = 3
    return
    entry count_of(v)
    count_of = v
  end function
  subroutine from_list(text)
    character(*), intent(in) :: text
    namelist /list/ total
    read (text, nml=list)
  end subroutine
  subroutine drawn(x)
    real, intent(out) :: x
    call random_number(x)
  end subroutine
  integer function counted()
    block
      integer :: k = 0
      k = k + 1
      counted = k
    end block
  end function
  subroutine by_pointer(k)
    integer, intent(in) :: k
    block
      integer, pointer :: p(:)
      p => there(3:)
      p(2) = p(2) + k
    end block
  end subroutine
  function at(k)
    integer, intent(in) :: k
    integer, pointer :: at
    at => there(k)
  end function
  subroutine below(k)
    integer, intent(in) :: k
    at(2) = k
  end subroutine
  real function own(rand)
    real, intent(in) :: rand(:)
    own = rand(2)
  end function
end module
"""

WRONG = {
    "entry": ("call adding(i)", "HF501"),
    "entry below": ("call through(i)", "HF501"),
    "entry of a function": ("c(i) = count_of(i)", "HF501"),
    "random number": ("call random_number(r(i))", "HF404"),
    "random number below": ("call drawn(r(i))", "HF404"),
    "seed": ("call random_seed()", "HF404"),
    "flag of a thread": ("if (c(i) > 3) call ieee_set_flag(ieee_invalid, .true.)", "HF404"),
    "function as a variable": ("at(2) = i", "HF404"),
    "function as a variable below": ("call below(i)", "HF501"),
    "function": ("r(i) = rand(0)", "HF404"),
    "saved in a block": ("block; integer, save :: k; k = k + i; c(i) = k; end block", "HF505"),
    "initial value in a block": ("block; integer :: k = 0; k = k + i; c(i) = k; end block", "HF505"),
    "save statement": ("block; integer :: k; save; k = k + i; c(i) = k; end block", "HF505"),
    "save statement with names": ("block; integer :: j, k; save :: k, j; k = k + i; c(i) = k; end block", "HF505"),
    "data statement": ("block; integer :: k; data k /3/; k = k + i; c(i) = k; end block", "HF505"),
    "block in a block": ("block; integer, save :: k; block; k = i; end block; c(i) = k; end block", "HF505"),
    "saved in a block below": ("c(i) = counted()", "HF505"),
    "pointer of a block": ("block; integer, pointer :: p; p => there(2); p = p + i; end block", "HF501"),
    "pointer in a block of another name": (
        "block; integer, pointer :: p(:); p => there(:); associate (q => p(1:2)); q(1) = i; end associate; end block",
        "HF501",
    ),
    "pointer of a block below": ("call by_pointer(i)", "HF501"),
    "pointer of an object in a block": ("block; type(holder) :: o; o%p => there; o%p(2) = i; end block", "HF501"),
}
RIGHT = {
    "array of that name": "c(i) = int(own(r))",
    "own variable of a block": "block; integer :: k; k = i; c(i) = k; end block",
    "another one is saved": "block; integer :: j, k; save j; k = i; c(i) = k; end block",
    "constant of a block": "block; integer, parameter :: k = 3; c(i) = k; end block",
    "saved and not written": "block; integer :: k = 3; c(i) = k; end block",
    "pointer of a block to its own": "block; integer, pointer :: p; allocate (p); p = i; c(i) = p; end block",
    "hidden": "block; integer, save :: k; block; integer :: k; k = i; c(i) = k; end block; end block",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_warning(name: str) -> None:
    statements, code = WRONG[name]
    made = translate_text({"m.f90": MODULE % statements}, backend="openmp")
    assert {d.code for d in made.diagnostics} == {code}  # of the call, and of what it may write


def test_a_namelist_from_a_text_below() -> None:
    made = translate_text({"m.f90": MODULE % "call from_list('&list total=2 /')"}, backend="openmp")
    assert {d.code for d in made.diagnostics} == {"HF404", "HF504"}


def test_what_a_length_of_records_is_asked_of() -> None:
    """GNU Fortran wants it in the list of shared variables."""
    made = translate_text({"m.f90": MODULE % "inquire (iolength=c(i)) r"}, backend="openmp")
    assert not made.diagnostics and "shared(c, n, r)" in made.files["m.f90"]


def test_modes_beside_regions() -> None:
    around = "c(i) = 3\nend do\ncall ieee_get_flag(ieee_invalid, seen)\ndo i = 1, n\nc(i) = 2"
    text = (MODULE % around).replace("!@parallelRegion", "logical :: seen\n    !@parallelRegion")
    made = translate_text({"m.f90": text}, backend="openmp")
    assert [d.code for d in made.diagnostics] == ["HF404"] and "this thread alone" in made.diagnostics[0].message


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_shared(name: str) -> None:
    made = translate_text({"m.f90": MODULE % RIGHT[name]}, backend="openmp")
    assert not made.diagnostics


def test_loops_that_nobody_calls_parallel_stay_serial(tmp_path: Path) -> None:
    loops = "\n    end do\n    do i = 1, n\n      ".join(text for text, _ in WRONG.values())
    text = (MODULE % loops).replace("!@parallelRegion", "")
    found = found_regions(write_files({"m.f90": text}, tmp_path), Options(target="cpu")).verdicts
    assert len(found) == len(WRONG) and not any(v.region for v in found)


PURE = """
module m
  implicit none
contains
  %s subroutine work(n, c)
    integer, intent(in) :: n
    integer, intent(inout) :: c%s
    integer :: i
    !@parallelRegion%s
    do i = 1, n
      %s
    end do
  end subroutine
end module
"""


@pytest.mark.parametrize("prefix", ["pure", "elemental", "impure elemental", ""])
@pytest.mark.parametrize("backend", ["openmp", "openacc", "cuda-c", "sequential"])
def test_a_region_in_a_pure_procedure(prefix: str, backend: str) -> None:
    """Pure procedures can hold no directives, and call no launcher of a kernel."""
    shape, text = ("", "if (i == n) c = i") if "elemental" in prefix else ("(n)", "c(i) = i")
    target = "cpu" if backend in ("openmp", "sequential") else "gpu"
    made = translate_text({"m.f90": PURE % (prefix, shape, "", text)}, backend=backend, target=target)
    impure = prefix.startswith("impure") or not prefix
    refused = [d.code for d in made.errors if "pure" in d.message]
    assert refused == ([] if impure or backend == "sequential" else ["HF404"])


def test_a_region_for_vectors_in_a_pure_procedure() -> None:
    made = translate_text({"m.f90": PURE % ("pure", "(n)", "{vector}", "c(i) = i")}, backend="openmp")
    assert not made.errors


FINAL = """
module m
  implicit none
  integer :: count
  type part
    integer :: v = 0
  contains
    procedure :: taken
    generic :: assignment(=) => taken
  end type
  type whole
    type(part) :: p
  end type
  type ending
    integer :: v = 0
  contains
    final :: ended
  end type
  type(whole) :: w(40), one
  type(ending) :: e(40)
contains
  subroutine work(n, c)
    integer, intent(in) :: n
    integer, intent(inout) :: c(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      %s
    end do
  end subroutine
  subroutine taken(a, b)
    class(part), intent(inout) :: a
    class(part), intent(in) :: b
    count = count + 1
    a%%v = b%%v
  end subroutine
  subroutine ended(x)
    type(ending), intent(inout) :: x
    %s
  end subroutine
  subroutine with_local(v)
    integer, intent(in) :: v
    type(ending) :: x
    x%%v = v
  end subroutine
  subroutine fresh(x)
    type(ending), intent(out) :: x
  end subroutine
  subroutine copied(v)
    integer, intent(in) :: v
    w(v) = one
  end subroutine
end module
"""


@pytest.mark.parametrize(
    "statements",
    [
        *("call with_local(i)", "call fresh(e(i))", "block; type(ending) :: x; x%v = i; end block"),
        *("e(i) = ending(i)", "w(i) = one", "call copied(i)"),
    ],
)
def test_procedures_that_run_where_no_call_is_written(statements: str) -> None:
    made = translate_text({"m.f90": FINAL % (statements, "count = count + x%v")}, backend="openmp")
    assert "HF501" in {d.code for d in made.diagnostics}


def test_a_final_procedure_that_sets_nothing_else() -> None:
    made = translate_text({"m.f90": FINAL % ("call with_local(i)", "x%v = 0")}, backend="openmp")
    assert not made.diagnostics


WAY = """  integer :: total
  procedure(put), pointer :: way => null()
"""
KNOWN = """  subroutine put(v)
    integer, intent(in) :: v
    total = v
  end subroutine
  subroutine other(v)
    integer, intent(in) :: v
    if (v > 99) print *, v
  end subroutine
  subroutine turn(which)
    procedure(put), pointer, intent(inout) :: which
    which => other
  end subroutine
  integer function asked()
    asked = merge(1, 0, associated(way, other))
  end function
  subroutine gone(v)
    integer, intent(in) :: v
    call way(v)
  end subroutine
"""


@pytest.mark.parametrize("sets", ["if (i == 9) way => other", "if (c(i) == 9) call turn(way)"])
@pytest.mark.parametrize("asks", ["c(i) = asked()", "call gone(i)"])
def test_procedure_pointers_that_points_set(sets: str, asks: str) -> None:
    start, end = MODULE.index("  subroutine put(v)"), MODULE.index("  subroutine through(v)")
    text = (MODULE[:start] + KNOWN + MODULE[end:]).replace("call adding(v)", "print *, v")
    text = text.replace("  integer :: total\n", WAY)
    made = translate_text({"m.f90": text % f"{sets}\n{asks}"}, backend="openmp")
    assert {"HF501", "HF502", "HF504"} & {d.code for d in made.diagnostics if "way" in d.message}


def test_directives_list_procedure_pointers() -> None:
    text = MODULE.replace("  integer :: total\n", WAY)
    made = translate_text({"m.f90": text % "call way(i)"}, backend="openmp", exports=())
    assert "shared(n, way)" in made.require().text


VECTOR = """
module m
contains
  subroutine work(n, c)
    integer, intent(in) :: n
    integer, intent(inout) :: c(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    call below(c(i))
    @end parallelRegion
  end subroutine
  subroutine below(x)
    integer, intent(inout) :: x
    integer :: k, y(4)
    @parallelRegion{domName(k), domSize(4), vector}
    block
      integer, save :: s = 0
      s = x
      y(k) = s
    end block
    @end parallelRegion
    x = y(1)
  end subroutine
end module
"""


def test_a_vector_region_in_a_routine_that_points_call() -> None:
    """Its statements are those of the points that call the routine."""
    made = translate_text({"m.h90": VECTOR}, backend="openmp")
    assert "HF505" in {d.code for d in made.diagnostics}

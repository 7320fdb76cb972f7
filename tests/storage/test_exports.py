"""Code that hfpy does not see: it passes arrays, and finds those of modules, in declared order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.programs import LAYOUT
from tests.support import Translated, compile_files, output, translate_text

FIELDS = """module fields
  implicit none
  integer, parameter :: n = 4, m = 3
  real(8) :: shared(n,m)
  real(8), private :: own(n,m)
contains
  subroutine step(a)
    real(8), intent(inout) :: a(n,m)
    integer :: i, j
    @parallelRegion{domName(i,j), domSize(n,m)}
    a(i,j) = 10*i + j
    shared(i,j) = 100*i + j
    own(i,j) = a(i,j)
    @end parallelRegion
    call inner(a)
  end subroutine step
  subroutine inner(b)
    real(8), intent(inout) :: b(n,m)
    integer :: i, j
    @parallelRegion{domName(i,j), domSize(n,m)}
    b(i,j) = b(i,j) + own(i,j)
    @end parallelRegion
  end subroutine inner
end module fields
"""
# hfpy does not see it.
MAIN = """program main
  use fields, only: step, shared
  implicit none
  real(8) :: a(4,3)
  a = 0
  call step(a)
  print '(12f6.0)', a, shared
end program main
"""
EXPECTED = (
    [20 * i + 2 * j for j in (1, 2, 3) for i in (1, 2, 3, 4)],
    [100 * i + j for j in (1, 2, 3) for i in (1, 2, 3, 4)],
)
DOMAINS = {"layout": "j i", "domains": LAYOUT["domains"], "opt": 0}


def _translated(**options: object) -> Translated:
    return translate_text({"fields.h90": FIELDS}, **{**DOMAINS, "exports": None, **options}).require()


@pytest.mark.parametrize("backend", ["sequential", "openmp", "cuda-c"])
@pytest.mark.parametrize("exports", [None, ("step", "fields::shared")])
def test_foreign_callers_find_the_declared_order(exports: tuple[str, ...] | None, backend: str, tmp_path: Path) -> None:
    target = "gpu" if backend == "cuda-c" else "cpu"
    done = _translated(exports=exports, backend=backend, target=target)
    built = compile_files({**done.files, "main.f90": MAIN}, tmp_path, openmp=backend == "openmp")
    assert [float(word) for word in output(built).split()] == [*EXPECTED[0], *EXPECTED[1]]


def test_notes_say_why() -> None:
    notes = {d.message for d in _translated().diagnostics if d.code == "HF310"}
    assert notes == {
        "'b' keeps its declared order: code that hfpy does not see may call 'step'",  # one array with `a` of step
        "'shared' keeps its declared order: code that hfpy does not see may use it",
    }
    assert all(d.hint == "name in [project] exports only what is used outside" for d in _translated().diagnostics)


def test_what_is_private_and_what_is_not_exported_has_the_order_of_the_layout() -> None:
    text = _translated().text
    assert "own(m,n)" in text
    assert "own(j,i)" in text
    free = _translated(exports=()).text
    assert "shared(m,n)" in free
    assert "a(m,n)" in free


def test_with_its_main_program_nothing_is_left_to_others() -> None:
    main = MAIN.replace("print '(12f6.0)', a, shared", "print *, sum(a), sum(shared)")
    done = translate_text({"fields.h90": FIELDS, "main.f90": main}, **DOMAINS, exports=None).require()
    assert "shared(m,n)" in done.text
    assert not [d for d in done.diagnostics if "does not see" in d.message]


@pytest.mark.parametrize("access", ["private\n  public :: step", "private :: shared, inner"])
def test_names_that_modules_keep_for_themselves(access: str) -> None:
    text = FIELDS.replace("implicit none\n", f"implicit none\n  {access}\n", 1)
    done = translate_text({"fields.h90": text}, **DOMAINS, exports=None).require()
    assert "shared(m,n)" in done.text
    assert [d.message for d in done.diagnostics] == [
        "'b' keeps its declared order: code that hfpy does not see may call 'step'"
    ]


# Private procedures that other code calls by a public generic name, through an object, and by a pointer.
OTHER_NAMES = """module fields
  implicit none
  private
  public :: step, solver, hook, init
  integer, parameter :: n = 4, m = 3
  interface step
    procedure step_plain
  end interface
  type :: solver
  contains
    procedure, nopass :: run => run_plain
  end type
  interface
    subroutine acting(a)
      real(8), intent(inout) :: a(4,3)
    end subroutine
  end interface
  procedure(acting), pointer :: hook
contains
  subroutine step_plain(a)
    real(8), intent(inout) :: a(n,m)
    @parallelRegion{domName(i,j), domSize(n,m)}
    a(i,j) = a(i,j) + 10*i + j
    @end parallelRegion
  end subroutine
  subroutine run_plain(b)
    real(8), intent(inout) :: b(n,m)
    @parallelRegion{domName(i,j), domSize(n,m)}
    b(i,j) = 2*b(i,j) + j
    @end parallelRegion
  end subroutine
  subroutine act(c)
    real(8), intent(inout) :: c(n,m)
    @parallelRegion{domName(i,j), domSize(n,m)}
    c(i,j) = c(i,j) - i
    @end parallelRegion
  end subroutine
  subroutine init()
    hook => act
  end subroutine
end module fields
"""
OTHER_MAIN = """program main
  use api, hook => point
  implicit none
  type(solver) :: s
  real(8) :: a(4,3)
  a = 0
  call init()
  call step(a)
  call s%run(a)
  call hook(a)
  print '(12f6.0)', a
end program main
"""


API = """module api
  use fields, only: step, solver, point => hook, init
end module api
"""


@pytest.mark.parametrize("library", [True, False])
@pytest.mark.parametrize(
    "exports",
    [
        None,
        ("fields::step", "solver", "fields::hook", "init"),
        ("api::step", "api::solver", "point", "init"),  # of a module that has them from the other one
    ],
)
def test_private_procedures_that_are_called_from_outside(
    exports: tuple[str, ...] | None, library: bool, tmp_path: Path
) -> None:
    files = {"fields.h90": OTHER_NAMES, "api.f90": API}
    done = translate_text(files, **DOMAINS, exports=exports, library=library).require()
    built = compile_files({"api.f90": API, **done.files, "main.f90": OTHER_MAIN}, tmp_path, openmp=True)
    expected = [2 * (10 * i + j) + j - i for j in (1, 2, 3) for i in (1, 2, 3, 4)]
    assert [float(word) for word in output(built).split()] == expected


def test_what_no_other_name_leads_to_is_free() -> None:
    text = translate_text({"fields.h90": OTHER_NAMES}, **DOMAINS, exports=("init", "hook")).text
    assert "a(m,n)" in text  # 'step' is not named
    assert "c(n,m)" in text  # 'hook' may point to 'act'

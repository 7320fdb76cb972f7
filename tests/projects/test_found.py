"""What the projects brought to light: one small case for each."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from tests.support import Translated, storage_order, translate_text, write_files

GLUED = """\
#define GLUE(a,b) a##b
#define PASTE(a,b) GLUE(a,b)
#define IJK_3(i,j,k) i,j,k
#define KIJ_3(i,j,k) k,i,j
#define ORDER KIJ
#define AT(i,j,k) PASTE(ORDER,_3)(i,j,k)
#define DOM AT
"""
REDEFINED = """\
#define AT(i,j,k) i,j,k
#define DOM(i,j,k) AT(i,j,k)
#ifndef GPU
#define AT(i,j,k) k,i,j
#endif
"""
REGION = """\
module m
contains
  subroutine s(nx, ny, nz, a)
    integer, intent(in) :: nx, ny, nz
    real, intent(inout) :: a(nx, ny, nz)
    integer :: k
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    do k = 1, nz
      a(k) = k
    end do
    @end parallelRegion
  end subroutine
end module
"""


@pytest.mark.parametrize("storage", [GLUED, REDEFINED])
@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_storage_orders_that_only_the_c_preprocessor_understands(storage: str, target: str) -> None:
    """``##`` and second definitions (hybrid-fortran.md §2.3) become macros that every preprocessor knows."""
    text = translate_text(REGION, storage, target=target, backend="sequential").require().files["m.F90"]
    order = "k,i,j" if target == "cpu" or storage is GLUED else "i,j,k"
    assert f"#define AT(i,j,k) {order}" in text
    assert f"#define DOM(i,j,k) {order}" in text
    assert "##" not in text and text.count("#define AT(") == 1


@pytest.mark.parametrize("storage", [GLUED, REDEFINED])
def test_plain_files_that_include_the_storage_order_get_it_resolved(storage: str, tmp_path: Path) -> None:
    """The predecessor ran the C preprocessor over plain files too."""
    files = {"m.h90": REGION, "plain.F90": '#include "storage_order.F90"\n', "storage_order.F90": storage}
    paths = write_files(files, tmp_path)
    [beside] = translate(paths[:2], Options(storage_order=paths[2], backend="sequential")).beside
    assert beside.name == "storage_order.F90"
    assert "#define AT(i,j,k) k,i,j" in beside.text.splitlines()
    assert len(re.findall("#define AT\\b", beside.text)) == 1


def test_plain_files_include_an_ordinary_storage_order_as_it_is(tmp_path: Path) -> None:
    files = {"m.h90": REGION, "plain.F90": '#include "storage_order.F90"\n', "storage_order.F90": storage_order()}
    paths = write_files(files, tmp_path)
    assert translate(paths[:2], Options(storage_order=paths[2], backend="sequential")).beside == ()


def test_empty_macros_of_the_storage_order_are_defined() -> None:
    """``#define SCHEME`` without a body decides an ``#ifdef`` in a hybrid file."""
    storage = storage_order(extra="#define SHALLOW")
    source = REGION.replace("    integer :: k\n", "    integer :: k\n#ifdef SHALLOW\n    k = 0\n#endif\n")
    text = translate_text(source, storage).require().files["m.F90"]
    assert "#define SHALLOW\n" in text


def test_arrays_passed_to_internal_procedures_of_programs_have_one_order() -> None:
    """A plain array of the main program must not get an order that the internal procedure does not know."""
    program = """\
program p
  use m
  implicit none
  integer, parameter :: nx = 3, ny = 2, nz = 4
  real :: a(DOM(nx,ny,nz)), expected(nx,ny,nz)
  expected = 1.
  call s(nx, ny, nz, a)
  call compare(a, expected)
contains
  subroutine compare(one, other)
    real, intent(in) :: one(DOM(nx,ny,nz)), other(nx,ny,nz)
    if (one(AT(1,2,3)) /= other(1,2,3)) stop 2
  end subroutine
end program
"""
    text = translate_text({"m.h90": REGION, "p.h90": program}, storage_order()).require().text.lower()
    orders = {"expected(nx,ny,nz)" in text, "other(nx,ny,nz)" in text, "other(1,2,3)" in text}
    assert len(orders) == 1, text


WRAPPER = """\
module m
contains
  subroutine wrapper(nx, ny, nz, a, s, i0)
    integer, intent(in) :: nx, ny, nz, i0
    real, intent(inout) :: a(nz), s
    real :: t(nz), u
    @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom)}
    a, s, t, u
    @end domainDependant
    @parallelRegion{appliesTo(CPU), domName(x,y), domSize(nx,ny), private(t)}
    STATEMENT
    call leaf(nx, ny, nz, a(x,y,:), t, s, u, x, y)
    @end parallelRegion
  end subroutine
  subroutine leaf(nx, ny, nz, a, t, s, u, x, y)
    integer, intent(in) :: nx, ny, nz, x, y
    real, intent(inout) :: a(nz), t(nz), s, u
    @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom)}
    a, t, s, u
    @end domainDependant
    @parallelRegion{appliesTo(GPU), domName(x,y), domSize(nx,ny)}
    a(1) = s + u + t(2) + x
    @end parallelRegion
  end subroutine
  subroutine top(nx, ny, nz, a, s)
    integer, intent(in) :: nx, ny, nz
    real, intent(inout) :: a(nz), s
    @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom)}
    a, s
    @end domainDependant
    call wrapper(nx, ny, nz, a, s, 1)
  end subroutine
end module
"""


def wrapper(statement: str, target: str) -> Translated:
    return translate_text(WRAPPER.replace("STATEMENT", statement), target=target, backend="sequential")


@pytest.mark.parametrize(
    ("statement", "cpu", "gpu"),
    [
        ("t(:) = 0.0", "t(:)=0.0", "t(:,:,:)=0.0"),
        ("t(nz) = s0(i0)", "t(nz)=s0(i0)", "t(:,:,nz)=s0(i0)"),
        ("a(x,y,2) = 1.0", "a(x,y,2)=1.0", "a(:,:,2)=1.0"),
        ("t(2:nz-1) = 2.0*nz", "t(2:nz-1)=2.0*nz", "t(:,:,2:nz-1)=2.0*nz"),
        ("s = 0.0", "s(x,y)=0.0", "s=0.0"),
    ],
)
def test_a_value_for_all_points_where_the_region_is_not_active(statement: str, cpu: str, gpu: str) -> None:
    assert cpu in wrapper(statement, "cpu").require().statements
    assert gpu in wrapper(statement, "gpu").require().statements


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("u = real(x)", "HF315"),
        ("s = a(x,y,1)", "HF315"),
        ("if (x > 3) u = 2.0", "HF315"),
        ("t(:) = a(:)", "HF304"),
        ("t(x) = 0.0", "HF315"),
    ],
)
def test_the_point_means_nothing_where_the_region_is_not_active(statement: str, code: str) -> None:
    """Without a message the iterator had any value (defect class B7)."""
    wrapper(statement, "cpu").require()
    assert code in wrapper(statement, "gpu").codes()


def test_a_routine_for_the_other_target_alone_that_nobody_calls_is_worth_a_warning() -> None:
    source = WRAPPER.replace("STATEMENT", "u = real(x)").replace("call wrapper(nx, ny, nz, a, s, 1)", "s = 1.0")
    assert translate_text(source, target="gpu", backend="sequential").require().codes("warning") == ["HF315"]


@pytest.mark.parametrize("given", ["a(x,y,:)", "a(:)", "a"])
def test_a_column_passed_where_the_region_is_not_active_is_the_whole_array(given: str) -> None:
    source = WRAPPER.replace("    STATEMENT\n", "").replace("a(x,y,:)", given)
    text = translate_text(source, target="gpu", backend="sequential").require().text
    assert "call leaf(nx, ny, nz, a, t, s, u, x, y)" in text


def test_no_note_about_an_order_that_nobody_asked_for() -> None:
    """A plain array of the main program may be summed up; that it has no storage order is no news."""
    program = """\
program p
  use m
  integer, parameter :: nx = 3, ny = 2, nz = 4
  real :: a(DOM(nx,ny,nz)), plain(nx,ny,nz)
  plain = 1.
  call s(nx, ny, nz, a)
  print *, sum(plain, 3)
end program
"""
    assert translate_text({"m.h90": REGION, "p.h90": program}, storage_order()).require().diagnostics == ()


MODULE_SCALAR = """\
module m
  integer, parameter :: nx = 3, ny = 2
  real :: level, a(nx,ny)
contains
  subroutine s()
    @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom)}
    level
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    level = real(x)
    a(x,y) = level + y
    CALL
    @end parallelRegion
  end subroutine
  subroutine below()
    if (level > 2.) stop 2
  end subroutine
end module
"""


def test_a_module_scalar_that_a_routine_alone_gives_domains_stays_a_scalar_on_the_cpu() -> None:
    """Its module declares one number; each point sets it first, so each thread may have its own (§5.3, §7.3)."""
    done = translate_text(MODULE_SCALAR.replace("    CALL\n", ""), backend="openmp").require()
    assert done.diagnostics == ()
    assert "level=real(x)" in done.statements
    assert any("lastprivate(level)" in s for s in done.statements if s.startswith("!$omp"))


def test_a_module_scalar_that_routines_below_read_is_shared_and_diagnosed() -> None:
    done = translate_text(MODULE_SCALAR.replace("CALL", "call below()"), backend="openmp")
    assert done.codes() == ["HF504"] and not done.files
    stated = MODULE_SCALAR.replace("CALL", "call below()").replace(
        "domSize(nx,ny)}", "domSize(nx,ny), independent(level)}"
    )
    done = translate_text(stated, backend="openmp").require()
    assert done.diagnostics == ()
    assert not any("private(level)" in s for s in done.statements)


def test_a_module_scalar_whose_value_lives_between_regions_needs_its_domains_in_the_module() -> None:
    source = MODULE_SCALAR.replace("    CALL\n", "").replace(
        "  end subroutine\n  subroutine below",
        "    @parallelRegion{domName(x,y), domSize(nx,ny)}\n    a(x,y) = level\n    @end parallelRegion\n"
        "  end subroutine\n  subroutine below",
    )
    assert translate_text(source).codes() == ["HF302"]
    block = "  @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom)}\n  level\n  @end domainDependant\n"
    listed = source.replace("contains\n", f"{block}contains\n").replace("(level > 2.)", "(level(1,1) > 2.)")
    assert "level(x,y)=real(x)" in translate_text(listed, opt=0).require().statements


EXPANDED = """\
#define REGION(NAME) `\\
  subroutine NAME(nx, a) `\\
    integer, intent(in) :: nx `\\
    real, intent(inout) :: a(nx) `\\
    @parallelRegion{appliesTo(GPU), domName(x), domSize(nx)} `\\
    a(x) = 2. `\\
    @end parallelRegion `\\
  end subroutine
module m
contains
  REGION(one)
  subroutine two(nx, a)
    integer, intent(in) :: nx
    real, intent(inout) :: a(nx)
    @parallelRegion{appliesTo(GPU), domName(x), domSize(nx)}
#ifdef GPU
    a(x) = 3.
#endif
    @end parallelRegion
    @if{architecture(GPU)}
    a(1) = 4.
    @end if
  end subroutine
end module
"""


def test_the_name_of_the_target_stays_a_word_of_the_directives_in_preprocessed_files() -> None:
    """GPU is defined for the GPU, but appliesTo(GPU) must not become appliesTo(1)."""
    gpu = translate_text({"m.H90": EXPANDED}, target="gpu", backend="sequential").require().statements
    assert gpu.count("dox=1,nx") == 2
    assert "a(x)=3." in gpu
    cpu = translate_text({"m.H90": EXPANDED}).require().statements
    assert "dox=1,nx" not in cpu
    assert "a(x)=3." not in cpu and "a(1)=4." not in cpu


SWAPPING = """\
#include "swap.h"
module m
contains
  subroutine s(nx, ny, nz, f, g, c)
    integer, intent(in) :: nx, ny, nz
    real, pointer, intent(inout) :: f(:,:,:), g(:,:,:)
    real, pointer :: t(:,:,:)
    logical, intent(in) :: c
    real :: u(nx, &
    NY_FIXED)
    @domainDependant{domName(x,y,z), domSize(nx,ny,nz), accPP(AT), domPP(DOM)}
    f, g, t
    @end domainDependant
    SWAP(f, g, t)
    if (c) SWAP(g, f, t)
#ifdef SHALLOW
    u(1, 1) = 0.0
#endif
    @parallelRegion{appliesTo(CPU, GPU), domName(x,y), domSize(nx,ny)}
    f(AT(x,y,1)) = g(x,y,nz)
    @end parallelRegion
  end subroutine
end module
"""


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_macros_that_stand_for_statements_are_expanded_in_h90_files(target: str, tmp_path: Path) -> None:
    """The particle example swaps its pointers by a macro; the storage order stays, and decides conditions."""
    files = {
        "m.h90": SWAPPING,
        "swap.h": "#define SWAP(a,b,tmp) tmp => a; a => b; b => tmp\n",
        "storage_order.F90": storage_order(extra="#define SHALLOW\n#define NY_FIXED 4"),
    }
    paths = write_files(files, tmp_path)
    options = Options(storage_order=paths[2], backend="sequential", target=target)
    done = translate(paths[:1], options)
    assert {d.code for d in done.diagnostics} == {"HF500"}  # the pointers may point to one array
    text = done.files[0].text
    assert "t => f; f => g; g => t" in text
    assert "if (c) t => g; g => f; f => t" in text
    assert "f(AT(x,y,1)) = g(AT(x,y,nz))" in text
    assert "NY_FIXED)" in text
    assert "u(1, 1) = 0.0" in text


KEPT = """\
module m
  implicit none
  type state
    real, pointer :: c(:,:,:)
    real :: scale
  end type
contains
  subroutine work(nx, ny, nz, a)
    integer, intent(in) :: nx, ny, nz
    real, intent(inout) :: a(nx,ny,nz)
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    a(1) = a(2)
    @end parallelRegion
  end subroutine
  subroutine s(nx, ny, nz, st, whole)
    integer, intent(in) :: nx, ny, nz
    type(state), intent(inout) :: st(2)
    real, intent(inout) :: whole(nx,ny,nz)
    whole(:,:,:) = st(1)%scale * whole(:,:,:)
    CALLED
  end subroutine
end module
"""


@pytest.mark.parametrize(
    "called",
    [
        "call work(nx, ny, nz, st(1)%c)",
        "associate (c => st(1)%c)\n    call work(nx, ny, nz, c)\n    end associate",
        "call work(nx, ny, nz, 2 * whole)\n    call work(nx, ny, nz, st(2)%c(:,:,:))",
    ],
)
def test_components_and_expressions_keep_the_order_of_the_dummies_they_are_passed_to(called: str) -> None:
    """What macros do not reorder must not meet a dummy that they do: IFS drivers pass blocks of a state so."""
    done = translate_text(KEPT.replace("CALLED", called), storage_order()).require()
    assert "HF310" in done.codes("note")
    assert "a(i,j,1) = a(i,j,2)" in done.text
    assert ("whole(:,:,:)=st(1)%scale*whole(:,:,:)" in done.statements) == ("2 *" in called)


def test_expressions_in_one_order_do_not_keep_any() -> None:
    """The operands and the dummy agree, and the component is a scalar."""
    called = "call work(nx, ny, nz, whole)\n    call work(nx, ny, nz, st(1)%scale * sqrt(whole) + whole(:,:,:))"
    done = translate_text(KEPT.replace("CALLED", called), storage_order()).require()
    assert not done.diagnostics
    assert "a(AT(i,j,1)) = a(AT(i,j,2))" in done.text
    assert "whole(AT(:,:,:)) = st(1)%scale * whole(AT(:,:,:))" in done.text


@pytest.mark.parametrize("name", ["m.f90", "m.F90"])
def test_macros_are_resolved_in_files_that_no_preprocessor_sees(name: str) -> None:
    """A ``.f90`` with directives in comments stays one, so macros of the storage order would reach the compiler."""
    text = (
        REGION.replace("@", "!@")
        .replace("do k", "do y = 1, ny\n do x = 1, nx\n do k")
        .replace("end do", "end do\n" * 3)
    )
    text = text.replace("a(k) = k", "a(x,y,k) = k").replace(":: k", ":: x, y, k")
    text = translate_text({name: text}, storage_order()).require().text
    assert ("#define" in text and "a(AT(x,y,k)) = k" in text) == (name == "m.F90")
    assert ("a(nz,nx,ny)" in text and "a(k,x,y) = k" in text) == (name == "m.f90")


AFTER = """\
module m
contains
  subroutine s(n, a, b, c, steps)
    integer, intent(in) :: n, steps
    real, intent(inout) :: a(n), b(n)
    logical, intent(in) :: c
    real :: z, w
    integer :: k, step
    BEFORE
    @parallelRegion{domName(i), domSize(n)}
    z = 2 * a(i)
    k = int(z)
    a(i) = z * k
    @end parallelRegion
    AFTER
  end subroutine
end module
"""
LATER = {
    "set first in a later loop": ("", "do k = 1, n\n z = b(k)\n b(k) = z + 1\n end do", True),
    "read in the other branch": ("if (c) then\n z = 1\n w = z\n b(2) = w\n else", "end if", True),
    "the other branch after it": ("if (c) then", "else\n z = 1\n b(1) = z\n end if", True),
    "set first in the next turn": ("do step = 1, steps\n z = b(1)\n w = z\n b(2) = w", "end do", True),
    "an iterator of a later region": (
        "",
        "@parallelRegion{domName(k), domSize(n)}\n b(k) = 1\n @end parallelRegion",
        True,
    ),
    "set in one branch only": ("", "if (c) z = 1\n b(1) = z", False),
    "set in a loop that may not run": ("", "do k = 1, n\n z = b(k)\n end do\n b(1) = z", False),
    "read in the next turn": ("do step = 1, steps\n if (step > 1) b(2) = z", "end do", False),
    "set after a way out of the loop": ("do", "if (c) exit\n z = 1\n end do\n b(1) = z", False),
    "read at a label": ("10 continue\n if (c) b(3) = z", "if (a(1) > 0) goto 10", False),
}


@pytest.mark.parametrize("name", LATER)
def test_values_that_leave_a_region(name: str) -> None:
    """A scalar is private to the points if what is after the region sets it before it reads it."""
    before, after, private = LATER[name]
    text = AFTER.replace("BEFORE", before).replace("AFTER", after)
    if name == "the other branch after it":
        text = text.replace("integer :: k, step", "integer :: k, step\n    z = 0")
    done = translate_text(text, backend="openmp")
    assert ("lastprivate(z)" in done.text) == (not private)
    if private:
        assert re.search(r" private\([^)]*\bk\b[^)]*\bz\b", done.require().text)


def test_array_constructors_as_indices_do_not_split_macros() -> None:
    """Preprocessors see an argument of its own after each comma in brackets."""
    text = REGION.replace("a(k) = k", "a(x,y,[1,k]) = k\n a([k]) = 0")
    text = translate_text(text, storage_order()).require().text
    assert "a([1,k],x,y) = k" in text and "a(AT(x,y,[k])) = 0" in text


BY_HAND = """\
module m
contains
  subroutine s(nx, ny, nz, a, b)
    integer, intent(in) :: nx, ny, nz
    real, intent(inout) :: a(DOM(nx,ny,nz)), b(DOM(nx,ny,nz))
    integer :: x, y, k
    @domainDependant{domName(x,y,k), domSize(nx,ny,nz), accPP(AT), domPP(DOM)}
    a
    @end domainDependant
    b(nz,1,1) = 0
    a(1,1,nz) = 0
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    do k = 2, nz
      a(x,y,k) = a(AT(x,y,k-1)) + b(x,y,k)
    end do
    @end parallelRegion
  end subroutine
end module
"""


def test_indices_of_arrays_declared_with_a_macro() -> None:
    """Listed with a macro, or in a region over their domains, they are in the order of the dimensions; else final."""
    done = translate_text(BY_HAND, storage_order()).require()
    assert "a(AT(x,y,k)) = a(AT(x,y,k-1)) + b(AT(x,y,k))" in done.text
    assert "a(AT(1,1,nz)) = 0" in done.text
    assert "b(nz,1,1) = 0" in done.text
    assert "a(DOM(nx,ny,nz)), b(DOM(nx,ny,nz))" in done.text


def test_one_message_for_a_region_that_is_not_active() -> None:
    """Each iterator without a value is told once for its region."""
    text = REGION.replace("domSize(nx,ny)}", "domSize(nx,ny), appliesTo(GPU)}").replace(
        "a(k) = k", "a(x,y,k) = x * y + x"
    )
    text = text.replace(
        "end module", "subroutine c(a)\n real :: a(1,1,1)\n call s(1, 1, 1, a)\n end subroutine\nend module"
    )
    assert translate_text(text).codes() == ["HF315", "HF315"]


TWICE = """\
module m
  implicit none
contains
  subroutine solve(n, k, u)
    integer(4), intent(in) :: n, k
    real(8), intent(inout) :: u(n)
    integer(4) :: k, rest
    rest = k
    @parallelRegion{domName(i), domSize(n)}
    u = u + rest
    @end parallelRegion
  end subroutine solve
end module m
"""


def test_a_declaration_that_only_repeats_is_left_out_in_existing_projects(tmp_path: Path) -> None:
    """An old compiler let it pass; anywhere else it is an error."""
    (path,) = write_files({"m.h90": TWICE}, tmp_path)
    done = translate([path], Options(backend="sequential", legacy=True))
    assert [(d.severity, d.code, d.place.line) for d in done.diagnostics] == [("warning", "HF301", 7)]
    assert "    integer(4) :: rest\n" in done.files[0].text
    refused = translate([path], Options(backend="sequential"))
    assert [(d.severity, d.code) for d in refused.diagnostics] == [("error", "HF301")]
    other = TWICE.replace("integer(4) :: k, rest", "real(4) :: k, rest")
    (path,) = write_files({"n.h90": other}, tmp_path)
    assert translate([path], Options(backend="sequential", legacy=True)).diagnostics[0].severity == "error"


LENIENT = """\
module m
  implicit none
  interface
    subroutine outside(a, n) bind(c, name="outside")
      use iso_c_binding, only: c_int, c_double
      integer(c_int), value :: n
      real(c_double) :: a(n)
      @domainDependant {attribute(autoDom, host)}
      a
      @end domainDependant
    end subroutine outside
  end interface
contains
  subroutine s(n, a)
    integer, intent(in) :: n
    real(8), intent(inout), dimension(0:n), pointer :: a
  #ifdef GPU
    integer :: unused
  #endif
    @domainDependant{attribute(autoDom)}
    a
    @end domainDependant
    @parallelRegion{domName(i), domSize(0:n)}
    #ifndef GPU
    a(i) = i
    #endif
    @end parallelRegion
  end subroutine s
end module m
"""


def test_directives_in_interfaces_indented_conditions_and_pointers_with_bounds(tmp_path: Path) -> None:
    """The weather example has them all: none may reach a Fortran compiler as it is."""
    (path,) = write_files({"m.h90": LENIENT}, tmp_path)
    done = translate([path], Options(backend="sequential", legacy=True))
    assert [(d.severity, d.code, d.place.line) for d in done.diagnostics] == [("warning", "HF110", 16)]
    text = done.files[0].text
    assert "      ! @domainDependant {attribute(autoDom, host)}\n      ! a\n      ! @end domainDependant\n" in text
    assert re.findall(r"^ *#.*$", text, re.MULTILINE) == ["#ifdef GPU", "#endif", "#ifndef GPU", "#endif"]
    assert "dimension(:), pointer :: a" in text or "pointer :: a(:)" in text
    output = tmp_path / done.files[0].name
    output.write_text(text)
    subprocess.run(["gfortran", "-fsyntax-only", "-cpp", str(output)], cwd=tmp_path, check=True)


def test_a_listed_name_that_is_declared_nowhere_is_ignored_in_existing_projects(tmp_path: Path) -> None:
    """The predecessor took it for a scalar of the module; with domains it is an error everywhere."""
    source = REGION.replace(
        "    integer :: k\n", "    integer :: k\n    @domainDependant{MORE}\n    a, d\n    @end domainDependant\n"
    )
    (path,) = write_files({"m.h90": source.replace("MORE", "attribute(autoDom)")}, tmp_path)
    done = translate([path], Options(backend="sequential", legacy=True))
    assert [(d.severity, d.code) for d in done.diagnostics] == [("warning", "HF300")]
    assert translate([path], Options(backend="sequential")).diagnostics[0].severity == "error"
    (path,) = write_files({"n.h90": source.replace("MORE", "domName(x), domSize(nx)")}, tmp_path)
    found = translate([path], Options(backend="sequential", legacy=True)).diagnostics
    assert ("error", "HF300") in [(d.severity, d.code) for d in found]


DROPPED = """\
module m
  real :: shared(4)
contains
  subroutine run(n, a)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    @parallelRegion{appliesTo(CPU), domName(i), domSize(n)}
    call point(a(i))
    @end parallelRegion
  end subroutine run
  subroutine point(x)
    real, intent(inout) :: x
    @if{parallelRegion(inside)}
    shared(1) = x
    @end if
    x = 2. * x
  end subroutine point
end module m
"""


def test_what_a_condition_drops_has_no_effects() -> None:
    """The strides example works on module data on one target only."""
    assert not translate_text({"m.h90": DROPPED}).diagnostics
    kept = DROPPED.replace("parallelRegion(inside)", "parallelRegion(outside)")
    assert [d.code for d in translate_text({"m.h90": kept}).diagnostics] == ["HF504"]


COMPONENTS = """\
module m
  implicit none
  type rows
    real, allocatable :: r(:,:,:)
  end type
  type(rows) :: o(2)
  @domainDependant{domName(x,y,z), domSize(nx,ny,nz), accPP(AT), domPP(DOM), attribute(host)}
  o(1)%r
  @end domainDependant
  integer, parameter :: nx = 3, ny = 2, nz = 4
contains
  subroutine fill(s)
    real, intent(out) :: s
    integer :: k
    allocate(o(1)%r(FIRST))
    o(1)%r(:,:,:) = 0
    s = 0
    @parallelRegion{domName(x,y), domSize(nx,ny), reduction(+:s)}
    do k = 1, nz
      o(1)%r(SECOND) = x + y*k
      s = s + o(1)%r(SECOND)
    end do
    @end parallelRegion
  end subroutine
end module
"""


@pytest.mark.parametrize(
    ("first", "second", "target", "codes"),
    [
        ("DOM(nx,ny,nz)", "x,y,k", "cpu", ["HF306"]),
        ("nx,ny,nz", "AT(x,y,k)", "cpu", ["HF306"]),
        ("nx,ny,nz", "x,y,k", "cpu", []),
        ("DOM(nx,ny,nz)", "AT(x,y,k)", "cpu", []),
        ("DOM(nx,ny,nz)", "x,y,k", "gpu", []),
    ],
)
def test_components_indexed_with_and_without_the_macro(first: str, second: str, target: str, codes: list[str]) -> None:
    """The predecessor put these indices into the macro; as they are, two orders would be wrong without a word."""
    source = COMPONENTS.replace("FIRST", first).replace("SECOND", second)
    result = translate_text({"m.h90": source}, storage=storage_order(), target=target, backend="sequential")
    assert [d.code for d in result.errors] == codes

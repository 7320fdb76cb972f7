"""What existing projects may write: one small program for each convention."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support import compile_files, output, storage_order, translate_text


def printed(text: str, folder: Path, extra: str = "", name: str = "p.h90", **options: object) -> str:
    """What a program prints that is one hybrid file."""
    made = translate_text({name: textwrap.dedent(text)}, storage_order(extra=extra), **options)
    return output(compile_files(made.require().files, folder)).strip()


SPLIT = """
module m
  implicit none
contains
  subroutine s(n, a)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    integer :: k
    @if{architecture(CPU)}
    real :: half
    integer :: j
    half = 0.5
    a(1) = a(1) + half
    @end if
    @if{architecture(GPU)}
    real :: double
    double = 2.0
    a(1) = a(1) + double
    @end if
    k = 1
    @if{architecture(CPU)}
    a(k) = 10 * a(k)
    @end if
    @parallelRegion{domName(i), domSize(n)}
    a(i) = a(i) + 1
    @end parallelRegion
  end subroutine
end module
program p
  use m
  real :: a(2) = 0
  call s(2, a)
  print '(2f5.1)', a
end program
"""


@pytest.mark.parametrize("name", ["p.h90", "p.H90"])
def test_conditions_around_declarations_and_statements(name: str, tmp_path: Path) -> None:
    """``@if`` takes its lines as they are (§3.5), also where declarations end among them."""
    assert printed(SPLIT, tmp_path, name=name) == "6.0  1.0"
    made = translate_text({name: SPLIT}, storage_order(), target="gpu", backend="openacc").require()
    assert {"double = 2.0", "real :: double"} < {line.strip() for line in made.text.splitlines()}
    assert "half = 0.5" not in made.text


def test_a_condition_that_ends_nowhere() -> None:
    text = SPLIT.replace("    a(1) = a(1) + half\n    @end if\n", "    a(1) = a(1) + half\n")
    assert "HF207" in translate_text(text, storage_order()).codes()


ACCESSES = """
module m
  implicit none
contains
  subroutine s(nx, ny, nz, a)
    integer, intent(in) :: nx, ny, nz
    real, intent(inout), dimension(nz) :: a
    integer :: k
    @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom), MACROS}
    a
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    do k = 1, nz
      a(k) = x + 10 * y + 100 * k
    end do
    @end parallelRegion
  end subroutine
end module
program p
  use m
  real :: a(DOM(2, 3, 4))
  call s(2, 3, 4, a)
  print '(f5.0)', a(AT(2, 3, 4))
end program
"""
LIKE_AT = "#define AT_WIND(a,b,c) AT(a,b,c)\n#define DOM_SEA(a,b,c) DOM(a,b,c)\n#define AT_ODD(a,b,c) b,a,c"


@pytest.mark.parametrize("macros", ["accPP(AT_WIND)", "domPP(DOM_SEA)"])
def test_one_macro_of_the_two(macros: str, tmp_path: Path) -> None:
    """The other is AT or DOM for what has autoDom (§6.3), unless the storage-order file has one of its name."""
    assert printed(ACCESSES.replace("MACROS", macros), tmp_path, LIKE_AT) == "432."


def test_one_macro_that_does_not_fit_the_other() -> None:
    for macros, code in (("accPP(AT_ODD)", "HF306"), ("accPP(AT_NONE)", "HF309"), ("domPP(DOM_NONE)", "HF309")):
        made = translate_text(ACCESSES.replace("MACROS", macros), storage_order(extra=LIKE_AT))
        assert code in made.codes(), macros


ONES = """
module m
  implicit none
contains
  subroutine outer(nx, ny, nz, a)
    integer, intent(in) :: nx, ny, nz
    real, intent(inout), dimension(nx, ny, nz, 1) :: a
    @domainDependant{attribute(autoDom)}
    a
    @end domainDependant
    call inner(nx, ny, nz, a)
  end subroutine
  subroutine inner(nx, ny, nz, a)
    integer, intent(in) :: nx, ny, nz
    real, intent(inout), dimension(nz, 1) :: a
    integer :: k
    @domainDependant{attribute(autoDom), domName(x,y), domSize(nx,ny)}
    a
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    do k = 1, nz
      a(k,1) = x + 10 * y + 100 * k
    end do
    @end parallelRegion
  end subroutine
end module
program p
  use m
  real :: a(DOM4(2, 3, 4, 1))
  call outer(2, 3, 4, a)
  print '(f5.0)', a(AT4(2, 3, 4, 1))
end program
"""


def test_a_last_dimension_of_one_element(tmp_path: Path) -> None:
    """The directive takes the declaration at its word: a ``1`` is no ``*`` where the array is passed on whole."""
    assert printed(ONES, tmp_path) == "432."
    beyond = ONES.replace("    call inner", "    a(1,1,1,2) = 0\n    call inner")
    assert "HF311" in translate_text(beyond, storage_order()).codes()


TYPES = """
module m
  implicit none
contains
  subroutine s(n, a)
    integer, intent(in) :: n
    @if{architecture(ONE)}
    real(4), intent(inout) :: a(n)
    real(4) :: w(n)
    @end if
    @if{architecture(OTHER)}
    real(8), intent(inout) :: a(n)
    real(8) :: w(n)
    @end if
    @parallelRegion{domName(i), domSize(n)}
    w(i) = a(i)
    a(i) = w(i) + 1
    @end parallelRegion
  end subroutine
end module
"""


@pytest.mark.parametrize("one", ["CPU", "GPU"])
@pytest.mark.parametrize("target", ["CPU", "GPU"])
def test_declarations_for_one_architecture_each(one: str, target: str) -> None:
    """The symbols are those of the declarations that stay, in kernels and where their declarations are rewritten."""
    text = TYPES.replace("ONE", one).replace("OTHER", "GPU" if one == "CPU" else "CPU")
    backend = "cuda-c" if target == "GPU" else "openmp"
    made = translate_text({"p.h90": text}, storage_order(), target=target.lower(), backend=backend).require()
    code = "\n".join(made.files.values())
    size = 4 if one == target else 8
    assert f"real({size}), intent(inout) :: a(n)" in code and f"real({12 - size})" not in code
    assert target == "CPU" or ("double *__restrict__ a_data" in code) == (size == 8)


def test_declarations_for_one_backend_each() -> None:
    """The architecture is that of the routine's backend."""
    text = TYPES.replace("ONE", "host").replace("OTHER", "nvidia")
    made = translate_text({"p.h90": text}, storage_order(), target="gpu", backend="cuda-c", routines={"s": "openmp"})
    assert "real(4), allocatable :: w(:)" in made.require().text


ABSOLUTE = """
program p
  real :: x(3) = [1., -2., 3.]
  integer :: i, n = 0
  do i = 1, 3
    if (abs(x(i) > 0)) n = n + int(abs(x(i)))
  end do
  print *, n
end program
"""


def test_absolute_values_of_logicals(tmp_path: Path) -> None:
    """Logicals are integers to the compilers of existing projects."""
    made = translate_text({"p.h90": ABSOLUTE}, legacy=True)
    assert [(d.code, d.place.line) for d in made.diagnostics] == [("HF110", 6)]
    assert output(compile_files(made.require().files, tmp_path)).strip() == "4"


TWICE = """
program p
  implicit none
  integer :: k, n = 0
  real :: f(3) = 0
  do k = 1, 2
    do k = 1, 3
      f(k) = 1
      n = n + 1
    end do
  end do
  do k = 1, 2
    if (n > 0) then
      do k = 3, 4
        n = n + 10
      end do
    end if
  end do
  print *, n, int(sum(f))
end program
"""


def test_a_loop_over_the_variable_of_its_loop(tmp_path: Path) -> None:
    """A loop of nothing but such a loop is repaired; another one is left to the compiler."""
    made = translate_text({"p.h90": TWICE}, legacy=True)
    assert [(d.code, d.place.line) for d in made.diagnostics] == [("HF110", 6)]
    alone = TWICE[: TWICE.index("  do k = 1, 2\n    if")] + TWICE[TWICE.index("  print") :]
    text = translate_text({"p.h90": alone}, legacy=True).require().files
    assert output(compile_files(text, tmp_path)).split() == ["6", "3"]


GIVEN_ON_DEVICE = """
module m
  implicit none
contains
  subroutine s(n, a, x)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    @if{architecture(GPU)}
    real, device, intent(in) :: x(n)
    @end if
    @if{architecture(CPU)}
    real, intent(in) :: x(n)
    @end if
    @parallelRegion{domName(i), domSize(n)}
    a(i) = a(i) + 1
    @end parallelRegion
  end subroutine
end module
"""


def test_variables_of_cuda_fortran() -> None:
    """They are told before the compiler stumbles over them."""
    made = translate_text({"p.h90": GIVEN_ON_DEVICE}, storage_order(), target="gpu", backend="cuda-c", legacy=True)
    assert [(d.code, d.place.line) for d in made.diagnostics] == [("HF701", 9)]
    assert not translate_text({"p.h90": GIVEN_ON_DEVICE}, storage_order(), legacy=True).diagnostics


TURNED = """
module m
  implicit none
  real, allocatable :: f(:,:,:), g(:,:,:)
  integer :: nx = 2, ny = 3, nz = 4
  @domainDependant{domName(x,y,z), domSize(nx,ny,nz), attribute(autoDom, host), accPP(AT), domPP(DOM)}
  f, g
  @end domainDependant
contains
  subroutine fill()
    integer :: i, j, k
    @domainDependant{attribute(autoDom, host), accPP(AT_LEVELS), domPP(DOM_LEVELS)}
    f
    @end domainDependant
    do j = 1, ny
      do i = 1, nx
        do k = 1, nz
          f(k, i, j) = i + 10 * j + 100 * k
        end do
      end do
    end do
    f(4, 1, 1) = -f(nz, nx, ny)
  end subroutine
  subroutine twice()
    integer :: k
    @domainDependant{attribute(autoDom, host), accPP(AT_LEVELS), domPP(DOM_LEVELS)}
    f, g
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    do k = 1, nz
      g(k, x, y) = 2 * f(k, x, y)
    end do
    @end parallelRegion
  end subroutine
end module
program p
  use m
  allocate (f(DOM(nx, ny, nz)), g(DOM(nx, ny, nz)))
  call fill()
  call twice()
  print '(2f6.0,2i2)', g(AT(1, 3, 2)), g(AT(1, 1, 4)), merge(1, 0, all(g == 2 * f)), size(f, 1)
end program
"""
LIKE = "_LEVELS(a,b,c) a, b, c"
IN_ORDER = "\n".join(
    f"#define {name}({given}) kParam, iParam, jParam"
    for kind in ("AT", "DOM")
    for name, given in ((kind, "iParam,jParam,kParam"), (f"{kind}_LEVELS", "kParam,iParam,jParam"))
)


def test_indices_in_the_order_of_a_macro_of_the_routine(tmp_path: Path) -> None:
    """A routine may give the indices of a module array in another order, with a macro that has its parameters so."""
    assert printed(TURNED, tmp_path, IN_ORDER) == "462. -864. 1 2"
    made = translate_text({"p.h90": TURNED}, storage_order(extra=IN_ORDER))
    assert [d.code for d in made.diagnostics] == ["HF306", "HF306"] and not made.errors
    assert "f(AT(i, j, k))" in made.text and "g(AT(x, y, k))" in made.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("f(k, i, j) =", "f(k, i:i, j) ="),
        ("    integer :: i, j, k\n", "    integer :: i, j, k, w(size(f, 1))\n"),
        ("f(4,", "associate (h => f)\n h(1, 1, 1) = 1\n end associate\n f(4,"),
        ("f(4,", "f(int(f(4, 1, 1)),"),
        ("call fill()", "call fill()"),
    ],
)
def test_indices_in_another_order_that_leave_a_doubt(old: str, new: str) -> None:
    """Sections, inquiries, other names of the array, and parameters whose names do not tell are refused."""
    macros = IN_ORDER if old != new else IN_ORDER.replace("_LEVELS(kParam,iParam,jParam) kParam, iParam, jParam", LIKE)
    assert "HF306" in translate_text(TURNED.replace(old, new), storage_order(extra=macros)).codes()


REPAIRED = """\
#define TWICE(a) a `\\
  a
program p
  logical :: l = .true.
  TWICE(l = .not. l)
  if (l .eq. .true.) print *, l
end program
"""


def test_repairs_are_told_at_the_lines_of_the_user() -> None:
    made = translate_text({"p.H90": REPAIRED}, legacy=True)
    assert [(d.code, d.place.line) for d in made.diagnostics] == [("HF110", 6)]


ELSEWHERE = """
module m
  implicit none
contains
  subroutine s(nx, nz, a, b)
    integer, intent(in) :: nx, nz
    real, intent(inout) :: a(nx, nz), b(nz)
    @parallelRegion{domName(i), domSize(nx)}
    do k = 2, nz
      a(i,k) = a(i,k-1) + 1
    end do
    @end parallelRegion
    @parallelRegion{domName(k), domSize(nz)}
    b(k) = a(1,k) + a(nx,k)
    @end parallelRegion
  end subroutine
end module
program p
  use m
  real :: a(5, 3) = 1, b(3)
  call s(5, 3, a, b)
  print '(3f4.0)', b
end program
"""


def test_an_iterator_is_a_variable_of_the_routine(tmp_path: Path) -> None:
    """The predecessor declares iterators (§3.2), and loops elsewhere in the routine may use one."""
    assert printed(ELSEWHERE, tmp_path, legacy=True, backend="openmp").split() == ["2.", "4.", "6."]
    made = translate_text(ELSEWHERE, legacy=True)
    assert [(d.severity, d.code, d.place.line) for d in made.diagnostics] == [("warning", "HF250", 9)]
    assert translate_text(ELSEWHERE).errors


POINTS = """
module m
  implicit none
contains
  subroutine outer(nx, ny, nz, a)
    integer, intent(in) :: nx, ny, nz
    real, intent(inout) :: a(nz)
    integer :: i, j
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, transferHere)}
    a
    @end domainDependant
    @parallelRegion{appliesTo(CPU), domName(i,j), domSize(nx,ny)}
    call both(i, j, nx, ny, nz, a(:,:,:))
    @end parallelRegion
  end subroutine
  subroutine both(i, j, nx, ny, nz, a)
    integer :: i, j, nx, ny, nz
    real, intent(inout) :: a(nx, ny, nz)
    @domainDependant{attribute(autoDom, present), domPP(DOM), accPP(AT)}
    a
    @end domainDependant
    @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}
    a(i,j,1) = 10 * i + j
    @end parallelRegion
    call column(nx, ny, nz, a(i,j,:))
  end subroutine
  subroutine column(nx, ny, nz, a)
    integer, intent(in) :: nx, ny, nz
    real, intent(inout) :: a(nz)
    integer :: k
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, present)}
    a
    @end domainDependant
    @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}
    do k = 2, nz
      a(k) = a(k-1) + 100
    end do
    @end parallelRegion
  end subroutine
end module
program p
  use m
  real :: a(DOM(3, 2, 2)) = 0
  call outer(3, 2, 2, a)
  print '(6f5.0)', a(AT(:,:,2))
end program
"""


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_iterators_in_arguments_outside_of_regions(target: str, tmp_path: Path) -> None:
    """They are left out (§5.5): the routine that is called has the whole array where it has the region."""
    backend = {"cpu": "openmp", "gpu": "cuda-c"}[target]
    shown = printed(POINTS, tmp_path, target=target, backend=backend, legacy=True)
    assert shown.split() == ["111.", "121.", "131.", "112.", "122.", "132."]


def test_points_of_routines_that_have_columns_stay() -> None:
    """Where the routine that is called takes a column, a column is passed, and an iterator there is a fault."""
    plain = POINTS.replace("    @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}\n    do k", "    do k")
    plain = plain.replace("    end do\n    @end parallelRegion\n", "    end do\n")
    made = translate_text(plain, storage_order(), target="gpu", backend="cuda-c", legacy=True)
    assert made.errors and "HF319" not in made.codes("warning")
    for options in ({"target": "cpu", "legacy": True}, {"target": "gpu", "backend": "cuda-c"}):
        assert "HF319" not in translate_text(POINTS, storage_order(), **options).codes("warning")


ON_DEVICE = """
module m
  implicit none
contains
  subroutine s(n, a)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    @if{architecture(GPU)}
    real, device :: part(4), whole(n)
    whole(:) = a(:)
    part(:) = whole(3:6)
    call add(4, part)
    whole(3:6) = part(:)
    a(:) = whole(:)
    @end if
    @if{architecture(CPU)}
    call add(4, a(3:6))
    @end if
  end subroutine
  subroutine add(n, a)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    @domainDependant{attribute(present)}
    a
    @end domainDependant
    @parallelRegion{domName(i), domSize(n)}
    a(i) = a(i) + i
    @end parallelRegion
  end subroutine
end module
program p
  use m
  real :: a(8) = 1
  call s(8, a)
  print '(8f3.0)', a
end program
"""


def test_locals_in_device_memory(tmp_path: Path) -> None:
    """Where the runtime keeps what is on the device, they are locals like others; other code may want their address."""
    made = printed(ON_DEVICE, tmp_path, target="gpu", backend="cuda-c", legacy=True)
    assert made.split() == ["1.", "1.", "2.", "3.", "4.", "5.", "1.", "1."]
    elsewhere = ON_DEVICE.replace("    a(:) = whole(:)", "    call cublasSnrm2(8, whole, 1)\n    a(:) = whole(:)")
    text = translate_text(elsewhere, target="gpu", backend="cuda-c", legacy=True).text
    assert "real, device :: part(4), whole(n)" in text  # which a compiler without CUDA Fortran refuses

"""Names that hfpy makes keep apart from each other and from the user's: each scope has one registry (C3).

Every program gives its variables names that hfpy would make for others, and prints what its twin prints.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.programs import program
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, Corpus, compile_files, output, translate_text

KERNELS = (CUDA_C, CUDA_FORTRAN)

# `hf_a_b_c` would be `c` of `a_b`, and `b_c` of `a`.
MODULES = """module a_b
  implicit none
  real(8) :: c = 10, d = 20
end module a_b
module a
  implicit none
  real(8) :: b_c = 1, b_d = 2
end module a
module NAME_sizes
  implicit none
contains
  pure real(8) function add(x)
    use a_b, only: c, d
    use a, only: b_c, b_d
    real(8), intent(in) :: x
    add = x + c - 2*b_c + 3*d - 4*b_d
  end function add
end module NAME_sizes
module NAME
  implicit none
contains
  subroutine step(x)
    use NAME_sizes, only: add
    real(8), intent(inout) :: x(4)
    real(8) :: hf_a_b_d
    integer :: i
    hf_a_b_d = 0.5d0
<i
    x(i) = add(x(i)) + hf_a_b_d
>
  end subroutine step
  subroutine run()
    real(8) :: x(4)
    x = [1, 2, 3, 4]
    call step(x)
    print *, x
  end subroutine run
end module NAME
"""
# Bounds that are asked of an array, a range's ends, copies of private scalars.
BOUNDS = """module NAME
  implicit none
contains
  subroutine step(x, x_lower1, x_upper1, i_last, s_before, last, last_after)
    real(8), intent(inout) :: x(:)
    integer, intent(in) :: x_lower1, x_upper1, i_last
    real(8), intent(in) :: s_before, last_after
    real(8), intent(out) :: last
    real(8) :: s
    integer :: i
    s = 2*x_lower1
<i
    if (i < 0) s = 1
    x(i) = x(i) + x_lower1 + 2*x_upper1 + 3*i_last + s_before + last_after + s
    last = x(i)
>
  end subroutine step
  subroutine run()
    real(8) :: x(4), last
    x = [1, 2, 3, 4]
    call step(x, 10, 20, 30, 5d0, last, 7d0)
    print *, x, last
  end subroutine run
end module NAME
"""
# What is in launchers and beside arrays.
LAUNCHERS = """module NAME
  implicit none
  type :: sizes
    real(8) :: dx = 3
    real(8), allocatable :: of(:)
  end type sizes
contains
  subroutine step(x, y, flag, grid, launcher, x_data, x_host, flag_host, x_device, x_shape, x_at, y_given, g, g_dx)
    real(8), intent(inout) :: x(4)
    real(8), intent(in), optional :: y(4)
    logical, intent(out) :: flag
    real(8), intent(in) :: grid, launcher, x_data, x_host, flag_host, x_device, x_shape, x_at, y_given, g_dx
    type(sizes), intent(in) :: g
    real(8) :: w(2), w_data
    integer :: i
    flag = .false.
<i
    w = [x(i), grid]
    w_data = sum(w) + launcher
    if (present(y)) w_data = w_data + y(i)
    if (w_data > 0) flag = .true.
    x(i) = w_data + x_data + 2*x_host + 3*flag_host + 4*x_device + 5*x_shape + 6*x_at + 7*y_given
    x(i) = x(i) + g%dx - 2*g_dx + g%of(i)
>
  end subroutine step
  subroutine run()
    real(8) :: x(4)
    logical :: flag
    type(sizes) :: g
    allocate(g%of(4))
    g%of = [4, 3, 2, 1]
    x = [1, 2, 3, 4]
    call step(x, x*2, flag, 1d0, 2d0, 3d0, 4d0, 5d0, 6d0, 7d0, 8d0, 9d0, g, 11d0)
    call step(x, flag=flag, grid=1d0, launcher=2d0, x_data=3d0, x_host=4d0, flag_host=5d0, x_device=6d0, x_shape=7d0, &
      x_at=8d0, y_given=9d0, g=g, g_dx=1d0)
    print *, x, flag
  end subroutine run
end module NAME
"""
# Routines that kernels call: their dummies, locals and further arguments.
ROUTINES = """module NAME_data
  implicit none
  real(8) :: t(0:3) = [1, 2, 3, 4], factor = 2
end module NAME_data
module NAME
  implicit none
contains
  real(8) function mixed(a, a_actual, n, t_of_NAME_data, t_lower1, factor_of_NAME_data, o_given, o)
    use NAME_data, only: t, factor
    real(8), intent(in) :: a(:)
    integer, intent(in) :: n, t_lower1
    real(8), intent(in) :: a_actual, t_of_NAME_data, factor_of_NAME_data, o_given
    real(8), intent(in), optional :: o
    real(8) :: w(3), w_data
    w = a(n) + [1, 2, 3]
    w_data = sum(w)
    mixed = w_data + a_actual + 10*t_of_NAME_data + 100*t_lower1 + t(t_lower1) * factor + factor_of_NAME_data
    if (present(o)) mixed = mixed + o * o_given
  end function mixed
  subroutine step(x, y)
    use NAME_data, only: table => t
    real(8), intent(in) :: x(4)
    real(8), intent(inout) :: y(4)
    integer :: i
    @domainDependant{attribute(transferHere)}
    table
    @end domainDependant
<i
    y(i) = mixed(x, 0.5d0, i, 0.25d0, 2, 3d0, 4d0) + mixed(x, 1.5d0, i, 1.25d0, 1, 5d0, 6d0, 7d0)
>
  end subroutine step
  subroutine run()
    real(8) :: x(4), y(4)
    x = [1, 2, 3, 4]
    y = 0
    call step(x, y)
    print *, y
  end subroutine run
end module NAME
"""
# Words of C++, functions and macros that its headers know, with underscores of the user's.
WORDS = """module NAME
  implicit none
contains
  subroutine step(long, long_, pow, fabs, linux, new, new_, llabs, sqrtf)
    real(8), intent(inout) :: long(4)
    real(8), intent(in) :: long_(4), pow, fabs, linux, new
    integer, intent(in) :: llabs
    real, intent(in) :: sqrtf
    real(8), intent(in) :: new_
    integer :: i
<i
    long(i) = abs(long_(i)) ** pow + abs(fabs) + linux + new - 2*new_ + abs(long(i)) + sqrt(sqrtf) + abs(llabs)
>
  end subroutine step
  subroutine run()
    real(8) :: x(4)
    x = [1, 2, 3, 4]
    call step(x, [-1d0, -2d0, -3d0, -4d0], 2d0, -3d0, 4d0, 5d0, 6d0, -7, 16.0)
    print *, x
  end subroutine run
end module NAME
"""
PAIRS = [
    program("modules", MODULES),
    program("bounds", BOUNDS),
    program("launchers", LAUNCHERS),
    program("routines", ROUTINES),
    program("words", WORDS),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    chosen = {p.name: (*KERNELS, OPENACC) if p.name == "modules" else KERNELS for p in PAIRS}
    return Corpus(PAIRS, tmp_path_factory.mktemp("names"), chosen)


@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_programs(name: str, corpus: Corpus) -> None:
    corpus.check(name)


# A reduction over points needs `mod` and `int`; as arrays of the user's they would be taken for functions, or the
# other way about.
FUNCTIONS = """module m
  implicit none
contains
  subroutine step(n, ARRAY, total)
    integer, intent(in) :: n
    real(8), intent(in) :: ARRAY(8,8)
    real(8), intent(inout) :: total
    @parallelRegion{domName(i,j), domSize(n,n), reduction(+:total)}
    total = total + ARRAY(i,j)
    @end parallelRegion
  end subroutine step
end module m
"""


@pytest.mark.parametrize("array", ["mod", "Int", "max", "blockIdx"])
def test_names_that_kernels_need_are_refused(array: str) -> None:
    """CUDA Fortran keeps the user's names; CUDA C has other words."""
    text = FUNCTIONS.replace("ARRAY", array)
    done = translate_text(text, target="gpu", backend="cuda-fortran")
    assert [d.code for d in done.errors] == ["HF702"]
    assert f"a variable '{array.lower()}'" in done.errors[0].message
    assert not translate_text(text, target="gpu", backend="cuda-c").errors


def test_names_that_kernels_do_not_need_are_not_refused() -> None:
    assert not translate_text(FUNCTIONS.replace("ARRAY", "sum"), target="gpu", backend="cuda-fortran").errors


RUNTIMES = """module heat
  implicit none
contains
  subroutine step(n, hf_index, hf_array)
    integer, intent(in) :: n
    real(8), intent(inout) :: hf_index(n), hf_array
    integer :: hf_known, hf_threads
    real(8) :: hf_sum, hf_max(2)
    do hf_known = 1, n
      hf_sum = hf_index(hf_known)
      do hf_threads = 1, 2
        hf_max(hf_threads) = hf_sum*hf_threads
      end do
      hf_index(hf_known) = hf_max(2) + hf_array*max(hf_sum, 1d0) + sum(hf_max)
    end do
  end subroutine step
end module heat
program main
  use heat
  real(8) :: a(5) = [1, 2, 3, 4, 5], by = 0.5d0
  call step(5, a, by)
  print *, a
end program main
"""


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
def test_names_of_the_runtime(backend: str, tmp_path: Path) -> None:
    """A heat flux may be called ``hf_index``, which is a name of the text around kernels."""
    done = translate_text(
        {"p.f90": RUNTIMES.replace("    do hf_known", "    !@parallelRegion\n    do hf_known")},
        target="gpu",
        backend=backend,
    )
    built = compile_files(done.require().files, tmp_path / backend)
    plain = compile_files({"p.f90": RUNTIMES}, tmp_path / "plain")
    assert output(built) == output(plain)

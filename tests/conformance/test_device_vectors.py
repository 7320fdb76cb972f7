"""The conformance vectors 17, 18 and 21 of the language (hybrid-fortran.md §17): device data.

The original declares device twins and host duplicates; hfpy has a table of host addresses instead (design §6). So the
vectors hold in their meaning: what is copied when, which kernels there are, what host code and device code see.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.support import Translated, compile_files, output, squeezed, statements, translate_text

TEMPLATE = """
module data_store
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 2
contains
  subroutine data_region()
    real(8) :: a(nx,ny,nz), b(nx,ny,nz), c(nx,ny,nz), d(nx,ny,nz)
    integer :: i
    a = reshape([(0.5d0*i, i=1,nx*ny*nz)], [nx,ny,nz])
    b = 2
    call region(a, b, c, d)
    print '(4f8.2)', c, d
  end subroutine data_region
  subroutine region(a, b, c, d)
    real(8), intent(in) :: a(nx,ny,nz), b(nx,ny,nz)
    real(8), intent(out) :: c(nx,ny,nz), d(nx,ny,nz)
    @domainDependant{domName(x,y,z), domSize(nx,ny,nz), attribute(autoDom, transferHere)}
    a, b, c, d
    @end domainDependant
    call run(a, b, c, d)
  end subroutine region
  subroutine run(a, b, c, d)
    real(8), intent(in) :: a(nx,ny,nz), b(nx,ny,nz)
    real(8), intent(out) :: c(nx,ny,nz), d(nx,ny,nz)
    @domainDependant{domName(x,y,z), domSize(nx,ny,nz), attribute(autoDom, present)}
    a, b, c, d
    @end domainDependant
    call add(a, b, c)
    call mult(a, b, d)
  end subroutine run
  subroutine add(a, b, c)
    real(8), intent(in) :: a(nz), b(nz)
    real(8), intent(out) :: c(nz)
    integer :: z
    @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom, present)}
    a, b, c
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    do z = 1, nz
      c(z) = a(z) + b(z)
    end do
    @end parallelRegion
  end subroutine add
  subroutine mult(a, b, d)
    real(8), intent(in) :: a(nz), b(nz)
    real(8), intent(out) :: d(nz)
    integer :: z
    @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom, present)}
    a, b, d
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    do z = 1, nz
      d(z) = a(z)*b(z)
    end do
    @end parallelRegion
  end subroutine mult
end module data_store
program main
  use data_store, only: data_region
  call data_region()
end program main
"""


def gpu(text: str, **options: Any) -> Translated:
    return translate_text(text, target="gpu", backend="cuda-c", **options).require()


def same_as_on_the_host(text: str, done: Translated, folder: Path) -> None:
    plain = translate_text(text, target="gpu", backend="sequential").require()
    assert output(compile_files(done.files, folder / "gpu")) == output(compile_files(plain.files, folder / "plain"))


def routine(done: Translated, name: str) -> list[str]:
    """The statements of a subroutine."""
    text = done.files["m.F90"]
    found = re.search(rf"^ *subroutine {name}\b(?!.*bind).*?^ *end subroutine {name}\b", text, re.S | re.M)
    assert found is not None
    return statements(found[0])


def moves(done: Translated, name: str) -> list[str]:
    """The calls by which a routine moves data, without their texts."""
    calls = [s for s in routine(done, name) if re.search(r"callhf_(enter|leave|update)", s)]
    return [s.split(',"')[0].removeprefix("call") for s in calls]


def test_17_device_state(tmp_path: Path) -> None:
    done = gpu(TEMPLATE)
    assert sorted(moves(done, "region")) == sorted(
        [*(f"hf_enter({n},1" for n in "abcd"), *(f"hf_leave({n},0" for n in "ab"), *(f"hf_leave({n},1" for n in "cd")]
    )
    for name in ("run", "add", "mult", "data_region"):
        assert moves(done, name) == [], name
    assert re.findall(r"__global__ void (hfk\w+)", done.files["m.cu"]) == ["hfk0_add", "hfk0_mult"]
    assert squeezed("call hfl0_add(a, b, c)") in routine(done, "add")
    assert squeezed("call hfl0_mult(a, b, d)") in routine(done, "mult")
    same_as_on_the_host(TEMPLATE, done, tmp_path)


HYBRID = """
module hybrid
  implicit none
  integer, parameter :: nx = 4, ny = 3
contains
  subroutine kernels_wrapper(a, b)
    real(8), intent(inout) :: a(nx,ny)
    real(8), intent(in) :: b(nx,ny)
    @domainDependant{attribute(transferHere)}
    a, b
    @end domainDependant
    call kernels(a, b)
    call host_only(a)
  end subroutine kernels_wrapper
  subroutine kernels(a, b)
    real(8), intent(inout) :: a(nx,ny)
    real(8), intent(in) :: b(nx,ny)
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    call device_add(a, b)
    @end parallelRegion
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    a = 2*a
    @end parallelRegion
  end subroutine kernels
  subroutine device_add(x, y)
    real(8), intent(inout) :: x
    real(8), intent(in) :: y
    x = x + y
  end subroutine device_add
  subroutine host_only(a)
    real(8), intent(inout) :: a(nx,ny)
    integer :: n
    do n = 1, nx
      call device_add(a(n,1), 0.25d0)
    end do
  end subroutine host_only
end module hybrid
program main
  use hybrid
  implicit none
  real(8) :: a(nx,ny), b(nx,ny)
  a = 1
  b = 0.5d0
  call kernels_wrapper(a, b)
  call kernels(b, a)
  print '(4f8.2)', a, b
end program main
"""


def test_18_routines_of_host_and_device(tmp_path: Path) -> None:
    """One routine serves callers with data on either side; what kernels call is there for the host as well."""
    done = gpu(HYBRID)
    assert re.findall(r"__global__ void (hfk\w+)", done.files["m.cu"]) == ["hfk0_kernels", "hfk1_kernels"]
    assert len(re.findall(r"__device__.*device_add", done.files["m.cu"])) >= 1
    for name in ("kernels", "kernels_wrapper", "host_only", "device_add"):
        assert len(re.findall(rf"^ *subroutine {name}\b", done.files["m.F90"], re.M)) == 1
    assert squeezed("x = x + y") in routine(done, "device_add")
    assert moves(done, "host_only") == []
    same_as_on_the_host(HYBRID, done, tmp_path)


def test_21_host_statements_of_a_transferring_routine() -> None:
    text = """
module m
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 2
contains
  subroutine step(a, s)
    real(8), intent(inout) :: a(nx,ny,nz)
    real(8), intent(out) :: s
    @domainDependant{attribute(transferHere)}
    a
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    a(1) = 2*a(1)
    @end parallelRegion
    s = a(1,1,2)
    a(:,:,:) = 0.
  end subroutine step
end module m
"""
    done = gpu(text, opt=0)
    found = routine(done, "step")
    read, written = found.index(squeezed("s = a(1,1,2)")), found.index(squeezed("a(:,:,:) = 0."))
    assert found[read - 1].startswith("callhf_update_host(a,")
    assert written == read + 1  # a whole array that is only set does not come to the host before
    assert found[written + 1].startswith("callhf_update_device(a,")
    assert squeezed("a(:,:,:) = 0.") not in routine(gpu(text), "step")  # the optimiser makes a kernel of it

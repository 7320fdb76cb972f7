"""Device twins that users name by hand, as the predecessor's documentation tells them to (hybrid-fortran.md §7.3)."""

from __future__ import annotations

from tests.support import translate_text

SOURCE = """\
module m
  integer, parameter :: nx = 4, ny = 3, nz = 2
  real, allocatable :: c(:,:,:)
  @domainDependant{attribute(host), domName(x,y,z), domSize(nx,ny,nz)}
  c
  @end domainDependant
end module m
module k
contains
  subroutine look
    use m, only: c
    @if{architecture(GPU)}
    use m, only: c_hfdev
    @end if
    @domainDependant{attribute(autoDom, host)}
    c
    @end domainDependant
    @if{architecture(GPU)}
    STATEMENT
    @end if
    print *, c(1,1,1)
  end subroutine look
  subroutine step
    use m, only: c, nx, ny, nz
    integer :: z
    @domainDependant{attribute(autoDom, present)}
    c
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    do z = 1, nz
      c(z) = c(z) + x
    end do
    @end parallelRegion
  end subroutine step
end module k
"""


def generated(statement: str) -> str:
    """The Fortran text for the GPU."""
    return translate_text({"k.h90": SOURCE.replace("STATEMENT", statement)}, target="gpu").require().files["k.F90"]


def test_a_copy_of_a_twin_is_an_update() -> None:
    text = generated("c(:,:,:) = c_hfdev(:,:,:)")
    assert '    call hf_update_host(c, "c"//hf_end, "k.h90:19"//hf_end)\n' in text
    assert "hfdev" not in text
    assert 'call hf_update_device(c, "c"//hf_end' in generated("c_hfdev = c")


def test_other_uses_of_a_twin_are_refused() -> None:
    result = translate_text({"k.h90": SOURCE.replace("STATEMENT", "c = 2. * c_hfdev")}, target="gpu")
    assert [(d.code, d.place.line) for d in result.errors] == [("HF702", 19)]


def test_the_cpu_does_not_see_them() -> None:
    text = translate_text({"k.h90": SOURCE.replace("STATEMENT", "c = c_hfdev")}).require().files["k.F90"]
    assert "hfdev" not in text


def test_twins_that_the_user_declares() -> None:
    """Only CUDA Fortran knows ``device``, and such a twin holds no data here: copies of it are updates all the same."""
    declared = """\
  @if{architecture(GPU)}
  type rows_hfdev
    real, allocatable, device, dimension(:) :: r
  end type rows_hfdev
  real, DEVICE, dimension(nx,ny,nz) :: c_hfdev
  type(rows_hfdev), managed :: rows_hfdev(2)
  @end if
end module m
"""
    source = SOURCE.replace("end module m\n", declared, 1).replace("STATEMENT", "c(:,:,:) = c_hfdev(:,:,:)")
    text = translate_text({"k.h90": source}, target="gpu").require().files["k.F90"]
    assert "real, allocatable, dimension(:) :: r" in text
    assert "real, dimension(nx,ny,nz) :: c_hfdev" in text and "type(rows_hfdev) :: rows_hfdev(2)" in text
    assert '    call hf_update_host(c, "c"//hf_end, "k.h90:26"//hf_end)\n' in text
    assert "c_hfdev" not in translate_text({"k.h90": source}).require().files["k.F90"]

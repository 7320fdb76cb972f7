"""Defects and limits of the predecessor on GPUs that hfpy has left behind (hybrid-fortran.md §16), seen in the text."""

from __future__ import annotations

import re

from tests.support import translate_text

MODULES = """\
module data
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  real(8), allocatable :: q(:,:,:)
  real(4) :: rate = 0.5
end module data
module helpers
  implicit none
contains
  pure real(8) function damped(x, factor)
    use data, only: rate
    real(8), intent(in) :: x
    real(4), intent(in) :: factor
    damped = x * factor * rate
  end function damped
end module helpers
module work
  implicit none
contains
  subroutine step(a, n, largest, flag)
    use data, only: nx, ny, nz, q
    use helpers, only: damped
    real(8) :: a(nx,ny,nz)
    integer(8), intent(in) :: n
    real(8), intent(inout) :: largest
    integer, intent(out) :: flag
    integer :: k
    real(4) :: factor
    factor = 0.25
    flag = 0
    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(max:largest)}
    do k = 1, nz
      a(k) = damped(a(k), factor) + q(i,j,k) * n
      largest = max(largest, a(k))
    end do
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    if (a(1) > 3.) flag = 1
    @end parallelRegion
    call elsewhere(a)
  end subroutine step
end module work
"""


def files() -> dict[str, str]:
    """The generated files."""
    return dict(translate_text({"w.h90": MODULES}, target="gpu").require().files)


def test_b13_module_arrays_are_entered_once() -> None:
    assert files()["w.F90"].count("call hf_enter_once(q, ") == 1


def test_b14_an_intent_that_is_missing_comes_from_use() -> None:
    text = files()["w.F90"]
    assert "call hf_enter(a, 1, " in text and "call hf_leave(a, 1, " in text
    assert "call hf_leave_once(q, 0, " in text  # q is only read


def test_b15_scalars_that_kernels_set_come_back() -> None:
    text = files()["w.cu"]
    assert "*largest_partial = launcher.partials<hf_maximum>(largest_host);" in text
    assert 'int *flag = launcher.scalar<int>(flag_host, "flag");' in text


def test_b24_long_kernel_names_stay_apart() -> None:
    long = "a_routine_with_a_name_that_is_as_long_as_fortran_lets_it_be_now"
    source = MODULES.replace("subroutine step", f"subroutine {long}")
    names = set(
        re.findall(r"__global__ void (hfk\w+)\(", translate_text({"w.h90": source}, target="gpu").files["w.cu"])
    )
    assert len(names) == 2 and all(len(name) <= 63 for name in names)


def test_b28_arguments_keep_their_kinds() -> None:
    kernel = files()["w.cu"].split("void hfk0_step(")[1].split(")")[0]
    for declared in (
        "const float factor",
        "const long long n",
        "const float rate_of_data",
        "double *__restrict__ a_data",
    ):
        assert declared in kernel


def test_b37_a_procedure_that_hfpy_does_not_know_sees_valid_data() -> None:
    rows = [row.split("(")[0].strip() for row in files()["w.F90"].split("\n") if "call " in row]
    at = rows.index("call elsewhere")
    assert rows[at - 1 : at + 2] == ["call hf_update_host", "call elsewhere", "call hf_update_device"]


def test_l3_device_routines_come_from_any_module() -> None:
    text = files()["w.cu"]
    head = "template <class hf_index> static __device__ double"
    assert f"{head} hff_damped(const double x, const float factor, const float rate_of_data)" in text
    assert "hff_damped<hf_index>(a(i, j, k), factor, rate_of_data)" in text


def test_l9_output_in_a_kernel_is_refused() -> None:
    source = MODULES.replace("if (a(1) > 3.) flag = 1", "print *, a(1:2)").replace("flag = 0", "flag = 1")
    assert [d.code for d in translate_text({"w.h90": source}, target="gpu").errors] == ["HF702"]

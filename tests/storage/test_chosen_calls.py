"""Calls whose procedure the run decides, where arrays are on the device: taken if candidates agree, else refused."""

from __future__ import annotations

import pytest

from tests.storage.programs import asked_ways, in_turn, program
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, SEQUENTIAL, Corpus, Variant, translate_text

TEXT = """\
module NAME
  implicit none
  abstract interface
    subroutine work(n, a, b)
      integer, intent(in) :: n
      real(8), intent(inout) :: a(n), b(n)
    end subroutine work
  end interface
  type obj
    real(8) :: s = 2
  contains
    procedure :: go => scaled
    procedure :: near => close_by
  end type obj
contains
  subroutine run()
    real(8) :: a(4), b(4)
    integer :: i, k
    do k = 1, 4
      do i = 1, 4
        a(i) = i*k
        b(i) = i - k*2.1d0
      end do
      call step(4, a, b, k)
      print *, a, b
    end do
  end subroutine run
  subroutine step(n, a, b, way)
    integer, intent(in) :: n, way
    real(8), intent(inout) :: a(n), b(n)
    procedure(work), pointer :: p
    type(obj) :: o
    integer :: i
<i
    a(i) = a(i) + 10*i
    b(i) = b(i) + a(i)
>
    p => first
    if (way == 2) p => second
    call p(n, a, b)
    if (way == 3) call p(n, b, a)
<i
    a(i) = a(i) + b(i)
>
    call passed(first, n, a, b)
    call o%go(n, b)
<i
    a(i) = a(i) + b(i)
>
    call o%near(a, n)
    print *, a(1), b(n)
  end subroutine step
  subroutine passed(f, n, x, y)
    procedure(work) :: f
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n), y(n)
    call f(n, y, x)
  end subroutine passed
  subroutine first(n, a, b)
    integer, intent(in) :: n
    integer :: i
    real(8), intent(inout) :: a(n), b(n)
<i
    a(i) = a(i)*2 - b(i)
>
    b(1) = b(1) + 100
  end subroutine first
  subroutine second(n, x, y)
    integer, intent(in) :: n
    integer :: i
    real(8), intent(inout) :: x(n), y(n)
<i
    y(i) = x(i)*3 - y(i)
>
  end subroutine second
  subroutine close_by(this, v, n)
    class(obj), intent(in) :: this
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    real(8) :: s
    integer :: i
    s = this%s
<i
    v(i) = v(i) - s*i
>
  end subroutine close_by
  subroutine scaled(this, n, v)
    class(obj), intent(in) :: this
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    real(8) :: s
    integer :: i
    s = this%s
<i
    v(i) = v(i)*s + i
>
  end subroutine scaled
end module NAME
"""
PRESENT = """\
    real(8), intent(inout) :: v(n)
    @domainDependant{attribute(present)}
    v
    @end domainDependant
"""
PAIRS = [
    program("chosen", TEXT),
    program("chosen_only", TEXT.replace("if (way == 2) p => second\n", "\n")),
    program("chosen_there", TEXT.replace("    real(8), intent(inout) :: v(n)\n", PRESENT)),
]
VARIANTS = (SEQUENTIAL, CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET)
BACKENDS = ("cuda-c", "cuda-fortran", "openacc", "openmp-target")


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("chosen"), asked_ways(request))


@pytest.mark.parametrize(("name", "variant"), in_turn({p.name: VARIANTS for p in PAIRS}))
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(name, variant)


@pytest.mark.parametrize("backend", BACKENDS)
def test_calls_copy_nothing(backend: str) -> None:
    text = translate_text(dict(PAIRS[0].hybrid), target="gpu", backend=backend).require().text
    step = text.split("subroutine step(")[1].split("end subroutine")[0]
    words = {"openacc": "!$acc update", "openmp-target": "!$omp target update"}.get(backend, "call hf_update")
    assert step.count(words) == 2  # for the print at the end


HOST = """  subroutine third(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    a(1) = b(1)
  end subroutine third
end module NAME
"""
REFUSED = {
    "host": (("p => second", "p => third"), "it may also be 'third', which does not"),
    "gaps": (("call p(n, a, b)", "call p(n/2, a(1:n:2), b)"), "'a' may be passed with gaps"),
    "value": (("call p(n, a, b)", "call p(n, a, b*2)"), "it expects an array on the device, and gets a value"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, backend: str) -> None:
    (old, new), reason = REFUSED[case]
    text = PAIRS[0].hybrid["chosen.h90"].replace(old, new)
    if case == "host":
        text = text.replace("end module chosen\n", HOST.replace("NAME", "chosen"))
    if case == "value":
        for names in ("a(n), b(n)\n@", "x(n), y(n)\n@"):
            listed = f"    @domainDependant{{attribute(present)}}\n{names[0]}, {names[6]}\n    @end domainDependant\n@"
            text = text.replace(names, names[:-1] + listed)
    found = translate_text(text, target="gpu", backend=backend).errors
    assert {d.code for d in found} == {"HF603"}
    assert any(reason in d.message for d in found)


def test_kernels_of_several_backends() -> None:
    text = PAIRS[0].hybrid["chosen.h90"]
    found = translate_text(text, target="gpu", backend="cuda-c", routines={"second": "openacc"}).errors
    assert any("there are kernels of several backends" in d.message for d in found)

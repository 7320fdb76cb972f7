"""Elements of arrays on the device that other names mean: by ``equivalence``, in common blocks that routines divide in
different ways, and by scalar pointers.
"""

from __future__ import annotations

import pytest

from tests.random.test_found import own
from tests.support import CUDA_C, CUDA_FORTRAN, OPENMP, Corpus

# What a host routine declares and does between two kernels that set all of ``x``.
PROGRAM = """module NAME
  implicit none
  real(8), target :: g(6)
  real(8) :: gh(6), ge
  equivalence (ge, gh(2))
contains
  subroutine change()
    DECLARED
    DONE
  end subroutine change
  subroutine step()
    real(8) :: x(6)
    common /NAME_c/ x
    integer :: i
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      x(i) = x(i) + i
      g(i) = 2*g(i)
      gh(i) = 3*gh(i)
    end do
    !@end parallelRegion
    call change()
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      x(i) = 2*x(i)
      g(i) = g(i) + 1
      gh(i) = gh(i) - 1
    end do
    !@end parallelRegion
  end subroutine step
  subroutine run()
    real(8) :: x(6)
    common /NAME_c/ x
    x = 0.5d0
    g = 0.25d0
    gh = 1
    call step()
    print *, x, g, gh
  end subroutine run
end module NAME
"""
CHANGES = {
    "another_name": ("real(8) :: v(6), e(2,3)\n common /NAME_c/ v\n equivalence (e, v)", "e(1,2) = e(2,3) + 7"),
    "an_element": ("real(8) :: v(2,3), e\n common /NAME_c/ v\n equivalence (e, v(2,1))", "e = e + 7"),
    "a_scalar": ("real(8) :: a, b, v(4)\n common /NAME_c/ a, b, v", "b = a + 7"),
    "of_a_module": ("", "ge = ge + 7"),
    "a_pointer": ("real(8), pointer :: p", "p => g(3)\n p = p + 7"),
}
# What a routine declares whose kernels set ``w``, and what it does then.
KERNEL = """module NAME
  implicit none
contains
  subroutine step(a)
    real(8), intent(inout) :: a(6)
    DECLARED
    integer :: i
    DONE
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      w(i) = a(i) + i
    end do
    !@end parallelRegion
    THEN
  end subroutine step
  subroutine run()
    real(8) :: a(6)
    a = [1, 2, 3, 4, 5, 6]
    call step(a)
    print *, a
  end subroutine run
end module NAME
"""
REGION = "!@parallelRegion{domName(i), domSize(6)}\n do i = 1, 6\n a(i) = a(i)*e\n end do\n !@end parallelRegion"
NAMES = {
    "equivalence": ("real(8) :: w(6), e\n equivalence (e, w(2))", ""),
    "pointer": ("real(8), target :: w(6)\n real(8), pointer :: e", "e => w(2)"),
}


def kernel(kind: str, then: str) -> str:
    declared, done = NAMES[kind]
    return KERNEL.replace("DECLARED", declared).replace("DONE", done).replace("THEN", then)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    changes = [own(n, PROGRAM.replace("DECLARED", d).replace("DONE", t)) for n, (d, t) in CHANGES.items()]
    hosts = [own(f"host_{kind}", kernel(kind, f"e = e + 7\n{REGION.replace('*e', '*w(i)')}")) for kind in NAMES]
    fused = [own(f"fused_{kind}", kernel(kind, REGION)) for kind in NAMES]
    ways = {p.name: (CUDA_C, CUDA_FORTRAN) for p in (*changes, *hosts)} | {p.name: (OPENMP,) for p in fused}
    return Corpus([*changes, *hosts, *fused], tmp_path_factory.mktemp("elements"), ways)


@pytest.mark.parametrize("name", CHANGES)
def test_host_routines_that_set_elements(corpus: Corpus, name: str) -> None:
    corpus.check(name)


@pytest.mark.parametrize("kind", NAMES)
def test_host_statements_that_set_elements(corpus: Corpus, kind: str) -> None:
    corpus.check(f"host_{kind}")


@pytest.mark.parametrize("kind", NAMES)
def test_a_region_that_sets_a_scalar_of_the_next_one_stays_apart(corpus: Corpus, kind: str) -> None:
    """Each point of the second one needs an element that another point of the first one sets."""
    corpus.check(f"fused_{kind}")


@pytest.mark.parametrize("kind", NAMES)
def test_a_kernel_gets_no_value_that_the_device_has_in_an_array(kind: str) -> None:
    assert CUDA_C.translated(own("given", kernel(kind, REGION))).codes() == ["HF603"]


BELOW = """module NAME
  implicit none
contains
  subroutine below()
    real(8) :: first, rest(5)
    common /NAME_c/ first, rest
    integer :: i
    !@parallelRegion{domName(i), domSize(5)}
    do i = 1, 5
      rest(i) = rest(i) + first
    end do
    !@end parallelRegion
  end subroutine below
  subroutine step()
    real(8) :: x(6)
    common /NAME_c/ x
    integer :: i
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      x(i) = i
    end do
    !@end parallelRegion
    call below()
  end subroutine step
end module NAME
"""


def test_a_scalar_that_a_caller_has_on_the_device_in_an_array() -> None:
    assert CUDA_C.translated(own("divided", BELOW)).codes() == ["HF603"]
    same = BELOW.replace("real(8) :: x(6)", "real(8) :: one, x(5)").replace("_c/ x", "_c/ one, x").replace("6", "5")
    assert not CUDA_C.translated(own("alike", same)).errors

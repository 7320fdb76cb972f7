"""Memory that goes from one array to another, is made anew, or gets values where it is made, while arrays are on the
device.
"""

from __future__ import annotations

import pytest

from tests.storage.programs import program
from tests.support import (
    CUDA_C,
    CUDA_FORTRAN,
    LAYOUT,
    LAYOUT_CUDA_C,
    LAYOUT_OPENMP,
    OPENACC,
    OPENMP_TARGET,
    SEQUENTIAL,
    Corpus,
    Variant,
    some_soon,
)

TEXT = """\
module NAME_store
  implicit none
  real(8), allocatable :: shared(:,:)
end module NAME_store
module NAME
  use NAME_store
  implicit none
  type box
    real(8), allocatable :: x(:,:)
  end type box
contains
  subroutine run()
    real(8), allocatable :: a(:,:), b(:,:), c(:,:)
    real(8), pointer :: p(:,:), q(:,:), t(:,:)
    type(box) :: o
    integer :: i, j, n
    allocate(a(4,3), b(4,3), p(4,3), q(4,3), shared(4,3), o%x(4,3))
    c = reshape([(0.5d0*n, n = 1, 12)], [4, 3])
    o%x = c
<ij
    a(i,j) = i + 10*j
    b(i,j) = i - j
    p(i,j) = i*j
    q(i,j) = -i
    shared(i,j) = 3*i
>
BODY
<ij
    b(i,j) = b(i,j)*2 + 1
    p(i,j) = p(i,j) + 3*q(i,j)
    shared(i,j) = shared(i,j) + a(i,j)
>
    print '(4f8.1)', a, b, p, q, shared, o%x
    deallocate(shared)
  end subroutine run
end module NAME
"""
BODIES = {
    "move": "call move_alloc(a, b)\nallocate(a(4,3))\na = 2",
    "move_twice": "call move_alloc(a, c)\ncall move_alloc(c, b)\nallocate(a(4,3))\na = 2",
    "move_part": "call move_alloc(a, o%x)\nallocate(a(4,3))\na = 2",
    "move_named": "call move_alloc(to=b, from=a)\nallocate(a(4,3))\na = 2",
    "swap": "t => p\np => q\nq => t",
    "swap_often": "do n = 1, 3\nt => p\np => q\nq => t\n<ij\np(i,j) = p(i,j) + q(i,j)*n\n>\nend do",
    "anew": "b = a(2:4,:)\ndeallocate(b)\nallocate(b(4,3))\nb = a",
    "with_values": "deallocate(b)\nallocate(b, source=a)",
    "with_values_of_another": "deallocate(b, shared)\nallocate(b, source=c)\nallocate(shared, source=a)",
    "with_one_value": "deallocate(b)\nallocate(b(4,3), source=7d0)",
    "several_with_one_value": "deallocate(b, shared)\nallocate(b(4,3), shared(4,3), source=7d0)",
    "part_with_values": "deallocate(o%x)\nallocate(o%x, source=a)",
    "from_part": "deallocate(b)\nallocate(b, source=o%x)",
    "pointer_with_values": "deallocate(p)\nallocate(p, source=a)",
    "as_another": "deallocate(b)\nallocate(b, mold=a)\nb = 5",
    "only_if": "if (c(1,1) < 1) then\ndeallocate(b)\nallocate(b, source=c)\nend if",
    "nullified": "nullify(t)\nif (.not. associated(t)) t => p\nt(2,2) = 100",
    "named": "associate (z => p)\nz(1,2) = 9\nend associate",
}
PAIRS = [program(f"m_{name}", TEXT.replace("BODY", body)) for name, body in BODIES.items()]
VARIANTS = (SEQUENTIAL, LAYOUT, LAYOUT_OPENMP, CUDA_C, LAYOUT_CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("memory"), {p.name: VARIANTS for p in PAIRS})


@pytest.mark.parametrize("variant", some_soon(VARIANTS))
@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    """Memory of arrays on the device that ``move_alloc`` gives to others is refused."""
    if name.startswith("m_move") and variant.options.get("target") == "gpu":
        assert {d.code for d in corpus.translation(name, variant).errors} == {"HF603"}
    else:
        corpus.check_one(name, variant)

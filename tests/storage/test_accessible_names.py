"""Names that a module keeps for itself are not those that its users mean (Fortran 2018, 8.6.1)."""

from __future__ import annotations

import pytest

from tests.storage.programs import program
from tests.support import CUDA_C, LAYOUT, OPENACC, OPENMP, SEQUENTIAL, Corpus, Pair, Variant

# The first module has names of its own that the second one gives to all.
TEXT = """\
module NAME_own
  implicit none
PRIVATE
  type{TYPE_ACCESS} :: cell
    integer :: n = 1
  end type cell
  real(8){ACCESS} :: x(5,6) = 7
  integer, parameter{ACCESS} :: size_of = 2
  interface scaled
    module procedure change
  end interface
contains
  subroutine change(t)
    real(8), intent(inout) :: t(:,:)
    t = -1
  end subroutine change
  subroutine set_own(t)
    real(8), intent(inout) :: t(:,:)
    type(cell) :: c
    call scaled(x)
    t(1,1) = t(1,1) + x(2,2) + size_of + c%n
  end subroutine set_own
end module NAME_own
module NAME_shared
  implicit none
  type cell
    real(8) :: n = 2
  end type cell
  real(8) :: x(4,3) = 1
  integer, parameter :: size_of = 4
contains
  subroutine change(t)
    real(8), intent(inout) :: t(:,:)
    t(2,:) = t(2,:) + x(1,:)*size_of
  end subroutine change
  subroutine scaled(t)
    real(8), intent(inout) :: t(:,:)
    x = x*3 + t
  end subroutine scaled
end module NAME_shared
module NAME
  use NAME_own
  use NAME_shared
  implicit none
contains
  subroutine run()
    real(8) :: y(4,3)
    type(cell) :: c
    integer :: i, j
<ij
    y(i,j) = x(i,j) + i + 10*j
    x(i,j) = 2*i - j
>
    call change(y)
    call scaled(y)
<ij
    y(i,j) = y(i,j)*size_of + x(i,j) + c%n
>
    call set_own(y)
    print '(4f9.1)', y, x
  end subroutine run
end module NAME
"""


def _text(private: str = "", type_access: str = "", access: str = "") -> str:
    return TEXT.replace("PRIVATE", private).replace("{TYPE_ACCESS}", type_access).replace("{ACCESS}", access)


TEXTS = {
    "by_default": _text("  private\n  public :: set_own"),
    "by_statement": _text("  private :: x, cell, size_of, change, scaled"),
    "by_attribute": _text("  private :: change, scaled", ", private", ", private"),
}
PAIRS = [program(name, text) for name, text in TEXTS.items()]
PAIRS.append(
    program("passed_on", TEXTS["by_default"].replace("module NAME\n  use NAME_own\n", "module NAME\n  use NAME_gate\n"))
)
GATE = """\
module NAME_gate
  use NAME_own
  use NAME_shared, only: x
  implicit none
  private :: x
end module NAME_gate
"""
VARIANTS = (SEQUENTIAL, OPENMP, LAYOUT, CUDA_C, OPENACC)


def _with_gate(pair: Pair) -> Pair:
    """The pair whose main module gets the first one's names through a third."""

    def placed(text: str) -> str:
        main = f"\nmodule {pair.name}\n"
        return text.replace(main, "\n" + GATE.replace("NAME", pair.name) + main[1:])

    hybrid = {name: placed(text) for name, text in pair.hybrid.items()}
    return Pair(
        pair.name, hybrid, {n: placed(t) for n, t in pair.reference.items()}, pair.module, layout=dict(pair.layout)
    )


PAIRS[-1] = _with_gate(PAIRS[-1])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("names"), {p.name: VARIANTS for p in PAIRS})


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(name, variant)

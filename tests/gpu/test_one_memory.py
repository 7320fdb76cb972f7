"""Array statements in kernels whose arrays may be one memory under two names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.storage.programs import program
from tests.support import CUDA_C, CUDA_FORTRAN, SEQUENTIAL, Corpus, translate_text

KERNEL = """\
module NAME
  implicit none
contains
  subroutine step(p, q)
    real(8), intent(inout), pointer :: p(:,:), q(:,:)
    integer :: i
    @domainDependant{attribute(transferHere)}
    p, q
    @end domainDependant
<i
    p(i,2:6) = q(i,1:5)
    p(i,1:5) = p(i,1:5) + q(i,2:6)
    p(i,1:5) = max(q(i,2:6), p(i,2:6))
    p(i,:) = q(i,6:1:-1)
>
  end subroutine step
  subroutine run()
    real(8), target :: x(4,6), y(4,6)
    real(8), pointer :: p(:,:), q(:,:)
    integer :: i, k
    do k = 1, 6
      do i = 1, 4
        x(i,k) = 0.1d0*i + k*0.37d0
        y(i,k) = i - k
      end do
    end do
    p => x
    q => x
    call step(p, q)
    q => y
    call step(p, q)
    print *, x, y
  end subroutine run
end module NAME
"""


def stated(text: str) -> str:
    """Regions that say that no two points meet in an element, which pointers leave open."""
    return text.replace("domSize(4)}", "domSize(4), independent(p,q)}")


def test_values_are_worked_out_first(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = program("onememory", KERNEL)
    pair = replace(made, hybrid={name: stated(text) for name, text in made.hybrid.items()})
    corpus = Corpus([pair], tmp_path_factory.mktemp("onememory"), {pair.name: (SEQUENTIAL, CUDA_C)})
    corpus.check(pair.name)


@pytest.mark.parametrize("statement", ["p(i,2:6) = q(i,1:5)", "p(i,:) = 2*q(i,:)", "p(i,2:3) = sqrt(q(i,1:2)) + i"])
def test_cuda_fortran_refuses(statement: str) -> None:
    text = stated(program("onememory", KERNEL).hybrid["onememory.h90"])
    begin = text.index("    p(i,2:6)")
    text = text[:begin] + f"    {statement}\n" + text[text.index("@end parallelRegion") :]
    done = translate_text(text, opt=0, **CUDA_FORTRAN.options)
    assert [d.message for d in done.errors] == [
        "an array assignment with 'p' and 'q', which may be one array, cannot be translated for a kernel"
    ]
    other = text.replace("pointer :: p(:,:), q(:,:)", "pointer :: p(:,:)\n    real(8), intent(inout) :: q(4,6)", 1)
    assert not translate_text(other, opt=0, **CUDA_FORTRAN.options).errors

"""Regions in submodules: names of parents, private ones too, and calls of separate module procedures."""

from __future__ import annotations

import pytest

from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, Corpus, Pair

PARENT = """module NAME_parent
  implicit none
  integer, parameter :: n = 4
  real(8) :: v(n)
  real(8), private :: w(n)
  interface
    module subroutine step(a)
      real(8), intent(inout) :: a(n)
    end subroutine step
    module function total(a) result(s)
      real(8), intent(in) :: a(n)
      real(8) :: s
    end function total
  end interface
end module NAME_parent
"""
CHILD = """submodule (NAME_parent) NAME_child
  implicit none
  real(8) :: own(n)
contains
  module subroutine step(a)
    real(8), intent(inout) :: a(n)
    integer :: i
<
    w(i) = 3*i
    own(i) = w(i)
    v(i) = a(i) + w(i) + own(i)
    a(i) = v(i)
>
    call more(a)
  end subroutine step
  subroutine more(b)
    real(8), intent(inout) :: b(n)
    integer :: i
<
    b(i) = 2*b(i) + v(i) + own(i)
>
  end subroutine more
end submodule NAME_child
"""
GRANDCHILD = """SUBMODULE (NAME_parent : NAME_child) NAME_grandchild
  implicit none
contains
  module function total(a) result(s)
    real(8), intent(in) :: a(n)
    real(8) :: s
    integer :: i
<
    own(i) = own(i) + a(i)
    w(i) = own(i)
>
    s = sum(own) + w(n)
  end function total
end submodule NAME_grandchild
"""
MAIN = """module NAME
  use NAME_parent
  implicit none
contains
  subroutine run()
    real(8) :: a(n), s
    a = 1
    call outer(a, s)
    print *, a, v, s
  end subroutine run
  subroutine outer(a, s)
    real(8), intent(inout) :: a(n)
    real(8), intent(out) :: s
    integer :: i
DIRECTIVE<
    a(i) = a(i) + i
>
    call step(a)
<
    a(i) = a(i) + 0.5d0
>
    s = total(a)
  end subroutine outer
end module NAME
"""
HELD = "    @domainDependant{attribute(transferHere)}\n    a\n    @end domainDependant\n"
REGION = ("@parallelRegion{domName(i), domSize(n)}", "@end parallelRegion")
VARIANTS = (OPENMP, CUDA_C, CUDA_FORTRAN, OPENACC)


def _pair(name: str, held: str) -> Pair:
    def files(kind: str, begin: str, end: str, directive: str) -> dict[str, str]:
        parts = {"parent": PARENT, "child": CHILD, "grandchild": GRANDCHILD}
        texts = {f"{name}_{part}.{kind}": text for part, text in parts.items()}
        texts[f"{name}.{kind}"] = MAIN.replace("DIRECTIVE", directive)
        return {
            file: text.replace("NAME", name).replace("<\n", f"{begin}\n").replace(">\n", f"{end}\n")
            for file, text in texts.items()
        }

    return Pair(name, files("h90", *REGION, held), files("f90", "do i = 1, n", "end do", ""), name)


PAIRS = [_pair("plain", ""), _pair("held", HELD)]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("submodules"), {p.name: VARIANTS for p in PAIRS})


@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_programs(name: str, corpus: Corpus) -> None:
    corpus.check(name)

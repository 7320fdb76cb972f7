"""Statements in which the host sets a part of an array, and kernels that they run set other parts: both are kept."""

from __future__ import annotations

import pytest

from tests.random.test_found import own
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, Corpus, translate_text

DOUBLE = """  subroutine double(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      x(i) = 2*x(i) + i
    end do
    !@end parallelRegion
  end subroutine double
"""
PROGRAM = (
    """module NAME
  implicit none
  type box
    real(8) :: x(6)
  end type
  real(8) :: shared(6)
  integer :: place
contains
"""
    + DOUBLE
    + """  subroutine head(alpha, n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: alpha, x(n)
    alpha = alpha + 7
    call double(n, x)
  end subroutine head
  subroutine heads(alpha, beta, n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: alpha, beta, x(n)
    call double(n, x)
    beta = alpha - 3
    alpha = 5
  end subroutine heads
  function tail(n, x) result(r)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    real(8) :: r
    call double(n, x)
    r = 11
  end function tail
  function ofmodule() result(r)
    real(8) :: r
    call double(5, shared(2:6))
    r = 13
  end function ofmodule
  subroutine moving(i, alpha, n, x)
    integer, intent(inout) :: i
    integer, intent(in) :: n
    real(8), intent(inout) :: alpha, x(n)
    alpha = alpha + 7
    i = i + 1
    call double(n, x)
  end subroutine moving
  elemental subroutine raise(x, y)
    real(8), intent(inout) :: x
    real(8), intent(in) :: y
    x = x + y
  end subroutine raise
  subroutine step(a, b)
    real(8), intent(inout) :: a(6), b(6,4)
    type(box) :: q
    real(8) :: c(6)
    integer :: i, j, order(2)
    order = [2, 1]
    c = 0
    q%x = [3, 1, 4, 1, 5, 9]
    j = 1
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      a(i) = a(i) + i
      shared(i) = a(i)
      c(i) = 3*i
      b(i,1:4) = b(i,1:4) + a(i)
      q%x(i) = q%x(i) + 1
    end do
    !@end parallelRegion
    DONE
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      a(i) = a(i) - 0.5d0
      shared(i) = shared(i) + 1
      c(i) = c(i) + 1
      b(i,1:4) = b(i,1:4) + 1
      q%x(i) = q%x(i) - 1
    end do
    !@end parallelRegion
    a = a + c + q%x
  end subroutine step
  subroutine run()
    real(8) :: a(6), b(6,4)
    a = [1, 2, 3, 4, 5, 6]
    b = reshape([(0.5d0*place, place=1, 24)], [6, 4])
    call step(a, b)
    print *, a, b, shared
  end subroutine run
end module NAME
"""
)
KEPT = {
    "element": "call head(a(1), 5, a(2:6))",
    "last": "call head(a(6), 5, a)",
    "two_elements": "call heads(a(1), a(2), 4, a(3))",
    "of_a_matrix": "do j = 1, 3\n print *, j\n call head(b(j,j), 6 - j, b(j+1:6,j))\n end do",
    "under_a_condition": "if (c(2) > 0) call head(a(1), 5, a(2:6))",
    "by_an_index": "call head(a(order(1)), 4, a(3:6))",
    "of_a_function": "a(1) = tail(5, a(2:6))",
    "section": "c(1:2) = tail(4, c(3:6))",
    "with_gaps": "b(1:6:5,2) = tail(4, b(2:5,2))",
    "of_a_module": "shared(1) = ofmodule()",
}
COMPONENT = {"component": "call head(q%x(1), 5, q%x(2:6))"}
REFUSED = {
    "index_that_moves": "j = 1\n call moving(j, a(j), 4, a(3:6))",
    "vector": "a(order) = tail(4, a(3:6))",
}
# Directives update whole arrays, and single elements.
NOT_BY_DIRECTIVES = ("section", "with_gaps")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    made = [own(name, PROGRAM.replace("DONE", done)) for name, done in (KEPT | COMPONENT).items()]
    return Corpus(made, tmp_path_factory.mktemp("apart"), {p.name: (CUDA_C, CUDA_FORTRAN) for p in made})


@pytest.mark.parametrize("name", KEPT | COMPONENT)
def test_what_the_host_and_what_kernels_set_is_kept(corpus: Corpus, name: str) -> None:
    corpus.check(name)


@pytest.mark.parametrize("name", KEPT)
def test_directives_copy_the_element_alone(name: str) -> None:
    translated = OPENACC.translated(own(name, PROGRAM.replace("DONE", KEPT[name])))
    assert translated.codes() == (["HF603"] if name in NOT_BY_DIRECTIVES else [])


@pytest.mark.parametrize("name", REFUSED)
def test_parts_that_cannot_be_copied_alone(name: str) -> None:
    assert CUDA_C.translated(own(name, PROGRAM.replace("DONE", REFUSED[name]))).codes() == ["HF603"]


WORK = (
    """module NAME
  implicit none
contains
"""
    + DOUBLE
    + """  subroutine head(alpha, n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: alpha, x(n)
    call double(n, x)
    alpha = alpha + 7
  end subroutine head
  subroutine middle(n, tau, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: tau(*), a(n)
    call head(tau(2), n, a)
  end subroutine middle
  subroutine run()
    real(8) :: w(12)
    integer :: i
    !@parallelRegion{domName(i), domSize(12)}
    do i = 1, 12
      w(i) = 0.5d0*i
    end do
    !@end parallelRegion
    call middle(6, w(1), w(4))
    !@parallelRegion{domName(i), domSize(12)}
    do i = 1, 12
      w(i) = w(i) - 1
    end do
    !@end parallelRegion
    print *, w
  end subroutine run
end module NAME
"""
)


def test_another_part_of_one_work_array(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A copy of ``tau(*)`` would take all that is behind it with it."""
    made = own("work", WORK)
    Corpus([made], tmp_path_factory.mktemp("work"), {made.name: (CUDA_C, CUDA_FORTRAN)}).check(made.name)


OVER = (
    WORK.replace("real(8), intent(inout) :: alpha, x(n)", "real(8), intent(inout) :: alpha, x(*)")
    .replace("    call double(n, x)\n    alpha = alpha + 7\n", "    alpha = 7\n    call double(n, x)\n    SHOWN\n")
    .replace("call middle(6, w(1), w(4))", "call middle(6, w(8), w(1))")
    .replace("tau(*), a(n)", "tau(*), a(*)")
    .replace("call head(tau(2), n, a)", "call head(tau(1), n, a)")
)


def test_copies_of_unknown_size_over_what_was_set() -> None:
    """The host reads ``x`` after it has set the element, which is behind the beginning of ``x``."""
    for shown, codes in (("continue", []), ("print *, x(1)", ["HF603"])):
        text = OVER.replace("SHOWN", shown).replace("NAME", "over")
        done = translate_text({"m.f90": text}, target="gpu", backend="cuda-c")
        assert done.codes() == codes, (shown, done.diagnostics)
        assert not codes or "may go over the element of 'tau'" in done.errors[0].message


@pytest.mark.parametrize("call", ["call leaving(3, w(2:7:2), *10)", "call head(w(1), 6, w(2:7))"])
def test_a_way_out_past_the_copies(call: str) -> None:
    """What the compiler packs goes back to the device after the call, which may go on at the label instead."""
    leaving = """  subroutine leaving(n, x, *)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    call double(n, x)
    if (n > 1) return 1
  end subroutine leaving
  subroutine middle"""
    text = WORK.replace("  subroutine middle", leaving, 1).replace(
        "call middle(6, w(1), w(4))", f"{call}\n    10 continue"
    )
    done = translate_text({"m.f90": text.replace("NAME", "ways")}, target="gpu", backend="cuda-c")
    assert done.codes() == (["HF603"] if "*10" in call else [])

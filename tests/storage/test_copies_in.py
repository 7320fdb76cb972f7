"""Arrays whose values on the host do not matter are not copied to the device: their first region sets all of them."""

from __future__ import annotations

import re

import pytest

from tests.storage.programs import program
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, SEQUENTIAL, Corpus, translate_text

TEXT = """\
module NAME
  implicit none
  real(8) :: kept(0:3, 3)
contains
  subroutine run()
    real(8) :: a(4, 3), b(4, 3), c(4, 3)
    integer :: i, k
    kept = 1.5d0
    do k = 1, 3
      do i = 1, 4
        a(i, :) = i*k
        b(i, :) = i - k*2.1d0
        c(i, :) = [3.d0, 1.d0, 4.d0]*i
      end do
      call step(a, b, c, k)
      print *, a, b, c, kept
    end do
  end subroutine run
  subroutine step(a, b, c, way)
    integer, intent(in) :: way
    real(8), intent(in) :: a(4, 3)
    real(8), intent(out) :: b(4, 3)
    real(8), intent(inout) :: c(4, 3)
    integer :: i, j
<ij
    b(i, j) = 3*a(i, j)
    if (way > 1) b(i, j) = b(i, j) + 1
>
    print *, b(2, 3)
<ij
    kept(i - 1, j) = b(i, j)
    if (a(i, j) > way) c(i, j) = b(i, j)
>
  end subroutine step
end module NAME
"""
PAIRS = [program("copiesin", TEXT)]
VARIANTS = (SEQUENTIAL, CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("copiesin"), {p.name: VARIANTS for p in PAIRS})


def test_programs(corpus: Corpus) -> None:
    corpus.check(PAIRS[0].name)
    for variant, first in ((CUDA_C, "hf_enter(b, 0,"), (OPENACC, "copyout(b"), (OPENMP_TARGET, "map(from: b")):
        text = "".join(corpus.translation(PAIRS[0].name, variant).files.values())
        assert first in text, variant.label


ROUTINE = """\
module m
  implicit none
  integer :: w = 3
  integer, parameter :: three = 3
  real(8), target :: held(4, 3)
  interface
    subroutine outside()
    end subroutine outside
  end interface
contains
  subroutine run(n, k, a, b)
    integer, intent(in) :: n
    integer, intent(inout) :: k
    DECLARED
    real(8), intent(inout) :: b(n, 3)
    integer :: i, j
    BEFORE
    @parallelRegion{domName(j,i), domSize(3,n)MORE}
    BODY
    @end parallelRegion
    @parallelRegion{domName(j,i), domSize(3,n)}
    b(i,j) = b(i,j) + a(i,j)
    @end parallelRegion
  end subroutine run
  subroutine hidden()
    print *, held(1,1)
  end subroutine hidden
  subroutine widen()
    w = w + 1
  end subroutine widen
end module m
"""
A = "real(8), intent(inout) :: a(n, 3)"
SET = "a(i,j) = b(i,j)"
# Declaration of a, statements before the region, more of its attributes, its body.
NOT_COPIED = {
    "all of it": (A, "", "", SET),
    "intent(out)": (A.replace("inout", "out"), "", "", SET),
    "written twice": (A, "", "", "a(i,j) = 1\n    a(i,j) = a(i,j) + b(i,j)"),
    "on both branches": (A, "", "", "if (b(i,j) > 0) then\n    a(i,j) = 1\n    else\n    a(i,j) = 2\n    end if"),
    "mirrored": (A, "", "", "a(n + 1 - i, j) = b(i,j)"),
    "lower bound": (A.replace("n, 3", "0:n-1, 3"), "", "", "a(i - 1,j) = b(i,j)"),
    "two halves": (A, "", "", "if (j == 1) a(i,1) = 1\n    if (j >= 2) a(i,j) = 2"),
    "scalars before": (A, "k = k + 1\n    b(1,1) = 2", "", SET),
    "a module's constant extent": ("real(8), intent(inout) :: a(n, three)", "", "", SET),
    "a call that does not name it": (A, "call widen()", "", SET),
}
COPIED = {
    "a part of the points": (A, "", ", startAt(1,2), endAt(3,n)", SET),
    "a part of the array": (A.replace("n, 3", "n, 4"), "", "", SET),
    "halo": (A.replace("n, 3", "0:n, 3"), "", "", SET),
    "under a condition": (A, "", "", "if (b(i,j) > 0) a(i,j) = 1"),
    "read first": (A, "", "", "a(i,j) = a(i,j) + 1"),
    "every other": (A, "", "", "if (mod(i, 2) == 0) a(i,j) = 1"),
    "size of the argument": (A.replace("n, 3", ":, :"), "", "", SET),
    "a bound that changes": (A.replace("n, 3", "n, w"), "call widen()", ", endAt(w,n)", SET),
    "a bound that the routine sets": (A.replace("n, 3", "k, 3"), "k = k + 1", "", SET),
    "a return before": (A, "if (k == 1) return", "", SET),
    "read on the host before": (A, "print *, a(1,1)", "", SET),
    "written on the host before": (A, "a(1,1) = 2", "", SET),
    "in a loop": (A, "do k = 1, 2\n    if (k == 3) exit", "", f"{SET}\n    @end parallelRegion\n    end do\n"
                  "    @parallelRegion{domName(j,i), domSize(3,n)}\n    a(i,j) = a(i,j) + 1"),
    "a call to somewhere": (A, "call outside()", "", SET),
    "a target": (A.replace("inout)", "inout), target"), "call hidden()", "", SET),
    "a pointer": ("real(8), pointer :: a(:, :)", "", "", SET),
    "allocatable": ("real(8), allocatable, intent(inout) :: a(:, :)", "", "", SET),
    "an index array": (A, "", "", "a(nint(b(i,1)),j) = b(i,j)"),
}  # fmt: skip


def entered(case: tuple[str, str, str, str], backend: str = "cuda-c") -> bool:
    """Whether ``a`` is copied to the device at the beginning of the routine."""
    text = ROUTINE
    for word, part in zip(("DECLARED", "BEFORE", "MORE", "BODY"), case, strict=True):
        text = text.replace(word, part)
    done = translate_text(text, backend=backend, target="gpu", opt=0)
    assert not [d for d in done.errors if d.code != "HF504"], done.errors
    made = "".join(done.files.values())
    calls = re.findall(r"hf_enter\w*\(a, ([01]),", made)
    clauses = re.findall(r"!\$acc (?:enter )?data (?:.* )?(copy|copyin|copyout|create)\((?:\w+, )*a(?:, \w+)*\)", made)
    assert calls or clauses, made
    return "1" in calls or bool({"copy", "copyin"} & set(clauses))


@pytest.mark.parametrize("name", NOT_COPIED)
def test_not_copied(name: str) -> None:
    assert not entered(NOT_COPIED[name])
    assert not entered(NOT_COPIED[name], "openacc")


@pytest.mark.parametrize("name", COPIED)
def test_copied(name: str) -> None:
    assert entered(COPIED[name])


def test_one_array_passed_twice() -> None:
    """The standard forbids it, programs do it: what is read of the one name must be there under the other."""
    caller = """\
  subroutine caller(k)
    integer, intent(inout) :: k
    real(8) :: one(4, 3), other(4, 3)
    call run(4, k, one, FIRST)
  end subroutine caller
end module m
"""
    case = (A, "", "", SET)
    for given, copied in (("other", False), ("one", True)):
        text = ROUTINE.replace("end module m\n", caller.replace("FIRST", given))
        for word, part in zip(("DECLARED", "BEFORE", "MORE", "BODY"), case, strict=True):
            text = text.replace(word, part)
        made = "".join(translate_text(text, backend="cuda-c", target="gpu", opt=0).files.values())
        assert (f'hf_enter(a, {int(copied)}, "a"' in made) and "hf_enter(b, 1," in made, given

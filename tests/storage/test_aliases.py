"""Names that may mean the same memory in a region: said where one of them is written, and no ``simd``."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """module m
  implicit none
  integer, parameter :: n = 8
  MORE
contains
  subroutine step(ARGUMENTS)
    DECLARED
    integer :: i
    @parallelRegion{domName(i), domSize(n)CLAUSE}
    z(i) = a(i) + 1
    @end parallelRegion
  end subroutine step
  subroutine caller()
    real(8), target :: x(n), y(n), long(2*n)
    real(8), pointer :: p(:), q(:)
    p => x
    q => y
    SET
    CALLS
  end subroutine caller
end module m
"""
TARGETS = "real(8), intent(in), target :: a(:)\n    real(8), intent(inout), target :: z(:)"
POINTERS = "real(8), pointer, intent(in) :: a(:), z(:)"
PLAIN = "real(8), intent(in) :: a(:)\n    real(8), intent(inout) :: z(:)"
# Declarations of the dummies, further statements, calls, and whether two names may be one memory.
CASES = {
    "same_actual": (TARGETS, "", "call step(x, x)", True),
    "different_actuals": (TARGETS, "", "call step(x, y)", False),
    "swapped_actuals": (TARGETS, "", "call step(x, y)\n    call step(y, x)", False),
    "sections_of_one": (TARGETS, "", "call step(long(1:n), long(2:n+1))", True),
    "pointers": (POINTERS, "", "call step(p, q)", False),
    "pointers_to_one": (POINTERS, "q => x", "call step(p, q)", True),
    "pointers_swapped": (POINTERS, "p => y\n    q => x", "call step(p, q)", True),
    "pointer_to_a_section": (POINTERS, "q => x(2:)", "call step(p, q)", True),
    "no_target": (PLAIN, "", "call step(x, y)", False),
}


def _text(name: str, clause: str = "") -> str:
    declared, more, calls, _ = CASES[name]
    words = {"ARGUMENTS": "a, z", "DECLARED": declared, "SET": more, "CALLS": calls, "MORE": "", "CLAUSE": clause}
    text = PROGRAM
    for word, value in words.items():
        text = text.replace(word, value)
    return text


@pytest.mark.parametrize("name", CASES)
def test_dummies(name: str) -> None:
    done = translate_text(_text(name), backend="openmp").require()
    reported = [d for d in done.diagnostics if d.code == "HF500"]
    assert bool(reported) is CASES[name][3]
    assert ("!$omp simd" not in done.statements and "!$ompparalleldosimd" not in done.text) or not reported
    assert not reported or "'a' may be the same memory" in reported[0].message


@pytest.mark.parametrize("name", [n for n, case in CASES.items() if case[3]])
def test_a_clause_states_that_points_stay_apart(name: str) -> None:
    assert not translate_text(_text(name, ", independent(z)"), backend="openmp").require().diagnostics


STORAGE = {
    "equivalence": ("real(8) :: a(n), z(2*n)\n    equivalence (a(1), z(3))", True),
    "common": ("real(8) :: a(n), z(n)\n    common /block/ a, z", False),
    "two_blocks": ("real(8) :: a(n), z(n)\n    common /block/ a\n    common /other/ z", False),
    "apart": ("real(8) :: a(n), z(n)", False),
}


@pytest.mark.parametrize("name", STORAGE)
def test_storage_association(name: str) -> None:
    declared, expected = STORAGE[name]
    text = PROGRAM.split("  subroutine caller")[0] + "end module m\n"
    for word, value in {"ARGUMENTS": "", "DECLARED": declared, "MORE": "", "CLAUSE": ""}.items():
        text = text.replace(word, value)
    text = text.replace("integer :: i\n", "integer :: i\n    a = 1\n").replace(
        "    @end parallelRegion\n", "    @end parallelRegion\n    print *, z\n"
    )
    done = translate_text(text, backend="openmp").require()
    assert any("may be the same memory" in d.message for d in done.diagnostics) is expected


@pytest.mark.parametrize("name", STORAGE)
@pytest.mark.parametrize(
    ("backend", "file", "promise", "promised"),
    [("cuda-c", "m.cu", "__restrict__", True), ("cuda-fortran", "m_kernels.cuf", ", target", False)],
)
def test_kernels_promise_nothing_of_arrays_that_may_be_one(
    name: str, backend: str, file: str, promise: str, promised: bool
) -> None:
    """``__restrict__`` promised the compiler that a variable in an equivalence is not written under another name."""
    declared, shared = STORAGE[name]
    text = PROGRAM.split("  subroutine caller")[0] + "end module m\n"
    for word, value in {"ARGUMENTS": "", "DECLARED": declared, "MORE": "", "CLAUSE": ""}.items():
        text = text.replace(word, value)
    text = text.replace("integer :: i\n", "integer :: i\n    a(1) = 1\n    z(1) = 1\n")
    done = translate_text(text, target="gpu", backend=backend)
    made = done.require().files[file]
    assert (promise in made) is (promised != shared)

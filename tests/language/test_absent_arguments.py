"""Optional arguments in which regions collect a result, or leave a value: of an absent one, no thread has a copy."""

import pytest

from tests.support import translate_text

ROUTINE = """module m
  implicit none
contains
  subroutine work(n, a, b, x)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    real(8), intent(inout), optional :: x
    logical :: asked
    integer :: i
    BEFORE
    DIRECTIVE
    do i = 1, n
      b(i) = a(i)
      BODY
    end do
    AFTER
  end subroutine work
  subroutine added(x, y)
    real(8), intent(inout), optional :: x
    real(8), intent(in) :: y
    if (present(x)) x = x + y
  end subroutine added
  subroutine put(x, y)
    real(8), intent(out), optional :: x
    real(8), intent(in) :: y
    if (present(x)) x = y
  end subroutine put
  subroutine needed(x, y)
    real(8), intent(inout) :: x
    real(8), intent(in) :: y
    x = x + y
  end subroutine needed
end module m
"""
SUM = "!@parallelRegion{reduction(+:x)}"


def codes(body: str, directive: str = SUM, before: str = "", after: str = "", backend: str = "openmp") -> list[str]:
    text = ROUTINE.replace("BODY", body).replace("DIRECTIVE", directive)
    text = text.replace("BEFORE", before.replace("; ", "\n    ")).replace("AFTER", after.replace("; ", "\n    "))
    target = "cpu" if backend == "openmp" else "gpu"
    return translate_text({"m.f90": text}, backend=backend, target=target).codes()


@pytest.mark.parametrize("backend", ["openmp", "openmp-target", "openacc", "cuda-c", "opencl"])
def test_a_reduction_of_what_may_be_absent_is_refused(backend: str) -> None:
    """Runs ended with a fault of memory where the argument was not given."""
    assert codes("if (present(x)) x = x + a(i)", backend=backend) == ["HF504"]


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("if (asked) x = x + a(i)", "asked = present(x)"),
        ("if (present(x) .and. a(i) > 1) x = x + a(i)", ""),
        ("call added(x, a(i))", ""),
        ("call added(y=a(i), x=x)", ""),
    ],
)
def test_ways_to_ask(body: str, before: str) -> None:
    assert codes(body, before=before) == ["HF504"]


@pytest.mark.parametrize(
    ("body", "before", "after"),
    [
        ("x = x + a(i)", "", ""),
        ("if (a(i) > 1) x = x + a(i)", "", ""),
        ("call needed(x, a(i))", "", ""),
        ("x = x + a(i)", "if (present(x)) x = 0", ""),
        ("x = x + a(i)", "if (present(x)) then", "end if"),
        ("if (a(i) > 1) x = x + a(i)", "if (present(x) .and. n > 1) then", "end if"),
        ("call added(x, a(i))", "if (present(x)) then", "end if"),
    ],
)
def test_what_is_there_can_be_a_reduction(body: str, before: str, after: str) -> None:
    assert codes(body, before=before, after=after) == []


def test_the_last_value_of_what_may_be_absent() -> None:
    assert codes("call put(x, a(i))", "!@parallelRegion") == ["HF504"]
    assert codes("call put(x, a(i))", "!@parallelRegion", "if (present(x)) then", "end if") == []


@pytest.mark.parametrize("body", ["if (present(x)) x = x + a(i)", "call added(x, a(i))", "call put(x, a(i))"])
def test_found_loops_stay_serial(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    text = ROUTINE.replace("BODY", body).replace("DIRECTIVE", "")
    for before, after, found in (("", "", 0), ("if (present(x)) then", "end if", 1)):
        whole = text.replace("BEFORE", before).replace("AFTER", after)
        done = translate_text({"m.f90": whole}, backend="openmp", auto=True).require()
        assert done.text.count("omp parallel do") == found

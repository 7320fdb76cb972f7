"""Wrong states of device data, told when the program is translated: each code of HF6xx, in each of its cases."""

from __future__ import annotations

import pytest

from tests.support import translate_text

RUNTIME, DIRECTIVES = ("cuda-c", "cuda-fortran"), ("openacc", "openmp-target")
ALL = (*RUNTIME, *DIRECTIVES)
IN_ONE_PIECE = ("cuda-fortran", "opencl", *DIRECTIVES)  # what arrays on the device have to be

KERNELS = """
  subroutine found(k, v)
    integer, intent(in) :: k
    real(8), intent(inout) :: v(k)
    @domainDependant{attribute(present)}
    v
    @end domainDependant
    @parallelRegion{domName(i), domSize(k)}
    v = 2*v
    @end parallelRegion
  end subroutine found
  subroutine brought(k, v)
    integer, intent(in) :: k
    real(8), intent(inout) :: v(k)
    @parallelRegion{domName(i), domSize(k)}
    v = 2*v
    @end parallelRegion
  end subroutine brought
  subroutine shaped(v)
    real(8), intent(inout) :: v(:)
    @domainDependant{domName(i), domSize(n), attribute(autoDom, transferHere)}
    v
    @end domainDependant
    @parallelRegion{domName(i), domSize(n)}
    v = 2*v
    @end parallelRegion
  end subroutine shaped
"""


def program(body: str, declared: str = "", more: str = "", state: str = "attribute(transferHere)") -> str:
    """A module with a routine that has ``a`` on the device; the lines of its text can be counted from the top."""
    return f"""module m
  implicit none
  integer, parameter :: n = 6
  type object
    real(8), pointer :: p(:) => null()
  end type object
contains
  subroutine top(a)
    real(8), intent(inout), target :: a(n)
    {declared}
    @domainDependant{{{state}}}
    a
    @end domainDependant
    call brought(n, a)
    {body}
  end subroutine top
{more}{KERNELS}end module m
"""


LINE = 15  # of the body

CASES = {
    "host_array_in_a_kernel": (
        ALL,
        "HF600",
        program(
            "@parallelRegion{domName(i), domSize(n)}\n    a = 2*a\n    @end parallelRegion", state="attribute(host)"
        ),
        LINE + 1,
    ),
    "host_array_to_present": (ALL, "HF600", program("call found(n, a)", state="attribute(host)"), LINE),
    "condition": (
        ALL,
        "HF601",
        program("do while (a(1) < 9)\n      call brought(n, a)\n    end do"),
        LINE,
    ),
    "stride_to_present": (ALL, "HF602", program("call found(3, a(1:n:2))"), LINE),
    "vector_to_present": (ALL, "HF602", program("call found(3, a([1, 3, 5]))"), LINE),
    "value_to_present": (ALL, "HF602", program("call found(n, (a))"), LINE),
    "constructor_to_present": (ALL, "HF602", program("call found(2, [a(1), a(2)])"), LINE),
    "function_to_present": (
        ALL,
        "HF602",
        program(
            "call found(n, twice(a))",
            more="""  function twice(v)
    real(8), intent(in) :: v(n)
    real(8) :: twice(n)
    twice = 2*v
  end function twice
""",
        ),
        LINE,
    ),
    "keyword": (ALL, "HF602", program("call found(v=a(1:n:2), k=3)"), LINE),
    "stride_to_assumed_shape": (IN_ONE_PIECE, "HF602", program("call shaped(a(1:n:2))"), LINE),
    "loop_end": (
        ALL,
        "HF603",
        program("do 10 k = 1, 2\n      call brought(n, a)\n10  a(1) = k", "integer :: k"),
        LINE + 2,
    ),
    "pointer_of_one_of_many": (
        ALL,
        "HF603",
        program("o(2)%p => a\n    o(2)%p(1) = 3", "type(object) :: o(2)"),
        LINE + 1,
    ),
    "common_block_of_a_caller": (
        ALL,
        "HF603",
        program(
            "@parallelRegion{domName(i), domSize(n)}\n    c = a\n    @end parallelRegion\n    call between(a)",
            "real(8) :: c(n)\n    common /block/ c",
            """  subroutine between(a)
    real(8), intent(inout) :: a(n)
    call brought(n, a)
    call below()
  end subroutine between
  subroutine below()
    real(8) :: c(n), other(2)
    common /block/ c
    equivalence (other(1), c(2))
    c(1) = 3
  end subroutine below
""",
        ),
        24,
    ),
    "two_parts": (
        DIRECTIVES,
        "HF603",
        program(
            "call pair(a(1:3), a(4:6:2))",
            more="""  subroutine pair(v, w)
    real(8), intent(inout) :: v(3), w(2)
    call brought(3, v)
    call brought(2, w)
  end subroutine pair
""",
        ),
        LINE,
    ),
    "unknown_size": (
        DIRECTIVES,
        "HF603",
        program(
            "call sized(a)",
            more="""  subroutine sized(v)
    real(8), intent(inout) :: v(*)
    call brought(2, v)
    v(1) = 3
  end subroutine sized
""",
        ),
        20,
    ),
    "condition_that_changes": (
        ALL,
        "HF603",
        program(
            "if (k > 0) then\n      call brought(n, a)\n    else if (changed(a) > 3) then\n"
            "      call brought(n, a)\n    end if",
            "integer :: k = 2",
            more="""  real(8) function changed(v)
    real(8), intent(inout) :: v(n)
    v(1) = v(1) + 1
    changed = v(1)
  end function changed
""",
        ),
        LINE,
    ),
    "condition_that_packs": (
        ALL,
        "HF603",
        program(
            "do while (scaled(3, a(1:n:2)) < 9)\n      call brought(n, a)\n    end do",
            more="""  real(8) function scaled(k, v)
    integer, intent(in) :: k
    real(8), intent(in) :: v(k)
    scaled = 0
    @parallelRegion{domName(i), domSize(k), reduction(max:scaled)}
    scaled = max(scaled, v)
    @end parallelRegion
  end function scaled
""",
        ),
        LINE,
    ),
    "memory_given_away": (
        ALL,
        "HF603",
        program(
            "allocate(v(n))\n    @parallelRegion{domName(i), domSize(n)}\n    v(i) = a(i)\n    @end parallelRegion\n"
            "    call move_alloc(v, w)",
            "real(8), allocatable :: v(:), w(:)",
        ),
        LINE + 4,
    ),
    "allocated_anew_below": (
        DIRECTIVES,
        "HF603",
        program(
            "allocate(v(n))\n    @parallelRegion{domName(i), domSize(n)}\n    v(i) = a(i)\n    @end parallelRegion\n"
            "    call grow(v)",
            "real(8), allocatable :: v(:)",
            """  subroutine grow(v)
    real(8), allocatable, intent(inout) :: v(:)
    v = [v, 1.d0]
    call brought(n, v)
  end subroutine grow
""",
        ),
        23,
    ),
    "component": (
        ("openmp-target",),
        "HF603",
        program("o%p => a\n    o%p(1) = 3", "type(object) :: o"),
        LINE + 1,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_told_with_its_place(case: str) -> None:
    """Refused by the backends that cannot do it, at its place; taken by the others."""
    backends, code, text, line = CASES[case]
    for backend in ALL:
        done = translate_text(text, target="gpu", backend=backend)
        found = [(d.code, d.place.line) for d in done.errors if d.place is not None]
        assert found == ([(code, line)] if backend in backends else []), backend


@pytest.mark.parametrize(
    "body",
    [
        "call found(3, a(2:4))",
        "call found(n, a)",
        "call found(3, a(2))",
        "call brought(3, a(1:n:2))",
        "call brought(n, (a))",
        "call shaped(a(2:4))",
        "call found(a(1:n:2) == a(1:n:2), a)".replace("a(1:n:2) == a(1:n:2)", "size(a(1:n:2))"),
    ],
)
def test_what_the_device_finds_is_taken(body: str) -> None:
    for backend in ALL:
        translate_text(program(body), target="gpu", backend=backend).require()


def test_a_routine_for_the_cpu_around_kernels() -> None:
    """It keeps no copies: it cannot hand on what others have on the device, nor what must be there."""
    text = program(
        "call between(a)",
        more="""  subroutine between(a)
    real(8), intent(inout) :: a(n)
    @parallelRegion{domName(i), domSize(n)}
    a = 2*a
    @end parallelRegion
    call brought(n, a)
  end subroutine between
""",
    )
    done = translate_text(text, target="gpu", routines={"between": "sequential"})
    assert [(d.code, d.place.line) for d in done.errors if d.place] == [("HF603", 22)]
    done = translate_text(
        text.replace("call brought(n, a)\n  end", "call found(n, a)\n  end"),
        target="gpu",
        routines={"between": "sequential"},
    )
    assert [(d.code, d.place.line) for d in done.errors if d.place] == [("HF603", 22)]


@pytest.mark.parametrize("backend", ALL)
def test_a_routine_for_the_cpu_calls_one_that_expects_its_arrays_on_the_device(backend: str) -> None:
    """With host data of its own, the called routine brings them there (the predecessor wrote it twice, §9.2)."""
    text = program(
        "call found(n, a)",
        more="""  subroutine between(a)
    real(8), intent(inout) :: a(n)
    call found(n, a)
  end subroutine between
  subroutine above()
    real(8) :: b(n)
    b = 1
    call between(b)
    print *, b
  end subroutine above
""",
    )
    done = translate_text(text, target="gpu", backend=backend, routines={"between": "sequential"}).require()
    entered = "hf_enter(v," if backend in RUNTIME else "(v)"
    found = done.text[done.text.index("subroutine found") :]
    assert entered in found[: found.index("end subroutine")]
    plain = translate_text(text, target="gpu", backend=backend).require().text
    found = plain[plain.index("subroutine found") :]
    assert "hf_enter(v," not in found[: found.index("end subroutine")]

"""What the changes of programs have found: conditions that always hold, names like words, places in optimised text."""

import re

import pytest

from tests.support import translate_text

HEAD = """module m
implicit none
contains
subroutine s(n, a, b)
integer, intent(in) :: n
real(8) :: a(n), b(n), t, u(3)
integer :: k
"""
TAIL = "end subroutine s\nend module m\n"
ALWAYS = (".true.", ".TRUE.", ".not. .false.", "(.true.)", ".true. .or. n > 3", ".true._4 .and. .true.")


def region(*body: str) -> str:
    """A module with a region over i."""
    return "\n".join([HEAD + "@parallelRegion{domName(i), domSize(n)}", *body, "@end parallelRegion", TAIL])


def codes(source: str, **options: object) -> list[str]:
    """The codes of errors and warnings."""
    done = translate_text(source, **options)
    return [d.code for d in done.diagnostics if d.severity != "note"]


@pytest.mark.parametrize("always", ALWAYS)
@pytest.mark.parametrize(
    "body",
    [
        ("if (COND) t = b(i)", "a(i) = t"),
        ("if (COND) then", "t = b(i)", "end if", "a(i) = t"),
        ("if (COND) then", "t = b(i)", "else", "a(i) = 2", "end if", "a(i) = t"),
        ("if (n < 0) then", "t = 1", "else if (COND) then", "t = b(i)", "end if", "a(i) = t"),
        ("if (COND) k = i", "a(k) = b(i)"),
        ("if (COND) u = b(i)", "a(i) = u(2)"),
        ("if (COND) k = 1", "do k = 1, 3", "if (COND) u(k) = b(i)", "end do", "a(i) = sum(u)"),
    ],
)
def test_a_condition_that_always_holds_changes_no_verdict(body: tuple[str, ...], always: str) -> None:
    source = region(*(row.replace("COND", always) for row in body))
    assert codes(source) == []


@pytest.mark.parametrize("sometimes", ["n > 3", ".false.", ".true. .and. n > 3", ".not. .true."])
def test_a_condition_that_may_not_hold_is_one(sometimes: str) -> None:
    assert codes(region(f"if ({sometimes}) t = b(i)", "a(i) = t")) == ["HF500"]


@pytest.mark.parametrize("always", ALWAYS)
def test_an_iterator_that_is_set_again_under_such_a_condition(always: str) -> None:
    rows = [
        "@parallelRegion{domName(k), domSize(n)}",
        "a(k) = 1",
        "@end parallelRegion",
        f"if ({always}) k = 2",
        "b(k) = 3",
    ]
    assert codes("\n".join([HEAD, *rows, TAIL])) == []


@pytest.mark.parametrize("name", ["typeth", "type_x", "TYPES", "typed1"])
def test_a_name_that_begins_like_a_type_alone_on_a_line(name: str) -> None:
    source = f"""module m
implicit none
contains
subroutine s({name}, n)
integer, intent(in) :: n
real(8), intent(inout) :: {name}
@domainDependant{{domName(i), domSize(n), attribute(autoDom, present)}}
{name}
@end domainDependant
@parallelRegion{{domName(i), domSize(n)}}
{name} = {name} + 1
@end parallelRegion
end subroutine s
subroutine other()
type first
integer :: k
end type first
type, public :: second
integer :: k
end type
type::third
integer :: k
end type third
end subroutine other
end module m
"""
    assert codes(source) == []


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
@pytest.mark.parametrize("opt", [0, 2])
def test_places_in_generated_text_are_those_of_the_users_lines(backend: str, opt: int) -> None:
    """Also where the optimiser has put text of its own before them: loops, blocks, fused regions."""
    rows = [
        "do k = 1, 3", "u(k) = b(i)", "end do", "a(i) = u(1) + sum(u)", "@end parallelRegion",
        "@parallelRegion{domName(i), domSize(n)}", "b(i) = a(i) + 1", "@end parallelRegion",
        "@parallelRegion{domName(i), domSize(n)}", "a(i) = b(max(i-1,1)) + a(i)",
    ]  # fmt: skip
    source = region(*rows)
    lines = source.splitlines()
    done = translate_text(source, target="gpu", backend=backend, opt=opt).require()
    places = {int(number) for number in re.findall(r"m\.h90:(\d+)", done.text)}
    wanted = ("@parallelregion", "@end parallelregion", "subroutine", "end subroutine")
    assert places
    assert all(lines[number - 1].lower().startswith(wanted) for number in places), {n: lines[n - 1] for n in places}


@pytest.mark.parametrize("words", ["integer :: i, j, k", "INTEGER :: I, J, K", "Integer  ::  i, j, k"])
def test_the_case_of_a_type_decides_nothing(words: str) -> None:
    """Iterators are of one kind, however it is spelled: the body gets its routine."""
    source = f"""module m
implicit none
contains
subroutine s(n, c)
integer, intent(in) :: n
real(8), intent(inout) :: c(n,n,n)
{words}
!@parallelRegion{{domName(i,j), domSize(n,n)}}
do j = 1, n
do i = 1, n
c(i,j,:) = ramp(n)
end do
end do
!@end parallelRegion
end subroutine s
function ramp(n) result(x)
integer, intent(in) :: n
real(8) :: x(n)
integer :: m
do m = 1, n
x(m) = m
end do
end function ramp
end module m
"""
    assert "subroutine hfb0_s" in translate_text({"m.f90": source}, backend="openmp", opt=2).require().text

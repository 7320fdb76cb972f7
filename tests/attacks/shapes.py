"""Programs of any size in which something is very large or very deep."""

from __future__ import annotations


def routine(body: str = "a(i) = b(i)", declared: str = "", behind: str = "", attributes: str = "") -> str:
    """A module with a routine of one region over ``a(n)`` and ``b(n)``."""
    return "\n".join(
        [
            "module m",
            "  implicit none",
            "contains",
            "subroutine s(n, a, b)",
            "  integer, intent(in) :: n",
            "  real(8), intent(inout) :: a(n), b(n)",
            declared,
            f"  @parallelRegion{{domName(i), domSize(n){attributes}}}",
            body,
            "  @end parallelRegion",
            behind,
            "end subroutine",
            "end module",
            "",
        ]
    )


def nested(opening: str, inside: str, closing: str, count: int) -> str:
    """Some text in a block that often."""
    return "\n".join([*[opening] * count, inside, *[closing] * count])


_BODIES = {
    "chain": "a{next}(i) = a{this}(i) + 1",
    "stencil": "if (i > 1) a{next}(i) = a{this}(i-1)\n",
    "one array": "a1(i) = a0(i) + {this}",
    "columns": "do k = 2, 4\na1(i) = a1(i)*k + a0(i) + exp(a1(i))\nend do",
}


def regions(count: int, kind: str, between: str = "") -> str:
    """A routine with that many regions, one after the other."""
    names = [f"a{number}" for number in range(count + 1)]
    rows = ["module m", "implicit none", "contains", "subroutine s(n, &", *(f"{n}, &" for n in names[1:]), "a0)"]
    rows += ["integer, intent(in) :: n", "integer :: k", *(f"real(8), intent(inout) :: {name}(n)" for name in names)]
    for number in range(count):
        body = _BODIES[kind].format(this=number, next=number + 1)
        rows += [
            "@parallelRegion{domName(i), domSize(n)}",
            body,
            "@end parallelRegion",
            *([between] if between else []),
        ]
    return "\n".join([*rows, "end subroutine", "end module", ""])

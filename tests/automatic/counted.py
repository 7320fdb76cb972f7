"""Random nests in which integers count, and loops with work arrays of which some elements are set before them.

Counters are raised in the nest, in loops within it, by constants and by what does not change, sometimes where a
condition or a jump makes them no counters. All reals are multiples of 1/64, so that sums are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.support import Pair

HEAD = """module {name}
  implicit none
  integer :: mj = 4
  type grid
    integer :: ni = 5, nk = 3
  end type grid
contains
  subroutine raised(c)
    integer, intent(inout) :: c
    if (mod(c, 3) == 0) c = c + 1
  end subroutine raised
"""
COUNTED = """  subroutine nest{number}(q, buf, ni, nj, few, inc, g, {dummy})
    integer, intent(in) :: ni, nj, few, inc
    type(grid), intent(in) :: g
    real(8), intent(inout) :: q(ni,nj,3), buf(:)
    integer, intent(inout) :: {dummy}
    integer :: i, j, k, l, m, e{local}
    e = 100
    {begin}
{nest}
    buf({number}+1) = buf({number}+1) + c + 3*e
  end subroutine nest{number}
"""
WORKED = """  subroutine work{number}(a, b, n, m, one)
    integer, intent(in) :: n, m, one
    real(8), intent(in) :: a(n,m)
    real(8), intent(inout) :: b(n,m)
    real(8) :: z(0:n+1)
    integer :: i, k
    {begin}
    do i = 1, m
{body}
    end do
  end subroutine work{number}
"""
RUN = """  subroutine run()
    real(8) :: q(5,4,3), buf(200), a(7,9), b(7,9)
    type(grid) :: g
    integer :: c, i, few
    q = reshape([(mod(7*i, 64)/64d0, i = 1, 60)], [5, 4, 3])
    a = reshape([(mod(11*i, 64)/64d0, i = 1, 63)], [7, 9])
    b = 0; buf = 0; c = 3
    do few = -1, 3, 2
{calls}
      q = mod(q, 64d0)
      print '(i8, 2es24.16)', c, sum(q*reshape([(i, i = 1, 60)], [5, 4, 3])), sum(buf)
    end do
    print '(7es24.16)', b
  end subroutine run
end module {name}
"""


def pair_of(number: int) -> Pair:
    """A program by its number, which is its own twin."""
    rng, name = Random(f"counted {number}"), f"counted{number}"
    nests = [_counted(rng, n) for n in range(5)]
    works = [_worked(rng, n) for n in range(4)]
    calls = [f"      call nest{n}(q, buf, 5, 4, few, few + 1, g, c)" for n in range(5)]
    calls += [f"      call work{n}(a, b, 7, 9, 1)" for n in range(4)]
    text = (HEAD + "".join((*nests, *works)) + RUN).replace("{name}", name).replace("{calls}", "\n".join(calls))
    files = {f"{name}.f90": text}
    return Pair(name, files, files, name)


def _counted(rng: Random, number: int) -> str:
    loops = rng.choice([["i"], ["j", "i"], ["k", "j", "i"], ["i", "j"]])
    place = "q(" + ",".join(v if v in loops else "1" for v in "ijk") + ")"
    nest = [f"{'  ' * n}{_loop(rng, v)}" for n, v in enumerate(loops)]
    nest += [
        f"{'  ' * len(loops)}{line}" for line in (*_body(rng, place, 0, rng.random() < 0.2), f"{place} = {place} + c")
    ]
    nest += [f"{'  ' * n}end do" for n in reversed(range(len(loops)))]
    local = rng.random() < 0.6
    return (
        COUNTED.replace("{number}", str(number))
        .replace("{dummy}", "given" if local else "c")
        .replace("{local}", ", c" if local else "")
        .replace("{begin}", "c = given" if local else "")
        .replace("{nest}", "\n".join(f"    {line}" for line in nest))
    )


def _loop(rng: Random, variable: str) -> str:
    ends = {"i": ["ni", "size(q,1)", "g%ni", "5"], "j": ["nj", "size(q,2)", "mj"], "k": ["3", "g%nk"]}
    first, last = rng.choice(["1", "1", "2", "inc/9 + 1"]), rng.choice(ends[variable])
    step = rng.choice([1, 1, 1, 2, 3, -1, -2])
    return f"do {variable} = {last}, {first}, {step}" if step < 0 else f"do {variable} = {first}, {last}, {step}"


def _body(rng: Random, place: str, depth: int, odd: bool) -> Iterator[str]:
    for _ in range(rng.randint(1, 3)):
        counter, kind = rng.choice("ce"), rng.random()
        if kind < 0.4:
            yield _raise(rng, counter)
        elif kind < 0.7:
            yield f"{place} = {place} + {rng.choice(['1', '0.5d0', f'mod({counter}, 7)'])}*{counter}"
        elif kind < 0.8:
            yield f"if ({counter} > {rng.randint(0, 40)}) {place} = {place}*0.5d0 + {counter}"
        elif kind < 0.85 and odd:
            raised = f"if ({place} > 30) {_raise(rng, counter)}"
            yield rng.choice([raised, f"if (mod({counter}, 5) == 0) cycle", f"call raised({counter})"])
        elif depth < 2:
            variable = "lm"[depth]
            first, last = rng.choice("012"), rng.choice(["2", "3", "few", "inc", "few - 1", "1 - few"])
            bounds = rng.choice([f"{first}, {last}", f"{first}, {last}, 2", f"{last}, {first}, -1"])
            yield f"do {variable} = {bounds}"
            yield from (f"  {line}" for line in _body(rng, place, depth + 1, odd))
            yield "end do"


def _raise(rng: Random, counter: str) -> str:
    by = rng.choice(["1", "1", "2", "inc", "ni", "(inc + 1)", "2*inc"])
    return rng.choice(
        [f"{counter} = {counter} + {by}", f"{counter} = {by} + {counter}", f"{counter} = {counter} - {by} + 1"]
    )


def _worked(rng: Random, number: int) -> str:
    body = [line for _ in range(rng.randint(2, 4)) for line in _part(rng)]
    body.append(f"b(1,i) = b(1,i) + z({rng.choice(['0', '1', 'n', 'n+1', 'one'])})")
    begin = rng.choice(["z = 0.25d0", "z(0) = 1; z(n+1) = 2; z(1:n) = 3"])
    made = WORKED.replace("{number}", str(number)).replace("{begin}", begin)
    return made.replace("{body}", "\n".join(f"      {line}" for line in body))


def _part(rng: Random) -> Iterator[str]:
    """Statements that set some of the work array, or read it."""
    first, last = rng.choice(["1", "1", "2", "one"]), rng.choice(["n", "n", "n-1", "n-one"])
    loop = rng.choice([f"do k = {first}, {last}", f"do k = {first}, {last}, 2", f"do k = {last}, {first}, -1"])
    kind = rng.random()
    if kind < 0.4:
        yield from (loop, f"  z(k) = a(k,i)*{rng.randint(1, 4)}", "end do")
    elif kind < 0.75:
        yield from (
            loop,
            f"  b(k,i) = b(k,i) + z({rng.choice(['k', 'k-1', 'k+1', '0'])}) - z(k{rng.choice('+-')}1)",
            "end do",
        )
    elif kind < 0.85:
        yield f"z({rng.choice(['0', '1', 'one'])}:{rng.choice(['n', 'n+1', 'n-1'])}) = a(1,i)"
    else:
        yield f"if (a(1,i) > 0.5d0) z({rng.choice(['0', 'n', 'n+1'])}) = a(2,i)"

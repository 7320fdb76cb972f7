"""Programs whose regions hold loops with dependences of all kinds, and a script that transforms them at random."""

from __future__ import annotations

from random import Random

from tests.support import Pair

HEAD = """module {name}
  implicit none
contains
  subroutine work(nx, ny, n, u, v, w)
    integer, intent(in) :: nx, ny, n
    real(8), intent(inout) :: u(nx,ny,-3:n+4,-3:n+4), v(nx,ny,-3:n+4), w(nx,ny,-3:n+4,-3:n+4)
    integer :: i, j, a, b, c
    real(8) :: s, t
"""
TAIL = """  end subroutine
  subroutine run()
    integer, parameter :: nx = 3, ny = 2, n = 6
    real(8) :: u(nx,ny,-3:n+4,-3:n+4), v(nx,ny,-3:n+4), w(nx,ny,-3:n+4,-3:n+4)
    integer :: k
    u = reshape([(sin(0.37d0*k), k = 1, size(u))], shape(u))
    v = reshape([(cos(0.53d0*k), k = 1, size(v))], shape(v))
    w = reshape([(sin(0.11d0*k + 1), k = 1, size(w))], shape(w))
    call work(nx, ny, n, u, v, w)
    print '(6es24.16)', u, v, w
  end subroutine
end module
"""
# What a script does to kernels: a few transformations drawn by the kernel's name, those that are legal. With FORCED,
# the numbers of some, nothing is asked.
SCRIPT = """import re
from random import Random

from hfpy.api import IllegalTransform
from hfpy.transform.scripts import cuts, inlined, legality

FORCED = {forced}


def annotate(kernel, annotations, context):
    rng = Random(kernel.name)
    if FORCED:
        legality.check_interchange = cuts.check_fission = cuts.check_privatise = lambda *_: None
        inlined.check_same = lambda *_: None
    for _ in range(7):
        loops = [loop.name for loop in kernel.loops.values() if not loop.parallel]
        if not loops:
            break
        one, other = rng.choice(loops), rng.choice(loops)
        choice = rng.choice(FORCED) if FORCED else rng.randrange(13)
        try:
            if choice in (0, 1):
                kernel = kernel.interchange(one, other)
            elif choice == 2:
                kernel = kernel.split(one, rng.choice([1, 2, 3, 7]))
            elif choice == 3:
                kernel = kernel.unroll(**{{one: rng.choice([1, 2, 4])}}) if "#" not in one else kernel
            elif choice in (5, 6):
                kernel = kernel.fission(one, rng.choice([1, 1, 2, "s", "t"]))
            elif choice == 7:
                kernel = kernel.expand(rng.choice("st"), one)
            elif choice == 10:
                kernel = kernel.fuse("a", "a#2")
            elif choice == 11:
                kernel = kernel.inline(rng.choice("st"))
            elif choice == 12:
                kernel = kernel.privatise(rng.choice("st"), one)
            elif choice == 9:
                kernel = kernel.precompute(rng.choice(re.findall(r"[uvw]\\([^()]*\\)", kernel.text)))
            elif choice == 8:
                kernel = kernel.jam(**{{one: rng.choice([2, 3])}}) if "#" not in one else kernel
            else:
                kernel = kernel.unroll(one)
        except IllegalTransform:
            if FORCED:
                return kernel
        else:
            if FORCED:
                return kernel
    return kernel
"""


def index(rng: Random, loop: str) -> str:
    offset = rng.choice([0, 0, 1, -1, 2])
    return f"{loop}{offset:+d}" if offset else loop


def element(rng: Random, array: str, loops: str) -> str:
    names = loops if rng.random() < 0.8 else loops[::-1]
    if array == "v":
        return f"v(i,j,{index(rng, rng.choice(names))})"
    return f"{array}(i,j,{index(rng, names[0])},{index(rng, names[1])})"


def statement(rng: Random, loops: str) -> list[str]:
    target, *others = rng.sample(["u", "v", "w"], 3)
    read = element(rng, rng.choice([target, *others]), loops)
    kind = rng.randrange(7)
    left = element(rng, target, loops)
    if kind == 0:
        return [f"{left} = {left} + 0.5d0 * {read}"]
    if kind == 1:
        return [f"t = {read}", f"{left} = 0.25d0 * t + 0.1d0 * {loops[0]}"]
    if kind == 2:
        return [f"if ({read} > 0.1d0) {left} = 0.9d0 * {read}"]
    if kind == 3:
        body = f"s = s + {element(rng, others[0], loops)} * 0.1d0 * c"
        return ["s = 0", f"do c = 1, {rng.choice(['3', 'n', loops[1]])}", f"  {body}", "end do", f"{left} = s"]
    if kind == 4:
        return [f"if ({loops[0]} < {loops[1]}) then", f"  {left} = {read}", "else", f"  {left} = -{read}", "end if"]
    if kind == 5:
        before = rng.choice([left, read])
        return [f"t = {before}", f"{left} = 0.5d0 * {left} + 1", f"{element(rng, others[0], loops)} = t"]
    return [f"{left} = {read} + {element(rng, rng.choice(others), loops)}"]


def bounds(rng: Random, outer: str | None) -> str:
    first = rng.choice(["1", "1", "0", "2"])
    last = rng.choice(["n", "n", "n-1", "6", "5"])
    if outer and rng.random() < 0.15:
        return f"{outer}, {last}"
    return rng.choice([f"{first}, {last}"] * 8 + [f"{last}, {first}, -1", f"{first}, {last}, 2"])


def nest(rng: Random, first: str = "") -> list[str]:
    """The lines of a nest, whose outer loop has a given ``first`` line, or one of its own."""
    inner = [row for _ in range(rng.choice([1, 1, 2])) for row in statement(rng, "ab")]
    before = ["t = 0.5d0"] if rng.random() < 0.1 else []
    rows = [first or f"do a = {bounds(rng, None)}", *before, f"  do b = {bounds(rng, 'a')}"]
    rows += [f"    {row}" for row in inner] + ["  end do", "end do"]
    if rng.random() < 0.1:
        known = ["a", *(name for name in "st" if any(row.startswith(f"{name} =") for row in [*before, *inner]))]
        rows.append(f"v(i,j,1) = {rng.choice(known)}")
    return rows


def pair_of(number: int) -> Pair:
    """A program with three regions, and the same as plain loops."""
    rng = Random(number)
    name = f"nest{number}"
    hybrid, plain = [HEAD.format(name=name)], [HEAD.format(name=name)]
    for region in range(3):
        rows = nest(rng)
        again = Random(f"{number}/{region}")  # half of the regions have two nests, mostly with the same turns
        if again.random() < 0.5:
            rows += nest(again, rows[0] if again.random() < 0.8 else "")
        body = "".join(f"      {row}\n" for row in rows)
        directive = f"@parallelRegion{{domName(i,j), domSize(nx,ny), name({name}_{region})}}"
        hybrid.append(f"    {directive}\n{body}    @end parallelRegion\n")
        plain.append(f"    do j = 1, ny\n    do i = 1, nx\n{body}    end do\n    end do\n")
    texts = ["".join([*rows, TAIL]) for rows in (hybrid, plain)]
    return Pair(name, {f"{name}.h90": texts[0]}, {f"{name}.f90": texts[1]}, name)

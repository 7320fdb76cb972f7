"""Programs with exact sums: the cases of reductions again, and sums whose bits depend on every rounding."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

from tests.processes.programs import Case, written

NX, NY = 17, 15

HEAD = """module exact_NAME
  use zoo
  implicit none
  integer :: nx, ny
  integer, parameter :: nxg = 17, nyg = 15
contains
  subroutine setup()
    @decomposition{domName(i,j), global(nxg,nyg), local(nx,ny), halo(i:1, j:1), grid(px,py), reductions(exact)}
  end subroutine

  real(8) function term(gi, gj)
    integer, intent(in) :: gi, gj
    term = (-1)**gj * 2.0d0**(mod(7*gi + 3*gj, 60) - 30) / (gi + 17*gj)
  end function

  subroutine work(u, s)
    real(8), intent(in) :: u(0:nx+1, 0:ny+1)
    real(KIND), intent(inout) :: s
DECLARED
    @domainDependant{attribute(autoDom)}
    u
    @end domainDependant
BODY
  end subroutine

  subroutine run()
    real(8), allocatable :: u(:,:)
    real(KIND) :: s
    integer :: i, j, r
    current = 'exact_NAME'
    call setup()
    allocate(u(0:nx+1, 0:ny+1)); u = 1d30
    do j = 1, ny; do i = 1, nx; u(i,j) = term(global(i), global(j)); end do; end do
    do r = 1, 2
      s = 0.3_KIND
      call work(u, s)
      call told(transfer(s, 0_KIND) == BITS_KIND, 's', r, 0, 0, 0)
      if (transfer(s, 0_KIND) /= BITS_KIND) print *, s
    end do
  end subroutine
end module
"""
PLAIN = """    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(+:s)}
    s = s + UPDATE
    @end parallelRegion"""
REGIONS = {
    # name: kind, declarations, statements, terms of a point
    "real8": (8, "", PLAIN.replace("UPDATE", "u(i,j)"), lambda t: [t]),
    "real4": (4, "", PLAIN.replace("UPDATE", "real(u(i,j), 4)"), lambda t: [single(t)]),
    "minus": (8, "", PLAIN.replace("+:s", "-:s").replace("s + UPDATE", "s - u(i,j)"), lambda t: [-t]),
    "rows": (
        8,
        "",
        PLAIN.replace("(i,j)", "(j,i)", 1).replace("nx,ny", "ny,nx").replace("UPDATE", "u(i,j)"),
        lambda t: [t],
    ),
    "cond": (
        8,
        "",
        PLAIN.replace("s = s + UPDATE", "if (u(i,j) < 0) @exit\n    if (global(i) > 3) s = s + u(i,j)"),
        lambda t: [t] if t > 0 else [],
    ),
    "loop": (
        8,
        "    integer :: k\n",
        PLAIN.replace("s = s + UPDATE", "do k = 1, 3\n      s = s + k * u(i,j)\n    end do"),
        lambda t: [(t + 2 * t) + 3 * t],
    ),
    "levels": (
        8,
        "",
        PLAIN.replace("(i,j)", "(i,j,k)", 1)
        .replace("nx,ny", "nx,ny,3")
        .replace("UPDATE", "u(i,j) / k")
        .replace("reduction", "startAt(1,1,2), endAt(nx,ny,3), reduction"),
        lambda t: [t / 2, t / 3],
    ),
    "called": (8, "", PLAIN.replace("s = s + UPDATE", "call add(s, u(i,j))"), lambda t: [t]),
    "twice": (
        8,
        "    real(8) :: other\n",
        "    other = 0\n"
        + PLAIN.replace("UPDATE", "u(i,j)")
        .replace("+:s", "+:s,other")
        .replace("\n    @end", "\n    other = other + abs(u(i,j))\n    @end")
        + "\n"
        + PLAIN.replace("UPDATE", "(u(i,j) - u(i,j))")
        + "\n    if (other < s) s = other",
        lambda t: [t],
    ),
    "fused": (
        8,
        "    real(8) :: v(nx, ny)\n",
        "    @parallelRegion{domName(i,j), domSize(nx,ny)}\n    v(i,j) = 2 * u(i,j)\n    @end parallelRegion\n"
        + PLAIN.replace("UPDATE", "v(i,j)"),
        lambda t: [2 * t],
    ),
}
ADD = """
  subroutine add(s, x)
    real(8), intent(inout) :: s
    real(8), intent(in) :: x
    s = s + x
  end subroutine
end module
"""


def single(value: float) -> float:
    """Rounded to 32 bits."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def term(i: int, j: int) -> float:
    """What the function ``term`` of the programs gives: each operation is rounded as there."""
    return (-1) ** j * 2.0 ** (math.fmod(7 * i + 3 * j, 60) - 30) / (i + 17 * j)


def _bits(name: str) -> int:
    kind, _, _, terms = REGIONS[name]
    points = ((i, j) for j in range(1, NY + 1) for i in range(1, NX + 1))
    wanted = [t for i, j in points for t in terms(term(i, j)) if name != "cond" or i > 3]
    total = math.fsum(wanted)
    if kind == 4:
        number = single(single(0.3) + single(total))
        return int(struct.unpack("i", struct.pack("f", number))[0])
    return int(struct.unpack("q", struct.pack("d", 0.3 + total))[0])


def _again() -> Iterator[Case]:
    """The cases of reductions with exact ones in their place."""
    for name, case in written().items():
        if name.startswith("sum_"):
            other = f"exact_{name}"
            files = {f.replace(name, other): t.replace(name, other) for f, t in case.files.items()}
            yield Case(other, {f: t.replace("reductions(global)", "reductions(exact)") for f, t in files.items()})


def exact_cases() -> dict[str, Case]:
    """All programs."""
    found = {case.name: case for case in _again()}
    for name, (kind, declared, body, _) in REGIONS.items():
        text = HEAD.replace("NAME", name).replace("DECLARED\n", declared).replace("BODY", body)
        text = text.replace("BITS", str(_bits(name))).replace("KIND", str(kind))
        text = text.replace("end module\n", ADD.lstrip("\n")) if name == "called" else text
        found[f"exact_{name}"] = Case(f"exact_{name}", {f"exact_{name}.h90": text})
    return found

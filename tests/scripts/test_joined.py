"""Loops joined, scalars of a loop alone, scalars inlined, figures for sizes: what is done, and what is refused by which
rule.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import hfpy
from hfpy.api import IllegalTransform
from hfpy.diagnostics import UsageError
from tests.scripts.test_cuts import kernel_of, lines

TWO = "do k = 1, n\n u(k,i) = 1\n end do\n do {0} = 1, n\n v({0},i) = u({0}{1},i)\n end do"


def test_fuse(tmp_path: Path) -> None:
    for variable, other in (("k", "k#2"), ("l", "l")):
        made = lines(kernel_of(TWO.format(variable, ""), tmp_path).fuse("k", other))
        assert made == ["do k = 1, n", "u(k,i) = 1", "v(k,i) = u(k,i)", "end do"]
    kernel = kernel_of(TWO.format("k", "-1"), tmp_path).fuse("K", "k#2")
    assert kernel.steps[0].call == "fuse('K', 'k#2')" and len(lines(kernel)) == 4
    assert lines(kernel.fission("k", 1)) == lines(kernel_of(TWO.format("k", "-1"), tmp_path))


def test_inline(tmp_path: Path) -> None:
    body = "do k = 1, n\n t = u(k,i) - s\n v(k,i) = 2 * t\n end do\n do l = 1, n\n t = v(l,i)\n v(l,i) = t + t\n end do"
    made = lines(kernel_of("s = 1\n" + body, tmp_path).inline("T"))
    assert made[1:] == [
        *("do k = 1, n", "v(k,i) = 2 * (u(k,i) - s)", "end do"),
        *("do l = 1, n", "v(l,i) = v(l,i) + v(l,i)", "end do"),
    ]


def test_privatise(tmp_path: Path) -> None:
    body = "do k = 1, n\n t = u(k,i)\n v(k,i) = t\n end do\n do l = 1, n\n t = 2*v(l,i)\n u(l,i) = t\n end do"
    made = lines(kernel_of(body, tmp_path).privatise("t", "l"))
    assert made[1:3] == ["t = u(k,i)", "v(k,i) = t"] and made[5:7] == ["hf_t_l = 2*v(l,i)", "u(l,i) = hf_t_l"]
    program = hfpy.read(tmp_path / "m.h90", backend="sequential")
    program["it"].privatise("t", "k")
    assert "real(8) :: hf_t_k" in program.texts()["m.F90"]


@pytest.mark.parametrize(
    ("body", "call", "rule"),
    [
        (TWO.format("k", "+1"), "fuse('k', 'k#2')", "no value goes from the second"),
        (TWO.format("k", ""), "fuse('k#2', 'k')", "the second loop is"),
        (TWO.format("k", ""), "fuse('k', 'k')", "the second loop is"),
        (TWO.replace("end do\n", "end do\n t = 1\n", 1).format("k", ""), "fuse('k', 'k#2')", "the second loop is"),
        (TWO.replace("{0} = 1, n", "{0} = 2, n").format("k", ""), "fuse('k', 'k#2')", "both loops have"),
        ("do k = 1, m\n t = k\n m = 3\n end do\n do l = 1, m\n t = l\n end do", "fuse('k', 'l')", "the bounds of both"),
        (
            "do k = 1, n\n t = u(k,i)\n v(k,i) = t\n end do\n do l = 1, n\n v(l,i) = v(l,i) + t\n end do",
            "fuse('k', 'l')",
            "no scalar goes",
        ),
        (
            "s = 0\n do k = 1, n\n s = s + u(k,i)\n end do\n do l = 1, n\n v(l,i) = s\n end do",
            "fuse('k', 'l')",
            "no scalar",
        ),
        (
            "do k = 1, n\n u(k,i) = 1\n end do\n do l = 1, n\n do k = 1, n\n w(k,l,i) = 1\n end do\n end do",
            "fuse('k', 'l')",
            "both",
        ),
        ("t = u(1,i)\n u(1,i) = 2\n v(1,i) = t", "inline('t')", "nothing that the expression"),
        ("t = u(1,i)\n do k = 1, n\n v(k,i) = t\n u(k,i) = 2\n end do", "inline('t')", "nothing that the expression"),
        ("if (n > 2) t = u(1,i)\n v(1,i) = t", "inline('t')", "the variable is a number"),
        ("t = u(1,i)\n if (n > 2) then\n t = u(2,i)\n end if\n v(1,i) = t", "inline('t')", "the variable is a number"),
        ("if (n > 2) then\n t = u(2,i)\n v(2,i) = t\n end if\n v(1,i) = t", "inline('t')", "the variable is a number"),
        ("t = 1\n v(1,i) = t", "inline('t')", "the value has the type"),
        ("s = 0\n do k = 1, n\n s = s + u(k,i)\n end do\n v(1,i) = s", "inline('s')", "the variable is a number"),
        ("t = 2 * u(1,i)\n call other(t)", "inline('t')", "the variable is a number"),
        ("c = 1\n v(1,i) = c(1)", "inline('c')", "the variable is a number"),
        ("kept = u(1,i)\n v(1,i) = kept", "inline('kept')", "the variable is a number"),
        ("do k = 1, n\n v(k,i) = t\n t = u(k,i)\n end do", "privatise('t', 'k')", "scalars are set"),
        (
            "t = 1\n do k = 1, n\n t = u(k,i)\n v(k,i) = t\n end do\n v(1,i) = t",
            "privatise('t', 'k')",
            "scalars are set",
        ),
        (
            "t = 1\n do l = 1, n\n w(1,l,i) = t\n do k = 1, n\n t = u(k,i)\n w(k,l,i) = t\n end do\n end do",
            "privatise('t', 'k')",
            "scalars are set",
        ),
        ("do k = 1, n\n do l = 1, k\n u(l,i) = 1\n end do\n end do", "privatise('l', 'k')", "the variable is a number"),
    ],
)
def test_rules(body: str, call: str, rule: str, tmp_path: Path) -> None:
    kernel = kernel_of(body, tmp_path)
    with pytest.raises(IllegalTransform) as refused:
        eval(f"kernel.{call}", {"kernel": kernel})
    assert refused.value.rule.startswith(rule), (refused.value.rule, refused.value.message)


def test_figures_for_sizes(tmp_path: Path) -> None:
    path = tmp_path / "m.h90"
    path.write_text(
        "module m\n  implicit none\n  integer, parameter :: nz = 5\ncontains\n  subroutine work(nx, a, b)\n"
        "    integer, intent(in) :: nx\n    real(8), intent(inout) :: a(nx,nz), b(nx,nz)\n    integer :: i, k\n"
        "    @parallelRegion{domName(i), domSize(nx), name(column)}\n    a(i,1) = 0\n    do k = 2, nz\n"
        "      a(i,k) = 0.5d0*a(i,k-1) + b(i,k)\n    end do\n    @end parallelRegion\n"
        "    @parallelRegion{domName(i), domSize(nx), name(row)}\n    b(i,1) = b(i,1) + 2*a(i,1)\n"
        "    @end parallelRegion\n  end subroutine\nend module\n"
    )
    column = hfpy.read(path, backend="openmp")["column"].stats
    assert column is not None
    made = column(NX=10)
    assert made.points == 10 * 4 and made.bytes == column.bytes * 40 and made.operations == 2 * 40
    assert made.intensity == made.operations / made.bytes > 0
    assert column(nx=0).points == 0 and column(nx=0).intensity == 0
    with pytest.raises(UsageError, match="depends on 'nx'"):
        column(ny=10)

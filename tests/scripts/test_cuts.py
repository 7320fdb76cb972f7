"""Loops cut in two, scalars as arrays, turns together: what is done, and what is refused by which rule."""

from __future__ import annotations

from pathlib import Path

import pytest

import hfpy
from hfpy.api import IllegalTransform, Kernel

HEAD = """module m
  implicit none
  real(8) :: kept
contains
  subroutine work(nx, n, m, u, v, w)
    integer, intent(in) :: nx, n
    integer, intent(inout) :: m
    real(8), intent(inout) :: u(0:n,nx), v(0:n,nx), w(0:n,0:n,nx)
    real(8) :: s, t, c(4)
    integer :: k, l, i
    @parallelRegion{domName(i), domSize(nx), name(it)}
"""
TAIL = """
    @end parallelRegion
  end subroutine
end module
"""


def kernel_of(body: str, folder: Path) -> Kernel:
    path = folder / "m.h90"
    path.write_text(HEAD + body + TAIL)
    return hfpy.read(path, backend="sequential")["it"]


def lines(kernel: Kernel) -> list[str]:
    """The statements of a kernel, without its directives."""
    return [row.strip() for row in kernel.text.splitlines()[1:-1]]


def test_fission(tmp_path: Path) -> None:
    kernel = kernel_of("do k = 1, n\n u(k,i) = 1\n v(k,i) = u(k,i) + u(k-1,i)\n w(k,1,i) = 2\n end do", tmp_path)
    for after in (1, "u", "U"):
        made = lines(kernel.fission("k", after))
        assert made[:3] == ["do k = 1, n", "u(k,i) = 1", "end do"] and made[3] == "do k = 1, n" and len(made) == 7
    assert len(lines(kernel.fission("k", 1).fission("k#2", 1))) == 9
    assert kernel.fission("k", 2).steps[0].call == "fission('k', 2)"


def test_expand(tmp_path: Path) -> None:
    body = "do k = 2, n\n t = 2 * u(k,i)\n if (t > 1) t = t - 1\n v(k,i) = t\n end do"
    kernel = kernel_of(body, tmp_path)
    with pytest.raises(IllegalTransform, match="'t' goes from one part to the other") as refused:
        kernel.fission("k", 2)
    assert "expand gives each turn its own" in refused.value.rule
    made = kernel.expand("t", "k").fission("k", 2)
    name = made.work.routine(made.key).regions[0]
    assert "hf_t_k(k) = 2 * u(k,i)" in lines(made) and "v(k,i) = hf_t_k(k)" in lines(made) and name is not None
    program = hfpy.read(tmp_path / "m.h90", backend="sequential")
    program["it"].expand("t", "k")
    assert "real(8) :: hf_t_k(2:n)" in program.texts()["m.F90"]


def test_jam(tmp_path: Path) -> None:
    kernel = kernel_of("do l = 0, n\n do k = 1, n\n w(k,l,i) = w(k-1,l,i) + l\n end do\n end do", tmp_path)
    made = lines(kernel.jam(l=2))
    assert made[:4] == [
        "do l = 0, n-1, 2",
        "do k = 1, n",
        "w(k,l,i) = w(k-1,l,i) + l",
        "w(k,l+1,i) = w(k-1,l+1,i) + (l+1)",
    ]
    assert made[6:9] == ["do l = (n+1)/2*2, n", "do k = 1, n", "w(k,l,i) = w(k-1,l,i) + l"] and len(made) == 11


@pytest.mark.parametrize(
    ("body", "call", "rule"),
    [
        ("do k = 1, n\n v(k,i) = u(k-1,i)\n u(k,i) = 1\n end do", "fission('k', 1)", "no value goes from the second"),
        ("do k = n, 1, -1\n u(k,i) = u(k,i) + 1\n v(k,i) = u(k-1,i)\n end do", "fission('k', 1)", "no value goes"),
        ("do k = 1, n\n u(k,i) = u(k,i) + 1\n v(k,i) = u(k-1,i)\n end do", "fission('k', 1)", ""),
        (
            "do k = 0, n - 1\n u(k,i) = 1\n v(k,i) = u(k+1,i)\n end do",
            "fission('k', 1)",
            "no value goes from the second",
        ),
        ("do k = n - 1, 0, -1\n u(k,i) = 1\n v(k,i) = u(k+1,i)\n end do", "fission('k', 1)", ""),
        ("t = 0\n do k = 1, n\n u(k,i) = t\n t = t + 1\n end do", "fission('k', 1)", "no scalar goes"),
        ("t = 0\n do k = 1, n\n u(k,i) = 1\n t = t + 1\n end do\n v(1,i) = t", "fission('k', 1)", ""),
        (
            "do k = 1, n\n t = k\n if (u(k,i) > 0) t = 0\n v(k,i) = 1\n end do\n u(1,i) = t",
            "fission('k', 1)",
            "scalars are set",
        ),
        ("do k = 1, n\n u(k,i) = 1\n if (v(k,i) > 2) exit\n end do", "fission('k', 1)", "the body has"),
        ("do k = 1, n\n u(k,i) = 1\n v(k,i) = 1\n end do", "fission('k', 2)", "statements in both parts"),
        ("do k = 1, n\n u(k,i) = 1\n v(k,i) = 1\n end do", "fission('k', 0)", "statements in both parts"),
        ("do k = 1, n\n u(k,i) = 1\n v(k,i) = 1\n end do", "fission('k', 'w')", "a variable that the loop sets"),
        ("do k = 1, n\n u(k,i) = 1\n v(k,i) = 1\n end do", "fission('i', 1)", "a loop in the body"),
        ("do k = 1, n\n t = k\n u(k,i) = t\n end do\n v(1,i) = t", "expand('t', 'k')", "scalars are set"),
        ("t = 1\n do k = 1, n\n u(k,i) = t\n t = k\n end do", "expand('t', 'k')", "scalars are set"),
        ("do k = 1, n\n if (u(k,i) > 1) t = k\n u(k,i) = t\n end do", "expand('t', 'k')", "scalars are set"),
        ("do k = 1, n\n do l = 1, k\n u(l,i) = 1\n end do\n end do", "expand('l', 'k')", "the variable is a number"),
        ("do k = 1, n\n u(k,i) = t\n end do", "expand('t', 'k')", "the variable is a number"),
        ("do k = 1, n\n c = k\n u(k,i) = c(1)\n end do", "expand('c', 'k')", "the variable is a number"),
        ("do k = 1, m\n t = k\n u(k,i) = t\n end do", "expand('t', 'k')", "the loop has the step 1"),
        ("do k = 1, n, 2\n t = k\n u(k,i) = t\n end do", "expand('t', 'k')", "the loop has the step 1"),
        ("do k = 1, n\n do l = 1, n - 1\n w(k,l,i) = w(k-1,l+1,i)\n end do\n end do", "jam(k=2)", "no value goes"),
        ("do k = 1, n\n do l = 1, k\n w(k,l,i) = 1\n end do\n end do", "jam(k=2)", "the bounds"),
        ("do k = 1, n\n u(k,i) = 1\n end do", "jam(k=2)", "one loop is all"),
        ("do k = 1, n\n do l = 1, n\n w(k,l,i) = 1\n end do\n end do", "jam(k=2, l=2)", "one loop with a number"),
        ("do k = 1, n\n do l = 1, n\n w(k,l,i) = 1\n end do\n end do", "jam(l=2)", "one loop is all"),
    ],
)
def test_rules(body: str, call: str, rule: str, tmp_path: Path) -> None:
    kernel = kernel_of(body, tmp_path)
    if not rule:
        eval(f"kernel.{call}", {"kernel": kernel})
        return
    with pytest.raises(IllegalTransform) as refused:
        eval(f"kernel.{call}", {"kernel": kernel})
    assert refused.value.rule.startswith(rule), refused.value.rule


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("do k = 1, n\n u(k,i) = u(k-1,i)\n v(k,i) = 1\n end do", {"u"}),
        ("do k = 1, n\n u(k,i) = v(k-1,i)\n end do", set()),
        ("t = 0\n do k = 1, n\n t = t + u(k,i)\n s = t\n v(k,i) = s\n end do", {"t"}),
        ("do k = 1, n\n do l = 1, n\n w(l,k,i) = w(l-1,k,i)\n end do\n end do", set()),
        ("do k = 1, n\n u(int(v(k,i)),i) = k\n end do", {"u"}),
    ],
)
def test_what_goes_from_turn_to_turn(body: str, expected: set[str], tmp_path: Path) -> None:
    kernel = kernel_of(body, tmp_path)
    assert set(kernel.carried("k")) == expected and kernel.carried("i") == ()


@pytest.mark.parametrize(
    ("bounds", "main", "rest"),
    [
        ("1, n", "1, n-3, 4", "n/4*4+1, n"),
        ("0, n-1", "0, n-1-3, 4", "(n-1+1)/4*4, n-1"),
        ("0, n", "0, n-3, 4", "(n+1)/4*4, n"),
        ("m, 2*n", "m, 2*n-3, 4", "m+(2*n-m+1)/4*4, 2*n"),
        ("-1, n", "-1, n-3, 4", "-1+(n-(-1)+1)/4*4, n"),
        ("n+1, 2*n", "n+1, 2*n-3, 4", "n+1+(2*n-(n+1)+1)/4*4, 2*n"),
    ],
)
def test_what_is_left_of_unrolled_loops(bounds: str, main: str, rest: str, tmp_path: Path) -> None:
    made = lines(kernel_of(f"do k = {bounds}\n u(k,i) = k\n end do", tmp_path).unroll(k=4))
    assert made[0] == f"do k = {main}" and made[6] == f"do k = {rest}"


def test_variables_that_are_used_elsewhere(tmp_path: Path) -> None:
    nest = "do k = 1, n\n do l = 1, n\n w(k,l,i) = 1\n end do\n end do\n"
    for use in ("v(1,i) = k", "v(1,i) = l", "do k = k, n\n u(k,i) = 1\n end do", "do m = 1, l\n u(m,i) = 1\n end do"):
        with pytest.raises(IllegalTransform, match="is used outside of its loop"):
            kernel_of(nest + use, tmp_path).interchange("k", "l")
    kernel_of(nest + "do k = 1, n\n u(k,i) = 1\n end do", tmp_path).interchange("k", "l")


def test_precompute(tmp_path: Path) -> None:
    body = (
        "do k = 1, n\n u(k,i) = 2 * exp( V(k,I) ) + s\n if (u(k,i) > 3) then\n w(k,1,i) = exp(v(k,i))\n end if\n end do"
    )
    made = lines(kernel_of("s = 1\n" + body, tmp_path).precompute("exp(v(k, i))"))
    assert made[1:4] == ["do k = 1, n", "hf_value1 = exp(v(k, i))", "u(k,i) = 2 * hf_value1 + s"]
    assert made[5] == "w(k,1,i) = hf_value1"
    first = "t = v(1,i) * v(2,i)\n u(1,i) = t + v(1,i)*v(2,i) + sqrt(v(1,i))\n u(2,i) = sqrt(v(1,i))"
    made = lines(kernel_of(first, tmp_path).precompute("v(1,i) * v(2,i)").precompute("sqrt(v(1,i))"))
    assert made[:2] == ["hf_value1 = v(1,i) * v(2,i)", "t = hf_value1"]
    assert made[2:] == ["hf_value2 = sqrt(v(1,i))", "u(1,i) = t + hf_value1 + hf_value2", "u(2,i) = hf_value2"]


@pytest.mark.parametrize(
    ("body", "expression", "rule"),
    [
        ("if (u(1,i) > 0) v(1,i) = sqrt(u(1,i))\n v(2,i) = sqrt(u(1,i))", "sqrt(u(1,i))", "the first statement"),
        ("do k = 1, n\n v(k,i) = sqrt(u(1,i))\n end do\n v(1,i) = sqrt(u(1,i))", "sqrt(u(1,i))", "the first statement"),
        ("v(1,i) = sqrt(u(1,i))\n u(1,i) = 2\n v(2,i) = sqrt(u(1,i))", "sqrt(u(1,i))", "nothing that"),
        ("do k = 1, n\n u(k,i) = sqrt(v(k,i))\n end do\n k = 1\n u(1,i) = sqrt(v(k,i))", "sqrt(v(k,i))", "the first"),
        ("t = 2 * t\n u(1,i) = 2 * t", "2 * t", "nothing that"),
        ("u(1,i) = other(t)\n u(2,i) = other(t)", "other(t)", "a number made of"),
        ("u(:,i) = 2 * v(:,i)\n u(:,i) = 2 * v(:,i) + 1", "2 * v(:,i)", "a number made of"),
        ("c = 2 * c\n u(1,i) = sum(2 * c)", "2 * c", "a number made of"),
        ("u(1,i) = 1", "sqrt(", "a number made of"),
        ("u(1,i) = 1", "sqrt(u(1,i))", "an expression of the kernel"),
        ("u(1,i) = merge(1, 0, n > 2 .and. sqrt(t) > 1)\n v(1,i) = sqrt(t)", "sqrt(t)", "the first statement"),
        ("u(1,i) = real(n, 4) + real(n, 4)", "real(n, 4)", "a number made of"),
        ("if (n > 2) goto 10\n u(1,i) = sqrt(t)\n10 v(1,i) = sqrt(t)", "sqrt(t)", "nothing that"),
        ("u(1,i) = v(k,i)\n do k = 1, n\n w(k,1,i) = 1\n end do\n u(2,i) = v(k,i)", "v(k,i)", "nothing that"),
        ("u(1,i) = 2 * t\n call other(t)\n u(2,i) = 2 * t", "2 * t", "nothing that"),
    ],
)
def test_what_is_not_precomputed(body: str, expression: str, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "m.h90"
    other = "subroutine other(x)\n real(8), intent(inout) :: x\n x = x + 1\n end subroutine\nend module"
    function = "real(8) function other(x)\n real(8), intent(in) :: x\n other = x + 1\n end function\nend module"
    path.write_text((HEAD + body + TAIL).replace("end module", other if "call" in body else function))
    kernel = hfpy.read(path, backend="sequential")["it"]
    with pytest.raises(IllegalTransform) as refused:
        kernel.precompute(expression)
    assert refused.value.rule.startswith(rule), (refused.value.rule, refused.value.message)

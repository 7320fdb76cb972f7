"""Regions by what their points do to one another: what races is refused, what is private or apart is accepted and runs.

Directives are in comments, so that each program is its own plain twin. Each cause has variants in other spellings,
names, kinds and places.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hfpy.diagnostics import Diagnostic
from tests.support import CUDA_C, OPENMP, Corpus, Pair, translate_text

DECLARED = """
    real(8) :: a(6), b(6), u(64), w(6,5), z(6), x(5), t3(6,5,4), c3(6,5,4)
    integer :: idx(6,5), mask(6,5), cnt(6), ks(6), i, j, k, n, nk, m, jt, kt
    n = 6; nk = 5; m = 4
    do k = 1, 5
      do i = 1, 6
        w(i,k) = sin(1d0*i*k); mask(i,k) = mod(i*k, 2); idx(i,k) = 1 + mod(i*3 + k, 6)
      end do
    end do
    do i = 1, 6
      a(i) = i; b(i) = 0.5d0*i - 2; z(i) = 0; cnt(i) = 0; ks(i) = 1 + mod(i*2, 4)
    end do
    u = 0; x = 0
    t3 = 1; c3 = 2
    t3(2,3,:) = 7; c3(1,1,:) = 3
"""
PRINTED = """
    print '(es24.16)', a, b, u(1:40), w, z, x, t3, c3
    print '(i0)', cnt, idx, mask
"""


def program(name: str, region: str, declared: str = "", more: str = "") -> str:
    """A module whose ``run`` has one region with its own loops; ``i``, ``k`` are its iterators, or as it says."""
    head = f"module {name}\n  implicit none\n  real(8) :: s6_grid(6) = 0\ncontains\n  subroutine run()\n"
    return f"{head}{declared}{DECLARED}{region}{PRINTED}  end subroutine run\n{more}end module {name}\n"


def over_ik(body: str, attributes: str = "") -> str:
    return f"""
    !@parallelRegion{{domName(i,k), domSize(n,nk){attributes}}}
    do k = 1, nk
      do i = 1, n
        {body}
      end do
    end do
    !@end parallelRegion
"""


def over_i(body: str, attributes: str = "") -> str:
    return f"""
    !@parallelRegion{{domName(i), domSize(n){attributes}}}
    do i = 1, n
      {body}
    end do
    !@end parallelRegion
"""


BOX = """
    type box
      real(8) :: r(7), q(7)
    end type
    type(box) :: o
"""

COLUMN = """
  subroutine column(ii, kk, p, q)
    integer, intent(in) :: ii, kk
    real(8), intent(in) :: p(6,5,4)
    real(8), intent(inout) :: q(6,5,4)
    integer :: l
    do l = 1, 4
      q({place},l) = q({place},l) + p(ii,kk,l)
    end do
  end subroutine column
"""

# -- refused or warned of: name -> (region, declarations, routines, severity and code)

FORALL = "block\n integer :: l(2)\n forall (jt = 1:2) l(jt) = jt*i\n {}\n end block"
CONCURRENT = "block\n integer :: l(2)\n do concurrent (jt = 1:2)\n l(jt) = jt*i\n end do\n {}\n end block"
REFUSED = {
    # what a loop without order has set depends on its index, which means nothing after it
    "forall_sum": (over_i(FORALL.format("x(1) = sum(l)")), "", "", "error HF504"),
    "forall_element": (over_i(FORALL.format("x(2) = l(2)*b(2)")), "", "", "error HF504"),
    "concurrent": (over_i(CONCURRENT.format("x(jt) = l(1)")), "", "", "error HF504"),
    # S2: a condition on data silences nothing
    "s2_sum": (over_ik("if (w(i,k) > 0.5d0) a(i) = a(i) + w(i,k)"), "", "", "error HF504"),
    "s2_max": (over_ik("IF(w(i,k).gt.0.5d0)a(i)=max(a(i),w(i,k))"), "", "", "error HF504"),
    "s2_count": (over_ik("if (mask(i,k) == 1) then\n cnt(i) = cnt(i) + 1\n end if"), "", "", "error HF504"),
    "s2_above": (over_ik("if (k > 1) a(i) = a(i) + w(i,k)"), "", "", "error HF504"),
    "s2_below": (over_ik("if (k <= 2) a(i) = w(i,k)"), "", "", "error HF504"),
    "s2_set": (over_ik("if (w(i,k) > 0d0) z(i) = w(i,k)"), "", "", "error HF504"),
    "s2_one": (over_ik("if (mask(i,k)==1) x(1) = x(1) + w(i,k)"), "", "", "error HF504"),
    "s2_other": (over_ik("if (mask(i,k)==1) x(k) = x(k) + w(i,k)"), "", "", "error HF504"),
    "s2_ifl": (over_ik("ifl(i) = ifl(i) + w(i,k)"), "real(8) :: ifl(6) = 0", "", "error HF504"),
    "s2_corners": (
        over_ik("""if (i < n .and. k < nk) then
          if (mask(i,k)==1) then
            do jt = i, i+1
              do kt = k, k+1
                w(jt,kt) = b(i)
              end do
            end do
          end if
        end if"""), "", "", "error HF504",
    ),
    "s2_select": (over_ik("select case (mask(i,k))\n case (1)\n a(i) = a(i) + 1\n end select"), "", "", "error HF504"),
    "s2_cycle": (over_i("do k = 1, nk\n if (mask(i,k)==0) cycle\n x(k) = x(k) + w(i,k)\n end do"),
        "", "", "error HF504"),
    # S3: indices that are not linear
    "s3_scalar": (over_ik("m = idx(i,k); a(m) = a(m) + w(i,k)"), "", "", "warning HF500"),
    "s3_direct": (over_ik("a(idx(i,k)) = a(idx(i,k)) + w(i,k)"), "", "", "warning HF500"),
    "s3_two_steps": (over_ik("jt = idx(i,k)\n kt = jt\n a(kt) = a(kt) + w(i,k)"), "", "", "warning HF500"),
    # tables that may have a value twice
    "table_twice": (over_i("a(tb(i)) = b(i)"), "integer, parameter :: tb(6) = [2,4,6,1,2,5]", "", "warning HF500"),
    "table_same": (
        over_i("a(tb(i)) = b(i)"), "integer, parameter :: two = 2, tb(6) = (/ 1, two, 3, 4, 5, 4/two /)", "",
        "warning HF500",
    ),
    "table_saved": (over_i("a(tb(i)) = b(i)"), "integer, save :: tb(6) = [2,4,6,1,3,5]", "", "warning HF500"),
    "table_loop": (
        over_i("a(tb(i)) = b(i)"), "integer :: q\n integer, parameter :: tb(6) = [(mod(q,4) + 1, q=1,6)]", "",
        "warning HF500",
    ),
    "table_beside": (
        over_i("a(tb(i)) = b(i) + a(i)"), "integer, parameter :: tb(6) = [2,4,6,1,3,5]", "", "warning HF500"
    ),
    "s3_half": (over_i("a(i/2+1) = b(i)"), "", "", "error HF504"),
    "s3_half_scalar": (over_i("jt = (i + 1)/2\n a(jt) = b(i)"), "", "", "error HF504"),
    "s3_mod": (over_i("a(mod(i,2) + 1) = b(i)"), "", "", "error HF504"),
    "s3_flat": (over_ik("u((n-1)*(k-1)+i) = w(i,k)"), "", "", "error HF504"),
    # S5: what is not set first is no array of the point's own
    "s5_bare": (over_i("col(ks(i)) = i; z(i) = sum(col)"), "real(8) :: col(4)", "", "error HF504"),
    "s5_short": (over_i("do k = 1, 3\n col(k) = i\n end do\n z(i) = col(4)"), "real(8) :: col(4)", "", "error HF504"),
    "s5_masked": (
        over_i("do k = 1, 4\n if (b(i) > k) col(k) = i\n end do\n z(i) = col(2)"),
        "real(8) :: col(4)", "", "error HF504",
    ),
    "s5_carried": (
        over_i("if (b(i) > 0) col(1) = b(i)\n z(i) = col(1)", "").replace("    !@par", "    col = 1\n    !@par", 1),
        "real(8) :: col(4)", "", "error HF504",
    ),
    # S6: in called routines
    "s6_first": (over_ik("call column(i, k, t3, c3)"), "", COLUMN.format(place="1,1"), "error HF504"),
    "s6_row": (over_ik("call column(i, k, t3(:,:,:), c3)"), "", COLUMN.format(place="1,kk"), "error HF504"),
    "s6_keyword": (over_ik("call column(q=c3, p=t3, kk=k, ii=i)"), "", COLUMN.format(place="ii,2"), "error HF504"),
    "s6_below": (
        over_ik("call outer(i, k, t3, c3)"), "",
        """  subroutine outer(i, k, v, y)
    integer :: i, k
    real(8) :: v(6,5,4), y(6,5,4)
    call column(i, k, v, y)
  end subroutine outer
""" + COLUMN.format(place="2,2"), "error HF504",
    ),
    "s6_module": (
        over_i("s6_grid(i) = b(i); call shift(i, z(i))"), "",
        """  subroutine shift(l, y)
    integer, intent(in) :: l
    real(8), intent(out) :: y
    y = s6_grid(max(l - 1, 1))
  end subroutine shift
""", "error HF504",
    ),
    # neighbours
    "recurrence": (over_i("if (i > 1) a(i) = a(i-1)"), "", "", "error HF504"),
    "recurrence_scalar": (over_i("jt = max(i - 1, 1)\n a(i) = a(jt) + 1"), "", "", "error HF504"),
    "component": (
        over_ik("o%r(i) = o%r(i) + w(i,k)"), BOX, "", "error HF504"
    ),
}  # fmt: skip

ACCEPTED = {
    "s2_equal": (over_ik("if (k == 1) a(i) = a(i) + w(i,k)"), "", ""),
    "s2_equal_value": (over_ik("if (m .eq. k) then\n a(i) = a(i) + w(i,k)\n end if"), "", ""),
    "s2_equal_own": (over_ik("if (k == ks(i)) a(i) = a(i) + w(i,k)"), "", ""),
    "s2_stated": (over_ik("if (mask(i,k) == 1 .and. k == 1) a(i) = a(i) + w(i,k)", ", independent(a)"), "", ""),
    "s3_stated": (
        over_i("jt = perm(i); a(jt) = a(jt) + b(i)", ", distinct(perm)"), "integer :: perm(6) = [2,4,6,1,3,5]", ""
    ),
    "table": (over_i("a(tb(i)) = b(i)"), "integer, parameter :: tb(6) = [2,4,6,1,3,5]", ""),
    "table_names": (
        over_ik("w(tb(i),sh(k)) = w(tb(i),sh(k)) + k"),
        "integer, parameter :: one = 1, tb(6) = (/ 6, 5, 4, 3, 2, one /)\n"
        "integer, parameter :: sh(5) = [5,-3+4,4,2,3]",
        "",
    ),
    "table_called": (
        over_i("call put(i, a, b(i))"), "",
        """  subroutine put(l, p, v)
    integer, intent(in) :: l
    real(8), intent(inout) :: p(6)
    real(8), intent(in) :: v
    integer, parameter :: other(-1:4) = [3,1,2,6,5,4]
    p(other(l-2)) = v
  end subroutine put
""",
    ),
    "s3_apart": (over_i("u(2*i) = u(2*i+1) + b(i)"), "", ""),
    "s3_flat": (over_ik("u(n*(k-1)+i) = w(i,k)"), "", ""),
    "s3_diagonal": (over_i("if (i > 1 .and. i < 6) w(i,i-1) = w(i-1,i-1)"), "", ""),
    "s4_none": (over_ik("jt = i + k; w(i,k) = jt*jt"), "", ""),
    "s5_column": (over_i("col = 0; col(ks(i)) = i; z(i) = sum(col)"), "real(8) :: col(4)", ""),
    "s5_loop": (
        over_i("do k = 1, m\n col(k) = k\n end do\n col(ks(i)) = i\n z(i) = sum(col(1:m))"), "real(8) :: col(4)", ""
    ),
    "s5_section": (over_i("col(:) = i; col(1:ks(i)) = 2; z(i) = sum(col)"), "real(8) :: col(4)", ""),
    "s5_branches": (
        over_i("do k = 1, 4\n if (b(i) > k) then\n col(k) = i\n else\n col(k) = 2\n end if\n end do\n z(i) = col(2)"),
        "real(8) :: col(4)", "",
    ),
    "s5_called": (
        over_i("call fill(col, i); z(i) = sum(col)"), "real(8) :: col(4)",
        """  subroutine fill(v, l)
    real(8), intent(out) :: v(4)
    integer, intent(in) :: l
    integer :: q
    do q = 1, 4
      v(q) = q*l
    end do
  end subroutine fill
""",
    ),
    "s5_elements": (
        over_i("call two(col(1), col(2), i); z(i) = col(1) + col(2)"), "real(8) :: col(2)",
        """  pure subroutine two(p, q, l)
    real(8), intent(out) :: p, q
    integer, intent(in) :: l
    p = l
    q = 2*l
  end subroutine two
""",
    ),
    "s5_begun": (
        over_i("col(1) = i; z(i) = col(1) + col(2)").replace("    !@par", "    col = 3\n    !@par", 1),
        "real(8) :: col(4)", "",
    ),
    "s5_own": (over_i("own(i) = own(i) + b(i); z(i) = own(i)").replace("    !@par", "    own = 3\n    !@par", 1),
        "real(8) :: own(7)", "",
    ),
    "s5_stated": (
        over_i("if (b(i) > 0) col(1) = b(i)\n if (a(i)/2 - 2 > 0) z(i) = col(1)", ", private(col)"),
        "real(8) :: col(4)", "",
    ),
    "r1_section": (
        over_i("do k = 1, 4\n col(k) = 0\n end do\n col(1:ks(i)) = i\n z(i) = sum(col)"), "real(8) :: col(4)", ""
    ),
    "r1_twice": (
        over_i("s(:) = i; z(i) = sum(s)") + over_i("s(1:4) = i; a(i) = s(1) + s(4)")
        + over_i("do k = 1, 4\n s(k) = k\n end do\n b(i) = s(3)") + over_i("s(1) = i; b(i) = b(i) + s(1)"),
        "real(8) :: s(4)", "",
    ),
    "r2_sections": (over_ik("call column(i, k, t3(:,:,:), c3(:,:,:))"), "", COLUMN.format(place="ii,kk")),
    "r2_whole": (over_ik("call column(i, k, t3, c3)"), "", COLUMN.format(place="ii,kk")),
    "r2_element": (
        over_ik("call add(c3(i,k,1), c3(i,k,3))"), "",
        "  subroutine add(p, q)\n real(8), intent(inout) :: p, q\n p = p + 1\n q = p\n end subroutine add\n",
    ),
    "r2_column": (
        over_i("call down(w(i,:), b(i))"), "",
        """  subroutine down(v, y)
    real(8), intent(inout) :: v(5)
    real(8), intent(in) :: y
    v(2:5) = v(1:4)*y
  end subroutine down
""",
    ),
    "r2_constant": (over_ik("ll = w(i,k) > 0.5d0\n if (ll) cnt(1) = 1"), "logical :: ll", ""),
    "r3_own": (over_i("w(i,ks(i)) = w(i,1) + 1"), "", ""),
    "r3_unpack": (over_i("u(n+i) = u(i) + b(i)"), "", ""),
    "r3_unpack_both": (
        "call halo(n, 2, a, z)\n", "",
        """  subroutine halo(nx, hs, p, field)
    integer, intent(in) :: nx, hs
    real(8), intent(in) :: p(nx)
    real(8), intent(out) :: field(nx)
    real(8) :: state(1-hs:nx+hs)
    integer :: s
    state = 0
    !@parallelRegion{domName(s), domSize(hs)}
    do s = 1, hs
      state(-hs+s) = p(s)
      state(nx+s) = p(s) + 1
    end do
    !@end parallelRegion
    field = state(1-hs:nx-hs)
    field(nx) = state(nx+hs)
  end subroutine halo
""",
    ),
    "r3_mask": (over_ik("if (k == m) a(i) = w(i,k)"), "", ""),
    "module_array": (
        over_i("s6_grid(i) = b(i); call same(i, z(i))"), "",
        """  subroutine same(l, y)
    integer, intent(in) :: l
    real(8), intent(out) :: y
    y = s6_grid(l)
  end subroutine same
""",
    ),
    "part": (over_i("o%r(i) = o%q(i+1)"), BOX, ""),
}  # fmt: skip


def said(name: str, case: tuple, backend: str = "openmp") -> list[Diagnostic]:
    done = translate_text({f"{name}.f90": program(name, *case[:3])}, backend=backend)
    return [d for d in done.diagnostics if d.code in ("HF500", "HF504")]


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    case = REFUSED[name]
    found = said(name, case)
    assert [f"{d.severity} {d.code}" for d in found[:1]] == [case[3]], found
    assert found[0].hint and found[0].place.line


@pytest.mark.parametrize("name", [n for n in REFUSED if REFUSED[n][3] == "warning HF500"])
def test_no_vectors_where_points_may_meet(name: str) -> None:
    done = translate_text({f"{name}.f90": program(name, *REFUSED[name][:3])}, backend="openmp")
    assert not re.search(r"!\$omp .*simd", done.text)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = []
    for name, case in ACCEPTED.items():
        text = {f"{name}.f90": program(name, *case)}
        pairs.append(Pair(name, text, text, name))
    return Corpus(pairs, tmp_path_factory.mktemp("regions"), {p.name: (OPENMP, CUDA_C) for p in pairs})


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_and_runs(corpus: Corpus, name: str) -> None:
    assert not said(name, ACCEPTED[name])
    corpus.check(name)


def test_pointers_are_each_points_own() -> None:
    declared = "real(8), pointer :: col(:)\n real(8), target :: v5(6,5) = 1\n"
    assert not said("pointer", (over_i("col => v5(i,:); col(2) = col(1) + 1; z(i) = col(2)"), declared, ""))


def test_witness() -> None:
    (found,) = said("witness", (over_ik("if (w(i,k) > 0.5d0) a(i) = a(i) + w(i,k)"), "", ""))
    assert re.search(
        r"points? .*i = (\d), k = (\d).* i = \1, k = (\d)|points? k = \d, i = (\d) .* i = \4", found.message
    )
    assert "independent(a)" in found.hint


def test_implicitly_typed_scalars_are_private(tmp_path: Path) -> None:
    for number, text in enumerate(
        ("t = i + k; w(i,k) = t*t", "nn = i*k\n w(i,k) = nn", "T2 = w(i,k)\n w(i,k) = t2 + 1")
    ):
        module = program(f"s4_{number}", over_ik(text)).replace("  implicit none\n", "")
        done = translate_text({"s4.f90": module}, backend="openmp").require()
        line = next(x for x in done.text.splitlines() if "!$omp parallel do" in x)
        assert "private" in done.text, line
        assert re.search(r"private\([^)]*\b(t|nn|t2)\b", done.text, re.IGNORECASE), done.text

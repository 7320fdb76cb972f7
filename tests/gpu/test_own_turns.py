"""Serial loops around regions that each point runs for itself: which they are, why others stay, and the results."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from hfpy.analyze.dependence.model import Nest
from hfpy.analyze.regions import ownturns
from hfpy.options import Options
from hfpy.pipeline import translate
from tests.support import CUDA_C, OPENACC, OPENCL, OPENMP_TARGET, Corpus, Variant, pair, some_soon, translate_text

HEAD = """module turns
  implicit none
  integer :: known
  real(8) :: kept(3) = 0.125d0
contains
  subroutine run()
    integer, parameter :: nx = 7, ny = 5, nz = 6
    real(8) :: a(nx,ny,nz), b(nx,ny,nz), c(nx,ny)
    integer :: n
    a = reshape([(0.25d0*n, n = 1, nx*ny*nz)], shape(a))
    b = reshape([(1 + mod(n, 7), n = 1, nx*ny*nz)], shape(b))
    c = 2
    call go(nx, ny, nz, nz - 1, a, b, c)
    print '(4es24.16)', a, b, c
  end subroutine run
  subroutine go(nx, ny, nz, m, a, b, c)
    integer, intent(in) :: nx, ny, nz, m
    real(8), intent(inout) :: a(nx,ny,nz), c(nx,ny)
    real(8), intent(inout), target :: b(nx,ny,nz)
    real(8), pointer :: same(:,:,:)
    real(8) :: t, w(nz)
    integer :: i, j, k, l, n, top, idx(nx,ny)
    top = m
"""
TAIL = """  end subroutine go
  subroutine add(x)
    real(8), intent(inout) :: x
    x = x + 1
  end subroutine add
  subroutine settle(k, x)
    integer, intent(in) :: k
    real(8), intent(inout) :: x(:)
    if (k > 1) x(k) = 0.5d0*(x(k) + x(k-1)) + growth(x(k))
  end subroutine settle
  real(8) function growth(x)
    real(8), intent(in) :: x
    growth = x/(1 + x*x) + kept(2)
  end function growth
  subroutine replaced(x, y)
    real(8), intent(out) :: x
    real(8), intent(in) :: y
    x = y
  end subroutine replaced
  subroutine told(x)
    real(8), intent(in) :: x
    call more(x)
  end subroutine told
  subroutine more(x)
    real(8), intent(in) :: x
    if (x < 0) stop 3
  end subroutine more
end module turns
"""
OPEN, CLOSE = "@parallelRegion{domName(i,j), domSize(nx,ny)MORE}", "@end parallelRegion"


def loop(*bodies: str, head: str = "do k = 2, nz", more: str = "") -> str:
    """A loop with a region for each body."""
    regions = "".join(f"{OPEN.replace('MORE', more)}\n{body}\n{CLOSE}\n" for body in bodies)
    return f"{head}\n{regions}end do\n"


MOVED = {
    "an earlier turn of the point": loop("a(i,j,k) = a(i,j,k-1) + b(i,j,k)"),
    "a level for each turn": loop("a(i,j,k) = b(i,j,k)*k"),
    "a sum in an array": loop("c(i,j) = c(i,j) + a(i,j,k)"),
    "downwards": loop("a(i,j,k) = a(i,j,k+1) - b(i,j,k)", head="do k = nz-1, 1, -1"),
    "a bound that is set before": loop("a(i,j,k) = a(i,j,k) + k", head="do k = 1, top, 2"),
    "a scalar of the point": loop("t = b(i,j,k) + k\na(i,j,k) = t*t"),
    "an array of the point": loop("do l = 1, nz\nw(l) = l*k\nend do\na(i,j,k) = sum(w)"),
    "neighbours that nothing sets": loop("if (i > 1) a(i,j,k) = a(i,j,k-1) + b(i-1,j,k-1)"),
    "a loop in the region": loop("do l = 1, k\na(i,j,k) = a(i,j,k) + b(i,j,l)\nend do"),
    "jumps within a loop": loop("do l = 1, nz\nif (b(i,j,l) > 5) cycle\na(i,j,k) = a(i,j,k) + b(i,j,l)\nend do"),
    "comments": loop("a(i,j,k) = a(i,j,k-1)").replace("@", "! a comment\n\n    @"),
    "two loops": f"do l = 1, 3\n{loop('a(i,j,k) = a(i,j,k-1) + l')}end do\n",
    "a triangle": f"do l = 2, nz\n{loop('a(i,j,k) = a(i,j,k-1) + b(i,j,l)', head='do k = l, nz')}end do\n",
    "a variable of two loops": loop("a(i,j,k) = a(i,j,k-1)") + "do k = 1, 2\nn = k\nend do\n",
    "two regions": loop("a(i,j,k) = a(i,j,k-1) + b(i,j,k)", "b(i,j,k) = 2*a(i,j,k)"),
    "four regions": loop(
        "c(i,j) = c(i,j) + a(i,j,k)", "t = c(i,j)\na(i,j,k) = t", "b(i,j,k) = a(i,j,k-1) + k", "a(i,j,k-1) = b(i,j,k)"
    ),
    "neighbours that no region sets": loop("a(i,j,k) = b(i,j,k-1)", "if (i > 1) c(i,j) = c(i,j) + b(i-1,j,k)"),
    "an array of the point in each region": loop(
        "do l = 1, nz\nw(l) = l*k\nend do\na(i,j,k) = sum(w)", "do l = 1, nz\nw(l) = l+k\nend do\nb(i,j,k) = sum(w)"
    ),
    "regions in two loops": f"do l = 1, 3\n{loop('a(i,j,k) = a(i,j,k-1) + l', 'b(i,j,l) = a(i,j,k)')}end do\n",
    "comments between regions": loop("a(i,j,k) = b(i,j,k)", "b(i,j,k) = 2*a(i,j,k)").replace(
        CLOSE, f"{CLOSE}\n\n    ! next", 1
    ),
    "a call": loop("call add(a(i,j,k))"),
    "a column of a routine": loop("call settle(k, a(i,j,:))", "b(i,j,k) = growth(a(i,j,k))"),
    "a maximum": "t = 0\n" + loop("t = max(t, a(i,j,k) - k)", more=", reduction(max:t)") + "c(1,1) = t\n",
    "a sum of integers": "n = 3\n"
    + loop("n = n + i*k + j", "a(i,j,k) = b(i,j,k)\nn = n - int(b(i,j,k))", more=", reduction(+:n)")
    + "c(2,1) = n\n",
    "bounds of the region": loop("a(i,j,k) = a(i,j,k-1) + 1", more=", startAt(2,1), endAt(nx-1,top-1)"),
}
STAYS = {
    "an earlier turn of another point": (loop("if (i > 1) a(i,j,k) = a(i-1,j,k-1)"), "of 'a' in an earlier turn"),
    "a later turn of another point": (loop("if (i > 1) a(i-1,j,k-1) = a(i,j,k)"), "of 'a' in an earlier turn"),
    "a plane that all read": (loop("a(i,j,k) = a(i,j,k) + a(1,1,k-1)"), "of 'a' in an earlier turn"),
    "a place that the turn decides": (loop("if (i + k <= nx) a(i,j,1) = a(i+k,j,1) + 1"), "is known"),
    "the variable is read after": (loop("a(i,j,k) = k") + "n = k\nc(1,1) = n\n", "'k' is used outside of the loop"),
    "bounds that depend on the turn": (loop("a(i,j,k) = k", more=", endAt(k,ny)"), "depend on 'k'"),
    "a sum of reals": (
        "t = 0\n" + loop("t = t + a(i,j,k)", more=", reduction(+:t)") + "c(1,1) = t\n",
        "the reduction of 't' would be done in another order",
    ),
    "a reduction of one region": (
        "t = 0\n" + loop("t = max(t, a(i,j,k))", "b(i,j,k) = 2").replace("ny)}", "ny), reduction(max:t)}", 1),
        "other attributes",
    ),
    "a reduction that the loop counts to": (
        "n = 1\n" + loop("n = max(n, int(b(i,j,k)))", head="do k = 1, nz, n", more=", reduction(max:n)"),
        "sets 'n', a bound of the loop",
    ),
    "a reduction that bounds of the region read": (
        "n = 1\n" + loop("n = max(n, k)", more=", startAt(n,1), endAt(nx,ny), reduction(max:n)"),
        "'n'",
    ),
    "a routine that gets a neighbour": (
        loop("if (i > 1) call replaced(a(i,j,k), a(i-1,j,k-1))"),
        "of 'a' in an earlier turn",
    ),
    "a routine that may stop": (loop("call told(b(i,j,k))\na(i,j,k) = k"), "'more', which it calls, has a 'stop'"),
    "a routine that reads what the region sets": (
        loop("if (i <= 3 .and. j == 1) kept(i) = k\na(i,j,k) = a(i,j,k-1)", "b(i,j,k) = growth(b(i,j,k))"),
        "may know 'kept' by itself",
    ),
    "a statement": (loop("a(i,j,k) = k").replace("end do\n", "n = k\nend do\n"), "other statements"),
    "a wish": (loop("a(i,j,k) = k", more=", fuse(no)"), "fuse(no) says so"),
    "a bound in an array": (loop("a(i,j,k) = k", head="do k = 1, int(c(1,1))"), "more than numbers and scalars"),
    "a variable of the module": (loop("a(i,j,known) = known", head="do known = 2, nz"), "no plain local variable"),
    "the last value": (loop("t = a(i,j,k)\nb(i,j,k) = t") + "c(1,1) = t\n", "'t' has a value before or after"),
    "another name": (
        "associate (k => n)\n" + loop("a(i,j,k) = k") + "end associate\nc(1,1) = n\n",
        "means something else",
    ),
    "a condition": (
        loop("a(i,j,k) = k", head="do while (k < nz)").replace(OPEN[:5], "k = k + 1\n" + OPEN[:5]),
        "other statements",
    ),
    "a neighbour of an earlier region": (
        loop("a(i,j,k) = b(i,j,k)", "if (i > 1) b(i,j,1) = a(i-1,j,k)"),
        "of 'a' in another region",
    ),
    "a neighbour of the earlier turn": (
        loop("a(i,j,k) = b(i,j,k)", "if (j > 1) b(i,j,1) = a(i,j-1,k-1)", "c(i,j) = b(i,j,1)"),
        "of 'a' in another region",
    ),
    "other points": (
        loop("a(i,j,k) = b(i,j,k)", "b(i,j,k) = 2*a(i,j,k)").replace("domSize(nx,ny)", "domSize(nx,ny-1)", 1),
        "have other points",
    ),
    "a value that one region sets": (
        loop("t = b(i,j,k)\na(i,j,k) = t", "b(i,j,k) = 2*a(i,j,k)\nc(i,j) = 1") + "c(1,1) = t\n",
        "'t' has a value before or after",
    ),
    "an index that a region sets": (
        loop("n = 1 + mod(i + k, nx)\nidx(i,j) = n", "a(i,j,k) = b(idx(i,j),j,k)", "b(idx(i,j),j,k) = c(i,j)"),
        "is known",
    ),
    "a wish of one region": (
        loop("a(i,j,k) = k", "b(i,j,k) = a(i,j,k)").replace("(nx,ny)}", "(nx,ny), fuse(no)}", 1),
        "fuse(no) says so",
    ),
    "another name for what a region before sets": (
        "same => b\n" + loop("b(i,j,k) = k", "if (i > 1) c(i,j) = c(i,j) + same(i-1,j,k)"),
        "'b' and 'same' may be the same memory",
    ),
    "another name for what a later region sets": (
        "same => b\n" + loop("c(i,j) = c(i,j) + same(i,j,k)", "b(i,j,k) = k"),
        "'b' and 'same' may be the same memory",
    ),
    "a statement on the loop's line": (
        loop("a(i,j,k) = k").replace("do k", "n = 2; do k", 1),
        "other statements on its lines",
    ),
    "a statement on the line of its end": (
        loop("a(i,j,k) = k").replace("end do", "end do; n = 2"),
        "other statements on its lines",
    ),
    "a later region for an earlier one in the next turn": (
        loop("a(i,j,k) = b(i,j,k-1)", "if (i > 1) b(i,j,k) = a(i-1,j,k)"),
        "of 'a' in another region",
    ),
    "several regions in a loop with a name": (
        loop("a(i,j,k) = b(i,j,k)", "if (i > 1) c(i,j) = c(i,j) + a(i-1,j,k)", head="all: do k = 2, nz").replace(
            "end do", "end do all"
        ),
        "of 'a' in another region",
    ),
    "a statement between regions": (
        loop("a(i,j,k) = k", "b(i,j,k) = k").replace(CLOSE, f"{CLOSE}\nn = k", 1),
        "other statements",
    ),
}


# Several kernels, each with the loop.
APART = {
    "a neighbour of an earlier region": (loop("a(i,j,k) = c(i,j)*k", "if (i > 1) b(i,j,k) = a(i-1,j,k)"), 2),
    "a neighbour that a later region sets": (loop("if (i < nx) a(i,j,k) = b(i+1,j,k)", "b(i,j,k) = 2*a(i,j,k)"), 2),
    "as few as can be": (
        loop(
            "a(i,j,k) = a(i,j,k-1) + k",
            "c(i,j) = c(i,j) + a(i,j,k)",
            "if (i > 1) b(i,j,k) = a(i-1,j,k)",
            "b(i,j,k) = b(i,j,k) + 1",
        ),
        2,
    ),
    "three": (
        loop("a(i,j,k) = k", "if (i > 1) b(i,j,k) = a(i-1,j,k)", "if (j > 1) c(i,j) = c(i,j) + b(i,j-1,k)")
        .replace("end do", "! before the end\n  end do")
        .replace(CLOSE, f"! in a region\n{CLOSE}"),
        3,
    ),
    "downwards": (loop("a(i,j,k) = k", "if (i > 1) b(i,j,k) = a(i-1,j,k)", head="do k = nz, 1, -1"), 2),
    "two loops around": (
        f"do n = 1, 2\n{loop('a(i,j,k) = k', 'if (i > 1) b(i,j,k) = a(i-1,j,k)')}end do\n",
        2,
    ),
}


def said(body: str, folder: Path, **options: object) -> list[str]:
    """What is said of loops."""
    return said_and_made(body, folder, **options)[0]


def said_and_made(body: str, folder: Path, **options: object) -> tuple[list[str], str]:
    """What is said of loops, and the routine that is made."""
    path = folder / "turns.h90"
    path.write_text(HEAD + body + TAIL)
    done = translate([path], Options(**{"target": "gpu", "backend": "cuda-c", **options}))  # type: ignore[arg-type]
    text = next((file.text for file in done.files if file.name == "turns.F90"), "")
    routine = text.split("subroutine go(")[1].split("end subroutine go")[0] if text else ""
    return re.findall(r"  line \d+: the loop(?:s? over)? (.*)", done.schedule("go")), routine


@pytest.mark.parametrize("name", MOVED)
def test_each_point_runs_the_loop(name: str, tmp_path: Path) -> None:
    found, routine = said_and_made(MOVED[name], tmp_path)
    assert len(found) == 1 and found[0].endswith(" within one kernel"), found
    assert len(re.findall(r"call hfl\d_go\(", routine)) == 1
    assert "do k =" not in routine.split("call hfl0_go(")[0]


@pytest.mark.parametrize("name", APART)
def test_each_point_runs_the_loop_in_several_kernels(name: str, tmp_path: Path) -> None:
    body, count = APART[name]
    found, routine = said_and_made(body, tmp_path)
    assert len(found) == 1 and found[0].endswith(f" within {count} kernels"), found
    assert len(re.findall(r"call hfl\d_go\(", routine)) == count
    assert "do k =" not in routine


@pytest.mark.parametrize("name", STAYS)
def test_the_loop_stays(name: str, tmp_path: Path) -> None:
    body, because = STAYS[name]
    found = said(body, tmp_path)
    kernels = "stays around its kernel" + "s" * (body.count("@parallelRegion") > 1)
    assert len(found) == 1 and f"{kernels}: " in found[0] and because in found[0], found


@pytest.mark.parametrize(
    "options", [{"opt": 0}, {"trace": True}, {"profile": True}, {"target": "cpu", "backend": "openmp"}]
)
def test_nothing_moves_where_kernels_are_watched(options: dict[str, object], tmp_path: Path) -> None:
    assert not said(MOVED["a sum in an array"], tmp_path, **options)


def plain(body: str, directives: bool = False) -> str:
    """The same with loops for regions; with ``directives`` these stay around the loops."""
    lines = []
    for line in body.split("\n"):
        if "@parallelRegion" in line:
            found = re.search(r"startAt\((\w+),(\w+)\), endAt\(([^,]+),([^)]+)\)", line)
            low_i, low_j, high_i, high_j = found.groups() if found else ("1", "1", "nx", "ny")
            lines += [line] * directives + [f"do j = {low_j}, {high_j}", f"do i = {low_i}, {high_i}"]
        elif line.strip() == CLOSE:
            lines += ["end do", "end do", *[line] * directives]
        else:
            lines += [line]
    return "\n".join(lines)


LOOPED = {name: body for name, body in MOVED.items() if name != "bounds of the region"}


@pytest.mark.parametrize("name", [*LOOPED, *APART])
def test_regions_that_bring_their_loops(name: str, tmp_path: Path) -> None:
    body, kernels = (LOOPED[name], 1) if name in LOOPED else APART[name]
    found = said(plain(body, directives=True), tmp_path)
    words = "one kernel" if kernels == 1 else f"{kernels} kernels"
    assert len(found) == 1 and found[0].endswith(f" within {words}"), found


@pytest.mark.parametrize("first", [True, False])
def test_regions_with_and_without_loops(first: bool, tmp_path: Path) -> None:
    """In one kernel; the loops are those of the first region, if it has any."""
    bodies = ["a(i,j,k) = a(i,j,k-1) + b(i,j,k)", "c(i,j) = c(i,j) + a(i,j,k)"]
    regions = [loop(body, head="").strip().removesuffix("end do") for body in bodies]
    some = [plain(text, directives=True) if (n == 0) == first else text for n, text in enumerate(regions)]
    body = f"do k = 2, nz\n{''.join(some)}end do\n"
    (found,) = said(body, tmp_path)
    assert found == "'k' and the 2 regions in it within one kernel"
    text = translate_text(HEAD + body + TAIL, target="gpu", backend="cuda-c").require().files["m.cu"]
    assert text.count("__global__") == 1 and text.index("for (k = 2") < text.index("a(i, j, k) =")


OTHER_LOOPS = {
    "loops over other points": ("do i = 1, nx", "do i = 2, nx", "have other points"),
    "a jump to the next point": ("a(i,j,k) = b(i,j,k)", "if (j > 2) cycle\na(i,j,k) = b(i,j,k)", "leaves the region"),
    "a bound that a region sets": ("do i = 1, nx", "do i = 1, idx(1,1)", "sets 'idx', on which its bounds depend"),
    "something between the loops' ends": ("end do\nend do\n@end", "end do\n#if 1\n#endif\nend do\n@end", "other lines"),
}


@pytest.mark.parametrize("name", OTHER_LOOPS)
def test_regions_whose_loops_keep_the_loop_around(name: str, tmp_path: Path) -> None:
    old, new, because = OTHER_LOOPS[name]
    body = plain(loop("a(i,j,k) = b(i,j,k)", "b(i,j,k) = 2*a(i,j,k)\nidx(i,j) = k"), directives=True)
    found = said(body.replace(old, new, 2 if "idx" in new else 1), tmp_path)
    assert len(found) == 1 and because in found[0], found


def test_directives_in_comments(tmp_path: Path) -> None:
    """In a plain file, with loops that give their region."""
    body = plain(MOVED["two regions"], directives=True)
    body = re.sub(r"@parallelRegion.*", "!@parallelRegion", body).replace(f"{CLOSE}\n", "")
    path = tmp_path / "turns.f90"
    path.write_text(HEAD + body + TAIL)
    rows = translate([path], Options(target="gpu", backend="cuda-c")).schedule("go").split("\n")
    assert any(row.endswith("the loop over 'k' and the 2 regions in it within one kernel") for row in rows), rows


LEFT = ("a statement", "a wish", "a statement on the loop's line", "a later region for an earlier one in the next turn")
LEFT += ("another name for what a region before sets", "another name for what a later region sets")
ALL = "".join([*MOVED.values(), *(STAYS[name][0] for name in LEFT), *(body for body, _ in APART.values())])
WITH_LOOPS = "".join([MOVED["four regions"], MOVED["regions in two loops"], APART["three"][0]])
# Some of the regions have lost their loops, as they have been fused.
WITH_LOOPS += APART["as few as can be"][0] + MOVED["a sum of integers"]


@pytest.mark.parametrize("variant", some_soon((CUDA_C, OPENCL, OPENACC, OPENMP_TARGET)))
def test_results(variant: Variant, tmp_path: Path) -> None:
    source = HEAD + ALL + plain(WITH_LOOPS, directives=True) + TAIL
    tested = pair("turns", source, HEAD + plain(ALL + WITH_LOOPS) + TAIL)
    Corpus([tested], tmp_path, {"turns": (variant,)}).check("turns")


STATED = loop("if (i > 1) a(i,j,k) = a(i-1,j,k-1)", more=", independent(a)")


def test_what_the_user_states_of_a_turn_is_nothing_of_several(tmp_path: Path) -> None:
    (found,) = said(STATED, tmp_path)
    assert "stays around its kernel: a point may need what another one sets of 'a' in an earlier turn" in found


def test_a_loop_that_is_moved_without_a_proof_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownturns._Arrays, "against", lambda *_: "")
    shows(STATED.replace(", independent(a)", ""), tmp_path)


WITH_FACTS = "domSize(nx,ny), independent(a,b)"


@pytest.mark.parametrize("name", ["a neighbour of an earlier region", "a neighbour that a later region sets"])
def test_regions_that_are_judged_one_by_one_show(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them alone could have the loop."""

    def alone(nests: list[Nest]) -> Nest:
        return nests[0]

    monkeypatch.setattr(ownturns, "beside", alone)
    shows(APART[name][0], tmp_path)


@pytest.mark.parametrize(
    "body",
    [
        STAYS["a later region for an earlier one in the next turn"][0],
        loop("if (i > 1) a(i,j,k) = b(i-1,j,1)", "b(i,j,1) = k"),
    ],
)
def test_loops_that_are_taken_apart_without_a_proof_show(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownturns, "may_come_first", lambda *_: True)
    shows(body, tmp_path)


def shows(body: str, folder: Path) -> None:
    """Wrong numbers, or a race that the emulation finds."""
    body = body.replace("domSize(nx,ny)", WITH_FACTS)  # or the regions that are made would be refused
    corpus = Corpus([pair("turns", HEAD + body + TAIL, HEAD + plain(body) + TAIL)], folder, {"turns": (CUDA_C,)})
    with pytest.raises(AssertionError, match=r"race on element|differs"):
        corpus.check("turns")


def drawn(rng: Random) -> str:
    """A loop around some regions in which no two points meet in one turn; in several, or between regions, they may."""
    head = rng.choice(["do k = 2, nz-1", "do k = nz-1, 2, -1", "do k = 2, top, 2"])
    levels, read = (("k",), ("k",)) if rng.random() < 0.4 else (("k", "k", "k+1", "k-1", "3", "nz-k+1"), LEVELS)
    bodies = [_drawn_body(rng, levels, read) for _ in range(rng.choice([1, 1, 2, 3]))]
    return loop(*bodies, head=head, more=", startAt(2,2), endAt(nx-1,ny-1)")


def _drawn_body(rng: Random, choice: tuple[str, ...], read: tuple[str, ...]) -> str:
    names = rng.sample(["a", "b"], 2)
    level = rng.choice(choice)
    written = f"{names[0]}(i,j,{level})"
    reads = []
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(names)
        other = rng.random() < 0.7
        at = f"i{rng.choice(['', '+1', '-1'])},j{rng.choice(['', '+1', '-1'])}" if other else "i,j"
        # What a turn sets, it reads at its own point alone.
        levels = [s for s in read if name != names[0] or at == "i,j" or (level in LEVELS and s != level)]
        reads.append(f"{name}({at},{rng.choice(levels)})" if levels else "c(i,j)")
    value = " + ".join(f"{rng.choice(['0.5d0', '0.25d0', '0.125d0'])}*{read}" for read in reads)
    guard = rng.choice(["", "", f"if (mod(i{rng.choice(['', '+j'])}+k, 2) == 0) "])
    return f"{guard}{written} = {value} + k"


LEVELS = ("k", "k+1", "k-1")


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 9))
def test_drawn_loops(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    loops = [drawn(rng) for _ in range(40)]
    body = "".join(loops)
    found = said(body, tmp_path)
    moved = sum(one.endswith(("within one kernel", " kernels")) for one in found)
    assert len(found) == len(loops) and 5 < moved < 35
    tested = pair("turns", HEAD + body + TAIL, HEAD + plain(body) + TAIL)
    Corpus([tested], tmp_path, {"turns": (CUDA_C, OPENMP_TARGET)}).check("turns")

"""What is refused of the directives for many processes, with its code, at the user's line."""

from __future__ import annotations

import re

import pytest

from hfpy.analyze.processes.decomposed import MOST_GRIDS
from hfpy.build.compile.processes import ALONE
from tests.processes.programs import DOMAINS, SUPPORT
from tests.support import translate_text

HEAD = """module m
  use zoo
  implicit none
  integer :: nx, ny
  integer, parameter :: nxg = 17, nyg = 15, nh = 2
MORE
contains
  subroutine setup()
    @decomposition{name(dec), domName(i,j), global(nxg,nyg), local(nx,ny), halo(i:nh, j:nh), reductions(global)}
  end subroutine
"""
WORK = """  subroutine work(u)
    real(8), intent(inout) :: u(1-nh:nx+nh, 1-nh:ny+nh, nz)
    integer :: i, j, k
BODY
  end subroutine
end module
"""
LINE = 13  # before the first statement


def refused(text: str, **options: object) -> list[tuple[str, int]]:
    """The codes and lines of the errors of a program."""
    files = {"zoo.f90": SUPPORT, "m.h90": text.replace("MORE", "")}
    done = translate_text(files, backend="openmp", domains=DOMAINS, **options)
    assert all(d.place.file.endswith("m.h90") for d in done.errors)
    return [(d.code, d.place.line) for d in done.errors]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("@haloExchange{fields(u, w)}", "HF651"),
        ("@haloExchange{fields(k)}", "HF651"),
        ("@haloExchange{fields(u), width(k:1)}", "HF651"),
        ("@haloExchange{fields(u), width(i:-1)}", "HF651"),
        ("@haloExchange{fields(u), width(i:1:nh-3)}", "HF651"),
        ("@haloExchange{fields(u), corners(maybe)}", "HF210"),
        ("@haloExchange{fields(u), decomposition(other)}", "HF650"),
        ("k = global(k)", "HF652"),
        ("k = global(i, j)", "HF652"),
        ("k = global(i+j)", "HF652"),
        ("k = global(-i)", "HF652"),
        ("k = global(2*i)", "HF652"),
        ("k = global(nx+1)", "HF652"),
        ("k = global(i + global(nx))", "HF652"),
        ("if (onEdge(i)) k = 1", "HF652"),
        ("if (onEdge(k, low)) k = 1", "HF652"),
        ("if (onEdge(i, left)) k = 1", "HF652"),
    ],
)
def test_a_statement(body: str, code: str) -> None:
    assert refused(HEAD + WORK.replace("BODY", f"    {body}")) == [(code, LINE + 1)]


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("    @wholeGrid\n    k = global(nx)", "HF652", 1),
        ("    @wholeGrid\n    if (onEdge(i, low)) k = 1", "HF652", 1),
        ("    @wholeGrid\n    u = 0\n    @haloExchange{fields(u)}", "HF207", 2),
        ("    k = 3\n    @wholeGrid\n    u = k", "HF654", 1),
        (
            "    @wholeGrid\n    call inner()\n  contains\n  subroutine inner()\n    k = global(nx)\n  end subroutine",
            "HF652",
            4,
        ),
        ("    real(8) :: w(global(nx))\n    w = 0", "HF652", 0),
    ],
)
def test_a_routine(body: str, code: str, line: int) -> None:
    assert refused(HEAD + WORK.replace("BODY", body)) == [(code, LINE + 1 + line)]


@pytest.mark.parametrize(
    ("clause", "size", "code"),
    [("+", "2:nx-1,ny", "HF653"), ("iand", "nx,ny", "HF653"), ("+", "nx+1,ny", "HF653")],
)
def test_a_reduction(clause: str, size: str, code: str) -> None:
    body = f"    @parallelRegion{{domName(i,j), domSize({size}), reduction({clause}:s)}}\n    s = s + 1\n"
    if clause == "iand":
        body = body.replace("s + 1", "iand(s, i)")
    text = WORK.replace("BODY", f"    integer :: s\n{body}    @end parallelRegion")
    assert refused(HEAD + text) == [(code, LINE + 2)]


@pytest.mark.parametrize(
    ("before", "behind", "code"),
    [
        ("local(nx,ny)", "local(nx,nowhere)", "HF650"),
        ("local(nx,ny)", "local(nx,nyg)", "HF650"),
        ("j:nh", "k:nh", "HF202"),
        ("global(nxg,nyg)", "global(nxg)", "HF203"),
        ("reductions(global)", "periodic(k)", "HF202"),
        ("local(nx,ny)", "local(nx,nx)", "HF202"),
        ("domName(i,j)", "domName(i,i)", "HF202"),
    ],
)
def test_a_decomposition(before: str, behind: str, code: str) -> None:
    assert (code, 9) in refused(HEAD.replace(before, behind) + "end module\n")


def test_an_index_of_two_decompositions() -> None:
    second = "    @decomposition{name(two), domName(i,j), global(nxg,nyg), local(mx,my)}\n  end subroutine\n"
    head = HEAD.replace("MORE", "  integer :: mx, my").replace("  end subroutine\n", second)
    assert refused(head + WORK.replace("BODY", "    k = global(i)\n    k = global(nx) + global(mx)")) == [
        ("HF652", LINE + 2)
    ]
    body = "    if (onEdge(j, high)) k = 1\n    @haloExchange{fields(u)}"
    assert refused(head + WORK.replace("BODY", body)) == [("HF652", LINE + 2), ("HF650", LINE + 3)]


def test_what_a_routine_for_the_whole_grid_cannot_share() -> None:
    hidden = "module state\n  implicit none\n  integer, private :: n = 0\ncontains\n  subroutine up()\n    n = n + 1\n"
    hidden += "  end subroutine\nend module\n"
    body = WORK.replace("BODY", "    @wholeGrid\n    call up()").replace(
        "work(u)\n", "work(u)\n    use state, only: up\n"
    )
    assert refused(hidden + HEAD + body) == [("HF654", LINE + 10)]
    for attribute in ("optional", "pointer"):
        shape = "(:,:)" if attribute == "pointer" else "(nx,ny)"
        text = WORK.replace("BODY", "    @wholeGrid\n    u = 0").replace(
            "intent(inout) :: u(1-nh:nx+nh, 1-nh:ny+nh, nz)", f"{attribute} :: u{shape}"
        )
        assert refused(HEAD + text) == [("HF654", LINE + 1)]


def test_questions_in_routines_of_kernels() -> None:
    called = "  subroutine point(u, i)\n    integer, intent(in) :: i\n    real(8), intent(inout) :: u(nx, ny)\n"
    called += "    u(i,1) = global(i)\n  end subroutine\n"
    region = "    @parallelRegion{domName(i), domSize(nx)}\n    call point(u, i)\n    @end parallelRegion"
    text = HEAD + called + WORK.replace("1-nh:nx+nh, 1-nh:ny+nh, nz", "nx, ny").replace("BODY", region)
    files = {"zoo.f90": SUPPORT, "m.h90": text.replace("MORE", "")}
    done = translate_text(files, target="gpu", backend="cuda-c", domains=DOMAINS)
    assert [(d.code, d.place.line) for d in done.errors] == [("HF652", 14)]


def test_a_warning_elsewhere_leaves_routines_for_the_whole_grid() -> None:
    """A reduction that nothing says to be global is a warning; the routine after it is made nevertheless."""
    region = "    integer :: s\n    s = 0\n    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(+:s)}\n"
    region += "    s = s + 1\n"
    text = WORK.replace("BODY", f"{region}    @end parallelRegion").replace("end module\n", "")
    behind = (
        "  subroutine zeros(v)\n    real(8), intent(out) :: v(nx, ny)\n    @wholeGrid\n    v = 0\n  end subroutine\n"
    )
    head = HEAD.replace(", reductions(global)", "").replace("MORE", "")
    files = {"zoo.f90": SUPPORT, "m.h90": head + text + behind + "end module\n"}
    done = translate_text(files, backend="openmp").require()
    assert done.codes("warning") == ["HF653"]
    assert "subroutinehf_whole_zeros(v)" in done.statements


def test_domains_of_decompositions_are_known() -> None:
    """A domain of the project's that only a decomposition has is no mistake, and hfpy's own are not offered."""
    files = {
        "zoo.f90": SUPPORT,
        "m.h90": HEAD.replace("MORE", "") + WORK.replace("BODY", "    @haloExchange{fields(u)}"),
    }
    two = {name: DOMAINS[name] for name in "ij"}
    assert not translate_text(files, backend="openmp", domains=two).codes("warning")
    done = translate_text(files, backend="openmp", domains=DOMAINS)
    assert done.codes("warning") == ["HF809", "HF809"]
    assert all("hf_" not in d.hint for d in done.diagnostics)


def test_sizes_that_depend_on_local_ones() -> None:
    """An array of a size that is not a local one, but computed of it, might be part of a field."""
    call = (
        "  subroutine above(u)\n    real(8), intent(inout) :: u(nx+1, nz)\n    call work(u, nx+1)\n  end subroutine\n"
    )
    work = WORK.replace("work(u)", "work(u, m)").replace("1-nh:nx+nh, 1-nh:ny+nh", "m")
    text = call + work.replace("BODY", "    integer, intent(in) :: m\n    @wholeGrid\n    u = 0")
    assert refused(HEAD + text) == [("HF654", LINE + 6)]


@pytest.mark.parametrize("shape", ["(:,:)", "(nx,*)", "(0:,:)"])
def test_fields_of_unknown_shape(shape: str) -> None:
    """What is passed is decomposed; the declaration in the routine for the whole grid does not tell where."""
    call = "  subroutine above(u)\n    real(8), intent(inout) :: u(nx, ny)\n    call work(u)\n  end subroutine\n"
    work = WORK.replace("(1-nh:nx+nh, 1-nh:ny+nh, nz)", shape).replace("BODY", "    @wholeGrid\n    u(1,1) = 0")
    assert refused(HEAD + call + work) == [("HF654", LINE + 5)]


def test_what_not_all_processes_reach() -> None:
    def within(condition: str, statement: str) -> str:
        body = f"    i = 1\n    j = 1\n    if ({condition}) then\n    {statement}\n    end if"
        return HEAD + WORK.replace("BODY", body)

    exchange = "@haloExchange{fields(u)}"
    assert refused(within("onEdge(i, low)", exchange)) == [("HF657", LINE + 4)]
    assert refused(within("k > 0 .and. global(j) == 1", exchange)) == [("HF657", LINE + 4)]
    assert refused(within("k > 0", exchange)) == []
    row = "@haloExchange{fields(u), width(i:1)}"  # its processes have the same rows
    assert refused(within("onEdge(j, low)", row)) == []
    assert refused(within("onEdge(i, low)", row)) == [("HF657", LINE + 4)]
    region = (
        "@parallelRegion{domName(i,j), domSize(nx,ny), reduction(max:k)}\n    k = max(k, i)\n    @end parallelRegion"
    )
    assert refused(within("onEdge(j, low)", region)) == [("HF653", LINE + 4)]


@pytest.mark.parametrize("kind", ["integer(2)", "integer(1)", "logical(1)", "real(16)"])
def test_types_without_messages(kind: str) -> None:
    """These would be errors of the compiler in generated code."""
    exchange = WORK.replace("real(8)", kind).replace("BODY", "    @haloExchange{fields(u)}")
    assert refused(HEAD + exchange) == [("HF651", LINE + 1)]
    whole = WORK.replace("real(8)", kind).replace("BODY", "    @wholeGrid\n    u(1,1,1) = u(2,1,1)")
    assert refused(HEAD + whole) == [("HF654", LINE + 1)]
    if kind.startswith("integer"):
        region = "@parallelRegion{domName(i,j), domSize(nx,ny), reduction(+:n)}\n    n = n + 1\n    @end parallelRegion"
        assert refused(HEAD + WORK.replace("BODY", f"    {kind} :: n\n    {region}")) == [("HF653", LINE + 2)]


def test_where_halos_cannot_be_set() -> None:
    exchange = WORK.replace("BODY", "    @haloExchange{fields(u)}")
    assert refused(HEAD + exchange.replace("inout", "in")) == [("HF651", LINE + 1)]
    assert refused(HEAD + exchange.replace("subroutine work", "pure subroutine work")) == [("HF657", LINE + 1)]
    region = "    @parallelRegion{domName(i,j), domSize(nx,ny)}\n    call work(u)\n    @end parallelRegion\n"
    caller = "  subroutine above(u)\n    real(8), intent(inout) :: u(1-nh:nx+nh, 1-nh:ny+nh, nz)\n"
    caller += f"{region}  end subroutine\n"
    assert refused(HEAD + caller + exchange) == [("HF657", LINE + 7)]
    whole = WORK.replace("BODY", "    @wholeGrid\n    u = 0")
    assert refused(HEAD + caller + whole) == [("HF654", LINE + 7)]


def test_fields_of_another_decomposition() -> None:
    second = "    @decomposition{name(two), domName(a,b), global(9,8), local(mx,my)}\n  end subroutine\n"
    head = HEAD.replace("MORE", "  integer :: mx, my").replace("  end subroutine\n", second)
    whole = WORK.replace("BODY", "    @wholeGrid{decomposition(two)}\n    u(1,1,1) = 0")
    assert refused(head + whole) == [("HF654", LINE + 2)]
    assert refused(head + whole.replace("two", "dec")) == []


STATED = """  subroutine work(u, w)
    real(8), intent(inout) :: u(SHAPE)
    real(8), intent(inout) :: w(nxg)
    @domainDependant{BLOCK}
    NAMES
    @end domainDependant
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    u(i,j) = 1
    @end parallelRegion
  end subroutine
end module
"""


@pytest.mark.parametrize(
    ("shape", "block", "names", "codes"),
    [
        ("1-nh:nx+nh, 1-nh:ny+nh", "decomposed(dec)", "u", []),
        ("1-nh:nx+nh, 1-nh:ny+nh", "decomposed(dec), haloWidth(i:nh, j:nh)", "u", []),
        ("-1:nx+2, 0:ny+1", "haloWidth(i:2, j:1)", "u", []),
        ("-1:nx+2, 0:ny+1", "haloWidth(i:3)", "u", [("HF651", 15)]),
        ("-1:nx+2, 0:ny+1", "haloWidth(j:1:2)", "u", [("HF651", 15)]),
        ("-1:nx+2, 0:ny+1", "haloWidth(j:2:1)", "u", [("HF651", 15)]),
        ("-1:nx+2, 0:ny+1", "haloWidth(j:0:1)", "u", []),
        ("1-nh:nx+nh, 1-nh:ny+nh", "haloWidth(i:nh+1)", "u", [("HF651", 15)]),
        ("nx, ny", "decomposed(dec)", "u, w", [("HF651", 15)]),
        ("nx, ny", "decomposed(other)", "u", [("HF650", 14)]),
        ("nx, ny", "haloWidth(k:1)", "u", [("HF651", 14)]),
        ("nx, ny", "decomposed(dec, other)", "u", [("HF202", 14)]),
        ("nx, ny", "haloWidth(2)", "u", [("HF202", 14)]),
    ],
)
def test_what_arrays_belong_to(shape: str, block: str, names: str, codes: list[tuple[str, int]]) -> None:
    stated = STATED.replace("SHAPE", shape).replace("BLOCK", block).replace("NAMES", names)
    assert refused(HEAD + stated) == codes


def test_more_decompositions_than_the_runtime_library_has_room_for() -> None:
    found = re.search(r"\bmost = (\d+)", (ALONE[0] / "hfpy_processes.F90").read_text())
    assert found is not None and int(found[1]) == MOST_GRIDS
    one = next(line for line in HEAD.splitlines() if "@decomposition" in line)
    many = "\n".join(one.replace("(dec)", f"(dec{n})") for n in range(MOST_GRIDS + 1))
    first = HEAD.splitlines().index(one) + 1
    assert refused(HEAD.replace(one, many) + WORK.replace("BODY", "")) == [("HF650", first + MOST_GRIDS)]


def test_nothing_to_belong_to() -> None:
    text = HEAD[: HEAD.index("  subroutine setup")] + STATED.replace("SHAPE", "nx, ny").replace("NAMES", "u")
    assert [code for code, _ in refused(text.replace("BLOCK", "decomposed(dec)"))] == ["HF650"]

"""Exchanges that overlap with regions: what is refused, messages that come late, programs of random stages."""

from __future__ import annotations

import filecmp
from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.build.compile import processes
from tests.processes.programs import DOMAINS, SUPPORT, WAYS, Case, faults, written
from tests.processes.stages import Program, drawn
from tests.processes.test_halos import NO_MPI, expected, printed, project
from tests.support import translate_text

MODULE = """module m
  use zoo
  implicit none
  integer :: nx, ny
  integer, parameter :: nh = 2
  real(8) :: total
  real(8), allocatable :: held(:,:,:)
contains
  subroutine setup()
    @decomposition{name(dec), domName(i,j), global(17,15), local(nx,ny), halo(i:nh, j:nh), reductions(global)}
  end subroutine
  subroutine make()
    allocate(held(1-nh:nx+nh, 1-nh:ny+nh, 2))
  end subroutine
  pure real(8) function neighbours(x, i)
    real(8), intent(in) :: x(1-nh:nx+nh, 1-nh:ny+nh, 2)
    integer, intent(in) :: i
    neighbours = x(i-1,1,1) + x(i+1,1,1)
  end function
  pure real(8) function of_module(i)
    integer, intent(in) :: i
    of_module = held(i+1,1,1)
  end function
  pure real(8) function twice(x)
    real(8), intent(in) :: x
    twice = 2*x
  end function
  real(8) function impure(x)
    real(8), intent(in) :: x
    impure = x
  end function
  subroutine work(u, v, w, at)
    real(8), intent(inout) :: u(1-nh:nx+nh, 1-nh:ny+nh, 2), v(1-nh:nx+nh, 1-nh:ny+nh, 2), w(1-nh:nx+nh, 1-nh:ny+nh, 2)
    integer, intent(in) :: at(1-nh:nx+nh)
    real(8) :: s, column(2)
    integer :: k, n
EXCHANGE
REGION
BODY
    @end parallelRegion
  end subroutine
end module
"""
EXCHANGE = "@haloExchange{fields(u, held), mode(overlap)}"
REGION = "@parallelRegion{domName(i,j), domSize(nx,ny)}"
READ = "v(i,j,1) = u(i-1,j,1) + u(i,j+1,1)"
LEGAL = (
    READ,
    "v(i,j,1) = u(nh+i-1,j,1) + held(i,j,2)",
    "s = u(i-1,j,1)\nv(i,j,1) = s\nv(i,j,2) = v(i,j,1)",
    "do k = 1, 2\ncolumn(k) = u(i,j-2,k)\nend do\nv(i,j,1) = column(1) + column(2)",
    "do k = 2, 2\nif (u(i,j+1,k) > 0) cycle\nv(i,j,k) = w(i+1,j,k) + u(i+1,j,k)\nend do",
    "v(i,j,1) = twice(u(i+1,j,1)) + sqrt(u(i,j,1))",
    "v(i,j,1) = twice(u(i+1,j,1) + held(i-1,j,2))",
    "v(i,j,1) = u(i+1,j,1)\nif (global(i) == 1 .or. onEdge(j, low)) v(i,j,1) = 0",
    "v(i,j,1) = w(at(i),j,1) + u(i+1,j,1)",
)
REFUSED = (
    "u(i,j,1) = u(i,j,2)",
    "v(i,j,1) = u(i-1,j,1)\nheld(i,j,1) = 0",
    "v(i,j,1) = u(at(i),j,1)",
    "v(i,j,1) = u(2*i,j,1)",
    "v(i,j,1) = u(-i+3,j,1)",
    "v(i,j,1) = u(1,j,1)",
    "v(i,j,1) = u(i+j,j,1)",
    "v(i,j,1) = u(j,i,1) + u(i,j,1)",
    "do k = -1, 1\nv(i,j,1) = u(i+k,j,1)\nend do",
    "v(i,j,1) = sum(u(i,:,1))",
    "v(i,j,1) = maxval(u)",
    "v(i,j,1) = u(i+1,j,1) + neighbours(u, i)",
    "v(i,j,1) = u(i+1,j,1) + of_module(i)",
    "v(i,j,1) = impure(u(i+1,j,1))",
    "v(i,j,1) = u(i+1,j,1)\nprint *, v(i,j,1)",
    "v(i,j,1) = u(i+1,j,1)\nif (v(i,j,1) > 3) stop",
    "v(i,j,1) = w(i,j,1)",
    "v(i,j,1) = u(i+1,j,1) + v(i,j-1,2)",
    "block\ninteger :: nh\nnh = 2\nv(i,j,1) = u(i+nh,j,1)\nend block",
    "associate (near => u(i+1,j,1))\nv(i,j,1) = near\nend associate",
)
REGIONS = (
    (f"{EXCHANGE}\ns = 1\n{REGION}", READ),
    (f"{EXCHANGE}\n{EXCHANGE}\n{REGION}", READ),
    (f"{EXCHANGE}\n#ifdef OTHER\nu = 0\n#endif\n{REGION}", READ),
    (f"{EXCHANGE}\nif (nx > 3) then\n{REGION}", f"{READ}\n@end parallelRegion\nend if\n{REGION}\n{READ}"),
    (f"{EXCHANGE}\n{REGION[:-1]}, reduction(+:total)}}", f"{READ}\ntotal = total + u(i,j,1)"),
    (f"{EXCHANGE}\n{REGION[:-1]}, appliesTo(GPU)}}", READ),
    (f"{EXCHANGE}\n{REGION[:-1]}, stride(2,1)}}", READ),
)


def said(top: str, body: str) -> list[str]:
    """The codes of the errors of a program."""
    text = MODULE.replace("EXCHANGE\nREGION", top).replace("BODY", body)
    done = translate_text({"zoo.f90": SUPPORT, "m.h90": text}, backend="openmp", domains=DOMAINS)
    return [d.code for d in done.errors]


@pytest.mark.parametrize("body", LEGAL)
def test_what_overlaps(body: str) -> None:
    assert said(f"{EXCHANGE}\n\n! a remark\n{REGION}", body) == []


@pytest.mark.parametrize("body", REFUSED)
def test_what_does_not(body: str) -> None:
    assert "HF659" in said(f"{EXCHANGE}\n{REGION}", body)


@pytest.mark.parametrize(("top", "body"), REGIONS)
def test_regions_that_do_not(top: str, body: str) -> None:
    assert "HF659" in said(top, body)


def test_one_array_under_two_names() -> None:
    called = MODULE.replace(
        "end module",
        """  subroutine calls(a, b, c, at)
    real(8), intent(inout), dimension(1-nh:nx+nh, 1-nh:ny+nh, 2) :: a, b, c
    integer, intent(in) :: at(1-nh:nx+nh)
    call work(a, b, SECOND, at)
  end subroutine
end module""",
    )
    for second, codes in (("a", ["HF659"]), ("b", ["HF659"]), ("c", [])):
        text = called.replace("EXCHANGE\nREGION", f"{EXCHANGE}\n{REGION}").replace("BODY", f"{READ} + w(i+1,j,1)")
        files = {"zoo.f90": SUPPORT, "m.h90": text.replace("SECOND", second)}
        done = translate_text(files, backend="openmp", domains=DOMAINS)
        assert [d.code for d in done.errors] == codes


def test_words() -> None:
    assert said(f"{EXCHANGE.replace('overlap', 'blocking')}\n{REGION}", "v(i,j,1) = u(at(i),j,1)") == []
    assert said(f"{EXCHANGE.replace('overlap', 'late')}\n{REGION}", READ) == ["HF210"]


def test_one_process_and_many_have_the_same_sides() -> None:
    """The two forms of the runtime library have one text for which points go where."""
    on_mpi, alone = (home[0] / "hfpy_sides.inc" for home in (processes.ON_MPI, processes.ALONE))
    assert filecmp.cmp(on_mpi, alone, shallow=False)


def few() -> dict[str, Case]:
    """The written case of overlaps alone."""
    return {"overlapped": written()["overlapped"]}


@pytest.mark.parametrize("setting", ["HFPY_MPI_DELAY", "HFPY_MPI_CHECK"])
def test_late_messages(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(setting, "5")
    assert not faults(WAYS["openmp"], "openmpi", (2, 1), few())


def programs(seeds: range) -> list[tuple[Program, bool]]:
    """Programs whose exchanges overlap where a region is directly after."""
    return [(replace(drawn(seed).with_exchanges(), overlap=True), False) for seed in seeds]


@NO_MPI
@pytest.mark.parametrize("options", [(), ("--target", "gpu", "--emulate")])
@pytest.mark.full
@pytest.mark.parametrize("seeds", [range(4), range(4, 32)])
def test_results(seeds: range, options: tuple[str, ...], tmp_path: Path) -> None:
    made = programs(seeds)
    assert sum(program.text().count("mode(overlap)") for program, _ in made) > len(made)
    folder = project(made, tmp_path)
    for ranks in (0, 6) if seeds == range(4) else (0, 1, 2, 4, 6):
        assert printed(folder, *options, ranks=ranks) == expected(made)

"""``async(…)``: what the host waits for, where, and what it says where it waits all the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from hfpy.transform.device.queues import Asked, Queued, queued
from tests.optimiser.test_together import APART, WAITING, made
from tests.support import CUDA_C, OPENACC, OPENMP_TARGET, Corpus, pair, translate_text

ACC, OMP = "openacc", "openmp-target"
HEAD = """module m
  implicit none
contains
  subroutine go(n, a, b, c, s)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n), c(n)
    real(8), intent(inout) :: s
"""
TAIL = "  end subroutine go\nend module m\n"


def region(body: str, more: str = "") -> str:
    return f"    @parallelRegion{{domName(i), domSize(n), fuse(no){more}}}\n    {body}\n    @end parallelRegion\n"


def directives(*parts: str, backend: str, **options: object) -> list[str]:
    """The words of each directive that has to do with queues, in order."""
    text = translate_text({"m.h90": HEAD + "".join(parts) + TAIL}, target="gpu", backend=backend, **options).text
    joined = re.sub(r" &\n *!\$(acc|omp)& *", " ", text)
    found = re.findall(r"!\$acc wait\(\d\)|!\$acc parallel.*|!\$omp taskwait.*|!\$omp target teams.*", joined)
    return [re.sub(r".*?(async\(\d\)|wait\(\d\)|nowait.*|taskwait.*)$|.*", r"\1", line) for line in found]


REFUSED = ("a routine writes", "a common block", "components", "objects", "a pointer component")  # by openacc
ONE, TWO, THREE = (f", async({n})" for n in (1, 2, 3))


def test_regions_of_several_queues() -> None:
    parts = (region("a = a + 1", ONE), region("b = 2*b", TWO), region("c = c - a", ONE), region("c = c - b"))
    assert directives(*parts, backend=ACC) == ["async(1)", "async(2)", "async(1)", "wait(1)", "wait(2)", ""]
    assert directives(*parts, backend=OMP) == ["nowait", "nowait", "taskwait", "", ""]


def test_all_is_waited_for_before_the_host_goes_on() -> None:
    parts = (region("a = a + 1", ONE), region("b = 2*b", TWO), "    print *, n\n", region("c = 1"))
    assert directives(*parts, backend=ACC) == ["async(1)", "async(2)", "wait(1)", "wait(2)", ""]


def test_kernels_are_waited_for_where_the_host_finds_bounds_in_arrays() -> None:
    """Also those of the same queue: the host copies the array before the region."""
    parts = (region("a = a + 1", ONE), region("b = 2*b", TWO), region("c = 1", ", startAt(int(a(1))), async(1)"))
    assert directives(*parts, backend=ACC) == ["async(1)", "async(2)", "wait(1)", "wait(2)", ""]
    sizes = (*parts[:2], region("c = 1", ", startAt(size(a)/2), async(1)"))
    assert directives(*sizes, backend=ACC) == ["async(1)", "async(2)", "async(1)", "wait(1)", "wait(2)"]


def test_only_what_is_needed_is_waited_for() -> None:
    parts = (region("a = a + 1", ONE), region("b = 2*b", TWO), region("c = c - b", THREE), region("c = c + 1", THREE))
    assert directives(*parts, backend=ACC) == [
        *("async(1)", "async(2)", "wait(2)", "async(3)", "async(3)", "wait(1)", "wait(3)")
    ]


@pytest.mark.parametrize("name", APART)
def test_regions_that_share_nothing(name: str) -> None:
    first, second, *more = (*APART[name], "", "", "")
    text = made(first, second, more[0], f"{more[1]}{ONE}", f"{more[2]}{TWO}", target="gpu", backend=ACC).text
    assert "!$acc wait" in text and not re.search(r"wait\(\d\)\n(.*\n)*?.*!\$acc parallel", text)


@pytest.mark.parametrize("name", [n for n in WAITING if n not in REFUSED])
def test_regions_that_share_data(name: str) -> None:
    """Between them is a wait, or the first one is waited for anyway."""
    first, second, *more = (*WAITING[name], "", "", "")
    text = made(first, second, more[0], f"{more[1]}{ONE}", f"{more[2]}{TWO}", target="gpu", backend=ACC).text
    between = text.split("!$acc parallel loop")[1]
    assert "async(1)" not in between or "!$acc wait(1)" in between


REASONS = {
    "a value comes back": (region("s = s + a", f", reduction(+:s){ONE}"), "'s' comes back from it"),
    "nothing beside": (region("a = 1", ONE), "nothing runs beside the region"),
    "a value for each point": (
        "    real(8) :: t\n    t = 1\n" + region("if (a > 1) t = a\n    b = t", ONE),
        "'t' is copied for it",
    ),
}


@pytest.mark.parametrize("name", REASONS)
@pytest.mark.parametrize("backend", [ACC, OMP])
def test_the_reason_is_told(name: str, backend: str) -> None:
    part, because = REASONS[name]
    text = HEAD + part + TAIL
    done = translate_text({"m.h90": text}, target="gpu", backend=backend).require()
    reported = [(d.code, d.message) for d in done.diagnostics if d.code != "HF500"]
    assert reported == [("HF701", f"'async' has no effect: {because}")]
    assert "async" not in done.text and "nowait" not in done.text


@pytest.mark.parametrize("backend", ["cuda-c", "hip", "opencl"])
def test_kernels_have_the_queue(backend: str) -> None:
    text = HEAD + region("a = a + 1", TWO) + region("b = b - 1") + region("s = s + a", f", reduction(+:s){ONE}") + TAIL
    done = translate_text({"m.h90": text}, target="gpu", backend=backend).require()
    assert [(d.code, d.place.line, d.message) for d in done.diagnostics] == [
        ("HF701", 14, "'async' has no effect: 's' comes back from it")
    ]
    launchers = next(text for name, text in done.files.items() if name != "m.F90").split('extern "C" void hfl')[1:]
    assert [re.findall(r"launcher\.queue\((\d)\);", one) for one in launchers] == [["2"], [], ["1"]]


@pytest.mark.parametrize(("target", "backend"), [("cpu", "openmp"), ("cpu", "sequential"), ("gpu", "cuda-fortran")])
def test_backends_without_queues_say_so_once(target: str, backend: str) -> None:
    text = HEAD + region("a = a + 1", ONE) + region("b = b - 1", TWO) + TAIL
    done = translate_text({"m.h90": text}, target=target, backend=backend).require()
    assert [(d.code, d.place.line, d.message) for d in done.diagnostics] == [
        ("HF701", 8, f"'async' has no effect, here and elsewhere: the backend '{backend}' has no queues")
    ]


@pytest.mark.parametrize("wrong", ["0", "17", "-1", "q", "1,2", "n", "1.0", "123456789012"])
def test_what_is_no_queue(wrong: str) -> None:
    done = translate_text({"m.h90": HEAD + region("a = 1", f", async({wrong})") + TAIL}, target="gpu", backend=ACC)
    assert [(d.code, d.message) for d in done.diagnostics if d.severity == "error"] == [
        ("HF202", "'async' takes the number of a queue, from 1 to 16")
    ]


@pytest.mark.parametrize("option", [{"profile": True}, {"trace": True}])
def test_watched_regions_are_waited_for(option: dict[str, object]) -> None:
    parts = (region("a = a + 1", ONE), region("b = 2*b", TWO))
    assert directives(*parts, backend=ACC, **option) == ["", ""]


def test_rules_of_neighbours() -> None:
    def apart(one: int, other: int) -> bool:
        return (one, other) != (0, 2)

    assert queued([Asked(0, 1), Asked(1, 0), Asked(2, 0)], apart, True) == {
        0: Queued(1, ()),
        1: Queued(0, (1,)),
        2: Queued(0, ()),
    }
    assert queued([Asked(0, 1), Asked(1, 0, alone=True)], apart, True) == {0: Queued(), 1: Queued()}
    assert queued([Asked(0, 3), Asked(1, 1), Asked(2, 3)], apart, True)[2] == Queued(3, (1, 3))


RUN = """module queues
  implicit none
contains
  subroutine run()
    integer, parameter :: n = 40
    real(8) :: a(n), b(n), c(n), s
    integer :: k
    a = [(0.1d0*k, k = 1, n)]; b = 2; c = 3; s = 0
    call many(n, a, b, c, s)
    print '(4es24.16)', a, b, c, s
  end subroutine run
  subroutine many(n, a, b, c, s)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n), c(n), s
    integer :: turn
    do turn = 1, 5
PARTS    end do
  end subroutine many
end module queues
"""
PARTS = (
    ("a = 0.5d0*a + turn", ONE),
    ("b = b + 2", TWO),
    ("c = 0.25d0*c - a*b", ONE),
    ("a = a + 0.1d0*c", THREE),
    ("if (turn > 2) c(1) = b(turn)", None),
    ("b = b - 0.25d0*c", TWO),
    ("s = max(s, a)", f", reduction(max:s){ONE}"),
)


def test_results_are_those_of_the_program_without(tmp_path: Path) -> None:
    with_regions = "".join(f"    {body}\n" if more is None else region(body, more) for body, more in PARTS)
    plain = "".join(f"    {body.replace('max(s, a)', 'max(s, maxval(a))')}\n" for body, _ in PARTS)
    tested = pair("queues", RUN.replace("PARTS", with_regions), RUN.replace("PARTS", plain))
    corpus = Corpus([tested], tmp_path, {"queues": (OPENACC, OPENMP_TARGET, CUDA_C)})
    corpus.check("queues")


SHARING = (region("a = a + 1", TWO), region("b = 2*b"), region("c = c - a"), region("c = c - b"))


def reported(name: str | None, folder: Path, **options: object) -> list[str]:
    """What is said of queues."""
    path = folder / "m.h90"
    path.write_text(HEAD + "".join(SHARING) + "    s = 0\n" + region("s = s + a", ", reduction(+:s)") + TAIL)
    done = translate([path], Options(target="gpu", **options))  # type: ignore[arg-type]
    rows = done.schedule(name).split("\n")
    found = [n for n, row in enumerate(rows) if row.startswith("queues of ")]
    return rows[found[0] :] if found else []


@pytest.mark.parametrize("name", [None, "go", "m::go"])
def test_explain_tells_which_kernels_come_behind_which(name: str | None, tmp_path: Path) -> None:
    assert reported(name, tmp_path, backend="cuda-c") == [
        "queues of subroutine go  (m.h90:4), 5 kernels",
        "  kernel of line 8: queue 2; after none",
        "  kernel of line 11: after none",
        "  kernel of line 14: after that of line 8",
        "  kernel of line 17: after those of lines 11 and 14",
        "  kernel of line 21: after that of line 8; the host waits for 's'",
        "  copies: 'a', 'b' and 'c' to the device before the first kernel; 'c', 'b' and 'a' back after the kernels "
        "that set them",
    ]


PLAIN = """subroutine go(nx, ny, a, b)
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx,ny), b(nx,ny)
  integer :: i, j
  !@parallelRegion
  do j = 1, ny
    do i = 1, nx
      a(i,j) = 2*a(i,j)
    end do
  end do
  !@parallelRegion
  do j = 1, ny
    do i = 1, nx
      b(i,j) = a(1,1) + b(i,j)
    end do
  end do
end subroutine go
"""


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    """Directives that take their domains from loops are written out before anything else is done."""
    (tmp_path / "m.f90").write_text(PLAIN)
    rows = translate([tmp_path / "m.f90"], Options(target="gpu", backend="cuda-c")).schedule("go").split("\n")
    assert "  kernel of line 11: after that of line 5" in rows
    assert [row[-8:] for row in rows if row.startswith("    stage ")] == ["(line 5)", "line 11)"], rows


@pytest.mark.parametrize(("name", "backend"), [("other", "cuda-c"), (None, "cuda-fortran"), (None, ACC)])
def test_explain_is_silent_elsewhere(name: str | None, backend: str, tmp_path: Path) -> None:
    assert reported(name, tmp_path, backend=backend) == []

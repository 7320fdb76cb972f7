"""What cannot be done in a region, or is only said: input, unknown and generic calls, names taken, reductions; time."""

import threading
import time
from pathlib import Path

import pytest

from hfpy.diagnostics import Diagnostic
from hfpy.options import Options
from hfpy.parse import blocks
from hfpy.pipeline import translate
from hfpy.translation import Translation
from tests.support import Batch, Case, translate_text


def source(body: str, declared: str = "", more: str = "", attributes: str = "", specification: str = "") -> str:
    """A module with one region over ``a(nx,ny)`` and ``b(nx,ny,nz)``."""
    return f"""module m
  implicit none
  integer, parameter :: nx = 6, ny = 5, nz = 3
{specification}
contains
  subroutine work(a, b, s)
    real(8), intent(inout) :: a(nx,ny), b(nx,ny,nz), s
    {declared}
    @parallelRegion{{domName(i,j), domSize(nx,ny){attributes}}}
    {body}
    @end parallelRegion
  end subroutine work
{more}
end module m
"""


def found(code: str, *given: str, backend: str = "openmp", **named: str) -> list[Diagnostic]:
    """The diagnostics with a code."""
    done = translate_text(source(*given, **named), backend=backend)
    return [d for d in done.diagnostics if d.code == code]


# -- statements


@pytest.mark.parametrize(
    "statement", ["read (10, *) a", "read *, a", "rewind(10)", "open (10, file='x')", "close (10)"]
)
def test_input_in_a_region_is_refused(statement: str) -> None:
    (said,) = found("HF404", statement)
    assert said.severity == "error"
    assert said.place.line == 10
    assert said.hint


@pytest.mark.parametrize("statement", ["print *, a", "write (*, *) a", "read (text, *) a", "read (unit=text, fmt=*) a"])
def test_output_and_reading_a_text_are_not(statement: str) -> None:
    assert not found("HF404", f"text = '1'; {statement}", "character(8) :: text")


def test_input_below_a_region_is_warned_of() -> None:
    below = "  subroutine below(x)\n    real(8), intent(out) :: x\n    read (10, *) x\n  end subroutine below"
    (said,) = found("HF404", "call below(a)", more=below)
    assert said.severity == "warning"
    assert not found("HF404", "call below(a)", more=below, attributes=", vector")


@pytest.mark.parametrize(
    "statement",
    [
        "call random_number(a)",
        "call RANDOM_NUMBER(harvest=a)",
        "call random_seed()",
        "if (i == 1) a = rand()",
        "a = -irand(0)",
    ],
)
def test_random_numbers_are_warned_of(statement: str) -> None:
    """A point gets others in each run, with threads."""
    declared = "real(8), external :: rand; integer, external :: irand"
    (said,) = found("HF404", statement, declared)
    assert (said.severity, said.place.line) == ("warning", 10)
    rows = ("subroutine below(a, i)", "real(8) :: a", "integer :: i", declared, statement, "end subroutine below")
    below = "\n".join(rows)
    (said,) = found("HF404", "call below(a, i)", more=below)
    assert said.severity == "warning"
    assert not found("HF404", "call below(a, i)", more=below, attributes=", vector")


@pytest.mark.parametrize(
    "declared, more",
    [
        ("real(8) :: rand(4)", ""),
        ("real(8) :: rand, x; rand(x) = x + 1", ""),
        ("", "  real(8) function rand(x)\n    real(8) :: x\n    rand = x\n  end function"),
    ],
)
def test_other_things_of_that_name_are_not(declared: str, more: str) -> None:
    assert not found("HF404", "a = rand(2)", declared, more=more)


# -- calls


@pytest.mark.parametrize("call", ["call filter(nz, b)", "a = filtered(b)", "call filter(nz, b); a = 0"])
def test_what_an_unknown_procedure_is_given_is_said(call: str) -> None:
    (said,) = found("HF403", call, "external :: filter\n    real(8), external :: filtered")
    assert said.severity == "note"
    assert "b(i,j,:)" in said.message


@pytest.mark.parametrize("call", ["call known(b)", "a = sum(b)", "call filter(b(i,j,:))", "call filter(b(1))"])
def test_what_is_known_or_written_out_is_not(call: str) -> None:
    known = "  subroutine known(x)\n    real(8), intent(inout) :: x(nz)\n    x = 0\n  end subroutine known"
    assert not found("HF403", call, "external :: filter", known)


def test_an_intent_in_scalar_in_an_unknown_call_is_no_dependence() -> None:
    text = source("call filter(n, b)", "external :: filter").replace("work(a, b, s)", "work(a, b, s, n)")
    text = text.replace("    external", "    integer, intent(in) :: n\n    external")
    done = translate_text(text, backend="openmp")
    assert [d.code for d in done.diagnostics] == ["HF403"]
    assert "shared(b,n)" in done.text.replace(" ", "")


GENERIC = """  interface warm
    module procedure warm_line, warm_table
  end interface warm"""
SPECIFIC = """  subroutine {name}(t)
    real(8), intent(inout) :: t{shape}
    {region}
    t = t + 1
    {end}
  end subroutine {name}
"""


def generic_text(region: str, end: str, argument: str = "real(8)") -> str:
    line = SPECIFIC.format(name="warm_line", shape="(nx)", region=region, end=end)
    table = SPECIFIC.format(name="warm_table", shape="(nx,ny)", region="", end="").replace("real(8)", argument)
    call = "  subroutine top(t)\n    real(8), intent(inout) :: t(nx)\n    call warm(t)\n  end subroutine top\n"
    return source("a = 0", specification=GENERIC, more=line + table + call)


REGION_LINES = ("@parallelRegion{domName(i), domSize(nx)}", "@end parallelRegion")
UNKNOWN = {
    "subroutine top(t)\n": "subroutine top(t)\n    use elsewhere, only: outside\n",
    "call warm(t)": "call warm(outside(t))",
}


def test_generic_call_that_may_mean_a_region_is_refused() -> None:
    text = generic_text(*REGION_LINES)
    for old, new in UNKNOWN.items():
        text = text.replace(old, new)
    (said,) = translate_text(text).errors
    assert said.code == "HF407"
    assert text.splitlines()[said.place.line - 1].strip() == "call warm(outside(t))"


@pytest.mark.parametrize("argument", ["real(8)", "integer", "real"])
def test_generic_calls_that_are_told_apart_or_do_not_matter_are_not(argument: str) -> None:
    assert not translate_text(generic_text("", "", argument)).errors
    assert not translate_text(generic_text(*REGION_LINES, argument)).errors


# -- names


@pytest.mark.parametrize("name", ["hf_touch", "hf_point0", "hf_region0", "hfb0_work"])
@pytest.mark.parametrize(
    "slot, text",
    [
        ("declared", "real(8) :: {}"),
        ("specification", "  real(8) :: {}"),
        ("more", "  subroutine {}\n  end subroutine {}"),
    ],
)
def test_names_that_hfpy_needs_are_refused(name: str, slot: str, text: str) -> None:
    (said,) = found("HF406", "a = 0", **{slot: text.replace("{}", name.upper())})
    assert name in said.message
    assert said.severity == "error"


def test_a_loop_with_a_name_that_hfpy_needs_is_refused() -> None:
    assert found("HF406", "hf_point0: do k = 1, nz\n    b(k) = 0\n    end do hf_point0", "integer :: k")


def test_names_of_regions_that_are_not_there_are_free() -> None:
    assert not found("HF406", "a = 0", "real(8) :: hf_point1, hfb0_other")


# -- reductions


@pytest.mark.parametrize(
    "op, body",
    [
        ("+", "s = s + a"),
        ("+", "s = a + s"),
        ("+", "s = (s + a) - 2*b(1)"),
        ("+", "s = s - a"),
        ("-", "s = s - a"),
        ("*", "s = s * a"),
        ("*", "s = s / a"),
        ("max", "s = max(a, s)"),
        ("max", "s = dmax1(s, a)"),
        ("min", "if (a < s) s = a"),
        ("min", "if (a < s) then\n    s = a\n    end if"),
        ("max", "s = merge(a, s, a > s)"),
        ("max", "if (a.gt.s) s = a"),
        ("max", "IF(s.lt.a)s=a"),
        ("max", "if (b(1) > 0 .and. s <= (a)) s = a"),
        ("max", "if (.not. (a <= s)) s = a"),
        ("min", "if (s <= a) then\n    else\n    s = a\n    end if"),
        ("min", "if (b(1) > 1) then\n    s = min(s, b(1))\n    else if (a < s) then\n    s = a\n    end if"),
        ("min", "s = merge(s, a, s < a)"),
    ],
)
def test_updates(op: str, body: str) -> None:
    assert not found("HF503", body, attributes=f", reduction({op}:s)")


@pytest.mark.parametrize(
    "op, body",
    [
        (".and.", "ok = ok .and. a > 0"),
        (".and.", "if (a > 0) ok = .false."),
        (".or.", "if (a > 0) ok = .TRUE."),
        (".neqv.", "ok = (a > 0) .neqv. ok"),
    ],
)
def test_updates_of_logicals(op: str, body: str) -> None:
    assert not found("HF503", body, "logical :: ok", attributes=f", reduction({op}:ok)")


@pytest.mark.parametrize(
    "op, body, mark",
    [
        ("*", "s = s + a", "s"),
        ("+", "s = s * a", "s"),
        ("+", "s = a - s", "s"),
        ("+", "s = s + a*s", "s"),
        ("+", "s = a", "s"),
        ("+", "s = s + a\n    a = s", "s"),
        ("+", "s = s + a\n    if (s > 3) a = 0", "s"),
        ("max", "s = min(s, a)", "s"),
        ("max", "s = a", "s"),
        ("max", "if (a < s) s = a", "s"),
        ("max", "if (a > s) s = b(1)", "s"),
        ("max", "if (s > 3) a = 0\n    s = max(s, a)", "s"),
        ("max", "s = merge(a, s, a < s)", "s"),
        ("min", "if (a < s .or. b(1) > 0) s = a", "s"),
        ("max", "if (a > s) then\n    s = a\n    b(1) = 1\n    end if", "s"),
        ("+", "s = s + a\n    print *, s", "s"),
    ],
)
def test_misuse_is_refused(op: str, body: str, mark: str) -> None:
    (said,) = found("HF503", body, attributes=f", reduction({op}:s)")
    assert said.severity == "error"
    assert said.hint


def test_a_reduction_without_update_is_warned_of() -> None:
    (said,) = found("HF503", "a = 0", attributes=", reduction(+:s)")
    assert said.severity == "warning"
    assert said.place.line == 9


def test_updates_by_a_routine_are_trusted() -> None:
    more = "  subroutine add(x, y)\n    real(8), intent(inout) :: x\n    real(8), intent(in) :: y\n    x = x + y\n  end"
    assert not found("HF503", "call add(s, a)", more=f"{more} subroutine add", attributes=", reduction(+:s)")


# -- time


def endless(folder: Path) -> Path:
    """A file with a routine of many statements after a short one."""
    path = folder / "m.h90"
    path.write_text(
        source("a = 0", more="  subroutine long(x)\n    real(8) :: x\n" + "    x = x + 1\n" * 3000 + "  end")
    )
    return path


def test_a_routine_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parse = blocks.parse_statement

    def slowly(line: object) -> object:
        time.sleep(0.01)
        return parse(line)  # type: ignore[arg-type]

    monkeypatch.setattr(blocks, "parse_statement", slowly)
    done: list[Translation] = []
    options = Options(backend="openmp", parse_limit=0.3)
    begin = time.monotonic()
    thread = threading.Thread(target=lambda: done.append(translate([endless(tmp_path)], options)))
    thread.start()
    thread.join()
    assert time.monotonic() - begin < 10, "3000 statements would have taken 30 seconds"
    (said,) = [d for d in done[0].diagnostics if d.severity == "error"]
    assert said.code == "HF111"
    assert "'long'" in said.message
    assert said.place.line == 13
    assert 14 < said.related[0].place.line < 1000
    assert not done[0].files


@pytest.mark.full
def test_the_limit_does_not_hold_for_all_routines_together(tmp_path: Path) -> None:
    assert not [d for d in translate([endless(tmp_path)], Options(backend="openmp")).diagnostics if d.code == "HF111"]


def test_the_view_of_the_point_is_what_arrives(tmp_path: Path) -> None:
    plain = "subroutine double(n, x)\n  integer, intent(in) :: n\n  real(8), intent(inout) :: x(n)\n  x = 2*x\nend\n"
    run = """  subroutine run()
    real(8) :: a(nx,ny), b(nx,ny,nz), s
    a = 1; b = 3; s = 0
    b(2,3,:) = [1, 2, 5]
    call work(a, b, s)
    print '(4f6.1)', b(2,3,:), sum(b)
  end subroutine run"""
    text = source("call double(nz, b)", "external :: double", run)
    done = translate_text({"m.h90": text, "plain.opaque.f90": plain}, backend="openmp").require()
    made = Batch([Case("m", done.files, "m", "run")], tmp_path, ("-O1", "-cpp"), True)
    assert made.output("m", 2).split() == ["2.0", "4.0", "10.0", "538.0"]

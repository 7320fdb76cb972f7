"""Whatever is in a file: a result or a clear refusal, in 10 s and 2 GB, and never an exception."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from cProfile import Profile
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from hfpy import pipeline
from hfpy.analyze import checks
from hfpy.commands import mishaps
from hfpy.diagnostics import HfpyError
from tests.attacks.judge import judged, judged_here
from tests.attacks.mutants import warm_up
from tests.attacks.shapes import nested, regions, routine
from tests.support import storage_order, translate_text

BACKENDS: dict[str, dict[str, Any]] = {
    "sequential": {},
    "openmp": {"backend": "openmp"},
    "cuda-c": {"target": "gpu", "backend": "cuda-c"},
    "cuda-fortran": {"target": "gpu", "backend": "cuda-fortran"},
}
IF = ("if (a(i) > 0) then", "end if")
OUTSIDE = ("if (n > 0) then", "end if")
MANY = 1_000_000

# A program, and the code that it is refused with.
REFUSED: dict[str, tuple[dict[str, str] | str, str]] = {
    "ifs": (routine(nested(*IF[:1], "b(i) = 1", IF[1], 3000)), "HF114"),
    "ifs outside of the region": (routine(behind=nested(OUTSIDE[0], "b(1) = 1", OUTSIDE[1], 3000)), "HF114"),
    "loops": (routine(nested("do k = 1, 3", "a(i) = 1", "end do", 1000), "integer :: k"), "HF114"),
    "blocks": (routine(nested("block", "a(i) = 1", "end block", 400)), "HF114"),
    "parentheses": (routine("a(i) = " + "(" * 5000 + "b(i)" + ")" * 5000), "HF110"),
    "parentheses outside": (routine(behind="a(1) = " + "(" * 5000 + "1" + ")" * 5000), "HF110"),
    "indices": (routine("a(i) = b(" + "k(" * 2000 + "i" + ")" * 2000 + ")", "integer :: k(100)"), "HF110"),
    "powers": (routine("a(i) = b(i)" + "**b(i)" * 3000), "HF110"),
    "signs": (routine("a(i) = " + "-" * 5000 + "b(i)"), "HF110"),
    "negations": (routine("if (" + ".not. " * 3000 + "(a(i) > 1)) b(i) = 1"), "HF110"),
    "continuations": (routine("a(i) = b(i)" + " &\n + 1" * 50_000), "HF110"),
    "continuations of nothing": (routine("a(i) = &\n" + "&\n" * 50_000 + " 1"), "HF110"),
    "expression": (routine("a(i) = b(i)" + "+b(i)" * 200_000), "HF115"),
    "name": (routine("a(i) = " + "x" * MANY), "HF115"),
    "name of a variable": (routine(declared="real :: " + "x" * 1000), "HF115"),
    "name outside": (routine(behind="a(1) = " + "Y" * 300_000), "HF115"),
    "name of a routine": (routine().replace("subroutine s(", "subroutine " + "s" * 500 + "("), "HF115"),
    "number": (routine("a(i) = " + "9" * 5000), "HF115"),
    "unroll": (routine(attributes=", unroll(i:2147483648)"), "HF202"),
    "unroll a million": (routine(attributes=", unroll(i:1000000)"), "HF202"),
    "tile": (routine(attributes=", tile(i:99999999999999999999)"), "HF202"),
    "constants": (routine("a(i) = x", "integer, parameter :: x = y\ninteger, parameter :: y = x"), "HF317"),
    "constant": (routine("a(i) = M", "integer, parameter :: m = 2*M"), "HF317"),
    "constants by a statement": (routine("a(i) = x", "integer :: x, y\nparameter (x = y + 1, y = x)"), "HF317"),
    "intent": (routine(declared="real(8) :: q\nintent q"), "HF110"),
    "intent open": (routine(declared="real(8) :: q\nintent(in q"), "HF110"),
    "intent alone": (routine(declared="intent"), "HF110"),
    "itself": ({"m.h90": '#include "m.h90"\n' + routine()}, "HF113"),
    "itself twice": ({"m.h90": '#include "m.h90"\n#include "m.h90"\n' + routine()}, "HF113"),
    "itself, expanded": ({"m.H90": '#include "m.H90"\n#include "m.H90"\n' + routine()}, "HF113"),
    "two in each other": (
        {"m.H90": '#include "b.h"\n' + routine(), "b.h": '#include "c.h"\n', "c.h": '#include "b.h"\n'},
        "HF113",
    ),
    "device": ({"m.h90": '#include "/dev/zero"\n' + routine()}, "HF113"),
    "device, expanded": ({"m.H90": '#include "/dev/zero"\n' + routine()}, "HF113"),
    "device in a plain file": ({"m.h90": routine(), "p.F90": "#include </dev/zero>\n#include '/dev/zero'\nend\n"}, ""),
    "modules": ({"a.h90": "module a\nuse b\nend module\n", "b.h90": "module b\nuse a\nend module\n"}, "HF810"),
    "modules through procedures": (
        {
            "a.f90": "module a\ncontains\nsubroutine f()\nuse B\nend subroutine\nend module\n",
            "b.f90": "module b\nuse c\nend module\n",
            "c.f90": "module c\nuse a, only: f\nend module\n",
            "m.h90": routine(),
        },
        "HF810",
    ),
    "module": ({"a.h90": "module a\nuse a\nend module\n"}, "HF810"),
    "condition": ({"m.h90": "#if " + "(" * 5000 + "1" + ")" * 5000 + "\n" + routine() + "#endif\n"}, "HF105"),
    "condition of choices": ({"m.h90": "#if " + "1?1:" * 5000 + "1\n" + routine() + "#endif\n"}, "HF105"),
    "condition of digits": ({"m.h90": "#if " + "9" * 5000 + "\n" + routine() + "#endif\n"}, "HF105"),
}


@pytest.fixture(scope="module", autouse=True)
def warmed() -> None:
    warm_up()


def doubling(pattern: str) -> str:
    """Macros each of which means two of the one before."""
    rows = ["#define A0 1"] if "(x)" not in pattern else ["#define A0(x) x"]
    return "\n".join([*rows, *(pattern.format(this=n, before=n - 1) for n in range(1, 60)), ""])


for name, head, tail in (
    ("macros", doubling("#define A{this} A{before} A{before}"), routine("a(i) = A59")),
    ("macros with arguments", doubling("#define A{this}(x) A{before}(A{before}(x))"), routine("a(i) = A59(b(i))")),
    ("macros in a condition", doubling("#define A{this} (A{before}+A{before})"), "#if A59\n#endif\n" + routine()),
):
    REFUSED[name] = {"m.h90": head + tail}, "HF105" if "condition" in name else "HF115"

# Programs that are as large or odd, but fine, or the compiler's to refuse.
ACCEPTED: dict[str, dict[str, str] | str] = {
    "ifs": routine(nested(IF[0], "b(i) = 1", IF[1], 90)),
    "parentheses": routine("a(i) = " + "(" * 300 + "b(i)" + ")" * 300),
    "sum": routine("a(i) = b(i)" + " &\n + b(i)" * 400),
    "arguments": routine("a(i) = max(" + ", &\n".join(["b(i)"] * 5000) + ")"),
    "comment": routine("a(i) = 1 ! " + "x" * 5 * MANY),
    "power": routine("a(i) = b(i)*m", "integer, parameter :: m = 10**10**10\nreal(8) :: w(m)"),
    "power of three": routine("do j = 1, m\n a(i) = a(i)*m\nend do", "integer :: j\ninteger, parameter :: m = 9**9**9"),
    "loop": routine("do j = 1, 10**10**10\n a(i) = a(i)*j\nend do", "integer :: j\n real(8) :: w(9**9**9)"),
    "negative power": routine("a(i) = b(i)*m", "integer, parameter :: m = 2**(-3)**99999"),
    "literal": routine(f"a(i) = len('{'y' * 900}') + len_trim(\"{'z_' * 900}\")"),
    "literals over lines": routine(behind="print *, '" + "&\n&".join(["text" * 25] * 40) + "'"),
    "conditions": {"m.h90": "#if 1\n" * 3000 + routine() + "#endif\n" * 3000},
    "else if": routine(
        behind="\n".join(["if (n > 1) then", *(f"else if (n > {k}) then\n b(1) = {k}" for k in range(2500)), "end if"])
    ),
    "sizes": routine("a(i) = w(i)", "real(8) :: w(size(v)), v(ubound(w,1))"),
}


# Those that take long. What takes it comes before any backend, so each has one backend by default, in turn.
LONG = {
    *("continuations", "macros", "macros with arguments", "macros in a condition", "itself twice", "itself, expanded"),
    *("arguments", "else if", "sum", "comment", "literals over lines"),
}


def with_backends(names: Iterable[str], backends: Sequence[str]) -> list[ParameterSet]:
    """Names of programs, each with all backends; of the long ones all but one are left to the full run."""
    return [
        pytest.param(name, backend, marks=[pytest.mark.full] * (name in LONG and number % len(backends) != turn))
        for number, name in enumerate(names)
        for turn, backend in enumerate(backends)
    ]


@pytest.mark.parametrize(("name", "backend"), with_backends(REFUSED, ("sequential", "cuda-c")))
def test_refused(name: str, backend: str) -> None:
    files, code = REFUSED[name]
    verdict = judged(files, **BACKENDS[backend])
    assert verdict.good, (verdict.fault, verdict.messages)
    assert code in verdict.errors or (not code and not verdict.errors), verdict.messages


@pytest.mark.parametrize(("name", "backend"), with_backends(ACCEPTED, list(BACKENDS)))
def test_accepted(name: str, backend: str) -> None:
    verdict = judged(ACCEPTED[name], **BACKENDS[backend])
    assert verdict.good, (verdict.fault, verdict.messages)
    assert not verdict.errors or set(verdict.errors) == {"HF702"}


def test_an_endless_expansion_by_the_preprocessor() -> None:
    files = {"m.H90": doubling("#define A{this} A{before} A{before}") + routine("a(i) = A59")}
    verdict = judged(files, 20)
    assert verdict.good and verdict.errors == ("HF107",), (verdict.fault, verdict.messages)


UNDECLARED = """\
module m
contains
subroutine s(nx, nz, a)
  integer, intent(in) :: nx, nz
  real(8), intent(inout) :: a({shape})
  integer :: k
  @parallelRegion{{domName(i), domSize(nx)}}
  {name} = 2*{column}
  do k = 2, nz
    {name}(k) = {name}(k) + {name}(k-1)
    {element} = {name}(k) + exp({element})
  end do
  @end parallelRegion
end subroutine
end module
"""


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["work", "WORK", "end_of_column"])
@pytest.mark.parametrize(("shape", "column", "element"), [("nz,nx", "a(:,i)", "a(k,i)"), ("nx,nz", "a(i,:)", "a(i,k)")])
def test_an_undeclared_column(backend: str, name: str, shape: str, column: str, element: str) -> None:
    verdict = judged_here(
        UNDECLARED.format(name=name, shape=shape, column=column, element=element), **BACKENDS[backend]
    )
    assert verdict.good, (verdict.fault, verdict.messages)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("text", ["2 3", "'a", "2 +", "sin(", "1 .eq. ", "m%", "[1, 2"])
@pytest.mark.parametrize("kind", ["integer", "real(8)"])
def test_a_constant_that_is_no_expression(backend: str, text: str, kind: str) -> None:
    verdict = judged_here(routine("a(i) = b(i)*m", f"{kind}, parameter :: m = {text}"), **BACKENDS[backend])
    assert verdict.good, (verdict.fault, verdict.messages)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "inquiry", ["size(u,4)", "size(u, dim=5)", "ubound(u,7)", "lbound(u,0)", "size(u,-1)", "size()"]
)
@pytest.mark.parametrize("layout", ["", "j i k", "k i j"])
def test_inquiries_of_dimensions_that_are_not_there(backend: str, inquiry: str, layout: str) -> None:
    text = f"""\
module m
contains
subroutine s(nx, ny, nz, u)
  integer, intent(in) :: nx, ny, nz
  real(8), intent(inout) :: u(nx,ny,nz)
  integer :: k
  @domainDependant{{attribute(autoDom), domName(i,j,k), domSize(nx,ny,nz)}}
  u
  @end domainDependant
  @parallelRegion{{domName(i,j), domSize(nx,ny)}}
  do k = 1, nz
    u(i,j,k) = {inquiry}
  end do
  @end parallelRegion
  print *, {inquiry}
end subroutine
end module
"""
    verdict = judged_here(text, **BACKENDS[backend], **({"layout": layout} if layout else {}))
    assert verdict.good, (verdict.fault, verdict.messages)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("storage", [None, storage_order()], ids=["plain", "macros"])
@pytest.mark.parametrize("element", ["a()", "a ( )", "a(,)", "a(i,)"])
def test_an_array_with_indices_left_out(backend: str, storage: str | None, element: str) -> None:
    text = f"""\
module m
contains
subroutine s(nx, ny, nz, a)
  integer, intent(in) :: nx, ny, nz
  real(8), intent(inout) :: a(nz)
  integer :: k
  @domainDependant{{attribute(autoDom), domName(x,y), domSize(nx,ny)}}
  a
  @end domainDependant
  @parallelRegion{{domName(x,y), domSize(nx,ny)}}
  do k = 2, nz
    a(k) = {element} + 0.5d0*a(k-1)
  end do
  @end parallelRegion
end subroutine
end module
"""
    verdict = judged_here({"m.h90": text}, storage=storage, **BACKENDS[backend])
    assert verdict.good and verdict.errors, (verdict.fault, verdict.messages)


CALLING = """\
module m
contains
subroutine s(nx, nz, a)
  integer, intent(in) :: nx, nz
  real(8), intent(inout) :: a(nx,nz)
  integer :: k
  @domainDependant{{attribute(autoDom), domName(i), domSize(nx)}}
  a
  @end domainDependant
  @parallelRegion{{domName(i), domSize(nx)}}
  do k = 1, nz
    {call}
  end do
  @end parallelRegion
end subroutine
subroutine below({dummies})
  {declared}
end subroutine
end module
"""
CALLS = {
    "too_many": ("call below(a(k), a(k))", "x", "real(8), intent(inout) :: x"),
    "none_wanted": ("call below(a(k))", "", "integer :: n"),
    "keyword": ("call below(a(k), y=2)", "x", "real(8), intent(inout) :: x"),
    "optional_array": ("call below()", "x", "real(8), intent(inout), optional :: x(2)"),
    "optional_without_intent": ("call below(y=a(k))", "y, x", "real(8) :: y\n real(8), intent(i), optional :: x"),
    "optional_changed": ("call below(a(k))", "y, x", "real(8) :: y\n real(8), optional :: x\n x = y"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("layout", ["", "k i"])
def test_calls_that_do_not_fit(backend: str, name: str, layout: str) -> None:
    call, dummies, declared = CALLS[name]
    text = CALLING.format(call=call, dummies=dummies, declared=declared)
    verdict = judged_here(text, **BACKENDS[backend], **({"layout": layout} if layout else {}))
    assert verdict.good, (verdict.fault, verdict.messages)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("element", ["a(1)", "a(k,i,1)", "a(i,k,:,:)"])
@pytest.mark.parametrize("layout", ["", "k i", "i:4 k"])
def test_a_wrong_number_of_indices(backend: str, element: str, layout: str) -> None:
    text = CALLING.format(call="a(k) = 1", dummies="x", declared="real(8) :: x").replace(
        "end subroutine\nsubroutine", f"  {element} = {element} + 1\nend subroutine\nsubroutine"
    )
    verdict = judged_here(text, **BACKENDS[backend], **({"layout": layout} if layout else {}))
    assert verdict.good and "HF304" in verdict.errors, (verdict.fault, verdict.messages)


# --- what is said of exceptions that nobody expected


def test_an_exception_names_the_routine_and_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    text = routine() + routine("b(i) = 2*a(i)").replace("module m", "module other").replace(
        "subroutine s", "subroutine t"
    )

    def broken(facts: Any, effects: Any, key: str) -> list[Any]:
        if key.endswith("::t"):
            raise KeyError("oh")
        return []

    monkeypatch.setattr(checks, "check_regions", broken)
    (found,) = translate_text(text).diagnostics
    line = 1 + text.splitlines().index("subroutine t(n, a, b)")
    assert (found.code, found.place.line) == ("HF900", line)
    assert "subroutine 't'" in found.message and "KeyError" in found.message and "test_inputs.py" in found.message
    monkeypatch.setenv("HFPY_DEBUG", "1")
    with pytest.raises(KeyError):
        translate_text(text)


def test_an_exception_at_a_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(line: Any) -> Any:
        if line.text == "a(i) = b(i) + 17" in line.text:
            raise ZeroDivisionError
        return known(line)

    from hfpy.parse import blocks

    known = blocks.parse_statement
    monkeypatch.setattr(blocks, "parse_statement", broken)
    (found,) = translate_text(routine("a(i) = b(i)\na(i) = b(i) + 17")).diagnostics
    assert (found.code, found.place.line) == ("HF900", 10)
    assert "subroutine 's'" in found.message and "ZeroDivisionError" in found.message


def test_what_is_raised_on_purpose_stays_what_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    known = translate_text(routine("a = = 1")).diagnostics

    def broken(*_: Any) -> Any:
        raise HfpyError(known)

    monkeypatch.setattr(pipeline, "_translated", broken)
    assert translate_text(routine()).diagnostics == known
    assert mishaps.unexpected(RecursionError(), known[0].place).code == "HF114"


# --- many regions


def calls(text: str, **options: Any) -> int:
    """How many Python functions a translation calls."""
    profile = Profile(builtins=False)
    profile.enable()
    try:
        translate_text(text, **options).require()
    finally:
        profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


KERNELS = {"target": "gpu", "backend": "cuda-c"}


# By default each kind is met with each of the options, and with or without calls between the regions, in turn.
@pytest.mark.parametrize(
    ("options", "kind", "between"),
    [
        pytest.param(
            options,
            kind,
            between,
            marks=[pytest.mark.full]
            * ((options != {"opt": 0} and kind in ("chain", "columns")) or (way + number) % 2 == (between == "")),
        )
        for way, options in enumerate(({}, {"opt": 0}, KERNELS))
        for number, kind in enumerate(("chain", "stencil", "one array", "columns"))
        for between in ("", "call x()")
    ],
    ids=str,
)
def test_many_regions_in_a_routine(options: dict[str, Any], kind: str, between: str) -> None:
    translate_text(regions(3, kind, between), **options).require()  # what is kept for later translations
    fewer, more = (calls(regions(count, kind, between), **options) for count in (40, 80))
    # What flows out of a loop's variable is looked for in all that is after it.
    assert more <= (3.4 if kind == "columns" else 2.4) * fewer

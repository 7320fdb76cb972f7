"""Names of an ``associate`` in and around regions (Fortran 2018, 11.1.3): what points do to what they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import OPENMP, SEQUENTIAL, Corpus, Pair, Variant, compile_files, output, translate_text

TEXT = """module {name}
  implicit none
  type state
    real(8) :: t(0:300) = 1, u(-5:300) = 1, total = 0
    integer :: n = 0
    real(8), allocatable :: q(:)
  end type state
contains
  subroutine run
    integer, parameter :: n = 240
    type(state) :: x, y(3)
    real(8) :: a(0:n), b(n), s
    integer :: i, k
    allocate(x%q(0:n))
    do i = 0, n
      x%t(i) = mod(7*i, 11); x%q(i) = mod(3*i, 7); a(i) = mod(5*i, 13); y(2)%t(i) = i
    end do
    b = 0; s = 0; k = 2
    {loop}
    print '(6f16.6)', sum(x%t), sum(x%u), sum(x%q), x%total, sum(a), sum(b)
    print '(i6,3f16.6)', x%n, s, sum(y(2)%t), a(5)
  end subroutine run
end module {name}
"""
# What associates name, and the body of a loop over i whose points meet.
MEET = {
    "scalar component": ("t => x%total", "t = 0.5d0*t + a(i)\nb(i) = t"),
    "counter": ("m => x%n", "m = m + 1\nb(m) = a(i)"),
    "component": ("t => x%t", "t(i) = t(i-1) + 1"),
    "component and its name": ("t => x%t", "x%t(i-1) = 0.5d0*t(i) + 1"),
    "own bounds": ("u => x%u", "u(i) = x%u(i-1) + 1"),
    "bounds from one": ("u => x%u(0:)", "u(i+1) = x%u(i-1) + 1"),
    "allocatable component": ("q => x%q", "q(i) = q(i-1) + 1"),
    "one element of all": ("t => x%t", "t(mod(i,3)) = t(mod(i,3)) + a(i)"),
    "element": ("e => a(5)", "a(i) = a(i) + e"),
    "element set": ("e => a(5)", "e = a(i)\nb(i) = e"),
    "sections": ("h => a(2:n), g => a(1:n-1)", "if (i < n) h(i) = g(i) + 1"),
    "whole array": ("v => a", "v(i) = v(i-1) + a(i)"),
    "array of objects": ("t => y(k)%t", "t(i) = y(2)%t(i-1) + 1"),
    "name of a name": ("y => x", "y%t(i) = x%t(i-1) + 1"),
    "part of a part": ("v => a(1:); w => v(2:)", "if (i > 2) w(i-2) = 0.5d0*w(max(i-3, 1)) + 1"),
    "part of a part and its array": ("v => a(1:); w => v(2:)", "if (i > 2) w(i-2) = 0.5d0*a(i) + 1"),
    "whole of a part": ("v => a(1:n); w => v", "if (i > 1) w(i) = w(i-1) + b(i)"),
    "component of a name": ("y => x; t => y%t", "t(i) = 0.5d0*x%t(i-1) + 1"),
    "part of a component of a name": ("y => x; t => y%t; u => t(2:)", "u(i+1) = u(i) + 1"),
    "element of a part": ("v => a(3:); e => v(3)", "e = a(i)\nb(i) = e"),
    "three names": ("v => a; w => v; u => w(3:)", "if (i < n-3) u(i) = u(i+1) + 1"),
    "object": ("o => y(2)", "o%t(i) = o%t(i-1) + 1"),
    "object and its name": ("o => y(k)", "o%t(i) = y(2)%t(i-1) + 1"),
    "all objects": ("o => y", "o(2)%t(i) = y(2)%t(i-1) + 1"),
    "counter of an object": ("o => y(2); m => o%n", "o%n = m + 1\nb(i) = o%n"),
    "every second": ("v => a(0:n:2); w => v(2:)", "if (i < n/2 - 2) w(i) = a(2*i+4) + 1"),
    "from the end": ("v => a(n:1:-1); w => v(3:n-2:2)", "if (i < n/2 - 3) w(i) = a(n-2*i-2) + 1"),
    "under the same name": ("v => a(1:); v => v(2:)", "if (i > 2) v(i-2) = a(i-1) + 1"),
}
APART = {
    "component": ("t => x%t, u => x%u", "t(i) = 2*t(i) + u(i)"),
    "component and its name": ("t => x%t", "x%t(i) = 0.5d0*t(i) + 1"),
    "bounds from one": ("u => x%u(0:)", "u(i+1) = x%u(i) + 1"),
    "sections": ("h => a(2:n)", "if (i < n) h(i) = a(i+1) + b(i)"),
    "array of objects": ("t => y(k)%t", "t(i) = t(i) + a(i)"),
    "value": ("v => 2*k + s", "b(i) = v*a(i)"),
    "whole of a whole": ("v => b; w => v", "w(i) = 2*w(i) + a(i)"),
    "object": ("o => y(2)", "o%t(i) = 2*o%u(i-1) + o%t(i)"),
    "object by a number": ("o => y(k)", "o%t(i) = 2*o%t(i)"),
    "component of an object": ("o => y(k); t => o%t", "t(i) = t(i) + o%u(i)"),
    "part of a component": ("o => y(2); t => o%t; u => t(2:)", "u(i) = u(i) + o%t(i+1)"),
    "part of a part": ("v => a(1:); w => v(2:)", "if (i < n) w(i) = 0.5d0*a(i+1) + v(i+1)"),
    "every second": ("v => a(0:n:2); w => v(2:)", "if (i < n/2 - 2) w(i) = a(2*i) + a(2*i+1)"),
    "from the end": ("v => a(n:1:-1); w => v(3:n-2:2)", "if (i < n/2 - 3) w(i) = a(n-2*i) + 1"),
    "whole of a part": ("v => a(3:); w => v", "if (i < n - 3) w(i) = w(i) + v(i)"),
    "read alone": ("v => a(1:n); w => v(2:n)", "if (i < n) b(i) = w(i) + v(i)"),
    "value of a name": ("m => k; v => 2*m + s", "b(i) = v*a(i)"),
}


def _loop(names: str, body: str, around: bool, directive: str = "") -> str:
    """A loop with constructs around it, or in it: one for each part of ``names``, one in the other."""
    parts = names.split("; ")
    first = "\n".join(f"associate ({part})" for part in parts)
    last = "\n".join("end associate" for _ in parts)
    if around:
        return f"{first}\n{directive}\ndo i = 1, n\n{body}\nend do\n{last}"
    return f"{directive}\ndo i = 1, n\n{first}\n{body}\n{last}\nend do"


PLACES = pytest.mark.parametrize("around", [True, False], ids=["around", "within"])


@PLACES
@pytest.mark.parametrize("kind", MEET)
def test_points_that_meet_are_told(kind: str, around: bool) -> None:
    text = TEXT.format(name="m", loop=_loop(*MEET[kind], around, "!@parallelRegion"))
    done = translate_text({"m.f90": text}, backend="openmp")
    assert {*done.codes(), *done.codes("warning")} & {"HF500", "HF504"}, done.text


AUTO = Variant("auto", {"backend": "openmp", "auto": True}, threads=(1, 3))


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """All loops, with directives where points are apart: each program is its own twin."""
    pairs = {}
    for number, (kind, around) in enumerate((k, a) for k in MEET for a in (True, False)):
        text = TEXT.format(name=f"asc{number}", loop=_loop(*MEET[kind], around))
        pairs[f"asc{number}"] = ({f"asc{number}.f90": text}, (AUTO,))
    for number, (kind, around) in enumerate((k, a) for k in APART for a in (True, False)):
        text = TEXT.format(name=f"apart{number}", loop=_loop(*APART[kind], around, "!@parallelRegion"))
        pairs[f"apart{number}"] = ({f"apart{number}.f90": text}, (SEQUENTIAL, OPENMP))
    made = [Pair(name, text, text, name) for name, (text, _) in pairs.items()]
    return Corpus(made, tmp_path_factory.mktemp("associates"), {n: ways for n, (_, ways) in pairs.items()})


@pytest.mark.parametrize("number", range(2 * len(MEET)))
def test_found_regions_give_the_results_of_the_serial_program(
    programs: Corpus, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)  # short loops become regions, too
    programs.check(f"asc{number}")


@pytest.mark.parametrize("number", range(2 * len(APART)))
def test_points_that_are_apart(programs: Corpus, number: int) -> None:
    programs.check(f"apart{number}")
    assert not programs.translation(f"apart{number}", OPENMP).codes("warning")


def test_an_object_that_an_associate_names_is_shared() -> None:
    """It was taken for a pointer that each point sets, and every thread had its own."""
    text = TEXT.format(name="m", loop=_loop("t => x%t", "t(i) = 2*t(i)", False, "!@parallelRegion"))
    done = translate_text({"m.f90": text}, backend="openmp").require()
    assert "shared(x)" in done.text


GIVEN = """module given
  implicit none
  type state
    real(8) :: h(600) = 1
  end type state
contains
  subroutine step(self)
    class(state), intent(inout) :: self
    integer :: i
    select type (SELECTOR)
    class is (state)
      DIRECTIVE
      do i = 1, 600
        NAME%h(i) = NAME%h(i)*0.5d0 + i
      end do
    end select
  end subroutine step
  real(8) function total(self) RESULT
    class(state), intent(in) :: self
    integer :: i
    OF = 0
    associate (h => self%h)
      REDUCED
      do i = 1, 600
        OF = OF + h(i)
      end do
    end associate
  end function total
  subroutine run
    type(state) :: s
    call step(s)
    print '(f16.6)', total(s)
  end subroutine run
end module given
"""
TAKEN = {
    "NAME": "part",
    "SELECTOR": "part => self",
    "RESULT": "result(s)",
    "OF": "s",
    "DIRECTIVE": "!@parallelRegion",
    "REDUCED": "!@parallelRegion{reduction(+:s)}",
}
REFUSED = {
    "selector": {**TAKEN, "NAME": "self", "SELECTOR": "self"},
    "function": {**TAKEN, "RESULT": "", "OF": "total", "REDUCED": "!@parallelRegion{reduction(+:total)}"},
}


def _given(words: dict[str, str]) -> str:
    text = GIVEN
    for word, part in words.items():
        text = text.replace(word, part)
    return text


@pytest.mark.parametrize(("kind", "backend"), [("selector", "openacc"), ("function", "openmp")])
def test_names_that_no_directive_takes_are_refused(kind: str, backend: str) -> None:
    target = "cpu" if backend == "openmp" else "gpu"
    done = translate_text({"m.f90": _given(REFUSED[kind])}, target=target, backend=backend)
    assert done.codes()[0] == "HF409" and "no directive takes it" in done.errors[0].message
    plain = {**REFUSED[kind], "DIRECTIVE": "", "REDUCED": ""}
    assert not translate_text({"m.f90": _given(plain)}, backend="openmp", auto=True).errors


def test_names_that_directives_take(tmp_path: Path) -> None:
    expected = output(compile_files(main_of(_given({**TAKEN, "DIRECTIVE": "", "REDUCED": ""})), tmp_path / "plain"))
    done = translate_text({"m.f90": _given(TAKEN)}, backend="openmp").require()
    built = compile_files(main_of(done.text), tmp_path / "made", openmp=True)
    assert output(built, threads=3) == expected


def main_of(text: str) -> dict[str, str]:
    return {"m.f90": text, "main.f90": "program main\nuse given\ncall run\nend program main\n"}


@pytest.mark.parametrize(
    ("names", "loop", "code"),
    [
        ("j => i", "do j = 1, n\na(j) = j\nend do", "HF409"),
        ("j => i", "do j = 1, n\na(i) = i\nend do", "HF409"),
        ("j => i", "do i = 1, n\na(j) = j\nend do", "HF504"),
        ("j => i; m => j", "do i = 1, n\na(m) = m\nend do", "HF504"),
        ("j => i", "do k = 1, n\ndo j = 1, 1\na(k) = k + j\nend do\nend do", "HF409"),
    ],
)
@pytest.mark.parametrize("backend", ["openmp", "sequential"])
def test_iterators_are_no_names_of_a_construct(names: str, loop: str, code: str, backend: str) -> None:
    """Each point has its own iterator: other names of the variable would mean the one outside."""
    heads = "".join(f"associate ({part})\n" for part in names.split("; "))
    ends = "end associate\n" * (names.count(";") + 1)
    text = TEXT.format(name="m", loop=f"{heads}!@parallelRegion\n{loop}\n{ends}")
    assert code in translate_text({"m.f90": text}, backend=backend).codes()


@pytest.mark.parametrize("loop", ["do j = 1, n\na(j) = j\nend do\nb(1) = i", "do i = 1, n\na(j) = j\nend do"])
def test_kernels_do_not_count_with_names_of_a_construct(loop: str) -> None:
    """They set the variable that the name means, while their bodies read the name."""
    directed = TEXT.format(name="m", loop=f"associate (j => i)\n!@parallelRegion\n{loop}\nend associate")
    done = translate_text({"m.f90": directed}, target="gpu", backend="cuda-c")
    assert "HF409" in done.codes() or loop.startswith("do i")


@pytest.mark.parametrize(
    ("names", "statement"),
    [
        ("e => w(m)", "e = 0.5d0*e + 1"),
        ("e => w(m:n)", "e(2) = e(1) + 1"),
        ("e => w(:m)", "e = 2*e"),
        ("e => w; f => e(m)", "f = 0.5d0*f + 1"),
    ],
)
def test_names_of_elements_are_within_the_array(names: str, statement: str) -> None:
    """So an array that a point has set as a whole is set there, wherever the element is; one that it has set in part
    may not be.
    """
    given = names.split("; ")
    text = f"""subroutine work(nx, m, n, a)
  integer, intent(in) :: nx, m, n
  real(8), intent(inout) :: a(nx)
  real(8) :: w(-3:10)
  @parallelRegion{{domName(i), domSize(nx)}}
  w = 0.1d0*i
  {"".join(f"associate ({one}){chr(10)}" for one in given)}{statement}
  {"end associate; " * len(given)}
  a(i) = w(2)
  @end parallelRegion
end subroutine work
"""
    assert not translate_text(text).errors
    assert translate_text(text.replace("w = 0.1", "w(1:3) = 0.1")).codes() == ["HF504"]

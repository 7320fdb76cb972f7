"""What is wrong with a program after edits of procedures is what is wrong with it, looked at as a whole."""

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from hfpy.analyze.asked import asked, asking
from hfpy.build.settings.projectfile import load_project
from hfpy.build.translated import all_sources
from hfpy.diagnostics import Diagnostic, has_errors, ordered
from hfpy.making import deep
from hfpy.options import DomainSpec, Options
from hfpy.parse import outside
from hfpy.parse.text.allowed import acknowledged
from hfpy.pipeline import translate
from hfpy.project import options_for
from hfpy.store import incremental
from hfpy.store.incremental import Now
from hfpy.store.kept import NotKept
from hfpy.store.rechecked import InParts, Work, rechecked
from hfpy.store.steps import Kept
from hfpy.store.store import Store
from tests.parse import test_sharing as sharing
from tests.store.edits import edited
from tests.store.test_oracle import OUTSIDE, program, write

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = sorted(p.parent.name for p in SAMPLES.glob("*/hfpy.toml"))
QUICK = {("columns", "cpu"), ("module_data", "gpu"), ("reduction", "cpu")}  # of these, none may be left out
DEFAULT = ("reduction", "cpu")
RANDOM = int(os.environ.get("HFPY_KEPT", "120"))
FIRST = int(os.environ.get("HFPY_EDITS_FROM", "0"))
# Why not: files that are not the user's text, and what a routine that is called outside of regions sets, for a GPU.
REFUSED = {"routines of a file that is not read in parts", "own_data::relax"}
FULL = pytest.mark.full


@pytest.fixture(autouse=True)
def _everything_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incremental, "_WORTH", 0)
    monkeypatch.setenv("HFPY_DEBUG", "1")


def one_by_one(paths: list[Path], options: Options) -> Iterator[tuple[str, tuple[Diagnostic, ...] | NotKept]]:
    """What is found where each procedure is looked at as if it had been edited, or why that is not known."""
    assert options.cache_dir is not None
    translate(paths, options).faults(OUTSIDE)
    store = Store(options.cache_dir)
    kept = store.get("translation", incremental.key_now(paths, options))
    if not isinstance(kept, Kept) or kept.steps is None:
        return
    faults = incremental.faults_kept(store, kept, OUTSIDE)
    assert faults is not None
    for key in [p.key for parted in kept.steps.parted.values() for p in parted.parts]:
        again = asking(kept.steps.among, {key})
        work = Work(options, kept, kept.steps, {}, again, asked(kept.steps.among, again))
        try:
            with deep():
                made = work.found(OUTSIDE, faults, store)
        except NotKept as why:
            yield key, why
        else:
            assert made.found == kept.translation.diagnostics, key
            assert set(made.faults) == set(faults), key
            yield key, made.found


@pytest.mark.parametrize(
    "name, target",
    [pytest.param(n, t, marks=() if (n, t) == DEFAULT else FULL) for n in NAMES for t in ("cpu", "gpu")],
)
def test_every_procedure_of_a_sample(name: str, target: str, tmp_path: Path) -> None:
    project = load_project(SAMPLES / name)
    options = replace(options_for(project, target), cache_dir=tmp_path)
    found = dict(one_by_one(list(all_sources(project)), options))
    refused = {key: str(why) for key, why in found.items() if isinstance(why, NotKept)}
    assert set(refused.values()) <= REFUSED, refused
    assert len(found) > len(refused) or (name, target) not in QUICK


@pytest.mark.parametrize("first, count", [(2, 1), *(pytest.param(n, 4, marks=FULL) for n in range(0, RANDOM, 4))])
def test_every_procedure_of_random_programs(first: int, count: int, tmp_path: Path) -> None:
    made: Counter[str] = Counter()
    for number in range(first, first + count):
        files, way = program(Random(number).randrange(10_000))
        paths = write(files, tmp_path / f"source{number}")
        for _, found in one_by_one(paths, Options(**way, cache_dir=tmp_path / f"cache{number}")):
            made[str(found) if isinstance(found, NotKept) else "made"] += 1
    print(made)
    assert made["made"]


def differences(number: int, edits: int, folder: Path, counted: Counter[str]) -> Iterator[str]:
    """What differs after edits of a program; how often procedures alone were looked at is counted."""
    rng = Random(number)
    files, way = program(number)
    options = Options(**way)
    kept = replace(options, cache_dir=folder / "cache")
    translate(write(files, folder / "source"), kept).faults(OUTSIDE)
    store = Store(folder / "cache")
    for turn in range(edits):
        now = edited(files, rng)
        paths = write(now, folder / "source")
        cold = translate(paths, options)
        sources = Now.of(paths, kept)
        assert sources is not None
        made = rechecked(sources, kept, OUTSIDE, store)
        counted["again" if made is not None else "refused" if has_errors(cold.diagnostics) else "whole"] += 1
        if made is not None:
            counted["diagnostics"] += len(made.found)
            same = ordered(acknowledged(made.found)) == cold.diagnostics
            if not same or set(made.faults) != set(cold.faults(OUTSIDE)):
                yield f"program {number}, edit {turn}, { ({k: v for k, v in way.items() if k != 'domains'}) }"
        if rng.random() < 0.3 and not has_errors(cold.diagnostics):
            files = now  # edits add up


def check_edits(numbers: Iterable[int], edits: int, folder: Path) -> None:
    """Programs of some numbers with edits each."""
    counted: Counter[str] = Counter()
    found = [d for n in numbers for d in differences(n, edits, folder / str(n), counted)]
    print(dict(counted))
    assert not found, "\n".join(found)
    assert counted["again"] and counted["diagnostics"]


def test_edited_programs(tmp_path: Path) -> None:
    check_edits((1, 10, 17), 3, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("first", range(FIRST, FIRST + 100, 10))
def test_programs_edited_a_thousand_times(first: int, tmp_path: Path) -> None:
    check_edits(range(first, first + 10), 10, tmp_path)


WARNED = """module warned
  implicit none
contains
  subroutine first(a)
    real, intent(inout) :: a(9)
    integer :: i, s
    !@parallelRegion{domName(i), domSize(9), explicit}
    do i = 1, 9
      if (a(i) > 0) s = i; a(i) = s
    end do
    !@end parallelRegion
  end subroutine first
  subroutine second(a)
    real, intent(inout) :: a(9)
    integer :: i, s
    !@parallelRegion{domName(i), domSize(9), explicit}
    do i = 1, 9
      if (a(i) > 0) s = i; a(i) = s
    end do
    !@end parallelRegion
  end subroutine second
end module warned
"""
LINES = (9, 18)  # of the statements that are warned about
WRONG, RIGHT = "if (a(i) > 0) s = i; a(i) = s", "s = i; if (a(i) > 0) a(i) = s"


@pytest.mark.parametrize("edits", [((9, RIGHT),), ((18, RIGHT),), ((9, RIGHT), (18, WRONG))])
def test_warnings_go_with_their_cause(edits: tuple[tuple[int, str], ...], tmp_path: Path) -> None:
    options = Options(cache_dir=tmp_path / "cache")
    rows = WARNED.splitlines()
    paths = write({"warned.f90": WARNED}, tmp_path / "source")
    done = translate(paths, options)
    done.faults(OUTSIDE)
    assert [d.place.line for d in done.diagnostics] == list(LINES)
    for line, statement in edits:
        rows[line - 1] = f"      {statement}"
        paths = write({"warned.f90": "\n".join([*rows, ""])}, tmp_path / "source")
        now = Now.of(paths, options)
        assert now is not None
        made = rechecked(now, options, OUTSIDE, Store(tmp_path / "cache"))
        assert made is not None
        assert ordered(made.found) == translate(paths, replace(options, cache_dir=None)).diagnostics
        assert [d.place.line for d in made.found] == [n for n in LINES if WRONG in rows[n - 1]]


NOTED = """module noted
  implicit none
contains
  subroutine first(n, a, b)
    integer, intent(in) :: n
    real, intent(inout) :: a(n), b(n)
    @parallelRegion{domName(i), domSize(n)}
    a(i) = a(i) + 1
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n), fuse(no)}
    b(i) = b(i) + a(i)
    @end parallelRegion
  end subroutine first
  subroutine second(n, a, b)
    integer, intent(in) :: n
    real, intent(inout) :: a(n), b(n)
    real :: s
    @parallelRegion{domName(i), domSize(n), unroll(i:2)}
    if (a(i) > 0) s = a(i)
    b(i) = s
    @end parallelRegion
  end subroutine second
end module noted
"""


@pytest.mark.parametrize(
    ("line", "statement", "code", "again"),
    [
        (8, "do; a(i) = a(i) + 1", "HF109", True),
        (8, "@parallelRegin{}", "HF200", True),
        (7, "@parallelRegion{domName(i,j), domSize(n)}", "HF203", True),
        (15, "integer, intent(in) :: n, n", "HF301", True),
        (19, "s = a(i); if (a(i) > 0) then", "HF109", True),
        (8, "a(i,1) = a(i) + 1", "HF304", True),
        (8, "a(i) = a(i) + * 1", "HF110", True),
        (8, "a(i) = a(i+1)", "HF504", True),
        (19, "a(i+1) = 2; s = a(i)", "HF504", True),
    ],
)
def test_errors_are_told_from_what_was_kept(line: int, statement: str, code: str, again: bool, tmp_path: Path) -> None:
    """After errors in texts nothing is looked at, and the optimiser runs after none that analyses find: what these
    noted elsewhere is not told then.
    """
    options = Options(cache_dir=tmp_path / "cache")
    paths = write({"noted.h90": NOTED}, tmp_path / "source")
    done = translate(paths, options)
    done.faults(OUTSIDE)
    assert {d.code for d in done.diagnostics} >= {"HF500", "HF701"}
    rows = NOTED.splitlines()
    rows[line - 1] = f"    {statement}"
    paths = write({"noted.h90": "\n".join([*rows, ""])}, tmp_path / "source")
    now = Now.of(paths, options)
    assert now is not None
    made = rechecked(now, options, OUTSIDE, Store(tmp_path / "cache"))
    cold = translate(paths, replace(options, cache_dir=None))
    assert code in [d.code for d in cold.diagnostics if d.severity == "error"]
    assert (made is not None) == again
    if made is not None:
        assert ordered(acknowledged(made.found)) == cold.diagnostics
        assert set(made.faults) == set(cold.faults(OUTSIDE))


OWN = """module own
  implicit none
  real :: shared(9)
contains
  subroutine first(n, a, b)
    integer, intent(in) :: n
    real, intent(inout) :: a(n), b(n)
    real :: s, t
    @parallelRegion{domName(i), domSize(n)}
    s = a(i)
    b(i) = s
    @end parallelRegion
  end subroutine first
  subroutine second(n, a, b)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    real :: b(n)
    real :: s
    s = 0
    call first(n, a, a)
    call first(n, a, b)
  end subroutine second
end module own
"""


@pytest.mark.parametrize(
    ("line", "statement", "again"),
    [
        (10, "s = a(i) + b(i)", True),  # an argument of which the intent is known
        (10, "t = 2; s = a(i)*t", True),
        (11, "if (s > exp(s)) b(i) = s", True),
        (11, "b(i) = s + unknown", True),
        (8, "real :: s, t, u(3); integer :: w", True),
        (8, "real :: s", True),
        (19, "s = a(n)", True),
        (19, "s = b(n)", False),  # and one of which the body tells it
        (19, "s = shared(n)", False),
        (19, "shared(n) = 0", False),
        (18, "real, save :: s", False),
        (18, "real, target :: s", False),
        (16, "real, intent(in) :: a(n)", False),
    ],
)
@pytest.mark.parametrize("layout", ["", "i"])
def test_what_concerns_others(line: int, statement: str, again: bool, layout: str, tmp_path: Path) -> None:
    """Where orders of arrays are found, others look at statements as they are written."""
    domains = {"i": DomainSpec(("n",), ("i",))} if layout else {}
    options = Options(cache_dir=tmp_path / "cache", layout=layout, domains=domains)
    paths = write({"own.h90": OWN}, tmp_path / "source")
    translate(paths, options).faults(OUTSIDE)
    rows = OWN.splitlines()
    rows[line - 1] = f"    {statement}"
    paths = write({"own.h90": "\n".join([*rows, ""])}, tmp_path / "source")
    now = Now.of(paths, options)
    assert now is not None
    made = rechecked(now, options, OUTSIDE, Store(tmp_path / "cache"))
    assert (made is not None) == (again and not layout)
    if made is not None:
        cold = translate(paths, replace(options, cache_dir=None))
        assert ordered(acknowledged(made.found)) == cold.diagnostics
        assert set(made.faults) == set(cold.faults(OUTSIDE))


def test_procedures_that_a_layout_does_not_concern(tmp_path: Path) -> None:
    """Which names they have decides whether they are parsed: where one is edited, all is looked at."""
    options = Options(cache_dir=tmp_path / "cache", layout="k i", domains=sharing.DOMAINS)
    translate(write(sharing.program(), tmp_path / "source"), options).faults(OUTSIDE)
    paths = write(sharing.program(body="    print *, n + 1"), tmp_path / "source")
    now = Now.of(paths, options)
    assert now is not None
    assert rechecked(now, options, OUTSIDE, Store(tmp_path / "cache")) is None


DIRECTED = OWN.replace("    @par", "    !@par").replace("Size(n)}", "Size(n)}\n    do i = 1, n")
DIRECTED = DIRECTED.replace("    @end", "    end do\n    !@end").replace(":: s, t", ":: s, t; integer :: i")


@pytest.mark.parametrize(
    ("edits", "again"),
    [
        ({21: "s = 1; a(n) = s"}, True),  # a procedure without directives, in a file that has some
        ({21: "s = 1; if (n > 2) s = )"}, True),
        ({21: "do; s = 1"}, True),
        ({9: "", 14: ""}, False),  # the last ones go
    ],
)
def test_procedures_without_directives_beside_others(edits: dict[int, str], again: bool, tmp_path: Path) -> None:
    options = Options(cache_dir=tmp_path / "cache")
    paths = write({"own.f90": DIRECTED}, tmp_path / "source")
    translate(paths, options).faults(OUTSIDE)
    rows = DIRECTED.splitlines()
    for line, statement in edits.items():
        rows[line - 1] = f"    {statement}"
    paths = write({"own.f90": "\n".join([*rows, ""])}, tmp_path / "source")
    now = Now.of(paths, options)
    assert now is not None
    made = rechecked(now, options, OUTSIDE, Store(tmp_path / "cache"))
    assert (made is not None) == again
    cold = translate(paths, replace(options, cache_dir=None))
    assert made is None or ordered(acknowledged(made.found)) == cold.diagnostics


def test_the_first_directive_of_a_file(tmp_path: Path) -> None:
    options = Options(cache_dir=tmp_path / "cache")
    plain = DIRECTED.replace("!@", "! ")
    files = {"own.f90": plain, "other.f90": DIRECTED.replace("own", "other")}
    translate(write(files, tmp_path / "source"), options).faults(OUTSIDE)
    paths = write({**files, "own.f90": DIRECTED}, tmp_path / "source")
    now = Now.of(paths, options)
    assert now is not None and rechecked(now, options, OUTSIDE, Store(tmp_path / "cache")) is None


def test_errors_in_the_texts_of_two_procedures(tmp_path: Path) -> None:
    options = Options(cache_dir=tmp_path / "cache")
    files = {"noted.h90": NOTED, "other.h90": NOTED.replace("noted", "other")}
    translate(write(files, tmp_path / "source"), options).faults(OUTSIDE)
    for changed in (["noted.h90"], ["noted.h90", "other.h90"]):
        wrong = {
            f: t.replace("a(i) = a(i) + 1", "do").replace("b(i) = s", "do") for f, t in files.items() if f in changed
        }
        paths = write({**files, **wrong}, tmp_path / "source")
        now = Now.of(paths, options)
        assert now is not None
        made = rechecked(now, options, OUTSIDE, Store(tmp_path / "cache"))
        cold = translate(paths, replace(options, cache_dir=None))
        assert len([d for d in cold.diagnostics if d.code == "HF109"]) == 2 * len(changed)
        assert made is None if len(changed) > 1 else made is not None and made.found == cold.diagnostics


def looked_at(files: dict[str, str], now: dict[str, str], folder: Path) -> tuple[frozenset[str] | None, bool]:
    """Which procedures are looked at where files are as they are now, None if all is; whether the diagnostics are those
    of a translation of the whole.
    """
    options = Options(cache_dir=folder / "cache")
    translate(write(files, folder / "source"), options).faults(OUTSIDE)
    paths = write(now, folder / "source")
    sources, store = Now.of(paths, options), Store(folder / "cache")
    assert sources is not None
    last = incremental.last_kept(store, sources)
    made = rechecked(sources, options, OUTSIDE, store)
    if made is None or last is None:
        return None, True
    cold = translate(paths, replace(options, cache_dir=None))
    same = ordered(acknowledged(made.found)) == cold.diagnostics and set(made.faults) == set(cold.faults(OUTSIDE))
    return Work.of(sources, options, *last).again, same


@pytest.mark.parametrize(
    ("line", "rows", "again"),
    [
        (8, ["! a note", "", "! another"], False),
        (9, ["      if (a(i) > 0) s = i; a(i) = s", "      ! after it"], False),
        (9, ["      !@allow HF500", "      if (a(i) > 0) s = i; a(i) = s"], True),
        (9, ["      ! if (a(i) > 0) s = i; a(i) = s"], True),
    ],
)
def test_comments_in_procedures(line: int, rows: list[str], again: bool, tmp_path: Path) -> None:
    """What was found moves with its lines."""
    text = WARNED.splitlines()
    text[line - 1 : line] = rows if line == 9 else [text[line - 1], *rows]
    found, same = looked_at({"warned.f90": WARNED}, {"warned.f90": "\n".join([*text, ""])}, tmp_path)
    assert found == (frozenset({"warned::first"}) if again else frozenset())
    assert same


def test_comments_in_texts_that_go_on(tmp_path: Path) -> None:
    one = WARNED.replace("    end do", "      print *, 'one &\n      &more'\n    end do", 1)
    other = one.replace("      &more", "      ! between\n      &more")
    found, same = looked_at({"warned.f90": one}, {"warned.f90": other}, tmp_path)
    assert found != frozenset() and same


MAIN = """program main
  use noted
  real :: a(9), b(9)
  a = 1; b = 1
  call second(9, a, b)
  call other(a)
end program main
"""
OTHER = """subroutine far()
  {}
end subroutine far
"""


@pytest.mark.parametrize("mention", ["external :: other", "! the other one"])
@pytest.mark.parametrize("edited", ["noted.h90", "other.f90"])
def test_subroutines_that_stand_in_other_files(edited: str, mention: str, tmp_path: Path) -> None:
    """A subroutine that no file has is an error, unless its name is somewhere."""
    files = {"noted.h90": NOTED, "main.f90": MAIN, "other.f90": OTHER.format(mention)}
    now = {**files, edited: files[edited].replace("a(i) + 1", "a(i) + 2").replace("other", "some")}
    found, same = looked_at(files, now, tmp_path)
    assert same and (found == {"noted::first"} if edited == "noted.h90" else not found)


def test_names_are_looked_for_in_edited_files_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"noted.h90": NOTED, "main.f90": MAIN, "other.f90": OTHER.format("external :: other")}
    options = Options(cache_dir=tmp_path / "cache")
    translate(write(files, tmp_path / "source"), options).faults(OUTSIDE)
    now = Now.of(write({**files, "noted.h90": NOTED.replace("+ 1", "+ 2")}, tmp_path / "source"), options)
    monkeypatch.setattr(outside, "_mentions", lambda *_: pytest.fail("all files are read"))
    assert now is not None and rechecked(now, options, OUTSIDE, Store(tmp_path / "cache")) is not None


def test_blocked_forms_are_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said of them: an edit in column physics reads no text that the optimiser has made."""
    shutil.copytree(SAMPLES / "columns", tmp_path / "columns")
    project = load_project(tmp_path / "columns")
    options, paths = replace(options_for(project, "cpu"), cache_dir=tmp_path / "cache"), list(all_sources(project))
    done = translate(paths, options)
    done.faults(OUTSIDE)
    file = next(f for f in done.files if f.name.startswith("pbl_coupler"))
    assert "hfv_" in file.text
    file.source.write_text(file.source.read_text().replace("80.0", "81.0"))
    monkeypatch.setattr(InParts, "_read", lambda *_: pytest.fail("a text of the optimiser is read"))
    now = Now.of(paths, options)
    assert now is not None and rechecked(now, options, OUTSIDE, Store(tmp_path / "cache")) is not None


ON_DEVICE = """module own
  implicit none
  real :: shared(9)
contains
  subroutine first(n, a, b)
    integer, intent(in) :: n
    real, intent(inout) :: a(n), b(n)
    real :: s, t
    t = 1
    @parallelRegion{domName(i), domSize(n)}
    s = a(i)
    b(i) = s
    @end parallelRegion
  end subroutine first
  subroutine second(n, a, b)
    integer, intent(in) :: n
    real, intent(inout) :: a(n), b(n)
    real :: s
    s = a(1)
    b(1) = s
  end subroutine second
  subroutine third(n, a, b)
    integer, intent(in) :: n
    real, intent(inout) :: a(n), b(n)
    real :: s
    s = 0
    call first(n, a, b)
    call second(n, a, b)
  end subroutine third
end module own
"""


@pytest.mark.parametrize(
    ("line", "statement", "again"),
    [
        (11, "s = a(i) + b(i)", True),  # scalars of kernels, and at which elements arrays are used
        (11, "t = 2; s = a(i)*t", True),
        (12, "b(i) = s + unknown", True),
        (12, "b(i) = s; t = * 2", True),
        (12, "b(i) = b(i+1)", True),
        (12, "if (s > 2) b(i) = s", False),  # another kind of statement
        (8, "real :: s, t, u; integer :: w", True),
        (8, "real :: s, t, u(9)", False),
        (9, "t = a(1)", False),  # statements of the host beside kernels
        (12, "b(i) = shared(1)", False),
        (19, "s = a(1); if (s > 2) s = a(n)", True),  # and of routines that have nothing to do with them
        (18, "real :: s, u(3)", True),
        (19, "s = shared(1)", False),
        (19, "s = a(1); call first(n, a, b)", False),
        (26, "s = b(1)", False),
    ],
)
@pytest.mark.parametrize("backend", ["cuda-c", "openacc"])
def test_what_concerns_others_on_devices(line: int, statement: str, again: bool, backend: str, tmp_path: Path) -> None:
    """With directives, what kernels know about modules is looked for in all that calls."""
    again = again and not (backend == "openacc" and 16 <= line <= 21)
    options = Options(cache_dir=tmp_path / "cache", target="gpu", backend=backend)
    paths = write({"own.h90": ON_DEVICE}, tmp_path / "source")
    translate(paths, options).faults(OUTSIDE)
    rows = ON_DEVICE.splitlines()
    rows[line - 1] = f"    {statement}"
    paths = write({"own.h90": "\n".join([*rows, ""])}, tmp_path / "source")
    now = Now.of(paths, options)
    assert now is not None
    made = rechecked(now, options, OUTSIDE, Store(tmp_path / "cache"))
    assert (made is not None) == again
    if made is not None:
        cold = translate(paths, replace(options, cache_dir=None))
        assert ordered(acknowledged(made.found)) == cold.diagnostics
        assert set(made.faults) == set(cold.faults(OUTSIDE))


FUSED = """module fused
  implicit none
contains
  subroutine first(n, a, b, c)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real, intent(inout) :: b(n), c(n)
    @parallelRegion{domName(i), domSize(n)}
    b(i) = 2*a(i)
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n)}
    c(i) = b(i) + a(i)
    @end parallelRegion
  end subroutine first
  subroutine other(n, a, b, c)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real, intent(inout) :: b(n), c(n)
    @parallelRegion{domName(i), domSize(n)}
    b(i) = 3*a(i)
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n)}
    c(i) = b(i) - a(i)
    @end parallelRegion
  end subroutine other
end module fused
"""


@pytest.mark.parametrize("line", [9, 12])
@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
def test_errors_in_fused_regions_on_devices(line: int, backend: str, tmp_path: Path) -> None:
    """The optimiser leaves a region alone that is at fault, so that its steps are others than those that were kept."""
    options = Options(cache_dir=tmp_path / "cache", target="gpu", backend=backend)
    paths = write({"fused.h90": FUSED}, tmp_path / "source")
    before = translate(paths, options)
    assert "group 0-1" in before.schedule("first")
    before.faults(OUTSIDE)
    rows = FUSED.splitlines()
    rows[line - 1] += " + unknown"
    paths = write({"fused.h90": "\n".join([*rows, ""])}, tmp_path / "source")
    now = Now.of(paths, options)
    assert now is not None
    made = rechecked(now, options, OUTSIDE, Store(tmp_path / "cache"))
    assert made is not None
    cold = translate(paths, replace(options, cache_dir=None))
    assert ordered(acknowledged(made.found)) == cold.diagnostics
    assert set(made.faults) == set(cold.faults(OUTSIDE))

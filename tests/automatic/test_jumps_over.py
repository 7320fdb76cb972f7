"""Statements after jumps: those that an earlier jump leads to are executed, whatever is between."""

from __future__ import annotations

import cProfile
import pstats
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_random import VARIANTS
from tests.support import Corpus, Pair, Variant, translate_text, write_files

TEXT = """module m
  implicit none
contains
  subroutine s(n, k, a, b)
    integer, intent(in) :: n, k
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    do i = 1, n
      {body}
    end do
  end subroutine s
  subroutine called(k, i, a, b)
    integer, intent(in) :: k, i
    real(8), intent(inout) :: a(:), b(:)
    {called}
  end subroutine called
  subroutine alternate(k, *)
    integer, intent(in) :: k
    if (k > 0) return 1
  end subroutine alternate
  subroutine run
    real(8) :: a(9), b(9)
    integer :: i, k
    do k = -1, 3
      a = [(i*1.5d0, i = 1, 9)]
      b = [(i*0.25d0, i = 1, 9)]
      call s(9, k, a, b)
      print '(9f14.6)', a, b
    end do
  end subroutine run
end module m
"""
MEET = "a(1) = a(1)*b(i) + i"
APART = "a(i) = a(i)*b(i) + i"
ROUTINES = {
    "goto and return": "if (k > 0) go to 2\n a(i) = 1\n return\n 2 {}",
    "arithmetic if": "if (k) 1, 1, 2\n 1 a(i) = 1\n return\n 2 {}",
    "two gotos": "if (k > 0) go to 1\n go to 3\n 1 if (k > 1) go to 2\n go to 3\n 2 {}\n 3 continue",
}
LOOPS = {
    "goto over": "if (k > 0) go to 2\n a(i) = 1\n go to 3\n 2 {}\n 3 continue",
    "arithmetic if": "if (k) 1, 1, 2\n 1 a(i) = 1\n go to 3\n 2 {}\n 3 continue",
    "computed goto": "go to (1, 2), k\n b(i) = 0\n go to 3\n 1 a(i) = 1\n go to 3\n 2 {}\n 3 continue",
    "cycle in an if": "if (b(i) > 0) then\n if (k > 0) go to 2\n a(i) = 1\n cycle\n end if\n cycle\n 2 {}",
    "cycle after": "if (k > 0) go to 2\n a(i) = 1\n cycle\n 2 {}",
    "exits of blocks": "x: block\n y: block\n if (k > 0) exit y\n a(i) = 1\n exit x\n end block y\n {}\n end block x",
}
BODIES = {
    **{name: (text, "") for name, text in LOOPS.items()},
    **{f"{name}, called": ("call called(k, i, a, b)", text) for name, text in ROUTINES.items()},
}


def source(case: str, statement: str) -> dict[str, str]:
    body, called = BODIES[case]
    return {"m.f90": TEXT.format(body=body.format(statement), called=called.format(statement))}


def found(files: dict[str, str], folder: Path, **options: str) -> list[bool]:
    """Whether the loop over points is a region; there is another one in ``run``."""
    made = found_regions(write_files(files, folder), Options(**options))
    return [v.region for v in made.verdicts if v.key == "m::s"]


@pytest.mark.parametrize("case", BODIES)
def test_points_that_meet_behind_a_jump(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    for target, backend in (("cpu", "openmp"), ("gpu", "cuda-c")):
        assert found(source(case, MEET), tmp_path, target=target, backend=backend) == [False]


@pytest.mark.parametrize("variant", VARIANTS[:2], ids=lambda v: v.label)
def test_points_that_do_not(variant: Variant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    monkeypatch.setattr("hfpy.transform.loops.automatic._FEW", {"cpu": 1, "gpu": 1})
    pairs = []
    for number, case in enumerate(BODIES):
        files = source(case, APART)
        assert found(files, tmp_path / str(number), **variant.options) == [True], case  # type: ignore[arg-type]
        named = {f"m{number}.f90": text.replace("module m\n", f"module m{number}\n") for text in files.values()}
        pairs.append(Pair(f"m{number}", named, named, f"m{number}"))
    corpus = Corpus(pairs, tmp_path, {p.name: (variant,) for p in pairs})
    for pair in pairs:
        corpus.check_one(pair.name, variant)


@pytest.mark.parametrize("case", BODIES)
def test_regions_by_hand(case: str) -> None:
    text = source(case, MEET)["m.f90"]
    text = text.replace("do i = 1, n\n", "!@parallelRegion{domName(i), domSize(n)}\n do i = 1, n\n", 1)
    text = text.replace("  end subroutine s\n", "!@end parallelRegion\n  end subroutine s\n", 1)
    assert {"HF500", "HF504"} & {d.code for d in translate_text({"m.f90": text}, backend="openmp").diagnostics}


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("call alternate(k, *2)", "alternate returns"),
        ("if (k < 9) call alternate(k, *2)", "alternate returns"),
        ("read (text, *, err=2) j", "'err=' in a region"),
    ],
)
@pytest.mark.parametrize("below", [False, True])
def test_labels_of_other_statements(statement: str, why: str, below: bool, target: str, tmp_path: Path) -> None:
    """In regions, and in routines called there."""
    part = f"{statement}\n a(i) = 1\n go to 3\n 2 {APART}\n 3 continue"
    text = TEXT.replace("integer :: i\n    do", "integer :: i, j\n    character(4) :: text\n    do", 1)
    text = text.replace("b(:)\n", "b(:)\n    integer :: j\n    character(4) :: text\n    text = '1'\n", 1)
    files = {"m.f90": text.format(body="call called(k, i, a, b)" if below else part, called=part if below else "")}
    backend = "openmp" if target == "cpu" else "cuda-c"
    made = found_regions(write_files(files, tmp_path), Options(target=target, backend=backend))
    assert [(v.region, why in v.why) for v in made.verdicts if v.key == "m::s"] == [(False, True)]


def many_jumps(count: int) -> str:
    """A loop with so many jumps to labels, some of which are reached before the last jumps."""
    rows = []
    for n in range(1, count + 1):
        rows += [f"if (b(i) > {n}) go to {10 * n}", f"if (k - {n}) {10 * n}, {5 + 10 * n}, {10 * (n + 1)}"]
        rows += [f"{5 + 10 * n} a(i) = a(i) + {n}"]
        rows += [f"{10 * (n - 2)} a(i) = a(i)*2"] if n > 2 else []
    rows += [f"{10 * n} a(i) = a(i) + 1" for n in range(max(count - 1, 1), count + 2)]
    return TEXT.format(body="\n".join(rows), called="")


def test_conditions_of_many_jumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    compared = []
    for count in (4, 16):
        profile = cProfile.Profile()
        assert profile.runcall(found, {"m.f90": many_jumps(count)}, tmp_path / str(count)) == [True]
        stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
        compared.append(sum(calls for (_, _, name), (_, calls, *_) in stats.items() if name == "negated"))
    assert compared[1] < 16 * compared[0]

"""Regions in blocks of columns: what is done with them, that it changes no bit, and what stays as it is."""

import re
from pathlib import Path

import pytest

from hfpy.options import DomainSpec, Options
from hfpy.pipeline import translate
from tests.optimiser.test_random import at_level
from tests.storage.programs import asked_ways, in_turn
from tests.support import OPENMP, OPENMP_KIJ, SEQUENTIAL_IJK, Corpus, Variant, load_pairs, translate_text

VARIANTS = tuple(at_level(v, 2) for v in (OPENMP, OPENMP_KIJ, SEQUENTIAL_IJK))
PAIRS = load_pairs(Path(__file__).parent / "programs")


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    ways = asked_ways(request)
    ways["physics"].append(VARIANTS[0])
    ways["results"].extend(VARIANTS)
    return Corpus(PAIRS, tmp_path_factory.mktemp("columns"), ways)


@pytest.mark.parametrize(("name", "variant"), in_turn({p.name: VARIANTS for p in PAIRS}))
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    """What the plain twin prints, bit for bit."""
    corpus.check_one(name, variant)


def test_whole_call_chains_get_blocked_forms(corpus: Corpus) -> None:
    text = corpus.translation("physics", VARIANTS[0]).require().text
    forms = set(re.findall(r"^ *subroutine (hfv_\w+)", text, re.M))
    assert {"hfv_column", "hfv_flux", "hfv_ladder", "hfv_smooth", "hfv_saturation", "hfv_iterate"} <= forms
    assert "use tools, only: hfv_flux" in text
    assert re.search(r"public :: .*hfv_flux", text)


def test_sweeps_over_the_same_columns_become_one(corpus: Corpus) -> None:
    """The array between them has no memory of its own any more."""
    text = corpus.translation("physics", VARIANTS[0]).require().text
    routine = text.split("subroutine sweeps")[1].split("end subroutine sweeps")[0]
    assert routine.count("!$omp parallel do") == 1
    assert re.search(r"hf_c\(0:127,nz\)", routine)


def test_threads_share_the_blocks_of_all_rows(corpus: Corpus) -> None:
    """There may be more threads than rows."""
    text = corpus.translation("physics", VARIANTS[0]).require().text
    loops = re.findall(r"(!\$omp parallel do.*)\n(?: *!\$omp&.*\n)* *do j = .*\n *do hf_i_block = .*\n", text)
    assert loops and all("collapse(2)" in directive for directive in loops)


def test_columns_come_side_by_side_unless_they_are_all_set_first(corpus: Corpus) -> None:
    """What a routine leaves as it was must be there when the block is written back, whatever the intent."""
    variant = VARIANTS[0]
    source = next(pair for pair in PAIRS if pair.name == "results").hybrid["results.h90"]
    for_out = source.replace("intent(inout) :: partly", "intent(out) :: partly")
    assert for_out != source
    done = translate_text({"results.h90": for_out}, **variant.options)
    for text in (corpus.translation("results", variant).require().text, "".join(done.files.values())):
        routine = text.split("subroutine outer")[1].split("end subroutine outer")[0]
        before = routine.split("call hfv_fill")[0]
        found = set(re.findall(r"^ *hf_(\w+)\(hf_l\b.*\) = ", before, re.M)) - {"changed"}
        assert found == {"a", "partly", "upwards", "chosen", "tiles"}


REFUSED = {
    "a value carried out": ("s = a(1)", "x = s", "carries a value out"),
    "output": ("print *, a(1)", "", "more than a number"),
    "a return": ("call leave(a)", "", "left early"),
    "an exit": ("rest: if (nx > 2) then\nif (a(1) > 1) exit rest\na(1) = 2\nend if rest", "", "left early"),
    "saved": ("call keep(a)", "", "keeps its value"),
}


def schedule(first: str, behind: str, folder: Path) -> str:
    source = f"""module m
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine leave(a)
    real, intent(inout) :: a(nz)
    integer :: k
    do k = 2, nz
      if (a(k) > 1.0) return
      a(k) = a(k) + a(k-1)
    end do
  end subroutine leave
  subroutine keep(a)
    real, intent(inout) :: a(nz)
    logical, save :: used = .false.
    integer :: k
    used = .true.
    do k = 2, nz
      a(k) = a(k) + a(k-1)
    end do
  end subroutine keep
  subroutine work(a, x)
    real, intent(inout) :: a(nz)
    real, intent(out) :: x
    real :: s
    integer :: k
    @domainDependant{{domName(i,j), domSize(nx,ny), attribute(autoDom)}}
    a
    @end domainDependant
    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    {first}
    do k = 2, nz
      a(k) = a(k) + a(k-1)
    end do
    @end parallelRegion
    {behind}
  end subroutine work
end module m
"""
    path = folder / "m.h90"
    path.write_text(source)
    return translate([path], Options(backend="openmp", opt=2, jobs=1)).schedule("work")


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_blocked_stays(name: str, tmp_path: Path) -> None:
    first, behind, reason = REFUSED[name]
    reported = schedule(first, behind, tmp_path)
    assert "blocks of" not in reported
    assert reason in reported, reported


def test_what_can_be_blocked_is(tmp_path: Path) -> None:
    assert "in blocks of 128 columns" in schedule("a(1) = 2.0", "x = 1.0", tmp_path)


LOOPS = {
    "a sum": ("x(k) = x(k-1) * 0.5d0 + a(k)", "k i", False),
    "a sum, columns side by side": ("x(k) = x(k-1) * 0.5d0 + a(k)", "i k", True),
    "divisions": ("x(k) = (x(k-1) + a(k)) / (1.0d0 + x(k-1)) + a(k) / (2.0d0 + x(k))", "k i", True),
}


@pytest.mark.parametrize("name", LOOPS)
def test_blocks_must_pay_for_moving_columns(name: str, tmp_path: Path) -> None:
    """A loop along columns that lie in one piece is blocked only if it holds more work than moving them costs."""
    statement, layout, blocked = LOOPS[name]
    source = f"""module m
  implicit none
  integer, parameter :: nx = 40, nz = 50
contains
  subroutine work(a, x)
    real(8), intent(in) :: a(nz)
    real(8), intent(inout) :: x(nz)
    integer :: k
    @domainDependant{{domName(i), domSize(nx), attribute(autoDom)}}
    a, x
    @end domainDependant
    @parallelRegion{{domName(i), domSize(nx)}}
    do k = 2, nz
      {statement}
    end do
    @end parallelRegion
  end subroutine work
end module m
"""
    path = tmp_path / "m.h90"
    path.write_text(source)
    domains = {"i": DomainSpec(("nx",), ("i",)), "k": DomainSpec(("nz",), ("k",))}
    done = translate([path], Options(opt=2, layout=layout, domains=domains, exports=()))
    assert not done.diagnostics
    text = done.files[0].text
    assert ("hf_i_block" in text) == blocked

"""Physics of columns side by side as code for one column: found, written as ``columns(i)``, proved, or refused."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from hfpy.cli import cli
from hfpy.options import Options
from hfpy.pipeline import found_regions
from hfpy.transform.loops.automatic import Search
from tests.automatic.columnprograms import pair_of
from tests.automatic.test_random import _auto
from tests.support import CUDA_C, OPENCL, OPENMP, Corpus, Pair, Variant, translate_text, write_files

COUNT = int(os.environ.get("HFPY_COLUMNS", "6"))
FIRST = int(os.environ.get("HFPY_COLUMNS_FROM", "11"))
OPENCL_FOUND = _auto(OPENCL)
VARIANTS = (_auto(OPENMP, threads=(1, 3)), _auto(CUDA_C), OPENCL_FOUND)

PHYSICS = """module physics
  implicit none
contains
  subroutine scheme(im, levs, dt, t, q, rain)
    integer, intent(in) :: im, levs
    real(8), intent(in) :: dt
    real(8), intent(inout) :: t(im,levs), q(im,levs), rain(im)
    real(8), dimension(im,levs) :: qs, dq
    real(8) :: flux(im,0:levs), cond(im), factor, part
    integer :: i, k
    factor = dt / 1004
    flux(:,0) = 0
    dq = 0
    do k = 1, levs
      do i = 1, im
        qs(i,k) = 0.001d0 * exp(0.06d0 * (t(i,k) - 273))
        if (q(i,k) < qs(i,k)) cycle
        dq(i,k) = q(i,k) - qs(i,k)
      end do
    end do
    do k = 1, levs
      part = factor * k
      do i = 1, im
        cond(i) = max(0d0, dq(i,k))
        q(i,k) = q(i,k) - cond(i)
        t(i,k) = t(i,k) + cond(i) * part
        flux(i,k) = flux(i,k-1) * 0.9d0 + cond(i)
      end do
    end do
    do i = 1, im
      rain(i) = rain(i) + flux(i,levs)
    end do
  end subroutine scheme

  subroutine run()
    integer, parameter :: im = 300, levs = 20
    real(8) :: t(im,levs), q(im,levs), rain(im)
    integer :: i, k
    do k = 1, levs
      do i = 1, im
        t(i,k) = 250 + 1.5d0*k + 0.01d0*mod(7*i, 31)
        q(i,k) = 0.0004d0*k + 1d-5*mod(i, 91)
      end do
    end do
    rain = 0
    call scheme(im, levs, 30d0, t, q, rain)
    print '(3es24.16)', (rain(i), t(i,levs), q(i,3), i = 1, im, 17)
  end subroutine run
end module physics
"""
# A loop that 'cycle' means by its name, and elemental functions of whole arrays.
NAMED = PHYSICS.replace("      do i = 1, im\n        qs", "      rows: do i = 1, im\n        qs")
NAMED = NAMED.replace("cycle\n", "cycle rows\n").replace("- qs(i,k)\n      end do", "- qs(i,k)\n      end do rows")
NAMED = NAMED.replace("part = factor * k\n", "part = factor * k\n      t(:,k) = max(t(:,k) * 0.999d0, real(k, 8))\n")
FIXED = """      module fixed
      contains
      subroutine scheme(n, m, t, a)
      integer n, m, i, k
      real*8 t(n,m), a(n,m), w(n,m)
      do 10 k = 2, m
      do 20 i = 1, n
      w(i,k) = 2*a(i,k)
      t(i,k) = t(i,k-1)
     &  + w(i,k)
   20 continue
   10 continue
      end subroutine
      subroutine run()
      integer, parameter :: n = 90, m = 8
      real*8 t(n,m), a(n,m)
      integer i, k
      do k = 1, m
      do i = 1, n
      t(i,k) = i
      a(i,k) = i*k
      end do
      end do
      call scheme(n, m, t, a)
      print *, sum(t(::7,:)), t(3,m)
      end subroutine
      end module
"""


# -- what becomes of it


def _columns(text: str, **options: object) -> str:
    made = translate_text({"physics.f90": text}, target="gpu", backend="openacc", auto=True, **options)
    return made.require().text.split("end subroutine scheme")[0]


def test_arrays_of_a_column_lose_the_dimension() -> None:
    text = _columns(PHYSICS)
    for declared in ("real(8) :: qs(levs)", "real(8) :: dq(levs)", "real(8) :: flux(0:levs)", "real(8) :: cond\n"):
        assert declared in text
    assert "t(i,k) = t(i,k) + cond * part" in text
    assert "flux(k) = flux(k-1) * 0.9d0 + cond" in text
    assert text.count("do i = 1, im") == 1
    assert text.count("!$acc parallel") == 1


def test_what_all_columns_see_stays() -> None:
    """A dummy argument, an array that another statement reads as a whole, one that is asked for its size."""
    text = PHYSICS.replace(
        "    do i = 1, im\n      rain", "    print *, sum(dq), size(qs, 1)\n    do i = 1, im\n      rain"
    )
    kept = _columns(text)
    assert "real(8), dimension(im,levs) :: qs, dq" in kept
    assert "real(8) :: cond\n" in kept


def test_named_loops_and_elemental_functions() -> None:
    text = _columns(NAMED)
    assert "t(i,k) = max(t(i,k) * 0.999d0, real(k, 8))" in text
    assert text.count("do i = 1, im") == 1


@pytest.mark.parametrize(
    ("form", "variant"),
    [("physics", VARIANTS[0]), ("physics", VARIANTS[1]), ("fixed", VARIANTS[0]), ("named", VARIANTS[0])],
)
def test_the_same_numbers(form: str, variant: Variant, tmp_path: Path) -> None:
    files = {"fixed.f": FIXED} if form == "fixed" else {"physics.f90": NAMED if form == "named" else PHYSICS}
    module = "fixed" if form == "fixed" else "physics"
    pair = Pair(form, files, files, module)
    corpus = Corpus([pair], tmp_path, {form: (variant,)})
    corpus.check(form)


# -- in blocks, as a driver calls it


BLOCKS = (Path(__file__).parent / "blocks.f90").read_text()
PLAIN_BLOCKS = BLOCKS.replace("associate(rg => ydcst%rg, rcpd => ydcst%rcpd)", "").replace("end associate", "")
PLAIN_BLOCKS = PLAIN_BLOCKS.replace("/rcpd*", "/1004d0*").replace(")*rg\n", ")*9.81d0\n")
BOTH = [pytest.param(BLOCKS, id="associate"), pytest.param(PLAIN_BLOCKS, id="plain", marks=pytest.mark.full)]


@pytest.mark.parametrize("text", BOTH)
def test_threads_get_blocks_and_kernels_get_columns(text: str, tmp_path: Path) -> None:
    """One region over blocks on the CPU, a kernel over the columns of a block on a GPU, from the same source."""
    paths = write_files({"cloud.f90": text}, tmp_path)
    cpu = found_regions(paths, Options())
    assert [v.iterators for v in cpu.verdicts if v.region and v.key == "cloud::driver"] == [("jkglo",)]
    assert not any(v.columns for v in cpu.verdicts)
    gpu = found_regions(paths, Options(target="gpu", backend="cuda-c"))
    assert [v.key for v in gpu.verdicts if v.columns == ("jl",)] == ["cloud::cloudsc"]
    assert not any(v.region for v in gpu.verdicts if v.key == "cloud::driver")


# Each backend with one of the texts in every run of the tests, and both texts with all of them in the full run.
@pytest.mark.parametrize(
    ("text", "variant"),
    [
        pytest.param(
            text, v, id=f"{name}-{v.label}", marks=[pytest.mark.full] * ((name == "plain") != (v is OPENCL_FOUND))
        )
        for name, text in (("associate", BLOCKS), ("plain", PLAIN_BLOCKS))
        for v in VARIANTS
    ],
)
def test_blocks_have_the_same_numbers(text: str, variant: Variant, tmp_path: Path) -> None:
    files = {"cloud.f90": text}
    corpus = Corpus([Pair("cloud", files, files, "cloud")], tmp_path, {"cloud": (variant,)})
    expected, got = corpus.expected("cloud"), corpus.output("cloud", variant)
    pairs = zip(expected.split(), got.split(), strict=True)  # the exponential is another one in kernels
    assert all(abs(float(a) - float(b)) <= 1e-12 * abs(float(a)) for a, b in pairs)


def test_blocks_are_annotated_for_each_target(tmp_path: Path) -> None:
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["cloud.f90"]\n')
    (tmp_path / "cloud.f90").write_text(BLOCKS)
    done = CliRunner().invoke(cli, ["annotate", str(tmp_path), "--write"], standalone_mode=False)
    assert done.exception is None, done.exception
    rows = [row.strip() for row in (tmp_path / "cloud.f90").read_text().splitlines()]
    assert rows[rows.index("!@parallelRegion{columns(jl), appliesTo(GPU)}") + 1] == "zflux(:,1) = 0"
    assert rows[rows.index("!@parallelRegion{appliesTo(CPU)}") + 1] == "do jkglo = 1, ngptot, nproma"
    text = (tmp_path / "cloud.f90").read_text()
    assert translate_text({"cloud.f90": text}, backend="openmp", opt=0).require().text.count("omp parallel do") == 2
    assert "__global__" in translate_text({"cloud.f90": text}, target="gpu", backend="cuda-c").require().text


# -- random programs


def failures(variant: Variant, numbers: range, folder: Path) -> tuple[list[str], int]:
    """The programs that print something else than they do as they are; and how many stretches became columns."""
    pairs = [pair_of(n) for n in numbers]
    corpus = Corpus(pairs, folder, {p.name: (variant,) for p in pairs})
    wrong = []
    for pair in pairs:
        try:
            corpus.check_one(pair.name, variant)
        except AssertionError as failure:
            if "unused variable" not in str(failure):  # of an iterator that a body does not name
                wrong.append(f"{pair.name}: {str(failure)[-400:]}")
    files = {name: text for pair in pairs for name, text in pair.hybrid.items()}
    shutil.rmtree(folder / "again", ignore_errors=True)
    (folder / "again").mkdir()
    found = found_regions(write_files(files, folder / "again"), Options(target="gpu", backend="cuda-c"))
    return wrong, sum(bool(v.columns) for v in found.verdicts)


@pytest.mark.parametrize(
    "variant", [pytest.param(v, id=v.label, marks=[pytest.mark.full] * (v is not VARIANTS[0])) for v in VARIANTS]
)
@pytest.mark.parametrize("count", [min(COUNT, 3), pytest.param(COUNT, id="all", marks=pytest.mark.full)])
def test_random_columns(count: int, variant: Variant, tmp_path: Path) -> None:
    wrong, columns = failures(variant, range(FIRST, FIRST + count), tmp_path)
    assert not wrong, "\n".join(wrong[:4])
    assert columns >= count // 3


# -- what is refused


HEAD = """module m
  implicit none
  real(8) :: held(50)
contains
  subroutine work(n, m, a, b, c)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(n,m), b(n,m), c(n)
    real(8) :: w(n,m), u(n), s, z, f(m)
    integer :: i, k, l
    l = 1
    !@parallelRegion{columns(i)}
"""
TAIL = """    !@end parallelRegion
  end subroutine work
  subroutine each(x)
    real(8), intent(inout) :: x(:)
    x = x + 1
  end subroutine each
end module m
"""
SWEEP = "do k = 2, m\ndo i = 1, n\na(i,k) = a(i,k-1) + b(i,k)\nend do\nend do\n"

REFUSED = {
    "a neighbour": (
        SWEEP + "do i = 2, n\nb(i,1) = a(i-1,1)\nend do",
        "this loop over 'i' has other bounds, or another nest",
    ),
    "a neighbour's element": (
        "do k = 2, m\ndo i = 1, n\na(i,k) = a(max(i-1,1),k-1)\nend do\nend do",
        "",
    ),
    "a shift": ("do k = 2, m\ndo i = 1, n\na(i,k) = a(i+1,k-1)\nend do\nend do", "another column's element"),
    "a sum": (SWEEP + "s = 0\ndo i = 1, n\ns = s + a(i,1)\nend do\nc(1) = s", "seen outside of the routine"),
    "a sum that columns use": (
        "s = 0\ndo i = 1, n\ns = s + a(i,1)\nend do\ndo i = 1, n\na(i,1) = s\nend do",
        "'s' collects a result over the columns",
    ),
    "the last column's value": (
        "do k = 2, m\ndo i = 1, n\ns = a(i,k)\nend do\ndo i = 1, n\nb(i,k) = s\nend do\nend do",
        "the value of 's' from the last column is used after it",
    ),
    "one variable for both": (
        "do k = 2, m\ns = k\ndo i = 1, n\nb(i,k) = s*a(i,k)\nend do\n"
        "do i = 1, n\ns = a(i,k)\nb(i,k) = b(i,k-1) + s\nend do\nend do",
        "a column may use 's' as another one has set it",
    ),
    "a work array of all": (
        "f = 0\ndo k = 2, m\ndo i = 1, n\nf(k) = a(i,k)\nend do\ndo i = 1, n\nb(i,k) = f(k)\nend do\nend do",
        "both write f(",
    ),
    "one variable for both, set once": (
        "do k = 2, m\ndo i = 1, n\ns = a(i,k)\nb(i,k) = b(i,k-1) + s\nend do\ns = k\nf(k) = s\nend do\n"
        "do i = 1, n\nc(i) = f(2)\nend do",
        "'s' is used here for all columns, and set by each of them elsewhere",
    ),
    "a counter of all": (
        "do k = 2, m\nif (f(1+modulo(l,m)) > 1) then\ndo i = 1, n\na(i,k) = a(i,k-1) + f(1+modulo(l,m))\n"
        "end do\nend if\nl = l + 2\nend do",
        "'l' counts on in it from turn to turn",
    ),
    "a counter of columns": (
        "do k = 2, m\ndo i = 1, n\nl = l + 1\na(i,k) = a(i,k-1) + l\nend do\nend do",
        "'l' counts on in it from turn to turn",
    ),
    "a counter of columns that begins in it": (
        "l = 0\ndo k = 2, m\ndo i = 1, n\nl = l + 1\na(i,k) = a(i,k-1) + l\nend do\nend do",
        "a column may use 'l' as another one has set it",
    ),
    "output": (SWEEP.replace("do i", "print *, k\ndo i"), "input, output or the like"),
    "an early end": (SWEEP.replace("a(i,k) =", "if (b(i,k) > 3) exit\na(i,k) ="), "may end early"),
    "a return": (SWEEP.replace("a(i,k) =", "if (b(i,k) > 3) return\na(i,k) ="), "may end early"),
    "a call for all": (SWEEP + "call each(c)\n" + SWEEP, "a routine is called for all columns"),
    "the variable after": (SWEEP + "if (i > 3) then\ns = 1\nend if", "'i' is used outside of the loops"),
    "an array of others": (SWEEP + "held(3) = 1\n" + SWEEP, "'held', which is set here for all columns"),
    "all of an array": (SWEEP + "s = a(3,1)\n" + SWEEP, "'a', which the columns write, is used here for all columns"),
    "part of an array": (SWEEP + "b(2:,1) = 0\n" + SWEEP, "'b', which is set here for all columns"),
    "sum of an array": (
        "do k = 2, m\ndo i = 1, n\nw(i,k) = a(i,k)\nend do\nend do\nu = sum(w, 2)\ndo i = 1, n\nc(i) = u(i)\nend do",
        "",
    ),
    "a random number": (
        "do k = 2, m\ndo i = 1, n\ncall random_number(z)\na(i,k) = a(i,k-1) + z\nend do\nend do",
        "the stretch calls 'random_number', which has a state",
    ),
    "no loop": ("c(1) = 3", "no loop over 'i' is in the region"),
    "a region in it": (
        SWEEP.replace("do i", "!@parallelRegion\ndo i"),
        "a region is around or beside the loops over the columns",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_in_the_way_is_named(name: str) -> None:
    text, message = REFUSED[name]
    made = translate_text({"m.f90": HEAD + text + "\n" + TAIL}, backend="openmp")
    assert made.errors, made.text
    assert all(d.code == "HF243" for d in made.errors), made.errors
    assert message in made.errors[0].message
    assert made.errors[0].place.line > HEAD.count("\n") - 1


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_left_alone_by_itself(name: str, tmp_path: Path) -> None:
    """Loops are found in it, but no columns; the loop with the reason tells it."""
    text, _ = REFUSED[name]
    if "@" in text:
        pytest.skip("it has regions of its own")
    source = (
        (HEAD + text + "\n" + TAIL)
        .replace("    !@parallelRegion{columns(i)}\n", "")
        .replace("!@end parallelRegion", "")
    )
    found = found_regions(write_files({"m.f90": source}, tmp_path), Options(target="gpu", backend="cuda-c"))
    assert not any(v.columns and v.last > 12 + text.count("\n") for v in found.verdicts)


def test_columns_of_a_do_concurrent_are_named(tmp_path: Path) -> None:
    """There was an exception where one has several indices: it is not loops in each other."""
    text = "do k = 2, m\ndo concurrent (i = 1:n, l = 1:2)\nb(i,l) = 0.5d0*b(i,l) + a(i,k)\nend do\nend do"
    source = (HEAD + text + "\n" + TAIL).replace("!@parallelRegion{columns(i)}", "")
    found = found_regions(write_files({"m.f90": source.replace("!@end parallelRegion", "")}, tmp_path), Options())
    assert "'do concurrent' holds the columns" in found.verdicts[0].beside


ENTERED = """subroutine work(n, m, a, b)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n,m), b(n,m)
  integer :: i, k
  if (m > 30) go to 10
  do k = 2, m
    do i = 1, n
      a(i,k) = a(i,k-1) + b(i,k)
    end do
  end do
  10 continue
  do k = 2, m
    do i = 1, n
      b(i,k) = a(i,k) + b(i,k-1)
    end do
  end do
end subroutine work
"""


def test_a_jump_into_a_stretch_is_seen_before_another_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[Search] = []
    monkeypatch.setattr(
        "hfpy.transform.loops.foundregions.Search", lambda *given: searches.append(Search(*given)) or searches[-1]
    )
    found = found_regions(write_files({"m.f90": ENTERED}, tmp_path), Options(target="cpu", backend="openmp"))
    reported = {v.place.line: (v.iterators, v.beside) for v in found.verdicts}
    why = "a jump leads into the stretch (line 5)"
    assert reported == {6: ((), why), 7: (("i",), ""), 12: ((), why), 13: (("i",), "")}
    assert len(searches) == 1


# -- as a directive


ACCEPTED = HEAD + SWEEP + "u(:) = 1\nf = 2\ndo i = 1, n\nc(i) = u(i) + a(i,m) + f(1)\nend do\n" + TAIL


def test_the_directive_makes_one_region() -> None:
    made = translate_text({"m.f90": ACCEPTED}, backend="openmp", opt=0)
    assert made.require().text.count("!$omp parallel do") == 1
    hybrid = ACCEPTED.replace("!@", "@")
    assert translate_text({"m.h90": hybrid}, backend="openmp", opt=0).require().text.count("!$omp parallel do") == 1


def test_it_holds_for_the_targets_that_it_names() -> None:
    text = ACCEPTED.replace("columns(i)", "columns(i), appliesTo(GPU)")
    assert "omp parallel" not in translate_text({"m.f90": text}, backend="openmp").require().text
    gpu = translate_text({"m.f90": text}, target="gpu", backend="openacc")
    assert gpu.require().text.count("!$acc parallel") == 1


def test_two_dimensions() -> None:
    text = """subroutine s(nx, ny, nz, a)
  integer, intent(in) :: nx, ny, nz
  real(8), intent(inout) :: a(nx,ny,nz)
  real(8) :: w(nx,ny)
  integer :: i, j, k
  !@parallelRegion{columns(i,j)}
  w = 0
  do k = 2, nz
    do j = 1, ny
      do i = 1, nx
        w(i,j) = w(i,j) + a(i,j,k-1)
        a(i,j,k) = w(i,j)
      end do
    end do
  end do
  !@end parallelRegion
end subroutine s
"""
    made = translate_text({"s.f90": text}, target="gpu", backend="openacc")
    assert "collapse(2)" in made.require().text
    assert "w(" not in made.text
    found = translate_text({"s.f90": text.replace("columns(i,j)", "columns(j,i)")}, backend="openmp")
    assert found.codes() == ["HF243"]


@pytest.mark.parametrize(
    ("directive", "code"),
    [
        ("columns(i), domSize(n)", "HF202"),
        ("columns(i), startAt(2)", "HF202"),
        ("columns(i), appliesTo(FPGA)", "HF210"),
        ("columns(i), columsn", "HF201"),
    ],
)
def test_a_wrong_directive(directive: str, code: str) -> None:
    made = translate_text({"m.f90": ACCEPTED.replace("columns(i)", directive)}, backend="openmp")
    assert made.codes()[0] == code


def test_one_that_does_not_end_or_stands_in_another() -> None:
    open_ = ACCEPTED.replace("    !@end parallelRegion\n", "")
    assert "HF204" in translate_text({"m.f90": open_}, backend="openmp").codes()
    inner = ACCEPTED.replace("u(:) = 1\n", "!@parallelRegion{columns(i)}\n" + SWEEP + "!@end parallelRegion\n")
    assert "HF207" in translate_text({"m.f90": inner}, backend="openmp").codes()


def _annotated(path: Path, *more: str) -> str:
    """What ``annotate`` says."""
    done = CliRunner().invoke(cli, ["annotate", str(path), *more], standalone_mode=False)
    assert done.exception is None, done.exception
    return done.output


def test_annotate_writes_it_once(tmp_path: Path) -> None:
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["physics.f90"]\n')
    source = tmp_path / "physics.f90"
    source.write_text(PHYSICS)

    assert "over i; columns, to line 32" in _annotated(tmp_path, "--write")
    written = source.read_text()
    rows = written.splitlines()
    first = rows.index("    !@parallelRegion{columns(i)}")
    assert rows[first + 1] == "    flux(:,0) = 0"
    assert rows[rows.index("    !@end parallelRegion") - 1] == "    end do"
    assert [r for r in rows if "!@" not in r] == PHYSICS.splitlines()
    _annotated(tmp_path, "--write")
    assert source.read_text() == written
    by_hand = translate_text({"physics.f90": written}, backend="openmp", opt=0).require()
    assert by_hand.text.split("end subroutine scheme")[0].count("!$omp parallel do") == 1


def test_columns_alone_are_in_the_directive(tmp_path: Path) -> None:
    """Once the loops over the columns are around all, a loop of few turns is right in them, and may be a region's."""
    text = (
        "program faces\nreal(8) :: e(3,40,50), f(9,40,50)\ninteger :: i, j, d, other\nf = 1\n"
        "do d = 1, 3\nother = modulo(d,3) + 1\ndo j = 1, 50\ndo i = 1, 40\n"
        "e(d,i,j) = f(d+other,i,j)\nend do\nend do\nend do\nprint *, sum(e)\nend program faces\n"
    )
    path = tmp_path / "faces.f90"
    path.write_text(text)
    _annotated(path, "--write")
    assert "!@parallelRegion{columns(i,j)}\n" in path.read_text()
    assert "columns" not in _annotated(path)

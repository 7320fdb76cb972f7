"""``--directives-as-regions``: which loops become which regions, and why others stay as they are."""

from pathlib import Path

import pytest

from hfpy.build.session import Given, open_project
from hfpy.diagnostics import HfpyError
from tests.support import Translated, translate_text

SOURCE = """module m
  implicit none
  real(8) :: shared_value, of_threads
  !$omp threadprivate(of_threads)
contains
  PREFIX subroutine s(nx, ny, nz, a, b, c, total)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: a(nx,ny), b(0:nx+1,ny), c(nz,nx,ny), total
    real(8) :: x, w(10)
    integer :: i, j, k, n
    TEXT
  end subroutine s
  subroutine inner(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    !$omp parallel do
    do i = 1, n
      a(i) = 2 * a(i)
    end do
  end subroutine inner
end module m
"""
NEST = "do j = 1, ny\ndo i = 1, nx\na(i,j) = i\nend do\nend do"
INNER = "do i = 1, nx\na(i,j) = i\nend do"
WITH_X = "do i = 1, nx\nx = i\na(i,1) = x\nend do"
SIZES = "domName(i,j), domSize(nx,ny), explicit"


def translated(text: str, prefix: str = "", **options: object) -> Translated:
    source = SOURCE.replace("TEXT", text).replace("PREFIX ", prefix)
    options = {"directives_as_regions": True, "opt": 0, **options}
    return translate_text({"m.f90": source}, **options)


def first_routine(done: Translated) -> str:
    return done.text.split("contains")[1].split("end subroutine s")[0]


def regions(done: Translated) -> list[str]:
    """The attributes of the regions of the first routine."""
    text = first_routine(done.require())
    rows = [r.strip() for r in text.splitlines() if r.strip().startswith("!@") and "end" not in r]
    joined = " ".join(r.removesuffix(" &").removeprefix("!@  ") for r in rows)
    return [r.removesuffix("}").strip().removesuffix("}") for r in joined.split("!@parallelRegion{") if r]


# The text, and the attributes of the region.
TAKEN = {
    "parallel do": (f"!$omp parallel do\n{NEST}\n!$omp end parallel do", SIZES),
    "in one word": (f"!$OMP PARALLELDO default(none) shared(a,nx,ny)\n{NEST}\n!$OMP ENDPARALLELDO", SIZES),
    "the outer loop alone": (f"!$omp parallel do collapse(1)\n{NEST}", "domName(j), domSize(ny), explicit"),
    "two loops": (f"!$omp parallel do simd collapse(2)\n{NEST}", f"{SIZES}, collapse(2)"),
    "schedule": (f"!$omp parallel do schedule(guided)\n{NEST}", f"{SIZES}, schedule(guided)"),
    "private": (
        "!$omp parallel do private(i,x,w)\ndo i = 1, nx\nw = i\nx = w(2)\na(i,1) = x\nend do",
        "domName(i), domSize(nx), explicit, private(w)",
    ),
    "reductions": (
        "!$omp parallel do reduction(+:total) reduction(max: x)\ndo i = 1, nx\ntotal = total + a(i,1)\n"
        "x = max(x, a(i,2))\nend do",
        "domName(i), domSize(nx), explicit, reduction(+:total), reduction(max:x)",
    ),
    "directives of two kinds": (
        "!$acc parallel loop reduction(+:total) async(1)\n!$omp parallel do reduction(+:total) copyin(x)\n"
        "do i = 1, nx\ntotal = total + a(i,1)\nend do\n!$omp end parallel do\n!$acc end parallel loop",
        "domName(i), domSize(nx), explicit, reduction(+:total)",
    ),
    "of two kinds, the second counts": (
        f"!$acc parallel loop if(nx > 4)\n!$omp parallel do collapse(2)\n{NEST}\n!$omp end parallel do",
        f"{SIZES}, collapse(2)",
    ),
    "lastprivate": (
        f"!$omp parallel do lastprivate(x)\n{WITH_X}\ntotal = x",
        "domName(i), domSize(nx), explicit",
    ),
    "inner loops as far as they are parallel": (
        "!$omp parallel do\ndo j = 1, ny\ndo i = 1, nx\ndo k = 2, nz\nc(k,i,j) = c(k-1,i,j)\nend do\nend do\nend do",
        SIZES,
    ),
    "not below seq": (
        f"!$acc parallel loop\ndo j = 1, ny\n!$acc loop seq\n{NEST.partition(chr(10))[2]}",
        "domName(j), domSize(ny), explicit",
    ),
    "not below a triangle": (
        "!$omp parallel do\ndo j = 1, ny\ndo i = 1, j\na(i,j) = 1\nend do\nend do",
        "domName(j), domSize(ny), explicit",
    ),
    "a counter of implied loops after": (
        f"!$omp parallel do private(i)\ndo j = 1, ny\nw(1) = 0\n{INNER}\nend do\nprint *, (a(i,1), i = 1, nx)",
        "domName(j), domSize(ny), explicit",
    ),
    "OpenACC": (f"!$acc parallel loop gang num_gangs(4) collapse(2) copy(a) present(b)\n{NEST}", SIZES),
    "kernels loop": (f"!$acc kernels loop\n{NEST}\n!$acc end kernels loop", SIZES),
    "kernels": (f"!$acc kernels\n!$acc loop gang\n{NEST}\n!$acc end kernels", SIZES),
    "independent": (
        "!$acc kernels\n!$acc loop independent private(w)\ndo i = 1, nx\na(int(b(i,1)),1) = i\nend do\n"
        "!$acc end kernels",
        "domName(i), domSize(0:nx+1), explicit, private(w)",
    ),
    "do concurrent": ("do concurrent (i = 1:nx, j = 1:ny)\na(i,j) = i\nend do", SIZES),
    "downwards": (
        "do concurrent (i = nx-1:2:-1)\nx = a(i,2)\na(i,1) = x\nend do",
        "domName(i), domSize(nx), explicit",
    ),
    "downwards, bounds alone": (
        "!$omp parallel do reduction(+:total)\ndo i = nx-1, 2, -3\ntotal = total + i\nend do",
        "domName(i), domSize(2:nx-1), explicit, reduction(+:total)",
    ),
    "the order of memory": (
        "do concurrent (j = 1:ny, i = 1:nx, k = 1:nz:2)\nc(k,i,j) = i\nend do",
        "domName(k,i,j), domSize(nz,nx,ny), explicit",
    ),
    "locality": (
        "do concurrent (integer :: q = 1:nx) local(x, w) shared(a) reduce(+:total)\nx = q\nw = x\na(q,1) = w(1)\n"
        "total = total + x\nend do",
        "domName(q), domSize(nx), explicit, private(w), local(x), reduction(+:total)",
    ),
    "the inner one where the outer one cannot be": (
        "!$omp parallel do num_threads(2)\ndo k = 1, nz\n!$omp parallel do\ndo i = 1, nx\nc(k,i,1) = i\nend do\nend do",
        "domName(i), domSize(nx), explicit",
    ),
    "a doubt that the user takes away": (
        "!$omp parallel do\ndo i = 1, nx\na(int(b(i,1)),1) = i\nend do",
        "domName(i), domSize(0:nx+1), explicit",
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    text, attributes = TAKEN[name]
    done = translated(text)
    assert regions(done) == [attributes]
    here = first_routine(done)
    assert ("!$acc" in here, "!$omp" in here) == (False, "num_threads" in text)
    assert [d.message for d in done.diagnostics if d.code == "HF242" and "num_threads" not in d.message] == []


# The text, and words of the reason.
KEPT = {
    "a clause": (f"!$omp parallel do num_threads(4)\n{NEST}", "nothing like 'num_threads'"),
    "a condition": (f"!$omp parallel do if(nx > 4)\n{NEST}", "nothing like 'if'"),
    "copies of threads": (f"!$omp parallel do copyin(x)\n{NEST}", "nothing like 'copyin'"),
    "seq": (f"!$acc parallel loop seq\n{NEST}", "nothing like 'seq'"),
    "an operator of the user's": (f"!$omp parallel do reduction(mine:total)\n{NEST}", "'mine' is none"),
    "a reduction of an array": (f"!$omp parallel do reduction(+:w)\n{NEST}", "'w' is none"),
    "a filled array": (f"!$omp parallel do firstprivate(w)\n{NEST}", "filled copy"),
    "no number": (f"!$omp parallel do collapse(n)\n{NEST}", "takes a number"),
    "too many loops": (f"!$omp parallel do collapse(3)\n{NEST}", "more loops than"),
    "too few loops": (f"!$omp parallel do collapse(2)\ndo k = 1, 2\nx = 1\n{NEST}\nend do", "more loops than"),
    "a triangle": (
        "!$omp parallel do collapse(2)\ndo j = 1, ny\ndo i = 1, j\na(i,j) = 1\nend do\nend do",
        "depend on 'j'",
    ),
    "no loop": ("!$omp parallel do\na = 0", "no loop with a variable"),
    "in a block": (
        f"!$omp parallel\n!$omp single\n!$omp parallel do\n{NEST}\n!$omp end single\n!$omp end parallel",
        "is in '!$omp",
    ),
    "a value that leaves": (f"!$omp parallel do private(x)\n{WITH_X}\ntotal = x", "used after the loop"),
    "a value that leaves do concurrent": (
        f"do concurrent (i = 1:nx) local(x)\n{WITH_X[13:]}\ntotal = x",
        "used after",
    ),
    "a counter that goes on": (
        f"!$omp parallel do private(i)\ndo j = 1, ny\nx = 1\n{INNER}\nend do\ndo i = i, 3\nx = i\nend do",
        "'i' is private in it",
    ),
    "a sum without reduction": ("!$omp parallel do\ndo i = 1, nx\nx = x + i\nend do", "writes x, which point"),
    "an atomic sum": (
        "!$omp parallel do\ndo i = 1, nx\n!$omp atomic\nx = x + i\nend do",
        "writes x, which point",
    ),
    "an atomic scatter": (
        "!$omp parallel do\ndo i = 1, nx\n!$omp atomic\nw(int(b(i,1))) = w(int(b(i,1))) + i\nend do\na(1,1) = w(1)",
        "may meet",
    ),
    "points that meet": ("!$omp parallel do\ndo i = 2, nx\na(i,1) = a(i-1,1)\nend do", "writes a(2,1)"),
    "a doubt in kernels": ("!$acc kernels loop\ndo i = 1, nx\na(int(b(i,1)),1) = i\nend do", "may meet"),
    "another loop of kernels": (
        f"!$acc kernels\n{NEST}\ndo i = 2, nx\na(i,1) = a(i-1,1)\nend do\n!$acc end kernels",
        "writes a(2,1)",
    ),
    "a branch in kernels": (
        f"!$acc kernels\nif (nx > 1) then\n{NEST}\nend if\n!$acc end kernels",
        "no loop is right in it",
    ),
    "the iterator after": (
        "!$omp parallel do\ndo i = 1, nx\na(i,1) = 1\nend do\nn = i",
        "no value outside its region",
    ),
    "a jump out": ("!$omp parallel do\ndo i = 1, nx\nif (a(i,1) > 0) exit\na(i,1) = 1\nend do", "leaves the region"),
    "kinds of do concurrent": ("do concurrent (integer(8) :: i = 1:nx)\na(i,1) = i\nend do", "a kind of their own"),
    "a value of each thread": ("!$omp parallel do\ndo i = 1, nx\na(i,1) = of_threads\nend do", "threadprivate"),
    "a bound that changes": ("do concurrent (i = 1:n)\na(i,1) = i\nn = 3\nend do", "'n' is set in the nest"),
    "no step": ("do concurrent (i = nx:1:0)\na(i,1) = i\nend do", "the step 0"),
}


@pytest.mark.parametrize("name", KEPT)
def test_kept(name: str) -> None:
    text, why = KEPT[name]
    done = translated(text)
    notes = [d for d in done.diagnostics if d.code == "HF242"]
    assert regions(done) == []
    assert [(why in n.message, n.severity, n.place.line) for n in notes] == [(True, "note", notes[0].place.line)], notes
    first = next(
        n for n, row in enumerate(text.splitlines()) if "parallel do" in row or "acc" in row or "concurrent" in row
    )
    assert notes[0].place.line == 11 + first
    own = [row for row in text.splitlines() if row.startswith("!$")]
    left = [row.strip() for row in first_routine(done).splitlines()]
    assert [row for row in left if row.startswith("!$")] == own


def test_a_chain_of_calls() -> None:
    """The outer loop becomes the region; with both it would be one in another."""
    done = translated("!$omp parallel do\ndo j = 1, ny\ncall inner(nx, a(:,j))\nend do", backend="openmp")
    assert regions(done) == ["domName(j), domSize(ny), explicit"]
    assert [d.place.line for d in done.diagnostics if d.code == "HF242"] == [20]
    assert done.text.count("!@parallelRegion") == 1


def test_pure_procedures() -> None:
    done = translated("do concurrent (i = 1:nx)\na(i,1) = 1\nend do", "pure ")
    assert regions(done) == [] and "pure procedure" in str([d.message for d in done.diagnostics])
    assert len(regions(translated("do concurrent (i = 1:nx)\na(i,1) = 1\nend do", "impure elemental "))) == 1


def test_nothing_without_the_option() -> None:
    text = f"!$omp parallel do\n{NEST}\ndo concurrent (i = 1:nx)\na(i,1) = 1\nend do"
    done = translated(text, directives_as_regions=False)
    assert not done.diagnostics and "parallelRegion" not in done.text


def test_other_files_are_read() -> None:
    """The caller, a module with sizes, and a caller of the caller, none of which has a directive."""
    files = {
        "sizes.f90": "module sizes\ninteger, parameter :: nx = 4\nreal(8) :: field(nx)\nend module sizes\n",
        "work.f90": "subroutine work\nuse sizes\ninteger :: i\n!$omp parallel do\ndo i = 1, nx\nfield(i) = i\nend do\n"
        "end subroutine\n",
        "main.f90": "program main\nuse sizes, only: field\ncall work\nprint *, field\nend program\n",
    }
    done = translate_text(files, directives_as_regions=True, target="gpu", backend="cuda-c").require()
    assert "!@parallelRegion" not in done.files["main.f90"] and "work.cu" in done.files
    assert not done.diagnostics


def test_places_behind_a_loop_that_was_written_anew() -> None:
    text = "do concurrent (i = 1:nx, a(i,1) > 0)\na(i,1) = 1\nend do\n"
    text += "!@parallelRegion\ndo i = 2, nx\na(i,1) = a(i-1,1)\nend do"
    assert [(d.code, d.place.line) for d in translated(text).errors] == [("HF504", 16)]


def test_key_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "a.f90").write_text("end\n")
    project = tmp_path / "hfpy.toml"
    project.write_text('[project]\nsources = ["a.f90"]\ndirectives_as_regions = true\n')
    assert open_project(tmp_path, Given(), {}).options.directives_as_regions
    project.write_text('[project]\nsources = ["a.f90"]\ndirectives_as_regions = "yes"\n')
    with pytest.raises(HfpyError, match="true or false"):
        open_project(tmp_path, Given(), {})


def test_an_error_elsewhere() -> None:
    """What is wrong only with a region, but not where it is: here a name that it needs."""
    text = f"hfb0_s = 1\n!$omp parallel do\n{NEST}"
    source = SOURCE.replace("TEXT", text).replace("PREFIX ", "").replace(":: i, j, k, n", ":: i, j, k, n, hfb0_s")
    done = translate_text({"m.f90": source}, directives_as_regions=True, backend="openmp").require()
    assert regions(done) == []
    assert [(d.code, "hfb0_s" in d.message) for d in done.diagnostics] == [("HF242", True)]
    wrong = source.replace("hfb0_s = 1", "call inner(1)").replace(", hfb0_s", "")  # wrong anyway
    found = translate_text({"m.f90": wrong}, directives_as_regions=True, backend="openmp")
    assert found.codes() == ["HF400"] and "HF242" not in [d.code for d in found.diagnostics]


def test_an_error_in_a_routine_that_is_called() -> None:
    """The loop that calls it stays; others become regions."""
    text = "!$omp parallel do\ndo i = 1, nx\ncall put(a(i,1))\nend do\n" + f"!$omp parallel do\n{NEST}"
    source = SOURCE.replace("TEXT", text).replace("PREFIX ", "")
    put = "  subroutine put(y)\n    real(8) :: y\n    shared_value = shared_value + y\n  end subroutine put\n"
    source = source.replace("end module m", put + "end module m")
    done = translate_text({"m.f90": source}, directives_as_regions=True, backend="openmp", opt=0).require()
    assert regions(done) == [SIZES]
    assert [d.place.line for d in done.diagnostics if d.code == "HF242"] == [11]


def test_openacc_with_directives_of_its_own_kind() -> None:
    """They are read as regions before those go by which the device would work on hfpy's arrays."""
    text = f"!$acc parallel loop collapse(2)\n{NEST}\n!$acc kernels loop if(nx > 4)\n{NEST}\ndo k = 1, 2\nx = k\nend do"
    done = translated(text, target="gpu", backend="openacc")
    assert regions(done) == [SIZES]
    assert {d.code for d in done.diagnostics} == {"HF240", "HF242"}
    assert "nx > 4" not in done.text and first_routine(done).count("!$acc parallel loop gang") == 1
    nothing = translated("!$acc kernels loop if(nx > 4)\na(1,1) = 1", target="gpu", backend="openacc")
    assert [d.code for d in nothing.require().diagnostics] == ["HF240", "HF242"] and "nx > 4" not in nothing.text

"""``--drop-directives``: the user's own directives go where regions are, and stay elsewhere."""

from pathlib import Path

import pytest

from hfpy.build.session import Given, open_project
from hfpy.parse.text.sentinels import own_directives_in
from tests.support import Translated, translate_text

SOURCE = """subroutine s(nx, ny, a, total)
  integer, intent(in) :: nx, ny
  real, intent(inout) :: a(nx,ny), total
  integer :: i, j
  {before}
  !@parallelRegion{{domName(i,j), domSize(nx,ny)}}
  do j = 1, ny
    do i = 1, nx
      {within}
      a(i,j) = 2 * a(i,j)
    end do
  end do
  !@end parallelRegion
  {after}
end subroutine s
"""
OWN_LOOP = "!$omp parallel do\n  do i = 1, nx\n    a(i,1) = 0\n  end do\n  !$omp end parallel do"
SHARED_LOOP = OWN_LOOP.replace("parallel do", "do")
# Before, in and after the region; how many directives go, and lines that stay.
CASES = {
    "a loop directive": ("!$omp parallel do private(i)", "", "!$omp end parallel do", 2, ()),
    "in one word": ("!$OMP PARALLELDO", "", "!$omp endparalleldo", 2, ()),
    "continued": ("!$omp parallel do &\n  ! comment\n\n  !$omp& private(i) & ! why\n!$omp shared(a)", "", "", 1, ()),
    "in the region": ("", "!$omp simd\n!$acc loop seq\n!$ total = 1\n!$omp atomic", "", 4, ()),
    "a pair around it": ("!$omp parallel\ntotal = 0", "", "!$omp end parallel", 2, ("total = 0",)),
    "pairs in pairs": ("!$omp parallel\n!$omp single", "", "!$omp end single\n!$omp end parallel", 4, ()),
    "a critical section": ("!$omp critical (x)", "", "!$omp end critical (x)", 2, ()),
    "what a pair holds": (
        "!$omp parallel\n!$omp barrier\n!$omp master",
        "",
        "!$omp end master\n!$omp end parallel",
        5,
        (),
    ),
    "other loops in a pair": (f"!$omp parallel\n{SHARED_LOOP}", "", "!$omp end parallel", 4, ("a(i,1) = 0",)),
    "data": ("!$acc data copy(a)\n!$acc update host(a)\n!$acc enter data create(a)", "", "!$acc end data", 4, ()),
    "data of OpenMP": ("!$omp target data map(a)", "", "!$omp end target data\n!$omp target update from(a)", 3, ()),
    "OpenACC": ("!$acc kernels loop independent", "!$acc loop vector", "!$acc end kernels loop", 3, ()),
    "a loop of its own": (OWN_LOOP, "", OWN_LOOP, 0, ("!$omp parallel do", "!$omp end parallel do")),
    "a pair of its own": ("!$omp parallel\n!$omp end parallel", "", "", 0, ("!$omp parallel", "!$omp end parallel")),
    "conditional lines": ("!$ total = 1", "", "", 0, ("!$ total = 1",)),
    "what declares": ("!$omp declare target\n!$omp threadprivate(x)", "", "", 0, ("!$omp threadprivate(x)",)),
    "for the loop around": ("!$omp parallel do\ndo k = 1, 2", "", "end do", 0, ("!$omp parallel do",)),
}


def translated(case: tuple[str, str, str], **options: object) -> Translated:
    text = SOURCE.format(before=case[0], within=case[1], after=case[2])
    options = {"backend": "openmp", "drop_directives": ("*",), **options}
    return translate_text({"s.f90": text}, opt=0, **options)


@pytest.mark.parametrize("name", CASES)
def test_dropped(name: str) -> None:
    before, within, after, count, stay = CASES[name]
    done = translated((before, within, after)).require()
    own = [row.strip() for row in f"{before}\n{within}\n{after}".splitlines() if row.strip().startswith("!$")]
    left = {row.strip() for row in done.text.splitlines()} & set(own)
    notes = [d for d in done.diagnostics if d.code == "HF240"]
    assert [n.message.split(" of ")[0] for n in notes] == ([str(count)] if count else [])
    assert all(row in done.text for row in stay)
    hfpys = {"!$omp end parallel do", "!$omp simd"}
    assert left - hfpys == {row for row in own if not count or row in stay} - hfpys
    assert done.text.count("!$omp parallel do default(none)") == 1


def test_serial_loops_are_told() -> None:
    before, within, after, *_ = CASES["other loops in a pair"]
    assert "a loop outside of regions is serial now" in translated((before, within, after)).diagnostics[0].message
    before, within, after, *_ = CASES["pairs in pairs"]
    assert "serial" not in translated((before, within, after)).diagnostics[0].message


def test_only_where_regions_are_active() -> None:
    case = ("!$omp parallel", "!$omp simd", "!$omp end parallel")
    text = SOURCE.format(before=case[0], within=case[1], after=case[2]).replace(
        "domSize(nx,ny)", "domSize(nx,ny), appliesTo(GPU)"
    )
    assert "!$omp simd" in translate_text({"s.f90": text}, drop_directives=("*",)).require().text
    done = translate_text({"s.f90": text}, drop_directives=("*",), target="gpu", backend="openacc").require()
    assert "!$omp" not in done.text


def test_places_are_those_of_the_users_file() -> None:
    """Lines after what was dropped: an error, a note, and the map to the source."""
    done = translated(("!$omp parallel do &\n!$omp shared(a)", "!$omp simd\n      total = total + 1", ""))
    reported = {d.code: d.place.line for d in done.diagnostics}
    assert reported["HF240"] == 5 and reported["HF502" if "HF502" in reported else "HF500"] == 11


def test_chosen_by_file(tmp_path: Path) -> None:
    for name in ("a.f90", "b.f90"):
        (tmp_path / name).write_text("subroutine x\nend subroutine\n")
    for value, expected in (("true", ("*",)), ('["a.*"]', (str(tmp_path / "a.f90"),)), ("false", ())):
        (tmp_path / "hfpy.toml").write_text(f'[project]\nsources = ["."]\ndrop_directives = {value}\n')
        session = open_project(tmp_path, Given(), {})
        assert session.options.drop_directives == expected and not session.notes
    (tmp_path / "hfpy.toml").write_text('[project]\nsources = ["."]\ndrop_directives = ["c.f90"]\n')
    assert [d.code for d in open_project(tmp_path, Given(), {}).notes] == ["HF809"]
    assert open_project(tmp_path, Given(drop_directives=True), {}).options.drops_directives("x")


def test_fixed_form() -> None:
    rows = ["c$omp parallel do", "c$omp1 private(i)", "*$acc loop", "!$omp endparallel", "c$    x = 1", "      y = 2"]
    found = list(own_directives_in(rows, 0, len(rows), True))
    assert [d.words for d in found] == [("parallel", "do"), ("loop",), ("end", "parallel"), ()]
    assert found[0].last == 1 and found[0].clauses[0].text == "i"


def test_what_is_for_the_device_goes_whole() -> None:
    """Loops in a loop of the user's, and the ends of atomic updates, stayed where the others go."""
    text = """subroutine s(n, a, b, top)
  integer, intent(in) :: n
  real, intent(inout) :: a(n), b(n,*), top
  integer :: i, j
  !@parallelRegion
  do i = 1, n
    a(i) = i
  end do
  !$acc parallel loop copy(b(:,1:n))
  do j = 1, n
    !$acc loop
    do i = 1, n
      b(i,j) = 0
    end do
  end do
  !$acc parallel loop copy(top)
  do i = 1, n
    !$acc atomic update
    top = top + a(i)
    !$acc end atomic
  end do
  !$acc end parallel loop
  do i = 1, n
    !$acc atomic write
    top = a(i)
    !$acc end atomic
  end do
end subroutine s
"""
    done = translate_text({"m.f90": text}, target="gpu", backend="openacc", drop_directives=("*",)).require()
    own = [line.strip() for line in done.text.splitlines() if "default(none)" not in line]
    left = [line for line in own if "$acc" in line and ("loop" in line or "atomic" in line)]
    assert left == ["!$acc end parallel loop", "!$acc atomic write", "!$acc end atomic"]  # the first is the region's

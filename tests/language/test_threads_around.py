"""Parallel constructs of the user's go with directives that their threads rely on, also those of callers."""

from pathlib import Path

import pytest

from tests.support import Translated, compile_files, output, translate_text

WORK = """module work
  implicit none
  integer, parameter :: n = 500
  interface scale
    procedure twice
  end interface
contains
  subroutine twice(a)
    real(8), intent(inout) :: a(n)
    integer :: i
    {before}
    !@parallelRegion{{domName(i), domSize(n)}}
    do i = 1, n
      {within}
      a(i) = 2*a(i) + i
    end do
    !@end parallelRegion
    {after}
  end subroutine twice
  subroutine between(a)
    real(8), intent(inout) :: a(n)
    call twice(a)
  end subroutine between
  subroutine given(f, a)
    interface
      subroutine f(a)
        import :: n
        real(8), intent(inout) :: a(n)
      end subroutine f
    end interface
    real(8), intent(inout) :: a(n)
    !$omp parallel
    call f(a)
    !$omp end parallel
  end subroutine given
end module work
"""
MAIN = """program main
  use work
  implicit none
  procedure(twice), pointer :: at
  real(8) :: a(n)
  integer :: k
  a = 1
  {lines}
  print *, sum(a)
end program main
"""
PLAIN = ("!$omp do", "", "!$omp end do")
SHARED = "!$omp parallel\n{call}\n!$omp end parallel"
LOOP = "!$omp parallel do\ndo k = 1, 7\n{call}\nend do\n!$omp end parallel do"
SECTION = ("!$omp critical", "", "!$omp end critical")
# What the routine with the region has, and the caller.
GO = {
    "a loop": (PLAIN, SHARED.format(call="call twice(a)")),
    "a section by one": (("!$omp single", "", "!$omp end single"), SHARED.format(call="call twice(a)")),
    "through another": (PLAIN, SHARED.format(call="call between(a)")),
    "by another name": (PLAIN, SHARED.format(call="call scale(a)")),
    "by a pointer": (PLAIN, "at => twice\n" + SHARED.format(call="call at(a)")),
    "one at a time": (SECTION, LOOP.format(call="call twice(a)")),
    "an element at a time": (("", "!$omp atomic", ""), LOOP.format(call="if (k > 0) call twice(a)")),
    "with others": (
        PLAIN,
        SHARED.format(call="!$omp master\na(1) = 2\n!$omp end master\n!$omp barrier\ncall twice(a)"),
    ),
}
STAY = {
    "without directives": (("", "", ""), LOOP.format(call="if (k == 1) call twice(a)")),
    "with a construct of its own": (
        ("!$omp parallel do", "", "!$omp end parallel do"),
        LOOP.format(call="if (k == 1) call twice(a)"),
    ),
    "after it": (PLAIN, SHARED.format(call="!$omp barrier") + "\ncall twice(a)"),
}


def translated(case: tuple[tuple[str, str, str], str], **options: object) -> Translated:
    before, within, after = case[0]
    files = {
        "work.f90": WORK.format(before=before, within=within, after=after),
        "main.f90": MAIN.format(lines=case[1]),
    }
    options = {"backend": "openmp", "drop_directives": ("*",), **options}
    return translate_text(files, opt=0, **options)


@pytest.mark.parametrize("name", GO)
def test_go(name: str) -> None:
    done = translated(GO[name]).require()
    assert "!$omp" not in done.files["main.f90"]
    assert {Path(d.place.file).name for d in done.diagnostics if d.code == "HF240"} == {"work.f90", "main.f90"}


@pytest.mark.parametrize("name", STAY)
def test_stay(name: str) -> None:
    assert "!$omp parallel" in translated(STAY[name]).require().files["main.f90"]


def test_around_a_region_in_the_same_routine() -> None:
    region = "!@parallelRegion{domName(i), domSize(n)}\ndo i = 1, n\n!$omp atomic\na(i) = a(i) + k\nend do"
    text = MAIN.format(lines=f"!$omp parallel do\ndo k = 1, 7\n{region}\n!@end parallelRegion\nend do")
    files = {"work.f90": WORK.format(before="", within="", after="")}
    files["main.f90"] = text.replace("integer :: k", "integer :: i, k")
    made = translate_text(files, opt=0, backend="openmp", drop_directives=("*",)).require().files["main.f90"]
    assert made.count("!$omp parallel do") == 1


def test_files_whose_directives_stay(tmp_path: Path) -> None:
    chosen = (str(tmp_path / "work.f90"),)
    files = {"work.f90": WORK.format(before=PLAIN[0], within="", after=PLAIN[2])}
    files["main.f90"] = MAIN.format(lines=SHARED.format(call="call twice(a)"))
    done = translate_text(files, folder=tmp_path, opt=0, backend="openmp", drop_directives=chosen)
    assert [(d.code, Path(d.place.file).name) for d in done.errors] == [("HF216", "main.f90")]


def test_numbers(tmp_path: Path) -> None:
    case = (PLAIN, SHARED.format(call="call between(a)") + "\ncall given(twice, a)")
    built = compile_files(translated(case).require().files, tmp_path, openmp=True)
    assert output(built, threads=4) == output(built, threads=1)


NUMBERED = """subroutine shared(nt)
  implicit none
  integer, parameter :: n = 9000
  integer, intent(in) :: nt
  real(8) :: a(n)
  integer :: i, mine, many
!$ integer, external :: omp_get_thread_num, omp_get_num_threads
  !$omp parallel private(mine, many, i)
  {asks}
  {region}
  do i = mine*n/nt + 1, (mine + 1)*n/nt
    a(i) = i
  end do
  {end}
  !$omp end parallel
  print *, sum(a)
end subroutine shared
subroutine number_of(mine)
  integer, intent(out) :: mine
  integer, external :: omp_get_thread_num
  mine = omp_get_thread_num()
end subroutine number_of
"""
REGION = {"region": "!@parallelRegion{domName(i), domSize(n)}", "end": "!@end parallelRegion"}


@pytest.mark.parametrize(
    "asks, refused",
    [
        ("!$ mine = omp_get_thread_num()", True),
        ("call number_of(mine)", True),
        ("mine = 0\n!$ mine = omp_get_thread_num(); many = omp_get_num_threads()", False),
        ("mine = 0\n!$ if (omp_get_thread_num() == 0) print *, 'begins'", False),
        ("mine = 0 ! not omp_get_thread_num()", False),
    ],
)
def test_work_shared_out_by_numbers(asks: str, refused: bool) -> None:
    text = NUMBERED.format(asks=asks, **REGION)
    done = translate_text({"s.f90": text}, opt=0, backend="openmp", drop_directives=("*",))
    assert [d.code for d in done.errors] == (["HF216"] if refused else [])


RENAMED = """module threads
  use omp_lib, only: mine_is => &
    omp_get_thread_num
  implicit none
end module threads
"""


@pytest.mark.parametrize(
    "asks, refused",
    [("mine = Who()", True), ("mine = 0; if (who() == 0) print *, 'begins'", False), ("mine = who_else()", False)],
)
@pytest.mark.parametrize("used", ["use omp_lib, only: who => omp_get_thread_num", "use threads, only: who => mine_is"])
def test_numbers_by_another_name(used: str, asks: str, refused: bool) -> None:
    text = NUMBERED.format(asks=asks, **REGION).replace("  implicit none", f"  {used}\n  implicit none", 1)
    done = translate_text({"a.f90": RENAMED, "s.f90": text}, opt=0, backend="openmp", drop_directives=("*",))
    assert [d.code for d in done.errors] == (["HF216"] if refused else [])
    text = NUMBERED.format(asks=asks, region="", end="").replace("  implicit none", f"  {used}\n  implicit none", 1)
    files = {"a.f90": RENAMED, "s.f90": text}
    made = translate_text(files, backend="openmp", auto=True, drop_directives=("*",)).require()
    assert ("!$omp parallel private(mine, many, i)" in made.files["s.f90"]) == refused


def test_loops_found_where_work_is_shared_out_by_numbers() -> None:
    text = NUMBERED.format(asks="!$ mine = omp_get_thread_num()", region="", end="")
    done = translate_text({"s.f90": text}, backend="openmp", auto=True, drop_directives=("*",)).require()
    assert "!$omp parallel private(mine, many, i)" in done.files["s.f90"]


NESTED = """subroutine outer(n, a, b)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n,9)
  integer :: k
  !$omp parallel do
  do k = 1, 9
    call middle(n, a, b(:,k))
  end do
end subroutine outer
subroutine middle(n, a, b)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
  !$omp parallel
  !@parallelRegion{domName(i), domSize(n)}
  do i = 1, n
    b(i) = b(i) + 1
  end do
  !@end parallelRegion
  CALL
  !$omp end parallel
end subroutine middle
subroutine filled(n, b)
  integer, intent(in) :: n
  real(8), intent(inout) :: b(n)
  integer :: i
  !$omp do
  do i = 1, n
    b(i) = 2*b(i)
  end do
end subroutine filled
"""


@pytest.mark.parametrize("call, goes", [("call filled(n, b)", True), ("b(1) = 0", False)])
def test_constructs_further_out(call: str, goes: bool) -> None:
    """Without the inner one, the loop that is called would be shared out among the threads of the outer one."""
    done = translate_text(
        {"s.f90": NESTED.replace("CALL", call)}, opt=0, backend="openmp", drop_directives=("*",)
    ).require()
    assert ("!$omp parallel do\n" in done.files["s.f90"]) != goes

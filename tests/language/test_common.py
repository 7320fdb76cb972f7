"""Arrays whose dimensions a ``common`` statement has (Fortran 2018, 8.10.2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.parse.declarations.declarations import common_arrays, storage_groups
from tests.support import CUDA_C, OPENACC, OPENMP, Corpus, Pair, translate_text

PROGRAM = """module {name}
contains
  subroutine run
    {declared}
    integer :: i, j
    do j = 1, 40
      do i = 1, 60
        t(i,j) = 3*i + j
        q(i,j) = 1
      end do
    end do
    call work
    print '(f12.1)', sum(q), q(2,3), q(59,39), sum(t), s
  end subroutine run
  subroutine work
    {declared}
    integer :: i, j
    s = 2
    !@parallelRegion{{domName(i,j), domSize(60,40), explicit}}
    do j = 2, 39
      do i = 2, 59
        q(i,j) = s*t(i,j-1) + t(i+1,j)
      end do
    end do
    !@end parallelRegion
  end subroutine work
end module {name}
"""
WAYS = {
    "typed": """integer, parameter :: im = 60, jm = 40
real(8) :: t, q, s
common /fld/ t(im,jm), q(im,jm), s""",
    "typed after": """integer, parameter :: im = 60
common /fld/ t(im, 40), s, q(1:60, 40)
real(8) :: t, q, s""",
    "implicit": """implicit real*8 (a-h,o-z)
real*8 s
parameter (im=60, jm=40)
common /fld/ t(im,jm), q(im,jm) /more/ s""",
    "quotients": """implicit real*8 (a-h,o-z)
real*8 s
parameter (im=120, jm=80)
common /fld/ t(im/2,jm/2), /more/ s, q(im/2,jm/2)""",
    "blank": """implicit real*8 (a-h,o-z)
real*8 s
common s, q(60,40) // t(60,40)""",
    "mixed": """real(8) :: t(60,40)
real(8) :: q, s
dimension q(60,40)
common /fld/ s, t
common /fld/ q""",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A program for each way, which is its own twin."""
    pairs = []
    for number, declared in enumerate(WAYS.values()):
        files = {f"common{number}.f90": PROGRAM.format(name=f"common{number}", declared=declared)}
        pairs.append(Pair(f"common{number}", files, files, f"common{number}"))
    return Corpus(pairs, tmp_path_factory.mktemp("common"), {p.name: (OPENMP, CUDA_C, OPENACC) for p in pairs})


@pytest.mark.parametrize("number", range(len(WAYS)), ids=WAYS)
def test_the_values_are_those_of_the_serial_program(programs: Corpus, number: int) -> None:
    programs.check(f"common{number}")


@pytest.mark.parametrize("declared", WAYS.values(), ids=WAYS)
def test_points_that_meet_are_told(declared: str) -> None:
    text = PROGRAM.format(name="m", declared=declared).replace("s*t(i,j-1)", "q(i,j-1)")
    assert "HF504" in translate_text({"m.f90": text}).codes()


SCALARS = """module scalars
contains
  subroutine run
    {declared}
    integer :: i
    do i = 1, 40
      a(i) = 3*i
    end do
    s = 0
    call work
    call told
  end subroutine run
  subroutine work
    {declared}
    integer :: i
    !@parallelRegion{{domName(i), domSize(40), explicit}}
    do i = 1, 40
      {name} = 2*a(i)
    end do
    !@end parallelRegion
  end subroutine work
  subroutine told
    {declared}
    print '(f8.1)', s, a(3)
  end subroutine told
end module scalars
"""
HELD = {
    "member": ("real(8) :: s, a(40)\ncommon /blk/ s, a", "s"),
    "last": ("real(8) :: s, a(40)\ncommon /blk/ a, s", "s"),
    "blank": ("real(8) :: s, a(40)\ncommon s, a", "s"),
    "equivalent": ("real(8) :: s, e, a(40)\ncommon /blk/ s, a\nequivalence (e, s)", "e"),
}


@pytest.mark.parametrize("name", HELD)
def test_a_scalar_of_a_common_block_keeps_what_the_last_point_sets(name: str, tmp_path: Path) -> None:
    declared, written = HELD[name]
    files = {"scalars.f90": SCALARS.format(declared=declared, name=written)}
    ways = (OPENMP, CUDA_C) if name == "member" else (OPENMP,)
    Corpus([Pair("scalars", files, files, "scalars")], tmp_path, {"scalars": ways}).check("scalars")


def test_two_names_of_one_scalar_in_a_region_are_refused() -> None:
    declared, written = HELD["equivalent"]
    text = SCALARS.format(declared=declared, name=written)
    assert not translate_text({"scalars.f90": text}).codes()
    both = text.replace(f"{written} = 2*a(i)", f"{written} = 2*a(i)\n      a(i) = s")
    assert translate_text({"scalars.f90": both}).codes() == ["HF504"]


def test_arrays_and_their_places() -> None:
    text = "common a(2), b /x/ c(n/2, 3) , d // e(4)"
    found = common_arrays(text, len("common"))
    assert [(name, text[a:b]) for name, _, a, b in found] == [("a", "2"), ("c", "n/2, 3"), ("e", "4")]
    assert [text[at] for _, at, _, _ in found] == ["a", "c", "e"]


def test_blocks_and_their_members() -> None:
    groups = storage_groups("common", " a(2), b /x/ c(n/2), d // e /y/f")
    assert [(g.name, g.members) for g in groups] == [("", ("a", "b")), ("x", ("c", "d")), ("", ("e",)), ("y", ("f",))]

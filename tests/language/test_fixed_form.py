"""Directives in fixed form: how they are found, and that what hfpy writes keeps to the columns."""

from pathlib import Path

import pytest

from hfpy.transform.text.fixedform import wrap_fixed
from hfpy.transform.text.wrapping import wrap_line
from tests.support import Translated, compile_files, translate_text

SOURCE = """      subroutine s(nx, ny, a)
      integer nx, ny, i, j
      real*8 a(nx,ny), w(nx,ny)
      a(1,1) = 0
TEXT
      end subroutine
"""
LOOPS = """      do 10 j = 1, ny
      do 10 i = 1, nx
   10 a(i,j) = i"""


def translated(text: str, **options: object) -> Translated:
    return translate_text({"s.f": SOURCE.replace("TEXT", text)}, **{"backend": "openmp", **options})


@pytest.mark.parametrize("mark", ["!@", "c@", "C@ ", "*@", "      !@", "! @"])
def test_marks(mark: str) -> None:
    """After a statement that the next line might continue, too."""
    done = translated(f"{mark}parallelRegion\n{LOOPS}").require()
    assert "!@parallelRegion{domName(i,j), domSize(nx,ny), explicit}" in done.text.splitlines()
    assert done.text.splitlines()[-3:-1] == ["   10 a(i,j) = i", "!@end parallelRegion"]


@pytest.mark.parametrize("columns, parallel", [(72, True), (132, False)])
def test_what_is_beyond_column_72_counts_with_a_flag(columns: int, parallel: bool) -> None:
    row = f"{'      a(i,1) = 1':72} + a(i-1,1)"
    text = SOURCE.replace("TEXT", f"      do i = 2, nx\n{row}\n      end do")
    done = translate_text({"s.f": text}, backend="openmp", auto=True, columns=columns).require()
    assert ("omp parallel do" in done.text) == parallel and row in done.text


def test_continued() -> None:
    done = translated(f"c@parallelRegion{{domName(i,j), &\nc@& domSize(nx,\n{LOOPS}")
    assert set(done.codes()) == {"HF204"}
    assert not translated(
        f"c@parallelRegion{{domName(i,j), &\n*@& domSize(nx,ny)}}\n{LOOPS}\nc@end parallelRegion"
    ).errors
    block = "c@domainDependant{attribute(transferHere)}\nc a\nc@end domainDependant\n"
    text = SOURCE.replace("      a(1,1)", f"{block}      a(1,1)").replace("TEXT", f"c@parallelRegion\n{LOOPS}")
    assert translate_text({"s.f": text}, backend="cuda-c", target="gpu").require().files


def test_other_comments() -> None:
    text = "c an @ in a comment\nC mail: me@here\n*@nothing\nc@\n      a(1,2) = 1"
    done = translated(text)
    assert not done.diagnostics and text in done.text


def test_columns() -> None:
    names = ", ".join(f"a_rather_long_name_{n}" for n in range(6))
    free = [
        f"    call something({names}) &",
        "    & + 1",
        "  do i = 1, n",
        "10  a = 1",
        "     & + b",
        "c comment",
        "#if x",
    ]
    rows = [wrap_fixed(row) for row in free]
    assert all(len(line) <= 72 for made in rows for line in made)
    assert [line[5:7] for line in rows[0]] == [" c", "& ", "& "]
    assert "".join(line[6:].strip() for line in rows[0]).replace(" ", "") == f"callsomething({names})".replace(" ", "")
    assert rows[1:] == [
        ["     & + 1"],
        ["      do i = 1, n"],
        ["10    a = 1"],
        ["     & + b"],
        ["c comment"],
        ["#if x"],
    ]
    long = wrap_fixed(f"    !$omp parallel do shared({names}) &")
    assert [line[:6] for line in long] == ["!$omp ", "!$omp&", "!$omp&"]
    assert wrap_fixed("    !$omp& private(x)") == ["!$omp&private(x)"]
    clauses = "!$omp target teams distribute parallel do collapse(2) default(none) map(tofrom: one) &"
    assert wrap_fixed(clauses) == [
        "!$omp target teams distribute parallel do collapse(2) default(none)",
        "!$omp& map(tofrom: one)",
    ]


def test_texts_longer_than_a_line() -> None:
    told = "it''s " + "long and " * 12
    for row in (f"  write (unit, '(a)') '{told}'", f'  x = k_"{told}"//y'):
        made = wrap_fixed(row)
        assert len(made) > 1 and all(len(line) <= 72 for line in made)
        together = "".join(line[6:] for line in made).replace(" ", "")
        assert together.replace("'//'", "").replace('"//k_"', "") == row.replace(" ", "")
    assert wrap_fixed("  x = '" + "''" * 60 + "'")[0].count("'") % 2 == 0
    assert not any("//" in line for line in wrap_fixed(f"  data x /'{told}'/"))  # where there are no operators


def test_stops_in_kernels(tmp_path: Path) -> None:
    """The line that tells of a stop was longer than 72 columns."""
    text = """      subroutine checked_for_limits(n, a)
      integer n, i
      real*8 a(n)
!@parallelRegion
      do i = 1, n
        if (a(i) .gt. 1e3) stop 3
        a(i) = 2*a(i)
      end do
      end
      subroutine run
      end
"""
    done = translate_text({"some_long_name_of_a_file.f": text}, target="gpu", backend="cuda-c").require()
    assert "stop in kernel" in done.text
    compile_files({**done.files, "m.f90": "end\n"}, tmp_path)


def test_directives_of_others() -> None:
    text = f"c$omp parallel\nc$omp do\nc@parallelRegion\n{LOOPS}\nc$omp enddo\nc$omp end parallel"
    assert translated(text).codes() == ["HF216"]
    done = translated(text, drop_directives=("*",)).require()
    assert "c$omp" not in done.text and [d.message[:2] for d in done.diagnostics] == ["4 "]
    taken = translated(f"C$OMP PARALLEL DO\nC$OMP+ PRIVATE(w)\n{LOOPS}", directives_as_regions=True).require()
    assert "explicit, private(w)}" in taken.text and "C$OMP" not in taken.text
    kept = translated(f"*$acc parallel loop if(n > 4)\n{LOOPS}", directives_as_regions=True)
    assert [(d.code, d.place.line) for d in kept.diagnostics] == [("HF242", 5)]


def test_arrays_on_the_heap_behind_a_label() -> None:
    """The block around the loops is closed where they end on a statement with a label."""
    text = "c@parallelRegion{private(w)}\n      do 10 j = 1, 5\n      w = 0\n      w(j,1) = j\n   10 a(1,j) = sum(w)"
    rows = [row.strip() for row in translated(text).require().text.splitlines()]
    assert rows[-6:-1] == [
        "10 a(1,j) = sum(w)",
        "!$omp end do",
        "end block",
        "!$omp end parallel",
        "!@end parallelRegion",
    ]


def test_lines_that_are_indented_too_far() -> None:
    """Where nothing can be broken within the columns, a line begins further left; a continued text stays."""
    call = 'call hf_update_device(work, "work"//hf_end, "m.f:3349"//hf_end)'
    for indent in (40, 44, 45, 46, 60, 90):
        rows = wrap_fixed(" " * indent + call)
        assert max(map(len, rows)) <= 72, rows
        assert "".join(row[6:].strip() for row in rows).replace(" ", "") == call.replace(" ", "")
        labelled = wrap_fixed("   10 " + " " * indent + call)
        assert max(map(len, labelled)) <= 72 and labelled[0][:6] == "   10 "
    assert wrap_fixed(" " * 90 + "x = 1") == ["      x = 1"]
    inside = "     1" + " " * 40 + "x" * 40 + "'"
    assert wrap_fixed(inside) == [inside]
    for indent in (60, 100, 140):
        rows = wrap_line(" " * indent + call)
        assert max(map(len, rows)) <= 132, rows
        assert "".join(row.strip(" &") for row in rows).replace(" ", "") == call.replace(" ", "")


DIRECTIVES = ("openacc", "openmp-target")
LABELLED = """c@parallelRegion
      do 10 j = 1, ny
      do 10 i = 1, nx
      last = i + j
      if (i.gt.4) goto 10
      a(i,j) = last
   10 END
      a(1,1) = last"""


@pytest.mark.parametrize("backend", DIRECTIVES)
@pytest.mark.parametrize("end", ["continue", "a(1,1) = 2"])
def test_values_behind_loops_that_end_on_a_label(backend: str, end: str) -> None:
    """Where a jump passes by the place after a point's statements, or the last one does something, there is none."""
    source = SOURCE.replace("integer nx", "integer last, nx")
    jumping = source.replace("TEXT", LABELLED.replace("END", end))
    done = translate_text({"s.f": jumping}, target="gpu", backend=backend)
    assert any(d.code == "HF702" and "ends with a label" in d.message for d in done.errors)
    straight = jumping.replace("if (i.gt.4) goto 10", "a(i,j) = 0")
    done = translate_text({"s.f": straight}, target="gpu", backend=backend)
    if end != "continue":
        assert "HF702" in done.codes()
        return
    rows = done.require().text.splitlines()
    assert [row.strip() for row in rows[rows.index("   10 continue") - 2 :]][:2] == ["hf_last_last = last", "end if"]


@pytest.mark.parametrize("backend", DIRECTIVES)
def test_common_blocks_of_called_routines(backend: str) -> None:
    """No directive can declare members of a common block on the device by themselves: a copy gets them as arguments."""
    text = """      module m
      real*8 gain
      common /gains/ gain
      contains
      real*8 function f(x)
      real*8, intent(in) :: x
      f = x*gain
      end function
      subroutine s(n, a)
      integer n, i
      real*8 a(n)
!@parallelRegion
      do i = 1, n
        a(i) = f(a(i))
      end do
      end subroutine
      end module
"""
    rows = [r.strip() for r in translate_text({"m.f": text}, target="gpu", backend=backend).require().text.splitlines()]
    assert "a(i) = hff_f(a(i), gain=gain)" in rows
    plain = text.replace("      common /gains/ gain\n", "")
    rows = [
        r.strip() for r in translate_text({"m.f": plain}, target="gpu", backend=backend).require().text.splitlines()
    ]
    assert "a(i) = f(a(i))" in rows


def test_serial_loops() -> None:
    """OpenACC's word for them begins in column 1."""
    loops = "c@parallelRegion\n      do j = 1, ny\n!@serial: it carries\n      do i = 2, nx\n      a(i,j) = a(i-1,j)\n"
    rows = translated(f"{loops}      end do\n      end do", target="gpu", backend="openacc").require().text.splitlines()
    assert rows[rows.index("!$acc loop seq") + 1].strip() == "do i = 2, nx"


DEPTHS = """      module depths
      real, allocatable, save :: depth(:)
      end module
      subroutine survey(n)
      use depths
      integer n, i
      call make(n)
!@parallelRegion
      do i = 1, n
        depth(i) = 2
     x  + i
      end do
      end
      subroutine make(n)
      use depths
      integer n
      allocate(depth(n))
      end
"""


def test_what_stands_before_a_directive_is_in_the_columns_of_statements() -> None:
    """The directive begins in column 1. A mark that is a letter stays in column 6."""
    done = translate_text({"d.f": DEPTHS}, target="gpu", backend="openacc").require()
    rows = done.text.splitlines()
    assert done.text.count("hf_entered_depth = 1") == 3 and "     x  + i" in rows
    assert not [row for row in rows if row.startswith("     h")]


NUMBERED = """      program t
      integer i, n
      real*8 a(9)
      n = 9
      do 5 i = 1, n
    5 a(i) = i
      call s(n, a)
      print '(9f6.1)', a
      end
      subroutine s(n, a)
      integer i, n
      real*8 a(n)
      real*8, allocatable :: w(:)
      allocate (w(n))
      do 10 i = 1, n
   10 w(i) = 2*a(i)
      if (n.gt.10) return
      if (n.gt.8) a(1) = 3; if (n.gt.9) stop
      do 20 i = 1, n
   20 a(i) = a(i) + w(i)
      end
"""


@pytest.mark.parametrize("end", ["      4242", " numbers", "4242", "'4242"])
@pytest.mark.parametrize(
    "options", [{}, {"target": "gpu", "backend": "cuda-c"}, {"specialise": (("n", 9),)}], ids=["cpu", "gpu", "sizes"]
)
def test_what_is_behind_the_last_column_stays_there(tmp_path: Path, end: str, options: dict[str, object]) -> None:
    """Lines that hfpy makes longer, shorter or several of have no more of it: on another column it would count. Other
    lines keep it.
    """
    text = "".join(f"{row:72}{end}\n" for row in NUMBERED.splitlines())
    done = translate_text({"t.f": text}, **{"backend": "openmp", "auto": True, **options}).require()
    source = set(text.splitlines())
    assert f"{'      n = 9':72}{end}" in done.text.splitlines()
    assert not [row for row in done.text.splitlines() if row not in source and end.strip() in row]
    if options.get("target") != "gpu":
        compile_files({"t.f": done.text}, tmp_path, openmp=True)

"""Directives of the user's beside statements, in free and fixed form: what hfpy inserts is neither between a
directive and its statement nor before declarations.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.support import GFORTRAN, translate_text

PROGRAM = """program p
implicit none
integer, parameter :: n = 300
real(8) :: a(n,n), s
integer :: i, j, k
integer, save :: own = 1
!$omp threadprivate(own)
!$ integer :: omp_get_max_threads, &
!$   omp_get_num_threads
!$ external omp_get_max_threads
k = own
!$ k = min(1, omp_get_max_threads())
do j = 1, n
do i = 1, n
a(i,j) = i + k*j
end do
end do
s = 0
!$omp parallel do reduction(+:s) num_threads(2)
! the trace
do j = 1, n
s = s + a(j,j)
end do
! after it

!$omp end parallel do
s = s + a(1,3)
!$omp parallel num_threads(2)
!$omp single
! once
s = s + a(1,2)
!$omp end single
!$omp end parallel
print *, s
do j = 1, n
do i = 1, n
a(i,j) = 0.5*a(i,j) + 1
end do
end do
!$ if (omp_get_max_threads() < 0 .and. &
!$   k > 0) then
s = s + 2
!$ end if
s = s + a(7,7)
!$ if (k == 5) s = 7
!$omp parallel
!$omp do
do j = 1, n
a(1,j) = a(1,j)*s + real(sum(a(:,j)))
end do
!$omp end do
!$omp master
s = s + a(2,2)
!$omp end master
!$omp do
do j = 1, n
a(2,j) = a(1,j)
end do
!$omp end do
!$omp end parallel
print *, sum(a), s
end program p
"""
ROUTINE = """      subroutine work(n, a)
      integer n, i
      real*8 a(n)
c$acc routine seq
      do i = 1, n
        a(i) = a(i) + i
      end do
      end
      program p
      integer j
      real*8 a(400,400)
c$acc kernels
      do j = 1, 400
        a(:,j) = j
        call work(400, a(1,j))
      end do
c$acc end kernels
      print *, sum(a)
      end program
"""


def fixed(text: str) -> str:
    """The same lines in fixed form."""
    rows, goes_on = [], False
    for row in text.splitlines():
        if row.startswith(("!$omp", "! ")):
            rows.append(f"c{row[1:]}")
        else:
            begin = f"c$   {'&' if goes_on else ' '} " if row.startswith("!$ ") else " " * 6
            rows.append(f"{begin}{row.removeprefix('!$ ').rstrip('&').strip()}" if row else "")
            goes_on = row.endswith("&")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("name, text", [("p.f90", PROGRAM), ("p.f", fixed(PROGRAM))], ids=["free", "fixed"])
def test_inserted_lines_come_between_no_two_that_belong_together(name: str, text: str, tmp_path: Path) -> None:
    done = translate_text({name: text}, target="gpu", backend="openmp-target", auto=True).require()
    (tmp_path / name).write_text(done.files[name])
    command = [GFORTRAN.command, "-fopenmp", "-foffload=disable", "-fsyntax-only", name]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not made.returncode, made.stderr
    kernels = translate_text({name: text}, target="gpu", backend="cuda-c", auto=True).require()
    opened = 0
    for row in kernels.files[name].lower().splitlines():
        words = row[row.find("$") + 1 :].split()
        if row.lstrip()[:2] in ("!$", "c$") and (words[0] in ("omp", "end") or words[-1] == "then"):
            opened += "end" not in words and (words[-1] == "then" or words[1] in ("parallel", "single", "master", "do"))
            opened -= "end" in words
        assert not (opened and "call hf_" in row), row
    assert not opened and "call hf_update_host(a" in kernels.files[name]


def test_a_directive_of_fixed_form_is_not_there_twice() -> None:
    done = translate_text(
        {"p.f": ROUTINE}, target="gpu", backend="openacc", auto=True, drop_directives=("*",)
    ).require()
    assert done.files["p.f"].count("$acc routine seq") == 1


SHARED_END = """      subroutine s(n, u, w)
      integer n, i, j
      real*8 u(n,n), w(n)
      do 60 j = 1, n
{begin}
        do 59 i = 1, n
          w(i) = i + j
   59   continue
{end}
        do 60 i = 1, n
          u(i,j) = w(i) + u(i,max(1,j-1))
   60 continue
!@parallelRegion{{domName(i,j), domSize(n,n)}}
      do j = 1, n
        do i = 1, n
          u(i,j) = 2*u(i,j)
        end do
      end do
!@end parallelRegion
      end
"""


@pytest.mark.parametrize("backend", ["cuda-c", "openacc"])
def test_no_copy_behind_a_loop_that_ends_with_another(backend: str) -> None:
    """It would be after both, and what the next turn of the outer one fetches would be old: the loops get ends of their
    own, if they can.
    """
    own = {"begin": "!@parallelRegion{domName(i), domSize(n)}", "end": "!@end parallelRegion"}
    text = SHARED_END.format(**own)
    done = translate_text({"p.f": text.replace("60 continue", "60 continue; w(1) = 0")}, target="gpu", backend=backend)
    assert done.codes("error") == ["HF603"]
    made = translate_text({"p.f": text}, target="gpu", backend=backend).require().files["p.f"]
    assert [line.strip() for line in made.splitlines()].count("end do") == (2 if backend == "cuda-c" else 4)
    found = translate_text({"p.f": SHARED_END.format(begin="", end="")}, target="gpu", backend=backend, auto=True)
    assert "update" not in found.require().files["p.f"]  # one kernel for the columns: nothing is copied between loops


BY_THREADS = """subroutine s(n, a, b)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
  !@parallelRegion{domName(i), domSize(n)}
  do i = 1, n
    a(i) = 2*a(i)
    b(i) = 0
  end do
  !@end parallelRegion
  !$omp LINES
  do i = 1, n
    b(i) = a(i) + 1
    call work(n, a)
  end do
  ENDED
contains
  subroutine work(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i) + 1
    end do
    !@end parallelRegion
  end subroutine work
end subroutine s
"""


@pytest.mark.parametrize(
    "lines, ended, openmp, codes",
    [
        ("parallel do", "", True, ["HF216"]),
        ("parallel do", "", False, []),
        ("parallel\n!$omp single", "!$omp end single\n!$omp end parallel", True, []),
    ],
)
def test_copies_that_several_threads_would_make(lines: str, ended: str, openmp: bool, codes: list[str]) -> None:
    text = BY_THREADS.replace("LINES", lines).replace("ENDED", ended)
    options = {"directives": ("omp",) if openmp else ()}
    done = translate_text({"s.f90": text}, target="gpu", backend="cuda-c", opt=0, **options)
    assert done.codes("error") == codes


TASKS = """subroutine s(n, m, a)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n,m)
  integer :: b
  !@parallelRegion
  do b = 1, n
    a(b,1) = 2*a(b,1)
  end do
  !$omp parallel
  !$omp single
  FIRST
  do b = 1, m
    !$omp task firstprivate(b)
    call work(n, a(:,b))
    !$omp end task
    WITHIN
  end do
  LATER
  !$omp end single
  !$omp end parallel
contains
  subroutine work(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) + 1
    end do
  end subroutine work
end subroutine s
"""


@pytest.mark.parametrize(
    "lines, line",
    [
        ({"FIRST": "a(1,1) = 5"}, 0),
        ({"LATER": "a(1,1) = 5"}, 10),
        ({"LATER": "!$omp taskwait\n  a(1,1) = 5"}, 0),
        ({"WITHIN": "a(1,b) = 5"}, 10),
        ({"WITHIN": "!$omp taskwait\n  a(1,b) = 5"}, 0),
        ({"FIRST": "a(1,1) = 5", "LATER": "!$omp taskwait"}, 0),
        ({"WITHIN": "!$omp task\n  a(1,b) = 5\n  !$omp end task"}, 10),
    ],
)
def test_copies_while_tasks_run(lines: dict[str, str], line: int) -> None:
    """Other threads may be at the tasks of a ``single``, before something waits for them; told at its line."""
    text = TASKS
    for name in ("FIRST", "WITHIN", "LATER"):
        text = text.replace(name, lines.get(name, ""))
    done = translate_text({"s.f90": text}, target="gpu", backend="cuda-c", opt=0, directives=("omp",))
    assert {d.place.line for d in done.errors} == ({line} if line else set())
    assert {d.code for d in done.errors} <= {"HF216"}
    assert not re.search(r"hf_update_host\(.*\n *!\$omp taskwait", "".join(done.files.values()))


def test_copies_by_one_thread_while_others_wait() -> None:
    """All that follows in the parallel construct is for all threads, so the copies are where one thread is."""
    text = TASKS.replace("FIRST", "a(1,1) = 5").replace("WITHIN", "").replace("LATER", "")
    text = text.replace("  do b = 1, m\n", "  !$omp end single\n  !$omp do\n  do b = 1, m\n").replace(
        "end single\n  !$omp end parallel", "end parallel"
    )
    text = re.sub(r" *!\$omp (end )?task.*\n", "", text)
    done = translate_text({"s.f90": text}, target="gpu", backend="cuda-c", opt=0, directives=("omp",)).require()
    block = done.files["s.f90"].partition("!$omp single")[2].partition("!$omp end single")[0]
    assert re.findall(r"hf_\w+(?=\(a)|a\(1,1\) = 5", block) == ["hf_update_host", "a(1,1) = 5", "hf_update_device"]

"""Iterators outside their regions (defect S13): refused, unless they are set anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

ROUTINE = """module m
  implicit none
contains
  subroutine go(nx, ny, a, b, out)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(nx,ny), b(nx,ny)
    integer, intent(out) :: out
    integer :: n{declared}
    out = 0
    {before}
    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    a(i,j) = 2*a(i,j)
    @end parallelRegion
    {behind}
  end subroutine go
  subroutine set(k)
    integer, intent(out) :: k
    k = 1
  end subroutine set
end module m
"""
LOOP = "do n = 1, 3"

REFUSED = [
    ("", "", "a(i,j) = 7"),
    (", i", "i = 3", "out = i"),
    (", i, j", "", "print *, i, j"),
    (", i", "", "if (i > nx) out = 1"),
    (", i", "", "if (nx > 1) i = 1; out = i"),
    (", i", "", "do n = i, nx; out = n; end do"),
    (", J", "", "a(1,J) = 0"),
    ("", "a(i,1) = 0", ""),
    ("", "out = out + j", ""),
    (", i", "i = 1; do n = 1, 3; out = out + i", "end do"),
    (", i", "", "@parallelRegion{domName(k), domSize(nx)}\n    b(k,1) = i\n    @end parallelRegion"),
    (", i, v(9)", "", "v(i) = 1"),
    (", i", "", "call go(nx, i, a, b, out)"),
    (", i", "", "b(:,1) = [(i + n, n = 1, nx)]"),
    (", i", "", "forall (n = 1:nx) b(n,1) = i"),
    (", i", "", "do concurrent (n = 1:nx)\n b(n,1) = i\n end do"),
]
ACCEPTED = [
    ("", "", ""),
    (", i", "i = 3; out = i", ""),
    (", i", "", "i = 4; out = i"),
    (", i, j", "", "do j = 1, ny; do i = 1, nx; a(i,j) = a(i,j) + 1; end do; end do"),
    ("", "", "@parallelRegion{domName(i,j), domSize(nx,ny)}\n    b(i,j) = i + j\n    @end parallelRegion"),
    (", i", "", "call set(i); out = i"),
    (", i", "do n = 1, 3; i = n; out = out + i", "end do"),
    (", i", "", "print *, (a(i,1), i = 1, nx)"),
    (", i", "", "b(:,1) = [(i, i = 1, nx)]"),
    (", i", "", "forall (i = 1:nx) b(i,1) = i"),
    (", i", "", "do concurrent (i = 1:nx)\n b(i,1) = i\n end do"),
    (", i", "", "if (nx > 1) then\n i = 1\n else\n i = 2\n end if\n out = i"),
    (", i", "", "read (*, *) i\n out = i"),
]


# Jumps: what they lead to is behind a region, and what is before all of these is not.
LEADS_BACK = [
    (", i", "10 out = out + i", "if (out < nx) goto 10"),
    (", i", "\n010 out = out + i", "if (out < nx) go to 10"),
    (", i", "20 n = 3\n10 out = i", "if (n > 3) goto (20, 10), nx"),
    (", i", "i = 2\n if (ny > 2) i = 1\n10 out = i", "read (*, *, end=10) n"),
    (", i", "i = 2\n10 n = 3\n out = i", "read (*, *, err=10) n"),
    (", i", "10 out = i", "if (nx - 3) 10, 20, 20\n20 continue"),
    (", i", "10 if (ny > 3) then\n out = i\n end if", "if (nx > 3) goto 10"),
    (", i", "n = 1\n10 if (n > 1) out = i\n n = n + 1\n if (n > 2) goto 20", "goto 10\n20 continue"),
    (", i", "", "if (nx > 1) goto 20\n i = 1\n20 out = i"),
    (", i", "", "goto 30\n20 out = i\n goto 40\n30 n = 1\n goto 20\n40 continue"),
    (", i", "", "10 n = 1\n if (ny > 1) goto 20\n i = 1\n20 out = out + i\n if (out < 9) goto 10"),
    (", i", "do n = 1, 3\n if (n == 2) goto 10\n i = n\n10 out = out + i", "end do"),
    (", i", "do n = 1, 3\n if (n < 3) then\n out = out + i\n goto 10\n end if", "10 continue\n end do"),
    (", i", "do n = 1, 3\n out = out + i", "if (nx > 3) goto 10\n i = 2\n10 continue\n end do"),
    (", i", "if (nx > 1) then", "goto 10\n else\n10 out = i\n end if"),
    (", i", "if (nx > 1) then", "goto 10\n i = 2\n end if\n10 out = i"),
    (", i", "a: block\n b: if (nx > 1) then", "if (ny > 1) exit b\n i = 2\n end if b\n out = i\n end block a"),
    (", i", "a: block", "if (ny > 1) exit a\n i = 2\n end block a\n out = i"),
    (", i", "a: do n = 1, 3", "if (ny > 1) exit a\n i = 2\n end do a\n out = i"),
]
NOT_BEHIND = [
    (", i", "i = 1\n if (nx > 2) goto 10\n i = 2\n10 out = i", ""),
    (", i", "read (*, *, end=10) (a(i,1), i = 1, nx)\n10 out = i - 1", ""),
    (", i", "read (*, *, end=10) i\n10 out = i - 1", "if (ny > 2) goto 20\n read (*, *, err=20) n\n20 continue"),
    (", i", "i = 0\n10 i = i + 1\n if (i < nx) goto 10\n out = i", "i = 0\n20 i = i + 1\n if (i < ny) goto 20"),
    (", i", "if (i > nx) goto 10", "goto 20\n10 out = i\n20 continue"),
    (", i", "if (nx > 1) then\n if (ny > 2) goto 10\n i = 3\n10 out = i", "else\n out = i\n end if"),
    (", i", "do n = 1, 3\n i = n\n if (n == 2) goto 10\n i = 2*n\n10 out = out + i", "end do"),
    (", i", "", "goto 30\n20 out = i\n goto 40\n30 i = 1\n goto 20\n40 continue"),
]


@pytest.mark.parametrize(("declared", "before", "behind"), LEADS_BACK)
def test_jumps_that_lead_to_a_read(declared: str, before: str, behind: str) -> None:
    assert "HF319" in codes(declared, before, behind)


@pytest.mark.parametrize(("declared", "before", "behind"), NOT_BEHIND)
def test_jumps_before_the_region(declared: str, before: str, behind: str) -> None:
    assert codes(declared, before, behind) == []


def codes(declared: str, before: str, behind: str, **options: object) -> list[str]:
    text = ROUTINE.format(declared=declared, before=before, behind=behind)
    return translate_text(text, **options).codes()


@pytest.mark.parametrize(("declared", "before", "behind"), REFUSED)
@pytest.mark.parametrize("backend", ["sequential", "openmp", "cuda-c"])
def test_refused(declared: str, before: str, behind: str, backend: str) -> None:
    target = "gpu" if backend == "cuda-c" else "cpu"
    assert "HF319" in codes(declared, before, behind, backend=backend, target=target)


@pytest.mark.parametrize(("declared", "before", "behind"), ACCEPTED)
def test_accepted(declared: str, before: str, behind: str) -> None:
    assert codes(declared, before, behind) == []


OWN_LOOPS = """subroutine go(n, a, last)
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  integer, intent(out) :: last
  integer :: i
  !@parallelRegion{domName(i), domSize(n)}
  do i = 1, n
    a(i) = 2*a(i)
  end do
  !@end parallelRegion
  last = i
end subroutine go
"""


def test_own_loops() -> None:
    assert translate_text({"m.f90": OWN_LOOPS}).codes() == ["HF319"]
    assert translate_text({"m.f90": OWN_LOOPS.replace("last = i", "last = n")}).codes() == []


BODY = """module m
  implicit none
contains
  subroutine go(n, a, v)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,6), v(3)
    integer :: i, j, k, got(2)
    character(len=4) :: text
    text = '1  2'
    {before}
    @parallelRegion{{domName(i,j), domSize(n,6), private(v)}}
    a(i,j) = i + 10*j
    {body}
    @end parallelRegion
    {behind}
  end subroutine go
  subroutine set(k)
    integer, intent(out) :: k
    k = 1
  end subroutine set
  subroutine one_more(k)
    integer :: k
    k = k + 1
  end subroutine one_more
  integer function seen(k)
    integer :: k
    seen = k
  end function seen
end module m
"""
INNER = "@parallelRegion{{domName({0}), domSize(3), vector}}\n    a({0},j) = {0}\n    @end parallelRegion"

SET = [
    ("", "i = 3", "", "'i' is set here"),
    ("", "if (a(i,j) > 1) J = 3", "", "'j' is set here"),
    ("", "do i = 1, 3\n    v(i) = i\n    end do", "", "'i' is set here"),
    ("", "call set(i)", "", "'i' is set here"),
    ("", "call one_more(k=j)", "", "'j' is set here"),
    ("", "read (text, *) i", "", "'i' is set here"),
    ("", "read (text, *) (got(i), i = 1, 2)", "", "'i' is set here"),
    ("", "print *, (v(i), i = 1, 2)", "", "'i' is set here"),
    ("", "associate (q => i)\n    q = 2\n    end associate", "", "'q' is set here"),
    ("", "block\n    integer :: j\n    i = 2; j = 1\n    end block", "", "'i' is set here"),
    ("do i = 1, 3", "", "end do", "of a loop around it"),
    ("do k = 1, 2\n    do j = 1, 3", "", "end do\n    end do", "of a loop around it"),
    ("", INNER.format("i"), "", "of a loop around it"),
    ("", f"do k = 1, 2\n    {INNER.format('k')}\n    end do", "", "of a loop around it"),
]
NOT_SET = [
    ("i = 3", "", "i = 1; call set(j)"),
    ("do i = 1, 3\n    v(i) = i\n    end do", "", "do i = 1, 3\n    v(i) = i\n    end do"),
    ("", "v = [(real(i, 8), i = 1, 3)]", ""),
    ("", "forall (i = 1:3) v(i) = i", ""),
    ("", "forall (i = 1:3)\n    v(i) = i\n    end forall", ""),
    ("", "do concurrent (i = 1:3)\n    v(i) = i\n    end do", ""),
    ("", "block\n    integer :: i\n    do i = 1, 3\n    v(i) = i\n    end do\n    end block", ""),
    ("", "associate (i => a(1,j))\n    i = i\n    end associate", ""),
    ("", "v(seen(1)) = seen(i)", ""),
    ("", INNER.format("k"), ""),
    ("do k = 1, 3", "", "end do"),
]


def _set(before: str, body: str, behind: str) -> list[str]:
    text = BODY.format(before=before, body=body, behind=behind)
    found = translate_text({"m.h90": text}, target="cpu").diagnostics
    return [d.message for d in found if d.code == "HF404"]


@pytest.mark.parametrize(("before", "body", "behind", "said"), SET)
def test_an_iterator_set_in_its_region_or_counted_around_it(before: str, body: str, behind: str, said: str) -> None:
    assert any(said in message for message in _set(before, body, behind))


@pytest.mark.parametrize(("before", "body", "behind"), NOT_SET)
def test_another_variable_of_the_name_is_no_iterator(before: str, body: str, behind: str) -> None:
    assert not _set(before, body, behind)


HOSTS = """module m
  implicit none
  integer :: i = 1, j = 2, n = 4
  real(8) :: a(4)
contains
  subroutine go()
    i = 3
    @parallelRegion{domName(i), domSize(n)}
    a(i) = 2*i
    @end parallelRegion
    i = 7
    call show()
    call inner()
  contains
    subroutine inner()
      @parallelRegion{domName(j), domSize(n)}
      a(j) = a(j) + i
      @end parallelRegion
      i = i + 1
    end subroutine inner
  end subroutine go
  subroutine show()
    print '(i3, 2f6.1)', i, a(1), a(4)
  end subroutine show
end module m
program main
  use m
  implicit none
  call go()
  call show()
end program main
"""


@pytest.mark.parametrize("backend", ["sequential", "openmp", "openacc"])
def test_variables_of_the_host_keep_their_meaning(backend: str, tmp_path: Path) -> None:
    """An iterator was declared where the routine means the host's variable by its name."""
    target = "gpu" if backend == "openacc" else "cpu"
    made = translate_text({"m.h90": HOSTS}, target=target, backend=backend).require()
    assert made.text.count("integer(4) :: i") == 0
    built = compile_files(made.files, tmp_path, openmp=backend == "openmp")
    expected = ["7", "2.0", "8.0", "8", "9.0", "15.0"]
    assert output(built, threads=2 if backend == "openmp" else 1).split() == expected

"""Lines that end with CR and LF, with LF, or some with one and some with the other: the same program."""

from __future__ import annotations

import pytest

from tests.support import translate_text

FREE = """module steps
contains
  subroutine step(n, a, b)
    integer, intent(in) :: n
    real(8), intent(in) :: b(n)
    real(8), intent(inout) :: a(n)
    integer :: i
    ! each point has its own element
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i) + &
           & b(i) ! of the same point
    end do
    !@end parallelRegion
  end subroutine step
end module steps
"""
FIXED = """      subroutine step(n, a, b)
      integer n, i
      real*8 a(n), b(n)
c     each point has its own element
!@parallelRegion{domName(i), domSize(n)}
      do 10 i = 1, n
      a(i) = a(i) ! of the same point
     &     + b(i)
   10 continue
!@end parallelRegion
      end
"""
ENDS = {
    "one": lambda row: "\r\n" if row == 8 else "\n",
    "first": lambda row: "\r\n" if row < 3 else "\n",
    "every other": lambda row: "\r\n" if row % 2 else "\n",
    "all but one": lambda row: "\n" if row == 7 else "\r\n",
    "all": lambda row: "\r\n",
}


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize(("name", "text"), [("m.f90", FREE), ("m.f", FIXED)])
def test_the_same_program(name: str, text: str, ends: str) -> None:
    given = "".join(line + ENDS[ends](row) for row, line in enumerate(text.splitlines()))
    for target, backend in (("cpu", "openmp"), ("gpu", "openacc")):
        plain = translate_text({name: text}, target=target, backend=backend).require()
        made = translate_text({name: given}, target=target, backend=backend).require()
        assert made.text.replace("\r\n", "\n") == plain.text
        assert "parallel" in made.text


@pytest.mark.parametrize("ends", ENDS)
def test_faults_are_seen_where_they_are(ends: str) -> None:
    """A neighbour's element is read: the points meet."""
    text = FREE.replace("& b(i)", "& a(i+1)")
    given = "".join(line + ENDS[ends](row) for row, line in enumerate(text.splitlines()))
    plain, made = (translate_text({"m.f90": one}, target="cpu").diagnostics for one in (text, given))
    assert [(d.code, d.place.line, d.place.column) for d in made] == [
        (d.code, d.place.line, d.place.column) for d in plain
    ]
    assert any(d.code.startswith("HF5") for d in made)

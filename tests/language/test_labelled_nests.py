"""Nests whose loops end on labels of their own: ``do 20 …``, ``do 10 …``, ``10 continue``, ``20 continue``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

FLAGS = ("-O1", "-w", "-ffp-contract=off", "-foffload=disable")
PROGRAM = """      program main
      real*8 a(6,5), b(6,5)
      integer i, j
      do 2 j = 1, 5
      do 1 i = 1, 6
        a(i,j) = 0.5d0*i - j*j
        b(i,j) = 3
    1 continue
    2 continue
      call step(6, 5, a, b)
      print '(3es24.16)', b
      end
      subroutine step(n, m, a, b)
      integer n, m, i, j
      real*8 a(n,m), b(n,m)
{directive}      do 20 j = 1, m
      do 10 i = 1, n
{statement}        b(i,j) = b(i,j) + 2*a(i,j)
   10 continue
{between}   20 continue
{end}      end
"""
BY_HAND = {
    "directive": "!@parallelRegion{domName(i,j), domSize(n,m)}\n",
    "end": "!@end parallelRegion\n",
    "statement": "",
    "between": "",
}
PLAIN = dict.fromkeys(BY_HAND, "")
NEXT_ROW = {"statement": "        if (a(i,j) .lt. -4) go to 20\n"}
NEXT_POINT = {"statement": "        if (a(i,j) .lt. -4) go to 10\n"}
COMPUTED = {"statement": "        go to (10, 20), j - 3\n"}
BESIDE = {"between": "      b(1,j) = 0\n"}


@pytest.mark.parametrize("more", [{}, NEXT_POINT], ids=["straight", "a point that ends early"])
@pytest.mark.parametrize("backend", ["openacc", "openmp-target"])
def test_both_loops_are_the_region(backend: str, more: dict[str, str], tmp_path: Path) -> None:
    expected = output(compile_files({"m.f": PROGRAM.format(**PLAIN | more)}, tmp_path / "plain", FLAGS))
    for name, given, auto in (("hand", BY_HAND, False), ("auto", PLAIN, True)):
        done = translate_text(
            {"m.f": PROGRAM.format(**given | more)}, target="gpu", backend=backend, auto=auto
        ).require()
        step = done.text[done.text.index("subroutine step") :]
        assert "collapse(2)" in step, step
        flags = (*FLAGS, "-fopenacc" if backend == "openacc" else "-fopenmp")
        assert output(compile_files(done.files, tmp_path / name, flags)) == expected


@pytest.mark.parametrize(
    ("more", "code"),
    [(NEXT_ROW, "HF405"), (COMPUTED, "HF405"), (BESIDE, "HF213")],
    ids=["next row", "next row or point", "beside"],
)
def test_what_is_no_perfect_nest(more: dict[str, str], code: str, tmp_path: Path) -> None:
    """A jump to the outer label leaves the inner loop; with statements between the ends nothing is perfect."""
    done = translate_text({"m.f": PROGRAM.format(**BY_HAND | more)}, target="gpu", backend="openacc")
    assert code in done.codes()
    auto = translate_text({"m.f": PROGRAM.format(**PLAIN | more)}, target="gpu", backend="openacc", auto=True).require()
    step = auto.text[auto.text.index("subroutine step") :]
    assert "!$acc parallel loop" in step and "collapse" not in step, step
    expected = output(compile_files({"m.f": PROGRAM.format(**PLAIN | more)}, tmp_path / "plain", FLAGS))
    assert output(compile_files(auto.files, tmp_path / "auto", (*FLAGS, "-fopenacc"))) == expected


@pytest.mark.parametrize("target", ["1", "2"])
def test_labels_of_end_do(target: str) -> None:
    """A jump to the outer loop's ``end do`` goes on with the next row, not with the next point."""
    text = f"""subroutine step(n, m, a)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n,m)
  integer :: i, j
  !@parallelRegion{{domName(i,j), domSize(n,m)}}
  do j = 1, m
    do i = 1, n
      if (a(i,j) < 0) go to {target}
      a(i,j) = 2*a(i,j)
1   end do
2 end do
  !@end parallelRegion
end subroutine step
"""
    done = translate_text({"m.f90": text}, target="gpu", backend="openacc")
    assert done.codes() == ([] if target == "1" else ["HF405"])

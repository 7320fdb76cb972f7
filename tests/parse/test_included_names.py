"""Variables whose names begin with ``include``: their assignments include no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

PROGRAM = """subroutine sums(n, a, NAME)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer, intent(inout) :: NAME
  integer :: i
  NAME = 3
  DIRECTIVE
  do i = 1, n
    a(i) = 2*a(i)
    NAME = NAME + i
  end do
end subroutine sums
program p
  implicit none
  real(8) :: a(5) = 1
  integer :: k
  k = 0
  call sums(5, a, k)
  print *, a, k
end program p
"""


@pytest.mark.parametrize("name", ["include", "included", "INCLUDES_ice"])
@pytest.mark.parametrize("backend", ["cuda-c", "openmp"])
def test_assignments_count(name: str, backend: str, tmp_path: Path) -> None:
    text = PROGRAM.replace("NAME", name)
    directive = f"!@parallelRegion{{reduction(+:{name})}}"
    target = "cpu" if backend == "openmp" else "gpu"
    done = translate_text({"p.f90": text.replace("DIRECTIVE", directive)}, target=target, backend=backend).require()
    plain = compile_files({"p.f90": text.replace("DIRECTIVE", "")}, tmp_path / "plain")
    built = compile_files(done.files, tmp_path / "built", openmp=backend == "openmp")
    assert output(built) == output(plain)


def test_a_recurrence_is_seen() -> None:
    """Without a directive for it, each point would read what another one has set."""
    text = PROGRAM.replace("NAME", "included").replace("DIRECTIVE", "!@parallelRegion")
    text = text.replace("    included = included + i", "    included = 2*included + i\n    a(i) = included")
    assert translate_text({"p.f90": text}).codes("error") == ["HF502", "HF504"]

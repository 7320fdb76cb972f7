"""What ends a line changes nothing: files whose lines end in ``\\r\\n``, or in both ways, become the same programs."""

from pathlib import Path

import pytest

from tests.support import storage_order, translate_text

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted([*ROOT.glob("tests/realcode/programs/*.h90"), *ROOT.glob("tests/language/programs/*.h90")])
WAYS: dict[str, dict[str, object]] = {
    "openmp": {"backend": "openmp"},
    "cuda-c": {"backend": "cuda-c", "target": "gpu"},
}


def ended(text: str, way: str) -> str:
    """A text whose lines end in ``\\r\\n``, or half of them."""
    lines = text.split("\n")
    first = len(lines) if way == "all" else len(lines) // 2
    return "".join(line + "\r\n" for line in lines[: first - 1]) + "\n".join(lines[first - 1 :])


def made(path: Path, text: str, way: str) -> dict[str, str]:
    """What becomes of a program, without what ends the lines."""
    others = {p.name: p.read_text() for p in path.parent.glob(f"{path.stem}[._]*") if ".ref." not in p.name}
    done = translate_text({**others, path.name: text}, storage_order(), **WAYS[way])
    return {name: content.replace("\r", "") for name, content in done.files.items()}


@pytest.mark.parametrize("way", WAYS)
def test_the_ends_of_lines_change_nothing(way: str) -> None:
    for number, path in enumerate(p for p in PROGRAMS if "! expect: refused" not in p.read_text()):
        text = path.read_text()
        ends = "all" if number % 2 else "half"
        assert made(path, ended(text, ends), way) == made(path, text, way), (path.name, ends)


PLAIN = """
subroutine run(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n)
  real(8), intent(inout) :: b(n, n)
  integer :: i, j
  do j = 2, n - 1
    do i = 2, n - 1
      b(i, j) = b(i, j) + exp(a(i - 1, j)) * sin(a(i + 1, j)) + sqrt(abs(a(i, j - 1)) + a(i, j + 1)**2)
    end do
  end do
end subroutine run
"""


@pytest.mark.parametrize("ends", ["all", "half"])
def test_plain_loops_are_found_whatever_ends_their_lines(ends: str) -> None:
    done = translate_text({"p.f90": ended(PLAIN, ends)}, auto=True, backend="openmp").require()
    assert "!$omp parallel" in done.text
    assert done.text.replace("\r", "") == translate_text({"p.f90": PLAIN}, auto=True, backend="openmp").require().text

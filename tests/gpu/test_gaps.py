"""Arrays with gaps between their elements in kernels: sections, and pointers to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.gpu.emulated import Emulation, ran
from tests.support import CUDA_C, Corpus, Pair, translate_text, write_files

FOLDER = Path(__file__).parent / "gaps"
PROGRAMS = [path.stem for path in sorted(FOLDER.glob("*.f90"))]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    texts = {name: {f"{name}.f90": (FOLDER / f"{name}.f90").read_text()} for name in PROGRAMS}
    pairs = [Pair(name, files, files, name) for name, files in texts.items()]
    return Corpus(pairs, tmp_path_factory.mktemp("gaps"), dict.fromkeys(PROGRAMS, (CUDA_C,)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_elements_alone_are_computed_and_copied(corpus: Corpus, name: str) -> None:
    """The program ended: "not contiguous", or was refused (HF602). What lies in gaps may change on the host."""
    corpus.check(name)


def test_lattices_know_their_bytes(emulation: Emulation) -> None:
    assert ran(emulation.program("lattice.cpp")).stdout == "done\n"


@pytest.mark.parametrize(
    ("backend", "code"), [("cuda-c", []), ("hip", []), ("opencl", ["HF602"]), ("openacc", ["HF602"])]
)
def test_sections_where_arrays_have_to_be_in_one_piece(backend: str, code: list[str]) -> None:
    text = (FOLDER / "together.f90").read_text()
    found = translate_text({"together.f90": text}, target="gpu", backend=backend).codes()
    assert sorted(set(found)) == code


PLAIN = """module m
  implicit none
contains
  subroutine work(a)
    real(8), intent(inout) :: a(:)
    integer :: i
    do i = 1, size(a)
      a(i) = 2*a(i) + i
    end do
  end subroutine work
  subroutine pointed(w)
    real(8), intent(inout), target :: w(40,30)
    real(8), pointer :: p(:)
    integer :: i
    p => w(3,:)
    do i = 1, size(p)
      p(i) = 2*p(i) + i
    end do
    call work(w(3,:))
  end subroutine pointed
end module m
"""


@pytest.mark.parametrize(("backend", "taken"), [("cuda-c", [True, True]), ("opencl", [False, False])])
def test_loops_over_them_are_regions_where_kernels_take_them(tmp_path: Path, backend: str, taken: list[bool]) -> None:
    (path,) = write_files({"m.f90": PLAIN}, tmp_path)
    found = found_regions([path], Options(target="gpu", backend=backend)).verdicts
    assert [bool(v.iterators) for v in found] == taken

"""Regions in a `block`: the variables of the block are refused there, its constants and blocks in regions are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import OPENMP, Variant, compile_files, output, translate_text

TEXT = """program blocks
  implicit none
  integer, parameter :: nx = 6, ny = 4
  real(8) :: a(nx,ny), total, w(nx,ny)
  integer :: i, j, it
  a = 1; w = 0; total = 0
  do it = 1, 3
    block
      DECLARED
      SET
      DIRECTIVE
      do j = 1, ny
        do i = 1, nx
          BODY
        end do
      end do
      AFTER
    end block
  end do
  print '(3f16.8)', sum(a), sum(w), total
end program blocks
"""
# What a block declares, what it sets before the region, the body, and what it does after it.
KINDS = {
    "array of run-time size": ("real(8) :: v(nx,it+3)", "v = it", "v(i,j) = v(i,j) + i*j", "total = total + sum(v)"),
    "scalar": ("real(8) :: scale", "scale = 0.5d0*it", "a(i,j) = a(i,j) + scale*i", "total = total + scale"),
    "name of the routine's": ("real(8) :: w(nx)", "w = it", "a(i,j) = a(i,j) + w(i)*j", "total = total + w(2)"),
    "carried": ("real(8) :: s", "s = 0", "s = s + i\na(i,j) = s", "total = total + s"),
}


def _text(declared: str, start: str, body: str, after: str, directive: str = "!@parallelRegion") -> str:
    pieces = {"DECLARED": declared, "SET": start, "DIRECTIVE": directive, "BODY": body, "AFTER": after}
    text = TEXT
    for word, piece in pieces.items():
        text = text.replace(word, piece)
    return text


@pytest.mark.parametrize("backend", ["sequential", "openmp", "openacc", "openmp-target", "cuda-c", "cuda-fortran"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_variable_of_the_block_is_refused(kind: str, backend: str) -> None:
    target = "cpu" if backend in ("sequential", "openmp") else "gpu"
    done = translate_text({"m.f90": _text(*KINDS[kind])}, target=target, backend=backend)
    found = [d for d in done.errors if d.code == "HF404"]
    assert len(found) == 1, [d.message for d in done.errors]
    assert "declared in a block around the region" in found[0].message


@pytest.mark.parametrize("kind", KINDS)
def test_a_loop_over_a_variable_of_the_block_stays_serial(kind: str, tmp_path: Path) -> None:
    text = _text(*KINDS[kind], directive="")
    expected = output(compile_files({"m.f90": text}, tmp_path / "plain"))
    done = translate_text({"m.f90": text}, backend="openmp", auto=True).require()
    built = compile_files(dict(done.files), tmp_path / "auto", openmp=True)
    assert [output(built, threads=n) for n in (1, 3)] == [expected] * 2


CONSTANT = _text("real(8), parameter :: half = 0.5d0", "total = 1", "a(i,j) = a(i,j) + half*i", "")
WITHIN = _text(
    "real(8) :: unused", "", "block\nreal(8) :: s\ns = i*a(i,j)\na(i,j) = s + j\nend block", "total = total + 1"
)


@pytest.mark.parametrize("text", [CONSTANT, WITHIN], ids=["constant", "block in the region"])
def test_what_is_known_is_taken(text: str, tmp_path: Path) -> None:
    variant: Variant = OPENMP
    expected = output(compile_files({"m.f90": text}, tmp_path / "plain"))
    done = translate_text({"m.f90": text}, **variant.options).require()
    assert "!$omp parallel do" in done.text
    assert output(compile_files(dict(done.files), tmp_path / "made", openmp=True), threads=3) == expected


SIZED = {
    "the iterator": ("real(8) :: v(i+2)", ""),
    "a serial loop": ("real(8) :: v(k)", "do k = 1, 3"),
    "a private scalar": ("real(8) :: v(2:m+1)", "m = i + j"),
    "the length of a text": ("character(len=m) :: v", "m = i + j"),
}


@pytest.mark.parametrize("backend", ["openmp", "openacc", "openmp-target"])
@pytest.mark.parametrize("kind", SIZED)
def test_an_array_of_a_block_with_a_size_for_each_point_is_refused(kind: str, backend: str) -> None:
    declared, before = SIZED[kind]
    body = f"{before}\nblock\n{declared}\na(i,j) = a(i,j) + storage_size(v)\nend block\n{'end do' * ('do' in before)}"
    text = _text("integer, parameter :: one = 1", "", body, "").replace("integer :: i,", "integer :: k, m, i,")
    done = translate_text({"m.f90": text}, target="cpu" if backend == "openmp" else "gpu", backend=backend)
    found = [d.message for d in done.errors if d.code == "HF404"]
    assert len(found) == 1 and found[0].startswith("the size of 'v' depends on"), [d.message for d in done.errors]


def test_a_size_that_nothing_brings_to_the_points_is_refused() -> None:
    body = "block\nreal(8) :: v(it)\nv = i\na(i,j) = a(i,j) + sum(v)*j\nend block"
    done = translate_text({"m.f90": _text("integer, parameter :: one = 1", "", body, "")}, backend="openmp")
    found = [d.message for d in done.errors if d.code == "HF404"]
    assert found == ["the size of 'v' depends on 'it', which no statement of the region names"]


def test_an_array_of_a_block_with_one_size_for_all_points_is_taken(tmp_path: Path) -> None:
    body = "block\nreal(8) :: v(it+2), u(nx-ny)\nv = i + it; u = j\na(i,j) = a(i,j) + sum(v)*j + sum(u)\nend block"
    text = _text("integer, parameter :: one = 1", "", body, "")
    expected = output(compile_files({"m.f90": text}, tmp_path / "plain"))
    done = translate_text({"m.f90": text}, backend="openmp").require()
    assert output(compile_files(dict(done.files), tmp_path / "made", openmp=True), threads=3) == expected

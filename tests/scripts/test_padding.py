"""Arrays with more elements than the program uses: every file follows, results stay, and what cannot be is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.api import IllegalTransform
from hfpy.cli import run
from hfpy.diagnostics import HfpyError
from tests.scripts.test_layouts import _kernel, _pair, _program, _with_script
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, Corpus, Variant

FILL = "if kernel.name == 'fill': kernel = kernel.pad('v', i=1)"
MIX = "if kernel.name == 'mix': kernel = kernel.pad('t', {1: 2}).layout('v', 'k', 'i', 'j')"
WAYS = [OPENMP, *(pytest.param(v, marks=pytest.mark.full) for v in (CUDA_C, CUDA_FORTRAN, OPENACC))]


@pytest.mark.parametrize("variant", WAYS, ids=lambda v: v.label)
def test_more_elements_change_no_result_in_any_file(variant: Variant, tmp_path: Path) -> None:
    way = _with_script(variant, tmp_path, FILL, MIX.partition(".layout")[0])
    corpus = Corpus([_pair()], tmp_path, {"laid": (way,)})
    corpus.check_one("laid", way)
    text = corpus.translation("laid", way).text
    assert "u(nx+1,ny,nz), t(nx,ny+2)" in text and "v(nx+1,ny,nz)" in text and "u(1:7,2,:)" in text


def test_with_an_order(tmp_path: Path) -> None:
    way = _with_script(OPENMP, tmp_path, FILL, MIX)
    corpus = Corpus([_pair()], tmp_path, {"laid": (way,)})
    corpus.check_one("laid", way)
    assert "u(nz,nx+1,ny), t(nx,ny+2)" in corpus.translation("laid", way).text


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({}, "u(nx+3,ny+1,nz)"),
        ({"laid_plain": "print '(7f6.0)', u(:,2,:) -> print '(7f6.0)', u(2:,2,:)"}, "u(2:7,2,:)"),
        ({"laid_plain": "u(3,2,4) = u(3,2,4) + 1 -> u = 1"}, "u = 1"),
        ({"laid_plain": "u(3,2,4) = u(3,2,4) + 1 -> u = u + 1"}, "u(1:7,1:3,:) = u(1:7,1:3,:) + 1"),
        ({"laid_plain": "u(3,2,4) = u(3,2,4) + 1 -> print *, sum(u), size(u, 3)"}, "sum(u(1:7,1:3,:)), size(u, 3)"),
        ({"laid_plain": "u(3,2,4) = u(3,2,4) + 1 -> print *, ubound(u, 1)"}, "print *, (7)"),
        ({"laid_plain": "u(3,2,4) = u(3,2,4) + 1 -> print *, lbound(u), shape(u)"}, "lbound(u), shape(u(1:7,1:3,:))"),
        ({"laid": "v(nx,ny,nz) -> v(:,:,:)"}, "v(:,:,:)"),
        (
            {
                "laid_fields": "real(8) :: u(nx,ny,nz), t(nx,ny) -> "
                "real(8), allocatable :: u(:,:,:)\n real(8), dimension(nx,ny) :: t",
                "laid": "call fill(u) -> allocate(u(nx,ny,nz))\n call fill(u) ;; sum(u(2,:,3)) -> u(2,1,3)",
                "laid_plain": "print '(7f6.0)', u(:,2,:) -> print '(7f6.0)', u(1:7,2,:)",
            },
            "allocate(u(nx+3,ny+1,nz))",
        ),
    ],
)
def test_what_is_written(changed: dict[str, str], text: str, tmp_path: Path) -> None:
    program = _program(tmp_path, **changed)
    kernel = program["fill"].pad("v", i=3).pad("V", {1: 1})
    assert [step.call for step in kernel.steps] == ["pad('v', i=3)", "pad('V', {1: 1})"]
    assert text in "\n".join(program.texts().values())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"laid_plain": "print '(7f6.0)', u(:,2,:) -> print *, c_sizeof(u)"}, "asks about|goes to|does not see"),
        ({"laid_plain": "print '(7f6.0)', u(:,2,:) -> call far(u)"}, "code that hfpy does not see|goes to"),
        ({"laid_plain": "print '(7f6.0)', u(:,2,:) -> print *, u(::2,2,1)"}, "a part of it with a step"),
        ({"laid": "v(nx,ny,nz) -> v(:,:,:) ;; t(i,j) = 0 -> t(i,j) = sum(v(:,1,1))"}, "nothing tells how many"),
        ({"laid": "call fill(u) -> call fill(u(1,1,1))"}, "gets something else|another shape"),
        ({"laid_fields": "real(8) :: u -> common /c/ u\n real(8) :: u"}, "common"),
        ({"laid": "call fill(u) -> associate (x => u)\n call fill(x)\n end associate"}, "another name|something else"),
    ],
)
def test_what_keeps_a_size(changed: dict[str, str], message: str, tmp_path: Path) -> None:
    kernel = _kernel(tmp_path, "fill", **changed)
    with pytest.raises(IllegalTransform, match=message) as refused:
        kernel.pad("v", i=1)
    assert refused.value.rule.startswith("hfpy sees all"), refused.value.rule


@pytest.mark.parametrize("sizes", [{"l": 1}, {3: 1}, {0: 0}, {0: 99999}, {}])
def test_sizes_that_are_none(sizes: dict[str | int, int], tmp_path: Path) -> None:
    with pytest.raises(IllegalTransform, match=r"is none of 'v'|none is named"):
        _kernel(tmp_path, "fill").pad("v", sizes)


def test_two_kernels_that_disagree(tmp_path: Path) -> None:
    program = _program(tmp_path)
    program["fill"].pad("v", i=1)
    program["mix"].pad("v", i=2)
    with pytest.raises(HfpyError, match="the kernel 'fill' asks for other sizes") as refused:
        program.texts()
    assert [r.place.file for r in refused.value.diagnostics[0].related] == [__file__, __file__]


def test_no_blocks_besides(tmp_path: Path) -> None:
    kernel = _kernel(tmp_path, "mix", laid_plain="print '(7f6.0)', u(:,2,:) -> print '(f6.0)', u(3,2,4)")
    with pytest.raises(IllegalTransform, match="its dimensions are in blocks"):
        kernel.layout("v", "i:4", "k", "i", "j").pad("v", j=1)


def test_traces_leave_them_out(tmp_path: Path) -> None:
    way = _with_script(OPENMP, tmp_path, FILL, MIX)
    text = replace(way, options={**way.options, "trace": True}).translated(_pair()).require().text
    assert "call hf_trace(v(:, :ubound(v, 2) - 1, :), " in text and "call hf_trace(t(:, :ubound(t, 2) - 2), " in text


def test_who_asks_for_a_shape_keeps_an_order_but_no_size(tmp_path: Path) -> None:
    changed = "u(3,2,4) = u(3,2,4) + 1 -> print *, shape(u)"
    program = _program(tmp_path, laid_plain="print '(7f6.0)', u(:,2,:) -> print *, u(1,1,1) ;; " + changed)
    with pytest.raises(IllegalTransform, match="the intrinsic 'shape' sees the order"):
        program["fill"].layout("v", 2, 0, 1)
    assert program["fill"].pad("v", i=1).padded


@pytest.mark.full
def test_verify_does_not_see_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s").mkdir()
    rows = ["name = context['backend::name']", "if kernel.name == 'fill' and name == 'openmp':"]
    rows += ["    kernel = kernel.pad('v', {0: 1, 2: 3}).layout('v', 2, 0, 1)", "return kernel"]
    (tmp_path / "s" / "s.py").write_text("\n    ".join(["def annotate(kernel, annotations, context):", *rows, ""]))
    project = '[project]\nname = "p"\nsources = ["."]\n\n[scripts]\ndir = "s"\nannotate = "s"\n'
    (tmp_path / "hfpy.toml").write_text(project)
    hybrid = {**_pair().hybrid, "main.f90": "program main\n  use laid\n  call run()\nend program\n"}
    for name, text in hybrid.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert run(["verify", "cpu", "-j", "1"]) == 0
    assert "2 arrays are the same on both sides" in capfd.readouterr().out
    assert any("u(nz+3,nx+1,ny)" in p.read_text() for p in tmp_path.rglob("generated/laid_fields.f90"))

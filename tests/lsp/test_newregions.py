"""Regions of loops: offered where hfpy accepts them, with as many loops as it accepts."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types as lsp

from hfpy.build.session import Given, open_files
from hfpy.lsp.newregions import Judge, new_regions
from hfpy.lsp.texts import Text
from tests.lsp.conftest import File, edited
from tests.support import translate_text

HEAD = """subroutine s(n, m, a, b, to)
  implicit none
  integer, intent(in) :: n, m, to(n)
  real(8), intent(in) :: a(n,m)
  real(8), intent(inout) :: b(n,m)
  real(8) :: total
  integer :: i, j
"""
BOTH = HEAD + "  do j = 1, m\n    do i = 1, n\n      b(i,j) = 2 * a(i,j)\n    end do\n  end do\nend subroutine\n"
ALONG = (
    HEAD + "  do i = 1, n\n    do j = 2, m\n      b(i,j) = b(i,j-1) + a(i,j)\n    end do\n  end do\nend subroutine\n"
)
TOTAL = HEAD + "  do j = 1, m\n    total = total + a(1,j)\n  end do\n  b = total\nend subroutine\n"
SCATTER = HEAD + "  do i = 1, n\n    b(to(i),1) = a(i,1)\n  end do\nend subroutine\n"
TAKEN = BOTH.replace("  do j", "  @parallelRegion\n  do j")
DOWN = BOTH.replace("do i = 1, n", "do i = n, 1, -1")


def fixed(text: str) -> str:
    return "".join(f"      {row.strip()}\n" for row in text.splitlines())


def offered(name: str, text: str, row: int, folder: Path) -> list[str]:
    path = folder / name
    path.write_text(text)
    session = open_files([path], Given())
    read = Text.read(path, text, session.options)
    return [p.line for p in new_regions(read, row, Judge(session, path))]


@pytest.mark.parametrize(
    ("name", "text", "row", "line"),
    [
        ("s.h90", BOTH, 7, "  @parallelRegion"),
        ("s.f90", BOTH, 7, "  !@parallelRegion"),
        ("s.f90", BOTH, 8, "    !@parallelRegion"),
        ("s.f", fixed(BOTH), 7, "!@parallelRegion"),
        ("s.h90", ALONG, 7, "  @parallelRegion{domName(i)}"),
        ("s.h90", BOTH, 6, None),  # no loop
        ("s.h90", TOTAL, 7, None),  # points meet
        ("s.h90", SCATTER, 7, None),  # points may meet
        ("s.h90", ALONG, 8, None),  # not along the column
        ("s.h90", DOWN, 7, "  @parallelRegion"),
        ("s.h90", TAKEN, 8, None),
        ("s.h90", TAKEN, 9, None),
    ],
)
def test_where_it_is_accepted(name: str, text: str, row: int, line: str | None, tmp_path: Path) -> None:
    assert offered(name, text, row, tmp_path) == ([line] if line is not None else [])
    if line is not None:
        rows = text.split("\n")
        done = translate_text({name: "\n".join([*rows[:row], line, *rows[row:]])}, backend="openmp")
        assert done.diagnostics == () and "!$omp parallel do" in next(iter(done.files.values()))


@pytest.mark.asyncio(loop_scope="module")
async def test_over_the_protocol(file: File) -> None:
    """Asked for by the user, not by each move of the cursor."""
    assert await file.open(BOTH) == []
    await file.save(BOTH)
    (action,) = await file.actions([], line=8)
    assert action.title == "insert @parallelRegion over i, j" and action.kind == lsp.CodeActionKind.RefactorRewrite
    changed = edited(BOTH, action.edit.changes[file.uri])
    assert "  @parallelRegion\n  do j" in changed
    assert await file.save(changed) == []
    assert await file.actions([], line=9) == []
    place = lsp.Range(lsp.Position(7, 0), lsp.Position(7, 0))
    for context in (
        lsp.CodeActionContext([], trigger_kind=lsp.CodeActionTriggerKind.Automatic),
        lsp.CodeActionContext([], only=[lsp.CodeActionKind.QuickFix]),
    ):
        question = lsp.CodeActionParams(lsp.TextDocumentIdentifier(file.uri), place, context)
        assert not await file.client.text_document_code_action_async(question)

"""What is above regions, and who calls whom."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from tests.lsp.conftest import SOURCE, File

pytestmark = pytest.mark.asyncio(loop_scope="module")
TWO = """module two
  use heat
contains
  subroutine smooth(nx, ny, a, b)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(0:nx+1,ny)
    real(8), intent(inout) :: b(0:nx+1,ny)
    real(8) :: flux(0:nx+1,ny)
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(0,1)}
    flux(i,j) = a(i+1,j) - a(i,j)
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    b(i,j) = a(i,j) + 0.25d0 * (flux(i,j) - flux(i-1,j))
    @end parallelRegion
    @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}
    b = 0
    @end parallelRegion
  end subroutine smooth
  subroutine all_of_it(nx, ny, t, new)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: t(nx,ny), new(nx,ny)
    call twice(nx, ny, t, new)
    call spread(nx, ny, new, t); call spread(nx, ny, t, new)
  end subroutine all_of_it
end module two
"""


async def test_schedules(file: File) -> None:
    other = File(file.client, file.path.with_name("two.h90"))
    other.path.write_text(TWO)
    assert await other.open(TWO) == []
    await other.type("! a line more\n" + TWO)
    question = lsp.CodeLensParams(lsp.TextDocumentIdentifier(other.uri))
    lenses = list(await file.client.text_document_code_lens_async(question))
    assert [one.range.start.line for one in lenses] == [9, 12, 15] and all(one.command is None for one in lenses)
    titles = [(await file.client.code_lens_resolve_async(one)).command.title for one in lenses]
    assert titles[0].startswith("rows") and ", one with line 12; predicted " in titles[0]
    assert titles[1].startswith("rows") and ", one with line 9; predicted " in titles[1]
    assert titles[0].endswith(" ms") and titles[2] == "no loops on this target"
    await other.type("\n".join([*TWO.split("\n")[:8], *TWO.split("\n")[11:]]))
    lenses = list(await file.client.text_document_code_lens_async(question))
    titles = [(await file.client.code_lens_resolve_async(one)).command.title for one in lenses]
    assert titles == ["save the file to see the schedule"] * 2
    unknown = lsp.CodeLens(lenses[0].range, data={"uri": "file:///nowhere.h90"})
    assert (await file.client.code_lens_resolve_async(unknown)).command.title == titles[0]


async def test_calls(file: File) -> None:
    other = File(file.client, file.path.with_name("two.h90"))
    other.path.write_text(TWO)
    await file.open()
    await other.open(TWO)
    await file.type("! a line more\n" + SOURCE)
    ask = file.client.text_document_prepare_call_hierarchy_async
    (spread,) = await ask(lsp.CallHierarchyPrepareParams(**file.at(17, 12)))
    assert (spread.name, spread.detail, spread.uri) == ("spread", "heat", file.uri)
    assert (spread.range.start.line, spread.range.end.line) == (4, 13)
    assert (spread.selection_range.start.line, spread.selection_range.start.character) == (4, 13)
    callers = await file.client.call_hierarchy_incoming_calls_async(lsp.CallHierarchyIncomingCallsParams(spread))
    found = {c.from_.name: [(r.start.line, r.start.character) for r in c.from_ranges] for c in callers}
    assert found == {"twice": [(16, 9)], "all_of_it": [(22, 9), (22, 38)]}
    (everything,) = await ask(lsp.CallHierarchyPrepareParams(**other.at(19, 15)))
    called = await file.client.call_hierarchy_outgoing_calls_async(lsp.CallHierarchyOutgoingCallsParams(everything))
    assert sorted((c.to.name, c.to.uri == file.uri, len(c.from_ranges)) for c in called) == [
        ("spread", True, 2),
        ("twice", True, 1),
    ]
    assert await ask(lsp.CallHierarchyPrepareParams(**other.at(6, 30))) is None
    lost = lsp.CallHierarchyItem("x", lsp.SymbolKind.Function, file.uri, spread.range, spread.range)
    assert not await file.client.call_hierarchy_incoming_calls_async(lsp.CallHierarchyIncomingCallsParams(lost))

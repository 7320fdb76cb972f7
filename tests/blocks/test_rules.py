"""What blocks look like in generated text, what keeps an array from having them, and where they are refused."""

from pathlib import Path

import pytest

import hfpy
from hfpy.analyze.arrays.pieces import Piece, pieces_of
from hfpy.diagnostics import UsageError
from hfpy.layouts import LayoutFault, read_layout
from hfpy.options import DebugPrint, DomainSpec
from tests.support import Translated, squeezed, translate_text

DOMAINS = {d: DomainSpec((f"n{x}",), (d,)) for d, x in zip("ijk", "xyz", strict=True)}
LAYOUT = {"layout": "i:32 k i j", "domains": DOMAINS}


def program(statements: str, declared: str = "", more: str = "", body: str = "a(i,j,k) = 1") -> str:
    """A module with arrays that a region is concerned with, statements outside it, and further procedures."""
    return f"""module m
  implicit none
  integer, parameter :: nx = 40, ny = 3, nz = 5
  {"interface generic" if "generic_4" in more else ""}
  {"  module procedure generic_3, generic_4" if "generic_4" in more else ""}
  {"end interface" if "generic_4" in more else ""}
contains
  subroutine s(a, b, h)
    real(8), intent(inout) :: a(nx,ny,nz), b(nx,ny,nz)
    real(8), intent(inout) :: h(0:nx+1,ny,nz)
    integer :: i, j, k, list(3)
    real(8) :: x
    {declared}
    @parallelRegion{{domName(i,j,k), domSize(nx,ny,nz)}}
    {body}
    b(i,j,k) = 2
    h(i,j,k) = 3
    @end parallelRegion
    i = 2; j = 2; k = 2
    {statements}
  end subroutine s
  {more}
end module m
"""


def made(*texts: str, **options: object) -> Translated:
    return translate_text(program(*texts), **{**LAYOUT, **options}).require()


def test_declarations_loops_and_accesses() -> None:
    text = made("a(1,2,3) = h(nx,j,k) + a(i-1,j,k)").statements
    assert squeezed("real(8), intent(inout) :: h(32,nz,0:shiftr(nx+32,5),ny)") in text
    loops = text.index(squeezed("do j = 1, ny"))
    assert text[loops + 1 : loops + 5] == [
        squeezed(line)
        for line in (
            "do hf_i_n = 1, shiftr(nx+31,5)",
            "do k = 1, nz",
            "do i = 32*hf_i_n-31, min(nx, 32*hf_i_n)",
            "a(i-32*hf_i_n+32,k,hf_i_n,j) = 1",
        )
    ]
    values = "h(iand(nx+31,31)+1,k,shiftr(nx+31,5),j) + a(iand(i+30,31)+1,k,shiftr(i+30,5),j)"
    assert squeezed(f"a(1,3,1,2) = {values}") in text


KEPT = {
    "a(2:5,j,k) = 0": "a part of a dimension in blocks is used as an array",
    "a = a + 1": "an array expression with it goes over a dimension in blocks",
    "x = sum(a)": "'sum' sees a dimension in blocks",
    "a(list,j,k) = 0": "an index of a dimension in blocks is more than a number",
    "a(number(1),j,k) = 0": "an index of a dimension in blocks is more than a number",
    "i = size(a, 1)": "'size' asks about a dimension in blocks",
    "print *, shape(a)": "'shape' asks about a dimension in blocks",
    "where (a > 0) a = 0": "an array expression with it goes over a dimension in blocks",
    "a(:,:,1) = h(1:nx,:,1)": "an array expression with it goes over a dimension in blocks",
    "call whole(a(:,:,1))": "a part of it with a dimension in blocks goes to 'whole'",
    "call counted(a)": "it has the size 0:nx-1 as 'p', but nx as 'a'",
    "call fewer(a)": "it has the size 3 as 'p', but nz as 'a'",
    "call generic_3(a)": "its rank tells which procedure 'generic' means",
    "call hand(all_of)\n    call all_of(a)": "'all_of' is handed on as a procedure",
    "call asking(a)": "a declaration, or the head of a region, asks about it",
    "call from_one(h)": "a dimension in blocks begins at 0 here and at 1 there",
    "call unknown(a(:,1,1))": "'unknown' sees a dimension in blocks",
    "call begins(a(1,1,1))": "one element of it starts an array in 'begins' (sequence association)",
}
ARRAYS = "real(8), intent(inout) :: a(nx,ny,nz), b(32,nz,shiftr(nx+31,5),ny)"
PROCEDURES = """integer function number(n)
    integer, intent(in) :: n
    number = n
  end function number
  subroutine whole(p)
    real(8), intent(inout) :: p(nx,ny)
    p(1,1) = 0
  end subroutine whole
  subroutine counted(p)
    real(8), intent(inout) :: p(0:nx-1,ny,nz)
    p(1,1,1) = 0
  end subroutine counted
  subroutine begins(p)
    real(8), intent(inout) :: p(nx)
    p(1) = 0
  end subroutine begins
  subroutine fewer(p)
    real(8), intent(inout) :: p(nx,ny,3)
    p(1,1,1) = 0
  end subroutine fewer
  subroutine from_one(p)
    real(8), intent(inout) :: p(:,:,:)
    p(1,1,1) = 0
  end subroutine from_one
  subroutine all_of(p)
    real(8), intent(inout) :: p(nx,ny,nz)
    p(1,1,1) = 0
  end subroutine all_of
  subroutine generic_3(p)
    real(8), intent(inout) :: p(nx,ny,nz)
    p(1,1,1) = 0
  end subroutine generic_3
  subroutine generic_4(p)
    real(8), intent(inout) :: p(:,:,:,:)
    p(1,1,1,1) = 0
  end subroutine generic_4
  subroutine asking(p)
    real(8), intent(inout) :: p(nx,ny,nz)
    real(8) :: t(size(p, 1))
    p(1,1,1) = t(1)
  end subroutine asking
  subroutine hand(p)
    external :: p
  end subroutine hand"""


@pytest.mark.parametrize("statement", KEPT)
def test_what_keeps_the_declared_order(statement: str) -> None:
    done = made(statement, "", PROCEDURES)
    messages = [d.message for d in done.diagnostics if d.code == "HF310"]
    reasons = {m.partition(": ")[2] for m in messages if m.startswith(("'a' ", "'p' ", "'h' "))}
    assert KEPT[statement] in reasons
    whole = "real(8), intent(inout) :: h(0:nx+1,ny,nz)" if "(h)" in statement else ARRAYS
    assert squeezed(whole) in done.statements


FREE = (
    "a = 0",
    "a = b",
    "a(:,1,:) = b(:,2,:)",
    "a(i,:,k) = b(i,:,k) + 1",
    "x = sum(a(i,j,:))",
    "print *, a",
    "read (*,*) a(:,:,1)",
    "i = size(a, 2)",
    "a(list(2),j,k) = abs(x)",
    "forall (i = 1:nx) a(i,1,1) = i",
    "call column(a(3,2,:))",
    "call all_of(a)",
)
CALLED = """subroutine column(p)
    real(8), intent(inout) :: p(nz)
    p = 0
  end subroutine column
  subroutine all_of(p)
    real(8), intent(inout) :: p(:,:,:)
    p(1,1,1) = 0
  end subroutine all_of"""


@pytest.mark.parametrize("statement", FREE)
def test_what_does_not(statement: str) -> None:
    done = made(statement, "", CALLED)
    assert not [d.message for d in done.diagnostics if d.code == "HF310"]


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ("real(8), pointer :: q(:,:,:)", "it has the attribute 'pointer'"),
        ("character(len=2) :: q(nx,ny,nz)", "its elements are no numbers"),
        ("real(8) :: q(nx,ny,nz)\n    integer :: iand", "its indices need the intrinsic function 'iand'"),
    ],
)
def test_declarations_that_keep_it(declared: str, reason: str) -> None:
    value = "'x'" if "character" in declared else "1"
    done = made("", declared, "", f"q(i,j,k) = {value}")
    assert any(d.message.startswith(f"'q' keeps its declared order: {reason}") for d in done.diagnostics)


@pytest.mark.parametrize(
    ("layout", "reason"),
    [
        ("i:32 k j", "where the blocks lie, a later 'i' must"),
        ("i k i", "'i' appears more than once"),
        ("i i:4", "'i' is before its blocks"),
        ("i:0 k i", "the blocks of 'i' have no length"),
        ("i:x k i", "the blocks of 'i' have no length"),
        ("3 k", "'3' is no domain"),
    ],
)
def test_layouts_that_are_none(layout: str, reason: str) -> None:
    with pytest.raises(LayoutFault, match=reason):
        read_layout(layout)
    done = translate_text(program(""), layout=layout, domains=DOMAINS)
    assert done.codes() == ["HF316"]
    assert reason in done.errors[0].message


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"target": "gpu"}, "the backend 'cuda-c' knows none"),
        ({"target": "gpu", "backend": "openacc"}, "the backend 'openacc' knows none"),
        ({"debug_print": DebugPrint(True)}, "values cannot be printed after kernels"),
    ],
)
def test_where_blocks_are_refused(options: dict[str, object], reason: str) -> None:
    done = translate_text(program(""), **{**LAYOUT, **options})
    assert done.codes() == ["HF316"]
    assert reason in done.errors[0].message


def test_python_refuses_blocks(tmp_path: Path) -> None:
    (tmp_path / "m.h90").write_text(program(""))
    with pytest.raises(UsageError, match="no arrays in blocks"):
        hfpy.load(tmp_path / "m.h90", layout="i:32 k i j")


def test_pieces() -> None:
    layout = read_layout("i:32, k I j")
    assert layout.names == ("i", "k", "j")
    assert layout.blocks == {"i": 32}
    within, number = Piece(1, "within", 32), Piece(1, "number", 32)
    assert pieces_of(layout, ("j", "i")) == (within, number, Piece(0))
    assert pieces_of(layout, ("k", "j")) == (Piece(0), Piece(1))


PHYSICS = """module m
  implicit none
  integer, parameter :: nx = 40, ny = 3, nz = 5
  real(8) :: u(nx,ny,nz), h(0:nx+1,ny,nz), ground(nx,ny), z(ny,nz,nx)
contains
  subroutine step(p, q, g)
    real(8), intent(inout) :: p(nz), q(nz), g
    integer :: k
    do k = 2, nz
      p(k) = p(k) + 0.5d0 * p(k-1) + q(k)
    end do
    g = p(nz)
  end subroutine step
  subroutine s()
    @parallelRegion{domName(i,j), domSize(nx,ny)REST}
    call step(u(i,j,:), h(i,j,:), ground(i,j))
    @end parallelRegion
  end subroutine s
end module m
"""


def called(rest: str, layout: str) -> str:
    options = {"layout": layout, "domains": DOMAINS, "opt": 2, "backend": "openmp"}
    done = translate_text(PHYSICS.replace("REST", rest), **options).require()
    return next(s for s in done.statements if s.startswith("callhfv_step"))


@pytest.mark.parametrize("length", [16, 32])
def test_column_physics_is_called_with_blocks_in_place(length: int) -> None:
    number = f"shiftr(hf_i_block+{length - 1},{length.bit_length() - 1})"
    arguments = f"u(:,:,{number},j), h(:,:,{number},j), ground(:,{number},j)"
    assert called("", f"i:{length} k i j") == squeezed(f"call hfv_step(hf_n, {arguments})")


@pytest.mark.parametrize(
    ("rest", "layout"),
    [
        (", startAt(2,1), endAt(nx,ny)", "i:32 k i j"),  # blocks of the region would begin within those in memory
        ("", "k i:32 i j"),  # a block is not in one piece
        ("", "i:32 j k i"),  # nor are the columns of one
    ],
)
def test_other_blocks_are_put_side_by_side(rest: str, layout: str) -> None:
    assert called(rest, layout).startswith(squeezed("call hfv_step(hf_n, hf_u(:,:), hf_h(:,:)"))

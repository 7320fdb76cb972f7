"""``dimension(…)`` shared by several entities: told once where it is the same, not left behind where it is not."""

import pytest

from tests.support import storage_order, translate_text

BLOCK = """@domainDependant{{domName(i,j), domSize(nx,ny), attribute(autoDom)}}
    {names}
    @end domainDependant"""


def declared(line: str, names: str, order: str | None = None, more: str = "") -> list[str]:
    """The generated statements of a routine with that declaration, its names listed for two domains."""
    source = f"""module m
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine s(a, b, c)
    {line}
    {more}
    {BLOCK.format(names=names)}
    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    a(1) = 1
    @end parallelRegion
  end subroutine s
end module m
"""
    return translate_text(source, storage_order(order) if order else None, layout=None).require().statements


def test_one_shape_for_all_is_edited_in_place() -> None:
    made = declared("real, dimension(nz), intent(inout) :: a, b, c", "a, b, c")
    assert "real,dimension(nx,ny,nz),intent(inout)::a,b,c" in made


def test_in_the_order_of_the_macros() -> None:
    made = declared("real, intent(inout), dimension(nz) :: a, b, c", "a, b, c", "KIJ")
    assert "real,intent(inout),dimension(dom(nx,ny,nz))::a,b,c" in made


def test_an_entity_with_a_shape_of_its_own_keeps_the_attribute_for_the_others() -> None:
    made = declared("real, dimension(nz), intent(inout) :: a, b(2), c", "a, b, c")
    assert "real,dimension(nx,ny,nz),intent(inout)::a,b(nx,ny,2),c" in made


def test_an_entity_that_is_not_listed_keeps_it_too() -> None:
    made = declared("real, dimension(nz), intent(inout) :: a, b, c", "a, b")
    assert "real,dimension(nz),intent(inout)::a(nx,ny,nz),b(nx,ny,nz),c" in made


@pytest.mark.parametrize(
    "line, expected",
    [
        ("real, dimension(nz), intent(inout) :: a, b, c", "real,intent(inout)::a(nx,ny,nz),b(nx,ny,nz),c(nx,nz)"),
        ("real, intent(inout), DIMENSION (nz) :: a, b, c", "real,intent(inout)::a(nx,ny,nz),b(nx,ny,nz),c(nx,nz)"),
        (
            "real, intent(inout), &\n      dimension(nz) :: a, b, c",
            "real,intent(inout)::a(nx,ny,nz),b(nx,ny,nz),c(nx,nz)",
        ),
        ("real, dimension(nz) :: a, b(2), c", "real::a(nx,ny,nz),b(nx,ny,2),c(nx,nz)"),
    ],
)
def test_different_shapes_take_it_away(line: str, expected: str) -> None:
    more = "@domainDependant{domName(i), domSize(nx), attribute(autoDom)}\n    c\n    @end domainDependant"
    made = declared(line, "a, b", more=more)
    assert expected in made


def test_nothing_changes_without_need() -> None:
    made = declared("real, dimension(nx,ny,nz), intent(inout) :: a, b, c", "a, b, c")
    assert "real,dimension(nx,ny,nz),intent(inout)::a,b,c" in made

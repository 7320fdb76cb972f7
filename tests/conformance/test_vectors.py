"""The conformance vectors of the language (hybrid-fortran.md §17) that concern the CPU and the language itself.

Each test names its vector. Statements are compared without blanks and case. For vectors 17, 18 and 21, about device
data, see ``test_device_vectors.py``.
"""

import re

import pytest

from tests.support import Translated, squeezed, storage_order, translate_text

STOCK = storage_order()


def module(body: str, specification: str = "") -> str:
    """``body`` as the routines of a module that knows the sizes NX, NY, NZ."""
    return f"""module m
  implicit none
  integer, parameter :: NX = 4, NY = 3, NZ = 5
  {specification}
contains
{body}
end module m
"""


def translated(body: str, **options: object) -> Translated:
    return translate_text(module(body), storage=STOCK, **options).require()  # type: ignore[arg-type]


def assert_has(result: Translated, *expected: str) -> None:
    """Every statement is in the output."""
    present = result.statements
    for text in expected:
        assert squeezed(text) in present, f"{text!r} is not among\n" + result.text


def assert_declared(result: Translated, entity: str) -> None:
    """Some declaration has the entity, e.g. ``a(DOM(NX,NY,NZ))``."""
    wanted = squeezed(entity)
    pattern = re.compile(r"^(real|integer|logical)\b.*(::|,)" + re.escape(wanted) + r"(,|$)")
    assert any(pattern.match(s) for s in result.statements), f"{entity} is not declared in\n" + result.text


def region(body: str, attributes: str = "domName(x,y), domSize(NX,NY)") -> str:
    return f"    @parallelRegion{{{attributes}}}\n{body}\n    @end parallelRegion\n"


def test_01_declaration_within() -> None:
    result = translated(
        """
  subroutine s(a, c)
    real, intent(inout) :: a(NZ)
    real, intent(out) :: c(NZ)
    integer :: k
    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom)}
    a, c
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(NX,NY), endAt(NX-1,NY)}
    do k = 1, NZ
      c(k) = a(k) + 1.
      c(x,y,k) = 2. * c(x,y,k)
      c(k) = c(k) + a(x+1,y,k)
    end do
    @end parallelRegion
  end subroutine
"""
    )
    assert_declared(result, "a(DOM(NX,NY,NZ))")
    assert_declared(result, "c(DOM(NX,NY,NZ))")
    assert_has(
        result,
        "c(AT(x,y,k)) = a(AT(x,y,k)) + 1.",
        "c(AT(x,y,k)) = 2. * c(AT(x,y,k))",
        "c(AT(x,y,k)) = c(AT(x,y,k)) + a(AT(x+1,y,k))",
    )


def test_02_declared_full_rank() -> None:
    result = translated(
        "  subroutine s(a)\n    real, intent(inout) :: a(NX,NY,NZ)\n" + region("    a(1) = 2.") + "  end subroutine"
    )
    assert_declared(result, "a(DOM(NX,NY,NZ))")
    assert_has(result, "a(AT(x,y,1)) = 2.")


def test_03_parallel_dimensions_not_first() -> None:
    result = translated(
        "  subroutine s(b, nz, n, m, kk)\n    integer, intent(in) :: nz, n, m, kk\n"
        "    real, intent(inout) :: b(nz,n,m)\n"
        + region("    b(kk) = 2.", "domName(x,y), domSize(n,m)")
        + "  end subroutine"
    )
    assert_declared(result, "b(DOM(nz,n,m))")
    assert_has(result, "b(AT(kk,x,y)) = 2.")


def test_04_two_dimensions_get_no_macro() -> None:
    result = translated(
        "  subroutine s(t, n, m)\n    integer, intent(in) :: n, m\n    real, intent(inout) :: t(n,m)\n"
        + region("    t = t + 1.", "domName(x,y), domSize(n,m)")
        + "  end subroutine"
    )
    assert_declared(result, "t(n,m)")
    assert_has(result, "t(x,y) = t(x,y) + 1.")


CALLS = """
  subroutine outer(a, b, t, n, m, s)
    integer, intent(in) :: n, m
    real, intent(inout) :: a(n,m,NZ), b(NZ,n,m), t(n,m)
    real, intent(in) :: s
    real :: loc(NZ)
    @parallelRegion{appliesTo(CPU), domName(x,y), domSize(n,m)}
    loc(:) = s
    call inner(ACTUAL,b,t,loc,s)
    @end parallelRegion
  end subroutine
  subroutine inner(a, b, t, loc, s)
    real, intent(inout) :: a(NZ), b(NZ), t
    real, intent(in) :: loc(NZ), s
    a(:) = a(:) + b(:) + loc(:) + s
    t = t + a(1)
  end subroutine
"""


@pytest.mark.parametrize("actual", ["a", "a(x,y,:)"])
def test_05_calls_in_an_active_region(actual: str) -> None:
    result = translated(CALLS.replace("ACTUAL", actual))
    assert_has(result, "call inner(a(AT(x,y,:)), b(AT(:,x,y)), t(x,y), loc, s)")
    assert_declared(result, "loc(NZ)")


def test_06_template() -> None:
    result = translate_text(
        module(
            "  subroutine s(a)\n    real, intent(inout) :: a(NX,NY,NZ)\n"
            + region("    a(1) = 2.", "domName(x,y), domSize(NX,NY), template(FOO)")
            + region("    a(2) = 3.")
            + "  end subroutine"
        ),
        storage=storage_order(extra="#define AT_FOO(a,b,c) AT(a,b,c)"),
    ).require()
    assert_declared(result, "a(DOM(NX,NY,NZ))")
    assert_has(result, "a(AT_FOO(x,y,1)) = 2.", "a(AT(x,y,2)) = 3.")


def test_07_reductions() -> None:
    result = translated(
        "  subroutine s(t, s1, s2)\n    real, intent(in) :: t(NX,NY)\n    real, intent(inout) :: s1, s2\n"
        + region(
            "    s1 = s1 + t\n    s2 = max(s2, t)",
            "domName(x,y), domSize(NX,NY), reduction(max:s2), reduction(+:s1)",
        )
        + "  end subroutine",
        backend="openmp",
    )
    clauses = "".join(s for s in result.statements if s.startswith("!$omp"))
    assert "reduction(max:s2)" in clauses
    assert "reduction(+:s1)" in clauses


@pytest.mark.parametrize(
    ("bounds", "outer", "inner"),
    [
        ("startAt(2,1), endAt(n-1,m)", "do y=1,m", "do x=2,n-1"),
        ("endAt(n-1,m-2)", "do y=1,m-2", "do x=1,n-1"),
        ("startAt(2,3)", "do y=3,m", "do x=2,n"),
    ],
)
def test_08_bounds(bounds: str, outer: str, inner: str) -> None:
    result = translated(
        "  subroutine s(t, n, m)\n    integer, intent(in) :: n, m\n    real, intent(inout) :: t(n,m)\n"
        + region("    t = t + 1.", f"domName(x,y), domSize(n,m), {bounds}")
        + "  end subroutine"
    )
    loops = [re.sub(r"^\w+:(?=do)", "", s) for s in result.statements if re.match(r"(\w+:)?do[xy]=", s)]
    assert loops == [squeezed(outer), squeezed(inner)]


def test_09_several_occurrences_and_semicolons() -> None:
    result = translated(
        "  subroutine s(a, b, k)\n    integer, intent(in) :: k\n    real, intent(inout) :: a(NX,NY,NZ), b(NX,NY,NZ)\n"
        + region(
            """    a(k) = a(k); b(k) = a(k)
    if (b(k) > 0.) then
      if (a(k) < -1.e30) print *, "a(1) = b(k)", 'a(k); "b'
    else if (a(k) < b(k)) then
      b(k) = - b(k)
    end if"""
        )
        + "  end subroutine"
    )
    assert_has(
        result,
        "a(AT(x,y,k)) = a(AT(x,y,k))",
        "b(AT(x,y,k)) = a(AT(x,y,k))",
        "if (b(AT(x,y,k)) > 0.) then",
        'if (a(AT(x,y,k)) < -1.e30) print *, "a(1) = b(k)", \'a(k); "b\'',
        "else if (a(AT(x,y,k)) < b(AT(x,y,k))) then",
        "b(AT(x,y,k)) = - b(AT(x,y,k))",
    )


def test_10_sections() -> None:
    result = translated(
        "  subroutine s(b)\n    real, intent(inout) :: b(NX,NY,NZ)\n"
        + region("    b(1:3) = 1.\n    b(:) = b(:) + 1.")
        + "  end subroutine"
    )
    assert_has(result, "b(AT(x,y,1:3)) = 1.", "b(AT(x,y,:)) = b(AT(x,y,:)) + 1.")


SPELLING = """
  subroutine s(a, t)
    real, intent(inout) :: a(NZ), t
    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom)}
    a, t
    @end domainDependant
    @parallelRegion{appliesTo(CPU), domName(x,y), domSize(NX,NY)}
    a(1) = t
    @if{architecture(gpu)}
    a(1) = 0.
    @end if
    @end parallelRegion
  end subroutine
"""


@pytest.mark.parametrize(
    "replace",
    [
        {"attribute(autoDom)": "attribute(autodom)"},
        {"appliesTo(CPU)": "appliesTo(cpu)"},
        {"@end parallelRegion": "@endParallelRegion"},
        {"@domainDependant{": "@DOMAINDEPENDANT {"},
        {"@if{": "@if {"},
        {"domName": "DOMNAME", "domSize": "domsize", "appliesTo": "APPLIESTO", "attribute": "Attribute"},
        {"domainDependant": "domainDependent"},
        {"@end parallelRegion": "@end parallelRegion ! of the region"},
        {"domSize(NX,NY)}": "domSize(NX,NY)}}"},
        {"    a, t\n": "    a,\n    t,\n"},
    ],
)
def test_11_case_and_spacing(replace: dict[str, str]) -> None:
    changed = SPELLING
    for old, new in replace.items():
        assert old in changed
        changed = changed.replace(old, new)
    assert translated(changed).statements == translated(SPELLING).statements
    assert "a(at(x,y,1))=t(x,y)" in translated(SPELLING).statements
    assert "a(at(x,y,1))=0." not in translated(SPELLING).statements


def test_12_continuation_in_a_directive() -> None:
    split = SPELLING.replace(
        "@parallelRegion{appliesTo(CPU), domName(x,y), domSize(NX,NY)}",
        "@parallelRegion{appliesTo(CPU), &\n     & domName(x,y), & ! the two directions\n      domSize(NX,NY)}",
    )
    assert split != SPELLING
    assert translated(split).statements == translated(SPELLING).statements


COLUMN = """
  subroutine outer(a)
    real, intent(inout) :: a(NX,NY,NZ)
    @parallelRegion{appliesTo(CPU), domName(x,y), domSize(NX,NY)}
    call col(a)
    @end parallelRegion
  end subroutine
  subroutine col(a)
    real, intent(inout) :: a(NZ)
    integer :: z
    @domainDependant{domName(x,y,z), domSize(NX,NY,NZ)}
    a
    @end domainDependant
    @parallelRegion{appliesTo(GPU), domName(x,y), domSize(NX,NY)}
    do z = 1, NZ
      a(z) = a(z) + 1.
    end do
    @end parallelRegion
  end subroutine
"""


def test_13_position_outside_on_the_cpu() -> None:
    result = translated(COLUMN)
    assert_declared(result, "a(NZ)")
    assert_has(result, "a(z) = a(z) + 1.", "call col(a(AT(x,y,:)))")


def test_14_locals() -> None:
    one = region("    tmp(:) = 1.\n    a(:) = tmp(:)")
    two = region("    tmp(:) = 1.") + region("    a(:) = tmp(:)")
    head = """  subroutine s(a)
    real, intent(out) :: a(NX,NY,NZ)
    real :: tmp(NZ)
    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom)}
    tmp
    @end domainDependant
"""
    private = translated(head + one + "  end subroutine")
    assert_declared(private, "tmp(NZ)")
    assert_has(private, "tmp(:) = 1.", "a(AT(x,y,:)) = tmp(:)")
    shared = translated(head + two + "  end subroutine")
    # extended over the whole grid: on the stack, or allocated at entry
    if "allocatable" in shared.text:
        assert_has(shared, "allocate(tmp(DOM(NX,NY,NZ)))")
    else:
        assert_declared(shared, "tmp(DOM(NX,NY,NZ))")
    assert_has(shared, "tmp(AT(x,y,:)) = 1.", "a(AT(x,y,:)) = tmp(AT(x,y,:))")


def test_15_more_indices_than_dimensions_outside_regions() -> None:
    result = translated(
        """  subroutine s(a)
    real, intent(out) :: a(NX,NY,NZ)
    real :: temp(NZ)
    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom)}
    temp
    @end domainDependant
    temp(:,:,:) = 0
"""
        + region("    a(:) = temp(:)")
        + "  end subroutine"
    )
    assert_declared(result, "temp(NZ)")
    assert_has(result, "temp(:) = 0", "a(AT(x,y,:)) = temp(:)")


def test_15_in_an_outside_routine() -> None:
    result = translated(
        """  subroutine s(a)
    real, intent(out) :: a(NX,NY,NZ)
    @parallelRegion{appliesTo(CPU), domName(x,y), domSize(NX,NY)}
    call col(a)
    @end parallelRegion
  end subroutine
  subroutine col(a)
    real, intent(out) :: a(NZ)
    real :: temp(NZ)
    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom)}
    a, temp
    @end domainDependant
    temp(:,:,:) = 0
    @parallelRegion{appliesTo(GPU), domName(x,y), domSize(NX,NY)}
    a(:) = temp(:)
    @end parallelRegion
  end subroutine"""
    )
    assert_has(result, "temp(:) = 0", "a(:) = temp(:)")


def test_16_if() -> None:
    result = translated(
        """  subroutine s(a)
    real, intent(inout) :: a(NX,NY)
    @if{parallelRegion(within)}
    a(1,1) = 1.
    @end if
    @if{architecture(GPU)}
    a(1,1) = 2.
    @end if
    @if{architecture(CPU)}
    a(1,1) = 3.
    @end if
    @if{architecture(host)}
    a(1,1) = 4.
    @end if
    @parallelRegion{appliesTo(GPU), domName(x,y), domSize(NX,NY)}
    a(1,2) = 5.
    @end parallelRegion
  end subroutine
  subroutine t(a)
    real, intent(inout) :: a(NX,NY)
    @if{parallelRegion(within)}
    a(1,1) = 6.
    @end if
"""
        + region("    a = 7.")
        + "  end subroutine"
    )
    assert_has(result, "a(1,1) = 3.", "a(1,1) = 4.", "a(1,2) = 5.", "a(1,1) = 6.", "a(x,y) = 7.")
    for gone in ("a(1,1)=1.", "a(1,1)=2."):
        assert gone not in result.statements


def test_19_halo_sizes_do_not_match() -> None:
    result = translated(
        "  subroutine s(a, b, nx, ny)\n    integer, intent(in) :: nx, ny\n"
        "    real, intent(in) :: a(0:nx+1,0:ny+1,NZ)\n    real, intent(inout) :: b(nx,ny,NZ)\n"
        + region("    b(1) = a(x-1,y,1) + a(x,y+1,1)", "domName(x,y), domSize(nx,ny)")
        + "  end subroutine"
    )
    assert_declared(result, "a(0:nx+1,0:ny+1,NZ)")
    assert_has(result, "b(AT(x,y,1)) = a(x-1,y,1) + a(x,y+1,1)")


def test_20_subset_regions() -> None:
    result = translated(
        "  subroutine s(a, b)\n    real, intent(inout) :: a(NX,NY,NZ), b(NX,NY)\n"
        + region("    a(1,3) = 1.\n    b(2) = 2.", "domName(x), domSize(NX)")
        + region("    a(1,3) = 3.\n    b(2) = 4.", "domName(y), domSize(NY)")
        + "  end subroutine"
    )
    assert_has(result, "a(AT(x,1,3)) = 1.", "b(x,2) = 2.", "a(AT(1,y,3)) = 3.", "b(2,y) = 4.")


def test_20_full_rank_is_final() -> None:
    result = translated(
        "  subroutine s(a, b, c)\n    real, intent(in) :: a(NX,NY,NZ)\n    real, intent(out) :: b(NX,NY), c(NX,NY,NZ)\n"
        + region(
            """    b(x,1) = 4.
    c(2) = a(min(x,3),y+0*x,1)
    c(3) = a(y,x,1) + a(1,1,1)"""
        )
        + "  end subroutine"
    )
    assert_has(
        result,
        "b(x,1) = 4.",
        "c(AT(x,y,2)) = a(AT(min(x,3),y+0*x,1))",
        "c(AT(x,y,3)) = a(AT(y,x,1)) + a(AT(1,1,1))",
    )

"""Host statements of every kind between regions: they find what kernels have computed, and kernels find what they set.

Objects with components in regions go to CUDA kernels alone; the directives' backends get the same programs without.
"""

from __future__ import annotations

import pytest

from tests.storage.programs import asked, in_part, program
from tests.support import (
    CUDA_C,
    CUDA_FORTRAN,
    LAYOUT,
    LAYOUT_CUDA_C,
    LAYOUT_OPENMP,
    OPENACC,
    OPENMP_TARGET,
    SEQUENTIAL,
    Corpus,
    Variant,
    translate_text,
)

TEXT = """\
module NAME_store
  implicit none
  real(8), target :: shared(4,3)
  real(8), allocatable, target :: grown(:,:)
contains
  function total() result(s)
    real(8) :: s
    s = sum(shared(:,2)) + shared(1,1)*2
  end function total
  function plane(k) result(r)
    integer, intent(in) :: k
    real(8) :: r(4,3)
    r = shared*k
  end function plane
  subroutine bump(n)
    integer, intent(inout) :: n
    n = n + 1
    shared(n,1) = -50
  end subroutine bump
end module NAME_store
module NAME
  use NAME_store
  use iso_c_binding
  implicit none
  type box
    real(8) :: x(4,3) = 0
    real(8), allocatable :: y(:,:)
    real(8), pointer :: z(:,:) => null()
    integer :: n = 0
  end type box
  real(8) :: common_a(4,3)
contains
  subroutine host_reads(o, s)
    type(box), intent(in) :: o
    real(8), intent(out) :: s
    s = o%x(2,2) + sum(o%y)
  end subroutine host_reads
  subroutine host_sets(o)
    type(box), intent(inout) :: o
    o%x(3,:) = o%x(3,:) + 1000
    o%y(1,1) = -1
  end subroutine host_sets
  subroutine flat(n, v)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    v(2) = v(2) + 300
    v(n) = v(1)
  end subroutine flat
  subroutine renames()
    associate (x => shared(:,2), y => grown(1,1), z => common_a)
      x = x + y
      y = 5
      z = 1
    end associate
  end subroutine renames
  subroutine onto(x)
    real(8), intent(inout) :: x(4,3)
    integer :: i, j
<ij
    x(i,j) = x(i,j)*2
>
  end subroutine onto
  subroutine typed(x)
    class(*), intent(inout) :: x(:,:)
    select type (x)
    type is (real(8))
      x(2,1) = x(1,1) + 3
    end select
    select type (y => x)
    type is (real(8))
      y(2,2) = y(1,1) + 3
    end select
  end subroutine typed
  elemental subroutine each(x)
    real(8), intent(inout) :: x
    x = x + 0.25d0
  end subroutine each
  subroutine optional_one(x, y)
    real(8), intent(inout) :: x(4,3)
    real(8), intent(in), optional :: y(4,3)
    if (present(y)) x = x + y
    if (.not. present(y)) x = x - 1
  end subroutine optional_one
  subroutine run()
    real(8), target :: a(4,3), b(4,3)
    real(8), allocatable :: c(:,:)
    real(8), pointer :: p(:,:), v(:)
    real(8) :: s, e1, e2
    real(8) :: line(12)
    type(box) :: o, o2
    type(c_ptr) :: address
    integer :: i, j, n, unit
    logical :: flag
    character(200) :: text
    namelist /values/ a
    allocate(c(4,3), o%y(4,3), grown(4,3))
    s = 0; n = 1; p => b; o%y = 0.5d0; o%z => shared; line = 0; flag = .true.
<ij
    a(i,j) = i + 10*j
    b(i,j) = i - j
    c(i,j) = i*j
    shared(i,j) = 3*i - j
    grown(i,j) = j
    o%x(i,j) = i + j
    o%y(i,j) = i - 2*j
>
BODY
<ij
    a(i,j) = a(i,j) + b(i,j)*2 + c(i,j)
    b(i,j) = b(i,j) + 1
    c(i,j) = c(i,j) - shared(i,j)
    shared(i,j) = shared(i,j) + grown(i,j)
    grown(i,j) = grown(i,j)*2
    o%x(i,j) = o%x(i,j) + o%y(i,j)
>
    print '(4f9.2)', a, b, c, shared, grown, o%x, o%y, s, line, real(n)
    deallocate(grown)
  end subroutine run
end module NAME
"""
BODIES = {
    "namelist": "open(newunit=unit, status='scratch')\nwrite(unit, nml=values)\nrewind(unit)\n"
    "a = 0\nread(unit, nml=values)\nclose(unit)",
    "unit": "open(newunit=unit, status='scratch', form='unformatted')\nwrite(unit) a(2:3,:), b\n"
    "rewind(unit)\nread(unit) c(1:2,:), a\nclose(unit)",
    "internal": "write(text, '(12f8.2)') a\nread(text, '(12f8.2)') b",
    "implied": "open(newunit=unit, status='scratch')\nwrite(unit, *) ((a(i,j), j = 1, 3), i = 1, 4)\n"
    "rewind(unit)\nread(unit, *) ((b(i,j), j = 1, 3), i = 1, 4)\nclose(unit)",
    "function": "s = total()\nb = plane(3)",
    "function_in_if": "if (total() > 0) then\ns = 1\nend if",
    "function_in_index": "s = b(nint(min(4d0, max(1d0, total()))), 2)",
    "while": "do while (n < 3 .and. total() > -1d6)\ncall bump(n)\nend do",
    "where": "where (a > b)\na = b*2\nelsewhere\nb = a - 1\nend where",
    "where_one": "where (a > 20) c = -a",
    "forall": "forall (i = 1:4, j = 1:3, a(i,j) > 12) b(i,j) = a(i,j)*2",
    "concurrent": "do concurrent (i = 1:4, j = 1:2)\nc(i,j) = a(i,j) - b(i,j)\nend do",
    "case": "select case (nint(a(2,1)))\ncase (12)\nb(1,1) = 77\ncase default\nb(1,1) = 55\nend select",
    "remap": "v(1:12) => b\nv(5) = 99",
    "c_loc": "address = c_loc(a)\ncall c_f_pointer(address, v, [12])\nv(3) = v(3) + 5",
    "objects": "o2 = o\no2%x = o2%x*3\no = o2",
    "construct": "o = box(a, c, shared, 3)",
    "given": "call host_reads(o, s)\ncall host_sets(o)",
    "sequence": "call flat(8, a(2,1))\ncall flat(12, b)",
    "elemental": "call each(a)\ncall each(b(2:3,:))\ncall each(c(1,1))",
    "optional": "call optional_one(a)\ncall optional_one(b, a)",
    "pointer": "p(2,2) = 500\np => shared\np(1,:) = p(1,:) + 7",
    "part_pointer": "o%z(1,1) = 88\ns = sum(o%z)",
    "section_pointer": "p => a(2:3,:)\np = p + 1",
    "associate": "associate (x => a(:,2), y => b)\nx = x + y(:,1)\nend associate",
    "as_part": "associate (x => o%x)\nx(2,2) = 9\nx(:,1) = x(:,3)\nend associate",
    "as_part2": "associate (x => o%y, y => o)\nx(2,2) = 9\ny%x(1,1) = x(1,3)\nend associate",
    "as_expr": "associate (x => a + 1)\nb = x\nend associate",
    "as_elem": "associate (x => a(2,2), y => b(3,1))\nx = y + 1\ny = 3\nend associate",
    "as_nested": "associate (x => a(:,1:2))\nassociate (y => x(2:3,:))\ny = 4\nend associate\nend associate",
    "as_passed": "associate (x => a(:,2), y => b)\ncall flat(4, x)\ncall flat(12, y)\nend associate",
    "as_module": "call renames()",
    "as_io": "associate (x => a(:,2))\nwrite(text, '(4f8.2)') x\nread(text, '(4f8.2)') x\nend associate",
    "as_cond": "associate (x => a(2,2))\nif (x > 5) s = x\nend associate",
    "as_loop": "associate (x => a(:,2))\ndo i = 1, 4\nx(i) = x(i) + i\nend do\nend associate",
    "as_where": "associate (x => a(:,2))\nwhere (x > 20) x = -x\nend associate",
    "as_alloc": "associate (x => c)\nx = x + 1\nend associate",
    "as_ptr": "associate (x => p)\nx = x + 1\nend associate",
    "as_ptr2": "associate (x => p(2,:))\nx = x + 1\nend associate",
    "as_call": "associate (x => a(1:4,1:3))\ncall onto(x)\nend associate",
    "as_call2": "associate (x => a)\ncall onto(x)\nend associate",
    "sel_type": "call typed(a)",
    "block": "block\nreal(8) :: d(4,3)\nd = a\nb = d + 1\nend block",
    "reshape": "line = reshape(a, [12])\na = reshape(line(12:1:-1), [4,3])",
    "matmul": "b(1:3,1:3) = matmul(transpose(a(:,1:3)), c)",
    "cshift": "b = cshift(a, 1, dim=2)\nc = eoshift(c, 1)",
    "spread": "b = spread(a(:,1), 2, 3)",
    "pack": "line = pack(a, .true.)\nc = unpack(line(1:12), a > 0, b)",
    "merge": "b = merge(a, c, a > 12)",
    "any": "flag = any(a > 40)\nif (flag) b(2,3) = -3",
    "maxloc": "line(1:2) = maxloc(a)\ns = minval(c)",
    "onelineif": "if (flag) a(1,1) = b(2,2)",
    "nested_if": "if (flag) then\nif (n == 1) then\na(2,2) = 1\nelse\nb = 0\nend if\nend if",
    "goto": "10 continue\na(1,1) = a(1,1) + 1\nn = n + 1\nif (n < 4) goto 10",
    "exits": "outer: do i = 1, 4\ndo j = 1, 3\nif (a(i,j) > 22) exit outer\nb(i,j) = a(i,j)\nend do\nend do outer",
    "realloc": "c = a(:,1:3)\ngrown = b",
    "realloc_size": "deallocate(c)\nc = a",
    "swapscalar": "e1 = a(1,1)\ne2 = b(1,1)\na(1,1) = e2\nb(1,1) = e1",
    "minus": "a = -a\na(:,1) = a(:,2)\na(2:4,1) = a(1:3,1)",
    "compl": "s = dot_product(a(:,1), b(:,2)) + norm2(c)",
    "random": "call random_seed(size=n)\nn = 1",
    "getsize": "n = size(a, 2) + ubound(grown, 1)",
    "logical": "flag = all(a == a) .and. allocated(grown)\nif (.not. flag) b = 0",
    "stride": "a(1:4:2,:) = b(2:4:2,:)",
    "vector": "a([1,3],2) = b([2,4],1)",
    "charact": "write(text, *) maxval(a)\ns = len_trim(text)*0",
    "inquire_": "inquire(iolength=n) a, b\nn = 1",
    "transfer": "line(1:2) = transfer(a(1:2,1), line(1:2))",
    "data_if": "if (a(1,1) > 5 .and. b(2,1) < 100) s = 4",
    "loop_until": "do\nn = n + 1\na(1,n) = n\nif (n >= 3) exit\nend do",
    "type_io": "print *, nint(o%x(1,1)), o%n",
    "stmt": "n = nint(sum(a)) ; n = 1",
}
# Without the lines of regions that name components.
PLAIN = "\n".join(line for line in TEXT.split("\n") if not line.strip().startswith(("o%x(i,j) =", "o%y(i,j) =")))
PAIRS = [program(f"h_{name}", TEXT.replace("BODY", body)) for name, body in BODIES.items()]
PAIRS += [program(f"d_{name}", PLAIN.replace("BODY", body)) for name, body in BODIES.items()]
WITH_PARTS = (LAYOUT_OPENMP, CUDA_C)
MORE_WITH_PARTS = (SEQUENTIAL, LAYOUT, LAYOUT_CUDA_C, CUDA_FORTRAN)


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    ways = {
        p.name: (*WITH_PARTS, *MORE_WITH_PARTS) if p.name.startswith("h_") else (OPENACC, OPENMP_TARGET) for p in PAIRS
    }
    return Corpus(asked(request, PAIRS), tmp_path_factory.mktemp("statements"), ways)


@pytest.mark.parametrize(
    "variant", [pytest.param(v, id=v.label, marks=[pytest.mark.full] * (v is CUDA_C)) for v in WITH_PARTS]
)
@pytest.mark.parametrize("name", in_part(BODIES, 2))
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(f"h_{name}", variant)


@pytest.mark.full
@pytest.mark.parametrize("name", BODIES)
def test_directives(name: str, corpus: Corpus) -> None:
    corpus.check_one(f"d_{name}", OPENACC)


@pytest.mark.full
@pytest.mark.parametrize("variant", MORE_WITH_PARTS, ids=lambda v: v.label)
@pytest.mark.parametrize("name", BODIES)
def test_more_ways(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(f"h_{name}", variant)


@pytest.mark.full
@pytest.mark.parametrize("name", BODIES)
def test_more_directives(name: str, corpus: Corpus) -> None:
    if name == "part_pointer":  # a directive cannot update it under that name
        assert {d.code for d in corpus.translation(f"d_{name}", OPENMP_TARGET).errors} == {"HF603"}
    else:
        corpus.check_one(f"d_{name}", OPENMP_TARGET)


@pytest.mark.parametrize("given, entered", [("a", True), ("a(1,j)", False), ("a(:,j)", False)])
def test_what_procedures_without_source_may_allocate(given: str, entered: bool) -> None:
    """A whole array, but none of which they get a part: there a flag of hfpy's would be in a user's ``parallel``, too,
    where ``default(none)`` forbids it.
    """
    text = f"""subroutine s(n)
  integer, intent(in) :: n
  integer :: j
  real(8), allocatable :: a(:,:)
  allocate (a(n,n))
  !$omp parallel do default(none) shared(n, a) private(j)
  do j = 1, n
    call fill(n, {given})
  end do
  !@parallelRegion{{domName(j), domSize(n)}}
  do j = 1, n
    a(1,j) = 2*a(1,j)
  end do
  !@end parallelRegion
  call last(a(1,1))
end subroutine
"""
    done = translate_text({"s.f90": text}, target="gpu", backend="cuda-c").require()
    rows = [row.strip() for row in done.text.splitlines()]
    behind = rows[rows.index(f"call fill(n, {given})") + 1]
    assert ("hf_enter_once" in behind) == entered and (entered or behind == "end do")

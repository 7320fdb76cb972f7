"""[layout] and the other names of an array's memory: pointers in components, other ranks, swaps, addresses.

Each program prints what its twin prints, in the order ``j i``, on the CPU and as kernels.
"""

from __future__ import annotations

import pytest

from hfpy.options import DomainSpec
from tests.storage.programs import asked_ways, in_turn, program
from tests.support import LAYOUT, LAYOUT_CUDA_C, LAYOUT_OPENACC, LAYOUT_OPENMP, Corpus, Variant, translate_text

VARIANTS = (LAYOUT, LAYOUT_OPENMP, LAYOUT_CUDA_C, LAYOUT_OPENACC)

FILL = """
  subroutine fill(a)
    real(8), intent(out) :: a(4,3)
    integer :: i, j
    do j = 1, 3
      do i = 1, 4
        a(i,j) = 10*i + j
      end do
    end do
  end subroutine fill
"""
HEAD = """module NAME
  implicit none
  type box
    real(8), pointer :: r(:,:) => null()
  end type box
contains"""
TAIL = f"{FILL}end module NAME\n"

COMPONENT = f"""{HEAD}
  subroutine work(a, c, one)
    real(8), intent(in), target :: a(4,3)
    real(8), intent(inout) :: c(4,3)
    type(box), intent(inout) :: one
    integer :: i, j
    one%r => a
<ij
    c(i,j) = 2*a(i,j)
>
    do j = 1, 3
      do i = 1, 4
        c(i,j) = c(i,j) + one%r(i,j)
      end do
    end do
  end subroutine work
  subroutine run()
    real(8), target :: a(4,3)
    real(8) :: c(4,3)
    type(box) :: one
    integer :: i, j
    call fill(a)
    call work(a, c, one)
    do j = 1, 3
      print *, (c(i,j), i = 1, 4)
    end do
  end subroutine run
{TAIL}"""

ELEMENT = (
    COMPONENT.replace("type(box), intent(inout) :: one", "type(box), intent(inout) :: objs(2)")
    .replace("type(box) :: one", "type(box) :: two(2)")
    .replace("one%r => a", "OBJS(1)%R => a(:,:)")
    .replace("one%r(i,j)", "objs(1)%r(i,j)")
    .replace("(a, c, one)", "(a, c, objs)", 1)
    .replace("(a, c, one)", "(a, c, two)")
)

FROM_COMPONENT = f"""{HEAD}
  subroutine run()
    real(8), pointer :: p(:,:)
    type(box), target :: one
    integer :: i, j
    allocate(one%r(4,3))
    call fill(one%r)
    p => one%r
<ij
    p(i,j) = p(i,j) + 0.5d0
>
    do j = 1, 3
      print *, (one%r(i,j), i = 1, 4)
    end do
  end subroutine run
{TAIL}"""

FLAT = f"""{HEAD}
  subroutine run()
    real(8), target :: flat(12)
    real(8), pointer :: a(:,:)
    integer :: i, j
    a(1:4,1:3) => flat
    flat = 0
<ij
    a(i,j) = 10*i + j
>
    print *, flat
  end subroutine run
{TAIL}"""

RANKS = f"""{HEAD}
  subroutine run()
    real(8), allocatable, target :: a(:,:)
    real(8), pointer :: flat(:)
    integer :: i, j
    allocate(a(4,3))
    call fill(a)
    flat(1:12) => a
<ij
    a(i,j) = a(i,j) + 10*i
>
    print *, flat
  end subroutine run
{TAIL}"""

ADDRESS = f"""module NAME
  use iso_c_binding, only: c_ptr, c_loc, c_f_pointer
  implicit none
contains
  subroutine run()
    real(8), target :: memory(12)
    real(8), pointer :: a(:,:)
    type(c_ptr) :: where_it_is
    integer :: i, j
    memory = 0
    where_it_is = c_loc(memory)
    call c_f_pointer(where_it_is, a, [4, 3])
<ij
    a(i,j) = 10*i + j
>
    print *, memory
  end subroutine run
{TAIL}"""

SWAP = f"""{HEAD}
  subroutine run()
    real(8), target :: one(4,3), two(4,3)
    real(8), pointer :: old(:,:), new(:,:), kept(:,:)
    integer :: i, j, step
    call fill(one)
    two = 0
    old => one
    new => two
    do step = 1, 3
<ij
      new(i,j) = old(i,j) + step*i
>
      kept => old
      old => new
      new => kept
    end do
    do j = 1, 3
      print *, (one(i,j), i = 1, 4), (two(i,j), i = 1, 4)
    end do
  end subroutine run
{TAIL}"""

RESULT = f"""{HEAD}
  function chosen(box_of) result(p)
    type(box), intent(in) :: box_of
    real(8), pointer :: p(:,:)
    p => box_of%r
  end function chosen
  subroutine run()
    real(8), pointer :: p(:,:)
    type(box), target :: one
    integer :: i, j
    allocate(one%r(4,3))
    call fill(one%r)
    p => chosen(one)
<ij
    p(i,j) = p(i,j) - 0.25d0*j
>
    do j = 1, 3
      print *, (one%r(i,j), i = 1, 4)
    end do
  end subroutine run
{TAIL}"""

SOURCE = f"""{HEAD}
  subroutine run()
    real(8) :: a(4,3)
    real(8), allocatable :: b(:,:), c(:,:)
    integer :: i, j
    call fill(a)
<ij
    a(i,j) = a(i,j) + j
>
    allocate(b, source=a)
    allocate(c, mold=a)
    c = b
    do j = 1, 3
      print *, (b(i,j), i = 1, 4), (c(i,j), i = 1, 4)
    end do
    print *, shape(b)
  end subroutine run
{TAIL}"""

COPIED = f"""{HEAD}
  subroutine run()
    real(8), target :: a(4,3)
    type(box) :: one, other
    integer :: i, j
    call fill(a)
    one = box(a)
    other = one
<ij
    a(i,j) = a(i,j) + j
>
    do j = 1, 3
      print *, (other%r(i,j), i = 1, 4)
    end do
  end subroutine run
{TAIL}"""

LISTED = """module NAME_store
  implicit none
  real(8) :: a(4,3) = 0
end module NAME_store
module NAME_lists
  use NAME_store, only: a
  implicit none
  namelist /values/ a
end module NAME_lists
module NAME
  use NAME_store, only: a
  implicit none
contains
  subroutine run()
    use NAME_lists, only: values
    integer :: i, j
<ij
    a(i,j) = 10*i + j
>
    write (*, nml=values)
  end subroutine run
end module NAME
"""

PROGRAMS = {
    "component": COMPONENT,
    "element": ELEMENT,
    "from_component": FROM_COMPONENT,
    "flat": FLAT,
    "flat_upper": FLAT.replace("flat", "FLAT").replace("a(1:4,1:3)", "A (1:4, 1:3)"),
    "ranks": RANKS,
    "address": ADDRESS,
    "swap": SWAP,
    "function_result": RESULT,
    "source": SOURCE,
    "copied": COPIED,
    "listed": LISTED,
}
PAIRS = [program(name, text) for name, text in PROGRAMS.items()]
WAYS = {name: VARIANTS if name != "element" else (LAYOUT, LAYOUT_OPENMP) for name in PROGRAMS}


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("orders"), asked_ways(request))


@pytest.mark.parametrize(("name", "variant"), in_turn(WAYS))
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(name, variant)


def test_pointers_in_elements_of_arrays_are_refused_on_devices() -> None:
    element = next(p for p in PAIRS if p.name == "element")
    assert LAYOUT_CUDA_C.translated(element).codes() == ["HF603"]


@pytest.mark.parametrize(("size", "hint"), [("8", "declare it by a named constant"), ("parts", "bind its size")])
def test_how_the_layout_gets_to_know_a_dimension(size: str, hint: str) -> None:
    """A number may be the size of anything, so that `[domains]` binds none."""
    source = f"""
subroutine set(n, m, parts, a)
  integer, intent(in) :: n, m, parts
  real(8), intent(inout) :: a(n,m,{size})
  @parallelRegion{{domName(i,j), domSize(n,m)}}
  a(i,j,2) = 0
  @end parallelRegion
end subroutine set
"""
    sizes = {"i": DomainSpec(("n",), ("i",)), "j": DomainSpec(("m",), ("j",)), "k": DomainSpec(("8",), ("k",))}
    (found,) = translate_text({"set.h90": source}, layout="k j i", domains=sizes).errors
    assert found.code == "HF308" and found.hint.startswith(hint)


ALLOCATED = """module fields
  implicit none
  integer :: nx, ny, nz
  real(8), allocatable, target :: a(:,:,:)
  real(8), pointer :: p(:,:)
contains
  subroutine work()
    integer :: i, j
    allocate (a(nx,ny,0:nz+1))
    !@parallelRegion
    do j = 1, ny
      do i = 1, nx
        a(i,j,1) = i + j
      end do
    end do
    do j = 1, nz
      a(1,1,j) = 0
    end do
    POINTED
  end subroutine work
end module fields
"""


@pytest.mark.parametrize("pointed", ["", "p => a(:,1,:)"])
def test_sizes_of_an_allocation_count_more_than_names_of_indices(pointed: str) -> None:
    """A loop over another domain's iterator hid which dimension is which; a pointer is no operand of an expression."""
    domains = {d: DomainSpec((f"n{n}",), (d,)) for d, n in zip("ijk", "xyz", strict=True)}
    done = translate_text({"f.f90": ALLOCATED.replace("POINTED", pointed)}, layout="k i j", domains=domains)
    assert not any("no domain" in d.message or "operands" in d.message for d in done.diagnostics)
    assert pointed or "a(1,i,j) = i + j" in done.require().text

"""Array statements between regions on arrays that live on the device: kernels where that is certain to be right."""

from __future__ import annotations

import pytest

from tests.storage.programs import asked_ways, program
from tests.support import (
    CUDA_C,
    CUDA_C_KIJ,
    CUDA_FORTRAN,
    LAYOUT_CUDA_C,
    LAYOUT_OPENACC,
    OPENACC,
    OPENMP_TARGET,
    SEQUENTIAL,
    Corpus,
    Variant,
    translate_text,
)

DUMMIES = """\
module NAME
  implicit none
  integer, parameter :: wp = 8
  real(wp), allocatable :: kept(:,:)
  real(wp) :: fixed(4,3)
  type box
    real(wp) :: values(4,3)
  end type box
contains
  subroutine run()
    real(wp) :: a(0:5,3), b(4,3), c(-1:2,2:4,2), e(4,3,2,2)
    integer :: mask(4,3), i, j, k, l
    type(box) :: o
    allocate(kept(0:3,-1:1))
    do j = 1, 3
      do i = 1, 4
        b(i,j) = i + 10*j
        kept(i-1,j-2) = i - 3*j
        fixed(i,j) = 0.1_wp*i*j
        o%values(i,j) = i**2 - j
        mask(i,j) = mod(i*j, 3)
        do k = 1, 2
          c(i-2,j+1,k) = i*j + k
          do l = 1, 2
            e(i,j,k,l) = i + 2*j + 3*k + 5*l
          end do
        end do
      end do
    end do
    do j = 1, 3
      do i = 0, 5
        a(i,j) = i - 0.5_wp*j
      end do
    end do
    call step(4, 3, 2, 0.75_wp, a, b, c, e, mask, o)
    print '(6f12.5)', a
    print '(4f12.5)', b, c, e, kept, fixed, o%values
    print '(4i4)', mask
  end subroutine run
  subroutine step(nx, ny, k, s, a, b, c, e, mask, o)
    integer, intent(in) :: nx, ny, k
    real(wp), intent(in) :: s
    real(wp), intent(inout) :: a(0:nx+1,ny), b(:,:), c(-1:,2:,:), e(nx,ny,2,*)
    integer, intent(inout) :: mask(4,3)
    type(box), intent(inout) :: o
    real(wp) :: own(nx,ny), four(nx,ny,2,2)
    real(wp) :: t
    integer :: i, j, n
    own = 0 ! at the beginning
    four = -s
    t = 2*s
<ij
    b(i,j) = b(i,j) + 0.5_wp*(a(i-1,j) + a(i+1,j)) + own(i,j) + kept(i-1,j-2) + four(i,j,1,2)
    c(i-2,j+1,k) = c(i-2,j+1,k) - fixed(i,j)
    mask(i,j) = mask(i,j) + 1
>
    a(0,:) = a(nx,:)
    a(nx+1,:) = a(1,:)
    a(1:nx,:) = b*s + c(:,:,k)**2 &
      - t
    own(2:nx,:) = b(1:nx-1,:) + 2*kept(1:nx-1,:)
    own(1,:) = fixed(k,:)
    fixed = max(fixed, real(mask, 8)) * merge(1, 2, mask == 2)
    kept(:,0) = sqrt(abs(b(:,2))) + own(:,3)
    kept(:,:) = kept(:,:)/2
    c(:,:,:) = c + 1
    four(:,:,:,2) = four(:,:,:,1) - 3
    four = four + e(1,1,1,1)*0 + t
    where (mask > 2) b = -b
    where (mask > 1)
      ! both
      own = own + b
      b = own*2
    elsewhere (b < 20)
      b = own
    elsewhere
      own = t
      b = own - b
    end where
    do n = 1, 3
      if (n == 2) fixed(2,:) = n
      if (n == 1) then
        fixed(:,k) = b(:,1)
      else
        where (own > 3) own = own - n
      end if
<ij
      b(i,j) = b(i,j) + 0.01_wp*(own(i,j)*four(i,j,2,2) + fixed(i,j) + kept(i-1,j-2))
>
    end do
    b(2:nx,:) = b(1:nx-1,:)
    own(:,1) = own(1:nx,2) + b(nx:1:-1,1)
    o%values = o%values + 1
    b = b + own + o%values
<ij
    b(i,j) = 2*b(i,j) + own(i,j)
>
  end subroutine step
end module NAME
"""
DUMMIES = DUMMIES.replace(", e(nx,ny,2,*)", ", e(:,:,:,:)")
SQUARE = """\
module NAME
  implicit none
contains
  subroutine run()
    integer :: a(3,3), b(3,3), p(4), i, j
    do j = 1, 3
      do i = 1, 3
        a(i,j) = i + 10*j
        b(i,j) = i - 7*j
      end do
    end do
    p = [1, 2, 3, 4]
    call outer(3, a, b, p)
    print '(3i9)', a, b
    print *, p
  end subroutine run
  subroutine outer(n, a, b, p)
    integer, intent(in) :: n
    integer, intent(inout) :: a(n,n), b(n,n), p(4)
    integer :: it
    @domainDependant{attribute(transferHere)}
    a, b
    @end domainDependant
    do it = 1, 2
      a(:,1) = b(it,:)
      call inner(n, a, b)
      b = a - it
      b(n,:) = a(:,n)
    end do
    call shift(4, p)
  end subroutine outer
  subroutine inner(n, a, b)
    integer, intent(in) :: n
    integer, intent(inout) :: a(n,n), b(n,n)
    integer :: i, j, lower
    @domainDependant{attribute(present)}
    a, b
    @end domainDependant
    lower = 2
    a(:,2) = b(:,1)
    a(lower:n,3) = b(lower-1:n-1,1)
    @parallelRegion{domName(i,j), domSize(n,n)}
    b(i,j) = b(i,j) + 100*a(i,j) + i
    @end parallelRegion
  end subroutine inner
  subroutine shift(m, p)
    integer, intent(in) :: m
    integer, intent(inout) :: p(m)
    integer :: i
<i
    p(i) = 3*p(i) + i
>
    p(2:m) = p(1:m-1)
    p(:) = p(m) - p
    p = p + 1
  end subroutine shift
end module NAME
"""
SQUARE_PLAIN = SQUARE.replace("@parallelRegion{domName(i,j), domSize(n,n)}", "do j = 1, n\n do i = 1, n").replace(
    "@end parallelRegion", "end do\n end do"
)
PAIRS = [program("array_statements", DUMMIES)]
_square, _plain = program("square_statements", SQUARE), program("square_statements", SQUARE_PLAIN)
PAIRS.append(type(_square)(_square.name, _square.hybrid, _plain.reference, _square.name))
VARIANTS = (SEQUENTIAL, CUDA_C, CUDA_C_KIJ, CUDA_FORTRAN, OPENACC, OPENMP_TARGET)
WAYS = {PAIRS[0].name: VARIANTS, PAIRS[1].name: (*VARIANTS, LAYOUT_CUDA_C, LAYOUT_OPENACC)}


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("arrays"), asked_ways(request))


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        pytest.param(name, v, id=f"{name}-{v.label}", marks=[pytest.mark.full] * (v not in (CUDA_C, OPENACC)))
        for name, ways in WAYS.items()
        for v in ways
    ],
)
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(name, variant)


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "openacc", "openmp-target"])
def test_statements_copy_nothing(backend: str) -> None:
    """All statements that can be kernels are; the copies are those of the statements that stay."""
    made = translate_text(dict(PAIRS[1].hybrid), target="gpu", backend=backend).require()
    updates = {"openacc": "acc update", "openmp-target": "target update"}.get(backend, "call hf_update")
    bodies = {n: made.text.split(f"subroutine {n}(")[1].split("end subroutine")[0] for n in ("outer", "inner", "shift")}
    # In "shift" two statements read other elements than they set.
    assert {n: body.count(updates) for n, body in bodies.items()} == {"outer": 0, "inner": 0, "shift": 4}


STATEMENTS = {
    "a = 0": "",
    "a(:,:) = b": "",
    "a(1,:) = a(2,:)": "",
    "a(2:n,:) = a(1:n-1,:)": "it reads other elements of 'a'",
    "a(1,:) = a(:,1)": "it reads other elements of 'a'",
    "a = a(1,1)": "it reads other elements of 'a'",
    "a(1:n:2,:) = 0": "a section of 'a' has a stride",
    "a = transpose(b)": "'transpose(b)' is not worked out",
    "a(:,1) = [1, 2, 3]": "'[1, 2, 3]' is not worked out",
    "a = twice(b)": "it calls 'twice'",
    "a = h": "'h' is on the host",
    "a = a*h(1,1)": "'h' is on the host",
    "a(idx(1),:) = 1": "the index 'idx(1)' is made of more than scalars",
    "a = c": "",
    "c = b": "it may allocate 'c' anew",
    "c = 1": "",
    "c(:,:) = b": "",
    "p = b": "'p' is a pointer",
    "a = t": "'t' may be the same memory as 'a'",
    "a(1,1) = 3": None,
    "h = 3": None,
    "a = 1; h(1,1) = 2": "another statement is on its line",
    "do m = 1, 3; end do\n do m = 1, 3\n a(:,m) = m\n end do": "the loop around it runs no kernels",
    "if (n > 2) a = 1": "",
    "where (a > 1) a = 2": "",
    "forall (m = 1:3) a(m,:) = m": None,
    "10 a = 2": "it has a label",
    "block\n a = 2\n end block": "it is in a block of kind 'block'",
}
ROUTINE = """\
module m
  implicit none
  real(8), allocatable :: c(:,:)
contains
  elemental function twice(x)
    real(8), intent(in) :: x
    real(8) :: twice
    twice = 2*x
  end function twice
  subroutine run(n, b, h, idx, p)
    integer, intent(in) :: n, idx(3)
    real(8), intent(inout) :: b(n,n), h(n,n)
    real(8), pointer :: p(:,:)
    real(8) :: a(n,n)
    real(8) :: t
    integer :: m
    EQUIVALENT
    @parallelRegion{domName(i,j), domSize(n,n)}
    a(i,j) = i + j
    b(i,j) = b(i,j) + c(i,j) + p(i,j)
    @end parallelRegion
    STATEMENT
    @parallelRegion{domName(i,j), domSize(n,n)}
    b(i,j) = b(i,j) + a(i,j) + c(i,j)
    @end parallelRegion
  end subroutine run
end module m
"""


@pytest.mark.parametrize("statement", STATEMENTS)
def test_reasons(statement: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    from hfpy.options import Options
    from hfpy.pipeline import translate

    text = ROUTINE.replace("STATEMENT", statement)
    if statement == "a = t":
        text = text.replace("a(n,n)\n", "a(3,3)\n").replace("EQUIVALENT", "equivalence (t, a(2,2))")
    path = tmp_path_factory.mktemp("reason") / "m.h90"
    path.write_text(text.replace("EQUIVALENT\n", "\n"))
    done = translate([path], Options(target="gpu", exports=("run",)))
    assert done.explain is not None
    lines = done.explain("run").partition("array statements")[2].splitlines()[1:]
    reason = STATEMENTS[statement]
    if reason is None:
        assert lines == []
    elif reason:
        assert len(lines) == 1 and f"on the host: {reason}" in lines[0]
    else:
        assert lines == ["    line 22: a kernel"]
        assert "! region over hf_a1" in "".join(f.text for f in done.files)

"""Arrays of one shape as one array: every file follows, results stay, and what cannot be is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import hfpy
from hfpy.api import IllegalTransform, Program
from hfpy.diagnostics import HfpyError
from tests.scripts.test_layouts import _with_script
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENCL, OPENMP, OPENMP_TARGET, Corpus, Pair, Variant

FIELDS = """module wind_fields
  implicit none
  private
  integer, parameter, public :: nx = 6, ny = 5
  real(8), public :: speed(nx,ny), heat(nx,ny), other(nx,ny)
  public :: step, cool, total
contains
  subroutine step(u, v, w, factor)
    real(8), intent(in) :: factor
    real(8), intent(inout) :: u(nx,ny)
    real(8), intent(in) :: v(nx,ny), w(nx,ny)
    integer :: i, j
    {begin(step)}
    u(i,j) = factor*u(i,j) + v(max(i-1,1),j) - 0.5d0*w(i,j)
    {end}
    call cool(factor)
  end subroutine step
  subroutine cool(factor)
    real(8), intent(in) :: factor
    integer :: i, j
    {begin(cool)}
    heat(i,j) = 0.5d0*heat(i,j) + factor*speed(i,j)
    {end}
  end subroutine cool
  real(8) function total(a)
    real(8), intent(in) :: a
    total = a
  end function total
end module
"""
MAIN = """module wind
contains
subroutine run()
  use wind_fields, only: nx, ny, step, speed, total, heat
  use wind_show, only: tell
  implicit none
  real(8), allocatable :: u(:,:), v(:,:), w(:,:)
  integer :: i, j, n
  allocate(u(nx,ny), v(nx,ny), w(nx,ny))
  do j = 1, ny
    do i = 1, nx
      u(i,j) = i + 0.125d0*j
      v(i,j) = i*j
      w(i,j) = i - j
      speed(i,j) = 0.25d0*i*j
    end do
  end do
  heat = 0
  w(:,2) = w(:,1)
  do n = 1, 3
    call step(u, w=w, factor=0.5d0, v=v)
  end do
  print '(6f10.4)', u
  print *, size(u), size(v, 2), allocated(w), maxval(v), total(w(2,3))
  print '(6f10.4)', heat
  call tell(w, u, v)
  deallocate(v, u, w)
end subroutine
end module
"""
SHOW = """module wind_show
contains
  subroutine tell(c, a, b)
    use wind_fields
    implicit none
    real(8), intent(in) :: a(nx,ny), b(nx,ny), c(nx,ny)
    print '(4f12.4)', sum(a*b), sum(c(1:nx:2,:)), speed(2,2), heat(2,3)
  end subroutine tell
end module
"""
REGION = "@parallelRegion{domName(i,j), domSize(nx,ny), name(NAME)}"
STEP = "if kernel.name == 'step': kernel = kernel.aos('u', 'v', 'w')"
COOL = "if kernel.name == 'cool': kernel = kernel.aos('HEAT', 'speed')"
LATER = (CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, OPENCL)
WAYS = [OPENMP, *(pytest.param(v, marks=pytest.mark.full) for v in LATER)]
TOGETHER = "the arrays are declared, allocated and passed together"


def _pair() -> Pair:
    hybrid, twin = FIELDS.replace("{end}", "@end parallelRegion"), FIELDS.replace("{end}", "end do\nend do")
    for name in ("step", "cool"):
        hybrid = hybrid.replace(f"{{begin({name})}}", REGION.replace("NAME", name))
        twin = twin.replace(f"{{begin({name})}}", "do j = 1, ny\ndo i = 1, nx")
    beside = {"wind.f90": MAIN, "wind_show.f90": SHOW}
    return Pair("wind", {"wind_fields.h90": hybrid, **beside}, {"wind_fields.f90": twin, **beside}, "wind")


def _program(folder: Path, *changes: str) -> Program:
    """The program with changes ``old -> new``, each in the first file that has its text."""
    files = {**_pair().hybrid, "main.f90": "program main\n  use wind\n  call run()\nend program\n"}
    for change in changes:
        old, new = change.split(" -> ")
        file = next(name for name, text in files.items() if old in text)
        files[file] = files[file].replace(old, new, 1)
    for name, text in files.items():
        (folder / name).write_text(text)
    return hfpy.read([folder / name for name in files], backend="sequential")


@pytest.mark.parametrize("variant", WAYS, ids=lambda v: v.label)
def test_one_array_changes_no_result_in_any_file(variant: Variant, tmp_path: Path) -> None:
    way = _with_script(variant, tmp_path, STEP, COOL)
    corpus = Corpus([_pair()], tmp_path, {"wind": (way,)})
    corpus.check_one("wind", way)
    text = corpus.translation("wind", way).text
    assert "real(8), intent(inout) :: hf_u_v_w(3,nx,ny)" in text and "by s.py:2: aos('u', 'v', 'w')" in text
    assert "real(8), allocatable :: hf_u_v_w(:,:,:)" in text and "allocate(hf_u_v_w(3,nx,ny))" in text
    assert "real(8), public :: other(nx,ny)" in text and "real(8), public :: hf_heat_speed(2,nx,ny)" in text
    assert "call step(hf_u_v_w, factor=0.5d0)" in text and "call tell(hf_u_v_w)" in text
    assert "use wind_fields, only: nx, ny, step, hf_heat_speed, total" in text
    assert "hf_heat_speed(1,:,:) = 0" in text and "hf_u_v_w(3,:,2) = hf_u_v_w(3,:,1)" in text
    assert "deallocate(hf_u_v_w)" in text and "allocated(hf_u_v_w)" in text
    assert "subroutine tell(hf_a_b_c)" in text and "sum(hf_a_b_c(3,1:nx:2,:))" in text


def test_with_an_order_and_more_elements(tmp_path: Path) -> None:
    program = _program(tmp_path)
    program["step"].tile(i=2).aos("u", "v", "w")
    program["cool"].pad("other", {0: 1}).aos("speed", "heat").aos("speed", "heat")
    text = "\n".join(program.texts().values())
    assert "other(nx+1,ny)" in text and "hf_speed_heat(2,nx,ny)" in text and "hf_u_v_w(3,nx,ny)" in text


@pytest.mark.parametrize(
    ("kernel", "arrays", "changes", "message"),
    [
        ("step", ("u", "v"), (), None),
        ("step", ("u",), (), "another one has to be named"),
        ("step", ("u", "u"), (), "another one has to be named"),
        ("step", ("u", "factor"), (), "'factor' is none"),
        ("step", ("u", "v"), ("w(nx,ny) -> w(nx,ny), x(nx,ny)",), None),
        ("cool", ("heat", "speed"), ("heat(nx,ny), -> heat(ny,nx),",), "another type or shape"),
        ("cool", ("heat", "speed"), ("real(8), public :: speed(nx,ny), -> real, public :: speed(nx,ny)\n"
            "real(8), public ::",), "another type or shape"),
        ("cool", ("heat", "speed"), ("real(8), public :: speed(nx,ny), -> real(8), public, target :: speed(nx,ny)\n"
            "real(8), public ::",), "attributes|target"),
        ("cool", ("heat", "speed"), (", public :: speed -> :: speed", "public :: step -> public :: heat, step, speed"),
            "a statement of its own"),
        ("step", ("u", "v"), ("real(8), intent(in) :: v(nx,ny), w -> real(8), intent(in) :: v\n    dimension v(nx,ny)\n"
            "    real(8), intent(in) :: w",), "a statement of its own"),
        ("cool", ("heat", "speed"), ("total, heat -> total, warm => heat", "heat = 0 -> warm = 0",
            "f10.4)', heat -> f10.4)', warm"), "another name"),
        ("step", ("u", "v"), ("factor=0.5d0, v=v -> factor=0.5d0, v=u",), "something else|two groups"),
        ("step", ("u", "v"), ("allocate(u(nx,ny), v -> allocate(u(nx,ny)); allocate(v",), "not allocated together"),
        ("step", ("u", "v"), ("allocate(u(nx,ny), -> allocate(u(0:nx,ny),",), "not allocated together"),
        ("step", ("u", "v"), ("print *, size(u) -> print *, lbound(u)",), "'lbound' asks about more"),
        ("step", ("u", "v"), ("w(:,2) = w(:,1) -> u = v*2",), "an assignment may allocate it"),
        ("step", ("u", "v"), ("w(:,2) = w(:,1) -> call far(u)",), "goes to 'far'|does not see"),
        ("step", ("u", "v"), ("w(:,2) = w(:,1) -> call take(u(:,1))", "subroutine tell -> subroutine take(x)\n"
            "real(8) :: x(*)\nend subroutine\nsubroutine tell", "only: tell -> only: tell, take"), "goes to 'take'"),
        ("step", ("u", "v"), ("w(:,2) = w(:,1) -> associate (x => u)\nx(1,1) = 2\nend associate",), "another name"),
        ("step", ("u", "w"), ("call tell(w, u, v) -> call tell(u, w, v)",), None),
        ("step", ("u", "v"), ("domSize(nx,ny), name(step) -> domSize(nx,ny), independent(u), name(step)",),
            "a directive names it"),
        ("step", ("u", "v"), ("heat = 0 -> heat = 0\n!$omp parallel private(u)\n!$omp end parallel",),
            "a directive names it"),
        ("cool", ("heat", "speed"), ("  public :: step ->   !$acc declare create(SPEED)\n  public :: step",),
            "a directive names it"),
        ("step", ("u", "v"), ("heat = 0 -> heat = 0\n!$ v(1,1) = 2",), "a directive names it"),
        ("step", ("u", "v"), ("integer :: i, j\n    @par -> integer :: i, j\n    real(8) :: z(size(u, 1))\n    @par",),
            "a declaration, or the head"),
        ("cool", ("heat", "speed"), ("module wind\n -> module wind\nuse wind_fields, only: q => speed\n",),
            "another name"),
    ],
)  # fmt: skip
def test_what_can_be_one_array(
    kernel: str, arrays: tuple[str, ...], changes: tuple[str, ...], message: str | None, tmp_path: Path
) -> None:
    asked = _program(tmp_path, *changes)[kernel]
    if message is None:
        assert asked.aos(*arrays).steps
        return
    with pytest.raises(IllegalTransform, match=message) as refused:
        asked.aos(*arrays)
    assert refused.value.rule.startswith((TOGETHER, "two or more arrays", "an array of the routine"))


def test_groups_that_share_an_array(tmp_path: Path) -> None:
    program = _program(tmp_path)
    with pytest.raises(IllegalTransform, match="is in two groups"):
        program["step"].aos("u", "v").aos("v", "w")
    program = _program(tmp_path)
    program["step"].aos("u", "v")
    program["cool"].aos("heat", "speed")
    assert "hf_u_v(2,nx,ny)" in "\n".join(program.texts().values())


def test_the_line_of_the_script(tmp_path: Path) -> None:
    program = _program(tmp_path)
    program["cool"].aos("heat", "speed").aos("heat", "speed")
    program["step"].aos("u", "v")
    program["cool"].pad("heat", {0: 1})
    with pytest.raises(HfpyError, match="it has got more elements") as refused:
        program.texts()
    assert all(r.place.file == __file__ for r in refused.value.diagnostics[0].related)

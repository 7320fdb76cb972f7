"""What loaded routines compute, against NumPy."""

import os
import weakref
from pathlib import Path

import numpy as np
import pytest

import hfpy
from hfpy.diagnostics import HfpyError
from tests.gpu.opencl import has_opencl
from tests.load.sources import COLUMNS, FORMS, PRESENT, SMOOTH, field, smoothed

ROOT = Path(__file__).parents[2]
EXACT = ("-O2", "-ffp-contract=off")
MIXED = """
module mixed
  use iso_c_binding, only: c_double
  implicit none
  interface
    real(c_double) function square(x) bind(C)
      import :: c_double
      real(c_double), value :: x
    end function square
  end interface
contains
  real(8) function of(x)
    real(8), intent(in) :: x
    of = square(x)
  end function of
end module mixed
"""
TARGETS = [
    {"backend": "sequential", "opt": 0},
    {"backend": "openmp", "opt": 2},
    {"target": "gpu", "backend": "cuda-c", "emulate": True, "opt": 0},
]
NAMES = ["sequential", "openmp", "cuda-c emulated"]
if has_opencl():
    TARGETS.append({"target": "gpu", "backend": "opencl"})
    NAMES.append("opencl")


@pytest.mark.parametrize("options", TARGETS, ids=NAMES)
def test_every_target_gives_the_same(options: dict[str, object]) -> None:
    smooth = hfpy.load(SMOOTH, flags=EXACT, weight=0.375, **options)
    a, b = field(19, 8), -field(19, 8)
    before = a.copy()
    wanted = smoothed(a, b, 0.375)
    first = smooth.twice(17, 6, a, b)
    assert np.array_equal(b, wanted)
    assert np.array_equal(a, before)
    assert smooth.twice(nx=17, b=b, a=a, ny=6) == first + 1
    assert smooth.routines.keys() == {"smooth.twice"}  # none of hfpy's own


def test_level_2_fused_the_regions() -> None:
    smooth = hfpy.load(SMOOTH, backend="openmp", opt=2, flags=EXACT)
    assert "hf_flux" in (smooth.generated / "source.F90").read_text()


@pytest.mark.parametrize("options", TARGETS[1:], ids=NAMES[1:])
def test_inserted_dimensions_and_layout(options: dict[str, object]) -> None:
    """Arrays have the shape and order of the generated declaration."""
    nx, ny, nz = 3, 4, 5
    columns = hfpy.load(COLUMNS, layout="k i j", **options)
    source, t = field(nz, nx, ny), -field(nz, nx, ny)
    i, j = np.arange(1, nx + 1)[:, None], np.arange(1, ny + 1)[None, :]
    wanted = t.copy(order="F")
    for k in range(1, nz):
        wanted[k] = wanted[k - 1] + source[k] * i + 1000 * j
    columns.heat(nx, ny, nz, source, t)
    assert np.allclose(t, wanted, rtol=1e-14, atol=0)
    with pytest.raises(
        ValueError, match=r"columns\.heat: argument 'source' .*wanted shape \(5, 3, 4\), got \(3, 4, 5\)"
    ):
        columns.heat(nx, ny, nz, field(nx, ny, nz), t)


@pytest.mark.parametrize("options", TARGETS[1:], ids=NAMES[1:])
def test_arrays_that_the_routine_expects_on_the_device(options: dict[str, object]) -> None:
    """The call brings them there; those of modules the routine itself, or one that a directive says."""
    held = hfpy.load(PRESENT, **options)
    for _ in range(2):
        a, b, c = field(5), -field(5), field(5) + 1
        before, places = a.copy(), np.arange(1, 6)
        held.scaled(5, a, b)
        assert np.array_equal(b, before)
        held.scaled(5, a, b, c)
        assert np.array_equal(b, 3 * before) and np.array_equal(c, before + 1 + before * places)
        assert np.array_equal(a, before)
    spare, table = np.array([2, 3, 4, 6, 9]), np.array([1, 2, 3, 5, 8])
    held.spared(5, a)
    assert np.array_equal(a, before + spare)
    held.bringing(5, a)
    assert np.array_equal(a, before + spare + table)
    if "target" not in options:
        held.looked_up(5, a)
        assert np.array_equal(a, before + spare + table + table)
    else:
        with pytest.raises(NotImplementedError, match=r"held\.looked_up .*'table', which is no argument"):
            held.looked_up(5, a)


def test_sizes_are_set_before_each_call() -> None:
    small = hfpy.load(FORMS, nx=3, ny=2)
    large = hfpy.load(FORMS, nx=4, ny=3)
    for loaded, nx, ny in ((small, 3, 2), (large, 4, 3), (small, 3, 2)):
        a = np.zeros((nx + 2, ny), np.int32, order="F")
        loaded.module_sizes(a)
        assert np.array_equal(a, [[10 * i + j for j in range(1, ny + 1)] for i in range(nx + 2)])
    small.ny = 5
    small.module_sizes(np.zeros((5, 5), np.int32, order="F"))
    with pytest.raises(ValueError, match=r"forms\.module_sizes: argument 'a'.*wanted shape \(6, 3\), got \(5, 5\)"):
        large.module_sizes(np.zeros((5, 5), np.int32, order="F"))


def test_names_of_the_routine_in_shapes() -> None:
    whole = np.array([[1, 2, 3], [4, 5, 6]], np.int32, order="F")
    hfpy.load(FORMS).intrinsic_names(2, 3, whole)
    assert whole.tolist() == [[7, 8, 9], [10, 11, 12]]
    a = np.zeros((3, 6), order="F")
    hfpy.load(FORMS).local_names(a)
    assert a[2, 0] == -1 and np.count_nonzero(a) == 1


def test_assumed_shapes_and_sizes() -> None:
    assumed = field(3, 4).astype(np.float32, order="F")
    sized, after = np.zeros((2, 9), np.float32, order="F"), np.zeros((4, 3), np.float32, order="F")
    hfpy.load(FORMS).shapes(2, assumed, sized, after)
    assert np.array_equal(after, assumed.T)
    assert sized[1, 0] == assumed[0, 1] and np.count_nonzero(sized) == 1


def test_shapes_can_be_asked_for() -> None:
    """The routine is not called."""
    forms = hfpy.load(FORMS, nx=3, ny=2)
    assert forms.module_sizes.shapes() == {"a": (5, 2)}
    assert forms.shapes.shapes(n=2)["sized"] == (2, -1)
    assert forms.shapes.shapes(n=2)["assumed"] == (-1, -1)
    assert [a.name for a in forms.maybe.arguments] == ["scale", "x", "extra", "times"]


def test_versions_for_sizes() -> None:
    """The version is taken where the sizes are these, and gives the same."""
    smooth = hfpy.load(SMOOTH, backend="openmp", opt=2, flags=EXACT, specialise="nx=17 ny=6", weight=0.375)
    assert "if (nx == 17 .and. ny == 6) then" in (smooth.generated / "source.F90").read_text()
    for nx, ny in ((17, 6), (17, 5)):
        a, b = field(nx + 2, ny + 2), -field(nx + 2, ny + 2)
        wanted = smoothed(a, b, 0.375)
        smooth.twice(nx, ny, a, b)
        assert np.array_equal(b, wanted)


def test_scalars_of_every_type() -> None:
    forms = hfpy.load(FORMS)
    back = forms.every_scalar(-3, 2**40, 0.5, True, 2 - 4j)
    assert back == (2**40 - 3, False, 1 - 2j)
    assert back._fields == ("i8", "o2", "o8")
    assert forms.every_scalar(np.int64(1), np.int8(1), np.float64(2), np.bool_(False), 1.0)[1:] == (True, 2 + 0j)
    assert forms.changed(4) == 5
    assert forms.by_value(np.array(4)) == 5


def test_function_results() -> None:
    forms = hfpy.load(FORMS)
    assert forms.results_real(np.array([0.5, 2.0, 8.0], np.float32)) == 10.5
    assert forms.results_integer(40) == 2**40
    assert forms.results_logical(1.0, 2) is True and forms.results_logical(2.0, 1.0) is False
    result, size = forms.results_complex(np.pi / 2, 3.0)
    assert abs(result - 3j) < 1e-12 and size == 6.0


def test_optional_arguments() -> None:
    forms = hfpy.load(FORMS)
    x = np.array([1.0, 2.0])
    forms.maybe(x=x)
    assert x.tolist() == [1, 2]
    forms.maybe(3.0, x, times=2)
    assert x.tolist() == [6, 12]
    forms.maybe(None, x, np.array([0.5, 1.5]))
    assert x.tolist() == [6.5, 13.5]
    with pytest.raises(ValueError, match=r"argument 'extra'.*wanted shape \(2,\), got \(3,\)"):
        forms.maybe(x=x, extra=np.zeros(3))


def test_calls_know_nothing_of_each_other() -> None:
    """The memory of a call is used again: what was left out, was faulty, or had another shape leaves no trace."""
    forms = hfpy.load(FORMS)
    x, extra = np.array([1.0, 2.0]), np.array([0.5, 1.5])
    forms.maybe(3.0, x, extra, 2)
    with pytest.raises(TypeError, match="argument 'x'"):
        forms.maybe(7.0, [1, 2], extra, 5)
    with pytest.raises(TypeError, match=r"argument 'times'.*wanted an integer"):
        forms.maybe(7.0, x, extra, 0.5)
    x[:] = 1, 2
    forms.maybe(x=x)
    assert x.tolist() == [1, 2]
    longer, empty = np.array([1.0, 2.0, 3.0]), np.zeros(0)
    for given in (longer, empty, x):
        wanted = [2 * value for value in given]
        forms.maybe(2.0, given)
        assert given.tolist() == wanted
    fixed = np.array([1.0, 2.0], np.float32)
    fixed.flags.writeable = False
    assert [forms.results_real(a) for a in (fixed, np.array([5.0], np.float32), fixed)] == [3, 5, 3]
    mask = np.array([[True, False]], order="F")
    kept = [weakref.ref(a) for a in (x, fixed, mask)]
    assert forms.flags(mask) == 1
    del x, fixed, mask, given
    assert [ref() for ref in kept] == [None, None, None]


def test_logical_arrays() -> None:
    forms = hfpy.load(FORMS)
    mask = np.array([[True, False], [False, True], [True, True]], order="F")
    few = np.array([True, False, True])
    forms.invert(3, mask, few)
    assert mask.tolist() == [[False, False], [True, True], [False, True]]
    assert few.tolist() == [False, True, False]
    mask.flags.writeable = False
    assert forms.flags(mask) == 3


def test_scalars_of_modules() -> None:
    forms = hfpy.load(FORMS)
    assert (forms.levels, forms.ready, forms.turn) == (3, True, 1j)
    forms.factor = 2.5
    assert forms.factor == 2.5 and forms.modules["forms"].factor == 2.5
    forms.mode = 8
    assert forms.mode == 8
    for name in ("levels", "ready"):
        with pytest.raises(AttributeError, match=rf"forms\.{name} .* cannot be set"):
            setattr(forms, name, 1)
    for name in ("secret", "hidden"):
        with pytest.raises(AttributeError, match=name):
            getattr(forms, name)
    assert {"factor", "results_real"} <= set(dir(forms))


def test_documentation_shows_the_declaration() -> None:
    twice = hfpy.load(SMOOTH, flags=EXACT, backend="openmp", opt=2).twice
    assert twice.__doc__.splitlines()[0] == "smooth.twice(nx, ny, a, b) -> calls_before"
    assert "real(rk), intent(in) :: a(0:nx+1,0:ny+1)" in twice.__doc__


def test_a_project(tmp_path: Path) -> None:
    """A folder with ``hfpy.toml``: several files, kinds from a module, storage order from the project."""
    statistics = hfpy.load(ROOT / "samples" / "reduction")
    a = np.asfortranarray(np.sin(np.arange(60.0)).reshape(3, 4, 5))
    back = statistics.line(60, a.reshape(-1, order="F"))
    assert back.highest == a.max()
    totals = statistics.sums(3, 4, 5, a, 0.5, 0.0, 0.0)
    assert np.isclose(totals.total, 0.5 + a.sum(), rtol=1e-12)


def test_files_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths may be relative; several files are compiled in the order that their modules ask for."""
    first, second = FORMS.split("end module sizes\n")
    (tmp_path / "z_sizes.f90").write_text(f"{first}end module sizes\n")
    (tmp_path / "forms.f90").write_text(second)
    monkeypatch.chdir(tmp_path)
    for source in (["forms.f90", Path("z_sizes.f90")], tmp_path, os.fspath(tmp_path)):
        assert hfpy.load(source).results_integer(3) == 8


def test_a_project_with_c(tmp_path: Path) -> None:
    """C sources of a project are part of the library, and of what decides whether it is built anew."""
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "mixed"\nsources = ["mixed.f90", "square.c"]\n')
    (tmp_path / "mixed.f90").write_text(MIXED)
    for factor in (1, 3):
        (tmp_path / "square.c").write_text(f"double square(double x) {{ return {factor} * x * x; }}\n")
        assert hfpy.load(tmp_path).of(5.0) == 25.0 * factor


def test_faults_of_the_source_are_diagnostics() -> None:
    with pytest.raises(HfpyError) as caught:
        hfpy.load(SMOOTH.replace("domSize(nx,ny)}", "domSize(nx)}"))
    assert {d.severity for d in caught.value.diagnostics} >= {"error"}
    assert caught.value.diagnostics[0].place.line > 0


LINE = """
module line
  implicit none
  integer :: n
contains
  subroutine line_init(n_all)
    integer, intent(in) :: n_all
    @decomposition{domName(i), global(n_all), local(n), halo(i:1), periodic(i)}
  end subroutine line_init

  subroutine smooth(a, b)
    real(8), intent(inout) :: a(0:n+1)
    real(8), intent(inout) :: b(0:n+1)
    @haloExchange{fields(a)}
    @parallelRegion{domName(i), domSize(n)}
    b(i) = a(i-1) + a(i+1)
    @end parallelRegion
  end subroutine smooth
end module line
"""


def test_routines_for_many_processes_run_as_one(tmp_path: Path) -> None:
    source = tmp_path / "line.h90"
    source.write_text(LINE)
    made = hfpy.load(source)
    made.line_init(5)
    values = np.array([0.0, 1, 2, 3, 4, 5, 0])
    result = np.zeros(7)
    made.smooth(values, result)
    assert values.tolist() == [5, 1, 2, 3, 4, 5, 1]
    assert result.tolist() == [0, 7, 4, 6, 8, 5, 0]

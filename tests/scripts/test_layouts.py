"""Orders of arrays that scripts ask for: results stay, every file follows, and what cannot be is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import hfpy
from hfpy.api import IllegalTransform, Kernel
from hfpy.changes import changes_of
from hfpy.options import ScriptFolder
from tests.support import (
    CUDA_C,
    CUDA_FORTRAN,
    OPENACC,
    OPENCL,
    OPENMP,
    OPENMP_TARGET,
    SEQUENTIAL,
    Corpus,
    Pair,
    Variant,
    translate_text,
)

FIELDS = """module laid_fields
  implicit none
  integer, parameter :: nx = 7, ny = 3, nz = 5
  real(8) :: u(nx,ny,nz), t(nx,ny)
end module
"""
WORK = """module laid
  use laid_fields, only: nx, ny, nz, u, t
  use laid_plain, only: shown
  implicit none
contains
  subroutine fill(v)
    real(8), intent(inout) :: v(nx,ny,nz)
    integer :: i, j, k
    {begin(fill)}
    do k = 1, nz
      v(i,j,k) = 100*i + 10*j + k
    end do
    {end}
    {begin(mix)}
    t(i,j) = 0
    do k = 2, nz
      t(i,j) = t(i,j) + v(i,j,k-1) * v(i,j,k)
    end do
    {end}
  end subroutine
  subroutine run()
    call fill(u)
    call shown()
    print '(7f9.0)', t
    print '(3i3,f12.1)', size(t, 1), size(t, 2), size(u, 3), sum(u(2,:,3))
  end subroutine
end module
"""
PLAIN = """module laid_plain
contains
  subroutine shown()
    use laid_fields, only: u
    print '(7f6.0)', u(:,2,:)
    u(3,2,4) = u(3,2,4) + 1
    print '(f6.0)', u(3,2,4)
  end subroutine
end module
"""
REGION = "@parallelRegion{domName(i,j), domSize(nx,ny), name(NAME)}"


def _pair() -> Pair:
    hybrid = WORK.replace("{end}", "@end parallelRegion")
    twin = WORK.replace("{end}", "end do\nend do")
    for name in ("fill", "mix"):
        hybrid = hybrid.replace(f"{{begin({name})}}", REGION.replace("NAME", name))
        twin = twin.replace(f"{{begin({name})}}", "do j = 1, ny\ndo i = 1, nx")
    beside = {"laid_fields.f90": FIELDS, "laid_plain.f90": PLAIN}
    return Pair("laid", {"laid.h90": hybrid, **beside}, {"laid.f90": twin, **beside}, "laid")


def _with_script(variant: Variant, folder: Path, *rows: str) -> Variant:
    scripts = folder / "scripts"
    scripts.mkdir(exist_ok=True)
    (scripts / "s.py").write_text(
        "\n    ".join(["def annotate(kernel, annotations, context):", *rows, "return kernel", ""])
    )
    return replace(variant, options={**variant.options, "scripts": ScriptFolder(scripts, "s", "", True)})


FILL = "if kernel.name == 'fill': kernel = kernel.layout('v', 'k', 'i', 'j')"
MIX = "if kernel.name == 'mix': kernel = kernel.layout('t', 1, 0)"
WAYS = [OPENMP, CUDA_C, *(pytest.param(v, marks=pytest.mark.full) for v in (CUDA_FORTRAN, OPENACC, OPENMP_TARGET))]


@pytest.mark.parametrize("variant", [*WAYS, pytest.param(OPENCL, marks=pytest.mark.full)], ids=lambda v: v.label)
def test_an_order_changes_no_result_in_any_file(variant: Variant, tmp_path: Path) -> None:
    way = _with_script(variant, tmp_path, FILL, MIX)
    corpus = Corpus([_pair()], tmp_path, {"laid": (way,)})
    corpus.check_one("laid", way)
    text = corpus.translation("laid", way).text
    assert "u(nz,nx,ny), t(ny,nx)" in text and "v(nz,nx,ny)" in text and "u(4,3,2) = u(4,3,2) + 1" in text
    assert "by s.py:2: layout('v', 'k', 'i', 'j')" in text


def test_blocks(tmp_path: Path) -> None:
    way = _with_script(OPENMP, tmp_path, "if kernel.name == 'mix': kernel = kernel.layout('v', 'i:4 k i', 'j')")
    pair = replace(_pair(), hybrid={**_pair().hybrid, "laid_plain.f90": PLAIN.replace("u(:,2,:)", "u(3,2,:)")})
    twin = {**_pair().reference, "laid_plain.f90": PLAIN.replace("u(:,2,:)", "u(3,2,:)")}
    pair = replace(pair, reference=twin)
    corpus = Corpus([pair], tmp_path, {"laid": (way,)})
    corpus.check_one("laid", way)
    assert "u(4,nz,shiftr(nx+3,2),ny)" in corpus.translation("laid", way).text
    done = replace(way, options={**way.options, **CUDA_C.options}).translated(pair)
    assert [d.code for d in done.errors] == ["HF670"] and "'cuda-c' knows none" in done.errors[0].message


def _program(tmp_path: Path, **changed: str) -> hfpy.api.Program:
    files = {**_pair().hybrid}
    for stem, text in changed.items():
        file = "laid.h90" if stem == "laid" else f"{stem}.f90"
        for change in text.split(" ;; "):
            old, new = change.split(" -> ")
            assert old in files[file]
            files[file] = files[file].replace(old, new, 1)
    main = "program main\n  use laid\n  call run()\nend program\n"
    paths = []
    for file, text in {**files, "main.f90": main}.items():
        paths.append(tmp_path / file)
        paths[-1].write_text(text)
    return hfpy.read(paths, backend="sequential")


def _kernel(tmp_path: Path, name: str, **changed: str) -> Kernel:
    return _program(tmp_path, **changed)[name]


def test_what_a_kernel_says_of_its_arrays(tmp_path: Path) -> None:
    kernel = _kernel(tmp_path, "mix")
    made = kernel.layout("V", 2, 0, 1)
    assert (kernel.arrays["v"].layout, made.arrays["v"].layout) == ((0, 1, 2), (2, 0, 1))

    again = made.layout("v", "i", "j", "k")
    assert again.arrays["v"].layout == (0, 1, 2)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (("v", "i", "j"), "loops along the dimensions of 'v' are: i, j, k"),
        (("v", "l", "i", "j"), "'l' runs along no dimension of 'v' in this kernel"),
        (("z", "i", "j"), "'z' is none"),
        (("v",), "loops along the dimensions"),
        (("v", 0, 1), "the dimensions of 'v' are 0, 1, 2"),
        (("v", 0, 1, 3), "the dimensions of 'v' are 0, 1, 2"),
        (("v", "i:", "j", "k"), "the blocks of 'i' have no length"),
        (("v", "i:1", "j", "k", "i"), "the blocks of 'i' have no length"),
        (("v", 0, "j", "k"), "is no domain"),
    ],
)
def test_orders_that_are_none(order: tuple[str | int, ...], message: str, tmp_path: Path) -> None:
    with pytest.raises(IllegalTransform) as refused:
        _kernel(tmp_path, "mix").layout(str(order[0]), *order[1:])
    assert message in refused.value.message and refused.value.place.line == 14
    assert refused.value.script is not None and refused.value.script.file == __file__


@pytest.mark.parametrize(
    ("changed", "message", "place"),
    [
        ({"laid_plain": "u(:,2,:) -> reshape(u, [105])"}, "the intrinsic 'reshape' sees", ("laid_plain.f90", 5)),
        ({"laid_plain": "u(3,2,4) = u(3,2,4) + 1 -> call foreign(u)"}, "it goes to 'foreign'", ("laid_plain.f90", 6)),
        ({"laid_fields": "real(8) :: u -> equivalence (u, w)\nreal(8) :: w, u"}, "", ("laid_fields.f90", 5)),
    ],
)
def test_what_speaks_against_an_order_in_any_file(
    changed: dict[str, str], message: str, place: tuple[str, int], tmp_path: Path
) -> None:
    kernel = _kernel(tmp_path, "mix", **changed)
    with pytest.raises(IllegalTransform) as refused:
        kernel.layout("v", "k", "i", "j")
    fault = refused.value
    assert message in fault.message and "'v' keeps its declared order" in fault.message
    assert (Path(fault.place.file).name, fault.place.line) == place
    assert fault.rule == "the whole program can have the array in that order"


def test_a_plain_file_that_cannot_be_read(tmp_path: Path) -> None:
    """Without the order nobody reads what it holds."""
    kernel = _kernel(tmp_path, "mix", laid_plain="u(3,2,4) = u(3,2,4) + 1 -> u(3,2,4) = = 1")
    with pytest.raises(IllegalTransform, match=r"laid_plain\.f90:6"):
        kernel.layout("v", "k", "i", "j")


def test_two_kernels_that_ask_for_different_orders(tmp_path: Path) -> None:
    rows = [FILL, "if kernel.name == 'mix': kernel = kernel.layout('v', 'j', 'k', 'i')"]
    done = _with_script(SEQUENTIAL, tmp_path, *rows).translated(_pair())
    (fault,) = done.errors
    assert fault.code == "HF670" and "the kernel 'fill' asks for another order" in fault.message
    assert [fault.place.line, *(r.place.line for r in fault.related)] == [14, 3, 2] and not done.files


def test_arrays_that_one_statement_names_get_an_order_together(tmp_path: Path) -> None:
    files = {
        "laid": "    call shown() ->     w = u\n    call shown() ;; nz, u, t -> nz, u, t, w",
        "laid_fields": "real(8) :: u( -> real(8) :: w(nx,ny,nz), u(",
    }
    program = _program(tmp_path, **files)
    with pytest.raises(IllegalTransform, match="differ in order"):
        program["mix"].layout("u", 2, 0, 1)
    program["mix"].layout(("u", "w"), 2, 0, 1)
    text = "".join(program.texts().values())
    assert "w(nz,nx,ny), u(nz,nx,ny)" in text and "w = u" in text


def test_what_another_kernel_does_speaks_against_an_order(tmp_path: Path) -> None:
    rows = [FILL, "if kernel.name == 'mix': kernel = kernel.before('call foreign(u)')"]
    done = _with_script(SEQUENTIAL, tmp_path, *rows).translated(_pair())
    (fault,) = done.errors
    assert fault.code == "HF670" and "it goes to 'foreign'" in fault.message and fault.place.line == 9
    assert [r.place.line for r in fault.related] == [2] and not done.files


def test_macros_decide_the_orders(tmp_path: Path) -> None:
    way = replace(_with_script(SEQUENTIAL, tmp_path, FILL), order="KIJ")
    done = way.translated(_pair())
    assert [d.code for d in done.errors] == ["HF670"] and "the macros of a storage-order file" in done.errors[0].message


def test_from_the_command_line() -> None:
    options = {"backend": "sequential", "changes": (changes_of("layout.fill=v,k i j"),)}
    assert "u(nz,nx,ny)" in translate_text(_pair().hybrid, **options).require().text
    options["changes"] = (changes_of("layout.fill=v,i k"),)
    done = translate_text(_pair().hybrid, **options)
    assert [d.code for d in done.errors] == ["HF675"], done.errors


def test_the_order_of_one_array_in_a_project_concerns_plain_files() -> None:
    done = translate_text(_pair().hybrid, layout_arrays={"u": "k i j"}, opt=0).require()
    assert "u(4,3,2) = u(4,3,2) + 1" in done.files["laid_plain.f90"]


def test_a_script_goes_over_the_project_but_for_what_has_to_stay(tmp_path: Path) -> None:
    pair, way = _pair(), _with_script(SEQUENTIAL, tmp_path, FILL)
    other = replace(way, options={**way.options, "layout_arrays": {"u": "j i k"}}).translated(pair).require()
    assert "u(nz,nx,ny)" in other.text
    stays = replace(way, options={**way.options, "layout_arrays": {"u": "declared"}}).translated(pair)
    assert [d.code for d in stays.errors] == ["HF670"] and "hfpy.toml" in stays.errors[0].message

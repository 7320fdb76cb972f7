"""The build driver: executables come out, only what changed is compiled again, nothing stale is taken as good."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Builder

from hfpy.diagnostics import HfpyError, ToolError

TOML = '[project]\nname = "demo"\nsources = ["source"]\n[target.cpu]\nflags = ["-O1"]\n'
BASE = """\
module base
  implicit none
  integer, parameter :: factor = 3
contains
  integer function scaled(n)
    integer, intent(in) :: n
    scaled = n * factor
  end function
end module
"""
MIDDLE = """\
module middle
  use base
  implicit none
contains
  subroutine say(n)
    integer, intent(in) :: n
    print '(i0)', scaled(n)
  end subroutine
end module
"""
MAIN = "program demo\n  use middle\n  implicit none\n  call say(14)\nend program\n"
SOURCES = {"hfpy.toml": TOML, "source/z_base.h90": BASE, "source/middle.F90": MIDDLE, "source/demo.f90": MAIN}


def run(executable: Path) -> str:
    return subprocess.run([executable], capture_output=True, text=True, check=True).stdout


def names(done: tuple[str, ...]) -> list[str]:
    return sorted(Path(name).name for name in done)


def test_builds_in_the_order_of_the_modules(builder: Builder, write: Callable[..., None], tmp_path: Path) -> None:
    write(SOURCES)
    built = builder()
    assert built.executables == {"demo": tmp_path / "build/cpu-openmp/demo"}
    assert run(built.executables["demo"]) == "42\n"
    assert (tmp_path / "build/cpu-openmp/generated/z_base.F90").read_text() == BASE
    compile_commands = [c for c in builder.commands if " -c " in c]
    assert [Path(c.split()[-1]).name for c in compile_commands] == ["z_base.F90", "middle.F90", "demo.f90"]
    assert all("-fopenmp" in c for c in builder.commands if " -c " in c)
    assert "-cpp" in compile_commands[0] and "-cpp" not in compile_commands[2]


def test_nothing_is_done_twice(builder: Builder, write: Callable[..., None], tmp_path: Path) -> None:
    write(SOURCES)
    first = builder()
    assert names(first.done) == ["demo", "demo.f90", "libdemo.a", "middle.F90", "z_base.h90"]
    executable = first.executables["demo"]
    before = executable.stat().st_mtime_ns
    os.utime(tmp_path / "source/z_base.h90")  # the time alone means nothing
    assert builder().done == ()
    assert executable.stat().st_mtime_ns == before


def test_an_edit_in_a_body_compiles_one_file(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    builder()
    write({"source/z_base.h90": BASE.replace("n * factor", "n * factor + 1")})
    built = builder()
    assert names(built.done) == ["demo", "libdemo.a", "z_base.h90"]
    assert run(built.executables["demo"]) == "43\n"


def test_an_edit_in_an_interface_compiles_its_users(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    builder()
    write({"source/z_base.h90": BASE.replace("factor = 3", "factor = 5")})
    built = builder()
    assert "middle.F90" in names(built.done)
    assert run(built.executables["demo"]) == "70\n"


@pytest.mark.parametrize(
    ("toml", "again"),
    [
        (TOML.replace("-O1", "-O0"), ["demo.f90", "middle.F90", "z_base.h90"]),
        (TOML + '[files."middle.F90"]\nflags = ["-fcheck=all"]\n', ["middle.F90"]),
        (TOML.replace("[target", 'define = ["X=1"]\n[target'), ["middle.F90", "z_base.h90"]),
    ],
)
def test_a_change_of_flags_compiles_what_it_concerns(
    builder: Builder, write: Callable[..., None], toml: str, again: list[str]
) -> None:
    write(SOURCES)
    builder()
    write({"hfpy.toml": toml})
    done = names(builder().done)
    assert [name for name in done if "90" in name] == again  # equal objects are not linked again


@pytest.mark.parametrize("place", ["target", "file"])
def test_flags_that_call_the_preprocessor_bring_the_macros(
    builder: Builder, write: Callable[..., None], place: str
) -> None:
    """Also to plain files without lines for the preprocessor, which hfpy reads with the macros, too."""
    toml = TOML.replace("[target", 'define = ["TIMES=4"]\n[target')
    of_file = '[files."middle.F90"]\nflags = []\n[files."demo.f90"]\nflags = ["-cpp"]\n'
    toml = toml.replace('"-O1"', '"-O1", "-cpp"') if place == "target" else toml + of_file
    write({**SOURCES, "hfpy.toml": toml, "source/demo.f90": MAIN.replace("14", "TIMES")})
    assert run(builder().executables["demo"]) == "12\n"


def test_a_change_of_an_included_file_compiles_its_includers(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    write(
        {
            "source/middle.F90": MIDDLE.replace("scaled(n)", "scaled(n) + PLUS").replace(
                "module middle\n", 'module middle\n#include "outer.h"\n', 1
            ),
            "source/outer.h": '#include "inner/plus.h"\n',
            "source/inner/plus.h": "#define PLUS 1\n",
        }
    )
    assert run(builder().executables["demo"]) == "43\n"
    write({"source/inner/plus.h": "#define PLUS 2\n"})
    built = builder()
    assert "middle.F90" in names(built.done)
    assert "z_base.h90" not in names(built.done)
    assert run(built.executables["demo"]) == "44\n"


def test_what_is_damaged_is_made_again(builder: Builder, write: Callable[..., None], tmp_path: Path) -> None:
    write(SOURCES)
    folder = tmp_path / "build/cpu-openmp"
    builder()
    (folder / "objects/middle.F90.o").write_bytes(b"half")
    assert "middle.F90" in names(builder().done)
    (folder / "modules/base.mod").unlink()
    assert "z_base.h90" in names(builder().done)
    (folder / "generated/middle.F90").write_text("module half")
    assert run(builder().executables["demo"]) == "42\n"
    (folder / "translation.json").write_text('{"format": 1')
    (folder / "objects/z_base.F90.o.record").write_text("{")
    built = builder()
    assert "z_base.h90" in names(built.done)
    (folder / "demo").write_bytes(b"")
    assert run(builder().executables["demo"]) == "42\n"


def test_an_object_is_good_only_with_its_own_record(
    builder: Builder, write: Callable[..., None], tmp_path: Path
) -> None:
    """As if killed between an object and its record, and the source then put back as it was."""
    write(SOURCES)
    builder()
    record = tmp_path / "build/cpu-openmp/objects/z_base.F90.o.record"
    kept = record.read_bytes()
    write({"source/z_base.h90": BASE.replace("n * factor", "0")})
    builder()
    record.write_bytes(kept)
    write(SOURCES)
    assert run(builder().executables["demo"]) == "42\n"


def test_a_removed_module_cannot_be_used_any_more(builder: Builder, write: Callable[..., None], tmp_path: Path) -> None:
    write(SOURCES)
    builder()
    (tmp_path / "source/z_base.h90").unlink()
    with pytest.raises(ToolError, match=r"base\.mod"):
        builder()
    assert not (tmp_path / "build/cpu-openmp/generated/z_base.F90").exists()


def test_messages_lead_to_the_users_lines(
    builder: Builder, write: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(SOURCES)
    write({"source/z_base.h90": "!hfpy-lines 7\n" + BASE.replace("n * factor", "n * faktor")})
    with pytest.raises(ToolError) as caught:
        builder()
    message = str(caught.value)
    assert "source/z_base.h90:8:" in message
    assert "faktor" in message
    assert "    8 |     scaled = n * faktor" in message
    assert not (tmp_path / "build/cpu-openmp/demo").exists()


def test_warnings_of_the_compiler_are_shown(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    write({"hfpy.toml": TOML.replace('"-O1"', '"-Wall"')})
    write(
        {"source/z_base.h90": BASE.replace("integer, intent(in) :: n\n", "integer, intent(in) :: n\n integer :: m\n")}
    )
    builder()
    assert any("z_base.h90:7" in text and "Unused variable" in text for text in builder.said)


def test_independent_failures_stop_the_build_without_executable(
    builder: Builder, write: Callable[..., None], tmp_path: Path
) -> None:
    write(SOURCES)
    builder()
    write({"source/middle.F90": "module middle\n call\nend module\n"})
    with pytest.raises(ToolError, match=r"middle\.F90:2"):
        builder()
    write({"source/middle.F90": MIDDLE})
    assert run(builder().executables["demo"]) == "42\n"


def test_translation_errors_write_nothing(builder: Builder, write: Callable[..., None], tmp_path: Path) -> None:
    write(SOURCES)
    write({"source/middle.F90": MIDDLE + "!hfpy-error first\n!hfpy-error second\n"})
    with pytest.raises(HfpyError) as caught:
        builder()
    assert [d.message for d in caught.value.diagnostics] == ["first", "second"]
    assert not list((tmp_path / "build/cpu-openmp").glob("generated/*"))


def test_warnings_of_the_translator_come_again(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    write({"source/middle.F90": MIDDLE + "!hfpy-warning look\n"})
    first, second = builder(), builder()
    assert [d.message for d in first.diagnostics] == ["look"]
    assert second.done == ()
    assert second.diagnostics == first.diagnostics


def test_mixed_languages(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    write(
        {
            "source/fixed.f": "C     a comment\n      subroutine fixed(n)\n      integer n\n"
            "      n = n +\n     &  1\n      end\n",
            "source/fixedpp.F": "#define TWO 2\n      subroutine fixedpp(n)\n      integer n\n"
            "      n = n*TWO\n      end\n",
            "source/low/level.c": '#include "level.h"\nvoid level_(int *n) { *n += LEVEL; }\n',
            "source/low/level.h": "#define LEVEL 100\n",
            "source/demo.f90": "program demo\n integer :: n = 1\n call fixed(n)\n call fixedpp(n)\n call level(n)\n"
            " print '(i0)', n\nend program\n",
        }
    )
    assert run(builder().executables["demo"]) == "104\n"
    write({"source/low/level.h": "#define LEVEL 200\n"})
    built = builder()
    assert names(built.done) == ["demo", "level.c", "libdemo.a"]
    assert run(built.executables["demo"]) == "204\n"


def test_a_new_library_is_linked(builder: Builder, write: Callable[..., None], tmp_path: Path) -> None:
    """A library that flags name by its file, as that of the GPU's runtime is, belongs to what a program is made of."""

    def library(value: int) -> None:
        (tmp_path / "given.c").write_text(f"int given_(void) {{ return {value}; }}\n")
        subprocess.run(["gcc", "-c", "given.c", "-o", "given.o"], cwd=tmp_path, check=True)
        subprocess.run(["ar", "rcs", "libgiven.a", "given.o"], cwd=tmp_path, check=True)

    library(1)
    main = "program demo\n integer, external :: given\n print '(i0)', given()\nend program\n"
    write(SOURCES)
    write({"source/demo.f90": main, "hfpy.toml": TOML + 'ldflags = ["libgiven.a"]\n'})
    assert run(builder().executables["demo"]) == "1\n"
    library(2)
    built = builder()
    assert names(built.done) == ["demo"]
    assert run(built.executables["demo"]) == "2\n"
    assert builder().done == ()


def test_several_executables_and_block_data(builder: Builder, write: Callable[..., None], tmp_path: Path) -> None:
    write(SOURCES)
    write(
        {
            "source/data.f90": "block data\n common /c/ i\n data i /7/\nend block data\n",
            "source/other.f90": "program other\n common /c/ i\n print '(i0)', i\nend program\n",
        }
    )
    built = builder()
    assert sorted(built.executables) == ["demo", "other"]
    assert run(built.executables["other"]) == "7\n"
    write({"hfpy.toml": TOML.replace("[target", 'executables = ["other"]\n[target')})
    assert sorted(builder().executables) == ["other"]


def test_executables_by_the_names_of_programs(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    write({"source/run.f90": "program Model\n print '(i0)', 5\nend program\n"})
    write({"hfpy.toml": TOML.replace("[target", 'executables = ["model", "demo"]\n[target')})
    built = builder().executables
    assert sorted(built) == ["demo", "model"] and run(built["model"]) == "5\n"
    write({"source/also.f90": "program model\nend program\n"})
    with pytest.raises(HfpyError, match="two main programs are named 'model'"):
        builder()
    write({"source/model.f90": "program other\n print '(i0)', 6\nend program\n"})
    assert run(builder().executables["model"]) == "6\n", "a file of the name goes first"


def test_unknown_executable(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    write({"hfpy.toml": TOML.replace("[target", 'executables = ["dmo"]\n[target')})
    with pytest.raises(HfpyError) as caught:
        builder()
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.place.line, fault.hint) == ("HF809", 4, "main programs here: demo")


def test_submodules(builder: Builder, write: Callable[..., None]) -> None:
    write(
        {
            "hfpy.toml": TOML,
            "source/a_sub.f90": "submodule (shape) a_sub\ncontains\nmodule procedure area\n"
            " area = 2.5 * r\nend procedure\nend submodule\n",
            "source/shape.f90": "module shape\n interface\n  module real function area(r)\n   real, intent(in) :: r\n"
            "  end function\n end interface\nend module\n",
            "source/demo.f90": "program demo\n use shape\n print '(f4.1)', area(2.0)\nend program\n",
        }
    )
    assert run(builder().executables["demo"]) == " 5.0\n"
    assert builder().done == ()


def test_circle_of_modules(builder: Builder, write: Callable[..., None]) -> None:
    write({"hfpy.toml": TOML, "source/demo.f90": MAIN, "source/middle.f90": MIDDLE})
    write({"source/base.f90": "module base\n use middle\nend module\n"})
    with pytest.raises(HfpyError) as caught:
        builder()
    (fault,) = caught.value.diagnostics
    assert fault.code == "HF810"
    assert "middle.f90 → base.f90 → middle.f90" in fault.message or "base.f90 → middle.f90 → base.f90" in fault.message


def test_a_module_twice(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    write({"source/again.f90": "module base\nend module\n"})
    with pytest.raises(HfpyError) as caught:
        builder()
    assert [d.code for d in caught.value.diagnostics] == ["HF108"]


def test_equal_output_names(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    write({"source/middle.h90": "subroutine x\nend subroutine\n"})
    with pytest.raises(HfpyError) as caught:
        builder()
    (fault,) = caught.value.diagnostics
    assert fault.code == "HF807"
    assert "middle.F90" in fault.message


def test_environment_is_honoured(builder: Builder, write: Callable[..., None], tmp_path: Path) -> None:
    write(SOURCES)
    wrapper = tmp_path / "bin/mpif90"
    write({"bin/mpif90": '#!/bin/sh\necho "$@" >> ' + str(tmp_path / "calls") + '\nexec gfortran "$@"\n'})
    wrapper.chmod(0o755)
    builder.environment = {"FC": str(wrapper), "FFLAGS": "-DFROM_FFLAGS -O2", "LDFLAGS": "-Wl,--as-needed"}
    assert run(builder().executables["demo"]) == "42\n"
    calls = (tmp_path / "calls").read_text().splitlines()
    compiled = [c for c in calls if c.startswith("-c ")]
    assert len(compiled) == 3
    assert all(c.index("-O1") < c.index("-O2") for c in compiled)
    assert "-Wl,--as-needed" in calls[-1]


def test_a_missing_compiler_is_one_clear_message(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    builder.environment = {"FC": "no-such-fortran"}
    with pytest.raises(ToolError) as caught:
        builder()
    assert "'no-such-fortran' is not on this machine" in str(caught.value)
    assert "apt-get install gfortran" in str(caught.value)


def test_an_unwritable_folder_is_told(builder: Builder, write: Callable[..., None], tmp_path: Path) -> None:
    write(SOURCES)
    (tmp_path / "build").write_text("a file where the folder should be")
    with pytest.raises(HfpyError) as caught:
        builder()
    assert [d.code for d in caught.value.diagnostics] == ["HF806"]


def test_debug_finds_a_wrong_index(builder: Builder, write: Callable[..., None]) -> None:
    write(SOURCES)
    program = "program demo\n integer :: a(3), i\n i = 4\n read (*,*, end=1) i\n1 a(i) = 1\n print *, a\nend\n"
    write({"source/demo.f90": program})
    executable = builder(debug=True).executables["demo"]
    ended = subprocess.run([executable], input="", capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert "above upper bound" in ended.stderr


def test_cuda_files_are_compiled_for_the_gpu_only(builder: Builder, write: Callable[..., None], tmp_path: Path) -> None:
    """With a stand-in for nvcc beside a stand-in for the CUDA runtime library."""
    write(SOURCES)
    nvcc = '#!/bin/sh\n[ "$1" = --dryrun ] && { echo "#$ LIBRARIES=  \\"-L${0%/bin/nvcc}/lib64\\"" >&2; exit; }\n'
    nvcc += 'echo "$@" >> CALLS\n'
    nvcc += 'for a; do shift; case $a in -arch=*|-lineinfo) ;; *) set -- "$@" "$a";; esac; done\n'
    write(
        {
            "cuda/bin/nvcc": nvcc.replace("CALLS", str(tmp_path / "calls")) + 'exec gcc -x c "$@"\n',
            "cuda/rt.c": "int rt;\n",
        }
    )
    (tmp_path / "cuda/bin/nvcc").chmod(0o755)
    (tmp_path / "cuda/lib64").mkdir()
    subprocess.run(["gcc", "-c", "rt.c"], cwd=tmp_path / "cuda", check=True)
    subprocess.run(["ar", "rcs", "lib64/libcudart.a", "rt.o"], cwd=tmp_path / "cuda", check=True)
    toml = TOML.replace("[target.cpu]", 'nvccflags = ["-lineinfo"]\n[target.gpu]\narch = "sm_90"\n[target.cpu]')
    main = MAIN.replace("call say(14)", "integer :: n = 1\n call kernel(n)\n call say(n)").replace("implicit none", "")
    write({"hfpy.toml": toml, "source/kernel.cu": "void kernel_(int *n) { *n += GPU; }\n", "source/demo.f90": main})
    builder.environment = {"NVCC": str(tmp_path / "cuda/bin/nvcc")}
    assert run(builder(target="gpu").executables["demo"]) == "6\n"
    call = (tmp_path / "calls").read_text().splitlines()[-1]
    assert "-c -DGPU" in call and "-arch=sm_90 -lineinfo" in call
    with pytest.raises(ToolError, match="kernel_"):
        builder(target="cpu")


def test_builds_at_the_same_time_wait_for_each_other(write: Callable[..., None], tmp_path: Path) -> None:
    write(SOURCES)
    command = [sys.executable, str(Path(__file__).parent / "plain_hfpy.py"), "build"]
    both = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    reported = sorted(process.communicate(timeout=300)[0] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert "5 steps done" in reported[0] and "up to date" in reported[1]


@pytest.mark.parametrize("compiler", ["gfortran", "flang-22"])
@pytest.mark.parametrize("place", [".", "source", "included"])
def test_module_files_of_another_build_are_not_read(
    builder: Builder,
    write: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    compiler: str,
) -> None:
    """Compilers look for them in the folder in which they run before all others: the factor was the other build's."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    monkeypatch.setenv("FC", compiler)
    included = {"source/demo.f90": MAIN.replace("call", "include 'last.inc'\n  call")}
    given = {"hfpy.toml": TOML.replace('"-O1"', '"-I", "included"'), "included/last.inc": ""}
    write(SOURCES | included | given)
    (tmp_path / "other.f90").write_text(BASE.replace("factor = 3", "factor = 4"), encoding="utf-8")
    command = [compiler, "-c", "other.f90", "-o", "other.o", "-J", place]
    subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "other.f90").unlink()
    assert run(builder().executables["demo"]) == "42\n"

"""What the compiler makes of generated kernels must not get worse: instructions, registers, spills (sm_90)."""

from __future__ import annotations

from pathlib import Path

import pytest

import hfpy
from benchmarks.gpu import static
from tests.gpu.emulated import needs_nvcc

SAMPLES = Path(__file__).resolve().parents[2] / "samples"

#: The most instructions and registers of kernels, as counted with nvcc 13.0 and a little room.
MOST = {
    "hfk0_laplace": (41, 24),
    "hfk0_hdiffsa": (125, 50),
    "hfk0_diffusion_step": (235, 48),
}

LISTING = """
		Function : hfk0_f
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */
                                                            /* 0x000fe20000000800 */
        /*0010*/              @!P0 BRA 0x30 ;               /* 0x0000000000007919 */
        /*0020*/                   IADD3 R2, R1, 0x4, RZ ;  /* 0x0000000000007919 */
        /*0030*/                   EXIT ;                   /* 0x0000000000007919 */
        /*0040*/                   BRA 0x40;                /* 0x0000000000007919 */
        /*0050*/                   NOP;                     /* 0x0000000000007919 */
        /*0060*/                   NOP;                     /* 0x0000000000007919 */
		Function : hfk1_f
        /*0000*/                   EXIT ;                   /* 0x0000000000007919 */
"""

SAID = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'hfk0_f' for 'sm_90'
ptxas info    : Function properties for hfk0_f
    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 56 registers, used 1 barriers, 2048 bytes smem
ptxas info    : Compiling entry function 'hfk1_f' for 'sm_90'
ptxas info    : Function properties for hfk1_f
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
"""


def test_what_fills_up_memory_is_not_counted() -> None:
    assert static.instructions(LISTING) == {"hfk0_f": 4, "hfk1_f": 1}


def test_what_ptxas_says() -> None:
    assert static.used(SAID) == {"hfk0_f": (56, 28, 2048), "hfk1_f": (4, 0, 0)}


def test_the_table_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{static.BEGIN}\nold\n{static.END}\n\nafter\n")
    monkeypatch.setattr(static, "compiler_version", lambda: "13.0")
    rows = static.table({"one": [static.Count("hfk0_f", "f.h90:3", 10, 12, 20, 0, 64)]})
    static.publish(rows, "sm_90", page)
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    assert "nvcc 13.0, `-O3 -arch=sm_90`" in text
    assert "| one | hfk0_f | f.h90:3 | 10 | 12 | 20 |  | 64 |" in text


@needs_nvcc
@pytest.mark.skipif(static.cuobjdump() is None, reason="cuobjdump is not on this machine (pip: hfpy[gpu-static])")
def test_kernels_do_not_get_worse(tmp_path: Path) -> None:
    sources = {
        "stencils": ("cosmo.h90", "kinds.F90"),
        "diffusion": ("heat.h90", "box.h90"),
    }
    found = {}
    for sample, names in sources.items():
        paths = [SAMPLES / sample / "source" / name for name in names]
        program = hfpy.read(paths, target="gpu", backend="cuda-c", opt=2, layout="i j k")
        (made,) = (path for path in program.write(tmp_path / sample) if path.suffix == ".cu")
        found.update({row.kernel: row for row in static.counted(made)})
    for kernel, (instructions, registers) in MOST.items():
        row = found[kernel]
        assert row.instructions <= instructions and row.registers <= registers and not row.spills, row

"""The model of GPU lowerings against exact counting: the turns of a walk and the nests of a tile, taken one by one over
the generated text; sets of points; and the registers that the compiler gives.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from random import Random

import pytest

from hfpy.build.compile.cuda import RUNTIME
from hfpy.build.session import Given, open_project
from hfpy.model.printing import rows
from hfpy.model.statements import Node
from hfpy.options import GPU, Machine
from hfpy.pipeline import translate
from hfpy.project import source_files
from hfpy.transform.stencil.effort import CLEARLY, EFFORTS
from hfpy.transform.stencil.explained import lowerings
from hfpy.transform.stencil.gpumodel import for_backend, occupancy, price_of, priced
from hfpy.transform.stencil.gpuwork import GpuWork, executed, of_points, of_tiles, of_walks, union
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.lowering import MOST_SHARED, POINTS
from hfpy.transform.stencil.model import traffic
from hfpy.transform.stencil.program import Offset, Program
from hfpy.transform.stencil.tiles import TileWriter, keepable
from hfpy.transform.stencil.walk import WalkWriter
from tests.gpu.emulated import NVCC, needs_nvcc
from tests.samples.programs import SAMPLES
from tests.stencils.test_counts import EVALUATIONS, programs
from tests.stencils.test_model import groups

__all__ = ["programs"]
TURNS = 5
_ELEMENT = re.compile(r"\b(?!hf_)([a-z]\w*)\(([^()]*\b[ijk]\b[^()]*|[^()]*hf_\w_block[^()]*)\)")


def texts(body: tuple[Node, ...]) -> list[str]:
    """The lines of statements."""
    return [row.text for row in rows(body)]


def whole(program: Program) -> Group:
    """All stages of a program as one group."""
    return Group(program, program.stages)


def evaluated(lines: Iterable[str], program: Program) -> float:
    """The operations of the stages whose values some lines compute, by the scalars that they set."""
    names = {s.writes[0]: s for s in program.stages}
    total = 0.0
    for line in lines:
        found = re.match(r"\s*hf_(\w+?)(?:_v(\d+))?((?:_[ijk][pm]\d+)*) = (.*)", line)
        if not found or "_rows(" in found[1] or re.fullmatch(r"hf_\w+", found[4]) or found[1].endswith("_in"):
            continue
        stage = next((s for v, s in names.items() if (v.array, v.number) == (found[1], int(found[2] or 1))), None)
        total += stage.operations if stage is not None else 0
    return total


def elements(lines: Iterable[str], program: Program) -> Counter[str]:
    """How often some lines name each element of an array in memory."""
    found: Counter[str] = Counter()
    for line in lines:
        for name, index in _ELEMENT.findall(line):
            if name in program.patterns:
                found[f"{name}({index})"] += 1
    return found


@pytest.mark.parametrize("kernel", [k for k in EVALUATIONS if k not in ("hdiffsa",)])
def test_turns_of_a_walk(kernel: str, programs: dict[str, Program]) -> None:
    """Each stage sets its first output once an evaluation (but where branches do); each element is loaded once a turn,
    as the compiler does it.
    """
    program = programs[kernel]
    checked = 0
    for group in groups(program):
        for iterator in program.iterators[1:]:
            for lowering, done in of_walks(group, iterator, [TURNS]):
                code = WalkWriter(group, Locals(frozenset()), iterator, TURNS).write()
                start = next(n for n, line in enumerate(texts(code.body)) if line.startswith("do "))
                before, turn = texts(code.body)[:start], texts(code.body)[start:]
                if any(" if (" in f" {line}" or "else" in line for line in texts(code.body)):
                    continue
                assert lowering.size == TURNS
                assert done.operations == pytest.approx(evaluated(turn, program) + evaluated(before, program) / TURNS)
                accesses = len(elements(turn, program)) + len(elements(before, program)) / TURNS
                assert done.accesses == pytest.approx(accesses)
                checked += 1
    assert checked or kernel in ("hadvuv", "hadvuv5th", "fvtp2d_qj"), "nothing was compared"


def simulated(extent: tuple[int, ...], threads: tuple[int, ...]) -> int:
    """The points that warps execute for loops which a team shares: lane by lane, 32 at a time."""
    count = 0
    box = (*threads, 1, 1)[:3]
    turns = [range(0, n, t) for n, t in zip((*extent, 1, 1)[:3], box, strict=True)]
    lanes = [(x, y, z) for z in range(box[2]) for y in range(box[1]) for x in range(box[0])]
    for turn in product(*turns):
        for first in range(0, len(lanes), 32):
            warp = lanes[first : first + 32]
            at = [tuple(a + b for a, b in zip(turn, lane, strict=True)) for lane in warp]
            if any(all(a < n for a, n in zip(p, (*extent, 1, 1), strict=False)) for p in at):
                count += 32
    return count


@pytest.mark.parametrize("extent", [(34, 10), (64, 4), (66, 6), (132, 12, 1), (130, 9), (37, 5, 2)])
@pytest.mark.parametrize("threads", [(32, 8), (64, 4), (128, 4)])
def test_warps_of_a_team(extent: tuple[int, ...], threads: tuple[int, ...]) -> None:
    assert executed(extent, threads) == simulated(extent, threads)


@pytest.mark.parametrize("kernel", EVALUATIONS)
def test_nests_of_a_tile(kernel: str, programs: dict[str, Program]) -> None:
    """A tile of one warp a row: the points of each nest are what its threads execute."""
    program = programs[kernel]
    group = whole(program)
    kept = keepable(group, ("i", "j"))
    for lowering, done in of_tiles(group, kept, [{"i": 64, "j": 4}]):
        code = TileWriter(group, Locals(frozenset()), lowering.tile, kept).write()
        shared = 0
        total = 0.0
        for nest in re.split(r"\n(?=do j = )", "\n".join(texts(code.body))):
            head = re.search(r"do j = (.*)\n\s*do i = (.*)", nest)
            assert head
            extent = [_length(head[n], size) for n, size in ((2, 64), (1, 4))]
            if not re.search(r"^\s*if \(", nest, re.MULTILINE):
                total += evaluated(nest.splitlines(), program) * executed((extent[0], extent[1], 1), (64, 4, 1)) / 256
            if name := re.search(r"^ *hf_(\w+)_rows\(", nest, re.MULTILINE):
                stage = next(s for s in group.stages if s.number in kept and s.writes[0].array in name[1])
                outputs = sum(program.patterns[v.array].bytes for v in stage.writes)
                shared += outputs * extent[0] * extent[1]
        assert done.shared == shared
        if "if (" not in "\n".join(texts(code.body)):
            assert done.operations == pytest.approx(total)


def _length(bounds: str, size: int) -> int:
    """The most points that a loop over a tile has, by its bounds."""
    before, behind = (re.search(r"hf_\w_block([+-]\d+)?", text) for text in bounds.split(", min("))
    low = int(before[1] or 0) if before else 0
    high = int(behind[1] or 0) if behind else 0
    return high - low + 1


def test_union_of_moved_blocks() -> None:
    random = Random(3)
    for _ in range(200):
        block = tuple(random.randint(1, 5) for _ in range(random.randint(1, 3)))
        block = (block[0] + 6, *block[1:])  # longer than the offsets reach
        offsets = {tuple(random.randint(-2, 2) for _ in block) for _ in range(random.randint(1, 6))}
        points: set[Offset] = set()
        for offset in offsets:
            points |= set(product(*(range(o, o + n) for o, n in zip(offset, block, strict=True))))
        assert union(offsets, block) == len(points)


def test_occupancy_by_hand() -> None:
    device = GPU.device
    assert device is not None
    many = 10**9
    assert occupancy(GpuWork(1, 1, 1, 1, 32), device, many) == 1
    assert occupancy(GpuWork(1, 1, 1, 1, 64), device, many) == 0.5
    assert occupancy(GpuWork(1, 1, 1, 1, 96), device, many) == 0.25  # 65536 / (96 * 256) = 2 blocks of 256
    assert occupancy(GpuWork(1, 1, 1, 1, 32, shared=48 * 1024), device, many) == 0.5  # 4 blocks of 48 kB
    assert occupancy(GpuWork(1, 1, 1, 1, 32, points=10.0), device, 10 * 132 * 1024) == 0.5


@pytest.mark.parametrize("kernel", [*EVALUATIONS, "fvtp2d"])
def test_points_stay_unless_something_is_clearly_faster(kernel: str, programs: dict[str, Program]) -> None:
    group = whole(programs[kernel])
    moved = traffic(group)
    points = price_of(POINTS, of_points(group), GPU, moved)
    for level, gain in ((2, CLEARLY), (3, 1.0)):
        machine = for_backend(GPU, "cuda-c", EFFORTS[level])
        first = priced(group, machine, moved)[0]
        assert first.lowering == POINTS or first.seconds < gain * points.seconds
        assert first.work.shared <= MOST_SHARED
    assert not any(p.lowering.tile for p in priced(group, for_backend(GPU, "openacc", EFFORTS[3]), moved))


def test_more_registers_than_there_are_cost_memory() -> None:
    few, many = (GpuWork(1, 1, 1, 1, registers) for registers in (200, 400))
    times = [price_of(POINTS, work, GPU, 1).seconds for work in (few, many)]
    assert times[1] > 10 * times[0]


def _slow_arithmetic() -> Machine:
    return Machine(3e12, 5e10, 0, 4e-6, device=GPU.device)


def test_tiles_where_computing_is_dear(programs: dict[str, Program]) -> None:
    group = whole(programs["hdiffsa"])
    chosen = {
        backend: priced(group, for_backend(_slow_arithmetic(), backend, EFFORTS[2]), traffic(group))[0].lowering
        for backend in ("cuda-c", "openacc")
    }
    assert chosen["cuda-c"].tile and not chosen["openacc"].tile and chosen["openacc"].iterator == "j"


# -- what the compiler gives


@pytest.mark.parametrize(
    ("kernel", "counted"), [("laplace", 40), ("hdiffsa", 124), ("uvbke", 54), ("fvtp2d_flux", 112)]
)
def test_instructions(kernel: str, counted: int, programs: dict[str, Program]) -> None:
    """The model's instructions for a point against those that benchmarks/gpu/static.py counts, where none divides."""
    group = whole(programs[kernel])
    price = price_of(POINTS, of_points(group), GPU, 1)
    assert 0.8 < price.instructions / counted < 1.25
    assert f"about {price.instructions:.3g} instructions a point; bound by {price.bound}" in "".join(lowerings([price]))


def registers(folder: Path, asked: str) -> dict[str, int]:
    """The registers of each kernel of the samples, all stages in one, by ptxas."""
    (folder / "source").mkdir()
    for path in (SAMPLES / "stencils" / "source").iterdir():
        text = path.read_text().replace("domSize(nx,ny,nz)", f"domSize(nx,ny,nz), fuse(all), {asked}")
        (folder / "source" / path.name).write_text(text)
    (folder / "hfpy.toml").write_text((SAMPLES / "stencils" / "hfpy.toml").read_text())
    session = open_project(folder, Given(target="gpu", backend="cuda-c"), {})
    made = {f.name: f.text for f in translate(source_files(session.project), session.options).files}
    found: dict[str, int] = {}
    for name in ("cosmo.cu", "fv3.cu"):
        (folder / name).write_text(made[name])
        command = [NVCC or "", "-arch=sm_90", "-O3", "-fmad=false", "-Xptxas", "-v", f"-I{RUNTIME}", "-c", name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        entry = r"entry function '_Z\d+hfk\d+_(\w+?)IiE\w*'[^\n]*\n"  # the form with indices of 32 bits
        pattern = rf"{entry}(?:.*?)(\d+) bytes spill stores(?:.*?)Used (\d+) registers"
        for kernel, spilled, used in re.findall(pattern, done.stderr, re.DOTALL):
            assert int(spilled) <= 8, kernel
            found[kernel] = int(used)
    return found


@needs_nvcc
@pytest.mark.full
@pytest.mark.parametrize("asked", ["march(j:1)", "march(j:8)", "share(i:32, j:4)"])
def test_registers(asked: str, programs: dict[str, Program], tmp_path: Path) -> None:
    """The model's registers against those that ptxas gives for sm_90: within a half of them, a third less to as much
    more in the geometric mean.
    """
    given = registers(tmp_path, asked)
    ratios: Mapping[str, float] = {
        kernel: _estimated(whole(programs[kernel]), asked) / given[kernel] for kernel in EVALUATIONS
    }
    assert all(0.6 < ratio < 1.6 for ratio in ratios.values()), ratios
    mean = 1.0
    for ratio in ratios.values():
        mean *= ratio ** (1 / len(ratios))
    assert 0.85 < mean < 1.18, ratios


def _estimated(group: Group, asked: str) -> int:
    if asked == "march(j:8)":
        return next((done.registers for _, done in of_walks(group, "j", [8])), of_points(group).registers)
    kept = keepable(group, ("i", "j"))
    if asked.startswith("share") and kept:
        return next(done.registers for _, done in of_tiles(group, kept, [{"i": 32, "j": 4}]))
    return of_points(group).registers

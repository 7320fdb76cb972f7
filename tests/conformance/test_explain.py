"""What ``hfpy explain`` shows for both targets: positions and dimensions (§4.2, §5.3, vectors 5, 13, 14)."""

import re
from dataclasses import dataclass
from pathlib import Path

from hfpy.options import Options
from hfpy.pipeline import translate
from tests.conformance.test_vectors import CALLS, COLUMN, module
from tests.support import storage_order


@dataclass(frozen=True)
class Explained:
    """One routine: its position and, for each symbol, its dimensions as shown."""

    position: str
    symbols: dict[str, str]


def explained(body: str, target: str, tmp_path: Path) -> dict[str, Explained]:
    """The text of ``hfpy explain``, taken apart."""
    source, order = tmp_path / "m.h90", tmp_path / "storage_order.F90"
    source.write_text(module(body))
    order.write_text(storage_order())
    done = translate([source], Options(target=target, storage_order=order, jobs=1))
    assert not [d for d in done.diagnostics if d.severity == "error"], done.diagnostics
    result = {}
    for part in re.split(r"\n(?=subroutine |function |program )", "\n" + done.explain(None)):
        head = re.match(r"\n?(?:subroutine|function|program) (\w+)", part)
        position = re.search(r"position (\w+)", part)
        if head and position:
            symbols = dict(re.findall(r"^    (\w+)  +(\([^)]*\)|scalar)", part, re.MULTILINE))
            result[head[1]] = Explained(position[1], symbols)
    return result


def squeezed_dims(text: str) -> str:
    """Dimensions without names and marks: ``(NX [x]*+, NZ)`` is ``(NX,NZ)``."""
    return re.sub(r"\s|\[\w+\]|[*+]", "", text)


TWO_GRAINS = """
  subroutine top(a)
    real, intent(inout) :: a(NX,NY,NZ)
    call wrapper(a)
  end subroutine
  subroutine wrapper(a)
    real, intent(inout) :: a(NX,NY,NZ)
    @parallelRegion{appliesTo(CPU), domName(x,y), domSize(NX,NY)}
    call column_code(a)
    @end parallelRegion
  end subroutine
  subroutine column_code(a)
    real, intent(inout) :: a(NZ)
    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom)}
    a
    @end domainDependant
    call kernel_a(a)
  end subroutine
  subroutine kernel_a(a)
    real, intent(inout) :: a(NZ)
    real :: tmp(NZ)
    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom)}
    a, tmp
    @end domainDependant
    @parallelRegion{appliesTo(GPU), domName(x,y), domSize(NX,NY)}
    tmp(:) = a(:)
    a(1) = helper(tmp)
    @end parallelRegion
  end subroutine
  real function helper(c)
    real, intent(in) :: c(NZ)
    helper = c(2)
  end function
  subroutine init(a)
    real, intent(out) :: a(NX,NY,NZ)
    a = 1.
  end subroutine
"""


def test_positions_in_a_program_of_two_grains(tmp_path: Path) -> None:
    cpu, gpu = explained(TWO_GRAINS, "cpu", tmp_path), explained(TWO_GRAINS, "gpu", tmp_path)
    expected = {
        "top": ("inside", "inside"),
        "wrapper": ("within", "inside"),
        "column_code": ("outside", "inside"),
        "kernel_a": ("outside", "within"),
        "helper": ("outside", "outside"),
        "init": ("none", "none"),
    }
    assert {name: (cpu[name].position, gpu[name].position) for name in expected if name in cpu} == {
        name: both for name, both in expected.items() if name in cpu
    }
    assert set(expected) - set(cpu) <= {"init"}  # a routine that nothing concerns may be left out


def test_dimensions_in_a_program_of_two_grains(tmp_path: Path) -> None:
    cpu, gpu = explained(TWO_GRAINS, "cpu", tmp_path), explained(TWO_GRAINS, "gpu", tmp_path)
    column, full = "(NZ)", "(NX,NY,NZ)"
    assert squeezed_dims(cpu["column_code"].symbols["a"]) == column
    assert squeezed_dims(gpu["column_code"].symbols["a"]) == full
    assert squeezed_dims(cpu["kernel_a"].symbols["a"]) == column
    assert squeezed_dims(gpu["kernel_a"].symbols["a"]) == full
    # §5.3: a local of a routine with the region is a column on the CPU and extended on the GPU
    assert squeezed_dims(cpu["kernel_a"].symbols["tmp"]) == column
    assert squeezed_dims(gpu["kernel_a"].symbols["tmp"]) == full
    assert squeezed_dims(gpu["helper"].symbols["c"]) == column


def test_vector_05_the_caller_on_the_gpu(tmp_path: Path) -> None:
    """Without its region the caller keeps whole arrays."""
    gpu = explained(CALLS.replace("ACTUAL", "a"), "gpu", tmp_path)
    assert all(r.position == "none" for r in gpu.values())


def test_vector_13_on_both_targets(tmp_path: Path) -> None:
    cpu, gpu = explained(COLUMN, "cpu", tmp_path), explained(COLUMN, "gpu", tmp_path)
    assert squeezed_dims(cpu["col"].symbols["a"]) == "(NZ)"
    assert squeezed_dims(gpu["col"].symbols["a"]) == "(NX,NY,NZ)"
    assert "[x]*" in gpu["col"].symbols["a"] and "macro AT" not in cpu["col"].symbols["a"]
    assert (cpu["col"].position, gpu["col"].position) == ("outside", "within")

"""What the optimiser finds in the stencil kernels: their stages, the work of full fusion, the points that are needed.

The numbers of evaluations are those of stencil-optimisation.md §3 for one point (U=1), the points those of the "range"
columns of stencil-kernels.md, which the sample's bounds are.
"""

from __future__ import annotations

from functools import lru_cache

import pytest

from hfpy.analyze.analysis import analyse
from hfpy.analyze.effects.effects import Effects
from hfpy.build.session import Given, open_project
from hfpy.parse.application import read_application
from hfpy.project import source_files
from hfpy.transform.stencil.effort import EFFORTS
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.optimise import optimise
from hfpy.transform.stencil.program import Program
from tests.samples.programs import SAMPLES

EVALUATIONS: dict[str, tuple[int, ...]] = {
    "laplace": (1,),
    "hdiffsa": (5, 2, 2, 1),
    "hdiffsmag": (3, 3, 1, 1, 1, 1),
    "hadvuv": (1,) * 8,
    "hadvuv5th": (1,) * 8,
    "fastwavesuv": (6, 3, 1, 1, 1, 1),
    "p_grad_c": (3, 1, 1),
    "nh_p_grad": (3, 1, 1, 1, 1),
    "uvbke": (1, 1),
    "fvtp2d_qi": (4, 3, 2, 2, 1),
    "fvtp2d_qj": (3, 2, 1, 4, 3, 2, 2, 1),
    "fvtp2d_flux": (3, 2, 1, 1, 1),
}
STAGES = {name: len(numbers) for name, numbers in EVALUATIONS.items()} | {"fvtp2d": 18}


@pytest.fixture(scope="session")
def programs() -> dict[str, Program]:
    """The program of each kernel, by name."""
    return found_programs()


@lru_cache(maxsize=1)
def found_programs() -> dict[str, Program]:
    """The same, found once for all modules that have the fixture."""
    session = open_project(SAMPLES / "stencils", Given(target="cpu"), {})
    application, found = read_application(source_files(session.project), session.options)
    assert not found
    facts = analyse(application)
    made = optimise(facts, Effects(facts), EFFORTS[2])
    return {
        key.rpartition("::")[2]: schedules[0].program
        for key, schedules in made.schedules.items()
        if len(schedules) == 1 and not made.refusals[key]
    }


def test_every_kernel_is_one_program(programs: dict[str, Program]) -> None:
    assert {name: len(p.stages) for name, p in programs.items() if name in STAGES} == STAGES


@pytest.mark.parametrize("kernel", EVALUATIONS)
def test_evaluations_of_full_fusion(kernel: str, programs: dict[str, Program]) -> None:
    whole = Group(programs[kernel], programs[kernel].stages)
    whole.check()
    assert tuple(len(whole.needs[s.number]) for s in whole.stages) == EVALUATIONS[kernel]


@pytest.mark.parametrize("kernel", STAGES)
def test_the_sample_computes_just_what_is_needed(kernel: str, programs: dict[str, Program]) -> None:
    whole = Group(programs[kernel], programs[kernel].stages)
    assert [whole.required[s.number] for s in whole.stages] == [s.box for s in whole.stages]

"""Messages of the program's own beside the directives: blocking and not, with derived types and communicators of its
own, on fields that regions set and read, on the host and on devices.
"""

from __future__ import annotations

import pytest

from tests.processes.ownmessages import BODIES, WORDS, own_cases
from tests.processes.programs import WAYS, Case, faults, marked, translated

# Regions may not work on the device on what a message comes to (docs/gpu.md).
ON_DEVICES = {"early_f08": "HF604", "early_old": "HF604"}
LABELS = marked({label: label in ("openmp",) for label in WAYS})
# Each of the two modules makes the compiler read thousands of declarations.
MODULES = marked({"in turn": True, "both": False})


def cases(label: str, modules: str = "in turn") -> dict[str, Case]:
    """All cases, with either module of MPI in turn, or with both. Storage order macros are the user's, whose derived
    types have their order: these have the declared.
    """
    made = own_cases()
    if modules == "in turn":
        made = dict(case for n, case in enumerate(made.items()) if n % 4 in (0, 3))
    typed = ("between", "subarrays", "module_field", "early", "persistent")
    return {n: c for n, c in made.items() if not label.startswith("macros") or n.rpartition("_")[0] not in typed}


@pytest.mark.parametrize("modules", MODULES)
@pytest.mark.parametrize("label", LABELS)
def test_all_are_taken(label: str, modules: str) -> None:
    way = WAYS[label]
    refused = translated(way, cases(label, modules)).refused
    assert {name: codes[0].split()[0] for name, codes in refused.items()} == {
        name: code for name, code in ON_DEVICES.items() if way.gpu and name in cases(label, modules)
    }


def test_either_module_is_met_by_each_case_in_turn() -> None:
    names = [name.rpartition("_") for name in cases("openmp")]
    assert sorted(name for name, _, _ in names) == sorted(BODIES)
    assert {module for _, _, module in names} == set(WORDS)


@pytest.mark.parametrize("grid", marked({(1, 1): False, (2, 1): False, (1, 2): False, (2, 2): False, (3, 2): True}))
@pytest.mark.parametrize("modules", MODULES)
@pytest.mark.parametrize("label", LABELS)
def test_own_messages(label: str, modules: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS[label], "openmpi", grid, cases(label, modules))


@pytest.mark.full
@pytest.mark.parametrize("grid", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("mpi", ["mpich", "mpich-old", "openmpi-old"])
def test_other_builds_of_mpi(mpi: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS["openmp"], mpi, grid, own_cases())

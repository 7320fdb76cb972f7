"""``mode(auto)``: an exchange overlaps with the region after it where that can be done and pays, as the model says."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hfpy.options import Machine, Options
from hfpy.scale.network import Network
from hfpy.transform.distributed import lowering
from hfpy.transform.distributed.costs import Costs
from tests.processes.exchanges import exchange_cases
from tests.processes.programs import SLOW, WAYS, Case, faults, library, marked, written
from tests.processes.test_overlaps import EXCHANGE, READ, REFUSED, REGION, said
from tests.processes.test_overlaps import MODULE as OVERLAPPED
from tests.support import translate_text

AUTO = EXCHANGE.replace("overlap", "auto")
ALWAYS = Costs(1.0, 1.0, 1.0, 0.0, 1e9, 1.0)
NEVER = Costs(0.0, 0.0, 0.0, 1.0, 1e9, 2.0)


# Each reason by itself: test_overlaps.
@pytest.mark.parametrize("body", marked({READ: True, REFUSED[0]: True} | dict.fromkeys(REFUSED[1:6], False)))
def test_what_cannot_overlap_is_exchanged_before(body: str) -> None:
    assert "HF659" not in said(f"{AUTO}\n{REGION}", body)
    assert "HF659" not in said(f"{AUTO}\ns = 1\n{REGION}", body)


def test_what_is_generated() -> None:
    def text(top: str, body: str) -> str:
        source = OVERLAPPED.replace("EXCHANGE\nREGION", top).replace("BODY", body)
        files = {"zoo.f90": (Path(__file__).parent / "programs" / "zoo.f90").read_text(), "m.h90": source}
        return "".join(translate_text(files, backend="openmp").files.values())

    assert "hf_pays(" in text(f"{AUTO}\n{REGION}", READ)
    assert "hf_split" not in text(f"{AUTO}\n{REGION}", REFUSED[0])
    assert "hf_pays(" not in text(f"{EXCHANGE}\n{REGION}", READ)


@pytest.mark.parametrize("costs", [ALWAYS, NEVER])
def test_results(costs: Costs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering.Costs, "of", staticmethod(lambda options: costs))
    way = replace(WAYS["openmp"], label=f"auto {costs is ALWAYS}")
    case = written()["overlapped"]
    files = {name: text.replace("mode(overlap)", "mode(auto)") for name, text in case.files.items()}
    cases = {case.name: Case(case.name, files)}
    for grid in ((2, 1), (3, 2)):
        assert not faults(way, "openmpi", grid, cases)


def blocking(exchange: str, **options: Any) -> str:
    """What is generated for an exchange that ends before a region."""
    source = OVERLAPPED.replace("EXCHANGE\nREGION", f"{exchange}\n{REGION}").replace("BODY", READ)
    files = {"zoo.f90": (Path(__file__).parent / "programs" / "zoo.f90").read_text(), "m.h90": source}
    return "".join(translate_text(files, backend="openmp", **options).files.values())


def test_all_neighbours_at_once() -> None:
    """The model chooses, unless the mode says how."""
    plain = EXCHANGE.replace(", mode(overlap)", "")
    assert "hf_shift(" in blocking(plain)
    assert "hf_finish(" in blocking(plain, network=SLOW)
    assert "hf_shift(" not in blocking(plain, network=SLOW)
    assert "hf_finish(" in blocking(plain.replace("}", ", mode(together)}"))
    assert "hf_finish(" not in blocking(plain.replace("}", ", mode(phases)}"), network=SLOW)
    assert "hf_finish(" not in blocking(plain.replace("}", ", width(i:1)}"), network=SLOW)  # one domain: both are one


@pytest.mark.parametrize("grid", [(1, 1), (3, 2)])
def test_halos_are_the_same(grid: tuple[int, int]) -> None:
    names = ("base", "periodic_ij", "sides", "types", "one_cut_each", "no_corners_periodic", "one_row")
    assert not faults(WAYS["far"], "openmpi", grid, exchange_cases(names))


def test_one_mode() -> None:
    source = OVERLAPPED.replace("EXCHANGE", EXCHANGE.replace("overlap", "overlap, auto"))
    assert [d.code for d in translate_text({"m.h90": source}).errors][:1] == ["HF203"]


def test_figures() -> None:
    """The machine's own figures count, and those of a GPU are others."""
    assert Costs.of(Options()).bandwidth == 25e9
    assert Costs.of(Options(machine=Machine(1e9, 1e9, 0, 7e-6))).launch == 7e-6
    network = Network(3e-6, 1e-6, 2e-6, 4e9, 2.0)
    measured = Costs.of(Options(network=network))
    assert (measured.latency, measured.overhead, measured.byte) == (3e-6, 1.5e-6, 2 / 4e9)
    assert Costs.of(Options(target="gpu", network=network)).latency > 3e-6
    assert Costs.of(Options(target="gpu")).frame > Costs.of(Options()).frame
    assert ALWAYS.text().count(",") == 6


PROGRAM = """program choice
  use hfpy_processes, only: hf_pays
  implicit none
  real(8) :: figures(6) = [1d-5, 1d-6, 1d-9, 1d-6, 1d10, 2d0]
  integer :: n
  do n = 10, 1000, 90
    print *, n, hf_pays(8*4*n, 80, figures, [1, 1], [n, n], [2, 2], [n-1, n-1])
  end do
  figures(6) = 1000
  print *, 0, hf_pays(8*4*1000, 80, figures, [1, 1], [1000, 1000], [2, 2], [999, 999])
  print *, 0, hf_pays(8*4*1000, 80, figures, [1, 1], [1000, 1000], [2000, 2], [999, 999])
end program
"""


def test_the_model(tmp_path: Path) -> None:
    """The interior has to hide more than the frame and four more regions cost (distributed.md §4)."""
    home = library("alone")
    (tmp_path / "choice.f90").write_text(PROGRAM)
    command = ["gfortran", f"-I{home}", "choice.f90", str(home / "libprocesses.a"), "-lgomp", "-o", "choice"]
    subprocess.run(command, cwd=tmp_path, check=True)
    printed = subprocess.run(["./choice"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout.split()

    def pays(n: int, slower: float) -> bool:
        point = 80 / 1e10
        exchange = 16 * 1e-6 + 1e-5 + 8 * 4 * n * 1e-9
        return min(exchange, (n - 2) ** 2 * point) > (n**2 - (n - 2) ** 2) * point * (slower - 1) + 4e-6

    expected = [pays(n, 2) for n in range(10, 1001, 90)]
    assert [word == "T" for word in printed[1::2]] == [*expected, pays(1000, 1000), False]
    assert {*expected} == {True, False}

"""``hfpy run --profile``: where the program writes what it measures, and what becomes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from hfpy.build.files import write_if_changed
from hfpy.build.machine.probe import measure
from hfpy.diagnostics import ToolError
from hfpy.options import Options
from hfpy.project import MACHINE_FILE, Project, measured_machine
from hfpy.report.profile.picture import picture
from hfpy.report.profile.results import Measured, Profile, as_data, read

FOLDER = "HFPY_PROFILE"  # the environment variable that the program asks
_POINTS = 4_000_000  # of each array while the bandwidth is measured: more than caches hold


def profile_of(
    folder: Path, program: str, project: Project, options: Options, environment: Mapping[str, str]
) -> Profile | None:
    """What a program has written to a folder, with the bandwidth of the machine; None if it has written nothing."""
    measured = read(folder)
    if measured is None:
        return None
    bandwidth, source = _bandwidth(measured, project, options, environment)
    backend = options.default_backend + (", emulated" if options.emulate else "")
    return Profile(
        program,
        options.target,
        backend,
        measured.processes,
        measured.seconds,
        measured.kernels,
        measured.copies,
        bandwidth,
        source,
    )


def write_profile(profile: Profile, folder: Path) -> tuple[Path, Path]:
    """Write ``profile.json`` and ``profile.svg``. Raises HfpyError if that cannot be done."""
    data, image = folder / "profile.json", folder / "profile.svg"
    text = json.dumps(as_data(profile), indent=1, ensure_ascii=False) + "\n"
    write_if_changed(data, text.encode("utf-8", "replace"))
    write_if_changed(image, picture(profile).encode("utf-8", "replace"))
    return data, image


def _bandwidth(
    measured: Measured, project: Project, options: Options, environment: Mapping[str, str]
) -> tuple[float, str]:
    """Bytes a second, and where that is known from; 0 and the reason where it is not."""
    if options.target == "gpu" and not options.emulate:
        if measured.device_bandwidth:
            return measured.device_bandwidth, "copying on the device during this run"
        return 0.0, "the device's bandwidth was not measured"
    if not measured.kernels:
        return 0.0, "not needed"
    machine = measured_machine(project.root)
    if machine is not None:
        return machine.bandwidth, f"from {MACHINE_FILE}"
    try:
        return measure(project, environment, _POINTS).bandwidth, "measured now; hfpy probe keeps it"
    except ToolError as fault:
        return 0.0, f"it cannot be measured: {fault}"

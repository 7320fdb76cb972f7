"""What scripts may know about the target: a read-only mapping (kernel-metadata-and-transforms.md §2.3)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from hfpy.options import CPU, GPU, Options

MOST_THREADS, WARP = 1024, 32  # of a block, and of a warp, on every GPU that CUDA knows (CUDA programming guide)


class Context(Mapping[str, object]):
    """Facts on the backend, the device and the memory, by keys such as ``device::warp``."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = dict(values)

    def __getitem__(self, key: str) -> object:
        if key not in self._values:
            near = difflib.get_close_matches(key, self._values, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(sorted(self._values))}"
            raise KeyError(f"the context has no '{key}': {hint}")
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "\n".join(f"{key} = {value}" for key, value in self._values.items())


def context_of(options: Options, backend: str) -> Context:
    """The context of kernels with a backend: what was measured of the machine, else what the optimiser assumes
    (:data:`hfpy.options.CPU`, :data:`hfpy.options.GPU`).
    """
    machine = options.machine or (GPU if options.target == "gpu" else CPU)
    values: dict[str, object] = {
        "backend::name": backend,
        "backend::target": options.target,
        "build::optimiser": options.opt,
        "memory::bandwidth": machine.bandwidth,
        "machine::rate": machine.rate,
        "machine::launch": machine.launch,
    }
    device = machine.device
    if device is None:
        values["cpu::cache_bytes"] = machine.cache
    else:
        values |= {
            "device::processors": device.processors,
            "device::threads": device.threads,
            "device::max_threads_per_block": MOST_THREADS,
            "device::warp": WARP,
            "device::registers": device.registers,
            "device::shared_bytes": device.shared,
        }
    values |= {f"problem::{name}": value for name, value in options.specialise}
    return Context(values)

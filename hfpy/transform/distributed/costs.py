"""What exchanges cost, for choices while the program runs (distributed.md §4): figures of the LogGP model."""

from __future__ import annotations

from hfpy.options import CPU, GPU, Options
from hfpy.scale.network import SHARED_MEMORY, STAGING_START
from hfpy.values import dataclass

#: Bytes of an element, by the types that messages have.
BYTES = {
    "real(4)": 4,
    "real(8)": 8,
    "integer(4)": 4,
    "integer(8)": 8,
    "logical(4)": 4,
    "complex(4)": 8,
    "complex(8)": 16,
}


@dataclass(frozen=True)
class Costs:
    """Seconds for messages and regions: ``latency`` of a message, ``overhead`` for each on either side, ``byte`` that
    travels, ``launch`` of a region; bytes a second that a region reads and writes (``bandwidth``), and how many times
    longer a point of the ``frame`` takes.
    """

    latency: float
    overhead: float
    byte: float
    launch: float
    bandwidth: float
    frame: float

    @staticmethod
    def of(options: Options) -> Costs:
        """For the target of a translation. On a GPU messages go through the host, and strips are narrow."""
        gpu = options.target == "gpu"
        machine, network = options.machine or (GPU if gpu else CPU), options.network or SHARED_MEMORY
        latency = network.latency + (2 * STAGING_START if gpu else 0.0)
        overhead = network.overhead + max(0.0, network.gap - network.overhead) / 2
        byte = network.sharing / network.bandwidth
        return Costs(latency, overhead, byte, machine.launch, machine.bandwidth, 3.0 if gpu else 2.0)

    def text(self) -> str:
        """The figures as a list, in the order that the runtime library has."""
        each = (self.latency, self.overhead, self.byte, self.launch, self.bandwidth, self.frame)
        return f"real([{', '.join(f'{value:.3e}' for value in each)}], kind(1d0))"

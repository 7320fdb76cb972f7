"""``backend="opencl"``: arrays of pyopencl go to kernels where they lie, in the order of their queue."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hfpy
from tests.gpu.opencl import needs_opencl
from tests.load.sources import field
from tests.load.test_gpu import SOURCE, relaxed

cl: Any = pytest.importorskip("pyopencl")
arrays: Any = pytest.importorskip("pyopencl.array")
pytestmark = needs_opencl


@pytest.fixture(scope="module")
def flow() -> Any:
    return hfpy.load(SOURCE, target="gpu", backend="opencl", opt=2)


@pytest.fixture(scope="module")
def queue() -> Any:
    return cl.CommandQueue(cl.create_some_context(interactive=False))


def test_arrays_stay_on_the_device(flow: Any, queue: Any) -> None:
    a, b = field(71, 9), -field(71, 9)
    wanted, most = relaxed(a, b)
    there, here = arrays.to_device(queue, a), arrays.to_device(queue, b)
    assert flow.relax(69, 7, there, here) == most
    assert np.array_equal(here.get(), wanted) and np.array_equal(there.get(), a)
    flow.both(69, 7, there, here)
    assert np.array_equal(there.get(), a + wanted + wanted)
    there += 1  # what the queue does in between
    flow.both(69, 7, there, here)
    assert np.array_equal(there.get(), a + wanted + wanted + 1 + wanted + wanted)
    mine = b.copy(order="F")
    assert flow.relax(69, 7, a, mine) == most and np.array_equal(mine, wanted), "NumPy's are copied as ever"


def test_a_part_of_a_buffer(flow: Any, queue: Any) -> None:
    a, b = field(71, 9), -field(71, 9)
    wanted, most = relaxed(a, b)
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 2 * a.nbytes + 64)
    first = arrays.Array(queue, a.shape, a.dtype, order="F", data=buffer, offset=64)
    last = arrays.Array(queue, a.shape, a.dtype, order="F", data=buffer, offset=64 + a.nbytes)
    first.set(a), last.set(b)
    assert flow.relax(69, 7, first, last) == most and np.array_equal(last.get(), wanted)
    overlapping = arrays.Array(queue, a.shape, a.dtype, order="F", data=buffer, offset=128)
    with pytest.raises(ValueError, match="'a' and 'b' share memory"):
        flow.relax(69, 7, overlapping, last)


@pytest.mark.parametrize("properties", [0, 1], ids=["in order", "out of order"])
def test_another_queue_is_waited_for(flow: Any, queue: Any, properties: int) -> None:
    a, b = field(71, 9), -field(71, 9)
    wanted, most = relaxed(a, b)
    other = cl.CommandQueue(queue.context, properties=properties)
    there, here = arrays.to_device(other, a), arrays.to_device(queue, b)
    assert flow.relax(69, 7, there, here) == most and np.array_equal(here.get(), wanted)
    assert flow.relax(69, 7, there, arrays.to_device(other, b).with_queue(None)) == most


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda q, a: arrays.to_device(q, a.astype(np.float32)), TypeError, "wanted an array of float64, got one of"),
        (lambda q, a: arrays.to_device(q, np.ascontiguousarray(a)), ValueError, "make it with order='F'"),
        (lambda q, a: arrays.to_device(q, a[:, :-1].copy(order="F")), ValueError, "wanted shape"),
        (lambda q, a: arrays.to_device(q, a.ravel(order="F")), ValueError, "wanted 2 dimensions"),
    ],
)
def test_what_is_refused(flow: Any, queue: Any, make: Any, kind: type[Exception], message: str) -> None:
    a = field(71, 9)
    good = arrays.to_device(queue, a)
    with pytest.raises(kind, match=message):
        flow.relax(69, 7, good, make(queue, a))
    with pytest.raises(TypeError, match="host code of the routine may work on it"):
        flow.summed(69, 7, good, arrays.to_device(queue, a))
    flow.both(69, 7, good, arrays.to_device(queue, a))
    assert np.array_equal(good.get(), 3 * a), "what was refused leaves nothing after"


def test_two_contexts(flow: Any, queue: Any) -> None:
    """A call takes arrays of one; the library goes over to another one between calls."""
    other = cl.CommandQueue(cl.create_some_context(interactive=False))
    a, b = field(71, 9), -field(71, 9)
    wanted, most = relaxed(a, b)
    with pytest.raises(TypeError, match="the library has memory in another context"):
        flow.relax(69, 7, arrays.to_device(queue, a), arrays.to_device(other, b))
    for mine in (other, queue):
        here = arrays.to_device(mine, b)
        assert flow.relax(69, 7, arrays.to_device(mine, a), here) == most and np.array_equal(here.get(), wanted)


FIRST_NUMPY = """
import sys
import numpy as np, pyopencl as cl, pyopencl.array as arrays
import hfpy
flow = hfpy.load(sys.argv[1], target="gpu", backend="opencl", opt=2)
a, b = (np.full((71, 9), x, order="F") for x in (2.0, 1.0))
flow.both(69, 7, a, b)
queue = cl.CommandQueue(cl.create_some_context(interactive=False))
x, y = arrays.to_device(queue, a), arrays.to_device(queue, b)
flow.both(69, 7, x, y)
print(a[0, 0], x.get()[0, 0])
"""


def test_numpy_comes_first(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FIRST_NUMPY, SOURCE]  # the library is built already
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout == "4.0 6.0\n", done.stderr

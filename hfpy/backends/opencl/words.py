"""Words of CUDA C++ that only have another name in OpenCL C, line by line of the printed text.

Structure is the dialect's (:mod:`hfpy.backends.opencl.dialect`); names of types, of a thread's place and of the user's
variables are changed here, so that the printers need not ask for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_AXES = {"x": "0", "y": "1", "z": "2"}
_PLACES = {
    "threadIdx": "get_local_id",
    "blockIdx": "get_group_id",
    "blockDim": "get_local_size",
    "gridDim": "get_num_groups",
}
_PHRASES = (
    (re.compile(r"^__global__ void"), "__kernel void"),
    (re.compile(r"hf_complex<float>"), "hf_c4"),
    (re.compile(r"hf_complex<double>"), "hf_c8"),
    (re.compile(r"\blong long\b"), "long"),
    (re.compile(r"\bsigned char\b"), "char"),
    (re.compile(r"\b(\d+)LL\b"), r"\1L"),
    (re.compile(r"^(\s+)hf_space_of_thread hf_space\)$"), r"\1__global char *hf_room, const long hf_threads_in_all)"),
    (
        re.compile(r"^(\s+)hf_space\.begin\((.*), (\d+)\);$"),
        r"\1hf_space_of_thread hf_space = {hf_room, hf_threads_in_all, \2, 0, \3};",
    ),
)
_PLACE = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\.([xyz])")
_RANKS = re.compile(r"\b(?:hf_shape|hf_no_shape|hf_section|HF_AT|HF_CHECKED)(\d+)\b")
_DOUBLE = re.compile(r"\bdouble\b|\bhf_c8\b")
_NAME = re.compile(r'"[^"]*"|(?<![\w.])[a-z]\w*')

# Words of OpenCL C (6.1.9 of its specification) that Fortran names may be and C++ does not have, and functions
# that mean words of CUDA.
_WORDS = frozenset(
    "kernel global local constant half uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t quad complex "
    "imaginary event_t sampler_t read_only write_only read_write pipe generic uniform vec_step barrier "
    "get_local_id get_group_id get_local_size get_num_groups get_global_id get_global_size".split()
)
_VECTOR = re.compile(
    r"(char|uchar|short|ushort|int|uint|long|ulong|float|double|half|bool|quad)(2|3|4|8|16)|image\w+_t"
)


_CHECKED = re.compile(r"^(__kernel void \w+\()$")


def in_opencl(text: str, checked: bool = False) -> str:
    """A printed line in OpenCL C; the first line of a kernel whose indices are ``checked`` has one more parameter."""
    if text.lstrip().startswith("//"):
        return text
    text = _NAME.sub(_own_name, text)
    for pattern, other in _PHRASES:
        text = pattern.sub(other, text)
    if checked:
        text = _CHECKED.sub(r"\1__global long *hf_failed,", text)
    return _PLACE.sub(lambda found: f"{_PLACES[found[1]]}({_AXES[found[2]]})", text)


def needs_doubles(lines: Iterable[str]) -> bool:
    """Whether a text computes with double precision."""
    return any(_DOUBLE.search(line) for line in lines if not line.startswith("//"))


def ranks_in(lines: Iterable[str]) -> list[int]:
    """The ranks of the arrays whose shapes a text names."""
    return sorted({int(rank) for line in lines for rank in _RANKS.findall(line)})


def _own_name(found: re.Match[str]) -> str:
    """A name of the user's that is a word of OpenCL gets an underscore, and one that looks like that one more."""
    name = found[0]
    plain = name.rstrip("_")
    return f"{name}_" if plain in _WORDS or _VECTOR.fullmatch(plain) else name

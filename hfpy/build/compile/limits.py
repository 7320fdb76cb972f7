"""More stack and heap for threads on NVIDIA GPUs, where GCC compiles the directives: its runtime asks for none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hfpy.backendtable import of_kind
from hfpy.build.compile.compilers import find_compiler
from hfpy.build.compile.sharing import offloaded
from hfpy.build.compile.tools import Tools
from hfpy.options import Options
from hfpy.version import PACKAGE

LIMITS = PACKAGE / "runtime" / "directives" / "hfpy_limits.c"


def needs_limits(tools: Tools, options: Options) -> bool:
    """Whether GCC compiles regions with directives for a GPU."""
    flags = (*tools.fortran_flags, *tools.parallel)
    backends = options.backends & of_kind("offload")
    return tools.fortran.family == "gnu" and any(offloaded(tools.fortran, flags, backend) for backend in backends)


def with_limits(tools: Tools, c_compiler: str | None, environment: Mapping[str, str]) -> Tools:
    """The tools with what :data:`LIMITS` needs: a compiler for C, the one that the project asks for or a usual one, and
    the library with ``dlopen``, which has been a part of the C library only since glibc 2.34. Raises ToolError.
    """
    c = tools.c or find_compiler("c", c_compiler, environment)
    return replace(tools, c=c, link_flags=(*tools.link_flags, "-ldl"))

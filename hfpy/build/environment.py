"""What programs find when hfpy starts them: stacks that hold the local arrays of Fortran programs, and huge pages."""

from __future__ import annotations

import resource
from collections.abc import Mapping

THREAD_STACK = "128M"
# glibc 2.35 and later ask the kernel for huge pages then, where it gives them to those who ask ("madvise"): large
# arrays have fewer page faults and misses of the TLB. Other libraries take no notice.
HUGE_PAGES = "glibc.malloc.hugetlb"


def program_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a program: with room for the arrays that each OpenMP thread has of its own, and huge pages
    for what is allocated.

    Usual defaults of stacks are some MB, and what needs more ends with a segmentation fault and no message. What
    the user has set stays.
    """
    raise_stack_limit()
    tunables = [t for t in environment.get("GLIBC_TUNABLES", "").split(":") if t]
    if not any(t.startswith(f"{HUGE_PAGES}=") for t in tunables):
        tunables.append(f"{HUGE_PAGES}=1")
    return {"OMP_STACKSIZE": THREAD_STACK, **environment, "GLIBC_TUNABLES": ":".join(tunables)}


def raise_stack_limit() -> None:
    """Raise the stack limit for the programs that this process starts as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
        except (ValueError, OSError):
            return  # some systems have a limit below the hard one

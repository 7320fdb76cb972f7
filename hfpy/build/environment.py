"""What programs find when hfpy starts them: stacks that hold the local arrays of Fortran programs."""

from __future__ import annotations

import resource
from collections.abc import Mapping

THREAD_STACK = "128M"


def program_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a program: with room for the arrays that each OpenMP thread has of its own.

    Usual defaults are some MB, and what needs more ends with a segmentation fault and no message. What
    the user has set stays.
    """
    raise_stack_limit()
    return {"OMP_STACKSIZE": THREAD_STACK, **environment}


def raise_stack_limit() -> None:
    """Raise the stack limit for the programs that this process starts as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
        except (ValueError, OSError):
            return  # some systems have a limit below the hard one

"""Processes that tests interrupt."""

import signal


def interruptible() -> None:
    """What a process does before it starts, so that SIGINT ends it: shells have it ignored in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)

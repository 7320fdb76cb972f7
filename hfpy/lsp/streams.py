"""The server on standard input and output, and how it ends."""

from __future__ import annotations

import contextlib
import gc
import os
import sys

from hfpy.lsp.server import Server

_RARELY = (200_000, 20, 20)


def serve(server: Server) -> None:
    """Answer until the client says ``exit`` or is gone; then end the process.

    The status is that which the protocol asks for: 0 after ``shutdown``, else 1. Work that goes on in threads is not
    waited for.
    """
    gc.enable()  # a server lives long
    gc.set_threshold(*_RARELY)
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # what else is printed must not get between answers
    status = 1
    with contextlib.suppress(SystemExit):
        server.start_io(sys.stdin.buffer, answers)
    status = 0 if server.shut_down else 1
    server.close()
    if status:
        print("hfpy lsp: the client is gone without a 'shutdown'", file=sys.stderr)
    sys.stderr.flush()
    os._exit(status)

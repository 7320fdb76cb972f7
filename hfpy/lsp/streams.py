"""The server on standard input and output: bad messages, and how it ends.

The protocol's transport (Language Server Protocol 3.17, "Base Protocol") is a header with ``Content-Length`` and a body
in JSON-RPC 2.0. What is no message is answered by an error (``-32700`` or ``-32600``), and the next one is read. Where
the stream itself is broken, so that nobody can tell where the next message begins, the server ends with status 1 and a
line on standard error.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import os
import re
import signal
import sys
import threading
from typing import Any, BinaryIO

from pygls.io_ import StdoutWriter

from hfpy.lsp.server import Server

LARGEST = 256 << 20  # bytes of a message
_LENGTH = re.compile(rb"content-length\s*:\s*(\d+)\s*", re.IGNORECASE)
_PARSE_ERROR, _INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMETERS = -32700, -32600, -32601, -32602
_NOT_INITIALISED = -32002


class Broken(Exception):
    """Nobody can tell where the next message begins."""


def serve(server: Server) -> None:
    """Answer until the client says ``exit`` or is gone; then end the process.

    The status is that which the protocol asks for: 0 after ``shutdown``, else 1. Work that goes on in threads is not
    waited for.
    """
    gc.disable()  # hfpy.lsp.garbage looks for it while the server is idle
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # what else is printed must not get between answers
    why = "the client is gone without 'shutdown' and 'exit'"
    if not os.environ.get("HFPY_DEBUG"):
        logging.getLogger("pygls").addHandler(logging.NullHandler())
        logging.getLogger("pygls").propagate = False  # it shows the client's faults as tracebacks
    server.protocol.set_writer(StdoutWriter(answers))
    try:
        asyncio.run(_answer(server, sys.stdin.buffer))
    except Broken as fault:
        why = str(fault)
    except (SystemExit, KeyboardInterrupt, BrokenPipeError):
        pass
    server.close()
    if not server.shut_down:
        print(f"hfpy lsp: {why}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(0 if server.shut_down else 1)


async def _answer(server: Server, stdin: BinaryIO) -> None:
    """Answer what comes, until the end. Raises Broken."""
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[bytes | Broken | None] = asyncio.Queue()

    def failed(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What went wrong in a task: nobody reads any more, or hfpy has a fault."""
        fault = context.get("exception")
        if isinstance(fault, BrokenPipeError):
            arrived.put_nowait(None)
        elif os.environ.get("HFPY_DEBUG"):
            loop.default_exception_handler(context)
        else:
            said = f"{type(fault).__name__}: {_plain(fault)}" if isinstance(fault, Exception) else context["message"]
            print(f"hfpy lsp: hfpy stumbled: {said}; this is a bug in hfpy, please report it", file=sys.stderr)

    loop.set_exception_handler(failed)

    def read() -> None:
        """In a thread that nobody waits for: reading cannot be interrupted."""
        last: bytes | Broken | None = None
        try:
            while (last := next_message(stdin)) is not None:
                loop.call_soon_threadsafe(arrived.put_nowait, last)
        except Broken as fault:
            last = fault
        except (OSError, ValueError):
            last = None
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(arrived.put_nowait, last)

    # An exception out of the handler could come between a task and what wakes it up, and the task would never end.
    loop.add_signal_handler(signal.SIGTERM, arrived.put_nowait, None)
    threading.Thread(target=read, daemon=True).start()
    while (body := await arrived.get()) is not None:
        if isinstance(body, Broken):
            raise body
        _handle(server, body)
        await asyncio.sleep(0)


def next_message(stdin: BinaryIO) -> bytes | None:
    """The body of the next message; None at the end of the stream. Raises Broken."""
    length = -1
    first = True
    while True:
        line = stdin.readline(10_000)
        if not line:
            if first:
                return None
            raise Broken("the input ends within a message")
        first = False
        if not line.strip():
            break
        found = _LENGTH.fullmatch(line.strip())
        if found is not None:
            length = int(found[1])
        elif b":" not in line or not line.endswith(b"\n"):
            raise Broken(f"this is no header of the Language Server Protocol: {_shown(line)}")
    if length < 0:
        raise Broken("a message has no Content-Length")
    if length > LARGEST:
        raise Broken(f"a message of {length} bytes is too long")
    body = stdin.read(length)
    if len(body) < length:
        raise Broken("the input ends within a message")
    return body


def _shown(line: bytes) -> str:
    return repr(line[:60].decode("utf-8", "replace"))


def _handle(server: Server, body: bytes) -> None:
    """Handle one message; one that cannot be handled gets an error as its answer."""
    try:
        plain = json.loads(body)
    except (ValueError, RecursionError) as fault:
        _refuse(server, None, _PARSE_ERROR, f"this is no JSON: {fault}")
        return
    if not isinstance(plain, dict) or plain.get("jsonrpc") != "2.0" or not {"method", "id"} & plain.keys():
        _refuse(server, None, _INVALID_REQUEST, "this is no message of JSON-RPC 2.0")
        return
    method, number = plain.get("method"), plain.get("id")
    if refused := _out_of_turn(server, method):
        if number is not None:
            _refuse(server, number, *refused)
        return
    known = server.protocol.fm
    if method is not None and method not in {**known.features, **known.builtin_features}:
        if number is not None:
            _refuse(server, number, _NO_METHOD, f"there is no method {method}")
        return
    try:
        message = server.protocol.structure_message(plain)
    except Exception as fault:  # whatever the classes of the protocol say of it
        if method is not None and number is not None:
            _refuse(server, number, _INVALID_PARAMETERS, f"{method}: {_plain(fault)}")
        else:
            print(f"hfpy lsp: a message is left out: {method or 'an answer'}: {_plain(fault)}", file=sys.stderr)
        return
    server.protocol.handle_message(message)


def _out_of_turn(server: Server, method: object) -> tuple[int, str] | None:
    """Why a message is out of turn: ``initialize`` is the first, ``shutdown`` and ``exit`` are the last ones."""
    if method in ("initialize", "exit"):
        server.begun = True
        return None
    if not server.begun:
        return _NOT_INITIALISED, f"{method} before 'initialize'"
    return (_INVALID_REQUEST, f"{method} after 'shutdown'") if server.shut_down else None


def _plain(fault: Exception) -> str:
    """What is wrong with a message, in one line."""
    return " ".join(str(fault).split())[:200] or type(fault).__name__


def _refuse(server: Server, number: Any, code: int, message: str) -> None:
    answer = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
    body = json.dumps(answer).encode()
    writer = server.protocol.writer
    if writer is not None:
        writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

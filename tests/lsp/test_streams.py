"""Clients that send nonsense, or half of something, or go away: an answer or a clear line, and no process is left."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hfpy.lsp.streams import Broken, next_message
from tests.lsp.conftest import COMMAND, ENVIRONMENT, SOURCE

INITIALISE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
SHUTDOWN = {"jsonrpc": "2.0", "id": 9, "method": "shutdown"}
EXIT = {"jsonrpc": "2.0", "method": "exit"}
HOVER = {
    "jsonrpc": "2.0",
    "id": 4,
    "method": "textDocument/hover",
    "params": {"textDocument": {"uri": "file:///nowhere/x.h90"}, "position": {"line": 1, "character": 1}},
}


def framed(*messages: object) -> bytes:
    bodies = [m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies)


def answers(text: bytes) -> list[dict[str, Any]]:
    found = []
    while text:
        head, _, rest = text.partition(b"\r\n\r\n")
        length = int(next(row for row in head.split(b"\r\n") if row.startswith(b"Content-Length")).split()[1])
        found.append(json.loads(rest[:length]))
        text = rest[length:]
    return found


def talk(sent: bytes) -> tuple[int, list[dict[str, Any]], str]:
    """The status, the answers and what is on standard error, of a client that sends this and closes the stream."""
    done = subprocess.run(COMMAND, input=sent, env=ENVIRONMENT, capture_output=True, timeout=300, check=False)
    return done.returncode, answers(done.stdout), done.stderr.decode()


def test_errors_are_answers() -> None:
    """What is no message, comes too early or too late, or is unknown, is answered by an error, and the rest goes on."""
    unknown = {"jsonrpc": "2.0", "id": 2, "method": "no/such"}
    faulty = {"jsonrpc": "2.0", "id": 3, "method": "textDocument/hover", "params": {"textDocument": 7}}
    open_wrong = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": ["x"]}
    stray = {"jsonrpc": "2.0", "id": 77, "result": 5}
    early = {**HOVER, "id": 0}
    change = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {}}
    nowhere = {"jsonrpc": "2.0", "method": "no/such/notification"}
    deep = b"[" * 100_000
    late = {**HOVER, "id": 10}
    sent = (
        early,
        change,
        INITIALISE,
        b"no json",
        b"\xff\xfe",
        deep,
        [1],
        {"id": 5},
        unknown,
        faulty,
        open_wrong,
        stray,
    )
    status, got, said = talk(framed(*sent, change, nowhere, HOVER, SHUTDOWN, late, EXIT))
    assert status == 0
    by_number = {a.get("id"): a for a in got if a.get("id") is not None}
    assert by_number[0]["error"]["code"] == -32002 and "before 'initialize'" in by_number[0]["error"]["message"]
    assert by_number[1]["result"]["capabilities"]["hoverProvider"]
    assert [a["error"]["code"] for a in got if "error" in a and a["id"] is None] == [-32700] * 3 + [-32600] * 2
    assert by_number[2]["error"]["code"] == -32601
    assert by_number[3]["error"]["code"] == -32602
    assert by_number[4]["result"] is None and by_number[9]["result"] is None
    assert by_number[10]["error"]["code"] == -32600 and "after 'shutdown'" in by_number[10]["error"]["message"]
    assert "Traceback" not in said
    assert [
        row for row in said.splitlines() if not row.startswith("hfpy lsp: a message is left out: textDocument/did")
    ] == []


GONE = "the client is gone without 'shutdown' and 'exit'"


@pytest.mark.parametrize(
    ("sent", "line"),
    [
        (b"", GONE),
        (framed(INITIALISE, EXIT), GONE),
        (framed(INITIALISE) + b"Content", "this is no header"),
        pytest.param(b"hello\n", "this is no", marks=pytest.mark.full),  # as the one before
    ],
)
def test_the_stream_ends(sent: bytes, line: str) -> None:
    status, _, said = talk(sent)
    assert status == 1
    (only,) = said.splitlines()
    assert only.startswith(f"hfpy lsp: {line}")


@pytest.mark.parametrize(
    ("sent", "line"),
    [
        (b"hello there\n", "this is no header of the Language Server Protocol: 'hello there\\n'"),
        (framed(INITIALISE)[:-5], "the input ends within a message"),
        (b"Content-Length: 10\r\n", "the input ends within a message"),
        (b"Content-Length: 999999999999\r\n\r\n{}", "a message of 999999999999 bytes is too long"),
        (b"Content-Length: -4\r\n\r\n{}", "a message has no Content-Length"),
        (b"Content-Type: x\r\n\r\n{}", "a message has no Content-Length"),
        (framed(INITIALISE).replace(b"Content-Length: 8", b"Content-Length: 2"), "this is no header"),
        (b"\xff" * 50_000, "this is no header of the Language Server Protocol: '\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_the_stream_breaks(sent: bytes, line: str) -> None:
    stream = io.BytesIO(sent)
    with pytest.raises(Broken) as broken:
        while next_message(stream) is not None:
            pass
    assert str(broken.value).startswith(line)


def test_headers_in_any_spelling() -> None:
    stream = io.BytesIO(b"content-type: x\ncontent-length:2\n\n{}" + framed(EXIT))
    assert next_message(stream) == b"{}" and json.loads(next_message(stream) or b"") == EXIT
    assert next_message(stream) is None


def test_a_client_that_dies(tmp_path: Path) -> None:
    """While a project is looked at the client goes away: the server ends at once, and leaves no file after."""
    path = tmp_path / "heat.h90"
    path.write_text("".join(SOURCE.replace("heat", f"heat{n}") for n in range(150)))
    document = {"uri": path.as_uri(), "languageId": "fortran", "version": 1, "text": path.read_text()}
    opened = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}
    environment = {**ENVIRONMENT, "TMPDIR": str(tmp_path)}
    server = subprocess.Popen(COMMAND, env=environment, stdin=-1, stdout=-1, stderr=-1, start_new_session=True)
    assert server.stdin is not None and server.stdout is not None and server.stderr is not None
    server.stdin.write(framed(INITIALISE, opened))
    server.stdin.flush()
    assert b"Content-Length" in server.stdout.readline()
    server.stdout.close()
    time.sleep(0.3)
    server.stdin.close()
    begin = time.monotonic()
    assert server.wait(20) == 1
    assert time.monotonic() - begin < 5
    assert "Traceback" not in server.stderr.read().decode()
    server.stderr.close()
    with pytest.raises(ProcessLookupError):
        os.killpg(server.pid, 0)
    assert list(tmp_path.glob("hfpy-lsp-*")) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal(number: signal.Signals, tmp_path: Path) -> None:
    environment = {**ENVIRONMENT, "TMPDIR": str(tmp_path)}
    server = subprocess.Popen(COMMAND, env=environment, stdin=-1, stdout=-1, stderr=-1)
    assert server.stdin is not None and server.stdout is not None and server.stderr is not None
    server.stdin.write(framed(INITIALISE))
    server.stdin.flush()
    server.stdout.readline()
    server.send_signal(number)
    assert server.wait(20) != 0
    assert "Traceback" not in server.stderr.read().decode()
    for stream in (server.stdin, server.stdout, server.stderr):
        stream.close()
    assert list(tmp_path.glob("hfpy-lsp-*")) == []

#!/usr/bin/env python3
"""Writes docs/errors.md from the catalogue in hfpy/codes.py: ``make_errors.py [--check]``. hfpy is run on the examples.

``--check`` writes nothing and ends with status 1 if the page is not what would be written.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(DOCS))

from error_examples import ENTRIES, Entry  # noqa: E402
from generated_page import write  # noqa: E402

from hfpy import cli  # noqa: E402
from hfpy.codes import CODES, HINTS  # noqa: E402
from hfpy.wrapper import main as wrapper  # noqa: E402

GROUPS = {
    "HF1": "Files, lexical layer, preprocessing",
    "HF2": "Directives; from HF250: what otherwise compilers find",
    "HF3": "Symbols, dimensions, order",
    "HF4": "Calls and positions",
    "HF5": "Data flow",
    "HF6": "Device state",
    "HF7": "Backends",
    "HF8": "Projects, builds, tools",
    "HF9": "hfpy itself",
}
HEAD = """# Messages

<!-- Written by docs/make_errors.py from hfpy/codes.py and docs/error_examples.py. -->

What hfpy has to say about your code it says in this form:

    file:line:column: error HF304: what is wrong
        the line
        ^^^^ the place in it
      note: file:line:column: a place that belongs to it
      hint: what helps

An **error** means that nothing is written; all errors are shown, not only the first. A **warning** is about code
that may be wrong where hfpy cannot know; the program is built. A **note** says something worth knowing. The exit
status is 1 if there is an error. `hfpy check` shows them without building, with `--format` for other
[tools](ci.md).

The messages below are what hfpy says about the examples above them.
"""
_LANGUAGES = {".toml": "toml", ".py": "python", "": "text"}


def write_files(entry: Entry, folder: Path) -> None:
    """Put the files of an example into a folder."""
    for name, text in entry.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def said(entry: Entry) -> str:
    """What hfpy says about an example."""
    text = io.StringIO()
    with tempfile.TemporaryDirectory() as name:
        write_files(entry, Path(name))
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.chdir(name))
            stack.enter_context(contextlib.redirect_stdout(text))
            stack.enter_context(contextlib.redirect_stderr(text))
            stack.enter_context(_without_compilers_of_the_environment())
            _run(shlex.split(entry.command_line)[1:])
        return text.getvalue().replace(name + "/", "")


def _run(words: list[str]) -> None:
    """Run a command, or what takes the place of a compiler, which ends the process with its status."""
    if words[0] != "fc":
        cli.run(words)
        return
    with contextlib.suppress(SystemExit):
        wrapper.main(words[1:])


@contextlib.contextmanager
def _without_compilers_of_the_environment() -> Iterator[None]:
    """So that messages are the same everywhere."""
    kept = {name: os.environ.pop(name) for name in ("FC", "CC", "FFLAGS", "CFLAGS", "LDFLAGS") if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


def raised() -> frozenset[str]:
    """The codes that are somewhere in the sources besides the catalogue itself."""
    texts = [p.read_text(encoding="utf-8") for p in (ROOT / "hfpy").rglob("*.py") if p != ROOT / "hfpy" / "codes.py"]
    return frozenset(re.findall(r"\bHF\d{3}\b", "\n".join(texts)))


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    given = raised()
    for group, title in GROUPS.items():
        parts.append(f"## {title}\n")
        for code, rule in CODES.items():
            if code.startswith(group):
                parts.extend(section(code, rule, code in given))
    return "\n".join(parts)


def section(code: str, rule: str, given: bool) -> Iterator[str]:
    """The lines about one code."""
    entry = ENTRIES[code]
    yield f"### {code}: {rule}\n"
    yield f"{entry.cause}{'' if given else ' No message has this code yet.'}\n"
    shown = {name: text for name, text in entry.files.items() if isinstance(text, str) and text.strip()}
    for name, text in shown.items():
        if len(shown) > 1:
            yield f"`{name}`\n"
        yield f"```{_LANGUAGES.get(Path(name).suffix, 'fortran')}\n{text.rstrip()}\n```\n"
    if entry.files:
        yield f"```text\n$ {entry.command_line}\n{said(entry).rstrip()}\n```\n"
    if entry.looks:
        yield f"```text\n{entry.looks}\n```\n"
    cure = entry.cure or _sentence(HINTS.get(code, ""))
    if cure:
        yield f"**Cure.** {cure}\n"


def _sentence(hint: str) -> str:
    return f"{hint[:1].upper()}{hint[1:]}." if hint else ""


if __name__ == "__main__":
    sys.exit(write(DOCS / "errors.md", page))

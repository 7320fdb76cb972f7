"""What hfpy makes of a program, told from outside: in a process of its own, with a limit of time and of memory."""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.support import translate_text

SECONDS = 10.0  # of CPU, on a machine that does STEPS in USUAL seconds; a slower one gets as much more
STEPS, USUAL = 1_000_000, 0.08
MEMORY = 2 << 30  # bytes


@dataclass(frozen=True)
class Verdict:
    """The codes of errors and of warnings, with the messages of errors; what went wrong instead, if anything did."""

    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    fault: str = ""
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        """Whether hfpy ended in time with a result or a refusal that blames the program."""
        return not self.fault and "HF900" not in self.errors


def warm(programs: Iterable[Callable[[], object]]) -> None:
    """Run some translations here first: what they load and compile once, each of the processes would do anew."""
    for translated in programs:
        translated()
    gc.collect()
    gc.freeze()  # or every process would copy the pages whose objects its collector looks at


@cache
def slower() -> float:
    """How many times as long as usual this machine takes for a fixed piece of work, at least 1."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        sum(k * k for k in range(STEPS))
        taken.append(time.process_time() - begin)
    return max(1.0, min(taken) / USUAL)


def judged(
    files: Mapping[str, str] | str, seconds: float = SECONDS, storage: str | None = None, **options: Any
) -> Verdict:
    """Translate sources given as text, as ``translate_text`` does. The time is that of the CPU."""
    seconds *= slower()
    given, taken = os.pipe()
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        _work(taken, files, seconds, storage, options)
    os.close(taken)
    text = b""
    while True:
        left = 4 * seconds - (time.monotonic() - begin)  # other work may share the machine
        if not select.select([given], [], [], max(left, 0))[0]:
            os.kill(child, signal.SIGKILL)
            break
        piece = os.read(given, 1 << 16)
        if not piece:
            break
        text += piece
    os.close(given)
    _, status, used = os.wait4(child, 0)
    spent = used.ru_utime + used.ru_stime
    if not text:
        return Verdict(fault=f"no answer: signal {status & 127}, {spent:.1f} s", seconds=spent)
    return Verdict(**{k: tuple(v) if isinstance(v, list) else v for k, v in json.loads(text).items()}, seconds=spent)


def judged_here(files: Mapping[str, str] | str, storage: str | None = None, **options: Any) -> Verdict:
    """The same in this process and without the limit of memory, in a third of the time: for many small programs."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {seconds:.0f} s")

    seconds = SECONDS * slower()
    known = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return Verdict(**{key: tuple(found) for key, found in _told(files, storage, options).items()})
    except Exception:
        return Verdict(fault=traceback.format_exc()[-3000:])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, known)


def _told(files: Mapping[str, str] | str, storage: str | None, options: Mapping[str, Any]) -> dict[str, list[str]]:
    """What a translation says."""
    done = translate_text(files, storage, **options)
    messages = [f"{d.place.line}: {d.code}: {d.message}" for d in done.errors[:10]]
    return {"errors": done.codes(), "warnings": done.codes("warning"), "messages": messages}


def _work(taken: int, files: Mapping[str, str] | str, seconds: float, storage: str | None, options: Any) -> None:
    """In the child: the translation, told through the pipe. Does not return."""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            reported: dict[str, Any] = _told(files, storage, options)
        except BaseException:
            reported = {"fault": traceback.format_exc()[-3000:]}
        data = json.dumps(reported).encode()
        while data:
            data = data[os.write(taken, data) :]
    finally:
        os._exit(0)

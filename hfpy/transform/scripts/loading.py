"""Users' scripts as Python modules, from the configured folder alone."""

from __future__ import annotations

import difflib
import inspect
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from hfpy.diagnostics import Place
from hfpy.options import ScriptFolder

LIMIT = 120.0  # seconds that a function of a script may take, with the analyses that it asks for


class TooLong(BaseException):
    """A script takes too long; no Exception, which a script may catch."""


class NoScript(Exception):
    """A script that cannot be had: what is wrong, and where in it (None: there is no such place). ``lasting``: it takes
    too long, which nobody wants to see again.
    """

    def __init__(self, message: str, place: Place | None = None, hint: str = "", lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting
        self.message = message
        self.place = place
        self.hint = hint


@dataclass
class Loader:
    """The modules of one folder, each read once."""

    folder: ScriptFolder
    modules: dict[str, ModuleType] = field(default_factory=dict)

    def function(self, module: str, name: str) -> Callable[..., Any]:
        """A function of a module. Raises NoScript."""
        found = getattr(self._module(module), name, None)
        if callable(found):
            return found  # type: ignore[no-any-return]
        made = self.modules[module]
        there = sorted(n for n, v in vars(made).items() if inspect.isfunction(v))
        near = difflib.get_close_matches(name, there, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"it has {', '.join(there)}" if there else "it has none"
        raise NoScript(f"the script '{module}' has no function '{name}'", Place(str(self._path(module))), hint)

    def _path(self, module: str) -> Path:
        return self.folder.path / f"{module}.py"

    def _module(self, name: str) -> ModuleType:
        if name in self.modules:
            return self.modules[name]
        path = self._path(name)
        if not name.isidentifier() or not path.is_file():
            there = sorted(p.stem for p in self.folder.path.glob("*.py"))
            near = difflib.get_close_matches(name, there, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"scripts are the .py files in {self.folder.path}"
            raise NoScript(f"there is no script '{name}'", None, hint)
        made = ModuleType(f"hfpy_scripts_{name}")
        made.__file__ = str(path)
        with importing_from(self.folder.path):
            run(lambda: exec(compile(path.read_text("utf-8"), str(path), "exec"), made.__dict__), path)
        self.modules[name] = made
        return made


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    """Scripts may import each other; what they have imported is forgotten, and nothing is written beside them."""
    before, known, writing = list(sys.path), set(sys.modules), sys.dont_write_bytecode
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.path[:] = before
        sys.dont_write_bytecode = writing
        for name in set(sys.modules) - known:
            origin = getattr(sys.modules[name], "__file__", None)
            if origin and Path(origin).resolve().is_relative_to(folder.resolve()):
                del sys.modules[name]


def run(action: Callable[[], Any], path: Path) -> Any:
    """Do something that executes a user's script. Raises NoScript where the script fails, with its line."""
    from hfpy.diagnostics import HfpyError

    try:
        with _limited():
            return action()
    except (HfpyError, KeyboardInterrupt):
        raise
    except TooLong as fault:
        place = _line_in(fault, path.parent)
        raise NoScript(f"the script takes longer than {LIMIT:g} seconds", place, lasting=True) from None
    except SyntaxError as fault:
        place = Place(fault.filename or str(path), fault.lineno or 0, fault.offset or 0)
        raise NoScript(f"the script is not Python: {fault.msg}", place) from None
    except BaseException as fault:  # a script may raise, or exit
        raise NoScript(f"the script ended with {_report(fault)}", _line_in(fault, path.parent)) from None


@contextmanager
def _limited() -> Iterator[None]:
    """Raises TooLong after the limit, and each second from then on; in the main thread alone, which has signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(_number: int, _frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, LIMIT, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _report(fault: BaseException) -> str:
    text = fault.args[0] if isinstance(fault, KeyError) and fault.args else str(fault)
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


def _line_in(fault: BaseException, folder: Path) -> Place | None:
    """The last line of a script that a fault went through."""
    found, trace = None, fault.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if Path(name).parent == folder:
            found = Place(name, trace.tb_lineno)
        trace = trace.tb_next
    return found

"""``hfpy fc COMPILER ARGUMENTS``: the compiler, on the translations of its sources.

A source whose translation is its own text goes straight to the compiler. Nothing heavy is imported on that way.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

from hfpy.suffixes import FREE
from hfpy.wrapper.command import SUFFIXES, Command, parsed
from hfpy.wrapper.store import FOLDER, Made, Store, fpm_package, store_for

if TYPE_CHECKING:
    from hfpy.diagnostics import Diagnostic

_Result = TypeVar("_Result")
_STOPS = (signal.SIGINT, signal.SIGTERM)
_DIRECTIVE = re.compile(
    rb"^[ \t]*(?:[!cC*]|)@[ \t]*(?:parallelregion|domaindepend[ae]nt|stencilprogram|decomposition|haloexchange"
    rb"|wholegrid|scheme|if)\b",
    re.I | re.M,
)


def main(words: Sequence[str]) -> int:
    """Run a compiler's command line; its exit status. When it is stopped, so is the compiler."""
    try:
        signal.signal(signal.SIGTERM, _terminated)
        return _main(words)
    except KeyboardInterrupt:
        print("hfpy fc: interrupted", file=sys.stderr)
        return 130
    except Exception as fault:
        if os.environ.get("HFPY_DEBUG"):
            raise
        from hfpy.commands.mishaps import unexpected
        from hfpy.diagnostics import Place

        _show([unexpected(fault, Place("hfpy"))])
        return 70


def _terminated(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _main(words: Sequence[str]) -> int:
    command = parsed(words)
    sources = [os.path.realpath(command.arguments[place]) for place in command.sources]
    if Path(words[0]).suffix.lower() in SUFFIXES:
        _end(f"'{words[0]}' is a source: the compiler comes first, as in hfpy fc gfortran -c {words[0]}", "")
    if command.unfinished or (not sources and not command.links):
        _replaced(words)
    if len(sources) > 1 and command.output and not command.links:
        _end(f"-o {command.output} is one file, and there are {len(sources)} sources", "")
    store = store_for(sources)
    package = fpm_package() if store is None else None
    if store is not None:
        store = _up_to_date(store, sources)
    elif package is not None:
        store = _first_scan(package, sources)
    else:
        _require_no_directives(sources)
        _replaced(words)
    made = [store.sources.get(source) for source in sources]
    _require_no_directives([s for s, m in zip(sources, made, strict=True) if m is None])
    _require_macros(store, command, sources)
    own = any(m is not None and not m.identity for m in made)
    if command.links:
        return _link(store, command, made)
    if not own:
        _replaced(words)
    if len(sources) > 1:
        status = 0
        for place in command.sources:
            status = status or _one_of_several(store, _alone(command, place), command.arguments[place])
        return status
    assert made[0] is not None
    return _compile(store, command, sources[0], made[0])


def _replaced(words: Sequence[str]) -> NoReturn:
    """The compiler in the place of this process."""
    sys.stdout.flush()
    try:
        os.execvp(words[0], list(words))
    except OSError as fault:
        _end(f"'{words[0]}' cannot be run: {fault.strerror}", "HF805")


def _alone(command: Command, place: int) -> list[str]:
    """The command line for one of several sources."""
    others = {n for n in command.sources if n != place}
    return [*command.compiler, *(word for n, word in enumerate(command.arguments) if n not in others)]


def _up_to_date(store: Store, sources: Sequence[str]) -> Store:
    """The store, scanned again where something has changed, or where a source is new."""
    new = [s for s in sources if s not in store.sources and store.covers(s)]
    if store.current() and not new:
        return store
    from hfpy.wrapper.scan import again

    return _scan(lambda reported: again(store, reported), sources)


def _first_scan(package: Path, sources: Sequence[str]) -> Store:
    """The store of an fpm package, scanned by what its fpm.toml says."""
    from hfpy.wrapper.scan import scan

    return _scan(lambda reported: scan((str(package),), package / FOLDER, {}, reported), sources)


def _scan(action: Callable[[Callable[[Sequence[Diagnostic]], None]], Store], sources: Sequence[str]) -> Store:
    """What a scan gives, with what it has to say about the sources; its fault ends this process."""
    from hfpy.diagnostics import HfpyError, ToolError, has_errors

    reported: list[Diagnostic] = []
    try:
        made = action(reported.extend)
    except HfpyError as fault:
        _show(fault.diagnostics)
        sys.exit(1 if has_errors(fault.diagnostics) else 2)
    except ToolError as fault:
        _end(str(fault), "")
    _show([d for d in reported if not d.place.file or os.path.realpath(d.place.file) in sources])
    return made


def _require_no_directives(sources: Sequence[str]) -> None:
    """End with an error for a source with directives that no scan has seen."""
    for source in sources:
        try:
            data = Path(source).read_bytes()
        except OSError:
            continue
        found = _DIRECTIVE.search(data)
        if found is not None:
            line = data.count(b"\n", 0, found.start()) + 1
            text = "the directives of one file are about the whole program, which has not been scanned"
            _fault("HF813", text, source, line, "hfpy fc --scan DIR... in the folder of the program, once")


def _require_macros(store: Store, command: Command, sources: Sequence[str]) -> None:
    """End with an error for a source that mentions a macro which the scan saw with another value."""
    different = sorted(command.defined ^ store.defined)
    for source in sources if different else ():
        if source not in store.sources:
            continue
        text = Path(source).read_text(encoding="utf-8", errors="replace")
        for name in different:
            word = name.partition("=")[0]
            if re.search(rf"\b{re.escape(word)}\b", text):
                how = "with" if name in command.defined else "without"
                other = "without" if how == "with" else "with"
                message = f"this is compiled {how} -D{name}, and was scanned {other}"
                _fault("HF814", message, source, 0, f"scan with the same: hfpy fc --scan … -D{name}")


def _compile(store: Store, command: Command, source: str, made: Made) -> int:
    """Compile the translation of a source."""
    from hfpy.wrapper.compilers import flags_of
    from hfpy.wrapper.records import Record, write_record

    _require_compiler(command)
    flags = _asked(lambda: flags_of(store, command.compiler))
    text = str(store.folder / "generated" / made.fortran)
    line = command.with_argument(command.sources[0], text)
    line += [*flags.parallel, f"-I{Path(source).parent}", f"-I{store.folder / 'generated'}"]
    line += flags.long if Path(text).suffix in FREE else ()
    line += [f"-I{flags.modules}"] if flags.modules else []
    target = command.object_of(command.arguments[command.sources[0]])
    if not command.output and not command.ends_before:
        line += ["-o", target]
    if command.ends_before:
        return _run(line)
    try:
        status = _run(line)
        if status or not Path(target).is_file():  # it may be /dev/null
            return status
        for number, kernels in enumerate(made.kernels):
            _with_kernels(store, kernels, target, number)
        write_record(target, Record(str(store.folder), source, made.digest))
    except BaseException:  # stopped, or without its kernels: half an object would pass for a whole one
        if Path(target).is_file():
            Path(target).unlink()
        raise
    _add_dependencies(command, target, [source, text])
    return 0


def _require_compiler(command: Command) -> None:
    """End with an error if the compiler is not there."""
    import shutil

    if shutil.which(command.compiler[0]) is None:
        _end(f"'{command.compiler[0]}' cannot be run: there is no such program in the path", "HF805")


def _run(line: Sequence[str]) -> int:
    """The status of a compiler, which ends when this process is stopped."""
    held = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)  # no signal comes before the process is known
    try:
        process = subprocess.Popen(line, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, held))
    except OSError as fault:
        _end(f"'{line[0]}' cannot be run: {fault.strerror}", "HF805")
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        return process.wait()
    except BaseException:
        process.terminate()  # not killed: compilers remove what they have half written
        process.wait()
        raise


def _with_kernels(store: Store, kernels: str, target: str, number: int) -> None:
    """Compile kernels, and join them with the object of the host's code."""
    from hfpy.wrapper.compilers import run

    compiled, joined = f"{target}.kernels{number}.o", f"{target}.joined{number}.o"
    places = {"SOURCE": str(store.folder / "generated" / kernels), "TARGET": compiled}
    try:
        _asked(lambda: run([places.get(word, word) for word in store.kernel_command]))
        _asked(lambda: run(["ld", "-r", "-o", joined, target, compiled]))
        os.replace(joined, target)
    finally:
        Path(compiled).unlink(missing_ok=True)
        Path(joined).unlink(missing_ok=True)


def _add_dependencies(command: Command, target: str, files: Sequence[str]) -> None:
    """Name the user's source and the generated one in the file for make."""
    if command.dependencies and Path(command.dependencies).is_file():
        with open(command.dependencies, "a", encoding="utf-8") as file:
            file.write(f"\n{target}: {' '.join(name.replace(' ', chr(92) + ' ') for name in files)}\n")


def _link(store: Store, command: Command, made: Sequence[Made | None]) -> int:
    """Link, if all objects are of the present translation; sources are compiled before."""
    _require_compiler(command)
    words, temporary = list(command.arguments), list[str]()
    try:
        if any(one is not None and not one.identity for one in made):
            rest = _without_output(command)
            for place in command.sources:  # in their order, as one may need the modules of another
                words[place] = f"{Path(command.arguments[place]).stem}.hfpy.o"
                temporary.append(words[place])
                line = [*command.compiler, "-c", *rest, command.arguments[place], "-o", words[place]]
                status = _one_of_several(store, line, command.arguments[place])
                if status:
                    return status
        return _linked(store, command, words, bool(temporary))
    finally:
        for name in temporary:
            Path(name).unlink(missing_ok=True)


def _linked(store: Store, command: Command, words: Sequence[str], compiled: bool) -> int:
    """Link objects with what translations need; ``compiled``: there are objects of the same command."""
    from hfpy.wrapper.compilers import flags_of

    if not _require_present(store, command) and not compiled:
        _replaced([*command.compiler, *command.arguments])
    flags = _asked(lambda: flags_of(store, command.compiler))
    line = [*command.compiler, *words, *flags.parallel]
    line += [flags.library] if flags.library else []
    line += [store.library, *store.link_flags] if store.library else []
    return _run(line)


def _require_present(store: Store, command: Command) -> bool:
    """End with an error for an object that was compiled from another translation than the present one; whether there
    are any from translations.
    """
    from hfpy.wrapper.records import records_in

    found = list(records_in(command.arguments[place] for place in command.linked))
    for path, record in found:
        if record.store != str(store.folder):
            message = f"'{path}' is of another scan, in {record.store}"
            _fault("HF815", message, record.source, 0, "compile all files again")
        now = store.sources.get(record.source)
        if now is None or now.digest != record.digest:
            message = f"'{path}' was compiled from another translation than the one that the program has now"
            _fault("HF815", message, record.source, 0, "compile it again; with -MD make finds out by itself")
    return bool(found)


def _one_of_several(store: Store, line: list[str], source: str) -> int:
    """Compile one source, and come back."""
    made = store.sources.get(os.path.realpath(source))
    if made is not None and not made.identity:
        return _main(line)
    return _run(line)


def _without_output(command: Command) -> list[str]:
    """The arguments without sources, objects and the output."""
    left = [w for n, w in enumerate(command.arguments) if n not in (*command.sources, *command.linked)]
    for place, word in enumerate(left):
        if word == "-o":
            return left[:place] + left[place + 2 :]
        if command.output and word == f"-o{command.output}":
            return left[:place] + left[place + 1 :]
    return left


def _asked(action: Callable[[], _Result]) -> _Result:
    """What an action gives; its fault ends this process."""
    from hfpy.diagnostics import ToolError

    try:
        return action()
    except ToolError as fault:
        _end(str(fault), "")


def _fault(code: str, message: str, file: str, line: int, hint: str) -> NoReturn:
    from hfpy.diagnostics import Place, error

    _show([error(code, message, Place(os.path.relpath(file), line), hint)])
    sys.exit(1)


def _end(message: str, code: str) -> NoReturn:
    print(f"hfpy fc: error {code}: {message}" if code else message, file=sys.stderr)
    sys.exit(2)


def _show(found: Sequence[Diagnostic]) -> None:
    from hfpy.diagnostics import render

    for one in found:
        print(render(one), file=sys.stderr)

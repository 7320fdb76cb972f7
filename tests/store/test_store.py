"""The store: damaged entries are none, processes do not harm each other, and it does not grow without bounds."""

import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from hfpy.diagnostics import Place, Related
from hfpy.model.expressions import Name
from hfpy.options import Options
from hfpy.pickled import write_pickled
from hfpy.pipeline import translate
from hfpy.store import incremental
from hfpy.store import store as store_module
from hfpy.store.store import Store, _Reader, key_of

CALLS = """module calls
  implicit none
contains
  subroutine step(a)
    real(8), intent(inout) :: a(8)
    @parallelRegion{domName(i), domSize(8)}
    a(i) = a(i) + 1
    @end parallelRegion
  end subroutine step
end module calls
"""


def test_what_was_put_is_got(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "store")
    assert store.get("step", "k") is None
    store.put("step", "k", {"a": (1, 2)})
    assert store.get("step", "k") == {"a": (1, 2)}
    assert store.get("step", "other") is store.get("other", "k") is None


def test_parts_of_a_key_do_not_run_into_each_other() -> None:
    assert len({key_of(parts) for parts in (["ab"], ["a", "b"], ["", "ab"], ["ab", ""], [])}) == 5


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "foreign", "folder"])
def test_damaged_entries_are_none(damage: str, tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("step", "k", list(range(1000)))
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    if damage == "folder":
        path.unlink()
        path.mkdir()
    changed = {"empty": b"", "cut": data[:-7], "changed": data[:-9] + b"\0" + data[-8:], "foreign": b"\x80\x04K\x01."}
    if damage in changed:
        assert changed[damage] != data
        path.write_bytes(changed[damage])
    assert store.get("step", "k") is None
    store.put("step", "k", 1)
    assert store.get("step", "k") == (None if damage == "folder" else 1)
    assert damage == "folder" or len(list(tmp_path.iterdir())) == 1


def test_what_was_used_longest_ago_goes(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=5000)
    for number in range(4):
        store.put("step", str(number), bytes(1000))
        os.utime(tmp_path / f"step-{number}.kept", (number, number))
    assert store.get("step", "0") is not None  # used now
    store.put("step", "new", bytes(1900))
    assert [store.get("step", k) is not None for k in ("0", "1", "2", "3", "new")] == [True, False, False, True, True]
    store.put("step", "large", bytes(6000))
    assert store.get("step", "large") is None
    assert store.get("step", "new") is not None


def test_a_folder_that_cannot_be_written_is_an_empty_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "store")
    store.put("step", "k", 1)
    assert store.get("step", "k") is None


def test_many_at_once(tmp_path: Path) -> None:
    """Each reader meets a whole entry, or none."""
    store = Store(tmp_path, limit=60_000)
    wrong: list[object] = []

    def work(own: int) -> None:
        for turn in range(40):
            key = str(turn % 5)
            store.put("step", key, [own] * 2000)
            got = store.get("step", key)
            if got is not None and (not isinstance(got, list) or len(got) != 2000 or len(set(got)) != 1):
                wrong.append(got)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_killed_process_leaves_no_half_entry(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from hfpy.store.store import Store; s = Store(Path(sys.argv[1]))\n"
        "while True: s.put('step', 'k', bytes(3_000_000)); print('x', flush=True)"
    )
    for delay in (0.0, 0.003, 0.007):
        with subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        assert Store(tmp_path).get("step", "k") == bytes(3_000_000)


def test_an_edit_that_is_taken_back_is_known(tmp_path: Path) -> None:
    """Also of small programs, for GPUs, and with another target in between."""
    path = tmp_path / "calls.h90"
    ways = [Options(backend="openmp", cache_dir=tmp_path / "c"), Options(target="gpu", cache_dir=tmp_path / "c")]
    first = []
    for text in (CALLS, CALLS.replace("+ 1", "+ 2")):
        path.write_text(text)
        first.append([translate([path], way).files for way in ways])
    assert first[0][0] != first[1][0]
    path.write_text(CALLS)

    def unwanted() -> object:
        raise AssertionError("asked for everything")

    nothing = incremental.Full(unwanted, unwanted)  # type: ignore[arg-type]
    assert [incremental.from_cache([path], way, nothing).files for way in ways] == first[0]  # type: ignore


def test_nothing_is_kept_of_sources_that_change_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is saved while it is translated must not have the old text's translation."""
    monkeypatch.setattr(incremental, "_WORTH", 0)
    path = tmp_path / "calls.h90"
    path.write_text(CALLS)
    options = Options(backend="openmp", cache_dir=tmp_path / "cache")
    saved = CALLS.replace("+ 1", "+ 2")

    def progress(phase: str, _number: int, _of: int) -> None:
        if phase == "analysing":
            path.write_text(saved)

    assert "+ 1" in translate([path], options, progress).files[0].text
    assert "+ 2" in translate([path], options).files[0].text


def test_facts_of_another_translation_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed after it wrote its facts leaves those of the translation before in use."""
    monkeypatch.setattr(incremental, "_WORTH", 0)
    path, other = tmp_path / "calls.h90", tmp_path / "other.h90"
    options = Options(backend="openmp", opt=2, cache_dir=tmp_path / "cache")
    path.write_text(CALLS)
    other.write_text(CALLS.replace("calls", "other"))
    translate([path, other], options)
    path.write_text(CALLS.replace("real(8)", "real(4)").replace("a(8)", "a(0:9)"))
    put = Store.put
    with monkeypatch.context() as killed:
        killed.setattr(Store, "put", lambda s, step, key, v: put(s, step, key, v) if "facts" in step else None)
        translate([path, other], options)
    path.write_text(CALLS.replace("+ 1", "+ 3"))
    again = incremental.Full(lambda: translate([path, other], options), lambda: translate([path, other], options))
    assert incremental.from_cache([path, other], options, again) is not None
    assert translate([path, other], options).files == translate([path, other], Options(backend="openmp", opt=2)).files


class _Harm:
    """What an entry from somebody else may try to call."""

    def __init__(self, called: Any, *args: Any) -> None:
        self.called, self.args = called, args

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.called, self.args


@pytest.mark.parametrize("called", [os.mkdir, os.system, subprocess.call, eval, print])
def test_an_entry_calls_nothing(tmp_path: Path, called: Any) -> None:
    """Also with a right checksum: a project may bring a store along."""
    store = Store(tmp_path / "kept")
    given = str(tmp_path / "made") if called is os.mkdir else f"touch {tmp_path / 'made'}"
    store.put("step", "key", (1, _Harm(called, given)))
    assert store.get("step", "key") is None
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("module", "name"),
    [("hfpy.analyze.facts", "resolve_alias"), ("hfpy.options", "Path.home"), ("hfpy.diagnostics", "Path.cwd")],
)
def test_only_values_are_named(module: str, name: str) -> None:
    """Functions of hfpy are none, nor is what its modules import."""
    words = (bytes([0x8C, len(word)]) + word.encode() for word in (module, name))
    with pytest.raises(pickle.UnpicklingError):
        _Reader(io.BytesIO(b"\x80\x04" + b"".join(words) + b"\x93.")).load()


@dataclass(frozen=True, slots=True)
class _Ready:
    """A value that works something out when it is made."""

    text: str
    length: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.text))


@dataclass(frozen=True, slots=True)
class _Flagged:
    """A value with a field that is given by name alone."""

    number: int
    made: bool = field(default=False, kw_only=True)


@pytest.mark.parametrize(
    "value",
    [
        Place("a.f90", 3, 4, 5),
        Related(Place("b.f90", 1), "told"),
        Name(0, 1, "a"),
        _Ready("abc"),
        _Flagged(3, made=True),
        (Name(0, 1, "a"), {"b": Place("c.f90")}),
    ],
    ids=repr,
)
def test_values_come_back_equal(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever way their classes take to write them."""
    monkeypatch.setattr(store_module, "_OURS", (*store_module._OURS, __name__))
    written = io.BytesIO()
    write_pickled(written, value)
    written.seek(0)
    again = _Reader(written).load()
    assert again == value
    assert repr(again) == repr(value)
    if is_dataclass(value):
        assert [getattr(again, f.name) for f in fields(value)] == [getattr(value, f.name) for f in fields(value)]

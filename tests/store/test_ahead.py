"""Entries that are read before they are asked for."""

from pathlib import Path

import pytest

from hfpy.lsp.looking import Looker
from hfpy.store import incremental
from hfpy.store.ahead import Ahead, StoreAhead
from hfpy.store.store import Store

TEXT = """module one
  implicit none
contains
  subroutine step(n, a)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    @parallelRegion{domName(i), domSize(n)}
    a(i) = a(i) + 1
    @end parallelRegion
  end subroutine step
end module one
"""


def test_an_entry_is_given_out_once(tmp_path: Path) -> None:
    ahead = Ahead()
    store = StoreAhead(tmp_path, ahead=ahead)
    Store(tmp_path).put("step", "key", {"a": 1})
    ahead.expect(store, [("step", "key"), ("step", "missing")])
    assert ahead.take((tmp_path, "step", "key")) is None  # nothing is read yet
    ahead.read()
    for path in tmp_path.iterdir():
        path.unlink()
    first = store.get("step", "key")
    assert first == {"a": 1}
    assert store.get("step", "key") is None  # it may have been changed
    Store(tmp_path).put("step", "key", {"a": 1})
    ahead.read()
    second = store.get("step", "key")
    assert second == first and second is not first
    assert store.get("step", "key") == {"a": 1}  # from the disk
    ahead.read()
    ahead.expect(store, [])
    ahead.read()
    assert ahead.take((tmp_path, "step", "key")) is None


def test_a_look_reads_no_facts_from_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incremental, "_WORTH", 0)
    path = tmp_path / "one.h90"
    (tmp_path / "hfpy.toml").write_text('[project]\nsources = ["one.h90"]\n')
    path.write_text(TEXT)
    looker = Looker()
    assert not looker.project(path).found
    looker.ahead.read()
    read: list[str] = []
    get = Store.get

    def noted(store: Store, step: str, key: str) -> object:
        read.append(step)
        return get(store, step, key)

    monkeypatch.setattr(Store, "get", noted)
    for turn in range(2):  # and the one after, if that is read, too
        path.write_text(TEXT.replace("+ 1", f"+ {turn + 2}"))
        assert not looker.project(path).found
        assert "facts" not in read and "last" in read
        looker.ahead.read()
        assert "facts" in read
        read.clear()
    path.write_text(TEXT.replace("a(i) + 1", "a(i+1)"))
    assert [d.code for d in looker.project(path).found[path]] == ["HF504"]
    looker.close()

"""What tells one state of hfpy from another: its own files, and nothing that Python writes beside them."""

from pathlib import Path

import pytest

from hfpy.build import translated


def test_what_python_keeps_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may write it meanwhile, first under a name that ends in a number."""
    (tmp_path / "module.py").write_text("one = 1\n")
    monkeypatch.setattr(translated, "PACKAGE", tmp_path)
    made = translated.own_fingerprint.__wrapped__
    before = made()
    kept = tmp_path / "__pycache__"
    kept.mkdir()
    for name in ("module.cpython-311.pyc", "module.cpython-311.pyc.140234567"):
        (kept / name).write_bytes(b"1")
    assert made() == before
    (tmp_path / "module.py").write_text("two = 2\n\n")
    assert made() != before

"""Questions that isl gives up on are left open."""

from __future__ import annotations

import islpy
import pytest

from tests.support import translate_text


def test_what_isl_cannot_do_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that it gives up on, with whatever message, is no fault of the user's program."""

    def fail(*_: object) -> None:
        raise islpy.Error("call to isl_set_read_from_str failed: syntax error")

    loop = "do i = 1, n\n  a(i) = a(k)\n end do"
    source = f"subroutine s(n, k, a)\n integer :: n, k, i\n real :: a(n)\n {loop}\nend subroutine"
    found = translate_text({"m.f90": source}, backend="openmp", auto=True)
    monkeypatch.setattr(islpy.Set, "intersect", fail)
    monkeypatch.setattr(islpy.Set, "is_empty", fail)
    done = translate_text({"m.f90": source}, backend="openmp", auto=True)
    assert not found.errors and not done.errors
    assert "parallel do" not in done.text

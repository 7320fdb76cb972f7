"""Messages of several compilers lead back to the user's lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.build.compile.messages import Origin, mapped
from hfpy.build.translated import packed_lines, unpacked_lines

SOURCE = ["module a", "@region{}", "x(k) = y", "end module"]
GENERATED = ["! hfpy", "module a", "do i = 1, n", "x(i,k) = y", "end do", "end module"]


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Origin:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source").mkdir()
    (tmp_path / "out/generated").mkdir(parents=True)
    (tmp_path / "source/a.h90").write_text("\n".join(SOURCE))
    (tmp_path / "out/generated/a.F90").write_text("\n".join(GENERATED))
    return Origin(Path("out/generated/a.F90"), Path("source/a.h90"), (0, 1, 2, 3, 0, 4))


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (  # gfortran, a line as the user wrote it: number and place are the user's
            "out/generated/a.F90:6:1:\n\n    6 | end module\n      | 1\nError: bad (1)",
            "source/a.h90:4:1:\n\n    4 | end module\n      | 1\nError: bad (1)",
        ),
        (  # gfortran, a line that was changed
            "out/generated/a.F90:4:3:\n\n    4 | x(i,k) = y\n      |   1\nError: bad (1)\nmore",
            "source/a.h90:3:3:\n\n    4 | x(i,k) = y\n      |   1\nError: bad (1)\n"
            "  note: line 4 of out/generated/a.F90 comes from source/a.h90:3\nmore",
        ),
        (  # a line that hfpy made
            "out/generated/a.F90:5:1: warning: odd",
            "source/a.h90:3:1: warning: odd\n"
            "  note: line 5 of out/generated/a.F90 was made by hfpy, near source/a.h90:3",
        ),
        (  # before anything of the user's
            "a.F90:1: Error: odd",
            "source/a.h90:1: Error: odd\n  note: line 1 of out/generated/a.F90 was made by hfpy, near source/a.h90:1",
        ),
        ("/tmp/x/generated/a.F90:6: undefined reference to `f_'", "source/a.h90:4: undefined reference to `f_'"),
        ("NVFORTRAN-S-0034-Syntax error (out/generated/a.F90: 6)", "NVFORTRAN-S-0034-Syntax error (source/a.h90: 4)"),
        ("out/generated/a.F90(6): error #5082: Syntax", "source/a.h90(4): error #5082: Syntax"),
        ("ba.F90:6: Error: another file", "ba.F90:6: Error: another file"),
        ("other/a.F90x:6: Error", "other/a.F90x:6: Error"),
        ("nothing to map", "nothing to map"),
    ],
)
def test_forms_of_places(origin: Origin, output: str, expected: str) -> None:
    assert mapped(output, [origin]) == expected


def test_no_origins_change_nothing() -> None:
    assert mapped("a.F90:1: x\n", []) == "a.F90:1: x\n"


@pytest.mark.parametrize("lines", [(), (0, 0, 1, 2, 3, 3, 4, 0, 9), (5, 4, 4, 0, 1), tuple(range(1, 100))])
def test_line_maps_survive_packing(lines: tuple[int, ...]) -> None:
    assert unpacked_lines(packed_lines(lines)) == lines


def test_packing_is_short_for_long_files() -> None:
    assert packed_lines((0, 0, *range(1, 100_000))) == [[0, 2], [1, 99_999]]

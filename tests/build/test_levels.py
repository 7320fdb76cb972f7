"""The level of the optimiser: by default, by project, by the command line; builds that show regions as written."""

from pathlib import Path

import pytest

from hfpy.build.session import Given, open_project


@pytest.mark.parametrize(
    ("setting", "given", "expected"),
    [
        ("", Given(target="cpu"), 2),
        ("opt = 1", Given(target="cpu"), 1),
        ("opt = 1", Given(target="cpu", opt=3), 3),
        ("opt = 3", Given(target="cpu", debug=True), 0),
        ("", Given(target="cpu", trace=True), 2),
        ("", Given(target="cpu", debug_print=True), 0),
        ("", Given(target="cpu", debug=True, opt=2), 2),
    ],
)
def test_level(setting: str, given: Given, expected: int, tmp_path: Path) -> None:
    (tmp_path / "m.f90").write_text("program m\nend program m\n")
    (tmp_path / "hfpy.toml").write_text(f'[project]\nname = "m"\nsources = ["m.f90"]\n[target.cpu]\n{setting}\n')
    assert open_project(tmp_path, given, {}).options.opt == expected

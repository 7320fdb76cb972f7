"""What a user sees where no Fortran file is found: what is there, and where Fortran is."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hfpy.cli import cli

TOML = '[project]\nname = "x"\nsources = ["{}"]\n'
C, F = "int a;\n", "end\n"


@pytest.mark.parametrize(
    ("files", "arguments", "reported"),
    [
        ({}, [], ["HF800", "nor is there a Fortran file", "hfpy new"]),
        ({"a.c": C}, [], ["HF800", "nor is there a Fortran file", ".f90"]),
        ({"src/a.F": F, "src/b.f90": F}, [], ["HF800", "hfpy init", "in 'src'"]),
        ({"a.c": C}, ["a.c"], ["a.c: error HF803", "(1 .c)", ".f90"]),
        ({"src/a.f90": F}, ["src/b.f90"], ["src/b.f90: error HF803", "no such file", "did you mean 'src/a.f90'?"]),
        ({"a.f90": F, "b.f90/": ""}, ["b.f90", "a.f90"], ["b.f90: error HF803", "no Fortran file in this folder"]),
        ({"hfpy.toml": TOML.format("src"), "src/a.f90": F}, ["scr"], ["scr: error", "no such file", "'src'"]),
        ({"hfpy.toml": TOML.format("sorce"), "source/a.f90": F}, [], ["hfpy.toml:3", "did you mean 'source'?"]),
        ({"hfpy.toml": TOML.format("lib"), "a/b/x.f90": F}, [], ["hfpy.toml:3", "names no file", "are in 'a/b'"]),
        ({"hfpy.toml": TOML.format("a/*.f"), "a/x.f90": F}, [], ["hfpy.toml:3", "names no file", "are in 'a'"]),
        ({"hfpy.toml": TOML.format("c"), "c/x.c": C, "c/y.h": C, "z.f": F}, [], ["(1 .c, 1 .h)", "beside hfpy.toml"]),
        ({"hfpy.toml": TOML.format("a") + 'exclude = ["x.*"]\n', "a/x.f90": F}, [], ["exclude takes the Fortran file"]),
        ({"hfpy.toml": '[project]\nname = "x"\n', "model/x.f90": F}, [], ["HF803", 'sources = ["model"]']),
    ],
)
def test_where_no_source_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], arguments: list[str], reported: list[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["check", *arguments], standalone_mode=False)
    assert done.exception is None, done.exception
    assert all(words in done.output for words in reported), done.output

"""``!@allow CODE name``: warnings that the source acknowledges; ``--werror``; the hint at emulation."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hfpy import cli
from hfpy.cli import cli as commands
from tests.support import translate_text

SOURCE = """subroutine go(n, m, a, c, ix, b)
  integer, intent(in) :: n, m, ix(n)
  real(8), intent(inout) :: a(m), b(n), c(m)
  {above}
  @parallelRegion{{domName(i), domSize(n)}}
  {before}
  A(ix(i)) = b(i) {behind}
  c(ix(i)) = b(i)
  @end parallelRegion
end subroutine
"""


def warned(**comments: str) -> list[tuple[str, int]]:
    source = SOURCE.format(**{"above": "", "before": "", "behind": "", **comments})
    return [(d.code, d.place.line) for d in translate_text(source, backend="openmp").diagnostics]


def test_nothing_is_acknowledged_by_itself() -> None:
    assert warned() == [("HF500", 7), ("HF500", 8)]


@pytest.mark.parametrize("comment", ["!@allow HF500 a", "! @ALLOW hf500 b, A", "!@allow HF500"])
@pytest.mark.parametrize("where", ["before", "behind"])
def test_a_statement(comment: str, where: str) -> None:
    assert warned(**{where: comment}) == [("HF500", 8)]


def test_a_region() -> None:
    assert warned(above="!@allow HF500 a c") == []
    assert warned(above="!@allow HF500 c") == [("HF500", 7)]
    assert warned(above="!@allow HF500") == []
    assert warned(above="!@allow HF500 a\n  !@allow HF500 c") == []


@pytest.mark.parametrize("comment", ["!@allow HF500 b", "!@allow HF501 a", "!@allow HF5OO a", "!@allow"])
def test_what_acknowledges_nothing_is_told(comment: str) -> None:
    assert warned(before=comment) == [("HF255", 6), ("HF500", 7), ("HF500", 8)]


def test_errors_stay() -> None:
    source = "subroutine s(n, a)\n  integer :: n\n  real :: a(n)\n  !@allow HF405\n"
    source += "  @parallelRegion{domName(i), domSize(n)}\n  goto 10\n  a(i) = 1\n  @end parallelRegion\n10 continue\n"
    source += "end subroutine\n"
    assert "HF405" in [d.code for d in translate_text(source).errors]


def test_text_is_the_same() -> None:
    with_comment = translate_text(SOURCE.format(above="! a known one", before="", behind=""), backend="openmp")
    allowed = translate_text(SOURCE.format(above="!@allow HF500", before="", behind=""), backend="openmp")
    assert [t.replace("!@allow HF500", "! a known one") for t in allowed.files.values()] == list(
        with_comment.files.values()
    )


def run(folder: Path, *arguments: str, **comments: str) -> Result:
    path = folder / "m.h90"
    path.write_text(SOURCE.format(**{"above": "", "before": "", "behind": "", **comments}))
    return CliRunner().invoke(commands, [*arguments, str(path)], standalone_mode=False)


def test_warnings_as_errors(tmp_path: Path) -> None:
    assert run(tmp_path, "check").return_value == 0
    strict = run(tmp_path, "check", "--werror")
    assert strict.return_value == 1
    assert "error HF500" in strict.output
    assert run(tmp_path, "check", "--werror", above="!@allow HF500").return_value == 0


def test_a_build_with_warnings_as_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["."]\n')
    (tmp_path / "m.h90").write_text(SOURCE.format(above="", before="", behind=""))
    (tmp_path / "main.f90").write_text("program main\nend program\n")
    assert cli.run(["build", str(tmp_path), "--werror"]) == 1
    assert "error HF500" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.o"))


def test_without_a_gpu_emulation_is_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hfpy.build.machine.doctor.find_gpus", lambda: ())
    cli._hint_at_emulation()
    assert "--emulate" in capfd.readouterr().err

"""Bad input: every refusal has its place, code, source line with a caret, and a hint; nothing is written.

In the sources below ``⟦…⟧`` marks what the diagnostic must point at; the marks are taken out before hfpy sees them.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from hfpy.cli import run
from hfpy.codes import CODES

BLOCK = "    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom)}\n    a\n    @end domainDependant\n"
REGION = "    @parallelRegion{domName(x,y), domSize(NX,NY)}\n"
END = "    @end parallelRegion\n"
HEAD = "  subroutine s(a)\n    real, intent(inout) :: a(NX,NY,NZ)\n"
TAIL = "  end subroutine s\n"
BODY = "    a(1) = 1.\n"


def module(body: str) -> str:
    return f"module m\n  implicit none\n  integer, parameter :: NX = 4, NY = 3, NZ = 5\ncontains\n{body}end module m\n"


@dataclass(frozen=True)
class Refusal:
    """A source that is refused: the code, and words that the message or the hint must hold."""

    name: str
    source: str
    code: str
    words: str = ""
    hint: bool = True

    @property
    def text(self) -> str:
        return self.source.replace("⟦", "").replace("⟧", "")

    @property
    def place(self) -> tuple[int, int, int]:
        """Line, column (from 1) and length of what is marked."""
        before, _, rest = self.source.partition("⟦")
        line = before.count("\n") + 1
        return line, len(before) - (before.rfind("\n") + 1) + 1, len(rest.partition("⟧")[0])


REFUSALS = [
    Refusal("unknown-directive", module(HEAD + "    @⟦paralelRegion⟧{domName(x)}\n" + BODY + END + TAIL), "HF200", "parallelRegion"),  # noqa: E501
    Refusal(
        "unknown-attribute",
        module(HEAD + "    @parallelRegion{domName(x,y), ⟦domSzie⟧(NX,NY)}\n" + BODY + END + TAIL),
        "HF201",
        "domSize",
    ),
    Refusal(
        "unknown-flag",
        module(HEAD + BLOCK.replace("attribute(autoDom)", "⟦attribute(autodim)⟧") + REGION + BODY + END + TAIL),
        "HF210",
        "autoDom",
    ),
    Refusal("missing-end", module(HEAD + "    ⟦@parallelRegion{domName(x,y), domSize(NX,NY)}⟧\n" + BODY + TAIL), "HF204"),  # noqa: E501
    Refusal("double-end", module(HEAD + REGION + BODY + END + "    ⟦@end parallelRegion⟧\n" + TAIL), "HF205"),
    Refusal("wrong-end", module(HEAD + REGION + BODY + "    ⟦@end domainDependant⟧\n" + END + TAIL), "HF205"),
    Refusal(
        "region-in-region",
        module(HEAD + REGION + "    ⟦@parallelRegion{domName(z), domSize(NZ)}⟧\n" + BODY + END + END + TAIL),
        "HF206",
    ),
    Refusal(
        "sizes-and-names",
        module(HEAD + "    @parallelRegion{⟦domName(x,y)⟧, domSize(NX)}\n" + BODY + END + TAIL),
        "HF203",
        "2",
    ),
    Refusal(
        "bounds-and-names",
        module(HEAD + "    @parallelRegion{domName(x,y), domSize(NX,NY), ⟦startAt(1,2,3)⟧}\n" + BODY + END + TAIL),
        "HF203",
    ),
    Refusal("no-names", module(HEAD + "    ⟦@parallelRegion{domSize(NX,NY)}⟧\n" + BODY + END + TAIL), "HF208", "domName"),  # noqa: E501
    Refusal("empty-attribute", module(HEAD + "    @parallelRegion{⟦domName()⟧, domSize(NX,NY)}\n" + BODY + END + TAIL), "HF202"),  # noqa: E501
    Refusal(
        "reduction-operator",
        module(HEAD + "    @parallelRegion{domName(x,y), domSize(NX,NY), ⟦reduction(plus:a)⟧}\n" + BODY + END + TAIL),
        "HF209",
    ),
    Refusal("open-brace", module(HEAD + "    @parallelRegion⟦{⟧domName(x,y), domSize(NX,NY)\n" + BODY + END + TAIL), "HF204"),  # noqa: E501
    Refusal("undeclared", module(HEAD + BLOCK.replace("    a\n", "    a, ⟦b⟧\n") + REGION + BODY + END + TAIL), "HF300", "b"),  # noqa: E501
    Refusal("listed-twice", module(HEAD + BLOCK.replace("    a\n", "    a, ⟦a⟧\n") + REGION + BODY + END + TAIL), "HF214", "a"),  # noqa: E501
    Refusal(
        "declared-twice",
        module(HEAD + "    integer :: ⟦a⟧\n" + REGION + BODY + END + TAIL),
        "HF301",
        "a",
    ),
    Refusal("too-few-indices", module(HEAD + "    ⟦a(3)⟧ = 1.\n" + REGION + BODY + END + TAIL), "HF304"),
    Refusal("wrong-indices", module(HEAD + REGION + "    ⟦a(x,1)⟧ = 1.\n" + END + TAIL), "HF304"),
    Refusal(
        "call-does-not-match",
        module(
            HEAD + REGION + "    call ⟦column⟧(a, 1.)\n" + END + TAIL
            + "  subroutine column(c)\n    real, intent(inout) :: c(NZ)\n    c(1) = 1.\n  end subroutine column\n"
        ),
        "HF400",
    ),
    Refusal(
        "contradictory-dimensions",
        module(
            HEAD + REGION + "    call column(⟦a⟧)\n" + END + TAIL
            + "  subroutine column(c)\n    real, intent(inout) :: c(NX,NZ)\n    c(1,1) = 1.\n  end subroutine column\n"
        ),
        "HF305",
    ),
    Refusal(
        "recursive-chain",
        module(
            HEAD + REGION + BODY + "    call other(a)\n" + END + TAIL
            + "  ⟦subroutine other(a)⟧\n    real, intent(inout) :: a(NX,NY,NZ)\n    call s(a)\n  end subroutine other\n"
        ),
        "HF401",
    ),
    Refusal("goto-out", module(HEAD + REGION + "    ⟦if (a(1) > 1.) goto 10⟧\n" + END + "10  continue\n" + TAIL), "HF405"),  # noqa: E501
    Refusal("unclosed-quote", module(HEAD + REGION + "    ⟦print *, 'never ends⟧\n" + END + TAIL), "HF104"),
    Refusal("unparsable", module(HEAD + REGION + "    ⟦a(1) = = 2.⟧\n" + END + TAIL), "HF110"),
    Refusal("unbalanced-if", "⟦#ifdef X⟧\n" + module(HEAD + REGION + BODY + END + TAIL), "HF105"),
    Refusal("end-without-if", module(HEAD + REGION + BODY + END + TAIL) + "⟦#endif⟧\n", "HF105"),
    Refusal("bad-if-condition", module(HEAD + "    @if{⟦platform(GPU)⟧}\n    @end if\n" + REGION + BODY + END + TAIL), "HF201", "architecture"),  # noqa: E501
    Refusal("exit-outside", module(HEAD + "    ⟦@exit⟧\n" + REGION + BODY + END + TAIL), "HF207"),
]  # fmt: skip


@pytest.fixture
def checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, Path]]:
    def check(text: str | bytes, *options: str, name: str = "m.h90") -> tuple[int, str, Path]:
        """Exit status, standard error (or output, for JSON) of ``hfpy check``, and the file."""
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        before = sorted(tmp_path.rglob("*"))
        status = run(["check", *options, str(path)])
        captured = capsys.readouterr()
        assert sorted(tmp_path.rglob("*")) == before, "hfpy check wrote something"
        return status, captured.out if "json" in options else captured.err, path

    return check


@pytest.mark.parametrize("case", REFUSALS, ids=[r.name for r in REFUSALS])
def test_refusal(case: Refusal, checked: Callable[..., tuple[int, str, Path]]) -> None:
    status, message, path = checked(case.text)
    line, column, _ = case.place
    assert status == 1
    assert "Traceback" not in message
    found = re.search(rf"^{re.escape(str(path))}:{line}:(\d+): error {case.code}: .*$", message, re.MULTILINE)
    assert found, f"no {case.code} in line {line} of\n{message}"
    assert int(found[1]) == column, message
    block = message[found.start() :].split(f"\n{path}:")[0]
    source_line = case.text.split("\n")[line - 1]
    assert f"    {source_line}\n    {' ' * (column - 1)}^" in block, message
    if case.hint:
        assert "hint: " in block, message
    assert case.words.lower() in block.lower(), message


@pytest.mark.parametrize("case", REFUSALS, ids=[r.name for r in REFUSALS])
def test_refusal_as_json(case: Refusal, checked: Callable[..., tuple[int, str, Path]]) -> None:
    status, output, path = checked(case.text, "--format", "json")
    assert status == 1
    data = json.loads(output)
    line, column, length = case.place
    mine = [d for d in data if d["code"] == case.code and d["line"] == line]
    assert mine, output
    assert mine[0]["severity"] == "error" and mine[0]["file"] == str(path) and mine[0]["column"] == column
    assert 1 <= mine[0]["length"] <= max(length, len(case.text.split("\n")[line - 1]))
    assert all(set(d) >= {"severity", "code", "message", "file", "line", "column", "hint", "related"} for d in data)
    assert all(d["code"] in CODES for d in data)


def test_all_are_collected(checked: Callable[..., tuple[int, str, Path]]) -> None:
    """Not just the first: faults of different kinds in different routines come together, in the order of places."""
    one = (
        HEAD.replace("s(", "one(")
        + "    @parallelRegion{domName(x,y), domSzie(NX,NY)}\n"
        + BODY
        + END
        + "  end subroutine one\n"
    )
    two = (
        HEAD.replace("s(", "two(")
        + BLOCK.replace("    a\n", "    a, b, c\n")
        + REGION
        + BODY
        + END
        + "  end subroutine two\n"
    )
    three = HEAD.replace("s(", "three(") + REGION + BODY + "  end subroutine three\n"
    status, message, _ = checked(module(one + two + three))
    codes = re.findall(r"^\S+:(\d+):\d+: error (HF\d+)", message, re.MULTILINE)
    assert status == 1
    assert {"HF201", "HF204"} <= {code for _, code in codes}
    assert [code for _, code in codes].count("HF300") == 2 or "HF300" not in [code for _, code in codes]
    assert [int(line) for line, _ in codes] == sorted(int(line) for line, _ in codes)


def test_all_undeclared_names_are_named(checked: Callable[..., tuple[int, str, Path]]) -> None:
    two = HEAD + BLOCK.replace("    a\n", "    a, b, c\n") + REGION + "    a(1, 2) = 1.\n" + END + TAIL
    _, message, _ = checked(module(two))
    assert message.count("error HF300") == 2


def test_contradictory_order_names_both_places(checked: Callable[..., tuple[int, str, Path]], tmp_path: Path) -> None:
    order = tmp_path / "order.F90"
    order.write_text(
        "#define AT(a,b,c) c,a,b\n#define DOM(a,b,c) c,a,b\n#define AT_O(a,b,c) a,b,c\n#define DOM_O(a,b,c) a,b,c\n"
    )
    text = module(
        HEAD + REGION + BODY + END + "    call other(a)\n" + TAIL
        + "  subroutine other(b)\n    real, intent(inout) :: b(NX,NY,NZ)\n"
        "    @domainDependant{domName(x,y), domSize(NX,NY), attribute(autoDom), accPP(AT_O), domPP(DOM_O)}\n    b\n"
        "    @end domainDependant\n" + REGION + "    b(2) = 1.\n" + END + "  end subroutine other\n"
    )  # fmt: skip
    status, message, _ = checked(text, "--storage-order", str(order))
    assert status == 1
    found = re.search(r"error HF306: .*", message)
    assert found and message.count(":") > 4, message
    places = set(re.findall(r"m\.h90:(\d+):\d+", message))
    assert len(places) >= 2, message


CARRIED = (
    HEAD
    + "    @parallelRegion{domName(x,y), domSize(NX,NY), startAt(2,1)}\n    a(x,y,1) = a(x-1,y,1) + 1.\n"
    + END
    + TAIL
)


def test_loop_carried_dependence_is_an_error_with_both_accesses(checked: Callable[..., tuple[int, str, Path]]) -> None:
    status, output, _ = checked(module(CARRIED), "--format", "json")
    assert status == 1
    (found,) = [d for d in json.loads(output) if d["code"] == "HF504"]
    assert found["severity"] == "error"
    assert re.fullmatch(
        r"point y = (\d), x = (\d) writes a\(\2,\1,1\), which point y = \1, x = \d reads", found["message"]
    )
    line = module(CARRIED).split("\n").index("    a(x,y,1) = a(x-1,y,1) + 1.") + 1
    columns = {(found["line"], found["column"])} | {(r["line"], r["column"]) for r in found["related"]}
    assert {(line, 5), (line, 16)} <= columns


# --- files and tools --------------------------------------------------------------------------------------------


def test_file_not_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["check", str(tmp_path / "nowhere.h90")])
    assert status in (1, 2)
    message = capsys.readouterr().err
    assert "nowhere.h90" in message and "Traceback" not in message


def test_not_utf8(checked: Callable[..., tuple[int, str, Path]]) -> None:
    status, message, path = checked(module(HEAD + REGION + BODY + END + TAIL).encode() + b"! Gr\xf6\xdfe\n")
    lines = module(HEAD + REGION + BODY + END + TAIL).count("\n") + 1
    assert status == 1
    assert f"{path}:{lines}:5: error HF101" in message and "hint: " in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_unreadable(
    checked: Callable[..., tuple[int, str, Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "locked.h90"
    path.write_text(module(HEAD + TAIL))
    path.chmod(0)
    assert run(["check", str(path)]) == 1
    assert "error HF100" in capsys.readouterr().err


def test_a_directory_instead_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "folder.h90"
    folder.mkdir()
    (tmp_path / "m.h90").write_text(module(HEAD + REGION + BODY + END + TAIL))
    status = run(["check", str(folder), str(tmp_path / "m.h90")])
    message = capsys.readouterr().err
    assert status in (1, 2) and "folder.h90" in message and "Traceback" not in message


def test_empty_file(checked: Callable[..., tuple[int, str, Path]]) -> None:
    status, message, _ = checked("")
    assert status == 0
    assert "warning HF102" in message


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "m.h90"
    path.write_text(module(HEAD + REGION + BODY + END + TAIL))
    return path


def test_nothing_is_written_when_something_is_wrong(
    good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.h90"
    bad.write_text(module(HEAD + REGION + BODY + TAIL).replace("module m", "module n"))
    out = tmp_path / "out"
    assert run(["transpile", str(good), str(bad), "-o", str(out)]) == 1
    assert not list(out.rglob("*.F90")) if out.exists() else True
    assert "error HF204" in capsys.readouterr().err
    bad.unlink()
    assert run(["transpile", str(good), "-o", str(out)]) == 0
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    good.write_text(good.read_text().replace("@end parallelRegion\n", ""))
    assert run(["transpile", str(good), "-o", str(out)]) == 1
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before


def test_output_that_cannot_be_written(good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the directory should be")
    status = run(["transpile", str(good), "-o", str(blocked / "out")])
    message = capsys.readouterr().err
    assert status in (1, 2, 3) and "blocked" in message and "Traceback" not in message and "HF900" not in message
    assert blocked.read_text() == "a file where the directory should be"


def test_missing_compiler(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "p.f90").write_text("program p\nend program p\n")
    (tmp_path / "hfpy.toml").write_text(
        '[project]\nname = "p"\nsources = ["source"]\n[target.cpu]\ncompiler = "no_such_compiler"\n'
    )
    monkeypatch.delenv("FC", raising=False)
    status = run(["build", str(tmp_path)])
    message = capfd.readouterr().err
    assert status == 3
    assert "no_such_compiler" in message and "Traceback" not in message


def test_unknown_backend_and_option(good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["transpile", str(good), "-o", str(tmp_path / "o"), "--backend", "quantum"]) == 2
    assert run(["transpile", str(good), "-o", str(tmp_path / "o"), "--no-such-option"]) == 2
    assert run(["no-such-command"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_every_code_raised_here_is_in_the_catalogue() -> None:
    for case in REFUSALS:
        assert case.code in CODES

"""Diagnostics for other tools: SARIF, GitHub, GitLab, and the JSON form with its published schema."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

from hfpy.codes import CODES
from hfpy.commands.formats import FORMS, shown
from hfpy.diagnostics import Diagnostic, Place, Related
from tests.command import hfpy_process

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "diagnostics.schema.json").read_text())
TEXT = """module m
  implicit none
contains
  subroutine s(a, nx)
    integer, intent(in) :: nx
    real(8), intent(inout) :: a(nx)
    @parallelRegion{domName(i), domSize(nx), nonsense(3)}
    a(i) = 1, 2
    @end parallelRegion
  end subroutine
end module
"""
WEIRD = "a folder, 100% new: é/m.h90"


def project(folder: Path, name: str = "m.h90") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(TEXT)
    return file


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return hfpy_process(["check", *arguments], cwd=folder)


@pytest.mark.parametrize("name", ["m.h90", WEIRD])
def test_every_form_tells_the_same(name: str, tmp_path: Path) -> None:
    project(tmp_path, name)
    done = {form: run(tmp_path, "--format", form, name) for form in ("text", *FORMS)}
    assert {d.returncode for d in done.values()} == {1}
    plain = json.loads(done["json"].stdout)
    jsonschema.validate(plain, SCHEMA)
    wanted = [(d["code"], d["line"]) for d in plain]
    assert wanted
    assert all(f"{name}:{line}" in done["text"].stderr and code in done["text"].stderr for code, line in wanted)
    (log,) = json.loads(done["sarif"].stdout)["runs"]
    rules = log["tool"]["driver"]["rules"]
    places = [r["locations"][0]["physicalLocation"] for r in log["results"]]
    assert [(r["ruleId"], p["region"]["startLine"]) for r, p in zip(log["results"], places, strict=True)] == wanted
    assert [rules[r["ruleIndex"]]["id"] for r in log["results"]] == [code for code, _ in wanted]
    quality = json.loads(done["gitlab"].stdout)
    assert [(q["check_name"], q["location"]["lines"]["begin"]) for q in quality] == wanted
    assert {q["location"]["path"] for q in quality} == {name}
    rows = done["github"].stdout.splitlines()
    assert [(row.split("title=")[1][:5], int(row.split("line=")[1].split(",")[0])) for row in rows] == wanted
    assert all(row.startswith("::error file=") for row in rows)


def test_marked_characters(tmp_path: Path) -> None:
    """The range of a place is the word that is wrong, in each form."""
    project(tmp_path)
    line = next(row for row in TEXT.splitlines() if "nonsense" in row)
    (log,) = json.loads(run(tmp_path, "--format", "sarif", "m.h90").stdout)["runs"]
    region = next(r for r in log["results"] if r["ruleId"] == "HF201")["locations"][0]["physicalLocation"]["region"]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1].startswith("nonsense")
    row = next(r for r in run(tmp_path, "--format", "github", "m.h90").stdout.splitlines() if "HF201" in r)
    first, last = (int(row.split(f"{word}=")[1].split(",")[0]) for word in (",col", "endColumn"))
    assert (first, last) == (region["startColumn"], region["endColumn"] - 1)


def finding(**more: object) -> Diagnostic:
    values = {"severity": "error", "code": "HF100", "message": "no", "place": Place("x.h90", 3, 2, 4), **more}
    return Diagnostic(**values)  # type: ignore[arg-type]


def test_texts_are_escaped() -> None:
    """No message ends a command of GitHub's early, or begins another one."""
    found = finding(message="50 % of\r\n::error::x", place=Place("a,b:c.h90", 1, 1))
    assert (
        shown([found], "github")
        == "::error file=a%2Cb%3Ac.h90,line=1,col=1,endColumn=1,title=HF100::50 %25 of%0D%0A::error::x"
    )
    assert "\n" not in shown([finding(hint="do\nthis")], "github")
    assert json.loads(shown([finding(place=Place("a b%.h90"))], "sarif"))["runs"][0]["results"][0]["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "a%20b%25.h90"}}}
    ]


def test_severities_places_and_hints() -> None:
    listed = [finding(severity=s, hint="h") for s in ("error", "warning", "note")]
    log = json.loads(shown(listed, "sarif"))["runs"][0]
    assert [r["level"] for r in log["results"]] == ["error", "warning", "note"]
    assert all(r["message"]["text"] == "no\nhint: h" for r in log["results"])
    assert [row.split()[0] for row in shown(listed, "github").splitlines()] == ["::error", "::warning", "::notice"]
    assert [q["severity"] for q in json.loads(shown(listed, "gitlab"))] == ["major", "minor", "info"]
    related = finding(related=(Related(Place("y.h90", 7, 1), "here"),))
    (result,) = json.loads(shown([related], "sarif"))["runs"][0]["results"]
    (there,) = result["relatedLocations"]
    assert (there["message"]["text"], there["physicalLocation"]["region"]["startLine"]) == ("here", 7)
    for form, empty in (("sarif", '"results": []'), ("gitlab", "[]"), ("json", "[]"), ("github", "")):
        assert empty in shown([], form)
    assert shown([], "github") == ""
    assert {r["id"] for r in log["tool"]["driver"]["rules"]} <= set(CODES)


def test_fingerprints_stay_when_lines_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "x.h90"
    prints = []
    for text in ("one\ntwo\nthree\n", "new\none\n  two\nthree\n"):
        file.write_text(text)
        row = 1 + next(n for n, line in enumerate(text.splitlines()) if "two" in line)
        same = [finding(place=Place("x.h90", row, 1)), finding(place=Place("x.h90", row, 1))]
        prints.append([q["fingerprint"] for q in json.loads(shown(same, "gitlab"))])
    assert prints[0] == prints[1]
    assert len(set(prints[0])) == 2


def test_files_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    outside = finding(place=Place(str(tmp_path / "there" / "x.h90"), 1, 1))
    (result,) = json.loads(shown([outside], "sarif"))["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == (tmp_path / "there" / "x.h90").resolve().as_uri()
    inside = finding(place=Place(str(tmp_path / "here" / "x.h90"), 1, 1))
    assert json.loads(shown([inside], "gitlab"))[0]["location"]["path"] == "x.h90"


def test_no_such_form_for_a_summary(tmp_path: Path) -> None:
    project(tmp_path)
    done = run(tmp_path, "--summary", "--format", "sarif", "m.h90")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--summary has no form 'sarif'" in done.stderr


def test_the_hook_before_commits(tmp_path: Path) -> None:
    """What `.pre-commit-hooks.yaml` says is a command of hfpy that takes files, and it is meant for the right ones."""
    root = Path(__file__).parents[2]
    (hook,) = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text())
    names = ("a.h90", "b.F90", "c.f", "d.md", "e.f90.txt", "f.toml")
    assert [name for name in names if re.search(hook["files"], name)] == ["a.h90", "b.F90", "c.f"]
    project(tmp_path)
    program, *words = hook["entry"].split()
    assert program == "hfpy"
    done = hfpy_process([*words, "m.h90"], cwd=tmp_path)
    assert (done.returncode, "HF201" in done.stderr) == (1, True)


def test_the_files_for_services_call_what_there_is(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "ci.md").read_text()
    blocks = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    assert len(blocks) == 3
    project(tmp_path)
    commands = re.findall(r"hfpy (check --format \w+)", page.split("## GitHub")[1])
    assert {c.split()[-1] for c in commands} == {"github", "sarif", "gitlab"}
    for command in commands:
        assert run(tmp_path, *command.split()[1:], "m.h90").returncode == 1

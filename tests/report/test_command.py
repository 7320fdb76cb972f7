"""``hfpy report`` as one types it: table, JSON, page, faults."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hfpy import cli
from hfpy.report.productivity.figures import Figures, HybridPart, ReferencePart
from hfpy.report.productivity.pictures import flow, stacked
from hfpy.report.productivity.report import Bar

BEFORE = """\
subroutine s(a, n)
  integer :: n, i
  real :: a(n)
  do i = 1, n
    a(i) = 2 * a(i)
  end do
end subroutine s
"""
AFTER = """\
! doubles
subroutine s(a, n)
  integer :: n
  real :: a(n)
  @domainDependant{domName(i), domSize(n), attribute(autoDom, transferHere)}
  a
  @end domainDependant
  @parallelRegion{domName(i), domSize(n)}
  a(i) = 2 * a(i)
  @end parallelRegion
end subroutine s
"""


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    for name, file, text in (("before", "s.f90", BEFORE), ("after", "<s>.h90", AFTER)):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(text)
    return tmp_path / "before", tmp_path / "after"


def test_the_table(pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["report", *map(str, pair)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"lines, raw +7 +11\n", out)
    assert re.search(r"lines, sanitised +7 +10\n", out)
    assert re.search(r"kept one to one +4 +57.1 % of the reference\n", out)
    assert re.search(r"replaced +3 +42.9 % of the reference\n", out)
    assert re.search(r"new +6 +60.0 % of the hybrid code\n", out)
    assert re.search(r"growth +\+3 +\+42.9 % sanitised, \+57.1 % raw\n", out)
    assert re.search(r"data layout directives +3 +42.9 %\n", out)
    assert re.search(r"with OpenACC, estimated", out)


class Tags(HTMLParser):
    """Collects tags and text, and checks that what is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_files_are_written(pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "folder"
    assert cli.run(["report", *map(str, pair), "-o", str(out), "--generated", "cpu", "--timings"]) == 0
    said = capsys.readouterr()
    assert f"wrote {out / 'report.json'}" in said.out and "comparing" in said.err

    data = json.loads((out / "report.json").read_text())
    assert data["kept"] == {"lines": 4, "moved": 0, "of_reference": pytest.approx(400 / 7), "of_hybrid": 40.0}
    assert (data["replaced"]["lines"], data["new"]["lines"]) == (3, 6)
    assert data["new_by_kind"]["layout"] == 3 and data["new_by_kind"]["parallelisation"] == 2
    (file,) = data["files"]
    assert (file["name"], file["counterpart"], file["kept"]) == ("<s>.h90", "s.f90", 4)
    assert {"file": "<s>.h90", "first": 5, "last": 7, "kind": "layout"} in data["new_lines"]
    assert data["generated"][0]["target"] == "cpu" and data["generated"][0]["written"] > 0

    html = (out / "report.html").read_text()
    page = Tags()
    page.feed(html)
    assert page.open == []
    assert {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in page.seen} == set()
    assert not re.search(r"https?:|url\(|@import|\bsrc=", html)
    assert "&lt;s&gt;.h90" in html and "<s>" not in html
    text = " ".join(" ".join(page.text).split())
    assert "57.1 % of the reference kept one to one" in text and "kept one to one: 4" in text


def test_the_same_input_gives_the_same_bytes(pair: tuple[Path, Path], tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert cli.run(["report", *map(str, pair), "-o", str(tmp_path / name)]) == 0
    for file in ("report.json", "report.html"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.mark.parametrize("which", [0, 1])
def test_folders_that_are_not_there_or_empty(
    pair: tuple[Path, Path], tmp_path: Path, which: int, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = [str(p) for p in pair]
    sides[which] = str(tmp_path / "nothing")
    assert cli.run(["report", *sides]) == 1
    assert f"{sides[which]}: error HF100: there is no such folder" in capsys.readouterr().err
    (tmp_path / "nothing").mkdir()
    (tmp_path / "nothing" / "readme.txt").write_text("no Fortran")
    assert cli.run(["report", *sides]) == 1
    assert "error HF803: there is no Fortran file in this folder" in capsys.readouterr().err


def test_wrong_use(pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["report", *map(str, pair), "--generated", "vector"]) == 2
    assert "'vector' is no target or backend" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert cli.run(["report", *map(str, pair), "-o", str(tmp_path / "file")]) == 1
    assert "HF806" in capsys.readouterr().err


def test_code_that_cannot_be_analysed(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (pair[1] / "<s>.h90").write_text(AFTER.replace("  @end parallelRegion\n", ""))
    assert cli.run(["report", *map(str, pair), "-o", str(tmp_path / "out"), "--generated", "gpu"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"kept one to one +4 ", out)
    assert "no estimate for OpenACC" in out and "HF204" in out and re.search(r"gpu +refused", out)
    html = (tmp_path / "out" / "report.html").read_text()
    assert "There is no estimate for OpenACC" in html and "HF204" in html


def test_files_that_are_not_utf8(pair: tuple[Path, Path], tmp_path: Path) -> None:
    for folder in pair:
        (folder / "latin.f90").write_bytes(
            "subroutine t ! gr\xfc\xdfe\n  print *, 'Gr\xfc\xdfe'\nend\n".encode("latin1")
        )
    assert cli.run(["report", *map(str, pair), "-o", str(tmp_path / "out")]) == 0
    (file,) = [
        f for f in json.loads((tmp_path / "out" / "report.json").read_text())["files"] if f["name"] == "latin.f90"
    ]
    assert (file["kept"], file["new"]) == (3, 0)


def made(kept: int, replaced: int, new: int, blank: int) -> Figures:
    hybrid = HybridPart("a", "a", 0, kept + new, kept, 0, {"other": new})
    reference = ReferencePart("a", "a", 0, kept + replaced, kept)
    return Figures(kept + replaced + blank, kept + new + blank, (reference,), (hybrid,), (), (), ())


def boxes(svg: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of every text, with 7.6 units a letter."""
    found = []
    for style, x, y, anchor, text in re.findall(
        r'<text class="([^"]*)" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]*)</text>', svg
    ):
        width = len(text) * (8.6 if "strong" in style else 7.6)
        left = float(x) - {"start": 0, "middle": width / 2, "end": width}[anchor]
        found.append((left, float(y) - 13, left + width, float(y) + 4))
    return found


FIGURES = [
    (58_881, 1_773, 2_329, 39_000),
    (0, 900, 800, 300),
    (900_000, 0, 0, 500_000),
    (1, 0, 900_000, 0),
    (5, 5, 5, 9000),
]


@pytest.mark.parametrize("numbers", FIGURES)
def test_words_in_pictures_do_not_meet(numbers: tuple[int, int, int, int]) -> None:
    kinds = tuple((k, k, numbers[2] // 3) for k in ("parallelisation", "layout", "other"))
    more = (*kinds, ("macros", "macros", numbers[1]))
    for svg in (flow(made(*numbers)), stacked((Bar("Hybrid code", kinds), Bar("OpenACC, estimated", more)), 10_000)):
        found = boxes(svg)
        width, height = map(float, re.findall(r'viewBox="0 0 (\d+) (\d+)"', svg)[0])
        assert len(found) >= 6 and len(found) == svg.count("<text")
        assert all(left >= 0 and top >= 0 and right <= width and bottom <= height for left, top, right, bottom in found)
        for n, a in enumerate(found):
            for b in found[n + 1 :]:
                assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)


@pytest.mark.parametrize("sentinel", ["!$omp parallel do", "!$ACC parallel loop &\n!$acc collapse(1)"])
def test_directives_that_were_taken_out(sentinel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "  do i = 1, n\n    a(i) = 2 * a(i)\n  end do\n"
    for name, text in (("before", f"{sentinel}\n{code}  x = 1\n"), ("after", f"{code}  x = 2\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "s.f90").write_text(f"subroutine s(n, a, x)\n{text}end subroutine s\n")
    assert cli.run(["report", str(tmp_path / "before"), str(tmp_path / "after")]) == 0
    out = capsys.readouterr().out
    assert re.search(r"replaced +2 ", out)
    assert re.search(r"of these directives +1 .* and no code", out)

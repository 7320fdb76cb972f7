"""``hfpy explain --html``: complete pages whose links lead somewhere, sources beside what was made of them."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hfpy.cli import run
from hfpy.insight.pages import page_names
from hfpy.insight.sidebyside import ADDED, CHANGED, MOVED, REMOVED, SAME, Row, in_order, rows, rows_of_part
from tests.insight.test_pictures import FILES
from tests.support import write_files

VOID = {"meta", "col", "br", "link"}


class Reader(HTMLParser):
    """The tags of a page, which must close in order, its anchors, links, and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.cells: list[tuple[str, str]] = []
        self._cell = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if values.get("id") and "svg" not in self.open:
            self.ids.append(str(values["id"]))
        self.links += [str(values[name]) for name in ("href", "src") if name in values]
        if tag == "td":
            self._cell = values.get("class") or ""
            self.cells.append((self._cell, ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open:
            self.cells[-1] = (self.cells[-1][0], self.cells[-1][1] + data)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    heat = FILES["heat.h90"].replace("    integer :: n\n", "    integer :: n  ! 1 < 2 & <b>\n")
    write_files({**FILES, "heat.h90": heat}, folder)
    (folder / "hfpy.toml").write_text('[project]\nname = "heat"\nsources = ["*.h90", "*.f90"]\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run(["explain", "--html", "pages", "--target", "gpu"]) == 0
    return folder


def test_pages_are_whole_and_links_lead_somewhere(site: Path) -> None:
    pages = {p.name: Reader(p.read_text()) for p in (site / "pages").iterdir()}
    assert set(pages) == {"index.html", "heat.h90.html", "main.f90.html", "plain.f90.html"}
    for name, page in pages.items():
        assert len(set(page.ids)) == len(page.ids)
        for link in page.links:
            file, _, anchor = link.partition("#")
            assert (file or name) in pages, link
            assert not anchor or anchor in pages[file or name].ids, link
    assert "heat.h90.html#routine-heat-step" in pages["index.html"].links
    text = "".join(p.read_text() for p in (site / "pages").iterdir())
    assert set(re.findall(r"https?://[^\"' <]+", text)) == {"http://www.w3.org/2000/svg"}


def test_source_and_output_stand_side_by_side(site: Path) -> None:
    page = Reader((site / "pages" / "heat.h90.html").read_text())
    left = [text for kind, text in page.cells if kind.startswith("text left")]
    right = [text for kind, text in page.cells if kind.startswith("text right")]
    pairs = list(zip(left, right, strict=True))
    assert ("    integer :: n  ! 1 < 2 & <b>", "    integer :: n  ! 1 < 2 & <b>") in pairs
    assert ("    x = x - 0.5d0", "    x = x - 0.5d0") in pairs
    assert ("    x = x - 0.5d0", "  x = x - 0.5e0;") in pairs  # in the kernel file
    assert any(r.lstrip().startswith("call hfl0_step(") for r in right)
    text = (site / "pages" / "heat.h90.html").read_text()
    assert "on the device" in text and "<code>i=nx, j=ny</code>" in text and "runs in kernels" in text


def test_only_a_neighbourhood(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(site)
    assert run(["explain", "cool", "--html", "part", "--target", "gpu"]) == 0
    assert {p.name for p in (site / "part").iterdir()} == {"index.html", "heat.h90.html"}
    assert ">main<" not in (site / "part" / "index.html").read_text()


def test_a_program_with_errors_is_explained_as_far_as_it_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = FILES["heat.h90"].replace("    call report(nx, ny, t)", "    call report(nx)")
    write_files({"heat.h90": faulty}, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["explain", "", "heat.h90", "--html", "pages"]) == 1
    assert "HF400" in (tmp_path / "pages" / "index.html").read_text()
    page = (tmp_path / "pages" / "heat.h90.html").read_text()
    assert "nothing was generated" in page and "call report(nx)" in page


def test_rows_by_hand() -> None:
    source = ["a", "b", "c", "d", "e"]
    generated = ["head", "a", "B1", "B2", "d", "e", "late b"]
    assert rows(source, generated, [1, 1, 2, 2, 4, 5, 2]) == [
        Row(0, 1, ADDED, 1),
        Row(1, 2, SAME, 1),
        Row(2, 3, CHANGED, 2),
        Row(0, 4, ADDED, 2),
        Row(3, 0, REMOVED),
        Row(4, 5, SAME, 4),
        Row(5, 6, SAME, 5),
        Row(0, 7, MOVED, 2),
    ]
    assert rows_of_part([0, 3, 3, 1]) == [Row(0, 1, SAME), Row(3, 2, SAME, 3), Row(0, 3, SAME, 3), Row(1, 4, SAME, 1)]


@given(st.integers(0, 9).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n), max_size=14))))
def test_every_line_stands_once_and_in_order(case: tuple[int, list[int]]) -> None:
    length, line_map = case
    source = [f"s{n}" for n in range(length)]
    generated = [f"s{o - 1}" if o % 2 else "g" for o in line_map]
    made = rows(source, generated, line_map)
    assert [r.source for r in made if r.source] == list(range(1, length + 1))
    assert [r.generated for r in made if r.generated] == list(range(1, len(line_map) + 1))
    assert all(r.source == r.origin == line_map[r.generated - 1] for r in made if r.source and r.generated)


@given(st.lists(st.integers(0, 6), max_size=9))
def test_no_longer_part_is_in_order(numbers: list[int]) -> None:
    kept = sorted(in_order(numbers))
    assert [numbers[i] for i in kept] == sorted(numbers[i] for i in kept)
    best = [0] * (len(numbers) + 1)
    for end, number in enumerate(numbers):
        if number > 0:
            best[end] = 1 + max((best[i] for i in range(end) if 0 < numbers[i] <= number), default=0)
    assert len(kept) == max(best)


def test_names_of_pages() -> None:
    assert page_names(["a/b/x.f90", "a/b/y.f90"]) == {"a/b/x.f90": "x.f90.html", "a/b/y.f90": "y.f90.html"}
    names = page_names(["p/x.f90", "p/q/x.f90", "p/q-x.f90", "p/index"])
    assert len({n.lower() for n in names.values()}) == 4 and "index.html" not in names.values()

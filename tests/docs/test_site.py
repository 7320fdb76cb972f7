"""The documentation builds as a site without a warning, and the site needs nothing from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install '.[docs]'")


def build(config: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    done = build(ROOT / "mkdocs.yml", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    made = {p.relative_to(tmp_path).with_suffix("").as_posix() for p in tmp_path.rglob("*.html")}
    assert {p.stem for p in ROOT.glob("docs/*.md")} - {"README"} < made
    assert {"index", "architecture", "benchmarks", "samples/weather"} < made
    text = (tmp_path / "language.html").read_text()
    assert "<code>smooth.h90</code>" in text and "```" not in text
    loaded = re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(https?://[^"]*)"', text)
    assert loaded == []
    first = (tmp_path / "index.html").read_text()
    assert '<a href="gallery.html">Gallery</a>' in first and ">gallery.md<" not in first


def test_a_broken_link_is_seen(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "index.md").write_text("[gone](nowhere.md)\n")
    settings = (ROOT / "mkdocs.yml").read_text().split("nav:\n  - Start")[0]
    settings = settings.replace("docs_dir: docs", "docs_dir: pages").replace("hooks:\n  - docs/site_hooks.py\n", "")
    (tmp_path / "mkdocs.yml").write_text(settings)
    done = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert done.returncode != 0 and "nowhere.md" in done.stderr


def test_the_first_page_shows_what_was_measured() -> None:
    """Every figure of its table is one of docs/performance.md."""
    page = (ROOT / "docs" / "README.md").read_text()
    rows = page.split("| program | next to |")[1].split("\n\n")[0].splitlines()[2:]
    figures = [figure for row in rows for figure in re.findall(r"\d\.\d\d", row.split("|")[3])]
    measured = set(re.findall(r"\b\d\.\d\d\b", (ROOT / "docs" / "performance.md").read_text()))
    assert len(figures) >= 10 and set(figures) <= measured
    assert all((ROOT / "docs" / name).stat().st_size < 200_000 for name in re.findall(r"\((pictures/\S+)\)", page))

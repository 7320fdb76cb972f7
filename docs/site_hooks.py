"""What MkDocs needs to make a site of the repository's pages.

Fenced blocks keep their language only (their other words are for the tests; a file's name is above it). Pages that
are not below ``docs`` come along, and links among all of these lead to the site's pages; those that have the name of a
file as their words get the page's title.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = tuple(sorted(page.parent.name for page in ROOT.glob("samples/*/README.md")))
ELSEWHERE = {
    "architecture.md": "ARCHITECTURE.md",
    "benchmarks.md": "benchmarks/README.md",
    "samples/README.md": "samples/README.md",
    **{f"samples/{name}.md": f"samples/{name}/README.md" for name in SAMPLES},
}
_FENCE = re.compile(r"^```(\w+)[ \t]+(\S+)(.*)$", re.MULTILINE)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:\s]+)(#[^)]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are not below ``docs``."""
    for page, origin in ELSEWHERE.items():
        files.append(File.generated(config, page, content=(ROOT / origin).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """A page as Python-Markdown reads it, with links to the site's pages."""
    here = page.file.src_uri
    text = _FENCE.sub(_fence, markdown)
    return _LINK.sub(lambda link: _link(link, here), text)


def _fence(found: re.Match[str]) -> str:
    language, first, _ = found.groups()
    name = f"`{first}`\n\n" if "." in first else ""
    return f"{name}```{language}"


def _title(path: Path) -> str:
    """The title of a page, which its links have where they have the name of its file."""
    found = _TITLE.search(path.read_text(encoding="utf-8")) if path.suffix == ".md" else None
    return found[1] if found is not None else path.name


def _link(found: re.Match[str], here: str) -> str:
    """A link to a page of the site; the bare words where the site has no such page."""
    words, target, anchor = found[1], found[2], found[3] or ""
    origin = ELSEWHERE.get(here, f"docs/{here}")
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
    pages = {path: page for page, path in ELSEWHERE.items()}
    if meant in pages:
        wanted = pages[meant]
    elif meant.startswith("docs/") and (ROOT / meant).is_file() and not meant.endswith(".py"):
        wanted = meant.removeprefix("docs/")
    elif meant == "docs":
        wanted = "README.md"
    else:
        return words
    if words == posixpath.basename(target):
        words = _title(ROOT / ELSEWHERE.get(wanted, f"docs/{wanted}"))
    return f"[{words}]({posixpath.relpath(wanted, posixpath.dirname(here) or '.')}{anchor})"

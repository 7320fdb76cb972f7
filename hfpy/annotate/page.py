"""The report of ``hfpy annotate`` as one page: the sources, with the verdict of each nest beside its lines."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.annotate.nests import INSIDE, Nest, Nests
from hfpy.annotate.text import reported, summary
from hfpy.annotate.writing import text_of
from hfpy.insight.pages import environment
from hfpy.values import dataclass
from hfpy.version import VERSION


@dataclass(frozen=True)
class Line:
    """A line of a file: its number, its text, the verdict of the nest that it is in (empty outside of nests), and
    the nest that begins with it.
    """

    number: int
    text: str
    verdict: str
    nest: Nest | None


def page(nests: Nests, name: str) -> str:
    """The page."""
    files = sorted({n.place.file for n in nests.nests})
    shown = [(path, list(_lines(nests, path))) for path in files]
    listed = [n for n in nests.nests if n.verdict != INSIDE]
    template = environment().get_template("annotate.html.j2")
    said = summary(nests).split("\n")
    text: str = template.render(
        name=name, files=shown, nests=listed, reported=reported, summary=said, version=VERSION, anchor=_anchor
    )
    return text


def _anchor(path: str, number: int) -> str:
    return f"{path}:{number}"


def _lines(nests: Nests, path: str) -> Iterator[Line]:
    here = [n for n in nests.nests if n.place.file == path]
    begins = {n.place.line: n for n in here if n.verdict != INSIDE}
    spans = [(n.place.line, n.last, n) for n in here if n.verdict != INSIDE]
    for number, text in enumerate(text_of(path).split("\n"), 1):
        around = [n for first, last, n in spans if first <= number <= last]
        text = text.encode("utf-8", "replace").decode("utf-8")
        yield Line(number, text.rstrip("\r"), around[-1].verdict if around else "", begins.get(number))

"""What can be written where in a directive."""

from __future__ import annotations

import re

from hfpy.parse.directives.dependants import DEPENDANT_ATTRIBUTES, DEPENDANT_FLAGS
from hfpy.parse.directives.directives import ARCHITECTURES, KEYWORDS, shown_keyword
from hfpy.parse.directives.regions import REGION_ATTRIBUTES, REGION_FLAGS, TARGETS

_DIRECTIVE = re.compile(r"^\s*[!cC*]?\s*@\s*(end\s*)?(\w*)$")
_INSIDE = re.compile(r"^\s*[!cC*]?\s*@\s*(\w+)\s*\{(.*)$")
_OPEN = re.compile(r"(\w+)\s*\([^()]*$")
_WITHOUT_BRACES = ("serial", "exit", "wholegrid")


def completions(line: str) -> list[tuple[str, str]]:
    """What may follow at the end of a line's beginning: words, and what to insert for each; none outside of a
    directive.
    """
    if found := _DIRECTIVE.match(line):
        if found[1]:
            return [(shown_keyword(k), shown_keyword(k)) for k in KEYWORDS if k not in _WITHOUT_BRACES]
        return [(shown_keyword(k), shown_keyword(k) + ("" if k in _WITHOUT_BRACES else "{}")) for k in KEYWORDS]
    if found := _INSIDE.match(line):
        keyword = found[1].lower()
        inside = _OPEN.search(found[2])
        if inside:
            values = {"attribute": DEPENDANT_FLAGS, "appliesto": TARGETS, "architecture": ARCHITECTURES}
            return [(shown_keyword(v), shown_keyword(v)) for v in values.get(inside[1].lower(), ())]
        names = {"parallelregion": REGION_ATTRIBUTES, "domaindependant": DEPENDANT_ATTRIBUTES}.get(keyword, ())
        made = [(shown_keyword(n), f"{shown_keyword(n)}()") for n in names]
        return made + [(f, f) for f in (REGION_FLAGS if keyword == "parallelregion" else ())]
    return []

"""What new lines are for (Hybrid Fortran, §4, figure 5): each line of the hybrid code has one kind."""

from __future__ import annotations

import re
from typing import Literal

from hfpy.parse.index import FUNCTION
from hfpy.parse.text.lexer import mask_strings
from hfpy.report.productivity.sanitise import Line
from hfpy.report.productivity.tree import File

Kind = Literal["parallelisation", "layout", "specification", "signature", "duplicated", "other"]

# In the order in which they are shown.
KINDS: dict[Kind, str] = {
    "parallelisation": "parallelisation directives",
    "layout": "data layout directives",
    "specification": "specifications and initialisations",
    "signature": "routine and call signatures",
    "duplicated": "duplicated routines",
    "other": "the rest",
}

_LAYOUT = re.compile(r"@\s*(end\s*)?domaindepend[ae]nt", re.IGNORECASE)
_ACC_DATA = re.compile(
    r"!\$(acc|omp)\s+(end\s+)?(data|enter|exit|update|declare|host_data|target\s+(enter|exit|update|data))\b"
)
_SIGNATURE = re.compile(
    r"((recursive|pure|elemental|impure|module|non_recursive|attributes\s*\([^)]*\))\s+)*(subroutine|program)\b"
    r"|end\s*(subroutine|function|program|procedure)\b|entry\s+\w|module\s+procedure\b"
    r"|(?:if\s*\(.*\)\s*)?call\s+\w"
)
_ALLOCATION = re.compile(r"(?:if\s*\(.*\)\s*)?(allocate|deallocate|nullify)\s*\(")
_DECLARATION = re.compile(
    r"(integer|real|complex|logical|character|double\s*precision|double\s*complex|byte)\b(\s*\*\s*\d+)?\s*[^=\s]"
    r"|(type|class)\s*\(|type\b|use\b|implicit\b|parameter\s*\(|(dimension|save|common|external|intrinsic|namelist"
    r"|interface|abstract|procedure|private|public|allocatable|pointer|target|optional|intent|import|include|sequence"
    r"|contiguous|volatile|equivalence|enum|enumerator|data)\b|end\s*(interface|type|enum)\b"
)


def kinds_of(file: File) -> list[Kind]:
    """The kind of every line of a file, were it new. Copies of routines are found elsewhere."""
    found: list[Kind] = []
    names = False  # between the two lines of a block of @domainDependant
    for line in file.lines:
        if _LAYOUT.match(line.text):
            names = not line.text.replace(" ", "").lower().startswith("@end")
            found.append("layout")
        elif names or file.storage_order:
            found.append("layout")
        else:
            found.append(kind_of(line))
    return found


def kind_of(line: Line) -> Kind:
    """The kind of one line that is in no block of names."""
    if line.directive:
        return "parallelisation"
    text = mask_strings(line.text).lower()
    if text.startswith("!$") and text[2:3].isalpha():
        return "layout" if _ACC_DATA.match(text) else "parallelisation"
    text = text.lstrip("0123456789 ")
    if _SIGNATURE.match(text) or FUNCTION.match(text):
        return "signature"
    if _ALLOCATION.match(text) or ("::" in text and "=" not in text.split("::")[0].split("(")[0]):
        return "specification"
    if _DECLARATION.match(text) and not _assigns(text):
        return "specification"
    return "other"


def _assigns(text: str) -> bool:
    """Whether a line without ``::`` sets a variable that is named like a declaration: ``data(i) = 0``, ``type = 1``."""
    depth = 0
    for n, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "=" and depth == 0:
            return text[n + 1 : n + 2] != ">"
    return False

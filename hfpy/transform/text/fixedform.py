"""Changed lines of files in fixed form: what passes write gets the columns that fixed form asks for (F2018 §6.3.3).

A statement begins in column 7, goes on after a mark in column 6, and ends before column 73; directives begin in
column 1.
"""

from __future__ import annotations

from collections.abc import Collection

from hfpy.model.units import FileIndex
from hfpy.parse.text.cards import card
from hfpy.parse.text.lexer import strip_comment
from hfpy.parse.text.physical import physical
from hfpy.transform.text.edits import Wrap, bare
from hfpy.transform.text.wrapping import broken_at, has_operators, text_apart, wrap_line

WIDTH = 72
FIELD = " " * 6  # before a statement without a label
_START, _MORE = FIELD, "     & "
_MARGIN = " " * 5  # before the mark of a line that continues one


def lines_for(index: FileIndex, macros: Collection[str]) -> Wrap:
    """What makes lines of a file of a changed line: those of its form, not too long."""
    if not index.fixed:
        return lambda text, _: wrap_line(text, macros)
    own = {text: bare(index.source, row) for row, text in enumerate(index.source.lines)}
    return lambda text, new: wrap_fixed(own[text] if text in own else _begun(text) if new else text, macros)


def _begun(text: str) -> str:
    """A line that a pass wrote, with what it has in column 6, the mark of a line that continues one, further right."""
    marked = text.startswith(_MARGIN) and (text[5:6].isalpha() or text[5:6] == "!")
    return f" {text}" if marked else text


def fixed_row(text: str) -> str:
    """A line of free form with its label, if it has one, in the columns that fixed form has for it."""
    label, _, rest = text.strip().partition(" ")
    if label.isdigit():
        return label.ljust(6) + rest.strip()
    return text if text.strip()[:1] in ("!", "&", "") else _START + text.strip()


def wrap_fixed(text: str, macros: Collection[str] = ()) -> list[str]:
    """A changed line as one or more lines of fixed form. It may be one of fixed form already, or of free form: such a
    line goes on in the next one with ``&``, and begins with ``&`` where it continues one.
    """
    row = physical(text)
    if row.kind == "directive" and row.sentinel:
        return _directive(text.strip(), row.sentinel, macros)
    if row.kind != "code" or text[:1] in "cC*" or not text.strip():
        return [text]
    code = strip_comment(text)[0].rstrip()
    body = code
    label, continues, start = card(text)
    columns = not label or (label.isdigit() and text[5:6] in ("", " ", "0"))  # none else are a label and a mark
    if code.lstrip()[:1] == "&":  # free form: a line that continues one
        first, body = _MORE, code.lstrip().removeprefix("&").strip()
    elif "\t" in text[:6] and (label.isdigit() or not label):
        first, body = _MORE if continues else label.ljust(6), code[start:].strip()
    elif columns:
        first, body = code[:6].ljust(6), code[6:]
    else:
        label, _, rest = code.strip().partition(" ")
        first, body = (label.ljust(6), rest.strip()) if label.isdigit() else (_START, code.strip())
    body = body.removesuffix("&").rstrip()
    if len(first) + len(body) <= WIDTH and first + body == code:
        return [text]
    return _lines(first, body, _MORE, macros)


def _directive(text: str, sentinel: str, macros: Collection[str]) -> list[str]:
    head = f"!${sentinel}"
    rest = text[len(head) :].removesuffix("&").rstrip()
    goes_on = rest[:1] == "&"
    return _lines(f"{head}{'&' if goes_on else ' '}", rest.removeprefix("&").strip(), f"{head}& ", macros, True)


def _lines(first: str, body: str, more: str, macros: Collection[str], blanks: bool = False) -> list[str]:
    """A statement from its beginning, in lines that fit; ``blanks`` as for ``broken_at``."""
    rows = [first + body]
    while len(rows[-1]) > WIDTH:
        at = broken_at(rows[-1], WIDTH, macros, len(more), blanks)
        if at <= len(more) and not blanks and has_operators(body):
            rows[-1], at = text_apart(rows[-1], WIDTH)
        if at <= len(more) and len(rows) == 1 and first[5:] == " " and body[:1] == " ":  # indented too far
            body = body.lstrip()
            rows = [first + body]
            continue
        if at <= len(more):
            break
        rows[-1], rest = rows[-1][:at].rstrip(), rows[-1][at:].lstrip()
        rows.append(more + rest)
    return rows

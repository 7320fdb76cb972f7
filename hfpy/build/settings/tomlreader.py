"""Reading TOML files of users: every key is known, of the right type, or a diagnostic says where it is."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hfpy.build import codes
from hfpy.build.settings.tomlplaces import find_key, syntax_error_place
from hfpy.diagnostics import Diagnostic, HfpyError, Place, error


def read_toml(file: Path, hint: str = "") -> str:
    """The text of a file. Raises HfpyError if there is none (with a hint), or if it cannot be read."""
    place = Place(str(file))
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise HfpyError([error(codes.PROJECT_UNREADABLE, "there is no project here", place, hint)]) from None
    except (OSError, UnicodeDecodeError) as fault:
        raise HfpyError([error(codes.PROJECT_UNREADABLE, f"cannot be read: {fault}", place)]) from None


class TomlReader:
    """The values of one file; what is wrong with them is collected in ``diagnostics``."""

    def __init__(self, text: str, file: str) -> None:
        """Take a text apart. Raises HfpyError if it is no TOML."""
        self.text, self.file = text, file
        self.diagnostics: list[Diagnostic] = []
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as fault:
            place = syntax_error_place(str(fault), file)
            raise HfpyError([error(codes.PROJECT_UNREADABLE, f"not valid TOML: {fault}", place)]) from None

    # values

    def table(self, parent: Mapping[str, Any], key: str, path: tuple[str, ...]) -> dict[str, Any]:
        """The table under a key, empty if it is missing or no table."""
        value = parent.get(key, {})
        if isinstance(value, dict):
            return value
        self.wrong((*path, key), "must be a table")
        return {}

    def string(self, table: Mapping[str, Any], path: tuple[str, ...], key: str) -> str | None:
        """The text under a key."""
        value = table.get(key)
        if value is None or isinstance(value, str):
            return value
        self.wrong((*path, key), "must be a text in quotes")
        return None

    def strings(
        self, table: Mapping[str, Any], path: tuple[str, ...], key: str, one: bool = False
    ) -> tuple[str, ...] | None:
        """The list of texts under a key; with ``one`` a single text means a list of one."""
        value = table.get(key)
        if value is None:
            return None
        if one and isinstance(value, str):
            return (value,)
        if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
            return tuple(value)
        self.wrong((*path, key), 'must be a list of texts, such as ["a", "b"]')
        return None

    # diagnostics

    def only(
        self,
        table: Mapping[str, Any],
        path: tuple[str, ...],
        known: Iterable[str],
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        """Every key of the table is one of ``known``, or an error with a suggestion. ``elsewhere`` has keys of other
        tables, with the tables that they belong to.
        """
        known = tuple(known)
        others = elsewhere or {}
        for key in table:
            if key not in known:
                where = f"in [{'.'.join(path)}]" if path else "at the top of the file"
                self.diagnostics.append(
                    error(
                        codes.UNKNOWN_KEY,
                        f"unknown key '{key}' {where}",
                        find_key(self.text, (*path, key), self.file),
                        hint=f"it belongs to {others[key]}" if key in others else _suggestion(key, known),
                    )
                )

    def one_of(self, value: str, known: tuple[str, ...], path: tuple[str, ...], what: str) -> None:
        """The value is one of ``known``, or an error with a suggestion."""
        if value not in known:
            place = find_key(self.text, path, self.file)
            self.diagnostics.append(
                error(codes.WRONG_VALUE, f"unknown {what} '{value}'", place, _suggestion(value, known))
            )

    def wrong(self, path: tuple[str, ...], what: str) -> None:
        """The value at ``path`` is not usable."""
        place = find_key(self.text, path, self.file)
        self.diagnostics.append(error(codes.WRONG_VALUE, f"'{'.'.join(path)}' {what}", place))


def _suggestion(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word.lower(), known, n=1)
    return f"did you mean '{close[0]}'?" if close else f"known here: {', '.join(known)}"

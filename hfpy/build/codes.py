"""Names for the diagnostics of projects, builds and tools; their meanings are in :mod:`hfpy.codes`."""

from __future__ import annotations

MODULE_TWICE = "HF108"
PROJECT_UNREADABLE = "HF800"
UNKNOWN_KEY = "HF801"
WRONG_VALUE = "HF802"
NO_SOURCES = "HF803"
TOOL_MISSING = "HF804"
TOOL_FAILED = "HF805"
CANNOT_WRITE = "HF806"
NAME_TWICE = "HF807"
SETTING_TRANSLATED = "HF808"
NAME_UNKNOWN = "HF809"
CIRCULAR_USE = "HF810"
SETTING_IGNORED = "HF811"
HOST_DIRECTIVES = "HF812"

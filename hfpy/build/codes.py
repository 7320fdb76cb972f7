"""The diagnostics of projects, builds and tools (HF8xx), one line each."""

from __future__ import annotations

PROJECT_UNREADABLE = "HF801"
UNKNOWN_KEY = "HF802"
WRONG_VALUE = "HF803"
KEY_MISSING = "HF804"
FILE_NOT_FOUND = "HF805"
NAME_TWICE = "HF806"
NO_SUCH_EXECUTABLE = "HF807"
CIRCULAR_USE = "HF808"
MODULE_TWICE = "HF809"
TOOL_MISSING = "HF810"
TOOL_FAILED = "HF811"
CANNOT_WRITE = "HF812"
SETTING_TRANSLATED = "HF813"
SETTING_IGNORED = "HF814"

MEANINGS: dict[str, str] = {
    PROJECT_UNREADABLE: "the project file is missing or cannot be read",
    UNKNOWN_KEY: "a key of hfpy.toml is not known",
    WRONG_VALUE: "a value in the project's settings has the wrong type or is not one of those allowed",
    KEY_MISSING: "a key that the project needs is missing",
    FILE_NOT_FOUND: "a file or folder that the project names is not there, or has no sources in it",
    NAME_TWICE: "two sources would be written to the same file",
    NO_SUCH_EXECUTABLE: "an executable is asked for whose main program is not in the sources",
    CIRCULAR_USE: "files use each other's modules in a circle",
    MODULE_TWICE: "a module is defined in two files",
    TOOL_MISSING: "a compiler or another tool is not on this machine",
    TOOL_FAILED: "a compiler or another tool failed",
    CANNOT_WRITE: "a file or folder cannot be written",
    SETTING_TRANSLATED: "a setting of an existing Hybrid Fortran project was translated to what this machine has",
    SETTING_IGNORED: "a setting of an existing Hybrid Fortran project has no effect in hfpy",
}

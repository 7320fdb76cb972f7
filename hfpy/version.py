"""Which hfpy this is, and where its files are."""

from __future__ import annotations

from pathlib import Path

VERSION = "0.1.0"
PACKAGE = Path(__file__).resolve().parent

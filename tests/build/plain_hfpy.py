"""The command line with the translator of ``plain_pipeline``, for tests that start processes."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]

import plain_pipeline  # noqa: E402

sys.modules["hfpy.pipeline"] = plain_pipeline

from hfpy.cli import main  # noqa: E402

main()

"""``python -m hfpy``: the command line."""

from hfpy.cli import main

main()

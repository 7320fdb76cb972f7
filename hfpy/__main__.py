"""``python -m hfpy``: the command line."""

from hfpy.start import main

main()

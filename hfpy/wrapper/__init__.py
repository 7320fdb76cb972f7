"""``hfpy fc``: a compiler command that translates first, for builds that hfpy does not run itself.

What a build calls once a file has to start fast: the modules here import nothing heavy but in functions.
"""

"""Faults that otherwise a compiler or the linker finds, for ``hfpy check``."""

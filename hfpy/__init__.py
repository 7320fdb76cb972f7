"""hfpy: one annotated Fortran source, fast CPU and GPU programs."""

__version__ = "0.1.0"

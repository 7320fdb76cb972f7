"""Routines of annotated Fortran as Python callables on NumPy arrays (:func:`hfpy.load`)."""

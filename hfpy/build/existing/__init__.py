"""Existing Hybrid Fortran projects, as projects of hfpy."""

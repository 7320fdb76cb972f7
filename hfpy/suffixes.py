"""How the names of Fortran files end, and what compilers take from that: free or fixed form, preprocessed or not."""

FIXED_COLUMNS = 72  # what counts of a line in fixed form, if no flag says otherwise
HYBRID = (".h90", ".H90")
FREE = (".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08")
FIXED = (".f", ".F", ".for", ".FOR", ".ftn", ".FTN", ".fpp", ".FPP")
PREPROCESSED = (".fpp", *(s for s in (*FREE, *FIXED) if s[1].isupper()))
FORTRAN = (*HYBRID, *FREE, *FIXED)
"""The endings of sources; the last lists but the first are those by which gfortran knows Fortran."""

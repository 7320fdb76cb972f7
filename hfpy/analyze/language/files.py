"""Procedures of NetCDF and HDF5 by their names: those that only read the values that they get.

After the Fortran interfaces of NetCDF 4 (``nf90_…``, ``nf_…``), PnetCDF (``nf90mpi_…``, ``nfmpi_…``) and HDF5 1.10.
"""

from __future__ import annotations

from itertools import product

_FORMS = ("var", "var1", "vara", "vars", "varm", "att")
_TYPES = ("text", "int", "int1", "int2", "int64", "real", "double")
_PUTTING = frozenset(
    {f"{family}put_{form}" for family, form in product(("nf90_", "nf90mpi_"), ("var", "var_all", "att"))}
    | {f"{family}put_{form}_{kind}" for family, form, kind in product(("nf_", "nfmpi_"), _FORMS, _TYPES)}
    | {f"nfmpi_put_{form}_{kind}_all" for form, kind in product(_FORMS[:-1], _TYPES)}
)
#: Subroutines, with the places of the arguments that hold values.
_WRITING = {"h5dwrite_f": (2, 3), "h5awrite_f": (2, 3), "h5ltmake_dataset_f": (3, 4, 5)}


def only_reads_values(name: str, position: int | str) -> bool:
    """Whether a procedure only reads the argument at a position, or of a keyword."""
    if name in _WRITING:
        return position in _WRITING[name] or position == "buf"
    return name in _PUTTING

"""Procedures of NetCDF and HDF5 by their names: those that only read the values that they get.

After the Fortran interfaces of NetCDF 4 (``nf90_…``, ``nf_…``), PnetCDF (``nf90mpi_…``, ``nfmpi_…``) and HDF5 1.10.
"""

from __future__ import annotations

_FUNCTIONS = ("put_", "def_", "rename_")  # behind nf90_, nf_ …
_FAMILIES = ("nf90_", "nf90mpi_", "nf_", "nfmpi_")
#: Subroutines by name, with the places of the arguments that hold values.
_WRITING = {"h5dwrite_f": (2, 3), "h5awrite_f": (2, 3), "h5ltmake_dataset_f": (3, 4, 5)}


def only_reads_values(name: str, position: int | str) -> bool:
    """Whether a procedure only reads the argument at a position, or of a keyword."""
    if name in _WRITING:
        return position in _WRITING[name] or position == "buf"
    family = next((f for f in _FAMILIES if name.startswith(f)), "")
    return bool(family) and name.removeprefix(family).startswith(_FUNCTIONS)

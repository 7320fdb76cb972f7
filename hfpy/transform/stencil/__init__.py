"""The kernel optimiser: neighbouring regions as one stencil program, its stages fused (stencil-optimisation.md).

The way of the data: ``lift``, ``sweeplift`` and ``runs`` make programs of regions, ``program`` and ``groups`` say what
stages are and what they need of one another, ``model`` and ``search`` choose groups, ``points``, ``blocks`` and
``sweepcode`` make one region of each group again, as nodes; ``optimise`` prints the new regions into the sources, which
are read again. What comes out is annotated Fortran as users write it, so every backend takes it.
"""

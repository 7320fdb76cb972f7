"""The kernel optimiser: neighbouring regions as one stencil program, its stages fused (stencil-optimisation.md).

The way of the data: ``lift``, ``sweeplift`` and ``runs`` make programs of regions, ``program`` and ``groups`` say what
stages are and what they need of one another, ``model`` and ``search`` choose groups, ``points``, ``blocks`` and
``sweepcode`` write each group as one region again, ``optimise`` puts the new regions into the sources, ``lowered``
reads those. What comes out is annotated Fortran as users write it, so every backend takes it.
"""

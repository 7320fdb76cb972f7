"""Column physics in blocks: a region's points side by side, in the innermost loops of the routines it calls.

A region that is coarse on the CPU runs whole call chains for one column after the other; recurrences along the column
and calls keep the compiler from using the lanes of the processor. Here the region takes a block of columns at a time:
what differs from column to column gets the block as its first dimension, and every statement on it a loop over the
block (stencil-optimisation.md §7; real-code.md §1). Points of a region are independent, so that is loop distribution,
which changes no result.

``varying`` says what differs, ``statements`` and ``branches`` make bodies, ``clones`` routines, ``blocks`` regions, as
nodes; ``optimise`` prints them into the sources.
"""

"""The kernel optimiser: the programs it makes of regions, and that results keep their bits."""

"""Programs of many processes: decompositions, halos and messages."""

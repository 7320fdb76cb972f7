"""``hfpy tune``: the best few groupings of regions, timed on this machine; the winners are kept for later builds."""

"""``hfpy annotate``: the regions that hfpy finds in plain code, as directives in the user's files, and as a report."""

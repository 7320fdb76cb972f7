"""Arrays: which memory their names mean, their dimensions, what becomes of each reference, their order."""

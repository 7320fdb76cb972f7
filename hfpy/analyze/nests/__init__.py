"""Bodies of regions as nests: what the dependence engine is asked about."""

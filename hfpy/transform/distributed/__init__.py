"""Directives for many processes, written out as regions and calls of the runtime library."""

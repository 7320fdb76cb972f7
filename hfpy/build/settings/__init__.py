"""Settings of a project, read from ``hfpy.toml``."""

"""The grammar of hfpy's directives."""

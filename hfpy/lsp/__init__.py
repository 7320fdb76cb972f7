"""``hfpy lsp``: what editors ask of hfpy, by the Language Server Protocol."""

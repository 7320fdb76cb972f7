"""``hfpy lsp``."""

from __future__ import annotations

import click

from hfpy.diagnostics import UsageError


@click.command("lsp")
def lsp() -> None:
    """Answer an editor on standard input and output, by the Language Server Protocol."""
    try:
        from hfpy.lsp.answers import make_server
        from hfpy.lsp.streams import serve
    except ImportError:
        raise UsageError("the language server needs pygls: pip install 'hfpy[lsp]'") from None
    serve(make_server())

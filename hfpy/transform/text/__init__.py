"""Edits of the user's text: applied, wrapped, indented, in fixed form."""

"""``hfpy verify``: one program built twice, run twice, compared."""

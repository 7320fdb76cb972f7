"""Loops of plain code that are tried as regions."""

"""Loops of plain code that may become regions."""

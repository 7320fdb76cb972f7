"""Expressions, and the gate to fparser."""

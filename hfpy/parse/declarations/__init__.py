"""Specification parts: what units declare."""

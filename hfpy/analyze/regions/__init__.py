"""Regions: who owns what in them, and what cannot be done in them."""

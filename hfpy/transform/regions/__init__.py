"""Directive lines become loops; bodies in routines of their own; regions that a pass rewrites."""

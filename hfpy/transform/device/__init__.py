"""Copies between host and device in host code."""

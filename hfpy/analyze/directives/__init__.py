"""Directives of OpenMP and OpenACC that users wrote, around and in regions."""

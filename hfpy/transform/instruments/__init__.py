"""Calls that watch a program while it runs: traces, prints, times, races."""

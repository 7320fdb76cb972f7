"""Executable statements, one by one."""

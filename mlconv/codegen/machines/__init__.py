"""Targets and instruction sets as data."""

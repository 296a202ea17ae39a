"""Core to kernel calls."""

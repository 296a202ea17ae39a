"""Bytes without meaning: files and their containers."""

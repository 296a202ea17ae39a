"""Simplification: models in the format that they are read in, with fewer nodes and the same results."""

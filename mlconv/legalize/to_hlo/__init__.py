"""Core to XLA HLO."""

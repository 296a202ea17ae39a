"""Core to TFLite: `legalize(module, engine)`."""

from mlconv.legalize.to_tfl.driver import legalize

__all__ = ["legalize"]

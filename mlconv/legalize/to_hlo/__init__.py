"""Core to XLA HLO: `legalize(module, engine)`."""

from mlconv.legalize.to_hlo.driver import legalize

__all__ = ["legalize"]

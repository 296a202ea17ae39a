"""Core to kernel calls: `legalize(module, engine)`."""

from mlconv.legalize.to_kernel.driver import legalize

__all__ = ["legalize"]

"""HLO protos: `export(module, path)`."""

from mlconv.exporters.hlo.export import export

__all__ = ["export"]

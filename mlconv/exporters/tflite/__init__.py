"""TFLite files: `export(module, path)`."""

from mlconv.exporters.tflite.export import export

__all__ = ["export"]

"""Generated protobuf messages, for importers: see `mlconv/formats/protos.py`."""

from mlconv.formats.protos import onnx_pb, tf_pb

__all__ = ["onnx_pb", "tf_pb"]

"""Generated protobuf messages, for importers: see `mlconv/protos.py`."""

from mlconv.protos import onnx_pb, tf_pb

__all__ = ["onnx_pb", "tf_pb"]

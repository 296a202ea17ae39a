"""Source-level ops: opaque, exactly as a file has them."""

from __future__ import annotations

from mlconv.ir.core import OpaqueOp

BROKEN = "mlconv.broken"
"""Attribute of an op that the importer could not read, and has reported: legalization passes it over, and what reads
it.
"""


class SourceOp(OpaqueOp):
    """An op of a source dialect (`onnx.Conv`, `tf.Conv2D`) with attributes as found.  Result types are hints until
    legalization infers them.
    """

    __slots__ = ()

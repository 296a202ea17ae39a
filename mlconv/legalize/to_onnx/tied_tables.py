"""Tables that are stored once where rows are looked up in them and a product reads them, turned: a Transpose of the
initializer stands in front of the product.  Runtimes turn constants when they load a file (ONNX Runtime's
ConstantFolding, TensorRT's and OpenVINO's alike), so that products are those of an initializer.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlconv.dialects import core
from mlconv.ir import recipes
from mlconv.ir.core import Block, Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_onnx.builder import OnnxBuilder, Version
from mlconv.rewrite import Rewriter, edit

_LEAST = 1 << 12  # bytes of a table
_TURNED = (1, 0)


def store_tables_once(block: Block, version: Version) -> None:
    """Of each two constants of a block, one of which is the other one turned, the one that is looked up stays."""
    found = [*_tables(block)]
    tables = {op.value.key: i for i, op in enumerate(found)}
    for i, op in enumerate(found):
        at = tables.get(recipes.transpose(op.value, _TURNED).key)
        if at is None or not _is_looked_up(op.y) or _is_looked_up(found[at].y):
            continue
        other = found[at]
        if at < i:
            edit.move(op, before=other)
        rewriter = Rewriter(other)
        e = OnnxBuilder(rewriter, version)
        rewriter.replace(other, e.one("Transpose", [op.y], other.y.tensor, perm=_TURNED))


def _tables(block: Block) -> Iterator[core.Constant]:
    """Matrices of whole bytes, of which ONNX has no other form."""
    for op in block.ops:
        if not isinstance(op, core.Constant) or op.value.nbytes < _LEAST:
            continue
        if len(op.value.shape) == 2 and op.value.dtype.bits >= DType.I8.bits:
            yield op


def _is_looked_up(value: Value) -> bool:
    """By a Gather, if need be as numbers."""
    users = [user for user in value.users if user.name == "onnx.DequantizeLinear"]
    return any(user.name == "onnx.Gather" for v in (value, *(u.results[0] for u in users)) for user in v.users)

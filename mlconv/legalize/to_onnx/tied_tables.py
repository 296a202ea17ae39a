"""Tables that are stored once where rows are looked up in them and a product reads them, turned: a Transpose of the
initializer stands in front of the product.  Runtimes turn constants when they load a file (ONNX Runtime's
ConstantFolding, TensorRT's and OpenVINO's alike), so that products are those of an initializer.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from mlconv.dialects import core
from mlconv.ir import recipes
from mlconv.ir.core import Block, Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_onnx.builder import OnnxBuilder, Version
from mlconv.rewrite import Rewriter, edit

_LEAST = 1 << 12  # bytes of a table
_TURNED = (1, 0)


def store_tables_once(block: Block, version: Version) -> None:
    """Of constants of a block some of which are others turned, the ones that are looked up stay."""
    places = {op: i for i, op in enumerate(_tables(block))}
    turned: dict[Hashable, list[core.Constant]] = {}
    looked_up = []
    for op in places:
        if _is_looked_up(op.y):
            looked_up.append(op)
        else:
            turned.setdefault(op.value.key, []).append(op)
    for op in looked_up:
        others = turned.pop(recipes.transpose(op.value, _TURNED).key, [])
        if others and places[others[0]] < places[op]:
            edit.move(op, before=others[0])
        for other in others:
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

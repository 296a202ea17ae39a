"""Tables that are stored once where rows are looked up in them and a product reads them, turned: a Transpose of the
initializer stands in front of the product.  Runtimes turn constants when they load a file (ONNX Runtime's
ConstantFolding, TensorRT's and OpenVINO's alike), so that products are those of an initializer.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from mlconv.dialects import core
from mlconv.ir import recipes
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.equal_constants import EqualConstants
from mlconv.legalize.to_onnx.builder import OnnxBuilder, Version
from mlconv.rewrite import Rewriter, edit

_LEAST = 1 << 12  # bytes of a table
_TURNED = (1, 0)


def store_tables_once(block: Block, version: Version) -> None:
    """Of constants some of which are others turned, the ones that are looked up stay: those of branches and bodies are
    turned where they stood.
    """
    equal = EqualConstants()
    places = {op: i for i, op in enumerate(walk(block))}
    turned: dict[Hashable, list[core.Constant]] = {}
    looked_up = []
    for op in _tables(places):
        if _is_looked_up(op.y):
            looked_up.append(op)
        else:
            turned.setdefault(equal.number(op.value), []).append(op)
    for op in looked_up:
        others = turned.pop(equal.number(recipes.transpose(op.value, _TURNED)), [])
        if not others:
            continue
        first = min([op, *others], key=lambda o: places[o])
        _move_out(op, first, block)
        for other in others:
            rewriter = Rewriter(other)
            e = OnnxBuilder(rewriter, version)
            rewriter.replace(other, e.one("Transpose", [op.y], other.y.tensor, perm=_TURNED))


def _move_out(op: core.Constant, first: Op, block: Block) -> None:
    """The table stands in the outermost block, before all that reads it."""
    while first.block is not block:
        region = None if first.block is None else first.block.parent
        assert region is not None and region.parent is not None
        first = region.parent
    if first is not op:
        edit.move(op, before=first)


def _tables(ops: Iterable[Op]) -> Iterator[core.Constant]:
    """Matrices of whole bytes, of which ONNX has no other form."""
    for op in ops:
        if not isinstance(op, core.Constant) or op.value.nbytes < _LEAST:
            continue
        if len(op.value.shape) == 2 and op.value.dtype.bits >= DType.I8.bits:
            yield op


def _is_looked_up(value: Value) -> bool:
    """By a Gather, if need be as numbers."""
    users = [user for user in value.users if user.name == "onnx.DequantizeLinear"]
    return any(user.name == "onnx.Gather" for v in (value, *(u.results[0] for u in users)) for user in v.users)

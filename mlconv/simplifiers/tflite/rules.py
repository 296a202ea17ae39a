"""Rules on operators of TFLite: those that change nothing, views and transpositions in a row, activations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from mlconv.dialects.tfl import FUSING
from mlconv.dialects.tfl_table import ENUMS
from mlconv.dialects.tfl_types import TYPE_NAMES
from mlconv.exporters.tflite.buffers import encode
from mlconv.exporters.tflite.model import Operator
from mlconv.simplifiers.tflite.graph import Graph

_FUSED = "fused_activation_function"
_ACTIVATIONS = {"RELU": "RELU", "RELU6": "RELU6", "RELU_N1_TO_1": "RELU_N1_TO_1"}
_NONE = ENUMS["ActivationFunctionType"]["NONE"]
_FLOAT32 = ENUMS["TensorType"]["FLOAT32"]
_VIEWS = ("RESHAPE", "SQUEEZE", "EXPAND_DIMS")
_SAME_SIZES = (*_VIEWS, "CAST", "QUANTIZE", "BROADCAST_TO", "SLICE", "TILE")
_AS_STORED = ("DEQUANTIZE", "DENSIFY")
_NAMES = {number: name for name, number in ENUMS["TensorType"].items()}
_GROWTH = 64
"""Bytes of the tables of an operator."""
Apply = Callable[[Graph, Operator], bool]


def _same(g: Graph, op: Operator) -> bool:
    """The result is the operand."""
    return len(op.outputs) == 1 and g.same_static(op.inputs[0], op.outputs[0]) and g.forward(op, op.inputs[0])


def _of_one(g: Graph, op: Operator) -> bool:
    return len(op.inputs) == 1 and op.options.get(_FUSED, _NONE) == _NONE and _same(g, op)


def _no_transpose(g: Graph, op: Operator) -> bool:
    perm = g.integers(op.inputs[1])
    return perm is not None and perm == sorted(perm) and g.forward(op, op.inputs[0])


def _no_pad(g: Graph, op: Operator) -> bool:
    pads = g.integers(op.inputs[1])
    return pads is not None and not any(pads) and _same(g, op)


def _reshape_of_view(g: Graph, op: Operator) -> bool:
    """Of several views, the last one says the sizes."""
    inner = g.sole(op.inputs[0])
    if inner is None or g.name(inner) not in _VIEWS or g.tensor(op.outputs[0]).signature or not g.is_pure(inner):
        return False
    wanted = g.integers(op.inputs[1]) if len(op.inputs) > 1 else list(g.tensor(op.outputs[0]).shape or ())
    if wanted is None or g.type_of(inner.inputs[0]) == g.type_of(op.inputs[0]):
        return False
    g.set_inputs(op, (inner.inputs[0], *op.inputs[1:]))
    return True


def _transposed_again(g: Graph, op: Operator) -> bool:
    inner = g.sole(op.inputs[0])
    if inner is None or g.name(inner) != "TRANSPOSE":
        return False
    last, first = g.integers(op.inputs[1]), g.integers(inner.inputs[1])
    if last is None or first is None:
        return False
    perm = g.add_integers(f"{g.tensor(op.outputs[0]).name}/perm", op.inputs[1], [first[i] for i in last])
    g.set_inputs(op, (inner.inputs[0], perm))
    return True


def _fused_activation(g: Graph, op: Operator) -> bool:
    """Kernels over float32 apply an activation by themselves."""
    inner = g.sole(op.inputs[0])
    if inner is None or g.name(inner) not in FUSING or inner.options.get(_FUSED) != _NONE:
        return False
    if g.tensor(op.outputs[0]).dtype != _FLOAT32 or g.type_of(op.inputs[0]) != g.type_of(op.outputs[0]):
        return False
    if any(g.tensor(t).dtype != _FLOAT32 for t in inner.inputs if t >= 0):
        return False
    inner.options = {**inner.options, _FUSED: ENUMS["ActivationFunctionType"][_ACTIVATIONS[g.name(op)]]}
    return g.forward(op, op.inputs[0])


def fold(g: Graph, op: Operator) -> bool:
    """Results that follow from constants, and take little more than what is read for them alone."""
    if not g.is_pure(op) or len(op.outputs) != 1 or g.name(op) in _AS_STORED:
        return False
    (t,) = op.outputs
    tensor = g.tensor(t)
    constant = g.constants.get(tensor.name)
    if constant is None or t in g.graph.outputs or t in g.held or tensor.signature or tensor.quantization:
        return False
    if TYPE_NAMES.get(constant.dtype) != _NAMES.get(tensor.dtype) or constant.shape != tensor.shape:
        return False
    payload = encode(constant)
    freed = sum(g.nbytes(x) for x in dict.fromkeys(op.inputs) if g.is_constant(x) and len(g.readers[x]) == 1)
    if payload.nbytes > freed + _GROWTH or not payload.nbytes:
        return False
    g.drop(op)
    g.model.buffers.append(payload)
    tensor.buffer = len(g.model.buffers) - 1
    return True


RULES: Mapping[str, tuple[tuple[str, Apply], ...]] = {
    **dict.fromkeys(_SAME_SIZES, (("same", _same),)),
    "RESHAPE": (("same", _same), ("reshape-of-view", _reshape_of_view)),
    "TRANSPOSE": (("no-transpose", _no_transpose), ("transposed-again", _transposed_again)),
    "PAD": (("no-pad", _no_pad),),
    "PADV2": (("no-pad", _no_pad),),
    "CONCATENATION": (("of-one", _of_one),),
    "ADD_N": (("of-one", _of_one),),
    **dict.fromkeys(_ACTIVATIONS, (("fused-activation", _fused_activation),)),
}
NAMES = sorted({name for rules in RULES.values() for name, _ in rules} | {"fold", "merge", "dead"})


def merge_equal(g: Graph) -> int:
    """Operators that compute what one before them does go; returns how many."""
    seen: dict[Hashable, Operator] = {}
    count = 0
    for op in g.graph.operators:
        if not g.is_pure(op) or op.intermediates:
            continue
        types = tuple(g.type_of(t) for t in op.outputs)
        options = tuple(sorted((name, repr(value)) for name, value in op.options.items()))
        first = seen.setdefault((op.code, op.inputs, options, types), op)
        if first is op or any(t in g.graph.outputs or t in g.held for t in op.outputs):
            continue
        g.drop(op)
        for old, new in zip(op.outputs, first.outputs, strict=True):
            g.replace(old, new)
        count += 1
    g.compact()
    return count


def take_dead(g: Graph) -> int:
    """Operators whose results nothing reads; returns how many."""
    before = len(g.graph.operators)
    kept = {*g.graph.outputs, *g.held}
    for op in reversed(g.graph.operators):
        if g.is_pure(op) and not any(t in kept or g.readers.get(t) for t in op.outputs):
            g.drop(op)
    g.compact()
    return before - len(g.graph.operators)

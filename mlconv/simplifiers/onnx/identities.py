"""Nodes that give what they read.

Source: the operators of onnx/docs/Operators.md; sizes are those that facts tell.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.ir.constants import make_const
from mlconv.ir.dtypes import DType
from mlconv.simplifiers.onnx.graph import Graph, Node
from mlconv.simplifiers.onnx.rules import Rules

RULES = Rules()
_REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
_MOVING = ("Slice", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Expand", "Tile", "Gather", "Identity", "Flatten")
_DEPTH = 16
_WITH_MASK = 12
_TWICE_AS_ONCE = ("Relu", "Abs", "Ceil", "Floor", "Round", "Sign")


def same_type(g: Graph, a: str, b: str) -> bool:
    """Two values are known to have the same element type and the same sizes."""
    x, y = g.type_of(a), g.type_of(b)
    return x is not None and y is not None and x.shape is not None and x == y


@RULES.on("Identity")
def _identity(g: Graph, n: Node) -> bool:
    """One that gives an output stays where that is an input, a constant or another output."""
    return bool(n.inputs) and _reads_node_or_outer(g, n) and g.forward(n, n.output, n.inputs[0])


def _reads_node_or_outer(g: Graph, n: Node) -> bool:
    """Outputs of subgraphs are made in them: runtimes do not take values from around."""
    return not g.is_output(n.output) or n.inputs[0] in g.made


@RULES.on("Dropout")
def _dropout(g: Graph, n: Node) -> bool:
    """Nothing is dropped where the model is not trained."""
    version = g.model.opset()
    if version >= 12:
        training = g.array(n.inputs[2]) if n.has(2) else np.zeros(1)
        trains = training is None or bool(training.any())
    else:
        trains = version < 7 and n.integer("is_test", 0) == 0
    return not trains and _without_mask(g, n, version) and g.forward(n, n.output, n.inputs[0])


def _without_mask(g: Graph, n: Node, version: int) -> bool:
    """What is kept is all: ones, from operator set 12 on, where runtimes agree on that."""
    mask = n.outputs[1] if len(n.outputs) > 1 else ""
    if not mask or not g.uses[mask]:
        return True
    type_ = g.type_of(n.inputs[0])
    if version < _WITH_MASK or g.is_output(mask) or type_ is None or not type_.is_static:
        return False
    if math.prod(type_.static_shape()) > g.model.growth:
        return False
    g.substitute(mask, g.add(make_const(np.ones(type_.static_shape(), np.bool_)), mask))
    return True


@RULES.on("Cast", "CastLike", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand", "Tile")
def _same_type_cast_or_view(g: Graph, n: Node) -> bool:
    return same_type(g, n.inputs[0], n.output) and g.forward(n, n.output, n.inputs[0])


@RULES.on("GlobalAveragePool", "GlobalMaxPool", *_REDUCTIONS)
def _reduction_of_one(g: Graph, n: Node) -> bool:
    """Axes of size 1 are all that is reduced."""
    return same_type(g, n.inputs[0], n.output) and g.forward(n, n.output, n.inputs[0])


@RULES.on("Slice")
def _whole_slice(g: Graph, n: Node) -> bool:
    steps = g.integers(n.inputs[4]) if n.has(4) else []
    if steps is None or any(s < 1 for s in steps):
        return False
    return same_type(g, n.inputs[0], n.output) and g.forward(n, n.output, n.inputs[0])


@RULES.on("Transpose")
def _transpose_of_nothing(g: Graph, n: Node) -> bool:
    perm, rank = n.integers("perm"), g.rank(n.inputs[0])
    same = list(perm) == sorted(perm) if perm is not None else rank is not None and rank < 2
    return same and g.forward(n, n.output, n.inputs[0])


@RULES.on("Pad")
def _pad_by_nothing(g: Graph, n: Node) -> bool:
    pads = g.listed(n, "pads" if g.model.opset() > 1 else "paddings", 1)
    return pads is not None and not any(pads) and g.forward(n, n.output, n.inputs[0])


@RULES.on("Concat", "Sum", "Max", "Min", "Mean")
def _of_one(g: Graph, n: Node) -> bool:
    return len(n.inputs) == 1 and g.forward(n, n.output, n.inputs[0])


@RULES.on("Split")
def _split_into_one(g: Graph, n: Node) -> bool:
    return len(n.outputs) == 1 and same_type(g, n.inputs[0], n.output) and g.forward(n, n.output, n.inputs[0])


@RULES.on("Clip")
def _clip_without_bounds(g: Graph, n: Node) -> bool:
    bounded = n.has_attribute("min") or n.has_attribute("max") or n.has(1) or n.has(2)
    return g.model.opset() >= 6 and not bounded and g.forward(n, n.output, n.inputs[0])


@RULES.on("MaxPool", "AveragePool")
def _pool_of_one(g: Graph, n: Node) -> bool:
    window = n.integers("kernel_shape") or (0,)
    moved = any(n.integers("pads") or ()) or set(n.integers("strides") or (1,)) != {1}
    if set(window) != {1} or moved or n.attribute("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        return False
    return g.forward(n, n.output, n.inputs[0])


@RULES.on("Add", "Sub", "Mul", "Div", "Pow", "And", "Or")
def _neutral_operand(g: Graph, n: Node) -> bool:
    """x + 0, x * 1 and the like, where the other operand makes x no larger."""
    neutral = {"Add": 0, "Sub": 0, "Or": 0}.get(n.op_type, 1)
    both = n.op_type in ("Add", "Mul", "And", "Or")
    for constant, value in ((1, 0), (0, 1)) if both else ((1, 0),):
        if not same_type(g, n.inputs[value], n.output):
            continue
        if _is_neutral(g, n.inputs[constant], neutral) and g.forward(n, n.output, n.inputs[value]):
            return True
    return False


def _is_neutral(g: Graph, name: str, number: int) -> bool:
    return is_filled_with(g, name, number) or (number == 0 and is_zero(g, name))


def is_zero(g: Graph, name: str) -> bool:
    """Nothing but zeros, of whatever size."""
    for _ in range(_DEPTH):
        if is_filled_with(g, name, 0):
            return True
        n = g.maker(name)
        if n is None or n.domain:
            return False
        if n.op_type == "ConstantOfShape":
            fact = next((a.t for a in n.proto.attribute if a.name == "value"), None)
            return fact is None or not np.any(g.model.file.tensors.read(fact, name).view())
        if n.op_type not in _MOVING:
            return False
        name = n.inputs[0]
    return False


def is_filled_with(g: Graph, name: str, number: float) -> bool:
    """A constant of a repeated number."""
    found = g.constant(name)
    if found is None or not found.size or found.dtype.is_complex or found.dtype.numpy == np.dtype(object):
        return False
    if found.size > 64 and found.view().reshape(-1)[0] != number:
        return False
    return bool((found.view() == number).all())


@RULES.on("Where")
def _decided_choice(g: Graph, n: Node) -> bool:
    for number, i in ((1, 1), (0, 2)):
        if is_filled_with(g, n.inputs[0], number) and same_type(g, n.inputs[i], n.output):
            return g.forward(n, n.output, n.inputs[i])
    return n.inputs[1] == n.inputs[2] and same_type(g, n.inputs[1], n.output) and g.forward(n, n.output, n.inputs[1])


@RULES.on(*_TWICE_AS_ONCE)
def _twice(g: Graph, n: Node) -> bool:
    return g.one(n.inputs[0], n.key) is not None and g.forward(n, n.output, n.inputs[0])


@RULES.on("Not", "Neg", "BitwiseNot")
def _there_and_back(g: Graph, n: Node) -> bool:
    inner = g.one(n.inputs[0], n.key)
    return inner is not None and g.forward(n, n.output, inner.inputs[0])


@RULES.on("QuantizeLinear")
def _quantized_again(g: Graph, n: Node) -> bool:
    """Integers that become numbers, and the same integers again."""
    inner = g.one(n.inputs[0], "DequantizeLinear")
    if inner is None or n.inputs[1:] != inner.inputs[1:] or not same_type(g, inner.inputs[0], n.output):
        return False
    stored, scale = g.type_of(n.output), g.type_of(n.inputs[1])
    if stored is None or scale is None or (stored.dtype.bits > 8 and scale.dtype is not DType.F32):
        return False  # numbers of 16 bits do not hold all integers of 16 bits
    plain = all(n.attribute(name) == inner.attribute(name) for name in ("axis", "block_size", "saturate"))
    return plain and g.forward(n, n.output, inner.inputs[0])


@RULES.on("LSTM", "GRU", "RNN")
def _zero_state(g: Graph, n: Node) -> bool:
    """A recurrent layer begins with zeros by itself."""
    for i in (5, 6):
        if n.has(i) and is_zero(g, n.inputs[i]):
            g.set_input(n, i, "")
            while n.inputs and not n.inputs[-1]:
                n.inputs.pop()
            return True
    return False

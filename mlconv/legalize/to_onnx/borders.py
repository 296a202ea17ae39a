"""Quantized tensors as ONNX's runtimes look for them: each op on numbers, a DequantizeLinear in front of it and a
QuantizeLinear behind.

Ops that only move numbers have both too, with equal parameters, else runtimes leave them in float.  Source: ONNX
Runtime, "Quantize ONNX models", section "Format"; TensorRT, "Working with quantized types".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const, Splat, make_const
from mlconv.ir.core import Block, Value, clone_op, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import Blocked, PerAxis, PerTensor, QuantType, storage_range
from mlconv.ir.quant_rules import has_quantized, quant_of
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise, has_trait
from mlconv.ir.types import TensorType
from mlconv.passes.quantized.borders import on_numbers
from mlconv.passes.quantized.weights import MOVING
from mlconv.rewrite import Rewriter, edit

_BORDERS = (core.Quantize, core.Dequantize, core.StorageCast, core.Constant, core.If, core.While)
_ROUNDED = (core.QuantConv, core.QuantMatMul, core.QuantBinary, core.QuantMean, core.Requantize)
_SYMMETRIC = "quantize the float model with --quantize int8, which has such zero points for this profile"
_TENSORRT = (DType.I8, DType.I4)
REDUCED_BITS = 7
"""Bits of weights where sums of two products of 8 bits would exceed the 16 bits that they are added up in: processors
without VNNI (ONNX Runtime, "Quantize ONNX models", section "When and why do I need to try U8U8?").
"""


class Weighted(NamedTuple):
    """An op that multiplies a tensor by weights: its operands' places, and the axis of the weights' outputs."""

    x: int
    w: int
    bias: int
    axis: int


def refuse_for_tensorrt(function: Function, engine: DiagnosticEngine) -> None:
    """Raises ConversionError TargetLacksType for all that has quantized numbers with a zero point other than 0, or that
    are not of int8 or int4.

    Source: TensorRT, "Working with quantized types": quantization is symmetric; onnx-tensorrt, importerUtils.cpp.
    """
    made = ((v, op.location) for op in walk(function.block) for v in op.results)
    for value, place in chain(((v, function.location) for v in function.inputs), made):
        quant = quant_of(value)
        text, name = "", f"%{value.name}" if value.name else "a tensor"
        if quant is not None and quant.storage not in _TENSORRT:
            text = f"TensorRT takes quantized tensors of int8 and int4 alone, {name} is {quant.storage.display}"
        elif quant is not None and quant.zero_array().any():
            text = f"TensorRT takes zero points of 0 alone, {name} has {_first_other(quant)}"
        if text:
            engine.error(ConversionError(Code.TargetLacksType, text, help=_SYMMETRIC), place)
    engine.raise_errors()


def computes_in(block: Block, storage: DType) -> bool:
    """Whether anything but constants has integers of a type."""
    values = (v for op in walk(block) if not isinstance(op, core.Constant) for v in op.results)
    return any(quant is not None and quant.storage is storage for quant in map(quant_of, values))


def unpack_tables(block: Block) -> int:
    """Constants of int16 that ops read element by element, where nothing else is of int16, as floats; how many there
    were.  A DequantizeLinear of int16 asks for opset 21, and TensorRT has none.
    """
    return 0 if computes_in(block, DType.I16) else unpack_constants(block, DType.I16, _by_element)


def _by_element(op: core.Dequantize) -> bool:
    return all(has_trait(user, Elementwise) for user in op.y.users)


def unpack_constants(block: Block, storage: DType, which: Callable[[core.Dequantize], bool] = lambda op: True) -> int:
    """Constants of a type of integers as the floats that they stand for; how many there were.  TensorRT's parser
    refuses a DequantizeLinear of int32 ("only activation types allowed as input to this layer").
    """
    count = 0
    for op in walk(block):
        made = op.x.producer if isinstance(op, core.Dequantize) else None
        if (
            isinstance(op, core.Dequantize)
            and isinstance(made, core.Constant)
            and made.value.dtype is storage
            and which(op)
        ):
            numbers = quantized(op.x).dequantize(made.value.view())
            rewriter = Rewriter(op)
            constant = rewriter.emit(core.Constant(value=make_const(numbers))).y
            edit.rename(constant, made.y.name)
            rewriter.replace(op, constant)
            count += 1
    return count


def _first_other(quant: QuantType) -> int:
    zeros = quant.zero_array()
    return int(zeros[zeros != 0].reshape(-1)[0])


def put_borders(block: Block) -> int:
    """Each op over quantized tensors on numbers; how many there were."""
    found = [
        op
        for op in walk(block)
        if isinstance(op, OpDef)
        and not isinstance(op, (*_BORDERS, *_ROUNDED))
        and has_quantized([*op.operands, *op.results])
    ]
    for op in found:
        on_numbers(op)
    return len(found)


def move_integers_for_regions(block: Block) -> int:
    """What is moved for the body of a loop or branch is moved as integers; how many ops do.  ONNX Runtime 1.31 takes
    borders to the other side of such an op, and ends the process where its result is read by name in a subgraph
    (qdq_transformer/qdq_propagation.cc inserts nodes at explicit inputs alone).
    """
    count = 0
    for op in walk(block):
        x = _stored(op.inputs[0]) if isinstance(op, MOVING) else None
        if not isinstance(op, MOVING) or x is None or not quantized(x).is_per_tensor or not _goes_inside(op.results[0]):
            continue
        _move_stored(op, x)
        count += 1
    return count


def move_integers_at_ends(block: Block) -> int:
    """What is moved behind inputs of int8 and in front of outputs of int8 is moved as integers; how many ops do.  ONNX
    Runtime 1.31 takes borders to the other side of such an op, with the attribute `output_dtype` from opset 21 on, then
    makes uint8 of them, and refuses what it made itself (qdq_s8_to_u8.cc leaves the attribute as it was).
    """
    moving = [op for op in walk(block) if isinstance(op, MOVING)]
    count = 0
    for op in moving:
        x = _stored(op.inputs[0])
        if x is None or not _stays_signed(quantized(x)) or isinstance(x.producer, (core.Quantize, core.Constant)):
            continue
        _move_stored(op, x)
        count += 1
    for op in reversed(moving):
        users = op.results[0].users if op.block is not None else ()
        if len(users) == 1 and isinstance(users[0], core.Quantize) and _ends_signed(users[0]):
            _quantize_first(op, users[0])
            count += 1
    return count


def unsign_behind_inputs(block: Block) -> int:
    """Numbers of int8 that come in, and go through uint8 to a product of more than two axes; how many do.  ONNX Runtime
    puts a Reshape in front of such a product where something is added behind it (matmul_add_fusion.cc), and refuses
    what it makes of that, as above.
    """
    count = 0
    for op in [op for op in walk(block) if isinstance(op, core.MatMul) and (op.a.tensor.rank or 0) > 2]:
        x = _stored(op.a)
        if x is None or not _has_all_bytes(quantized(x)) or isinstance(x.producer, (core.Quantize, core.Constant)):
            continue
        rewriter = Rewriter(op)
        stored = rewriter.emit(core.Quantize(op.a, element=_unsigned(quantized(x)))).y
        edit.set_operand(op, 0, rewriter.emit(core.Dequantize(stored)).y)
        count += 1
    return count


def _stays_signed(quant: QuantType) -> bool:
    return quant.is_per_tensor and quant.storage is DType.I8


def _ends_signed(op: core.Quantize) -> bool:
    return _stays_signed(op.element) and not _is_inner(op.y)


def _move_stored(op: OpDef, x: Value) -> None:
    """x: the integers of what is moved."""
    rewriter = Rewriter(op)
    made = rewriter.emit(clone_op(op, {op.inputs[0]: x}))
    edit.retype(made.results[0], TensorType(quantized(x), op.results[0].tensor.shape))
    rewriter.replace(op, [rewriter.emit(core.Dequantize(made.results[0])).y])


def _quantize_first(op: OpDef, border: core.Quantize) -> None:
    """border: reads what is moved."""
    rewriter = Rewriter(border)
    stored = rewriter.emit(core.Quantize(op.inputs[0], element=border.element)).y
    made = rewriter.emit(clone_op(op, {op.inputs[0]: stored}))
    edit.retype(made.results[0], border.y.type)
    edit.rename(made.results[0], border.y.name)
    rewriter.replace(border, [made.results[0]])


def _goes_inside(value: Value) -> bool:
    """Regions of other ops read it, or what it is moved to."""
    own = value.producer
    return any(
        own is None or user.block is not own.block or (isinstance(user, MOVING) and _goes_inside(user.results[0]))
        for user in value.users
    )


def make_unsigned(block: Block) -> int:
    """Activations of int8 with one scale as uint8, zero points moved by 128: the same numbers, and ONNX Runtime's
    faster kernels on x86.  How many there were.
    """
    count = 0
    for op in walk(block):
        if isinstance(op, core.Quantize) and _is_inner(op.y) and _has_all_bytes(op.element):
            unsigned = _unsigned(op.element)
            edit.set_attribute(op, "element", unsigned)
            edit.retype(op.y, TensorType(unsigned, op.y.tensor.shape))
            count += 1
    return count


def _is_inner(value: Value) -> bool:
    """Nobody takes the integers themselves."""
    return bool(value.uses) and all(isinstance(user, core.Dequantize) for user in value.users)


def _has_all_bytes(quant: QuantType) -> bool:
    """int8 with one scale and no limits of its own."""
    whole = (quant.qmin, quant.qmax) == storage_range(DType.I8)
    return quant.storage is DType.I8 and isinstance(quant.scheme, PerTensor) and whole


def _unsigned(quant: QuantType) -> QuantType:
    """The same numbers of uint8."""
    zeros = quant.zero_array() + recipes.SIGN
    return QuantType.of(DType.U8, quant.scales.view(), zeros, quant.axis, quant.expressed)


def weights(block: Block) -> Iterator[tuple[OpDef, Weighted]]:
    """Products and convolutions."""
    for op in walk(block):
        if isinstance(op, core.Conv) or (isinstance(op, core.ConvTranspose) and op.groups == 1):
            yield op, Weighted(0, 1, 2, op.w_layout.index("O"))
        elif isinstance(op, core.MatMul) and op.b.tensor.rank == 2:
            yield op, Weighted(0, 1, -1, 0 if op.transpose_b else 1)


def quantize_biases(block: Block) -> int:
    """Constant biases between quantized x and w as int32 with the product of their scales, which is what integer
    kernels add; how many there were.
    """
    count = 0
    for op, places in list(weights(block)):
        owner, at = (op, places.bias) if places.bias >= 0 else _added(op)
        bias = owner.operands[at] if owner is not None and 0 <= at < len(owner.operands) else None
        x, w = _stored(op.operands[places.x]), _stored(op.operands[places.w])
        if owner is None or bias is None or x is None or w is None:
            continue
        element = _product(quantized(x), quantized(w), places.axis)
        made = bias.producer
        if element is None or not isinstance(made, core.Constant) or bias.tensor.dtype is not DType.F32:
            continue
        if len(made.value.shape) != 1 or (element.scales.shape and element.scales.shape != made.value.shape):
            continue
        count += _store(owner, at, made, element, quantized(x).storage is DType.I16)
    return count


def _added(op: OpDef) -> tuple[OpDef | None, int]:
    """The sum that a product goes into, and the place of its other operand there."""
    users = op.results[0].users
    if len(users) != 1 or not isinstance(users[0], core.Add) or not op.results[0].has_one_use:
        return None, -1
    return users[0], 1 if users[0].a is op.results[0] else 0


def _stored(value: Value | None) -> Value | None:
    """The quantized tensor whose numbers a value is."""
    made = None if value is None else value.producer
    return made.x if isinstance(made, core.Dequantize) else None


def _product(x: QuantType, w: QuantType, axis: int) -> QuantType | None:
    """The quantization of a sum of products."""
    if not x.is_per_tensor or isinstance(w.scheme, Blocked) or w.axis not in (None, axis):
        return None
    scales = (x.scales.view().astype(np.float64) * w.scales.view().astype(np.float64)).astype(np.float32)
    if not (np.isfinite(scales) & (scales > 0)).all():
        return None
    scheme = PerTensor() if w.is_per_tensor else PerAxis(0)
    return QuantType(DType.I32, DType.F32, scheme, make_const(scales))


def _store(owner: OpDef, at: int, bias: core.Constant, element: QuantType, wide: bool) -> int:
    """1 where int32 holds the bias: the integers that `quant-lower` makes of it.  wide: of 16 bits, which no integer
    kernel adds: in steps of powers of two, which lose nothing of float32's 24 bits.  Left as a float, ONNX Runtime 1.31
    makes int32 of it and cuts it off (qdq_transformer/weight_bias_quantization.cc).
    """
    exact = QuantType(DType.I64, element.expressed, element.scheme, element.scales)
    integers = exact.quantize(bias.value.view())
    powers = np.maximum(np.frexp(np.abs(integers.astype(np.float64)))[1] - DType.I32.bits + 1, 0)
    if powers.any():
        if not wide or powers.max() > DType.I32.bits:  # more than int64 holds
            return 0
        integers = integers >> powers
        scales = np.ldexp(np.broadcast_to(element.scales.view(), powers.shape), powers)
        element = element.with_numbers(PerAxis(0), make_const(scales.astype(np.float32)), 0)
    rewriter = Rewriter(owner)
    constant = rewriter.emit(core.Constant(value=make_const(integers.astype(np.int32)), element=element)).y
    edit.rename(constant, bias.y.name)
    edit.set_operand(owner, at, rewriter.emit(core.Dequantize(constant)).y)
    return 1


def _weights_of_8_bits(block: Block) -> Iterator[tuple[OpDef, int, core.Constant, QuantType]]:
    """Constants of int8, each with the op and the place where its numbers are read."""
    for op, places in list(weights(block)):
        stored = _stored(op.operands[places.w])
        made = None if stored is None else stored.producer
        quant = made.element if isinstance(made, core.Constant) else None
        if isinstance(made, core.Constant) and quant is not None and quant.storage is DType.I8:
            yield op, places.w, made, quant


def _restore(op: OpDef, place: int, made: core.Constant, integers: Const, element: QuantType) -> None:
    """Other integers for weights, with what they stand for."""
    rewriter = Rewriter(op)
    constant = rewriter.emit(core.Constant(value=integers, element=element)).y
    edit.rename(constant, made.y.name)
    edit.set_operand(op, place, rewriter.emit(core.Dequantize(constant)).y)


def make_weights_unsigned(block: Block) -> int:
    """Weights of int8 as uint8, zero points moved by 128: the same numbers, and products of uint8 alone, which ONNX
    Runtime sums exactly on every processor.  How many there were.
    """
    count = 0
    for op, place, made, quant in _weights_of_8_bits(block):
        if not isinstance(quant.scheme, Blocked):
            _restore(op, place, made, recipes.unsigned(made.value), _unsigned(quant))
            count += 1
    found = [op for op in walk(block) if isinstance(op, core.IntegerMatMul) and op.b.tensor.dtype is DType.I8]
    return count + sum(map(_make_factor_unsigned, found))


def _make_factor_unsigned(op: core.IntegerMatMul) -> int:
    """The constant second factor of a product of plain integers; 1 where there is one."""
    weights = const_of(op.b)
    zeros = Splat(0, DType.I8, ()) if op.b_zero is None else const_of(op.b_zero)
    if weights is None or zeros is None:
        return 0
    b, zero = (recipes.unsigned(c) for c in (weights, zeros))
    rewriter = Rewriter(op)
    made = [rewriter.emit(core.Constant(value=c)).y for c in (b, zero)]
    product = core.IntegerMatMul(op.a, made[0], a_zero=op.a_zero, b_zero=made[1], **op.attributes)
    rewriter.replace(op, rewriter.emit(product).y)
    return 1


def reduce_range(block: Block) -> int:
    """Weights of int8 in 7 bits; how many there were."""
    count = 0
    for op, place, made, quant in _weights_of_8_bits(block):
        if not isinstance(quant.zero_points, int):
            continue
        limit, old = (1 << REDUCED_BITS - 1) - 1, (1 << 7) - 1
        if int(np.abs(made.value.view().astype(np.int16)).max(initial=0)) <= limit:
            continue
        scales = make_const((quant.scales.view() * np.float32(old / limit)).astype(np.float32))
        numbers = np.rint(made.value.view().astype(np.float32) * np.float32(limit / old)).astype(np.int8)
        _restore(op, place, made, make_const(numbers), quant.with_numbers(quant.scheme, scales, 0))
        count += 1
    return count

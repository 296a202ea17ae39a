"""Products that quantize floats at run time, in modules of one op."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.provenance.locations import NameLocation
from tests.support.integers import Make


def floats(*shape: int) -> np.ndarray:
    made = np.random.default_rng(len(shape)).normal(0.3, 2, shape).astype(np.float32)
    made[0] *= 9  # ranges differ
    return made


def module_of(shape: Sequence[int], make: Make) -> Module:
    function = Function.create("main", [TensorType(DType.F32, tuple(shape))], ["in0"], NameLocation("f"))
    b = Builder(function.block, NameLocation("op"))
    b.emit(Yield(list(b.emit(make(b, function.inputs)).results)))
    function.output_names = ["y"]
    m = Module([function])
    verify(m)
    return m


def weights(b: Builder, shape: tuple[int, ...], axis: int | None, storage: DType = DType.I8) -> Value:
    rng = np.random.default_rng(len(shape))
    most = 127 if storage is DType.I8 else 7
    integers = rng.integers(-most, most + 1, shape).astype(np.int8)
    scales = 0.005 if axis is None else rng.uniform(0.001, 0.01, shape[axis]).astype(np.float32)
    element = QuantType.of(storage, scales, axis=axis)
    return b.emit(core.Constant(value=make_const(integers, storage), element=element)).y


def vector(b: Builder, size: int) -> Value:
    return b.emit(core.Constant(value=make_const(floats(size)))).y


def blocks(b: Builder, columns: int, rows: int, size: int, short: bool = False) -> Value:
    """int4 [columns, rows] with a scale for each block of rows.  short: of 8 bits."""
    rng = np.random.default_rng(0)
    integers = rng.integers(-7, 8, (columns, rows)).astype(np.int8)
    scales = rng.uniform(0.001, 0.01, (columns, -(-rows // size))).astype(np.float32)
    if short:
        scales = np.ldexp(rng.integers(128, 256, scales.shape).astype(np.float32), -15)
    element = QuantType(DType.I4, DType.F32, Blocked(1, size), make_const(scales))
    return b.emit(core.Constant(value=make_const(integers, DType.I4), element=element)).y


def convolution(
    window: int, stride: int, groups: int, inner: int, outer: int, pad: int, storage: DType = DType.I8
) -> Make:
    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.DynamicConv(
            v[0],
            weights(b, (outer, window, window, inner // groups), 0, storage),
            bias=vector(b, outer),
            strides=(stride, stride),
            pads=((pad, pad), (pad, pad)),
            dilations=(1, 1),
            groups=groups,
            w_layout="O01I",
        )

    return make

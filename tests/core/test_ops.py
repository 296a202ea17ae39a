"""One row or more for every core op: what `infer` says must be what `eval` gives, for integer shapes and for symbolic
ones.

Meaning is tested against the source frameworks in tests/onnx and tests/tf, and against LiteRT in tests/tflite; the rows
with numbers in test_values.py pin what the sources define differently from numpy.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.rounded_base import OverIntegers
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Block, Op, Region, Value, Yield
from mlconv.ir.dims import Dim, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import MISREAD, OpDef
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from tests.support.core_rows import ROWS, Row, loop
from tests.support.graphs import Graph


def emit(row: Row, types: list[TensorType]) -> Op:
    block = Block(types, [f"x{i}" for i in range(len(types))])
    builder = Builder(block, NameLocation("row"))

    def const(value: Any, dtype: DType | None = None) -> Value:
        return builder.emit(core.Constant(value=make_const(np.asarray(value), dtype))).y

    return builder.emit(row.build(block.arguments, const))


def concrete(value: Value | None, row: Row) -> Any:
    if value is None:
        return None
    if isinstance(value.producer, core.Constant):
        return value.producer.value.view()
    return row.inputs[value.index]


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}-{r.name}" for i, r in enumerate(ROWS)])
def test_infer_says_what_eval_gives(row: Row) -> None:
    op = emit(row, [TensorType(DType.from_numpy(a.dtype), a.shape) for a in row.inputs])
    with np.errstate(all="ignore"):
        got = op.eval(*(concrete(v, row) for v in op.operands))  # type: ignore[attr-defined]
    results = got if isinstance(got, (tuple, list)) else (got,)
    for value, array in zip(op.results, results, strict=True):
        t = value.tensor
        assert np.asarray(array).dtype == t.dtype.numpy
        assert t.shape is not None and len(t.shape) == np.asarray(array).ndim
        assert all(d == n for d, n in zip(t.shape, np.asarray(array).shape, strict=True) if isinstance(d, int)), (
            t,
            np.asarray(array).shape,
        )


@pytest.mark.parametrize("row", [r for r in ROWS if r.symbolic and r.inputs], ids=lambda r: r.name)
def test_symbolic_shapes_hold_for_every_size(row: Row) -> None:
    """With a symbol for the first axis of the first input (and of those of the same size), the result's shape gives the
    real one when it is put in.
    """
    size = row.inputs[0].shape[0]
    types = []
    for i, a in enumerate(row.inputs):
        shape = (
            (Dim.symbol("N"), *a.shape[1:])
            if a.ndim and (i == 0 or a.shape[0] == size) and row.name not in ("lstm", "gru", "rnn")
            else a.shape
        )
        types.append(TensorType(DType.from_numpy(a.dtype), shape))
    op = emit(row, types)
    with np.errstate(all="ignore"):
        got = op.eval(*(concrete(v, row) for v in op.operands))  # type: ignore[attr-defined]
    for value, array in zip(op.results, got if isinstance(got, (tuple, list)) else (got,), strict=True):
        for d, n in zip(value.tensor.shape or (), np.asarray(array).shape, strict=True):
            known = substitute(d, {"N": size})
            assert known == n if isinstance(known, int) else "?" in str(known)


def test_every_op_has_a_row() -> None:
    seen = {type(emit(r, [TensorType(DType.from_numpy(a.dtype), a.shape) for a in r.inputs])).__name__ for r in ROWS}
    # below, in tests/core/test_values.py, tests/native/test_foreign.py, tests/tf/test_saved_model.py and
    # tests/tflite/test_integers.py
    others = {"If", "While", "DefineSize", "Dequantize", "Custom", "Foreign", "ReadVariable", "AssignVariable"}
    others |= {cls.__name__ for cls in core.OPS if issubclass(cls, OverIntegers)}
    assert {c.__name__ for c in core.OPS} - seen == others


def test_every_op_says_what_it_does() -> None:
    assert not [c.name for c in core.OPS if len(c.spec.doc) < 5]


def test_while_runs_with_captures() -> None:
    module, _ = loop(3)
    x = np.array([1, 2, 3], np.float32)
    out = run_function(module.main, {"x0": x})
    assert out["y0"] == 3 and np.array_equal(out["y1"], 4 * x)


def test_if_takes_one_branch() -> None:
    g = Graph((3,))
    branches = []
    for factor in (2.0, -1.0):
        block = Block()
        b = g.at(block)
        k = b.emit(core.Constant(value=make_const(np.float32(factor)))).y
        b.emit(Yield([b.emit(core.Mul(g.xs[0], k)).y]))
        branches.append(Region(block))
    positive = g.e(core.Greater(g.e(core.ReduceSum(g.xs[0], axes=(0,))), g.const(np.float32(0))))
    module = g.finish(*g.emit(core.If(positive, then=branches[0], orelse=branches[1])).ys)
    x = np.array([1, 2, 3], np.float32)
    assert np.array_equal(run_function(module.main, {"x0": x})["y0"], 2 * x) and np.array_equal(
        run_function(module.main, {"x0": -x})["y0"], x
    )


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}-{r.name}" for i, r in enumerate(ROWS)])
def test_positions_and_counts_are_integers(row: Row) -> None:
    """Floats in the place of integers are refused, or change the type of a result."""
    op = emit(row, [TensorType(DType.from_numpy(a.dtype), a.shape) for a in row.inputs])
    assert isinstance(op, OpDef)
    for i, value in enumerate(op.operands):
        if value is not None and value.tensor.dtype.is_int:
            op.operands[i] = Block([value.tensor.with_dtype(DType.F32)]).arguments[0]
            with contextlib.suppress(ConversionError):
                assert op.inferred() != [v.type for v in op.results], f"operand {i} of {op.describe()}"
            op.operands[i] = value


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ({"x_layout": "NC10"}, ""),
        ({"x_layout": "NN01"}, "a layout, such as N01C"),
        ({"w_layout": "01NC"}, "a layout of filters, such as 01IO"),
        ({"pads": "SAME"}, "one of SAME_UPPER, SAME_LOWER"),
        ({"pads": ((0,), (0,))}, "one of SAME_UPPER, SAME_LOWER"),
    ],
)
def test_attributes_hold_what_they_may(attribute: dict[str, object], text: str) -> None:
    known = {"strides": (1, 1), "dilations": (1, 1), "pads": ((0, 0), (0, 0))}
    assert text in core.Conv.spec.attribute_misfit(known | attribute)
    assert bool(text) == bool(core.Conv.spec.attribute_misfit(known | attribute))
    problem = core.ScatterNd.spec.attribute_misfit({"reduction": "frobnicate"})
    assert problem == "attribute 'reduction' is not one of none, add, sub, mul, max, min, div"


def _other_numbers(value: object) -> list[object]:
    """Values of an attribute of numbers that no row has."""
    if isinstance(value, int) and not isinstance(value, bool):
        return [-9, -1, 0, 7, 99, 1 << 40]
    if isinstance(value, tuple) and value and all(isinstance(v, int) for v in value):
        return [(), value[:-1], (*value, 0), (99,) * len(value), (-9,) * len(value), (0,) * len(value)]
    if isinstance(value, tuple) and value and all(isinstance(v, tuple) for v in value):
        return [
            value[:-1],
            (*value, value[0]),
            tuple((99,) * len(v) for v in value),
            tuple((-9,) * len(v) for v in value),
        ]
    return []


INDEXED = ("gather", "gather batch", "gather_elements", "gather_nd batch")  # what is out of bounds is their contents


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}-{r.name}" for i, r in enumerate(ROWS)])
def test_attributes_that_are_accepted_can_be_computed_with(row: Row) -> None:
    op = emit(row, [TensorType(DType.from_numpy(a.dtype), a.shape) for a in row.inputs])
    assert isinstance(op, OpDef)
    for name, own in () if row.name in INDEXED else list(op.attributes.items()):
        for other in _other_numbers(own):
            op.attributes[name] = other
            with contextlib.suppress(ConversionError, *MISREAD):
                types = [t for t in op.inferred() if isinstance(t, TensorType)]
                small = all(math.prod(d for d in t.shape or () if isinstance(d, int)) < 1 << 20 for t in types)
                if small and not op.spec.attribute_misfit(op.attributes):
                    _run(op, row, f"{name} = {other}")
        op.attributes[name] = own


def _run(op: OpDef, row: Row, what: str) -> None:
    """An op that fits its operands gives something, or says why it does not."""
    try:
        with np.errstate(all="ignore"):
            op.eval(*(concrete(v, row) for v in op.operands))
    except MISREAD as error:
        pytest.fail(f"{op.describe()} with {what}: {error!r}")

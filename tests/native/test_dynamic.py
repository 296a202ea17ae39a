"""Convolutions that quantize floats at run time are products of bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.window import Pads
from mlconv.dialects.kernel import GemmOp
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.ir.spec import OpDef
from tests.support.dynamic import floats, module_of, vector, weights
from tests.support.lowering import lower
from tests.support.native import InProcess, to_object

INNER, OUTER = 70, 33


@pytest.mark.parametrize("storage", [DType.I8, DType.I4])
@pytest.mark.parametrize("layout", ["O01I", "01IO", "OI01"])
@pytest.mark.parametrize("axis", ["O", None])
def test_single_places(layout: str, storage: DType, axis: str | None, tmp_path: Path) -> None:
    """Each place has a range of its own."""
    sizes = {"O": OUTER, "I": INNER, "0": 1, "1": 1}

    def make(b: Builder, v: list[Value]) -> OpDef:
        w = weights(b, tuple(sizes[c] for c in layout), layout.index(axis) if axis else None, storage)
        place = {"strides": (1, 1), "pads": ((0, 0), (0, 0)), "dilations": (1, 1), "groups": 1, "w_layout": layout}
        return core.DynamicConv(v[0], w, bias=vector(b, OUTER), **place)

    _of_bytes(module_of((2, 3, 5, INNER), make), floats(2, 3, 5, INNER), tmp_path)


@pytest.mark.parametrize("storage", [DType.I8, DType.I4])
@pytest.mark.parametrize("pads", [((2, 0), (1, 3)), "SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize("layout", ["N01C", "NC01"])
def test_windows(layout: str, pads: Pads, storage: DType, tmp_path: Path) -> None:
    """Each image has a range of its own, and its zero point stands around it."""
    sizes = {"N": 2, "0": 9, "1": 8, "C": INNER}
    shape = tuple(sizes[c] for c in layout)

    def make(b: Builder, v: list[Value]) -> OpDef:
        place = {"strides": (2, 1), "dilations": (1, 2), "groups": 1, "x_layout": layout, "y_layout": layout}
        w = weights(b, (3, 2, INNER, OUTER), 3, storage)
        return core.DynamicConv(v[0], w, bias=vector(b, OUTER), pads=pads, w_layout="01IO", **place)

    _of_bytes(module_of(shape, make), floats(*shape), tmp_path)


def _of_bytes(m: Module, x: np.ndarray, tmp_path: Path) -> None:
    """The one product is of bytes, and every instruction set gives what the interpreter does."""
    (want,) = run_function(m.main, {"in0": x}).values()
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    (product,) = (op.problem for op in lowered.main.block.ops if isinstance(op, GemmOp))
    assert product.types.x.bits == product.types.stored.bits == 8 and product.types.sums is DType.I32
    for cpu in host_cpus():
        code, (got,) = InProcess(to_object(m, tmp_path / "m.o", cpu)).call([x])
        assert code == 0
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6 * float(np.abs(want).max()))

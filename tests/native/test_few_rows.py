"""Products of a few rows with a factor that is known at run time: it is read where it lies."""

from __future__ import annotations

import pathlib

import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from onnx import helper

import mlconv
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import Array, check, needs_cc
from tests.support.onnx_models import model, save, value

pytestmark = needs_cc
CASES = [
    ((4, 40), (40, 48)),
    ((3, 5, 33), (3, 33, 16)),
    ((2, 3, 8, 70), (2, 3, 70, 64)),
    ((2, 3, 7, 24), (3, 24, 96)),
    ((5, 1, 6, 31), (1, 4, 31, 32)),
]


def _product(b: Builder, x: Value, y: Value) -> Value:
    return b.emit(core.MatMul(x, y)).y


def _attention(b: Builder, q: Value, k: Value, v: Value) -> Value:
    scores = b.emit(core.Softmax(b.emit(core.MatMul(q, k, transpose_b=True)).y, axis=-1)).y
    return b.emit(core.MatMul(scores, v)).y


@pytest.mark.parametrize(("a", "b"), CASES, ids=str)
def test_products(a: tuple[int, ...], b: tuple[int, ...], tmp_path: pathlib.Path) -> None:
    arrays = [random(*a), random(*b, seed=1)]
    m = module(_product, arrays)
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


@pytest.mark.parametrize("rows", [4, 8])
def test_attention(rows: int, tmp_path: pathlib.Path) -> None:
    arrays: list[Array] = [random(2, 3, rows, 32), random(2, 3, 45, 32, seed=1), random(2, 3, 45, 64, seed=2)]
    m = module(_attention, arrays)
    check(m, arrays, tmp_path, host_cpus()[-1])


def _kernels(m: Module) -> list[str]:
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    return [op.name for op in lowered.main.block.ops if op.name.startswith("kernel.")]


@pytest.mark.parametrize(
    ("a", "b"), [((300, 3), (3, 3)), ((2, 4, 257, 7), (4, 7, 2)), ((260, 16), (5, 16, 3))], ids=str
)
def test_many_points_by_small_matrices(a: tuple[int, ...], b: tuple[int, ...], tmp_path: pathlib.Path) -> None:
    """Points lie in lanes."""
    arrays = [random(*a), random(*b, seed=1)]
    turned = [np.ascontiguousarray(x.swapaxes(-1, -2)) for x in arrays]

    def both(b: Builder, x: Value, y: Value, xt: Value, yt: Value) -> list[Value]:
        return [_product(b, x, y), b.emit(core.MatMul(xt, yt, transpose_a=True, transpose_b=True)).y]

    m = module(both, [*arrays, *turned])
    check(m, [*arrays, *turned], tmp_path, host_cpus()[-1])
    assert "kernel.gemm" not in _kernels(m)


def test_places_that_are_constants_by_small_matrices(tmp_path: pathlib.Path) -> None:
    """As AffineGrid has them: they are packed weights, whose columns lie in lanes."""
    matrices = [random(2, 3, 2)]
    m = module(lambda b, y: _product(b, const(b, random(300, 3, seed=1)), y), matrices)
    check(m, matrices, tmp_path, host_cpus()[-1])
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    constants = [op.results[0].tensor.shape for op in lowered.main.block.ops if isinstance(op, core.Constant)]
    assert constants == [(300 * 3,)]


def test_nothing_is_packed() -> None:
    m = module(_product, [random(2, 6, 40), random(2, 40, 32)])
    assert _kernels(m) == ["kernel.gemm"]


@pytest.mark.parametrize(
    ("a", "b"), [((1, 64), (300, 64)), ((2, 1, 3, 50), (2, 1, 9, 50)), ((3, 2, 33), (5, 33))], ids=str
)
def test_transposed_matrices_are_read_as_they_lie(
    a: tuple[int, ...], b: tuple[int, ...], tmp_path: pathlib.Path
) -> None:
    """A cache of keys by one query: nothing is turned around."""

    def make(b: Builder, x: Value, y: Value) -> Value:
        return b.emit(core.MatMul(x, y, transpose_b=True)).y

    arrays = [random(*a), random(*b, seed=1)]
    m = module(make, arrays)
    (kernel,) = _kernels(m)
    assert kernel != "kernel.gemm"
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


@pytest.mark.parametrize(
    ("a", "b"), [((1, 64), (64, 512)), ((2, 3, 77), (2, 77, 260)), ((2, 1, 1, 40), (3, 40, 300))], ids=str
)
def test_wide_matrices_are_read_a_few_rows_at_a_time(
    a: tuple[int, ...], b: tuple[int, ...], tmp_path: pathlib.Path
) -> None:
    arrays = [random(*a), random(*b, seed=1)]
    m = module(_product, arrays)
    assert len(_kernels(m)) == 2  # sums of parts of the depth, and theirs
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


@pytest.mark.parametrize(("rows", "columns"), [(20, 33), (5, 20), (9, 7)])
def test_known_matrices_are_packed_beforehand(rows: int, columns: int, tmp_path: pathlib.Path) -> None:
    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.MatMul(x, const(b, random(2, 3, 24, columns, seed=1)))).y

    arrays = [random(2, 3, rows, 24)]
    m = module(make, arrays)
    assert _kernels(m) == ["kernel.gemm"]
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("depth", [1, 3, 34, 77])
def test_depths_that_packed_weights_fill_up(depth: int, known: bool, tmp_path: pathlib.Path) -> None:
    """Products of bfloat16 take whole tiles of places, and rows do not have them."""
    rows = random(2, 5, depth).astype(ml_dtypes.bfloat16)
    matrices = random(2, depth, 24, seed=1).astype(ml_dtypes.bfloat16)

    def make(b: Builder, x: Value, *given: Value) -> Value:
        return b.emit(core.MatMul(x, given[0] if given else const(b, matrices))).y

    arrays = [rows] if known else [rows, matrices]
    m = module(make, arrays)
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


@pytest.mark.parametrize("shape", [(1, 1, 40), (2, 9, 9), (1, 3, 5)], ids=str)
def test_matrices_that_several_heads_share(shape: tuple[int, int, int], tmp_path: pathlib.Path) -> None:
    """Of open sizes: no keys are repeated, six heads of queries multiply those of two."""
    batch, rows, keys = shape
    node, numbers = (
        helper.make_node,
        [("z", [0]), ("one", [1]), ("two", [2]), ("three", [3]), ("heads", [6]), ("d", [8])],
    )
    nodes = [
        node("Shape", ["k"], ["s"]),
        node("Slice", ["s", "z", "one"], ["b"]),
        node("Slice", ["s", "two", "three"], ["t"]),
        node("Concat", ["b", "two", "three", "t", "d"], ["wide"], axis=0),
        node("Concat", ["b", "heads", "t", "d"], ["merged"], axis=0),
        node("Unsqueeze", ["k", "two"], ["u"]),
        node("Expand", ["u", "wide"], ["e"]),
        node("Reshape", ["e", "merged"], ["r"]),
        node("Transpose", ["r"], ["turned"], perm=[0, 1, 3, 2]),
        node("MatMul", ["q", "turned"], ["scores"]),
        node("Softmax", ["scores"], ["p"], axis=-1),
        node("MatMul", ["p", "r"], ["y"]),
    ]
    given = [value("q", ["b", 6, "s", 8]), value("k", ["b", 2, "t", 8])]
    proto = model(nodes, given, [value("y")], {name: np.int64(n) for name, n in numbers})
    proto.ir_version = 9  # that ONNX Runtime reads
    source = save(tmp_path, proto)
    mlconv.convert(source, to="native", output=tmp_path / "m.o", dump_ir=tmp_path / "ir")
    q, k = random(batch, 6, rows, 8), random(batch, 2, keys, 8, seed=1)
    wanted = onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"]).run(None, {"q": q, "k": k})[0]
    (y,) = mlconv.load_native(tmp_path / "m.o").run({"q": q, "k": k}).values()
    np.testing.assert_allclose(y, wanted, rtol=0, atol=1e-6)
    (last,) = (tmp_path / "ir").glob("*kernel-schedule.mlir")
    assert "Expand(e)" not in "".join(line for line in last.read_text().splitlines() if '= "kernel.' in line)

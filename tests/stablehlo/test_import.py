"""Functions of jax as StableHLO, in each form of it: read here, and run with jax's numbers."""

from __future__ import annotations

import functools
import pathlib
from typing import Any

import jax
import numpy as np
import pytest
from jax import export

import mlconv
from mlconv.driver.context import BUILT_IN
from tests.stablehlo.functions import CASES
from tests.support.thinning import thinned

VERSIONS = ("1.0.0", "1.5.0", "1.9.0")


@functools.cache
def exported(name: str) -> export.Exported:
    """What jax.export makes of a case."""
    case = CASES[name]
    return export.export(jax.jit(case.run))(*case.specs)


def check(name: str, path: pathlib.Path, seed: int = 3) -> None:
    """The numbers of a file are those of jax."""
    case = CASES[name]
    assert BUILT_IN.format_of(str(path)).name == "stablehlo"
    model, arrays = mlconv.load(path), case.inputs(seed)
    expected = jax.tree.leaves(jax.jit(case.run)(*arrays))
    got = model.run(dict(zip(model.main.input_names, arrays, strict=True)))
    assert len(got) == len(expected)
    for y, want in zip(got.values(), map(np.asarray, expected), strict=True):
        assert y.dtype == want.dtype and y.shape == want.shape
        kind = np.complex128 if want.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(y.astype(kind), want.astype(kind), rtol=2e-5, atol=2e-5)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", CASES)
def test_bytecode(name: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.mlirbc"
    path.write_bytes(exported(name).mlir_module_serialized)
    check(name, path)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", CASES)
def test_text(name: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(exported(name).mlir_module())
    check(name, path)


@pytest.mark.parametrize("name", thinned(2, CASES))
def test_text_of_lowering(name: str, tmp_path: pathlib.Path) -> None:
    """What people print: ops of CHLO stand as they are, and there may be no locations."""
    path, case = tmp_path / "m.mlir", CASES[name]
    path.write_text(jax.jit(case.run).lower(*case.specs).as_text(debug_info=len(name) % 2 == 0))
    check(name, path)


@pytest.mark.parametrize("name", thinned(2, CASES))
def test_generic_text(name: str, tmp_path: pathlib.Path) -> None:
    path, case = tmp_path / "m.mlir", CASES[name]
    module: Any = jax.jit(case.run).lower(*case.specs).compiler_ir("stablehlo")
    path.write_text(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
    check(name, path)


@pytest.mark.parametrize(("name", "version"), thinned(3, CASES, VERSIONS))
def test_older_bytecode(name: str, version: str, tmp_path: pathlib.Path) -> None:
    from jaxlib.mlir.dialects import stablehlo

    text = exported(name).mlir_module()
    try:
        data = stablehlo.serialize_portable_artifact_str(text, version)
    except Exception as error:  # noqa: BLE001 - jaxlib has no class for it
        assert "failed" in str(error).lower()
        return  # an op that this version does not have
    path = tmp_path / "m.mlirbc"
    path.write_bytes(data)
    check(name, path)


def test_ops_that_broadcast(tmp_path: pathlib.Path) -> None:
    """Those of CHLO do so as numpy does."""
    path = tmp_path / "m.mlir"
    path.write_text(
        """func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
        %0 = chlo.broadcast_multiply %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
        %1 = chlo.broadcast_compare %0, %y {comparison_direction = #chlo<comparison_direction GT>}
          : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
        return %0, %1 : tensor<2x3xf32>, tensor<2x3xi1>
        }"""
    )
    x, y = (np.random.default_rng(i).normal(size=s).astype("f") for i, s in enumerate(((2, 3), (3,))))
    product, larger = mlconv.load(path).run({"arg0": x, "arg1": y}).values()
    np.testing.assert_allclose(product, x * y, rtol=1e-6)
    np.testing.assert_array_equal(larger, x * y > y)


def test_numbers_of_a_gather_end_with_a_comma(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(
        """func.func @main(%x: tensor<4x3xf32>, %i: tensor<2x1xi32>) -> tensor<2x3xf32> {
        %0 = "stablehlo.gather"(%x, %i) {
          dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
            index_vector_dim = 1,>,
          slice_sizes = array<i64: 1, 3>
        } : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
        return %0 : tensor<2x3xf32>
        }"""
    )
    x = np.random.default_rng(0).normal(size=(4, 3)).astype("f")
    (rows,) = mlconv.load(path).run({"arg0": x, "arg1": np.int32([[3], [1]])}).values()
    np.testing.assert_array_equal(rows, x[[3, 1]])


def test_corpus(corpus: pathlib.Path) -> None:
    """Texts that other versions of jax wrote give the numbers of XLA."""
    from mlconv.runtime.xla_program import run_hlo

    paths = sorted(corpus.glob("models/hlo/*.stablehlo.mlir"))
    assert paths
    for path in paths:
        model, rng = mlconv.load(path), np.random.default_rng(len(path.name))
        types = {v.name: v.tensor for v in model.main.inputs}
        arrays = {
            name: (rng.normal(size=t.static_shape()) if t.dtype.is_float else rng.integers(0, 3, t.static_shape()))
            for name, t in types.items()
        }
        arrays = {name: a.astype(types[name].dtype.numpy) for name, a in arrays.items()}
        tolerance = 2e-2 if "bf16" in path.name else 1e-5
        expected = run_hlo(str(path), [*arrays.values()])
        for y, want in zip(model.run(arrays).values(), expected, strict=True):
            kind = np.complex128 if want.dtype.kind == "c" else np.float64
            np.testing.assert_allclose(y.astype(kind), want.astype(kind), rtol=tolerance, atol=tolerance)

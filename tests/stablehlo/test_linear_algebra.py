"""Factorizations of matrices and systems of equations that jax exports, for CPUs as calls of LAPACK, else as ops."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

import mlconv
from mlconv.ir.constants import Array
from tests.support.thinning import thinned

Function = Callable[..., Any]


def matrices(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype("f")


def definite(n: int, *batch: int) -> Array:
    a = matrices(*batch, n, n)
    return np.asarray(a @ np.swapaxes(a, -1, -2) + n * np.eye(n, dtype="f"))


def check(f: Function, inputs: tuple[Array, ...], platform: str, folder: pathlib.Path, tolerance: float = 2e-5) -> None:
    """What is read of an artifact for a platform gives jax's numbers."""
    specs = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in inputs]
    path = folder / "m.mlirbc"
    path.write_bytes(export.export(jax.jit(f), platforms=[platform])(*specs).mlir_module_serialized)
    model = mlconv.load(path)
    got = model.run(dict(zip(model.main.input_names, inputs, strict=True)))
    expected = [np.asarray(y) for y in jax.tree.leaves(jax.jit(f)(*inputs))]
    assert len(got) == len(expected)
    for y, want in zip(got.values(), expected, strict=True):
        assert y.dtype == want.dtype
        np.testing.assert_allclose(y, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("platform", ["cpu", "tpu"])
@pytest.mark.parametrize("n", [1, 3, 6])
def test_cholesky(n: int, platform: str, tmp_path: pathlib.Path) -> None:
    check(jnp.linalg.cholesky, (definite(n, 2),), platform, tmp_path)
    check(lambda x: jnp.linalg.cholesky(x, upper=True), (definite(n),), platform, tmp_path)


@pytest.mark.parametrize("platform", ["cpu", "tpu"])
def test_what_is_not_definite_has_no_number(platform: str, tmp_path: pathlib.Path) -> None:
    check(jnp.linalg.cholesky, (np.stack([definite(3), -definite(3)]),), platform, tmp_path)


@pytest.mark.parametrize(
    ("platform", "left", "lower", "transpose", "unit"),
    thinned(3, ["cpu", "tpu"], [True, False], [True, False], [True, False], [True, False]),
)
def test_triangular_systems(
    platform: str, left: bool, lower: bool, transpose: bool, unit: bool, tmp_path: pathlib.Path
) -> None:
    def f(a: Any, b: Any) -> Any:
        return lax.linalg.triangular_solve(a, b, left_side=left, lower=lower, transpose_a=transpose, unit_diagonal=unit)

    b = matrices(2, 5, 3, seed=1) if left else matrices(2, 3, 5, seed=1)
    check(f, (definite(5, 2), b), platform, tmp_path, 1e-3 if unit else 2e-5)


@pytest.mark.parametrize(
    "f",
    [
        lambda a: jax.scipy.linalg.lu_factor(a),
        jnp.linalg.det,
        jnp.linalg.inv,
        lambda a: jnp.linalg.solve(a, a[..., :2] + 1.0),
        lambda a: jax.scipy.linalg.lu(a[0]),
        lambda a: jax.scipy.linalg.expm(a[0] * 0.1),
    ],
    ids=["lu_factor", "det", "inv", "solve", "lu", "expm"],
)
def test_general_matrices(f: Function, tmp_path: pathlib.Path) -> None:
    check(f, (matrices(2, 5, 5),), "cpu", tmp_path, 1e-4)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 6), (2, 7, 4)])
def test_orthogonal_factors(shape: tuple[int, ...], tmp_path: pathlib.Path) -> None:
    for mode in ("reduced", "complete", "r"):
        check(lambda a, m=mode: jnp.linalg.qr(a, mode=m), (matrices(*shape),), "cpu", tmp_path)
    flat = matrices(3, 3)
    flat[1:, 0] = 0
    check(jnp.linalg.qr, (flat,), "cpu", tmp_path)


def test_eigenvalues(tmp_path: pathlib.Path) -> None:
    """The signs of vectors are open: what is made of them is not."""

    def again(a: Any) -> Any:
        values, vectors = jnp.linalg.eigh(a)
        return values, (vectors * values[..., None, :]) @ jnp.swapaxes(vectors, -1, -2)

    check(again, (definite(5, 2),), "cpu", tmp_path, 2e-4)
    check(jnp.linalg.eigvalsh, (definite(4),), "cpu", tmp_path, 2e-4)
    check(lambda a: jnp.linalg.eigh(a, UPLO="U", symmetrize_input=False)[0], (definite(4),), "cpu", tmp_path, 2e-4)


@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (2, 3, 5)])
def test_singular_values(shape: tuple[int, ...], tmp_path: pathlib.Path) -> None:
    def again(a: Any, full: bool) -> Any:
        u, s, v = jnp.linalg.svd(a, full_matrices=full)
        k = s.shape[-1]
        return s, (u[..., :k] * s[..., None, :]) @ v[..., :k, :], u @ jnp.swapaxes(u, -1, -2)

    for full in (False, True) if shape[-2] == shape[-1] else (False,):
        check(lambda a, f=full: again(a, f), (matrices(*shape),), "cpu", tmp_path, 2e-4)
    check(lambda a: jnp.linalg.svd(a, compute_uv=False), (matrices(*shape),), "cpu", tmp_path, 2e-4)
    check(jnp.linalg.pinv, (matrices(4, 3),), "cpu", tmp_path, 1e-3)


def test_the_largest_of_many_as_approximations(tmp_path: pathlib.Path) -> None:
    x = matrices(3, 200)
    check(lambda a: lax.approx_max_k(a, 5), (x,), "cpu", tmp_path)
    check(lambda a: lax.approx_min_k(a, 4, reduction_dimension=0), (np.ascontiguousarray(x.T),), "cpu", tmp_path)

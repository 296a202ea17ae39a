"""Factorizations and equations, of few columns and of many."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tf.op_rows.row import EVERYWHERE, Row, numbers, raw


def regular(*shape: int, dtype: Any = np.float32) -> Any:
    """Matrices that are not near singular ones."""
    rows, columns = shape[-2:]
    return (numbers(*shape) + 1.5 * np.eye(rows, columns)[::-1]).astype(dtype)


def positive(*shape: int, dtype: Any = np.float32) -> Any:
    x = numbers(*shape)
    return (x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1])).astype(dtype)


def spectrum(tf: Any, x: Any) -> Any:
    """What does not depend on signs: values, the matrix again, and whether vectors are orthogonal."""
    values, vectors = tf.linalg.eigh(x)
    again = tf.linalg.matmul(vectors * values[..., None, :], vectors, transpose_b=True)
    return [values, again, tf.linalg.matmul(vectors, vectors, transpose_a=True)]


def singular(full: bool) -> Any:
    def make(tf: Any, x: Any) -> Any:
        s, u, v = tf.linalg.svd(x, full_matrices=full)
        k = s.shape[-1]
        again = tf.linalg.matmul(u[..., :k] * s[..., None, :], v[..., :k], transpose_b=True)
        return [s, again, tf.linalg.matmul(u, u, transpose_a=True), tf.linalg.matmul(v, v, transpose_a=True)]

    return make


LOOSE = {"tolerance": 2e-4, "loose": 1e-3}
LS = {"l2_regularizer": np.float64(0.3)}
SIZES = ((3, 3), (2, 4, 4), (2, 7, 7))
BANDS = np.stack([numbers(2, 6), numbers(2, 6, low=2, high=4), numbers(6, 2).T], 1)

ROWS = [
    *(
        raw(kind, regular(*s), label=str(s), row={**LOOSE, "targets": EVERYWHERE})
        for kind in ("Lu", "MatrixDeterminant", "LogMatrixDeterminant", "MatrixInverse")
        for s in SIZES
    ),
    raw("MatrixInverse", regular(3, 5, 5, dtype=np.float64), label="adjoint", adjoint=True),
    raw("MatrixDeterminant", np.float32([[1, 2], [2, 4]]), label="singular"),
    *(
        raw(
            "MatrixSolve",
            regular(*s),
            numbers(*s[:-1], 2),
            label=f"{s} {a}",
            adjoint=a,
            row={**LOOSE, "targets": EVERYWHERE},
        )
        for s in SIZES
        for a in (False, True)
    ),
    *(raw("Cholesky", positive(*s), label=str(s), row={**LOOSE, "targets": EVERYWHERE}) for s in SIZES),
    *(
        raw(
            "MatrixTriangularSolve",
            positive(*s),
            numbers(*s[:-1], 3),
            label=f"{s} {lo} {a}",
            lower=lo,
            adjoint=a,
            row={**LOOSE, "targets": EVERYWHERE if lo != a else ()},
        )
        for s in SIZES
        for lo in (False, True)
        for a in (False, True)
    ),
    raw("MatrixTriangularSolve", positive(2, 1, 5, 5), numbers(3, 5, 2), label="broadcast", row=LOOSE),
    *(
        raw("Qr", numbers(*s), label=f"{s} {f}", full_matrices=f, row={**LOOSE, "targets": EVERYWHERE})
        for s in ((3, 3), (2, 6, 4), (4, 7))
        for f in (False, True)
    ),
    *(
        Row(f"SelfAdjointEigV2 {s}", spectrum, [positive(*s)], tolerance=2e-4, targets=EVERYWHERE, loose=1e-3)
        for s in ((1, 1), (3, 3), (2, 8, 8))
    ),
    Row("SelfAdjointEigV2 double", spectrum, [positive(5, 5, dtype=np.float64)], tolerance=1e-8),
    Row("SelfAdjointEigV2 values", lambda tf, x: tf.linalg.eigvalsh(x), [positive(2, 4, 4)], tolerance=2e-4),
    *(
        Row(f"Svd {s} {f}", singular(f), [numbers(*s)], tolerance=2e-4, targets=EVERYWHERE, loose=1e-3)
        for s in ((3, 3), (2, 6, 4), (3, 5))
        for f in (False, True)
    ),
    Row("Svd values", lambda tf, x: tf.linalg.svd(x, compute_uv=False), [numbers(4, 6)], tolerance=2e-4),
    *(
        raw("MatrixSolveLs", numbers(*s), numbers(*s[:-1], 2), given=LS, label=f"{s} {f}", fast=f, row=LOOSE)
        for s in ((2, 6, 4), (3, 5))
        for f in (True, False)
    ),
    raw(
        "TridiagonalMatMul",
        numbers(2, 1, 5),
        numbers(2, 1, 5) * 2,
        numbers(2, 1, 5) - 1,
        numbers(2, 5, 3),
        row={"targets": EVERYWHERE},
    ),
    *(
        raw(
            "TridiagonalSolve",
            BANDS[..., :m] if p is False else BANDS[:, [0, 2, 1], :m],
            numbers(2, m, 3),
            label=f"{m} {p}",
            partial_pivoting=p,
            row={**LOOSE, "targets": EVERYWHERE},
        )
        for m in (1, 3, 6)
        for p in (False, True)
    ),
    *(
        raw(
            "BandedTriangularSolve",
            np.stack([numbers(5, low=1, high=3)] * 3) + numbers(3, 5) * 0.3,
            numbers(5, 2),
            label=f"{lo} {a}",
            lower=lo,
            adjoint=a,
            row=LOOSE,
        )
        for lo in (False, True)
        for a in (False, True)
    ),
]

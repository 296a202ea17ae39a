"""Reductions and products of matrices."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from tf_goldens.case import RAW, case, f, i


def reductions() -> None:
    for name in ["Sum", "Mean", "Max", "Min", "Prod"]:
        op = getattr(RAW, name)
        case(
            name,
            lambda x, op=op: [op(input=x, axis=[0, -1]), op(input=x, axis=1, keep_dims=True), op(input=x, axis=[])],
            f(2, 3, 4),
            dynamic=True,
        )
        case(f"{name} integer", lambda x, op=op: op(input=x, axis=[0, -1]), i(2, 3, 4, low=-5))
    case("Any All", lambda x: [tf.reduce_any(x > 1, [0, -1]), tf.reduce_all(x > -2, [1])], f(2, 3, 4))
    axes = np.array([0, -1], np.int32)
    case(
        "Sum run time",
        lambda x, a: [RAW.Sum(input=x, axis=a), RAW.Mean(input=x, axis=a, keep_dims=True)],
        f(2, 3, 4),
        axes,
    )
    case("Norms", lambda x: [RAW.EuclideanNorm(input=x, axis=[1]), RAW.L2Loss(t=x)], f(2, 3, 4))
    case("ArgMax", lambda x: [tf.argmax(x, 1), tf.argmin(x, -1, output_type="int32")], f(2, 3, 4), dynamic=True)
    case(
        "Cumsum",
        lambda x: [
            tf.cumsum(x, 1),
            tf.cumsum(x, -1, exclusive=True),
            tf.cumsum(x, 0, reverse=True),
            tf.math.cumprod(x, 1, exclusive=True, reverse=True),
            RAW.CumulativeLogsumexp(x=x, axis=1),
        ],
        f(2, 3, 4),
        dynamic=True,
    )


def products() -> None:
    case(
        "MatMul",
        lambda x, y: [x @ y, tf.matmul(y, x, transpose_a=True, transpose_b=True)],
        f(3, 4),
        f(4, 5),
        dynamic=True,
    )
    case(
        "BatchMatMul",
        lambda x, y: [x @ y, RAW.BatchMatMulV2(x=y, y=x, adj_x=True, adj_y=True)],
        f(2, 1, 3, 4),
        f(3, 4, 5),
        dynamic=True,
    )
    case(
        "BatchMatMulV3",
        lambda x, y: RAW.BatchMatMulV3(x=x, y=y, Tout="int32"),
        i(2, 3, 4, dtype=np.int8),
        i(2, 4, 5, dtype=np.int8),
    )
    case(
        "BatchMatMul complex",
        lambda x, y: RAW.BatchMatMulV2(x=tf.complex(x, x * 2), y=tf.complex(y, -y), adj_x=True),
        f(2, 4, 3),
        f(2, 4, 5),
    )
    equations = {
        "ij,jk->ik": [(3, 4), (4, 5)],
        "bij,bjk->bik": [(2, 3, 4), (2, 4, 5)],
        "abc,cd->abd": [(2, 3, 4), (4, 5)],
        "bthd,bshd->bhts": [(2, 3, 4, 5), (2, 6, 4, 5)],
        "bhts,bshd->bthd": [(2, 4, 3, 6), (2, 6, 4, 5)],
        "abc,cde->abde": [(2, 3, 4), (4, 5, 6)],
        "...ij,...jk->...ik": [(2, 3, 4), (4, 5)],
        "ii->i": [(3, 3)],
        "ii->": [(3, 3)],
        "ij->ji": [(3, 4)],
        "ij->": [(3, 4)],
        "i,j->ij": [(3,), (4,)],
        "i,i->": [(3,), (3,)],
        "ij,ij->i": [(3, 4), (3, 4)],
        "abc,ab->ac": [(2, 3, 4), (2, 3)],
        "a...b,bc...->a...c": [(2, 3, 4), (4, 5, 3)],
        "...a->...": [(2, 3, 4)],
        "abcd,aecd->acbe": [(2, 3, 4, 5), (2, 6, 4, 5)],
        "ijk,k->ij": [(2, 3, 4), (4,)],
        "iij->j": [(3, 3, 2)],
    }
    for equation, sizes in equations.items():
        case(
            f"Einsum {equation}",
            lambda *xs, e=equation: RAW.Einsum(inputs=list(xs), equation=e),
            *(f(*s) for s in sizes),
            dynamic=True,
        )

"""Random functions of core ops, the same for the same seed: what kernels are fused of, in every order and with several
readers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType
from tests.support.modules import LOCATION, module_of_types

CHANNELS = (1, 3, 5, 8, 16, 17, 20)
LIMIT = 20_000  # elements of a value that is used further
FAMILIES = {
    "images": "conv conv depthwise block block transposed pool unary affine binary pad",
    "pieces": "concat split slice turn reshape pad unary binary dense conv",
    "rows": "softmax norm norm reduce unary affine binary dense",
    "products": "dense dense product attention unary binary turn reshape softmax",
    "attention": "attention attention dense norm binary slice pad pool",
    "control": "branch loop loop unary binary affine dense concat slice",
}
UNARY: list[Callable[[Value], Any]] = [
    core.Tanh,
    core.Sigmoid,
    core.Neg,
    core.Abs,
    core.Gelu,
    core.HardSwish,
    lambda v: core.Clamp(v, lo=0.0, hi=6.0),
    lambda v: core.LeakyRelu(v, alpha=0.1),
]
ONE: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1)}


class MisfitError(Exception):
    """No value that an op could take."""


def shape(v: Value) -> tuple[Any, ...]:
    return v.tensor.shape or ()


def is_image(v: Value) -> bool:
    return len(shape(v)) == 4 and all(isinstance(d, int) for d in shape(v)[1:])


def is_matrix(v: Value) -> bool:
    return len(shape(v)) > 1 and isinstance(shape(v)[-1], int)


class Graph:
    """Values so far, and what is drawn next."""

    def __init__(self, seed: int, family: str) -> None:
        self.random, self.names, self.depth = np.random.default_rng(seed), FAMILIES[family].split(), 0

    def module(self, shapes: Sequence[tuple[Size, ...]], steps: int) -> Module:
        """float32 inputs of these shapes; outputs are what nothing uses, something that may be used, and one of them
        twice.
        """

        def make(b: Builder, *inputs: Value) -> list[Value]:
            self.b, self.values = b, list(inputs)
            for _ in range(steps):
                self.step()
            unused = [v for v in self.values if not v.uses][-5:]
            return [*unused, self.one(self.values), *unused[: self.number(0, 1)]]

        return module_of_types(make, [TensorType(DType.F32, s) for s in shapes])

    def step(self) -> None:
        """Emit the op of one name, when it fits somewhere."""
        try:
            made = self.op()(self)
        except (MisfitError, ConversionError):
            return
        for v in made if isinstance(made, list) else [made]:
            if (not isinstance(v.tensor.size, int) or v.tensor.size <= LIMIT) and len(shape(v)) <= 5:
                self.values.append(v)

    def op(self) -> Callable[[Graph], Value | list[Value]]:
        """What is emitted next."""
        return OPS[self.one(self.names)]

    def number(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high + 1))

    def one(self, things: Sequence[Any]) -> Any:
        return things[self.number(0, len(things) - 1)]

    def some(self, fits: Callable[[Value], bool] = lambda v: True) -> Value:
        """A value, most often a late one."""
        found = [v for v in self.values if fits(v)]
        if not found:
            raise MisfitError
        return found[-1 - min(int(self.random.exponential(1.5)), len(found) - 1)]

    def e(self, op: Any) -> Value:
        return self.b.emit(op).results[0]

    def constant(self, array: Any) -> Value:
        return self.e(core.Constant(value=make_const(np.asarray(array))))

    def weights(self, *sizes: int, depth: float = 1.0) -> Value:
        return self.constant((self.random.standard_normal(sizes) / np.sqrt(depth)).astype(np.float32))

    def unary(self, v: Value) -> Value:
        return self.e(self.one(UNARY)(v))

    def inside(
        self, types: list[TensorType], results: list[Any], head: Callable[[Block], list[Value]] = lambda block: []
    ) -> Region:
        """A region of a few ops that yields values of given types, behind those of `head`."""
        outer, values, block = self.b, self.values, Block(types)
        self.b, self.values, self.depth = (
            Builder(block, LOCATION),
            [*values, *(a for a in block.arguments if a.tensor.dtype is DType.F32)],
            self.depth + 1,
        )
        try:
            for _ in range(self.number(0, 3)):
                self.step()
            self.b.emit(Yield([*head(block), *(self.some(lambda v, t=t: v.type == t) for t in results)]))
        finally:
            self.b, self.values, self.depth = outer, values, self.depth - 1
        return Region(block)


def conv(g: Graph) -> Value:
    v = g.some(is_image)
    c, window = shape(v)[3], g.one([(1, 1), (3, 3), (3, 3), (2, 3), (5, 1)])
    groups = g.one([1, 1, 1, *(d for d in range(1, c + 1) if c % d == 0)])
    o = groups * g.one([1, 2, 3]) if groups > 1 else g.one(CHANNELS)
    pads = g.one(
        [
            "SAME_UPPER",
            tuple((k // 2, k // 2) for k in window),
            tuple((g.number(-1, 2), g.number(-1, 2)) for _ in window),
        ]
    )
    places = {
        "strides": g.one([(1, 1), (1, 1), (2, 2), (1, 3)]),
        "dilations": g.one([(1, 1), (1, 1), (2, 1)]),
        "pads": pads,
    }
    bias = g.one([None, g.weights(o)])
    return g.e(
        core.Conv(
            v,
            g.weights(*window, c // groups, o, depth=window[0] * window[1] * c / groups),
            bias,
            groups=groups,
            **places,
        )
    )


def depthwise(g: Graph) -> Value:
    v = g.some(is_image)
    k, c = g.one([2, 3, 5]), shape(v)[3]
    y = core.Conv(
        v,
        g.weights(k, k, 1, c, depth=k * k),
        g.weights(c),
        strides=(g.number(1, 2),) * 2,
        dilations=(1, 1),
        pads=((k // 2,) * 2,) * 2,
        groups=c,
    )
    return g.unary(g.e(y))


def block(g: Graph) -> list[Value]:
    """Convolutions whose result is added to what they read; what lies between may have readers too."""
    v = g.some(is_image)
    c, m = shape(v)[3], g.one(CHANNELS)
    first = g.unary(g.e(core.Conv(v, g.weights(1, 1, c, m, depth=c), g.weights(m), pads=((0, 0),) * 2, **ONE)))
    groups = g.one([1, m])
    y = g.unary(
        g.e(
            core.Conv(
                first,
                g.weights(3, 3, m // groups, m, depth=9 * m / groups),
                g.weights(m),
                pads=((1, 1),) * 2,
                groups=groups,
                **ONE,
            )
        )
    )
    y = g.e(core.Conv(y, g.weights(1, 1, m, c, depth=m), None, pads=((0, 0),) * 2, **ONE))
    y = g.e(g.one([core.Add(v, y), core.Add(y, v)]))
    return g.one([[y], [first, y], [g.unary(y)]])


def transposed(g: Graph) -> Value:
    v = g.some(is_image)
    c, o, window, strides = (
        shape(v)[3],
        g.one(CHANNELS),
        (g.number(1, 4), g.number(1, 4)),
        (g.number(1, 3), g.number(1, 2)),
    )
    pads = tuple((g.number(0, 1), g.number(0, 1)) for _ in window)
    return g.e(
        core.ConvTranspose(
            v,
            g.weights(*window, o, c, depth=c),
            g.weights(o),
            strides=strides,
            pads=pads,
            output_pads=(0, 0),
            dilations=(1, 1),
        )
    )


def pool(g: Graph) -> Value:
    window = (g.number(1, 3), g.number(1, 3))
    pads = tuple((g.number(0, k - 1), g.number(0, k - 1)) for k in window)
    return g.e(
        g.one([core.MaxPool, core.AvgPool])(
            g.some(is_image), window=window, strides=(1, g.number(1, 2)), pads=pads, dilations=(1, 1)
        )
    )


def affine(g: Graph) -> Value:
    v = g.some(is_matrix)
    axis = g.one([i for i, d in enumerate(shape(v)) if isinstance(d, int)])
    sizes = [d if i == axis else 1 for i, d in enumerate(shape(v))]
    return g.e(core.Add(g.e(core.Mul(v, g.weights(*sizes))), g.weights(*sizes)))


def binary(g: Graph) -> Value:
    a = g.some()
    fits = [
        lambda v: shape(v) == shape(a),
        lambda v: all(x == y or 1 in (x, y) for x, y in zip(shape(v)[::-1], shape(a)[::-1], strict=False)),
    ]
    pair = [a, g.some(g.one(fits))]
    return g.e(g.one([core.Add, core.Sub, core.Maximum])(*(pair if g.number(0, 1) else pair[::-1])))


def concat(g: Graph) -> Value:
    a = g.some(lambda v: len(shape(v)) > 0)
    axis, n = g.number(0, len(shape(a)) - 1), len(shape(a))
    return g.e(
        core.Concat(
            [
                a,
                *(
                    g.some(lambda v: len(shape(v)) == n and shape(v)[:axis] == shape(a)[:axis])
                    for _ in range(g.number(1, 2))
                ),
            ],
            axis=axis,
        )
    )


def split(g: Graph) -> list[Value]:
    v = g.some(lambda v: any(isinstance(d, int) and d > 1 for d in shape(v)))
    axis = g.one([i for i, d in enumerate(shape(v)) if isinstance(d, int) and d > 1])
    at = g.number(1, shape(v)[axis] - 1)
    return list(g.b.emit(core.Split(v, sizes=(at, shape(v)[axis] - at), axis=axis)).ys)


def slice_(g: Graph) -> Value:
    v = g.some(lambda v: any(isinstance(d, int) and d > 1 for d in shape(v)))
    axis = g.one([i for i, d in enumerate(shape(v)) if isinstance(d, int) and d > 1])
    n, size = len(shape(v)), shape(v)[axis]
    low, step = g.number(0, size - 2), g.one([1, 1, 2, -1])
    begin, end = (low, size) if step > 0 else (size - 1, low)
    others = sum(1 << i for i in range(n) if i != axis)
    at = [[value if i == axis else other for i in range(n)] for value, other in ((begin, 0), (end, 0), (step, 1))]
    return g.e(core.Slice(v, *(g.constant(np.array(a, np.int64)) for a in at), begin_mask=others, end_mask=others))


def turn(g: Graph) -> Value:
    v = g.some(is_matrix)
    return g.e(core.Transpose(v, perm=tuple(int(i) for i in g.random.permutation(len(shape(v))))))


def reshape(g: Graph) -> Value:
    """An axis split into two, or two joined."""
    v = g.some(is_matrix)
    sizes = list(shape(v))
    if sum(not isinstance(d, int) for d in sizes) > 1:
        raise MisfitError
    axis = g.one([i for i, d in enumerate(sizes) if isinstance(d, int)])
    inner = g.one([d for d in range(1, sizes[axis] + 1) if sizes[axis] % d == 0])
    joins = axis > 0 and isinstance(sizes[axis - 1], int) and g.number(0, 1)
    parts = [sizes[axis - 1] * sizes[axis]] if joins else [sizes[axis] // inner, inner]
    sizes[axis - 1 if joins else axis : axis + 1] = parts
    return g.e(core.Reshape(v, g.constant(np.array([d if isinstance(d, int) else -1 for d in sizes], np.int64))))


def pad(g: Graph) -> Value:
    v = g.some(is_matrix)
    amounts = np.array([[g.number(0, 2), g.number(0, 1)] if g.number(0, 1) else [0, 0] for _ in shape(v)])
    return g.e(core.Pad(v, g.constant(amounts), g.constant(np.float32(g.one([0, 1.5])))))


def reduce(g: Graph) -> Value:
    v = g.some(is_matrix)
    axes = tuple(i for i in range(len(shape(v))) if g.number(0, 1)) or (0,)
    return g.e(g.one([core.ReduceMean, core.ReduceMax])(v, axes=axes, keepdims=bool(g.number(0, 1))))


def softmax(g: Graph) -> Value:
    v = g.some(is_matrix)
    return g.e(core.Softmax(v, axis=g.one([-1, g.number(0, len(shape(v)) - 1)])))


def norm(g: Graph) -> Value:
    v = g.some(is_matrix)
    axis = g.one([len(shape(v)) - 1, g.number(1, len(shape(v)) - 1)])
    centred = g.e(core.Sub(v, g.e(core.ReduceMean(v, axes=(axis,), keepdims=True))))
    spread = g.e(core.ReduceMean(g.e(core.Mul(centred, centred)), axes=(axis,), keepdims=True))
    return g.e(core.Div(centred, g.e(core.Sqrt(g.e(core.Add(spread, g.constant(np.float32(0.01))))))))


def dense(g: Graph) -> Value:
    v = g.some(is_matrix)
    k, n = shape(v)[-1], g.one([*CHANNELS, shape(v)[-1]])
    y = g.e(core.Add(g.e(core.MatMul(v, g.weights(k, n, depth=k))), g.weights(n)))
    return g.one([y, g.unary(y), g.e(core.Add(y, v)) if n == k else y])


def product(g: Graph) -> Value:
    a = g.some(is_matrix)
    b = g.some(
        lambda v: (
            len(shape(v)) > 1
            and shape(v)[-1] == shape(a)[-1]
            and all(x == y or 1 in (x, y) for x, y in zip(shape(v)[-3::-1], shape(a)[-3::-1]))
        )
    )
    return g.e(core.Mul(g.e(core.MatMul(a, b, transpose_b=True)), g.constant(np.float32(shape(a)[-1] ** -0.5))))


def attention(g: Graph) -> Value:
    v = g.some(is_matrix)
    d = shape(v)[-1]
    q, k, w = (g.e(core.MatMul(v, g.weights(d, d, depth=d))) if g.number(0, 3) else v for _ in range(3))
    scores = g.e(core.Mul(g.e(core.MatMul(q, k, transpose_b=True)), g.constant(np.float32(d**-0.5))))
    if isinstance(shape(scores)[-1], int) and g.number(0, 1):
        scores = g.e(
            core.Add(scores, g.constant(np.where(g.random.random(shape(scores)[-1]) < 0.3, -1e9, 0).astype(np.float32)))
        )
    weights = g.e(core.Softmax(scores, axis=-1))
    y = g.e(core.MatMul(weights, w))
    return g.one([y, g.e(core.Add(v, y)), g.e(core.Add(y, weights)) if shape(y) == shape(weights) else y])


def branch(g: Graph) -> Value:
    t = g.some()
    if g.depth > 1:
        raise MisfitError
    mean = g.e(core.ReduceMean(t, axes=tuple(range(len(shape(t)))), keepdims=False))
    chosen = g.e(core.Greater(mean, g.constant(np.float32(g.one([-9, 0, 9])))))
    then, orelse = g.inside([], [t.type]), g.inside([], [t.type])
    return g.e(core.If(chosen, then=then, orelse=orelse))


def loop(g: Graph) -> list[Value]:
    if g.depth > 1:
        raise MisfitError
    starts = [g.some() for _ in range(g.number(1, 2))]
    types: list[Any] = [v.type for v in starts]
    count = TensorType(DType.I32, ())
    test = Block([count, *types])
    b = Builder(test, LOCATION)
    end = b.emit(core.Constant(value=make_const(np.int32(g.number(0, 3))))).y
    b.emit(Yield([b.emit(core.Less(test.arguments[0], end)).y]))
    body = g.inside([count, *types], types, lambda block: [g.e(core.Add(block.arguments[0], g.constant(np.int32(1))))])
    return list(g.b.emit(core.While([g.constant(np.int32(0)), *starts], cond=Region(test), body=body)).ys[1:])


OPS: dict[str, Callable[[Graph], Value | list[Value]]] = {
    "conv": conv,
    "depthwise": depthwise,
    "block": block,
    "transposed": transposed,
    "pool": pool,
    "affine": affine,
    "binary": binary,
    "concat": concat,
    "split": split,
    "slice": slice_,
    "turn": turn,
    "reshape": reshape,
    "pad": pad,
    "reduce": reduce,
    "softmax": softmax,
    "norm": norm,
    "dense": dense,
    "product": product,
    "attention": attention,
    "branch": branch,
    "loop": loop,
    "unary": lambda g: g.unary(g.some()),
}

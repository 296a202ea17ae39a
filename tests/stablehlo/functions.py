"""Functions of jax, each with the types of its arguments: what StableHLO is read from in these tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


class Case(NamedTuple):
    """A function and the types of its arguments."""

    run: Callable[..., Any]
    specs: tuple[jax.ShapeDtypeStruct, ...]

    def inputs(self, seed: int) -> list[np.ndarray[Any, Any]]:
        """Random arguments: small integers, numbers around zero, bools."""
        rng = np.random.default_rng(seed)
        made = []
        for s in self.specs:
            kind = np.dtype(s.dtype).kind
            if kind == "b":
                made.append(rng.integers(0, 2, s.shape).astype(bool))
            elif kind in "iu":
                made.append(rng.integers(0, 3, s.shape).astype(s.dtype))
            elif kind == "c":
                made.append((rng.normal(size=s.shape) + 1j * rng.normal(size=s.shape)).astype(s.dtype))
            else:
                made.append((rng.normal(size=s.shape) * 0.5).astype(s.dtype))
        return made


CASES: dict[str, Case] = {}


def f32(*shape: int) -> jax.ShapeDtypeStruct:
    """A float32 argument."""
    return jax.ShapeDtypeStruct(shape, "float32")


def i32(*shape: int) -> jax.ShapeDtypeStruct:
    """An int32 argument."""
    return jax.ShapeDtypeStruct(shape, "int32")


def of(dtype: str, *shape: int) -> jax.ShapeDtypeStruct:
    """An argument of another type."""
    return jax.ShapeDtypeStruct(shape, dtype)


def case(*specs: jax.ShapeDtypeStruct) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Keep a function as a case of its name."""

    def keep(run: Callable[..., Any]) -> Callable[..., Any]:
        CASES[run.__name__] = Case(run, specs)
        return run

    return keep


WEIGHTS = [np.random.default_rng(7).normal(size=s).astype("f") for s in ((8, 16), (16,), (16, 4), (4,))]


@case(f32(2, 8))
def mlp(x):
    h = jax.nn.relu(x @ WEIGHTS[0] + WEIGHTS[1])
    return {"y": jax.nn.softmax(h @ WEIGHTS[2] + WEIGHTS[3]), "hidden": h}


@case(f32(1, 8, 8, 3), f32(3, 3, 3, 4))
def conv_nhwc(x, w):
    return lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@case(f32(1, 4, 9, 9), f32(4, 2, 3, 3))
def conv_grouped_dilated(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), ((1, 2), (0, 1)), rhs_dilation=(2, 1), feature_group_count=2)


@case(f32(1, 5, 5, 2), f32(3, 3, 2, 3))
def conv_transposed(x, w):
    return lax.conv_transpose(x, w, (2, 2), "SAME")


@case(f32(2, 7, 3), f32(3, 3, 4))
def conv_1d(x, w):
    return lax.conv_general_dilated(x, w, (1,), "VALID", dimension_numbers=("NWC", "WIO", "NWC"))


@case(f32(1, 8, 8, 3))
def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@case(f32(1, 7, 7, 2))
def mean_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9.0


@case(f32(5, 4), i32(3))
def take_rows(x, i):
    return x[i]


@case(f32(5, 4), i32(3), i32(3))
def take_points(x, i, j):
    return x[i, j] + jnp.take(x, i, axis=1).sum(1)[:3]


@case(f32(5, 4), i32(3), f32(3, 4))
def scatter_add(x, i, u):
    return x.at[i].add(u), x.at[i[:1]].set(u[:1]), x.at[:, 1].max(0.25)


@case(f32(4, 4))
def while_loop(x):
    return lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.tanh(c[1] @ x)), (0, x))[1]


@case(f32(4))
def fori(x):
    return lax.fori_loop(0, 5, lambda i, c: c * 0.5 + i, x)


@case(f32(4), f32())
def cond(x, p):
    return lax.cond(p > 0, lambda v: v * 2, lambda v: v - 1, x)


@case(f32(4), i32())
def switch(x, p):
    return lax.switch(p, [lambda v: v * 2, lambda v: v - 1, jnp.sin], x)


@case(f32(3, 4))
def scan(xs):
    return lax.scan(lambda c, x: (c + x, c * x), jnp.zeros(4), xs)


@case(f32(5, 7))
def sort(x):
    return jnp.sort(x, axis=1), jnp.argsort(x, axis=0), -jnp.sort(-x)


@case(i32(4, 6), f32(4, 6))
def sort_by_two(k, x):
    return *lax.sort((k, x, jnp.arange(24.0).reshape(4, 6)), num_keys=2, dimension=0), jnp.lexsort((x[0], -k[0]))


@case(f32(4, 6))
def stretched_windows(x):
    mean = jax.grad(lambda v: jnp.square(lax.reduce_window(v, 0.0, lax.add, (2, 3), (2, 2), "SAME")).sum())(x)
    return mean, lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 2), ((1, 0), (0, 1)), base_dilation=(2, 3))


@case(f32(5, 7))
def top_k(x):
    return lax.top_k(x, 3)


@case(f32(8))
def real_fft(x):
    y = jnp.fft.rfft(x)
    return jnp.abs(y), jnp.fft.irfft(y * 2)


@case(of("complex64", 4, 8))
def complex_numbers(x):
    return jnp.fft.fft(x), x.real * x.imag, jnp.conj(x) * x, lax.complex(x.real, x.imag) + 1j


@case(of("uint32", 2))
def random_numbers(key):
    return jax.random.normal(key, (3,)), jax.random.uniform(key, (2, 2)), jax.random.randint(key, (4,), 0, 9)


@case(f32(5, 7))
def reductions(x):
    return jnp.argmax(x, 1), x.mean(0), jnp.cumsum(x, 1), x.var(), x.prod(0), (x > 0).any(0), (x > 0).all(1)


@case(f32(6))
def special_functions(x):
    y = jnp.abs(x) + 0.5
    return (
        jax.scipy.special.erf(x),
        jax.nn.gelu(x),
        jnp.sinh(x),
        jnp.arcsin(x / 4),
        lax.erf_inv(x / 4),
        jax.scipy.special.gammaln(y),
        jnp.cbrt(y),
        jnp.arctan2(x, y),
    )


@case(f32(6))
def elementwise(x):
    y = jnp.abs(x) + 0.5
    return (
        jnp.exp(x) + jnp.log(y) - jnp.sqrt(y) * lax.rsqrt(y),
        jnp.floor(x * 3) + jnp.ceil(x) + jnp.round(x * 2.5) + jnp.sign(x),
        jnp.expm1(x) + jnp.log1p(y) + jax.nn.sigmoid(x) + jnp.tan(x),
        jnp.power(y, x) + jnp.remainder(x, y) + lax.clamp(-0.2, x, 0.3),
        jnp.where(jnp.isfinite(x) & (x > 0), x, -x),
    )


@case(f32(5, 6))
def slices(x):
    return (
        lax.dynamic_slice(x, (1, 2), (2, 2)),
        lax.dynamic_update_slice(x, x[:2, :2] * 2, (1, 1)),
        x[::2, ::-1],
        jnp.pad(x, ((1, 2), (0, 0))),
        lax.pad(x, 0.5, ((1, 1, 1), (0, -1, 0))),
    )


@case(f32(5, 6), i32())
def moving_slice(x, i):
    return lax.dynamic_slice_in_dim(x, i, 2), lax.dynamic_update_slice_in_dim(x, x[:1] + 1, i, 0)


@case(i32(6), i32(6))
def integers(a, b):
    return (
        a // (b + 1),
        a % (b + 1),
        (a << 2) | (b >> 1),
        ~a ^ b,
        lax.population_count(a),
        lax.clz(a + 1),
        a.astype("float32"),
        lax.shift_right_logical(a - 3, 2),
    )


@case(of("bool", 5), of("bool", 5))
def bools(a, b):
    return a & b, a | ~b, a ^ b, jnp.where(a, 1, 2), a.astype("int8")


@case(of("float16", 4), of("bfloat16", 4))
def short_floats(a, b):
    return a * 2 + 1, b.astype("float32") * 3, a.astype("bfloat16"), lax.reduce_precision(a.astype("float32"), 8, 7)


@case(of("int8", 4, 8), of("int8", 8, 3))
def integer_product(a, b):
    return lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type="int32")


@case(f32(2, 3, 4), f32(2, 4, 5))
def products(a, b):
    return jnp.einsum("bij,bjk->bik", a, b), jnp.einsum("bij,bjk->ki", a, b), jnp.vdot(a, a)


@case(f32(2, 5, 8), f32(8, 24), f32(8, 8))
def attention(x, wqkv, wo):
    q, k, v = jnp.split(x @ wqkv, 3, axis=-1)
    q, k, v = (t.reshape(2, 5, 2, 4).transpose(0, 2, 1, 3) for t in (q, k, v))
    scores = jnp.where(jnp.tril(jnp.ones((5, 5), bool)), q @ k.swapaxes(-1, -2) / 2.0, -1e9)
    out = jax.nn.softmax(scores) @ v
    return out.transpose(0, 2, 1, 3).reshape(2, 5, 8) @ wo


@case(f32(3, 8), f32(8), f32(8))
def layer_norm(x, scale, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + bias


@case(f32(4, 3), f32(3, 16), f32(4, 16), f32(16))
def lstm_cell(x, w, u, b):
    def step(carry, row):
        h, c = carry
        i, f, g, o = jnp.split(row @ w + h @ u + b, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (jnp.zeros(4), jnp.zeros(4)), x)


@case(f32(4, 4), f32(4))
def gradient(w, x):
    return jax.grad(lambda v: jnp.sum(jnp.tanh(v @ x) ** 2))(w)


@case(f32(1, 6, 6, 1))
def pool_gradient(x):
    def loss(v):
        return jnp.sum(lax.reduce_window(v, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2)

    return jax.grad(loss)(x)


@case(f32(3, 4), f32(3, 4))
def vmapped(x, y):
    return jax.vmap(lambda a, b: jnp.dot(a, b) * a)(x, y)


@case(f32(6))
def shapes(x):
    y = x.reshape(2, 3)
    return y.T, jnp.concatenate([y, y * 2], 1), jnp.stack([x, x]), jnp.tile(x, 2), jnp.repeat(x, 2), y[:, None]


@case(f32(4))
def iotas(x):
    return jnp.arange(4) + x, jnp.linspace(0, 1, 4) * x, jnp.eye(4), lax.broadcasted_iota("int32", (2, 3), 1)


@case(f32(5))
def integer_bits(x):
    bits = lax.bitcast_convert_type(x, jnp.int32)
    return bits, lax.bitcast_convert_type(bits & 0x7FFFFFFF, jnp.float32)


@case(f32(4))
def constants_of_all_kinds(x):
    table = jnp.asarray([True, False, True, True, False, True, True, True, False])
    return x * np.float32([np.inf, -1.5, 0.1, 3e38]), table, jnp.full((3, 3), 7, jnp.uint8), jnp.asarray([1 + 2j, -3j])


@case(f32(2, 2), f32(2, 2))
def nested_calls(x, y):
    inner = jax.jit(lambda a: jnp.sin(a) @ y)
    return jax.jit(lambda a: inner(a) + inner(a * 2))(x)


@case(f32(5))
def custom_gradient(x):
    return jax.checkpoint(lambda v: jax.nn.silu(v) * jax.nn.softplus(v))(x)


@case(f32(2, 6, 6, 3))
def resized(x):
    return jax.image.resize(x, (2, 12, 12, 3), "bilinear")


@case(f32(5), i32(5))
def segments(x, i):
    return jax.ops.segment_sum(x, i, 3), jax.nn.one_hot(i, 3)


@case(f32(6))
def variadic_reduce(x):
    def larger(a, b):
        first = a[0] >= b[0]
        return jnp.where(first, a[0], b[0]), jnp.where(first, a[1], b[1])

    return lax.reduce((x, jnp.arange(6)), (-jnp.inf, 0), larger, (0,))

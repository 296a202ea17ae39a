"""Functions of jax whose sizes are symbols: read as such, and run at several sizes; or with sizes that are given."""

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
from mlconv.diagnostics import Code, ConversionError

W = [np.random.default_rng(i).normal(size=s).astype("f") for i, s in enumerate(((8, 16), (16, 8), (8,)))]
EMBEDDING = np.random.default_rng(9).normal(size=(11, 8)).astype("f")


def mlp(x: Any) -> Any:
    return jax.nn.softmax(jax.nn.relu(x @ W[0]) @ W[1] + W[2])


def attention(x: Any) -> Any:
    scores = jnp.einsum("bqd,bkd->bqk", x @ W[0], x @ W[0]) / 4.0
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(scores, -1), x)


def reshaped(x: Any) -> Any:
    b, t, d = x.shape
    return x.reshape(b * t, d).sum(0), x.reshape(b, t * d), x.transpose(1, 0, 2), x.mean((0, 1))


def embedded(i: Any) -> Any:
    return jnp.asarray(EMBEDDING)[i] * 2.0 + jnp.arange(i.shape[1], dtype=jnp.float32)[None, :, None]


def padded(x: Any) -> Any:
    return jnp.pad(x, ((0, 0), (1, 2), (0, 0))), jnp.concatenate([x, x], 1), jnp.ones((x.shape[0], 3)), x[:, :2] * 2


def convolved(x: Any) -> Any:
    w = np.random.default_rng(3).normal(size=(3, 3, 2, 4)).astype("f")
    y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").reshape(
        x.shape[0], -1
    )


def convolved_as_large(x: Any) -> Any:
    """Zeros around an image, of a number that its size says."""
    w = np.random.default_rng(3).normal(size=(3, 3, 1, 4)).astype("f")
    how = {"dimension_numbers": ("NHWC", "HWIO", "NHWC"), "feature_group_count": 2, "rhs_dilation": (1, 2)}
    return lax.conv_general_dilated(x, w, (2, 1), "SAME", **how)


def convolved_in_groups(x: Any) -> Any:
    """Of a batch whose size is known at run time."""
    w, layout = np.random.default_rng(3).normal(size=(3, 3, 2, 4)).astype("f"), ("NHWC", "HWIO", "NHWC")
    both = jnp.concatenate([x, -x])
    return lax.conv_general_dilated(both, w, (1, 1), "SAME", dimension_numbers=layout, batch_group_count=2)


def ranked(x: Any) -> Any:
    return jnp.argmax(x, -1), jnp.sort(x, -1), lax.top_k(x, 3)[0], jnp.cumsum(x, -1)


def scanned(x: Any) -> Any:
    def step(h: Any, row: Any) -> Any:
        h = jnp.tanh(h @ W[2].reshape(8, 1) + row)
        return h, h

    return lax.scan(step, jnp.zeros((x.shape[0], 8)), x.transpose(1, 0, 2), reverse=True)


def rewritten(x: Any) -> Any:
    """Rows that are written in place, in a loop and at the end."""
    y = lax.fori_loop(0, x.shape[1], lambda i, a: a.at[:, i].add(a[:, jnp.maximum(i - 1, 0)]), x)
    return y.at[:, -1].set(0.0), lax.dynamic_update_slice(y, y[:, :1] * 2, (0, x.shape[1] - 1, 0))


def running(x: Any) -> Any:
    return jnp.cumsum(x, 1), jnp.cumsum(x[:, ::-1], 0), jnp.cumprod(x, 1)


def picked(x: Any) -> Any:
    """By places in each row; every second one, whose number is a quotient that is written out."""
    return jnp.take_along_axis(x, jnp.argmax(x, -1, keepdims=True), -1), x[:, ::2]


def stretched(x: Any) -> Any:
    w = np.random.default_rng(4).normal(size=(3, 8, 4)).astype("f")
    return lax.conv_transpose(x, w, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))


def along_open(x: Any) -> Any:
    """Places along axes whose sizes are not known, rows of an open number one after another, and one of them."""
    summed, before = lax.scan(lambda s, row: (s * 0.5 + row, s), jnp.zeros(x.shape[1:]), x)
    first = jnp.argmax(x > 0.1, 0), jnp.argmin(x > -0.3, 1)
    return jnp.argmax(x, 0), *first, jnp.argmin(x, 1), summed, before, lax.dynamic_index_in_dim(x, jnp.argmax(x[:, 0]))


def limited(x: Any) -> Any:
    """A part that begins far outside, before and behind, is moved inside."""
    far = (x[0, 0, 0] * 1e6).astype(jnp.int32)
    written = lax.dynamic_update_slice(x, x[:1, :1] * 2, (far, -far, 1))
    return written, lax.dynamic_slice(x, (-far, far, 5), (1, 1, 4))


def windowed(x: Any) -> Any:
    """Windows that are no poolings: of products, of integers, of all rows."""
    whole = lax.reduce_window((x * 9).astype(jnp.int32), np.int32(-(2**31)), lax.max, (1, 3, 1), (1, 2, 1), "SAME")
    pairs = lax.reduce_window(x[:, :, 0], 0.0, lax.add, (2, 2), (1, 2), "SAME")
    return lax.reduce_window(x, 1.0, lax.mul, (1, 1, 2), (1, 1, 2), "VALID"), whole, pairs, lax.pad(x, x[0, 0, 0], PADS)


def cut_off(x: Any) -> Any:
    """More than there is along an axis, so that some of what comes in at the other end goes."""
    return lax.pad(x, 0.5, ((0, 0, 0), (-4, 5, 0), (9, -10, 0))), lax.pad(x, 0.5, ((0, 0, 0), (3, -2, 0), (0, 0, 0)))


def up_to(x: Any) -> Any:
    """What jax writes as windows as long as their axis."""
    whole = (x[..., 0] * 9).astype(jnp.int32)
    sums = lax.cumlogsumexp(x, 1), lax.cumlogsumexp(x, 2, reverse=True), lax.cumprod(x, 0)
    return *sums, lax.cummax(x, 1, reverse=True), lax.cummin(whole, 0), lax.cummax(whole, 1)


def differentiated(x: Any) -> Any:
    """Each window of a pooling gives its gradient to one of its elements."""

    def pooled(v: Any) -> Any:
        y = lax.reduce_window(v, -jnp.inf, lax.max, (1, 3, 1), (1, 2, 1), "SAME")
        return jnp.sum(y**2) + jnp.sum(lax.reduce_window(v, -jnp.inf, lax.max, (1, 1, 2), (1, 1, 2), "VALID"))

    return jax.grad(pooled)(x)


def written_parts(x: Any) -> Any:
    """As many elements as a size of the run says."""
    y = x.at[:, 1:].set(x[:, :-1] + 1).at[:, :-1, 2].add(1.0)
    one = x[:, :1].at[:, jnp.arange(1), 3].set(2.0)
    return y, one, jnp.unique((x[0, :, 0] * 3).astype(jnp.int32), size=4, fill_value=-1)


def fitting_nowhere(x: Any) -> Any:
    """Windows longer than their axis: XLA makes no elements."""
    first, layout = x.swapaxes(1, 2)[..., :1], ("NWC", "WIO", "NWC")
    y = lax.conv_general_dilated(first, np.ones((9, 1, 4), "f"), (1,), "VALID", dimension_numbers=layout)
    return y, y.sum(1), lax.reduce_window(x, 0.0, lax.add, (1, 1, 9), (1, 1, 1), "VALID")


def trained(x: Any) -> Any:
    """Gradients of weights have windows as large as an image."""

    def loss(w: Any, by_group: Any) -> Any:
        how = {"dimension_numbers": ("NWC", "WIO", "NWC")}
        y = lax.conv_general_dilated(x, w, (1,), "SAME", **how)
        z = lax.conv_general_dilated(x, by_group, (1,), ((2, 2),), rhs_dilation=(2,), feature_group_count=4, **how)
        return jnp.sum(y**2) + jnp.sum(z**2)

    return jax.grad(loss, (0, 1))(TAPS, TAPS[:, :2])


def pooled_whole(x: Any) -> Any:
    """A window as large as an image, and gradients of windows that leave elements out."""

    def pooled(v: Any) -> Any:
        return jnp.sum(lax.reduce_window(v, 0.0, lax.add, (1, 3, 1), (1, 2, 1), ((0, 0), (1, 1), (0, 0))) ** 2)

    size = (1, x.shape[1], 2)
    most = lax.reduce_window(x, -jnp.inf, lax.max, (x.shape[0], *size[1:]), (1, 1, 2), "VALID")

    def summed(v: Any) -> Any:
        return jnp.sum(lax.reduce_window(v, 0.0, lax.add, (1, *v.shape[1:2], 1), (1, 1, 1), "VALID") ** 2)

    padded = lax.reduce_window(x, 0.0, lax.add, size, size, ((0, 0), (0, 0), (1, 1)))
    whole = lax.reduce_window(x, 1.5, lax.add, size, size, "VALID")
    return whole, padded, most, jax.grad(pooled)(x), jax.grad(summed)(x)


def singular(x: Any) -> Any:
    return jnp.linalg.svd(x, compute_uv=False)


TAPS = np.random.default_rng(4).normal(size=(3, 8, 4)).astype("f")
PADS = ((0, 0, 0), (1, 2, 1), (-1, 1, 0))
Case = tuple[Callable[..., Any], str, str, tuple[tuple[int, ...], ...]]
CASES: dict[str, Case] = {
    "along open axes": (along_open, "b, t", "float32", ((1, 3), (4, 2))),
    "mlp": (mlp, "b, 8", "float32", ((1, 8), (5, 8))),
    "attention": (attention, "b, t, 8", "float32", ((1, 3, 8), (2, 7, 8))),
    "reshaped": (reshaped, "b, t, 8", "float32", ((1, 3, 8), (2, 7, 8))),
    "embedded": (embedded, "b, t", "int32", ((1, 3), (4, 5))),
    "padded": (padded, "b, t, 8", "float32", ((1, 3, 8), (2, 7, 8))),
    "convolved": (convolved, "b, 6, 6, 2", "float32", ((1, 6, 6, 2), (3, 6, 6, 2))),
    "convolved_as_large": (convolved_as_large, "b, h, w, 2", "float32", ((1, 6, 6, 2), (3, 5, 9, 2))),
    "convolved_in_groups": (convolved_in_groups, "b, 6, 6, 2", "float32", ((1, 6, 6, 2), (3, 6, 6, 2))),
    "ranked": (ranked, "b, 7", "float32", ((1, 7), (3, 7))),
    "scanned": (scanned, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "rewritten": (rewritten, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "running": (running, "b, t, 8", "float32", ((1, 1, 8), (3, 4, 8))),
    "stretched": (stretched, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "limited": (limited, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8), (2, 7, 8))),
    "windowed": (windowed, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "cut_off": (cut_off, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "up_to": (up_to, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "differentiated": (differentiated, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "written_parts": (written_parts, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "fitting_nowhere": (fitting_nowhere, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "trained": (trained, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "pooled_whole": (pooled_whole, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
    "singular": (singular, "b, 4, 3", "float32", ((1, 4, 3), (3, 4, 3))),
    "picked": (picked, "b, t, 8", "float32", ((1, 1, 8), (3, 5, 8))),
}


OF_WINDOWS = ("cut_off", "up_to", "differentiated", "written_parts", "fitting_nowhere", "trained", "pooled_whole")
CONVERTED = ("mlp", "attention", "embedded", "scanned", "rewritten", "picked", "stretched", "windowed", *OF_WINDOWS)


def arrays(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(sum(shape))
    return rng.integers(0, 9, shape).astype(dtype) if dtype == "int32" else rng.normal(size=shape).astype(dtype)


def written(name: str, form: str, path: pathlib.Path) -> pathlib.Path:
    run, shape, dtype, _ = CASES[name]
    spec = jax.ShapeDtypeStruct(export.symbolic_shape(shape), dtype)
    found = export.export(jax.jit(run))(spec)
    if form == "text":
        path.write_text(found.mlir_module())
    else:
        path.write_bytes(found.mlir_module_serialized)
    return path


def check(name: str, got: dict[str, Any], x: np.ndarray[Any, Any]) -> None:
    for y, want in zip(got.values(), jax.tree.leaves(CASES[name][0](jnp.asarray(x))), strict=True):
        np.testing.assert_allclose(y, np.asarray(want), rtol=2e-5, atol=2e-5)


@pytest.mark.share(4)
@pytest.mark.parametrize("form", ["text", "bytecode"])
@pytest.mark.parametrize("name", CASES)
def test_symbols(name: str, form: str, tmp_path: pathlib.Path) -> None:
    model = mlconv.load(written(name, form, tmp_path / "m.mlir"))
    _, shape, dtype, sizes = CASES[name]
    (given,) = model.main.inputs
    assert [str(d) for d in given.tensor.shape or ()] == shape.split(", ")
    for size in sizes:
        x = arrays(size, dtype)
        check(name, model.run({given.name: x}), x)


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("scanned", "rewritten")])  # loops
def test_sizes_that_are_given(name: str, tmp_path: pathlib.Path) -> None:
    path = written(name, "bytecode", tmp_path / "m.mlir")
    _, _, dtype, sizes = CASES[name]
    first = mlconv.load(path).main.input_names[0]
    model = mlconv.load(path, shapes={first: sizes[1]})
    assert all(v.tensor.is_static for op in model.main.block.ops for v in op.results)
    x = arrays(sizes[1], dtype)
    check(name, model.run({first: x}), x)


@pytest.mark.parametrize("target", ["native", "tflite", "onnx"])
@pytest.mark.parametrize("name", CONVERTED)
def test_targets(name: str, target: str, tmp_path: pathlib.Path) -> None:
    path = written(name, "bytecode", tmp_path / "m.mlir")
    done = mlconv.convert(path, to=target, output=tmp_path / "out", verify=True)
    assert done.verification


def test_a_symbol_of_several_arguments(tmp_path: pathlib.Path) -> None:
    """jax asserts that their sizes are equal: then each row has its update."""

    def written_rows(x: Any, i: Any, y: Any) -> Any:
        return jax.vmap(lambda row, at, v: row.at[at].set(v))(x, i, y), x.at[:, 2].add(y)

    sizes = export.symbolic_shape("b, 4")
    specs = [jax.ShapeDtypeStruct(s, t) for s, t in ((sizes, "float32"), (sizes[:1], "int32"), (sizes[:1], "float32"))]
    path = tmp_path / "m.mlir"
    path.write_bytes(export.export(jax.jit(written_rows))(*specs).mlir_module_serialized)
    assert [str(v.tensor) for v in mlconv.load(path).main.inputs] == ["float32[b,4]", "int32[b]", "float32[b]"]
    mlconv.convert(path, to="native", output=tmp_path / "m.o")
    model = mlconv.load_native(tmp_path / "m.o")
    for b in (1, 5):
        rng = np.random.default_rng(b)
        given = [rng.normal(size=(b, 4)).astype("f"), rng.integers(0, 4, b).astype("i"), rng.normal(size=b).astype("f")]
        got = model.run(dict(zip(("x", "i", "y"), given, strict=True)))
        for y, want in zip(got.values(), written_rows(*map(jnp.asarray, given)), strict=True):
            np.testing.assert_array_equal(y, np.asarray(want))
    with pytest.raises(ConversionError) as error:
        model.run({"x": given[0], "i": given[1], "y": given[2][:3]})
    assert error.value.code is Code.ShapeMismatch


@pytest.mark.parametrize(
    ("shapes", "found"),
    [
        (("b, 2*t", "2*t, 3", "t, 3"), ["b,x_1", "x_1,3", "t,3"]),
        (("2*t + 1, 2", "2, 2*t + 1", "b, 2*t"), ["x_0,2", "2,x_0", "b,z_1"]),
        (("b, 2*t", "2*t, 3", "3*t, b"), ["b,x_1", "x_1,3", "z_0,b"]),
    ],
)
def test_sizes_of_several_arguments(shapes: tuple[str, ...], found: list[str], tmp_path: pathlib.Path) -> None:
    """Axes of one size have one symbol, also where that size is computed from a symbol of jax."""
    scope, path = export.SymbolicScope(), tmp_path / "m.mlir"
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), "float32") for shape in shapes]
    made = export.export(jax.jit(lambda x, y, z: (x @ y, z * 2)))(*specs)
    path.write_bytes(made.mlir_module_serialized)
    assert [str(v.tensor) for v in mlconv.load(path).main.inputs] == [f"float32[{shape}]" for shape in found]


@pytest.mark.parametrize(
    ("shape", "code"),
    [((1, 2, 3), Code.ShapeMismatch), ((4, 9), Code.ShapeMismatch), (None, Code.NameNotFound)],
)
def test_sizes_that_do_not_fit(shape: tuple[int, ...] | None, code: Code, tmp_path: pathlib.Path) -> None:
    path = written("mlp", "bytecode", tmp_path / "m.mlir")
    with pytest.raises(ConversionError) as error:
        mlconv.load(path, shapes={"x": shape} if shape else {"nothing": (1, 8)})
    assert error.value.code is code


def odd_sum(x: Any) -> Any:
    """A sum of an own kind along an axis that is open."""
    return lax.reduce(x, 0.0, lambda a, b: a + b * b, (0,))


def open_places(x: Any) -> Any:
    """A window as large as its input, and as many places."""
    twice = jnp.concatenate([x, x])[None]
    return lax.conv_general_dilated(twice, x[..., None], (1,), "VALID", dimension_numbers=("NWC", "WIO", "NWC"))


def up_to_even(x: Any) -> Any:
    """A window as long as an axis, or by one longer."""
    k = 2 * ((x.shape[0] + 1) // 2)
    return lax.reduce_window(x, 0.0, lax.add, (k, 1), (1, 1), ((k - 1, 0), (0, 0)))


def padded_from(x: Any) -> Any:
    """Padding is as what the sum begins with."""
    return lax.reduce_window(x, 1.5, lax.add, (x.shape[0], 2), (1, 1), ((0, 0), (1, 0)))


@pytest.mark.parametrize("odd", [odd_sum, open_places, up_to_even, padded_from])
def test_sizes_that_are_not_followed(odd: Any, tmp_path: pathlib.Path) -> None:
    """Refused, at its line."""
    path = tmp_path / "m.mlir"
    found = export.export(jax.jit(odd))(jax.ShapeDtypeStruct(export.symbolic_shape("n, 3"), "float32"))
    path.write_bytes(found.mlir_module_serialized)
    with pytest.raises(ConversionError) as error:
        mlconv.convert(path, to="native", output=tmp_path / "out")
    assert error.value.code is Code.ShapeNotStatic


@pytest.mark.parametrize("divisor", [1, 2, 7])
def test_what_rounds_down(divisor: int, tmp_path: pathlib.Path) -> None:
    """Quotients and remainders that are written out are one op each, below zero, too; by what may be 0 they are not."""
    path = tmp_path / "m.mlir"
    spec = jax.ShapeDtypeStruct((64,), "int32")
    path.write_text(export.export(jax.jit(lambda x: (x // divisor, x % divisor, divisor // x)))(spec).mlir_module())
    x = np.arange(-32, 32, dtype=np.int32)
    x[x == 0] = np.iinfo(np.int32).min
    model = mlconv.load(path)
    made = [type(op).__name__ for op in model.main.block.ops]
    assert (made.count("FloorDiv"), made.count("FloorMod")) == (1, 1)
    for y, want in zip(model.run({"x": x}).values(), (x // divisor, x % divisor, divisor // x), strict=True):
        np.testing.assert_array_equal(y, want)

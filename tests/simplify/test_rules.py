"""Each rule: a small graph, and the operators that are left of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import mlconv
from mlconv.simplifiers.onnx.simplify import all_rules
from tests.support.simplified import assert_equal, ops, parsed, simplified

# name of the rule: graph, operators that are left
ROWS = {
    "constant-node": (
        "g (float[2] x) => (float[2] y) {c = Constant<value_floats = [1.5, 2.5]>() y = Mul(x, c)}",
        "Mul",
    ),
    "fold": (
        "g (float[2,3] x) => (float[2,3] y) <float[3] a = {1, 2, 3}, float[3] b = {3, 4, 6}>"
        " {c = Mul(a, b) s = Shape(x) z = ConstantOfShape(s) d = Add(c, z) y = Add(x, d)}",
        "Add",
    ),
    "identity": ("g (float[2] x) => (float[2] y) {a = Identity(x) b = Relu(a) y = Identity(b)}", "Relu"),
    "dropout": ("g (float[2] x) => (float[2] y) {a = Dropout(x) y = Tanh(a)}", "Tanh"),
    "same-type-cast-or-view": (
        "g (float[n,3] x) => (float[n,3] y) <int64[2] s = {-1, 3}> {a = Reshape(x, s) b = Cast<to = 1>(a) y = Exp(b)}",
        "Exp",
    ),
    "reduction-of-one": (
        "g (float[n,1] x) => (float[n,1] y) {a = ReduceMean<axes = [1], keepdims = 1>(x) y = Exp(a)}",
        "Exp",
    ),
    "whole-slice": (
        "g (float[n,3] x) => (float[n,3] y) <int64[1] s = {0}, int64[1] e = {9}, int64[1] a = {1}>"
        " {b = Slice(x, s, e, a) y = Exp(b)}",
        "Exp",
    ),
    "transpose-of-nothing": ("g (float[2,3] x) => (float[2,3] y) {a = Transpose<perm = [0, 1]>(x) y = Exp(a)}", "Exp"),
    "pad-by-nothing": ("g (float[2] x) => (float[2] y) <int64[2] p = {0, 0}> {a = Pad(x, p) y = Exp(a)}", "Exp"),
    "of-one": ("g (float[2] x) => (float[2] y) {a = Concat<axis = 0>(x) b = Sum(a) y = Exp(b)}", "Exp"),
    "split-into-one": ("g (float[2] x) => (float[2] y) <int64[1] s = {2}> {a = Split(x, s) y = Exp(a)}", "Exp"),
    "clip-without-bounds": ("g (float[2] x) => (float[2] y) {a = Clip(x) y = Exp(a)}", "Exp"),
    "pool-of-one": (
        "g (float[1,2,3,3] x) => (float[1,2,3,3] y) {a = MaxPool<kernel_shape = [1, 1]>(x) y = Exp(a)}",
        "Exp",
    ),
    "neutral-operand": (
        "g (float[n,3] x) => (float[n,3] y) <float one = {1}, float[3] zero = {0, 0, 0}>"
        " {a = Mul(one, x) b = Add(a, zero) c = Div(b, one) s = Shape(c)"
        " z = ConstantOfShape(s) d = Add(z, c) y = Exp(d)}",
        "Exp",
    ),
    "decided-choice": (
        "g (float[2] x) => (float[2] y) <bool[2] c = {1, 1}> {n = Neg(x) a = Where(c, x, n) y = Exp(a)}",
        "Exp",
    ),
    "twice": ("g (float[2] x) => (float[2] y) {a = Relu(x) y = Relu(a)}", "Relu"),
    "there-and-back": ("g (float[2] x) => (float[2] y) {a = Neg(x) b = Neg(a) y = Exp(b)}", "Exp"),
    "quantized-again": (
        "g (uint8[2] x) => (float[2] y) <float s = {0.5}, uint8 z = {3}>"
        " {a = DequantizeLinear(x, s, z) b = QuantizeLinear(a, s, z) y = DequantizeLinear(b, s, z)}",
        "DequantizeLinear",
    ),
    "zero-state": (
        "g (float[4,1,2] x) => (float[4,1,1,3] y) <float[1,9,2] w, float[1,9,3] r, float[1,1,3] h = {0, 0, 0}>"
        " {y = GRU<hidden_size = 3>(x, w, r, , , h)}",
        "GRU",
    ),
    "decided-branch": (
        "g (float[2] x) => (float[2] y) <bool c = {0}, float[2] w = {1, 2}> {"
        " a = If(c) <then_branch = t () => (float[2] o) {o = Neg(x)},"
        " else_branch = e () => (float[2] o) {p = Add(x, w) o = Exp(p)}> y = Relu(a)}",
        "Add Exp Relu",
    ),
    "shape-of-reshape": (
        "g (float[b,t,8] x) => (float[b,t,2,4] y) <int64 i = {0}, int64 j = {1}, int64[1] z = {0}, int64[2] r = {2, 4}>"
        " {s = Shape(x) b = Gather(s, i) t = Gather(s, j) c = Unsqueeze(b, z) d = Unsqueeze(t, z)"
        " w = Concat<axis = 0>(c, d, r) y = Reshape(x, w)}",
        "Reshape",
    ),
    "shape-of-expand": (
        "g (float[b,1] x) => (float[b,4] y) <int64[1] i = {0}, int64[1] r = {4}>"
        " {s = Shape(x) b = Gather(s, i) w = Concat<axis = 0>(b, r) y = Expand(x, w)}",
        "Expand",
    ),
    "ends-of-slice": (
        "g (float[b,4] x) => (float[c,4] y) <int64[1] i = {0}, int64[1] one = {1}>"
        " {s = Shape(x) e = Gather(s, i) y = Slice(x, one, e, i)}",
        "Slice",
    ),
    "expand-before-broadcast": (
        "g (float[b,4] x, float[4] w) => (float[b,4] y) {s = Shape(x) e = Expand(w, s) y = Add(x, e)}",
        "Add",
    ),
    "gather-with-axis": (
        "g (float[n,4] x) => (float[1,4] y) <int64 i = {1}, int64[1] z = {0}> {a = Gather(x, i) y = Unsqueeze(a, z)}",
        "Gather",
    ),
    "gathers-of-one": (
        "g (float[6] x) => (float[3] y) <int64[1] i = {1}, int64[2] j = {4, 0}>"
        " {a = Gather(x, i) b = Gather(x, j) y = Concat<axis = 0>(a, b)}",
        "Gather",
    ),
    "part-of-shape": (
        "g (float[a,b,c] x) => (int64[2] y) <int64[2] i = {1, 2}> {s = Shape(x) y = Gather(s, i)}",
        "Shape",
    ),
    "view-of-view": (
        "g (float[n,6] x) => (float[n,3,2] y) <int64[1] a = {-1}, int64[3] s = {-1, 3, 2}>"
        " {b = Unsqueeze(x, a) c = Flatten(b) y = Reshape(c, s)}",
        "Reshape",
    ),
    "axes-of-both": (
        "g (float[n,m] x) => (float[1,n,1,m] y) <int64[1] a = {0}, int64[1] b = {2}>"
        " {c = Unsqueeze(x, a) y = Unsqueeze(c, b)}",
        "Unsqueeze",
    ),
    "transposed-again": (
        "g (float[2,3,4] x) => (float[3,2,4] y)"
        " {a = Transpose<perm = [2, 0, 1]>(x) b = Transpose<perm = [2, 1, 0]>(a) y = Exp(b)}",
        "Exp Transpose",
    ),
    "transposed-through-view": (  # windows, channels last
        "g (float[n,3,4,6] x) => (float[k,4,3] y) <int64[6] s = {-1, 2, 2, 3, 2, 3}, int64[3] t = {-1, 4, 3}>"
        " {a = Transpose<perm = [0, 2, 3, 1]>(x) b = Reshape(a, s) c = Transpose<perm = [0, 1, 3, 2, 4, 5]>(b)"
        " y = Reshape(c, t)}",
        "Reshape Reshape Transpose",
    ),
    "slice-of-slice": (
        "g (float[6,7] x) => (float[4,5] y) <int64[1] s = {1}, int64[1] e = {-1}, int64[1] a = {0}, int64[1] b = {1}>"
        " {c = Slice(x, s, e, a) y = Slice(c, s, e, b)}",
        "Slice",
    ),
    "cast-of-cast": ("g (uint8[3] x) => (float[3] y) {a = Cast<to = 7>(x) y = Cast<to = 1>(a)}", "Cast"),
    "concat-of-concat": (
        "g (float[2] x, float[1] z) => (float[5] y) {a = Concat<axis = 0>(x, z) y = Concat<axis = 0>(a, x)}",
        "Concat",
    ),
    "there-and-back-around": (
        "g (float[2,3,4] x) => (float[2,3,4] y) <int64[2] s = {6, 4}, int64[3] t = {2, 3, 4}, float h = {0.5}>"
        " {a = Reshape(x, s) b = Tanh(a) c = Mul(b, h) d = Add(c, a) y = Reshape(d, t)}",
        "Add Mul Tanh",
    ),
    "batch-norm-in-weights": (
        "g (float[1,2,4,4] x) => (float[1,3,2,2] y)"
        " <float[3,2,3,3] w, float[3] s, float[3] b, float[3] m, float[3] v = {1, 2, 0.5}>"
        " {c = Conv(x, w) y = BatchNormalization(c, s, b, m, v)}",
        "Conv",
    ),
    "constant-in-weights": (
        "g (float[n,2,4,4] x) => (float[n,4,6,6] y) <float[2,2,3,3] w, float[4] b, float[4,1,1] f, float[1,4,1,1] o>"
        " {c = ConvTranspose<group = 2>(x, w, b) d = Mul(c, f) e = Add(o, d) y = Relu(e)}",
        "ConvTranspose Relu",
    ),
    "factor-in-weights": (
        "g (float[n,3,6] x) => (float[n,3,2] y) <float[6,4] w, float[4] b, float[4,2] v, float h = {0.5},"
        " float[1] d = {3}> {a = Mul(h, x) c = MatMul(a, w) e = Add(c, b) f = Div(e, d) y = MatMul(f, v)}",
        "Add MatMul MatMul",
    ),
    "numbers-together": (
        "g (float[3] x) => (float[3] y) <float a = {0.25}, float[3] b = {1, 2, 3}> {c = Mul(x, a) y = Mul(b, c)}",
        "Mul",
    ),
    "pad-in-window": (
        "g (float[1,2,4,4] x) => (float[1,2,6,5] y) <float[2,2,3,3] w, int64[8] p = {0, 0, 1, 2, 0, 0, 2, 1}>"
        " {a = Pad(x, p) b = Conv<pads = [0, 0, 1, 0]>(a, w) n = Neg(w) c = Conv<pads = [0, 0, 1, 0]>(a, n)"
        " y = Mul(b, c)}",
        "Conv Conv Mul Neg",
    ),
    "product-with-sum": (
        "g (float[n,3] x, float[2] b) => (float[n,2] y) <float[3,2] w> {c = MatMul(x, w) y = Add(b, c)}",
        "Gemm",
    ),
    "transposed-operand": (
        "g (float[n,3] x, float[n,2] z) => (float[3,2] y) {a = Transpose(x) y = MatMul(a, z)}",
        "Gemm",
    ),
    "products-side-by-side": (
        "g (float[b,t,32] x) => (float[b,t,32] y, float[b,t,8] v)"
        " <float[32,32] p, float[32,32] q, float[32,8] r, float[32] i, float[32] j, float[8] k>"
        " {a = MatMul(x, p) b = MatMul(x, q) c = MatMul(x, r) d = Add(a, i) e = Add(j, b) v = Add(c, k) y = Mul(d, e)}",
        "Add MatMul Mul Split",
    ),
}


def test_every_rule_has_a_row() -> None:
    assert sorted(ROWS) == all_rules().names


@pytest.mark.parametrize("name", ROWS)
def test_rule(name: str, tmp_path: Path) -> None:
    text, expected = ROWS[name]
    model = parsed(text)
    found, before, after = simplified(model, tmp_path)
    assert ops(after) == expected
    assert found.rules.get(name, 0) > 0 and found.checked.runs == 2
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx")
    assert len(after.SerializeToString()) <= 1.01 * len(before.SerializeToString())
    if name != "constant-node":
        assert name not in mlconv.simplify(tmp_path / "m.onnx", tmp_path / "skipped.onnx", skip=[name]).rules


# What must not be done
STAYS = {
    "a view between transpositions that divides and joins": (
        "g (float[4,6] x) => (float[3,8] y) <int64[2] s = {8, 3}>"
        " {a = Transpose(x) b = Reshape(a, s) c = Transpose(b) y = Exp(c)}"
    ),
    "a transposition that others read": (
        "g (float[4,6] x) => (float[4,2,3] y, float[6,4] z) <int64[3] s = {2, 3, 4}>"
        " {a = Transpose(x) b = Reshape(a, s) c = Transpose<perm = [2, 0, 1]>(b) y = Exp(c) z = Exp(a)}"
    ),
    "a sum that makes x larger": "g (float[3] x) => (float[2,3] y) <float[2,1] z = {0, 0}> {y = Add(x, z)}",
    "a trained batch normalization": (
        "g (float[1,2,4,4] x) => (float[1,3,2,2] y, float[3] a, float[3] b)"
        " <float[3,2,3,3] w, float[3] s, float[3] o, float[3] m, float[3] v = {1, 2, 0.5}>"
        " {c = Conv(x, w) y, a, b = BatchNormalization<training_mode = 1>(c, s, o, m, v)}"
    ),
    "weights of two": (
        "g (float[1,2,4,4] x) => (float[1,3,2,2] y) <float[3,2,3,3] w, float[3,1,1] f>"
        " {c = Conv(x, w) d = Mul(c, f) r = Relu(x) e = Conv(r, w) y = Add(d, e)}"
    ),
    "zeros that win": (
        "g (float[1,1,4,4] x) => (float[1,1,4,4] y) <int64[8] p = {0, 0, 1, 1, 0, 0, 1, 1}>"
        " {a = Pad(x, p) y = MaxPool<kernel_shape = [3, 3]>(a)}"
    ),
    "a cast that cuts off": "g (float[3] x) => (float[3] y) {a = Cast<to = 6>(x) y = Cast<to = 1>(a)}",
    "random numbers": (
        "g (float[2] x) => (float[2] y)"
        " {a = RandomNormal<shape = [2], seed = 1.0>() b = RandomNormal<shape = [2], seed = 1.0>() c = Add(a, b)"
        " d = Sub(c, c) y = Add(x, d)}"
    ),
    "outputs of one value": "g (float[2] x) => (float[2] y, float[2] z) {y = Relu(x) z = Identity(y)}",
    "an input that is an output": "g (float[2] x) => (float[2] x, float[2] y) {y = Relu(x)}",
    "a sum that rounds": (
        "g (float[3] x) => (float[3] y) <float a = {12582912}, float b = {-12582912}> {c = Add(x, a) y = Add(c, b)}"
    ),
    "a bias that rounds": (
        "g (float[1,2,4,4] x) => (float[1,3,2,2] y) <float[3,2,3,3] w, float[3] b, float m = {12582912}>"
        " {c = Conv(x, w, b) d = Add(c, m) y = Sub(d, m)}"
    ),
    "integers of what is no number": (
        "g (float[2] x) => (float[2] y) <float[2] big = {3000000000, 1}>"
        " {n = Cast<to = 6>(big) f = Cast<to = 1>(n) y = Add(x, f)}"
    ),
    "a large constant": (
        "g (float[64,64] x) => (float[64,64] y) <int64[2] s = {64, 64}>"
        " {z = ConstantOfShape(s) c = Cos(z) y = Add(x, c)}"
    ),
}


def test_shared_weights_take_a_bias(tmp_path: Path) -> None:
    """Only what scales weights needs its own."""
    text = (
        "g (float[1,2,4,4] x) => (float[1,3,2,2] y) <float[3,2,3,3] w, float[3,1,1] a, float[3,1,1] b>"
        " {c = Conv(x, w) d = Add(c, a) r = Relu(x) e = Conv(r, w) f = Sub(e, b) y = Add(d, f)}"
    )
    _, _, after = simplified(parsed(text), tmp_path)
    assert ops(after) == "Add Conv Conv Relu"
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx")


def test_weights_that_are_divided_by_their_length(tmp_path: Path) -> None:
    """What squares them reads one constant twice."""
    text = (
        "g (float16[1,64,2,2] x) => (float16[1,256,2,2] y) <float16[256,64,1,1] w>"
        " {n = ReduceL2<axes = [1,2,3]>(w) q = Div(w, n) y = Conv(x, q)}"
    )
    _, _, after = simplified(parsed(text), tmp_path)
    assert ops(after) == "Conv"


def test_standardized_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What large weights are computed of goes with them, and what they were in between takes no room."""
    layers = range(3)
    weights = ", ".join(f"float[600,512,1,1] w{i}" for i in layers)
    lines = [
        f"r{i} = Reshape(w{i}, s) b{i}, m{i}, v{i} = BatchNormalization<training_mode = 1>(r{i}, o, z, e, u)"
        f" q{i} = Reshape(b{i}, t) c{i} = Conv(x, q{i})"
        for i in layers
    ]
    numbers = "float[600] o, float[600] z, float[600] e, float[600] u, "
    numbers += "int64[3] s = {1, 600, 512}, int64[4] t = {600, 512, 1, 1}"
    graph = f"g (float[1,512,2,2] x) => (float[1,600,2,2] y) <{weights}, {numbers}>"
    text = f"{graph} {{{' '.join(lines)} y = Sum(c0, c1, c2)}}"
    monkeypatch.setattr("mlconv.simplifiers.facts._MOST_HELD", 10 << 20)
    _, before, after = simplified(parsed(text), tmp_path)
    assert ops(after) == "Conv Conv Conv Sum" and len(before.graph.node) == 13
    assert (tmp_path / "out.onnx").stat().st_size <= (tmp_path / "m.onnx").stat().st_size


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("g (float[2] x) => (float[2] y) {a, m = Dropout(x) c = Cast<to = 1>(m) b = Mul(a, c) y = Tanh(b)}", "Tanh"),
        (
            "g (float[2,2] x, float[2,2] z) => (float[2,2] y, float[2,2] v)"
            " <float[2,2] w = {1, 2, 3, 4}, float[2] s = {2, 3}, float[500] big> {a = MatMul(x, w) y = Mul(a, s)"
            " r = ReduceSum(big) q = Add(z, r) v = MatMul(q, w)}",
            "Add MatMul MatMul",
        ),
        (
            "g (int64[3] x) => (int64[3] y) <float[3] k = {0, 1, 9}, int64[3] o = {5, 6, 7}, float h = {0.5}>"
            " {l = Log(k) i = Cast<to = 7>(l) p = Add(i, o) s = Less(k, h) w = Where(s, o, p) y = Add(x, w)}",
            "Add",
        ),
    ],
    ids=["a mask that is read", "weights that others read", "integers that nothing takes"],
)
def test_what_goes_with_a_copy(tmp_path: Path, text: str, left: str) -> None:
    _, _, after = simplified(parsed(text), tmp_path)
    assert ops(after) == left
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx")


@pytest.mark.parametrize(
    ("first", "middle", "last"),
    [
        ([2, 0, 1], [5, 2, 1, 3, 2, 2, 1], [6, 3, 0, 5, 1, 2, 4]),  # axes are divided, by 1 too
        ([1, 2, 0], [2, 2, 5, 6], [3, 0, 2, 1]),
        ([2, 0, 1], [30, 4], [1, 0]),  # joined
        ([2, 0, 1], [1, 120, 1], [1, 2, 0]),
    ],
)
def test_transposed_through_view(first: list[int], middle: list[int], last: list[int], tmp_path: Path) -> None:
    sizes, words = (",".join(map(str, found)) for found in ([middle[i] for i in last], middle))
    text = (
        f"g (float[6,4,5] x) => (float[{sizes}] y) <int64[{len(middle)}] s = {{{words}}}>"
        f" {{a = Transpose<perm = {first}>(x) behind = Reshape(a, s) c = Transpose<perm = {last}>(behind) y = Exp(c)}}"
    )
    _, _, after = simplified(parsed(text), tmp_path)
    assert len(after.graph.node) <= 3 and ops(after).count("Transpose") <= 1
    assert_equal(tmp_path / "m.onnx", tmp_path / "out.onnx")


@pytest.mark.parametrize("name", STAYS)
def test_what_stays(name: str, tmp_path: Path) -> None:
    model = parsed(STAYS[name])
    _, before, after = simplified(model, tmp_path)
    assert ops(after) == ops(before)


# What numbers of 16 bits do not hold, opset 21: graph, operators that are left
NARROW = {
    "weights that become too small": (
        "g (float16[1,2,4,4] x) => (float16[1,3,2,2] y) <float16[3,2,3,3] w, float k = {0.00001}>"
        " {f = Cast<to = 10>(k) c = Conv(x, w) d = Mul(c, f) e = Tanh(d) y = Div(e, f)}",
        "Conv Div Mul Tanh",
    ),
    "numbers that overflow": (
        "g (float16[2] x) => (float16[2] y) <float[2] k = {1, 9}>"
        " {a = Cast<to = 10>(k) b = Exp(a) c = Mul(b, b) d = Div(c, c) y = Add(x, d)}",
        "Add Div Mul",
    ),
    "integers that their scale does not hold": (
        "g (float[9] x) => (float16[9] y) <float k = {0.37}, int16 z = {0}, float f = {9000}>"
        " {s = Cast<to = 10>(k) a = Mul(x, f) b = Cast<to = 5>(a) c = DequantizeLinear(b, s, z)"
        " d = QuantizeLinear(c, s, z) y = DequantizeLinear(d, s, z)}",
        "Cast DequantizeLinear DequantizeLinear Mul QuantizeLinear",
    ),
}


@pytest.mark.parametrize("name", NARROW)
def test_what_narrow_numbers_do_not_hold(name: str, tmp_path: Path) -> None:
    text, expected = NARROW[name]
    _, _, after = simplified(parsed(text, 21, 10), tmp_path)
    assert ops(after) == expected

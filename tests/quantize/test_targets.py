"""One answer for all targets: what is equalized, and every scale, whatever layout a target wants."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter
from onnx import TensorProto, helper, load

import mlconv
from mlconv.ir.core import Value
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.runtime.litert import run_tflite
from mlconv.runtime.onnx_runtime import run_session, session_of
from tests.support.modules import random
from tests.support.networks import network
from tests.support.onnx_models import model, save, value

RNG = np.random.default_rng(17)


def weights(*shape: int) -> Any:
    return (RNG.standard_normal(shape) * np.exp(RNG.uniform(-3, 1, (shape[0], *[1] * (len(shape) - 1))))).astype("f4")


def pooled() -> Any:
    """Channels first, through a mean and a reshape to a product, with limits that no sample reaches."""
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], pads=[1] * 4),
        helper.make_node("Clip", ["a", "lo", "hi"], ["b"]),
        helper.make_node("Conv", ["b", "w2"], ["c"], pads=[1] * 4, group=8),
        helper.make_node("Relu", ["c"], ["d"]),
        helper.make_node("GlobalAveragePool", ["d"], ["e"]),
        helper.make_node("Flatten", ["e"], ["f"]),
        helper.make_node("Gemm", ["f", "w3"], ["y"], transB=1),
    ]
    given = {"w1": weights(8, 3, 3, 3), "w2": weights(8, 1, 3, 3), "w3": weights(5, 8)}
    given |= {"lo": np.float32(0), "hi": np.float32(2000)}
    return model(nodes, [value("x", [1, 3, 12, 12])], [value("y")], {k: np.asarray(v) for k, v in given.items()})


@pytest.mark.share(4)
@pytest.mark.parametrize("scheme", ["int8", "int16x8"])
def test_scales(scheme: str, tmp_path: Path) -> None:
    source = save(tmp_path, pooled())
    samples = [{"x": RNG.standard_normal((1, 3, 12, 12)).astype(np.float32)} for _ in range(8)]
    found = []
    for target in ("tflite", "native", "onnx"):
        result = mlconv.quantize(source, target, tmp_path / f"out.{target}", scheme=scheme, calibration=samples)
        assert result.quantization is not None
        computing = [a for a in result.quantization.layers if a.op not in ("core.transpose", "core.reshape")]
        layers = {(a.op, a.node): (a.scheme, a.scale, a.zero_point, a.limit) for a in computing}
        found.append((result.quantization.equalized, layers))
    # behind a limit that stays, as it does in 16 bits, channels keep their ranges
    assert found[0] == found[1] == found[2] and found[0][0] == (2 if scheme == "int8" else 1)


def test_batches_of_weights_in_16_bits(tmp_path: Path) -> None:
    """One matrix is a FULLY_CONNECTED, whatever its axes; several are a BATCH_MATMUL, whose factors have 15 bits."""
    found = []
    for count in (1, 4):
        module = network((4, 5, 16), lambda e, x, n=count: e.matmul(x, e.constant(weights(n, 16, 8))))  # type: ignore[misc]
        samples = [{"x": RNG.standard_normal((4, 5, 16)).astype(np.float32)} for _ in range(4)]
        out = tmp_path / f"m{count}.tflite"
        result = mlconv.quantize(module, "tflite", out, scheme="int16x8", calibration=samples, verify=True)
        assert result.quantization is not None
        found.append([(a.scheme, a.reason) for a in result.quantization.layers])
    why = "TFLite rounds products with batches of weights in another way than those with one matrix"
    assert found == [[("int16x8", "")], [("float", why)]]


def spelled() -> list[Any]:
    """(integers - zero points) * scales, turned: as torchao's weight-only models are exported."""
    return [
        helper.make_node("Cast", ["w"], ["f"], to=1),
        helper.make_node("Sub", ["f", "z"], ["d"]),
        helper.make_node("Mul", ["d", "s"], ["m"]),
    ]


@pytest.mark.parametrize("makes", [spelled, lambda: [helper.make_node("DequantizeLinear", ["w", "v"], ["m"], axis=0)]])
@pytest.mark.parametrize(
    ("scheme", "activations", "least"),
    [("float", "", 0), ("int8", "INT8", 33), ("int16x8", "INT16", 50), ("dynamic-range", "FLOAT32", 40)],
)
def test_weights_that_are_integers_already(
    scheme: str, activations: str, least: float, makes: Any, tmp_path: Path
) -> None:
    """They stay as they are stored; a scheme that rounds what they are multiplied with takes them as weights."""
    rng = np.random.default_rng(0)
    scales = np.exp(rng.uniform(-5, -2, (96, 1))).astype(np.float32)
    given = {"w": rng.integers(-8, 8, (96, 128)).astype(np.int8), "s": scales, "v": scales.reshape(-1)}
    given["z"] = np.zeros_like(scales)
    nodes = [*makes(), helper.make_node("Transpose", ["m"], ["t"], perm=[1, 0])]
    nodes.append(helper.make_node("MatMul", ["x", "t"], ["y"]))
    source = save(tmp_path, model(nodes, [value("x", [4, 128])], [value("y")], given))
    samples = [{"x": rng.standard_normal((4, 128)).astype(np.float32)} for _ in range(8)]
    out = tmp_path / "m.tflite"
    if scheme == "float":
        mlconv.convert(source, "tflite", out, verify=True)
    else:
        result = mlconv.quantize(source, "tflite", out, scheme=scheme, calibration=samples, measure=True)
        assert result.quantization is not None
        assert result.quantization.outputs[0].snr > least
        (graph,) = schema.ModelT.InitFromPackedBuf(out.read_bytes(), 0).subgraphs
        used = [[graph.tensors[i].type for i in op.inputs[:2]] for op in graph.operators]
        assert [getattr(schema.TensorType, activations), schema.TensorType.INT8] in used
    assert out.stat().st_size < 96 * 128 + 4096


def test_weights_of_7_bits_are_verified(tmp_path: Path) -> None:
    """What such weights lose was asked for: a file is held to its own numbers, to the last one."""

    def deep(e: CoreBuilder, x: Value) -> Value:
        for i in range(8):
            x = e.matmul(x, e.constant(random(16, 16, seed=i) / 4))
        return x

    module, out = network((6, 16), deep), tmp_path / "m.onnx"
    samples = [{"x": random(6, 16, seed=20 + i)} for i in range(8)]
    made = mlconv.quantize(module, "onnx", out, calibration=samples, reduce_range=True, verify=True)
    again = mlconv.convert(out, "onnx", tmp_path / "n.onnx", verify=True)
    (first,), (second,) = made.verification, again.verification
    assert first["relative"] < 1e-6 and second["relative"] < 1e-6
    mlconv.quantize(module, "onnx", out, calibration=samples)
    assert mlconv.convert(out, "onnx", tmp_path / "n.onnx", reduce_range=True, verify=True).verification


def test_axes_of_integers_are_moved_again(tmp_path: Path) -> None:
    """Not those of the floats in front: a file that is read and written again is as good as it was."""
    samples = [{"x": RNG.standard_normal((1, 3, 12, 12)).astype(np.float32)} for _ in range(8)]
    out, again = tmp_path / "m.tflite", tmp_path / "n.tflite"
    mlconv.quantize(save(tmp_path, pooled()), "tflite", out, calibration=samples)
    made = mlconv.convert(out, "tflite", again, verify=True)
    third = tmp_path / "o.tflite"
    mlconv.convert(again, "tflite", third)
    sizes = [path.stat().st_size for path in (out, again, third)]
    assert sizes[2] <= sizes[1] <= sizes[0] and made.transposes == 1
    assert mlconv.check(again, "tflite", profiles=("edgetpu",)).ok


@pytest.mark.parametrize("scheme", ["int8", "int16x8", "dynamic-range"])
@pytest.mark.parametrize("kind", ["itself", "repeated", "weights"])
def test_products_of_many_axes(kind: str, scheme: str, tmp_path: Path) -> None:
    """TFLite's kernel takes 5 of them: those in front of a matrix are one."""
    shape = (2, 3, 1, 2, 3, 4, 6)

    def products(e: CoreBuilder, x: Value) -> Value:
        if kind == "weights":
            return e.matmul(x, e.constant(random(*shape[:-2], 6, 5)))
        return e.matmul(x, x if kind == "itself" else e.mean(x, (0, 1), keepdims=True), transpose_b=True)

    samples = [{"x": random(*shape, seed=i)} for i in range(4)]
    found = []
    for target in ("tflite", "native"):
        out = tmp_path / f"m.{target}"
        mlconv.quantize(network(shape, products), target, out, scheme=scheme, calibration=samples, verify=True)
        run = run_tflite(str(out), samples[0], "serving_default", Interpreter(str(out))) if target == "tflite" else None
        found.append(*(run or mlconv.load_native(out).run(samples[0])).values())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-2 * float(np.abs(found[0]).max()))


@pytest.mark.parametrize("scheme", ["int8", "int16x8"])
def test_joins_of_many_axes(scheme: str, tmp_path: Path) -> None:
    """XNNPACK takes joins of bytes too, and fails on those of more than 6 axes."""
    shape = (2, 3, 1, 2, 3, 2, 2, 6)
    y = network(shape, lambda e, x: e.matmul(e.concat([x, e.tanh(x)], 5), e.constant(random(6, 5))))
    samples = [{"x": random(*shape, seed=i)} for i in range(4)]
    mlconv.quantize(y, "tflite", tmp_path / "m.tflite", scheme=scheme, calibration=samples, verify=True)


def test_channels_of_zeros_are_their_biases(tmp_path: Path) -> None:
    """In steps of the result: a bias in the finest steps that int32 holds is next to a half here and there."""
    filters = weights(48, 4, 3, 3)
    filters[4:] = 0
    filters[44] = 1e-9
    given = {"w": filters, "b": RNG.uniform(-1.5, 1.5, 48).astype(np.float32)}
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["y"], pads=[1] * 4)]
    source = save(tmp_path, model(nodes, [value("x", [1, 4, 6, 6])], [value("y")], given))
    samples = [{"x": RNG.standard_normal((1, 4, 6, 6)).astype(np.float32)} for _ in range(4)]
    result = mlconv.quantize(source, "onnx", tmp_path / "out.onnx", scheme="int16x8", calibration=samples)
    layer = next(a for a in result.quantization.layers if a.op == "core.conv")  # type: ignore[union-attr]
    (found,) = run_session(session_of(str(tmp_path / "out.onnx")), samples[0]).values()
    assert np.array_equal(np.rint(found[0, 4:, 0, 0] / layer.scale), np.rint(given["b"][4:] / layer.scale))


@pytest.mark.parametrize("scheme", ["int8", "int16x8", "dynamic-range", "int4"])
def test_weights_that_layers_share_are_stored_once(scheme: str, tmp_path: Path) -> None:
    """They were rounded with regard to what each layer reads, and stored as often."""
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["a"], pads=[1] * 4),
        helper.make_node("Relu", ["a"], ["r"]),
        helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
    ]
    for level, read in (("y0", "r"), ("y1", "p")):
        nodes += [
            helper.make_node("Conv", [read, "w1", "b"], [f"c_{level}"], pads=[1] * 4),
            helper.make_node("Relu", [f"c_{level}"], [f"r_{level}"]),
            helper.make_node("Conv", [f"r_{level}", "w2"], [level], pads=[1] * 4),
        ]
    given = {"w0": weights(8, 3, 3, 3), "w1": weights(8, 8, 3, 3), "w2": weights(6, 8, 3, 3), "b": weights(8)}
    source = save(tmp_path, model(nodes, [value("x", [1, 3, 8, 8])], [value("y0"), value("y1")], given))
    samples = [{"x": RNG.standard_normal((1, 3, 8, 8)).astype(np.float32)} for _ in range(8)]
    mlconv.quantize(source, "onnx", tmp_path / "out.onnx", scheme=scheme, calibration=samples)
    sizes = [math.prod(i.dims) for i in load(tmp_path / "out.onnx").graph.initializer]
    assert sorted(size for size in sizes if size > 100) == [216, 432, 576]


def test_channels_of_next_to_nothing_compute_with_integers(tmp_path: Path) -> None:
    """Kernels of 16 bits scale sums by no less than 2^-24: one such channel left the convolution in floats."""
    filters = weights(6, 4, 3, 3)
    filters[2] = 1e-9
    filters[4] *= 1e-7
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"], pads=[1] * 4)]
    source = save(tmp_path, model(nodes, [value("x", [1, 4, 6, 6])], [value("y")], {"w": filters}))
    samples = [{"x": RNG.standard_normal((1, 4, 6, 6)).astype(np.float32)} for _ in range(4)]
    options = {"scheme": "int16x8", "calibration": samples, "require_int8": True}
    mlconv.quantize(source, "tflite", tmp_path / "m.tflite", **options)  # type: ignore[arg-type]


def test_softmax_of_nearly_equal_numbers_on_onnx_runtime(tmp_path: Path) -> None:
    """Behind floats its range is that of samples: steps of less than 1 / (148 * 48) made its kernel overflow."""
    nodes = [
        helper.make_node("MatMul", ["x", "k"], ["s"]),
        helper.make_node("Add", ["s", "mask"], ["m"]),
        helper.make_node("Softmax", ["m"], ["p"], axis=-1),
        helper.make_node("MatMul", ["p", "v"], ["y"]),
    ]
    given = {"k": weights(16, 48) * np.float32(1e-3), "mask": np.zeros((1, 12, 48), np.float32), "v": weights(48, 8)}
    source = save(tmp_path, model(nodes, [value("x", [1, 12, 16])], [value("y")], given))
    samples = [{"x": RNG.standard_normal((1, 12, 16)).astype(np.float32)} for _ in range(4)]
    mlconv.quantize(source, "onnx", tmp_path / "out.onnx", scheme="int8", calibration=samples)
    (found,) = run_session(session_of(str(tmp_path / "out.onnx")), samples[0]).values()
    shares = np.exp(samples[0]["x"] @ given["k"])
    want = shares / shares.sum(-1, keepdims=True) @ given["v"]
    assert np.abs(found - want).max() <= 0.05 * np.abs(want).max()


@pytest.mark.parametrize("shift", [0.0, 128.0])
@pytest.mark.parametrize(("target", "suffix"), [("tflite", "tflite"), ("onnx", "onnx"), ("native", "o")])
def test_bytes_with_channels_first_stay_integers(target: str, suffix: str, shift: float, tmp_path: Path) -> None:
    """Pixels that become numbers, and are moved before they are rounded, are never numbers."""
    nodes = [
        helper.make_node("Cast", ["x"], ["f"], to=1),
        helper.make_node("Sub", ["f", "shift"], ["g"]),
        helper.make_node("Div", ["g", "most"], ["h"]),
        helper.make_node("Conv", ["h", "w"], ["y"], pads=[1] * 4),
    ]
    given = {"w": weights(6, 3, 3, 3), "most": np.asarray(255, "f4"), "shift": np.asarray(shift, "f4")}
    source = save(tmp_path, model(nodes, [value("x", [1, 3, 8, 8], TensorProto.UINT8)], [value("y")], given))
    samples = [{"x": RNG.integers(0, 256, (1, 3, 8, 8)).astype(np.uint8)} for _ in range(4)]
    samples[0]["x"].flat[:2] = 0, 255
    out = tmp_path / f"out.{suffix}"
    result = mlconv.quantize(source, target, out, calibration=samples, require_int8=True, verify=True)
    assert result.quantization is not None and not result.quantization.floats()
    if target == "tflite":
        graph = schema.ModelT.InitFromObj(schema.Model.GetRootAs(out.read_bytes(), 0)).subgraphs[0]
        floats = [t for t in graph.tensors if t.type == schema.TensorType.FLOAT32]
        assert len(floats) == 1 and not any(op == "tfl.CAST" for op in result.ops)
    elif target == "onnx":
        assert "Cast" not in [node.op_type for node in load(out).graph.node]

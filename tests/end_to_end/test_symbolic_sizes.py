"""Sizes that are expressions: embeddings cut to the length of a sequence, masks that are expanded, shapes computed from
shapes.  Each model runs at several sizes on each target and gives what ONNX Runtime gives; what ONNX Runtime refuses at
run time, native code refuses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import ConversionError
from mlconv.runtime.litert import run_tflite
from mlconv.runtime.xla import Xla
from tests.support.onnx_models import model, save, value

NODE = helper.make_node
I64, F32 = TensorProto.INT64, TensorProto.FLOAT
EMBEDDINGS = np.random.default_rng(3).standard_normal((1, 64, 8)).astype(np.float32)


class Case(NamedTuple):
    """inputs: shape and element type.  good: sizes of the run, by symbol; bad: some that the model cannot have.
    ranges: for HLO; others are refused with the message.  asked_by: the node that cannot have the bad sizes.
    """

    nodes: list[onnx.NodeProto]
    inputs: list[tuple[list[Any], int]]
    good: list[dict[str, int]]
    ranges: dict[str, str]
    bad: list[dict[str, int]] = []
    constants: dict[str, Any] = {}
    hlo: str = ""
    asked_by: str = "?"


def ints(*numbers: int) -> Any:
    return np.asarray(numbers, np.int64)


def sizes_of(name: str, *axes: int) -> list[onnx.NodeProto]:
    """`name.axis`, vectors of one size."""
    return [NODE("Shape", [name], [f"{name}.{a}"], start=a, end=a + 1) for a in axes]


CUT = [*sizes_of("x0", 1), NODE("Slice", ["pos", "z", "x0.1", "one"], ["p"]), NODE("Add", ["x0", "p"], ["a"])]
HEADS = [
    NODE("Shape", ["a"], ["bs"], start=0, end=2),
    NODE("Concat", ["bs", "two", "rest"], ["ns"], axis=0),
    NODE("Reshape", ["a", "ns"], ["r"]),
    NODE("Transpose", ["r"], ["y"], perm=[0, 2, 1, 3]),
]
NUMBERS = {"z": ints(0), "one": ints(1), "two": ints(2), "four": ints(4), "eight": ints(8), "rest": ints(-1)}
SEQUENCES = [{"b": 2, "s": 5}, {"b": 1, "s": 1}, {"b": 3, "s": 8}]
X = [(["b", "s", 8], F32)]
CASES = {
    "embeddings": Case(
        [*CUT, NODE("Identity", ["a"], ["y"])],
        X,
        [*SEQUENCES, {"b": 1, "s": 64}],
        {"b": "1..3", "s": "1..64"},
        [{"b": 1, "s": 65}],
        {"pos": EMBEDDINGS},
        asked_by="Add",
    ),
    "embeddings, heads": Case(
        [*CUT, *HEADS],
        X,
        [*SEQUENCES, {"b": 1, "s": 64}],
        {"b": "1..3", "s": "1..64"},
        [{"b": 2, "s": 65}],
        {"pos": EMBEDDINGS},
        asked_by="Add",
    ),
    "more rows than embeddings": Case(
        [*CUT, NODE("Identity", ["a"], ["y"])],
        X,
        SEQUENCES,
        {"b": "1..3", "s": "1..65"},
        [{"b": 1, "s": 65}],
        {"pos": EMBEDDINGS},
        "at s = 65, min(64, s) must be s, or 1",
        "Add",
    ),
    "heads": Case([NODE("Identity", ["x0"], ["a"]), *HEADS], X, SEQUENCES, {"b": "1..3", "s": "1..8"}),
    "expanded mask": Case(
        [
            *sizes_of("x0", 0, 1),
            NODE("Concat", ["x0.0", "one", "x0.1", "x0.1"], ["ns"], axis=0),
            NODE("Unsqueeze", ["x1", "middle"], ["m"]),
            NODE("Expand", ["m", "ns"], ["y"]),
        ],
        [(["b", "s"], F32), (["b", "s"], F32)],
        SEQUENCES,
        {"b": "1..3", "s": "1..8"},
        constants={"middle": ints(1, 2)},
    ),
    "mask expanded as PyTorch does": Case(
        [
            *sizes_of("x0", 0, 1),
            NODE("Concat", ["x0.0", "rest", "x0.1", "x0.1"], ["given"], axis=0),
            NODE("Shape", ["given"], ["rank"]),
            NODE("ConstantOfShape", ["rank"], ["ones"], value=onnx.numpy_helper.from_array(ints(1))),
            NODE("Mul", ["ones", "rest"], ["open"]),
            NODE("Equal", ["given", "open"], ["kept"]),
            NODE("Where", ["kept", "ones", "given"], ["ns"]),
            NODE("Unsqueeze", ["x1", "middle"], ["m"]),
            NODE("Expand", ["m", "ns"], ["y"]),
        ],
        [(["b", "s"], F32), (["b", "s"], F32)],
        SEQUENCES,
        {"b": "1..3", "s": "1..8"},
        constants={"middle": ints(1, 2)},
    ),
    "causal mask": Case(
        [
            *sizes_of("x0", 1),
            NODE("Squeeze", ["x0.1"], ["n"]),
            NODE("Range", ["zero", "n", "step"], ["r"]),
            NODE("Unsqueeze", ["r", "z"], ["row"]),
            NODE("Unsqueeze", ["r", "one"], ["column"]),
            NODE("LessOrEqual", ["row", "column"], ["m"]),
            NODE("Cast", ["m"], ["y"], to=F32),
        ],
        [(["b", "s"], F32)],
        SEQUENCES,
        {"b": "1..3", "s": "1..8"},
        constants={"zero": np.int64(0), "step": np.int64(1)},
    ),
    "numbers from one size to another": Case(
        [
            *sizes_of("x0", 0),
            *sizes_of("x1", 0),
            NODE("Squeeze", ["x0.0"], ["from"]),
            NODE("Add", ["x0.0", "x1.0"], ["sum"]),
            NODE("Squeeze", ["sum"], ["to"]),
            NODE("Range", ["from", "to", "step"], ["r"]),
            NODE("Cast", ["r"], ["f"], to=F32),
            NODE("Mul", ["f", "x1"], ["y"]),
        ],
        [(["s"], F32), (["t"], F32)],
        [{"s": 2, "t": 3}, {"s": 7, "t": 1}],
        {"s": "1..8", "t": "1..8"},
        constants={"step": np.int64(1)},
    ),
    "the second half": Case(
        [
            *sizes_of("x0", 0),
            NODE("Div", ["x0.0", "two"], ["half"]),
            NODE("Slice", ["x0", "half", "x0.0", "z"], ["y"]),
        ],
        [(["s", 3], F32)],
        [{"s": 2}, {"s": 5}, {"s": 8}],
        {"s": "2..8"},
    ),
    "all but the last rows": Case(
        [
            *sizes_of("x0", 0),
            *sizes_of("x1", 0),
            NODE("Sub", ["x0.0", "x1.0"], ["end"]),
            NODE("Slice", ["x0", "z", "end", "z"], ["y"]),
        ],
        [(["s", 3], F32), (["t"], F32)],
        [{"s": 5, "t": 2}, {"s": 4, "t": 3}],
        {"s": "4..8", "t": "1..3"},
    ),
    "two lengths that must agree": Case(
        [NODE("Add", ["x0", "x1"], ["a"]), NODE("Concat", ["a", "x0", "x1"], ["y"], axis=1)],
        [(["s", 3], F32), (["t", 3], F32)],
        [{"s": 4, "t": 4}],
        {"s": "2..8", "t": "2..8"},
        [{"s": 3, "t": 4}],
        asked_by="Add",
    ),
    "groups of a length": Case(
        [
            NODE("Reshape", ["x0", "groups"], ["g"]),
            NODE("Softmax", ["g"], ["h"]),
            NODE("Reshape", ["h", "flat"], ["y"]),
        ],
        [(["s", 2], F32)],
        [{"s": 4}, {"s": 12}],
        {"s": "4..12"},
        [{"s": 5}],
        {"groups": ints(-1, 4, 2), "flat": ints(-1, 2)},
        asked_by="Reshape",
    ),
    "repeated heads": Case(
        [
            *sizes_of("x0", 0, 2),
            NODE("Unsqueeze", ["x0", "two"], ["u"]),
            NODE("Concat", ["x0.0", "two", "two", "x0.2", "eight"], ["ns"], axis=0),
            NODE("Expand", ["u", "ns"], ["e"]),
            NODE("Concat", ["x0.0", "four", "x0.2", "eight"], ["n2"], axis=0),
            NODE("Reshape", ["e", "n2"], ["y"]),
        ],
        [(["b", 2, "s", 8], F32)],
        SEQUENCES,
        {"b": "1..3", "s": "1..8"},
    ),
    "longer and longer": Case(
        [
            NODE("ConvTranspose", ["x0", "w"], ["a"], strides=[4], kernel_shape=[8], pads=[2, 2]),
            NODE("ConvTranspose", ["a", "w2"], ["y"], strides=[2], kernel_shape=[4], pads=[1, 1]),
        ],
        [(["b", 3, "t"], F32)],
        [{"b": 2, "t": 5}, {"b": 1, "t": 1}],
        {"b": "1..2", "t": "1..8"},
        constants={
            "w": EMBEDDINGS.reshape(-1)[:48].reshape(3, 2, 8),
            "w2": EMBEDDINGS.reshape(-1)[:16].reshape(2, 2, 4),
        },
    ),
    "larger and larger": Case(
        [
            NODE("ConvTranspose", ["x0", "w"], ["a"], strides=[2, 2], kernel_shape=[3, 3]),
            NODE("ConvTranspose", ["a", "w2"], ["y"], strides=[1, 1], kernel_shape=[2, 2], group=2),
        ],
        [([1, 3, "h", "w"], F32)],
        [{"h": 2, "w": 5}, {"h": 1, "w": 1}, {"h": 7, "w": 3}],
        {"h": "1..8", "w": "1..8"},
        constants={
            "w": EMBEDDINGS.reshape(-1)[:54].reshape(3, 2, 3, 3),
            "w2": EMBEDDINGS.reshape(-1)[:16].reshape(2, 2, 2, 2),
        },
    ),
    "repeated as often as there are rows": Case(
        [
            *sizes_of("x0", 0),
            NODE("Concat", ["x0.0", "one"], ["n"], axis=0),
            NODE("Tile", ["x1", "n"], ["y"]),
        ],
        [(["s"], F32), (["t", 2], F32)],
        [{"s": 3, "t": 2}, {"s": 1, "t": 4}],
        {"s": "1..4", "t": "1..4"},
    ),
}


def build(case: Case, folder: Path) -> Path:
    used = {name for node in case.nodes for name in node.input}
    constants = {k: v for k, v in {**NUMBERS, **case.constants}.items() if k in used}
    inputs = [value(f"x{i}", shape, dtype) for i, (shape, dtype) in enumerate(case.inputs)]
    proto = model(case.nodes, inputs, [value("y")], constants)
    proto.ir_version = 8
    return save(folder, proto)


def feeds(case: Case, sizes: dict[str, int]) -> dict[str, Any]:
    random = np.random.default_rng(1)
    return {
        f"x{i}": random.standard_normal([sizes.get(d, d) for d in shape]).astype(np.float32)
        for i, (shape, _) in enumerate(case.inputs)
    }


def expected(path: Path, inputs: dict[str, Any]) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)[0]


@pytest.mark.parametrize("name", CASES)
def test_native(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = build(case, tmp_path)
    mlconv.convert(path, to="native", output=tmp_path / "m.o")
    net = mlconv.load_native(tmp_path / "m.o")
    for sizes in case.good:
        inputs = feeds(case, sizes)
        np.testing.assert_allclose(
            net.run(inputs)["y"], expected(path, inputs), rtol=1e-5, atol=1e-6, err_msg=str(sizes)
        )
    for sizes in case.bad:
        inputs = feeds(case, sizes)
        with pytest.raises(Exception, match="ONNXRuntimeError"):
            expected(path, inputs)
        with pytest.raises(ConversionError, match=f"does not take these dimensions: .* for {case.asked_by}"):
            net.run(inputs)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", CASES)
def test_hlo(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = build(case, tmp_path)
    shapes = {
        f"x{i}": [f"{d}:{case.ranges[d]}" if isinstance(d, str) else d for d in s]
        for i, (s, _) in enumerate(case.inputs)
    }
    if case.hlo:
        with pytest.raises(ConversionError) as e:
            mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo.pb", shapes=shapes)
        assert case.hlo in str(e.value)
        return
    mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo.pb", shapes=shapes)
    main = mlconv.load(path, shapes=shapes).main
    runner = Xla(str(tmp_path / "m.hlo.pb"))
    for sizes in case.good:
        inputs = feeds(case, sizes)
        np.testing.assert_allclose(
            runner.run(main, inputs)["y"], expected(path, inputs), rtol=1e-5, atol=1e-6, err_msg=str(sizes)
        )


@pytest.mark.parametrize("name", CASES)
def test_tflite(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    path = build(case, tmp_path)
    mlconv.convert(path, to="tflite", output=tmp_path / "m.tflite")
    for sizes in case.good:
        inputs = feeds(case, sizes)
        got = run_tflite(str(tmp_path / "m.tflite"), inputs, "serving_default")["y"]
        np.testing.assert_allclose(got, expected(path, inputs), rtol=1e-5, atol=1e-6, err_msg=str(sizes))


OVER_ITSELF = [
    *sizes_of("x0", 0, 1),
    NODE("Mul", ["x0.0", "x0.1"], ["product"]),
    NODE("Squeeze", ["product"], ["number"]),
    NODE("Cast", ["number"], ["count"], to=F32),
    NODE("Div", ["count", "count"], ["share"]),
]


@pytest.mark.parametrize("target", ["native", "tflite"])
@pytest.mark.parametrize("read", ["two", "x0"])
def test_a_size_over_itself(read: str, target: str, tmp_path: Path) -> None:
    """It is 1 in TFLite, unless something is read of it where it is 0."""
    case = Case([*OVER_ITSELF, NODE("Mul", ["share", read], ["y"])], [(["b", "s"], F32)], [], {})
    path = build(case._replace(constants={"two": np.array([3, 4], np.float32)}), tmp_path)
    result = mlconv.convert(path, to=target, output=tmp_path / f"m.{target}")
    if target == "tflite":
        assert ("tfl.DIV" in result.ops) == (read == "two")
    for sizes in ({"b": 3, "s": 2}, {"b": 0, "s": 2}, {"b": 2, "s": 0}):
        inputs = feeds(case, sizes)
        run = (
            mlconv.load_native(tmp_path / "m.native").run
            if target == "native"
            else lambda given: run_tflite(str(tmp_path / "m.tflite"), given, "serving_default")
        )
        np.testing.assert_array_equal(run(inputs)["y"], expected(path, inputs), err_msg=str(sizes))

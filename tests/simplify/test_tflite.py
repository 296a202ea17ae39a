"""TFLite files: what rules make of operators, and what stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import ConversionError
from mlconv.dialects.tfl_table import ENUMS
from mlconv.dialects.tfl_types import INDEX_CODES
from mlconv.exporters.tflite.model import (
    Indices,
    Operator,
    OperatorCode,
    RawBytes,
    Signature,
    Sparse,
    SparseLevel,
    SubGraph,
    Tensor,
    TflModel,
)
from mlconv.exporters.tflite.writer import write_model
from mlconv.runtime.litert import run_tflite
from mlconv.simplifiers.tflite.reading import read_tables

F32, I32 = ENUMS["TensorType"]["FLOAT32"], ENUMS["TensorType"]["INT32"]
RELU6, NONE = (ENUMS["ActivationFunctionType"][name] for name in ("RELU6", "NONE"))


class Net:
    """A TFLite file in the making: one subgraph, from `x` [2, 6] on."""

    def __init__(self) -> None:
        self.graph = SubGraph("main", [Tensor("x", F32, (2, 6))], [0])
        self.model = TflModel([self.graph], [], [RawBytes(b"")])
        self.model.description = "a test"

    def constant(self, array: np.ndarray) -> int:
        self.model.buffers.append(RawBytes(array.tobytes()))
        kind = F32 if array.dtype == np.float32 else I32
        self.graph.tensors.append(Tensor(f"c{len(self.graph.tensors)}", kind, array.shape, len(self.model.buffers) - 1))
        return len(self.graph.tensors) - 1

    def op(self, name: str, inputs: tuple[int, ...], shape: tuple[int, ...], **options: object) -> int:
        code = OperatorCode(name, 2 if name in ("TRANSPOSE",) else 1)
        if code not in self.model.codes:
            self.model.codes.append(code)
        self.graph.tensors.append(Tensor(f"t{len(self.graph.tensors)}", F32, shape))
        out = len(self.graph.tensors) - 1
        number = self.model.codes.index(code)
        self.graph.operators.append(Operator(number, inputs, (out,), options))  # type: ignore[arg-type]
        return out

    def save(self, path: Path, *outputs: int) -> Path:
        self.graph.outputs = list(outputs)
        names = [(f"y{i}", t) for i, t in enumerate(outputs)]
        self.model.signatures = [Signature("serve", [("in", 0)], names)]
        self.model.buffers.append(RawBytes(b"1.5.0".ljust(16, b"\0")))
        self.model.metadata["min_runtime_version"] = len(self.model.buffers) - 1
        write_model(self.model, path)
        return path


def shape(*sizes: int) -> np.ndarray:
    return np.asarray(sizes, np.int32)


def same(net: Net) -> int:
    y = net.op("RESHAPE", (0, net.constant(shape(2, 6))), (2, 6), new_shape=(2, 6))
    return net.op("EXP", (y,), (2, 6))


def view(net: Net) -> int:
    a = net.op("RESHAPE", (0, net.constant(shape(3, 4))), (3, 4), new_shape=(3, 4))
    return net.op("RESHAPE", (a, net.constant(shape(12))), (12,), new_shape=(12,))


def transposed(net: Net) -> int:
    a = net.op("RESHAPE", (0, net.constant(shape(2, 3, 2))), (2, 3, 2), new_shape=(2, 3, 2))
    b = net.op("TRANSPOSE", (a, net.constant(shape(1, 2, 0))), (3, 2, 2))
    return net.op("TRANSPOSE", (b, net.constant(shape(1, 0, 2))), (2, 3, 2))


def straight(net: Net) -> int:
    return net.op("EXP", (net.op("TRANSPOSE", (0, net.constant(shape(0, 1))), (2, 6)),), (2, 6))


def padded(net: Net) -> int:
    return net.op("EXP", (net.op("PAD", (0, net.constant(np.zeros((2, 2), np.int32))), (2, 6)),), (2, 6))


def one(net: Net) -> int:
    a = net.op("CONCATENATION", (0,), (2, 6), axis=1, fused_activation_function=NONE)
    return net.op("EXP", (a,), (2, 6))


def activated(net: Net) -> int:
    added = net.op("ADD", (0, net.constant(np.ones(6, np.float32))), (2, 6), fused_activation_function=NONE)
    return net.op("RELU6", (added,), (2, 6))


def twice(net: Net) -> int:
    a, b = net.op("EXP", (0,), (2, 6)), net.op("EXP", (0,), (2, 6))
    return net.op("MUL", (a, b), (2, 6), fused_activation_function=NONE)


def dead(net: Net) -> int:
    net.op("COS", (net.op("EXP", (0,), (2, 6)),), (2, 6))
    return net.op("SQRT", (0,), (2, 6))


def folded(net: Net) -> int:
    weights = net.op("EXP", (net.constant(np.linspace(0, 1, 6, dtype=np.float32)),), (6,))
    return net.op("MUL", (0, weights), (2, 6), fused_activation_function=NONE)


ROWS: dict[str, tuple[Callable[[Net], int], str]] = {
    "same": (same, "EXP"),
    "reshape-of-view": (view, "RESHAPE"),
    "transposed-again": (transposed, "RESHAPE TRANSPOSE"),
    "no-transpose": (straight, "EXP"),
    "no-pad": (padded, "EXP"),
    "of-one": (one, "EXP"),
    "fused-activation": (activated, "ADD"),
    "fold": (folded, "MUL"),
    "merge": (twice, "EXP MUL"),
    "dead": (dead, "SQRT"),
}


@pytest.mark.parametrize("name", ROWS)
def test_rule(name: str, tmp_path: Path) -> None:
    build, expected = ROWS[name]
    net = Net()
    path = net.save(tmp_path / "m.tflite", build(net))
    found = mlconv.simplify(path, tmp_path / "out.tflite")
    assert " ".join(found.ops_after) == expected and found.rules[name] > 0
    assert found.checked.runs == 2 and found.checked.runtime == "LiteRT"
    assert found.bytes_after < found.bytes_before
    made = read_tables(str(tmp_path / "out.tflite"))
    assert made.description == "a test" and list(made.metadata) == ["min_runtime_version"]
    (signature,) = made.signatures
    assert (signature.key, signature.inputs) == ("serve", [("in", 0)])
    assert name not in mlconv.simplify(path, tmp_path / "skipped.tflite", skip=[name]).rules


def test_every_rule_has_a_row() -> None:
    from mlconv.simplifiers.tflite.rules import NAMES

    assert sorted(ROWS) == NAMES


def test_outputs_keep_their_tensors(tmp_path: Path) -> None:
    net = Net()
    a = net.op("EXP", (0,), (2, 6))
    b = net.op("RESHAPE", (a, net.constant(shape(2, 6))), (2, 6), new_shape=(2, 6))
    c = net.op("RESHAPE", (0, net.constant(shape(2, 6))), (2, 6), new_shape=(2, 6))
    found = mlconv.simplify(net.save(tmp_path / "m.tflite", a, b, c), tmp_path / "out.tflite")
    assert found.ops_after == {"EXP": 1, "RESHAPE": 2}


def test_files_of_others(tmp_path: Path, corpus: Path) -> None:
    """Variables, several signatures, custom operators, subgraphs, stored scales of recurrent kernels."""
    for name in ("litert_call_once_mul", "litert_multi_signatures", "litert_custom_sinh", "litert_nested_while"):
        found = mlconv.simplify(corpus / "models" / "tflite" / f"{name}.tflite", tmp_path / "out.tflite")
        assert found.ops_after == found.ops_before and found.bytes_after < found.bytes_before
        assert found.checked.runs == (0 if "custom" in name else 2)
    for name in ("mnist_lstm_int8", "k3_conv1d_misc_tfl_int8"):
        path = corpus / "models" / "tflite" / f"{name}.tflite"
        assert mlconv.simplify(path, tmp_path / "out.tflite").checked.runs == 2
        before, after = read_tables(str(path)), read_tables(str(tmp_path / "out.tflite"))
        kept = [[len(o.intermediates) for o in m.subgraphs[0].operators] for m in (before, after)]
        assert kept[0] == kept[1] and before.signatures[0].key == after.signatures[0].key
        names = {t.name for t in before.subgraphs[0].tensors}
        assert {t.name for t in after.subgraphs[0].tensors} <= names


def test_files_packed_behind_stay(tmp_path: Path) -> None:
    net = Net()
    net.model.attached["labels.txt"] = b"one\ntwo\n"
    path = net.save(tmp_path / "m.tflite", same(net))
    mlconv.simplify(path, tmp_path / "out.tflite")
    assert read_tables(str(tmp_path / "out.tflite")).attached == {"labels.txt": b"one\ntwo\n"}


def test_refused(tmp_path: Path) -> None:
    net = Net()
    path = net.save(tmp_path / "m.tflite", same(net))
    for settings, words in (({"skip": ["nothing"]}, "no rule"), ({"shapes": {"x": (1, 6)}}, "--shape")):
        with pytest.raises(ConversionError, match=words):
            mlconv.simplify(path, tmp_path / "out.tflite", **settings)
    path.write_bytes(path.read_bytes()[:90])
    with pytest.raises(ConversionError):
        mlconv.simplify(path, tmp_path / "out.tflite")
    assert [p.name for p in tmp_path.iterdir()] == ["m.tflite"]


@pytest.mark.parametrize("kind", INDEX_CODES)
def test_sparse_constants_stay_sparse(tmp_path: Path, kind: int) -> None:
    """By rows of blocks of 1 x 2, with each type of places; what reads them is simplified."""
    net = Net()
    parts = [Indices(kind, numbers) for numbers in ((0, 1, 3, 3), (0, 1, 2))]
    levels = SparseLevel(3), SparseLevel(0, *parts), SparseLevel(2)
    weights = net.constant(np.float32([1, 2, 3, 4, 5, 6]))
    net.graph.tensors[weights].shape = 3, 6
    net.graph.tensors[weights].sparse = Sparse((0, 1, 2), (1,), levels)
    dense = net.op("DENSIFY", (weights,), (3, 6))
    x = net.op("RESHAPE", (0, net.constant(shape(2, 6))), (2, 6), new_shape=(2, 6))
    y = net.op("FULLY_CONNECTED", (x, dense, -1), (2, 3), fused_activation_function=NONE)
    path = net.save(tmp_path / "m.tflite", y)
    found = mlconv.simplify(path, tmp_path / "out.tflite")
    assert found.ops_after == {"DENSIFY": 1, "FULLY_CONNECTED": 1} and found.checked.runs == 2
    (kept,) = (t for t in read_tables(str(tmp_path / "out.tflite")).subgraphs[0].tensors if t.sparse is not None)
    assert kept.sparse == Sparse((0, 1, 2), (1,), levels)
    expected = np.float32([[1, 2, 0, 0, 0, 0], [0, 0, 3, 4, 5, 6], [0, 0, 0, 0, 0, 0]])
    given = np.arange(12, dtype=np.float32).reshape(2, 6)
    np.testing.assert_array_equal(run_tflite(str(path), {"in": given}, "serve")["y0"], given @ expected.T)

"""Tables of strings are LabelEncoders, as no operator of ONNX's own domain looks strings up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from tests.support.onnx_runtimes import run_reference
from tests.support.simplified import parsed

TABLES = {
    "string to int64": ("string", "int64", 'keys_strings = ["a", "\u00e4\u00e4"], values_int64s = [7, -1]'),
    "string to float": (
        "string",
        "float",
        'keys_strings = ["a"], values_floats = [0.5], default_float = 9.0',
    ),
    "string to string": ("string", "string", 'keys_strings = ["a", ""], values_strings = ["b", "c"]'),
    "int64 to string": ("int64", "string", 'keys_int64s = [0, 3], values_strings = ["x", "y"], default_string = "z"'),
    "float to string": ("float", "string", 'keys_floats = [0.0, 0.5], values_strings = ["x", "y"]'),
}
X = {"string": ["a", "", "\u00e4\u00e4", "q"], "int64": [0, 3, 9, -1], "float": [0.0, 0.5, -0.5, 3.0]}


@pytest.mark.parametrize("name", TABLES)
def test_the_same_is_found(name: str, tmp_path: Path) -> None:
    of, to, table = TABLES[name]
    more = ', "ai.onnx.ml": 2'
    proto = parsed(f"g ({of}[2, 2] x) => ({to}[2, 2] y) {{y = ai.onnx.ml.LabelEncoder <{table}> (x)}}", more=more)
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    mlconv.convert(tmp_path / "m.onnx", "onnx", tmp_path / "out.onnx")
    made = onnx.load(tmp_path / "out.onnx")
    onnx.checker.check_model(made, full_check=True)
    kinds = {"string": object, "int64": np.int64, "float": np.float32}
    inputs = {"x": np.array(X[of], kinds[of]).reshape(2, 2)}
    (expected,), (got,) = run_reference(proto, inputs, "ort"), run_reference(made, inputs, "ort")
    np.testing.assert_array_equal(got, expected)


def test_a_table_of_other_numbers_is_refused(tmp_path: Path) -> None:
    node = onnx.helper.make_node(
        "LabelEncoder",
        ["x"],
        ["y"],
        domain="ai.onnx.ml",
        keys_tensor=onnx.helper.make_tensor("k", onnx.TensorProto.STRING, [1], [b"a"]),
        values_tensor=onnx.helper.make_tensor("v", onnx.TensorProto.DOUBLE, [1], [1.0]),
        default_tensor=onnx.helper.make_tensor("d", onnx.TensorProto.DOUBLE, [1], [2.0]),
    )
    proto = parsed("g (string[2] x) => (double[2] y) {y = ai.onnx.ml.LabelEncoder (x)}", more=', "ai.onnx.ml": 4')
    del proto.graph.node[:]
    proto.graph.node.append(node)
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    with pytest.raises(ConversionError, match="LabelEncoder has tables of strings") as error:
        mlconv.convert(tmp_path / "m.onnx", "onnx", tmp_path / "out.onnx")
    assert error.value.code is Code.TargetLacksOp

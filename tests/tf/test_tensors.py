"""TensorProto in all its encodings, small ones in the proto and large ones as ranges of the file."""

from __future__ import annotations

import pathlib
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.protos import tf_pb
from mlconv.importers.tf.model import import_graph_def
from mlconv.ir.constants import Const, Mapped, Splat
from tests.support.graph_defs import graph, node, save, tensor, type_number


def encode(dtype: str, field: str, values: list[Any], shape: tuple[int, ...]) -> Any:
    """A TensorProto with a typed field."""
    proto = tf_pb("framework.tensor_pb2").TensorProto(dtype=type_number(dtype))
    for size in shape:
        proto.tensor_shape.dim.add(size=size)
    getattr(proto, field).extend(values)
    return proto


def read(proto: Any, folder: pathlib.Path, dtype: str) -> Const:
    """The constant after a way through a file."""
    constant = node("c", "Const", dtype=dtype)
    constant.attr["value"].tensor.CopyFrom(proto)
    module = import_graph_def(save(graph(constant, node("y", "Identity", "c", T=dtype)), folder), outputs=["y"])
    op = next(op for op in module.walk() if op.name == "tf.Const")
    value = op.attributes["value"]
    assert isinstance(value, Const)
    return value


HALF = int(np.float16(1.5).view(np.uint16))
BRAIN = int(np.asarray(1.5, ml_dtypes.bfloat16).view(np.uint16))
FIELDS = {
    "float": ("float_val", [1.5, -2.0], np.array([1.5, -2.0], np.float32)),
    "double": ("double_val", [1.5, -2.0], np.array([1.5, -2.0])),
    "int32": ("int_val", [1, -2], np.array([1, -2], np.int32)),
    "int16": ("int_val", [1, -2], np.array([1, -2], np.int16)),
    "int8": ("int_val", [1, -2], np.array([1, -2], np.int8)),
    "uint8": ("int_val", [1, 250], np.array([1, 250], np.uint8)),
    "uint16": ("int_val", [1, 65000], np.array([1, 65000], np.uint16)),
    "int64": ("int64_val", [1, -(1 << 60)], np.array([1, -(1 << 60)])),
    "uint32": ("uint32_val", [1, 4_000_000_000], np.array([1, 4_000_000_000], np.uint32)),
    "uint64": ("uint64_val", [1, (1 << 64) - 1], np.array([1, (1 << 64) - 1], np.uint64)),
    "bool": ("bool_val", [True, False], np.array([True, False])),
    "half": ("half_val", [HALF, 0], np.array([1.5, 0], np.float16)),
    "bfloat16": ("half_val", [BRAIN, 0], np.array([1.5, 0], ml_dtypes.bfloat16)),
    "complex64": ("scomplex_val", [1.0, 2.0, 3.0, -4.0], np.array([1 + 2j, 3 - 4j], np.complex64)),
    "complex128": ("dcomplex_val", [1.0, 2.0, 3.0, -4.0], np.array([1 + 2j, 3 - 4j])),
    "string": ("string_val", [b"a", b"bc"], np.array([b"a", b"bc"], object)),
}


@pytest.mark.parametrize("dtype", FIELDS)
def test_typed_fields(dtype: str, tmp_path: pathlib.Path) -> None:
    field, values, expected = FIELDS[dtype]
    found = read(encode(dtype, field, values, (2,)), tmp_path, dtype).view()
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", FIELDS)
def test_the_last_value_repeats(dtype: str, tmp_path: pathlib.Path) -> None:
    field, values, expected = FIELDS[dtype]
    found = read(encode(dtype, field, values, (2, 2)), tmp_path, dtype).view()
    np.testing.assert_array_equal(found, np.stack([expected, np.repeat(expected[-1:], 2)]))


@pytest.mark.parametrize("dtype", sorted(set(FIELDS) - {"string"}))
def test_large_fields_stay_in_the_file(dtype: str, tmp_path: pathlib.Path) -> None:
    """Above the size from which payloads are cut out of the proto."""
    field, values, expected = FIELDS[dtype]
    count = 1500
    found = read(encode(dtype, field, values * count, (count, 2)), tmp_path, dtype)
    np.testing.assert_array_equal(found.view(), np.broadcast_to(expected, (count, 2)))


def test_large_content_is_mapped(tmp_path: pathlib.Path) -> None:
    data = np.arange(4000, dtype=np.float32).reshape(40, 100)
    for proto in (tensor(data), encode("float", "float_val", data.reshape(-1).tolist(), data.shape)):
        found = read(proto, tmp_path, "float")
        assert isinstance(found, Mapped)
        np.testing.assert_array_equal(found.view(), data)


def test_one_value_is_a_splat(tmp_path: pathlib.Path) -> None:
    found = read(encode("float", "float_val", [2.5], (1 << 15, 1 << 15)), tmp_path, "float")
    assert isinstance(found, Splat)
    assert float(found.value) == 2.5


def test_no_value_is_zero(tmp_path: pathlib.Path) -> None:
    np.testing.assert_array_equal(
        read(encode("int32", "int_val", [], (2, 2)), tmp_path, "int32").view(), np.zeros((2, 2))
    )


@pytest.mark.parametrize(
    ("proto", "code"),
    [
        (lambda: encode("float", "float_val", [1.0] * 5, (2, 2)), Code.ConstantInvalid),
        (lambda: encode("complex64", "scomplex_val", [1.0] * 3, (2,)), Code.ConstantInvalid),
        (lambda: encode("float", "float_val", [1.0], (-1, 2)), Code.ConstantInvalid),
        (lambda: encode("resource", "int_val", [], ()), Code.ElementTypeUnsupported),
    ],
)
def test_wrong_sizes(proto: Any, code: Code, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as raised:
        read(proto(), tmp_path, "float")
    assert raised.value.code is code

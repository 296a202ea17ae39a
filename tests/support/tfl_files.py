"""TFLite files of a few operators, written as a converter that is not ours could write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlconv.dialects.tfl_table import ENUMS
from mlconv.dialects.tfl_types import TYPE_NAMES
from mlconv.exporters.tflite.buffers import encode
from mlconv.exporters.tflite.model import (
    Operator,
    OperatorCode,
    Quantization,
    RawBytes,
    Signature,
    SubGraph,
    Tensor,
    TflModel,
)
from mlconv.ir.constants import make_const
from mlconv.ir.dtypes import DType
from tests.support.litert import file_bytes

Array = np.ndarray[Any, Any]
Scale = tuple[float, int]


class TflFile:
    """A model that is filled tensor by tensor.  graphs: the first is the main one."""

    def __init__(self, graphs: int = 1) -> None:
        self.model = TflModel([SubGraph(f"graph{i}") for i in range(graphs)], [], [RawBytes(b"")], description="test")

    def tensor(
        self,
        dtype: str,
        shape: Sequence[int] | None = (),
        data: Array | None = None,
        quant: Quantization | Scale | None = None,
        graph: int = 0,
        name: str = "",
        variable: bool = False,
        raw: bytes | None = None,
    ) -> int:
        """A tensor.  quant: a scale and a zero point, or more of them.  raw: its bytes."""
        buffer = 0
        if data is not None or raw is not None:
            held = encode(make_const(np.asarray(data))) if raw is None else RawBytes(raw)
            self.model.buffers.append(held)
            buffer = len(self.model.buffers) - 1
        number = ENUMS["TensorType"].get(dtype) if dtype in ENUMS["TensorType"] else _number(dtype)
        found = Quantization((quant[0],), (quant[1],)) if isinstance(quant, tuple) else quant
        tensors = self.model.subgraphs[graph].tensors
        dynamic = None if shape is None or -1 not in shape else tuple(shape)
        static = None if shape is None else tuple(1 if d == -1 else d for d in shape)
        tensors.append(Tensor(name or f"t{len(tensors)}", number, static, buffer, dynamic, found, variable))
        return len(tensors) - 1

    def constant(self, data: Array, quant: Quantization | Scale | None = None, graph: int = 0) -> int:
        return self.tensor(data.dtype.name, data.shape, data, quant, graph)

    def op(
        self,
        builtin: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: dict[str, Any] | None = None,
        custom: tuple[str, bytes] | None = None,
        graph: int = 0,
        version: int = 1,
    ) -> None:
        """An operator.  Enum members are numbers.  custom: name and options."""
        code = OperatorCode(builtin, version, custom[0] if custom else None)
        if code not in self.model.codes:
            self.model.codes.append(code)
        made = Operator(self.model.codes.index(code), tuple(inputs), tuple(outputs), options or {})
        made.custom_options = custom[1] if custom else None
        self.model.subgraphs[graph].operators.append(made)

    def interface(self, inputs: Sequence[int], outputs: Sequence[int], graph: int = 0) -> None:
        self.model.subgraphs[graph].inputs = list(inputs)
        self.model.subgraphs[graph].outputs = list(outputs)

    def signature(self, key: str, inputs: dict[str, int], outputs: dict[str, int], graph: int = 0) -> None:
        self.model.signatures.append(Signature(key, list(inputs.items()), list(outputs.items()), graph))

    def content(self) -> bytes:
        return file_bytes(self.model)


def _number(dtype: str) -> int:
    kind = "string" if dtype == "object" else dtype
    found = DType.STRING if kind == "string" else DType.from_numpy(np.dtype(kind))
    return ENUMS["TensorType"][TYPE_NAMES[found]]

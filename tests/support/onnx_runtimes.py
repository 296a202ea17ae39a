"""Running a model on ONNX Runtime, or on onnx's own reference evaluator where that has no kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from mlconv.runtime.onnx_runtime import opened

Arrays = dict[str, np.ndarray]


def session_for(model: onnx.ModelProto) -> Any:
    """As the file is written; products over integers change places with exact ones, where the machine needs that."""
    return opened(model.SerializeToString(), any(node.op_type.startswith("QLinear") for node in model.graph.node))


def run_reference(model: onnx.ModelProto, inputs: Arrays, engine: str = "any") -> list[Any]:
    """Outputs of a model.  engine: `ort`, `onnx`, or `any` (ONNX Runtime first)."""
    if engine != "onnx":
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        copy.ir_version = min(copy.ir_version, 10)
        try:
            return list(session_for(copy).run(None, inputs))
        except Exception:
            if engine == "ort":
                raise
    from onnx.reference import ReferenceEvaluator

    return list(ReferenceEvaluator(model).run(None, inputs))

"""Running a model on ONNX Runtime, or on onnx's own reference evaluator where that has no kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

Arrays = dict[str, np.ndarray]


def run_reference(model: onnx.ModelProto, inputs: Arrays, engine: str = "any") -> list[Any]:
    """Outputs of a model.  engine: `ort`, `onnx`, or `any` (ONNX Runtime first)."""
    if engine != "onnx":
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        copy.ir_version = min(copy.ir_version, 10)
        try:
            session = ort.InferenceSession(copy.SerializeToString(), options, providers=["CPUExecutionProvider"])
            return list(session.run(None, inputs))
        except Exception:
            if engine == "ort":
                raise
    from onnx.reference import ReferenceEvaluator

    return list(ReferenceEvaluator(model).run(None, inputs))

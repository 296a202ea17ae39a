"""A look at what is about to be written, by onnx's own checker with types and shapes inferred.

Large initializers are shown to it as inputs, so that no weights are read for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.exporters.onnx.tensors import NUMBERS, SMALL_BYTES, Initializer, whole
from mlconv.formats.protos import onnx_pb

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import ModelProto


def check_graph(model: ModelProto, initializers: Sequence[Initializer]) -> None:
    """Raises ConversionError ArtifactInvalid for a model that onnx does not take.

    The checker refuses inputs and outputs of unknown rank, which ONNX's types can say: of such a model only types and
    shapes are inferred.
    """
    import onnx
    from onnx import checker, shape_inference

    shown = onnx_pb().ModelProto()
    shown.CopyFrom(model)
    for each in initializers:
        if each.nbytes <= SMALL_BYTES:
            shown.graph.initializer.add().CopyFrom(whole(each.constant, each.name))
            continue
        tensor = shown.graph.input.add(name=each.name).type.tensor_type
        tensor.elem_type = NUMBERS[each.constant.dtype]
        tensor.shape.SetInParent()
        for size in each.constant.shape:
            tensor.shape.dim.add().dim_value = size
    ranked = all(v.type.tensor_type.HasField("shape") for v in (*shown.graph.input, *shown.graph.output))
    proto = onnx.ModelProto.FromString(shown.SerializeToString())
    try:
        if ranked:
            checker.check_model(proto, full_check=True)
        else:
            shape_inference.infer_shapes(proto, check_type=True, strict_mode=True)
    except (checker.ValidationError, shape_inference.InferenceError) as error:
        words = " ".join(str(error).split())
        raise ConversionError(Code.ArtifactInvalid, f"onnx refuses the model: {words[:1000]}") from error

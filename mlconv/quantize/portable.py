"""What targets have no form of over integers, of the ops that may compute with them.  By the profile `portable` an op
computes with floats everywhere where one target has none, so that a model has the same integers on all of them.

Source: TFLite, kernels/pooling.cc, transpose_conv.cc, space_to_depth.cc, depth_to_space.cc, activations.cc.
"""

from __future__ import annotations

from collections.abc import Callable

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import ceil_is_floor, standard_padding
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.quantize.scheme import Scheme

PORTABLE = "portable"
Lacks = Callable[[OpDef, Scheme], str]
"""Why an op computes with floats; empty where nothing keeps it from integers."""
_POOLED_AXES = 2


def lacks_of(profile: str) -> Lacks:
    """profile: `PORTABLE`, or the name of a target.  Raises ConversionError UsageError."""
    if profile not in PROFILES:
        raise ConversionError(
            Code.UsageError, f"unknown profile {profile!r}; quantization has profiles for {', '.join(PROFILES)}"
        )
    return PROFILES[profile]


def _native(op: OpDef, scheme: Scheme) -> str:
    """What kernels of no target have."""
    if isinstance(op, (core.Elu, core.HardSwish)) and scheme.activations is DType.I16:
        return f"no kernel of {op.name.removeprefix('core.')} takes 16-bit integers"
    return ""


def _nothing(op: OpDef, scheme: Scheme) -> str:
    return ""


def _tflite(op: OpDef, scheme: Scheme) -> str:
    if isinstance(op, core.AvgPool) and not _has_pool(op):
        return "TFLite pools integers without padding, or with that of TensorFlow, which is not counted"
    if isinstance(op, core.ConvTranspose) and op.groups > 1:
        return "TFLite has no transposed convolution of groups over integers"
    if isinstance(op, (core.DepthToSpace, core.SpaceToDepth)) and scheme.activations is DType.I16:
        return "TFLite does not move blocks of 16-bit integers"
    if isinstance(op, core.MatMul) and scheme.activations is DType.I16 and _is_batch_of_weights(op):
        return "TFLite rounds products with batches of weights in another way than those with one matrix"
    if isinstance(op, core.Elu) and op.alpha != 1.0:
        return "TFLite has ELU over integers with alpha 1 alone"
    return _native(op, scheme)


def _is_batch_of_weights(op: core.MatMul) -> bool:
    return const_of(op.b) is not None and (op.b.tensor.rank or 0) > 2


def _has_pool(op: core.AvgPool) -> bool:
    """Zeros that count can be put there first; else it must be padding of its own."""
    shape = op.x.tensor.shape or ()
    sizes = tuple(shape[op.layout.index(str(i))] for i in range(len(op.window))) if shape else ()
    if not sizes or len(op.window) > _POOLED_AXES or any(d != 1 for d in op.dilations):
        return False
    if op.ceil_mode and not ceil_is_floor(op, sizes):
        return False
    padding = standard_padding(sizes, op.window, op.strides, op.dilations, op.pads)
    if padding is None:
        return op.count_include_pad and not op.ceil_mode and not isinstance(op.pads, str)
    return padding == "VALID" or not op.count_include_pad


PROFILES: dict[str, Lacks] = {PORTABLE: _tflite, "tflite": _tflite, "native": _native, "onnx": _nothing}
"""ONNX keeps ops of floats between borders, and has all."""

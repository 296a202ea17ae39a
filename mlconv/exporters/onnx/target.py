"""The target `onnx`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.exporters.target import IN_FLOAT32, Target, TargetOptions, WriteRequest, setting

if TYPE_CHECKING:
    from mlconv.ir.core import Op
    from mlconv.ir.module import Module
    from mlconv.runtime.verify import Runner

OLDEST, NEWEST = 17, 28


@dataclass(frozen=True)
class OnnxOptions(TargetOptions):
    """opset: of the file; 0 is the least that the model needs, from 17 on.  onnx_profile: the runtime that the file is
    for, which decides how activations are quantized and stored, and which element types ops compute with.
    reduce_range: quantized weights of 7 bits.  unsigned_weights: those of 8 bits as uint8.  int4_products: products
    with weights of 4 bits in blocks as DequantizeLinear and MatMul, or as ONNX Runtime's own MatMulNBits.
    external_data: weights in a file beside, as above 2 GB.
    """

    opset: int = setting(
        0, "operator set of the file; the least that the model needs by default.", metavar="N", lowers=True
    )
    onnx_profile: str = setting(
        "ort", "the runtime that the file is for.", choices=("ort", "tensorrt", "openvino"), lowers=True
    )
    reduce_range: bool = setting(False, "quantized weights of 7 bits, for processors without VNNI.", lowers=True)
    unsigned_weights: bool = setting(
        False, "quantized weights as uint8: exact on processors without VNNI too, slower on those with it.", lowers=True
    )
    int4_products: str = setting(
        "dequantize",
        "products with weights of 4 bits in blocks: standard operators, or MatMulNBits of ONNX Runtime.",
        choices=("dequantize", "matmulnbits"),
        lowers=True,
    )
    external_data: bool = setting(False, "weights in a file beside the model; above 2 GB they always are.")
    reduce_float64: bool = setting(False, IN_FLOAT32, lowers=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.opset and not OLDEST <= self.opset <= NEWEST:
            raise ConversionError(Code.UsageError, f"opset is {self.opset}, expected {OLDEST} to {NEWEST}")
        if self.unsigned_weights and self.onnx_profile != "ort":
            raise ConversionError(Code.UsageError, f"{self.onnx_profile} takes weights as int8")


class Onnx(Target):
    """ONNX models."""

    name = "onnx"
    label = "ONNX"
    suffix = ".onnx"
    prefix = "onnx."
    widens_float16 = True
    options: ClassVar[type[TargetOptions]] = OnnxOptions
    channels_first = True
    names_once = True
    keeps_stored_weights = True
    quantizes_trained = True
    dynamic = False

    def pipeline(self, options: OnnxOptions) -> str:
        profile = {} if options.onnx_profile == "ort" else {"profile": options.onnx_profile}
        borders = profile | ({"reduce-range": "true"} if options.reduce_range else {})
        borders |= {"unsigned-weights": "true"} if options.unsigned_weights else {}
        lowering: dict[str, Any] = {"opset": options.opset} if options.opset else {}
        lowering |= profile | ({"blocks": "matmulnbits"} if options.int4_products == "matmulnbits" else {})
        quantized = f"{_named('onnx-borders', borders)},{_named('onnx-rounding', profile)}"
        passes = f"{quantized},expand-trees,simplify-sizes,{_named('to-onnx', lowering)}"
        return self.reduced(passes, options.reduce_float64)

    def coarser(self, options: OnnxOptions) -> str:
        return _named("onnx-borders", {"reduce-range": "true"}) if options.reduce_range else ""

    def integers(self) -> str:
        return "quant-lower{windows=true}"

    def symmetric(self, options: OnnxOptions) -> bool:
        return options.onnx_profile == "tensorrt"

    def write(self, module: Module, options: OnnxOptions, request: WriteRequest) -> int:
        from mlconv.exporters.onnx.export import export

        # OpenVINO and TensorRT take an input that has an initializer for a constant
        return export(module, request.path, options.external_data, state_defaults=options.onnx_profile == "ort")

    def beside(self, artifact: Path, options: OnnxOptions, io_json: bool) -> list[str]:
        return [artifact.name + ".data", *([artifact.name + ".io.json"] if io_json else [])]

    def runner(self, path: str) -> Runner:
        from mlconv.runtime.onnx_runtime import OnnxRuntime

        return OnnxRuntime(path)

    def is_transpose(self, op: Op) -> bool:
        return op.name == "onnx.Transpose"

    def status(self) -> str:
        return (
            "writes, verifies with ONNX Runtime"
            if find_spec("onnxruntime")
            else "writes; ONNX Runtime is not installed"
        )


def _named(name: str, options: dict[str, Any]) -> str:
    """A pass in pipeline syntax."""
    inner = ",".join(f"{key}={value}" for key, value in options.items())
    return f"{name}{{{inner}}}" if inner else name


TARGET = Onnx()
"""The target."""

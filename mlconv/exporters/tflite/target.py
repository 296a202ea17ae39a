"""The target `tflite`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

from mlconv.exporters.target import Kept, Target, TargetOptions, WriteRequest, setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mlconv.exporters.memory import MemoryUse
    from mlconv.formats.run_files import RunFiles
    from mlconv.ir.core import Op
    from mlconv.ir.module import Module
    from mlconv.runtime.verify import Runner


@dataclass(frozen=True)
class TfliteOptions(TargetOptions):
    """Options of TFLite files."""

    reduce_float64: bool = setting(False, "compute float64 in float32 where it has no kernel for it.", lowers=True)
    allow_custom_ops: bool = setting(False, "keep ops that it lacks as custom ops.", lowers=True)
    allow_select_ops: bool = setting(False, "keep TensorFlow ops that it lacks as Select (Flex) ops.", lowers=True)
    metadata: str = setting("", "TFLite Metadata from a JSON file.", metavar="FILE.json", is_path=True)


class Tflite(Target):
    """TFLite flatbuffers."""

    name = "tflite"
    label = "TFLite"
    suffix = ".tflite"
    op_bytes = 200
    prefix = "tfl."
    widens_float16 = True
    options: ClassVar[type[TargetOptions]] = TfliteOptions
    splits_groups = True
    left_weights = True
    keeps_loops = True
    keeps_variables = True
    computes_quantized = True
    quantizes_trained = True
    quantized_ops = "windows=true,tables=true,int16=true,filters=true"
    keeps_stored_weights = True
    dynamic_blocks = True
    block_bits = 4
    instead = {"bfloat16": "float16"}
    one_file = True
    tells_floats = True
    schedules = "tfl-schedule"

    def pipeline(self, options: TfliteOptions) -> str:
        first = "to-tfl{reduce-float64=true}" if options.reduce_float64 else "to-tfl"
        after = "tfl-merge,tfl-fuse,tfl-add-rows,tfl-sizes,tfl-contract,tfl-fill-splats,tfl-separate-views"
        arithmetic = "quant-to-arithmetic{int8=true,int16=true,weights=true,dynamic=true,sums=true}"
        sizes = "size-conditions{asked=false},simplify-sizes,reduce-float16"
        integers = f"unsigned-products,{arithmetic}"
        before = f"{integers},expand-trees,expand-transforms,{sizes},simplify-indices,keep-batch-axes,gather-repeats"
        return f"{before},{first},{after},{self.schedules},tfl-initialize"

    def kept(self, options: TfliteOptions) -> Kept:
        return Kept(options.allow_custom_ops, options.allow_select_ops)

    def write(self, module: Module, options: TfliteOptions, request: WriteRequest) -> int:
        from mlconv.exporters.tflite.export import export

        return export(module, request.path, metadata=options.metadata)

    def claim(self, options: TfliteOptions, files: RunFiles | None) -> None:
        if options.metadata:
            from mlconv.exporters.tflite.metadata import files_of, read_metadata

            named = files_of(options.metadata, read_metadata(options.metadata))
            if files is not None:
                files.read([options.metadata, *named.values()])

    def memory(self, module: Module, kernels: Mapping[str, str]) -> MemoryUse | None:
        from mlconv.exporters.tflite.memory import memory_use

        return memory_use(module)

    def runner(self, path: str) -> Runner:
        from mlconv.runtime.litert import LiteRt

        return LiteRt(path)

    def computes_floats(self, op: Op) -> bool:
        from mlconv.quantize.outcome import has_floats

        return op.name.startswith("tfl.") and op.name not in ("tfl.QUANTIZE", "tfl.DEQUANTIZE") and has_floats(op)

    def status(self) -> str:
        return "writes, verifies with LiteRT" if find_spec("ai_edge_litert") else "writes; LiteRT is not installed"


TARGET = Tflite()

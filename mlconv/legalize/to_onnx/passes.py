"""Core to ONNX as passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.diagnostics import Code, DiagnosticEngine
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module, clone_module
from mlconv.ir.types import TensorType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code

OLDEST = 17
"""The operator set that files have where nothing needs a newer one."""


@dataclass(frozen=True, eq=False, repr=False)
class ToOnnx(Pass):
    """Core ops to ONNX operators.

    opset: of the file; 0 is the least that its ops need, from 17 on.  profile: the runtime that the file is for.
    blocks: how products with weights of 4 bits in blocks are said.
    """

    name: ClassVar[str] = "to-onnx"
    opset: int = 0
    profile: str = "ort"
    blocks: str = "dequantize"

    def run(self, module: Module, context: PassContext) -> None:
        from mlconv.legalize.to_onnx.builder import Version
        from mlconv.legalize.to_onnx.driver import legalize

        rules = context.rules_for(self.name)
        opset = self.opset or OLDEST
        while True:  # a rule may ask for a newer operator set: what was made for the older one is made anew
            trial, engine = clone_module(module), DiagnosticEngine()
            version = Version(opset, bool(self.opset), self.profile, self.blocks)
            legalize(trial, engine, version, rules)
            if version.needed <= opset:
                break
            opset = version.needed
        for diagnostic in engine.diagnostics:
            context.engine.add(diagnostic)
        context.engine.raise_errors()
        module.functions[:] = trial.functions
        module.source["opset"] = opset
        for function in module.functions:
            warn_of_ranks(function, context.engine)


def warn_of_ranks(function: Function, engine: DiagnosticEngine) -> None:
    """Tell of inputs and outputs without a rank.  Source: onnx/docs/IR.md, "Graphs": those of the main graph must have
    a shape; ONNX Runtime takes them without.
    """
    ports = [*zip(function.input_names, function.inputs, strict=True)]
    ports += zip(function.output_names, function.outputs, strict=True)
    open_ = [name for name, value in ports if isinstance(value.type, TensorType) and value.type.shape is None]
    if open_:
        what = "its checker refuses the file, ONNX Runtime takes it; --shape tells them"
        engine.warn(Code.ShapeNotStatic, f"ONNX wants ranks of {', '.join(open_)}: {what}", function.location)


@dataclass(frozen=True, eq=False, repr=False)
class OnnxBorders(Pass):
    """Ops over quantized tensors between QuantizeLinear and DequantizeLinear, as a runtime looks for them.

    profile: the runtime; `ort` takes activations as uint8, `tensorrt` int8 with zero points of 0 alone, and biases as
    floats.  reduce_range: quantized weights of 7 bits.  unsigned_weights: those of 8 bits as uint8.
    """

    name: ClassVar[str] = "onnx-borders"
    profile: str = "ort"
    reduce_range: bool = False
    unsigned_weights: bool = False

    def run_on_function(self, function: Function, context: PassContext) -> None:
        from mlconv.legalize.to_onnx import borders, dynamic

        block = function.block
        if borders.unpack_tables(block):
            eliminate_dead_code(block)
        if self.profile == "tensorrt":
            context.count("onnx-float-biases", borders.unpack_constants(block, DType.I32))
            eliminate_dead_code(block)
            borders.refuse_for_tensorrt(function, context.engine)
        context.count("onnx-look-up-numbers", dynamic.look_up_numbers(block))
        context.count("onnx-dynamic", dynamic.expand_dynamic(block))
        context.count(self.name, borders.put_borders(block))
        context.count("onnx-move-integers", borders.move_integers_for_regions(block))
        if self.reduce_range:
            context.count("onnx-reduce-range", borders.reduce_range(block))
        if self.unsigned_weights:
            context.count("onnx-unsigned-weights", borders.make_weights_unsigned(block))
        if self.profile != "tensorrt":
            context.count("onnx-biases", borders.quantize_biases(block))
            context.count("onnx-move-integers", borders.move_integers_at_ends(block))
        if self.profile == "ort":
            context.count("onnx-unsigned", borders.make_unsigned(block) + borders.unsign_behind_inputs(block))
        eliminate_dead_code(block)


@dataclass(frozen=True, eq=False, repr=False)
class OnnxRounding(Pass):
    """Groups behind `onnx-borders` round as LiteRT's kernels do, which is what their ops mean.

    Those of a file of ONNX keep the parameters that it has, to float32's rounding.  profile: the runtime; `ort` brings
    tensors that are concatenated to one scale by itself, and cuts reciprocals of scales off.
    """

    name: ClassVar[str] = "onnx-rounding"
    profile: str = "ort"

    def run(self, module: Module, context: PassContext) -> None:
        from mlconv.legalize.to_onnx.kernel_rounding import whole_reciprocals

        for function in module.functions if self.profile == "ort" else ():
            context.count("onnx-reciprocals", whole_reciprocals(function.block))
        if module.source.get("format") == "onnx" and "quantize" not in module.passes:
            return
        for function in module.functions:
            self.run_on_function(function, context)

    def run_on_function(self, function: Function, context: PassContext) -> None:
        from mlconv.legalize.to_onnx.kernel_rounding import round_as_kernels
        from mlconv.legalize.to_onnx.wide_rounding import round_wide_as_kernels

        context.count(self.name, round_as_kernels(function.block, self.profile == "ort"))
        context.count(self.name, round_wide_as_kernels(function.block))
        eliminate_dead_code(function.block)

"""Copies of one model, quantized one way and another: what is found out once serves all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from mlconv.ir.core import Op
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.passes.dce import eliminate_dead_code
from mlconv.quantize.layers import Layer, layers_of
from mlconv.quantize.quantizer import Quantizer, Schemes, copied
from mlconv.quantize.report import Report
from mlconv.quantize.scheme import SCHEMES, Scheme


class Trials:
    """layers: that are quantized as the recipe says, and may have another scheme."""

    def __init__(self, quantizer: Quantizer, module: Module) -> None:
        """The module stays as it is.  Raises what `Quantizer.quantize` does."""
        self.quantizer = replace(quantizer, report=Report(""))
        self.quantizer.check(module)
        own = clone_module(module)
        self._schemes = Schemes(own, quantizer.recipe, Report(""))
        self._floats = self.quantizer.prepared(own.main, self._schemes.of)
        self.layers = layers_of(own.main, self._schemes.of)

    def scheme_of_layer(self, layer: Layer) -> Scheme:
        """As the recipe says."""
        return self._schemes.of(layer.ops[0])

    def with_schemes(self, changed: Mapping[int, Scheme]) -> Module:
        """All layers quantized, some by a scheme of their own.  changed: by number of layer."""
        own = {op: scheme for number, scheme in changed.items() for op in self.layers[number].ops}
        return self._made(lambda op: own.get(op) or self._schemes.of(op), self.quantizer.recipe.scheme.interface)

    def with_one(self, number: int) -> Module:
        """One layer alone quantized."""
        ops, floats = set(self.layers[number].ops), SCHEMES["float"]
        return self._made(lambda op: self._schemes.of(op) if op in ops else floats, None)

    def _made(self, scheme_of: Callable[[Op], Scheme], interface: DType | None) -> Module:
        self.quantizer.complete(self._floats, scheme_of)
        floats, originals = copied(self._floats)
        self.quantizer.finish(floats, lambda op: scheme_of(originals.get(op, op)), interface)
        eliminate_dead_code(floats.function.block)
        return Module([floats.function])

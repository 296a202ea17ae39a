"""Copies of one model, quantized one way and another: what is found out once serves all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from mlconv.ir.core import Op
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.passes.dce import eliminate_dead_code
from mlconv.quantize.collect import Collector
from mlconv.quantize.layers import Layer, layers_of
from mlconv.quantize.quantizer import Floats, Quantizer, Schemes, copied
from mlconv.quantize.report import Report
from mlconv.quantize.scheme import SCHEMES, Scheme


class Trials:
    """layers: that are quantized as the recipe says, and may have another scheme."""

    def __init__(self, quantizer: Quantizer, module: Module) -> None:
        """The module stays as it is.  Raises what `Quantizer.quantize` does."""
        self.quantizer = replace(quantizer, report=Report(""))
        self.quantizer.check(module)
        self._own = clone_module(module)
        self._schemes = Schemes(self._own, quantizer.recipe, Report(""), quantizer.keeps_given)
        self._floats = self.quantizer.prepared(self._own.main, self._schemes.of)
        self.layers = layers_of(self._own.main, self._schemes.of)

    def scheme_of_layer(self, layer: Layer) -> Scheme:
        """As the recipe says."""
        return self._schemes.of(layer.ops[0])

    def is_ruled(self, layer: Layer) -> bool:
        """A rule of the recipe says what an op of it has."""
        return any(rule.selector.matches(op) for rule in self.quantizer.recipe.rules for op in layer.ops)

    def with_schemes(self, changed: Mapping[int, Scheme]) -> Module:
        """All layers quantized, some by a scheme of their own.  changed: by number of layer."""
        own = {op: scheme for number, scheme in changed.items() for op in self.layers[number].ops}
        return self._made(lambda op: own.get(op) or self._schemes.of(op), self.quantizer.recipe.scheme.interface)

    def with_one(self, number: int) -> Module:
        """One layer alone quantized."""
        ops, floats = set(self.layers[number].ops), SCHEMES["float"]
        return self._made(lambda op: self._schemes.of(op) if op in ops else floats, None)

    def with_base(self, base: Scheme, changed: Mapping[str, Scheme], nearest: bool = False) -> Module:
        """With another scheme than the recipe's where no rule says one, and layers that have one of their own, by the
        text of their selectors.  The scheme asks for what the recipe's does: ranges, and channels of like ranges.
        nearest: as `Quantizer` has it.
        """
        quantizer = replace(self.quantizer, nearest=nearest)
        floats, _ = self._quantized(quantizer, self._with_base(base, changed), base.interface)
        eliminate_dead_code(floats.function.block)
        return Module([floats.function])

    def losses(self, base: Scheme, collector: Collector) -> dict[str, float]:
        """What layers lose by themselves where all have a scheme that no rule gives another: squares of the error over
        squares of the result, by the text of their selectors; those that were measured.  Weights of few bits are
        rounded one by one.  collector: has samples to measure with.
        """
        scheme_of = self._with_base(base, {})
        replace(self.quantizer, nearest=True).complete(self._floats, scheme_of)
        quantizer = replace(self.quantizer, collector=collector, measures=True, nearest=True, report=Report(""))
        _, originals = self._quantized(quantizer, scheme_of, None)
        texts = {op: layer.selector.text for layer in self.layers for op in layer.ops}
        found: dict[str, float] = {}
        for op, layer in quantizer.described.layers.items():
            text = texts.get(originals.get(op, op), "")
            if text and layer.snr is not None:
                found[text] = found.get(text, 0.0) + 10 ** (-layer.snr / 10)
        return found

    def _with_base(self, base: Scheme, changed: Mapping[str, Scheme]) -> Callable[[Op], Scheme]:
        schemes = Schemes(
            self._own, replace(self.quantizer.recipe, scheme=base), Report(""), self.quantizer.keeps_given
        )
        chosen = ((layer, changed[layer.selector.text]) for layer in self.layers if layer.selector.text in changed)
        own = {op: scheme for layer, scheme in chosen for op in layer.ops}
        return lambda op: own.get(op) or schemes.of(op)

    def _made(self, scheme_of: Callable[[Op], Scheme], interface: DType | None) -> Module:
        floats, _ = self._quantized(self.quantizer, scheme_of, interface)
        eliminate_dead_code(floats.function.block)
        return Module([floats.function])

    def _quantized(
        self, quantizer: Quantizer, scheme_of: Callable[[Op], Scheme], interface: DType | None
    ) -> tuple[Floats, dict[Op, Op]]:
        """A copy, and which op each of its ops was a copy of."""
        quantizer.complete(self._floats, scheme_of)
        floats, originals = copied(self._floats)
        quantizer.finish(floats, lambda op: scheme_of(originals.get(op, op)), interface)
        return floats, originals

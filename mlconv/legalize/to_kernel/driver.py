"""Core to kernel calls over a whole module."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import DTYPES, KernelOp
from mlconv.ir.core import Op, Value, Yield
from mlconv.ir.module import Function, Module
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import is_pure
from mlconv.ir.types import TensorType
from mlconv.legalize.strings import refuses_strings
from mlconv.legalize.to_kernel.builder import PLAIN, Forms, KernelBuilder, refuse, sizes
from mlconv.legalize.to_kernel.shared_weights import shared_weights
from mlconv.rewrite import NOT_MEANT, BackwardConversion, NoMatch, Rewriter, Rule, Rules

_FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "rounding": "cast",
        "integer_products": "integer_conv integer_matmul",
        "stored_numbers": "from_integers",
        "elementwise": "",
        "data_movement": "",
        "reduce": "",
        "pooling": "avg_pool max_pool",
        "products": "matmul",
        "transposed": "conv_transpose",
        "convolutions": "conv",
        "rounded": "quant_conv quant_matmul",
        "rounded_maps": "quant_binary quant_mean quant_table requantize storage_cast",
        "rounded_softmax": "quant_log_softmax quant_softmax",
        "rounded_windows": "quant_average_pool quant_conv_transpose quant_resize",
        "index": "dynamic_slice gather_elements gather_nd one_hot range reverse_sequence",
        "resize": "resize",
        "control": "if update_slice while",
        "order": "cumprod cumsum define_size non_max_suppression nonzero random_normal random_uniform "
        "scatter_elements scatter_fill scatter_nd segment_reduce top_k",
        "pads": "pad",
        "signal": "bitcast complex fft imag irfft real rfft",
        "recurrent": "gru lstm rnn",
        "trees": "tree_ensemble",
        "foreign": "foreign",
    }
)
"""Files of rules, each with its RULES, in the order in which they are asked, and the ops that they are for: they are
loaded when one is met.  Those without are for ops of every network.
"""


@functools.cache
def _rules_for(name: str) -> list[Rule]:
    """Of all files."""
    op = name.removeprefix("core.")
    files = [file for file, ops in _FAMILIES.items() if not ops or op in ops.split()]
    return [rule for file in files for rule in import_module(f"mlconv.legalize.to_kernel.{file}").RULES.find(name)]


def legalize(module: Module, engine: DiagnosticEngine, forms: Forms = PLAIN, more: Rules | None = None) -> None:
    """Make every op of the main function a kernel call or a constant, in place.  Failures are collected in `engine`;
    their ops stay.

    more: rules that are asked first.
    """
    if len(module.functions) != 1:
        message = f"a native object has one function, the module has {len(module.functions)}"
        engine.error(ConversionError(Code.TargetLacksOp, message, help="choose one with --signature"))
        return
    function = module.main
    if refuses_strings(function, engine, "native code") or not _inputs_fit(function, engine):
        return
    forms = forms._replace(shared=shared_weights(function.block))
    _Driver(engine, forms, function.facts.where, more or Rules()).run(function.block)


def _inputs_fit(function: Function, engine: DiagnosticEngine) -> bool:
    fine = True
    for value in function.inputs:
        t = value.type
        if isinstance(t, TensorType) and t.shape is not None and t.dtype in DTYPES:
            continue
        help_ = f"pin its shape with --shape {value.name}=D,D,..."
        error = ConversionError(
            Code.TargetLacksOp,
            f"input {value.name} is {t}: native code is made for numbers, and for a rank that is known",
            help=help_,
        )
        engine.add(error.with_context(function.location, value.name, "input"))
        fine = False
    return fine


class _Driver(BackwardConversion[KernelBuilder]):
    """Regions are walked when their op is met, so that what only they use is known to be used."""

    def __init__(self, engine: DiagnosticEngine, forms: Forms, facts: SizeFacts, more: Rules) -> None:
        super().__init__(engine)
        self.forms, self.facts, self.more = forms, facts, more
        self.nothing = Rule("nothing", _nothing)

    def enter(self, op: Op) -> None:
        if isinstance(op, KernelOp) and op.regions:
            for region in op.regions:
                self.walk(region.block)
            if op.name == "kernel.while":
                from mlconv.legalize.to_kernel.control import detach

                detach(op)

    def is_dead(self, op: Op) -> bool:
        impure = isinstance(op, Yield) or (op.spec is not None and not is_pure(op))
        return not impure and not op.is_used

    def is_legal(self, op: Op) -> bool:
        return isinstance(op, (Yield, KernelOp, core.Constant))

    def rules_of(self, op: Op) -> Sequence[Rule]:
        found = [*self.more.find(op.name), *_rules_for(op.name)]
        return (self.nothing, *found) if found else ()

    def builder(self, op: Op, rewriter: Rewriter) -> KernelBuilder:
        if self.rules_of(op):
            for value in (*op.inputs, *op.results):
                sizes(value)
        return KernelBuilder(rewriter, self.forms)

    def unsupported(self, op: Op, reasons: Sequence[str]) -> ConversionError:
        error = refuse(f"{op.name} has no kernel")
        error.diagnostic = replace(error.diagnostic, why=tuple(reasons))
        return error

    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        super().accept(op, values, rewriter)
        for old, new in zip(op.results, values, strict=True):
            if not self._agree(old.tensor, new.tensor):
                raise ConversionError(
                    Code.InternalError, f"{op.name} promises {old.tensor}, its kernel makes {new.tensor}"
                )

    def _agree(self, a: TensorType, b: TensorType) -> bool:
        """The same elements, and sizes that are equal wherever the code runs."""
        if a.dtype is not b.dtype or a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
            return False
        return all(x == y or holds(x, "==", y, self.facts) for x, y in zip(a.shape, b.shape, strict=True))


def _nothing(op: OpDef, e: KernelBuilder) -> list[Value] | NoMatch:
    """Constants for the results of an op that makes no element at all."""
    if not op.results or op.regions or any(v.tensor.size != 0 for v in op.results):
        return NOT_MEANT
    return [e.nothing(v.tensor) for v in op.results]

"""What quantization for a target would leave in floats, and why: without samples, and with weights unread."""

from __future__ import annotations

from dataclasses import dataclass, field

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.driver.context import Context
from mlconv.driver.options import Options
from mlconv.driver.outcomes import tell_layers
from mlconv.driver.pipeline import parts_of
from mlconv.driver.quantization import check_scheme
from mlconv.exporters.target import Target
from mlconv.ir.module import Module
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.quantize.outcome import Row
from mlconv.quantize.plan import STATUSES, Planned, planner
from mlconv.quantize.recipe import Recipe
from mlconv.quantize.report import FLOAT, PRODUCT_NAMES, Layer, RuleUse


@dataclass(slots=True)
class QuantRow:
    """Ops of one kind that fare alike.  status: of `mlconv.quantize.plan.STATUSES`.  reason: why not integers."""

    op: str
    status: str
    reason: str
    layers: list[Layer] = field(default_factory=list)


@dataclass(slots=True)
class QuantizationCheck:
    """ops: all that compute numbers, those of floats first.  rules: how many ops each matched."""

    scheme: str
    ops: list[Planned]
    rules: list[RuleUse]

    @property
    def rows(self) -> list[QuantRow]:
        found: dict[tuple[str, str, str], QuantRow] = {}
        for op in self.ops:
            key = op.layer.op, op.status, op.reason
            found.setdefault(key, QuantRow(*key)).layers.append(op.layer)
        return sorted(found.values(), key=lambda row: (STATUSES.index(row.status), -len(row.layers), row.op))

    @property
    def products(self) -> tuple[int, int]:
        """Products that do not compute with floats, and all."""
        products = [op for op in self.ops if op.layer.op in PRODUCT_NAMES]
        return sum(op.status != FLOAT for op in products), len(products)

    @property
    def layers(self) -> list[Row]:
        return [op.row for op in self.ops]


def check_schemes(options: Options, target: Target, engine: DiagnosticEngine) -> None:
    """Report schemes that a target does not have.  Raises ConversionError UsageError."""
    for scheme in recipe_of(options).schemes:
        try:
            check_scheme(scheme, target, target.symmetric(options.of_target(target)))
        except ConversionError as error:
            engine.error(error)


def recipe_of(options: Options) -> Recipe:
    return Recipe.of(options.quantize, options.quantize_rules, options.granularity, profile=options.quant_profile)


def quantize_unread(
    module: Module, options: Options, target: Target, context: Context, watch: Instruments
) -> QuantizationCheck:
    """Run the common passes and quantization on a module of core ops that is looked at and never written.  Raises
    ConversionError UsageError, RuleMatchesNothing.
    """
    recipe = recipe_of(options).among(module)
    plan = planner(recipe, target.dynamic, target.dynamic_blocks, target.symmetric(options.of_target(target)))

    def quantize(module: Module) -> None:
        plan.quantize(module)
        watch.context.floats = plan.floats

    watch.context.quantize = quantize
    passes = parse_pipeline(parts_of(module, options, target, context).common, context.passes)
    items = [item for item in passes if item.name == "quantize" or not item.reads_weights]
    names = [item.name for item in items]
    behind = names.index("quantize") + 1
    behind += names[behind : behind + 1] == ["quant-lower"]
    run_pipeline(module, items[:behind], watch)
    found = QuantizationCheck(recipe.scheme.name, plan.planned(), plan.report.rules)
    run_pipeline(module, items[behind:], watch)
    tell_layers(found.layers, module, target, lowered=False)
    return found

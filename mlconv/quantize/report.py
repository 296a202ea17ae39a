"""What quantization did, what it lost, and why: for people, and as data."""

from __future__ import annotations

import math
import os
from dataclasses import asdict, dataclass, field
from typing import TypedDict, cast

from mlconv.diagnostics.notebook import table
from mlconv.diagnostics.text import printable
from mlconv.formats.atomic import write_text
from mlconv.quantize.portable import PORTABLE
from mlconv.quantize.ranges import MIN_MAX
from mlconv.quantize.scheme import SCHEMES

EXACT_DB = 150.0
"""A signal-to-noise ratio that float32 does not tell from no noise."""
FLOAT = "float"


@dataclass(slots=True)
class Cause:
    """One part of what is lost up to a layer.  cause: `clipped`, `scale`, `channels`, `outliers`, `bias`, `weights`,
    `rounding` or `earlier`.  share: of the squared error there.  text: what was measured.  help: what may be done.
    """

    cause: str
    share: float
    text: str
    help: str = ""


@dataclass(slots=True)
class Layer:
    """One op that computes numbers, with those that go into it.  scheme: what it computes with.  reason: why it
    computes with floats, or stores weights alone.  line: of the user's source, empty where none is known.  select: what
    a rule finds it by.  low, high: range of its results.  limit: an upper one that it had, that samples never reached,
    and that is gone for channels to have like ranges: the layer is approximate beyond.  scale, zero_point: of their
    integers.  macs, bytes: what it multiplies and adds, and the size of its floats, per run; None where shapes are
    open.

    snr, network_snr: signal-to-quantization-noise ratios in dB: of what it loses by itself, fed with what it read
    before, and of its results in the quantized network.  saturation: share of results at the outermost integers, beyond
    what lies there before.  channel_ratio: the largest range of a channel over the median.  peak_ratio: the largest
    absolute value over the root mean square.  causes: the largest first.  milliseconds: of its kernels, in a run.  None
    where it was not measured.
    """

    op: str
    node: str
    line: str
    scheme: str
    reason: str = ""
    select: str = ""
    fused: list[str] = field(default_factory=list)
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    scale: float | None = None
    zero_point: int | None = None
    macs: int | None = None
    bytes: int | None = None
    snr: float | None = None
    network_snr: float | None = None
    saturation: float | None = None
    channel_ratio: float | None = None
    peak_ratio: float | None = None
    milliseconds: float | None = None
    causes: list[Cause] = field(default_factory=list)

    @property
    def place(self) -> str:
        """Where the user finds it."""
        return self.line or self.node


@dataclass(slots=True)
class RuleUse:
    """How many ops a rule matched."""

    rule: str
    ops: int


@dataclass(slots=True)
class OutputLoss:
    """snr: of an output of the model, in dB; None where it has no signal."""

    name: str
    snr: float | None


@dataclass(slots=True)
class Budget:
    """How much worse a model may be.  metric: its name.  float_score, score: of the model, and as it is quantized.
    worse: by how much; limit: by how much it may be.  trials: quantized copies that were scored.  layers: that could be
    kept in more bits; kept: those that are, as rules.  met: the limit was.
    """

    metric: str
    float_score: float
    score: float
    worse: float
    limit: float
    trials: int
    layers: int
    kept: list[str]
    met: bool


@dataclass(slots=True)
class SchemeTime:
    """A scheme for all layers, or a mixture.  milliseconds: of a run, kernels timed one by one.  worse: than the float
    model, in units of the metric.  met: that is within the limit.  None where it was not scored: something faster had
    been found.
    """

    scheme: str
    milliseconds: float
    score: float | None
    worse: float | None
    met: bool | None


@dataclass(slots=True)
class LayerTimes:
    """What a layer may have.  scheme: what it got.  milliseconds, snr: by scheme, of its kernels, and its own loss in
    dB; None where nothing was measured.
    """

    select: str
    scheme: str
    milliseconds: dict[str, float]
    snr: dict[str, float | None]


@dataclass(slots=True)
class Speed:
    """How a scheme was chosen by time.  machine: that it was measured on.  schemes: those for all layers, then
    mixtures, in the order in which they were tried.  raced: milliseconds of whole runs of those that came last, which
    took turns.  chosen: among schemes; why: it is.  compiled: how often the model was, but for its scores.
    others: milliseconds of kernels in front of all layers.
    """

    machine: str
    schemes: list[SchemeTime]
    raced: dict[str, float]
    chosen: str
    why: str
    compiled: int
    layers: list[LayerTimes]
    others: float = 0.0


@dataclass(slots=True)
class Report:
    """scheme: of ops that no rule matches.  samples: that were calibrated with.  equalized: values whose channels were
    brought to like ranges; taken_back: others, where that changed outputs.  limits: how many layers lost theirs for
    that.  measured: samples that losses are of, 0 where none were measured.  model, target, output: of the conversion,
    with sizes of the model's files and of the artifact.  float_bytes, stored_bytes: sizes of constants before and
    after.  ranges: how they were taken from the numbers that were met.  profile: whose ops over integers were taken.
    budget: of what it may lose, where that was asked for.  speed: how schemes were chosen by time, where they were.
    """

    scheme: str
    samples: int = 0
    equalized: int = 0
    taken_back: int = 0
    limits: int = 0
    measured: int = 0
    model: str = ""
    target: str = ""
    output: str = ""
    source_bytes: int = 0
    output_bytes: int = 0
    float_bytes: int = 0
    stored_bytes: int = 0
    outputs: list[OutputLoss] = field(default_factory=list)
    ranges: str = MIN_MAX
    profile: str = PORTABLE
    layers: list[Layer] = field(default_factory=list)
    rules: list[RuleUse] = field(default_factory=list)
    budget: Budget | None = None
    speed: Speed | None = None

    def __repr__(self) -> str:
        done, products = self.counted()
        lost = f", {self.outputs[0].snr:.1f} dB" if self.outputs and self.outputs[0].snr is not None else ""
        return f"<Report {printable(self.scheme)}: {done} of {products} products in fewer bits{lost}>"

    def _repr_html_(self) -> str:
        worst = [
            (layer.place, layer.scheme if layer.snr is None else f"{layer.scheme}, {layer.snr:.1f} dB")
            for layer in self.worst_first()
        ]
        return table(repr(self)[1:-1], worst)

    @property
    def is_portable(self) -> bool:
        """Other targets give the same integers."""
        return self.profile == PORTABLE

    @property
    def clips(self) -> bool:
        """Ranges leave numbers out."""
        return self.ranges != MIN_MAX

    @property
    def is_blind(self) -> bool:
        """Weights of products were rounded without samples, which tell how they are rounded best."""
        products = (layer for layer in self.layers if layer.op in PRODUCT_NAMES)
        return not self.samples and any(SCHEMES[layer.scheme].rounds for layer in products)

    def approximate(self) -> list[Layer]:
        """Layers without the limit that they had."""
        return [layer for layer in self.layers if layer.limit is not None]

    def counted(self) -> tuple[int, int]:
        """Products that are stored or computed in fewer bits, and all."""
        products = [layer for layer in self.layers if layer.op in PRODUCT_NAMES]
        return sum(layer.scheme != FLOAT for layer in products), len(products)

    def worst_first(self) -> list[Layer]:
        """Layers that were measured, those that lose most by themselves first; then others, in order."""
        return sorted(self.layers, key=lambda layer: math.inf if layer.snr is None else layer.snr)

    def floats(self) -> list[Layer]:
        """Ops that compute with floats, those that cost most first."""
        found = [layer for layer in self.layers if layer.scheme == FLOAT]
        return sorted(found, key=lambda layer: (-(layer.macs or 0), -(layer.bytes or 0)))

    def data(self) -> ReportData:
        """The report as plain data; docs/quantization.md describes it."""
        done, products = self.counted()
        facts = {"version": 1, "products": {"integers": done, "all": products}, **asdict(self)}
        return cast("ReportData", facts)

    def html(self) -> str:
        """One page that shows it all, and needs nothing else."""
        from mlconv.pages.page import page_of

        made = [f"written to {self.output}" if self.output else "", f"from {self.model}" if self.model else ""]
        heading = f"{os.path.basename(self.model) or 'model'}, quantized: {self.scheme}"
        return page_of("quantization", heading, " · ".join(filter(None, made)), {"quantization": self.data()})

    def write_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page.  Raises ConversionError OutputNotWritable."""
        write_text(os.fspath(path), self.html(), None, "the quantization report")


class ProductCounts(TypedDict):
    """Products that are stored or computed in fewer bits, and all."""

    integers: int
    all: int


class ReportData(TypedDict):
    """A `Report` as plain data."""

    version: int
    products: ProductCounts
    scheme: str
    samples: int
    equalized: int
    taken_back: int
    limits: int
    measured: int
    model: str
    target: str
    output: str
    source_bytes: int
    output_bytes: int
    float_bytes: int
    stored_bytes: int
    outputs: list[OutputLoss]
    ranges: str
    profile: str
    layers: list[Layer]
    rules: list[RuleUse]
    budget: Budget | None
    speed: Speed | None


PRODUCT_NAMES = ("core.conv", "core.conv_transpose", "core.matmul", "core.lstm", "core.gru", "core.rnn")


def decibels(signal: float, noise: float) -> float | None:
    """The ratio of two sums of squares; None where there is no signal, or one is not finite."""
    if not signal > 0 or not math.isfinite(signal) or not math.isfinite(noise):
        return None
    return EXACT_DB if noise <= signal * 10 ** (-EXACT_DB / 10) else 10 * math.log10(signal / noise)

"""What quantization did, and why: for people, and as data."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Layer:
    """One op that computes numbers.  scheme: what it computes with.  reason: why it computes with floats.  line: of the
    user's source, empty where none is known.  low, high: range of its results; scale: of their integers.
    """

    op: str
    node: str
    line: str
    scheme: str
    reason: str = ""
    low: float | None = None
    high: float | None = None
    scale: float | None = None
    zero_point: int | None = None


@dataclass(slots=True)
class RuleUse:
    """How many ops a rule matched."""

    rule: str
    ops: int


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
class Report:
    """scheme: of ops that no rule matches.  samples: that were calibrated with.  equalized: values whose channels were
    brought to like ranges.  ranges: how they were taken from the numbers that were met.  budget: of what it may lose,
    where that was asked for.
    """

    scheme: str
    samples: int = 0
    equalized: int = 0
    ranges: str = "min-max"
    layers: list[Layer] = field(default_factory=list)
    rules: list[RuleUse] = field(default_factory=list)
    budget: Budget | None = None

    def counted(self) -> tuple[int, int]:
        """Products of integers, and all."""
        products = [layer for layer in self.layers if layer.op in PRODUCT_NAMES]
        return sum(layer.scheme != "float" for layer in products), len(products)


PRODUCT_NAMES = ("core.conv", "core.conv_transpose", "core.matmul", "core.lstm", "core.gru", "core.rnn")

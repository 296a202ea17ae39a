"""The search for the fewest layers in more bits, on losses that are known, and what rules select."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import SimpleNamespace

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.core import Value, walk
from mlconv.ir.dtypes import DType
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation
from mlconv.quantize.budget import Search
from mlconv.quantize.layers import Layer, ladder_of, layers_of, selector_of_name
from mlconv.quantize.recipe import Recipe, Rule
from mlconv.quantize.scheme import SCHEMES, Scheme
from mlconv.quantize.select import Selector
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random
from tests.support.networks import conv, linear, network, relu

INT8, INT16, FLOAT = SCHEMES["int8"], SCHEMES["int16x8"], SCHEMES["float"]


class Trials:
    """Layers whose losses add up; 16 bits keep a part of each."""

    def __init__(self, losses: list[float], part: float, macs: list[int], ruled: Collection[int] = ()) -> None:
        self.losses, self.part, self.ruled = losses, part, ruled
        self.layers = [Layer(Selector.parse(f"n{i}"), (), 10, m) for i, m in enumerate(macs)]
        self.quantizer = SimpleNamespace(recipe=Recipe(INT8, (Rule.parse("conv=float"),)))

    def scheme_of_layer(self, layer: Layer) -> Scheme:
        return INT8

    def with_schemes(self, changed: Mapping[int, Scheme]) -> float:
        kept = {"int16x8": self.part, "float": 0.0}
        return sum(loss * (kept[changed[i].name] if i in changed else 1.0) for i, loss in enumerate(self.losses))

    def with_one(self, number: int) -> float:
        assert number not in self.ruled
        return self.losses[number]

    def is_ruled(self, layer: Layer) -> bool:
        return self.layers.index(layer) in self.ruled


class Judge:
    float_score = 100.0

    def score(self, lost: float) -> float:
        return 100.0 - lost

    def worse(self, score: float, than: float) -> float:
        return than - score

    def losses(self, copies: Iterable[float], count: int) -> Iterator[float]:
        assert count == 16
        yield from copies


def search(
    losses: list[float], limit: float, part: float = 0.0, macs: list[int] | None = None, ruled: Collection[int] = ()
) -> Search:
    trials = Trials(losses, part, macs or [1000] * len(losses), ruled)
    return Search(trials, Judge(), limit, lambda *_: None)  # type: ignore[arg-type]


def test_nothing_is_kept_for_no_need() -> None:
    own = search([1, 2, 3], 6)
    way = own.found()
    assert way.schemes == {} and len(own.tried) == 1 and own.recipe(way) == own.trials.quantizer.recipe


def test_the_layers_that_lose_most_are_kept() -> None:
    own = search([0.1, 5, 0.1, 7, 0.1, 0.1], 0.5)
    way = own.found()
    assert way.schemes == {1: INT16, 3: INT16} and way.worse == pytest.approx(0.4)
    assert [str(rule) for rule in own.recipe(way).rules] == ["conv=float", "n1=int16x8", "n3=int16x8"]


def test_loss_counts_for_what_it_costs() -> None:
    """Many cheap layers that lose little, or one dear layer that loses more than each of them."""
    way = search([3, 2, 2, 2], 4, macs=[10**6, 10, 10, 10]).found()
    assert 0 not in way.schemes and len(way.schemes) == 3


def test_floats_where_16_bits_lose_too_much() -> None:
    way = search([5, 0.1, 5], 0.5, part=0.5).found()
    assert way.schemes == {0: FLOAT, 2: FLOAT}


def test_each_of_those_kept_has_the_fewest_bits() -> None:
    """Floats are needed, but not for all of them."""
    own = search([9, 1, 1, 1, 1], 1.3, part=0.2)
    way = own.found()
    assert way.worse <= 1.3 and sorted(scheme.name for scheme in way.schemes.values()) == ["float"] * 3 + ["int16x8"]
    assert own.cost(way.schemes) == min(own.cost(w.schemes) for w in own.tried if w.worse <= 1.3)


def test_the_best_is_known_where_nothing_is_enough() -> None:
    own = search([5, 1], -1)
    way = own.found()
    assert way.worse == 0 and way.schemes == {0: INT16, 1: INT16}


@pytest.mark.parametrize(("limit", "kept", "worse"), [(6, {3}, 5.2), (1, {0, 2, 3}, 5), (6, set(), 12.2)])
def test_layers_that_rules_name_stay(limit: float, kept: set[int], worse: float) -> None:
    """Where that is too much, nothing is enough; where all are named, nothing is asked of them."""
    own = search([0.1, 5, 0.1, 7], limit, ruled={1} if kept else range(4))
    way = own.found()
    assert way.schemes == dict.fromkeys(kept, INT16) and way.worse == pytest.approx(worse)


def test_few_ways_are_tried() -> None:
    losses = [float(x) for x in np.random.default_rng(0).random(300) ** 8 * 10]
    own = search(losses, 3.0)
    assert own.found().worse <= 3.0 and len(own.tried) <= 64


@pytest.mark.parametrize(
    ("scheme", "names"),
    [
        ("int8", "int16x8 float"),
        ("int8-io-uint8", "int16x8 float"),
        ("int16x8", "float"),
        ("int4", "int8-weights float"),
    ],
)
def test_ladders(scheme: str, names: str) -> None:
    assert [s.name for s in ladder_of(SCHEMES[scheme])] == names.split()


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "float"])
def test_more_bits_cost_more(scheme: str) -> None:
    layer = Layer(Selector.parse("n"), (), 100, 1000)
    costs = [layer.cost(SCHEMES[scheme], above) for above in ladder_of(SCHEMES[scheme])]
    assert costs == sorted(costs) and costs[0] > 0


NAMES = [
    "a/b",
    "conv",
    "matmul",
    "a/b:0",
    "x.py:12",
    "w[0]",
    "what?",
    "*",
    "a*b[c]?:1-2",
    "tab\there",
    "core.conv",
    "é",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_selects_its_node(name: str) -> None:
    module = network((1, 5, 6, 8), lambda e, x: relu(e, conv(e, x, 4)))
    op, other = [op for op in module.main.block.ops if not isinstance(op, core.Constant)][:2]
    op.location, other.location = NameLocation(name), NameLocation(name + "x")
    selector = Selector.parse(selector_of_name(name))
    assert selector.matches(op) and not selector.matches(other)
    recipe = Recipe(INT8, (Rule(selector, FLOAT),))
    assert '[[rules]]\nselect = "' in recipe.text()


def test_layers() -> None:
    """Products and what else is of their nodes, with what they cost; by lines where there are no names."""
    module = network((2, 5, 6, 8), lambda e, x: linear(e, relu(e, conv(e, x, 4, groups=2)), 3))
    stack = CallStack((FileLocation("net.py", 7), FileLocation("train.py", 3)))
    products = [op for op in walk(module.main.block) if isinstance(op, (core.Conv, core.MatMul))]
    products[1].location = stack
    found = layers_of(module.main, lambda op: INT8)
    assert [layer.selector.text for layer in found] == [products[0].location.name, "net.py:7"]  # type: ignore[union-attr]
    assert products[0] in found[0].ops and found[1].ops == (products[1],)
    made = products[0].results[0].tensor.shape
    assert found[0].macs == np.prod(made) * 3 * 3 * 4 and found[0].weights == 3 * 3 * 4 * 4 + 4
    rows = np.prod(products[1].results[0].tensor.shape)
    assert found[1].macs == rows * products[1].operands[1].tensor.shape[0]  # type: ignore[union-attr]
    assert layers_of(module.main, lambda op: FLOAT) == []


def test_layers_of_look_ups() -> None:
    table = random(100, 16)

    def build(e: CoreBuilder, x: Value) -> Value:
        return linear(e, e.y(core.Gather(e.constant(table), e.cast(x, DType.I64), axis=0)), 3)

    module = network((1, 4), build)
    assert len(layers_of(module.main, lambda op: INT8)) == 2

"""Functions that say what they compute are that, and their bodies are not looked at; where their parameters do not fit,
the bodies are taken.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from tests.support.graph_defs import const, fill_attr, function, graph, node, placeholder, save

OPERANDS = {"boxes": "float", "scores": "float", "most": "int32", "iou": "float", "least": "float"}


def suppression(implements: str, ranks: tuple[int, int] | None, results: int = 2) -> Any:
    """A function whose body gives sevens.  ranks: of boxes and scores, where tracing left them."""
    outputs = {"selected": ("int32", "seven:output:0"), "valid": ("int32", "seven:output:0")}
    made = function("f", OPERANDS, [const("seven", np.int32(7))], dict(list(outputs.items())[:results]))
    fill_attr(made.attr["_implements"], "string", implements)
    for i, rank in enumerate(ranks or ()):
        shape = made.arg_attr[i].attr["_output_shapes"].list.shape.add()
        for _ in range(rank):
            shape.dim.add(size=-1)
    return made


@pytest.mark.parametrize(
    ("implements", "ranks", "results", "taken"),
    [
        ("non_max_suppression_padded_v2", (2, 1), 2, True),
        ("non_max_suppression_padded_v2", (3, 2), 2, False),
        ("non_max_suppression_padded_v2", None, 2, False),
        ("non_max_suppression_padded_v2", (2, 1), 1, False),
        ("another", (2, 1), 2, False),
    ],
)
def test_one_op_in_place_of_a_body(
    implements: str, ranks: tuple[int, int] | None, results: int, taken: bool, tmp_path: Path
) -> None:
    nodes = [placeholder("b", (4, 4)), placeholder("s", (4,)), const("m", np.int32(3))]
    nodes += [const("i", np.float32(0.5)), const("t", np.float32(0.1))]
    call = node(
        "y", "PartitionedCall", "b", "s", "m", "i", "t", f="f", Tin=list(OPERANDS.values()), Tout=["int32"] * results
    )
    path = save(graph(*nodes, call, functions=(suppression(implements, ranks, results),)), tmp_path)
    module = mlconv.load(path, outputs=["y:0"])
    boxes = np.float32([[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3], [5, 5, 6, 6]])
    (got,) = module.run({"b:0": boxes, "s:0": np.float32([0.8, 0.9, 0.05, 0.3])}).values()
    np.testing.assert_array_equal(got, [[1, 3, 0]] if taken else 7)

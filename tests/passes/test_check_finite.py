"""Warnings about numbers that are none: weights have them by accident, fills of choices on purpose."""

from __future__ import annotations

import pytest

from mlconv.dialects import DIALECTS
from mlconv.ir.parser import parse_module
from mlconv.passes.check_finite import find_not_finite

CHOSEN = """
^bb(%c: tensor<3xi1>, %x: tensor<3xf32>):
  %n = "core.constant"() {value = dense<0x7FC00000> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %y = "core.select"(%c, %x, %n) : (tensor<3xi1>, tensor<3xf32>, tensor<1xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
"""
ADDED = """
^bb(%x: tensor<3xf32>):
  %n = "core.constant"() {value = dense<0x7FC00000> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %y = "core.add"(%x, %n) : (tensor<3xf32>, tensor<1xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
"""


@pytest.mark.parametrize(("text", "count"), [(CHOSEN, 0), (ADDED, 1)])
def test_fills_are_meant(text: str, count: int) -> None:
    assert len(find_not_finite(parse_module(text, DIALECTS))) == count

"""Objects by the text that tables and entry points have for them."""

from __future__ import annotations

import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.objects import class_at, object_at
from mlconv.passes.base import Pass
from mlconv.passes.cse import Cse


def test_what_is_there() -> None:
    assert object_at("mlconv.ir.objects:object_at", object) is object_at
    assert class_at("mlconv.passes.cse:Cse", Pass) is Cse


@pytest.mark.parametrize(
    "place",
    ["mlconv.nothere:X", "mlconv.passes.cse:Nothing", "mlconv.passes.cse", "", "os:name"],
)
def test_what_is_not_there_or_no_pass(place: str) -> None:
    with pytest.raises(ConversionError) as caught:
        class_at(place, Pass)
    assert caught.value.code is Code.PluginUnusable


def test_a_class_of_another_base() -> None:
    with pytest.raises(ConversionError, match="no Pass"):
        class_at("pathlib:Path", Pass)

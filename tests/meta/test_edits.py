"""Ops that stand in a module are changed by `rewrite/edit` alone: places and names are kept by one rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation, node_names
from mlconv.rewrite import edit

ROOT = Path(__file__).parent.parent.parent
EDIT = re.compile(
    r"(?<!\bedit)\.(replace_by|set_operands?|drop_operands|erase|add_argument)\("
    r"|\b(?!edit\b)\w+\.unlink\((op|end)\)|(?<!self)\.(results|operands)\.(append|pop)\("
    r"|\.(results|operands|arguments|regions|attributes)(\[[^]]*\])? = |\.attributes\.(update|pop|setdefault)\("
    r"|(?<!self)(?<!builder)\.(location|type) = "
)
NAME = re.compile(r"(?<!self)\.name = ")
CREATING = ("importers", "exporters")
"""Rooms that give new values their names, and instructions of messages."""
ROOMS = ("importers", "interp", "legalize", "passes", "quantize", "runtime", "driver", "exporters", "profiles")
OTHERS = ("proto.type", "self.regions", "loop.regions", "node.regions", "copy.regions")
"""Fields of other things: messages, and nodes of a TensorFlow graph."""


def test_nothing_else_edits() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{i}: {line.strip()}"
        for room in ROOMS
        for path in sorted((ROOT / "mlconv" / room).rglob("*.py"))
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (EDIT.search(line) or (room not in CREATING and NAME.search(line)))
        and not any(other in line for other in OTHERS)
    ]
    assert not found, "\n".join(found)


@pytest.fixture
def function() -> Function:
    """y = (x + 1) + (x + 1), with a sum each."""
    made = Function.create("main", [TensorType(DType.F32, (2,))], ["x"], NameLocation("f"))
    (x,) = made.inputs

    def add(a: Value, b: Value, name: str) -> Value:
        return Builder(made.block, NameLocation(name)).emit(core.Add(a, b)).y

    one = Builder(made.block, NameLocation("one")).emit(core.Constant(value=make_const([1.0, 1.0], DType.F32))).y
    total = add(add(x, one, "first"), add(x, one, "second"), "total")
    Builder(made.block, NameLocation("end")).emit(Yield([total]))
    made.output_names = ["y"]
    return made


def names(value: Value) -> list[str]:
    assert value.producer is not None and value.producer.location is not None
    return list(node_names(value.producer.location))


def test_a_merged_op_has_the_places_of_both(function: Function) -> None:
    (total,) = function.outputs
    assert total.producer is not None
    first, second = total.producer.inputs
    second.name = "named"
    assert first.producer is not None and second.producer is not None
    edit.merge(second.producer, into=first.producer, by="test")
    assert names(first) == ["first", "second"] and first.name == "named"
    assert total.producer.inputs == [first, first] and function.block.size == 4


def test_a_joined_op_stands_before_another(function: Function) -> None:
    (total,) = function.outputs
    op = total.producer
    assert op is not None
    (first, _), x = op.inputs, function.inputs[0]
    assert first.producer is not None
    joined = edit.join(core.Mul(x, x), [first.producer, op], "test", before=op)
    edit.replace(op, joined.results)
    assert names(joined.y) == ["first", "total"] and function.outputs == [joined.y]
    with pytest.raises(ValueError, match="1 results, the replacement has 0"):
        edit.replace(joined, [])
    with pytest.raises(ValueError, match="is not in a block"):
        edit.insert(core.Neg(x), before=op)

"""The verifier: what is wrong with an op is said of the op, however its checks come upon it."""

from __future__ import annotations

import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import DIALECTS, hlo_table, tfl_operands, tfl_table
from mlconv.dialects.hlo_checks import CHECKS as HLO_CHECKS
from mlconv.dialects.tfl import FusesActivation, op_class
from mlconv.dialects.tfl_checks import CHECKS, NO_OPS, OPEN
from mlconv.ir.core import Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.parser import parse_module
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.target_op import TargetOp
from mlconv.ir.traits import Commutative, Elementwise, SameElementType
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.provenance.locations import NameLocation

TYPE = TensorType(DType.F32, (2,))


@op("test.target")
class Target(TargetOp):
    """Its check reads what is not there."""

    x: Value = operand()
    fault: str = attr()
    y: Value = result()

    def verify(self) -> None:
        faults = {
            "IndexError": lambda: (1,)[int("3")],
            "KeyError": lambda: {}["a"],
            "ValueError": lambda: list(zip((1,), (), strict=True)),
            "TypeError": lambda: 1 + "a",  # type: ignore[operator]
            "AttributeError": lambda: None.x,  # type: ignore[attr-defined]
            "ZeroDivisionError": lambda: 1 // 0,
            "OverflowError": lambda: 2.0**5000,
        }
        faults[self.fault]()


@op("test.typed")
class Typed(OpDef):
    """It infers from what is not there."""

    x: Value = operand()
    axis: int = attr(default=0)
    y: Value = result()

    def infer(self) -> TensorType:
        return TensorType(self.x.tensor.dtype, ((self.x.tensor.shape or ())[self.axis],))


def module_of(made: TargetOp | OpDef, function: Function) -> Module:
    made.location = NameLocation("here")
    function.block.insert(made)
    function.block.insert(Yield([made.results[0]], NameLocation("end")))
    function.output_names = ["y"]
    return Module([function], {})


@pytest.fixture
def function() -> Function:
    return Function.create("main", [TYPE], ["x"], NameLocation("f"))


FAULTS = ("IndexError", "KeyError", "ValueError", "TypeError", "AttributeError", "ZeroDivisionError", "OverflowError")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_check_that_fails_is_a_fault_of_the_op(fault: str, function: Function) -> None:
    module = module_of(Target([function.inputs[0]], {"fault": fault}, TYPE), function)
    with pytest.raises(ConversionError, match=rf"test.target .* its attributes do not fit .{fault}") as caught:
        verify(module)
    assert caught.value.code is Code.IrInvalid


def test_an_inference_that_fails_is_a_fault_of_the_op(function: Function) -> None:
    made = Typed(function.inputs[0])
    made.attributes["axis"] = 7
    with pytest.raises(ConversionError, match=r"test.typed .* its attributes do not fit .IndexError") as caught:
        verify(module_of(made, function))
    assert caught.value.code is Code.IrInvalid


def test_text_of_an_op_without_its_operands_is_read(function: Function) -> None:
    """Contents are followed while text is read; an op that does not fit is found later."""
    text = (
        '"builtin.module"() ({"mlconv.func"() ({\n'
        '%y = "core.shape_of"() {dtype = i64} : () -> (tensor<2xi64>) loc("y")\n'
        '"mlconv.yield"(%y) : (tensor<2xi64>) -> () loc("e")}) {output_names = ["y"]} : () -> ()}) : () -> ()'
    )
    with pytest.raises(ConversionError, match="it has 0 operands"):
        verify(parse_module(text, DIALECTS))


def test_every_operator_of_tflite_has_operands_and_a_check() -> None:
    assert set(tfl_operands.OPERANDS) == set(tfl_table.BUILTINS)
    assert set(CHECKS) | OPEN | NO_OPS == set(tfl_table.BUILTINS)
    assert not set(CHECKS) & (OPEN | NO_OPS)


def test_every_opcode_has_a_check() -> None:
    assert set(HLO_CHECKS) == set(hlo_table.ROWS)
    assert not hlo_table.ROWS.keys() & hlo_table.FOUND


def test_traits_of_operators() -> None:
    traits = {name: op_class(name).spec.traits for name in ("ADD", "SUB", "SOFTMAX", "CONV_2D", "LESS")}
    assert traits["ADD"] == {Elementwise, SameElementType, Commutative, FusesActivation}
    assert traits["SUB"] == {Elementwise, SameElementType, FusesActivation}
    assert traits["SOFTMAX"] == {SameElementType} and traits["LESS"] == {Elementwise}
    assert traits["CONV_2D"] == {FusesActivation}

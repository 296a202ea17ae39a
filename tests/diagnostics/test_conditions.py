"""Conditions of the GPU delegate and of NNAPI, on ops as files have them: what the delegates' own checks say."""

from __future__ import annotations

import pytest

from mlconv.dialects import DIALECTS
from mlconv.ir.parser import parse_module
from mlconv.profiles import load_profile
from mlconv.profiles.conditions import CONDITIONS

BOTH = '"align_corners" = true, "half_pixel_centers" = true'
TWO = '"depth_multiplier" = 2'
# profile, op, attributes, types of operands (with "=" in front: constants), type of the result, what is said
OPS = [
    ("tflite-gpu", "MUL", "", "1x8x1xf32 1x1x16xf32", "1x8x16xf32", ""),
    ("tflite-gpu", "MUL", "", "1x2x8x16xf32 16xf32", "1x2x8x16xf32", ""),
    ("tflite-gpu", "ADD", "", "1x2x8x16xf32 2x8x16xf32", "1x2x8x16xf32", ""),
    ("tflite-gpu", "ADD", "", "3x2x8x16xf32 2x8x16xf32", "3x2x8x16xf32", "does not broadcast"),
    ("tflite-gpu", "ADD", "", "8x16xf32 3x2x8x16xf32", "3x2x8x16xf32", "does not broadcast"),
    ("tflite-gpu", "LESS", "", "4xf32 4xf32", "4xi1", "in front of one CAST or SELECT"),
    ("tflite-gpu", "UNPACK", '"axis" = 1, "num" = 1', "4x1xf32", "4xf32", ""),
    ("tflite-gpu", "PAD", "", "8x16xf32 =2x2xi32", "10x18xf32", "with paddings of 2x2"),
    ("tflite-gpu", "PAD", "", "1x8x16xf32 =3x2xi32", "1x10x18xf32", ""),
    ("tflite-gpu", "CAST", "", "4xi1", "4xi32", "from bool to int32"),
    ("tflite-gpu", "CAST", "", "4xf16", "4xf32", "from float16 to float32"),
    ("tflite-gpu", "CAST", "", "4xi1", "4xf16", "from bool at an input"),
    ("tflite-gpu", "SELECT_V2", "", "1x4xi1 1x4xf32 4xf32", "1x4xf32", "with operand 2 of 4"),
    ("tflite-gpu", "SELECT_V2", "", "1x4xi1 1x4xf32 =1x4xf32", "1x4xf32", "a constant of 2 axes"),
    ("tflite-gpu", "SELECT_V2", "", "1x4xi1 1x4xf32 f32", "1x4xf32", ""),
    ("tflite-gpu", "DEPTHWISE_CONV_2D", TWO, "1x8x8x4xf32 =1x3x3x8xf32", "1x6x6x8xf32", ""),
    ("tflite-gpu", "DEPTH_TO_SPACE", '"block_size" = 1', "1x2x2x4xf32", "1x2x2x4xf32", "block_size 1"),
    ("tflite-gpu", "FULLY_CONNECTED", '"keep_num_dims" = true', "4xf32 =3x4xf32", "1x3xf32", "keep_num_dims"),
    ("tflite-gpu", "FULLY_CONNECTED", "", "=1x4xf32 3x4xf32", "1x3xf32", "of a constant"),
    ("tflite-gpu", "ONE_HOT", '"axis" = 0', "3xi32 =i32 =f32 =f32", "5x3xf32", "along axis 0"),
    ("tflite-gpu", "ONE_HOT", '"axis" = -1', "2x3xi32 =i32 =f32 =f32", "2x3x5xf32", "one element along axes"),
    ("tflite-gpu", "ONE_HOT", '"axis" = -1', "1x3xi32 =i32 =f32 =f32", "1x3x5xf32", ""),
    ("tflite-gpu", "RESIZE_BILINEAR", BOTH, "1x4x4x2xf32 =2xi32", "1x8x8x2xf32", "and half"),
    ("tflite-gpu", "LSTM", '"fused_activation_function" = "TANH"', "1x4xf32 1x4xf32", "1x4xf32", "with 2 operands"),
    ("nnapi", "MEAN", "", "4x4xf32 =2xi32", "f32", "to a scalar"),
    ("nnapi", "MEAN", "", "4x4xf32 =1xi32", "4xf32", ""),
    ("nnapi", "PACK", '"axis" = -1', "4xf32 4xf32", "4x2xf32", "along the last axis"),
    ("nnapi", "PACK", '"axis" = 0', "4xi32 4xi32", "2x4xi32", "only of"),
    ("nnapi", "UNPACK", '"axis" = 1, "num" = 1', "4x1xf32", "4xf32", "along the last axis"),
    ("nnapi", "UNPACK", '"axis" = 0, "num" = 1', "1x4xf32", "4xf32", ""),
    ("nnapi", "COS", "", "4xf32", "4xf32", ""),
    ("nnapi", "SPLIT_V", '"num_splits" = 1', "1x1xf32 =1xi32 =i32", "1x1xf32", ""),
    ("nnapi", "RESHAPE", "", "4xf32 =5xi32", "1x1x1x1x4xf32", "to 5 axes"),
    ("nnapi", "ADD", "", "1x1x1x1x4xf32 4xf32", "1x1x1x1x4xf32", "rank 5"),
    ("nnapi", "PACK", '"axis" = 0', "4xf32 4xf32", "2x4xf32", ""),
    ("nnapi", "SELECT", "", "4xi1 4x4xf32 4x4xf32", "4x4xf32", "a condition of 4"),
    ("nnapi", "ADD", '"fused_activation_function" = "RELU"', "4xi32 4xi32", "4xi32", "of int32 with RELU"),
    ("nnapi", "MAXIMUM", "", "4xf32 f32", "4xf32", "a scalar that is computed"),
    ("nnapi", "MAXIMUM", "", "4xf32 =f32", "4xf32", ""),
    ("nnapi", "BATCH_TO_SPACE_ND", "", "4x2x2x1xf32 =2xi32 =2x2xi32", "1x4x4x1xf32", "crops other than 0"),
    ("nnapi", "UNIDIRECTIONAL_SEQUENCE_RNN", "", "1x2x4xf32 =4x4xi8", "1x2x4xf32", "integer weights"),
]  # fmt: skip


def text_of(op: str, attributes: str, operands: list[str], result: str) -> str:
    types = [f"tensor<{name.removeprefix('=')}>" for name in operands]
    given = ", ".join(f"%v{i}: {t}" for i, t in enumerate(types) if not operands[i].startswith("="))
    held = "\n".join(
        f'  %v{i} = "core.constant"() {{"value" = dense<1> : {t}}} : () -> ({t}) loc("c")'
        for i, t in enumerate(types)
        if operands[i].startswith("=")
    ).replace("dense<1> : tensor<f32>", "dense<1.0> : tensor<f32>")
    names = ", ".join(f"%v{i}" for i in range(len(types)))
    inputs = ", ".join(f'"v{i}"' for i in range(given.count("%v")))
    return f"""\
"builtin.module"() ({{
"mlconv.func"() ({{
^bb({given}):
{held}
  %y = "tfl.{op}"({names}) {{{attributes}}} : ({", ".join(types)}) -> (tensor<{result}>) loc("n")
  "mlconv.yield"(%y) : (tensor<{result}>) -> () loc("y")
}}) {{sym_name = "main", input_names = [{inputs}], output_names = ["y"]}} : () -> () loc("main")
}}) : () -> ()
"""


@pytest.mark.parametrize(("profile", "op", "attributes", "operands", "result", "said"), OPS)
def test_conditions(profile: str, op: str, attributes: str, operands: str, result: str, said: str) -> None:
    module = parse_module(text_of(op, attributes, operands.split(), result), DIALECTS)
    found = [d.message for d in load_profile(profile).problems(module)]
    assert len(found) == bool(said) and all(said in message and f" {op} " in message for message in found), found


def test_all_are_used() -> None:
    used = {
        name for p in ("tflite-gpu", "nnapi") for rule in load_profile(p).rules.values() for name in rule.conditions
    }
    assert used == set(CONDITIONS)

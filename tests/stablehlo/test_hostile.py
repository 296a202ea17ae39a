"""Damaged and hostile files: refused with a code, in bounded time; never anything else."""

from __future__ import annotations

import pathlib
import time

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.exported import module_range
from mlconv.importers.stablehlo.read import read_module
from tests.stablehlo.functions import CASES
from tests.stablehlo.test_import import exported

MUTANTS = 400
NAMES = ("mlp", "conv_nhwc", "sort", "scan", "scatter_add", "constants_of_all_kinds", "top_k")


def attempt(path: pathlib.Path, data: bytes) -> str:
    """What became of a file: nothing, or a code."""
    path.write_bytes(data)
    start = time.perf_counter()
    try:
        mlconv.load(path)
    except ConversionError as error:
        assert error.code is not Code.InternalError
        return error.code.id
    finally:
        assert time.perf_counter() - start < 10
    return ""


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """A few bytes changed, a piece cut out, or the end cut off."""
    out, kind = bytearray(data), rng.integers(4)
    for _ in range(rng.integers(1, 4)):
        out[rng.integers(len(out))] = rng.integers(256)
    if kind == 0:
        del out[rng.integers(len(out)) :]
    if kind == 1:
        start = rng.integers(len(out))
        del out[start : start + rng.integers(1, 9)]
    return bytes(out)


@pytest.mark.share(6)
@pytest.mark.parametrize("name", NAMES)
def test_flipped_bytes(name: str, tmp_path: pathlib.Path) -> None:
    rng, data = np.random.default_rng(len(name)), exported(name).mlir_module_serialized
    codes = {attempt(tmp_path / "m.mlirbc", mutated(data, rng)) for _ in range(MUTANTS)}
    assert len(codes - {""}) > 1


@pytest.mark.share(4)
@pytest.mark.parametrize("name", NAMES)
def test_changed_text(name: str, tmp_path: pathlib.Path) -> None:
    rng, data = np.random.default_rng(len(name)), exported(name).mlir_module().encode()
    codes = {attempt(tmp_path / "m.mlir", mutated(data, rng)) for _ in range(MUTANTS // 4)}
    assert codes - {""}


@pytest.mark.parametrize("name", ["mlp"])
def test_every_prefix_of_a_serialized_export(name: str, tmp_path: pathlib.Path) -> None:
    data = bytes(exported(name).serialize())
    assert attempt(tmp_path / "whole", data) == ""
    for end in range(64, sum(module_range(data) or ()), 211):
        assert attempt(tmp_path / "part", data[:end])


def refused(text: str, tmp_path: pathlib.Path) -> Code:
    path = tmp_path / "m.mlir"
    path.write_text(text)
    with pytest.raises(ConversionError) as error:
        mlconv.load(path)
    return error.value.code


def main(body: str, result: str = "tensor<2xf32>") -> str:
    return f"module @m {{\n func.func @main(%x: tensor<2xf32>) -> {result} {{\n{body}\n return %y : {result}\n }}\n}}\n"


ADD = "%y = stablehlo.add %x, %x : tensor<2xf32>"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (main("%y = stablehlo.add %x, %z : tensor<2xf32>"), Code.InputNotProduced),
        (main("%y = stablehlo.add %x, : tensor<2xf32>"), Code.WrongArity),
        (main("%y = stablehlo.add %x, %x : tensor<3xf32>"), Code.ShapeMismatch),
        (main("%y = stablehlo.frobnicate %x : tensor<2xf32>"), Code.OpUnsupported),
        (main("%y = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>"), Code.InputNotProduced),
        (main("%y = call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>"), Code.NestedTooDeeply),
        (main("%y = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<2xf32>"), Code.TextNotUnderstood),
        (main('%y = stablehlo.constant dense<"0x00"> : tensor<2xf32>'), Code.ConstantInvalid),
        (main("%y = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>"), Code.ConstantInvalid),
        (main(ADD).replace("tensor<2xf32>", "tensor<2xf8E3M4>"), Code.ElementTypeUnsupported),
        (main(ADD).replace("tensor<2xf32>", "tensor<99999999999x99999999999xf32>"), Code.TensorTooLarge),
        (main(ADD).replace("@main", "private @f"), Code.NameNotFound),
        (main(ADD) + "module", Code.TextNotUnderstood),
        (main(ADD + ' loc("\\at")'), Code.TextNotUnderstood),
        (main(ADD).replace("tensor<2xf32>", "tensor<2x!quant.uniform<i8:f32, 1e99>>"), Code.QuantizationInvalid),
        (main(ADD + " loc(" + '"a"(' * 500 + "unknown" + ")" * 501), Code.NestedTooDeeply),
        (
            main('%y = "stablehlo.add"(%x, %x) {a = ' + "[" * 500 + "]" * 500 + "} : () -> tensor<2xf32>"),
            Code.NestedTooDeeply,
        ),
        (main("cf.br ^bb1\n^bb1:\n" + ADD), Code.ControlFlowUnstructured),
    ],
)
def test_texts_that_are_refused(text: str, code: Code, tmp_path: pathlib.Path) -> None:
    assert refused(text, tmp_path) is code


def test_bytecode_of_another_kind(tmp_path: pathlib.Path) -> None:
    """What is no portable artifact has no stable encoding; a version of the format that is not known is not read."""
    import io

    import jax

    case = CASES["mlp"]
    out = io.BytesIO()
    jax.jit(case.run).lower(*case.specs).compiler_ir("stablehlo").operation.write_bytecode(out)
    assert attempt(tmp_path / "m", out.getvalue()) == Code.VersionUnsupported.id
    data = bytearray(exported("mlp").mlir_module_serialized)
    data[4] = 99 << 1 | 1
    assert attempt(tmp_path / "m", bytes(data)) == Code.VersionUnsupported.id


def test_large_constants_stay_in_the_file(tmp_path: pathlib.Path) -> None:
    from mlconv.dialects.core import Constant
    from mlconv.ir.constants import Mapped

    path = tmp_path / "m.mlirbc"
    path.write_bytes(exported("mlp").mlir_module_serialized)
    constants = [op.value for op in mlconv.load(path).main.block.ops if isinstance(op, Constant)]
    large = [c for c in constants if c.nbytes > 256]
    assert large and all(isinstance(c, Mapped) for c in large)


@pytest.mark.parametrize("form", ["text", "bytecode"])
def test_time_is_linear(form: str, tmp_path: pathlib.Path) -> None:
    """Eight times the ops take less than thirty times as long, at best of three."""
    from jaxlib.mlir.dialects import stablehlo

    took = []
    for count in (2000, 16000):
        lines = ["%v0 = stablehlo.add %x, %x : tensor<2xf32>"]
        lines += [f"%v{i} = stablehlo.sine %v{i - 1} : tensor<2xf32>" for i in range(1, count)]
        text = main("\n".join([*lines, f"%y = stablehlo.cosine %v{count - 1} : tensor<2xf32>"]))
        path = tmp_path / f"m{count}"
        path.write_bytes(text.encode() if form == "text" else stablehlo.serialize_portable_artifact_str(text, "1.0.0"))
        times = []
        for _ in range(3):
            start = time.process_time()
            assert len(read_module(str(path)).functions["main"].body.ops) == count + 2
            times.append(time.process_time() - start)
        took.append(min(times))
    assert took[1] < 30 * took[0]

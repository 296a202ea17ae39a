"""Objects that are optimized for size, and what the report says of the bytes of any."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.codegen.machines.cpus import X86_64
from mlconv.dialects import core
from mlconv.exporters.native.parts import LIMIT, Form, smaller
from mlconv.exporters.target import FileSizes
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.ir.spec import OpDef
from tests.support.cli import call
from tests.support.integers import constant, function_of, int8
from tests.support.modules import const, module, random
from tests.support.native import CPUS, InProcess, to_object

PLACE: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "pads": ((1, 1), (1, 1))}
CORPUS = [
    "onnx/resnet18w16_dynamo.onnx",
    "onnx/silero_vad_openvino_16k.onnx",
    "onnx/ultraface_rfb_320.onnx",
    "onnx/dtln_model_1.onnx",
    "saved_model/k3_mobilenetv2_035",
    "graphdef/tf2onnx_ae0.pb",
]


def products(channels: int) -> Module:
    """Of each form that packs constant weights: a convolution, one of two groups, a matrix."""

    def make(b: Builder, v: Value) -> list[Value]:
        w, halves, matrix = random(3, 3, 8, channels), random(3, 3, 4, 2 * channels, seed=21), random(8, channels)
        bias = const(b, random(channels))
        return [
            b.emit(core.Conv(v, const(b, w), bias, **PLACE)).y,
            b.emit(core.Conv(v, const(b, halves), None, groups=2, **PLACE)).y,
            b.emit(core.MatMul(v, const(b, matrix))).y,
        ]

    return module(make, [random(1, 5, 6, 8)])


@pytest.mark.share(4)
@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("channels", [1, 3, 6, 8, 13, 16, 17, 22, 29, 37])
def test_no_column_is_filled_up(channels: int, cpu: str, tmp_path: pathlib.Path) -> None:
    """Sums are those of the interpreter, and nothing lies behind the weights but the end of a vector."""
    m, x = products(channels), random(1, 5, 6, 8)
    result = mlconv.convert(m, "native", tmp_path / "m.o", optimize="size", cpu=cpu)
    code, outputs = InProcess(tmp_path / "m.o").call([x])
    assert code == 0
    for y, expected in zip(outputs, run_function(m.main, {"in0": x}).values(), strict=True):
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
    exact = 4 * channels * (9 * 8 + 2 * 9 * 4 + 8 + 1)
    assert exact - 4 <= result.sizes.model_weights <= exact  # a bias of one number is no constant
    assert exact <= result.sizes.parts["weights"] <= exact + 3 * 64 + 4 * 64  # slack, and each aligned


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("sums", [1, 4])
def test_small_tiles(sums: int, cpu: str, tmp_path: pathlib.Path) -> None:
    """Less code for the same sums, of floats and of bytes, of rows that are fewer than a tile's too."""
    rng = np.random.default_rng(0)
    weights = rng.integers(-128, 128, (24, 37)).astype(np.int8)

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantMatMul(v[0], constant(b, weights, int8(0.01)), element=int8(0.2), lo=-128, hi=127)

    x = rng.integers(-128, 128, (23, 24)).astype(np.int8)
    few = module(lambda b, v: b.emit(core.MatMul(v, const(b, random(40, 21)))).y, [random(2, 40)])
    bytes_ = function_of([(int8(0.03, 5), x.shape)], make)
    for m, given in ((products(22), random(1, 5, 6, 8)), (few, random(2, 40)), (bytes_, x)):
        sizes = []
        for limit in (0, sums):
            path = to_object(m, tmp_path / f"m{limit}.o", cpu, sums=limit)
            sizes.append(json.loads(path.with_suffix(".io.json").read_text())["code"]["bytes"])
            code, outputs = InProcess(path).call([given])
            assert code == 0
            for y, expected in zip(outputs, run_function(m.main, {"in0": given}).values(), strict=True):
                np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
        assert sizes[1] <= sizes[0] + (64 if m is few else 0)  # one row at a time is as much, and code is aligned


def test_forms_become_smaller() -> None:
    """Sets are left out as far as needed, then code for the last one."""
    cpus = list(X86_64[:3])

    def next_form(weights: int, *code: int, sums: int = 0) -> Form | None:
        parts = {f"code {c.name}": n for c, n in zip(cpus, code, strict=False)}
        return smaller(FileSizes(1000, {"weights": weights, **parts, "rest": 30}), cpus[: len(code)], sums)

    assert next_form(1000, 40, 40, 40) is None
    assert next_form(1000, 40, 40, 60) == (2, 0)
    assert next_form(1000, 40, 110, 60) == next_form(1200, 40, 40, 40) == (1, 0)
    assert next_form(1000, 130) == (1, 4) and next_form(1000, 130, sums=4) == (1, 1)
    assert next_form(1000, 130, sums=1) is None and next_form(1000, 120) is None


def test_weights_that_are_quantized_count_as_they_are(tmp_path: pathlib.Path) -> None:
    elements = 9 * 64 * 64 + 74 * 4000
    result = mlconv.convert(network(4000), "native", tmp_path / "m.o", quantize="int8-weights", optimize="size")
    assert elements <= result.sizes.model_weights < 1.1 * elements
    assert result.size_bytes <= LIMIT * result.sizes.model_weights


def network(width: int) -> Module:
    """Convolutions of 64 channels, which Winograd's algorithm would do, and two matrices."""

    def make(b: Builder, v: Value) -> Value:
        y = b.emit(core.Conv(v, const(b, random(3, 3, 64, 64)), None, **PLACE)).y
        y = b.emit(core.MatMul(y, const(b, random(64, width)))).y
        return b.emit(core.MatMul(y, const(b, random(width, 10)))).y

    return module(make, [random(1, 16, 16, 64)])


def test_small_objects_have_no_other_weights(tmp_path: pathlib.Path) -> None:
    large = mlconv.convert(network(4000), "native", tmp_path / "speed.o")
    small = mlconv.convert(network(4000), "native", tmp_path / "size.o", optimize="size")
    transformed = "weights transformed for Winograd's algorithm"
    assert large.sizes.parts[transformed] == 36 * 64 * 64 * 4 and transformed not in small.sizes.parts
    assert large.sizes.model_weights == small.sizes.model_weights == 4 * (9 * 64 * 64 + 74 * 4000)
    assert small.size_bytes <= LIMIT * small.sizes.model_weights < large.size_bytes
    assert len(json.loads((tmp_path / "size.io.json").read_text())["cpus"]) > 1
    for result in (large, small):
        file = pathlib.Path(result.output)
        assert file.stat().st_size == result.size_bytes
        assert 0 <= result.size_bytes - sum(result.sizes.parts.values()) < 64
        facts = json.loads(file.with_suffix(".io.json").read_text())
        assert facts["sizes"] == {"model_weights": result.sizes.model_weights, "parts": result.sizes.parts}
        assert all(f"code {cpu}" in result.sizes.parts for cpu in facts["cpus"])


def test_tiny_models_are_code(tmp_path: pathlib.Path) -> None:
    """Of which the least instruction set's is kept."""
    for optimize, cpus in (("speed", 3), ("size", 1)):
        mlconv.convert(products(3), "native", tmp_path / "m.o", optimize=optimize)
        facts = json.loads((tmp_path / "m.io.json").read_text())
        assert len(facts["cpus"]) == cpus and facts["cpu"] == "x86-64"


@pytest.mark.share(4)
@pytest.mark.parametrize("machine", ["windows", "x86_64-apple-macosx11.0.0"])
def test_code_is_counted_in_every_format(machine: str, tmp_path: pathlib.Path) -> None:
    sizes = [
        mlconv.convert(network(64), "native", tmp_path / "m.o", machine=target).sizes.parts
        for target in ("x86_64", machine)
    ]
    elf, other = ({k: v for k, v in parts.items() if k.startswith("code ")} for parts in sizes)
    assert elf.keys() == other.keys()
    for name, size in elf.items():
        assert size / 1.25 < other[name] < 1.25 * size  # calling conventions differ


def test_the_report_shows_the_parts(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    source, out = models / "digits_cnn.onnx", tmp_path / "m.o"
    shown = call("convert", source, "--to", "native", "-o", out).output
    assert "code x86-64 " in shown and "code x86-64-v4 " in shown and "of the model's weights" in shown
    told = call("convert", source, "--to", "native", "-o", out, "--optimize", "size", "--json").output
    sizes = json.loads(told)["sizes"]
    assert set(sizes["parts"]) == {"weights", "code x86-64"} and sizes["model_weights"] > 0
    assert call("convert", source, "--to", "native", "-o", out, "--optimize", "both").exit_code == 2


@pytest.mark.share(6)
@pytest.mark.parametrize("name", CORPUS)
def test_models_of_more_than_a_megabyte(name: str, corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    result = mlconv.convert(corpus / "models" / name, "native", tmp_path / "m.o", optimize="size")
    assert result.sizes.model_weights > 1_000_000
    assert result.size_bytes <= LIMIT * result.sizes.model_weights

"""Chains of products on machines with little memory: a tile of rows at a time, over what the first one reads where that
is possible; to the bit as the interpreter has it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpu
from mlconv.codegen.program.memory_plan import plan_memory
from mlconv.codegen.settings import Settings
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import ConvChain
from mlconv.dialects.kernel.in_place import is_in_place
from mlconv.exporters.native.export import export
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from mlconv.ir.spec import OpDef
from mlconv.ir.verifier import verify
from mlconv.runtime.native import load_native
from tests.support.integers import constant, function_of, int8
from tests.support.lowering import lower
from tests.support.modules import const, module, random

KINDS = ("points", "depthwise", "window", "same")


def integers(kinds: list[str], seed: int, channels: int = 8, same: bool = False) -> Module:
    """Convolutions of some kinds behind one another, with zero points of their own, then their integers turned around.
    same: all have as many channels.
    """
    rng = np.random.default_rng(seed)

    def layer(x: Value, kind: str, b: Builder) -> core.QuantConv:
        kernel, by_itself = 1 if kind == "points" else 3, kind in ("depthwise", "same")
        cin = int(x.tensor.static_shape()[3])
        cout = cin if by_itself or same else int(rng.choice([4, 8, 20]))
        depth = kernel * kernel * (1 if by_itself else cin)
        pads = tuple((int(rng.integers(0, kernel)), int(rng.integers(0, kernel))) for _ in range(2))
        stored = rng.integers(-128, 128, (kernel, kernel, 1 if by_itself else cin, cout)).astype(np.int8)
        return core.QuantConv(
            x,
            constant(b, stored, int8(0.01)),
            element=int8(0.05 * depth**0.5, int(rng.integers(-20, 20))),
            groups=cin if by_itself else 1,
            strides=(int(rng.integers(1, 3)) if kind == "window" else 1,) * 2,
            pads=((1, 1), (1, 1)) if kind == "same" else pads,
            dilations=(int(rng.integers(1, 3)) if kind == "depthwise" else 1,) * 2,
            x_layout="N01C",
            w_layout="01IO",
            y_layout="N01C",
            lo=-128,
            hi=127,
        )

    def make(b: Builder, v: list[Value]) -> OpDef:
        x = v[0]
        for kind in kinds:
            x = b.emit(layer(x, kind, b)).y
        table = constant(b, np.arange(-128, 128)[::-1].astype(np.int8), int8(0.1))
        return core.QuantTable(x, table, element=int8(0.1), lo=-128, hi=127)

    return function_of([(int8(0.05, -7), (1, 13, 11, channels))], make)


def lowered(m: Module, machine: str) -> Module:
    m = clone_module(m)
    engine = DiagnosticEngine()
    lower(m, "native", engine, machine=machine)
    engine.raise_errors()
    verify(m)
    return m


def chains(m: Module) -> list[ConvChain]:
    return [op.attributes["problem"] for op in m.walk() if op.name == "kernel.conv_chain"]


def ran(kernels: Module, folder: Path, arrays: dict[str, Any]) -> dict[str, Any]:
    """Kernels for a small machine, on this one."""
    export(kernels, str(folder / "m.o"), Settings(cpu=host_cpu()))
    return load_native(folder / "m.o").run(arrays)


@pytest.mark.share(6)
@pytest.mark.parametrize("seed", range(24))
def test_chains_of_integers_are_exact(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(100 + seed)
    m = integers([str(k) for k in rng.choice(KINDS, rng.integers(2, 8))], seed, int(rng.choice([3, 8, 17])))
    x = rng.integers(-128, 128, m.main.inputs[0].tensor.static_shape()).astype(np.int8)
    small = lowered(m, "cortex-m")
    np.testing.assert_array_equal(ran(small, tmp_path, {"in0": x})["y"], run_function(m.main, {"in0": x})["y"])
    arenas = [plan_memory(lowered(m, machine).main.block).arena_bytes for machine in ("cortex-m", "aarch64")]
    assert all(isinstance(n, int) for n in arenas) and arenas[0] <= arenas[1]  # type: ignore[operator]


@pytest.mark.parametrize("channels", [8, 12])
def test_a_result_lies_over_what_the_chain_reads(channels: int, tmp_path: Path) -> None:
    """Points, a depthwise convolution and points again, of as many channels: an image and a few lines are enough."""
    m = integers(["points", "points", "same", "points", "same", "points"], 5, channels, same=True)
    small = lowered(m, "cortex-m")
    assert any(is_in_place(c) for c in chains(small))
    arena, image = plan_memory(small.main.block).arena_bytes, 13 * 11 * channels
    assert isinstance(arena, int) and image <= arena < 1.75 * image
    x = np.random.default_rng(1).integers(-128, 128, (1, 13, 11, channels)).astype(np.int8)
    np.testing.assert_array_equal(ran(small, tmp_path, {"in0": x})["y"], run_function(m.main, {"in0": x})["y"])


def test_chains_of_floats(tmp_path: Path) -> None:
    def make(b: Builder, x: Value) -> Value:
        for i, (kernel, groups) in enumerate([(1, 1), (3, 8), (1, 1), (3, 8), (1, 1)]):
            w = const(b, random(kernel, kernel, 8 // groups, 8, seed=i) / np.float32(kernel * 2))
            pads = (((kernel - 1) // 2,) * 2,) * 2
            x = b.emit(core.Conv(x, w, None, strides=(1, 1), pads=pads, dilations=(1, 1), groups=groups)).y
            x = b.emit(core.Clamp(x, lo=0.0, hi=6.0)).y
        return b.emit(core.Tanh(x)).y

    x = random(1, 12, 10, 8)
    m = module(make, [x])
    small = lowered(m, "cortex-m")
    assert any(c.alone for c in chains(small))
    wanted = run_function(m.main, {"in0": x})["out0"]
    np.testing.assert_allclose(ran(small, tmp_path, {"in0": x})["out0"], wanted, atol=2e-6)

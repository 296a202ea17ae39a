"""Chains of convolutions that are done a tile of rows at a time, against the interpreter and against the same chain
unfused.
"""

from __future__ import annotations

import pathlib
from typing import Any, NamedTuple

import numpy as np
import pytest

from mlconv import load_native
from mlconv.codegen.program.work import work
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import SLOTS, ConvChain, KernelOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from mlconv.legalize.to_kernel import fuse_convs
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import CPUS, Native, check, needs_cc, to_object


class Layer(NamedTuple):
    """depthwise: one filter for each channel.  add: a residual input is added, else the result is clamped."""

    channels: int
    kernel: tuple[int, int]
    stride: int = 1
    pads: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
    dilation: int = 1
    depthwise: bool = False
    add: bool = False


def chain(size: tuple[int, int], channels: int, layers: list[Layer]) -> tuple[Module, list[Any]]:
    """A module and its inputs: the image, then the residuals."""
    h, w = size
    shapes = []
    for layer in layers:
        h, w = (
            (d + sum(p) - (k - 1) * layer.dilation - 1) // layer.stride + 1
            for d, p, k in zip((h, w), layer.pads, layer.kernel, strict=True)
        )
        shapes.append((1, h, w, layer.channels))
    arrays = [
        random(1, *size, channels),
        *(random(*s, seed=i) for i, (s, layer) in enumerate(zip(shapes, layers, strict=True)) if layer.add),
    ]

    def make(b: Builder, x: Value, *residuals: Value) -> Value:
        cin, left = channels, list(residuals)
        for i, layer in enumerate(layers):
            inside = 1 if layer.depthwise else cin
            w = const(
                b,
                random(*layer.kernel, inside, layer.channels, seed=i)
                / np.float32(np.sqrt(inside * np.prod(layer.kernel))),
            )
            x = b.emit(
                core.Conv(
                    x,
                    w,
                    const(b, random(layer.channels, seed=i)),
                    strides=(layer.stride,) * 2,
                    pads=layer.pads,
                    dilations=(layer.dilation,) * 2,
                    groups=cin if layer.depthwise else 1,
                )
            ).y
            x = b.emit(core.Add(x, left.pop(0))).y if layer.add else b.emit(core.Clamp(x, lo=-1.0, hi=3.0)).y
            cin = layer.channels
        return x

    return module(make, arrays), arrays


def kernels(m: Module) -> list[KernelOp]:
    """What a module becomes."""
    m, engine = clone_module(m), DiagnosticEngine()
    lower(m, "native", engine)
    engine.raise_errors()
    return [op for op in m.main.block.ops if isinstance(op, KernelOp)]


def fused(m: Module) -> list[ConvChain]:
    """Problems of the fused kernels that a module becomes."""
    return [op.problem for op in kernels(m) if op.name == "kernel.conv_chain"]


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever can be fused is, in row tiles of a few lines."""

    def cut(ops: list[KernelOp], links: list[Any]) -> list[tuple[int, int, int]]:
        return [(0, len(links), 1 + len(ops) % 3)] if links else []

    monkeypatch.setattr(fuse_convs, "_cut", cut)


def random_chain(seed: int) -> tuple[tuple[int, int], int, list[Layer]]:
    rng = np.random.default_rng(seed)
    size = tuple(int(n) for n in rng.integers(12, 30, 2))
    channels = cin = int(rng.integers(1, 20))
    layers = []
    for _ in range(int(rng.integers(2, 5))):
        depthwise = bool(rng.integers(2))
        kernel = tuple(int(k) for k in rng.choice([1, 2, 3, 5], 2))
        stride = int(rng.integers(1, 1 + min(2, *kernel)))
        pads = tuple((int(rng.integers(0, k + 1)), int(rng.integers(0, k + 1))) for k in kernel)
        dilation = int(rng.integers(1, 3)) if stride == 1 else 1
        cin = cin * int(rng.choice([1, 1, 2, 4])) if depthwise else int(rng.integers(1, 40))
        layers.append(Layer(cin, kernel, stride, pads, dilation, depthwise, bool(rng.integers(2))))  # type: ignore[arg-type]
    return size, channels, layers  # type: ignore[return-value]


@pytest.mark.share(4)
@needs_cc
@pytest.mark.parametrize("seed", range(24))
def test_random_chains(seed: int, always: None, tmp_path: pathlib.Path) -> None:
    """Kernel sizes, strides, dilations, paddings (all of a kernel's size too), odd sizes and residuals; memory holds
    NaNs before the call.
    """
    m, arrays = chain(*random_chain(seed))
    assert fused(m)
    check(m, arrays, tmp_path, CPUS[seed % len(CPUS)])


BOTTLENECK = [Layer(96, (1, 1)), Layer(96, (3, 3), 2, ((1, 1), (1, 1)), depthwise=True), Layer(24, (1, 1))]


@needs_cc
@pytest.mark.parametrize(
    "name,size,channels,layers",
    [
        ("kernel.conv_chain", (112, 112), 16, BOTTLENECK),
        ("kernel.winograd", (64, 64), 32, [Layer(32, (3, 3), pads=((1, 1), (1, 1)))]),
    ],
)
def test_threads(name: str, size: tuple[int, int], channels: int, layers: list[Layer], tmp_path: pathlib.Path) -> None:
    """Parts that are done at once have memory of their own; the result is the same to the last bit."""
    m, arrays = chain(size, channels, layers)
    (op,) = (op for op in kernels(m) if op.name == name)
    assert op.problem.slots == SLOTS
    path = to_object(m, tmp_path / "m.o")
    _, (expected,) = Native(path).call(arrays)
    model = load_native(path, threads=3)
    for _ in range(20):
        np.testing.assert_array_equal(next(iter(model.run({"in0": arrays[0]}).values())), expected)


def test_work() -> None:
    """A fused kernel does what its stages do, and moves what is not between them."""
    (op,) = (op for op in kernels(chain((112, 112), 16, BOTTLENECK)[0]) if op.name == "kernel.conv_chain")
    assert len(op.problem.stages) == 3
    sums = 2 * (112 * 112 * 16 * 96 + 56 * 56 * 96 * 9 + 56 * 56 * 96 * 24)
    assert sums < work(op).flops < 1.2 * sums
    assert 4 * 112 * 112 * 16 < work(op).bytes < 4 * 112 * 112 * 96


def test_what_is_worth_it() -> None:
    """Chains whose results are large are fused, in row tiles whose memory a cache keeps; small ones are not, nor what
    something else reads too.
    """
    (large,) = fused(chain((112, 112), 16, BOTTLENECK)[0])
    assert large.scratch <= large.slots * fuse_convs.ROOM and large.height > 1
    assert not fused(chain((28, 28), 32, BOTTLENECK)[0])
    assert not fused(chain((112, 112), 16, [Layer(96, (1, 1))])[0])

    def make(b: Builder, x: Value) -> list[Value]:
        y = b.emit(
            core.Conv(
                x,
                const(b, random(1, 1, 16, 96)),
                None,
                strides=(1, 1),
                pads=((0, 0),) * 2,
                dilations=(1, 1),
                groups=1,
            )
        ).y
        z = b.emit(
            core.Conv(
                y,
                const(b, random(1, 1, 96, 8)),
                None,
                strides=(1, 1),
                pads=((0, 0),) * 2,
                dilations=(1, 1),
                groups=1,
            )
        ).y
        return [y, z]

    assert not fused(module(make, [random(1, 112, 112, 16)]))
    two = [random(2, 112, 112, 16)]
    assert not fused(module(lambda b, x: make(b, x)[1], two))


def test_reads_of_the_whole_end_a_chain(always: None, tmp_path: pathlib.Path) -> None:
    """x + convolution of x: the epilogue takes all of x, so what makes x is no part of the chain."""

    def make(b: Builder, x: Value) -> Value:
        for seed in range(2):
            w = const(b, random(1, 1, 8, 8, seed=seed))
            y = b.emit(core.Conv(x, w, None, strides=(1, 1), pads=((0, 0),) * 2, dilations=(1, 1), groups=1)).y
            x = b.emit(core.Add(x, y)).y
        return x

    x = random(1, 9, 10, 8)
    assert not fused(module(make, [x]))
    check(module(make, [x]), [x], tmp_path)

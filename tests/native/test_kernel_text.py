"""Text of kernel ops that was changed: it is refused with a code, or its object stays inside of its buffers."""

from __future__ import annotations

import inspect
import pathlib
import re
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from mlconv.codegen.kernels.routines import FAMILIES, family_of
from mlconv.diagnostics import Code, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel.routines import ROUTINES
from mlconv.dialects.kernel.verify.site import Site
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.printer import print_module
from mlconv.legalize.to_kernel import fuse_convs
from tests.native.test_control import add, if_, while_
from tests.native.test_conv_chain import Layer, chain
from tests.native.test_dimensions import data_movement, normalized, recurrent, routines
from tests.native.test_integer_winograd import conv
from tests.native.test_rounded import quant
from tests.support.integers import function_of
from tests.support.kernel_mutants import RAN, SLOW, KernelText, converted, kernel_texts, mutants, outcome, whole_mutant
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import small

_CASES = 24  # of each model


def winograd() -> Module:
    def make(b: Builder, x: Value) -> Value:
        w = const(b, random(3, 3, 32, 40))
        return b.emit(core.Conv(x, w, const(b, random(40)), strides=(1, 1), pads=((1, 1), (1, 1)), dilations=(1, 1))).y

    return module(make, [random(2, 25, 26, 32)])


def integer_winograd() -> Module:
    given = [(quant(0.05, 3), (2, 14, 15, 48))]
    return function_of(given, lambda b, v: conv(b, v[0], 40))  # type: ignore[arg-type]


def mlp() -> Module:
    def make(b: Builder, x: Value) -> list[Value]:
        y = b.emit(
            core.Tanh(b.emit(core.Add(b.emit(core.MatMul(x, const(b, random(9, 20)))).y, const(b, random(20)))).y)
        )
        y = b.emit(core.Select(b.emit(core.Greater(y.y, const(b, np.float32(0)))).y, y.y, const(b, random(20)))).y
        z = b.emit(core.Softmax(b.emit(core.MatMul(y, const(b, random(20, 3)))).y, axis=1)).y
        return [z, b.emit(core.ArgMax(z, axis=1)).y, b.emit(core.Cast(z, dtype=DType.I8, saturate=True)).y]

    return module(make, [random(4, 9)])


def attention() -> Module:
    def make(b: Builder, q: Value, k: Value, v: Value, mask: Value) -> Value:
        scores = b.emit(core.MatMul(q, k, transpose_b=True)).y
        scaled = b.emit(core.Add(b.emit(core.Mul(scores, const(b, np.float32(0.3)))).y, mask)).y
        return b.emit(core.MatMul(b.emit(core.Softmax(scaled, axis=2)).y, v)).y

    return module(make, [random(3, 20, 8), random(3, 20, 8), random(3, 20, 8), random(20, 20)])


def recurrence() -> Module:
    return module(recurrent, [random(3, 2, 7)])


def algorithms() -> Module:
    def make(b: Builder, x: Value, i: Value) -> list[Value]:
        spectrum = b.emit(core.Rfft(x, axes=(2,))).y
        piece = b.emit(core.DynamicSlice(x, i, const(b, np.array([1, 2, 3])))).y
        at = b.emit(core.ReduceMax(i, axes=(0,), keepdims=False)).y
        update = b.emit(core.UpdateSlice(x, piece, [at, at, at])).y
        segments = b.emit(core.SegmentReduce(x, b.emit(core.Mul(i, i)).y, const(b, np.int64(4)), reduction="mean")).y
        return [*routines(b, x), b.emit(core.Abs(spectrum)).y, piece, update, segments]

    return module(make, [random(3, 4, 6), np.array([0, 1, 2])])


def at_run_time() -> Module:
    made = [data_movement, lambda b, x, y: [normalized(b, b.emit(core.ExpandDims(x, axes=(0,))).y)]]

    def make(b: Builder, x: Value, y: Value) -> list[Value]:
        return [v for m in made for v in m(b, x, y)]

    return module(make, [random(3, 5), random(3, 5)], [(Dim.symbol("N"), 5), (Dim.symbol("N"), 5)])


def convolutions() -> Module:
    layers = [
        Layer(9, (3, 3), 1, ((1, 1), (1, 1))),
        Layer(9, (3, 3), 2, ((1, 1), (1, 1)), depthwise=True),
        Layer(20, (1, 1), add=True),
    ]
    return chain((14, 15), 5, layers)[0]


MODELS: list[Callable[[], Module]] = [
    small,
    winograd,
    integer_winograd,
    mlp,
    attention,
    recurrence,
    algorithms,
    at_run_time,
    convolutions,
]


@pytest.fixture(params=[*MODELS, "chain"], ids=lambda m: getattr(m, "__name__", m))
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[KernelText]:
    """The kernels of a model."""
    if request.param == "chain":
        monkeypatch.setattr(fuse_convs, "_cut", _everything)
        return [k for k in kernel_texts(convolutions()) if k.name == "kernel.conv_chain"]
    return kernel_texts(request.param())


def _everything(ops: Sequence[Any], links: Sequence[Any]) -> list[tuple[int, int, int]]:
    return [(0, len(links), 3)] if links else []


@pytest.mark.share(4)
def test_kernels_as_they_are(kernels: list[KernelText], tmp_path: pathlib.Path) -> None:
    """Sizes that are known at run time may need the conditions of the model, which a kernel alone does not have."""
    for kernel in kernels[:6]:
        got = outcome(kernel, tmp_path)
        assert got == RAN or ("?" in kernel.text and _is_fine(got)), f"{kernel.text}\n{got}"


@pytest.mark.share(6)
def test_changed_kernels(kernels: list[KernelText], tmp_path: pathlib.Path) -> None:
    found: Counter[str] = Counter()
    for kernel in mutants(kernels, _CASES, seed=7):
        got = outcome(kernel, tmp_path)
        assert _is_fine(got), f"{kernel.change}\n{kernel.text}\n{got}"
        found[got] += 1
    assert found[RAN] < _CASES and sum(found.values()) == _CASES


def _is_fine(got: str) -> bool:
    """Refused with a code that is no internal error, or run to its end."""
    return got in (RAN, SLOW) or bool(re.fullmatch(r"MLC\d{4}", got))


def test_guards_are_there(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """A kernel that the verifier would refuse is killed when it runs."""
    kernel = next(k for k in kernel_texts(mlp()) if k.name == "kernel.gemm")
    wrong = replace(kernel, problem=re.sub(r"run = \d+", "run = 4000000", kernel.problem))
    assert outcome(wrong, tmp_path) == Code.IrInvalid.id
    monkeypatch.setattr(Site, "check_view", lambda *_: None)
    assert outcome(wrong, tmp_path).startswith(f"signal {signal.SIGSEGV.value}")


def looped() -> Module:
    def make(b: Builder, x: Value, n: Value) -> list[Value]:
        def body(e: Builder, a: list[Value]) -> list[Value]:
            (y,) = a[1:2]
            return [e.emit(core.Tanh(e.emit(core.MatMul(y, const(e, random(6, 6)))).y)).y]

        (y,) = while_(b, n, [x], body)
        return if_(b, b.emit(core.Greater(n, const(b, np.int32(2)))).y, lambda e, _: [add(e, y, y)], lambda e, _: [y])

    return module(make, [random(3, 6), np.int32(3)])


@pytest.mark.share(6)
@pytest.mark.parametrize("make", [small, attention, looped, convolutions])
def test_changed_models(make: Callable[[], Module], tmp_path: pathlib.Path) -> None:
    """With the passes that follow; each number in turn may be in any kernel."""
    m, engine, rng = make(), DiagnosticEngine(), Random(5)
    lower(m, "native", engine)
    text = print_module(m)
    assert converted(text, tmp_path) == RAN
    for _ in range(_CASES // 2):
        changed, how = whole_mutant(text, rng)
        got = converted(changed, tmp_path)
        assert _is_fine(got), f"{how}\n{changed}\n{got}"


def test_routines_have_generators() -> None:
    """By the same names, with the parameters that the dialect says."""
    assert set(FAMILIES) == set(ROUTINES)
    for name in FAMILIES:
        generator = family_of(name).GENERATORS[name]
        assert inspect.signature(generator).parameters["given"].annotation == ROUTINES[name].__name__

"""What a call is refused for: workspaces and pointers that are missing or lie where they may not."""

from __future__ import annotations

import ctypes
import pathlib
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.module import Module
from tests.support.modules import const, module, random
from tests.support.native import InProcess, to_object

FINE, WORKSPACE, DIMENSIONS, POINTER = 0, 1, 3, 4
Call = dict[str, Any]


def needs_room(b: Builder, x: Value, y: Value) -> list[Value]:
    """Two results, and a value that lives in the workspace."""
    inner = b.emit(core.MatMul(x, const(b, random(16, 64)))).y
    sums = b.emit(core.Softmax(inner, axis=0)).y
    return [b.emit(core.MatMul(sums, const(b, random(64, 4)))).y, b.emit(core.Add(x, y)).y]


def loaded(path: pathlib.Path, m: Module, **settings: Any) -> InProcess:
    to_object(m, path / "m.o", **settings)
    return InProcess(path / "m.o")


class Caller:
    """Calls with pointers that a test changes."""

    def __init__(self, native: InProcess, inputs: list[Any], shapes: list[tuple[int, ...]], dims: Any = None) -> None:
        self.native, self.dims = native, dims
        self.size = native.workspace_bytes(dims)
        room = np.empty(self.size + 128, np.uint8)
        self.room, self.workspace = room, room.ctypes.data + -room.ctypes.data % 64
        self.held = [*inputs, *(np.empty(shape, np.float32) for shape in shapes)]
        self.inputs = [a.ctypes.data for a in inputs]
        self.outputs = [a.ctypes.data for a in self.held[len(inputs) :]]

    def __call__(self, **changed: Any) -> int:
        made = {"inputs": self.inputs, "outputs": self.outputs, "workspace": self.workspace, "dims": self.dims}
        given = {**made, **changed}
        tables = [
            None if given[side] is None else (ctypes.c_void_p * max(1, len(given[side])))(*given[side])
            for side in ("inputs", "outputs")
        ]
        workspace, size = ctypes.c_void_p(given["workspace"]), ctypes.c_size_t(changed.get("size", self.size))
        result: int = self.native.run_function(*tables, given["dims"], workspace, size, ctypes.c_void_p(None))
        return result


def test_pointers_of_fixed_sizes(tmp_path: pathlib.Path) -> None:
    x = random(3, 16)
    call = Caller(loaded(tmp_path, module(needs_room, [x, x])), [x, x], [(3, 4), (3, 16)])
    assert call.size > 0 and call() == FINE
    assert call(workspace=None) == WORKSPACE
    assert [call(workspace=call.workspace + n) for n in (1, 16, 32, 63)] == [WORKSPACE] * 4
    assert call(workspace=call.workspace + 64) == FINE  # 64 bytes on lies the next place that is aligned
    assert call(size=call.size - 1) == WORKSPACE
    assert call(inputs=None) == call(outputs=None) == POINTER
    for side in ("inputs", "outputs"):
        first, second = getattr(call, side)
        assert [call(**{side: given}) for given in ([None, second], [first, None])] == [POINTER, POINTER]
    assert call(inputs=[None, None], size=0) == WORKSPACE  # the workspace is asked for first
    assert call() == FINE


def test_nothing_is_needed_for_nothing(tmp_path: pathlib.Path) -> None:
    """No workspace where none is used, and no pointer to a tensor without elements."""
    empty, x = np.zeros((0, 4), np.float32), random(2, 4)
    m = module(lambda b, v, w: b.emit(core.Concat((v, w), axis=0)).y, [empty, x])
    call = Caller(loaded(tmp_path, m), [empty, x], [(2, 4)])
    assert call.size == 0 and call(workspace=None) == call(workspace=3) == FINE
    assert call(inputs=[None, x.ctypes.data]) == FINE
    assert call(inputs=[empty.ctypes.data, None]) == POINTER


def test_sizes_of_the_call(tmp_path: pathlib.Path) -> None:
    """Where sizes are known at run time, they say what is needed."""
    m = module(needs_room, [random(1, 16)] * 2, shapes=[(Dim.symbol("N"), 16)] * 2)
    native = loaded(tmp_path, m)
    x, dims = random(5, 16), (ctypes.c_int64 * 1)(5)
    call = Caller(native, [x, x], [(5, 4), (5, 16)], dims)
    assert call() == FINE and call(dims=None) == DIMENSIONS
    assert call(workspace=None) == call(workspace=call.workspace + 8) == WORKSPACE
    assert call(inputs=[x.ctypes.data, None]) == call(outputs=[None, None]) == POINTER


@pytest.mark.parametrize("machine", ["", "wasm32", "armv7", "windows", "cortex-m"])
def test_the_check_compiles_everywhere(machine: str, tmp_path: pathlib.Path) -> None:
    m = module(needs_room, [random(3, 16)] * 2)
    assert mlconv.convert(m, "native", tmp_path / "m.o", machine=machine).size_bytes


def test_separate_weights(tmp_path: pathlib.Path) -> None:
    x = random(3, 16)
    native = loaded(tmp_path, module(needs_room, [x, x]), separate_weights=True)
    data = np.fromfile(tmp_path / "m.weights.bin", np.uint8)
    room = np.empty(len(data) + 64, np.uint8)
    weights = room.ctypes.data + -room.ctypes.data % 64
    ctypes.memmove(weights, data.ctypes.data, len(data))
    call = Caller(native, [x, x], [(3, 4), (3, 16)])
    given = call.inputs
    assert call(inputs=[*given, weights]) == FINE
    assert [call(inputs=[*given, at]) for at in (None, weights + 1, weights + 32)] == [POINTER] * 3

"""Modules compiled to native objects, linked into shared libraries and called through the C ABI, with guard bytes
behind every buffer.
"""

from __future__ import annotations

import ctypes
import json
import pathlib
import shutil
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from mlconv.codegen.settings import Settings
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.exporters.native.export import export
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dim_parser import parse_dim
from mlconv.ir.dims import substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.runtime.native import load_native
from tests.support.lowering import lower
from tests.support.modules import const, module, random

Array = np.ndarray[Any, Any]
GUARD = 64
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
CPUS = ["x86-64", "x86-64-v3"]
try:
    if "avx512vl" in pathlib.Path("/proc/cpuinfo").read_text():
        CPUS.append("x86-64-v4")
except OSError:
    pass
OWN = CPUS[-1]  # what runs here: tests of numbers need no code for other sets
FLOATS = ["float64", "float32", "float16", "bfloat16"]
INTEGERS = ["int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"]
COMPLEX = ["complex64", "complex128"]
ALL = [*FLOATS, *INTEGERS, *COMPLEX, "bool"]


def to_object(m: Module, path: pathlib.Path, cpu: str = "x86-64-v3", **settings: Any) -> pathlib.Path:
    """Write the object of a module of core ops.  settings: fields of `Settings`."""
    m = clone_module(m)
    engine = DiagnosticEngine()
    lower(m, "native", engine)
    engine.raise_errors()
    assert export(m, str(path), Settings(cpu=cpu, **settings)) == path.stat().st_size
    return path


class Native:
    """A linked object."""

    def __init__(self, path: pathlib.Path) -> None:
        self.facts = json.loads(path.with_suffix(".io.json").read_text())
        library = path.with_suffix(".so")
        subprocess.run(["cc", "-shared", "-o", library, path, "-lm"], check=True)
        loaded = ctypes.CDLL(str(library))
        self.run_function = getattr(loaded, self.facts["entry"])
        self.workspace_bytes = getattr(loaded, self.facts["entry"].removesuffix("_run") + "_workspace_bytes")
        self.workspace_bytes.restype = ctypes.c_size_t

    def call(
        self,
        inputs: Sequence[Array],
        workspace_bytes: int | None = None,
        given: dict[str, int] | None = None,
        parallel: int | None = None,
    ) -> tuple[int, list[Array]]:
        """(result of the entry, outputs).  given: dimensions that are known at run time; parallel: address of an
        `mlc_parallel`.

        Checks that nothing behind a buffer was written.
        """
        dims = None if given is None else (ctypes.c_int64 * len(given))(*(given[d] for d in self.facts["dimensions"]))
        size = self.workspace_bytes(dims) if workspace_bytes is None else workspace_bytes
        room = np.full(size + 2 * GUARD, 0xFF, np.uint8)  # float NaNs
        workspace = room[-room.ctypes.data % GUARD :]
        shapes = [tuple(parse_dim(str(d)) for d in o["shape"]) for o in self.facts["outputs"]]
        shapes = [tuple(substitute(d, given or {}) for d in shape) for shape in shapes]
        types = [
            (DType.from_numpy(o["dtype"]).numpy, shape) for o, shape in zip(self.facts["outputs"], shapes, strict=True)
        ]
        lengths = [d.itemsize * int(np.prod(s)) for d, s in types]
        outputs = [np.full(n + GUARD, 0xA5, np.uint8) for n in lengths]
        held = [np.ascontiguousarray(a) for a in inputs]
        ins = (ctypes.c_void_p * max(1, len(held)))(*(a.ctypes.data for a in held))
        outs = (ctypes.c_void_p * max(1, len(outputs)))(*(a.ctypes.data for a in outputs))
        code = self.run_function(
            ins, outs, dims, ctypes.c_void_p(workspace.ctypes.data), ctypes.c_size_t(size), ctypes.c_void_p(parallel)
        )
        assert (workspace[size:] == 0xFF).all(), "wrote behind the workspace"
        assert all((o[n:] == 0xA5).all() for o, n in zip(outputs, lengths, strict=True)), "wrote behind an output"
        return code, [o[:n].view(d).reshape(s) for o, n, (d, s) in zip(outputs, lengths, types, strict=True)]


class InProcess(Native):
    """An object that is loaded without a C compiler."""

    def __init__(self, path: pathlib.Path) -> None:
        self.model = load_native(path)
        self.facts, self.run_function, self.workspace_bytes = self.model.facts, self.model._call, self.model._need


def check(
    m: Module, arrays: Sequence[Array], folder: pathlib.Path, cpu: str = "x86-64-v3", tolerance: float = 2e-5
) -> None:
    """The object gives what the reference interpreter gives."""
    code, got = Native(to_object(m, folder / f"m_{cpu[-2:]}.o", cpu)).call(arrays)
    with np.errstate(all="ignore"):
        expected = run_function(m.main, {f"in{i}": a for i, a in enumerate(arrays)})
    assert code == 0
    for name, y in zip(m.main.output_names, got, strict=True):
        r = np.asarray(expected[name])
        assert r.dtype == y.dtype and r.shape == y.shape
        loose = {"float16": 2e-3, "bfloat16": 2e-2}.get(r.dtype.name, tolerance)
        if r.dtype.kind not in "iub":
            wide = np.complex128 if r.dtype.kind == "c" else np.float64
            y, r = y.astype(wide), r.astype(wide)
            finite = r[np.isfinite(r)]
            np.testing.assert_allclose(
                y, r, rtol=loose, atol=loose * max(1.0, float(np.abs(finite).max(initial=0))), err_msg=name
            )
        else:
            np.testing.assert_array_equal(y, r, err_msg=name)


def data(name: str, *shape: int, edges: bool = False, seed: int = 3) -> Array:
    """Random numbers of a type; edges: the ends of its range, infinities, NaN and both zeros among them."""
    rng, dtype = np.random.default_rng(seed), DType.from_numpy(name).numpy
    if name == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if name in COMPLEX:
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    if name in INTEGERS:
        info = np.iinfo(dtype)
        out = rng.integers(max(info.min, -9), 10, shape).astype(dtype)
        if edges:
            out.reshape(-1)[:8] = [info.min, info.max, 0, 1, info.min, info.max, info.min, max(info.min, -1)]
        return out
    out = (rng.standard_normal(shape) * 3).astype(dtype)
    if edges:
        out.reshape(-1)[:8] = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2.5]).astype(dtype)
    return out


def check_all(
    makes: Sequence[Callable[..., Value]],
    arrays: Sequence[Array],
    folder: pathlib.Path,
    cpu: str = "x86-64-v3",
    tolerance: float = 2e-5,
) -> None:
    """One object with a result for each function."""
    check(module(lambda b, *v: [make(b, *v) for make in makes], arrays), arrays, folder, cpu, tolerance)


def small() -> Module:
    """A convolution, a pooling and a product, with libm in between."""

    def make(b: Builder, x: Value) -> list[Value]:
        y = b.emit(
            core.Conv(x, const(b, random(3, 3, 2, 20)), strides=(1, 1), pads=((1, 1), (1, 1)), dilations=(1, 1))
        ).y
        y = b.emit(
            core.MaxPool(b.emit(core.Sin(y)).y, window=(2, 2), strides=(2, 2), pads=((0, 0), (0, 0)), dilations=(1, 1))
        ).y
        flat = b.emit(core.ReduceMean(y, axes=(1, 2))).y
        return [b.emit(core.Softmax(b.emit(core.MatMul(flat, const(b, random(20, 7)))).y, axis=1)).y, x]

    return module(make, [random(1, 8, 8, 2)])


def run_program(*command: object, folder: pathlib.Path | None = None) -> str:
    """What a command prints; it must end well."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout

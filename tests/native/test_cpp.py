"""The header: its C part and its C++17 class compile without a warning, and the class runs models."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.ir.dtypes import DType
from mlconv.runtime.arrays import read_safetensors
from mlconv.runtime.native import NativeModel
from tests.support.modules import module

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic", "-Werror"]
COMPILERS = [c for c in ("g++", "clang++") if shutil.which(c)]
TF = pathlib.Path(__file__).parent.parent / "tf"
pytestmark = pytest.mark.skipif(not COMPILERS, reason="no C++ compiler")


def built(compiler: str, folder: pathlib.Path, body: str) -> None:
    """A program of a main with `read` and `write` of standard streams."""
    text = f"""#include "net.h"
#include <cstdio>
#include <cstdlib>
#include <vector>
template <typename T> static std::vector<T> read(std::size_t bytes) {{
  std::vector<T> data(bytes / sizeof(T));
  if (std::fread(data.data(), 1, bytes, stdin) != bytes) std::exit(9);
  return data;
}}
template <typename T> static void write(const std::vector<T> &data) {{
  std::fwrite(data.data(), sizeof(T), data.size(), stdout);
}}
int main() {{
{body}
}}
"""
    (folder / "main.cpp").write_text(text)
    command = [compiler, "-std=c++17", *STRICT, "-o", "main", "main.cpp", "net.o", "-lm", "-lpthread"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def ran(folder: pathlib.Path, *inputs: np.ndarray[Any, Any]) -> bytes:
    data = b"".join(a.tobytes() for a in inputs)
    return subprocess.run(["./main"], cwd=folder, input=data, capture_output=True, check=True).stdout


def converted(folder: pathlib.Path, source: object, **options: Any) -> NativeModel:
    mlconv.convert(source, "native", folder / "net.o", **options)  # type: ignore[arg-type]
    return mlconv.load_native(folder / "net.o")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_model_of_fixed_sizes(compiler: str, models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    model = converted(tmp_path, models / "digits_cnn.onnx", pool=True, shapes={"image": (1, 1, 8, 8)})
    name, dtype, shape = model.inputs[0]
    x = np.random.default_rng(0).standard_normal(tuple(map(int, shape))).astype(dtype)
    body = """
  net_model model;
  static_assert(net_model::inputs == 1 && net_model::outputs == 1, "of the digits");
  const auto x = read<float>(model.input_bytes(0));
  std::vector<float> y(model.output_bytes(0) / sizeof(float));
  if (model.input_bytes(1) != 0 || model.workspace_bytes() != NET_WORKSPACE_BYTES) return 1;
  if (model.run(nullptr, y.data()) != NET_ERROR_POINTER) return 2;
  net_model other = std::move(model);
  if (model.run(x.data(), y.data()) != NET_ERROR_WORKSPACE) return 3;
  const mlc_parallel *pool = net_pool_create(2);
  if (other.run(x.data(), y.data(), pool) != 0) return 4;
  net_pool_destroy(pool);
  write(y);
  return 0;"""
    built(compiler, tmp_path, body)
    y = np.frombuffer(ran(tmp_path, x), np.float32)
    np.testing.assert_array_equal(y, next(iter(model.run({name: x}).values())).reshape(-1))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_sizes_that_are_known_at_run_time(compiler: str, models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    model = converted(tmp_path, models / "digits_rnn.onnx", shapes={"image": ("N", 8, 8)})
    assert model.facts["dimensions"] == ["N"]
    x = np.random.default_rng(0).standard_normal((3, 8, 8)).astype(np.float32)
    body = """
  net_model model;
  float one[64] = {}, out[10];
  if (model.run(one, out) != NET_ERROR_DIMENSIONS) return 1;
  if (model.resize(-1) != NET_ERROR_DIMENSIONS) return 2;
  if (model.resize(1) != 0 || model.run(one, out) != 0) return 3;
  if (model.resize(3) != 0 || model.input_bytes(0) != 768) return 4;
  const auto x = read<float>(model.input_bytes(0));
  std::vector<float> y(model.output_bytes(0) / sizeof(float));
  if (model.run(x.data(), y.data()) != 0) return 5;
  write(y);
  return 0;"""
    built(compiler, tmp_path, body)
    y = np.frombuffer(ran(tmp_path, x), np.float32).reshape(3, 10)
    np.testing.assert_array_equal(y, next(iter(model.run({"image": x}).values())))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_state_of_a_model(compiler: str, tmp_path: pathlib.Path) -> None:
    """Three steps of a model with variables: TensorFlow's outputs.  The class keeps the variables."""
    model = converted(tmp_path, TF / "stateful_saved_model")
    held = read_safetensors(str(tmp_path / model.facts["initial_state"]))
    pairs, outputs = model.facts["state"], [p.name for p in model.interface.outputs]
    taken = [p.name for p in model.interface.inputs].index("x")
    free = [(i, n) for i, n in enumerate(outputs) if n not in {s["output"] for s in pairs}]
    with np.load(TF / "stateful.npz") as z:
        golden = dict(z)
    accessors = [f"state{k}_{s['input']}" for k, s in enumerate(pairs)]
    copies = "\n".join(
        f"  {{ const auto v = read<unsigned char>(model.{a}_bytes()); std::memcpy(model.{a}(), v.data(), v.size()); }}"
        for a in accessors
    )
    results = "\n".join(f"  std::vector<float> {n}(model.output_bytes({i}) / sizeof(float));" for i, n in free)
    body = f"""
  net_model model;
{copies}
{results}
  for (int step = 0; step < {len(golden["x"])}; step++) {{
    const auto x = read<float>(model.input_bytes({taken}));
    if (model.run(x.data(), {", ".join(f"{n}.data()" for _, n in free)}) != 0) return 1;
    write(y);
    write(n);
  }}
  model.reset();
  for (std::size_t i = 0; i < model.{accessors[0]}_bytes(); i++)
    if (reinterpret_cast<const unsigned char *>(model.{accessors[0]}())[i]) return 2;
  return 0;"""
    built(compiler, tmp_path, body)
    got = ran(tmp_path, *(held[s["variable"]] for s in pairs), golden["x"].astype(np.float32))
    rows = np.frombuffer(got, np.dtype([("y", "<f4", golden["y"].shape[1:]), ("n", "<f4")]))
    np.testing.assert_allclose(rows["y"], golden["y"], rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(rows["n"], golden["n"].reshape(-1))


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64", "int8", "uint64", "bool"])
def test_every_type_compiles(dtype: str, tmp_path: pathlib.Path) -> None:
    """The class takes and gives arrays of the type in C."""
    x = np.arange(6).astype(DType.from_numpy(dtype).numpy)
    m = module(lambda b, v: b.emit(core.LogicalNot(v) if dtype == "bool" else core.Mul(v, v)).y, [x])
    model = converted(tmp_path, m)
    element = {"float16": "std::uint16_t", "complex64": "float", "bool": "std::uint8_t", "float64": "double"}
    kind = element.get(dtype, f"std::{dtype}_t")
    body = f"""
  net_model model;
  const auto x = read<{kind}>(model.input_bytes(0));
  std::vector<{kind}> y(x.size());
  if (model.run(x.data(), y.data()) != 0) return 1;
  write(y);
  return 0;"""
    built(COMPILERS[0], tmp_path, body)
    y = np.frombuffer(ran(tmp_path, x), x.dtype)
    np.testing.assert_array_equal(y, next(iter(model.run({"in0": x}).values())))


@pytest.mark.parametrize("separate", ["inline", "file"])
@pytest.mark.parametrize("shape", [(1, 1, 8, 8), ("N", 1, 8, 8)], ids=str)
def test_the_c_part_is_clean(
    separate: str, shape: tuple[Any, ...], models: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    options: dict[str, Any] = {"weights": separate, "shapes": {"image": shape}, "pool": True}
    converted(tmp_path, models / "digits_cnn.onnx", **options)
    (tmp_path / "use.c").write_text('#include "net.h"\nint main(void) { return NET_INPUTS == 1 ? 0 : 1; }\n')
    (tmp_path / "use.cpp").write_text('#include "net.h"\nint main() { return 0; }\n')
    for command in (
        ["gcc", "-std=c11", "use.c"],
        *([c, f"-std=c++{v}", "use.cpp"] for c in COMPILERS for v in (11, 17)),
    ):
        if shutil.which(command[0]):
            flags = [command[0], command[1], *STRICT, "-fsyntax-only", command[2]]
            done = subprocess.run(flags, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr

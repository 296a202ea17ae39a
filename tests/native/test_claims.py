"""Kernels that plug-ins give to other libraries: the sample with OpenBLAS, and the mechanism with a small C library."""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.codegen.program.libraries import bind_function
from mlconv.driver.context import Context
from mlconv.driver.conversion import convert
from tests.support import claiming
from tests.support.native import needs_cc
from tests.support.pages import ROOT

SAMPLE = ROOT / "testdata" / "openblas"
CONTEXT = Context(
    rules={"kernel-claim": ("tests.support.claiming:CLAIMS",)},
    kernels={"claimed.product": "tests.support.claiming:KIND"},
)
needs_openblas = pytest.mark.skipif(
    ctypes.util.find_library("openblas") is None, reason="no OpenBLAS (apt-get install libopenblas-dev)"
)
ROWS, DEPTH, COLUMNS = 24, 40, 33


def model(path: Path, rows: int | str = ROWS) -> dict[str, np.ndarray]:
    """x * w + b behind a relu, and a product without a bias; returns the weights."""
    rng = np.random.default_rng(3)
    shapes = {"w": (DEPTH, COLUMNS), "b": (COLUMNS,), "v": (COLUMNS, DEPTH)}
    found = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    text = f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[{rows}, {DEPTH}] x) => (float[{rows}, {DEPTH}] y) {{
      p = MatMul(x, w)  s = Add(p, b)  r = Relu(s)  y = MatMul(r, v) }}"""
    made = onnx.parser.parse_model(text)
    made.graph.initializer.extend(onnx.numpy_helper.from_array(a, name) for name, a in found.items())
    onnx.save(made, path)
    return found


def expected(x: np.ndarray, given: dict[str, np.ndarray]) -> np.ndarray:
    result: np.ndarray = np.maximum(x.astype(np.float64) @ given["w"] + given["b"], 0) @ given["v"]
    return result


def library(folder: Path, turns: int = 1) -> str:
    """turns: how often all is done."""
    (folder / "claimed.c").write_text(claiming.SOURCE)
    flags = ["-O1", "-shared", "-fPIC", f"-DTURNS={turns}"]
    subprocess.run(["cc", *flags, "-o", f"lib{turns}.so", "claimed.c"], cwd=folder, check=True)
    return str(folder / f"lib{turns}.so")


def written(folder: Path, **settings: Any) -> mlconv.Result:
    return convert(folder / "m.onnx", "native", folder / "m.o", context=CONTEXT, **settings)


@needs_cc
def test_claimed_products_are_right(tmp_path: Path) -> None:
    """Bias, what follows it, and the product that is not claimed."""
    given = model(tmp_path / "m.onnx")
    result = written(tmp_path)
    assert [c["function"] for c in result.computed_elsewhere] == [claiming.FUNCTION]
    assert result.ops == {"kernel.loop_nest": 1, "kernel.gemm": 1} and not result.unverified
    assert f"/* {claiming.FUNCTION} computes\n     claimed.product " in (tmp_path / "m.h").read_text()
    net = mlconv.load_native(tmp_path / "m.o", libraries=[library(tmp_path)])
    x = np.random.default_rng(0).standard_normal((ROWS, DEPTH)).astype(np.float32)
    np.testing.assert_allclose(net.run({"x": x})["y"], expected(x, given), rtol=1e-3, atol=1e-4)


@needs_cc
def test_timing_decides(tmp_path: Path) -> None:
    """The faster one is taken for each problem, and what was found is kept."""
    model(tmp_path / "m.onnx", 50 * ROWS)  # far longer than a call
    for turns, theirs in ((0, True), (200, False)):  # a function that does nothing, and one that does it 200 times
        bind_function(claiming.FUNCTION, [library(tmp_path, turns)])
        cache = tmp_path / f"{turns}.json"
        result = written(tmp_path, tune=True, tune_cache=str(cache))
        assert bool(result.computed_elsewhere) is theirs
        (choices,) = json.loads(cache.read_text())["choices"].values()
        assert [v for k, v in choices.items() if k.startswith("claim or gemm-")] == [[int(theirs)]]
        before = (tmp_path / "m.o").read_bytes()
        assert bool(written(tmp_path, tune_cache=str(cache)).computed_elsewhere) is theirs
        assert (tmp_path / "m.o").read_bytes() == before


def test_what_has_another_form_stays(tmp_path: Path) -> None:
    """Sizes that are known at run time."""
    model(tmp_path / "m.onnx", "n")
    assert not written(tmp_path).computed_elsewhere


@needs_openblas
@needs_cc
def test_the_sample_with_openblas(tmp_path: Path) -> None:
    """Installed, named, verified, measured, and linked into a program with -lopenblas."""
    given = model(tmp_path / "m.onnx")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, _installed(tmp_path)))), "OMP_NUM_THREADS": "1"}

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "mlconv", *arguments, "--plugin", "mlconv-openblas"]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    said = run("convert", "m.onnx", "--to", "native", "--verify")
    assert "cblas_sgemm computes openblas.sgemm: " in said and "verified y" in said
    run("convert", "m.onnx", "--to", "native", "--verify", "--tune", "--tune-cache", "t.json", "-o", "tuned.o")
    assert "claim-product or gemm-" in (tmp_path / "t.json").read_text()
    timed = json.loads(run("bench", "m.onnx", "--json", "--rounds", "3"))
    assert ["cblas_sgemm"] in [op["by"] for op in timed["ops"]]
    x = np.random.default_rng(0).standard_normal((ROWS, DEPTH)).astype(np.float32)
    numbers = ", ".join(f"{v!r}f" for v in x.reshape(-1).tolist())
    (tmp_path / "main.c").write_text(
        f'#include "m.h"\n#include <cblas.h>\n#include <stdio.h>\nstatic const float x[] = {{{numbers}}};\n'
        f"static float y[{ROWS * DEPTH}];\nstatic _Alignas(64) char w[M_WORKSPACE_BYTES];\nint main(void) {{\n"
        "  if (m_call(x, y, w, NULL)) return 1;\n"
        f'  for (int i = 0; i < {ROWS * DEPTH}; i++) printf("%a\\n", (double)y[i]);\n  return 0;\n}}\n'
    )
    subprocess.run(["cc", "-o", "main", "main.c", "m.o", "-lopenblas"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout.split()
    got = np.array([float.fromhex(v) for v in printed]).reshape(ROWS, DEPTH)
    np.testing.assert_allclose(got, expected(x, given), rtol=1e-3, atol=1e-4)


def _installed(folder: Path) -> Path:
    """A folder with the sample as pip installs it, from a copy: pip writes beside what it installs."""
    source, site = folder / "source", folder / "site"
    shutil.copytree(SAMPLE, source)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*command, "--disable-pip-version-check", "--target", site, source], check=True)
    return site

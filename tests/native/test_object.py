"""The artifact: symbols, sizes, same bytes, concurrent calls, the header in C, refusals."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.modules import const, module, random
from tests.support.native import Native, needs_cc, small, to_object


@needs_cc
def test_symbols_are_listed(tmp_path: pathlib.Path) -> None:
    path = to_object(small(), tmp_path / "net.o")
    listed = json.loads((tmp_path / "net.io.json").read_text())["symbols"]
    if shutil.which("nm") is None:
        pytest.skip("no nm")
    lines = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines()
    assert {line.split()[-1] for line in lines if line.split()[-2] == "U"} <= set(listed)
    assert {line.split()[-1] for line in lines if line.split()[-2] == "T"} == {"net_run", "net_workspace_bytes"}
    assert all(name in (tmp_path / "net.h").read_text() for name in listed)


def test_same_bytes(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = (to_object(small(), tmp_path / d / "net.o") for d in "ab")
    for suffix in (".o", ".h", ".io.json"):
        assert (first.parent / f"net{suffix}").read_bytes() == (second.parent / f"net{suffix}").read_bytes()


def test_same_bytes_whatever_was_compiled_before(tmp_path: pathlib.Path, models: pathlib.Path) -> None:
    """LLVM's targets write global settings when they are made: a new process begins without."""
    lines = [
        "import sys, mlconv",
        "for path, settings in zip(sys.argv[2:], ({}, dict(machine='wasm32-unknown-unknown'), {})):",
        "    mlconv.convert(sys.argv[1], 'native', path, shapes={'image': (1, 1, 8, 8)}, **settings)",
    ]
    folders = [tmp_path / name for name in ("first", "other", "again")]
    for folder in folders:
        folder.mkdir()
    paths = [str(folder / "net.o") for folder in folders]
    command = [sys.executable, "-c", "\n".join(lines), str(models / "digits_cnn.onnx"), *paths]
    subprocess.run(command, check=True)
    first, _, again = (pathlib.Path(path).read_bytes() for path in paths)
    assert first == again


@needs_cc
def test_one_byte_less_is_refused(tmp_path: pathlib.Path) -> None:
    net = Native(to_object(small(), tmp_path / "net.o"))
    x = random(1, 8, 8, 2)
    size = net.facts["workspace_bytes"]
    assert size > 0
    assert net.call([x], size)[0] == 0
    assert net.call([x], size - 1)[0] == 1


@needs_cc
def test_two_calls_at_once(tmp_path: pathlib.Path) -> None:
    net = Native(to_object(small(), tmp_path / "net.o"))
    inputs = [random(1, 8, 8, 2, seed=s) for s in range(2)]
    expected = [net.call([x])[1][0] for x in inputs]
    wrong: list[int] = []

    def work(i: int) -> None:
        wrong.extend(i for _ in range(200) if not np.array_equal(net.call([inputs[i]])[1][0], expected[i]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


MAIN = """\
#include <stdio.h>
#include <stdlib.h>
#include "net.h"
int main(void) {
  static float x[1 * 8 * 8 * 2], y[7], same[1 * 8 * 8 * 2];
  void *workspace = aligned_alloc(NET_ALIGNMENT, NET_WORKSPACE_BYTES);
  if (NET_ABI_VERSION != 2 || net_workspace_bytes(NULL) != NET_WORKSPACE_BYTES || net_output_shape_0[1] != 7) return 1;
  if (net_call(x, y, same, workspace, NULL)) return 2;
  float sum = 0;
  for (int i = 0; i < 7; i++) sum += y[i];
  puts(net_input_names[0]);
  return sum > 0.999f && sum < 1.001f ? 0 : 3;
}
"""


@needs_cc
def test_header_in_c(tmp_path: pathlib.Path) -> None:
    path = to_object(small(), tmp_path / "net.o")
    (tmp_path / "main.c").write_text(MAIN)
    subprocess.run(
        ["cc", "-Wall", "-Werror", "-pie", "-o", tmp_path / "main", tmp_path / "main.c", path, "-lm"], check=True
    )
    assert subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout == "in0\n"


def test_refusals(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError) as error:
        mlconv.convert(small(), to="native", output=tmp_path / "net.o", cpu="pdp11")
    assert error.value.code is Code.UsageError
    m = module(lambda b, x: b.emit(core.Unique(x, axis=0)).y, [np.zeros((4, 300), np.float32)])
    with pytest.raises(ConversionError) as error:
        mlconv.convert(m, to="native", output=tmp_path / "net.o")
    assert error.value.diagnostics[0].code is Code.TargetLacksOp
    assert not list(tmp_path.iterdir())


def test_load_native_runs_a_trained_model(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with np.load(models / "digits_cnn.npz") as z:
        golden = dict(z)
    output = tmp_path / "digits.o"
    mlconv.convert(models / "digits_cnn.pb", to="native", output=output, shapes={"image": (10, 8, 8, 1)}, verify=True)
    model = mlconv.load_native(output)
    for _ in range(2):
        (scores,) = model.run({"image:0": golden["image"]}).values()
        np.testing.assert_allclose(scores, golden["scores"], atol=1e-5)
    for bad, code in (
        ({}, "MLC0107"),
        ({"image:0": golden["image"][:3]}, "MLC0201"),
        ({"image:0": golden["image"].astype(np.float64)}, "MLC0202"),
    ):
        with pytest.raises(ConversionError, match=code):
            model.run(bad)
    with pytest.raises(ConversionError, match="MLC0001"):
        mlconv.load_native(tmp_path / "gone.o")


@needs_cc
@pytest.mark.parametrize("separate", [False, True])
def test_constants_without_bytes(separate: bool, tmp_path: pathlib.Path) -> None:
    """A kernel may read a constant that is empty, and there are no weights then."""

    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.Pad(b.emit(core.Neg(x)).y, const(b, np.array([[0, 0], [1, 2]])), const(b, np.float32(7)))).y

    code, (y,) = Native(to_object(module(make, [random(2, 0)]), tmp_path / "net.o", separate_weights=separate)).call(
        [random(2, 0)]
    )
    assert code == 0
    np.testing.assert_array_equal(y, np.full((2, 3), 7, np.float32))

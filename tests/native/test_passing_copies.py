"""Long copies to results that nothing in a model reads go past the caches where there are stores that do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.codegen.program.compile import host_cpus
from tests.native.test_guarded_buffers import run as run_guarded
from tests.support.native import OWN, needs_cc
from tests.support.onnx_models import model, save, value

pytestmark = needs_cc
ROOM = 64  # bytes
STORES = "!nontemporal"


def _cache(folder: Path, past: int | str, dtype: int = TensorProto.FLOAT, read: bool = False) -> Path:
    """read: the result is read in the model, too."""
    nodes = [helper.make_node("Concat", ["past", "new"], ["y"], axis=1)]
    outputs = [value("y", dtype=dtype)]
    if read:
        nodes.append(helper.make_node("Neg", ["y"], ["z"]))
        outputs.append(value("z", dtype=dtype))
    inputs = [value("past", [3, past, 64], dtype), value("new", [3, 2, 64], dtype)]
    return save(folder, model(nodes, inputs, outputs, opset=17))


@pytest.mark.parametrize("dtype", [TensorProto.FLOAT, TensorProto.INT8, TensorProto.BOOL])
@pytest.mark.parametrize("fixed", [False, True])
def test_numbers(fixed: bool, dtype: int, tmp_path: Path) -> None:
    """Wherever a result begins, whatever its rows' length, and on two threads."""
    known = helper.tensor_dtype_to_np_dtype(dtype)
    pasts = [6201 * 4 // known.itemsize] if fixed else [0, 1, 129, 2000, 2053, 6000]
    path = _cache(tmp_path, pasts[0] if fixed else "past", dtype)
    for cpu in host_cpus():
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu)
        for past in pasts:
            rng = np.random.default_rng(past)
            inputs = {name: rng.integers(-90, 90, (3, n, 64)).astype(known) for name, n in (("past", past), ("new", 2))}
            want = np.concatenate([inputs["past"], inputs["new"]], axis=1)
            for threads, skip in ((1, 0), (1, 4), (2, 20)):
                room = np.zeros(want.nbytes + 2 * ROOM, np.uint8)
                out = room[skip : skip + want.nbytes].view(known).reshape(want.shape)
                mlconv.load_native(tmp_path / "m.o", threads=threads).run(inputs, out={"y": out})
                np.testing.assert_array_equal(out, want)
                assert not room[skip + want.nbytes :].any()


def test_nothing_beside_buffers(tmp_path: Path) -> None:
    mlconv.convert(_cache(tmp_path, "past"), to="native", output=tmp_path / "m.o", cpu=OWN)
    done = run_guarded(tmp_path / "m.o", [{"past": n} for n in (0, 129, 2053)])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("past", "read", "cpu", "passes"),
    [
        (6000, False, "x86-64-v3", True),
        ("past", False, "x86-64-v4", True),
        (200, False, "x86-64-v3", False),
        (2000, False, "x86-64-v3", False),
        (6000, True, "x86-64-v3", False),
        (6000, False, "x86-64", False),
    ],
)
def test_which(past: int | str, read: bool, cpu: str, passes: bool, tmp_path: Path) -> None:
    """Not what is short, nor where all stays near, nor what is read again, nor where no store does so."""
    mlconv.convert(_cache(tmp_path, past, read=read), to="native", output=tmp_path / "m.o", cpu=cpu, emit_code="llvm")
    (listing,) = tmp_path.glob("*.ll")
    assert (STORES in listing.read_text(encoding="utf-8")) == passes

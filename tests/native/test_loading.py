"""What `load_native` refuses, and that it never ends the process."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.hlo.kit import module
from tests.native.kit import to_object
from tests.native.test_dimensions import constant, random

# The first object takes what memory there is between the libraries; the second one finds small holes and then 3 GB that are taken.
_FAR = """
import mmap, sys, numpy as np, mlconv
mlconv.load_native(sys.argv[1])
holes = [mmap.mmap(-1, 1 << 18) for _ in range(64)]
taken = mmap.mmap(-1, 3 << 30)
for hole in holes[::2]:
    hole.close()
print(mlconv.load_native(sys.argv[1]).run({"in0": np.ones((1, 512), "f4")})["out0"].shape)
"""


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    weights = random(512, 512)
    return to_object(module(lambda b, x: b.emit(core.MatMul(x, constant(b, weights))).y, [np.ones((1, 512), np.float32)]), tmp_path / "net.o")


def test_code_and_weights_lie_together(path: pathlib.Path) -> None:
    done = subprocess.run([sys.executable, "-c", _FAR, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "(1, 512)"), done.stderr


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
@pytest.mark.parametrize("weights", [0, 1, 1024, 4096])
def test_functions_of_other_libraries_beside_weights_of_whole_pages(weights: int, cpu: str, tmp_path: pathlib.Path) -> None:
    """In a process of its own, which the linker would end."""
    x = np.linspace(0, 1, max(weights, 3)).astype(np.float32)

    def make(b: Builder, v: Value) -> Value:
        y = b.emit(core.Tan(v)).y
        return b.emit(core.Add(y, constant(b, x[: 1 if weights == 1 else None]))).y if weights else y

    path = to_object(module(make, [x]), tmp_path / "net.o", cpu)
    code = f"import sys, numpy as np, mlconv; mlconv.load_native(sys.argv[1]).run({{'in0': np.zeros({len(x)}, 'f4')}})"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("size", [0, 10, 64, 1000, 5000])
def test_an_object_that_is_cut_off(size: int, path: pathlib.Path) -> None:
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ConversionError) as e:
        mlconv.load_native(path)
    assert e.value.code is Code.MLC0003


@pytest.mark.parametrize("at", [17, 40, 200, 900, 1500])
def test_an_object_with_another_byte(at: int, path: pathlib.Path) -> None:
    image = bytearray(path.read_bytes())
    image[at] ^= 0x55
    path.write_bytes(image)
    with pytest.raises(ConversionError) as e:
        mlconv.load_native(path)
    assert e.value.code is Code.MLC0003


@pytest.mark.parametrize(
    ("change", "code"), [({"symbols": ["nobody_has_this"]}, Code.MLC0702), ({"version": 9}, Code.MLC0702), ({"triple": "vax-dec-ultrix"}, Code.MLC0702)]
)
def test_a_contract_that_this_process_cannot_meet(change: dict[str, object], code: Code, path: pathlib.Path) -> None:
    contract = path.with_suffix(".io.json")
    contract.write_text(json.dumps(json.loads(contract.read_text()) | change))
    with pytest.raises(ConversionError) as e:
        mlconv.load_native(path)
    assert e.value.code is code


@pytest.mark.parametrize("text", ["[]", "{}", '{"version": 1, "target": "native"}'])
def test_a_contract_of_something_else(text: str, path: pathlib.Path) -> None:
    path.with_suffix(".io.json").write_text(text)
    with pytest.raises(ConversionError) as e:
        mlconv.load_native(path)
    assert e.value.code is Code.MLC0702

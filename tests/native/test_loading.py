"""What `load_native` refuses, and that it never ends the process."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import mlconv
from mlconv.cli import main
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.runtime.native_abi import checksum
from tests.support.modules import const, module, random
from tests.support.native import to_object

# The first object takes what memory there is between the libraries; the second one finds small holes and then 3 GB that
# are taken.
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
    return to_object(
        module(lambda b, x: b.emit(core.MatMul(x, const(b, weights))).y, [np.ones((1, 512), np.float32)]),
        tmp_path / "net.o",
    )


def test_code_and_weights_lie_together(path: pathlib.Path) -> None:
    done = subprocess.run([sys.executable, "-c", _FAR, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "(1, 512)"), done.stderr


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
@pytest.mark.parametrize("weights", [0, 1, 1024, 4096])
def test_functions_of_other_libraries_beside_weights_of_whole_pages(
    weights: int, cpu: str, tmp_path: pathlib.Path
) -> None:
    """In a process of its own, which the linker would end."""
    x = np.linspace(0, 1, max(weights, 3)).astype(np.float32)

    def make(b: Builder, v: Value) -> Value:
        y = b.emit(core.Tan(v)).y
        return b.emit(core.Add(y, const(b, x[: 1 if weights == 1 else None]))).y if weights else y

    path = to_object(module(make, [x]), tmp_path / "net.o", cpu)
    code = f"import sys, numpy as np, mlconv; mlconv.load_native(sys.argv[1]).run({{'in0': np.zeros({len(x)}, 'f4')}})"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_outputs_go_to_arrays_that_are_there(path: pathlib.Path) -> None:
    native, x = mlconv.load_native(path), {"in0": random(1, 512)}
    out = {"out0": np.zeros((1, 512), np.float32)}
    assert native.run(x, out=out)["out0"] is out["out0"]
    np.testing.assert_array_equal(out["out0"], native.run(x)["out0"])
    for wrong, code in (
        (np.zeros((1, 512)), Code.TypeMismatch),
        (np.zeros((1, 1024), np.float32)[:, ::2], Code.TypeMismatch),
        (np.zeros((2, 512), np.float32), Code.ShapeMismatch),
    ):
        with pytest.raises(ConversionError) as error:
            native.run(x, out={"out0": wrong})
        assert error.value.diagnostic.code is code


def test_the_first_output_of_a_node_needs_no_number(tmp_path: pathlib.Path) -> None:
    m = module(lambda b, x: b.emit(core.Neg(x)).y, [random(2, 3)])
    m.main.inputs[0].name = "x:0"
    native = mlconv.load_native(to_object(m, tmp_path / "m.o"))
    for name in ("x", "x:0"):
        np.testing.assert_array_equal(native.run({name: random(2, 3)})["out0"], -random(2, 3))


@pytest.mark.parametrize("size", [0, 10, 64, 1000, 5000])
def test_an_object_that_is_cut_off(size: int, path: pathlib.Path) -> None:
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ConversionError) as e:
        mlconv.load_native(path)
    assert e.value.code is Code.FileDamaged


@pytest.mark.parametrize("at", [17, 40, 200, 900, 1500])
def test_an_object_with_another_byte(at: int, path: pathlib.Path) -> None:
    image = bytearray(path.read_bytes())
    image[at] ^= 0x55
    path.write_bytes(image)
    with pytest.raises(ConversionError) as e:
        mlconv.load_native(path)
    assert e.value.code is Code.FileDamaged


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"symbols": ["nobody_has_this"]}, Code.VerificationImpossible),
        ({"version": 9}, Code.VerificationImpossible),
        ({"triple": "vax-dec-ultrix"}, Code.VerificationImpossible),
    ],
)
def test_an_interface_that_this_process_cannot_meet(change: dict[str, object], code: Code, path: pathlib.Path) -> None:
    interface = path.with_suffix(".io.json")
    interface.write_text(json.dumps(json.loads(interface.read_text()) | change))
    with pytest.raises(ConversionError) as e:
        mlconv.load_native(path)
    assert e.value.code is code


@pytest.mark.parametrize("text", ["[]", "{}", '{"version": 1, "target": "native"}'])
def test_an_interface_of_something_else(text: str, path: pathlib.Path) -> None:
    path.with_suffix(".io.json").write_text(text)
    with pytest.raises(ConversionError) as e:
        mlconv.load_native(path)
    assert e.value.code is Code.VerificationImpossible


def changed(path: pathlib.Path, at: tuple[str | int, ...], value: object, seal: bool) -> None:
    """Another value in a model interface.  seal: with the checksum that goes with it."""
    interface = path.with_suffix(".io.json")
    facts = json.loads(interface.read_text())
    inner = facts
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    interface.write_text(json.dumps({**facts, "checksum": checksum(facts)} if seal else facts))


DAMAGES: list[tuple[tuple[str | int, ...], object]] = [
    (("entry",), "nope_run"),
    (("entry",), 5),
    (("entry",), "net_weights"),
    (("entry",), "net_workspace_bytes"),
    (("entry",), None),
    (("entry",), "\udc80_run"),
    (("inputs",), None),
    (("inputs",), ["a"]),
    (("inputs",), {}),
    (("inputs", 0), {}),
    (("inputs", 0, "name"), 5),
    (("outputs",), [[]]),
    (("inputs", 0, "dtype"), "complex999"),
    (("inputs", 0, "dtype"), 3),
    (("inputs", 0, "dtype"), "string"),
    (("inputs", 0, "dtype"), "int8"),
    (("outputs", 0, "shape"), [1]),
    (("inputs", 0, "shape"), [-1, 512]),
    (("inputs", 0, "shape"), ["N*)", 4]),
    (("inputs", 0, "shape"), ["(" * 9999]),
    (("inputs", 0, "shape"), ["N", 512]),
    (("inputs", 0, "shape"), [1.0, 512]),
    (("inputs", 0, "shape"), [True, 512]),
    (("inputs", 0, "shape"), "1"),
    (("inputs", 0, "shape"), [10**9, 10**9]),
    (("inputs", 0, "shape"), [10**400]),
    (("inputs", 0, "bytes"), 7),
    (("inputs", 0, "bytes"), None),
    (("alignment",), 0),
    (("alignment",), "x"),
    (("alignment",), 1 << 60),
    (("alignment",), 48),
    (("alignment",), None),
    (("triple",), 3),
    (("cpu",), []),
    (("code",), 3),
    (("code",), {}),
    (("code",), {"bytes": -1, "crc32": 0}),
    (("code",), {"bytes": 0, "crc32": 0}),
    (("code", "crc32"), "0"),
    (("symbols",), [3]),
    (("symbols",), 5),
    (("symbols",), ["a\0"]),
    (("weights",), 3),
    (("weights",), {"file": "w"}),
    (("weights",), {"bytes": 3}),
    (("weights",), {"file": "/dev/zero", "bytes": 1}),
    (("weights",), {"file": "../w", "bytes": 1}),
    (("weights",), {"file": "w", "bytes": 0}),
    (("dimensions",), 5),
    (("dimensions",), ["N", "N"]),
    (("dimensions",), [1]),
    (("errors",), []),
    (("errors",), {"cpu": "2"}),
    (("ranges",), 5),
    (("ranges",), {"N": [1]}),
    (("conditions",), 3),
    (("conditions",), [3]),
    (("conditions",), [{"kind": "equal", "a": "N", "b": 1}]),
    (("conditions",), [{"kind": "most", "a": 1, "b": 1, "asked_by": "y"}]),
    (("conditions",), [{"kind": "equal", "a": "elsewhere", "b": 1, "asked_by": "y"}]),
    (("conditions",), [{"kind": "equal", "a": "1 +", "b": 1, "asked_by": "y"}]),
    (("foreign",), 3),
    (("foreign",), ["f"]),
    (("foreign",), [{"function": "f"}]),
    (("foreign",), [{"function": "f g", "libraries": []}]),
    (("foreign",), [{"function": "f", "libraries": ["a\0"]}]),
    (("stamps",), -1),
    (("stamps",), 1 << 60),
    (("stamps",), None),
    (("workspace_bytes",), "much"),
    (("state",), 3),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    weights = random(512, 512)
    folder = tmp_path_factory.mktemp("whole")
    return to_object(
        module(lambda b, x: b.emit(core.MatMul(x, const(b, weights))).y, [np.ones((1, 512), np.float32)]),
        folder / "net.o",
    )


@pytest.mark.share(4)
@pytest.mark.parametrize("number", range(len(DAMAGES)))
def test_a_damaged_interface(number: int, whole: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """In this process, which a wrong call would end; once with a checksum that hides the damage."""
    at, value = DAMAGES[number]
    for seal in (True, False):
        for suffix in (".o", ".io.json"):
            shutil.copy(whole.with_suffix(suffix), tmp_path / f"net{suffix}")
        changed(tmp_path / "net.o", at, value, seal)
        with pytest.raises(ConversionError) as e:
            mlconv.load_native(tmp_path / "net.o")
        assert e.value.code is Code.FileDamaged
        result = CliRunner().invoke(main, ["run", str(tmp_path / "net.o")])
        assert result.exit_code == 1 and "MLC0003" in result.output


@pytest.mark.parametrize(
    "at", [("workspace_bytes",), ("cpu",), ("outputs", 0, "name"), ("errors", "workspace"), ("state",), ("ranges",)]
)
def test_an_interface_that_is_possible_and_yet_changed(at: tuple[str | int, ...], path: pathlib.Path) -> None:
    changed(
        path,
        at,
        {"workspace_bytes": 1, "cpu": "x", "name": "y", "state": [{}], "ranges": {"N": [1, 2]}}.get(str(at[-1]), 77),
        seal=False,
    )
    with pytest.raises(ConversionError, match="not as it was written") as e:
        mlconv.load_native(path)
    assert e.value.code is Code.FileDamaged


def test_an_interface_without_a_checksum_or_without_end(path: pathlib.Path) -> None:
    interface = path.with_suffix(".io.json")
    facts = json.loads(interface.read_text())
    del facts["checksum"]
    interface.write_text(json.dumps(facts))
    with pytest.raises(ConversionError, match="MLC0003"):
        mlconv.load_native(path)
    interface.write_text("[" * 100_000)
    with pytest.raises(ConversionError, match="MLC0001"):
        mlconv.load_native(path)


def test_weights_that_are_a_pipe(tmp_path: pathlib.Path) -> None:
    weights = random(512, 512)
    arrays = [np.ones((1, 512), np.float32)]
    path = to_object(
        module(lambda b, x: b.emit(core.MatMul(x, const(b, weights))).y, arrays),
        tmp_path / "net.o",
        separate_weights=True,
    )
    (tmp_path / "net.weights.bin").unlink()
    os.mkfifo(tmp_path / "net.weights.bin")
    with pytest.raises(ConversionError, match="MLC0001"):
        mlconv.load_native(path)

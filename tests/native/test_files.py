"""Files that are made with an object: libraries, separate weights, examples, self test, model interface."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import threading
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.objects.archive import archive, link, linker
from mlconv.diagnostics import Code, ConversionError
from tests.support.modules import random
from tests.support.native import needs_cc, run_program, small, to_object

X = random(1, 8, 8, 2)
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow", "-Wpedantic")


def converted(path: pathlib.Path, **options: Any) -> pathlib.Path:
    mlconv.convert(small(), to="native", output=path, **options)
    return path


@needs_cc
@pytest.mark.parametrize("weights", ["inline", "file"])
def test_self_test_passes_and_can_fail(weights: str, tmp_path: pathlib.Path) -> None:
    converted(tmp_path / "net.o", self_test=True, weights=weights)
    run_program("cc", *STRICT, "-o", "test", "net.test.c", "net.o", "-lm", folder=tmp_path)
    assert run_program("./test", folder=tmp_path) == "net: all outputs are right\n"
    data = bytearray((tmp_path / "net.test.bin").read_bytes())
    data[X.nbytes + 3] ^= 1  # the sign or exponent of the first expected number
    (tmp_path / "net.test.bin").write_bytes(data)
    assert subprocess.run(["./test"], cwd=tmp_path, capture_output=True, check=False).returncode == 1


@needs_cc
@pytest.mark.parametrize("options", [{}, {"weights": "file"}, {"pool": True}], ids=str)
def test_example_builds_and_runs(options: dict[str, Any], tmp_path: pathlib.Path) -> None:
    converted(tmp_path / "net.o", example=True, **options)
    run_program(
        "cc",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-o",
        "example",
        "net.example.c",
        "net.o",
        "-lm",
        "-lpthread",
        folder=tmp_path,
    )
    assert run_program("./example", folder=tmp_path).startswith("out0: 0.")


@needs_cc
def test_archive_links_like_the_object(tmp_path: pathlib.Path) -> None:
    converted(tmp_path / "net.o", archive=True, self_test=True)
    assert shutil.which("ar") is None or run_program("ar", "t", tmp_path / "net.a") == "net.o\n"
    run_program("cc", "-o", "test", "net.test.c", "net.a", "-lm", folder=tmp_path)
    run_program("./test", folder=tmp_path)


def test_archive_layout() -> None:
    """Members start at even offsets; the symbol table points to the object's header."""
    image = b"".join(archive("a_rather_long_name_of_a_model.o", 3, [b"xyz"], ["f", "gg"]))
    assert len(image) % 2 == 0 and image.endswith(b"xyz\n")
    offset = int.from_bytes(image[72:76], "big")
    assert image[offset : offset + 16] == b"/0              " and image[offset + 58 : offset + 63] == b"`\nxyz"


@needs_cc
def test_shared_library(tmp_path: pathlib.Path) -> None:
    import ctypes

    converted(tmp_path / "net.o", shared=True)
    library = ctypes.CDLL(str(tmp_path / "net.so"))
    assert library.net_workspace_bytes(None) == json.loads((tmp_path / "net.io.json").read_text())["workspace_bytes"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net.h", "net.io.json", "net.o", "net.so"]


def test_shared_library_refused(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConversionError) as error:
        linker(target_named("macos"))
    assert error.value.code is Code.TargetUnavailable
    (tmp_path / "bad.o").write_bytes(b"no object")
    if shutil.which("cc"):
        with pytest.raises(ConversionError) as error:
            link(linker(target_named("")), tmp_path / "bad.o", tmp_path / "bad.so")
        assert error.value.code is Code.ArtifactInvalid and [p.name for p in tmp_path.iterdir()] == ["bad.o"]
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    with pytest.raises(ConversionError) as error:
        converted(tmp_path / "net.o", shared=True)
    assert error.value.code is Code.TargetUnavailable and [p.name for p in tmp_path.iterdir()] == ["bad.o"]


def test_separate_weights_in_process(tmp_path: pathlib.Path) -> None:
    inline, apart = (mlconv.load_native(converted(tmp_path / f"{w}.o", weights=w)) for w in ("inline", "file"))
    np.testing.assert_array_equal(inline.run({"in0": X})["out0"], apart.run({"in0": X})["out0"])
    facts = json.loads((tmp_path / "file.io.json").read_text())
    assert facts["weights"] == {"file": "file.weights.bin", "bytes": (tmp_path / "file.weights.bin").stat().st_size}
    assert (tmp_path / "file.o").stat().st_size < (tmp_path / "inline.o").stat().st_size
    (tmp_path / "file.weights.bin").write_bytes(b"short")
    with pytest.raises(ConversionError, match="MLC0001"):
        mlconv.load_native(tmp_path / "file.o")
    (tmp_path / "file.weights.bin").unlink()
    with pytest.raises(ConversionError, match="MLC0001"):
        mlconv.load_native(tmp_path / "file.o")


@pytest.mark.parametrize("to,weights", [("hlo", "file"), ("native", "parameters"), ("tflite", "file")])
def test_weights_option_by_target(to: str, weights: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConversionError, match="MLC0801"):
        mlconv.convert(small(), to=to, output=tmp_path / "x", weights=weights)


@pytest.mark.parametrize("threads", [1, 3])
def test_one_model_in_several_threads(threads: int, tmp_path: pathlib.Path) -> None:
    """Calls at the same time have a workspace each."""
    model = mlconv.load_native(to_object(small(), tmp_path / "net.o"), threads=threads)
    inputs = [random(1, 8, 8, 2, seed=s) for s in range(3)]
    expected = [model.run({"in0": x})["out0"] for x in inputs]
    wrong: list[int] = []

    def work(i: int) -> None:
        wrong.extend(i for _ in range(200) if not np.array_equal(model.run({"in0": inputs[i]})["out0"], expected[i]))

    callers = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()
    assert not wrong


def test_interface(tmp_path: pathlib.Path) -> None:
    facts = json.loads(converted(tmp_path / "net.o", pool=True).with_suffix(".io.json").read_text())
    assert facts["inputs"] == [
        {"name": "in0", "dtype": "float32", "shape": [1, 8, 8, 2], "bytes": 512, "quantization": None}
    ]
    assert (
        facts["entry"] == "net_run"
        and facts["alignment"] == 64
        and facts["pool"]
        and facts["weights"] is None
        and facts["dimensions"] == []
    )
    assert "pthread_create" in facts["symbols"]


@pytest.mark.parametrize("shape", [{"image": (1, 1, 8, 8)}, {}], ids=["fixed", "run-time"])
def test_overhead_of_a_call(shape: dict[str, Any], models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """At most 10 microseconds are wanted; the bound leaves room for the model itself and for a busy machine."""
    import time

    mlconv.convert(models / "digits_cnn.onnx", to="native", output=tmp_path / "net.o", shapes=shape)
    model, inputs = mlconv.load_native(tmp_path / "net.o"), {"image": np.zeros((1, 1, 8, 8), np.float32)}
    best = 1.0
    for _ in range(20):
        started = time.perf_counter()
        for _ in range(100):
            model.run(inputs)
        best = min(best, (time.perf_counter() - started) / 100)
    assert best < 40e-6, f"{best * 1e6:.1f} us"


def test_inputs_that_do_not_fit(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    mlconv.convert(models / "digits_cnn.onnx", to="native", output=tmp_path / "net.o")
    model = mlconv.load_native(tmp_path / "net.o")
    for bad, code in (
        ({}, "MLC0107"),
        ({"image": np.float32(1)}, "MLC0201"),
        ({"image": np.zeros((2, 1, 8, 9), np.float32)}, "MLC0201"),
    ):
        with pytest.raises(ConversionError, match=code):
            model.run(bad)


@pytest.mark.share(4)
@needs_cc
@pytest.mark.parametrize("name", ["two words.o", "mod\u00e8le.o", "2-b.o", "what??/.o".replace("/", "_")])
def test_file_names(name: str, tmp_path: pathlib.Path) -> None:
    """Any file name gives C that compiles, in C and, for the header, in C++."""
    converted(tmp_path / name, self_test=True, example=True, weights="file")
    stem = name.removesuffix(".o")
    for kind in ("test", "example"):
        run_program("cc", "-Wall", "-Werror", "-o", kind, f"{stem}.{kind}.c", name, "-lm", folder=tmp_path)
        run_program(f"./{kind}", folder=tmp_path)
    if shutil.which("c++"):
        (tmp_path / "use.cc").write_text(f'#include "{stem}.h"\nint main() {{ return 0; }}\n')
        run_program("c++", "-Wall", "-Werror", "-c", "-o", "use.o", "use.cc", folder=tmp_path)


def test_failed_verification_leaves_nothing(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlconv.runtime import verify
    from mlconv.runtime.compare import OutputError

    monkeypatch.setattr(verify, "compare", lambda *_: OutputError("y", 1.0, 1.0, False))
    with pytest.raises(ConversionError, match="MLC0701"):
        converted(tmp_path / "net.o", verify=True, weights="file", self_test=True, example=True, archive=True)
    assert not list(tmp_path.iterdir())


def test_a_truncated_object_is_refused(tmp_path: pathlib.Path) -> None:
    path = converted(tmp_path / "net.o")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ConversionError, match="MLC0003"):
        mlconv.load_native(path)


def test_weights_that_are_too_many_for_an_object(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlconv.codegen.program import program

    monkeypatch.setattr(program, "_WEIGHTS_LIMIT", 100)
    with pytest.raises(ConversionError, match="MLC0401"):
        converted(tmp_path / "net.o")
    assert not list(tmp_path.iterdir())
    converted(tmp_path / "net.o", weights="file")


@needs_cc
@pytest.mark.parametrize("shape", [{}, {"image": ("3..9", 1, 8, 8)}], ids=str)
def test_programs_of_run_time_sizes(shape: dict[str, Any], models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The self test has the sizes of its data; the example takes sizes within their ranges; separate weights and the
    pool fit in.
    """
    options = {"self_test": True, "example": True, "weights": "file", "pool": True}
    mlconv.convert(models / "digits_cnn.onnx", to="native", output=tmp_path / "net.o", shapes=shape, **options)
    facts = json.loads((tmp_path / "net.io.json").read_text())
    assert len(facts["dimensions"]) == 1 and facts["workspace_bytes"] is None and facts["inputs"][0]["bytes"] is None
    for kind in ("test", "example"):
        run_program(
            "cc",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-o",
            kind,
            f"net.{kind}.c",
            "net.o",
            "-lm",
            "-lpthread",
            folder=tmp_path,
        )
        run_program(f"./{kind}", folder=tmp_path)


@needs_cc
def test_header_of_sizes_on_one_side(tmp_path: pathlib.Path) -> None:
    """Inputs of run-time sizes and outputs of fixed ones."""
    from mlconv.dialects import core
    from mlconv.ir.dim_parser import parse_dim
    from tests.support.modules import module

    m = module(lambda b, x: b.emit(core.ReduceSum(x, axes=(0,))).y, [random(4, 3)])
    m.main.inputs[0].type = m.main.inputs[0].tensor.with_shape((parse_dim("N"), 3))
    mlconv.convert(m, to="native", output=tmp_path / "net.o", self_test=True, example=True)
    for kind in ("test", "example"):
        run_program("cc", "-Wall", "-Wextra", "-Werror", "-o", kind, f"net.{kind}.c", "net.o", "-lm", folder=tmp_path)
        run_program(f"./{kind}", folder=tmp_path)


@needs_cc
@pytest.mark.parametrize("dtype", ["float16", "float64", "bfloat16", "complex64", "int32", "bool"])
def test_self_test_of_other_types(dtype: str, tmp_path: pathlib.Path) -> None:
    """Passes, and fails when the first expected number is another one."""
    from mlconv.dialects import core
    from mlconv.ir.dtypes import DType
    from tests.support.modules import module

    x = np.arange(6).astype(DType.from_numpy(dtype).numpy)
    m = module(lambda b, v: b.emit(core.LogicalNot(v) if dtype == "bool" else core.Mul(v, v)).y, [x])
    mlconv.convert(m, to="native", output=tmp_path / "net.o", self_test=True)
    run_program("cc", *STRICT, "-o", "test", "net.test.c", "net.o", "-lm", folder=tmp_path)
    run_program("./test", folder=tmp_path)
    data = bytearray((tmp_path / "net.test.bin").read_bytes())
    data[x.nbytes + x.itemsize // (2 if x.dtype.kind == "c" else 1) - 1] ^= 0x3F if dtype != "bool" else 1
    (tmp_path / "net.test.bin").write_bytes(data)
    assert subprocess.run(["./test"], cwd=tmp_path, capture_output=True, check=False).returncode == 1


def test_three_steps_of_a_model_with_variables(tmp_path: pathlib.Path) -> None:
    """TensorFlow's outputs, from the object, the initial state and the model interface."""
    from mlconv.runtime.arrays import read_safetensors

    source = pathlib.Path(__file__).parent.parent / "tf"
    mlconv.convert(source / "stateful_saved_model", to="native", output=tmp_path / "net.o", verify=True)
    model = mlconv.load_native(tmp_path / "net.o")
    held = read_safetensors(str(tmp_path / model.facts["initial_state"]))
    state = {s["input"]: held[s["variable"]] for s in model.facts["state"]}
    with np.load(source / "stateful.npz") as z:
        golden = dict(z)
    for x, y, n in zip(golden["x"], golden["y"], golden["n"], strict=True):
        got = model.run({"x": x, **state})
        np.testing.assert_allclose(got["y"], y, rtol=1e-6, atol=1e-7)
        assert got["n"] == n
        state = {s["input"]: got[s["output"]] for s in model.facts["state"]}


def test_variables_that_the_caller_leaves_out_are_kept(tmp_path: pathlib.Path) -> None:
    """Again TensorFlow's outputs, twice from the beginning; a call that fails is no step."""
    source = pathlib.Path(__file__).parent.parent / "tf"
    mlconv.convert(source / "stateful_saved_model", to="native", output=tmp_path / "net.o")
    model = mlconv.load_native(tmp_path / "net.o")
    with np.load(source / "stateful.npz") as z:
        golden = dict(z)
    for _ in range(2):
        for x, y, n in zip(golden["x"], golden["y"], golden["n"], strict=True):
            with pytest.raises(mlconv.ConversionError, match="has shape"):
                model.run({"x": x[..., :1]})
            got = model.run({"x": x})
            np.testing.assert_allclose(got["y"], y, rtol=1e-6, atol=1e-7)
            assert got["n"] == n
            got[model.facts["state"][0]["output"]][...] = 0  # the caller's own
        model.reset()
    (tmp_path / model.facts["initial_state"]).unlink()
    with pytest.raises(mlconv.ConversionError) as refused:
        mlconv.load_native(tmp_path / "net.o").run({"x": golden["x"][0]})
    assert refused.value.diagnostic.code is Code.ExternalDataInvalid

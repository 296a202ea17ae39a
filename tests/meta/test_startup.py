"""What the command line loads: nothing heavy for help, never tensorflow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import onnx
from onnx import helper, numpy_helper

from mlconv.cli import COMMANDS, main


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_help_loads_no_numpy() -> None:
    code = (
        "import sys, mlconv.cli\n"
        "from click.testing import CliRunner\n"
        "assert CliRunner().invoke(mlconv.cli.main, ['--help']).exit_code == 0\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in "
        "('numpy', 'llvmlite', 'onnx', 'tensorflow', 'rich', 'ml_dtypes')))"
    )
    assert run(code).strip() == "[]"


def test_help_lists_commands_without_loading_them_in_their_own_words() -> None:
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None and command.help and command.name == name
        (said,) = (commands[name] for commands in COMMANDS.values() if name in commands)
        assert said.split()[0] == command.help.split()[0]


def test_import_costs_nothing() -> None:
    assert (
        run("import sys, mlconv; print(sorted(m for m in sys.modules if m.startswith('mlconv')))").strip()
        == "['mlconv']"
    )


def test_tensorflow_is_never_imported(models: Path, tmp_path: Path) -> None:
    code = f"""
import sys, mlconv
for name in ("digits_cnn.pb", "digits_cnn.onnx"):
    mlconv.convert({str(models)!r} + "/" + name, output={str(tmp_path / "out.tflite")!r})
heavy = ("tensorflow.python", "tensorflow.lite", "keras", "jax", "onnx.helper", "onnx.checker")
loaded = [m for m in heavy if m in sys.modules]
assert not loaded, loaded
assert getattr(sys.modules.get("tensorflow"), "__file__", None) is None
"""
    run(code)


def test_native_code_of_floats_loads_little(models: Path, tmp_path: Path) -> None:
    """No OpenSSL, of 3.5 MB, and nothing of linkers, of quantized numbers, loops and other types: an object of floats
    needs none.
    """
    code = f"""
import sys, mlconv
mlconv.convert({str(models / "digits_cnn.onnx")!r}, "native", {str(tmp_path / "out.o")!r})
unwanted = {{"_hashlib", "subprocess", "mlconv.codegen.objects.archive"}}
unwanted |= {{"mlconv." + name for name in (
    "codegen.kernels.bfloat16_gemm", "codegen.kernels.dots", "codegen.llvm.circular", "codegen.llvm.complexes",
    "codegen.llvm.doubles", "codegen.llvm.halves",
    "codegen.machines.cpu_names", "legalize.to_kernel.transposed", "passes.counted", "passes.patterns.scaled_sizes",
    "passes.quantized.borders", "passes.trip_count", "rewrite.value_ranges",
)}}
assert not unwanted & set(sys.modules), unwanted & set(sys.modules)
"""
    run(code)


def test_patterns_of_weights_are_loaded_for_layers_that_have_them(tmp_path: Path) -> None:
    """An LSTM alone has no product or convolution that a scale could go into."""
    w, r = (np.zeros((1, 32, n), np.float32) for n in (4, 8))
    node = helper.make_node("LSTM", ["x", "w", "r"], ["y"], hidden_size=8)
    x, y = (helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", [5, 1, 4]), ("y", [5, 1, 1, 8])))
    weights = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(r, "r")]
    onnx.save(helper.make_model(helper.make_graph([node], "g", [x], [y], weights)), tmp_path / "lstm.onnx")
    code = f"""
import sys, mlconv
mlconv.convert({str(tmp_path / "lstm.onnx")!r}, "native", {str(tmp_path / "out.o")!r})
loaded = {{m for m in sys.modules if m.startswith("mlconv.passes.fold_")}}
assert loaded == {{"mlconv.passes.fold_batch_norm", "mlconv.passes.fold_together"}}, loaded
assert not {{"difflib", "mlconv.ir.size_rules", "mlconv.legalize.from_onnx.elementwise"}} & set(sys.modules)
"""
    run(code)

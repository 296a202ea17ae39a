"""Every level as text: the ops of a file, core, TFLite and HLO print, and read back to the same module."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import DIALECTS
from mlconv.driver.context import BUILT_IN
from mlconv.driver.loading import import_model
from mlconv.driver.options import Options
from mlconv.exporters.native.target import NativeOptions
from mlconv.ir.module import Module
from mlconv.ir.parser import parse_module
from mlconv.ir.printer import print_module
from mlconv.passes.pipeline import Instruments, list_passes, parse_pipeline, run_pipeline
from mlconv.passes.table import PASSES
from tests.support.cli import call

MODELS = ("digits_cnn.onnx", "digits_rnn.onnx", "digits_transformer.onnx", "digits_cnn.pb", "digits_rnn.pb")
SOURCES = {
    "onnx": "from-onnx",
    "graphdef": "from-tf",
    "saved_model": "from-tf",
    "hlo": "from-hlo",
    "stablehlo": "from-hlo",
}
BETWEEN = "canonicalize,fold,cse,layout,canonicalize,dce"
KERNELS = BUILT_IN.target("native").pipeline(NativeOptions())
STEP = 29  # of the corpus


def levels(path: Path) -> list[Module]:
    """The module of a file at each level that it reaches."""
    found = []
    for target in ("", "core", "to-tfl", "to-hlo", "onnx-borders,to-onnx", KERNELS):
        module = import_model(str(path), Options(), DiagnosticEngine()).module
        source = SOURCES[str(module.source["format"]).removesuffix("_text")]
        text = "" if not target else f"{source},{BETWEEN}" if target == "core" else f"{source},{BETWEEN},{target}"
        try:
            run_pipeline(module, parse_pipeline(text), Instruments(verify_each=True))
        except ConversionError as error:
            assert error.code is not Code.IrInvalid, error
            continue
        found.append(module)
    return found


def check(path: Path) -> int:
    modules = levels(path)
    for module in modules:
        text = print_module(module)
        assert print_module(parse_module(text, DIALECTS)) == text
    return len(modules)


@pytest.mark.parametrize("name", MODELS)
def test_levels_of_a_model(name: str, models: Path) -> None:
    assert check(models / name) >= 3  # HLO wants sizes that are fixed


@pytest.mark.long
def test_levels_of_the_corpus(corpus: Path) -> None:
    paths = sorted(
        p for kind in ("onnx", "graphdef", "hlo", "saved_model") for p in (corpus / "models" / kind).iterdir()
    )
    seen = 0
    for path in paths[::STEP]:
        try:
            seen += check(path)
        except ConversionError:
            continue  # not a model, or data beside one
    assert seen > 8


def test_a_pipeline_from_the_ops_of_a_file(models: Path) -> None:
    result = call("opt", models / "digits_cnn.onnx", "--pipeline", f"from-onnx,{BETWEEN},to-tfl")
    assert result.exit_code == 0 and '"tfl.CONV_2D"' in result.output and "onnx." not in result.output
    foreign = call("opt", models / "digits_cnn.onnx", "--pipeline", "from-tf")
    assert foreign.exit_code == 0 and '"onnx.Conv"' in foreign.output  # there is no op of TensorFlow


def test_all_passes_are_listed() -> None:
    result = call("opt", "--list")
    assert result.exit_code == 0 and result.output.rstrip("\n") == list_passes()
    assert [line.split()[0] for line in result.output.splitlines()] == list(PASSES)
    assert call("opt").exit_code == 2

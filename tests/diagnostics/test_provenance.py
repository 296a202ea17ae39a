"""Places survive: after import, after each pass and in the output every op names the nodes that it was made from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.driver.context import BUILT_IN
from mlconv.driver.conversion import convert
from mlconv.driver.loading import import_model, to_core
from mlconv.driver.options import Options
from mlconv.driver.pipeline import standard_pipeline
from mlconv.ir.core import Yield
from mlconv.ir.module import Module, clone_module
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from mlconv.provenance.locations import frames, node_names
from tests.support import failing_models as failing
from tests.support.lowering import lower

DATA = ("core.constant", "onnx.Constant", "hlo.constant")
LARGEST_BYTES = 3 << 20
_PARTS = 4


def unknown(module: Module) -> list[str]:
    """Ops without a location, or whose location names no node."""
    found = []
    for op in module.walk():
        if not isinstance(op, Yield) and (op.location is None or not next(iter(node_names(op.location)), "")):
            found.append(f"{op.describe()} at {op.location}")
    return found


def unplaced(module: Module) -> int:
    """Ops without a line of Python, constants apart: exporters give them none."""
    return sum(not frames(op.location) for op in module.walk() if not isinstance(op, Yield) and op.name not in DATA)


def stages(path: Path) -> Iterator[tuple[str, Module]]:
    """The module after import, legalization, each pass and target legalization."""
    options = Options()
    engine = DiagnosticEngine()
    module = import_model(str(path), options, engine).module
    yield "import", module
    to_core(module, engine, options)
    yield "to_core", module
    for item in parse_pipeline(standard_pipeline(options, BUILT_IN.target("tflite"))):
        run_pipeline(module, [item])
        yield item.name, module
    for name in ("tflite", "hlo"):
        target = clone_module(module)
        lower(target, name)  # what it refuses stays, with its place
        yield name, target


def check(path: Path) -> None:
    placed = False
    for name, module in stages(path):
        assert not unknown(module), (name, unknown(module)[:3])
        if name == "import":
            placed = unplaced(module) == 0
        assert not placed or unplaced(module) == 0, f"{name}: {unplaced(module)} ops lost their line"


@pytest.mark.parametrize(
    "name",
    [
        "digits_cnn.onnx",
        "digits_cnn.pb",
        "digits_cnn_saved_model",
        "digits_rnn.onnx",
        "digits_rnn.pb",
        "digits_transformer.onnx",
    ],
)
def test_small_models(name: str, models: Path) -> None:
    check(models / name)


def test_lines_survive(tmp_path: Path) -> None:
    """A model with a line for every node keeps it through everything."""
    from onnx import helper

    kinds = [("MatMul", ["x", "m"], "a"), ("Add", ["a", "w"], "b"), ("Erf", ["b"], "c"), ("Softmax", ["c"], "d")]
    kinds += [("ReduceMean", ["d"], "e"), ("Pow", ["d", "e"], "y")]
    nodes = [
        failing.traced(helper.make_node(op, inputs, [out], f"/{op}"), ("net.py", i + 1, "forward", f"{op}(x)"))
        for i, (op, inputs, out) in enumerate(kinds)
    ]
    m = failing.traced(helper.make_node("Transpose", ["x"], ["m"], "/T", perm=[1, 0]), ("net.py", 9, "forward", "x.T"))
    path = failing.onnx_file(tmp_path / "m.onnx", [m, *nodes], shape=(4, 4))
    check(path)


def test_places_in_the_output(tmp_path: Path) -> None:
    """HLO instructions carry the line; --path-map changes it, --strip-locations takes it out.  Names of TFLite tensors
    come from nodes.
    """
    from onnx import helper

    node = failing.traced(
        helper.make_node("Erf", ["x"], ["y"], "/head/Erf"), ("/build/src/net.py", 7, "forward", "erf(x)")
    )
    path = failing.onnx_file(tmp_path / "m.onnx", [node])

    def written(target: str, **settings: object) -> bytes:
        convert(str(path), target, str(tmp_path / "out"), **settings)
        return (tmp_path / "out").read_bytes()

    assert b"/build/src/net.py" in written("hlo")
    mapped = written("hlo", path_map=(("/build/src", "src"),))
    assert b"src/net.py" in mapped and b"/build" not in mapped
    stripped = written("hlo", strip_locations=True)
    assert b"net.py" not in stripped and b"/head/Erf" in stripped
    assert b"/head/Erf/" in written("tflite")


@pytest.mark.share(4)
@pytest.mark.parametrize("part", range(_PARTS))
def test_corpus(corpus: Path, part: int) -> None:
    """The corpus: no location becomes unknown, at any stage of any model."""
    rows = json.loads((corpus / "manifest.json").read_text())
    bad, seen = [], 0
    for row in [*rows["models"], *rows["diag"]][part::_PARTS]:
        path = corpus / row["path"]
        if (
            row["format"] not in ("onnx", "graphdef", "saved_model")
            or row.get("size_bytes", 0) > LARGEST_BYTES
            or row.get("convert_args")
        ):
            continue
        try:
            check(path)
            seen += 1
        except ConversionError:
            continue  # refused: other tests say how
        except AssertionError as error:
            bad.append(f"{row['name']}: {error}")
    assert seen and not bad, "\n".join(bad)

"""How a Conv travels: the table of `docs/architecture.md` says what there is after each pass."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import pytest

from mlconv.driver.conversion import convert
from mlconv.driver.options import Options

PAGE = Path(__file__).parent.parent.parent / "docs" / "architecture.md"
ROW = re.compile(r"^\| `([a-z-]+)` \| ([^|]*) \|", re.M)
WORDS = {"nine ops for the normalization": 9, "the same": 0}
"""What the table has in words, and how many ops it stands for."""


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Names of ops but for constants, by pass, of the first target that runs it."""
    folder = tmp_path_factory.mktemp("conv")
    helper, rng = onnx.helper, np.random.default_rng(0)
    shapes = {"w": (16, 8, 3, 3), "b": (16,), "scale": (16,), "shift": (16,), "mean": (16,), "variance": (16,)}
    weights = [
        onnx.numpy_helper.from_array(rng.uniform(0.5, 1.5, shape).astype(np.float32), name)
        for name, shape in shapes.items()
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], "/body/conv/Conv", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "scale", "shift", "mean", "variance"], ["n"], "/body/norm"),
        helper.make_node("Relu", ["n"], ["y"], "/body/act"),
    ]
    x, y = (
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, channels, 32, 32])
        for name, channels in (("x", 8), ("y", 16))
    )
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    model = folder / "conv.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), model)
    found: dict[str, list[str]] = {}
    for target in ("tflite", "native", "hlo"):
        convert(str(model), target, folder / f"conv.{target}", Options(dump_ir=str(folder / target)))
        for path in sorted((folder / target).iterdir()):
            names = re.findall(r'"((?:core|tfl|kernel|hlo)\.[\w-]+)"\(', path.read_text(encoding="utf-8"))
            found.setdefault(path.stem.split("-", 1)[1], [name.lower() for name in names if name != "core.constant"])
    return found


def test_the_table_is_a_trace(dumps: dict[str, list[str]]) -> None:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8").partition("## How a Conv travels")[2])
    assert len(rows) >= 9
    before: list[str] = []
    for name, cell in rows:
        ops = [op.lower() for op in re.findall(r"`([\w.-]+)`", cell)]
        more = sum(count for words, count in WORDS.items() if words in cell)
        if cell == "the same":
            assert dumps[name] == before, name
        elif more:
            assert len(dumps[name]) == len(ops) + more and set(ops) <= set(dumps[name]), name
        else:
            assert dumps[name] == ops, name
        before = dumps[name]

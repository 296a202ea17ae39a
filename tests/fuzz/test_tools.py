"""The tools of the hunts: what is known is left out, slices go on, a failing model becomes small."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlconv.formats.protos import tf_pb

ROOT = pathlib.Path(__file__).parent.parent.parent
REFUSED = (
    "--match",
    "MLC0301.*acme",
    "--",
    sys.executable,
    "-m",
    "mlconv",
    "check",
    "{model}",
    "--diagnostics-format",
    "concise",
)


def minimised(model: pathlib.Path, *command: str) -> pathlib.Path:
    small = model.with_name(f"small{model.suffix}")
    script = [sys.executable, str(ROOT / "tools" / "minimise.py"), str(model), "-o", str(small)]
    done = subprocess.run([*script, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return small


def test_an_onnx_file_becomes_small(tmp_path: pathlib.Path) -> None:
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Add", ["a", "w"], ["b"], name="add")]
    nodes += [
        helper.make_node("Wobble", ["b"], ["c"], domain="acme", alpha=1.0),
        helper.make_node("Tanh", ["c"], ["y"]),
        helper.make_node("Neg", ["a"], ["z"]),
    ]
    outputs = [value("y", TensorProto.FLOAT, [3]), value("z", TensorProto.FLOAT, [3])]
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x", TensorProto.FLOAT, [3])],
        outputs,
        [numpy_helper.from_array(np.ones(3, np.float32), "w")],
    )
    onnx.save(
        helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)], ir_version=8
        ),
        tmp_path / "m.onnx",
    )
    small = onnx.load(minimised(tmp_path / "m.onnx", *REFUSED)).graph
    assert "Wobble" in [n.op_type for n in small.node] and len(small.node) <= 2
    assert not small.initializer and not any(n.attribute for n in small.node)


@pytest.mark.long
def test_a_graphdef_becomes_small(tmp_path: pathlib.Path) -> None:
    graph = tf_pb("framework.graph_pb2").GraphDef()
    for name, op, inputs in (
        ("x", "Placeholder", []),
        ("a", "Relu", ["x"]),
        ("b", "AcmeWobble", ["a"]),
        ("c", "Tanh", ["b"]),
        ("d", "Neg", ["a"]),
    ):
        node = graph.node.add(name=name, op=op)
        node.input.extend(inputs)
        node.attr["dtype" if op == "Placeholder" else "T"].type = 1
    (tmp_path / "m.pb").write_bytes(graph.SerializeToString())
    small = graph.FromString(minimised(tmp_path / "m.pb", "--match", "AcmeWobble", *REFUSED[2:]).read_bytes())
    assert "AcmeWobble" in [n.op for n in small.node] and len(small.node) <= 3


GENERATOR = """
import types
import numpy as np
from onnx import TensorProto, helper, numpy_helper

def gen(seed):
    value = helper.make_tensor_value_info
    ops = {"Sub": ("xw", "d"), "Div": ("de", "y"), "Add": ("xw", "z")}
    nodes = [helper.make_node(op, list(reads), [writes]) for op, (reads, writes) in ops.items()]
    numbers = {"w": np.ones(4, np.float32), "e": np.full(4, 1e-6, np.float32)}
    rows = [numpy_helper.from_array(array, name) for name, array in numbers.items()]
    outputs = [value(n, TensorProto.FLOAT, [4]) for n in "yz"]
    graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, [4])], outputs, rows)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return types.SimpleNamespace(model=model, runs=[{"x": np.ones(4, np.float32)}])
"""


def test_amplified_rounding_is_told_from_defects(tmp_path: pathlib.Path) -> None:
    (tmp_path / "amplifier.py").write_text(GENERATOR)
    script = [sys.executable, str(ROOT / "tools" / "sensitivity.py"), str(tmp_path), "amplifier", "7"]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    moves = dict(line.split()[1:] for line in done.stdout.splitlines())
    assert float(moves["y:"]) > 0.1 and float(moves["z:"]) < 1e-5


def test_known_differences_have_records() -> None:
    import tomllib

    rows = tomllib.loads((ROOT / "tools" / "known_differences.toml").read_text(encoding="utf-8")).get("difference", [])
    for row in rows:
        assert set(row) <= {"op", "target", "status", "label", "message", "oracle", "record"} and len(row) > 1
        assert (ROOT / row["record"].partition("#")[0]).is_file(), row


def test_a_hunt_goes_on_where_it_stopped(tmp_path: pathlib.Path) -> None:
    """Generators that stand in for the real ones: every case is done once, a finding ends in exit code 1."""
    fake = tmp_path / "fake"
    fake.mkdir()
    (fake / "harness.py").write_text(
        "import json, sys\n"
        "start, count, out = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]\n"
        "rows = [{'seed': s, 'label': 'Op x', 'target': 'ref', 'status': 'WRONG' if "
        "s == 3000450 else 'ok', 'msg': ''} for s in range(start, start + count)]\n"
        "open(out, 'w').write(''.join(json.dumps(r) + chr(10) for r in rows))\n"
    )
    script = [sys.executable, str(ROOT / "tools" / "fuzz.py"), "numerics", "--fuzz", str(fake), "--out", str(tmp_path)]
    command = [*script, "--seed", "3", "--generators", "gen_ops"]
    first = subprocess.run([*command, "--cases", "300", "--no-structures"], capture_output=True, text=True, check=False)
    assert first.returncode == 0 and "300 cases from 0" in first.stdout
    second = subprocess.run(
        [*command, "--cases", "500", "--no-structures"], capture_output=True, text=True, check=False
    )
    assert (
        second.returncode == 1
        and "200 cases from 300" in second.stdout
        and "gen_ops 3000450 ref WRONG" in second.stdout
    )
    assert json.loads((tmp_path / "state.json").read_text()) == {"gen_ops:3": 500}

"""`mlconv simplify` beside onnxslim and onnxsim: nodes, bytes and seconds of every ONNX file below a folder.

    python benchmarks/simplify.py [FOLDER] [--peers PYTHON] [--only TEXT] [--json FILE]

A row for each model: nodes (of subgraphs, too) and bytes of the source, of what mlconv makes, and of what the peers
make; whether mlconv's gives what the source does on ONNX Runtime as it comes; and whether it holds: at most a hundredth
larger than the source, at most as many nodes as the better of the peers among those of their results that are no larger
than that, equal.  Ends with exit code 1 where one does not.  `--peers` names the interpreter of an environment with
onnx, onnxslim and onnxsim; they get copies of the files.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
import onnx
import onnxruntime

import mlconv
from mlconv.diagnostics import ConversionError
from mlconv.ir.dtypes import DType
from mlconv.runtime.inputs import drawn
from mlconv.runtime.onnx_runtime import refusals

ROOT = pathlib.Path(__file__).parent.parent
PEERS = {
    "onnxslim": "import onnx, onnxslim, sys; onnx.save(onnxslim.slim(sys.argv[1]), sys.argv[2])",
    "onnxsim": "import onnx, onnxsim, sys; onnx.save(onnxsim.simplify(onnx.load(sys.argv[1]))[0], sys.argv[2])",
}
LIMIT = 1.01
SIZES = (3, 2, 8, 1, 256)  # of open axes: a model need not take each
NARROW = 1e-5
TYPES = {
    "tensor(float)": DType.F32,
    "tensor(float16)": DType.F16,
    "tensor(double)": DType.F64,
    "tensor(bool)": DType.BOOL,
    "tensor(uint8)": DType.U8,
    "tensor(int8)": DType.I8,
    "tensor(int32)": DType.I32,
    "tensor(int64)": DType.I64,
}


def nodes(graph: onnx.GraphProto) -> int:
    inner = (g for n in graph.node for a in n.attribute for g in ([a.g] if a.HasField("g") else a.graphs))
    return len(graph.node) + sum(map(nodes, inner))


def counted(path: pathlib.Path) -> int:
    return nodes(onnx.load(path, load_external_data=False).graph)


def size(path: pathlib.Path) -> int:
    """Of the file, and of those with its weights."""
    model = onnx.load(path, load_external_data=False)
    places = {e.value for t in model.graph.initializer for e in t.external_data if e.key == "location"}
    return path.stat().st_size + sum((path.parent / place).stat().st_size for place in places)


def answers(path: pathlib.Path, open_size: int) -> dict[str, Any]:
    """What ONNX Runtime gives for random inputs.  open_size: of axes that are open."""
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
    rng, given = np.random.default_rng(1), {}
    for port in session.get_inputs():
        shape = [d if isinstance(d, int) else open_size for d in port.shape]
        if port.type == "tensor(string)":
            given[port.name] = rng.choice(np.asarray(["a", "b"], object), shape)
            continue
        given[port.name] = drawn(TYPES[port.type], shape, rng)
    names = [port.name for port in session.get_outputs()]
    return dict(zip(names, session.run(names, given), strict=True))


def equal(source: pathlib.Path, made: pathlib.Path) -> str:
    """`equal`, the largest relative difference, or why there is none."""
    why = ""
    for open_size in SIZES:
        try:
            expected = answers(source, open_size)
        except refusals() as error:
            why = type(error).__name__
            continue
        got = answers(made, open_size)
        worst = 0.0
        for name, x in expected.items():
            if not isinstance(x, np.ndarray) or x.dtype.kind not in "f":
                if str(x) != str(got[name]):
                    return "different"
            elif x.size:
                wide = x.astype(np.float64), got[name].astype(np.float64)
                if wide[0].shape != wide[1].shape or not np.array_equal(np.isfinite(wide[0]), np.isfinite(wide[1])):
                    return "different"
                scale = float(np.nan_to_num(np.abs(wide[0]), posinf=0).max()) or 1.0
                worst = max(worst, float(np.nan_to_num(np.abs(wide[0] - wide[1])).max()) / scale)
        limit = 2e-3 if any(getattr(x, "dtype", None) == np.float16 for x in expected.values()) else NARROW
        return "equal" if worst <= limit else f"{worst:.1e}"
    return f"not run: {why}"


def peer(python: str, code: str, source: pathlib.Path, folder: pathlib.Path) -> tuple[int, int] | None:
    """Nodes and bytes of what a peer makes of a copy; None where it fails."""
    copy = folder / "copy"
    if any(t.external_data for t in onnx.load(source, load_external_data=False).graph.initializer):
        shutil.copytree(source.parent, copy)
    else:
        copy.mkdir()
        shutil.copy(source, copy)
    out = folder / "peer.onnx"
    ran = subprocess.run([python, "-c", code, str(copy / source.name), str(out)], capture_output=True, timeout=300)
    shutil.rmtree(copy)
    if ran.returncode or not out.exists():
        return None
    found = counted(out), size(out)
    out.unlink()
    return found


def row(source: pathlib.Path, python: str | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        target = folder / "out.onnx"
        found: dict[str, Any] = {"source": [counted(source), size(source)]}
        started = time.perf_counter()
        try:
            done = mlconv.simplify(source, target)
        except ConversionError as error:
            return {**found, "mlconv": None, "equal": error.diagnostic.message, "holds": False}
        found["seconds"] = round(time.perf_counter() - started, 2)
        found["verified"] = done.checked.runs
        found["mlconv"] = [counted(target), done.bytes_after]
        found["equal"] = "in parts" if done.checked.aside else equal(source, target)
        best = None
        for tool, code in PEERS.items() if python else ():
            result = peer(python or "", code, source, folder)
            found[tool] = result
            if result is not None and result[1] <= LIMIT * found["source"][1]:
                best = min(result[0], best if best is not None else result[0])
    small = found["mlconv"][1] <= LIMIT * found["source"][1]
    few = best is None or found["mlconv"][0] <= best
    found["holds"] = small and few and found["equal"] in ("equal", "in parts") and found["verified"] > 0
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=str(ROOT.parent / "shared" / "corpus" / "models" / "onnx"))
    parser.add_argument("--peers", help="interpreter of an environment with onnxslim and onnxsim")
    parser.add_argument("--only", default="", help="models whose path has this text")
    parser.add_argument("--json", help="also write the rows to this file")
    args = parser.parse_args()
    folder, rows = pathlib.Path(args.folder), {}
    tools = ("source", "mlconv", *(PEERS if args.peers else ()))
    print(f"{'nodes and bytes of':44}" + "".join(f"{tool:>17}" for tool in tools) + "     s  ONNX Runtime")
    for path in sorted(p for p in folder.rglob("*.onnx") if args.only in str(p)):
        name = str(path.relative_to(folder))
        found = rows[name] = row(path, args.peers)
        cells = "".join(f"{'-' if found.get(t) is None else '{} {:9}'.format(*found[t]):>17}" for t in tools)
        words = found["equal"] if found["holds"] else f"{found['equal']}  does not hold"
        print(f"{name[:44]:44}{cells} {found.get('seconds', 0):5} {words}", flush=True)
    holding = sum(found["holds"] for found in rows.values())
    print(f"{holding} of {len(rows)} models hold")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))
    sys.exit(holding < len(rows))


if __name__ == "__main__":
    main()

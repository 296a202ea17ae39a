"""Make a failing model small: drop nodes, outputs and attributes while it still fails in the same way.

    python tools/minimise.py m.onnx -o small.onnx --match 'IndexError' -- mlconv convert {model} --to tflite -o
    /dev/shm/y.tflite python tools/minimise.py m.pb -o small.pb --match 'MLC0901' -- mlconv check {model} --to native

MODEL: an ONNX file or a GraphDef.  The command is run on each candidate; it fails in the same way when what it prints
matches the pattern (by default: when its exit code is that of the whole model).  A node that goes leaves an input
behind for each of its results that is still read.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
Fails = Callable[[Any], bool]


def fewer(items: list[T], still: Callable[[list[T]], bool]) -> list[T]:
    """A small part of the items with which it still fails (Zeller and Hildebrandt, "Simplifying and isolating
    failure-inducing input", 2002).
    """
    size = max(1, len(items) // 2)
    while items:
        at = 0
        while at < len(items):
            rest = items[:at] + items[at + size :]
            if still(rest):
                items = rest
            else:
                at += size
        if size == 1:
            return items
        size = max(1, size // 2)
    return items


def onnx_of(model: Any, nodes: list[Any], outputs: list[Any]) -> Any:
    """The model with these nodes and outputs; what they read and nothing makes becomes an input."""
    import onnx

    small = onnx.ModelProto()
    small.CopyFrom(model)
    graph = small.graph
    del graph.node[:], graph.output[:]
    graph.node.extend(nodes)
    graph.output.extend(outputs)
    made = (
        {name for n in nodes for name in n.output}
        | {t.name for t in graph.initializer}
        | {t.values.name for t in graph.sparse_initializer}
    )
    read = {name for n in nodes for name in _reads(n)} | {o.name for o in outputs}
    kept = [i for i in graph.input if i.name in read]
    types = {v.name: v for v in (*model.graph.value_info, *model.graph.output)}
    del graph.input[:]
    graph.input.extend(kept)
    known = made | {i.name for i in kept}
    graph.input.extend(types.get(name) or onnx.ValueInfoProto(name=name) for name in sorted(read - known) if name)
    weights = [t for t in graph.initializer if t.name in read]
    del graph.initializer[:]
    graph.initializer.extend(weights)
    return small


def _reads(node: Any) -> list[str]:
    inner = [a.g for a in node.attribute if a.HasField("g")] + [g for a in node.attribute for g in a.graphs]
    return [
        *node.input,
        *(name for g in inner for n in g.node for name in _reads(n)),
        *(o.name for g in inner for o in g.output),
    ]


def minimise_onnx(path: pathlib.Path, fails: Fails) -> Any:
    import onnx

    model = onnx.load(path)
    try:
        model = onnx.shape_inference.infer_shapes(model)
    except (ValueError, RuntimeError, onnx.shape_inference.InferenceError) as error:
        print(f"no shapes are inferred: {error}", file=sys.stderr)
    nodes, outputs = list(model.graph.node), list(model.graph.output)
    if not fails(onnx_of(model, nodes, outputs)):
        return None
    outputs = fewer(outputs, lambda some: bool(some) and fails(onnx_of(model, nodes, some)))
    nodes = fewer(nodes, lambda some: fails(onnx_of(model, some, outputs)))
    for node in nodes:
        _fewer_attributes(node.attribute, lambda: fails(onnx_of(model, nodes, outputs)))
    small = onnx_of(model, nodes, outputs)
    for field in (small.graph.value_info, small.metadata_props, small.functions):
        _fewer_attributes(field, lambda: fails(small))
    return small


def _fewer_attributes(field: Any, still: Callable[[], bool]) -> None:
    """Drop the members of a repeated field that the failure does not need, in place."""

    def without(some: list[Any]) -> bool:
        before = list(field)
        del field[:]
        field.extend(some)
        if still():
            return True
        del field[:]
        field.extend(before)
        return False

    fewer(list(field), without)


def graphdef_of(graph: Any, kept: list[Any]) -> Any:
    """The graph with these nodes; what they read of others becomes a placeholder."""
    small = type(graph)()
    small.CopyFrom(graph)
    del small.node[:]
    names = {n.name for n in kept}
    gone = {n.name: n for n in graph.node if n.name not in names}
    read = {i.lstrip("^").partition(":")[0] for n in kept for i in n.input}
    for name in sorted(read & set(gone)):
        stand_in = small.node.add(name=name, op="Placeholder")
        types = gone[name].attr
        kind = next(
            (types[k].type for k in ("dtype", "T", "DstT", "output_type", "out_type") if k in types and types[k].type),
            1,
        )
        stand_in.attr["dtype"].type = kind
        if "_output_shapes" in types and types["_output_shapes"].list.shape:
            stand_in.attr["shape"].shape.CopyFrom(types["_output_shapes"].list.shape[0])
    small.node.extend(kept)
    return small


def minimise_graphdef(path: pathlib.Path, fails: Fails) -> Any:
    from mlconv.formats.protos import tf_pb

    graph = tf_pb("framework.graph_pb2").GraphDef.FromString(path.read_bytes())
    nodes = list(graph.node)
    if not fails(graphdef_of(graph, nodes)):
        return None
    nodes = fewer(nodes, lambda some: bool(some) and fails(graphdef_of(graph, some)))
    for node in nodes:
        for key in sorted(node.attr):
            value = type(node.attr[key])()
            value.CopyFrom(node.attr[key])
            del node.attr[key]
            if not fails(graphdef_of(graph, nodes)):
                node.attr[key].CopyFrom(value)
    return graphdef_of(graph, nodes)


class Command:
    """The command line that fails, with {model} in place of the file."""

    def __init__(self, words: list[str], match: str, suffix: str, timeout_s: float) -> None:
        self.words, self.match, self.timeout_s, self.tries = words, re.compile(match) if match else None, timeout_s, 0
        self.folder = tempfile.TemporaryDirectory(prefix="minimise-")
        self.file = pathlib.Path(self.folder.name) / f"m{suffix}"
        self.code: int | None = None

    def __call__(self, model: Any) -> bool:
        """The model fails as the whole one does."""
        self.tries += 1
        self.file.write_bytes(model.SerializeToString(deterministic=True))
        words = [w.replace("{model}", str(self.file)) for w in self.words]
        try:
            done = subprocess.run(
                words,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self.timeout_s,
                check=False,
                cwd=self.folder.name,
            )
            code, said = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            code, said = -1, "timeout"
        if self.match is not None:
            return self.match.search(said) is not None
        self.code = code if self.code is None else self.code
        return code == self.code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--match", default="")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    fails = Command(args.command, args.match, args.model.suffix, args.timeout)
    onnx_file = args.model.suffix == ".onnx"
    small = (minimise_onnx if onnx_file else minimise_graphdef)(args.model, fails)
    if small is None:
        sys.exit("the model does not fail")
    args.output.write_bytes(small.SerializeToString(deterministic=True))
    count = len(small.graph.node if onnx_file else small.node)
    print(f"{args.output}: {count} nodes, {args.output.stat().st_size} bytes, after {fails.tries} tries")


if __name__ == "__main__":
    main()

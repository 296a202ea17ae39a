"""What LiteRT's delegate takes over of a TFLite file: asked of LiteRT itself, in a process of its own, as LiteRT ends
the process over some files.

LiteRT lists the nodes of its first subgraph, and behind them one for each partition that XNNPACK runs, with the tensors
that it reads and gives.  The nodes between these are those that it replaced.  Of another subgraph it does so where that
one stands in the first one's place: delegates are asked of each by itself (Interpreter::ModifyGraphWithDelegate).
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError

_TIMEOUT_S = 300
_MARK = "mlconv-nodes "

# Takes a path and the number of a subgraph.  Prints {"version", "subgraphs", "plain": [[name, inputs, outputs, names of
# outputs], ...], "delegated": the same with XNNPACK}.  Source of the layout: schema.fbs, Model.subgraphs (field 2).
_SCRIPT = """
import importlib.metadata, json, struct, sys
from ai_edge_litert import interpreter as litert
def at_first(data, number):
    if number == 0:
        return data
    data, word = bytearray(data), struct.Struct("<I")
    read = lambda at: word.unpack_from(data, at)[0]
    root = read(0)
    table = root - struct.unpack_from("<i", data, root)[0]
    field = root + struct.unpack_from("<H", data, table + 4 + 2 * 2)[0]
    first = field + read(field) + 4
    other = first + 4 * number
    places = first + read(first), other + read(other)
    word.pack_into(data, first, places[1] - first)
    word.pack_into(data, other, places[0] - other)
    return bytes(data)
def nodes(kind):
    with open(sys.argv[1], "rb") as f:
        model = at_first(f.read(), int(sys.argv[2]))
    found = litert.Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=kind)
    found.allocate_tensors()
    names = {d["index"]: d["name"] for d in found.get_tensor_details()}
    listed = [[d["op_name"], [int(i) for i in d["inputs"]], [int(i) for i in d["outputs"]],
               [names.get(int(i), "") for i in d["outputs"]]]
              for d in found._get_ops_details()]
    return listed, found.num_subgraphs()
kinds = litert.OpResolverType
plain, count = nodes(kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
answer = {"version": importlib.metadata.version("ai-edge-litert"), "subgraphs": count, "plain": plain,
          "delegated": nodes(kinds.AUTO)[0]}
sys.stdout.write("\\nmlconv-nodes " + json.dumps(answer) + "\\n")
"""


class LiteRtNode(NamedTuple):
    """name: as LiteRT has it, `CONV_2D` say, or that of a custom operator.  inputs, outputs: numbers of tensors.  made:
    names of the outputs.
    """

    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    made: tuple[str, ...] = ()


class Delegation(NamedTuple):
    """version: of LiteRT.  nodes: of a subgraph, as the file has them.  partitions: numbers of the nodes that each
    replaces.  subgraphs: how many there are.
    """

    version: str
    nodes: list[LiteRtNode]
    partitions: list[list[int]]
    subgraphs: int


def delegation_of(path: str, subgraph: int = 0) -> Delegation:
    """subgraph: its number.

    Raises ConversionError VerificationImpossible when LiteRT is not installed, VerificationFailed when it refuses the
    file.
    """
    command = [sys.executable, "-P", "-c", _SCRIPT, path, str(subgraph)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise ConversionError(
            Code.VerificationFailed, f"LiteRT did not answer within {_TIMEOUT_S} s about {path}"
        ) from error
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if line.startswith(_MARK):
            return _answer(json.loads(line.removeprefix(_MARK)))
    last = said[-1] if said else f"it ended with {done.returncode}"
    if "ModuleNotFoundError" in last:
        raise ConversionError(
            Code.VerificationImpossible,
            "LiteRT is not installed, which alone knows what its delegates take",
            help="pip install ai-edge-litert",
        )
    raise ConversionError(Code.VerificationFailed, f"LiteRT refuses the file: {' '.join(last.split())[:300]}")


def _answer(found: dict[str, object]) -> Delegation:
    plain, delegated = (_nodes(found[key]) for key in ("plain", "delegated"))
    made = {tensor: i for i, node in enumerate(plain) for tensor in node.outputs}
    partitions = [_between(plain, made, node) for node in delegated[len(plain) :]]
    return Delegation(str(found["version"]), plain, partitions, int(str(found["subgraphs"])))


def _nodes(listed: object) -> list[LiteRtNode]:
    if not isinstance(listed, list):
        return []
    return [LiteRtNode(str(name), tuple(inputs), tuple(outputs), tuple(made)) for name, inputs, outputs, made in listed]


def _between(nodes: list[LiteRtNode], made: dict[int, int], partition: LiteRtNode) -> list[int]:
    """The nodes that compute what a partition gives of what it reads."""
    given, found = set(partition.inputs), set()
    waiting = [t for t in partition.outputs if t in made]
    while waiting:
        at = made[waiting.pop()]
        if at not in found:
            found.add(at)
            waiting += [t for t in nodes[at].inputs if t in made and t not in given]
    return sorted(found)

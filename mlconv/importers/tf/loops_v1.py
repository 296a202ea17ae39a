"""TF1 while loops (Enter, Merge, Switch, LoopCond, NextIteration, Exit) -> `_While` nodes with regions.

Source: tensorflow/core/ops/control_flow_ops.cc; Yu et al., "Dynamic Control Flow in Large-Scale Machine Learning". A
frame is the set of nodes between its Enter and Exit nodes.  Frames are raised innermost first, so that an outer loop
sees one node for an inner one.
"""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.tf.cut import WHILE, Cutter, Users
from mlconv.importers.tf.graph import Graph, Node, Port, topological

MAX_FRAME_DEPTH = 64


class _Frame:
    """One loop: its name, the frame around it, and its special nodes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parent: _Frame | None = None
        self.merges: list[Node] = []
        self.conds: list[Node] = []

    @property
    def depth(self) -> int:
        depth, frame = 1, self.parent
        while frame is not None and depth <= MAX_FRAME_DEPTH:
            depth, frame = depth + 1, frame.parent
        return depth


def raise_loops(graph: Graph) -> dict[Node, Node]:
    """Replace the loops of `graph`; returns copy -> original for nodes that moved into regions.

    Raises ConversionError ControlFlowUnstructured when a frame has not the shape that tf.while_loop writes.
    """
    if not any(n.op in ("Enter", "RefEnter") for n in graph.nodes):
        return {}
    frames, frame_of = _find_frames(graph)
    users = Users(graph)
    copies: dict[Node, Node] = {}
    for frame in sorted(frames, key=lambda f: -f.depth):
        _raise_frame(graph, frame, frame_of, users, copies)
    return copies


def _find_frames(graph: Graph) -> tuple[list[_Frame], dict[Node, _Frame | None]]:
    """Frames by name, and the frame of every node.

    A loop variable may start from a constant, which lies in no frame by its data edges; so the frame around a loop is
    the deepest one that any of its Enter nodes comes from, and the walk is repeated until that does not change.
    """
    order = topological(graph.nodes)
    frames: dict[str, _Frame] = {}
    for _ in range(MAX_FRAME_DEPTH):
        frame_of, stable = _assign(order, frames)
        if stable:
            break
    else:
        raise ConversionError(
            Code.ControlFlowUnstructured, f"while loops nest deeper than {MAX_FRAME_DEPTH}, or contain each other"
        )
    for node, frame in frame_of.items():
        if frame is not None and node.op in ("Merge", "RefMerge") and any(_is_back_edge(p) for p in node.inputs):
            frame.merges.append(node)
        elif frame is not None and node.op == "LoopCond":
            frame.conds.append(node)
    return list(frames.values()), frame_of


def _assign(order: list[Node], frames: dict[str, _Frame]) -> tuple[dict[Node, _Frame | None], bool]:
    """One walk: the frame of every node, and whether no frame had to be moved into another."""
    stable = True
    frame_of: dict[Node, _Frame | None] = {}
    for node in order:
        outer = [frame_of[p.node] for p in node.inputs if p.node in frame_of]
        frame = max(outer, key=lambda f: f.depth if f else 0, default=None)
        if node.op in ("Enter", "RefEnter"):
            name = str(node.attrs.get("frame_name", ""))
            around, frame = frame, frames.setdefault(name, _Frame(name))
            if (
                around is not None
                and around is not frame
                and around.depth > (frame.parent.depth if frame.parent else 0)
            ):
                frame.parent, stable = around, False
        elif node.op in ("Exit", "RefExit"):
            if frame is None:
                raise ConversionError(Code.ControlFlowUnstructured, f"Exit node '{node.name}' is in no while loop")
            frame = frame.parent
        frame_of[node] = frame
    return frame_of, stable


def _is_back_edge(port: Port) -> bool:
    return port.node.op in ("NextIteration", "RefNextIteration")


def _raise_frame(
    graph: Graph, frame: _Frame, frame_of: dict[Node, _Frame | None], users: Users, copies: dict[Node, Node]
) -> None:
    if len(frame.conds) != 1:
        raise ConversionError(
            Code.ControlFlowUnstructured,
            f"while loop '{frame.name}' has {len(frame.conds)} LoopCond nodes, it must have one",
        )
    cond = frame.conds[0]
    merges = [Port(m, 0) for m in frame.merges]
    inits, nexts = [], []
    switched: dict[Port, int] = {}
    exits: list[tuple[Node, int]] = []
    for i, merge in enumerate(frame.merges):
        enter, following = _merge_sides(merge, frame)
        inits.append(enter.inputs[0])
        nexts.append(following.inputs[0])
        for switch in users.of(merges[i]):
            if switch.op in ("Switch", "RefSwitch") and switch.inputs[1] == Port(cond, 0):
                switched[Port(switch, 1)] = i
                exits += [(e, i) for e in users.of(Port(switch, 0)) if e.op in ("Exit", "RefExit")]
    cutter = Cutter(lambda n: frame_of.get(n) is frame and n.op not in ("Enter", "RefEnter"), _through_enter, merges)
    condition = cutter.cut(frame.name, [cond.inputs[0]], {p: i for i, p in enumerate(merges)})
    body = cutter.cut(frame.name, nexts, {**{p: i for i, p in enumerate(merges)}, **switched})
    loop = Node(
        _loop_name(frame, exits), WHILE, {"carried": len(merges)}, [m.outputs[0] for m in frame.merges], cond.function
    )
    loop.regions = (condition, body)
    loop.inputs = [*inits, *cutter.close()]
    graph.nodes.append(loop)
    copies.update(cutter.copies)
    copies[loop] = cond
    frame_of[loop] = frame.parent
    users.add(loop)
    for node, i in exits:
        users.redirect(Port(node, 0), Port(loop, i))


def _loop_name(frame: _Frame, exits: list[tuple[Node, int]]) -> str:
    return frame.name or (exits[0][0].name if exits else "while")


def _through_enter(port: Port) -> Port:
    """A loop-invariant enters its frame unchanged."""
    return port.node.inputs[0] if port.node.op in ("Enter", "RefEnter") else port


def _merge_sides(merge: Node, frame: _Frame) -> tuple[Node, Node]:
    """The Enter and the NextIteration of a loop variable."""
    enters = [p.node for p in merge.inputs if p.node.op in ("Enter", "RefEnter")]
    following = [p.node for p in merge.inputs if _is_back_edge(p)]
    if len(enters) != 1 or len(following) != 1:
        raise ConversionError(
            Code.ControlFlowUnstructured,
            f"Merge node '{merge.name}' of while loop '{frame.name}' does not join one Enter and one NextIteration",
        )
    return enters[0], following[0]

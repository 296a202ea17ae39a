"""Where nodes come from: names, and the frames of the user's source as torch's exporter writes them.

`metadata_props` of a node has traceback text, outermost frame first, under the key that torch's exporter uses, so that
tools which show that show this; an op that was made of several source nodes has their names beside, as JSON: the
folder that they share, and the rest of each name.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mlconv.exporters.onnx.names import shared_folder
from mlconv.provenance.locations import Location, all_frames, frames, node_names

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import NodeProto

STACK_KEY = "pkg.torch.onnx.stack_trace"
ORIGINS_KEY = "mlconv.origins"
LIBRARY_FRAMES = 2


def traceback_text(location: Location | None) -> str:
    """The user's frames as Python prints them; empty when there are none.  Where all are a library's, the innermost
    ones: each node repeats them, and stacks of Keras would be most of a small file.
    """
    lines = []
    for frame in reversed(frames(location) or all_frames(location)[:LIBRARY_FRAMES]):
        lines.append(f'File "{frame.file}", line {frame.line}, in {frame.function}')
        if frame.text:
            lines.append(f"    {frame.text}")
    return "\n".join(lines)


def fill_metadata(proto: NodeProto, location: Location | None) -> None:
    """The metadata of a node."""
    trace = traceback_text(location)
    if trace:
        proto.metadata_props.add(key=STACK_KEY, value=trace)
    names = list(dict.fromkeys(node_names(location)))
    if len(names) > 1:
        folder = shared_folder(names)
        origins = {"folder": folder, "nodes": [name.removeprefix(folder) for name in names]}
        proto.metadata_props.add(key=ORIGINS_KEY, value=json.dumps(origins, separators=(",", ":")))

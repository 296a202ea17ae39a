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


def traceback_text(location: Location | None) -> str:
    """Frames as Python prints them; empty when there are none."""
    lines = []
    for frame in reversed(all_frames(location) or frames(location)):
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

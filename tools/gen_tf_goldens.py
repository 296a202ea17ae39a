"""Write tests/tf/goldens.npz.xz: GraphDefs of small cases with inputs and TensorFlow's outputs.

Run with tensorflow importable:  python tools/gen_tf_goldens.py Keys: `<number>/graph` (serialized GraphDef), `/in<k>`,
`/out<k>`; `names` lists the cases by number.  Placeholders are x0, x1, ...; outputs out0, ...
"""

from __future__ import annotations

import io
import lzma
import pathlib
from typing import Any

import numpy as np
import tensorflow as tf
from tf_goldens import arithmetic, elementwise, flow, indices, layers, media, shapes
from tf_goldens.case import CASES, Case

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "tf" / "goldens.npz.xz"
V1 = tf.compat.v1
FAMILIES = (
    layers.cells,
    indices.sparse,
    elementwise.elementwise,
    shapes.shapes,
    shapes.strided_slices,
    arithmetic.reductions,
    arithmetic.products,
    layers.windows,
    indices.indices,
    indices.matrices,
    media.images,
    media.signals,
    flow.dilations,
    flow.plain_flow,
    flow.lists,
)
"""What adds cases, new ones last: random inputs are drawn in this order, so that those of other cases stay."""


def record(case: Case, dynamic: bool, style: str) -> dict[str, Any]:
    """Build, run and serialize one case."""
    (V1.enable_control_flow_v2 if style == "v2" else V1.disable_control_flow_v2)()
    graph = V1.Graph()
    with graph.as_default():
        inputs = [
            V1.placeholder(x.dtype, [None] * x.ndim if dynamic else x.shape, name=f"x{k}")
            for k, x in enumerate(case.inputs)
        ]
        made = case.build(*inputs)
        listed = list(made) if isinstance(made, (list, tuple)) else [made]
        outputs = [tf.identity(t, name=f"out{k}") for k, t in enumerate(listed)]
    with V1.Session(graph=graph) as session:
        values = session.run(outputs, dict(zip(inputs, case.inputs, strict=True)))
    found = {"graph": np.frombuffer(graph.as_graph_def().SerializeToString(deterministic=True), np.uint8)}
    found |= {f"in{k}": x for k, x in enumerate(case.inputs)}
    return found | {f"out{k}": v for k, v in enumerate(values)}


def main() -> None:
    names: list[str] = []
    arrays: dict[str, Any] = {}
    for add in FAMILIES:
        add()
    for case in CASES:
        for style in case.styles:
            for dynamic in (False, True) if case.dynamic else (False,):
                found = record(case, dynamic, style)
                arrays |= {f"{len(names)}/{key}": value for key, value in found.items()}
                names.append(
                    " ".join([case.name, *(["v1"] if style == "v1" else []), *(["dynamic"] if dynamic else [])])
                )
    arrays["names"] = np.array(names)
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    whole = io.BytesIO()
    np.savez(whole, **arrays)
    OUTPUT.write_bytes(lzma.compress(whole.getvalue(), preset=9))
    print(f"{len(names)} cases, {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()

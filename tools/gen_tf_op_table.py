"""Write mlconv/dialects/tf_table.py from TensorFlow's op registry.

Run once per TensorFlow release, with tensorflow importable:  python tools/gen_tf_op_table.py
The table is data: at run time mlconv never imports tensorflow.
"""

from __future__ import annotations

import json
import pathlib

from tensorflow.core.framework import op_def_pb2, types_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import versions

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "mlconv" / "dialects" / "tf_table.py"

HEADER = '''# ruff: noqa: E501
"""Signatures of TensorFlow's registered ops: a pure table, written by tools/gen_tf_op_table.py (TensorFlow {version}).

name -> (input arguments, output arguments, attributes), each a list separated by blanks.
Argument: `name:T` has the type of attribute T, `name:N*T` is N tensors of type T, `name:*Tin` has one tensor per type
of the list Tin, `name:DT_INT32` has a fixed type; a leading `&` marks a reference type.
Attribute: `name:kind` is required, `name:kind=json` has a default.  Parsed by `tf.py`.
"""
from __future__ import annotations

from typing import Final

RELEASE: Final = 'TensorFlow {version}'

SIGNATURES: Final[dict[str, tuple[str, str, str]]] = {{
'''


def type_name(number: int) -> str:
    return types_pb2.DataType.Name(number)


def argument(arg: op_def_pb2.OpDef.ArgDef) -> str:
    element = arg.type_attr or (type_name(arg.type) if arg.type else "")
    if arg.number_attr:
        element = f"{arg.number_attr}*{element}"
    elif arg.type_list_attr:
        element = f"*{arg.type_list_attr}"
    return f"{'&' if arg.is_ref else ''}{arg.name}:{element}"


def default_value(value: object) -> object:
    kind = value.WhichOneof("value")
    if kind == "list":
        items = value.list
        if items.type:
            return [type_name(t) for t in items.type]
        if items.shape:
            return [[d.size for d in s.dim] if not s.unknown_rank else None for s in items.shape]
        return [s.decode("latin-1") for s in items.s] or list(items.i) or list(items.f) or list(items.b)
    if kind == "type":
        return type_name(value.type)
    if kind == "s":
        return value.s.decode("latin-1")
    if kind == "shape":
        return None if value.shape.unknown_rank else [d.size for d in value.shape.dim]
    if kind == "func":
        return value.func.name
    if kind == "tensor":
        return None
    return getattr(value, kind)


def attribute(attr: op_def_pb2.OpDef.AttrDef) -> str:
    text = f"{attr.name}:{attr.type}"
    if attr.HasField("default_value"):
        text += "=" + json.dumps(default_value(attr.default_value), separators=(",", ":")).replace(" ", "\\u0020")
    return text


def main() -> None:
    ops = op_def_pb2.OpList.FromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    lines = [HEADER.format(version=versions.__version__)]
    for op in sorted(ops.op, key=lambda o: o.name):
        if op.name.startswith("_"):
            continue
        fields = tuple(
            " ".join(map(write, items))
            for write, items in ((argument, op.input_arg), (argument, op.output_arg), (attribute, op.attr))
        )
        lines.append(f"    {op.name!r}: (\n        {fields[0]!r},\n        {fields[1]!r},\n        {fields[2]!r}),\n")
    lines.append("}\n")
    OUTPUT.write_text("".join(lines))


if __name__ == "__main__":
    main()

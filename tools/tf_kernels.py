"""Writes mlconv/legalize/to_tf/kernels_table.py: the element types that TensorFlow's kernels for the CPU take.

Run once per TensorFlow release, with tensorflow importable:  python tools/tf_kernels.py
The table has the ops whose names stand in mlconv/legalize/to_tf.
"""

from __future__ import annotations

import pathlib
import re

from tensorflow.core.framework import types_pb2
from tensorflow.python.framework import kernels, op_def_registry, versions

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOM = ROOT / "mlconv" / "legalize" / "to_tf"
TARGET = ROOM / "kernels_table.py"
LETTERS = {
    "DT_FLOAT": "f",
    "DT_DOUBLE": "d",
    "DT_HALF": "h",
    "DT_BFLOAT16": "e",
    "DT_INT8": "b",
    "DT_UINT8": "B",
    "DT_INT16": "s",
    "DT_UINT16": "S",
    "DT_INT32": "i",
    "DT_UINT32": "I",
    "DT_INT64": "l",
    "DT_UINT64": "L",
    "DT_BOOL": "?",
    "DT_STRING": "c",
    "DT_COMPLEX64": "F",
    "DT_COMPLEX128": "D",
}
HEADER = '''"""Element types that TensorFlow {version} has kernels for, on CPUs.  Written by tools/tf_kernels.py.

A line is an op, and for each of its attributes that is an element type the letters of the types: f d h e float32,
float64, float16, bfloat16; b s i l signed and B S I L unsigned integers of 8 to 64 bits; ? bool; c strings; F D
complex64 and complex128.
"""

from __future__ import annotations

KERNELS = """
'''


def letters(numbers: set[int]) -> str:
    names = {types_pb2.DataType.Name(n) for n in numbers}
    return "".join(letter for name, letter in LETTERS.items() if name in names)


def line(name: str) -> str:
    """Empty for an op that is not registered, or has no kernel for CPUs."""
    signature = op_def_registry.get(name)
    found = [k for k in kernels.get_registered_kernels_for_op(name).kernel if k.device_type == "CPU" and not k.label]
    if signature is None or not found:
        return ""
    every = {types_pb2.DataType.Value(n) for n in LETTERS}
    parts = []
    for attr in signature.attr:
        if attr.type != "type":
            continue
        allowed = set(attr.allowed_values.list.type) or every
        taken: set[int] = set()
        for kernel in found:
            own = [set(c.allowed_values.list.type) for c in kernel.constraint if c.name == attr.name]
            taken |= own[0] & allowed if own else allowed
        parts.append(f"{attr.name}={letters(taken)}")
    return " ".join([name, *parts])


def main() -> None:
    text = "".join(p.read_text() for p in sorted(ROOM.glob("*.py")) if p != TARGET)
    names = sorted(set(re.findall(r'"([A-Z][A-Za-z0-9]+)"', text)))
    lines = [found for found in map(line, names) if found]
    TARGET.write_text(HEADER.format(version=versions.__version__) + "\n".join(lines) + '\n"""\n')


if __name__ == "__main__":
    main()

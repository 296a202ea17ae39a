"""Writes mlconv/legalize/to_onnx/kernels_table.py: the element types that ONNX Runtime's kernels for the CPU take.

    python tools/onnx_kernels.py

The installed onnxruntime lists its kernels itself.  Kernels of the operator set of ai.onnx that versions from 17 on
reach are kept; those of one version and type variable are joined.
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

TARGET = pathlib.Path(__file__).parent.parent / "mlconv" / "legalize" / "to_onnx" / "kernels_table.py"
OLDEST, NEWEST = 17, 28
LETTERS = {
    "float": "f",
    "double": "d",
    "float16": "h",
    "bfloat16": "e",
    "int8": "b",
    "uint8": "B",
    "int16": "s",
    "uint16": "S",
    "int32": "i",
    "uint32": "I",
    "int64": "l",
    "uint64": "L",
    "bool": "?",
    "string": "c",
}
HEAD = '''"""Element types that ONNX Runtime {version} has kernels for, on CPUs.  Written by tools/onnx_kernels.py.

A line is an operator, the versions that a kernel is for, and for each type variable of its schema the letters of the
types: f d h e float32, float64, float16, bfloat16; b s i l signed and B S I L unsigned integers of 8 to 64 bits;
? bool; c strings.
"""

from __future__ import annotations

KERNELS = """
'''


def rows(kernels: list[Any]) -> list[str]:
    """The lines of the table."""
    found: dict[tuple[str, int, int], dict[str, set[str]]] = {}
    for kernel in kernels:
        first, last = kernel.version_range
        if kernel.domain or kernel.provider != "CPUExecutionProvider" or last < OLDEST:
            continue
        variables = found.setdefault((kernel.op_name, first, min(last, NEWEST)), {})
        for variable, types in kernel.type_constraints.items():
            letters = {LETTERS.get(t.removeprefix("tensor(").removesuffix(")"), "") for t in types}
            variables.setdefault(variable, set()).update(letters - {""})
    order = list(LETTERS.values())
    lines = []
    for (name, first, last), variables in sorted(found.items()):
        parts = (f"{v}={''.join(sorted(t, key=order.index))}" for v, t in sorted(variables.items()) if t)
        text = " ".join(parts)
        if text:
            lines.append(f"{name} {first} {last} {text}")
    return lines


def main() -> int:
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    lines = rows(state.get_all_opkernel_def())
    text = HEAD.format(version=onnxruntime.__version__) + "\n".join(lines) + '\n"""\n'
    TARGET.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(lines)} kernels\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

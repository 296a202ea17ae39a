"""The C header and the I/O contract of an object."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mlconv.exporters.native.cpus import Cpu
from mlconv.exporters.native.module import ERROR_CPU, ERROR_WORKSPACE
from mlconv.exporters.native.plan import ALIGNMENT, Plan, nbytes
from mlconv.exporters.native.targets import Target
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function

ABI_VERSION = 1
_C = {DType.F32: "float", DType.F64: "double", DType.BOOL: "uint8_t", DType.F16: "uint16_t"}
_SHARED = """\
#ifndef MLC_ABI
#define MLC_ABI 1
typedef void (*mlc_task)(void *argument, int64_t begin, int64_t end);
typedef struct mlc_parallel {
  void *context;
  void (*run)(void *context, int64_t count, int64_t grain, mlc_task task, void *argument);
} mlc_parallel;
#endif
"""


def c_type(dtype: DType) -> str:
    return _C.get(dtype) or f"{'u' if dtype.is_unsigned_int else ''}int{dtype.bits}_t"


def identifier(name: str) -> str:
    """A name as a C identifier."""
    cleaned = re.sub(r"\W", "_", name, flags=re.ASCII)
    return cleaned if cleaned and not cleaned[0].isdigit() else f"m_{cleaned}"


def _quoted(name: str) -> str:
    escaped = "".join(c if c.isascii() and c.isprintable() and c not in '"\\?' else "".join(f"\\{b:03o}" for b in c.encode()) for c in name)
    return f'"{escaped}"'


def header(prefix: str, function: Function, plan: Plan, target: Target, cpus: Sequence[Cpu], libm: list[str]) -> str:
    """Text of the header."""
    upper = prefix.upper()
    sides = {"input": list(zip(function.input_names, function.inputs, strict=True)), "output": list(zip(function.output_names, function.outputs, strict=True))}
    lines = [
        f"/* {prefix}: made by mlconv for {target.triple} ({', '.join(c.name for c in cpus)}).  Symbols that it needs: {', '.join(libm) or 'none'}.",
        "   Buffers are dense, row-major and must not overlap; no memory is allocated and no state is kept: one workspace for each call at a time.",
        f"   Returns 0, {ERROR_WORKSPACE} when the workspace is too small, {ERROR_CPU} when the machine lacks the instruction set.",
        "   dims: NULL, all shapes are fixed.  parallel: how to share work among threads; NULL: the calling thread does it all. */",
        f"#ifndef {upper}_H", f"#define {upper}_H", "#include <stddef.h>", "#include <stdint.h>", "#ifdef __cplusplus", 'extern "C" {', "#endif", _SHARED,
        f"#define {upper}_ABI_VERSION {ABI_VERSION}", f"#define {upper}_WORKSPACE_BYTES {plan.arena_bytes}", f"#define {upper}_ALIGNMENT {ALIGNMENT}",
        f"#define {upper}_ERROR_WORKSPACE {ERROR_WORKSPACE}", f"#define {upper}_ERROR_CPU {ERROR_CPU}",
        f"int {prefix}_run(const void *const *inputs, void *const *outputs, const int64_t *dims, void *workspace, size_t workspace_bytes,",
        "    const mlc_parallel *parallel);",
        f"size_t {prefix}_workspace_bytes(const int64_t *dims);",
    ]  # fmt: skip
    for side, values in sides.items():
        lines += _tables(prefix, side, values)
    return "\n".join([*lines, *_wrapper(prefix, sides["input"], sides["output"]), "#ifdef __cplusplus", "}", "#endif", "#endif", ""])


def _tables(prefix: str, side: str, values: list[tuple[str, Value]]) -> list[str]:
    """Names, types, ranks, shapes and sizes of one side."""
    name, count = f"{prefix}_{side}", max(1, len(values))
    lines = [f"#define {prefix.upper()}_{side.upper()}S {len(values)}"]
    if not values:
        return lines
    facts = {
        ("const char *const", "names"): [_quoted(n) for n, _ in values],
        ("const char *const", "dtypes"): [_quoted(v.tensor.dtype.display) for _, v in values],
        ("const int32_t", "ranks"): [str(len(v.tensor.static_shape())) for _, v in values],
        ("const size_t", "bytes"): [str(nbytes(v)) for _, v in values],
    }
    for (type_, what), entries in facts.items():
        lines.append(f"static {type_} {name}_{what}[{count}] = {{{', '.join(entries)}}};")
    for i, (_, v) in enumerate(values):
        shape = v.tensor.static_shape()
        lines.append(f"static const int64_t {name}_shape_{i}[{max(1, len(shape))}] = {{{', '.join(map(str, shape)) or '1'}}};")
    return lines


def _wrapper(prefix: str, inputs: list[tuple[str, Value]], outputs: list[tuple[str, Value]]) -> list[str]:
    """A typed call: one parameter for each input and output."""
    ins = [f"in{i}_{identifier(n)}" for i, (n, _) in enumerate(inputs)]
    outs = [f"out{i}_{identifier(n)}" for i, (n, _) in enumerate(outputs)]
    parameters = [f"const {c_type(v.tensor.dtype)} *{n}" for n, (_, v) in zip(ins, inputs, strict=True)]
    parameters += [f"{c_type(v.tensor.dtype)} *{n}" for n, (_, v) in zip(outs, outputs, strict=True)]
    return [
        f"static inline int {prefix}_call({', '.join([*parameters, 'void *workspace'])}) {{",
        f"  const void *const inputs[] = {{{', '.join(ins) or 'NULL'}}};",
        f"  void *const outputs[] = {{{', '.join(outs) or 'NULL'}}};",
        f"  return {prefix}_run(inputs, outputs, NULL, workspace, {prefix.upper()}_WORKSPACE_BYTES, NULL);",
        "}",
    ]


def io_facts(prefix: str, function: Function, plan: Plan, target: Target, cpus: Sequence[Cpu], libm: list[str]) -> dict[str, Any]:
    """The contract as data."""

    def side(names: list[str], values: list[Value]) -> list[dict[str, Any]]:
        return [{"name": n, "dtype": v.tensor.dtype.display, "shape": list(v.tensor.static_shape())} for n, v in zip(names, values, strict=True)]

    return {
        "version": ABI_VERSION, "target": "native", "entry": f"{prefix}_run", "triple": target.triple, "cpu": cpus[0].name, "cpus": [c.name for c in cpus],
        "workspace_bytes": plan.arena_bytes, "alignment": ALIGNMENT, "errors": {"workspace": ERROR_WORKSPACE, "cpu": ERROR_CPU},
        "inputs": side(function.input_names, function.inputs), "outputs": side(function.output_names, function.outputs), "symbols": libm,
    }  # fmt: skip

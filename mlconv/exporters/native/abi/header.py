"""The C header and the model interface of an object."""

from __future__ import annotations

import zlib

from mlconv.codegen.kernels.foreign import ERROR_FOREIGN
from mlconv.codegen.program.errors import ERROR_CPU, ERROR_DIMENSIONS, ERROR_POINTER, ERROR_WORKSPACE
from mlconv.codegen.program.memory import calls
from mlconv.codegen.program.memory_plan import nbytes
from mlconv.codegen.program.packing import ALIGNMENT
from mlconv.exporters.native.abi.cpp import model_class
from mlconv.exporters.native.abi.dimensions import dimension_tables, shape_functions
from mlconv.exporters.native.abi.foreign import foreign_declarations, foreign_facts
from mlconv.exporters.native.abi.names import Built, Held, parameters, quoted
from mlconv.ir.core import Block, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.runtime.native_abi import ABI_VERSION, checksum

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
_NARROW = frozenset({DType.I4, DType.I8, DType.I16, DType.F16, DType.BF16})
_TOLD = ("quantization", "grid")
_NAMED = "values of the dimensions below, in their order"


def header(built: Built) -> str:
    """Text of the header."""
    prefix, plan = built.prefix, built.plan
    upper = prefix.upper()
    lines = [
        f"/* {prefix}: made by mlconv for {built.target.triple} ({', '.join(c.name for c in built.cpus)}).",
        f"   Symbols that it needs: {', '.join(built.symbols) or 'none'}.",
        "   Buffers are dense, row-major and must not overlap; no memory is "
        "allocated and no state is kept: one workspace for each call at a time.",
        f"   Returns 0, {ERROR_WORKSPACE} when the workspace is too "
        f"small, missing or not aligned, {ERROR_CPU} when the machine lacks the instruction set, "
        f"{ERROR_POINTER} for a pointer that is missing"
        + (f", {ERROR_DIMENSIONS} for a dimension out of range." if plan.symbols else "."),
        f"   dims: {_NAMED if plan.symbols else 'NULL, all shapes are fixed'}.",
        "   parallel: how to share work among threads; NULL: the calling thread does it all. */",
        f"#ifndef {upper}_H",
        f"#define {upper}_H",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        _SHARED,
        f"#define {upper}_ABI_VERSION {ABI_VERSION}",
        f"#define {upper}_ALIGNMENT {ALIGNMENT}",
        *([] if plan.symbols else [f"#define {upper}_WORKSPACE_BYTES {plan.arena_bytes}"]),
        f"#define {upper}_ERROR_WORKSPACE {ERROR_WORKSPACE}",
        f"#define {upper}_ERROR_CPU {ERROR_CPU}",
        f"#define {upper}_ERROR_DIMENSIONS {ERROR_DIMENSIONS}",
        f"#define {upper}_ERROR_POINTER {ERROR_POINTER}",
        f"int {prefix}_run(const void *const *inputs, void *const *outputs, "
        f"const int64_t *dims, void *workspace, size_t workspace_bytes,",
        "    const mlc_parallel *parallel);",
        f"size_t {prefix}_workspace_bytes(const int64_t *dims);",
    ]
    if built.weights_file:
        lines += [
            f"/* The weights are the {plan.weight_bytes} bytes of the .weights.bin "
            f"beside the object, mapped or read to an address aligned to {ALIGNMENT};",
            f"   inputs[{upper}_INPUTS] is that address. */",
            f"#define {upper}_WEIGHTS_BYTES {plan.weight_bytes}",
        ]
    if built.settings.pool:
        lines += [
            "/* A pool of threads (the calling one among them) for `parallel`; NULL, "
            "which is serial, when there is no memory.  One call at a time is shared,",
            "   others run on their own thread meanwhile. */",
            f"const mlc_parallel *{prefix}_pool_create(int threads);",
            f"void {prefix}_pool_destroy(const mlc_parallel *pool);",
        ]
    lines += foreign_declarations(built)
    lines += dimension_tables(prefix, plan.symbols, built.ranges)
    for side, values in built.sides.items():
        lines += _tables(prefix, side, values, fixed=not plan.symbols)
        if plan.symbols:
            lines += shape_functions(prefix, side, [v.tensor for _, v in values], plan.symbols)
    lines += _output_sizes(built)
    end = ["#ifdef __cplusplus", "}", "#endif", *model_class(built), "#endif", ""]
    return "\n".join([*lines, *_wrapper(built), *end])


def _output_sizes(built: Built) -> list[str]:
    """Where the shapes of outputs are whose sizes data decide."""
    places = built.shapes_in
    count, table = sum(p >= 0 for p in places), ", ".join(map(str, places)) or "-1"
    lines = [f"#define {built.prefix.upper()}_OUTPUT_SIZES {count}"]
    if count:
        lines += [
            "/* For each output, the output (int64_t, one for each axis) that has its shape, "
            "as far as it holds numbers; -1 where all of it does. */",
            f"static const int32_t {built.prefix}_output_sizes[{max(1, len(places))}] = {{{table}}};",
        ]
    return lines


def _tables(prefix: str, side: str, values: list[tuple[str, Held]], fixed: bool) -> list[str]:
    """Names, types, ranks, shapes and sizes of one side."""
    name, count = f"{prefix}_{side}", max(1, len(values))
    lines = [f"#define {prefix.upper()}_{side.upper()}S {len(values)}"]
    if not values:
        return lines
    facts = {
        ("const char *const", "names"): [quoted(n) for n, _ in values],
        ("const char *const", "dtypes"): [quoted(v.tensor.dtype.display) for _, v in values],
        ("const int32_t", "ranks"): [str(len(v.tensor.shape or ())) for _, v in values],
    }
    if fixed:
        facts["const size_t", "bytes"] = [str(nbytes(v)) for _, v in values]
    for (type_, what), entries in facts.items():
        lines.append(f"static {type_} {name}_{what}[{count}] = {{{', '.join(entries)}}};")
    for i, (_, v) in enumerate(values):
        shape = [d if isinstance(d, int) else -1 for d in v.tensor.shape or ()]
        lines.append(
            f"static const int64_t {name}_shape_{i}[{max(1, len(shape))}] = {{{', '.join(map(str, shape)) or '1'}}};"
        )
    return lines


def _wrapper(built: Built) -> list[str]:
    """A typed call: one parameter for each input and output."""
    prefix = built.prefix
    given = {side: parameters(built, side) for side in ("input", "output")}
    ins, outs = ([p.name for p in found] for found in given.values())
    declared = [p.declared for found in given.values() for p in found]
    if built.weights_file:
        declared.append("const void *weights")
        ins.append("weights")
    more, size, dims = ["void *workspace"], f"{prefix.upper()}_WORKSPACE_BYTES", "NULL"
    if built.plan.symbols:
        more, size, dims = (
            ["const int64_t *dims", "void *workspace", "size_t workspace_bytes"],
            "workspace_bytes",
            "dims",
        )
    return [
        f"static inline int {prefix}_call({', '.join([*declared, *more, 'const mlc_parallel *parallel'])}) {{",
        f"  const void *const inputs[] = {{{', '.join(ins) or 'NULL'}}};",
        f"  void *const outputs[] = {{{', '.join(outs) or 'NULL'}}};",
        f"  return {prefix}_run(inputs, outputs, {dims}, workspace, {size}, parallel);",
        "}",
    ]


def _texts(t: TensorType) -> list[int | str]:
    """A shape as data."""
    return [d if isinstance(d, int) else str(d) for d in t.shape or ()]


def io_facts(built: Built) -> dict[str, object]:
    """The model interface as data; docs/native-abi.md says what each field means."""
    prefix, plan, interface = built.prefix, built.plan, built.settings.interface or {}
    signature, places = built.signature, built.shapes_in

    def side(kind: str) -> list[dict[str, object]]:
        known = {v["name"]: {k: v[k] for k in _TOLD if k in v} for v in signature.get(f"{kind}s", [])}
        told = built.function.outputs if kind == "output" else built.function.inputs
        return [
            {
                "name": n,
                "dtype": v.tensor.dtype.display,
                "shape": _texts(told[i].tensor),
                "bytes": nbytes(v) if v.tensor.is_static else None,
                "quantization": None,
                **known.get(n, {}),
                **({"most": _texts(v.tensor), "sizes": places[i]} if kind == "output" and places[i] >= 0 else {}),
            }
            for i, (n, v) in enumerate(built.sides[kind])
        ]

    weights = {"file": built.weights_file, "bytes": plan.weight_bytes} if built.weights_file else None
    foreign = foreign_facts(built)
    errors = {"foreign": ERROR_FOREIGN} if foreign else {}
    facts = {
        "version": ABI_VERSION,
        "target": "native",
        "artifact": built.artifact,
        "entry": f"{prefix}_run",
        "triple": built.target.triple,
        "cpu": built.cpus[0].name,
        "cpus": [c.name for c in built.cpus],
        "workspace_bytes": None if plan.symbols else plan.arena_bytes,
        "alignment": ALIGNMENT,
        "errors": {
            "workspace": ERROR_WORKSPACE,
            "cpu": ERROR_CPU,
            "dimensions": ERROR_DIMENSIONS,
            "pointer": ERROR_POINTER,
            **errors,
        },
        "dimensions": plan.symbols,
        "ranges": built.ranges,
        "conditions": [c.as_json() for c in built.function.facts.conditions],
        "inputs": side("input"),
        "outputs": side("output"),
        "state": signature.get("state", []),
        "initial_state": interface.get("initial_state"),
        "weights": weights,
        "rounds": _rounds(built.function.block),
        "pool": built.settings.pool,
        "symbols": list(built.symbols),
        "code": {"bytes": len(built.code), "crc32": zlib.crc32(built.code)},
        "sizes": {"model_weights": built.sizes.model_weights, "parts": built.sizes.parts},
        **foreign,
        **_asked_for(built),
    }
    return {**facts, "checksum": checksum(facts)}


def _asked_for(built: Built) -> dict[str, object]:
    """Listings and stamps, where the object has them."""
    listed = _listed(built) if built.settings.listings else {}
    stamps = {"stamps": len(calls(built.function.block)) + 1} if built.settings.stamps else {}
    return {**listed, **stamps}


def _listed(built: Built) -> dict[str, object]:
    from mlconv.exporters.native.listings import listing_suffixes

    return {"listings": [built.stem + suffix for suffix in listing_suffixes(built.settings.listings, built.cpus)]}


def _rounds(block: Block) -> bool:
    """Numbers are stored or computed in fewer bits than float32 has."""
    values = (v for op in walk(block) for v in (*op.inputs, *op.results))
    types = [v.type for v in values if isinstance(v.type, TensorType)]
    return any(t.quant is not None or t.dtype in _NARROW for t in types)

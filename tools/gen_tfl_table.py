"""Writes mlconv/dialects/tfl_table.py from the flatc-generated schema reader of an installed package.

Usage: python tools/gen_tfl_table.py [SCHEMA_PY_GENERATED.PY] > mlconv/dialects/tfl_table.py Without an argument the
schema of the installed ai_edge_litert is read.  The file is only parsed as text, never imported.
"""

from __future__ import annotations

import importlib.util
import pprint
import re
import sys
from pathlib import Path

LAYOUT_TABLES = (
    "Model",
    "SubGraph",
    "Tensor",
    "Buffer",
    "Operator",
    "OperatorCode",
    "SignatureDef",
    "TensorMap",
    "Metadata",
    "QuantizationParameters",
    "BlockwiseQuantization",
)
VALUE_ENUMS = (
    "TensorType",
    "Padding",
    "ActivationFunctionType",
    "MirrorPadMode",
    "LSTMKernelType",
    "FullyConnectedOptionsWeightsFormat",
    "CombinerType",
    "LSHProjectionType",
    "ReduceWindowFunction",
    "QuantizationDetails",
    "CustomOptionsFormat",
)
# The generated Python forgets which enum a byte field holds; schema.fbs gives these.
FIELD_ENUMS = {
    "fused_activation_function": "ActivationFunctionType",
    "padding": "Padding",
    "mode": "MirrorPadMode",
    "kernel_type": "LSTMKernelType",
    "weights_format": "FullyConnectedOptionsWeightsFormat",
    "combiner": "CombinerType",
    "in_data_type": "TensorType",
    "out_data_type": "TensorType",
    "output_type": "TensorType",
    "out_type": "TensorType",
    "idx_out_type": "TensorType",
    "quantized_bias_type": "TensorType",
    "key_dtype": "TensorType",
    "value_dtype": "TensorType",
}
# Builtins whose options table is not the operator's own name in camel case (flatbuffer_conversions.cc of the runtime).
OPTION_EXCEPTIONS = {
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "L2_POOL_2D": "Pool2DOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "MAXIMUM": "MaximumMinimumOptions",
    "MINIMUM": "MaximumMinimumOptions",
    "MEAN": "ReducerOptions",
    "SUM": "ReducerOptions",
    "REDUCE_PROD": "ReducerOptions",
    "REDUCE_MAX": "ReducerOptions",
    "REDUCE_MIN": "ReducerOptions",
    "REDUCE_ANY": "ReducerOptions",
    "REDUCE_ALL": "ReducerOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    "RANDOM_UNIFORM": "RandomOptions",
    "RANDOM_STANDARD_NORMAL": "RandomOptions",
    "MULTINOMIAL": "RandomOptions",
    "STABLEHLO_COMPOSITE": "StableHLOCompositeOptions",
    "SPARSE_TO_DENSE": "SparseToDenseOptions",
}
NO_OPTIONS = {
    "RELU",
    "RELU6",
    "RELU_N1_TO_1",
    "LOGISTIC",
    "TANH",
    "FLOOR",
    "CEIL",
    "ROUND",
    "SIN",
    "SQRT",
    "LOG",
    "RSQRT",
    "CUSTOM",
    "DELEGATE",
    "PLACEHOLDER_FOR_GREATER_OP_CODES",
    "PRELU",
    "ELU",
    "COMPLEX_ABS",
    "REAL",
    "IMAG",
    "EMBEDDING_LOOKUP",
    "HASHTABLE_LOOKUP",
    "RELU_0_TO_1",
}


def snake(name: str) -> str:
    """Accessor spelling (`StrideW`) to schema spelling (`stride_w`)."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def enums(text: str) -> dict[str, dict[str, int]]:
    """Every enum class of the generated file: name -> members in order."""
    found = {}
    for match in re.finditer(r"^class (\w+)\(object\):\n((?:    \w+ = -?\d+\n)+)", text, re.M):
        found[match[1]] = {k: int(v) for k, v in re.findall(r"    (\w+) = (-?\d+)\n", match[2])}
    return found


def vector_kind(text: str, table: str, accessor: str) -> str:
    """What an offset field points at: a string, a table, or a vector of something."""
    body = text[text.index(f"\nclass {table}(object):") :]
    body = body[: body.index(f"\ndef {table}Start(")]
    match = re.search(rf"    def {accessor}\(self(, j)?\):\n(.*?)\n    #", body + "\n    #", re.S)
    if match is None:
        raise SystemExit(f"{table}.{accessor}: accessor not found")
    code, is_vector = match[2], match[1] is not None
    if "_tab.String(" in code:
        return "[string]" if is_vector else "string"
    scalar = re.search(r"number_types\.(\w+)Flags, a \+", code)
    if is_vector:
        return f"[{scalar[1].lower()}]" if scalar and scalar[1] != "UOffsetT" else "[table]"
    return "union" if "flatbuffers.table import Table" in code else "table"


def fields(text: str, table: str) -> tuple[tuple[str, int, str, object], ...]:
    """(name, slot, kind, default) of each field of a table, in slot order."""
    rows = []
    pattern = rf"^def {table}Add(\w+)\(builder, \w+\):\n    builder\.Prepend(\w+)Slot\((\d+), .*, (\S+)\)$"
    for accessor, scalar, slot, default in re.findall(pattern, text, re.M):
        name = snake(accessor)
        if scalar == "UOffsetTRelative":
            rows.append((name, int(slot), vector_kind(text, table, accessor), None))
            continue
        kind = scalar.lower()
        value: object = (
            default == "True" if kind == "bool" else float(default) if kind.startswith("float") else int(default)
        )
        if kind == "bool":
            value = default in ("True", "1")
        enum = FIELD_ENUMS.get(name)
        if table == "LSHProjectionOptions" and name == "type":
            enum = "LSHProjectionType"
        rows.append((name, int(slot), f"enum:{enum}" if enum and kind == "int8" else kind, value))
    return tuple(sorted(rows, key=lambda row: row[1]))


def options_of(builtins: dict[str, int], unions: dict[str, int], unions2: dict[str, int]) -> dict[str, str]:
    """Builtin name -> options table name, for those that have one."""
    by_plain = {name.removesuffix("Options").lower(): name for name in (*unions, *unions2)}
    found = {}
    for name in builtins:
        table = OPTION_EXCEPTIONS.get(name) or by_plain.get(name.replace("_", "").lower())
        if table is None and name not in NO_OPTIONS:
            sys.stderr.write(f"no options table: {name}\n")
        elif table is not None and name not in NO_OPTIONS:
            found[name] = table
    return found


def main() -> None:
    """Prints the table module."""
    if len(sys.argv) > 1:
        path = Path(sys.argv[1])
    else:
        spec = importlib.util.find_spec("ai_edge_litert")
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit("ai_edge_litert is not installed; give the path of schema_py_generated.py")
        path = Path(spec.submodule_search_locations[0]) / "schema_py_generated.py"
    text = path.read_text()
    every = enums(text)
    unions, unions2 = every["BuiltinOptions"], every["BuiltinOptions2"]
    op_options = options_of(every["BuiltinOperator"], unions, unions2)
    tables = {name: fields(text, name) for name in sorted({*op_options.values()})}
    out = sys.stdout.write
    out('"""TFLite schema as data: operator codes, options tables, enums and table layouts.\n\n')
    out("Generated by tools/gen_tfl_table.py from the TFLite schema (namespace tflite, file identifier TFL3).\n\n")
    out("A field row is (name, vtable slot, kind, default); kind is bool, int8..uint64, float32, enum:NAME, string,\n")
    out("table, union or [element].\n")
    out('"""\n\n')

    def emit(name: str, annotation: str, value: object) -> None:
        out(f"{name}: {annotation} = {pprint.pformat(value, width=118, compact=True, sort_dicts=False)}\n\n")

    out("Field = tuple[str, int, str, bool | int | float | None]\n\n")
    emit("BUILTINS", "dict[str, int]", every["BuiltinOperator"])
    emit("OPTIONS_OF", "dict[str, str]", op_options)
    emit("UNION_ID", "dict[str, int]", {k: v for k, v in unions.items() if v})
    emit("UNION2_ID", "dict[str, int]", {k: v for k, v in unions2.items() if v})
    emit("OPTION_FIELDS", "dict[str, tuple[Field, ...]]", tables)
    emit("LAYOUTS", "dict[str, tuple[Field, ...]]", {name: fields(text, name) for name in LAYOUT_TABLES})
    emit("ENUMS", "dict[str, dict[str, int]]", {name: every[name] for name in VALUE_ENUMS if name in every})


if __name__ == "__main__":
    main()

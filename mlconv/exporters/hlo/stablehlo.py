"""A module of HLO ops as StableHLO text, in MLIR's generic form.

Regions use the values around them directly, as in MLIR.  Constants are hexadecimal, written in blocks.  `erf` is
CHLO's, which every reader of StableHLO registers beside it.  Source: openxla.org/stablehlo/spec.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant
from mlconv.dialects.core.window import spatial
from mlconv.dialects.hlo import HloOp
from mlconv.exporters.hlo.export import SMALL_BYTES, constant_name
from mlconv.exporters.hlo.instruction import check_written
from mlconv.exporters.hlo.sharding import Sharding, quoted
from mlconv.formats.atomic import replacing
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Op, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType, Type
from mlconv.provenance.locations import Location, first_name, frames

MAIN = "    "  # indent of the main function's ops
_RENAMED = {"broadcast": "broadcast_in_dim", "conditional": "if", "dot": "dot_general"}


def export_text(module: Module, path: Path | str, sharding: Sharding | None = None, gspmd: bool = False) -> int:
    """Write the main function of `module` to `path`; returns the size in bytes.  Raises ConversionError
    (TargetLacksType, ArtifactInvalid, OutputNotWritable, UsageError).

    sharding: how arguments, constants and results are cut over devices, as attributes `sdy.sharding`, or, for GSPMD, as
    attributes `mhlo.sharding`.
    """
    if len(module.functions) > 1:
        raise ConversionError(
            Code.TargetLacksType,
            f"the model has {len(module.functions)} signatures",
            help="choose one with --signature NAME",
        )
    size = 0
    printer = _Printer(sharding or Sharding((), ()), gspmd)
    with replacing(Path(path)) as out:
        for piece in printer.module(module.main):
            size += out.write(piece.encode())
        printer.sharding.check_used()
    return size


def type_text(t: Type) -> str:
    """`tensor<2x3xf32>`."""
    if not isinstance(t, TensorType) or t.dtype is DType.STRING:
        raise ConversionError(Code.TargetLacksType, f"StableHLO has no type for {t}")
    shape = t.static_shape()
    sizes = "".join("?x" if i in t.bounded else f"{d}x" for i, d in enumerate(shape))
    bounds = ", ".join(str(d) if i in t.bounded else "?" for i, d in enumerate(shape))
    return f"tensor<{sizes}{t.dtype.value}{f', #stablehlo.bounds<{bounds}>' if t.bounded else ''}>"


def _ints(values: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def _list(values: Sequence[int]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _pads(pairs: Sequence[tuple[int, int]]) -> str:
    return (
        f"dense<[{', '.join(f'[{lo}, {hi}]' for lo, hi in pairs)}]> : tensor<{len(pairs)}x2xi64>"
        if pairs
        else "dense<> : tensor<0x2xi64>"
    )


def _window(op: HloOp) -> dict[str, str]:
    rows = op.attributes["window"]
    return {
        "window_dimensions": _ints([r[0] for r in rows]),
        "window_strides": _ints([r[1] for r in rows]),
        "padding": _pads([(r[2], r[3]) for r in rows]),
        "window_dilations": _ints([r[4] for r in rows]),
        "base_dilations": _ints([r[5] for r in rows]),
    }


def _convolution(op: HloOp) -> dict[str, str]:
    a, window = op.attributes, _window(op)
    x, w, y = a["x_layout"], a["w_layout"], a["y_layout"]
    numbers = (
        f"raw input_batch_dimension = {x.index('N')}, input_feature_dimension "
        f"= {x.index('C')}, input_spatial_dimensions = {_list(spatial(x))}, "
        f"kernel_output_feature_dimension = {w.index('O')}, kernel_input_feature_dimension = {w.index('I')}, "
        f"kernel_spatial_dimensions = {_list(spatial(w))}, output_batch_dimension = {y.index('N')}, "
        f"output_feature_dimension = {y.index('C')}, output_spatial_dimensions = {_list(spatial(y))}"
    )
    return {
        "window_strides": window["window_strides"],
        "padding": window["padding"],
        "lhs_dilation": window["base_dilations"],
        "rhs_dilation": window["window_dilations"],
        "dimension_numbers": f"#stablehlo.conv<{numbers}>",
        "feature_group_count": f"{a['groups']} : i64",
        "batch_group_count": "1 : i64",
    }


def _dot(op: HloOp) -> dict[str, str]:
    a = op.attributes
    return {
        "dot_dimension_numbers": f"#stablehlo.dot<lhs_batching_dimensions = {_list(a['lhs_batch'])}, "
        f"rhs_batching_dimensions = {_list(a['rhs_batch'])}, "
        f"lhs_contracting_dimensions = {_list(a['lhs_contracting'])}, "
        f"rhs_contracting_dimensions = {_list(a['rhs_contracting'])}>"
    }


def _numbers(op: HloOp, kind: str, names: Sequence[str]) -> str:
    listed = ", ".join(f"{name} = {_list(op.attributes[name])}" for name in names if op.attributes[name])
    return f"#stablehlo.{kind}<{listed}{', ' if listed else ''}index_vector_dim = {op.attributes['index_vector_dim']}>"


def _gather(op: HloOp) -> dict[str, str]:
    names = (
        "offset_dims",
        "collapsed_slice_dims",
        "operand_batching_dims",
        "start_indices_batching_dims",
        "start_index_map",
    )
    return {
        "dimension_numbers": _numbers(op, "gather", names),
        "indices_are_sorted": "false",
        "slice_sizes": _ints(op.attributes["slice_sizes"]),
    }


def _scatter(op: HloOp) -> dict[str, str]:
    names = ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims")
    return {
        "scatter_dimension_numbers": _numbers(op, "scatter", names),
        "indices_are_sorted": "false",
        "unique_indices": "false",
    }


def _pad(op: HloOp) -> dict[str, str]:
    rows = op.attributes["padding"]
    return {
        name: _ints([r[i] for r in rows])
        for i, name in enumerate(("edge_padding_low", "edge_padding_high", "interior_padding"))
    }


def _dimensions(name: str) -> Callable[[HloOp], dict[str, str]]:
    return lambda op: {name: _ints(op.attributes["dimensions"])}


def _dimension(name: str) -> Callable[[HloOp], dict[str, str]]:
    return lambda op: {name: f"{op.attributes['dimensions'][0]} : i64"}


_FIELDS: dict[str, Callable[[HloOp], dict[str, str]]] = {
    "broadcast": _dimensions("broadcast_dimensions"),
    "transpose": _dimensions("permutation"),
    "reverse": _dimensions("dimensions"),
    "reduce": _dimensions("dimensions"),
    "concatenate": _dimension("dimension"),
    "set-dimension-size": _dimension("dimension"),
    "iota": _dimension("iota_dimension"),
    "sort": lambda op: {**_dimension("dimension")(op), "is_stable": str(op.attributes["is_stable"]).lower()},
    "compare": lambda op: {"comparison_direction": f"#stablehlo<comparison_direction {op.attributes['direction']}>"},
    "slice": lambda op: {
        t: _ints(op.attributes[s])
        for s, t in (("starts", "start_indices"), ("limits", "limit_indices"), ("strides", "strides"))
    },
    "dynamic-slice": lambda op: {"slice_sizes": _ints(op.attributes["sizes"])},
    "fft": lambda op: {
        "fft_type": f"#stablehlo<fft_type {op.attributes['fft_type']}>",
        "fft_length": _ints(op.attributes["fft_length"]),
    },
    "rng": lambda op: {
        "rng_distribution": f"#stablehlo<rng_distribution {op.attributes['distribution'].removeprefix('RNG_')}>"
    },
    "convolution": _convolution,
    "reduce-window": _window,
    "dot": _dot,
    "gather": _gather,
    "scatter": _scatter,
    "pad": _pad,
}


class _Printer:
    """Prints blocks; values are numbered over the whole function."""

    def __init__(self, sharding: Sharding, gspmd: bool) -> None:
        self.sharding, self.gspmd = sharding, gspmd
        self.names: dict[Value, str] = {}
        self.shapes: dict[str, str] = {}
        self.ranges: dict[str, str] = {}
        self.last = 0

    def name(self, value: Value) -> str:
        found = self.names.get(value)
        if found is None:
            found = self.names[value] = f"%{self.last}"
            self.last += 1
        return found

    def module(self, function: Function) -> Iterator[str]:
        """The text in pieces."""
        arguments, state, sizes = [], function.facts.state, function.facts.sizes
        if sizes is not None:
            self.shapes = {name: f"[{', '.join(map(str, shape))}]" for name, shape in sizes.shapes.items()}
            self.ranges = {s.name: f"{s.low}..{s.high}" for s in sizes.sizes}
        taken, given = {s.input: name for name, s in state.items()}, {s.output: name for name, s in state.items()}
        for i, value in enumerate(function.inputs):
            self.names[value] = f"%arg{i}"
            arguments.append(f"%arg{i}: {type_text(value.type)} {self.attributes(value.name, value, taken)}")
        outputs = function.block.outputs
        results = [
            f"{type_text(v.type)} {self.attributes(n, v, given)}"
            for v, n in zip(outputs, function.output_names, strict=True)
        ]
        mesh = f"  {self.sharding.shardy_mesh}\n" if self.sharding.rules and not self.gspmd else ""
        yield (
            f"module @mlconv_main{self.head(function)} {{\n{mesh}  func.func public "
            f"@main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n"
        )
        yield from self.block(function.block, MAIN, "func.return")
        yield "  }\n}\n"

    def head(self, function: Function) -> str:
        """The attributes of the module: how many devices it is cut for, and what its sizes must fulfil."""
        cut = f"mhlo.num_partitions = {self.sharding.devices} : i32, mhlo.num_replicas = 1 : i32"
        asked = function.facts.conditions if function.facts.sizes is not None else ()
        texts = ", ".join(quoted(f"{c.text}, for {c.asked_by}") for c in asked)
        parts = [*([cut] if self.sharding.rules else []), *([f"mlconv.conditions = [{texts}]"] if texts else [])]
        return f" attributes {{{', '.join(parts)}}}" if parts else ""

    def attributes(self, name: str, value: Value, state: dict[str, str]) -> str:
        """The attributes of an argument or result: its name, the variable that it holds, its shape or range where not
        fixed, and how it is cut.
        """
        variable = f", mlconv.state = {quoted(state[name])}" if name in state else ""
        moving = f", mlconv.shape = {quoted(self.shapes[name])}" if name in self.shapes else ""
        span = f", mlconv.range = {quoted(self.ranges[name])}" if name in self.ranges else ""
        sharding = self.cut(name, value.tensor)
        return f"{{mlconv.name = {quoted(name)}{variable}{moving}{span}{sharding}}}"

    def cut(self, name: str, type_: TensorType, of: str = "") -> str:
        """How a tensor is cut, as one more attribute.  of: the form for the results of an op."""
        if self.gspmd:
            text = self.sharding.text_of(name, type_)
            return f", mhlo.sharding = {quoted(text)}" if text else ""
        text = self.sharding.shardy_of(name, type_)
        return f", sdy.sharding = #sdy.sharding{of}{f'<[{text}]>' if of else text}" if text else ""

    def block(self, block: Block, indent: str, end: str) -> Iterator[str]:
        """The ops of a block and its terminator."""
        for op in block.ops:
            if isinstance(op, Yield):
                types = ", ".join(type_text(v.type) for v in op.inputs)
                yield f'{indent}"{end}"({", ".join(self.name(v) for v in op.inputs)}) : ({types}) -> ()\n'
            elif isinstance(op, Constant):
                if op.y.uses:
                    yield f'{indent}{self.name(op.y)} = "stablehlo.constant"() {{value = '
                    yield from _dense(op.value)
                    large = self.sharding.rules and indent == MAIN and op.value.nbytes > SMALL_BYTES
                    cut = self.cut(constant_name(op), op.y.tensor, "_per_value") if large else ""
                    yield (f"{cut}}} : () -> {type_text(op.y.type)}{_location(op.location)}\n")
            elif isinstance(op, HloOp):
                yield from self.op(op, indent)
            else:
                raise ConversionError(Code.TargetLacksOp, f"{op.describe()} is not an HLO op", location=op.location)

    def op(self, op: HloOp, indent: str) -> Iterator[str]:
        """One op with its regions."""
        check_written(op)
        opcode = _RENAMED.get(op.opcode, op.opcode.replace("-", "_"))
        name = "chlo.erf" if opcode == "erf" else f"stablehlo.{opcode}"
        operands, types = [self.name(v) for v in op.inputs], [type_text(v.type) for v in op.inputs]
        if op.opcode == "rng":
            yield from self._shape_operand(op, indent, operands, types)
        results = [self.name(v) for v in op.results]
        yield f'{indent}{", ".join(results)} = "{name}"({", ".join(operands)})'
        if op.regions:
            yield " ("
            for i, region in enumerate(op.regions):
                arguments = ", ".join(f"{self.name(a)}: {type_text(a.type)}" for a in region.block.arguments)
                yield (
                    f"{', ' if i else ''}{{\n{indent}^bb0({arguments}):\n" if arguments else f"{', ' if i else ''}{{\n"
                )
                yield from self.block(region.block, indent + "  ", "stablehlo.return")
                yield f"{indent}}}"
            yield ")"
        fields = _FIELDS[op.opcode](op) if op.opcode in _FIELDS else {}
        if fields:
            yield f" {{{', '.join(f'{k} = {v}' for k, v in fields.items())}}}"
        outs = [type_text(v.type) for v in op.results]
        yield (
            f" : ({', '.join(types)}) -> "
            f"{outs[0] if len(outs) == 1 else '(' + ', '.join(outs) + ')'}{_location(op.location)}\n"
        )

    def _shape_operand(self, op: Op, indent: str, operands: list[str], types: list[str]) -> Iterator[str]:
        """StableHLO's rng takes its shape as an operand."""
        shape = op.results[0].tensor.static_shape()
        text = f"tensor<{len(shape)}xi64>"
        operands.append(f"%{self.last}")
        self.last += 1
        types.append(text)
        values = f"dense<{_list(shape)}>" if shape else "dense<>"
        yield f'{indent}{operands[-1]} = "stablehlo.constant"() {{value = {values} : {text}}} : () -> {text}\n'


def _dense(constant: Const) -> Iterator[str]:
    """A constant as an elements attribute: bools in words, all else as the bytes in hexadecimal."""
    t = type_text(TensorType(constant.dtype, constant.shape))
    if constant.size == 0:
        yield f"dense<> : {t}"
    elif constant.dtype is DType.BOOL:
        yield f"dense<{json.dumps(constant.view().tolist())}> : {t}"
    else:
        yield 'dense<"0x'
        for block in constant.blocks():
            yield bytes(block).hex().upper()
        yield f'"> : {t}'


def _location(location: Location | None) -> str:
    """Node and innermost frame of the user's code."""
    if location is None:
        return ""
    name, stack = first_name(location), frames(location)
    place = f"{quoted(stack[0].file)}:{max(stack[0].line, 0)}:{max(stack[0].column, 0)}" if stack else ""
    if name:
        return f" loc({quoted(name)}({place}))" if place else f" loc({quoted(name)})"
    return f" loc({place})" if place else ""

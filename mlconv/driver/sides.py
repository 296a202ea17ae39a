"""Models and artifacts that are run side by side: of any format that is read or written, on a runtime that is
installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar, TypedDict

import numpy as np

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects.core import Constant
from mlconv.driver.context import Context, context_of
from mlconv.driver.files import files_of
from mlconv.driver.loading import check_whole, import_model, in_core
from mlconv.driver.objects import is_object
from mlconv.driver.options import OF_MODELS, Options
from mlconv.driver.ranged_side import RangedSide
from mlconv.driver.side import Inputs, Side
from mlconv.driver.telling import QUIET, Telling
from mlconv.formats.files import open_regular
from mlconv.importers.hlo.names import shape_of
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.types import OpaqueType, TensorType
from mlconv.runtime.inputs import ranges_of
from mlconv.runtime.loop_ends import ends, has_open_loops
from mlconv.runtime.native_interface import NativeInterface
from mlconv.runtime.onnx_runtime import OnnxRuntime
from mlconv.runtime.pairing import Pair
from mlconv.runtime.ports import Port, ports_of
from mlconv.runtime.ranged_hlo import entry_of_ranges
from mlconv.runtime.tflite_file import TfliteFile
from mlconv.runtime.variables import Variables

if TYPE_CHECKING:
    from mlconv.driver.running import Ran

_PACKAGES = {
    "litert": "ai_edge_litert",
    "litert-reference": "ai_edge_litert",
    "onnxruntime": "onnxruntime",
    "xla": "jax",
    "tensorflow": "tensorflow",
}
_OBJECT = "native object"
_OF_XLA = ("hlo", "stablehlo")
_TENSORFLOW = ("saved_model", "graphdef", "graphdef_text", "keras")
RUNTIMES = {
    "tflite": ("litert", "litert-reference", "native", "reference"),
    _OBJECT: ("native",),
    "onnx": ("onnxruntime", "native", "reference"),
    "hlo": ("xla", "native", "reference"),
    "stablehlo": ("xla", "native", "reference"),
    "mlir": ("reference", "native"),
    **dict.fromkeys(_TENSORFLOW, ("tensorflow", "native", "reference")),
}
"""By format, the first that is installed is taken; the last one is mlconv's interpreter."""
_STORED = frozenset({DType.I4, DType.U4, DType.I8, DType.U8, DType.I16, DType.U16})
_PRODUCTS = frozenset({"hlo.dot", "hlo.convolution"})
_MOST_OPS = 64  # between stored weights and their product


class TfliteSide(Side):
    """A TFLite file on LiteRT."""

    def __init__(self, path: str, signature: str | None, reference: bool, keeps: bool = False) -> None:
        super().__init__(path)
        self.signature, self.reference = signature, reference
        self.file = TfliteFile(path, signature, reference, keeps)
        self.runtime, self.inputs, self.outputs = self.file.name, self.file.inputs, self.file.outputs
        self.has_variables, self.has_run = self.file.has_variables, False

    def keeping(self) -> TfliteSide:
        """The same, and all of its values can be asked for."""
        return TfliteSide(self.path, self.signature, self.reference, keeps=True)

    def run(self, calls: Sequence[Inputs], telling: Telling = QUIET) -> list[dict[str, Array]]:
        if self.has_run:  # variables are what that has left
            self.file = TfliteFile(self.path, self.signature, self.reference)
        self.has_run = True
        return [self.file.run(inputs) for inputs in telling.each(self.stage, calls)]

    @property
    def rounds(self) -> bool:
        return self.file.rounds

    @property
    def quantizes(self) -> bool:
        return self.file.quantizes

    def grids(self, call: Inputs) -> dict[str, QuantType]:
        if not self.rounds:
            return {}
        kept = self.keeping()
        kept.file.run(call)
        return kept.file.grids(call)


class ObjectSide(Side):
    """A native object in this process."""

    runtime = "the native object"

    def __init__(self, path: str, libraries: Sequence[str]) -> None:
        from mlconv.runtime.native import load_native

        super().__init__(path)
        self.model = load_native(path, libraries=libraries)
        self.inputs, self.outputs = object_ports(self.model.interface)
        self.ranges, self.has_variables = self.model.interface.ranges, bool(self.model.variables.inputs)

    def run(self, calls: Sequence[Inputs], telling: Telling = QUIET) -> list[dict[str, Array]]:
        self.model.reset()
        return [self.model.run(inputs) for inputs in telling.each(self.stage, calls)]

    @property
    def rounds(self) -> bool:
        return self.model.interface.rounds

    def grids(self, call: Inputs) -> dict[str, QuantType]:
        found: list[_Entry] = []
        for entry in self.model.facts["inputs"]:
            if grid := entry.get("grid"):
                found.append({"name": entry["name"], "dtype": grid["dtype"], "quantization": grid["quantization"]})
        return _quants_of(found)


class ModelSide(Side):
    """A file that mlconv reads: on its source's runtime, as native code, or on the interpreter."""

    names: ClassVar[Mapping[str, str]] = {
        "onnxruntime": "ONNX Runtime",
        "xla": "XLA",
        "tensorflow": "TensorFlow",
        "native": "native code",
        "reference": "mlconv's interpreter",
    }

    def __init__(self, path: str, options: Options, backend: str, context: Context) -> None:
        super().__init__(path)
        self.options, self.context, self.backend = options, context, backend
        self.runtime = self.names[backend]
        self.source = import_model(path, options, DiagnosticEngine(), context)
        check_whole(self.source)
        self.inputs, outputs = ports_of(self.function)
        self.sized = _sized(outputs) if self.source.source.get("format") in _OF_XLA else {}
        self.outputs = [p for p in outputs if p.name not in self.sized.values()]
        self._take_scales()
        self.ranges = ranges_of(self.source.main)
        facts = self.source.main.facts
        self.has_variables = bool(facts.state or facts.variables)

    @cached_property
    def function(self) -> Function:
        """The interface; one that gives lists gives their elements, as a model in core ops does."""
        lists = any(isinstance(v.type, OpaqueType) for v in self.source.main.outputs)
        return self.core.main if lists else self.source.main

    def _take_scales(self) -> None:
        """What integers that go in and out stand for, of formats in which nodes say it, and not the interface."""
        plain = any(p.quant is None and p.dtype in _STORED for p in (*self.inputs, *self.outputs))
        if not plain or self._is_core or not self.quantizes:
            return
        from mlconv.passes.quantized.grids import scale_of

        try:
            function = self.core.main
        except ConversionError:  # told where its ops are needed
            return
        taken = {v.name: scale_of(v) for v in function.inputs}
        given = {name: scale_of(v) for name, v in zip(function.output_names, function.outputs, strict=True)}
        self.inputs = [p._replace(quant=p.quant or taken.get(p.name)) for p in self.inputs]
        self.outputs = [p._replace(quant=p.quant or given.get(p.name)) for p in self.outputs]

    @property
    def is_cut(self) -> bool:
        return bool(self.options.inputs or self.options.outputs)

    @cached_property
    def core(self) -> LoadedModel:
        """The model in core ops.  Raises ConversionError."""
        return in_core(self.path, self.options, self.context)

    @property
    def rounds(self) -> bool:
        """As its ops say, those of the file or of core."""
        module = self.source.module
        if self._is_core:
            from mlconv.runtime.verify import rounds_inside

            return rounds_inside(module)
        return self.quantizes or any(_is_narrow(op.results) for op in module.walk())

    @property
    def quantizes(self) -> bool:
        return self.rounds if self._is_core else any(map(_quantizes, self.source.module.walk()))

    @property
    def _is_core(self) -> bool:
        ops = (op for op in self.source.module.walk() if not isinstance(op, Constant))  # HLO's are core's, too
        return any(op.name.startswith("core.") for op in ops)

    def grids(self, call: Inputs) -> dict[str, QuantType]:
        if not self.rounds or self.core.by_values is not None:
            return {}
        from mlconv.passes.quantized.grids import grid_of

        return {v.name: grid for v in self.core.main.inputs if (grid := grid_of(v)) is not None}

    def lets_end(self, call: Inputs, most: int) -> bool:
        if not any(op.regions or "While" in op.name for op in self.source.module.walk()):
            return True
        if self.core.by_values is not None or not has_open_loops(self.core.main):
            return True
        return ends(self.core.main, call, most)

    def run(self, calls: Sequence[Inputs], telling: Telling = QUIET) -> list[dict[str, Array]]:
        return [_cut(outputs, self.sized) for outputs in self._run(calls, telling)]

    def begun(self, call: Inputs) -> Inputs:
        return self.variables.with_values(call)

    @property
    def variables(self) -> Variables:
        """Those that go in and out, before the first call."""
        return Variables.of_function(self.source.main)

    def _run(self, calls: Sequence[Inputs], telling: Telling) -> list[dict[str, Array]]:
        variables, state = self.variables, dict[str, Array]()
        if self.backend == "reference":
            core, each = self.core, telling.each(self.stage, calls)
            return [variables.step(lambda taken: core.run(taken, state), inputs) for inputs in each]
        if self.backend == "native":
            from mlconv.driver.inprocess import compiled

            module, progress = self.core.module, telling.compiles()
            model = compiled(module, self.options, context=self.context, runs=len(calls), progress=progress).model
            return [model.run(inputs) for inputs in telling.each(self.stage, calls)]
        frozen = {name: np.asarray(x) for name, x in self.source.frozen.items()}
        if self.backend in ("onnxruntime", "xla") and not self.is_cut:
            from mlconv.runtime.xla import Xla

            runner = (OnnxRuntime if self.backend == "onnxruntime" else Xla)(self.path)
            each = telling.each(self.stage, calls)
            return [
                variables.step(lambda taken: runner.run(self.function, {**taken, **frozen}), inputs) for inputs in each
            ]
        from mlconv.runtime.source import source_runs

        telling.stage(self.stage)
        runs = [(self.function, {**inputs, **frozen}) for inputs in calls]
        return source_runs(self.source.module, runs, self.is_cut, self.options.tags, self.source.folder)


def _sized(outputs: Sequence[Port]) -> dict[str, str]:
    """Outputs that have room for more than there is, with those that have their sizes."""
    vectors = {(p.name, p.shape) for p in outputs if p.dtype is DType.I32}
    return {p.name: name for p in outputs if ((name := shape_of(p.name)), (len(p.shape or ()),)) in vectors}


def _cut(outputs: dict[str, Array], sized: Mapping[str, str]) -> dict[str, Array]:
    """As much of each as there is.  sized: names of what has its sizes, which go."""
    if not sized:
        return outputs
    shapes = {name: tuple(slice(int(n)) for n in outputs[shape]) for name, shape in sized.items()}
    kept = {name: y for name, y in outputs.items() if name not in sized.values()}
    return {name: y[shapes[name]] if name in shapes else y for name, y in kept.items()}


def object_ports(interface: NativeInterface) -> tuple[list[Port], list[Port]]:
    """Inputs and outputs of a native object, but for the shapes of others, which a run leaves out."""
    quants = _quants_of([*interface.facts["inputs"], *interface.facts["outputs"]])
    shapes = {p.sizes for p in interface.outputs}
    named = [p for i, p in enumerate(interface.outputs) if i not in shapes]
    kept = Variables.of_object("", interface)
    sides = (interface.inputs, kept.inputs), (named, kept.outputs)
    inputs, outputs = (
        [Port(p.name, p.dtype, p.shape, quants.get(p.name), p.name in variables) for p in ports]
        for ports, variables in sides
    )
    return inputs, outputs


def told_of(ran: Ran) -> tuple[list[Port], bool, str]:
    """Outputs of what was run, whether it computes with few bits, and the name of what it ran on."""
    from mlconv.runtime.native import NativeModel
    from mlconv.runtime.verify import rounds_inside

    model = ran.model
    if isinstance(model, NativeModel):
        return object_ports(model.interface)[1], model.interface.rounds, ObjectSide.runtime
    return ports_of(model.main)[1], rounds_inside(model.module), ModelSide.names[ran.backend]


def grids_of(first: Side, second: Side, inputs: Sequence[Pair], call: Inputs) -> dict[str, QuantType]:
    """What either side rounds floats to, by names of the first's inputs."""
    found = first.grids(call)
    other = second.grids({p.b.name: p.to_b(call[p.a.name]) for p in inputs})
    return {**{p.a.name: other[p.b.name] for p in inputs if p.b.name in other}, **found}


def _quantizes(op: Op) -> bool:
    """It says so; or it is a product of HLO, which spells quantization as arithmetic, by weights of small integers."""
    return "uant" in op.name or (op.name in _PRODUCTS and any(v is not None and _is_stored(v) for v in op.operands))


def _is_stored(value: Value) -> bool:
    """It is made of constants alone, a matrix of small integers among them."""
    found, left = False, [value]
    for _ in range(_MOST_OPS):
        if not left:
            return found
        value = left.pop()
        op, t = value.producer, value.type
        if op is None or op.regions or not (op.operands or isinstance(op, Constant)):
            return False
        if isinstance(op, Constant):
            found |= isinstance(t, TensorType) and t.dtype in _STORED and len(t.shape or ()) >= 2
        left += [v for v in op.operands if v is not None]
    return False


def _is_narrow(values: Sequence[Value]) -> bool:
    return any(isinstance(v.type, TensorType) and v.type.dtype.is_half for v in values)


def open_side(path: str, options: Options, backend: str = "auto") -> Side:
    """What a path holds, ready to be run.  options: those of reading that its format takes count.

    Raises ConversionError: InputNotReadable, FormatUnknown, UsageError for a backend that does not run the format,
    VerificationImpossible for one that is not installed, and what reading the file may raise.
    """
    options.reads(files_of(path))
    if _begins_as_tflite(path) and (backend == "auto" or backend.startswith("litert")):
        _check_installed("litert")
        return TfliteSide(path, options.signature, backend == "litert-reference")
    context = context_of(options.plugins, paths=[] if is_object(path) else [path])
    kind = _kind_of(path, context)
    chosen = _backend(path, kind, backend, context)
    if kind == _OBJECT:
        library = str(options.target.get("library", "") or "")
        return ObjectSide(path, [library] if library else [])
    if kind == "hlo" and chosen == "xla" and (function := entry_of_ranges(path)):
        return RangedSide(path, function)
    return ModelSide(path, fitting(options, path, context), chosen, context)


def readable(side: Side, options: Options) -> ModelSide | None:
    """The side with its ops; none where its format is not read."""
    if isinstance(side, ModelSide):
        return side
    try:
        found = open_side(side.path, options, "reference")
    except ConversionError as error:
        if error.code is Code.UsageError:  # the format has no such backend
            return None
        raise
    return found if isinstance(found, ModelSide) else None


def fitting(options: Options, path: str, context: Context) -> Options:
    """Options without those of reading that a file's format does not take, and without shapes, which inputs are drawn
    by.
    """
    taken = context.format_of(path).takes
    plain = {f.name: getattr(_PLAIN, f.name) for f in fields(Options) if f.name in OF_MODELS.difference(taken)}
    return replace(options, **{**plain, "shapes": {}})


_PLAIN = Options()


def _kind_of(path: str, context: Context) -> str:
    """A format's name, or that of what is run and not read."""
    return _OBJECT if is_object(path) else context.format_of(path).name


def _begins_as_tflite(path: str) -> bool:
    try:
        with open_regular(path) as f:
            return f.read(8)[4:] == b"TFL3"
    except OSError:
        return False  # a folder, or what `format_of` has words for


def _backend(path: str, kind: str, asked: str, context: Context) -> str:
    """The backend that was asked for, or the first of the format's that is installed."""
    known = RUNTIMES.get(kind, ("native", "reference"))
    if asked == "auto":
        found = next((name for name in known if _is_installed(name)), "")
        if not found:
            raise _missing(known[0])
        return found
    if asked not in known:
        raise ConversionError(
            Code.UsageError, f"{path} ({kind}) does not run on {asked}: it runs on {', '.join(known)}"
        )
    _check_installed(asked)
    return asked


def _check_installed(backend: str) -> None:
    """Raises ConversionError VerificationImpossible."""
    if not _is_installed(backend):
        raise _missing(backend)


def _is_installed(backend: str) -> bool:
    package = _PACKAGES.get(backend)
    return package is None or find_spec(package) is not None


def _missing(backend: str) -> ConversionError:
    package = _PACKAGES[backend].replace("_", "-")
    return ConversionError(
        Code.VerificationImpossible,
        f"{backend} is not installed",
        help=f"pip install {package}, or name another backend",
    )


class _Numbers(TypedDict):
    """axis: none of a scale for the tensor."""

    scales: list[float]
    zero_points: list[int]
    axis: int | None


class _Entry(TypedDict):
    """An input or output in a model interface."""

    name: str
    dtype: str
    quantization: _Numbers | None


def _quants_of(entries: Sequence[_Entry]) -> dict[str, QuantType]:
    """What integers of a native object's inputs and outputs stand for, as its interface says."""
    found: dict[str, QuantType] = {}
    for entry in entries:
        numbers = entry["quantization"]
        if numbers:
            scales, zeros, axis = numbers["scales"], numbers["zero_points"], numbers["axis"]
            dtype = DType.from_numpy(entry["dtype"])
            found[entry["name"]] = (
                QuantType.of(dtype, scales[0], zeros[0]) if axis is None else QuantType.of(dtype, scales, zeros, axis)
            )
    return found

"""A TFLite file as LiteRT sees it: what it takes and gives, and all values of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.runtime.litert import Detail, details_of, litert_interpreter, run_tflite
from mlconv.runtime.ports import Port

_INTEGERS = frozenset({DType.I4, DType.I8, DType.U8, DType.I16})


class TensorValue(NamedTuple):
    """A tensor behind a run.  name: of the tensor, as the file has it.  is_constant: the file holds its contents."""

    name: str
    array: Array
    quant: QuantType | None
    is_constant: bool

    @property
    def dtype(self) -> DType:
        return DType.STRING if self.array.dtype.kind in "OSU" else DType.from_numpy(self.array.dtype)


class TfliteFile:
    """A signature of a file.  reference: LiteRT's reference kernels run it.  keeps: `values` can be asked for.

    Raises ConversionError: VerificationImpossible when LiteRT is not installed, VerificationFailed when it refuses the
    file, NameNotFound for a signature that the file does not have.
    """

    def __init__(self, path: str, signature: str | None = None, reference: bool = False, keeps: bool = False) -> None:
        self.path, self.name = path, "LiteRT's reference kernels" if reference else "LiteRT"
        self.is_reference = reference
        self.interpreter = litert_interpreter(path, reference, keeps)
        self.constants = self._readable() if keeps else frozenset[int]()
        self.inner = self._inner() if keeps else []
        known = list(self.interpreter.get_signature_list())
        if signature is not None and known and signature not in known:
            raise ConversionError(
                Code.NameNotFound, f"{path} has no signature {signature!r}; it has {', '.join(known) or 'none'}"
            )
        self.signature = signature or next(iter(known), "")
        taken, made = details_of(self.interpreter, self.signature)
        self.inputs = [_port(name, detail) for name, detail in taken.items()]
        self.outputs = [_of_any_rank(_port(name, detail)) for name, detail in made.items()]

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Raises ConversionError VerificationFailed."""
        try:
            return run_tflite(self.path, inputs, self.signature, self.interpreter)
        except (RuntimeError, ValueError) as e:
            raise ConversionError(
                Code.VerificationFailed, f"{self.name} cannot run {self.path}: {e}", help=self._other_kernels()
            ) from e

    def _other_kernels(self) -> str:
        """What may run a file that this cannot."""
        if self.is_reference:
            return ""
        return "XNNPACK may refuse what LiteRT's own kernels take: verify with the backend litert-reference"

    @property
    def rounds(self) -> bool:
        """It stores or computes numbers in fewer bits than float32 has, in the bodies of loops and branches, too."""
        return self.quantizes or any(DType.from_numpy(d["dtype"]).is_half for d in self._numbers())

    @property
    def quantizes(self) -> bool:
        """It stores integers in place of numbers."""
        return any(_has_scales(d) for d in self._numbers())

    def _numbers(self) -> Iterator[Detail]:
        """Tensors of numbers of all subgraphs."""
        for subgraph in range(self.interpreter.num_subgraphs()):
            for detail in self.interpreter.get_tensor_details(subgraph):
                if detail["dtype"] not in (np.bytes_, np.object_):
                    yield detail

    @property
    def has_variables(self) -> bool:
        """Some subgraph has handles of variables or tables."""
        numbers = range(self.interpreter.num_subgraphs())
        return any(d["dtype"] is np.object_ for i in numbers for d in self.interpreter.get_tensor_details(i))

    def values(self) -> list[TensorValue]:
        """All tensors of the first subgraph behind a run, in the file's order."""
        found = []
        known = self._readable()
        for detail in self.interpreter.get_tensor_details():
            index = detail["index"]
            if index in known:
                array = np.array(self.interpreter.get_tensor(index))
                found.append(TensorValue(detail["name"], array, _quant(detail), index in self.constants))
        return found

    def _inner(self) -> list[tuple[DType, QuantType | None, bool]]:
        """Types of what bodies of loops and branches hold, and whether it is a constant; before a run."""
        found = []
        for subgraph in range(1, self.interpreter.num_subgraphs()):
            known = self._readable(subgraph)
            details = self.interpreter.get_tensor_details(subgraph)
            plain = (d for d in details if d["dtype"] not in (np.bytes_, np.object_))
            found += [(_dtype(d), _quant(d), d["index"] in known) for d in plain]
        return found

    def grids(self, inputs: Mapping[str, Array]) -> dict[str, QuantType]:
        """What floats of inputs are rounded to, by name: behind a run some tensor of integers stands for nothing but
        these, rounded.
        """
        found: dict[str, QuantType] = {}
        rounded = [v for v in self.values() if v.quant is not None and v.quant.is_per_tensor and not v.is_constant]
        for name, x in inputs.items():
            for one in rounded if x.dtype.kind == "f" and x.size else ():
                if one.quant is not None and np.array_equal(one.quant.quantize(x).ravel(), one.array.ravel()):
                    found.setdefault(name, one.quant)
        return found

    def _readable(self, subgraph: int = 0) -> frozenset[int]:
        """Tensors that have data: before a run those that the file holds, behind one all but those without elements
        and those of other subgraphs.
        """
        found = set()
        for detail in self.interpreter.get_tensor_details(subgraph):
            if detail["dtype"] is np.object_:  # a variable or a table, whose data LiteRT reads as something else
                continue
            try:
                self.interpreter.get_tensor(detail["index"], subgraph)
                found.add(detail["index"])
            except ValueError:
                continue
        return frozenset(found)


def _port(name: str, detail: Detail) -> Port:
    sizes = [*map(int, detail["shape_signature"])] or [*map(int, detail["shape"])]
    shape = tuple(Dim.symbol(f"{name}_{i}") if n < 0 else n for i, n in enumerate(sizes))
    return Port(name, _dtype(detail), shape, _quant(detail))


def _of_any_rank(port: Port) -> Port:
    """An output without sizes: a number, or something whose rank is not told before a run."""
    return port if port.shape else port._replace(shape=None)


def _dtype(detail: Detail) -> DType:
    return DType.STRING if detail["dtype"] is np.bytes_ else DType.from_numpy(detail["dtype"])


def _has_scales(detail: Detail) -> bool:
    return _dtype(detail) in _INTEGERS and bool(detail["quantization_parameters"]["scales"].size)


def _quant(detail: Detail) -> QuantType | None:
    """Scales in blocks are of weights alone, which nobody compares."""
    numbers = detail["quantization_parameters"]
    scales, zeros = numbers["scales"], numbers["zero_points"]
    dtype = _dtype(detail)
    if not scales.size or dtype not in _INTEGERS or numbers["block_size"] or not (scales > 0).all():
        return None
    zeros = zeros if zeros.size else np.zeros(1, np.int32)
    if scales.size == 1:
        return QuantType.of(dtype, float(scales[0]), int(zeros[0]))
    axis = int(numbers["quantized_dimension"])
    sizes = detail["shape"]
    if not 0 <= axis < len(sizes) or sizes[axis] != scales.size:
        return None
    return QuantType.of(dtype, scales, zeros, axis)

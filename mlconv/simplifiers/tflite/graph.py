"""A subgraph of a TFLite file that is being rewritten: who makes and who reads each tensor."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from mlconv.dialects.tfl import IMPURE
from mlconv.dialects.tfl_table import ENUMS
from mlconv.exporters.tflite.model import Operator, RawBytes, SubGraph, Tensor, TflModel
from mlconv.ir.constants import Array, Const

_STATE = ("VAR_HANDLE", "HASHTABLE", "IF", "WHILE", "CALL", "STABLEHLO", "LSTM", "RNN", "SEQUENCE", "SVDF", "DELEGATE")
_INTEGERS: dict[int, type[np.int32 | np.int64]] = {
    ENUMS["TensorType"]["INT32"]: np.int32,
    ENUMS["TensorType"]["INT64"]: np.int64,
}
_SMALL = 1 << 12


class Graph:
    """made: who makes each tensor.  readers: by the identity of operators, which are no values."""

    def __init__(self, model: TflModel, number: int, constants: Mapping[str, Const] | None = None) -> None:
        """constants: by the names of tensors that follow from constants."""
        self.model, self.number, self.constants = model, number, constants or {}
        self.graph: SubGraph = model.subgraphs[number]
        self.held = {t for s in model.signatures if s.subgraph == number for _, t in (*s.inputs, *s.outputs)}
        self.gone: set[int] = set()
        self.made = {t: op for op in self.graph.operators for t in op.outputs}
        self.readers: dict[int, dict[int, Operator]] = {}
        for op in self.graph.operators:
            self._enter(op)

    def _enter(self, op: Operator) -> None:
        for t in op.inputs:
            if t >= 0:
                self.readers.setdefault(t, {})[id(op)] = op

    def set_inputs(self, op: Operator, inputs: Sequence[int]) -> None:
        """Make an operator read other tensors."""
        for t in op.inputs:
            self.readers.get(t, {}).pop(id(op), None)
        op.inputs = tuple(inputs)
        self._enter(op)

    def drop(self, op: Operator) -> None:
        """Take an operator away; its results are made by another one, or by none."""
        self.gone.add(id(op))
        for t in op.inputs:
            self.readers.get(t, {}).pop(id(op), None)
        for t in op.outputs:
            if self.made.get(t) is op:
                del self.made[t]

    def is_left(self, op: Operator) -> bool:
        return id(op) not in self.gone

    def compact(self) -> None:
        """Leave out what has gone."""
        self.graph.operators = [op for op in self.graph.operators if self.is_left(op)]
        self.gone = set()

    def name(self, op: Operator) -> str:
        return self.model.codes[op.code].builtin

    def tensor(self, t: int) -> Tensor:
        return self.graph.tensors[t]

    def is_pure(self, op: Operator) -> bool:
        """It does nothing but compute its results."""
        name = self.name(op)
        variables = any(self.tensor(t).is_variable for t in (*op.inputs, *op.outputs) if t >= 0)
        return name not in IMPURE and not variables and not any(word in name for word in _STATE)

    def is_constant(self, t: int) -> bool:
        if t < 0 or t in self.made or t in self.graph.inputs or self.tensor(t).is_variable:
            return False
        return self.model.buffers[self.tensor(t).buffer].nbytes > 0

    def nbytes(self, t: int) -> int:
        """Bytes of a constant."""
        return self.model.buffers[self.tensor(t).buffer].nbytes

    def integers(self, t: int) -> list[int] | None:
        """A small constant of integers."""
        plain = self.is_constant(t) and self.tensor(t).sparse is None
        kind = _INTEGERS.get(self.tensor(t).dtype) if plain else None
        if kind is None or self.model.buffers[self.tensor(t).buffer].nbytes > _SMALL:
            return None
        return [int(i) for i in self.contents(t, kind)]

    def contents(self, t: int, kind: type[np.int32 | np.int64]) -> Array:
        data = b"".join(bytes(block) for block in self.model.buffers[self.tensor(t).buffer].blocks())
        return np.frombuffer(data, kind)

    def add_integers(self, name: str, like: int, numbers: list[int]) -> int:
        """A new constant vector of the type that another has."""
        kind = _INTEGERS[self.tensor(like).dtype]
        self.model.buffers.append(RawBytes(np.asarray(numbers, kind).tobytes()))
        tensor = Tensor(name, self.tensor(like).dtype, (len(numbers),), len(self.model.buffers) - 1)
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def type_of(self, t: int) -> Hashable:
        """What two tensors of the same type have in common."""
        tensor = self.tensor(t)
        q = tensor.quantization
        scales = None if q is None else (q.scales, q.zero_points, q.axis, q.blocks)
        return tensor.dtype, tensor.shape, tensor.signature, scales, tensor.is_variable, tensor.sparse

    def same_static(self, a: int, b: int) -> bool:
        """Two tensors of the same type, all of whose sizes are numbers."""
        return self.type_of(a) == self.type_of(b) and not self.tensor(a).signature and self.tensor(a).shape is not None

    def sole(self, t: int) -> Operator | None:
        """The maker of a tensor that one operator reads, once."""
        readers = list(self.readers.get(t, {}).values())
        if len(readers) != 1 or readers[0].inputs.count(t) != 1 or t in self.graph.outputs or t in self.held:
            return None
        return self.made.get(t)

    def forward(self, op: Operator, new: int) -> bool:
        """All that read the result of an operator read another tensor, and the operator goes.  An output stays the
        tensor that it is: then the maker of the other one gives it.
        """
        (old,) = op.outputs
        if old in self.graph.outputs or old in self.held:
            maker = self.made.get(new)
            if maker is None or new in self.graph.outputs or new in self.held or not self.is_pure(maker):
                return False
            self.drop(op)
            self.replace(new, old)
            maker.outputs = tuple(old if t == new else t for t in maker.outputs)
            self.made.pop(new)
            self.made[old] = maker
        else:
            self.drop(op)
            self.replace(old, new)
        return True

    def replace(self, old: int, new: int) -> None:
        """All that read one tensor read another."""
        for reader in list(self.readers.get(old, {}).values()):
            self.set_inputs(reader, [new if t == old else t for t in reader.inputs])

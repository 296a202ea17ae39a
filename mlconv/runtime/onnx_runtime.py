"""ONNX files on ONNX Runtime."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function

T = TypeVar("T")


class _Info(Protocol):
    name: str
    type: str


class Session(Protocol):
    """What is asked of ONNX Runtime's InferenceSession, which has no types."""

    def get_inputs(self) -> list[_Info]: ...
    def get_overridable_initializers(self) -> list[_Info]: ...
    def get_outputs(self) -> list[_Info]: ...
    def run(self, names: list[str] | None, inputs: Mapping[str, Array]) -> list[Array]: ...
    def run_with_ort_values(self, names: list[str], inputs: Mapping[str, object]) -> list[Any]: ...


class OnnxRuntime:
    """A file that is run by the names of its inputs; it keeps nothing from one run to the next."""

    name = "ONNX Runtime"

    def __init__(self, path: str) -> None:
        self.path, self.session = path, session_of(path)

    def reset(self) -> None:
        """There is no state."""

    def run(self, function: Function, inputs: Mapping[str, Array]) -> dict[str, Array]:
        if any(info.type.startswith("seq(") for info in self.session.get_outputs()):
            given = {info.name: np.asarray(inputs[info.name], order="C") for info in taken(self.session, inputs)}
            try:
                return outputs_of(self.session, self.path, function.output_names, given)
            except refusals() as e:
                raise _refused(e) from e
        return run_session(self.session, inputs)

    def inside(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """What all nodes give, by name.  Raises ConversionError VerificationImpossible, VerificationFailed."""
        return values_inside(self.path, inputs)


def taken(session: Session, inputs: Mapping[str, Array]) -> list[_Info]:
    """The inputs of a session: those that have a default value where one is given."""
    return [*session.get_inputs(), *(info for info in session.get_overridable_initializers() if info.name in inputs)]


def run_session(session: Session, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Outputs by name.  Raises ConversionError VerificationFailed.

    numpy has no bfloat16 and no float8: such tensors go in and out as their bits.
    """
    ports = taken(session, inputs)
    given = {info.name: np.asarray(inputs[info.name], order="C") for info in ports}
    names = [info.name for info in session.get_outputs()]
    kinds = {info.name: _BITS.get(info.type) for info in (*ports, *session.get_outputs())}
    try:
        if not any(kinds.values()):
            return dict(zip(names, session.run(names, given), strict=True))
        values = {name: _to_value(x, kinds[name]) for name, x in given.items()}
        found = session.run_with_ort_values(names, values)
        return {name: _from_value(v, kinds[name]) for name, v in zip(names, found, strict=True)}
    except refusals() as e:
        raise _refused(e) from e


def _refused(why: Exception) -> ConversionError:
    return ConversionError(Code.VerificationFailed, f"ONNX Runtime cannot run the file: {words_of(why)}")


def outputs_of(session: Session, path: str, names: Sequence[str], given: Mapping[str, Array]) -> dict[str, Array]:
    """Outputs by the names that a module has.

    Elements of a list are `NAME_0`, `NAME_1`, ..., a list of maps is a tensor with a column for each key.
    """
    whole = set(names)
    asked = [i for i in session.get_outputs() if i.name in whole or i.type.startswith("seq(")]
    found: dict[str, Array] = {}
    for info, value in zip(asked, session.run([i.name for i in asked], given), strict=True):
        if info.type.startswith("seq(map("):
            keys = _keys(path, info.name)
            found[info.name] = np.asarray([[row[k] for k in keys or sorted(row)] for row in value], np.float32)
        elif info.type.startswith("seq("):
            found.update({f"{info.name}_{i}": item for i, item in enumerate(value)})
        else:
            found[info.name] = value
    return {name: found[name] for name in names}


def _keys(path: str, output: str) -> list[int] | list[str]:
    """The keys of maps that ZipMap makes, in the order of the columns that it is given."""
    import onnx

    for node in onnx.load(path, load_external_data=False).graph.node:
        if output in node.output:
            fields = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            texts = [v.decode() for v in fields.get("classlabels_strings", ())]
            return texts or [int(v) for v in fields.get("classlabels_int64s", ())]
    return []


class _Bits(NamedTuple):
    """An element type that numpy does not have: integers of its size, and its number in ONNX."""

    integers: type[np.generic]
    number: int
    dtype: DType


_BITS = {
    "tensor(bfloat16)": _Bits(np.uint16, 16, DType.BF16),
    "tensor(float8e4m3fn)": _Bits(np.uint8, 17, DType.F8E4M3FN),
    "tensor(float8e4m3fnuz)": _Bits(np.uint8, 18, DType.F8E4M3FNUZ),
    "tensor(float8e5m2)": _Bits(np.uint8, 19, DType.F8E5M2),
    "tensor(float8e5m2fnuz)": _Bits(np.uint8, 20, DType.F8E5M2FNUZ),
}
"""By ONNX Runtime's names."""


def _to_value(x: Array, kind: _Bits | None) -> Any:
    import onnxruntime as ort

    if kind is None:
        return ort.OrtValue.ortvalue_from_numpy(x)
    return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(x.view(kind.integers), kind.number)


def _from_value(value: Any, kind: _Bits | None) -> Array:
    if kind is None:
        return np.asarray(value.numpy())
    data = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())
    return np.frombuffer(data, kind.dtype.numpy).reshape(value.shape())


def session_of(path: str) -> Session:
    """A session for a file.  Raises ConversionError: VerificationImpossible when ONNX Runtime is not installed,
    VerificationFailed when it refuses the file.
    """
    try:
        import onnxruntime  # noqa: F401
    except ImportError as e:
        raise ConversionError(
            Code.VerificationImpossible,
            "ONNX Runtime is not installed",
            help="pip install onnxruntime, or leave --verify out",
        ) from e
    try:
        return opened(path, fuses=not _cuts_off(path))
    except refusals() as e:
        raise ConversionError(Code.VerificationFailed, f"ONNX Runtime refuses the file: {words_of(e)}") from e


def _cuts_off(path: str) -> bool:
    """Between QuantizeLinear and DequantizeLinear, ONNX Runtime resizes the integers, and cuts off what the
    interpolation leaves behind the point (core/providers/cpu/tensor/upsample.cc), where the file says to round.
    """
    if not _holds(path, b"QuantizeLinear"):
        return False
    import onnx

    kinds = {
        (node.op_type, next((a.s for a in node.attribute if a.name == "mode"), b"nearest"))
        for node in onnx.load(path, load_external_data=False).graph.node
        if node.op_type in ("Resize", "Upsample", "QuantizeLinear")
    }
    return ("QuantizeLinear", b"nearest") in kinds and any(mode != b"nearest" for _, mode in kinds)


def _holds(model: str | bytes, text: bytes) -> bool:
    """A file has some bytes anywhere.  model: its path, or what it holds."""
    if isinstance(model, bytes):
        return text in model
    with open(model, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(text) >= 0


def opened(model: str | bytes, optimizes: bool = True, fuses: bool = True) -> Session:
    """A session that says nothing and computes what the file says: products of uint8 with int8 are exact, where ONNX
    Runtime can make them so, and those with stored weights take floats as they are.  model: a path, or what a file
    holds.  optimizes: it may change the graph; fuses: into ops that compute with integers.
    """
    return _Exact(model, optimizes, fuses)


_WRONG_OPTIMIZERS = ("Pad_Fusion", "ConstantSharing")
"""Of ONNX Runtime: what they make of some graphs computes something else, as `_Exact` tells."""


class _Exact:
    """Where x86 has no instruction for uint8 with int8, ONNX Runtime adds pairs of products with saturation to 16 bits,
    unless it is asked to take weights as uint8; then it has no convolution of int8 with int8, and fails over weights
    that products share, and zero points in blocks: it computes with floats there, as the file stands.  Of stored
    weights it makes MatMulNBits, which would round what it reads to 8 bits
    (onnxruntime_session_options_config_keys.h).  Threads would share out the rows of a DynamicQuantizeLSTM, which has
    one range for all rows of a thread.  Zeros in front of a MaxPool become its padding, which is minus infinity
    (core/optimizer/pad_fusion.cc).  Constants that are equal become one (core/optimizer/constant_sharing.cc), and a
    BatchNormalization that trains writes its running mean and variance over those it was given.
    """

    def __init__(self, model: str | bytes, optimizes: bool, fuses: bool) -> None:
        import onnxruntime as ort

        known, levels = ort.capi.onnxruntime_pybind11_state, ort.GraphOptimizationLevel
        self.model, self.failures, self.is_exact = model, (known.NotImplemented, known.Fail), True
        most = levels.ORT_ENABLE_ALL if fuses else levels.ORT_ENABLE_BASIC
        self.levels = (levels.ORT_ENABLE_BASIC, most) if optimizes else (levels.ORT_DISABLE_ALL,) * 2
        self.threads = int(_holds(model, b"DynamicQuantizeLSTM"))  # 0: as many as it likes
        self.session: Session | None = None
        self._tried(lambda session: session)

    def _opened(self) -> Session:
        import onnxruntime as ort

        settings = ort.SessionOptions()
        settings.log_severity_level, settings.graph_optimization_level = 4, self.levels[self.is_exact]
        settings.intra_op_num_threads = self.threads
        settings.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
        settings.add_session_config_entry("session.x64quantprecision", str(int(self.is_exact)))
        session: Session = ort.InferenceSession(
            self.model, settings, providers=["CPUExecutionProvider"], disabled_optimizers=list(_WRONG_OPTIMIZERS)
        )
        return session

    def _tried(self, act: Callable[[Session], T]) -> T:
        """Once more without what makes products exact, where that fails."""
        try:
            self.session = self.session or self._opened()
            return act(self.session)
        except self.failures:
            if not self.is_exact:
                raise
        self.is_exact = False
        self.session = self._opened()
        return act(self.session)

    def get_inputs(self) -> list[_Info]:
        return self._tried(lambda session: session.get_inputs())

    def get_overridable_initializers(self) -> list[_Info]:
        return self._tried(lambda session: session.get_overridable_initializers())

    def get_outputs(self) -> list[_Info]:
        return self._tried(lambda session: session.get_outputs())

    def run(self, names: list[str] | None, inputs: Mapping[str, Array]) -> list[Array]:
        return self._tried(lambda session: session.run(names, inputs))

    def run_with_ort_values(self, names: list[str], inputs: Mapping[str, object]) -> list[Any]:
        return self._tried(lambda session: session.run_with_ort_values(names, inputs))


def values_inside(path: str, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """What all nodes of a file's main graph give, by name, without what ONNX Runtime makes of the graph.  Raises
    ConversionError VerificationImpossible, VerificationFailed.
    """
    session_of(path)  # what there is to say of the file is said of it as it is
    import onnx

    model = onnx.load(path)
    known = {value.name for value in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in known:
                known.add(name)
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    try:
        session = opened(model.SerializeToString(), optimizes=False)
        return run_session(session, inputs)
    except refusals() as e:
        raise ConversionError(Code.VerificationImpossible, f"ONNX Runtime does not show {path}: {words_of(e)}") from e


def refusals() -> tuple[type[Exception], ...]:
    """What ONNX Runtime raises."""
    import onnxruntime as ort

    known: Any = ort.capi.onnxruntime_pybind11_state
    own = (known.Fail, known.InvalidArgument, known.InvalidGraph, known.InvalidProtobuf)
    return (*own, known.NotImplemented, known.RuntimeException, RuntimeError, ValueError, TypeError)


def words_of(error: Exception) -> str:
    return " ".join(str(error).split())[:300]

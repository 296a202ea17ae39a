"""Native objects in process: an object file is loaded through llvmlite's linker, without a C compiler, and called
through its C ABI.
"""

from __future__ import annotations

import ctypes
import io
import json
import math
import os
import sys
import threading
import weakref
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mlconv.codegen.program.libraries import bind_function
from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.notebook import table
from mlconv.diagnostics.text import printable
from mlconv.formats.files import open_regular, read_text
from mlconv.ir.constants import Array
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.runtime.inputs import broken_rule
from mlconv.runtime.native_interface import NativeInterface, Weights, parse_interface
from mlconv.runtime.native_pool import Engine, Trace, pool_of
from mlconv.runtime.native_results import Results
from mlconv.runtime.variables import Variables

_NEVER = ctypes.c_size_t(-1).value  # bytes of a workspace for sizes that do not fit one another
# bytes for addresses of other libraries' functions, which the linker does not count when it takes memory for all of an
# object at once
_ROOM = 1 << 16
_KEPT = 8  # sizes whose workspaces are kept
_WHY = {
    "cpu": "; it needs {cpu}",
    "dimensions": ": a size that data decide is larger than its bound, others do not fit it, or a branch reads what is "
    "not there",
}


class _Frame(NamedTuple):
    """What one call at a time needs: a workspace and the two tables of pointers, with their addresses; shapes of inputs
    and outputs.
    """

    shapes: tuple[list[tuple[int, ...]], list[tuple[int, ...]]]
    workspace: Array
    inputs: ctypes.Array[ctypes.c_void_p]
    outputs: ctypes.Array[ctypes.c_void_p]
    dims: ctypes.Array[ctypes.c_int64]
    arguments: tuple[int, int, int | None, int, int, int | None]


_LINKING = threading.Lock()  # of objects with functions of the same name in different libraries
_LARGE_PAGE, _HUGEPAGE, _DONTNEED = 1 << 21, 14, 4


class _Engine(Engine, Protocol):
    """What is asked of llvmlite's ExecutionEngine, which has no types."""

    def add_object_file(self, file: object) -> None: ...
    def get_global_value_address(self, name: str) -> int: ...


def _type(dtype: np.dtype[Any], shape: Sequence[Size]) -> str:
    return f"{dtype}[{','.join(map(str, shape))}]"


class NativeModel:
    """A loaded object.  `run` may be called from several threads at once: each call has a workspace of its own, which
    is kept for later ones.
    """

    def __init__(
        self,
        path: str,
        interface: NativeInterface,
        threads: int = 1,
        libraries: Sequence[str] = (),
        traced: bool = False,
    ) -> None:
        self.interface, self.facts = interface, interface.facts
        self.inputs = [(p.name, p.dtype.numpy, p.shape) for p in interface.inputs]
        self.outputs = [(p.name, p.dtype.numpy, p.shape) for p in interface.outputs]
        known = [name for name, _, _ in self.inputs]
        self._sized = [(p.name, p.sizes) for p in interface.outputs if p.sizes >= 0]
        self._first_outputs = {n.removesuffix(":0"): n for n in known if n.endswith(":0") and n[:-2] not in known}
        self.dimensions = interface.dimensions
        self._told_by = self._tellers()
        self._weights = _mapped(path, interface.weights)
        self._engine = _engine()
        foreign = {name for name, _ in interface.foreign}
        _check_symbols(path, [name for name in interface.symbols if name not in foreign])
        interface.check_whole(interface_path(path))
        check_code(path, interface)
        prefix = interface.entry.removesuffix("_run")
        with _LINKING:
            for function, names in interface.foreign:
                bind_function(function, [*libraries, *names], os.path.dirname(os.path.abspath(path)), path)
            _load(self._engine, path, prefix)
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self._call = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer, pointer, pointer, size, pointer)(
            _address(self._engine, path, interface.entry)
        )
        self._need = ctypes.CFUNCTYPE(size, pointer)(_address(self._engine, path, f"{prefix}_workspace_bytes"))
        self._parallel: int | None = None
        self.trace: Trace | None = None
        if threads > 1:
            self.trace = Trace(threads) if traced else None
            self._parallel, destroy = pool_of(self._engine, threads, self.trace)
            weakref.finalize(self, destroy, self._parallel)
        self.variables, self._stepping = Variables.of_object(path, interface), threading.Lock()
        self._lock = threading.Lock()
        self._idle: dict[tuple[int, ...], list[_Frame]] = {}
        self._results = [Results() for _ in self.outputs]
        # seconds, nanoseconds: before the first call of a kernel, behind each
        self.stamps = np.zeros((interface.stamps, 2), np.int64)

    def __repr__(self) -> str:
        return f"<NativeModel {printable(self._summary())}>"

    def _repr_html_(self) -> str:
        named = [
            (f"{what} {name}", _type(dtype, shape))
            for what, ports in (("input", self.inputs), ("output", self.outputs))
            for name, dtype, shape in ports
        ]
        return table(self._summary(), named)

    def _summary(self) -> str:
        given, made = (", ".join(f"{n}: {_type(d, s)}" for n, d, s in ports) for ports in (self.inputs, self.outputs))
        return f"{self.interface.entry}({given}) -> ({made})"

    def _frame(self, values: tuple[int, ...]) -> _Frame:
        dims = (ctypes.c_int64 * max(1, len(values)))(*values)
        size, alignment = self._need(ctypes.addressof(dims)), self.interface.alignment
        if size == _NEVER:
            raise self._refused(values)
        room = np.empty(size + alignment, np.uint8)
        skip = -room.ctypes.data % alignment
        workspace = room[skip : skip + size]
        more = [] if self._weights is None else [self._weights.ctypes.data]
        more += [self.stamps.ctypes.data] if self.stamps.size else []
        ins, outs = (
            (ctypes.c_void_p * (len(self.inputs) + len(more) + 1))(),
            (ctypes.c_void_p * max(1, len(self.outputs)))(),
        )
        for i, address in enumerate(more):
            ins[len(self.inputs) + i] = address
        table = ctypes.addressof(dims) if values else None
        given = dict(zip(self.dimensions, values, strict=True))
        shapes = [_sizes(s, given) for _, _, s in self.inputs], [_sizes(s, given) for _, _, s in self.outputs]
        return _Frame(
            shapes,
            workspace,
            ins,
            outs,
            dims,
            (ctypes.addressof(ins), ctypes.addressof(outs), table, workspace.ctypes.data, size, self._parallel),
        )

    def _refused(self, values: tuple[int, ...]) -> ConversionError:
        """Which sizes do not fit, the inputs that told them, and the node that needs them to."""
        given = dict(zip(self.dimensions, values, strict=True))
        axes = dict(zip(self.dimensions, self._told_by, strict=True))
        told = [f"{n} = {v} (axis {axes[n][1]} of input {axes[n][0]!r})" for n, v in given.items()]
        message = f"{self.interface.entry} does not take these dimensions: {', '.join(told)}"
        reason = broken_rule(self.interface.ranges, self.interface.conditions, given)
        return ConversionError(Code.VerificationImpossible, f"{message}: {reason}" if reason else message)

    def run(self, inputs: Mapping[str, npt.ArrayLike], out: Mapping[str, Array] | None = None) -> dict[str, Array]:
        """{input name: array} to {output name: array}; types and shapes must be the model's own.  Of a name like `x:0`,
        `x` is enough.  out: arrays that outputs are written to, for those that have one; none may be an input too.

        An input that stands for a variable may be left out: it is what the last call gave, as of now, or what the model
        begins with (`reset`).  Such calls run one at a time; one that fails changes no variable.

        Raises ConversionError NameNotFound, ShapeMismatch, TypeMismatch; ExternalDataInvalid, FileDamaged when initial
        values of variables are needed and not there; VerificationImpossible when the object reports an error.
        """
        if self._first_outputs:
            inputs = {self._first_outputs.get(name, name): array for name, array in inputs.items()}
        if not self.variables.left_out(inputs):
            return self._run(inputs, out)
        with self._stepping:
            results = self._run(self.variables.with_values(inputs), out)
            self.variables.keep(results)
        return results

    def reset(self) -> None:
        """Variables are again what the model begins with.  Raises ConversionError ExternalDataInvalid, FileDamaged."""
        with self._stepping:
            self.variables.reset()

    def _run(self, inputs: Mapping[str, npt.ArrayLike], out: Mapping[str, Array] | None) -> dict[str, Array]:
        values = self._values(inputs) if self.dimensions else ()
        idle = self._frames(values)
        try:
            frame = idle.pop()
        except IndexError:
            frame = self._frame(values)
        held, results = [], {}
        for i, (name, dtype, _) in enumerate(self.inputs):
            array, shape = inputs.get(name), frame.shapes[0][i]
            if not (
                isinstance(array, np.ndarray)
                and array.dtype == dtype
                and array.shape == shape
                and array.flags.c_contiguous
            ):
                array = self._checked(inputs, name, dtype, shape)
            held.append(array)  # a mapping may make arrays anew, as an .npz does
            frame.inputs[i] = _place(array)
        for i, (name, dtype, _) in enumerate(self.outputs):
            shape = frame.shapes[1][i]
            given = None if out is None else out.get(name)
            array = self._results[i].array(shape, dtype) if given is None else _written(given, name, dtype, shape)
            results[name] = array
            frame.outputs[i] = _place(array)
        code = self._call(*frame.arguments)
        idle.append(frame)
        if code:
            reason = next((k for k, v in self.interface.errors.items() if v == code), "unknown")
            why = _WHY.get(reason, "").format(cpu=self.interface.cpu)
            message = f"{self.interface.entry} returned the error {code} ({reason}){why}"
            raise ConversionError(Code.VerificationImpossible, message)
        return self._cut(results) if self._sized else results

    def _cut(self, results: dict[str, Array]) -> dict[str, Array]:
        """Outputs whose sizes data decide, as far as they hold numbers; what has their shapes is left out."""
        names = [name for name, _, _ in self.outputs]
        for name, i in self._sized:
            array, shape = results[name], tuple(results[names[i]].tolist())
            if shape and shape[1:] == array.shape[1:]:
                results[name] = array[: shape[0]]
            else:
                results[name] = array.reshape(-1)[: math.prod(shape)].reshape(shape)
        for i in {i for _, i in self._sized}:
            del results[names[i]]
        return results

    def _frames(self, values: tuple[int, ...]) -> list[_Frame]:
        """Frames that nobody uses, of calls with these sizes; those of the last few sizes are kept."""
        frames = self._idle.get(values)
        if frames is None:
            with self._lock:
                while len(self._idle) >= _KEPT:
                    self._idle.pop(next(iter(self._idle)))
                frames = self._idle.setdefault(values, [])
        return frames

    def _values(self, inputs: Mapping[str, npt.ArrayLike]) -> tuple[int, ...]:
        """Sizes that are known now, by the shapes of the inputs.  Raises ConversionError NameNotFound,
        ShapeMismatch.
        """
        try:
            return tuple([np.shape(inputs[name])[axis] for name, axis in self._told_by])
        except KeyError as e:
            raise ConversionError(
                Code.NameNotFound, f"missing input {e}; the model's inputs are {[n for n, _, _ in self.inputs]}"
            ) from e
        except IndexError as e:
            raise ConversionError(
                Code.ShapeMismatch,
                f"an input has too few axes; the model takes {[(n, [str(d) for d in s]) for n, _, s in self.inputs]}",
            ) from e

    def _tellers(self) -> list[tuple[str, int]]:
        """The input and the axis that tell each size.  Raises ConversionError ShapeMismatch for one that none tells."""
        axes = {
            size.name: (name, axis)
            for name, _, sizes in reversed(self.inputs)
            for axis, size in enumerate(sizes)
            if isinstance(size, Dim)
        }
        missing = [d for d in self.dimensions if d not in axes]
        if missing:
            raise ConversionError(Code.ShapeMismatch, f"the shapes of the inputs do not tell {', '.join(missing)}")
        return [axes[d] for d in self.dimensions]

    def _checked(
        self, inputs: Mapping[str, npt.ArrayLike], name: str, dtype: np.dtype[Any], shape: tuple[int, ...]
    ) -> Array:
        if name not in inputs:
            raise ConversionError(
                Code.NameNotFound, f"missing input {name!r}; the model's inputs are {[n for n, _, _ in self.inputs]}"
            )
        array = np.ascontiguousarray(inputs[name]).reshape(np.shape(inputs[name]))
        if array.dtype != dtype:
            raise ConversionError(Code.TypeMismatch, f"input {name} is {array.dtype}, the model takes {dtype}")
        if array.shape != shape:
            raise ConversionError(
                Code.ShapeMismatch, f"input {name} has shape {list(array.shape)}, the model takes {list(shape)}"
            )
        return array


def _place(array: Array) -> int:
    """The address of an array's elements.  numpy's own way to tell it takes six times as long."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # it is not to be written, or has no elements
        address: int = array.__array_interface__["data"][0]
        return address


def _written(array: Array, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """An array that an output can be written to.  Raises ConversionError TypeMismatch, ShapeMismatch."""
    if array.dtype != dtype or not (array.flags.c_contiguous and array.flags.writeable):
        kind = f"{array.dtype}{'' if array.flags.c_contiguous else ', not contiguous'}"
        message = f"the array for output {name} is {kind}, it takes a contiguous one of {dtype} to write to"
        raise ConversionError(Code.TypeMismatch, message)
    if array.shape != shape:
        raise ConversionError(
            Code.ShapeMismatch, f"the array for output {name} has shape {list(array.shape)}, it takes {list(shape)}"
        )
    return array


def _sizes(shape: tuple[Size, ...], given: dict[str, int]) -> tuple[int, ...]:
    """A shape in numbers."""
    return tuple(n for n in (substitute(d, given) for d in shape) if isinstance(n, int))


def _engine() -> _Engine:
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
    engine: _Engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(""), machine, use_lmm=True if sys.platform.startswith("linux") else None
    )
    return engine


def _load(engine: _Engine, path: str, prefix: str) -> None:
    """Link an object.  Its weights are read into their place: the linker would copy them twice."""
    from llvmlite import binding as llvm

    from mlconv.codegen.objects.elf import hollow, with_room
    from mlconv.codegen.objects.objects import WEIGHTS_SECTION

    symbol = f"{prefix}_weights"
    found = hollow(path, WEIGHTS_SECTION["elf"], symbol)
    image = _read(path) if found is None else found.image
    if image[:5] == b"\x7fELF\x02":
        image = with_room(image, _ROOM)
    engine.add_object_file(llvm.ObjectFileRef.from_data(image))
    engine.finalize_object()
    if found is not None:
        address = engine.get_global_value_address(symbol)
        _in_large_pages(address, found.size)
        place = (ctypes.c_char * found.size).from_address(address)
        with open(path, "rb", buffering=0) as f:
            f.seek(found.offset)
            _read_all(f, memoryview(place).cast("B"))


def _in_large_pages(address: int, size: int) -> None:
    """Ask Linux for large pages in the place of those that are there, whose contents go: weights that are read once
    for each call come faster by them.  It may decline.
    Source: madvise(2), MADV_HUGEPAGE and MADV_DONTNEED.
    """
    if not sys.platform.startswith("linux"):
        return
    begin = -(-address // _LARGE_PAGE) * _LARGE_PAGE
    length = (address + size) // _LARGE_PAGE * _LARGE_PAGE - begin
    if length > 0:
        for advice in (_HUGEPAGE, _DONTNEED):
            ctypes.CDLL(None).madvise(ctypes.c_void_p(begin), ctypes.c_size_t(length), advice)


def _read(path: str) -> bytes:
    with open(path, "rb") as f:
        return f.read()


def _read_all(f: io.FileIO, into: memoryview) -> None:
    """Fill a buffer.  Raises ConversionError FileDamaged at the end of the file."""
    done = 0
    while done < len(into):
        n = f.readinto(into[done:])
        if not n:
            raise ConversionError(Code.FileDamaged, "the object ends before its weights do")
        done += n


def _address(engine: _Engine, path: str, function: str) -> int:
    """Raises ConversionError FileDamaged where the object has no such function: a call would end the process."""
    address = engine.get_function_address(function)
    if not address:
        raise ConversionError(Code.FileDamaged, f"{path} has no function {function}, which its model interface names")
    return address


def _mapped(path: str, weights: Weights | None) -> Array | None:
    """The weights beside an object, unread until they are used.  Raises ConversionError InputNotReadable."""
    if weights is None:
        return None
    name = os.path.join(os.path.dirname(path), weights.file)
    try:
        with open_regular(name) as f:
            mapped = np.memmap(f, np.uint8, "r")
    except (OSError, ValueError) as e:
        raise ConversionError(Code.InputNotReadable, f"{name}, the weights of {path}, cannot be read: {e}") from e
    if mapped.nbytes != weights.nbytes:
        raise ConversionError(Code.InputNotReadable, f"{name} has {mapped.nbytes} bytes, {path} needs {weights.nbytes}")
    return mapped


def check_code(path: str, interface: NativeInterface) -> None:
    """The object is what was written with its model interface: the linker ends the process over one that is not.
    Raises ConversionError FileDamaged.
    """
    with open(path, "rb") as f:
        found = f.read(interface.code_bytes)
    if len(found) != interface.code_bytes or zlib.crc32(found) != interface.code_crc32:
        raise ConversionError(
            Code.FileDamaged, f"{path} is damaged, or not the object that its model interface was written with"
        )


def _check_symbols(path: str, symbols: list[str]) -> None:
    """The process has what the object takes from elsewhere; to be asked for once there is an engine.  Raises
    ConversionError VerificationImpossible.
    """
    from llvmlite import binding as llvm

    missing = [s for s in symbols if llvm.address_of_symbol(s) is None]
    if missing:
        raise ConversionError(
            Code.VerificationImpossible, f"{path} needs {', '.join(missing)}, which this process does not have"
        )


def load_native(
    path: str | os.PathLike[str],
    threads: int = 1,
    libraries: Sequence[str | os.PathLike[str]] = (),
    traced: bool = False,
) -> NativeModel:
    """Load `model.o` with the `model.io.json` beside it.  threads: of each call, the calling one among them.
    libraries: shared libraries with functions that the object calls, asked before those that its interface names.
    traced: threads note when they work, in `trace`.

    Raises ConversionError: InputNotReadable when either is missing, FileDamaged when one of them is damaged or they do
    not belong together, VerificationImpossible when this machine cannot run it, ForeignUnavailable where a function of
    another library is missing.
    """
    from llvmlite import binding as llvm

    name = os.fspath(path)
    where = interface_path(name)
    try:
        facts = json.loads(read_text(where))
        open_regular(name).close()
    except (OSError, ValueError, RecursionError) as e:
        raise ConversionError(Code.InputNotReadable, f"{name} cannot be loaded with its interface {where}: {e}") from e
    interface = parse_interface(facts, where)
    here = llvm.get_process_triple().split("-")[0]
    if interface.triple.split("-")[0] != here:
        raise ConversionError(Code.VerificationImpossible, f"{name} is for {interface.triple}, this machine is {here}")
    return NativeModel(name, interface, threads, [os.fspath(one) for one in libraries], traced)


def interface_path(path: str) -> str:
    """`model.o` to `model.io.json`."""
    return os.path.splitext(path)[0] + ".io.json"

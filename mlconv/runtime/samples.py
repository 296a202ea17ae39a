"""Samples to calibrate or evaluate with: arrays whose first axis counts samples, mapped and not read until they are
used; images; or what a Python function gives.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import length_hint
from typing import IO, TypeAlias, Union, cast

import numpy as np
from numpy.lib import format as npy

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.text import amount
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function
from mlconv.runtime.arrays import MAX_BYTES
from mlconv.runtime.casting import as_type
from mlconv.runtime.images import IMAGE_SUFFIXES, ImageForm, files_in, read_image
from mlconv.runtime.inputs import random_inputs
from mlconv.runtime.own_functions import function_at, iterable
from mlconv.runtime.places import Lookups
from mlconv.runtime.ports import port_of

Sample: TypeAlias = Mapping[str, Array]
Given: TypeAlias = Union[Sample, Array, Sequence[Array]]
"""A sample: arrays by input name, that of the first input, or those of all in their order."""
Source: TypeAlias = Union[Iterable[Given], Callable[[], Iterable[Given]], Sample]


RANDOM = re.compile(r"random(?::([1-9][0-9]{0,8})(?::([0-9]{1,9}))?)?")
"""Samples that are drawn, and not read."""
_DRAWN = 16  # samples, where their number is not given


class Samples:
    """Runs of a function, again and again: arrays by input name, of the function's types, with as many samples each as
    its batch has, one where the batch is open.
    """

    def __init__(
        self,
        function: Function,
        source: Callable[[], Iterable[Mapping[str, Array]]],
        what: str,
        count: int = 0,
        labels: Sequence[str] = (),
        is_drawn: bool = False,
    ) -> None:
        """source: gives samples by input name, without an axis for the batch, or with one where all samples of an input
        have it.  what: names the source in errors.  count: of samples, 0 where it is not known.
        labels: names of arrays that runs have, too, as they are, where samples have them.
        What samples do not say of variables is what the model begins with.  is_drawn: numbers are nobody's, and what is
        looked up with them is not checked.

        on_rest: is told how many samples at the end fill no run, and are left out.
        """
        self.function, self.source, self.what, self.count = function, source, what, count
        self.labels = [name for name in labels if name not in function.input_names]
        self.lookups = None if is_drawn else Lookups(function)
        self.initial = {slot.input: slot.initial for slot in function.facts.state.values()}
        self.on_rest: Callable[[int], None] = lambda left: None

    def __length_hint__(self) -> int:
        """How many runs there are, where that is known."""
        return self.count // batch_of(self.function)

    def __iter__(self) -> Iterator[dict[str, Array]]:
        """Raises ConversionError CalibrationMissing where samples do not fill one run, ShapeMismatch for places
        beyond a table.
        """
        batch, runs = batch_of(self.function), 0
        held: list[dict[str, Array]] = []
        for i, sample in enumerate(self.source()):
            fitted = {v.name: self._fitted(v, sample) for v in self.function.inputs if self._is_given(v.name, sample)}
            is_whole = batch > 1 and all(array.shape[:1] == (batch,) for array in fitted.values())
            fitted |= {name: _array(sample[name], f"{self.what}: {name!r}") for name in self.labels if name in sample}
            if is_whole:
                runs += 1
                yield self._checked(fitted, f"sample {i}")
                continue
            held.append(fitted)
            if len(held) == batch:
                runs += 1
                which = f"sample {i}" if batch == 1 else f"one of the samples to {i}"
                yield self._checked(_joined(held, self.function), which)
                held = []
        if held and not runs:
            raise ConversionError(
                Code.CalibrationMissing,
                f"{self.what} holds {amount(len(held), 'sample')}, and the model takes {batch} in a run",
                help="give more samples, or pin a smaller batch with --shape",
            )
        if held:
            self.on_rest(len(held))

    def _is_given(self, name: str, sample: Mapping[str, Array]) -> bool:
        return name not in self.initial or bool({name, name.removesuffix(":0")} & sample.keys())

    def _checked(self, sample: dict[str, Array], which: str) -> dict[str, Array]:
        """A run, with what variables begin with.  Raises ConversionError ShapeMismatch for places beyond a table."""
        found = {name: value.view() for name, value in self.initial.items() if name not in sample} | sample
        if self.lookups is not None:
            self.lookups.check(found, f"{self.what}: {which}, counted from 0,")
        return found

    def _fitted(self, value: Value, sample: Mapping[str, Array]) -> Array:
        """An array of an input's type.  Raises ConversionError NameNotFound, ShapeMismatch, TypeMismatch."""
        name = value.name if value.name in sample else value.name.removesuffix(":0")
        if name not in sample:
            listed = ", ".join(map(str, sample)) or "none"
            raise ConversionError(
                Code.NameNotFound, f"{self.what} has no samples for input {value.name!r}; it has {listed}"
            )
        array, rank = _array(sample[name], f"{self.what}: a sample for input {value.name!r}"), value.tensor.rank or 0
        if array.ndim == rank - 1:
            array = array[None]
        self._check_shape(value, array)
        return as_type(array, value.tensor.dtype, f"{self.what}: input {value.name!r}")

    def _check_shape(self, value: Value, array: Array) -> None:
        wanted = value.tensor.shape or ()
        sizes = array.shape[1:] if len(wanted) and array.ndim == len(wanted) else array.shape
        fits = array.ndim == len(wanted) and all(
            not isinstance(d, int) or d == n for d, n in zip(wanted[1:], sizes, strict=False)
        )
        if not fits:
            raise ConversionError(
                Code.ShapeMismatch,
                f"{self.what}: a sample for input {value.name!r} has shape {list(array.shape)}, "
                f"the model takes [{', '.join(map(str, wanted))}]",
                help="samples lie along the first axis of an array; the axes behind it are those of the input",
            )


def batch_of(function: Function) -> int:
    """How many samples a run takes: the size of the first axis of all inputs, where it is one number."""
    states = _states(function)
    found = {(v.tensor.shape or (1,))[0] for v in function.inputs if v.name not in states}
    (first,) = found if len(found) == 1 else (1,)
    return first if isinstance(first, int) and first > 0 else 1


def _states(function: Function) -> set[str]:
    """Inputs that stand for variables."""
    return {slot.input for slot in function.facts.state.values()}


def _joined(held: Sequence[Mapping[str, Array]], function: Function) -> dict[str, Array]:
    if len(held) == 1:
        return dict(held[0])
    own = {v.name: np.concatenate([sample[v.name] for sample in held]) for v in function.inputs if v.name in held[0]}
    return own | {name: np.stack([sample[name] for sample in held]) for name in held[0] if name not in own}


def read_samples(path: str, function: Function, images: ImageForm, labels: Sequence[str] = ()) -> Samples:
    """path: an .npz with an array for each input by name, an .npy for one input, a folder of such files and of images,
    or `module:function`, which gives an iterable of {input name: array}, or of arrays for one input.  labels: as
    `Samples` takes them.  Raises ConversionError InputNotReadable.
    """
    if not os.path.exists(path) and ":" in path:
        own = function_at(path)
        return Samples(function, lambda: _named(own.each(), function, path, labels), path, labels=labels)
    if not os.path.exists(path):
        raise ConversionError(
            Code.InputNotReadable,
            f"cannot read {path}: no such file or folder",
            help="give an .npz or .npy, a folder of these or of images, or module:function",
        )
    names = sorted(function.input_names, key=_states(function).__contains__)
    needed = [name for name in names if name not in _states(function)]
    if os.path.isdir(path):
        files = files_in(path, (".npz", ".npy", *IMAGE_SUFFIXES))
        if not files:
            raise ConversionError(Code.InputNotReadable, f"{path} holds no .npz, .npy, .png or .jpg file")
        return Samples(function, lambda: _of_files(files, function, names, needed, images, labels), path, labels=labels)
    arrays = _arrays(path, names, needed, labels)
    count = min((len(array) for array in arrays.values() if array.ndim), default=0)
    return Samples(function, lambda: _along_first(arrays, path), path, count, labels)


def random_samples(text: str, function: Function) -> Samples:
    """Samples that are drawn: floats standard normal, integers 0 or 1; sizes that are open are 2, or near it.  text:
    `random`, `random:N` or `random:N:SEED`.  Raises ConversionError UsageError.
    """
    match = RANDOM.fullmatch(text)
    if match is None:
        raise ConversionError(Code.UsageError, f"{text!r} is not random:N, or random:N:SEED")
    count, seed, states = int(match.group(1) or _DRAWN), int(match.group(2) or 0), _states(function)

    def draw() -> Iterator[Mapping[str, Array]]:
        for i in range(count):
            drawn = random_inputs(function, (seed << 32) + i)
            yield {name: array for name, array in drawn.items() if name not in states}

    return Samples(function, draw, text, count * batch_of(function), is_drawn=True)


class Kept:
    """What an iterator gives, which can be gone over once: again each time.  It asks for no more than is asked of it,
    and holds on to that.
    """

    def __init__(self, source: Iterator[Sample]) -> None:
        self._rest, self._seen = source, list[Sample]()

    def __iter__(self) -> Iterator[Sample]:
        i = 0
        while i < len(self._seen) or self._goes_on():
            yield self._seen[i]
            i += 1

    def __length_hint__(self) -> int:
        return len(self._seen) + length_hint(self._rest)

    def _goes_on(self) -> bool:
        following = list(islice(self._rest, 1))
        self._seen += following
        return bool(following)


def given_samples(source: Source, function: Function, what: str, labels: Sequence[str] = ()) -> Samples:
    """Samples that a caller has: an iterable that can be gone over again, a function that gives one, or arrays by input
    name with samples along their first axes.  what, labels: as `Samples` takes them.
    """
    if isinstance(source, Mapping):
        arrays = {name: _array(array, f"{what}: {name!r}") for name, array in source.items()}
        count = min((len(array) for array in arrays.values() if array.ndim), default=0)
        return Samples(function, lambda: _along_first(arrays, what), what, count, labels)
    give = source if callable(source) else lambda: source
    count = length_hint(iterable(source, what)) if not callable(source) else 0
    return Samples(function, lambda: _named(iterable(give(), what), function, what, labels), what, count, labels)


def _named(found: Iterable[Given], function: Function, what: str, labels: Sequence[str]) -> Iterator[Sample]:
    """Samples by input name: of arrays in a row, those of the inputs in their order, with or without those of labels
    behind them.
    """
    states = _states(function)
    names = [name for name in function.input_names if name not in states]
    for sample in found:
        if isinstance(sample, Mapping):
            yield sample
        elif isinstance(sample, (list, tuple)) and sample and all(hasattr(part, "shape") for part in sample):
            yield dict(zip(_names_of(sample, names, labels, what), sample, strict=True))
        else:
            yield {function.input_names[0]: cast(Array, sample)}


def _names_of(sample: Sequence[Array], names: Sequence[str], labels: Sequence[str], what: str) -> Sequence[str]:
    """Raises ConversionError ShapeMismatch where there are more or fewer."""
    for known in (names, [*names, *labels]):
        if len(sample) == len(known):
            return known
    raise ConversionError(
        Code.ShapeMismatch,
        f"{what}: a sample is a {type(sample).__name__} of {len(sample)} arrays, the inputs are {', '.join(names)}",
        help="give arrays of the inputs alone, in their order, or a dictionary of them by name",
    )


def _array(given: Array, what: str) -> Array:
    """What a caller has as an array.  Raises ConversionError TypeMismatch."""
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ConversionError(Code.TypeMismatch, f"{what} is {type(given).__name__}, no array: {error}") from error
    if array.dtype.hasobject:
        raise ConversionError(Code.TypeMismatch, f"{what} is {type(given).__name__}, no array of numbers")
    return array


def _of_files(
    files: Sequence[str],
    function: Function,
    names: Sequence[str],
    needed: Sequence[str],
    images: ImageForm,
    labels: Sequence[str],
) -> Iterator[Mapping[str, Array]]:
    for name in files:
        if name.lower().endswith(IMAGE_SUFFIXES):
            first = next(v for v in function.inputs if v.name == names[0])
            yield {names[0]: read_image(name, port_of(names[0], first), images)}
        else:
            yield from _along_first(_arrays(name, names, needed, labels), name)


def _along_first(arrays: Mapping[str, Array], path: str) -> Iterator[Mapping[str, Array]]:
    """Raises ConversionError ShapeMismatch where inputs have other numbers of samples."""
    counts = {name: array.shape[0] if array.ndim else 0 for name, array in arrays.items()}
    if len(set(counts.values())) > 1:
        raise ConversionError(Code.ShapeMismatch, f"{path} has {counts} samples: expected as many for each input")
    for i in range(min(counts.values(), default=0)):
        yield {name: array[i] for name, array in arrays.items()}


def _arrays(path: str, names: Sequence[str], needed: Sequence[str], labels: Sequence[str]) -> dict[str, Array]:
    """Mapped arrays by input name, and those of labels that there are.  needed: of the names.  Raises ConversionError
    InputNotReadable, NameNotFound.
    """
    try:
        if path.endswith(".npy"):
            with open(path, "rb") as f:
                return {names[0]: _mapped(f, path, path)}
        with zipfile.ZipFile(path) as archive:
            held = [info.filename.removesuffix(".npy") for info in archive.infolist()]
            found = {
                info.filename.removesuffix(".npy"): _member(archive, info, path)
                for info in archive.infolist()
                if info.filename.removesuffix(".npy") in {*_either(names), *labels}
            }
    except (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        raise ConversionError(Code.InputNotReadable, f"{path} is not a readable .npz or .npy: {error}") from error
    missing = [name for name in needed if not {name, name.removesuffix(":0")} & found.keys()]
    if missing:
        raise ConversionError(
            Code.NameNotFound,
            f"{path} has no array for {', '.join(missing)}; it holds {', '.join(sorted(held)) or 'none'}",
        )
    return found


def _either(names: Sequence[str]) -> set[str]:
    return {*names, *(name.removesuffix(":0") for name in names)}


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str) -> Array:
    """An array of an archive: unpacked into a file that is gone with it, so that memory need not hold it."""
    if info.file_size > MAX_BYTES:
        raise ConversionError(Code.InputNotReadable, f"{path} has an array of {info.file_size} bytes")
    with archive.open(info) as packed:
        if info.compress_type == zipfile.ZIP_STORED:
            with open(path, "rb") as f:
                f.seek(_data_of(f, info))
                return _mapped(f, path, path)
        with tempfile.NamedTemporaryFile(prefix="mlconv-") as unpacked:
            shutil.copyfileobj(packed, unpacked)
            unpacked.seek(0)
            return _mapped(unpacked, unpacked.name, path)


def _data_of(f: IO[bytes], info: zipfile.ZipInfo) -> int:
    """Where a stored member's bytes begin.  Source: PKWARE APPNOTE.TXT, 4.3.7, "Local file header"."""
    f.seek(info.header_offset)
    header = f.read(30)
    if len(header) != 30 or header[:4] != b"PK\3\4":
        raise ValueError(f"{info.filename} has no local header")
    return info.header_offset + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")


def _mapped(f: IO[bytes], name: str, path: str) -> Array:
    """The array that begins where a file stands.  Raises ConversionError InputNotReadable, ValueError."""
    version = npy.read_magic(f)
    if version not in ((1, 0), (2, 0)):
        raise ConversionError(Code.InputNotReadable, f"{path} has an array of version {version} of the npy format")
    shape, fortran, dtype = (npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0)(f)
    if dtype.hasobject:
        raise ConversionError(Code.InputNotReadable, f"{path} has an array of Python objects")
    if 0 in shape:
        return np.zeros(shape, dtype)
    return np.memmap(name, dtype, "r", f.tell(), shape, "F" if fortran else "C")

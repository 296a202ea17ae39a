"""What runs of a model on samples found, in a file: another run takes it in place of samples.

The file is one of safetensors: its metadata have `format`, `version` and `samples`; a tensor `STAGE/I/KEY` is the I-th
array of what was found of a value, or of an op.  Stages are `ranges` (least and largest numbers, for each channel or
for all, of the model as it is), and of each state of the model (`plain`, `equalized`: channels were brought to like
ranges; `limited`: with the limits that the model has; `stored`: channels of weights to like sizes) `ranges-STATE` (of
values that changed), `undone-STATE` (1 for a value whose channels stay, since outputs would change), `moments-STATE`
(sums of x' x, and of x, behind which stands a 1), `counts-STATE` (how often numbers were in each bin, as `bins.py` has
them), `losses-STATE` (of outputs, by the way to choose ranges) and `made-up-STATE-DIGEST` (as `made_up.py` has it; of a
scheme and rules).  KEY is the name of a node, the op, and how many of these come before it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.atomic import check_target, replacing
from mlconv.formats.files import open_regular
from mlconv.formats.run_files import RunFiles
from mlconv.formats.safetensors import Described, Tensors, head_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.module import Function
from mlconv.provenance.locations import first_name, frames

PURPOSE = "what calibration found"
_FORMAT, _VERSION = "mlconv calibration", "2"
_KINDS: dict[str, np.dtype[Any]] = {"f32": np.dtype("<f4"), "f64": np.dtype("<f8"), "i64": np.dtype("<i8")}
_NAMES = {np.dtype("<f4"): "F32", np.dtype("<f8"): "F64", np.dtype("<i8"): "I64"}
_MOST_SAMPLES = 1 << 53
_LONGEST_HEAD = 1 << 27
_AGAIN = "calibrate this model with samples, with the scheme and options that are asked for now, and save that"


@dataclass
class Findings:
    """samples: that were run.  arrays: of a value or an op, by stage and key.  path: of the file; empty for a run that
    goes on.
    """

    samples: int = 0
    arrays: dict[tuple[str, str], list[Array]] = field(default_factory=dict)
    path: str = ""

    def add(self, stage: str, key: str, found: Sequence[Array]) -> None:
        self.arrays[stage, key] = list(found)

    def of(self, stage: str, key: str) -> list[Array]:
        """Raises ConversionError CalibrationUnfit for what the file does not have."""
        found = self.arrays.get((stage, key))
        if found is None:
            known = sorted({name for _, name in self.arrays})
            others = f"it was saved for a model with {', '.join(map(repr, known[:3]))} and others"
            raise ConversionError(
                Code.CalibrationUnfit,
                f"{self.path} has no {stage} of {key!r}, which are needed now",
                help=_AGAIN,
                notes=(others,) if known and key not in known else (),
            )
        return found

    def check(self, key: str, arrays: Sequence[Array], allowed: Sequence[Sequence[tuple[int, ...]]]) -> None:
        """allowed: shapes that each array may have.  Raises ConversionError CalibrationUnfit."""
        if len(arrays) != len(allowed):
            self.refuse(key, f"there are {len(arrays)} arrays, expected {len(allowed)}")
        for array, shapes in zip(arrays, allowed, strict=True):
            if array.shape not in shapes:
                listed = " or ".join(str(list(shape)) for shape in shapes)
                self.refuse(key, f"they have shape {list(array.shape)}, those of this model have {listed}")

    def refuse(self, key: str, why: str) -> NoReturn:
        """Raises ConversionError CalibrationUnfit."""
        raise ConversionError(Code.CalibrationUnfit, f"{self.path}: numbers of {key!r}: {why}", help=_AGAIN)

    def write(self, path: str, files: RunFiles | None) -> None:
        """Raises ConversionError OutputNotWritable."""
        names = {f"{stage}/{i}/{key}": a for (stage, key), found in self.arrays.items() for i, a in enumerate(found)}
        arrays = {name: np.asarray(a, np.asarray(a).dtype.newbyteorder("<"), order="C") for name, a in names.items()}
        tensors = {name: Described(_NAMES[a.dtype], a.shape, a.nbytes) for name, a in arrays.items()}
        check_target(Path(path), files, PURPOSE)
        with replacing(Path(path)) as out:
            out.write(head_of(tensors, {"format": _FORMAT, "version": _VERSION, "samples": str(self.samples)}))
            out.writelines(a.tobytes() for a in arrays.values())


def is_saved(path: str) -> bool:
    """The file begins as one of findings does."""
    try:
        with open_regular(path) as f:
            head = f.read(9)
            length = struct.unpack("<Q", head[:8])[0] if len(head) == 9 else 0
            if head[8:] != b"{" or not 0 < length <= _LONGEST_HEAD:
                return False
            f.seek(8)
            return _FORMAT.encode() in f.read(length)
    except OSError:
        return False


def read_findings(path: str) -> Findings:
    """Raises ConversionError FileDamaged, VersionUnsupported, ConstantInvalid."""
    tensors = Tensors(path)
    about = tensors.table.get("__metadata__")
    about = about if isinstance(about, dict) else {}
    if about.get("format") != _FORMAT or about.get("version") != _VERSION:
        raise ConversionError(
            Code.VersionUnsupported, f"{path} is of version {about.get('version')!r}, expected {_VERSION}"
        )
    samples = str(about.get("samples"))
    if not (samples.isascii() and samples.isdecimal() and len(samples) < 17 and 0 < int(samples) < _MOST_SAMPLES):
        raise ConversionError(Code.FileDamaged, f"{path} was found with {samples!r} samples")
    found = Findings(int(samples), {}, path)
    with open_regular(path) as f:
        for name in tensors.table:
            if name == "__metadata__":
                continue
            stage, _, rest = name.partition("/")
            number, _, key = rest.partition("/")
            known = found.arrays.setdefault((stage, key), [])
            if number != str(len(known)):
                raise ConversionError(Code.FileDamaged, f"{path}: the tensor {name!r} is not in its place")
            known.append(_array(tensors, name, f))
    return found


def _array(tensors: Tensors, name: str, file: BinaryIO) -> Array:
    """Ranges may be of masks, whose numbers are infinite: those that are used are looked at where they are used.

    Raises ConversionError FileDamaged, ConstantInvalid for sizes that do not fit.
    """
    entry = tensors[name]
    dtype = _KINDS.get(entry.kind)
    if dtype is None or len(entry.shape) > 3 or math.prod(entry.shape) * dtype.itemsize != entry.nbytes:
        raise ConversionError(
            Code.FileDamaged, f"{tensors.path}: {name!r} has {entry.nbytes} bytes of {entry.kind} {list(entry.shape)}"
        )
    file.seek(entry.begin)
    data = file.read(entry.nbytes)
    if len(data) != entry.nbytes:
        raise ConversionError(Code.FileDamaged, f"{tensors.path} ends within {name!r}")
    array = np.frombuffer(data, dtype).reshape(entry.shape)
    if not name.startswith("ranges") and not np.isfinite(array).all():
        raise ConversionError(Code.FileDamaged, f"{tensors.path}: {name!r} has numbers that are not finite")
    return array


def keys_of(function: Function) -> dict[Value | Op, str]:
    """Names of values and ops that another run of the same model finds again."""
    found: dict[Value | Op, str] = {v: f"input {v.name}" for v in function.inputs}
    seen: dict[str, int] = {}
    for op in walk(function.block):
        place = next((f"{frame.file}:{frame.line}" for frame in frames(op.location)), "")
        base = f"{first_name(op.location) or place} {op.name}".strip()
        count = seen[base] = seen.get(base, 0) + 1
        key = base if count == 1 else f"{base} {count}"
        found[op] = key
        found.update({v: key if len(op.results) == 1 else f"{key} result {i}" for i, v in enumerate(op.results)})
        for region in op.regions:
            found.update({v: f"{key} argument {i}" for i, v in enumerate(region.block.arguments)})
    return found

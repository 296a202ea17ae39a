"""Schemes: what is stored and computed in how many bits.

Source: TFLite 8-bit quantization specification; ai-edge-quantizer's policies; ONNX Runtime, quantization of
transformers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.dtypes import DType

BLOCKS = (32, 64, 128, 256)
GRANULARITIES = ("channel", "tensor", *map(str, BLOCKS))


@dataclass(frozen=True, slots=True)
class Scheme:
    """activations: integers that numbers between ops are rounded to by ranges that calibration finds, or floats that
    factors of products are rounded to; None leaves them as they are.  weights: what weights of products are stored as,
    None as they are.  dynamic: activations are rounded row by row when the model runs.  interface: integers of the
    model's inputs and outputs, None leaves them floats.  block: weights that one scale is for, 0 for all of an output
    channel; -1 for all of the tensor.
    """

    name: str
    activations: DType | None = None
    weights: DType | None = None
    dynamic: bool = False
    interface: DType | None = None
    block: int = 0

    @property
    def is_static(self) -> bool:
        """Ranges must be known before the model runs."""
        return self.activations is not None and self.activations.is_int

    @property
    def rounds(self) -> bool:
        """Numbers become integers: channels of like ranges lose less."""
        return self.weights is not None and self.weights.is_int

    @property
    def bits(self) -> int:
        """Of an integer weight."""
        return 32 if self.weights is None else self.weights.bits

    @property
    def granularity(self) -> str:
        """What one scale of weights is for, as `with_granularity` takes it."""
        return {0: "channel", -1: "tensor"}.get(self.block, str(self.block))

    def with_granularity(self, text: str) -> Scheme:
        """`channel`, `tensor`, or the size of a block.  Raises ConversionError UsageError."""
        if text not in GRANULARITIES:
            raise ConversionError(
                Code.UsageError, f"granularity is {text!r}, expected one of {', '.join(GRANULARITIES)}"
            )
        if text.isdigit() and (self.is_static or not self.rounds):
            raise ConversionError(
                Code.UsageError,
                f"scheme {self.name} has no weights with scales in blocks",
                help="blocks are for dynamic-range, int8-weights and int4",
            )
        return replace(self, block={"channel": 0, "tensor": -1}.get(text) or (int(text) if text.isdigit() else 0))


_ALL = (
    Scheme("int8", DType.I8, DType.I8),
    Scheme("int8-io-int8", DType.I8, DType.I8, interface=DType.I8),
    Scheme("int8-io-uint8", DType.I8, DType.I8, interface=DType.U8),
    Scheme("int16x8", DType.I16, DType.I8),
    Scheme("dynamic-range", None, DType.I8, dynamic=True),
    Scheme("int8-weights", None, DType.I8),
    Scheme("int4", None, DType.I4, block=32),
    Scheme("float16", None, DType.F16),
    Scheme("bfloat16", DType.BF16, DType.BF16),
    Scheme("bfloat16-weights", None, DType.BF16),
    Scheme("float"),
)
SCHEMES = {scheme.name: scheme for scheme in _ALL}


def scheme_named(name: str, others: tuple[str, ...] = ()) -> Scheme:
    """others: names that may stand in place of one.  Raises ConversionError UsageError for what is none."""
    if name not in SCHEMES:
        raise ConversionError(Code.UsageError, f"unknown scheme {name!r}; schemes are {', '.join((*others, *SCHEMES))}")
    return SCHEMES[name]

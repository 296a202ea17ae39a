"""What sizes, attributes and small constants of a node must have in common, checked before its rule runs.

Source: the operator documents of ONNX, each row confirmed by what ONNX Runtime 1.31 refuses.  Sizes that are known at
run time only are left to the rules.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Op, Value
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.from_onnx.operands import small_integers
from mlconv.rewrite import constant_array

_RECURRENT = "{x}, d {w}h i, d {w}h h, d {b}h, b, {s}, {s}, d 3h"
_LAYOUTS = ({"x": "t b i", "s": "d b h"}, {"x": "b t i", "s": "b d h"})
_GATES = {"LSTM": {"w": "4", "b": "8"}, "GRU": {"w": "3", "b": "6"}, "RNN": {"w": "", "b": "2"}}
_LOSS = "n c *s, n *s"  # ONNX Runtime takes more weights than classes
_POOLS = ("MaxPool", "AveragePool", "LpPool", "MaxUnpool", "com.microsoft.QLinearAveragePool")

SIZES: dict[str, str] = {
    "BatchNormalization": "n c *, c, c, c, c",
    "InstanceNormalization": "n c *, c, c",
    "LayerNormalization": ", <, <",
    "RMSNormalization": ", <",
    "SimplifiedLayerNormalization": ", <",
    "GridSample": "n c *, n *",
    "RoiAlign": "n c h w, r 4, r",
    "MaxRoiPool": "n c h w, r 5",
    "MaxUnpool": "n c *s, n c *s",
    "NegativeLogLikelihoodLoss": _LOSS,
    "SoftmaxCrossEntropyLoss": _LOSS,
    "NonMaxSuppression": "n k 4, n c k",
    "Clip": ", ., .",
    "CumSum": ", .",
    "CumProd": ", .",
    "DFT": ", .",
    "OneHot": ", ., 2",
    "Pad": ", , .",
    "TopK": ", .",
    "Trilu": ", .",
    "Range": "., ., .",
    "HannWindow": ".",
    "HammingWindow": ".",
    "BlackmanWindow": ".",
    "MelWeightMatrix": "., ., ., ., .",
    "STFT": ", ., , .",
    "DequantizeLinear": ", , =1",
    "QuantizeLinear": ", , =1",
    "com.microsoft.DequantizeLinear": ", , =1",
    "com.microsoft.QuantizeLinear": ", , =1",
    "RotaryEmbedding": ", *c, *c",
    "Attention": "b *, b *, b *, , b *, b *",
    "com.microsoft.SkipLayerNormalization": "* h, * h, h, h, h",
    "com.microsoft.SkipSimplifiedLayerNormalization": "* h, * h, h, h",
    "QLinearConv": "n c *, ., ., m *, , , ., ., m",
    **{
        kind + suffix: _RECURRENT.format(**gates, **layout)
        for kind, gates in _GATES.items()
        for suffix, layout in zip(("", " layout"), _LAYOUTS, strict=True)
    },
}
"""Operator: the sizes of each input.  A letter is one number in all of the node (`h` of a recurrent layer is its
attribute hidden_size), `4h` a multiple of it, `*` any axes, `*s` the same axes wherever it stands; `.` is one element
of any rank, `<` what broadcasts to input 0, `=1` as many elements as input 1.  Nothing says nothing.
"""

NOT_NEGATIVE = {
    **dict.fromkeys(
        ("Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "DeformConv", "com.microsoft.FusedConv"), "pads"
    ),
}
"""Operator: an attribute of numbers that are not negative."""

INSIDE = dict.fromkeys(_POOLS, ("pads", "kernel_shape"))
"""Operator: an attribute of numbers for both ends of each axis, each smaller than the axis' number in the other
attribute.
"""

DISTINCT = {"Slice": 3, "Pad": 3, "CenterCropPad": None}
"""Operator: its attribute `axes`, or this input, names no axis of input 0 twice."""

BETWEEN: dict[str, tuple[int, int, str]] = {
    **dict.fromkeys(("LSTM", "GRU", "RNN"), (4, 0, "t")),
    **dict.fromkeys(("HannWindow", "HammingWindow", "BlackmanWindow"), (0, 0, "")),
}
"""Operator: an input whose numbers, where they are constant, are at least this and at most the size of that letter."""


@cache
def _parsed(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(part.split()) for part in text.split(","))


def check_extents(op: Op, name: str, key: str) -> None:
    """Refuse a node whose sizes, attributes or constants do not fit one another.  key: the name with its domain.
    Raises ConversionError ShapeMismatch, AttributeInvalid.
    """
    known = _check_sizes(op, name, key)
    if key in NOT_NEGATIVE or key in INSIDE:
        _check_attributes(op, name, key)
    if key in DISTINCT:
        _check_distinct(op, name, DISTINCT[key])
    if key in BETWEEN:
        _check_between(op, name, BETWEEN[key], known)


def _check_sizes(op: Op, name: str, key: str) -> dict[str, int]:
    """The numbers that the letters stand for."""
    known: dict[str, int] = {}
    text = SIZES.get(f"{key} layout" if op.attributes.get("layout") == 1 else key)
    if text is None or op.attributes.get("spatial") == 0:  # BatchNormalization-7 with statistics of each activation
        return known
    if isinstance(op.attributes.get("hidden_size"), int):
        known["h"] = op.attributes["hidden_size"]
    runs: dict[str, Shape] = {}
    for i, (value, words) in enumerate(zip(op.operands, _parsed(text), strict=False)):
        shape = _shape(value)
        if shape is None or not words or (shape == (0,) and words == ("=1",)):
            continue
        fits = _relates(op, shape, words[0]) if words[0] in (".", "<", "=1") else _matches(shape, words, known, runs)
        if not fits and value is not None:
            raise ConversionError(
                Code.ShapeMismatch,
                f"input {i} of {name} is {value.type}, expected {_described(words, known)}",
                operand=i,
            )
    return known


def _shape(value: Value | None) -> Shape | None:
    return value.type.shape if value is not None and isinstance(value.type, TensorType) else None


def _described(words: tuple[str, ...], known: dict[str, int]) -> str:
    texts = {".": "one element", "<": "what broadcasts to input 0", "=1": "as many elements as input 1 has"}
    where = ", ".join(f"{k} = {v}" for k, v in known.items() if any(w.endswith(k) for w in words))
    return texts.get(words[0]) or f"the sizes [{' '.join(words)}]" + (f" with {where}" if where else "")


def _relates(op: Op, shape: Shape, word: str) -> bool:
    if word == ".":
        return all(d == 1 for d in shape if isinstance(d, int))
    other = _shape(op.operands[0 if word == "<" else 1])
    if other is None:
        return True
    if word == "<":
        pairs = zip(reversed(shape), reversed(other), strict=False)
        return len(shape) <= len(other) and all(
            a in (1, b) for a, b in pairs if isinstance(a, int) and isinstance(b, int)
        )
    a, b = ([d for d in s if isinstance(d, int)] for s in (shape, other))
    return len(a) < len(shape) or len(b) < len(other) or math.prod(a) == math.prod(b)


def _matches(shape: Shape, words: tuple[str, ...], known: dict[str, int], runs: dict[str, Shape]) -> bool:
    """Whether a shape is what the words say, given what the letters stood for before; letters that are new take its
    numbers.
    """
    at = next((i for i, w in enumerate(words) if w.startswith("*")), None)
    if at is None:
        return len(shape) == len(words) and all(_is(d, w, known) for d, w in zip(shape, words, strict=True))
    behind = len(words) - at - 1
    if len(shape) < at + behind:
        return False
    middle = shape[at : len(shape) - behind]
    before = runs.setdefault(words[at], middle) if len(words[at]) > 1 else middle
    same = len(before) == len(middle) and all(
        a == b for a, b in zip(before, middle, strict=True) if isinstance(a, int) and isinstance(b, int)
    )
    sizes, letters = (*shape[:at], *shape[len(shape) - behind :]), (*words[:at], *words[at + 1 :])
    return same and all(_is(d, w, known) for d, w in zip(sizes, letters, strict=True))


def _is(size: object, word: str, known: dict[str, int]) -> bool:
    if not isinstance(size, int):
        return True
    if word.isdigit():
        return size == int(word)
    factor = int(word[:-1] or 1)
    return size % factor == 0 and known.setdefault(word[-1], size // factor) == size // factor


def _check_attributes(op: Op, name: str, key: str) -> None:
    pads = op.attributes.get(NOT_NEGATIVE.get(key, "pads"))
    if (
        not isinstance(pads, tuple)
        or op.attributes.get("auto_pad", "NOTSET") != "NOTSET"
        or not all(isinstance(p, int) for p in pads)
    ):
        return
    if key in NOT_NEGATIVE and min(pads, default=0) < 0:
        raise ConversionError(
            Code.AttributeInvalid,
            f"the pads {list(pads)} of {name} are not to be negative",
            help="crop with a Slice in front of it",
        )
    window = op.attributes.get(INSIDE[key][1]) if key in INSIDE else None
    if (
        isinstance(window, tuple)
        and len(pads) == 2 * len(window)
        and any(p >= w for p, w in zip(pads, (*window, *window), strict=True))
    ):
        raise ConversionError(
            Code.AttributeInvalid, f"the pads {list(pads)} of {name} must be smaller than its window {list(window)}"
        )


def _check_distinct(op: Op, name: str, place: int | None) -> None:
    given = op.attributes.get("axes")
    if given is None and place is not None and place < len(op.operands):
        array = constant_array(op.operands[place])
        given = (
            None
            if array is None or array.dtype.kind not in "iu"
            else small_integers(op.operands[place], f"the axes of {name}")
        )
    rank = len(_shape(op.operands[0]) or ()) if op.operands else 0
    if (
        isinstance(given, (tuple, list))
        and rank
        and all(isinstance(a, int) for a in given)
        and len({a % rank for a in given}) != len(given)
    ):
        raise ConversionError(Code.ShapeMismatch, f"the axes {list(given)} of {name} name an axis twice")


def _check_between(op: Op, name: str, bounds: tuple[int, int, str], known: dict[str, int]) -> None:
    place, low, letter = bounds
    array = constant_array(op.operands[place]) if place < len(op.operands) else None
    if array is None or array.size == 0 or array.dtype.kind not in "iu":
        return
    least, most, high = int(np.min(array)), int(np.max(array)), known.get(letter)
    if least < low or (high is not None and most > high):
        expected = f"at least {low}" + (f" and at most {high}" if high is not None else "")
        raise ConversionError(
            Code.ShapeMismatch,
            f"input {place} of {name} holds {least if least < low else most}, expected {expected}",
            operand=place,
        )

"""Types of foreign ops as text: `float32[n, c], T[c] -> T[n, 2*c]`.

On the left each input's element type and sizes, on the right each output's.  An element type is one by name, or a
capital letter that stands for that of an input.  A size on the left is a number or a name, on the right an expression
over names (`2*n + 1`, `floordiv(n, 2)`, `max(n, m)`); `...` stands for any number of axes, the same wherever it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.dim_parser import parse_dim
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType

_TENSOR = re.compile(r"\s*([A-Za-z][A-Za-z0-9]*)\s*\[([^\[\]]*)\]\s*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_VARIABLE = re.compile(r"[A-Z]")
_ALL = "..."
Part = Size | str  # a size, or `...`


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Pattern:
    """Of one tensor.  element: the name of an element type, or a letter."""

    element: str
    parts: tuple[Part, ...]


@dataclass(eq=False, repr=False, slots=True)
class Bound:
    """What letters, names and `...` stand for."""

    dtypes: dict[str, DType] = field(default_factory=dict)
    sizes: dict[str, Size] = field(default_factory=dict)
    rest: tuple[Size, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Signature:
    """Types of inputs and outputs."""

    text: str
    inputs: tuple[Pattern, ...]
    outputs: tuple[Pattern, ...]

    @staticmethod
    def parse(text: str) -> Signature:
        """Raises ConversionError ForeignDeclaration."""
        left, arrow, right = text.partition("->")
        if not arrow:
            raise _wrong(text, "there is no `->` between inputs and outputs")
        found = Signature(text, _patterns(left, text), _patterns(right, text))
        if not found.outputs:
            raise _wrong(text, "there are no outputs")
        found._check_sides()
        return found

    def _check_sides(self) -> None:
        """Sizes of inputs are numbers or names, and what outputs are made of is in inputs."""
        names: set[str] = set()
        for pattern in self.inputs:
            for part in pattern.parts:
                if isinstance(part, Dim) and not _is_name(part):
                    raise _wrong(self.text, f"the size {part} of an input is no number and no name")
                names |= part.symbols() if isinstance(part, Dim) else {_ALL} if part == _ALL else set()
            names |= {pattern.element} if _is_letter(pattern.element) else set()
        for pattern in self.outputs:
            used = {_ALL} if _ALL in pattern.parts else set[str]()
            used |= {pattern.element} if _is_letter(pattern.element) else set()
            for part in pattern.parts:
                used |= part.symbols() if isinstance(part, Dim) else set()
            if used - names:
                raise _wrong(self.text, f"no input says what {min(used - names)} is")

    def bind(self, tensors: Sequence[TensorType]) -> Bound:
        """Raises ConversionError WrongArity, TypeMismatch or ShapeMismatch for inputs that do not fit."""
        if len(tensors) != len(self.inputs):
            raise ConversionError(
                Code.WrongArity, f"it has {len(tensors)} inputs, its declaration {self.text!r} has {len(self.inputs)}"
            )
        bound = Bound()
        for i, (pattern, tensor) in enumerate(zip(self.inputs, tensors, strict=True)):
            self._bind(bound, i, pattern, tensor)
        return bound

    def _bind(self, bound: Bound, i: int, pattern: Pattern, tensor: TensorType) -> None:
        own = tensor.dtype if _is_letter(pattern.element) else _dtype(pattern.element)
        wanted = bound.dtypes.setdefault(pattern.element, own)
        if tensor.dtype is not wanted:
            raise ConversionError(
                Code.TypeMismatch,
                f"input {i} is {tensor.dtype.display}, its declaration {self.text!r} says {wanted.display}",
                operand=i,
            )
        for part, sizes in self._matched(i, pattern, tensor):
            if part == _ALL:
                bound.rest = known = sizes if bound.rest is None else bound.rest
            elif _is_name(part):
                known = (bound.sizes.setdefault(str(part), sizes[0]),)
            else:
                known = tuple(p for p in (part,) if not isinstance(p, str))
            if known != sizes:
                raise ConversionError(
                    Code.ShapeMismatch,
                    f"{part} is {', '.join(map(str, sizes))} in input {i}, its declaration {self.text!r} "
                    f"and other inputs have {', '.join(map(str, known))}",
                    operand=i,
                )

    def _matched(self, i: int, pattern: Pattern, tensor: TensorType) -> list[tuple[Part, tuple[Size, ...]]]:
        """Each part of a pattern with the sizes that it stands for."""
        parts, shape = pattern.parts, tensor.shape
        more = 0 if shape is None else len(shape) - len(parts) + (_ALL in parts)
        if shape is None or more < 0 or (more and _ALL not in parts):
            raise ConversionError(
                Code.ShapeMismatch, f"input {i} is {tensor}, its declaration {self.text!r} has another rank", operand=i
            )
        found: list[tuple[Part, tuple[Size, ...]]] = []
        at = 0
        for part in parts:
            count = more if part == _ALL else 1
            found.append((part, shape[at : at + count]))
            at += count
        return found

    def results(self, tensors: Sequence[TensorType]) -> list[TensorType]:
        """Types of the outputs.  Raises as `bind`, ShapeMismatch also for a size below 0."""
        bound = self.bind(tensors)
        out = []
        for pattern in self.outputs:
            shape: list[Size] = []
            for part in pattern.parts:
                shape += (bound.rest or ()) if part == _ALL else [_value(part, bound, self.text)]
            dtype = bound.dtypes[pattern.element] if _is_letter(pattern.element) else _dtype(pattern.element)
            out.append(TensorType(dtype, tuple(shape)))
        return out

    def size(self, text: str, tensors: Sequence[TensorType]) -> Size:
        """An expression over the names, as of bytes of scratch memory.  Raises ConversionError ForeignDeclaration."""
        size = parse_size(text)
        names = {str(p) for pattern in self.inputs for p in pattern.parts}
        strange = sorted((size.symbols() if isinstance(size, Dim) else frozenset()) - names)
        if strange:
            raise _wrong(self.text, f"no input says what {strange[0]} of {text!r} is")
        return _value(size, self.bind(tensors), text)


def parse_size(text: str) -> Size:
    """A size, or an expression over names.  Raises ConversionError ForeignDeclaration."""
    try:
        size = parse_dim(text)
    except (ValueError, RecursionError) as error:
        raise _wrong(text, str(error)) from error
    if isinstance(size, Dim) and not size.is_known:
        raise _wrong(text, "a size is no number, name or expression")
    return size


def _value(part: Part, bound: Bound, text: str) -> Size:
    assert not isinstance(part, str)
    try:
        size = substitute(part, bound.sizes)
    except ZeroDivisionError as error:
        raise ConversionError(Code.ShapeMismatch, f"{part} of {text!r} divides by 0") from error
    if isinstance(size, int) and size < 0:
        raise ConversionError(Code.ShapeMismatch, f"{part} of {text!r} is {size}")
    return size


def _patterns(text: str, whole: str) -> tuple[Pattern, ...]:
    found, at = [], 0
    while text[at:].strip():
        match = _TENSOR.match(text, at)
        if match is None:
            raise _wrong(whole, f"expected TYPE[SIZES] at {text[at:].strip()!r}")
        element, inner = match.groups()
        if not _is_letter(element):
            _dtype(element, whole)
        found.append(Pattern(element, _parts(inner, whole)))
        at = match.end()
        if at < len(text):
            if text[at] != ",":
                raise _wrong(whole, f"expected ',' at {text[at:]!r}")
            at += 1
    return tuple(found)


def _parts(text: str, whole: str) -> tuple[Part, ...]:
    """Sizes between brackets; commas inside of parentheses belong to functions."""
    pieces = re.split(r",(?![^()]*\))", text) if text.strip() else []
    parts: list[Part] = [_ALL if p.strip() == _ALL else parse_size(p) for p in pieces]
    if parts.count(_ALL) > 1:
        raise _wrong(whole, "`...` stands for axes twice in one tensor")
    return tuple(parts)


def _is_name(part: Part) -> bool:
    return isinstance(part, Dim) and _NAME.fullmatch(str(part)) is not None


def _is_letter(element: str) -> bool:
    return _VARIABLE.fullmatch(element) is not None


def _dtype(name: str, whole: str = "") -> DType:
    found = next((d for d in DType if d.display == name and d is not DType.UNKNOWN), None)
    if found is None:
        raise _wrong(whole, f"there is no element type {name!r}")
    return found


def _wrong(text: str, why: str) -> ConversionError:
    return ConversionError(
        Code.ForeignDeclaration,
        f"{text!r} is not understood: {why}",
        help="types are like `float32[n, c], T[...] -> T[..., 2*c]`; docs/foreign-kernels.md has all of it",
    )

"""Inputs and outputs of two models that belong together, and how arrays of one become those of the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.dim_fold import number_at
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.runtime.inputs import DYNAMIC_SIZE, drawn, nearest, sized
from mlconv.runtime.ports import Port

Ranges = Mapping[str, Sequence[int | None]]
_PREFIX = "serving_default_"  # of the tensors of a TFLite file that TensorFlow wrote
_SPREADS = 3.0  # from the middle of all integers to their ends


class Pair(NamedTuple):
    """perm: axes of the first one's arrays in the order of the second's; none where that is the same."""

    a: Port
    b: Port
    perm: tuple[int, ...] = ()

    def to_b(self, x: Array) -> Array:
        """An array that the first takes, as the second does: laid out, and in its type.  Raises ConversionError
        InterfacesDiffer for numbers that its type does not hold.
        """
        laid = np.ascontiguousarray(x.transpose(self.perm)) if self.perm else x
        return in_type(laid, *self.told())

    def to_a(self, y: Array) -> Array:
        """An output of the second in the layout of the first."""
        return y.transpose(np.argsort(self.perm)) if self.perm and y.ndim == len(self.perm) else y

    def told(self) -> tuple[Port, Port]:
        """Both, where integers of a type have a scale that one of the two says as that of both: files of some formats
        have no place for it.
        """
        quant = self.a.quant or self.b.quant
        if quant is None or self.a.dtype is not self.b.dtype or not self.a.dtype.is_int:
            return self.a, self.b
        return self.a._replace(quant=self.a.quant or quant), self.b._replace(quant=self.b.quant or quant)


def number(x: Array, port: Port) -> Array:
    """What integers stand for; other arrays as they are."""
    return x if port.quant is None or x.dtype.kind not in "iu" else port.quant.dequantize(x)


def in_type(x: Array, taken: Port, wanted: Port) -> Array:
    """An array of one port as another takes it."""
    if wanted.quant is not None and taken.quant != wanted.quant:
        return wanted.quant.quantize(number(x, taken))
    if taken.quant is not None and wanted.quant is None and wanted.dtype.is_float:
        x = number(x, taken)
    if wanted.dtype is DType.STRING or x.dtype == wanted.dtype.numpy:
        return x
    cast = x.astype(wanted.dtype.numpy)
    if wanted.dtype.is_int and not np.array_equal(cast.astype(x.dtype), x):
        raise ConversionError(
            Code.InterfacesDiffer,
            f"input {wanted.name} is {wanted.dtype.display}, which does not hold the numbers that {taken.name} takes",
            help="give arrays that both hold with --data FILE.npz",
        )
    return cast


def paired(a: Sequence[Port], b: Sequence[Port], what: str) -> list[Pair]:
    """Ports that belong together: by their names where all of these are the same, else in order.  what: `input` or
    `output`, whose shapes are those of its arrays where a file tells others.  Raises ConversionError InterfacesDiffer.
    """
    if len(a) != len(b):
        raise ConversionError(
            Code.InterfacesDiffer,
            f"the first has {len(a)} {what}s ({_listed(a)}), the second has {len(b)} ({_listed(b)})",
            help="cut one of them with --inputs and --outputs, or name another signature",
        )
    known = {plain_name(port.name): port for port in b}
    named = [known.get(plain_name(port.name)) for port in a]
    others = iter([port for port in b if port not in named])
    return [
        _pair(port, found if found is not None else next(others), what) for port, found in zip(a, named, strict=True)
    ]


def plain_name(name: str) -> str:
    """A name without what formats put around it."""
    return name.removesuffix(":0").removeprefix(_PREFIX)


def _listed(ports: Sequence[Port]) -> str:
    return ", ".join(f"{port.name} {port.type_text}" for port in ports) or "none"


def _pair(a: Port, b: Port, what: str) -> Pair:
    texts = a.dtype is DType.STRING, b.dtype is DType.STRING
    perm = permutation(a.shape, b.shape)
    kinds = {port.dtype.is_complex for port in (a, b)}
    if (perm is None and what == "input") or texts[0] != texts[1] or len(kinds) > 1:
        raise ConversionError(
            Code.InterfacesDiffer,
            f"{what} {a.name} is {a.type_text} in the first, and {b.name} is {b.type_text} in the second",
            help="give sizes with --shape where these are open, or convert with --io-layout keep",
        )
    return Pair(a, b, perm or ())


def permutation(a: Sequence[Size] | None, b: Sequence[Size] | None) -> tuple[int, ...] | None:
    """The axes of the first shape in the order of the second: as they are where sizes fit, else channels to the other
    end; None where nothing fits.
    """
    if a is None or b is None:
        return ()
    if len(a) != len(b):
        return None
    return next((perm for perm in _orders(len(a)) if _fits([a[i] for i in perm or range(len(a))], b)), None)


def _orders(rank: int) -> Iterator[tuple[int, ...]]:
    yield ()
    if rank >= 3:
        yield (0, *range(2, rank), 1)
        yield (0, rank - 1, *range(1, rank - 1))


def _fits(a: Sequence[Size], b: Sequence[Size]) -> bool:
    return all(m == n or not (isinstance(m, int) and isinstance(n, int)) for m, n in zip(a, b, strict=True))


class Drawing(NamedTuple):
    """How inputs are drawn.  shapes: that were asked for, by names of either side.  ranges: of symbols.  grids: what
    one of the sides rounds floats to, by names of the first.  size: of axes that nobody says anything of.
    """

    seed: int
    shapes: Mapping[str, Sequence[int]]
    ranges: Ranges
    grids: Mapping[str, QuantType] = MappingProxyType({})
    size: int = DYNAMIC_SIZE

    @staticmethod
    def has_open_sizes(pairs: Sequence[Pair]) -> bool:
        """Sizes of inputs are chosen."""
        return any(
            not isinstance(a, int) and not isinstance(b, int)
            for pair in pairs
            for a, b in zip(pair.a.shape or (), pair.b.shape or (), strict=False)
        )

    def inputs(self, pairs: Sequence[Pair]) -> dict[str, Array]:
        """Random inputs of the first side that the second can be given, too: integers with a scale are drawn from all
        that there are; where one side has numbers, those at the ends are few, as in samples that a scale is made of,
        for what is computed of many of them would be cut off.
        """
        rng = np.random.default_rng(self.seed)
        unknown = set(self.shapes) - {name for pair in pairs for name in _names(pair)}
        if unknown:
            raise ConversionError(
                Code.NameNotFound,
                f"--shape names {sorted(unknown)[0]}; the inputs are {', '.join(pair.a.name for pair in pairs)}",
            )
        sizes = self._sizes(pairs)
        return {pair.a.name: self._random(pair, self._shape(pair, sizes), rng) for pair in pairs}

    def _random(self, pair: Pair, shape: Sequence[int], rng: np.random.Generator) -> Array:
        a, b = pair.told()
        quant = a.quant or b.quant or self.grids.get(pair.a.name)
        if pair.a.dtype is DType.STRING:
            raise ConversionError(
                Code.VerificationImpossible,
                f"input {pair.a.name} cannot be drawn at random",
                help="give arrays with --data FILE.npz",
            )
        if quant is None:
            return drawn(pair.a.dtype, shape, rng)
        if a.quant is not None and b.quant is not None:
            return rng.integers(quant.qmin, quant.qmax + 1, shape).astype(quant.storage.numpy)
        middle, spread = (quant.qmin + quant.qmax) / 2, (quant.qmax - quant.qmin) / (2 * _SPREADS)
        normal = np.rint(rng.normal(middle, spread, shape)).clip(quant.qmin, quant.qmax)
        stored = normal.astype(quant.storage.numpy)
        if a.quant is not None:
            return stored
        return quant.dequantize(stored).astype(pair.a.dtype.numpy)

    def _sizes(self, pairs: Sequence[Pair]) -> dict[str, int]:
        """Values of symbols: what the other side, or the shape that was asked for, has at their place."""
        found: dict[str, int] = {}
        for pair in pairs:
            asked = self._asked(pair)
            for i, size in enumerate(pair.a.shape or ()):
                at = pair.perm.index(i) if pair.perm else i
                other = pair.b.shape[at] if pair.b.shape is not None else size
                told = asked[i] if asked is not None and i < len(asked) else -1
                known = next((n for n in (told, size, other) if isinstance(n, int) and n >= 0), None)
                for one in (size, other):
                    symbol = None if isinstance(one, int) else one.name
                    if symbol is not None and known is not None:
                        found.setdefault(symbol, known)
        for pair in pairs:
            for size in (*(pair.a.shape or ()), *(pair.b.shape or ())):
                for symbol in () if isinstance(size, int) else size.symbols():
                    found.setdefault(symbol, nearest(self.size, symbol, self.ranges))
        return found

    def _asked(self, pair: Pair) -> Sequence[int] | None:
        return next((self.shapes[name] for name in _names(pair) if name in self.shapes), None)

    def _shape(self, pair: Pair, sizes: Mapping[str, int]) -> list[int]:
        asked = self._asked(pair)
        if pair.a.shape is None:
            return list(asked or ())
        if asked is not None and len(asked) != len(pair.a.shape):
            raise ConversionError(
                Code.ShapeMismatch, f"--shape of {pair.a.name} has {len(asked)} sizes, the input is {pair.a.type_text}"
            )
        shape = []
        for i, size in enumerate(pair.a.shape):
            if asked is not None and isinstance(size, int) and asked[i] not in (size, -1):
                raise ConversionError(
                    Code.ShapeMismatch, f"--shape of {pair.a.name} has {asked[i]} on axis {i}, the model takes {size}"
                )
            at = pair.perm.index(i) if pair.perm else i
            other = pair.b.shape[at] if pair.b.shape is not None else size
            known = number_at(size, sizes)
            shape.append(other if isinstance(other, int) else sized(size, sizes) if known is None else known)
        return shape


def _names(pair: Pair) -> tuple[str, ...]:
    return tuple(dict.fromkeys((pair.a.name, plain_name(pair.a.name), pair.b.name, plain_name(pair.b.name))))

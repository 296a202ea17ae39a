"""Sizes that are known at run time, in the C header: their names and ranges, shapes and sizes of inputs and outputs as
functions of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mlconv.codegen.program.fits import MAX_DIMENSION
from mlconv.ir.dim_fold import Fold
from mlconv.ir.dims import Size, product
from mlconv.ir.types import TensorType

_HELPERS = """\
#ifndef MLC_DIMENSIONS
#define MLC_DIMENSIONS 1
static inline int64_t mlc_floordiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static inline int64_t mlc_mod(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }
static inline int64_t mlc_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t mlc_max(int64_t a, int64_t b) { return a > b ? a : b; }
#endif"""


def c_expression(size: Size, symbols: Sequence[str], table: str = "dims") -> str:
    """A size as C, of a table of dimensions."""
    return _CText(symbols, table).of(size)


class _CText(Fold[str]):
    def __init__(self, symbols: Sequence[str], table: str) -> None:
        super().__init__()
        self.symbols, self.table = symbols, table

    def number(self, value: int) -> str:
        return str(value)

    def symbol(self, name: str) -> str:
        return f"{self.table}[{self.symbols.index(name)}]"

    def apply(self, function: str, a: Size, b: Size) -> str:
        return f"mlc_{function}({self.of(a)}, {self.of(b)})"

    def term(self, coefficient: int, factors: Iterator[str]) -> str:
        parts = list(factors)
        return " * ".join([*([str(coefficient)] if coefficient != 1 or not parts else []), *parts])

    def sum(self, terms: Iterator[str]) -> str:
        return f"({' + '.join(terms)})"


def dimension_tables(prefix: str, symbols: Sequence[str], ranges: Mapping[str, Sequence[int | None]]) -> list[str]:
    """Names and ranges."""
    if not symbols:
        return []
    low, high = [], []
    for name in symbols:
        first, last = ranges.get(name, (None, None))
        low.append(str(0 if first is None else first))
        high.append(str(MAX_DIMENSION if last is None else last))
    n = len(symbols)
    names = ", ".join('"' + "".join(c if c.isalnum() and c.isascii() else "_" for c in s) + '"' for s in symbols)
    return [
        _HELPERS,
        f"#define {prefix.upper()}_DIMENSIONS {n}",
        f"static const char *const {prefix}_dimension_names[{n}] = {{{names}}};",
        f"static const int64_t {prefix}_dimension_least[{n}] = {{{', '.join(low)}}};",
        f"static const int64_t {prefix}_dimension_greatest[{n}] = {{{', '.join(high)}}};",
    ]


def shape_functions(prefix: str, side: str, types: Sequence[TensorType], symbols: Sequence[str]) -> list[str]:
    """NAME_SIDE_shape(i, dims, shape) writes a shape; NAME_SIDE_bytes(i, dims) gives a size in bytes."""
    shapes, sizes = [], []
    for i, t in enumerate(types):
        axes = " ".join(f"shape[{k}] = {c_expression(d, symbols)};" for k, d in enumerate(t.shape or ()))
        shapes.append(f"    case {i}: {axes} break;")
        sizes.append(
            f"    case {i}: return (size_t){c_expression(product(t.shape or ()) * t.dtype.itemsize, symbols)};"
        )
    head = f"static inline void {prefix}_{side}_shape(int i, const int64_t *dims, int64_t *shape) {{"
    unused = "  (void)dims; (void)shape;"
    return [
        head,
        unused,
        "  switch (i) {",
        *shapes,
        "  }",
        "}",
        f"static inline size_t {prefix}_{side}_bytes(int i, const int64_t *dims) {{",
        "  (void)dims;",
        "  switch (i) {",
        *sizes,
        "  }",
        "  return 0;",
        "}",
    ]

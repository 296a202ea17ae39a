"""Which constants hold the same, without reading more of them than that takes.

Handles that say the same (same range of the same file, same recipe) are equal at once.  Contents are compared only
where they can be equal: small ones by a digest, others by size, then by their first bytes, and only then by a digest of
the whole.  A large recipe is as its inputs are, and is not run for this, unless it is asked for.
"""

from __future__ import annotations

from collections.abc import Hashable

from mlconv.formats.digests import blake2b
from mlconv.ir.constants import Const, Inline, Mapped
from mlconv.ir.dtypes import DType
from mlconv.ir.recipes import Derived

_SMALL_BYTES = 1 << 16
"""Masks and tables, which models repeat and passes make in several ways."""
_FIRST_BYTES = 1 << 12


class EqualConstants:
    """Numbers of constants; those that hold the same have the same.  runs_recipes: also what different recipes give."""

    def __init__(self, runs_recipes: bool = False) -> None:
        self._runs_recipes = runs_recipes
        self._by_handle: dict[Hashable, int] = {}
        self._by_start: dict[Hashable, list[int]] = {}
        self._digests: dict[int, Hashable] = {}
        self._known: list[Const] = []
        self._kept: list[Const] = []  # a key may hold the identity of its constant

    def number(self, constant: Const) -> Hashable:
        """Of constants of equal type and shape, too."""
        return (constant.dtype, constant.shape, self.number_of_bytes(constant))

    def number_of_bytes(self, constant: Const) -> int:
        """Of the elements as they lie in memory, whatever their type and shape."""
        key = _handle_key(constant)
        number = self._by_handle.get(key)
        if number is None:
            self._kept.append(constant)
            number = self._by_handle[key] = self._by_contents(constant)
        return number

    def _by_contents(self, constant: Const) -> int:
        is_small = constant.nbytes <= _SMALL_BYTES or constant.dtype is DType.STRING
        start = self._digest(constant) if is_small else self._start_of(constant)
        same = self._by_start.setdefault((constant.nbytes, start), [])
        if same and is_small:
            return same[0]
        number = len(self._known)
        if same:
            digest = self._digests[number] = self._digest(constant)
            for other in same:
                if other not in self._digests:
                    self._digests[other] = self._digest(self._known[other])
                if self._digests[other] == digest:
                    return other
        same.append(number)
        self._known.append(constant)
        return number

    def _start_of(self, constant: Const) -> Hashable:
        """Something cheap that equal contents share: the first bytes, for a recipe those of its inputs."""
        if isinstance(constant, Derived) and not self._runs_recipes:
            return _as_inputs(constant, tuple(map(self._start_of, constant.inputs)))
        if isinstance(constant, Mapped):
            first = constant.view().reshape(-1)[: _FIRST_BYTES // constant.dtype.itemsize].tobytes()
            constant.release()  # the system may have made megabytes around it resident
            return first
        start = bytearray()
        for block in constant.blocks(_FIRST_BYTES):  # those of recipes are whole rows
            start += block[: _FIRST_BYTES - len(start)]
            if len(start) == _FIRST_BYTES:
                break
        return bytes(start)

    def _digest(self, constant: Const) -> Hashable:
        """A digest of the whole content; of a large recipe that of its inputs."""
        if constant.dtype is DType.STRING:
            return constant.key
        if isinstance(constant, Derived) and constant.nbytes > _SMALL_BYTES and not self._runs_recipes:
            return _as_inputs(constant, tuple(map(self._digest, constant.inputs)))
        digest = blake2b(digest_size=16)
        for block in constant.blocks():
            digest.update(block)
        return digest.digest()


def _handle_key(constant: Const) -> Hashable:
    """A key that says which bytes a handle has, whatever its shape."""
    if isinstance(constant, Mapped):
        return ("mapped", constant.file.path, constant.offset, constant.nbytes)
    return ("object", id(constant)) if isinstance(constant, Inline) else constant.key


def _as_inputs(constant: Derived, inputs: tuple[Hashable, ...]) -> Hashable:
    shapes = tuple((c.dtype, c.shape) for c in constant.inputs)
    return (constant.recipe, constant.params, constant.result_shape, constant.dtype, shapes, inputs)

"""Constants whose numbers are not looked at."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from mlconv.ir.constants import Array, Const


class Unread(Const):
    """Numbers that nobody has looked at: all of them an ordinary weight."""

    __slots__ = ("of",)
    NUMBER: ClassVar[float] = 0.5

    def __init__(self, of: Const, shape: tuple[int, ...]) -> None:
        super().__init__(of.dtype, shape)
        self.of = of

    def view(self) -> Array:
        return np.broadcast_to(np.asarray(self.NUMBER, self.dtype.numpy), self.shape)

    def reshape(self, shape: tuple[int, ...]) -> Unread:
        return Unread(self.of, shape)

    @property
    def key(self) -> Hashable:
        return ("unread", self.of.key, self.shape)

"""How far an object is that is being compiled."""

from __future__ import annotations

import time
from collections.abc import Callable

_TEXT = 0.25
"""The share of the time that the text of all functions takes; LLVM takes the rest."""
_MOST = 0.99


class Compiling:
    """Is told what was done, and asked how much that is by another thread.  clock: seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._started = clock, clock()
        self._written, self._calls, self._text_s = 0, 0, 0.0

    def begin(self, calls: int) -> None:
        """calls: of kernels, in all functions; again where an object is made a second time."""
        self._started, self._written, self._calls, self._text_s = self._clock(), 0, calls, 0.0

    def wrote(self) -> None:
        """The text of one call is there."""
        self._written += 1

    def optimizes(self) -> None:
        """All text is there."""
        self._text_s = max(self._clock() - self._started, 1e-3)

    def fraction(self) -> float:
        """Of the whole.  LLVM does not say how far it is: it is expected to take as long as texts tell."""
        if not self._text_s:
            return _TEXT * min(1.0, self._written / max(1, self._calls))
        llvm_s = self._clock() - self._started - self._text_s
        return min(_MOST, _TEXT + (1 - _TEXT) * llvm_s / (self._text_s * (1 - _TEXT) / _TEXT))

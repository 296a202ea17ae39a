"""Quantization: what computes with floats computes with fewer bits.

The room has the name of a function of the public API, `mlconv.quantize(model, ...)`; Python keeps one attribute of that
name, so the module itself can be called.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_FUNCTION = "mlconv.driver.quantized"


class _Room(ModuleType):
    """A module that is called as the function of its name in `mlconv.driver.quantized`."""

    def __call__(self, *args: Any, **settings: Any) -> Any:
        return import_module(_FUNCTION).quantize(*args, **settings)


sys.modules[__name__].__class__ = _Room

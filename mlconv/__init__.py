"""mlconv: model conversion for the command line and for Python.

    import mlconv
    result = mlconv.convert("model.onnx", to="tflite", output="model.tflite")
    mlconv.quantize("model.onnx", to="tflite", output="small.tflite", calibration=samples)
    mlconv.simplify("model.onnx", "small.onnx")
    outputs = mlconv.load("model.pb").run({"x": array})

Names are loaded on first use, so that `import mlconv` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = [
    "ConversionError",
    "LoadedModel",
    "Module",
    "NativeModel",
    "Options",
    "Result",
    "convert",
    "load",
    "load_native",
    "quantize",
    "simplify",
]

if TYPE_CHECKING:
    from mlconv.diagnostics import ConversionError
    from mlconv.driver.conversion import convert
    from mlconv.driver.loading import load
    from mlconv.driver.options import Options
    from mlconv.driver.quantized import quantize
    from mlconv.driver.result import Result
    from mlconv.driver.simplification import simplify
    from mlconv.importers.loaded import LoadedModel
    from mlconv.ir.module import Module
    from mlconv.runtime.native import NativeModel, load_native

_WHERE = {
    "ConversionError": "mlconv.diagnostics",
    "LoadedModel": "mlconv.importers.loaded",
    "Module": "mlconv.ir.module",
    "Options": "mlconv.driver.options",
    "Result": "mlconv.driver.result",
    "convert": "mlconv.driver.conversion",
    "load": "mlconv.driver.loading",
    "NativeModel": "mlconv.runtime.native",
    "load_native": "mlconv.runtime.native",
    "quantize": "mlconv.driver.quantized",
    "simplify": "mlconv.driver.simplification",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'mlconv' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_WHERE[name]), name)

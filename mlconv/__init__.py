"""mlconv: model conversion for the command line and for Python.

    import mlconv
    result = mlconv.convert("model.onnx", to="tflite", output="model.tflite")
    mlconv.quantize("model.onnx", to="tflite", output="small.tflite", calibration=samples)
    mlconv.simplify("model.onnx", "small.onnx")
    outputs = mlconv.load("model.pb").run({"x": array})
    report = mlconv.check("model.onnx", to=["tflite", "native"])
    found = mlconv.verify("model.onnx", "model.tflite")
    with mlconv.temporary_artifact("model.onnx", to="native") as made:
        outputs = mlconv.load_native(made.output).run({"x": array})

Every function may be called from several threads at once: nothing is shared but files.  docs/python.md has it all.
Names are loaded on first use, so that `import mlconv` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = [
    "CheckReport",
    "ConversionError",
    "ConvertOptions",
    "LoadOptions",
    "LoadedModel",
    "Module",
    "NativeModel",
    "Options",
    "QuantizeOptions",
    "Result",
    "bisect",
    "build",
    "check",
    "convert",
    "diff",
    "inspect",
    "load",
    "load_native",
    "quantize",
    "simplify",
    "temporary_artifact",
    "verify",
]

if TYPE_CHECKING:
    from mlconv.diagnostics import ConversionError
    from mlconv.driver.api import check, temporary_artifact
    from mlconv.driver.check import CheckReport
    from mlconv.driver.comparing import bisect, diff, inspect, verify
    from mlconv.driver.conversion import convert
    from mlconv.driver.keywords import ConvertOptions, LoadOptions, QuantizeOptions
    from mlconv.driver.loading import load
    from mlconv.driver.options import Options
    from mlconv.driver.projects.building import build
    from mlconv.driver.quantized import quantize
    from mlconv.driver.result import Result
    from mlconv.driver.simplification import simplify
    from mlconv.importers.loaded import LoadedModel
    from mlconv.ir.module import Module
    from mlconv.runtime.native import NativeModel, load_native

_WHERE = {
    "CheckReport": "mlconv.driver.check",
    "ConversionError": "mlconv.diagnostics",
    "ConvertOptions": "mlconv.driver.keywords",
    "LoadOptions": "mlconv.driver.keywords",
    "LoadedModel": "mlconv.importers.loaded",
    "Module": "mlconv.ir.module",
    "NativeModel": "mlconv.runtime.native",
    "Options": "mlconv.driver.options",
    "QuantizeOptions": "mlconv.driver.keywords",
    "Result": "mlconv.driver.result",
    "bisect": "mlconv.driver.comparing",
    "build": "mlconv.driver.projects.building",
    "check": "mlconv.driver.api",
    "convert": "mlconv.driver.conversion",
    "diff": "mlconv.driver.comparing",
    "inspect": "mlconv.driver.comparing",
    "load": "mlconv.driver.loading",
    "load_native": "mlconv.runtime.native",
    "quantize": "mlconv.driver.quantized",
    "simplify": "mlconv.driver.simplification",
    "temporary_artifact": "mlconv.driver.api",
    "verify": "mlconv.driver.comparing",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'mlconv' has no attribute {name!r}{_hint(name)}")
    from importlib import import_module

    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted((*__all__, *(name for name in globals() if name.startswith("__"))))


def _hint(name: str) -> str:
    if name.startswith("_"):
        return ""  # the import system asks for such names, and takes no for an answer
    from difflib import get_close_matches

    near = get_close_matches(name, __all__, 1)
    return f": did you mean {near[0]!r}?" if near else ""

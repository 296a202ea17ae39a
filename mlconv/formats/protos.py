"""Generated protobuf messages of the installed `onnx` and `tensorflow` packages, without running those packages.

`import tensorflow` costs ten seconds and `import onnx` half of one; the generated modules alone cost about 0.1 s.  They
are found through the import system's path finders, and executed below an empty module that stands for the package and
that is taken out of `sys.modules` again, so that a later real import of either package in the same process starts from
nothing.  The default descriptor pool accepts the same serialized file twice, hence the definitions cannot conflict.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from mlconv.diagnostics import Code, ConversionError


@functools.cache
def onnx_pb() -> ModuleType:
    """`onnx.onnx_ml_pb2`: ModelProto, GraphProto, NodeProto, TensorProto, ...

    Raises ConversionError (PackageMissing) when the onnx package is not installed.
    """
    return _load("onnx", "onnx.onnx_ml_pb2")


@functools.cache
def tf_pb(name: str) -> ModuleType:
    """A generated module of TensorFlow by its name below `tensorflow.core`, for example `framework.graph_pb2`.

    Raises ConversionError (PackageMissing) when tensorflow is not installed or has no such module.
    """
    return _load("tensorflow", f"tensorflow.core.{name}")


@functools.cache
def hlo_pb() -> ModuleType:
    """`tensorflow.compiler.xla.service.hlo_pb2`: HloModuleProto and its parts.

    Raises ConversionError (PackageMissing) when tensorflow is not installed.
    """
    return _load("tensorflow", "tensorflow.compiler.xla.service.hlo_pb2")


@functools.cache
def xla_data_pb() -> ModuleType:
    """`tensorflow.compiler.xla.xla_data_pb2`: ShapeProto, LiteralProto and the dimension numbers.

    Raises ConversionError (PackageMissing) when tensorflow is not installed.
    """
    return _load("tensorflow", "tensorflow.compiler.xla.xla_data_pb2")


_LOADING = threading.RLock()  # one package at a time stands in `sys.modules` for another


def _load(package: str, module: str) -> ModuleType:
    with _LOADING:
        return _load_alone(package, module)


def _load_alone(package: str, module: str) -> ModuleType:
    if package in sys.modules:
        return importlib.import_module(module)
    with _stand_in(package):
        try:
            return importlib.import_module(module)
        # TypeError: the protobuf runtime refuses generated code newer than itself
        except (ImportError, TypeError) as error:
            raise ConversionError(
                Code.PackageMissing,
                f"the installed package '{package}' has no usable module {module}: {error}",
                help=f"reinstall it: pip install --force-reinstall {package}",
            ) from error


def _package_folder(package: str) -> str:
    """The folder of a top-level package, found without importing it."""
    spec = importlib.util.find_spec(package)
    locations = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not locations:
        raise ConversionError(
            Code.PackageMissing,
            f"the package '{package}' is not installed; its generated protobuf messages are needed to read this file",
            help=f"pip install {package}",
        )
    return locations[0]


@functools.cache
def _loaded(package: str) -> dict[str, ModuleType]:
    """The modules below `package` that were loaded so far, so that a second load does not execute them again."""
    del package
    return {}


@contextmanager
def _stand_in(package: str) -> Iterator[None]:
    """An empty package in `sys.modules` while generated modules load; all modules of the package leave it again.

    The packages between (`tensorflow.core`, ...) have an empty `__init__` and are imported as they are.
    """
    stub = ModuleType(package)
    stub.__path__ = [_package_folder(package)]
    loaded = _loaded(package)
    sys.modules.update(loaded)
    sys.modules[package] = stub
    try:
        yield
    finally:
        for name in [n for n in sys.modules if n == package or n.startswith(package + ".")]:
            module = sys.modules.pop(name)
            if name != package:
                loaded[name] = module

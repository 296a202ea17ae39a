"""Generated protobuf messages of the installed `onnx` and `tensorflow` packages, without running those packages; where
TensorFlow is not installed, its messages by definitions that come along.

`import tensorflow` costs ten seconds and `import onnx` half of one; the generated modules alone cost about 0.1 s.  They
are found through the import system's path finders, and executed below an empty module that stands for the package and
that is taken out of `sys.modules` again, so that a later real import of either package in the same process starts from
nothing.  The default descriptor pool accepts the same serialized file twice, hence the definitions cannot conflict.
"""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import importlib.util
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from types import ModuleType, SimpleNamespace
from typing import Any, TypeAlias

from mlconv.diagnostics import Code, ConversionError


@functools.cache
def onnx_pb() -> ModuleType:
    """`onnx.onnx_ml_pb2`: ModelProto, GraphProto, NodeProto, TensorProto, ...

    Raises ConversionError (PackageMissing) when the onnx package is not installed.
    """
    return _load("onnx", "onnx.onnx_ml_pb2")


@functools.cache
def tf_pb(name: str) -> Messages:
    """The messages of a file of TensorFlow by its name below `tensorflow.core`, for example `framework.graph_pb2`."""
    return _tensorflow(f"tensorflow.core.{name}")


@functools.cache
def hlo_pb() -> Messages:
    """Of `tensorflow.compiler.xla.service.hlo_pb2`: HloModuleProto and its parts."""
    return _tensorflow("tensorflow.compiler.xla.service.hlo_pb2")


@functools.cache
def xla_data_pb() -> Messages:
    """Of `tensorflow.compiler.xla.xla_data_pb2`: ShapeProto, LiteralProto and the dimension numbers."""
    return _tensorflow("tensorflow.compiler.xla.xla_data_pb2")


TENSORFLOW_FILES: Mapping[str, str] = {
    **{
        f"tensorflow/core/{name}.proto": f"tensorflow.core.{name.replace('/', '.')}_pb2"
        for name in (
            "framework/function",
            "framework/graph",
            "framework/graph_debug_info",
            "framework/node_def",
            "framework/tensor",
            "framework/variable",
            "protobuf/meta_graph",
            "protobuf/saved_model",
            "protobuf/saver",
            "protobuf/tensor_bundle",
            "protobuf/trackable_object_graph",
        )
    },
    "xla/service/hlo.proto": "tensorflow.compiler.xla.service.hlo_pb2",
    "xla/xla_data.proto": "tensorflow.compiler.xla.xla_data_pb2",
}
"""Files of messages that are read and written, and the modules of TensorFlow that have them."""

Messages: TypeAlias = Any
"""A generated module, or what stands for one: messages and enumerations by name."""


def _tensorflow(module: str) -> Messages:
    """The installed TensorFlow's messages, so that a program that has both passes them on; without TensorFlow, or with
    one that the protobuf runtime does not take, those of definitions that come along.
    """
    # Not `importlib.util.find_spec`, which takes what stands among the loaded modules: that may be a place holder.
    if importlib.machinery.PathFinder.find_spec("tensorflow") is None:
        return _own(module)
    try:
        return of_tensorflow(module)
    except ConversionError:
        return _own(module)


def of_tensorflow(module: str) -> ModuleType:
    """A generated module.  Raises ConversionError PackageMissing where TensorFlow is not installed, or has none that is
    usable.
    """
    return _load("tensorflow", module)


def _own(module: str) -> Messages:
    """Messages and enumerations of a file, from `tensorflow_messages.binpb`."""
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
    from google.protobuf.message_factory import GetMessageClass

    (name,) = (file for file, other in TENSORFLOW_FILES.items() if other == module)
    file = _pool().FindFileByName(name)
    found = {key: GetMessageClass(message) for key, message in file.message_types_by_name.items()}
    enums = {key: EnumTypeWrapper(enum) for key, enum in file.enum_types_by_name.items()}
    return SimpleNamespace(DESCRIPTOR=file, **found, **enums)


@functools.cache
def _pool() -> Messages:
    """A pool of its own: definitions of a TensorFlow that is imported later are no others of the same names in it."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet
    from google.protobuf.descriptor_pool import DescriptorPool

    pool = DescriptorPool()
    data = (resources.files("mlconv.formats") / "tensorflow_messages.binpb").read_bytes()
    for file in FileDescriptorSet.FromString(data).file:
        pool.Add(file)
    return pool


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

"""Models that a Python program holds: each is written as the file that its framework has, and read from there.

Frameworks are not imported here: a model of one is there only when the program has imported it, but for functions of
jax, which are plain functions.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.child import Folder
from mlconv.importers.torch_names import Foreign, output_names

_PROTO_LIMIT = (1 << 31) - 1
_NAME = re.compile(r"\W+")
_NEEDS_ARGUMENTS = "say what it is called with: args=(array, ...), or anything that has a shape and a dtype"


class Written(NamedTuple):
    """A model as a file.  folder: goes with its object."""

    path: str
    folder: Folder


def written(model: object, args: Sequence[object]) -> Written:
    """The file of a model: an onnx.ModelProto; a function of jax, or what jax.export makes of one; a tf.function or
    one of its concrete functions; a Keras model; a torch module, or what torch.export makes of one.

    args: what a function or a torch module is called with.  What tracing raises is the program's own.  Raises
    ConversionError UsageError for what is no model, or lacks its arguments; PackageMissing.
    """
    for is_one, write in _KINDS:
        if is_one(model):
            folder = Folder()
            return Written(write(model, args, folder.name), folder)
    raise ConversionError(
        Code.UsageError,
        f"a {type(model).__module__}.{type(model).__qualname__} is no model that can be converted",
        help="models are paths, ONNX models, functions of jax, tf.functions, Keras models and torch modules",
    )


def _is_of(package: str, *names: str) -> Callable[[object], bool]:
    """An object of a class, found by its name in the package when that was imported."""

    def is_one(model: object) -> bool:
        for name in names:
            found: object = sys.modules.get(package)
            for part in name.split("."):
                found = getattr(found, part, None)
            if isinstance(found, type) and isinstance(model, found):
                return True
        return False

    return is_one


def _label(model: object) -> str:
    """A name for the file, by which messages name the model."""
    name = str(getattr(model, "__name__", None) or getattr(model, "name", None) or type(model).__name__)
    return _NAME.sub("_", name).strip("_")[:60] or "model"


def _onnx(model: Foreign, args: Sequence[object], folder: str) -> str:
    path = os.path.join(folder, f"{_label(model.graph)}.onnx")
    if model.ByteSize() <= _PROTO_LIMIT:
        with open(path, "wb") as f:
            f.write(model.SerializeToString())
    else:
        sys.modules["onnx"].save_model(model, path, save_as_external_data=True)
    return path


def _jax(model: Foreign, args: Sequence[object], folder: str) -> str:
    """A function is traced, for the CPU; its arguments may be trees of arrays."""
    try:
        import jax
        from jax import export
    except ImportError as e:
        raise ConversionError(
            Code.PackageMissing, "a function is converted with jax, which is not installed", help="pip install jax"
        ) from e
    path = os.path.join(folder, f"{_label(model)}.mlirbc")
    if not isinstance(model, export.Exported):
        if not args:
            raise ConversionError(Code.UsageError, "a function has no arguments of its own", help=_NEEDS_ARGUMENTS)
        traced = model if hasattr(model, "lower") else jax.jit(model)
        model = export.export(traced, platforms=["cpu"])(*args)
    with open(path, "wb") as f:
        f.write(model.mlir_module_serialized)
    return path


def _tf_function(model: Foreign, args: Sequence[object], folder: str) -> str:
    """A SavedModel of one signature, with debug information."""
    tf: Foreign = sys.modules["tensorflow"]
    concrete = _concrete(model, args) if hasattr(model, "get_concrete_function") else model
    holder = tf.Module()
    holder.function, holder.captured = model, list(concrete.variables)
    options = tf.saved_model.SaveOptions(save_debug_info=True)
    path = os.path.join(folder, _label(model))
    tf.saved_model.save(holder, path, signatures=concrete, options=options)
    return path


def _concrete(model: Foreign, args: Sequence[object]) -> Foreign:
    try:
        return model.get_concrete_function(*args)
    except TypeError as e:
        if args:
            raise
        raise ConversionError(
            Code.UsageError, "a tf.function without a signature has no inputs of its own", help=_NEEDS_ARGUMENTS
        ) from e


def _keras(model: Foreign, args: Sequence[object], folder: str) -> str:
    """A file of Keras where all of its layers are known here, else a SavedModel that this process's Keras writes."""
    from mlconv.importers.keras.fields import LeftToKerasError
    from mlconv.importers.keras.model import read_keras

    if getattr(model, "inputs", None):
        path = os.path.join(folder, f"{_label(model)}.keras")
        model.save(path)
        try:
            read_keras(path, {})
        except LeftToKerasError:
            return _keras_archive(model, model.inputs, folder)
        return path
    if not args:
        raise ConversionError(Code.UsageError, "the model does not say what its inputs are", help=_NEEDS_ARGUMENTS)
    return _keras_archive(model, args, folder)


def _keras_archive(model: Foreign, inputs: Sequence[Foreign], folder: str) -> str:
    tf: Foreign = sys.modules.get("tensorflow")
    if tf is None:
        raise ConversionError(
            Code.PackageMissing, "Keras exports with TensorFlow, which was not imported", help="import tensorflow"
        )
    path = os.path.join(folder, _label(model))
    archive = sys.modules["keras"].export.ExportArchive()
    archive.track(model)
    names = [getattr(i, "name", None) or f"input_{k}" for k, i in enumerate(inputs)]
    specs = [tf.TensorSpec(i.shape, i.dtype, name=_NAME.sub("_", n)) for n, i in zip(names, inputs, strict=True)]
    run = (lambda x: model(x, training=False)) if len(specs) == 1 else (lambda *xs: model([*xs], training=False))
    archive.add_endpoint(name="serve", fn=run, input_signature=specs)
    archive.write_out(path, options=tf.saved_model.SaveOptions(save_debug_info=True), verbose=False)
    return path


def _torch(model: Foreign, args: Sequence[object], folder: str) -> str:
    """An ONNX model of the program that torch.export makes."""
    path = os.path.join(folder, f"{_label(model)}.onnx")
    torch: Foreign = sys.modules["torch"]
    program = _torch_program(torch, model, args) if isinstance(model, torch.nn.Module) else model
    torch.onnx.export(program, dynamo=True, verbose=False, output_names=output_names(program)).save(path)
    return path


def _torch_program(torch: Foreign, module: Foreign, args: Sequence[object]) -> object:
    """A module as it computes, not as it learns; with every frame of the source where torch can follow all of them."""
    if not args:
        raise ConversionError(Code.UsageError, "a torch module has no inputs of its own", help=_NEEDS_ARGUMENTS)
    training = module.training
    module.eval()
    try:
        return torch.export.export(module, tuple(args), strict=True)
    except RuntimeError:  # what torch's tracer does not follow
        return torch.export.export(module, tuple(args), strict=False)
    finally:
        module.train(training)


_KINDS: tuple[tuple[Callable[[object], bool], Callable[[Foreign, Sequence[object], str], str]], ...] = (
    (_is_of("onnx", "ModelProto"), _onnx),
    (_is_of("torch", "nn.Module", "export.ExportedProgram"), _torch),
    (_is_of("keras", "Model"), _keras),
    (_is_of("tensorflow", "types.experimental.GenericFunction", "types.experimental.ConcreteFunction"), _tf_function),
    (_is_of("jax", "export.Exported"), _jax),
    (callable, _jax),
)

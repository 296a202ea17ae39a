"""Keras files (`.keras`, `.h5`): loaded in a separate process with the user's Keras, and saved from there as a
SavedModel with debug information.

Loading a Keras file runs Keras, and with it TensorFlow; that is the user's own code and not ours, so it has a process
of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.child import Folder, last_words

_SCRIPT = """
import importlib, os, sys
source, target, safe, *modules = sys.argv[1:]
if modules:
    sys.path.append(os.getcwd())
for module in modules:
    importlib.import_module(module)
import keras
import tensorflow as tf
model = keras.models.load_model(source, compile=False, safe_mode=safe == "safe")
options = tf.saved_model.SaveOptions(save_debug_info=True)
if hasattr(keras, "export") and hasattr(keras.export, "ExportArchive") and model.inputs:
    specs = [tf.TensorSpec(i.shape, i.dtype, name=i.name) for i in model.inputs]
    archive = keras.export.ExportArchive()
    archive.track(model)
    nest = getattr(model, "_inputs_struct", specs if len(specs) > 1 else specs[0])  # a functional model may take a dict
    serve = lambda *xs: model(keras.tree.pack_sequence_as(nest, list(xs)), training=False)
    archive.add_endpoint(name="serve", fn=serve, input_signature=specs)
    archive.write_out(target, options=options)
else:
    model.save(target, save_format="tf", options=options)
"""


def to_saved_model(path: str, modules: Sequence[str], unsafe: bool = False) -> Folder:
    """A folder with the SavedModel of a Keras file; it goes when the object does.

    modules: imported first, for custom objects; only then is the current folder on the path, behind all others.
    unsafe: the file may hold Python code, which is run.

    Raises ConversionError VariantUnsupported with Keras's own last words when it cannot load the file, PackageMissing
    when Keras is not installed.
    """
    folder = Folder("mlconv-keras-")
    arguments = [path, folder.name, "unsafe" if unsafe else "safe", *modules]
    said = last_words(_SCRIPT, arguments, f"Keras did not load {path}")
    if said is None:
        return folder
    folder.remove()
    if "No module named 'keras'" in said[0] or "No module named 'tensorflow'" in said[0]:
        raise ConversionError(
            Code.PackageMissing, f"{path} is a Keras file, and Keras is not installed", help="pip install tensorflow"
        )
    holds_code = any("safe_mode" in line or "unsafe_deserialization" in line for line in said)
    help_ = "name the module that defines the model's custom objects with --import MODULE"
    if holds_code:
        help_ = "the file holds Python code; --unsafe-keras runs it, for files that you trust"
    raise ConversionError(
        Code.VariantUnsupported, f"Keras cannot load {path}: {said[0]}", notes=tuple(said[1:4]), help=help_
    )

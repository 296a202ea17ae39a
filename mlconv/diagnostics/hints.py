"""Hints that need facts from elsewhere: names that were nearly right, and how to get source lines from an exporter that
recorded none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

_MOST_NAMES = 2000  # difflib is quadratic; a longer list is cut

_BY_FORMAT = {
    "graphdef": "a frozen GraphDef holds node names only: convert the SavedModel it was made from, saved with "
    "tf.saved_model.SaveOptions(save_debug_info=True)",
    "graphdef_text": "a frozen GraphDef holds node names only: convert the SavedModel it was made from, saved with "
    "tf.saved_model.SaveOptions(save_debug_info=True)",
    "saved_model": "the SavedModel was saved without debug information: tf.saved_model.save(..., "
    "options=tf.saved_model.SaveOptions(save_debug_info=True)), "
    "or for Keras ExportArchive.write_out(path, options=...)",
    "keras": "a .keras file holds no source lines: build the model in a script "
    "and save it with keras.export.ExportArchive.write_out(path, "
    "options=tf.saved_model.SaveOptions(save_debug_info=True))",
    "stablehlo": "the module was written without locations: export it with jax.export, or print it with "
    "lowered.as_text(debug_info=True)",
    "hlo": "the HLO module has no stack frames: lower it with jax 0.4 or newer, from Python source",
}
_TORCH = (
    "this torch export records no lines: torch.onnx.export(torch.export.export(model, "
    "args, strict=True), dynamo=True) records every line, "
    "the older exporter with verbose=True does too"
)
_TF2ONNX = (
    "tf2onnx drops source lines: convert the SavedModel itself, "
    "saved with tf.saved_model.SaveOptions(save_debug_info=True)"
)


def how_to_record(source: Mapping[str, object]) -> str:
    """Why a model file has no source lines, and how to export it so that it has.  source: facts of the import
    (`format`, `producer`).
    """
    form, producer = str(source.get("format", "")), str(source.get("producer", "")).lower()
    if str(source.get("path", "")).endswith((".keras", ".h5")):
        form = "keras"
    if form.startswith("onnx"):
        if "pytorch" in producer or "torch" in producer:
            hint = _TORCH
        elif "tf2onnx" in producer:
            hint = _TF2ONNX
        else:
            hint = f"{producer or 'the exporter'} records none in ONNX files; the node name is all there is"
    else:
        hint = next((text for key, text in _BY_FORMAT.items() if form == key or form.startswith(key + "_")), "")
    return f"no source line is recorded for this node: {hint}" if hint else ""


def nearest(name: str, known: Iterable[str], most: int = 1, alike: float = 0.6) -> list[str]:
    """Those of the known names that are nearly a name, the nearest first.  alike: how much of both has to be the same.

    What compares them takes as much memory as a large module, and only a mistake asks.
    """
    from difflib import get_close_matches

    return get_close_matches(name, list(known), most, alike)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?` for the nearest of the known names, or nothing.  Case and a port (`:0`) do not count."""
    names = list(dict.fromkeys(islice(known, _MOST_NAMES)))
    lowered = {n.lower(): n for n in reversed(names)}
    head = name.lower().rpartition(":")[0] if name.rpartition(":")[2].isdecimal() and ":" in name else name.lower()
    close = [head] if head in lowered else nearest(head, lowered, 3, alike=0.65)
    return f"did you mean {' or '.join(repr(lowered[c]) for c in close)}?" if close else ""

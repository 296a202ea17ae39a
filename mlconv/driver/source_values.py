"""What a model's own runtime computes, with the values inside, as far as that runtime shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mlconv.driver.options import Options
from mlconv.driver.roundings import tflite_rounding
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.constants import Array
from mlconv.runtime.layer_noise import Rounding
from mlconv.runtime.layer_values import LayerValue, node_value, tflite_values
from mlconv.runtime.onnx_runtime import values_inside
from mlconv.runtime.source import graph_values, source_runs
from mlconv.runtime.tflite_file import TfliteFile

_INTEGERS = ("QLinear", "Integer")  # ops whose sums ONNX Runtime may cut off, unless it changes the graph


class SourceValues(NamedTuple):
    """outputs: of the model, by name.  values: inside, too, where the runtime shows them.  rounding: of weights."""

    outputs: Mapping[str, Array]
    values: list[LayerValue]
    rounding: Rounding = Rounding()


def source_values(source: LoadedModel, inputs: Mapping[str, Array], options: Options) -> SourceValues:
    """A model as it was read, on its source's runtime.  Raises ConversionError VerificationImpossible where there is
    none here, and what it raises.
    """
    module, names = source.module, source.main.output_names
    kind, path = str(module.source.get("format", "")), str(module.source.get("path", ""))
    cut = bool(options.inputs or options.outputs)
    is_whole = any(part in op.name for op in module.walk() for part in _INTEGERS)
    if kind == "onnx" and not cut and not is_whole:
        known = values_inside(path, inputs)
        return SourceValues({name: known[name] for name in names}, _plain(known))
    if kind == "tflite" and not cut:
        file = TfliteFile(path, source.main.signature, keeps=True)
        outputs = file.run(inputs)
        return SourceValues(outputs, [*_plain(outputs), *tflite_values(file)], tflite_rounding(file))
    run = (source.main, inputs)
    if kind in ("saved_model", "graphdef", "graphdef_text") and not cut:
        outputs, inside = graph_values(module, run, options.tags)
        return SourceValues(outputs, [*_plain(outputs), *(node_value(name, array) for name, array in inside.items())])
    found = source_runs(module, [run], cut, options.tags, source.folder)[0]
    return SourceValues(found, _plain(found))


def _plain(known: Mapping[str, Array]) -> list[LayerValue]:
    return [LayerValue((name,), (), array) for name, array in known.items()]

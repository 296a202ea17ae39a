"""The targets `savedmodel` and `graphdef`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

from mlconv.exporters.target import IN_FLOAT32, Target, TargetOptions, WriteRequest, setting

if TYPE_CHECKING:
    from mlconv.ir.core import Op
    from mlconv.ir.module import Module
    from mlconv.runtime.verify import Runner


@dataclass(frozen=True)
class TensorflowOptions(TargetOptions):
    """Options of TensorFlow's files."""

    reduce_float64: bool = setting(False, IN_FLOAT32, lowers=True)


class Tensorflow(Target):
    """What both formats share."""

    prefix = "tf."
    options: ClassVar[type[TargetOptions]] = TensorflowOptions
    dynamic = False

    def pipeline(self, options: TensorflowOptions) -> str:
        passes = "quant-to-arithmetic,expand-trees,expand-recurrent,simplify-sizes,simplify-indices,narrow-sizes,to-tf"
        return self.reduced(passes, options.reduce_float64)

    def is_transpose(self, op: Op) -> bool:
        return op.name == "tf.Transpose"

    def status(self) -> str:
        return "writes, verifies with TensorFlow" if find_spec("tensorflow") else "writes; TensorFlow is not installed"


class SavedModel(Tensorflow):
    """SavedModel folders: signatures, and variables in files of their own."""

    name = "savedmodel"
    label = "SavedModel"
    suffix = "_saved_model"
    op_bytes = 250
    keeps_variables = True
    folder = frozenset({"saved_model.pb", "variables", "debug", "assets", "assets.extra", "fingerprint.pb"})

    def write(self, module: Module, options: TensorflowOptions, request: WriteRequest) -> int:
        from mlconv.exporters.savedmodel.export import export_saved_model

        return export_saved_model(module, request.path)

    def runner(self, path: str) -> Runner:
        from mlconv.runtime.tensorflow import TensorflowRunner

        return TensorflowRunner(path, "saved_model")


class GraphDef(Tensorflow):
    """Frozen graphs."""

    name = "graphdef"
    label = "GraphDef"
    suffix = ".pb"
    one_file = True

    def write(self, module: Module, options: TensorflowOptions, request: WriteRequest) -> int:
        from mlconv.exporters.savedmodel.export import export_graph_def

        return export_graph_def(module, request.path)

    def runner(self, path: str) -> Runner:
        from mlconv.exporters.savedmodel.names import ends_of_graph
        from mlconv.runtime.tensorflow import TensorflowRunner

        return TensorflowRunner(path, "graphdef", ends_of_graph)


SAVED_MODEL, GRAPHDEF = SavedModel(), GraphDef()

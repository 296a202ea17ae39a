"""What plug-ins import: all of it, and nothing else of mlconv.

A plug-in is an installed package with entry points.  The group `mlconv.api` has one, `api`, that leads to its `API`:
the number below, as it was when the plug-in was written.  The others name objects as `module:object`:

    mlconv.targets    name = a Target            what `--to name` writes
    mlconv.formats    name = a SourceFormat      files that are recognised and read
    mlconv.passes     name = a Pass class        what `--pipeline name` runs
    mlconv.dialects   prefix = a Dialect         ops `prefix.*` in IR
    mlconv.rules      pass = Rules               asked first by a pass that converts (`from-onnx`, `to-tfl`, ...), and
                                                 by `kernel-claim`, which gives kernels to other libraries
    mlconv.kernels    op = a KernelKind          code of a kernel op
"""

from __future__ import annotations

from mlconv.codegen.kernels.kind import Call, ForeignFunction, KernelKind, Written
from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.literals import real
from mlconv.codegen.llvm.text import Builder as CodeBuilder
from mlconv.codegen.llvm.types import FLOAT, I32, I64, VOID, integer, memory_type
from mlconv.codegen.llvm.types import Value as CodeValue
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.kernel import KernelOp
from mlconv.driver.plugins import API
from mlconv.exporters.target import Kept, Target, TargetOptions, WriteRequest, setting
from mlconv.formats.atomic import replacing
from mlconv.importers.format import CUT, Confidence, LoadRequest, SourceFormat
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.attributes import attribute
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Op, Value, Yield
from mlconv.ir.dialect import Dialect
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.spec import (
    OpDef,
    attr,
    op,
    operand,
    operands,
    optional_operand,
    region,
    result,
    results,
)
from mlconv.ir.target_op import TargetOp
from mlconv.ir.traits import (
    Capturing,
    Commutative,
    Effect,
    Elementwise,
    Impure,
    Plumbing,
    ReadsContents,
    SameElementType,
    Trait,
    Transposing,
)
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.plain_products import PlainProduct, plain_product
from mlconv.passes.base import Pass, PassContext
from mlconv.provenance.locations import FileLocation, Location
from mlconv.rewrite import NoMatch, Pattern, Rewriter, Rules, greedy, rewrite

__all__ = [
    "API",
    "CUT",
    "FLOAT",
    "I32",
    "I64",
    "VOID",
    "Builder",
    "Call",
    "Capturing",
    "Code",
    "CodeBuilder",
    "CodeValue",
    "Commutative",
    "Confidence",
    "ConversionError",
    "DType",
    "Dialect",
    "Dim",
    "Effect",
    "Elementwise",
    "FileLocation",
    "ForeignFunction",
    "Function",
    "Impure",
    "Kept",
    "KernelKind",
    "KernelOp",
    "LoadRequest",
    "LoadedModel",
    "Location",
    "Module",
    "NoMatch",
    "Op",
    "OpDef",
    "Pass",
    "PassContext",
    "Pattern",
    "PlainProduct",
    "Plumbing",
    "ReadsContents",
    "Rewriter",
    "Rules",
    "SameElementType",
    "SourceFormat",
    "Target",
    "TargetOp",
    "TargetOptions",
    "TensorType",
    "Trait",
    "Transposing",
    "Value",
    "WriteRequest",
    "Written",
    "Yield",
    "attr",
    "attribute",
    "core",
    "greedy",
    "integer",
    "load",
    "make_const",
    "memory_type",
    "op",
    "operand",
    "operands",
    "optional_operand",
    "plain_product",
    "real",
    "region",
    "replacing",
    "result",
    "results",
    "rewrite",
    "setting",
    "store",
]

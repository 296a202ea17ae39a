"""Stable codes of diagnostics.  A code is never renumbered; each has a page in `pages/` and a test.

00xx input and output files, 01xx structure of the source graph, 02xx types and shapes, 03xx source ops, 04xx target
legalization, 05xx constants and quantization, 06xx passes, 07xx verification, 08xx usage, 09xx internal.
"""

from __future__ import annotations

import enum


class Code(enum.Enum):
    """The value is the short title; the name is the code that users see."""

    MLC0001 = "input not found or not readable"
    MLC0002 = "file format not recognised"
    MLC0003 = "file is damaged or truncated"
    MLC0004 = "file nests too deeply"
    MLC0005 = "external data missing, short or outside the model's folder"
    MLC0006 = "text that is not UTF-8"
    MLC0007 = "output cannot be written"
    MLC0008 = "model needs a package that is not installed"
    MLC0009 = "model format version or opset not supported"
    MLC0101 = "name defined twice"
    MLC0102 = "input produced by no node"
    MLC0103 = "graph has a cycle"
    MLC0104 = "graph has no outputs"
    MLC0105 = "wrong number of inputs or outputs of a node"
    MLC0106 = "attribute missing or ill-typed"
    MLC0107 = "input, output or signature not found"
    MLC0108 = "control flow that cannot be structured"
    MLC0201 = "shapes do not fit"
    MLC0202 = "element types do not fit"
    MLC0203 = "shape or value must be known at conversion time"
    MLC0204 = "tensor too large"
    MLC0205 = "element type not supported"
    MLC0301 = "operator not supported"
    MLC0302 = "operator variant not supported"
    MLC0401 = "target has no form for an operator"
    MLC0402 = "target cannot hold a value's type or rank"
    MLC0403 = "output file failed its structural check"
    MLC0404 = "target not available"
    MLC0501 = "constant's size and data disagree"
    MLC0502 = "constant is not finite"
    MLC0601 = "rewriting did not come to an end"
    MLC0602 = "pipeline or IR text not understood"
    MLC0603 = "IR is not valid"
    MLC0701 = "verification failed"
    MLC0702 = "verification not possible"
    MLC0801 = "option not understood"
    MLC0901 = "internal error"

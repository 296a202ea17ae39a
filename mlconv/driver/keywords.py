"""Keywords of the Python API: what `mlconv.convert`, `load`, `quantize`, `simplify` and `check` take besides
their own arguments.  `Options`, and docs/options.md for those of targets, say what they mean.

Written by `tools/gen_keywords.py` from the fields of `Options` and of the option classes of targets; a test holds it
to them.  Options of plug-ins' targets have no name here: they go into `target={NAME: VALUE}`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from mlconv.quantize.metrics import OwnMetric
from mlconv.runtime.samples import Source


class LoadOptions(TypedDict, total=False):
    """Of `mlconv.load`."""

    tags: Sequence[str]
    imports: Sequence[str]
    shapes: Mapping[str, Sequence[int | str]]
    freeze: Mapping[str, object]
    unsafe_keras: bool
    linked_data: bool
    plugins: Sequence[str]


class SimplifyOptions(TypedDict, total=False):
    """Of `mlconv.simplify`."""

    shapes: Mapping[str, Sequence[int | str]]
    linked_data: bool
    plugins: Sequence[str]


class TargetKeywords(TypedDict, total=False):
    """Of the targets that come along."""

    reduce_float64: bool
    allow_custom_ops: bool
    allow_select_ops: bool
    metadata: str | os.PathLike[str]
    mesh: tuple[tuple[str, int], ...]
    shard_rules: tuple[tuple[str, Sequence[str]], ...]
    weights: Literal["inline", "parameters", "file"]
    partitioner: Literal["shardy", "gspmd"]
    opset: int
    onnx_profile: Literal["ort", "tensorrt", "openvino"]
    reduce_range: bool
    unsigned_weights: bool
    int4_products: Literal["dequantize", "matmulnbits"]
    external_data: bool
    machine: str
    cpu: str
    features: str
    tune: bool
    tune_cache: str | os.PathLike[str]
    winograd: Literal["auto", "faster", "never"]
    optimize: Literal["speed", "size"]
    pool: bool
    shared: bool
    archive: bool
    example: bool
    emit_code: str
    extern: Sequence[str]
    library: str
    self_test: bool


class QuantizeOptions(LoadOptions, TargetKeywords, total=False):
    """Of `mlconv.quantize`."""

    inputs: Sequence[str]
    outputs: Sequence[str]
    signature: str | None
    io_layout: Literal["keep", "nhwc"]
    layouts: Mapping[str, str]
    means: Mapping[str, float | Sequence[float]]
    stds: Mapping[str, float | Sequence[float]]
    input_types: Mapping[str, Literal["uint8", "int8"]]
    target: Mapping[str, object]
    fold_limit: int
    strip_locations: bool
    path_map: Sequence[tuple[str, str]]
    io_json: bool
    verify: bool
    verify_with: Literal["reference", "source"]
    data: str | os.PathLike[str]
    expect: str | os.PathLike[str]
    rtol: float
    atol: float
    min_snr: float
    verify_each: bool
    time_passes: bool
    print_ir_after: str
    dump_ir: str | os.PathLike[str]
    certificate: str | os.PathLike[str]
    report: str | os.PathLike[str]
    source_roots: Sequence[str]
    activation_ranges: str
    quant_profile: str
    calibration_images: str
    save_recipe: str | os.PathLike[str]
    save_calibration: str | os.PathLike[str]


class ConvertOptions(QuantizeOptions, total=False):
    """Of `mlconv.convert`."""

    quantize: str | os.PathLike[str]
    quantize_rules: Sequence[str]
    calibration: str | os.PathLike[str] | Source
    granularity: str
    require_int8: bool
    measure: bool
    max_drop: float | None
    metric: str | OwnMetric
    evaluation: str | os.PathLike[str] | Source
    labels: str
    jobs: int | str

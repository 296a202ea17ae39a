"""The built-in passes by name, as `module:class`: read without loading any of them."""

from __future__ import annotations

PASSES = {
    "from-onnx": "mlconv.legalize.passes:FromOnnx",
    "from-tf": "mlconv.legalize.passes:FromTf",
    "from-hlo": "mlconv.legalize.passes:FromHlo",
    "canonicalize": "mlconv.passes.canonicalize:Canonicalize",
    "fold": "mlconv.passes.fold:Fold",
    "cse": "mlconv.passes.cse:Cse",
    "dce": "mlconv.passes.dce:Dce",
    "layout": "mlconv.passes.layout:Layout",
    "loops": "mlconv.passes.loops:Loops",
    "state": "mlconv.passes.state:State",
    "unroll": "mlconv.passes.unroll:Unroll",
    "io-layout": "mlconv.passes.io_layout:IoLayout",
    "fold-batch-norm": "mlconv.passes.fold_batch_norm:FoldBatchNorm",
    "check-finite": "mlconv.passes.check_finite:CheckFinite",
    "relocate": "mlconv.passes.relocate:Relocate",
    "to-tfl": "mlconv.legalize.to_tfl.passes:ToTfl",
    "tfl-merge": "mlconv.legalize.to_tfl.passes:TflMerge",
    "tfl-fuse": "mlconv.legalize.to_tfl.passes:TflFuse",
    "tfl-fill-splats": "mlconv.legalize.to_tfl.passes:TflFillSplats",
    "tfl-separate-views": "mlconv.legalize.to_tfl.passes:TflSeparateViews",
    "tfl-initialize": "mlconv.legalize.to_tfl.passes:TflInitialize",
    "to-hlo": "mlconv.legalize.to_hlo.passes:ToHlo",
    "to-kernel": "mlconv.legalize.to_kernel.passes:ToKernel",
    "kernel-fuse-maps": "mlconv.legalize.to_kernel.passes:KernelFuseMaps",
    "kernel-elide-copies": "mlconv.legalize.to_kernel.passes:KernelElideCopies",
    "kernel-fuse-rows": "mlconv.legalize.to_kernel.passes:KernelFuseRows",
    "kernel-fuse-attention": "mlconv.legalize.to_kernel.passes:KernelFuseAttention",
    "kernel-fuse-convs": "mlconv.legalize.to_kernel.passes:KernelFuseConvs",
}

// CASE: factors that are rounded are a part of the products that make them, and weights are packed in pairs
// RUN: to-kernel,kernel-fuse-maps,kernel-elide-copies,kernel-round-factors
^bb(%x: tensor<4x6xf32>):
  %n = "core.cast"(%x) {dtype = bf16} : (tensor<4x6xf32>) -> (tensor<4x6xbf16>)
  %f = "core.cast"(%n) {dtype = f32} : (tensor<4x6xbf16>) -> (tensor<4x6xf32>)
  %c = "core.constant"() {value = dense<0.5> : tensor<6x8xbf16>} : () -> (tensor<6x8xbf16>)
  %w = "core.cast"(%c) {dtype = f32} : (tensor<6x8xbf16>) -> (tensor<6x8xf32>)
  %y = "core.matmul"(%f, %w) : (tensor<4x6xf32>, tensor<6x8xf32>) -> (tensor<4x8xf32>)
  %m = "core.cast"(%y) {dtype = bf16} : (tensor<4x8xf32>) -> (tensor<4x8xbf16>)
  %g = "core.cast"(%m) {dtype = f32} : (tensor<4x8xbf16>) -> (tensor<4x8xf32>)
  %d = "core.constant"() {value = dense<0.25> : tensor<8x4xbf16>} : () -> (tensor<8x4xbf16>)
  %v = "core.cast"(%d) {dtype = f32} : (tensor<8x4xbf16>) -> (tensor<8x4xf32>)
  %z = "core.matmul"(%g, %v) : (tensor<4x8xf32>, tensor<8x4xf32>) -> (tensor<4x4xf32>)
  "mlconv.yield"(%z) : (tensor<4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x6xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4, 6], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [6, 1]>>, #kernel.instr<opcode = "factor", dtype = bf16, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [6, 1]>>]} : (tensor<4x6xf32>) -> (tensor<4x6xbf16>)
  %2 = "core.constant"() {"value" = #mlconv.derived<"[bf16, [96], [1, 1, 3, 16, 2], \"transpose\", [2, 3, 0, 4, 1], [#mlconv.derived<\"[bf16, [3, 2, 1, 1, 16], [1, 6, 1, 16], \\\"pad\\\", [[0, 0], [0, 0], [0, 0], [0, 8]], [dense<0.5> : tensor<1x6x1x8xbf16>]]\">]]">} : () -> (tensor<96xbf16>)
  %3 = "kernel.gemm"(%1, %2) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 4], x = #kernel.view<offset = 0, strides = [0, 0, 6]>, window = [], window_strides = [], channels = 8, after = [#kernel.instr<opcode = "factor", dtype = bf16, args = [0]>], out = #kernel.view<offset = 0, strides = [32, 32, 8, 1]>>, run = 6, types = #kernel.product_types<x = bf16, weights = bf16, sums = f32, result = bf16>>} : (tensor<4x6xbf16>, tensor<96xbf16>) -> (tensor<4x8xbf16>)
  %4 = "core.constant"() {"value" = #mlconv.derived<"[bf16, [128], [1, 1, 4, 16, 2], \"transpose\", [2, 3, 0, 4, 1], [#mlconv.derived<\"[bf16, [4, 2, 1, 1, 16], [1, 8, 1, 16], \\\"pad\\\", [[0, 0], [0, 0], [0, 0], [0, 12]], [dense<0.25> : tensor<1x8x1x4xbf16>]]\">]]">} : () -> (tensor<128xbf16>)
  %5 = "kernel.gemm"(%3, %4) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 4], x = #kernel.view<offset = 0, strides = [0, 0, 8]>, window = [], window_strides = [], channels = 4, after = [], out = #kernel.view<offset = 0, strides = [16, 16, 4, 1]>>, run = 8, types = #kernel.product_types<x = bf16, weights = bf16, sums = f32, result = f32>>} : (tensor<4x8xbf16>, tensor<128xbf16>) -> (tensor<4x4xf32>)
  "mlconv.yield"(%5) : (tensor<4x4xf32>) -> ()

// -----
// CASE: a rounded number that goes out keeps its denormals
// RUN: to-kernel,kernel-fuse-maps,kernel-round-factors
^bb(%x: tensor<4x6xf32>):
  %n = "core.cast"(%x) {dtype = bf16} : (tensor<4x6xf32>) -> (tensor<4x6xbf16>)
  "mlconv.yield"(%n) : (tensor<4x6xbf16>) -> ()
// EXPECT
^bb(%0: tensor<4x6xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4, 6], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [6, 1]>>, #kernel.instr<opcode = "cast", dtype = bf16, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [6, 1]>>]} : (tensor<4x6xf32>) -> (tensor<4x6xbf16>)
  "mlconv.yield"(%1) : (tensor<4x6xbf16>) -> ()

// -----
// CASE: weights alone in 16 bits are widened in registers
// RUN: to-kernel
^bb(%x: tensor<4x6xf32>):
  %c = "core.constant"() {value = dense<0.5> : tensor<6x8xf16>} : () -> (tensor<6x8xf16>)
  %w = "core.cast"(%c) {dtype = f32} : (tensor<6x8xf16>) -> (tensor<6x8xf32>)
  %y = "core.matmul"(%x, %w) : (tensor<4x6xf32>, tensor<6x8xf32>) -> (tensor<4x8xf32>)
  "mlconv.yield"(%y) : (tensor<4x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x6xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<48xf16>} : () -> (tensor<48xf16>)
  %2 = "kernel.gemm"(%0, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 4], x = #kernel.view<offset = 0, strides = [0, 0, 6]>, window = [], window_strides = [], channels = 8, after = [], out = #kernel.view<offset = 0, strides = [32, 32, 8, 1]>>, run = 6, types = #kernel.product_types<x = f32, weights = f16, sums = f32, result = f32>, dense = true>} : (tensor<4x6xf32>, tensor<48xf16>) -> (tensor<4x8xf32>)
  "mlconv.yield"(%2) : (tensor<4x8xf32>) -> ()

// -----
// CASE: what is moved on the way to a product is rounded before that
// RUN: to-kernel,kernel-fuse-maps,kernel-round-factors
^bb(%x: tensor<4x8xf32>, %b: tensor<4x8xf32>):
  %s = "core.add"(%x, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>)
  %t = "core.transpose"(%s) {perm = [1, 0]} : (tensor<4x8xf32>) -> (tensor<8x4xf32>)
  %n = "core.cast"(%t) {dtype = bf16} : (tensor<8x4xf32>) -> (tensor<8x4xbf16>)
  %f = "core.cast"(%n) {dtype = f32} : (tensor<8x4xbf16>) -> (tensor<8x4xf32>)
  %c = "core.constant"() {value = dense<0.5> : tensor<4x8xbf16>} : () -> (tensor<4x8xbf16>)
  %w = "core.cast"(%c) {dtype = f32} : (tensor<4x8xbf16>) -> (tensor<4x8xf32>)
  %y = "core.matmul"(%f, %w) : (tensor<8x4xf32>, tensor<4x8xf32>) -> (tensor<8x8xf32>)
  "mlconv.yield"(%y) : (tensor<8x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>):
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4, 8], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [8, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [8, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "factor", dtype = bf16, args = [2]>], after = [], out = #kernel.view<offset = 0, strides = [8, 1]>>]} : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xbf16>)
  %3 = "kernel.loop_nest"(%2) {"problem" = [#kernel.step<extents = [8, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = bf16, args = [0], value = #kernel.view<offset = 0, strides = [1, 8]>>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<4x8xbf16>) -> (tensor<8x4xbf16>)
  %4 = "core.constant"() {"value" = #mlconv.derived<"[bf16, [64], [1, 1, 2, 16, 2], \"transpose\", [2, 3, 0, 4, 1], [#mlconv.derived<\"[bf16, [2, 2, 1, 1, 16], [1, 4, 1, 16], \\\"pad\\\", [[0, 0], [0, 0], [0, 0], [0, 8]], [dense<0.5> : tensor<1x4x1x8xbf16>]]\">]]">} : () -> (tensor<64xbf16>)
  %5 = "kernel.gemm"(%3, %4) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 8], x = #kernel.view<offset = 0, strides = [0, 0, 4]>, window = [], window_strides = [], channels = 8, after = [], out = #kernel.view<offset = 0, strides = [64, 64, 8, 1]>>, run = 4, types = #kernel.product_types<x = bf16, weights = bf16, sums = f32, result = f32>>} : (tensor<8x4xbf16>, tensor<64xbf16>) -> (tensor<8x8xf32>)
  "mlconv.yield"(%5) : (tensor<8x8xf32>) -> ()

// -----
// CASE: windows of short lines are laid side by side
// RUN: to-kernel
^bb(%x: tensor<1x5x5x2xf32>):
  %n = "core.cast"(%x) {dtype = bf16} : (tensor<1x5x5x2xf32>) -> (tensor<1x5x5x2xbf16>)
  %f = "core.cast"(%n) {dtype = f32} : (tensor<1x5x5x2xbf16>) -> (tensor<1x5x5x2xf32>)
  %c = "core.constant"() {value = dense<0.5> : tensor<2x2x2x3xbf16>} : () -> (tensor<2x2x2x3xbf16>)
  %w = "core.cast"(%c) {dtype = f32} : (tensor<2x2x2x3xbf16>) -> (tensor<2x2x2x3xf32>)
  %y = "core.conv"(%f, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "N01C", w_layout = "01IO", y_layout = "N01C", mlconv.absent = [2]} : (tensor<1x5x5x2xf32>, tensor<2x2x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x5x5x2xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 5, 5, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 10, 2, 1]>>, #kernel.instr<opcode = "cast", dtype = bf16, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [50, 10, 2, 1]>>]} : (tensor<1x5x5x2xf32>) -> (tensor<1x5x5x2xbf16>)
  %2 = "core.constant"() {"value" = #mlconv.derived<"[bf16, [128], [1, 1, 4, 16, 2], \"transpose\", [2, 3, 0, 4, 1], [#mlconv.derived<\"[bf16, [4, 2, 1, 1, 16], [1, 8, 1, 16], \\\"pad\\\", [[0, 0], [0, 0], [0, 0], [0, 13]], [dense<0.5> : tensor<1x8x1x3xbf16>]]\">]]">} : () -> (tensor<128xbf16>)
  %3 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [1, 4, 4, 2, 2, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = bf16, args = [0], value = #kernel.view<offset = 0, strides = [50, 10, 2, 10, 2, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [128, 32, 8, 4, 2, 1]>>]} : (tensor<1x5x5x2xbf16>) -> (tensor<1x4x4x8xbf16>)
  %4 = "kernel.gemm"(%3, %2) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [128, 32, 8]>, window = [], window_strides = [], channels = 3, after = [], out = #kernel.view<offset = 0, strides = [48, 12, 3, 1]>>, run = 8, types = #kernel.product_types<x = bf16, weights = bf16, sums = f32, result = f32>>} : (tensor<1x4x4x8xbf16>, tensor<128xbf16>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%4) : (tensor<1x4x4x3xf32>) -> ()

// -----
// CASE: the phases of a transposed convolution are a product of bfloat16 too
// RUN: to-kernel,kernel-fuse-maps,kernel-round-factors
^bb(%x: tensor<1x4x4x2xf32>):
  %n = "core.cast"(%x) {dtype = bf16} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xbf16>)
  %f = "core.cast"(%n) {dtype = f32} : (tensor<1x4x4x2xbf16>) -> (tensor<1x4x4x2xf32>)
  %c = "core.constant"() {value = dense<0.5> : tensor<2x2x4x2xbf16>} : () -> (tensor<2x2x4x2xbf16>)
  %w = "core.cast"(%c) {dtype = f32} : (tensor<2x2x4x2xbf16>) -> (tensor<2x2x4x2xf32>)
  %y = "core.conv_transpose"(%f, %w) {strides = [2, 2], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<2x2x4x2xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x8x8x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 4, 4, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 8, 2, 1]>>, #kernel.instr<opcode = "factor", dtype = bf16, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>]} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xbf16>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<32xbf16>} : () -> (tensor<32xbf16>)
  %3 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [1, 4, 4, 1, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = bf16, args = [0], value = #kernel.view<offset = 0, strides = [32, 8, 2, 8, 2, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [32, 8, 2, 2, 2, 1]>>]} : (tensor<1x4x4x2xbf16>) -> (tensor<1x4x4x2xbf16>)
  %4 = "kernel.gemm"(%3, %2) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [32, 8, 2]>, window = [], window_strides = [], channels = 16, after = [], out = #kernel.view<offset = 0, strides = [256, 64, 16, 1]>>, run = 2, types = #kernel.product_types<x = bf16, weights = bf16, sums = f32, result = f32>>} : (tensor<1x4x4x2xbf16>, tensor<32xbf16>) -> (tensor<1x4x4x16xf32>)
  %5 = "kernel.alias"(%4) : (tensor<1x4x4x16xf32>) -> (tensor<1x4x4x1x2x2x4xf32>)
  %6 = "kernel.loop_nest"(%5) {"problem" = [#kernel.step<extents = [1, 4, 2, 4, 2, 1, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [256, 64, 8, 16, 4, 16, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [256, 64, 32, 8, 4, 4, 1]>>]} : (tensor<1x4x4x1x2x2x4xf32>) -> (tensor<1x4x2x4x2x1x4xf32>)
  %7 = "kernel.alias"(%6) : (tensor<1x4x2x4x2x1x4xf32>) -> (tensor<1x8x8x4xf32>)
  "mlconv.yield"(%7) : (tensor<1x8x8x4xf32>) -> ()

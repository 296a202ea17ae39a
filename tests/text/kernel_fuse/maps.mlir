// CASE: two maps are one, which has both places
// RUN: to-kernel,kernel-fuse-maps
// OPTIONS: locations
^bb(%x: tensor<2x3xf32>):
  %a = "core.exp"(%x) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %y = "core.neg"(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>, #kernel.instr<opcode = "neg", dtype = f32, args = [1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>) loc("#fused fuse"(fused["a", "y"]))
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> () loc("mlconv.yield")

// -----
// CASE: a map that is broadcast is not made again for each row
// RUN: to-kernel,kernel-fuse-maps
^bb(%x: tensor<2x3xf32>, %w: tensor<3xf32>):
  %a = "core.exp"(%w) : (tensor<3xf32>) -> (tensor<3xf32>)
  %y = "core.add"(%x, %a) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<3xf32>) -> (tensor<3xf32>)
  %3 = "kernel.loop_nest"(%0, %2) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a value with two readers stays in memory
// RUN: to-kernel,kernel-fuse-maps
^bb(%x: tensor<2x3xf32>):
  %a = "core.exp"(%x) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %y = "core.neg"(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %z = "core.abs"(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y, %z) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "neg", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %3 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "abs", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2, %3) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()

// -----
// CASE: a map that reads along another axis than its reader stays apart: each has vectors, both together have none
// RUN: to-kernel,kernel-fuse-maps
^bb(%x: tensor<32x48xf32>, %r: tensor<48x32xf32>):
  %t = "core.transpose"(%x) {perm = [1, 0]} : (tensor<32x48xf32>) -> (tensor<48x32xf32>)
  %e = "core.exp"(%t) : (tensor<48x32xf32>) -> (tensor<48x32xf32>)
  %y = "core.add"(%r, %e) : (tensor<48x32xf32>, tensor<48x32xf32>) -> (tensor<48x32xf32>)
  "mlconv.yield"(%y) : (tensor<48x32xf32>) -> ()
// EXPECT
^bb(%0: tensor<32x48xf32>, %1: tensor<48x32xf32>):
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [48, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 48]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [32, 1]>>]} : (tensor<32x48xf32>) -> (tensor<48x32xf32>)
  %3 = "kernel.loop_nest"(%1, %2) {"problem" = [#kernel.step<extents = [48, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [32, 1]>>]} : (tensor<48x32xf32>, tensor<48x32xf32>) -> (tensor<48x32xf32>)
  "mlconv.yield"(%3) : (tensor<48x32xf32>) -> ()

// -----
// CASE: a map goes behind a reduction
// RUN: to-kernel,kernel-fuse-maps
^bb(%x: tensor<2x3xf32>):
  %a = "core.reduce_sum"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  %y = "core.sqrt"(%a) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [#kernel.instr<opcode = "sqrt", dtype = f32, args = [0]>], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%1) : (tensor<2xf32>) -> ()

// -----
// CASE: a map before a reduction
// RUN: to-kernel,kernel-fuse-maps
^bb(%x: tensor<2x3xf32>):
  %a = "core.exp"(%x) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %y = "core.reduce_sum"(%a) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2) : (tensor<2xf32>) -> ()

// -----
// CASE: bias and activation are the epilogue of a product
// RUN: to-kernel,kernel-fuse-maps
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x2xf32>} : () -> (tensor<3x2xf32>)
  %a = "core.matmul"(%x, %c1) : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  %c2 = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %b = "core.add"(%a, %c2) : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
  %y = "core.clamp"(%b) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<6xf32>} : () -> (tensor<6xf32>)
  %2 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %3 = "kernel.gemm"(%0, %1, %2) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 2], x = #kernel.view<offset = 0, strides = [0, 0, 3]>, window = [], window_strides = [], channels = 2, after = [#kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 0, 0, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>, #kernel.instr<opcode = "less", dtype = i1, args = [2, 3]>, #kernel.instr<opcode = "select", dtype = f32, args = [4, 3, 2]>], out = #kernel.view<offset = 0, strides = [4, 4, 2, 1]>>, run = 3, dense = true>} : (tensor<2x3xf32>, tensor<6xf32>, tensor<2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%3) : (tensor<2x2xf32>) -> ()

// -----
// CASE: a residual is read in the epilogue of a convolution
// RUN: to-kernel,kernel-fuse-maps
^bb(%x: tensor<1x4x4x2xf32>, %z: tensor<1x4x4x3xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x3xf32>} : () -> (tensor<1x1x2x3xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  %b = "core.add"(%a, %z) : (tensor<1x4x4x3xf32>, tensor<1x4x4x3xf32>) -> (tensor<1x4x4x3xf32>)
  %y = "core.clamp"(%b) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<1x4x4x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>, %1: tensor<1x4x4x3xf32>):
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<6xf32>} : () -> (tensor<6xf32>)
  %3 = "kernel.gemm"(%0, %2, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [32, 8, 2]>, window = [1, 1], window_strides = [8, 2], channels = 3, after = [#kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 12, 3, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>, #kernel.instr<opcode = "less", dtype = i1, args = [2, 3]>, #kernel.instr<opcode = "select", dtype = f32, args = [4, 3, 2]>], out = #kernel.view<offset = 0, strides = [48, 12, 3, 1]>>, run = 2, dense = true>} : (tensor<1x4x4x2xf32>, tensor<6xf32>, tensor<1x4x4x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x3xf32>) -> ()

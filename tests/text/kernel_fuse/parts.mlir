// CASE: halves of rows are read where they lie, and written side by side
// RUN: to-kernel,kernel-fuse-maps,kernel-fuse-parts
^bb(%x: tensor<4x64xf32>, %c: tensor<4x32xf32>, %s: tensor<4x32xf32>):
  %a, %b = "core.split"(%x) {sizes = [32, 32], axis = 1} : (tensor<4x64xf32>) -> (tensor<4x32xf32>, tensor<4x32xf32>)
  %0 = "core.mul"(%a, %c) : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %1 = "core.mul"(%b, %s) : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %2 = "core.sub"(%0, %1) : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %3 = "core.mul"(%b, %c) : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %4 = "core.mul"(%a, %s) : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %5 = "core.add"(%3, %4) : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %y = "core.concat"(%2, %5) {axis = 1} : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x64xf32>)
  "mlconv.yield"(%y) : (tensor<4x64xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x64xf32>, %1: tensor<4x32xf32>, %2: tensor<4x32xf32>):
  %3 = "kernel.loop_nest"(%0, %2, %1) {"problem" = [#kernel.step<extents = [4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 32, strides = [64, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [64, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [3, 4]>, #kernel.instr<opcode = "sub", dtype = f32, args = [5, 2]>], after = [], out = #kernel.view<offset = 0, strides = [64, 1]>>, #kernel.step<extents = [4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [64, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 32, strides = [64, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [3, 4]>, #kernel.instr<opcode = "add", dtype = f32, args = [5, 2]>], after = [], out = #kernel.view<offset = 32, strides = [64, 1]>>]} : (tensor<4x64xf32>, tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x64xf32>)
  "mlconv.yield"(%3) : (tensor<4x64xf32>) -> ()

// -----
// CASE: parts of short rows are copied: maps go through the copies in whole vectors
// RUN: to-kernel,kernel-fuse-maps,kernel-fuse-parts
^bb(%x: tensor<64x6xf32>):
  %a, %b = "core.split"(%x) {sizes = [3, 3], axis = 1} : (tensor<64x6xf32>) -> (tensor<64x3xf32>, tensor<64x3xf32>)
  %y = "core.mul"(%a, %b) : (tensor<64x3xf32>, tensor<64x3xf32>) -> (tensor<64x3xf32>)
  %z = "core.add"(%a, %b) : (tensor<64x3xf32>, tensor<64x3xf32>) -> (tensor<64x3xf32>)
  "mlconv.yield"(%y, %z) : (tensor<64x3xf32>, tensor<64x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<64x6xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [64, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [6, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<64x6xf32>) -> (tensor<64x3xf32>)
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [64, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 3, strides = [6, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<64x6xf32>) -> (tensor<64x3xf32>)
  %3 = "kernel.loop_nest"(%1, %2) {"problem" = [#kernel.step<extents = [64, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<64x3xf32>, tensor<64x3xf32>) -> (tensor<64x3xf32>)
  %4 = "kernel.loop_nest"(%1, %2) {"problem" = [#kernel.step<extents = [64, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<64x3xf32>, tensor<64x3xf32>) -> (tensor<64x3xf32>)
  "mlconv.yield"(%3, %4) : (tensor<64x3xf32>, tensor<64x3xf32>) -> ()

// -----
// CASE: what is read elsewhere, too, is made once
// RUN: to-kernel,kernel-fuse-parts
^bb(%x: tensor<4x32xf32>, %z: tensor<4x32xf32>):
  %0 = "core.exp"(%x) : (tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %1 = "core.neg"(%0) : (tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %2 = "core.exp"(%z) : (tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %y = "core.concat"(%0, %2, %1) {axis = 1} : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x96xf32>)
  "mlconv.yield"(%y) : (tensor<4x96xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x32xf32>, %1: tensor<4x32xf32>):
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [32, 1]>>]} : (tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %3 = "kernel.loop_nest"(%2, %1) {"problem" = [#kernel.step<extents = [4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [96, 1]>>, #kernel.step<extents = [4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 32, strides = [96, 1]>>, #kernel.step<extents = [4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "neg", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 64, strides = [96, 1]>>]} : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x96xf32>)
  "mlconv.yield"(%3) : (tensor<4x96xf32>) -> ()

// -----
// CASE: a part of much more is copied, so that the rest need not be kept
// RUN: to-kernel,kernel-fuse-parts
^bb(%x: tensor<96x4x32xf32>):
  %0, %1, %2 = "core.split"(%x) {sizes = [32, 32, 32], axis = 0} : (tensor<96x4x32xf32>) -> (tensor<32x4x32xf32>, tensor<32x4x32xf32>, tensor<32x4x32xf32>)
  %y = "core.exp"(%1) : (tensor<32x4x32xf32>) -> (tensor<32x4x32xf32>)
  "mlconv.yield"(%y) : (tensor<32x4x32xf32>) -> ()
// EXPECT
^bb(%0: tensor<96x4x32xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [32, 4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 4096, strides = [128, 32, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [128, 32, 1]>>]} : (tensor<96x4x32xf32>) -> (tensor<32x4x32xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [32, 4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [128, 32, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [128, 32, 1]>>]} : (tensor<32x4x32xf32>) -> (tensor<32x4x32xf32>)
  "mlconv.yield"(%2) : (tensor<32x4x32xf32>) -> ()

// -----
// CASE: what is made long before keeps no operands in memory until it is joined with others
// RUN: to-kernel,kernel-fuse-parts
^bb(%x: tensor<4x32xf32>, %z: tensor<4x32xf32>, %w: tensor<32x32xf32>):
  %0 = "core.add"(%x, %z) : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %1 = "core.matmul"(%z, %w) : (tensor<4x32xf32>, tensor<32x32xf32>) -> (tensor<4x32xf32>)
  %2 = "core.exp"(%1) : (tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %y = "core.concat"(%0, %2) {axis = 1} : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x64xf32>)
  "mlconv.yield"(%y) : (tensor<4x64xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x32xf32>, %1: tensor<4x32xf32>, %2: tensor<32x32xf32>):
  %3 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [32, 1]>>]} : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x32xf32>)
  %4 = "kernel.gemm"(%1, %2) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 4], x = #kernel.view<offset = 0, strides = [0, 0, 32]>, window = [], window_strides = [], channels = 32, after = [], out = #kernel.view<offset = 0, strides = [128, 128, 32, 1]>>, run = 32, pitch = 32>} : (tensor<4x32xf32>, tensor<32x32xf32>) -> (tensor<4x32xf32>)
  %5 = "kernel.loop_nest"(%3, %4) {"problem" = [#kernel.step<extents = [4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [64, 1]>>, #kernel.step<extents = [4, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [32, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 32, strides = [64, 1]>>]} : (tensor<4x32xf32>, tensor<4x32xf32>) -> (tensor<4x64xf32>)
  "mlconv.yield"(%5) : (tensor<4x64xf32>) -> ()

// CASE: a map writes where a transpose would take its result
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<2x3x4xf32>):
  %a = "core.exp"(%x) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %y = "core.transpose"(%a) {perm = [1, 0, 2]} : (tensor<2x3x4xf32>) -> (tensor<3x2x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [12, 4, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [4, 8, 1]>>]} : (tensor<2x3x4xf32>) -> (tensor<3x2x4xf32>)
  "mlconv.yield"(%1) : (tensor<3x2x4xf32>) -> ()

// -----
// CASE: a transpose that would break up the vectors of a map stays
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<2x3xf32>):
  %a = "core.exp"(%x) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %y = "core.transpose"(%a) {perm = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [3, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 3]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%2) : (tensor<3x2xf32>) -> ()

// -----
// CASE: a map writes into a padded buffer, border included
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<2x3xf32>):
  %a = "core.exp"(%x) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %c1 = "core.constant"() {value = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%a, %c1, %c2) : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<3x3xf32>)
  "mlconv.yield"(%y) : (tensor<3x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 3, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<3x3xf32>)
  "mlconv.yield"(%1) : (tensor<3x3xf32>) -> ()

// -----
// CASE: a convolution writes into the padded image of the next, whose border stays
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x2xf32>} : () -> (tensor<1x1x2x2xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x4x4x2xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<3x3x2x2xf32>} : () -> (tensor<3x3x2x2xf32>)
  %y = "core.conv"(%a, %c2) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "kernel.gemm"(%0, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [32, 8, 2]>, window = [1, 1], window_strides = [8, 2], channels = 2, after = [], out = #kernel.view<offset = 14, strides = [0, 12, 2, 1]>, borders = [#kernel.step<extents = [1, 1, 6, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 1, 6, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 60, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 12, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 22, strides = [72, 12, 2, 1]>>]>, run = 2, dense = true>} : (tensor<1x4x4x2xf32>, tensor<4xf32>) -> (tensor<1x6x6x2xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<36xf32>} : () -> (tensor<36xf32>)
  %4 = "kernel.gemm"(%2, %3) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [72, 12, 2]>, window = [3, 3], window_strides = [12, 2], channels = 2, after = [], out = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>, run = 2, dense = true>} : (tensor<1x6x6x2xf32>, tensor<36xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%4) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: a convolution reads through a transpose
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<1x2x3x4xf32>):
  %t = "core.transpose"(%x) {perm = [0, 2, 1, 3]} : (tensor<1x2x3x4xf32>) -> (tensor<1x3x2x4xf32>)
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x4x2xf32>} : () -> (tensor<1x1x4x2xf32>)
  %y = "core.conv"(%t, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x3x2x4xf32>, tensor<1x1x4x2xf32>) -> (tensor<1x3x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<8xf32>} : () -> (tensor<8xf32>)
  %2 = "kernel.gemm"(%0, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 3, 2], x = #kernel.view<offset = 0, strides = [0, 4, 12]>, window = [1, 1], window_strides = [0, 0], channels = 2, after = [], out = #kernel.view<offset = 0, strides = [12, 4, 2, 1]>>, run = 4, dense = true>} : (tensor<1x2x3x4xf32>, tensor<8xf32>) -> (tensor<1x3x2x2xf32>)
  "mlconv.yield"(%2) : (tensor<1x3x2x2xf32>) -> ()

// -----
// CASE: a copy of a copy reads what the first one reads
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<2x3x4xf32>):
  %t = "core.transpose"(%x) {perm = [2, 1, 0]} : (tensor<2x3x4xf32>) -> (tensor<4x3x2xf32>)
  %c1 = "core.constant"() {value = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %c2 = "core.constant"() {value = dense<[2, 3, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %c3 = "core.constant"() {value = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.slice"(%t, %c1, %c2, %c3) : (tensor<4x3x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 4, 12]>>], after = [], out = #kernel.view<offset = 0, strides = [6, 2, 1]>>]} : (tensor<2x3x4xf32>) -> (tensor<2x3x2xf32>)
  "mlconv.yield"(%1) : (tensor<2x3x2xf32>) -> ()

// -----
// CASE: a copy stays where another op reads what it copies
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<2x3xf32>):
  %a = "core.exp"(%x) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %y = "core.transpose"(%a) {perm = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  %z = "core.neg"(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y, %z) : (tensor<3x2xf32>, tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [3, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 3]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  %3 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "neg", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2, %3) : (tensor<3x2xf32>, tensor<2x3xf32>) -> ()

// -----
// CASE: blocks of channels first, whose elements lie two apart, are one copy
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<1x3x16x16xf32>):
  %a = "core.transpose"(%x) {perm = [0, 2, 3, 1]} : (tensor<1x3x16x16xf32>) -> (tensor<1x16x16x3xf32>)
  %b = "core.space_to_depth"(%a) {block_size = 2} : (tensor<1x16x16x3xf32>) -> (tensor<1x8x8x12xf32>)
  %y = "core.transpose"(%b) {perm = [0, 3, 1, 2]} : (tensor<1x8x8x12xf32>) -> (tensor<1x12x8x8xf32>)
  "mlconv.yield"(%y) : (tensor<1x12x8x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3x16x16xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 2, 2, 3, 8, 8], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 16, 1, 256, 32, 2]>>], after = [], out = #kernel.view<offset = 0, strides = [0, 384, 192, 64, 8, 1]>>]} : (tensor<1x3x16x16xf32>) -> (tensor<1x12x8x8xf32>)
  "mlconv.yield"(%1) : (tensor<1x12x8x8xf32>) -> ()

// -----
// CASE: blocks back to channels first, two neighbours of which are written together, are one copy
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<1x12x8x8xf32>):
  %a = "core.transpose"(%x) {perm = [0, 2, 3, 1]} : (tensor<1x12x8x8xf32>) -> (tensor<1x8x8x12xf32>)
  %b = "core.depth_to_space"(%a) {block_size = 2} : (tensor<1x8x8x12xf32>) -> (tensor<1x16x16x3xf32>)
  %y = "core.transpose"(%b) {perm = [0, 3, 1, 2]} : (tensor<1x16x16x3xf32>) -> (tensor<1x3x16x16xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x16x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x12x8x8xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 3, 8, 2, 8, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 64, 8, 384, 1, 192]>>], after = [], out = #kernel.view<offset = 0, strides = [0, 256, 32, 16, 2, 1]>>]} : (tensor<1x12x8x8xf32>) -> (tensor<1x3x16x16xf32>)
  "mlconv.yield"(%1) : (tensor<1x3x16x16xf32>) -> ()

// -----
// CASE: a copy that would write elements far apart stays
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<7x30x6xf32>):
  %a = "core.transpose"(%x) {perm = [1, 0, 2]} : (tensor<7x30x6xf32>) -> (tensor<30x7x6xf32>)
  %c = "core.constant"() {value = dense<[30, 42]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %b = "core.reshape"(%a, %c) : (tensor<30x7x6xf32>, tensor<2xi64>) -> (tensor<30x42xf32>)
  %y = "core.transpose"(%b) {perm = [1, 0]} : (tensor<30x42xf32>) -> (tensor<42x30xf32>)
  "mlconv.yield"(%y) : (tensor<42x30xf32>) -> ()
// EXPECT
^bb(%0: tensor<7x30x6xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [30, 7, 6], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [6, 180, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [42, 6, 1]>>]} : (tensor<7x30x6xf32>) -> (tensor<30x7x6xf32>)
  %2 = "kernel.alias"(%1) : (tensor<30x7x6xf32>) -> (tensor<30x42xf32>)
  %3 = "kernel.loop_nest"(%2) {"problem" = [#kernel.step<extents = [42, 30], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 42]>>], after = [], out = #kernel.view<offset = 0, strides = [30, 1]>>]} : (tensor<30x42xf32>) -> (tensor<42x30xf32>)
  "mlconv.yield"(%3) : (tensor<42x30xf32>) -> ()

// -----
// CASE: a border of one number beside a copy stays where a transpose would write it apart
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<2x9x10xf32>):
  %p = "core.constant"() {value = dense<[[0, 0], [1, 2], [3, 4]]> : tensor<3x2xi64>} : () -> (tensor<3x2xi64>)
  %v = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %a = "core.pad"(%x, %p, %v) {mode = "constant"} : (tensor<2x9x10xf32>, tensor<3x2xi64>, tensor<f32>) -> (tensor<2x12x17xf32>)
  %y = "core.transpose"(%a) {perm = [0, 2, 1]} : (tensor<2x12x17xf32>) -> (tensor<2x17x12xf32>)
  "mlconv.yield"(%y) : (tensor<2x17x12xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x9x10xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 1, 17], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.5 : f64>], after = [], out = #kernel.view<offset = 0, strides = [204, 17, 1]>>, #kernel.step<extents = [2, 2, 17], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.5 : f64>], after = [], out = #kernel.view<offset = 170, strides = [204, 17, 1]>>, #kernel.step<extents = [2, 9, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.5 : f64>], after = [], out = #kernel.view<offset = 17, strides = [204, 17, 1]>>, #kernel.step<extents = [2, 9, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.5 : f64>], after = [], out = #kernel.view<offset = 30, strides = [204, 17, 1]>>, #kernel.step<extents = [2, 9, 10], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [90, 10, 1]>>], after = [], out = #kernel.view<offset = 20, strides = [204, 17, 1]>>]} : (tensor<2x9x10xf32>) -> (tensor<2x12x17xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [2, 17, 12], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [204, 1, 17]>>], after = [], out = #kernel.view<offset = 0, strides = [204, 12, 1]>>]} : (tensor<2x12x17xf32>) -> (tensor<2x17x12xf32>)
  "mlconv.yield"(%2) : (tensor<2x17x12xf32>) -> ()

// -----
// CASE: lines of the phases of a transposed convolution are a batch
// RUN: to-kernel,kernel-elide-copies
^bb(%x: tensor<2x5x7x6xf32>, %w: tensor<2x2x16x6xf32>):
  %y = "core.conv_transpose"(%x, %w) {strides = [2, 2], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [1, 1], mlconv.absent = [2]} : (tensor<2x5x7x6xf32>, tensor<2x2x16x6xf32>) -> (tensor<2x10x14x16xf32>)
  "mlconv.yield"(%y) : (tensor<2x10x14x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x5x7x6xf32>, %1: tensor<2x2x16x6xf32>):
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [2, 2, 6, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [192, 96, 1, 6]>>], after = [], out = #kernel.view<offset = 0, strides = [192, 96, 16, 1]>>]} : (tensor<2x2x16x6xf32>) -> (tensor<1x4x6x16xf32>)
  %3 = "kernel.gemm"(%0, %2) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [2, 10, 7], x = #kernel.view<offset = 0, strides = [0, 42, 6]>, window = [1, 1], window_strides = [42, 6], channels = 32, after = [], out = #kernel.view<offset = 0, strides = [224, 448, 32, 1]>>, run = 6, weight_strides = [192, 0]>} : (tensor<2x5x7x6xf32>, tensor<1x4x6x16xf32>) -> (tensor<2x5x2x7x2x1x16xf32>)
  %4 = "kernel.alias"(%3) : (tensor<2x5x2x7x2x1x16xf32>) -> (tensor<2x10x14x16xf32>)
  "mlconv.yield"(%4) : (tensor<2x10x14x16xf32>) -> ()

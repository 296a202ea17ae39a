// CASE: weights are packed in panels of 16 columns by a recipe
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x2xf32>} : () -> (tensor<3x2xf32>)
  %y = "core.matmul"(%x, %c1) : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<6xf32>} : () -> (tensor<6xf32>)
  %2 = "kernel.gemm"(%0, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 2], x = #kernel.view<offset = 0, strides = [0, 0, 3]>, window = [], window_strides = [], channels = 2, after = [], out = #kernel.view<offset = 0, strides = [4, 4, 2, 1]>>, run = 3, dense = true>} : (tensor<2x3xf32>, tensor<6xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%2) : (tensor<2x2xf32>) -> ()

// -----
// CASE: a small product of two values is a reduction
// RUN: to-kernel
^bb(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3x4xf32>):
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [2, 4, 3], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1, 4]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: the second of two larger values is packed when it runs
// RUN: to-kernel
^bb(%a: tensor<16x64xf32>, %b: tensor<64x64xf32>):
  %y = "core.matmul"(%a, %b) : (tensor<16x64xf32>, tensor<64x64xf32>) -> (tensor<16x64xf32>)
  "mlconv.yield"(%y) : (tensor<16x64xf32>) -> ()
// EXPECT
^bb(%0: tensor<16x64xf32>, %1: tensor<64x64xf32>):
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [1, 4, 64, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4096, 16, 64, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [4096, 1024, 16, 1]>>]} : (tensor<64x64xf32>) -> (tensor<1x4x64x16xf32>)
  %3 = "kernel.gemm"(%0, %2) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 16], x = #kernel.view<offset = 0, strides = [0, 0, 64]>, window = [], window_strides = [], channels = 64, after = [], out = #kernel.view<offset = 0, strides = [1024, 1024, 64, 1]>>, run = 64>} : (tensor<16x64xf32>, tensor<1x4x64x16xf32>) -> (tensor<16x64xf32>)
  "mlconv.yield"(%3) : (tensor<16x64xf32>) -> ()

// -----
// CASE: integers are a reduction
// RUN: to-kernel
^bb(%a: tensor<2x3xi32>, %b: tensor<3x4xi32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x3xi32>, tensor<3x4xi32>) -> (tensor<2x4xi32>)
  "mlconv.yield"(%y) : (tensor<2x4xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi32>, %1: tensor<3x4xi32>):
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [2, 4, 3], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [3, 0, 1]>>, #kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1, 4]>>, #kernel.instr<opcode = "mul", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<2x3xi32>, tensor<3x4xi32>) -> (tensor<2x4xi32>)
  "mlconv.yield"(%2) : (tensor<2x4xi32>) -> ()

// -----
// CASE: a convolution of one element is a product over its places
// RUN: to-kernel
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x3xf32>} : () -> (tensor<1x1x2x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<6xf32>} : () -> (tensor<6xf32>)
  %2 = "kernel.gemm"(%0, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [32, 8, 2]>, window = [1, 1], window_strides = [8, 2], channels = 3, after = [], out = #kernel.view<offset = 0, strides = [48, 12, 3, 1]>>, run = 2, dense = true>} : (tensor<1x4x4x2xf32>, tensor<6xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x4x3xf32>) -> ()

// -----
// CASE: a padded convolution copies its image into a larger one; its bias is an epilogue
// RUN: to-kernel
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<3x3x2x3xf32>} : () -> (tensor<3x3x2x3xf32>)
  %y = "core.conv"(%x, %c2, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>, tensor<3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 1, 6, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 1, 6, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 60, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 12, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 22, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 4, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>], after = [], out = #kernel.view<offset = 14, strides = [72, 12, 2, 1]>>]} : (tensor<1x4x4x2xf32>) -> (tensor<1x6x6x2xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<54xf32>} : () -> (tensor<54xf32>)
  %4 = "kernel.gemm"(%2, %3, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [72, 12, 2]>, window = [3, 3], window_strides = [12, 2], channels = 3, after = [#kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 0, 0, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], out = #kernel.view<offset = 0, strides = [48, 12, 3, 1]>>, run = 2, dense = true>} : (tensor<1x6x6x2xf32>, tensor<54xf32>, tensor<3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%4) : (tensor<1x4x4x3xf32>) -> ()

// -----
// CASE: a group for each channel is a kernel of its own
// RUN: to-kernel
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x1x2xf32>} : () -> (tensor<3x3x1x2xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], groups = 2, mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x1x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 1, 6, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 1, 6, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 60, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 12, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 22, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 4, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>], after = [], out = #kernel.view<offset = 14, strides = [72, 12, 2, 1]>>]} : (tensor<1x4x4x2xf32>) -> (tensor<1x6x6x2xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<9x2xf32>} : () -> (tensor<9x2xf32>)
  %3 = "kernel.depthwise"(%1, %2) {"problem" = #kernel.depthwise<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [72, 12, 2]>, window = [3, 3], window_strides = [12, 2], channels = 2, after = [], out = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>>} : (tensor<1x6x6x2xf32>, tensor<9x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: places of a power of two of channels lie a line of a cache further apart where there are caches
// RUN: to-kernel{caches=true}
^bb(%x: tensor<1x4x4x256xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x1x256xf32>} : () -> (tensor<3x3x1x256xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], groups = 256, mlconv.absent = [2]} : (tensor<1x4x4x256xf32>, tensor<3x3x1x256xf32>) -> (tensor<1x4x4x256xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x256xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x256xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 1, 6, 272], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [9792, 1632, 272, 1]>>, #kernel.step<extents = [1, 1, 6, 272], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 8160, strides = [9792, 1632, 272, 1]>>, #kernel.step<extents = [1, 4, 1, 272], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 1632, strides = [9792, 1632, 272, 1]>>, #kernel.step<extents = [1, 4, 1, 272], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 2992, strides = [9792, 1632, 272, 1]>>, #kernel.step<extents = [1, 4, 4, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 2160, strides = [9792, 1632, 272, 1]>>, #kernel.step<extents = [1, 4, 4, 256], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4096, 1024, 256, 1]>>], after = [], out = #kernel.view<offset = 1904, strides = [9792, 1632, 272, 1]>>]} : (tensor<1x4x4x256xf32>) -> (tensor<1x6x6x272xf32>)
  %2 = "core.constant"() {"value" = #mlconv.derived<"[f32, [9, 272], [9, 272], \"pad\", [[0, 0], [0, 16]], [dense<0.5> : tensor<9x256xf32>]]">} : () -> (tensor<9x272xf32>)
  %3 = "kernel.depthwise"(%1, %2) {"problem" = #kernel.depthwise<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [9792, 1632, 272]>, window = [3, 3], window_strides = [1632, 272], channels = 256, after = [], out = #kernel.view<offset = 0, strides = [4096, 1024, 256, 1]>>, pitch = 272>} : (tensor<1x6x6x272xf32>, tensor<9x272xf32>) -> (tensor<1x4x4x256xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x256xf32>) -> ()

// -----
// CASE: a dilated depthwise convolution
// RUN: to-kernel
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x1x2xf32>} : () -> (tensor<3x3x1x2xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[2, 2], [2, 2]], dilations = [2, 2], groups = 2, mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x1x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 2, 8, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [128, 16, 2, 1]>>, #kernel.step<extents = [1, 2, 8, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 96, strides = [128, 16, 2, 1]>>, #kernel.step<extents = [1, 4, 2, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 32, strides = [128, 16, 2, 1]>>, #kernel.step<extents = [1, 4, 2, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 44, strides = [128, 16, 2, 1]>>, #kernel.step<extents = [1, 4, 4, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>], after = [], out = #kernel.view<offset = 36, strides = [128, 16, 2, 1]>>]} : (tensor<1x4x4x2xf32>) -> (tensor<1x8x8x2xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<9x2xf32>} : () -> (tensor<9x2xf32>)
  %3 = "kernel.depthwise"(%1, %2) {"problem" = #kernel.depthwise<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [128, 16, 2]>, window = [3, 3], window_strides = [32, 4], channels = 2, after = [], out = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>>} : (tensor<1x8x8x2xf32>, tensor<9x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: channels first are turned before
// RUN: to-kernel
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x2x3x3xf32>} : () -> (tensor<3x2x3x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> (tensor<1x3x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 4, 4, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 4, 1, 16]>>], after = [], out = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [1, 1, 6, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 1, 6, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 60, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 12, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 22, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 4, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>], after = [], out = #kernel.view<offset = 14, strides = [72, 12, 2, 1]>>]} : (tensor<1x4x4x2xf32>) -> (tensor<1x6x6x2xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<54xf32>} : () -> (tensor<54xf32>)
  %4 = "kernel.gemm"(%2, %3) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 4, 4], x = #kernel.view<offset = 0, strides = [72, 12, 2]>, window = [3, 3], window_strides = [12, 2], channels = 3, after = [], out = #kernel.view<offset = 0, strides = [48, 12, 3, 1]>>, run = 2, dense = true>} : (tensor<1x6x6x2xf32>, tensor<54xf32>) -> (tensor<1x4x4x3xf32>)
  %5 = "kernel.loop_nest"(%4) {"problem" = [#kernel.step<extents = [1, 3, 4, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [48, 1, 12, 3]>>], after = [], out = #kernel.view<offset = 0, strides = [48, 16, 4, 1]>>]} : (tensor<1x4x4x3xf32>) -> (tensor<1x3x4x4xf32>)
  "mlconv.yield"(%5) : (tensor<1x3x4x4xf32>) -> ()

// -----
// CASE: a transposed convolution has its phases for channels
// RUN: to-kernel
^bb(%x: tensor<1x2x2x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x2xf32>} : () -> (tensor<2x2x1x2xf32>)
  %y = "core.conv_transpose"(%x, %c1) {strides = [2, 2], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x2xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<8xf32>} : () -> (tensor<8xf32>)
  %2 = "kernel.gemm"(%0, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 2, 2], x = #kernel.view<offset = 0, strides = [8, 4, 2]>, window = [1, 1], window_strides = [4, 2], channels = 4, after = [], out = #kernel.view<offset = 0, strides = [16, 8, 4, 1]>>, run = 2, dense = true>} : (tensor<1x2x2x2xf32>, tensor<8xf32>) -> (tensor<1x2x2x4xf32>)
  %3 = "kernel.alias"(%2) : (tensor<1x2x2x4xf32>) -> (tensor<1x2x2x1x2x2x1xf32>)
  %4 = "kernel.loop_nest"(%3) {"problem" = [#kernel.step<extents = [1, 2, 2, 2, 2, 1, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [16, 8, 2, 4, 1, 4, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [16, 8, 4, 2, 1, 1, 1]>>]} : (tensor<1x2x2x1x2x2x1xf32>) -> (tensor<1x2x2x2x2x1x1xf32>)
  %5 = "kernel.alias"(%4) : (tensor<1x2x2x2x2x1x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%5) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a 3x3 convolution of many channels is done by Winograd's algorithm
// RUN: to-kernel
^bb(%x: tensor<1x16x16x16xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x16x16xf32>} : () -> (tensor<3x3x16x16xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x16x16x16xf32>, tensor<3x3x16x16xf32>) -> (tensor<1x16x16x16xf32>)
  "mlconv.yield"(%y) : (tensor<1x16x16x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x16x16x16xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 1, 18, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [5184, 288, 16, 1]>>, #kernel.step<extents = [1, 1, 18, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 4896, strides = [5184, 288, 16, 1]>>, #kernel.step<extents = [1, 16, 1, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 288, strides = [5184, 288, 16, 1]>>, #kernel.step<extents = [1, 16, 1, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 560, strides = [5184, 288, 16, 1]>>, #kernel.step<extents = [1, 16, 16, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4096, 256, 16, 1]>>], after = [], out = #kernel.view<offset = 304, strides = [5184, 288, 16, 1]>>]} : (tensor<1x16x16x16xf32>) -> (tensor<1x18x18x16xf32>)
  %2 = "core.constant"() {"value" = #mlconv.derived<"[f32, [36, 1, 16, 16], [36, 1, 16, 16], \"combine\", [[0.624295076969974 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64], [-0.41619671797998276 : f64, -0.312147538484987 : f64, -0.23411065386374025 : f64, -0.0 : f64, -0.0 : f64, -0.0 : f64, -0.0 : f64, -0.0 : f64, -0.0 : f64], [-0.41619671797998276 : f64, 0.312147538484987 : f64, -0.23411065386374025 : f64, -0.0 : f64, 0.0 : f64, -0.0 : f64, -0.0 : f64, 0.0 : f64, -0.0 : f64], [0.10404917949499569 : f64, 0.1560737692424935 : f64, 0.23411065386374025 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64], [0.10404917949499569 : f64, -0.1560737692424935 : f64, 0.23411065386374025 : f64, 0.0 : f64, -0.0 : f64, 0.0 : f64, 0.0 : f64, -0.0 : f64, 0.0 : f64], [0.0 : f64, 0.0 : f64, 0.7901234567901234 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64], [-0.41619671797998276 : f64, -0.0 : f64, -0.0 : f64, -0.312147538484987 : f64, -0.0 : f64, -0.0 : f64, -0.23411065386374025 : f64, -0.0 : f64, -0.0 : f64], [0.27746447865332186 : f64, 0.20809835898999138 : f64, 0.15607376924249353 : f64, 0.20809835898999138 : f64, 0.1560737692424935 : f64, 0.11705532693187012 : f64, 0.15607376924249353 : f64, 0.11705532693187012 : f64, 0.0877914951989026 : f64], [0.27746447865332186 : f64, -0.20809835898999138 : f64, 0.15607376924249353 : f64, 0.20809835898999138 : f64, -0.1560737692424935 : f64, 0.11705532693187012 : f64, 0.15607376924249353 : f64, -0.11705532693187012 : f64, 0.0877914951989026 : f64], [-0.06936611966333046 : f64, -0.10404917949499569 : f64, -0.15607376924249353 : f64, -0.052024589747497844 : f64, -0.07803688462124675 : f64, -0.11705532693187012 : f64, -0.03901844231062338 : f64, -0.05852766346593506 : f64, -0.0877914951989026 : f64], [-0.06936611966333046 : f64, 0.10404917949499569 : f64, -0.15607376924249353 : f64, -0.052024589747497844 : f64, 0.07803688462124675 : f64, -0.11705532693187012 : f64, -0.03901844231062338 : f64, 0.05852766346593506 : f64, -0.0877914951989026 : f64], [-0.0 : f64, -0.0 : f64, -0.5267489711934157 : f64, -0.0 : f64, -0.0 : f64, -0.3950617283950617 : f64, -0.0 : f64, -0.0 : f64, -0.2962962962962963 : f64], [-0.41619671797998276 : f64, -0.0 : f64, -0.0 : f64, 0.312147538484987 : f64, 0.0 : f64, 0.0 : f64, -0.23411065386374025 : f64, -0.0 : f64, -0.0 : f64], [0.27746447865332186 : f64, 0.20809835898999138 : f64, 0.15607376924249353 : f64, -0.20809835898999138 : f64, -0.1560737692424935 : f64, -0.11705532693187012 : f64, 0.15607376924249353 : f64, 0.11705532693187012 : f64, 0.0877914951989026 : f64], [0.27746447865332186 : f64, -0.20809835898999138 : f64, 0.15607376924249353 : f64, -0.20809835898999138 : f64, 0.1560737692424935 : f64, -0.11705532693187012 : f64, 0.15607376924249353 : f64, -0.11705532693187012 : f64, 0.0877914951989026 : f64], [-0.06936611966333046 : f64, -0.10404917949499569 : f64, -0.15607376924249353 : f64, 0.052024589747497844 : f64, 0.07803688462124675 : f64, 0.11705532693187012 : f64, -0.03901844231062338 : f64, -0.05852766346593506 : f64, -0.0877914951989026 : f64], [-0.06936611966333046 : f64, 0.10404917949499569 : f64, -0.15607376924249353 : f64, 0.052024589747497844 : f64, -0.07803688462124675 : f64, 0.11705532693187012 : f64, -0.03901844231062338 : f64, 0.05852766346593506 : f64, -0.0877914951989026 : f64], [-0.0 : f64, -0.0 : f64, -0.5267489711934157 : f64, 0.0 : f64, 0.0 : f64, 0.3950617283950617 : f64, -0.0 : f64, -0.0 : f64, -0.2962962962962963 : f64], [0.10404917949499569 : f64, 0.0 : f64, 0.0 : f64, 0.1560737692424935 : f64, 0.0 : f64, 0.0 : f64, 0.23411065386374025 : f64, 0.0 : f64, 0.0 : f64], [-0.06936611966333046 : f64, -0.052024589747497844 : f64, -0.03901844231062338 : f64, -0.10404917949499569 : f64, -0.07803688462124675 : f64, -0.05852766346593506 : f64, -0.15607376924249353 : f64, -0.11705532693187012 : f64, -0.0877914951989026 : f64], [-0.06936611966333046 : f64, 0.052024589747497844 : f64, -0.03901844231062338 : f64, -0.10404917949499569 : f64, 0.07803688462124675 : f64, -0.05852766346593506 : f64, -0.15607376924249353 : f64, 0.11705532693187012 : f64, -0.0877914951989026 : f64], [0.017341529915832616 : f64, 0.026012294873748922 : f64, 0.03901844231062338 : f64, 0.026012294873748922 : f64, 0.039018442310623375 : f64, 0.05852766346593506 : f64, 0.03901844231062338 : f64, 0.05852766346593506 : f64, 0.0877914951989026 : f64], [0.017341529915832616 : f64, -0.026012294873748922 : f64, 0.03901844231062338 : f64, 0.026012294873748922 : f64, -0.039018442310623375 : f64, 0.05852766346593506 : f64, 0.03901844231062338 : f64, -0.05852766346593506 : f64, 0.0877914951989026 : f64], [0.0 : f64, 0.0 : f64, 0.13168724279835392 : f64, 0.0 : f64, 0.0 : f64, 0.19753086419753085 : f64, 0.0 : f64, 0.0 : f64, 0.2962962962962963 : f64], [0.10404917949499569 : f64, 0.0 : f64, 0.0 : f64, -0.1560737692424935 : f64, -0.0 : f64, -0.0 : f64, 0.23411065386374025 : f64, 0.0 : f64, 0.0 : f64], [-0.06936611966333046 : f64, -0.052024589747497844 : f64, -0.03901844231062338 : f64, 0.10404917949499569 : f64, 0.07803688462124675 : f64, 0.05852766346593506 : f64, -0.15607376924249353 : f64, -0.11705532693187012 : f64, -0.0877914951989026 : f64], [-0.06936611966333046 : f64, 0.052024589747497844 : f64, -0.03901844231062338 : f64, 0.10404917949499569 : f64, -0.07803688462124675 : f64, 0.05852766346593506 : f64, -0.15607376924249353 : f64, 0.11705532693187012 : f64, -0.0877914951989026 : f64], [0.017341529915832616 : f64, 0.026012294873748922 : f64, 0.03901844231062338 : f64, -0.026012294873748922 : f64, -0.039018442310623375 : f64, -0.05852766346593506 : f64, 0.03901844231062338 : f64, 0.05852766346593506 : f64, 0.0877914951989026 : f64], [0.017341529915832616 : f64, -0.026012294873748922 : f64, 0.03901844231062338 : f64, -0.026012294873748922 : f64, 0.039018442310623375 : f64, -0.05852766346593506 : f64, 0.03901844231062338 : f64, -0.05852766346593506 : f64, 0.0877914951989026 : f64], [0.0 : f64, 0.0 : f64, 0.13168724279835392 : f64, -0.0 : f64, -0.0 : f64, -0.19753086419753085 : f64, 0.0 : f64, 0.0 : f64, 0.2962962962962963 : f64], [0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.7901234567901234 : f64, 0.0 : f64, 0.0 : f64], [-0.0 : f64, -0.0 : f64, -0.0 : f64, -0.0 : f64, -0.0 : f64, -0.0 : f64, -0.5267489711934157 : f64, -0.3950617283950617 : f64, -0.2962962962962963 : f64], [-0.0 : f64, 0.0 : f64, -0.0 : f64, -0.0 : f64, 0.0 : f64, -0.0 : f64, -0.5267489711934157 : f64, 0.3950617283950617 : f64, -0.2962962962962963 : f64], [0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.13168724279835392 : f64, 0.19753086419753085 : f64, 0.2962962962962963 : f64], [0.0 : f64, -0.0 : f64, 0.0 : f64, 0.0 : f64, -0.0 : f64, 0.0 : f64, 0.13168724279835392 : f64, -0.19753086419753085 : f64, 0.2962962962962963 : f64], [0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 0.0 : f64, 1.0 : f64]], [dense<0.5> : tensor<9x1x16x16xf32>]]">} : () -> (tensor<36x1x16x16xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<1x144x16xf32>} : () -> (tensor<1x144x16xf32>)
  %4 = "kernel.winograd"(%1, %2, %3) {"problem" = #kernel.winograd<indexing = #kernel.output_indexing<rows = [1, 16, 16], x = #kernel.view<offset = 0, strides = [5184, 288, 16]>, window = [3, 3], window_strides = [288, 16], channels = 16, after = [], out = #kernel.view<offset = 0, strides = [4096, 256, 16, 1]>>, depth = 16, block_rows = 4, slots = 1>} : (tensor<1x18x18x16xf32>, tensor<36x1x16x16xf32>, tensor<1x144x16xf32>) -> (tensor<1x16x16x16xf32>)
  "mlconv.yield"(%4) : (tensor<1x16x16x16xf32>) -> ()

// -----
// CASE: unless that is not wanted
// RUN: to-kernel{winograd=false}
^bb(%x: tensor<1x16x16x16xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x16x16xf32>} : () -> (tensor<3x3x16x16xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x16x16x16xf32>, tensor<3x3x16x16xf32>) -> (tensor<1x16x16x16xf32>)
  "mlconv.yield"(%y) : (tensor<1x16x16x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x16x16x16xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 1, 18, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [5184, 288, 16, 1]>>, #kernel.step<extents = [1, 1, 18, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 4896, strides = [5184, 288, 16, 1]>>, #kernel.step<extents = [1, 16, 1, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 288, strides = [5184, 288, 16, 1]>>, #kernel.step<extents = [1, 16, 1, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 560, strides = [5184, 288, 16, 1]>>, #kernel.step<extents = [1, 16, 16, 16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4096, 256, 16, 1]>>], after = [], out = #kernel.view<offset = 304, strides = [5184, 288, 16, 1]>>]} : (tensor<1x16x16x16xf32>) -> (tensor<1x18x18x16xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x144x16xf32>} : () -> (tensor<1x144x16xf32>)
  %3 = "kernel.gemm"(%1, %2) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 16, 16], x = #kernel.view<offset = 0, strides = [5184, 288, 16]>, window = [3, 3], window_strides = [288, 16], channels = 16, after = [], out = #kernel.view<offset = 0, strides = [4096, 256, 16, 1]>>, run = 16>} : (tensor<1x18x18x16xf32>, tensor<1x144x16xf32>) -> (tensor<1x16x16x16xf32>)
  "mlconv.yield"(%3) : (tensor<1x16x16x16xf32>) -> ()

// -----
// CASE: a few rows by a transposed matrix of open sizes: what is small is transposed
// RUN: to-kernel
^bb(%a: tensor<8x?xf32, {dims = ["8", "k"]}>, %b: tensor<?x?xf32, {dims = ["n", "k"]}>):
  %y = "core.matmul"(%a, %b) {transpose_b = true} : (tensor<8x?xf32, {dims = ["8", "k"]}>, tensor<?x?xf32, {dims = ["n", "k"]}>) -> (tensor<8x?xf32, {dims = ["8", "n"]}>)
  "mlconv.yield"(%y) : (tensor<8x?xf32, {dims = ["8", "n"]}>) -> ()
// EXPECT
^bb(%0: tensor<8x?xf32, {dims = ["8", "k"]}>, %1: tensor<?x?xf32, {dims = ["n", "k"]}>):
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [#mlconv.dim<"k">, 8], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, #mlconv.dim<"k">]>>], after = [], out = #kernel.view<offset = 0, strides = [8, 1]>>]} : (tensor<8x?xf32, {dims = ["8", "k"]}>) -> (tensor<?x8xf32, {dims = ["k", "8"]}>)
  %3 = "kernel.loop_nest"(%1, %2) {"problem" = [#kernel.step<extents = [#mlconv.dim<"n">, 8, #mlconv.dim<"k">], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [#mlconv.dim<"k">, 0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1, 8]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [8, 1]>>]} : (tensor<?x?xf32, {dims = ["n", "k"]}>, tensor<?x8xf32, {dims = ["k", "8"]}>) -> (tensor<?x8xf32, {dims = ["n", "8"]}>)
  %4 = "kernel.loop_nest"(%3) {"problem" = [#kernel.step<extents = [8, #mlconv.dim<"n">], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 8]>>], after = [], out = #kernel.view<offset = 0, strides = [#mlconv.dim<"n">, 1]>>]} : (tensor<?x8xf32, {dims = ["n", "8"]}>) -> (tensor<8x?xf32, {dims = ["8", "n"]}>)
  "mlconv.yield"(%4) : (tensor<8x?xf32, {dims = ["8", "n"]}>) -> ()

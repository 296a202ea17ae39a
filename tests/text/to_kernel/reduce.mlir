// CASE: a sum is a step with a reduced axis
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.reduce_sum"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%1) : (tensor<2xf32>) -> ()

// -----
// CASE: axes that are reduced come last
// RUN: to-kernel
^bb(%x: tensor<2x3x4xf32>):
  %y = "core.reduce_max"(%x) {axes = [0, 2], keepdims = true} : (tensor<2x3x4xf32>) -> (tensor<1x3x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [3, 2, 4], reduced = 2, combine = "maximum", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4, 12, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3x4xf32>) -> (tensor<1x3x1xf32>)
  "mlconv.yield"(%1) : (tensor<1x3x1xf32>) -> ()

// -----
// CASE: a mean is divided behind its sum
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.reduce_mean"(%x) {axes = [0]} : (tensor<2x3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [3, 2], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 3]>>], after = [#kernel.instr<opcode = "const", dtype = f32, value = 2>, #kernel.instr<opcode = "div", dtype = f32, args = [0, 1]>], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%1) : (tensor<3xf32>) -> ()

// -----
// CASE: the place of the largest
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.arg_max"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%y) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "maximum", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "equal", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xi1>)
  %3 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "not_equal", dtype = i1, args = [0, 0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xi1>)
  %4 = "kernel.loop_nest"(%2, %3) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i1, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = i1, args = [1], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "or", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xi1>, tensor<2x3xi1>) -> (tensor<2x3xi1>)
  %5 = "core.constant"() {"value" = dense<[[0, 1, 2]]> : tensor<1x3xi32>} : () -> (tensor<1x3xi32>)
  %6 = "kernel.loop_nest"(%4, %5) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i1, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "const", dtype = i32, value = 2147483647>, #kernel.instr<opcode = "select", dtype = i32, args = [0, 1, 2]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xi1>, tensor<1x3xi32>) -> (tensor<2x3xi32>)
  %7 = "kernel.loop_nest"(%6) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "minimum", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  %8 = "kernel.loop_nest"(%7) {"problem" = [#kernel.step<extents = [2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "cast", dtype = i64, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2xi32>) -> (tensor<2xi64>)
  "mlconv.yield"(%8) : (tensor<2xi64>) -> ()

// -----
// CASE: a pool is a reduction over a window
// RUN: to-kernel
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 2, 2, 2, 2, 2], reduced = 2, combine = "maximum", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 16, 4, 1, 8, 2]>>], after = [], out = #kernel.view<offset = 0, strides = [8, 4, 2, 1]>>]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x2x2x2xf32>) -> ()

// -----
// CASE: a mean over windows divides by a table of counts
// RUN: to-kernel
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.avg_pool"(%x) {window = [3, 3], strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 1, 6, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 0, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 1, 6, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 60, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 12, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 22, strides = [72, 12, 2, 1]>>, #kernel.step<extents = [1, 4, 4, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>], after = [], out = #kernel.view<offset = 14, strides = [72, 12, 2, 1]>>]} : (tensor<1x4x4x2xf32>) -> (tensor<1x6x6x2xf32>)
  %2 = "core.constant"() {"value" = dense<[[4.0, 6.0, 6.0, 4.0], [6.0, 9.0, 9.0, 6.0], [6.0, 9.0, 9.0, 6.0], [4.0, 6.0, 6.0, 4.0]]> : tensor<4x4xf32>} : () -> (tensor<4x4xf32>)
  %3 = "kernel.loop_nest"(%1, %2) {"problem" = [#kernel.step<extents = [1, 4, 4, 2, 3, 3], reduced = 2, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [72, 12, 2, 1, 12, 2]>>], after = [#kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 4, 1, 0]>>, #kernel.instr<opcode = "div", dtype = f32, args = [0, 1]>], out = #kernel.view<offset = 0, strides = [32, 8, 2, 1]>>]} : (tensor<1x6x6x2xf32>, tensor<4x4xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: a running sum is a routine
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.cumsum"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.routine"(%0) {"problem" = #kernel.routine<name = "scan", params = ["add", f32, f32, 2, 3, 1, false, false]>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: the largest numbers are a routine
// RUN: to-kernel
^bb(%x: tensor<2x5xf32>):
  %c1 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %t, %t1 = "core.top_k"(%x, %c1) {index_dtype = i32} : (tensor<2x5xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  "mlconv.yield"(%t, %t1) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>):
  %1, %2 = "kernel.routine"(%0) {"problem" = #kernel.routine<name = "top_k", params = [f32, i32, 2, 5, 1, 2, true], scratch = 192>} : (tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  "mlconv.yield"(%1, %2) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()

// -----
// CASE: rows that do not lie side by side are laid so before the first of them are looked for
// RUN: to-kernel
^bb(%x: tensor<2x160x3xf32>):
  %c1 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %t, %t1 = "core.top_k"(%x, %c1) {index_dtype = i32, axis = 1} : (tensor<2x160x3xf32>, tensor<i32>) -> (tensor<2x2x3xf32>, tensor<2x2x3xi32>)
  "mlconv.yield"(%t, %t1) : (tensor<2x2x3xf32>, tensor<2x2x3xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x160x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3, 160], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [480, 1, 3]>>], after = [], out = #kernel.view<offset = 0, strides = [480, 160, 1]>>]} : (tensor<2x160x3xf32>) -> (tensor<2x3x160xf32>)
  %2, %3 = "kernel.routine"(%1) {"problem" = #kernel.routine<name = "top_k", params = [f32, i32, 6, 160, 1, 2, true], scratch = 64>} : (tensor<2x3x160xf32>) -> (tensor<2x3x2xf32>, tensor<2x3x2xi32>)
  %4 = "kernel.loop_nest"(%2) {"problem" = [#kernel.step<extents = [2, 2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [6, 1, 2]>>], after = [], out = #kernel.view<offset = 0, strides = [6, 3, 1]>>]} : (tensor<2x3x2xf32>) -> (tensor<2x2x3xf32>)
  %5 = "kernel.loop_nest"(%3) {"problem" = [#kernel.step<extents = [2, 2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [6, 1, 2]>>], after = [], out = #kernel.view<offset = 0, strides = [6, 3, 1]>>]} : (tensor<2x3x2xi32>) -> (tensor<2x2x3xi32>)
  "mlconv.yield"(%4, %5) : (tensor<2x2x3xf32>, tensor<2x2x3xi32>) -> ()

// -----
// CASE: a scatter is a routine
// RUN: to-kernel
^bb(%x: tensor<4xf32>, %k: tensor<2x1xi64>, %u: tensor<2xf32>):
  %y = "core.scatter_nd"(%x, %k, %u) {reduction = "add"} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<2x1xi64>, %2: tensor<2xf32>):
  %3 = "kernel.routine"(%0, %1, %2) {"problem" = #kernel.routine<name = "scatter_nd", params = [f32, i64, [4], 1, 2, "add"], reuse = 0>} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: trees become one routine over nodes in the order in which rows go down
// RUN: to-kernel
^bb(%x: tensor<5x3xf32>):
  %f = "core.constant"() {value = dense<[0, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %t = "core.constant"() {value = dense<[0.5, -0.5]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %c = "core.constant"() {value = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %r = "core.constant"() {value = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %l = "core.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %z = "core.constant"() {value = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "core.tree_ensemble"(%x, %f, %t, %c, %r, %l, %z) {targets = 1, mlconv.absent = [7]} : (tensor<5x3xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2x2xi32>, tensor<1xi32>, tensor<3xf32>, tensor<1xi32>) -> (tensor<5x1xf32>)
  "mlconv.yield"(%y) : (tensor<5x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x3xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[844425987096576, 281482509680639, -281472829227008, -281472829227008, -281472829227008, -281472829227008]> : tensor<6xi64>} : () -> (tensor<6xi64>)
  %3 = "core.constant"() {"value" = dense<[0.0, 0.0, 2.0, 3.0, 1.0, 0.0]> : tensor<6xf32>} : () -> (tensor<6xf32>)
  %4 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %5 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %6 = "core.constant"() {"value" = dense<[0, 5, 5, 5, 5, 5]> : tensor<6xi32>} : () -> (tensor<6xi32>)
  %7 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %8 = "core.constant"() {"value" = dense<[[2], [2]]> : tensor<2x1xi32>} : () -> (tensor<2x1xi32>)
  %9 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %10 = "core.constant"() {"value" = dense<[1056964608, -1056964609]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %11 = "core.constant"() {"value" = dense<[-4, -2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %12 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %13 = "core.constant"() {"value" = dense<[2.0, 3.0, 1.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %14 = "kernel.routine"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13) {"problem" = #kernel.routine<name = "forest", params = [f32, 5, 3, 2, 0, 6, 1, 1, 1, 0, 2, 3, false, false, 32, "add"], scratch = 1280>} : (tensor<5x3xf32>, tensor<2xi32>, tensor<6xi64>, tensor<6xf32>, tensor<1xi32>, tensor<1xi32>, tensor<6xi32>, tensor<1xi32>, tensor<2x1xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<1xi32>, tensor<3xf32>) -> (tensor<5x1xf32>)
  "mlconv.yield"(%14) : (tensor<5x1xf32>) -> ()

// -----
// CASE: a size that data decide is defined by a call
// RUN: to-kernel
^bb(%n: tensor<i64>):
  %s = "core.define_size"(%n) {"symbol" = "count0", "bound" = 5, "conditions" = []} : (tensor<i64>) -> (tensor<i64>)
  "mlconv.yield"(%s) : (tensor<i64>) -> ()
// EXPECT
^bb(%0: tensor<i64>):
  %1 = "kernel.define_size"(%0) {"problem" = #kernel.defined_size<symbol = "count0", bound = 5>} : (tensor<i64>) -> (tensor<i64>)
  "mlconv.yield"(%1) : (tensor<i64>) -> ()

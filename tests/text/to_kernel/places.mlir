// CASE: changes of rank are the same buffer
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %a = "core.expand_dims"(%x) {axes = [0]} : (tensor<2x3xf32>) -> (tensor<1x2x3xf32>)
  %y = "core.squeeze"(%a) {axes = [0]} : (tensor<1x2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.alias"(%0) : (tensor<2x3xf32>) -> (tensor<1x2x3xf32>)
  %2 = "kernel.alias"(%1) : (tensor<1x2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a shape is numbers that the call brings
// RUN: to-kernel
^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %y = "core.shape_of"(%x) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<2xi64>)
  "mlconv.yield"(%y) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %1 = "kernel.loop_nest"() {"problem" = [#kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "size", dtype = i64, value = #mlconv.dim<"N">>], after = [], out = #kernel.view<offset = 0, strides = [1]>>, #kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = i64, value = 3>], after = [], out = #kernel.view<offset = 1, strides = [1]>>]} : () -> (tensor<2xi64>)
  "mlconv.yield"(%1) : (tensor<2xi64>) -> ()

// -----
// CASE: a tile repeats with a stride of 0
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.tile"(%x, %c1) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 2, 2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 3, 0, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [12, 6, 3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%1) : (tensor<2x6xf32>) -> ()

// -----
// CASE: a reversed axis has a negative stride
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.reverse"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 2, strides = [3, -1]>>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a sequence is reversed by places
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>, %n: tensor<2xi32>):
  %y = "core.reverse_sequence"(%x, %n) {time_axis = 1, batch_axis = 0} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2xi32>):
  %2 = "core.constant"() {"value" = dense<[0, 1, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %3 = "kernel.loop_nest"(%1, %2, %0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "cast", dtype = i64, args = [0]>, #kernel.instr<opcode = "load", dtype = i64, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "const", dtype = i64, value = 3>, #kernel.instr<opcode = "minimum", dtype = i64, args = [1, 3]>, #kernel.instr<opcode = "sub", dtype = i64, args = [4, 2]>, #kernel.instr<opcode = "const", dtype = i64, value = 1>, #kernel.instr<opcode = "sub", dtype = i64, args = [5, 6]>, #kernel.instr<opcode = "less", dtype = i1, args = [2, 4]>, #kernel.instr<opcode = "select", dtype = i64, args = [8, 7, 2]>, #kernel.instr<opcode = "load_at", dtype = f32, args = [2, 9], value = [#kernel.view<offset = 0, strides = [3, 0]>, 1, 3]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2xi32>, tensor<3xi64>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a range counts
// RUN: to-kernel
^bb(%x: tensor<3xf32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<6> : tensor<i32>} : () -> (tensor<i32>)
  %c3 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %v4 = "core.range"(%c1, %c2, %c3) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>)
  %v5 = "core.cast"(%v4) {dtype = f32} : (tensor<3xi32>) -> (tensor<3xf32>)
  %y = "core.add"(%x, %v5) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 1, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = i32, value = 0>, #kernel.instr<opcode = "cast", dtype = i64, args = [0]>, #kernel.instr<opcode = "const", dtype = i32, value = 2>, #kernel.instr<opcode = "cast", dtype = i64, args = [2]>, #kernel.instr<opcode = "load", dtype = i64, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "mul", dtype = i64, args = [4, 3]>, #kernel.instr<opcode = "add", dtype = i64, args = [1, 5]>, #kernel.instr<opcode = "cast", dtype = i32, args = [6]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<3xi64>) -> (tensor<3xi32>)
  %3 = "kernel.loop_nest"(%2) {"problem" = [#kernel.step<extents = [3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "cast", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<3xi32>) -> (tensor<3xf32>)
  %4 = "kernel.loop_nest"(%0, %3) {"problem" = [#kernel.step<extents = [3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%4) : (tensor<3xf32>) -> ()

// -----
// CASE: blocks are one copy through a view
// RUN: to-kernel
^bb(%x: tensor<1x2x2x4xf32>):
  %d = "core.depth_to_space"(%x) {block_size = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x4x1xf32>)
  %s = "core.space_to_depth"(%x) {block_size = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x1x1x16xf32>)
  "mlconv.yield"(%d, %s) : (tensor<1x4x4x1xf32>, tensor<1x1x1x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 2, 2, 2, 2, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [16, 8, 2, 4, 1, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [16, 8, 4, 2, 1, 1]>>]} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x4x1xf32>)
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 1, 1, 2, 2, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [16, 16, 8, 8, 4, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [16, 16, 16, 8, 4, 1]>>]} : (tensor<1x2x2x4xf32>) -> (tensor<1x1x1x16xf32>)
  "mlconv.yield"(%1, %2) : (tensor<1x4x4x1xf32>, tensor<1x1x1x16xf32>) -> ()

// -----
// CASE: space to batch and back
// RUN: to-kernel
^bb(%x: tensor<1x4x4x1xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %s = "core.space_to_batch"(%x, %c1) {block_size = [2, 2]} : (tensor<1x4x4x1xf32>, tensor<2x2xi64>) -> (tensor<4x2x2x1xf32>)
  %c2 = "core.constant"() {value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %y = "core.batch_to_space"(%s, %c2) {block_size = [2, 2]} : (tensor<4x2x2x1xf32>, tensor<2x2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x1xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 2, 1, 2, 2, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4, 1, 16, 8, 2, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [8, 4, 4, 2, 1, 1]>>]} : (tensor<1x4x4x1xf32>) -> (tensor<4x2x2x1xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [1, 2, 2, 2, 2, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4, 2, 8, 1, 4, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [16, 8, 4, 2, 1, 1]>>]} : (tensor<4x2x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: places of two numbers
// RUN: to-kernel
^bb(%x: tensor<3x4xf32>, %k: tensor<2x2xi64>):
  %y = "core.gather_nd"(%x, %k) : (tensor<3x4xf32>, tensor<2x2xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x2xi64>):
  %2 = "kernel.loop_nest"(%1, %0) {"problem" = [#kernel.step<extents = [2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i64, args = [0], value = #kernel.view<offset = 0, strides = [2]>>, #kernel.instr<opcode = "const", dtype = i64, value = 0>, #kernel.instr<opcode = "less", dtype = i1, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = i64, value = 3>, #kernel.instr<opcode = "add", dtype = i64, args = [0, 3]>, #kernel.instr<opcode = "select", dtype = i64, args = [2, 4, 0]>, #kernel.instr<opcode = "const", dtype = i64, value = 0>, #kernel.instr<opcode = "maximum", dtype = i64, args = [5, 6]>, #kernel.instr<opcode = "const", dtype = i64, value = 2>, #kernel.instr<opcode = "minimum", dtype = i64, args = [7, 8]>, #kernel.instr<opcode = "const", dtype = i64, value = 4>, #kernel.instr<opcode = "mul", dtype = i64, args = [9, 10]>, #kernel.instr<opcode = "load", dtype = i64, args = [0], value = #kernel.view<offset = 1, strides = [2]>>, #kernel.instr<opcode = "const", dtype = i64, value = 0>, #kernel.instr<opcode = "less", dtype = i1, args = [12, 13]>, #kernel.instr<opcode = "const", dtype = i64, value = 4>, #kernel.instr<opcode = "add", dtype = i64, args = [12, 15]>, #kernel.instr<opcode = "select", dtype = i64, args = [14, 16, 12]>, #kernel.instr<opcode = "const", dtype = i64, value = 0>, #kernel.instr<opcode = "maximum", dtype = i64, args = [17, 18]>, #kernel.instr<opcode = "const", dtype = i64, value = 3>, #kernel.instr<opcode = "minimum", dtype = i64, args = [19, 20]>, #kernel.instr<opcode = "const", dtype = i64, value = 1>, #kernel.instr<opcode = "mul", dtype = i64, args = [21, 22]>, #kernel.instr<opcode = "add", dtype = i64, args = [11, 23]>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 24], value = [#kernel.view<offset = 0, strides = [0]>, 1, 12]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x2xi64>, tensor<3x4xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2) : (tensor<2xf32>) -> ()

// -----
// CASE: gather_elements reads one place for each element
// RUN: to-kernel
^bb(%x: tensor<3x4xf32>, %k: tensor<2x4xi64>):
  %y = "core.gather_elements"(%x, %k) {axis = 0} : (tensor<3x4xf32>, tensor<2x4xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x4xi64>):
  %2 = "kernel.loop_nest"(%1, %0) {"problem" = [#kernel.step<extents = [2, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i64, args = [0], value = #kernel.view<offset = 0, strides = [4, 1]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 0], value = [#kernel.view<offset = 0, strides = [0, 1]>, 4, 3]>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<2x4xi64>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: scatter_elements
// RUN: to-kernel
^bb(%x: tensor<3x4xf32>, %k: tensor<1x4xi64>, %u: tensor<1x4xf32>):
  %y = "core.scatter_elements"(%x, %k, %u) {axis = 0} : (tensor<3x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<1x4xi64>, %2: tensor<1x4xf32>):
  %3 = "kernel.routine"(%0, %1, %2) {"problem" = #kernel.routine<name = "scatter_elements", params = [f32, i64, [3, 4], [1, 4], 0, "none"], reuse = 0>} : (tensor<3x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%3) : (tensor<3x4xf32>) -> ()

// -----
// CASE: a scatter into zeros
// RUN: to-kernel
^bb(%k: tensor<2x1xi32>, %u: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "core.scatter_fill"(%k, %u, %c1) : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi32>, %1: tensor<2xf32>):
  %2 = "kernel.loop_nest"() {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : () -> (tensor<4xf32>)
  %3 = "kernel.routine"(%2, %0, %1) {"problem" = #kernel.routine<name = "scatter_nd", params = [f32, i32, [4], 1, 2, "add"], reuse = 0>} : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: a one-hot compares with a table
// RUN: to-kernel
^bb(%k: tensor<3xi32>):
  %c1 = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.one_hot"(%k, %c1, %c2, %c3) : (tensor<3xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xi32>):
  %1 = "core.constant"() {"value" = dense<[0, 1, 2, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [3, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "cast", dtype = i64, args = [0]>, #kernel.instr<opcode = "load", dtype = i64, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "equal", dtype = i1, args = [1, 2]>, #kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>, #kernel.instr<opcode = "select", dtype = f32, args = [3, 4, 5]>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<3xi32>, tensor<4xi64>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%2) : (tensor<3x4xf32>) -> ()

// -----
// CASE: segments are a routine
// RUN: to-kernel
^bb(%x: tensor<4x2xf32>, %s: tensor<4xi32>):
  %c1 = "core.constant"() {value = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.segment_reduce"(%x, %s, %c1) : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x2xf32>, %1: tensor<4xi32>):
  %2 = "kernel.routine"(%0, %1) {"problem" = #kernel.routine<name = "segment", params = [f32, i32, 4, 2, 3, "add", 0, 0.0 : f64], scratch = 24>} : (tensor<4x2xf32>, tensor<4xi32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%2) : (tensor<3x2xf32>) -> ()

// -----
// CASE: suppression of boxes is a routine
// RUN: to-kernel
^bb(%b: tensor<4x4xf32>, %s: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %c4 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %n, %n1, %n2 = "core.non_max_suppression"(%b, %s, %c1, %c2, %c3, %c4) {padded = true} : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<2xi32>, tensor<2xf32>, tensor<i32>)
  "mlconv.yield"(%n, %n1, %n2) : (tensor<2xi32>, tensor<2xf32>, tensor<i32>) -> ()
// EXPECT
^bb(%0: tensor<4x4xf32>, %1: tensor<4xf32>):
  %2 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %6, %7, %8 = "kernel.routine"(%0, %1, %2, %3, %4, %5) {"problem" = #kernel.routine<name = "suppress", params = [f32, f32, i32, 4, 2], scratch = 344>} : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<2xi32>, tensor<2xf32>, tensor<i32>)
  "mlconv.yield"(%6, %7, %8) : (tensor<2xi32>, tensor<2xf32>, tensor<i32>) -> ()

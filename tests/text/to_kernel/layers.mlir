// CASE: reductions of booleans
// RUN: to-kernel
^bb(%x: tensor<2x3xi1>):
  %reduceany = "core.reduce_any"(%x) {axes = [1]} : (tensor<2x3xi1>) -> (tensor<2xi1>)
  %reduceall = "core.reduce_all"(%x) {axes = [1]} : (tensor<2x3xi1>) -> (tensor<2xi1>)
  "mlconv.yield"(%reduceany, %reduceall) : (tensor<2xi1>, tensor<2xi1>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi1>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "or", body = [#kernel.instr<opcode = "load", dtype = i1, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xi1>) -> (tensor<2xi1>)
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "and", body = [#kernel.instr<opcode = "load", dtype = i1, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xi1>) -> (tensor<2xi1>)
  "mlconv.yield"(%1, %2) : (tensor<2xi1>, tensor<2xi1>) -> ()

// -----
// CASE: other reductions
// RUN: to-kernel
^bb(%x: tensor<2x3xi32>):
  %reducemin = "core.reduce_min"(%x) {axes = [1]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  %reduceprod = "core.reduce_prod"(%x) {axes = [1]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  "mlconv.yield"(%reducemin, %reduceprod) : (tensor<2xi32>, tensor<2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "minimum", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "mul", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  "mlconv.yield"(%1, %2) : (tensor<2xi32>, tensor<2xi32>) -> ()

// -----
// CASE: the last place of the smallest
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.arg_min"(%x) {axis = 1, select_last = true} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%y) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "minimum", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "equal", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xi1>)
  %3 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "not_equal", dtype = i1, args = [0, 0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xi1>)
  %4 = "kernel.loop_nest"(%2, %3) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i1, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = i1, args = [1], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "or", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xi1>, tensor<2x3xi1>) -> (tensor<2x3xi1>)
  %5 = "core.constant"() {"value" = dense<[[0, 1, 2]]> : tensor<1x3xi32>} : () -> (tensor<1x3xi32>)
  %6 = "kernel.loop_nest"(%4, %5) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i1, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "const", dtype = i32, value = -1>, #kernel.instr<opcode = "select", dtype = i32, args = [0, 1, 2]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xi1>, tensor<1x3xi32>) -> (tensor<2x3xi32>)
  %7 = "kernel.loop_nest"(%6) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "maximum", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  %8 = "kernel.loop_nest"(%7) {"problem" = [#kernel.step<extents = [2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "cast", dtype = i64, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2xi32>) -> (tensor<2xi64>)
  "mlconv.yield"(%8) : (tensor<2xi64>) -> ()

// -----
// CASE: a running product backwards
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.cumprod"(%x) {axis = 0, exclusive = true, reverse = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.routine"(%0) {"problem" = #kernel.routine<name = "scan", params = ["mul", f32, f32, 1, 2, 3, true, true], scratch = 12>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a softmax is six steps, before they are fused
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.softmax"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "greatest", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "sub", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  %3 = "kernel.loop_nest"(%2) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "exp_moderate", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %4 = "kernel.loop_nest"(%3) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %5 = "kernel.loop_nest"(%4) {"problem" = [#kernel.step<extents = [2, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "div", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1, 1]>>]} : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %6 = "kernel.loop_nest"(%3, %5) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%6) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a logarithm of softmax
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.log_softmax"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "greatest", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "sub", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  %3 = "kernel.loop_nest"(%2) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "exp_moderate", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %4 = "kernel.loop_nest"(%3) {"problem" = [#kernel.step<extents = [2, 3], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %5 = "kernel.loop_nest"(%4) {"problem" = [#kernel.step<extents = [2, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "log", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1, 1]>>]} : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %6 = "kernel.loop_nest"(%2, %5) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "sub", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%6) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a response normalization
// RUN: to-kernel
^bb(%x: tensor<1x1x1x4xf32>):
  %y = "core.lrn"(%x) {radius = 1, radius_after = 1, alpha = 0.5 : f64, beta = 0.75 : f64, bias = 1.0 : f64, axis = 3} : (tensor<1x1x1x4xf32>) -> (tensor<1x1x1x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x1x1x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x1x4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 1, 1, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 0, 0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 0, 0, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [4, 4, 4, 1]>>]} : (tensor<1x1x1x4xf32>) -> (tensor<1x1x1x4xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [1, 1, 1, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [6, 6, 6, 1]>>, #kernel.step<extents = [1, 1, 1, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 5, strides = [6, 6, 6, 1]>>, #kernel.step<extents = [1, 1, 1, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4, 4, 4, 1]>>], after = [], out = #kernel.view<offset = 1, strides = [6, 6, 6, 1]>>]} : (tensor<1x1x1x4xf32>) -> (tensor<1x1x1x6xf32>)
  %3 = "kernel.loop_nest"(%2, %0) {"problem" = [#kernel.step<extents = [1, 1, 1, 4, 3], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [6, 6, 6, 1, 1]>>], after = [#kernel.instr<opcode = "const", dtype = f32, value = 0.5 : f64>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "add", dtype = f32, args = [2, 3]>, #kernel.instr<opcode = "const", dtype = f32, value = 0.75 : f64>, #kernel.instr<opcode = "pow", dtype = f32, args = [4, 5]>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [4, 4, 4, 1]>>, #kernel.instr<opcode = "div", dtype = f32, args = [7, 6]>], out = #kernel.view<offset = 0, strides = [4, 4, 4, 1]>>]} : (tensor<1x1x1x6xf32>, tensor<1x1x1x4xf32>) -> (tensor<1x1x1x4xf32>)
  "mlconv.yield"(%3) : (tensor<1x1x1x4xf32>) -> ()

// -----
// CASE: a nearest resize
// RUN: to-kernel
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2], mode = "nearest", coordinates = "asymmetric", nearest_mode = "floor"} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 2, 2, 2, 2, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4, 2, 0, 1, 0, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [16, 8, 4, 2, 1, 1]>>]} : (tensor<1x2x2x1xf32>) -> (tensor<1x2x2x2x2x1xf32>)
  %2 = "kernel.alias"(%1) : (tensor<1x2x2x2x2x1xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a linear resize
// RUN: to-kernel
^bb(%x: tensor<1x1x2x2xf32>):
  %c1 = "core.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2]} : (tensor<1x1x2x2xf32>, tensor<2xi64>) -> (tensor<1x1x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x1x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2x2xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 0, 0, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %2 = "core.constant"() {"value" = dense<[1.0, 0.75, 0.25, 0.5]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %3 = "core.constant"() {"value" = dense<[1, 1, 1, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %4 = "core.constant"() {"value" = dense<[0.0, 0.25, 0.75, 0.5]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %5 = "kernel.loop_nest"(%1, %0, %2, %3, %4) {"problem" = [#kernel.step<extents = [1, 1, 4, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [0, 0, 1, 0]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 0], value = [#kernel.view<offset = 0, strides = [4, 4, 0, 1]>, 2, 2]>, #kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 0, 1, 0]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [1, 2]>, #kernel.instr<opcode = "load", dtype = i32, args = [3], value = #kernel.view<offset = 0, strides = [0, 0, 1, 0]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 4], value = [#kernel.view<offset = 0, strides = [4, 4, 0, 1]>, 2, 2]>, #kernel.instr<opcode = "load", dtype = f32, args = [4], value = #kernel.view<offset = 0, strides = [0, 0, 1, 0]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [5, 6]>, #kernel.instr<opcode = "add", dtype = f32, args = [3, 7]>], after = [], out = #kernel.view<offset = 0, strides = [8, 8, 2, 1]>>]} : (tensor<4xi32>, tensor<1x1x2x2xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<1x1x4x2xf32>)
  "mlconv.yield"(%5) : (tensor<1x1x4x2xf32>) -> ()

// -----
// CASE: an LSTM
// RUN: to-kernel
^bb(%x: tensor<1x1x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %c2 = "core.constant"() {value = dense<0.25> : tensor<8x2xf32>} : () -> (tensor<8x2xf32>)
  %l, %l1, %l2 = "core.lstm"(%x, %c1, %c2) {mlconv.absent = [3, 4, 5, 6, 7]} : (tensor<1x1x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) -> (tensor<1x1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%l) : (tensor<1x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<16xf32>} : () -> (tensor<16xf32>)
  %2 = "kernel.gemm"(%0, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 1], x = #kernel.view<offset = 0, strides = [0, 0, 2]>, window = [], window_strides = [], channels = 8, after = [], out = #kernel.view<offset = 0, strides = [8, 8, 8, 1]>>, run = 2, dense = true>} : (tensor<1x1x2xf32>, tensor<16xf32>) -> (tensor<1x1x8xf32>)
  %3 = "kernel.loop_nest"() {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : () -> (tensor<1x2xf32>)
  %4 = "kernel.loop_nest"() {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : () -> (tensor<1x2xf32>)
  %5 = "kernel.loop_nest"() {"problem" = [#kernel.step<extents = [1, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 0, strides = [2, 2, 1]>>]} : () -> (tensor<1x1x2xf32>)
  %6 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %7, %8, %9, %10 = "kernel.while"(%6, %5, %3, %4) ({
  ^bb(%11: tensor<i32>, %12: tensor<1x1x2xf32>, %13: tensor<1x2xf32>, %14: tensor<1x2xf32>):
    %15 = "kernel.loop_nest"(%11) {"problem" = [#kernel.step<extents = [], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = []>>, #kernel.instr<opcode = "const", dtype = i32, value = 1>, #kernel.instr<opcode = "less", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%15) : (tensor<i1>) -> ()
  }, {
  ^bb(%16: tensor<i32>, %17: tensor<1x1x2xf32>, %18: tensor<1x2xf32>, %19: tensor<1x2xf32>):
    %20 = "kernel.loop_nest"(%16, %2) {"problem" = [#kernel.step<extents = [1, 8], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 0], value = [#kernel.view<offset = 0, strides = [8, 1]>, 8, 1]>], after = [], out = #kernel.view<offset = 0, strides = [8, 1]>>]} : (tensor<i32>, tensor<1x1x8xf32>) -> (tensor<1x8xf32>)
    %21 = "kernel.loop_nest"(%20) {"problem" = [#kernel.step<extents = [1, 6], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [8, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [6, 1]>>]} : (tensor<1x8xf32>) -> (tensor<1x6xf32>)
    %22 = "kernel.loop_nest"(%20) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 6, strides = [8, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x8xf32>) -> (tensor<1x2xf32>)
    %23 = "kernel.loop_nest"(%21) {"problem" = [#kernel.step<extents = [1, 6], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "sigmoid", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [6, 1]>>]} : (tensor<1x6xf32>) -> (tensor<1x6xf32>)
    %24 = "kernel.loop_nest"(%23) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [6, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x6xf32>) -> (tensor<1x2xf32>)
    %25 = "kernel.loop_nest"(%23) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 2, strides = [6, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x6xf32>) -> (tensor<1x2xf32>)
    %26 = "kernel.loop_nest"(%23) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 4, strides = [6, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x6xf32>) -> (tensor<1x2xf32>)
    %27 = "kernel.loop_nest"(%26, %19) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %28 = "kernel.loop_nest"(%22) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "tanh", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %29 = "kernel.loop_nest"(%24, %28) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %30 = "kernel.loop_nest"(%27, %29) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %31 = "kernel.loop_nest"(%30) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "tanh", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %32 = "kernel.loop_nest"(%25, %31) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %33 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
    %34 = "kernel.alias"(%32) : (tensor<1x2xf32>) -> (tensor<1x1x2xf32>)
    %35 = "kernel.alias"(%16) : (tensor<i32>) -> (tensor<1xi32>)
    %36 = "kernel.alias"(%33) : (tensor<i32>) -> (tensor<1xi32>)
    %37 = "kernel.alias"(%33) : (tensor<i32>) -> (tensor<1xi32>)
    %38 = "kernel.loop_nest"(%35, %36, %37) {"problem" = [#kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>, #kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 1, strides = [1]>>, #kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [2], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 2, strides = [1]>>]} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xi32>)
    %39 = "kernel.routine"(%17, %34, %38) {"problem" = #kernel.routine<name = "update_slice", params = [f32, i32, [1, 1, 2], [1, 1, 2]], reuse = 0>} : (tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<3xi32>) -> (tensor<1x1x2xf32>)
    %40 = "kernel.loop_nest"(%16) {"problem" = [#kernel.step<extents = [], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = []>>, #kernel.instr<opcode = "const", dtype = i32, value = 1>, #kernel.instr<opcode = "add", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%40, %39, %32, %30) : (tensor<i32>, tensor<1x1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> ()
  }) : (tensor<i32>, tensor<1x1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<i32>, tensor<1x1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%8) : (tensor<1x1x2xf32>) -> ()

// -----
// CASE: a GRU
// RUN: to-kernel
^bb(%x: tensor<1x1x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<6x2xf32>} : () -> (tensor<6x2xf32>)
  %c2 = "core.constant"() {value = dense<0.25> : tensor<6x2xf32>} : () -> (tensor<6x2xf32>)
  %l, %l1 = "core.gru"(%x, %c1, %c2) {linear_before_reset = true, mlconv.absent = [3, 4, 5, 6]} : (tensor<1x1x2xf32>, tensor<6x2xf32>, tensor<6x2xf32>) -> (tensor<1x1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%l) : (tensor<1x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<12xf32>} : () -> (tensor<12xf32>)
  %2 = "kernel.gemm"(%0, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 1], x = #kernel.view<offset = 0, strides = [0, 0, 2]>, window = [], window_strides = [], channels = 6, after = [], out = #kernel.view<offset = 0, strides = [6, 6, 6, 1]>>, run = 2, dense = true>} : (tensor<1x1x2xf32>, tensor<12xf32>) -> (tensor<1x1x6xf32>)
  %3 = "kernel.loop_nest"() {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : () -> (tensor<1x2xf32>)
  %4 = "kernel.loop_nest"() {"problem" = [#kernel.step<extents = [1, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 0, strides = [2, 2, 1]>>]} : () -> (tensor<1x1x2xf32>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %6, %7, %8 = "kernel.while"(%5, %4, %3) ({
  ^bb(%9: tensor<i32>, %10: tensor<1x1x2xf32>, %11: tensor<1x2xf32>):
    %12 = "kernel.loop_nest"(%9) {"problem" = [#kernel.step<extents = [], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = []>>, #kernel.instr<opcode = "const", dtype = i32, value = 1>, #kernel.instr<opcode = "less", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%12) : (tensor<i1>) -> ()
  }, {
  ^bb(%13: tensor<i32>, %14: tensor<1x1x2xf32>, %15: tensor<1x2xf32>):
    %16 = "kernel.loop_nest"(%13, %2) {"problem" = [#kernel.step<extents = [1, 6], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 0], value = [#kernel.view<offset = 0, strides = [6, 1]>, 6, 1]>], after = [], out = #kernel.view<offset = 0, strides = [6, 1]>>]} : (tensor<i32>, tensor<1x1x6xf32>) -> (tensor<1x6xf32>)
    %17 = "kernel.loop_nest"(%16) {"problem" = [#kernel.step<extents = [1, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [6, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<1x6xf32>) -> (tensor<1x4xf32>)
    %18 = "kernel.loop_nest"(%16) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 4, strides = [6, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x6xf32>) -> (tensor<1x2xf32>)
    %19 = "core.constant"() {"value" = dense<0.25> : tensor<12xf32>} : () -> (tensor<12xf32>)
    %20 = "kernel.gemm"(%15, %19) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 1], x = #kernel.view<offset = 0, strides = [0, 0, 2]>, window = [], window_strides = [], channels = 6, after = [], out = #kernel.view<offset = 0, strides = [6, 6, 6, 1]>>, run = 2, dense = true>} : (tensor<1x2xf32>, tensor<12xf32>) -> (tensor<1x6xf32>)
    %21 = "kernel.loop_nest"(%20) {"problem" = [#kernel.step<extents = [1, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [6, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<1x6xf32>) -> (tensor<1x4xf32>)
    %22 = "kernel.loop_nest"(%20) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 4, strides = [6, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x6xf32>) -> (tensor<1x2xf32>)
    %23 = "kernel.loop_nest"(%17, %21) {"problem" = [#kernel.step<extents = [1, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x4xf32>)
    %24 = "kernel.loop_nest"(%23) {"problem" = [#kernel.step<extents = [1, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "sigmoid", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<1x4xf32>) -> (tensor<1x4xf32>)
    %25 = "kernel.loop_nest"(%24) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [4, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x4xf32>) -> (tensor<1x2xf32>)
    %26 = "kernel.loop_nest"(%24) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 2, strides = [4, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x4xf32>) -> (tensor<1x2xf32>)
    %27 = "kernel.loop_nest"(%26, %22) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %28 = "kernel.loop_nest"(%25) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "sub", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %29 = "kernel.loop_nest"(%18, %27) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %30 = "kernel.loop_nest"(%29) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "tanh", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %31 = "kernel.loop_nest"(%28, %30) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %32 = "kernel.loop_nest"(%25, %15) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %33 = "kernel.loop_nest"(%31, %32) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %34 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
    %35 = "kernel.alias"(%33) : (tensor<1x2xf32>) -> (tensor<1x1x2xf32>)
    %36 = "kernel.alias"(%13) : (tensor<i32>) -> (tensor<1xi32>)
    %37 = "kernel.alias"(%34) : (tensor<i32>) -> (tensor<1xi32>)
    %38 = "kernel.alias"(%34) : (tensor<i32>) -> (tensor<1xi32>)
    %39 = "kernel.loop_nest"(%36, %37, %38) {"problem" = [#kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>, #kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 1, strides = [1]>>, #kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [2], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 2, strides = [1]>>]} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xi32>)
    %40 = "kernel.routine"(%14, %35, %39) {"problem" = #kernel.routine<name = "update_slice", params = [f32, i32, [1, 1, 2], [1, 1, 2]], reuse = 0>} : (tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<3xi32>) -> (tensor<1x1x2xf32>)
    %41 = "kernel.loop_nest"(%13) {"problem" = [#kernel.step<extents = [], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = []>>, #kernel.instr<opcode = "const", dtype = i32, value = 1>, #kernel.instr<opcode = "add", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%41, %40, %33) : (tensor<i32>, tensor<1x1x2xf32>, tensor<1x2xf32>) -> ()
  }) : (tensor<i32>, tensor<1x1x2xf32>, tensor<1x2xf32>) -> (tensor<i32>, tensor<1x1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%7) : (tensor<1x1x2xf32>) -> ()

// -----
// CASE: a transform is a routine with a table, here of one point
// RUN: to-kernel
^bb(%x: tensor<3x1xcomplex<f32>>):
  %y = "core.fft"(%x) {axes = [1]} : (tensor<3x1xcomplex<f32>>) -> (tensor<3x1xcomplex<f32>>)
  "mlconv.yield"(%y) : (tensor<3x1xcomplex<f32>>) -> ()
// EXPECT
^bb(%0: tensor<3x1xcomplex<f32>>):
  %1 = "core.constant"() {"value" = dense<[[1.0, 0.0]]> : tensor<1x2xf64>} : () -> (tensor<1x2xf64>)
  %2 = "kernel.routine"(%0, %1) {"problem" = #kernel.routine<name = "fourier", params = ["complex", "complex", f32, 3, 1, 1, 1, 1, false, 1.0 : f64], scratch = 32>} : (tensor<3x1xcomplex<f32>>, tensor<1x2xf64>) -> (tensor<3x1xcomplex<f32>>)
  "mlconv.yield"(%2) : (tensor<3x1xcomplex<f32>>) -> ()

// -----
// CASE: a transform of real numbers and back, here of one point
// RUN: to-kernel
^bb(%x: tensor<2x1xf32>):
  %a = "core.rfft"(%x) {axes = [1]} : (tensor<2x1xf32>) -> (tensor<2x1xcomplex<f32>>)
  %y = "core.irfft"(%a) {axes = [1], length = 1} : (tensor<2x1xcomplex<f32>>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%y) : (tensor<2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xf32>):
  %1 = "core.constant"() {"value" = dense<[[1.0, 0.0]]> : tensor<1x2xf64>} : () -> (tensor<1x2xf64>)
  %2 = "kernel.routine"(%0, %1) {"problem" = #kernel.routine<name = "fourier", params = ["real", "complex", f32, 2, 1, 1, 1, 1, false, 1.0 : f64], scratch = 32>} : (tensor<2x1xf32>, tensor<1x2xf64>) -> (tensor<2x1xcomplex<f32>>)
  %3 = "core.constant"() {"value" = dense<[[1.0, 0.0]]> : tensor<1x2xf64>} : () -> (tensor<1x2xf64>)
  %4 = "kernel.routine"(%2, %3) {"problem" = #kernel.routine<name = "fourier", params = ["half", "real", f32, 2, 1, 1, 1, 1, true, 1.0 : f64], scratch = 32>} : (tensor<2x1xcomplex<f32>>, tensor<1x2xf64>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%4) : (tensor<2x1xf32>) -> ()

// -----
// CASE: random numbers are a routine with its seeds
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %n = "core.random_normal"(%c1) {seed = 1, seed2 = 2} : (tensor<2xi64>) -> (tensor<2x3xf32>)
  %c2 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %u = "core.random_uniform"(%c2) {seed = 3} : (tensor<2xi64>) -> (tensor<2x3xf32>)
  %a = "core.add"(%x, %n) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %y = "core.add"(%a, %u) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.routine"() {"problem" = #kernel.routine<name = "normal", params = [f32, 6, [1, 2]]>} : () -> (tensor<2x3xf32>)
  %2 = "kernel.routine"() {"problem" = #kernel.routine<name = "uniform", params = [f32, 6, [3, 0]]>} : () -> (tensor<2x3xf32>)
  %3 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %4 = "kernel.loop_nest"(%3, %2) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()

// -----
// CASE: an image that becomes much larger is turned first, and its columns are resampled before its rows
// RUN: to-kernel
^bb(%x: tensor<1x8x8x3xf32>):
  %s = "core.constant"() {value = dense<[32, 32]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %s) {axes = [1, 2], mode = "linear"} : (tensor<1x8x8x3xf32>, tensor<2xi64>) -> (tensor<1x32x32x3xf32>)
  %t = "core.transpose"(%y) {perm = [0, 3, 1, 2]} : (tensor<1x32x32x3xf32>) -> (tensor<1x3x32x32xf32>)
  "mlconv.yield"(%t) : (tensor<1x3x32x32xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x8x8x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [1, 3, 8, 8], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [192, 1, 24, 3]>>], after = [], out = #kernel.view<offset = 0, strides = [192, 64, 8, 1]>>]} : (tensor<1x8x8x3xf32>) -> (tensor<1x3x8x8xf32>)
  %2 = "core.constant"() {"value" = dense<[0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7]> : tensor<32xi32>} : () -> (tensor<32xi32>)
  %3 = "core.constant"() {"value" = dense<[1.0, 1.0, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.5, 0.5]> : tensor<32xf32>} : () -> (tensor<32xf32>)
  %4 = "core.constant"() {"value" = dense<[1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7]> : tensor<32xi32>} : () -> (tensor<32xi32>)
  %5 = "core.constant"() {"value" = dense<[0.0, 0.0, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.5, 0.5]> : tensor<32xf32>} : () -> (tensor<32xf32>)
  %6 = "kernel.loop_nest"(%2, %1, %3, %4, %5) {"problem" = [#kernel.step<extents = [1, 3, 8, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [0, 0, 0, 1]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 0], value = [#kernel.view<offset = 0, strides = [192, 64, 8, 0]>, 1, 8]>, #kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 0, 0, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [1, 2]>, #kernel.instr<opcode = "load", dtype = i32, args = [3], value = #kernel.view<offset = 0, strides = [0, 0, 0, 1]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 4], value = [#kernel.view<offset = 0, strides = [192, 64, 8, 0]>, 1, 8]>, #kernel.instr<opcode = "load", dtype = f32, args = [4], value = #kernel.view<offset = 0, strides = [0, 0, 0, 1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [5, 6]>, #kernel.instr<opcode = "add", dtype = f32, args = [3, 7]>], after = [], out = #kernel.view<offset = 0, strides = [768, 256, 32, 1]>>]} : (tensor<32xi32>, tensor<1x3x8x8xf32>, tensor<32xf32>, tensor<32xi32>, tensor<32xf32>) -> (tensor<1x3x8x32xf32>)
  %7 = "core.constant"() {"value" = dense<[0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7]> : tensor<32xi32>} : () -> (tensor<32xi32>)
  %8 = "core.constant"() {"value" = dense<[1.0, 1.0, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.875, 0.625, 0.375, 0.125, 0.5, 0.5]> : tensor<32xf32>} : () -> (tensor<32xf32>)
  %9 = "core.constant"() {"value" = dense<[1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7]> : tensor<32xi32>} : () -> (tensor<32xi32>)
  %10 = "core.constant"() {"value" = dense<[0.0, 0.0, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875, 0.5, 0.5]> : tensor<32xf32>} : () -> (tensor<32xf32>)
  %11 = "kernel.loop_nest"(%7, %6, %8, %9, %10) {"problem" = [#kernel.step<extents = [1, 3, 32, 32], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [0, 0, 1, 0]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 0], value = [#kernel.view<offset = 0, strides = [768, 256, 0, 1]>, 32, 8]>, #kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 0, 1, 0]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [1, 2]>, #kernel.instr<opcode = "load", dtype = i32, args = [3], value = #kernel.view<offset = 0, strides = [0, 0, 1, 0]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 4], value = [#kernel.view<offset = 0, strides = [768, 256, 0, 1]>, 32, 8]>, #kernel.instr<opcode = "load", dtype = f32, args = [4], value = #kernel.view<offset = 0, strides = [0, 0, 1, 0]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [5, 6]>, #kernel.instr<opcode = "add", dtype = f32, args = [3, 7]>], after = [], out = #kernel.view<offset = 0, strides = [3072, 1024, 32, 1]>>]} : (tensor<32xi32>, tensor<1x3x8x32xf32>, tensor<32xf32>, tensor<32xi32>, tensor<32xf32>) -> (tensor<1x3x32x32xf32>)
  "mlconv.yield"(%11) : (tensor<1x3x32x32xf32>) -> ()

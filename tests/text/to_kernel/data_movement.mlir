// CASE: a reshape is the same buffer
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[6]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %r = "core.reshape"(%x, %c1) : (tensor<2x3xf32>, tensor<1xi64>) -> (tensor<6xf32>)
  %y = "core.neg"(%r) : (tensor<6xf32>) -> (tensor<6xf32>)
  "mlconv.yield"(%y) : (tensor<6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.alias"(%0) : (tensor<2x3xf32>) -> (tensor<6xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [6], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "neg", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<6xf32>) -> (tensor<6xf32>)
  "mlconv.yield"(%2) : (tensor<6xf32>) -> ()

// -----
// CASE: a transpose is a copy through a view
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.transpose"(%x) {perm = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [3, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 3]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%1) : (tensor<3x2xf32>) -> ()

// -----
// CASE: a concat is a step for each operand
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>, %z: tensor<2x1xf32>):
  %y = "core.concat"(%x, %z) {axis = 1} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x1xf32>):
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>, #kernel.step<extents = [2, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1, 1]>>], after = [], out = #kernel.view<offset = 3, strides = [4, 1]>>]} : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: a slice backwards has a negative stride
// RUN: to-kernel
^bb(%x: tensor<4x5xf32>):
  %c1 = "core.constant"() {value = dense<[3, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c2 = "core.constant"() {value = dense<[0, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c3 = "core.constant"() {value = dense<[-2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.slice"(%x, %c1, %c2, %c3) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 5], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 15, strides = [-10, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [5, 1]>>]} : (tensor<4x5xf32>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%1) : (tensor<2x5xf32>) -> ()

// -----
// CASE: parts of a split are copies
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %p, %p1 = "core.split"(%x) {sizes = [1, 2], axis = 1} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  "mlconv.yield"(%p, %p1) : (tensor<2x1xf32>, tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [1, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %2 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 1, strides = [3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<2x3xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%1, %2) : (tensor<2x1xf32>, tensor<2x2xf32>) -> ()

// -----
// CASE: a pad writes its border, then copies
// RUN: to-kernel
^bb(%x: tensor<2x2xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %c2 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) : (tensor<2x2xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x2xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [2, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 9.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.step<extents = [2, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [2, 1]>>], after = [], out = #kernel.view<offset = 1, strides = [3, 1]>>]} : (tensor<2x2xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a pad by reflection copies runs of elements
// RUN: to-kernel
^bb(%x: tensor<3xf32>):
  %c1 = "core.constant"() {value = dense<[[2, 1]]> : tensor<1x2xi64>} : () -> (tensor<1x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) {mode = "reflect"} : (tensor<3xf32>, tensor<1x2xi64>, tensor<f32>) -> (tensor<6xf32>)
  "mlconv.yield"(%y) : (tensor<6xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 2, strides = [-1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>, #kernel.step<extents = [2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 1, strides = [1]>>], after = [], out = #kernel.view<offset = 3, strides = [1]>>, #kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 1, strides = [0]>>], after = [], out = #kernel.view<offset = 5, strides = [1]>>]} : (tensor<3xf32>) -> (tensor<6xf32>)
  "mlconv.yield"(%1) : (tensor<6xf32>) -> ()

// -----
// CASE: a broadcast repeats with a stride of 0
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[4, 2, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.broadcast_to"(%x, %c1) : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<4x2x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4, 2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 3, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [6, 3, 1]>>]} : (tensor<2x3xf32>) -> (tensor<4x2x3xf32>)
  "mlconv.yield"(%1) : (tensor<4x2x3xf32>) -> ()

// -----
// CASE: a gather reads its place from memory
// RUN: to-kernel
^bb(%x: tensor<3x4xf32>, %k: tensor<2xi64>):
  %y = "core.gather"(%x, %k) {axis = 1} : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2xi64>):
  %2 = "kernel.loop_nest"(%1, %0) {"problem" = [#kernel.step<extents = [3, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i64, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 0], value = [#kernel.view<offset = 0, strides = [4, 0]>, 1, 4]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<2xi64>, tensor<3x4xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%2) : (tensor<3x2xf32>) -> ()

// -----
// CASE: a dynamic slice stays inside of its operand
// RUN: to-kernel
^bb(%x: tensor<3x4xf32>, %b: tensor<2xi64>):
  %c1 = "core.constant"() {value = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.dynamic_slice"(%x, %b, %c1) : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2xi64>):
  %2 = "kernel.loop_nest"(%1, %0) {"problem" = [#kernel.step<extents = [2, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i64, args = [0], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "const", dtype = i64, value = 0>, #kernel.instr<opcode = "maximum", dtype = i64, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = i64, value = 1>, #kernel.instr<opcode = "minimum", dtype = i64, args = [2, 3]>, #kernel.instr<opcode = "const", dtype = i64, value = 4>, #kernel.instr<opcode = "mul", dtype = i64, args = [4, 5]>, #kernel.instr<opcode = "load", dtype = i64, args = [0], value = #kernel.view<offset = 1, strides = [0, 0]>>, #kernel.instr<opcode = "const", dtype = i64, value = 0>, #kernel.instr<opcode = "maximum", dtype = i64, args = [7, 8]>, #kernel.instr<opcode = "const", dtype = i64, value = 2>, #kernel.instr<opcode = "minimum", dtype = i64, args = [9, 10]>, #kernel.instr<opcode = "const", dtype = i64, value = 1>, #kernel.instr<opcode = "mul", dtype = i64, args = [11, 12]>, #kernel.instr<opcode = "add", dtype = i64, args = [6, 13]>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 14], value = [#kernel.view<offset = 0, strides = [4, 1]>, 1, 12]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<2xi64>, tensor<3x4xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%2) : (tensor<2x2xf32>) -> ()

// -----
// CASE: a piece is written at computed places
// RUN: to-kernel
^bb(%x: tensor<4x3xf32>, %u: tensor<1x3xf32>, %i: tensor<i32>):
  %zero = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.update_slice"(%x, %u, %i, %zero) : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<1x3xf32>, %2: tensor<i32>):
  %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "kernel.alias"(%2) : (tensor<i32>) -> (tensor<1xi32>)
  %5 = "kernel.alias"(%3) : (tensor<i32>) -> (tensor<1xi32>)
  %6 = "kernel.loop_nest"(%4, %5) {"problem" = [#kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>, #kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 1, strides = [1]>>]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %7 = "kernel.routine"(%0, %1, %6) {"problem" = #kernel.routine<name = "update_slice", params = [f32, i32, [4, 3], [1, 3]], reuse = 0>} : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<2xi32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%7) : (tensor<4x3xf32>) -> ()

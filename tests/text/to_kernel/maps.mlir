// CASE: an elementwise op is a map over views; a broadcast has a stride of 0
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>, %w: tensor<3xf32>):
  %y = "core.add"(%x, %w) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: both operands broadcast
// RUN: to-kernel
^bb(%x: tensor<2x1xi32>, %z: tensor<1x3xi32>):
  %y = "core.mul"(%x, %z) : (tensor<2x1xi32>, tensor<1x3xi32>) -> (tensor<2x3xi32>)
  "mlconv.yield"(%y) : (tensor<2x3xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi32>, %1: tensor<1x3xi32>):
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [2, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1, 0]>>, #kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "mul", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<2x1xi32>, tensor<1x3xi32>) -> (tensor<2x3xi32>)
  "mlconv.yield"(%2) : (tensor<2x3xi32>) -> ()

// -----
// CASE: a clamp is comparisons and choices, which hand NaN on
// RUN: to-kernel
^bb(%x: tensor<4xf32>):
  %y = "core.clamp"(%x) {lo = 0.0 : f64, hi = 6.0 : f64} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>, #kernel.instr<opcode = "less", dtype = i1, args = [0, 1]>, #kernel.instr<opcode = "select", dtype = f32, args = [2, 1, 0]>, #kernel.instr<opcode = "const", dtype = f32, value = 6.0 : f64>, #kernel.instr<opcode = "greater", dtype = i1, args = [3, 4]>, #kernel.instr<opcode = "select", dtype = f32, args = [5, 4, 3]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: integers are divided by one instruction, whatever the divisor
// RUN: to-kernel
^bb(%x: tensor<4xi32>, %z: tensor<4xi32>):
  %y = "core.div"(%x, %z) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>, %1: tensor<4xi32>):
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "div", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  "mlconv.yield"(%2) : (tensor<4xi32>) -> ()

// -----
// CASE: a cast to fewer bits
// RUN: to-kernel
^bb(%x: tensor<4xf32>):
  %y = "core.cast"(%x) {dtype = i8} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%y) : (tensor<4xi8>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "cast", dtype = i8, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xi8>)
  "mlconv.yield"(%1) : (tensor<4xi8>) -> ()

// -----
// CASE: what float16 is computed in is the generator's business
// RUN: to-kernel
^bb(%x: tensor<4xf16>):
  %y = "core.exp"(%x) : (tensor<4xf16>) -> (tensor<4xf16>)
  "mlconv.yield"(%y) : (tensor<4xf16>) -> ()
// EXPECT
^bb(%0: tensor<4xf16>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f16, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "exp", dtype = f16, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf16>) -> (tensor<4xf16>)
  "mlconv.yield"(%1) : (tensor<4xf16>) -> ()

// -----
// CASE: open sizes are extents and strides
// RUN: to-kernel
^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %y = "core.neg"(%x) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<?x3xf32, {dims = ["N", "3"]}>)
  "mlconv.yield"(%y) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [#mlconv.dim<"N">, 3], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [3, 1]>>, #kernel.instr<opcode = "neg", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [3, 1]>>]} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<?x3xf32, {dims = ["N", "3"]}>)
  "mlconv.yield"(%1) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> ()

// -----
// CASE: what has no elements has no kernel
// RUN: to-kernel
^bb(%x: tensor<0x3xf32>):
  %y = "core.neg"(%x) : (tensor<0x3xf32>) -> (tensor<0x3xf32>)
  "mlconv.yield"(%y) : (tensor<0x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<0x3xf32>):
  %1 = "core.constant"() {"value" = dense<> : tensor<0x3xf32>} : () -> (tensor<0x3xf32>)
  "mlconv.yield"(%1) : (tensor<0x3xf32>) -> ()

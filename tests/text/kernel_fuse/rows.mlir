// CASE: a softmax is one kernel, row by row
// RUN: to-kernel,kernel-fuse-maps,kernel-fuse-rows
^bb(%x: tensor<4x8xf32>):
  %y = "core.softmax"(%x) {axis = 1} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  "mlconv.yield"(%y) : (tensor<4x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x8xf32>):
  %1 = "kernel.row_reduce"(%0) {"problem" = #kernel.row_reduce<rows = [4], stages = [#kernel.step<extents = [4, 8], reduced = 1, combine = "greatest", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [8, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [0]>>, #kernel.step<extents = [4, 8], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [8, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "sub", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "exp_moderate", dtype = f32, args = [2]>], after = [], out = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.step<extents = [4, 8], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [0]>>, #kernel.step<extents = [4, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "load", dtype = f32, args = [3], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "div", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.step<extents = [4, 8], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [4], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [8, 1]>>], temporaries = [f32, f32, f32, f32]>} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  "mlconv.yield"(%1) : (tensor<4x8xf32>) -> ()

// -----
// CASE: a layer normalization is one kernel
// RUN: to-kernel,kernel-fuse-maps,kernel-fuse-rows
^bb(%x: tensor<4x8xf32>):
  %m = "core.reduce_mean"(%x) {axes = [1], keepdims = true} : (tensor<4x8xf32>) -> (tensor<4x1xf32>)
  %d = "core.sub"(%x, %m) : (tensor<4x8xf32>, tensor<4x1xf32>) -> (tensor<4x8xf32>)
  %q = "core.mul"(%d, %d) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>)
  %v = "core.reduce_mean"(%q) {axes = [1], keepdims = true} : (tensor<4x8xf32>) -> (tensor<4x1xf32>)
  %c1 = "core.constant"() {value = dense<1.0e-05> : tensor<f32>} : () -> (tensor<f32>)
  %v2 = "core.add"(%v, %c1) : (tensor<4x1xf32>, tensor<f32>) -> (tensor<4x1xf32>)
  %r = "core.rsqrt"(%v2) : (tensor<4x1xf32>) -> (tensor<4x1xf32>)
  %y = "core.mul"(%d, %r) : (tensor<4x8xf32>, tensor<4x1xf32>) -> (tensor<4x8xf32>)
  "mlconv.yield"(%y) : (tensor<4x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x8xf32>):
  %1 = "kernel.row_reduce"(%0) {"problem" = #kernel.row_reduce<rows = [4], stages = [#kernel.step<extents = [4, 8], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [8, 1]>>], after = [#kernel.instr<opcode = "const", dtype = f32, value = 8>, #kernel.instr<opcode = "div", dtype = f32, args = [0, 1]>], out = #kernel.view<offset = 0, strides = [0]>>, #kernel.step<extents = [4, 8], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [8, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "sub", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "mul", dtype = f32, args = [2, 2]>], after = [#kernel.instr<opcode = "const", dtype = f32, value = 8>, #kernel.instr<opcode = "div", dtype = f32, args = [0, 1]>], out = #kernel.view<offset = 0, strides = [0]>>, #kernel.step<extents = [4, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "const", dtype = f32, value = 9.999999747378752e-06 : f64>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "sqrt", dtype = f32, args = [2]>, #kernel.instr<opcode = "div", dtype = f32, args = [3, 4]>], after = [], out = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.step<extents = [4, 8], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [8, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "sub", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "load", dtype = f32, args = [3], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [2, 3]>], after = [], out = #kernel.view<offset = 0, strides = [8, 1]>>], temporaries = [f32, f32, f32]>} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  "mlconv.yield"(%1) : (tensor<4x8xf32>) -> ()

// -----
// CASE: a chain along the columns is no chain of rows
// RUN: to-kernel,kernel-fuse-maps,kernel-fuse-rows
^bb(%x: tensor<4x8xf32>):
  %s = "core.reduce_sum"(%x) {axes = [0], keepdims = true} : (tensor<4x8xf32>) -> (tensor<1x8xf32>)
  %y = "core.div"(%x, %s) : (tensor<4x8xf32>, tensor<1x8xf32>) -> (tensor<4x8xf32>)
  "mlconv.yield"(%y) : (tensor<4x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x8xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [8, 4], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 8]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4x8xf32>) -> (tensor<1x8xf32>)
  %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [4, 8], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [8, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "div", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [8, 1]>>]} : (tensor<4x8xf32>, tensor<1x8xf32>) -> (tensor<4x8xf32>)
  "mlconv.yield"(%2) : (tensor<4x8xf32>) -> ()

// -----
// CASE: rows whose elements lie far apart are laid side by side first, where they are long
// RUN: to-kernel,kernel-fuse-maps,kernel-fuse-rows
^bb(%x: tensor<600x16xf32>):
  %t = "core.transpose"(%x) {perm = [1, 0]} : (tensor<600x16xf32>) -> (tensor<16x600xf32>)
  %y = "core.softmax"(%t) {axis = 1} : (tensor<16x600xf32>) -> (tensor<16x600xf32>)
  "mlconv.yield"(%y) : (tensor<16x600xf32>) -> ()
// EXPECT
^bb(%0: tensor<600x16xf32>):
  %1 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [16, 600], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 16]>>], after = [], out = #kernel.view<offset = 0, strides = [600, 1]>>]} : (tensor<600x16xf32>) -> (tensor<16x600xf32>)
  %2 = "kernel.row_reduce"(%1) {"problem" = #kernel.row_reduce<rows = [16], stages = [#kernel.step<extents = [16, 600], reduced = 1, combine = "greatest", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [600, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [0]>>, #kernel.step<extents = [16, 600], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [600, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "sub", dtype = f32, args = [0, 1]>, #kernel.instr<opcode = "exp_moderate", dtype = f32, args = [2]>], after = [], out = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.step<extents = [16, 600], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [0]>>, #kernel.step<extents = [16, 1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 1.0 : f64>, #kernel.instr<opcode = "load", dtype = f32, args = [3], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "div", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.step<extents = [16, 600], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [2], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [4], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [600, 1]>>], temporaries = [f32, f32, f32, f32]>} : (tensor<16x600xf32>) -> (tensor<16x600xf32>)
  "mlconv.yield"(%2) : (tensor<16x600xf32>) -> ()

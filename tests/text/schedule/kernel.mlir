// CASE: branches run one after the other, in the body of a loop too
// RUN: to-kernel,kernel-schedule
^bb(%x: tensor<4xf32>):
  %w = "core.while"(%x) ({
  ^bb(%a1: tensor<4xf32>):
    %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%i: tensor<4xf32>):
    %n = "core.constant"() {value = dense<[64, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %b = "core.exp"(%i) : (tensor<4xf32>) -> (tensor<4xf32>)
    %p = "core.broadcast_to"(%i, %n) : (tensor<4xf32>, tensor<2xi64>) -> (tensor<64x4xf32>)
    %q = "core.broadcast_to"(%b, %n) : (tensor<4xf32>, tensor<2xi64>) -> (tensor<64x4xf32>)
    %c = "core.cumsum"(%p) {axis = 0} : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
    %d = "core.cumsum"(%q) {axis = 0} : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
    %e = "core.reduce_sum"(%c) {axes = [0]} : (tensor<64x4xf32>) -> (tensor<4xf32>)
    %f = "core.reduce_sum"(%d) {axes = [0]} : (tensor<64x4xf32>) -> (tensor<4xf32>)
    %y = "core.add"(%e, %f) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%w) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "kernel.while"(%0) ({
  ^bb(%2: tensor<4xf32>):
    %3 = "kernel.loop_nest"(%2) {"problem" = [#kernel.step<extents = [4], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<4xf32>) -> (tensor<f32>)
    %4 = "kernel.loop_nest"(%3) {"problem" = [#kernel.step<extents = [], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = []>>, #kernel.instr<opcode = "const", dtype = f32, value = 9.0 : f64>, #kernel.instr<opcode = "less", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%4) : (tensor<i1>) -> ()
  }, {
  ^bb(%5: tensor<4xf32>):
    %6 = "kernel.loop_nest"(%5) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "exp", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
    %7 = "kernel.loop_nest"(%6) {"problem" = [#kernel.step<extents = [64, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<4xf32>) -> (tensor<64x4xf32>)
    %8 = "kernel.routine"(%7) {"problem" = #kernel.routine<name = "scan", params = ["add", f32, f32, 1, 64, 4, false, false], scratch = 16>} : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
    %9 = "kernel.loop_nest"(%8) {"problem" = [#kernel.step<extents = [4, 64], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 4]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<64x4xf32>) -> (tensor<4xf32>)
    %10 = "kernel.loop_nest"(%5) {"problem" = [#kernel.step<extents = [64, 4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>], after = [], out = #kernel.view<offset = 0, strides = [4, 1]>>]} : (tensor<4xf32>) -> (tensor<64x4xf32>)
    %11 = "kernel.routine"(%10) {"problem" = #kernel.routine<name = "scan", params = ["add", f32, f32, 1, 64, 4, false, false], scratch = 16>} : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
    %12 = "kernel.loop_nest"(%11) {"problem" = [#kernel.step<extents = [4, 64], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 4]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<64x4xf32>) -> (tensor<4xf32>)
    %13 = "kernel.loop_nest"(%12, %9) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%13) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: a chain has one order
// RUN: to-kernel,kernel-schedule
^bb(%x: tensor<64x4xf32>):
  %c = "core.cumsum"(%x) {axis = 0} : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
  %y = "core.reduce_sum"(%c) {axes = [0]} : (tensor<64x4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<64x4xf32>):
  %1 = "kernel.routine"(%0) {"problem" = #kernel.routine<name = "scan", params = ["add", f32, f32, 1, 64, 4, false, false], scratch = 16>} : (tensor<64x4xf32>) -> (tensor<64x4xf32>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [4, 64], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 4]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<64x4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: sizes known at run time: another order takes less, whatever they are
// RUN: to-kernel,kernel-schedule
^bb(%x: tensor<?x16xf32, {dims = ["N", "16"]}>):
  %p = "core.cumsum"(%x) {axis = 0} : (tensor<?x16xf32, {dims = ["N", "16"]}>) -> (tensor<?x16xf32, {dims = ["N", "16"]}>)
  %q = "core.cumsum"(%x) {axis = 1} : (tensor<?x16xf32, {dims = ["N", "16"]}>) -> (tensor<?x16xf32, {dims = ["N", "16"]}>)
  %e = "core.reduce_sum"(%p) {axes = [0]} : (tensor<?x16xf32, {dims = ["N", "16"]}>) -> (tensor<16xf32>)
  %f = "core.reduce_sum"(%q) {axes = [0]} : (tensor<?x16xf32, {dims = ["N", "16"]}>) -> (tensor<16xf32>)
  %y = "core.add"(%e, %f) : (tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>)
  "mlconv.yield"(%y) : (tensor<16xf32>) -> ()
// EXPECT
^bb(%0: tensor<?x16xf32, {dims = ["N", "16"]}>):
  %1 = "kernel.routine"(%0) {"problem" = #kernel.routine<name = "scan", params = ["add", f32, f32, #mlconv.dim<"N">, 16, 1, false, false]>} : (tensor<?x16xf32, {dims = ["N", "16"]}>) -> (tensor<?x16xf32, {dims = ["N", "16"]}>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [16, #mlconv.dim<"N">], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 16]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<?x16xf32, {dims = ["N", "16"]}>) -> (tensor<16xf32>)
  %3 = "kernel.routine"(%0) {"problem" = #kernel.routine<name = "scan", params = ["add", f32, f32, 1, #mlconv.dim<"N">, 16, false, false], scratch = 64>} : (tensor<?x16xf32, {dims = ["N", "16"]}>) -> (tensor<?x16xf32, {dims = ["N", "16"]}>)
  %4 = "kernel.loop_nest"(%3) {"problem" = [#kernel.step<extents = [16, #mlconv.dim<"N">], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1, 16]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<?x16xf32, {dims = ["N", "16"]}>) -> (tensor<16xf32>)
  %5 = "kernel.loop_nest"(%4, %2) {"problem" = [#kernel.step<extents = [16], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>)
  "mlconv.yield"(%5) : (tensor<16xf32>) -> ()

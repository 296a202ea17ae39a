// CASE: branches see what is around
// RUN: to-kernel
^bb(%x: tensor<4xf32>, %p: tensor<i1>):
  %r = "core.if"(%p) ({
    %b = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%b) : (tensor<4xf32>) -> ()
  }, {
    %b_1 = "core.abs"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%b_1) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<i1>):
  %2 = "kernel.if"(%1) ({
    %3 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "neg", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%3) : (tensor<4xf32>) -> ()
  }, {
    %4 = "kernel.loop_nest"(%0) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "abs", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%4) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: a loop carries buffers
// RUN: to-kernel
^bb(%x: tensor<4xf32>):
  %w = "core.while"(%x) ({
  ^bb(%a1: tensor<4xf32>):
    %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a5: tensor<4xf32>):
    %d = "core.add"(%a5, %a5) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%d) : (tensor<4xf32>) -> ()
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
    %6 = "kernel.loop_nest"(%5) {"problem" = [#kernel.step<extents = [4], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%6) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: sizes that must agree are asked for before the code runs
// RUN: refine-shapes,size-conditions,to-kernel
^bb(%x: tensor<?xf32, {dims = ["N"]}>, %z: tensor<?xf32, {dims = ["M"]}>):
  %y = "core.add"(%x, %z) : (tensor<?xf32, {dims = ["N"]}>, tensor<?xf32, {dims = ["M"]}>) -> (tensor<?xf32, {dims = ["max(M, N)"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["max(M, N)"]}>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<?xf32, {dims = ["N"]}>, %1: tensor<?xf32, {dims = ["M"]}>):
    %2 = "kernel.loop_nest"(%0, %1) {"problem" = [#kernel.step<extents = [#mlconv.dim<"max(M, N)">], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [#mlconv.dim<"min(1, N-1)">]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [#mlconv.dim<"min(1, M-1)">]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<?xf32, {dims = ["N"]}>, tensor<?xf32, {dims = ["M"]}>) -> (tensor<?xf32, {dims = ["max(M, N)"]}>)
    "mlconv.yield"(%2) : (tensor<?xf32, {dims = ["max(M, N)"]}>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "z"], "output_names" = ["y0"], "signature" = "serving_default", "conditions" = [#fact.condition<kind = "spread", a = #mlconv.dim<"N">, b = #mlconv.dim<"max(M, N)">, asked_by = "y">, #fact.condition<kind = "spread", a = #mlconv.dim<"M">, b = #mlconv.dim<"max(M, N)">, asked_by = "y">]} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a size that only the data say is refused
// RUN: to-kernel
^bb(%x: tensor<2x3xi1>):
  %y = "core.nonzero"(%x) : (tensor<2x3xi1>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  "mlconv.yield"(%y) : (tensor<?x2xi64, {dims = ["?1", "2"]}>) -> ()
// DIAGNOSTICS
error[MLC0401]: native code needs sizes that those of the inputs tell, int64[?,2] has others
  = node: y  core.nonzero (bool[2,3])
  = help: pin the inputs with --shape NAME=D,D,...; a number that sizes follow from is made a constant by --freeze NAME=VALUE

// -----
// CASE: a recurrent layer is a loop
// RUN: to-kernel
^bb(%x: tensor<2x1x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %c2 = "core.constant"() {value = dense<0.25> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %l, %l1 = "core.rnn"(%x, %c1, %c2) {mlconv.absent = [3, 4, 5]} : (tensor<2x1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%l) : (tensor<2x1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "kernel.gemm"(%0, %1) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 2], x = #kernel.view<offset = 0, strides = [0, 0, 2]>, window = [], window_strides = [], channels = 2, after = [], out = #kernel.view<offset = 0, strides = [4, 4, 2, 1]>>, run = 2, dense = true>} : (tensor<2x1x2xf32>, tensor<4xf32>) -> (tensor<2x1x2xf32>)
  %3 = "kernel.loop_nest"() {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : () -> (tensor<1x2xf32>)
  %4 = "kernel.loop_nest"() {"problem" = [#kernel.step<extents = [2, 1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0>], after = [], out = #kernel.view<offset = 0, strides = [2, 2, 1]>>]} : () -> (tensor<2x1x2xf32>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %6, %7, %8 = "kernel.while"(%5, %4, %3) ({
  ^bb(%9: tensor<i32>, %10: tensor<2x1x2xf32>, %11: tensor<1x2xf32>):
    %12 = "kernel.loop_nest"(%9) {"problem" = [#kernel.step<extents = [], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = []>>, #kernel.instr<opcode = "const", dtype = i32, value = 2>, #kernel.instr<opcode = "less", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%12) : (tensor<i1>) -> ()
  }, {
  ^bb(%13: tensor<i32>, %14: tensor<2x1x2xf32>, %15: tensor<1x2xf32>):
    %16 = "kernel.loop_nest"(%13, %2) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [0, 0]>>, #kernel.instr<opcode = "load_at", dtype = f32, args = [1, 0], value = [#kernel.view<offset = 0, strides = [2, 1]>, 2, 2]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<i32>, tensor<2x1x2xf32>) -> (tensor<1x2xf32>)
    %17 = "core.constant"() {"value" = dense<0.25> : tensor<4xf32>} : () -> (tensor<4xf32>)
    %18 = "kernel.gemm"(%15, %17) {"problem" = #kernel.gemm<indexing = #kernel.output_indexing<rows = [1, 1, 1], x = #kernel.view<offset = 0, strides = [0, 0, 2]>, window = [], window_strides = [], channels = 2, after = [], out = #kernel.view<offset = 0, strides = [2, 2, 2, 1]>>, run = 2, dense = true>} : (tensor<1x2xf32>, tensor<4xf32>) -> (tensor<1x2xf32>)
    %19 = "kernel.loop_nest"(%16, %18) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "add", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %20 = "kernel.loop_nest"(%19) {"problem" = [#kernel.step<extents = [1, 2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [0, 1]>>, #kernel.instr<opcode = "tanh", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [2, 1]>>]} : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %21 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
    %22 = "kernel.alias"(%20) : (tensor<1x2xf32>) -> (tensor<1x1x2xf32>)
    %23 = "kernel.alias"(%13) : (tensor<i32>) -> (tensor<1xi32>)
    %24 = "kernel.alias"(%21) : (tensor<i32>) -> (tensor<1xi32>)
    %25 = "kernel.alias"(%21) : (tensor<i32>) -> (tensor<1xi32>)
    %26 = "kernel.loop_nest"(%23, %24, %25) {"problem" = [#kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 0, strides = [1]>>, #kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 1, strides = [1]>>, #kernel.step<extents = [1], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [2], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 2, strides = [1]>>]} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xi32>)
    %27 = "kernel.routine"(%14, %22, %26) {"problem" = #kernel.routine<name = "update_slice", params = [f32, i32, [2, 1, 2], [1, 1, 2]], reuse = 0>} : (tensor<2x1x2xf32>, tensor<1x1x2xf32>, tensor<3xi32>) -> (tensor<2x1x2xf32>)
    %28 = "kernel.loop_nest"(%13) {"problem" = [#kernel.step<extents = [], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i32, args = [0], value = #kernel.view<offset = 0, strides = []>>, #kernel.instr<opcode = "const", dtype = i32, value = 1>, #kernel.instr<opcode = "add", dtype = i32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%28, %27, %20) : (tensor<i32>, tensor<2x1x2xf32>, tensor<1x2xf32>) -> ()
  }) : (tensor<i32>, tensor<2x1x2xf32>, tensor<1x2xf32>) -> (tensor<i32>, tensor<2x1x2xf32>, tensor<1x2xf32>)
  "mlconv.yield"(%7) : (tensor<2x1x2xf32>) -> ()

// -----
// CASE: a custom op is refused
// RUN: to-kernel
^bb(%x: tensor<2x3xf32>):
  %y = "core.custom"(%x) {code = "Wobble", options = #mlconv.bytes<"">, types = [tensor<2x3xf32>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0401]: no native code for it yet: core.custom has no kernel
  = node: y  core.custom (float32[2,3])

// -----
// CASE: what a loop starts from is written where it is many equal numbers
// RUN: to-kernel
^bb(%n: tensor<f32>):
  %z = "core.constant"() {value = dense<0.0> : tensor<96xf32>} : () -> (tensor<96xf32>)
  %w = "core.while"(%z) ({
  ^bb(%a1: tensor<96xf32>):
    %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<96xf32>) -> (tensor<f32>)
    %l = "core.less"(%s, %n) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a5: tensor<96xf32>):
    %d = "core.cos"(%a5) : (tensor<96xf32>) -> (tensor<96xf32>)
    "mlconv.yield"(%d) : (tensor<96xf32>) -> ()
  }) : (tensor<96xf32>) -> (tensor<96xf32>)
  "mlconv.yield"(%w) : (tensor<96xf32>) -> ()
// EXPECT
^bb(%0: tensor<f32>):
  %1 = "kernel.loop_nest"() {"problem" = [#kernel.step<extents = [96], reduced = 0, combine = "", body = [#kernel.instr<opcode = "const", dtype = f32, value = 0.0 : f64>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : () -> (tensor<96xf32>)
  %2 = "kernel.while"(%1) ({
  ^bb(%3: tensor<96xf32>):
    %4 = "kernel.loop_nest"(%3) {"problem" = [#kernel.step<extents = [96], reduced = 1, combine = "add", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<96xf32>) -> (tensor<f32>)
    %5 = "kernel.loop_nest"(%4, %0) {"problem" = [#kernel.step<extents = [], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = []>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = []>>, #kernel.instr<opcode = "less", dtype = i1, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = []>>]} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%5) : (tensor<i1>) -> ()
  }, {
  ^bb(%6: tensor<96xf32>):
    %7 = "kernel.loop_nest"(%6) {"problem" = [#kernel.step<extents = [96], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "cos", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<96xf32>) -> (tensor<96xf32>)
    "mlconv.yield"(%7) : (tensor<96xf32>) -> ()
  }) : (tensor<96xf32>) -> (tensor<96xf32>)
  "mlconv.yield"(%2) : (tensor<96xf32>) -> ()

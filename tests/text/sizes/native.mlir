// CASE: sizes that an op joins must agree
// RUN: size-conditions
^bb(%x: tensor<?xf32, {dims = ["N"]}>, %z: tensor<?xf32, {dims = ["M"]}>):
  %y = "core.concat"(%x, %z) {axis = 0} : (tensor<?xf32, {dims = ["N"]}>, tensor<?xf32, {dims = ["M"]}>) -> (tensor<?xf32, {dims = ["M + N"]}>)
  %s = "core.add"(%x, %z) : (tensor<?xf32, {dims = ["N"]}>, tensor<?xf32, {dims = ["M"]}>) -> (tensor<?xf32, {dims = ["max(M, N)"]}>)
  "mlconv.yield"(%y, %s) : (tensor<?xf32, {dims = ["M + N"]}>, tensor<?xf32, {dims = ["max(M, N)"]}>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<?xf32, {dims = ["N"]}>, %1: tensor<?xf32, {dims = ["M"]}>):
    %2 = "core.concat"(%0, %1) {"axis" = 0} : (tensor<?xf32, {dims = ["N"]}>, tensor<?xf32, {dims = ["M"]}>) -> (tensor<?xf32, {dims = ["M+N"]}>)
    %3 = "core.add"(%0, %1) : (tensor<?xf32, {dims = ["N"]}>, tensor<?xf32, {dims = ["M"]}>) -> (tensor<?xf32, {dims = ["max(M, N)"]}>)
    "mlconv.yield"(%2, %3) : (tensor<?xf32, {dims = ["M+N"]}>, tensor<?xf32, {dims = ["max(M, N)"]}>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "z"], "output_names" = ["y0", "y1"], "signature" = "serving_default", "conditions" = [#fact.condition<kind = "spread", a = #mlconv.dim<"N">, b = #mlconv.dim<"max(M, N)">, asked_by = "s">, #fact.condition<kind = "spread", a = #mlconv.dim<"M">, b = #mlconv.dim<"max(M, N)">, asked_by = "s">]} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: numbers that cannot agree
// RUN: size-conditions
^bb(%x: tensor<?x2xf32, {dims = ["N", "2"]}>, %w: tensor<3x4xf32>):
  %y = "core.matmul"(%x, %w) : (tensor<?x2xf32, {dims = ["N", "2"]}>, tensor<3x4xf32>) -> (tensor<?x4xf32, {dims = ["N", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.matmul (float32[N,2], float32[3,4]): MLC0201: MatMul of float32[N,2] and float32[3,4]: inner sizes 2 and 3 differ
  = node: y  core.matmul

// -----
// CASE: integers of four bits take a byte inside
// RUN: to-kernel
^bb(%x: tensor<2xf32>):
  %w = "core.constant"() {value = dense<[1, -8]> : tensor<2xi4>} : () -> (tensor<2xi4>)
  %v = "core.cast"(%w) {dtype = f32} : (tensor<2xi4>) -> (tensor<2xf32>)
  %y = "core.mul"(%x, %v) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[i8, [2], [2], \"cast\", [i8], [dense<[1, -8]> : tensor<2xi4>]]">} : () -> (tensor<2xi8>)
  %2 = "kernel.loop_nest"(%1) {"problem" = [#kernel.step<extents = [2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = i8, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "cast", dtype = f32, args = [0]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2xi8>) -> (tensor<2xf32>)
  %3 = "kernel.loop_nest"(%0, %2) {"problem" = [#kernel.step<extents = [2], reduced = 0, combine = "", body = [#kernel.instr<opcode = "load", dtype = f32, args = [0], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "load", dtype = f32, args = [1], value = #kernel.view<offset = 0, strides = [1]>>, #kernel.instr<opcode = "mul", dtype = f32, args = [0, 1]>], after = [], out = #kernel.view<offset = 0, strides = [1]>>]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%3) : (tensor<2xf32>) -> ()

// -----
// CASE: arithmetic of four bits would have to wrap
// RUN: to-kernel
^bb(%x: tensor<2xi4>):
  %y = "core.add"(%x, %x) : (tensor<2xi4>, tensor<2xi4>) -> (tensor<2xi4>)
  %z = "core.cast"(%y) {dtype = i32} : (tensor<2xi4>) -> (tensor<2xi32>)
  "mlconv.yield"(%z) : (tensor<2xi32>) -> ()
// DIAGNOSTICS
error[MLC0402]: no native code for core.add of int4
  = node: y  core.add (int4[2], int4[2])

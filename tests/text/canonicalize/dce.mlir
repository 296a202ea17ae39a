// CASE: a chain that nobody reads goes
// RUN: dce
^bb(%x: tensor<4xf32>):
  %a = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %b = "core.abs"(%a) : (tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.exp"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.exp"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: a result of branches that nobody reads goes, with what makes it
// RUN: dce
^bb(%x: tensor<4xf32>, %p: tensor<i1>):
  %r, %r1 = "core.if"(%p) ({
    %c1 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
    %m = "core.mul"(%x, %c1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    %n = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%m, %n) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }, {
    %c2 = "core.constant"() {value = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
    %m_1 = "core.mul"(%x, %c2) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    %n_1 = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%m_1, %n_1) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<i1>):
  %2 = "core.if"(%1) ({
    %3 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
    %4 = "core.mul"(%0, %3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%4) : (tensor<4xf32>) -> ()
  }, {
    %5 = "core.constant"() {"value" = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
    %6 = "core.mul"(%0, %5) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%6) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: a loop variable that nobody reads goes
// RUN: dce
^bb(%x: tensor<4xf32>):
  %w, %w1 = "core.while"(%x, %x) ({
  ^bb(%a1: tensor<4xf32>, %a2: tensor<4xf32>):
    %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<4xf32>, %a7: tensor<4xf32>):
    %d = "core.add"(%a6, %a6) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%d, %a7) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%w) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.while"(%0) ({
  ^bb(%2: tensor<4xf32>):
    %3 = "core.reduce_sum"(%2) {"axes" = [0], "keepdims" = false} : (tensor<4xf32>) -> (tensor<f32>)
    %4 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %5 = "core.less"(%3, %4) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%5) : (tensor<i1>) -> ()
  }, {
  ^bb(%6: tensor<4xf32>):
    %7 = "core.add"(%6, %6) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%7) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: a loop variable that another one reads stays
// RUN: dce
^bb(%x: tensor<4xf32>):
  %w, %w1 = "core.while"(%x, %x) ({
  ^bb(%a1: tensor<4xf32>, %a2: tensor<4xf32>):
    %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<4xf32>, %a7: tensor<4xf32>):
    %d = "core.add"(%a6, %a7) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %n = "core.add"(%a7, %a7) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%d, %n) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%w) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1, %2 = "core.while"(%0, %0) ({
  ^bb(%3: tensor<4xf32>, %4: tensor<4xf32>):
    %5 = "core.reduce_sum"(%3) {"axes" = [0], "keepdims" = false} : (tensor<4xf32>) -> (tensor<f32>)
    %6 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %7 = "core.less"(%5, %6) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<4xf32>, %9: tensor<4xf32>):
    %10 = "core.add"(%8, %9) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %11 = "core.add"(%9, %9) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%10, %11) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: what has an effect stays, what is only not to be merged may go
// RUN: dce
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<2xf32>):
    %r = "core.read_variable"() {variable = "v", of = tensor<2xf32>} : () -> (tensor<2xf32>)
    "core.assign_variable"(%x) {variable = "v"} : (tensor<2xf32>) -> ()
    "mlconv.yield"(%x) : (tensor<2xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y"], variables = {"v" = dense<1.0> : tensor<2xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<2xf32>):
    "core.assign_variable"(%0) {"variable" = "v"} : (tensor<2xf32>) -> ()
    "mlconv.yield"(%0) : (tensor<2xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y"], "signature" = "serving_default", "variables" = {"v" = dense<1.0> : tensor<2xf32>}} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a variable that the function does not have
// RUN: dce
^bb(%x: tensor<2xf32>):
  "core.assign_variable"(%x) {variable = "v"} : (tensor<2xf32>) -> ()
  "mlconv.yield"(%x) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0603]: IR of function 'main' is not valid: core.assign_variable (float32[2]) is of 'v', no variable of the function

// -----
// CASE: loop variables that are made of themselves and of one another alone go, with what makes them
// RUN: dce
^bb(%x: tensor<4xf32>, %n: tensor<i32>):
  %zero = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %rows = "core.constant"() {value = dense<0.0> : tensor<9x4xf32>} : () -> (tensor<9x4xf32>)
  %w, %w1, %w2, %w3 = "core.while"(%zero, %rows, %x, %x) ({
  ^bb(%i: tensor<i32>, %a: tensor<9x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %l = "core.less"(%i, %n) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%i: tensor<i32>, %a: tensor<9x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %one = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %j = "core.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %row = "core.expand_dims"(%b) {axes = [0]} : (tensor<4xf32>) -> (tensor<1x4xf32>)
    %a1 = "core.update_slice"(%a, %row, %i, %zero) : (tensor<9x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> (tensor<9x4xf32>)
    %b1 = "core.add"(%b, %c) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %c1 = "core.add"(%c, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%j, %a1, %b1, %c1) : (tensor<i32>, tensor<9x4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<9x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<9x4xf32>, tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%w3) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<i32>):
  %2 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %3, %4 = "core.while"(%2, %0) ({
  ^bb(%5: tensor<i32>, %6: tensor<4xf32>):
    %7 = "core.less"(%5, %1) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<i32>, %9: tensor<4xf32>):
    %10 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %11 = "core.add"(%8, %10) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %12 = "core.add"(%9, %0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%11, %12) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

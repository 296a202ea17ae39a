// CASE: branches of a conditional see what is around
// RUN: to-tf
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
  %2 = "tf.If"(%1) ({
    %3 = "tf.Neg"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%3) : (tensor<4xf32>) -> ()
  }, {
    %4 = "tf.Abs"(%0) {"T" = f32} : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%4) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: the body of a while sees what is around
// RUN: to-tf
^bb(%x: tensor<4xf32>, %k: tensor<4xf32>):
  %w = "core.while"(%x) ({
  ^bb(%a2: tensor<4xf32>):
    %s = "core.reduce_sum"(%a2) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<4xf32>):
    %d = "core.add"(%a6, %k) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%d) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%w) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "tf.While"(%0) ({
  ^bb(%3: tensor<4xf32>):
    %4 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %5 = "tf.Sum"(%3, %4) {"T" = f32, "Tidx" = i32, "keep_dims" = false} : (tensor<4xf32>, tensor<1xi32>) -> (tensor<f32>)
    %6 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %7 = "tf.Less"(%5, %6) {"T" = f32} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<4xf32>):
    %9 = "tf.AddV2"(%8, %1) {"T" = f32} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%9) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: variables are named, and their handles found when the file is written
// RUN: to-tf
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<3xf32>):
    %r = "core.read_variable"() {variable = "v", of = tensor<3xf32>} : () -> (tensor<3xf32>)
    %s = "core.add"(%r, %x) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "core.assign_variable"(%s) {variable = "v"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%s) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], variables = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<3xf32>):
    %1 = "tf.ReadVariableOp"() {"variable" = "v", "of" = tensor<3xf32>} : () -> (tensor<3xf32>)
    %2 = "tf.AddV2"(%1, %0) {"T" = f32} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    "tf.AssignVariableOp"(%2) {"variable" = "v"} : (tensor<3xf32>) -> ()
    "mlconv.yield"(%2) : (tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "variables" = {"v" = dense<[1.0, 1.0, 1.0]> : tensor<3xf32>}} : () -> ()
}) {mlconv.source = {}} : () -> ()

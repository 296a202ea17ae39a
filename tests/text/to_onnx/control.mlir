// CASE: branches of a conditional see what is around
// RUN: to-onnx
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
  %2 = "onnx.If"(%1) ({
    %3 = "onnx.Neg"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%3) : (tensor<4xf32>) -> ()
  }, {
    %4 = "onnx.Abs"(%0) {"opset_version" = 17} : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%4) : (tensor<4xf32>) -> ()
  }) {"region_names" = ["then_branch", "else_branch"], "opset_version" = 17} : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: the body of a while sees what is around
// RUN: to-onnx
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
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "onnx.ReduceSum"(%0, %2) {"keepdims" = 0, "opset_version" = 17} : (tensor<4xf32>, tensor<1xi64>) -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "onnx.Less"(%3, %4) {"opset_version" = 17} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
  %6 = "onnx.Loop"(%5, %0) ({
  ^bb(%7: tensor<i64>, %8: tensor<i1>, %9: tensor<4xf32>):
    %10 = "onnx.Add"(%9, %1) {"opset_version" = 17} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %11 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %12 = "onnx.ReduceSum"(%10, %11) {"keepdims" = 0, "opset_version" = 17} : (tensor<4xf32>, tensor<1xi64>) -> (tensor<f32>)
    %13 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %14 = "onnx.Less"(%12, %13) {"opset_version" = 17} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%14, %10) : (tensor<i1>, tensor<4xf32>) -> ()
  }) {"region_names" = ["body"], "opset_version" = 17, "mlconv.absent" = [0]} : (tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%6) : (tensor<4xf32>) -> ()

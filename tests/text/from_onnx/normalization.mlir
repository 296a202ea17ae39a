// CASE: BatchNormalization is a scale and a shift of constants
// RUN: from-onnx
^bb(%x: tensor<1x2x3x3xf32>):
  %s = "onnx.Constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %b = "onnx.Constant"() {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %m = "onnx.Constant"() {value = dense<[5.0, 6.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %v = "onnx.Constant"() {value = dense<[7.0, 8.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %y = "onnx.BatchNormalization"(%x, %s, %b, %m, %v) {opset_version = 17} : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x3x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x3x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x3x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %3 = "core.constant"() {"value" = dense<[5.0, 6.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %4 = "core.constant"() {"value" = dense<[7.0, 8.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %5 = "core.constant"() {"value" = dense<1.0e-05> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "core.add"(%4, %5) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  %7 = "core.sqrt"(%6) : (tensor<2xf32>) -> (tensor<2xf32>)
  %8 = "core.div"(%1, %7) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %9 = "core.mul"(%3, %8) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %10 = "core.sub"(%2, %9) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %11 = "core.constant"() {"value" = dense<[-1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %12 = "core.reshape"(%8, %11) : (tensor<2xf32>, tensor<3xi64>) -> (tensor<2x1x1xf32>)
  %13 = "core.mul"(%0, %12) : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x3x3xf32>)
  %14 = "core.constant"() {"value" = dense<[-1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %15 = "core.reshape"(%10, %14) : (tensor<2xf32>, tensor<3xi64>) -> (tensor<2x1x1xf32>)
  %16 = "core.add"(%13, %15) : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x3x3xf32>)
  "mlconv.yield"(%16) : (tensor<1x2x3x3xf32>) -> ()

// -----
// CASE: LayerNormalization along the last axis
// RUN: from-onnx
^bb(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>):
  %y = "onnx.LayerNormalization"(%x, %s) {opset_version = 17} : (tensor<2x3x4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<4xf32>):
  %2 = "core.reduce_mean"(%0) {"axes" = [2], "keepdims" = true} : (tensor<2x3x4xf32>) -> (tensor<2x3x1xf32>)
  %3 = "core.sub"(%0, %2) : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> (tensor<2x3x4xf32>)
  %4 = "core.mul"(%3, %3) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %5 = "core.reduce_mean"(%4) {"axes" = [2], "keepdims" = true} : (tensor<2x3x4xf32>) -> (tensor<2x3x1xf32>)
  %6 = "core.constant"() {"value" = dense<1.0e-05> : tensor<f32>} : () -> (tensor<f32>)
  %7 = "core.add"(%5, %6) : (tensor<2x3x1xf32>, tensor<f32>) -> (tensor<2x3x1xf32>)
  %8 = "core.sqrt"(%7) : (tensor<2x3x1xf32>) -> (tensor<2x3x1xf32>)
  %9 = "core.div"(%3, %8) : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> (tensor<2x3x4xf32>)
  %10 = "core.mul"(%9, %1) : (tensor<2x3x4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%10) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: InstanceNormalization
// RUN: from-onnx
^bb(%x: tensor<1x2x3x3xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>):
  %y = "onnx.InstanceNormalization"(%x, %s, %b) {opset_version = 17} : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x3x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x3x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x3x3xf32>, %1: tensor<2xf32>, %2: tensor<2xf32>):
  %3 = "core.reduce_mean"(%0) {"axes" = [2, 3], "keepdims" = true} : (tensor<1x2x3x3xf32>) -> (tensor<1x2x1x1xf32>)
  %4 = "core.sub"(%0, %3) : (tensor<1x2x3x3xf32>, tensor<1x2x1x1xf32>) -> (tensor<1x2x3x3xf32>)
  %5 = "core.mul"(%4, %4) : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> (tensor<1x2x3x3xf32>)
  %6 = "core.reduce_mean"(%5) {"axes" = [2, 3], "keepdims" = true} : (tensor<1x2x3x3xf32>) -> (tensor<1x2x1x1xf32>)
  %7 = "core.constant"() {"value" = dense<1.0e-05> : tensor<f32>} : () -> (tensor<f32>)
  %8 = "core.add"(%6, %7) : (tensor<1x2x1x1xf32>, tensor<f32>) -> (tensor<1x2x1x1xf32>)
  %9 = "core.sqrt"(%8) : (tensor<1x2x1x1xf32>) -> (tensor<1x2x1x1xf32>)
  %10 = "core.div"(%4, %9) : (tensor<1x2x3x3xf32>, tensor<1x2x1x1xf32>) -> (tensor<1x2x3x3xf32>)
  %11 = "core.constant"() {"value" = dense<[-1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %12 = "core.reshape"(%1, %11) : (tensor<2xf32>, tensor<3xi64>) -> (tensor<2x1x1xf32>)
  %13 = "core.mul"(%10, %12) : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x3x3xf32>)
  %14 = "core.constant"() {"value" = dense<[-1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %15 = "core.reshape"(%2, %14) : (tensor<2xf32>, tensor<3xi64>) -> (tensor<2x1x1xf32>)
  %16 = "core.add"(%13, %15) : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x3x3xf32>)
  "mlconv.yield"(%16) : (tensor<1x2x3x3xf32>) -> ()

// -----
// CASE: LRN says what lies before and after
// RUN: from-onnx
^bb(%x: tensor<1x4x2x2xf32>):
  %y = "onnx.LRN"(%x) {size = 4, opset_version = 17} : (tensor<1x4x2x2xf32>) -> (tensor<1x4x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x2x2xf32>):
  %1 = "core.lrn"(%0) {"radius" = 1, "radius_after" = 2, "alpha" = 2.499999936844688e-05 : f64, "beta" = 0.75 : f64, "bias" = 1.0 : f64, "axis" = 1} : (tensor<1x4x2x2xf32>) -> (tensor<1x4x2x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x4x2x2xf32>) -> ()

// -----
// CASE: LpNormalization divides by the norm
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.LpNormalization"(%x) {axis = 1, p = 1, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.abs"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "core.reduce_sum"(%1) {"axes" = [1], "keepdims" = true} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.equal"(%2, %3) : (tensor<2x1xf32>, tensor<f32>) -> (tensor<2x1xi1>)
  %5 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "core.select"(%4, %5, %2) : (tensor<2x1xi1>, tensor<f32>, tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %7 = "core.div"(%0, %6) : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  %8 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %9 = "core.select"(%4, %8, %7) : (tensor<2x1xi1>, tensor<f32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%9) : (tensor<2x3xf32>) -> ()

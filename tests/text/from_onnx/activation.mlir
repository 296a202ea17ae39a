// CASE: Relu is a clamp
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.Relu"(%x) {opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.clamp"(%0) {"lo" = 0.0 : f64, "hi" = 0x7FF0000000000000 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: LeakyRelu keeps its slope
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.LeakyRelu"(%x) {alpha = 0.20000000298023224 : f64, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.leaky_relu"(%0) {"alpha" = 0.20000000298023224 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: PRelu selects by sign
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>, %s: tensor<3xf32>):
  %y = "onnx.PRelu"(%x, %s) {opset_version = 17} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.less"(%0, %2) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xi1>)
  %4 = "core.mul"(%0, %1) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  %5 = "core.select"(%3, %4, %0) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%5) : (tensor<2x3xf32>) -> ()

// -----
// CASE: Elu with another alpha than 1
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.Elu"(%x) {alpha = 2.0 : f64, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.elu"(%0) {"alpha" = 2.0 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: Selu is a scaled Elu
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.Selu"(%x) {opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.elu"(%0) {"alpha" = 1.6732631921768188 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "core.constant"() {"value" = dense<1.050701> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.mul"(%1, %2) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: HardSigmoid is a clamp of a line
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.HardSigmoid"(%x) {alpha = 0.25 : f64, beta = 0.5 : f64, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.25> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.mul"(%0, %1) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.add"(%2, %3) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %5 = "core.clamp"(%4) {"lo" = 0.0 : f64, "hi" = 1.0 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%5) : (tensor<2x3xf32>) -> ()

// -----
// CASE: HardSwish has an op of its own
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.HardSwish"(%x) {opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.hard_swish"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: Gelu by tanh
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.Gelu"(%x) {approximate = "tanh", opset_version = 20} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.gelu"(%0) {"approximate" = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: Softmax from opset 13 on is along one axis
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.Softmax"(%x) {opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.softmax"(%0) {"axis" = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: Softmax before opset 13 flattens behind its axis
// RUN: from-onnx
^bb(%x: tensor<2x3x4xf32>):
  %y = "onnx.Softmax"(%x) {axis = 1, opset_version = 11} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 12]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<2x12xf32>)
  %3 = "core.softmax"(%2) {"axis" = 1} : (tensor<2x12xf32>) -> (tensor<2x12xf32>)
  %4 = "core.constant"() {"value" = dense<[2, 3, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %5 = "core.reshape"(%3, %4) : (tensor<2x12xf32>, tensor<3xi64>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%5) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: ThresholdedRelu selects
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.ThresholdedRelu"(%x) {alpha = 2.0 : f64, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.less"(%1, %0) : (tensor<f32>, tensor<2x3xf32>) -> (tensor<2x3xi1>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.select"(%2, %0, %3) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()

// -----
// CASE: Mish is x times tanh of softplus
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.Mish"(%x) {opset_version = 18} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.softplus"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "core.tanh"(%1) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %3 = "core.mul"(%0, %2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: Shrink is two selects
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.Shrink"(%x) {lambd = 0.5 : f64, bias = 0.10000000149011612 : f64, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.less"(%1, %0) : (tensor<f32>, tensor<2x3xf32>) -> (tensor<2x3xi1>)
  %3 = "core.constant"() {"value" = dense<0.1> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.sub"(%0, %3) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %5 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "core.select"(%2, %4, %5) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %7 = "core.constant"() {"value" = dense<-0.5> : tensor<f32>} : () -> (tensor<f32>)
  %8 = "core.less"(%0, %7) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xi1>)
  %9 = "core.constant"() {"value" = dense<0.1> : tensor<f32>} : () -> (tensor<f32>)
  %10 = "core.add"(%0, %9) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>)
  %11 = "core.select"(%8, %10, %6) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%11) : (tensor<2x3xf32>) -> ()

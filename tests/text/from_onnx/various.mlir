// CASE: HannWindow of a constant size
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %n = "onnx.Constant"() {value = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %w = "onnx.HannWindow"(%n) {opset_version = 17} : (tensor<i64>) -> (tensor<*x!mlconv.unknown>)
  %y = "onnx.Mul"(%x, %w) {opset_version = 17} : (tensor<4xf32>, tensor<*x!mlconv.unknown>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[0.0, 0.5, 1.0, 0.5]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "core.mul"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: DFT along the last axis but one
// RUN: from-onnx
^bb(%x: tensor<1x4x1xf32>):
  %y = "onnx.DFT"(%x) {opset_version = 17} : (tensor<1x4x1xf32>) -> (tensor<1x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x1xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[0, 0, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %3 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "core.slice"(%0, %1, %2, %3) {"begin_mask" = 3, "end_mask" = 3} : (tensor<1x4x1xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x4x1xf32>)
  %5 = "core.squeeze"(%4) {"axes" = [2]} : (tensor<1x4x1xf32>) -> (tensor<1x4xf32>)
  %6 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %7 = "core.complex"(%5, %6) : (tensor<1x4xf32>, tensor<f32>) -> (tensor<1x4xcomplex<f32>>)
  %8 = "core.fft"(%7) {"axes" = [1], "inverse" = false} : (tensor<1x4xcomplex<f32>>) -> (tensor<1x4xcomplex<f32>>)
  %9 = "core.real"(%8) : (tensor<1x4xcomplex<f32>>) -> (tensor<1x4xf32>)
  %10 = "core.expand_dims"(%9) {"axes" = [2]} : (tensor<1x4xf32>) -> (tensor<1x4x1xf32>)
  %11 = "core.imag"(%8) : (tensor<1x4xcomplex<f32>>) -> (tensor<1x4xf32>)
  %12 = "core.expand_dims"(%11) {"axes" = [2]} : (tensor<1x4xf32>) -> (tensor<1x4x1xf32>)
  %13 = "core.concat"(%10, %12) {"axis" = 2} : (tensor<1x4x1xf32>, tensor<1x4x1xf32>) -> (tensor<1x4x2xf32>)
  "mlconv.yield"(%13) : (tensor<1x4x2xf32>) -> ()

// -----
// CASE: SoftmaxCrossEntropyLoss with weights
// RUN: from-onnx
^bb(%s: tensor<2x3xf32>, %l: tensor<2xi64>, %w: tensor<3xf32>):
  %y = "onnx.SoftmaxCrossEntropyLoss"(%s, %l, %w) {opset_version = 17} : (tensor<2x3xf32>, tensor<2xi64>, tensor<3xf32>) -> (tensor<f32>)
  "mlconv.yield"(%y) : (tensor<f32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2xi64>, %2: tensor<3xf32>):
  %3 = "core.log_softmax"(%0) {"axis" = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %4 = "core.expand_dims"(%1) {"axes" = [1]} : (tensor<2xi64>) -> (tensor<2x1xi64>)
  %5 = "core.gather_elements"(%3, %4) {"axis" = 1} : (tensor<2x3xf32>, tensor<2x1xi64>) -> (tensor<2x1xf32>)
  %6 = "core.squeeze"(%5) {"axes" = [1]} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  %7 = "core.neg"(%6) : (tensor<2xf32>) -> (tensor<2xf32>)
  %8 = "core.gather"(%2, %1) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3xf32>, tensor<2xi64>) -> (tensor<2xf32>)
  %9 = "core.mul"(%7, %8) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %10 = "core.reduce_sum"(%9) {"axes" = [0], "keepdims" = false} : (tensor<2xf32>) -> (tensor<f32>)
  %11 = "core.reduce_sum"(%8) {"axes" = [0], "keepdims" = false} : (tensor<2xf32>) -> (tensor<f32>)
  %12 = "core.div"(%10, %11) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  "mlconv.yield"(%12) : (tensor<f32>) -> ()

// -----
// CASE: CastLike takes its type from another value
// RUN: from-onnx
^bb(%x: tensor<2xf32>, %t: tensor<1xf16>):
  %y = "onnx.CastLike"(%x, %t) {opset_version = 17} : (tensor<2xf32>, tensor<1xf16>) -> (tensor<2xf16>)
  "mlconv.yield"(%y) : (tensor<2xf16>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>, %1: tensor<1xf16>):
  %2 = "core.cast"(%0) {"dtype" = f16, "saturate" = false} : (tensor<2xf32>) -> (tensor<2xf16>)
  "mlconv.yield"(%2) : (tensor<2xf16>) -> ()

// -----
// CASE: an attribute of the wrong kind is refused
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.Softmax"(%x) {axis = "one", opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0106]: attribute 'axis' of Softmax is 'one', of another kind than the operator declares
  = node: y  onnx.Softmax (float32[2,3])

// -----
// CASE: an attribute that the operator does not know is refused
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.Softmax"(%x) {axes = 1, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0106]: Softmax has no attribute 'axes'; it has axis
  = node: y  onnx.Softmax (float32[2,3])

// -----
// CASE: too few operands are refused
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.MatMul"(%x) {opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0105]: MatMul has 1 inputs, it needs at least 2
  = node: y  onnx.MatMul (float32[2,3])

// -----
// CASE: a function of the model is put in place of its call
// RUN: from-onnx
^bb(%x: tensor<2xf32>):
  %Twice_y_b = "onnx.Add"(%x, %x) {opset_version = 17} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<*x!mlconv.unknown>)
  "mlconv.yield"(%Twice_y_b) : (tensor<*x!mlconv.unknown>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.add"(%0, %0) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%1) : (tensor<2xf32>) -> ()

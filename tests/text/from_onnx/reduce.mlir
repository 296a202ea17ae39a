// CASE: axes as an attribute before opset 13
// RUN: from-onnx
^bb(%x: tensor<2x3x4xf32>):
  %y = "onnx.ReduceSum"(%x) {axes = [1], keepdims = 0, opset_version = 11} : (tensor<2x3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.reduce_sum"(%0) {"axes" = [1], "keepdims" = false} : (tensor<2x3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x4xf32>) -> ()

// -----
// CASE: axes as an operand from opset 13
// RUN: from-onnx
^bb(%x: tensor<2x3x4xf32>):
  %a = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "onnx.ReduceSum"(%x, %a) {opset_version = 17} : (tensor<2x3x4xf32>, tensor<1xi64>) -> (tensor<2x1x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x1x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.reduce_sum"(%0) {"axes" = [1], "keepdims" = true} : (tensor<2x3x4xf32>) -> (tensor<2x1x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x1x4xf32>) -> ()

// -----
// CASE: no axes are all axes
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.ReduceMax"(%x) {opset_version = 17} : (tensor<2x3xf32>) -> (tensor<1x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.reduce_max"(%0) {"axes" = [0, 1], "keepdims" = true} : (tensor<2x3xf32>) -> (tensor<1x1xf32>)
  "mlconv.yield"(%1) : (tensor<1x1xf32>) -> ()

// -----
// CASE: no axes with noop_with_empty_axes are none
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.ReduceMean"(%x) {noop_with_empty_axes = 1, opset_version = 18} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.reduce_mean"(%0) {"axes" = [], "keepdims" = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: ReduceL2 is a root of a sum of squares
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.ReduceL2"(%x) {axes = [1], keepdims = 0, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.mul"(%0, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "core.reduce_sum"(%1) {"axes" = [1], "keepdims" = false} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  %3 = "core.sqrt"(%2) : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%3) : (tensor<2xf32>) -> ()

// -----
// CASE: ReduceLogSumExp has no overflow
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.ReduceLogSumExp"(%x) {axes = [1], keepdims = 0, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.reduce_max"(%0) {"axes" = [1], "keepdims" = true} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %2 = "core.is_finite"(%1) : (tensor<2x1xf32>) -> (tensor<2x1xi1>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.select"(%2, %1, %3) : (tensor<2x1xi1>, tensor<2x1xf32>, tensor<f32>) -> (tensor<2x1xf32>)
  %5 = "core.sub"(%0, %4) : (tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>)
  %6 = "core.exp"(%5) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %7 = "core.reduce_sum"(%6) {"axes" = [1], "keepdims" = true} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %8 = "core.log"(%7) : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %9 = "core.add"(%8, %4) : (tensor<2x1xf32>, tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %10 = "core.squeeze"(%9) {"axes" = [1]} : (tensor<2x1xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%10) : (tensor<2xf32>) -> ()

// -----
// CASE: ArgMax of the last of equal ones
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.ArgMax"(%x) {axis = 1, keepdims = 0, select_last_index = 1, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%y) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.arg_max"(%0) {"axis" = 1, "keepdims" = false, "select_last" = true, "dtype" = i64} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%1) : (tensor<2xi64>) -> ()

// -----
// CASE: TopK gives values and places
// RUN: from-onnx
^bb(%x: tensor<2x5xf32>):
  %k = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %v, %i = "onnx.TopK"(%x, %k) {largest = 0, opset_version = 17} : (tensor<2x5xf32>, tensor<1xi64>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  "mlconv.yield"(%v, %i) : (tensor<2x2xf32>, tensor<2x2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>):
  %1 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %4, %5 = "core.top_k"(%0, %3) {"axis" = 1, "largest" = false, "index_dtype" = i64} : (tensor<2x5xf32>, tensor<i64>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  "mlconv.yield"(%4, %5) : (tensor<2x2xf32>, tensor<2x2xi64>) -> ()

// -----
// CASE: an axis that the operand does not have is refused
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.ReduceMax"(%x) {axes = [2], keepdims = 0, opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0201]: axis 2 is out of range for rank 2
  = node: y  onnx.ReduceMax (float32[2,3])

// -----
// CASE: CumSum along a constant axis
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %a = "onnx.Constant"() {value = dense<-1> : tensor<i64>} : () -> (tensor<i64>)
  %y = "onnx.CumSum"(%x, %a) {exclusive = 1, reverse = 1, opset_version = 17} : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.cumsum"(%0) {"axis" = 1, "exclusive" = true, "reverse" = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: CumSum along a computed axis is refused
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>, %a: tensor<i64>):
  %y = "onnx.CumSum"(%x, %a) {opset_version = 17} : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// DIAGNOSTICS
error[MLC0203]: the axis of CumSum must be known at conversion time
  = node: y  onnx.CumSum (float32[2,3], int64[])
  = help: make it a constant (an initializer) in the model

// CASE: a reduction has a neutral number and a computation
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %reducesum = "core.reduce_sum"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  %reducemax = "core.reduce_max"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%reducesum, %reducemax) : (tensor<2xf32>, tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "onnx.ReduceSum"(%0, %1) {"keepdims" = 0, "opset_version" = 17} : (tensor<2x3xf32>, tensor<1xi64>) -> (tensor<2xf32>)
  %3 = "onnx.ReduceMax"(%0) {"axes" = [1], "keepdims" = 0, "opset_version" = 17} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2, %3) : (tensor<2xf32>, tensor<2xf32>) -> ()

// -----
// CASE: a mean is a sum, divided; axes that are kept are a reshape
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "core.reduce_mean"(%x) {axes = [0, 1], keepdims = true} : (tensor<2x3xf32>) -> (tensor<1x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "onnx.ReduceMean"(%0) {"axes" = [0, 1], "keepdims" = 1, "opset_version" = 17} : (tensor<2x3xf32>) -> (tensor<1x1xf32>)
  "mlconv.yield"(%1) : (tensor<1x1xf32>) -> ()

// -----
// CASE: reductions of booleans
// RUN: to-onnx
^bb(%x: tensor<2x3xi1>):
  %reduceany = "core.reduce_any"(%x) {axes = [0, 1]} : (tensor<2x3xi1>) -> (tensor<i1>)
  %reduceall = "core.reduce_all"(%x) {axes = [0, 1]} : (tensor<2x3xi1>) -> (tensor<i1>)
  "mlconv.yield"(%reduceany, %reduceall) : (tensor<i1>, tensor<i1>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi1>):
  %1 = "onnx.Cast"(%0) {"to" = 6, "opset_version" = 17} : (tensor<2x3xi1>) -> (tensor<2x3xi32>)
  %2 = "onnx.ReduceMax"(%1) {"axes" = [0, 1], "keepdims" = 0, "opset_version" = 17} : (tensor<2x3xi32>) -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "onnx.Greater"(%2, %3) {"opset_version" = 17} : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
  %5 = "onnx.Cast"(%0) {"to" = 6, "opset_version" = 17} : (tensor<2x3xi1>) -> (tensor<2x3xi32>)
  %6 = "onnx.ReduceMin"(%5) {"axes" = [0, 1], "keepdims" = 0, "opset_version" = 17} : (tensor<2x3xi32>) -> (tensor<i32>)
  %7 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %8 = "onnx.Greater"(%6, %7) {"opset_version" = 17} : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
  "mlconv.yield"(%4, %8) : (tensor<i1>, tensor<i1>) -> ()

// -----
// CASE: the neutral number of a minimum is the largest of its type
// RUN: to-onnx
^bb(%x: tensor<2x3xi32>):
  %reducemin = "core.reduce_min"(%x) {axes = [1]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  %reduceprod = "core.reduce_prod"(%x) {axes = [1]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  "mlconv.yield"(%reducemin, %reduceprod) : (tensor<2xi32>, tensor<2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi32>):
  %1 = "onnx.ReduceMin"(%0) {"axes" = [1], "keepdims" = 0, "opset_version" = 17} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  %2 = "onnx.ReduceProd"(%0) {"axes" = [1], "keepdims" = 0, "opset_version" = 17} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  "mlconv.yield"(%1, %2) : (tensor<2xi32>, tensor<2xi32>) -> ()

// -----
// CASE: places of the smallest and of the largest are reductions of pairs
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "core.arg_min"(%x) {axis = 1, dtype = i32} : (tensor<2x3xf32>) -> (tensor<2xi32>)
  %z = "core.arg_max"(%y) {axis = 0} : (tensor<2xi32>) -> (tensor<i64>)
  "mlconv.yield"(%y, %z) : (tensor<2xi32>, tensor<i64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "onnx.ArgMin"(%0) {"axis" = 1, "keepdims" = 0, "opset_version" = 17} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  %2 = "onnx.Cast"(%1) {"to" = 6, "opset_version" = 17} : (tensor<2xi64>) -> (tensor<2xi32>)
  %3 = "onnx.ArgMax"(%2) {"axis" = 0, "keepdims" = 0, "opset_version" = 17} : (tensor<2xi32>) -> (tensor<i64>)
  "mlconv.yield"(%2, %3) : (tensor<2xi32>, tensor<i64>) -> ()

// -----
// CASE: a running sum doubles its steps, on pads that cut
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "core.cumsum"(%x) {axis = 1, exclusive = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "onnx.CumSum"(%0, %1) {"exclusive" = 1, "reverse" = 0, "opset_version" = 17} : (tensor<2x3xf32>, tensor<i64>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a softmax is written out
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "core.softmax"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "onnx.Softmax"(%0) {"axis" = 1, "opset_version" = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a response normalization sums over a window of channels
// RUN: to-onnx
^bb(%x: tensor<1x2x2x4xf32>):
  %y = "core.lrn"(%x) {radius = 1, radius_after = 1, alpha = 0.5 : f64, beta = 0.75 : f64, bias = 1.0 : f64, axis = 3} : (tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x4xf32>):
  %1 = "onnx.Transpose"(%0) {"perm" = [0, 3, 1, 2], "opset_version" = 17} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x2x2xf32>)
  %2 = "onnx.LRN"(%1) {"alpha" = 1.5 : f64, "beta" = 0.75 : f64, "bias" = 1.0 : f64, "size" = 3, "opset_version" = 17} : (tensor<1x4x2x2xf32>) -> (tensor<1x4x2x2xf32>)
  %3 = "onnx.Transpose"(%2) {"perm" = [0, 2, 3, 1], "opset_version" = 17} : (tensor<1x4x2x2xf32>) -> (tensor<1x2x2x4xf32>)
  "mlconv.yield"(%3) : (tensor<1x2x2x4xf32>) -> ()

// -----
// CASE: a running product of integers
// RUN: to-onnx
^bb(%x: tensor<2x3xi32>):
  %y = "core.cumprod"(%x) {axis = 1} : (tensor<2x3xi32>) -> (tensor<2x3xi32>)
  "mlconv.yield"(%y) : (tensor<2x3xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi32>):
  %1 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "onnx.Slice"(%0, %1, %2, %3) {"opset_version" = 17} : (tensor<2x3xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2x2xi32>)
  %5 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %6 = "core.constant"() {"value" = dense<[0, 1, 0, 0]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %7 = "onnx.Pad"(%4, %6, %5) {"opset_version" = 17} : (tensor<2x2xi32>, tensor<4xi64>, tensor<i32>) -> (tensor<2x3xi32>)
  %8 = "onnx.Mul"(%0, %7) {"opset_version" = 17} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  %9 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %10 = "core.constant"() {"value" = dense<[-2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %11 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %12 = "onnx.Slice"(%8, %9, %10, %11) {"opset_version" = 17} : (tensor<2x3xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2x1xi32>)
  %13 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %14 = "core.constant"() {"value" = dense<[0, 2, 0, 0]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %15 = "onnx.Pad"(%12, %14, %13) {"opset_version" = 17} : (tensor<2x1xi32>, tensor<4xi64>, tensor<i32>) -> (tensor<2x3xi32>)
  %16 = "onnx.Mul"(%8, %15) {"opset_version" = 17} : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  "mlconv.yield"(%16) : (tensor<2x3xi32>) -> ()

// -----
// CASE: a logarithm of softmax subtracts
// RUN: to-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "core.log_softmax"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "onnx.LogSoftmax"(%0) {"axis" = 1, "opset_version" = 17} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

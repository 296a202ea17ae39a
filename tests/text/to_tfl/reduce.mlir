// CASE: reductions by their names share their axes
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %reducesum = "core.reduce_sum"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  %reducemean = "core.reduce_mean"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  %reducemax = "core.reduce_max"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  %reducemin = "core.reduce_min"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  %reduceprod = "core.reduce_prod"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%reducesum, %reducemean, %reducemax, %reducemin, %reduceprod) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %2 = "tfl.SUM"(%0, %1) {"keep_dims" = false} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  %3 = "tfl.MEAN"(%0, %1) {"keep_dims" = false} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  %4 = "tfl.REDUCE_MAX"(%0, %1) {"keep_dims" = false} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  %5 = "tfl.REDUCE_MIN"(%0, %1) {"keep_dims" = false} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  %6 = "tfl.REDUCE_PROD"(%0, %1) {"keep_dims" = false} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2, %3, %4, %5, %6) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> ()

// -----
// CASE: reductions of booleans
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xi1>):
  %reduceany = "core.reduce_any"(%x) {axes = [0, 1]} : (tensor<2x3xi1>) -> (tensor<i1>)
  %reduceall = "core.reduce_all"(%x) {axes = [0, 1]} : (tensor<2x3xi1>) -> (tensor<i1>)
  "mlconv.yield"(%reduceany, %reduceall) : (tensor<i1>, tensor<i1>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi1>):
  %1 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tfl.REDUCE_ANY"(%0, %1) {"keep_dims" = false} : (tensor<2x3xi1>, tensor<2xi32>) -> (tensor<i1>)
  %3 = "tfl.REDUCE_ALL"(%0, %1) {"keep_dims" = false} : (tensor<2x3xi1>, tensor<2xi32>) -> (tensor<i1>)
  "mlconv.yield"(%2, %3) : (tensor<i1>, tensor<i1>) -> ()

// -----
// CASE: ARG_MAX drops its axis
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %a = "core.arg_max"(%x) {axis = 1, dtype = i32} : (tensor<2x3xf32>) -> (tensor<2xi32>)
  %b = "core.arg_min"(%x) {axis = 1, keepdims = true} : (tensor<2x3xf32>) -> (tensor<2x1xi64>)
  "mlconv.yield"(%a, %b) : (tensor<2xi32>, tensor<2x1xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %2 = "tfl.ARG_MAX"(%0, %1) {"output_type" = "INT32"} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xi32>)
  %3 = "tfl.ARG_MIN"(%0, %1) {"output_type" = "INT64"} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[-1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %5 = "tfl.RESHAPE"(%3, %4) {"new_shape" = [-1, 1]} : (tensor<2xi64>, tensor<2xi32>) -> (tensor<2x1xi64>)
  "mlconv.yield"(%2, %5) : (tensor<2xi32>, tensor<2x1xi64>) -> ()

// -----
// CASE: the last of equal ones is the first from behind
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %y = "core.arg_max"(%x) {axis = 1, select_last = true} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%y) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %2 = "tfl.REVERSE_V2"(%0, %1) : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2x3xf32>)
  %3 = "tfl.ARG_MAX"(%2, %1) {"output_type" = "INT64"} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %5 = "tfl.SUB"(%4, %1) : (tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>)
  %6 = "tfl.CAST"(%5) {"in_data_type" = "INT32", "out_data_type" = "INT64"} : (tensor<1xi32>) -> (tensor<1xi64>)
  %7 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %8 = "tfl.RESHAPE"(%6, %7) {"new_shape" = []} : (tensor<1xi64>, tensor<0xi32>) -> (tensor<i64>)
  %9 = "tfl.SUB"(%8, %3) : (tensor<i64>, tensor<2xi64>) -> (tensor<2xi64>)
  "mlconv.yield"(%9) : (tensor<2xi64>) -> ()

// -----
// CASE: CUMSUM
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %y = "core.cumsum"(%x) {axis = 1, reverse = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "tfl.CUMSUM"(%0, %1) {"exclusive" = false, "reverse" = true} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a running product doubles its steps
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %y = "core.cumprod"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[0, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tfl.STRIDED_SLICE"(%0, %1, %2, %3) {"begin_mask" = 1, "end_mask" = 1} : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2x2xf32>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %6 = "core.constant"() {"value" = dense<[[0, 0], [1, 0]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %7 = "tfl.PADV2"(%4, %6, %5) : (tensor<2x2xf32>, tensor<2x2xi32>, tensor<f32>) -> (tensor<2x3xf32>)
  %8 = "tfl.MUL"(%0, %7) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %9 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %10 = "tfl.STRIDED_SLICE"(%8, %1, %9, %3) {"begin_mask" = 1, "end_mask" = 1} : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2x1xf32>)
  %11 = "core.constant"() {"value" = dense<[[0, 0], [2, 0]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %12 = "tfl.PADV2"(%10, %11, %5) : (tensor<2x1xf32>, tensor<2x2xi32>, tensor<f32>) -> (tensor<2x3xf32>)
  %13 = "tfl.MUL"(%8, %12) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%13) : (tensor<2x3xf32>) -> ()

// -----
// CASE: SOFTMAX and LOG_SOFTMAX along the last axis
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %y = "core.softmax"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %z = "core.log_softmax"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y, %z) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "tfl.SOFTMAX"(%0) {"beta" = 1.0 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "tfl.LOG_SOFTMAX"(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1, %2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()

// -----
// CASE: a softmax along another axis is turned
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3x4xf32>):
  %y = "core.softmax"(%x) {axis = 1} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 2, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %2 = "tfl.TRANSPOSE"(%0, %1) : (tensor<2x3x4xf32>, tensor<3xi32>) -> (tensor<2x4x3xf32>)
  %3 = "tfl.SOFTMAX"(%2) {"beta" = 1.0 : f64} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>)
  %4 = "tfl.TRANSPOSE"(%3, %1) : (tensor<2x4x3xf32>, tensor<3xi32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%4) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: LOCAL_RESPONSE_NORMALIZATION
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x4xf32>):
  %y = "core.lrn"(%x) {radius = 1, radius_after = 1, alpha = 0.5 : f64, beta = 0.75 : f64, bias = 1.0 : f64, axis = 3} : (tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x4xf32>):
  %1 = "tfl.LOCAL_RESPONSE_NORMALIZATION"(%0) {"radius" = 1, "bias" = 1.0 : f64, "alpha" = 0.5 : f64, "beta" = 0.75 : f64} : (tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  "mlconv.yield"(%1) : (tensor<1x2x2x4xf32>) -> ()

// -----
// CASE: what rules declined for is said
// RUN: to-tfl
^bb(%x: tensor<4x3xf64>):
  %y = "core.reduce_mean"(%x) {axes = [1], keepdims = false} : (tensor<4x3xf64>) -> (tensor<4xf64>)
  "mlconv.yield"(%y) : (tensor<4xf64>) -> ()
// DIAGNOSTICS
error[MLC0402]: TFLite computes core.reduce_mean on float32, int32, int64, not on float64
  = node: y  core.reduce_mean (float64[4,3])
  = why:  mean: the mean of float64 is exact for a number of elements that is a power of two
  = help: --reduce-float64 computes float64 in float32

// CASE: reductions
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %reducesum = "core.reduce_sum"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  %reducemax = "core.reduce_max"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%reducesum, %reducemax) : (tensor<2xf32>, tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %2 = "tf.Sum"(%0, %1) {"T" = f32, "Tidx" = i32, "keep_dims" = false} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "tf.Max"(%0, %3) {"T" = f32, "Tidx" = i32, "keep_dims" = false} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2, %4) : (tensor<2xf32>, tensor<2xf32>) -> ()

// -----
// CASE: means
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %y = "core.reduce_mean"(%x) {axes = [0, 1], keepdims = true} : (tensor<2x3xf32>) -> (tensor<1x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tf.Mean"(%0, %1) {"T" = f32, "Tidx" = i32, "keep_dims" = true} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<1x1xf32>)
  "mlconv.yield"(%2) : (tensor<1x1xf32>) -> ()

// -----
// CASE: reductions of booleans
// RUN: to-tf
^bb(%x: tensor<2x3xi1>):
  %reduceany = "core.reduce_any"(%x) {axes = [0, 1]} : (tensor<2x3xi1>) -> (tensor<i1>)
  %reduceall = "core.reduce_all"(%x) {axes = [0, 1]} : (tensor<2x3xi1>) -> (tensor<i1>)
  "mlconv.yield"(%reduceany, %reduceall) : (tensor<i1>, tensor<i1>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi1>):
  %1 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tf.Any"(%0, %1) {"Tidx" = i32, "keep_dims" = false} : (tensor<2x3xi1>, tensor<2xi32>) -> (tensor<i1>)
  %3 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tf.All"(%0, %3) {"Tidx" = i32, "keep_dims" = false} : (tensor<2x3xi1>, tensor<2xi32>) -> (tensor<i1>)
  "mlconv.yield"(%2, %4) : (tensor<i1>, tensor<i1>) -> ()

// -----
// CASE: minimum
// RUN: to-tf
^bb(%x: tensor<2x3xi32>):
  %reducemin = "core.reduce_min"(%x) {axes = [1]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  %reduceprod = "core.reduce_prod"(%x) {axes = [1]} : (tensor<2x3xi32>) -> (tensor<2xi32>)
  "mlconv.yield"(%reducemin, %reduceprod) : (tensor<2xi32>, tensor<2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi32>):
  %1 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %2 = "tf.Min"(%0, %1) {"T" = i32, "Tidx" = i32, "keep_dims" = false} : (tensor<2x3xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "tf.Prod"(%0, %3) {"T" = i32, "Tidx" = i32, "keep_dims" = false} : (tensor<2x3xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  "mlconv.yield"(%2, %4) : (tensor<2xi32>, tensor<2xi32>) -> ()

// -----
// CASE: places of the smallest and of the largest
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %y = "core.arg_min"(%x) {axis = 1, dtype = i32} : (tensor<2x3xf32>) -> (tensor<2xi32>)
  %z = "core.arg_max"(%y) {axis = 0} : (tensor<2xi32>) -> (tensor<i64>)
  "mlconv.yield"(%y, %z) : (tensor<2xi32>, tensor<i64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "tf.ArgMin"(%0, %1) {"T" = f32, "Tidx" = i32, "output_type" = i64} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2xi64>)
  %3 = "tf.Cast"(%2) {"SrcT" = i64, "DstT" = i32} : (tensor<2xi64>) -> (tensor<2xi32>)
  %4 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "tf.ArgMax"(%3, %4) {"T" = i32, "Tidx" = i32, "output_type" = i64} : (tensor<2xi32>, tensor<i32>) -> (tensor<i64>)
  "mlconv.yield"(%3, %5) : (tensor<2xi32>, tensor<i64>) -> ()

// -----
// CASE: a running sum
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %y = "core.cumsum"(%x) {axis = 1, exclusive = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "tf.Cumsum"(%0, %1) {"T" = f32, "Tidx" = i32, "exclusive" = true, "reverse" = false} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a softmax is of the last axis
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %y = "core.softmax"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "tf.Softmax"(%0) {"T" = f32} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a response normalization
// RUN: to-tf
^bb(%x: tensor<1x2x2x4xf32>):
  %y = "core.lrn"(%x) {radius = 1, radius_after = 1, alpha = 0.5 : f64, beta = 0.75 : f64, bias = 1.0 : f64, axis = 3} : (tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x4xf32>):
  %1 = "tf.LRN"(%0) {"T" = f32, "depth_radius" = 1, "bias" = 1.0 : f64, "alpha" = 0.5 : f64, "beta" = 0.75 : f64} : (tensor<1x2x2x4xf32>) -> (tensor<1x2x2x4xf32>)
  "mlconv.yield"(%1) : (tensor<1x2x2x4xf32>) -> ()

// -----
// CASE: a running product of integers
// RUN: to-tf
^bb(%x: tensor<2x3xi32>):
  %y = "core.cumprod"(%x) {axis = 1} : (tensor<2x3xi32>) -> (tensor<2x3xi32>)
  "mlconv.yield"(%y) : (tensor<2x3xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi32>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "tf.Cumprod"(%0, %1) {"T" = i32, "Tidx" = i32, "exclusive" = false, "reverse" = false} : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2x3xi32>)
  "mlconv.yield"(%2) : (tensor<2x3xi32>) -> ()

// -----
// CASE: the logarithm of a softmax
// RUN: to-tf
^bb(%x: tensor<2x3xf32>):
  %y = "core.log_softmax"(%x) {axis = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "tf.LogSoftmax"(%0) {"T" = f32} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// CASE: Mean over axes that are kept
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %a = "tf.Const"() {dtype = i32, value = dense<[1, 2]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.Mean"(%x_0, %a) {T = f32, Tidx = i32, keep_dims = true} : (tensor<1x4x4x2xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.reduce_mean"(%0) {"axes" = [1, 2], "keepdims" = true} : (tensor<1x4x4x2xf32>) -> (tensor<1x1x1x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x1x1x2xf32>) -> ()

// -----
// CASE: Sum over computed axes sums along each and chooses
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>, %a_0: tensor<1xi32>):
  %y = "tf.Sum"(%x_0, %a_0) {T = f32, Tidx = i32, keep_dims = false} : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<1xi32>):
  %2 = "core.cast"(%1) {"dtype" = i64, "saturate" = false} : (tensor<1xi32>) -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.floor_mod"(%2, %3) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %5 = "core.expand_dims"(%4) {"axes" = [1]} : (tensor<1xi64>) -> (tensor<1x1xi64>)
  %6 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %7 = "core.equal"(%5, %6) : (tensor<1x1xi64>, tensor<2xi64>) -> (tensor<1x2xi1>)
  %8 = "core.reduce_any"(%7) {"axes" = [0], "keepdims" = false} : (tensor<1x2xi1>) -> (tensor<2xi1>)
  %9 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  %10 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %11 = "core.gather"(%8, %10) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi1>, tensor<i64>) -> (tensor<i1>)
  %12 = "core.reduce_sum"(%0) {"axes" = [0], "keepdims" = true} : (tensor<2x3xf32>) -> (tensor<1x3xf32>)
  %13 = "core.select"(%11, %12, %0) : (tensor<i1>, tensor<1x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %14 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %15 = "core.gather"(%8, %14) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi1>, tensor<i64>) -> (tensor<i1>)
  %16 = "core.reduce_sum"(%13) {"axes" = [1], "keepdims" = true} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  %17 = "core.select"(%15, %16, %13) : (tensor<i1>, tensor<2x1xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %18 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %19 = "core.select"(%8, %18, %9) : (tensor<2xi1>, tensor<i64>, tensor<2xi64>) -> (tensor<2xi64>)
  %20 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %21 = "core.dynamic_slice"(%17, %20, %19) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["?1", "?2"]}>)
  %22 = "core.logical_not"(%8) : (tensor<2xi1>) -> (tensor<2xi1>)
  %23 = "core.nonzero"(%22) {"padded" = false} : (tensor<2xi1>) -> (tensor<?x1xi64, {dims = ["?3", "1"]}>)
  %24 = "core.squeeze"(%23) {"axes" = [1]} : (tensor<?x1xi64, {dims = ["?3", "1"]}>) -> (tensor<?xi64, {dims = ["?3"]}>)
  %25 = "core.gather"(%9, %24) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<?xi64, {dims = ["?3"]}>) -> (tensor<?xi64, {dims = ["?3"]}>)
  %26 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %27 = "core.reshape"(%25, %26) : (tensor<?xi64, {dims = ["?3"]}>, tensor<1xi64>) -> (tensor<1xi64>)
  %28 = "core.reshape"(%21, %27) : (tensor<?x?xf32, {dims = ["?1", "?2"]}>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["?4"]}>)
  "mlconv.yield"(%28) : (tensor<?xf32, {dims = ["?4"]}>) -> ()

// -----
// CASE: ArgMax gives 64 bits unless told otherwise
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %a = "tf.Const"() {dtype = i32, value = dense<1> : tensor<i32>} : () -> (tensor<*xi32>)
  %y = "tf.ArgMax"(%x_0, %a) {T = f32, Tidx = i32, output_type = i64} : (tensor<2x3xf32>, tensor<*xi32>) -> (tensor<*xi64>)
  "mlconv.yield"(%y) : (tensor<*xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.arg_max"(%0) {"axis" = 1, "keepdims" = false, "select_last" = false, "dtype" = i64} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%1) : (tensor<2xi64>) -> ()

// -----
// CASE: TopKV2
// RUN: from-tf
^bb(%x_0: tensor<2x5xf32>):
  %k = "tf.Const"() {dtype = i32, value = dense<2> : tensor<i32>} : () -> (tensor<*xi32>)
  %y, %y_1 = "tf.TopKV2"(%x_0, %k) {T = f32, sorted = true, Tk = i32, index_type = i32} : (tensor<2x5xf32>, tensor<*xi32>) -> (tensor<*xf32>, tensor<*xi32>)
  "mlconv.yield"(%y, %y_1) : (tensor<*xf32>, tensor<*xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>):
  %1 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %2, %3 = "core.top_k"(%0, %1) {"axis" = 1, "largest" = true, "index_dtype" = i32} : (tensor<2x5xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  "mlconv.yield"(%2, %3) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()

// -----
// CASE: Cumsum backwards without the own number
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %a = "tf.Const"() {dtype = i32, value = dense<1> : tensor<i32>} : () -> (tensor<*xi32>)
  %y = "tf.Cumsum"(%x_0, %a) {T = f32, Tidx = i32, exclusive = true, reverse = true} : (tensor<2x3xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.cumsum"(%0) {"axis" = 1, "exclusive" = true, "reverse" = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: LogSoftmax along the last axis
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.LogSoftmax"(%x_0) {T = f32} : (tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.log_softmax"(%0) {"axis" = 1} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: UnsortedSegmentSum
// RUN: from-tf
^bb(%x_0: tensor<4x2xf32>, %s_0: tensor<4xi32>):
  %n = "tf.Const"() {dtype = i32, value = dense<3> : tensor<i32>} : () -> (tensor<*xi32>)
  %y = "tf.UnsortedSegmentSum"(%x_0, %s_0, %n) {T = f32, Tindices = i32, Tnumsegments = i32} : (tensor<4x2xf32>, tensor<4xi32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x2xf32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.segment_reduce"(%0, %1, %2) {"reduction" = "add", "empty" = 0.0 : f64} : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%3) : (tensor<3x2xf32>) -> ()

// -----
// CASE: L2Loss is half a sum of squares
// RUN: from-tf
^bb(%x_0: tensor<2x3xf32>):
  %y = "tf.L2Loss"(%x_0) {T = f32} : (tensor<2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.mul"(%0, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %2 = "core.reduce_sum"(%1) {"axes" = [0, 1], "keepdims" = false} : (tensor<2x3xf32>) -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.mul"(%2, %3) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  "mlconv.yield"(%4) : (tensor<f32>) -> ()

// CASE: Resize by sizes, linear
// RUN: from-onnx
^bb(%x: tensor<1x1x2x2xf32>):
  %s = "onnx.Constant"() {value = dense<[1, 1, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %y = "onnx.Resize"(%x, %s) {mode = "linear", opset_version = 17, mlconv.absent = [1, 2]} : (tensor<1x1x2x2xf32>, tensor<4xi64>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x1x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2x2xf32>):
  %1 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.resize"(%0, %1) {"axes" = [2, 3], "mode" = "linear", "coordinates" = "half_pixel", "nearest_mode" = "round_prefer_floor", "cubic_a" = -0.75 : f64, "exclude_outside" = false, "antialias" = false, "single" = true, "extrapolation" = 0.0 : f64} : (tensor<1x1x2x2xf32>, tensor<2xi64>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%2) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: Resize by scales keeps them
// RUN: from-onnx
^bb(%x: tensor<1x1x2x2xf32>):
  %s = "onnx.Constant"() {value = dense<[1.0, 1.0, 2.6, 2.6]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %y = "onnx.Resize"(%x, %s) {mode = "nearest", nearest_mode = "floor", coordinate_transformation_mode = "asymmetric", opset_version = 17, mlconv.absent = [1]} : (tensor<1x1x2x2xf32>, tensor<4xf32>) -> (tensor<1x1x5x5xf32>)
  "mlconv.yield"(%y) : (tensor<1x1x5x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2x2xf32>):
  %1 = "core.constant"() {"value" = dense<[5, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.resize"(%0, %1) {"axes" = [2, 3], "mode" = "nearest", "coordinates" = "asymmetric", "nearest_mode" = "floor", "cubic_a" = -0.75 : f64, "exclude_outside" = false, "antialias" = false, "scales" = [2.5999999046325684 : f64, 2.5999999046325684 : f64], "single" = true, "extrapolation" = 0.0 : f64} : (tensor<1x1x2x2xf32>, tensor<2xi64>) -> (tensor<1x1x5x5xf32>)
  "mlconv.yield"(%2) : (tensor<1x1x5x5xf32>) -> ()

// -----
// CASE: Upsample is a Resize of nearest elements
// RUN: from-onnx
^bb(%x: tensor<1x1x2x2xf32>):
  %s = "onnx.Constant"() {value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %y = "onnx.Upsample"(%x, %s) {opset_version = 9} : (tensor<1x1x2x2xf32>, tensor<4xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x1x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x2x2xf32>):
  %1 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.resize"(%0, %1) {"axes" = [2, 3], "mode" = "nearest", "coordinates" = "asymmetric", "nearest_mode" = "floor", "cubic_a" = -0.75 : f64, "exclude_outside" = false, "antialias" = false, "single" = true, "extrapolation" = 0.0 : f64} : (tensor<1x1x2x2xf32>, tensor<2xi64>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%2) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: Resize with sizes and scales is refused
// RUN: from-onnx
^bb(%x: tensor<1x1x2x2xf32>):
  %s = "onnx.Constant"() {value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %z = "onnx.Constant"() {value = dense<[1, 1, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %y = "onnx.Resize"(%x, %s, %z) {opset_version = 17, mlconv.absent = [1]} : (tensor<1x1x2x2xf32>, tensor<4xf32>, tensor<4xi64>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x1x4x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0105]: Resize has both scales and sizes; it takes one of them
  = node: y  onnx.Resize (float32[1,1,2,2], -, float32[4], int64[4])

// -----
// CASE: NonMaxSuppression of one class
// RUN: from-onnx
^bb(%b: tensor<1x4x4xf32>, %s: tensor<1x1x4xf32>):
  %k = "onnx.Constant"() {value = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %t = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %y = "onnx.NonMaxSuppression"(%b, %s, %k, %t) {opset_version = 17} : (tensor<1x4x4xf32>, tensor<1x1x4xf32>, tensor<i64>, tensor<f32>) -> (tensor<?x3xi64, {dims = ["n", "3"]}>)
  "mlconv.yield"(%y) : (tensor<?x3xi64, {dims = ["n", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4xf32>, %1: tensor<1x1x4xf32>):
  %2 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<2147483647> : tensor<i64>} : () -> (tensor<i64>)
  %5 = "core.minimum"(%2, %4) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %6 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %7 = "core.maximum"(%5, %6) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %8 = "core.cast"(%7) {"dtype" = i32, "saturate" = false} : (tensor<i64>) -> (tensor<i32>)
  %9 = "core.constant"() {"value" = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %10 = "core.constant"() {"value" = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %11 = "core.constant"() {"value" = dense<[1, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %12 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %13 = "core.slice"(%0, %10, %11, %12) {"begin_mask" = 6, "end_mask" = 6} : (tensor<1x4x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x4x4xf32>)
  %14 = "core.squeeze"(%13) {"axes" = [0]} : (tensor<1x4x4xf32>) -> (tensor<4x4xf32>)
  %15 = "core.constant"() {"value" = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %16 = "core.constant"() {"value" = dense<[1, 1, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %17 = "core.constant"() {"value" = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %18 = "core.slice"(%1, %15, %16, %17) {"begin_mask" = 4, "end_mask" = 4} : (tensor<1x1x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<1x1x4xf32>)
  %19 = "core.squeeze"(%18) {"axes" = [0, 1]} : (tensor<1x1x4xf32>) -> (tensor<4xf32>)
  %20 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %21, %22, %23 = "core.non_max_suppression"(%14, %19, %8, %3, %9, %20) {"padded" = false, "plain" = false} : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32, {dims = ["?1"]}>, tensor<?xf32, {dims = ["?1"]}>, tensor<i32>)
  %24 = "core.cast"(%21) {"dtype" = i64, "saturate" = false} : (tensor<?xi32, {dims = ["?1"]}>) -> (tensor<?xi64, {dims = ["?1"]}>)
  %25 = "core.expand_dims"(%24) {"axes" = [1]} : (tensor<?xi64, {dims = ["?1"]}>) -> (tensor<?x1xi64, {dims = ["?1", "1"]}>)
  %26 = "core.constant"() {"value" = dense<[[0, 0]]> : tensor<1x2xi64>} : () -> (tensor<1x2xi64>)
  %27 = "core.shape_of"(%25) {"dtype" = i64} : (tensor<?x1xi64, {dims = ["?1", "1"]}>) -> (tensor<2xi64>)
  %28 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %29 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %30 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %31 = "core.slice"(%27, %28, %29, %30) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %32 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %33 = "core.concat"(%31, %32) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %34 = "core.broadcast_to"(%26, %33) : (tensor<1x2xi64>, tensor<2xi64>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  %35 = "core.concat"(%34, %25) {"axis" = 1} : (tensor<?x2xi64, {dims = ["?1", "2"]}>, tensor<?x1xi64, {dims = ["?1", "1"]}>) -> (tensor<?x3xi64, {dims = ["?1", "3"]}>)
  "mlconv.yield"(%35) : (tensor<?x3xi64, {dims = ["?1", "3"]}>) -> ()

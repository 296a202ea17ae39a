// CASE: ResizeBilinear with half pixels
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %s = "tf.Const"() {dtype = i32, value = dense<[8, 8]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.ResizeBilinear"(%x_0, %s) {T = f32, align_corners = false, half_pixel_centers = true} : (tensor<1x4x4x2xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[8, 8]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.resize"(%0, %1) {"axes" = [1, 2], "mode" = "linear", "coordinates" = "half_pixel", "nearest_mode" = "round_prefer_floor", "cubic_a" = -0.75 : f64, "exclude_outside" = false, "antialias" = false, "single" = false, "extrapolation" = 0.0 : f64} : (tensor<1x4x4x2xf32>, tensor<2xi32>) -> (tensor<1x8x8x2xf32>)
  "mlconv.yield"(%2) : (tensor<1x8x8x2xf32>) -> ()

// -----
// CASE: ResizeNearestNeighbor with corners
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %s = "tf.Const"() {dtype = i32, value = dense<[8, 8]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.ResizeNearestNeighbor"(%x_0, %s) {T = f32, align_corners = true, half_pixel_centers = false} : (tensor<1x4x4x2xf32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[8, 8]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.resize"(%0, %1) {"axes" = [1, 2], "mode" = "nearest", "coordinates" = "align_corners", "nearest_mode" = "round_prefer_ceil", "cubic_a" = -0.75 : f64, "exclude_outside" = false, "antialias" = false, "single" = false, "extrapolation" = 0.0 : f64} : (tensor<1x4x4x2xf32>, tensor<2xi32>) -> (tensor<1x8x8x2xf32>)
  "mlconv.yield"(%2) : (tensor<1x8x8x2xf32>) -> ()

// -----
// CASE: NonMaxSuppressionV3
// RUN: from-tf
^bb(%b_0: tensor<4x4xf32>, %s_0: tensor<4xf32>):
  %k = "tf.Const"() {dtype = i32, value = dense<2> : tensor<i32>} : () -> (tensor<*xi32>)
  %o = "tf.Const"() {dtype = f32, value = dense<0.5> : tensor<f32>} : () -> (tensor<*xf32>)
  %t = "tf.Const"() {dtype = f32, value = dense<0.0> : tensor<f32>} : () -> (tensor<*xf32>)
  %y = "tf.NonMaxSuppressionV3"(%b_0, %s_0, %k, %o, %t) {T = f32, T_threshold = f32} : (tensor<4x4xf32>, tensor<4xf32>, tensor<*xi32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xi32>)
  "mlconv.yield"(%y) : (tensor<*xi32>) -> ()
// EXPECT
^bb(%0: tensor<4x4xf32>, %1: tensor<4xf32>):
  %2 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %6, %7, %8 = "core.non_max_suppression"(%0, %1, %2, %3, %4, %5) {"padded" = false, "plain" = true} : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32, {dims = ["?1"]}>, tensor<?xf32, {dims = ["?1"]}>, tensor<i32>)
  "mlconv.yield"(%6) : (tensor<?xi32, {dims = ["?1"]}>) -> ()

// -----
// CASE: patches side by side are blocks that go into channels
// RUN: from-tf,canonicalize,dce
^bb(%x: tensor<2x9x8x3xf32>):
  %y = "tf.ExtractImagePatches"(%x) {T = f32, ksizes = [1, 4, 4, 1], strides = [1, 4, 4, 1], rates = [1, 1, 1, 1], padding = "VALID"} : (tensor<2x9x8x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x9x8x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 8, 8, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %2 = "core.constant"() {"value" = dense<[0, 0, 0, 0]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %3 = "core.dynamic_slice"(%0, %2, %1) : (tensor<2x9x8x3xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x8x8x3xf32>)
  %4 = "core.space_to_depth"(%3) {"block_size" = 4, "layout" = "NHWC"} : (tensor<2x8x8x3xf32>) -> (tensor<2x2x2x48xf32>)
  "mlconv.yield"(%4) : (tensor<2x2x2x48xf32>) -> ()

// -----
// CASE: patches side by side of an open width
// RUN: from-tf,canonicalize,cse,dce
^bb(%x: tensor<2x8x?x3xf32, {dims = ["2", "8", "w", "3"]}>):
  %y = "tf.ExtractImagePatches"(%x) {T = f32, ksizes = [1, 4, 4, 1], strides = [1, 4, 4, 1], rates = [1, 1, 1, 1], padding = "VALID"} : (tensor<2x8x?x3xf32, {dims = ["2", "8", "w", "3"]}>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8x?x3xf32, {dims = ["2", "8", "w", "3"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<2x8x?x3xf32, {dims = ["2", "8", "w", "3"]}>) -> (tensor<4xi64>)
  %2 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.slice"(%1, %2, %3, %4) {"begin_mask" = 0, "end_mask" = 0} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %6 = "core.constant"() {"value" = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %7 = "core.floor_div"(%5, %6) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %8 = "core.mul"(%7, %6) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<[2, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %10 = "core.concat"(%9, %8, %3) {"axis" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %11 = "core.constant"() {"value" = dense<[0, 0, 0, 0]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %12 = "core.dynamic_slice"(%0, %11, %10) : (tensor<2x8x?x3xf32, {dims = ["2", "8", "w", "3"]}>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x8x?x3xf32, {dims = ["2", "8", "4*floordiv(w, 4)", "3"]}>)
  %13 = "core.space_to_depth"(%12) {"block_size" = 4, "layout" = "NHWC"} : (tensor<2x8x?x3xf32, {dims = ["2", "8", "4*floordiv(w, 4)", "3"]}>) -> (tensor<2x2x?x48xf32, {dims = ["2", "2", "floordiv(w, 4)", "48"]}>)
  "mlconv.yield"(%13) : (tensor<2x2x?x48xf32, {dims = ["2", "2", "floordiv(w, 4)", "48"]}>) -> ()

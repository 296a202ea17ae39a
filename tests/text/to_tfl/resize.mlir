// CASE: RESIZE_BILINEAR with half pixels
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2]} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "tfl.RESIZE_BILINEAR"(%0, %2) {"align_corners" = false, "half_pixel_centers" = true} : (tensor<1x2x2x1xf32>, tensor<2xi32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: RESIZE_NEAREST_NEIGHBOR
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2], mode = "nearest", coordinates = "asymmetric", nearest_mode = "floor"} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "tfl.RESIZE_NEAREST_NEIGHBOR"(%0, %2) {"align_corners" = false, "half_pixel_centers" = false} : (tensor<1x2x2x1xf32>, tensor<2xi32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a nearest that the kernel does not know is a gather
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2], mode = "nearest", nearest_mode = "ceil"} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 1, 1, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %2 = "tfl.GATHER"(%0, %1) {"axis" = 1, "batch_dims" = 0} : (tensor<1x2x2x1xf32>, tensor<4xi32>) -> (tensor<1x4x2x1xf32>)
  %3 = "tfl.GATHER"(%2, %1) {"axis" = 2, "batch_dims" = 0} : (tensor<1x4x2x1xf32>, tensor<4xi32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a cubic resize is a product with weights
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2], mode = "cubic"} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 0, 0, 1, 1, 1]> : tensor<6xi32>} : () -> (tensor<6xi32>)
  %2 = "tfl.GATHER"(%0, %1) {"axis" = 1, "batch_dims" = 0} : (tensor<1x2x2x1xf32>, tensor<6xi32>) -> (tensor<1x6x2x1xf32>)
  %3 = "tfl.GATHER"(%2, %1) {"axis" = 2, "batch_dims" = 0} : (tensor<1x6x2x1xf32>, tensor<6xi32>) -> (tensor<1x6x6x1xf32>)
  %4 = "core.constant"() {"value" = dense<0.0> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %5 = "core.constant"() {"value" = #mlconv.derived<"[f32, [4, 5, 5, 1], [4, 5, 5, 1], \"transpose\", [3, 0, 1, 2], [dense<[[[[0.0012359619, 0.0, 0.0, 0.0]], [[-0.00920105, 0.0037078857, 0.0, 0.0]], [[-0.030899048, -0.030899048, 0.0, 0.0]], [[0.0037078857, -0.00920105, 0.0, 0.0]], [[0.0, 0.0012359619, 0.0, 0.0]]], [[[-0.00920105, 0.0, 0.0037078857, 0.0]], [[0.068496704, -0.02760315, -0.02760315, 0.011123657]], [[0.23002625, 0.23002625, -0.09269714, -0.09269714]], [[-0.02760315, 0.068496704, 0.011123657, -0.02760315]], [[0.0, -0.00920105, 0.0, 0.0037078857]]], [[[-0.030899048, 0.0, -0.030899048, 0.0]], [[0.23002625, -0.09269714, 0.23002625, -0.09269714]], [[0.7724762, 0.7724762, 0.7724762, 0.7724762]], [[-0.09269714, 0.23002625, -0.09269714, 0.23002625]], [[0.0, -0.030899048, 0.0, -0.030899048]]], [[[0.0037078857, 0.0, -0.00920105, 0.0]], [[-0.02760315, 0.011123657, 0.068496704, -0.02760315]], [[-0.09269714, -0.09269714, 0.23002625, 0.23002625]], [[0.011123657, -0.02760315, -0.02760315, 0.068496704]], [[0.0, 0.0037078857, 0.0, -0.00920105]]], [[[0.0, 0.0, 0.0012359619, 0.0]], [[0.0, 0.0, -0.00920105, 0.0037078857]], [[0.0, 0.0, -0.030899048, -0.030899048]], [[0.0, 0.0, 0.0037078857, -0.00920105]], [[0.0, 0.0, 0.0, 0.0012359619]]]]> : tensor<5x5x1x4xf32>]]">} : () -> (tensor<4x5x5x1xf32>)
  %6 = "tfl.CONV_2D"(%3, %5, %4) {"padding" = "VALID", "stride_h" = 1, "stride_w" = 1, "dilation_h_factor" = 1, "dilation_w_factor" = 1} : (tensor<1x6x6x1xf32>, tensor<4x5x5x1xf32>, tensor<4xf32>) -> (tensor<1x2x2x4xf32>)
  %7 = "tfl.DEPTH_TO_SPACE"(%6) {"block_size" = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%7) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a nearest resize of open sizes whose places are decided in float64 is refused
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x?x?x1xf32, {dims = ["1", "H", "W", "1"]}>):
  %c1 = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2], mode = "nearest", coordinates = "half_pixel_symmetric"} : (tensor<1x?x?x1xf32, {dims = ["1", "H", "W", "1"]}>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// DIAGNOSTICS
error[MLC0401]: resize of float32[1,H,W,1] along [1, 2] with mode nearest and coordinates half_pixel_symmetric needs known sizes
  = node: y  core.resize (float32[1,H,W,1], int64[2])
  = help: give input shapes with --shape

// -----
// CASE: a resize to the own size goes
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x1xf32>):
  %c1 = "core.constant"() {value = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%x, %c1) {axes = [1, 2]} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x2x2x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xf32>):
  "mlconv.yield"(%0) : (tensor<1x2x2x1xf32>) -> ()

// -----
// CASE: cubic, to sizes that a run tells: a product with a matrix of powers, which are few ops
// RUN: to-tfl,tfl-merge,tfl-fuse
^bb(%x: tensor<1x3x2xf32>, %n: tensor<?xf32, {dims = ["m"]}>):
  %s = "core.shape_of"(%n) : (tensor<?xf32, {dims = ["m"]}>) -> (tensor<1xi64>)
  %y = "core.resize"(%x, %s) {axes = [1], mode = "cubic", coordinates = "half_pixel"} : (tensor<1x3x2xf32>, tensor<1xi64>) -> (tensor<1x?x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x?x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3x2xf32>, %1: tensor<?xf32, {dims = ["m"]}>):
  %2 = "tfl.SHAPE"(%1) {"out_type" = "INT64"} : (tensor<?xf32, {dims = ["m"]}>) -> (tensor<1xi64>)
  %3 = "tfl.CAST"(%2) {"in_data_type" = "INT64", "out_data_type" = "INT32"} : (tensor<1xi64>) -> (tensor<1xi32>)
  %4 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %5 = "tfl.GATHER"(%3, %4) {"axis" = 0, "batch_dims" = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>)
  %6 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %7 = "tfl.RESHAPE"(%5, %6) {"new_shape" = []} : (tensor<1xi32>, tensor<0xi32>) -> (tensor<i32>)
  %8 = "tfl.CAST"(%7) {"in_data_type" = "INT32", "out_data_type" = "FLOAT32"} : (tensor<i32>) -> (tensor<f32>)
  %9 = "core.constant"() {"value" = #mlconv.splat<"dense<6.0> : tensor<f32>">} : () -> (tensor<f32>)
  %10 = "tfl.DIV"(%9, %8) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %11 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %12 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %13 = "tfl.RANGE"(%11, %8, %12) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xf32, {dims = ["?1"]}>)
  %14 = "tfl.MUL"(%13, %10) : (tensor<?xf32, {dims = ["?1"]}>, tensor<f32>) -> (tensor<?xf32, {dims = ["?1"]}>)
  %15 = "core.constant"() {"value" = dense<[[-2.0], [0.0], [0.0], [0.0], [2.0], [2.0], [2.0], [4.0], [4.0], [4.0], [6.0], [6.0], [6.0]]> : tensor<13x1xf32>} : () -> (tensor<13x1xf32>)
  %16 = "core.constant"() {"value" = dense<[[1.0], [1.0], [2.0], [3.0], [1.0], [2.0], [3.0], [1.0], [2.0], [3.0], [1.0], [2.0], [3.0]]> : tensor<13x1xf32>} : () -> (tensor<13x1xf32>)
  %17 = "tfl.SUB"(%14, %15) {"fused_activation_function" = "RELU_N1_TO_1"} : (tensor<?xf32, {dims = ["?1"]}>, tensor<13x1xf32>) -> (tensor<13x?xf32, {dims = ["13", "?1"]}>)
  %18 = "tfl.POW"(%17, %16) : (tensor<13x?xf32, {dims = ["13", "?1"]}>, tensor<13x1xf32>) -> (tensor<13x?xf32, {dims = ["13", "?1"]}>)
  %19 = "core.constant"() {"value" = dense<[[0.5, 0.0, 0.5], [0.09375, -0.09375, 0.0], [-0.09375, 0.09375, 0.0], [-0.09375, 0.09375, 0.0], [-0.5625, 0.65625, -0.09375], [0.0, -0.09375, 0.09375], [0.0625, -0.15625, 0.09375], [0.09375, -0.65625, 0.5625], [0.09375, -0.09375, 0.0], [-0.09375, 0.15625, -0.0625], [0.0, 0.09375, -0.09375], [0.0, 0.09375, -0.09375], [0.0, -0.09375, 0.09375]]> : tensor<13x3xf32>} : () -> (tensor<13x3xf32>)
  %20 = "tfl.BATCH_MATMUL"(%18, %19) {"adj_x" = true, "adj_y" = false} : (tensor<13x?xf32, {dims = ["13", "?1"]}>, tensor<13x3xf32>) -> (tensor<?x3xf32, {dims = ["?1", "3"]}>)
  %21 = "tfl.BATCH_MATMUL"(%20, %0) {"adj_x" = false, "adj_y" = false} : (tensor<?x3xf32, {dims = ["?1", "3"]}>, tensor<1x3x2xf32>) -> (tensor<1x?x2xf32, {dims = ["1", "?1", "2"]}>)
  "mlconv.yield"(%21) : (tensor<1x?x2xf32, {dims = ["1", "?1", "2"]}>) -> ()

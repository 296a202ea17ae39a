// CASE: Conv2D says its layouts
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %w = "tf.Const"() {dtype = f32, value = dense<[[[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]]]> : tensor<1x1x2x3xf32>} : () -> (tensor<*xf32>)
  %y = "tf.Conv2D"(%x_0, %w) {T = f32, padding = "VALID", strides = [1, 1, 1, 1], use_cudnn_on_gpu = true, explicit_paddings = [], data_format = "NHWC", dilations = [1, 1, 1, 1]} : (tensor<1x4x4x2xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[[[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]]]> : tensor<1x1x2x3xf32>} : () -> (tensor<1x1x2x3xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x4x3xf32>) -> ()

// -----
// CASE: SAME padding becomes numbers
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %w = "tf.Const"() {dtype = f32, value = dense<[[[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]], [[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]], [[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]]]> : tensor<3x3x2x1xf32>} : () -> (tensor<*xf32>)
  %y = "tf.Conv2D"(%x_0, %w) {T = f32, padding = "SAME", strides = [1, 2, 2, 1], use_cudnn_on_gpu = true, explicit_paddings = [], data_format = "NHWC", dilations = [1, 1, 1, 1]} : (tensor<1x4x4x2xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[[[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]], [[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]], [[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]]]> : tensor<3x3x2x1xf32>} : () -> (tensor<3x3x2x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [2, 2], "pads" = [[0, 1], [0, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x1xf32>) -> (tensor<1x2x2x1xf32>)
  "mlconv.yield"(%2) : (tensor<1x2x2x1xf32>) -> ()

// -----
// CASE: EXPLICIT padding with channels first
// RUN: from-tf
^bb(%x_0: tensor<1x2x4x4xf32>):
  %w = "tf.Const"() {dtype = f32, value = dense<[[[[1.0], [1.0]]]]> : tensor<1x1x2x1xf32>} : () -> (tensor<*xf32>)
  %y = "tf.Conv2D"(%x_0, %w) {T = f32, data_format = "NCHW", explicit_paddings = [0, 0, 0, 0, 1, 2, 3, 4], padding = "EXPLICIT", strides = [1, 1, 1, 1], use_cudnn_on_gpu = true, dilations = [1, 1, 1, 1]} : (tensor<1x2x4x4xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<[[[[1.0], [1.0]]]]> : tensor<1x1x2x1xf32>} : () -> (tensor<1x1x2x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[1, 2], [3, 4]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "01IO", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x4x4xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x1x7x11xf32>)
  "mlconv.yield"(%2) : (tensor<1x1x7x11xf32>) -> ()

// -----
// CASE: SAME padding of open sizes stays a word
// RUN: from-tf
^bb(%x_0: tensor<1x?x?x2xf32, {dims = ["1", "x_1", "x_2", "2"]}>):
  %w = "tf.Const"() {dtype = f32, value = dense<[[[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]], [[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]], [[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]]]> : tensor<3x3x2x1xf32>} : () -> (tensor<*xf32>)
  %y = "tf.Conv2D"(%x_0, %w) {T = f32, padding = "SAME", strides = [1, 2, 2, 1], use_cudnn_on_gpu = true, explicit_paddings = [], data_format = "NHWC", dilations = [1, 1, 1, 1]} : (tensor<1x?x?x2xf32, {dims = ["1", "x_1", "x_2", "2"]}>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x?x?x2xf32, {dims = ["1", "x_1", "x_2", "2"]}>):
  %1 = "core.constant"() {"value" = dense<[[[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]], [[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]], [[[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0]]]]> : tensor<3x3x2x1xf32>} : () -> (tensor<3x3x2x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [2, 2], "pads" = "SAME_UPPER", "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x?x?x2xf32, {dims = ["1", "x_1", "x_2", "2"]}>, tensor<3x3x2x1xf32>) -> (tensor<1x?x?x1xf32, {dims = ["1", "floordiv(x_1+1, 2)", "floordiv(x_2+1, 2)", "1"]}>)
  "mlconv.yield"(%2) : (tensor<1x?x?x1xf32, {dims = ["1", "floordiv(x_1+1, 2)", "floordiv(x_2+1, 2)", "1"]}>) -> ()

// -----
// CASE: DepthwiseConv2dNative has a group for each channel
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %w = "tf.Const"() {dtype = f32, value = dense<[[[[1.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x2x2xf32>} : () -> (tensor<*xf32>)
  %y = "tf.DepthwiseConv2dNative"(%x_0, %w) {T = f32, padding = "VALID", strides = [1, 1, 1, 1], explicit_paddings = [], data_format = "NHWC", dilations = [1, 1, 1, 1]} : (tensor<1x4x4x2xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[[[[1.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x2x2xf32>} : () -> (tensor<1x1x2x2xf32>)
  %2 = "core.constant"() {"value" = dense<[1, 1, 1, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<1x1x2x2xf32>, tensor<4xi64>) -> (tensor<1x1x1x4xf32>)
  %4 = "core.conv"(%0, %3) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 2, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x1x4xf32>) -> (tensor<1x4x4x4xf32>)
  "mlconv.yield"(%4) : (tensor<1x4x4x4xf32>) -> ()

// -----
// CASE: Conv2DBackpropInput is a transposed convolution
// RUN: from-tf
^bb(%x_0: tensor<1x2x2x3xf32>):
  %s = "tf.Const"() {dtype = i32, value = dense<[1, 4, 4, 2]> : tensor<4xi32>} : () -> (tensor<*xi32>)
  %w = "tf.Const"() {dtype = f32, value = dense<[[[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]], [[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]]]> : tensor<2x2x2x3xf32>} : () -> (tensor<*xf32>)
  %y = "tf.Conv2DBackpropInput"(%s, %w, %x_0) {T = f32, padding = "SAME", strides = [1, 2, 2, 1], use_cudnn_on_gpu = true, explicit_paddings = [], data_format = "NHWC", dilations = [1, 1, 1, 1]} : (tensor<*xi32>, tensor<*xf32>, tensor<1x2x2x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[[[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]], [[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]]]> : tensor<2x2x2x3xf32>} : () -> (tensor<2x2x2x3xf32>)
  %2 = "core.conv_transpose"(%0, %1) {"strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "output_pads" = [0, 0], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01OI", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x2x2x3xf32>, tensor<2x2x2x3xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: a convolution between SpaceToBatchND and BatchToSpaceND is dilated
// RUN: from-tf
^bb(%x_0: tensor<1x8x8x1xf32>):
  %bs = "tf.Const"() {dtype = i32, value = dense<[2, 2]> : tensor<2xi32>} : () -> (tensor<*xi32>)
  %p = "tf.Const"() {dtype = i32, value = dense<[[2, 2], [2, 2]]> : tensor<2x2xi32>} : () -> (tensor<*xi32>)
  %s = "tf.SpaceToBatchND"(%x_0, %bs, %p) {T = f32, Tblock_shape = i32, Tpaddings = i32} : (tensor<1x8x8x1xf32>, tensor<*xi32>, tensor<*xi32>) -> (tensor<*xf32>)
  %w = "tf.Const"() {dtype = f32, value = dense<[[[[1.0]], [[1.0]], [[1.0]]], [[[1.0]], [[1.0]], [[1.0]]], [[[1.0]], [[1.0]], [[1.0]]]]> : tensor<3x3x1x1xf32>} : () -> (tensor<*xf32>)
  %c = "tf.Conv2D"(%s, %w) {T = f32, padding = "VALID", strides = [1, 1, 1, 1], use_cudnn_on_gpu = true, explicit_paddings = [], data_format = "NHWC", dilations = [1, 1, 1, 1]} : (tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>)
  %cr = "tf.Const"() {dtype = i32, value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi32>} : () -> (tensor<*xi32>)
  %y = "tf.BatchToSpaceND"(%c, %bs, %cr) {T = f32, Tblock_shape = i32, Tcrops = i32} : (tensor<*xf32>, tensor<*xi32>, tensor<*xi32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x8x8x1xf32>):
  %1 = "core.constant"() {"value" = dense<[[[[1.0]], [[1.0]], [[1.0]]], [[[1.0]], [[1.0]], [[1.0]]], [[[1.0]], [[1.0]], [[1.0]]]]> : tensor<3x3x1x1xf32>} : () -> (tensor<3x3x1x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[2, 2], [2, 2]], "dilations" = [2, 2], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>) -> (tensor<1x8x8x1xf32>)
  "mlconv.yield"(%2) : (tensor<1x8x8x1xf32>) -> ()

// -----
// CASE: MaxPool says its window
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %y = "tf.MaxPool"(%x_0) {T = f32, ksize = [1, 2, 2, 1], padding = "VALID", strides = [1, 2, 2, 1], explicit_paddings = [], data_format = "NHWC"} : (tensor<1x4x4x2xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.max_pool"(%0) {"window" = [2, 2], "strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = false, "layout" = "N01C"} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x2x2x2xf32>) -> ()

// -----
// CASE: AvgPool with SAME leaves pads out
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %y = "tf.AvgPool"(%x_0) {T = f32, ksize = [1, 3, 3, 1], padding = "SAME", strides = [1, 1, 1, 1], data_format = "NHWC"} : (tensor<1x4x4x2xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.avg_pool"(%0) {"window" = [3, 3], "strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "ceil_mode" = false, "count_include_pad" = false, "layout" = "N01C"} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: a pool over the batch is refused
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %y = "tf.MaxPool"(%x_0) {T = f32, ksize = [2, 1, 1, 1], padding = "VALID", strides = [1, 1, 1, 1], explicit_paddings = [], data_format = "NHWC"} : (tensor<1x4x4x2xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// DIAGNOSTICS
error[MLC0302]: MaxPool: ksize [2, 1, 1, 1] steps over batch or channels
  = node: y  tf.MaxPool (float32[1,4,4,2])

// -----
// CASE: FusedBatchNormV3 in inference
// RUN: from-tf
^bb(%x_0: tensor<1x4x4x2xf32>):
  %s = "tf.Const"() {dtype = f32, value = dense<[1.0, 1.0]> : tensor<2xf32>} : () -> (tensor<*xf32>)
  %o = "tf.Const"() {dtype = f32, value = dense<[2.0, 2.0]> : tensor<2xf32>} : () -> (tensor<*xf32>)
  %m = "tf.Const"() {dtype = f32, value = dense<[3.0, 3.0]> : tensor<2xf32>} : () -> (tensor<*xf32>)
  %v = "tf.Const"() {dtype = f32, value = dense<[4.0, 4.0]> : tensor<2xf32>} : () -> (tensor<*xf32>)
  %y, %y_1, %y_2, %y_3, %y_4, %y_5 = "tf.FusedBatchNormV3"(%x_0, %s, %o, %m, %v) {T = f32, U = f32, epsilon = 0.0010000000474974513 : f64, is_training = false, exponential_avg_factor = 1.0 : f64, data_format = "NHWC"} : (tensor<1x4x4x2xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 1.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = dense<[2.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %3 = "core.constant"() {"value" = dense<[3.0, 3.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %4 = "core.constant"() {"value" = dense<[4.0, 4.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %5 = "core.constant"() {"value" = dense<0.001> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "core.add"(%4, %5) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  %7 = "core.rsqrt"(%6) : (tensor<2xf32>) -> (tensor<2xf32>)
  %8 = "core.mul"(%1, %7) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %9 = "core.mul"(%3, %8) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %10 = "core.sub"(%2, %9) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %11 = "core.mul"(%0, %8) : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> (tensor<1x4x4x2xf32>)
  %12 = "core.add"(%11, %10) : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%12) : (tensor<1x4x4x2xf32>) -> ()

// CASE: a convolution, channels first, between transposes
// RUN: to-tf
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x2x3xf32>} : () -> (tensor<3x3x2x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<3x3x2x3xf32>} : () -> (tensor<3x3x2x3xf32>)
  %2 = "tf.Conv2D"(%0, %1) {"T" = f32, "dilations" = [1, 1, 1, 1], "strides" = [1, 1, 1, 1], "padding" = "SAME"} : (tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x4x3xf32>) -> ()

// -----
// CASE: groups of channels; a bias is not added, since sums are fused
// RUN: to-tf
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<2x1x1x1xf32>} : () -> (tensor<2x1x1x1xf32>)
  %y = "core.conv"(%x, %c2, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], groups = 2, x_layout = "NC01", w_layout = "OI01", y_layout = "NC01"} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = dense<[0, 2, 3, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %3 = "tf.Transpose"(%0, %2) {"Tperm" = i32, "T" = f32} : (tensor<1x2x4x4xf32>, tensor<4xi32>) -> (tensor<1x4x4x2xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x2x1xf32>} : () -> (tensor<1x1x2x1xf32>)
  %5 = "tf.DepthwiseConv2dNative"(%3, %4) {"T" = f32, "strides" = [1, 1, 1, 1], "padding" = "VALID"} : (tensor<1x4x4x2xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x4x4x2xf32>)
  %6 = "tf.BiasAdd"(%5, %1) {"T" = f32} : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> (tensor<1x4x4x2xf32>)
  %7 = "core.constant"() {"value" = dense<[0, 3, 1, 2]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %8 = "tf.Transpose"(%6, %7) {"Tperm" = i32, "T" = f32} : (tensor<1x4x4x2xf32>, tensor<4xi32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%8) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: a transposed convolution has the sizes of its result
// RUN: to-tf
^bb(%x: tensor<1x2x2x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x2xf32>} : () -> (tensor<2x2x1x2xf32>)
  %y = "core.conv_transpose"(%x, %c1) {strides = [2, 2], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x2xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x1x2xf32>} : () -> (tensor<2x2x1x2xf32>)
  %2 = "core.constant"() {"value" = dense<[1, 4, 4, 1]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %3 = "tf.Conv2DBackpropInput"(%2, %1, %0) {"T" = f32, "strides" = [1, 2, 2, 1], "padding" = "SAME"} : (tensor<4xi32>, tensor<2x2x1x2xf32>, tensor<1x2x2x2xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a maximum over windows is a reduce-window
// RUN: to-tf
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "tf.MaxPool"(%0) {"T" = f32, "ksize" = [1, 2, 2, 1], "strides" = [1, 2, 2, 1], "padding" = "VALID"} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x2x2x2xf32>) -> ()

// -----
// CASE: a mean over windows divides by the number of elements
// RUN: to-tf
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.avg_pool"(%x) {window = [3, 3], strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "tf.AvgPool"(%0) {"T" = f32, "ksize" = [1, 3, 3, 1], "strides" = [1, 1, 1, 1], "padding" = "SAME"} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: open sizes are refused, with what to do
// RUN: to-tf
^bb(%x: tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>) -> (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>)
  "mlconv.yield"(%y) : (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>):
  %1 = "tf.MaxPool"(%0) {"T" = f32, "ksize" = [1, 2, 2, 1], "strides" = [1, 2, 2, 1], "padding" = "VALID"} : (tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>) -> (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>)
  "mlconv.yield"(%1) : (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>) -> ()

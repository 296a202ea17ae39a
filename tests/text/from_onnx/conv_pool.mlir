// CASE: Conv says its layouts
// RUN: from-onnx
^bb(%x: tensor<1x2x5x5xf32>):
  %k = "onnx.Constant"() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]]]> : tensor<3x2x1x1xf32>} : () -> (tensor<3x2x1x1xf32>)
  %b = "onnx.Constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %y = "onnx.Conv"(%x, %k, %b) {opset_version = 17} : (tensor<1x2x5x5xf32>, tensor<3x2x1x1xf32>, tensor<3xf32>) -> (tensor<1x3x?x?xf32, {dims = ["1", "3", "h", "w"]}>)
  "mlconv.yield"(%y) : (tensor<1x3x?x?xf32, {dims = ["1", "3", "h", "w"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x2x5x5xf32>):
  %1 = "core.constant"() {"value" = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]]]> : tensor<3x2x1x1xf32>} : () -> (tensor<3x2x1x1xf32>)
  %2 = "core.constant"() {"value" = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %3 = "core.conv"(%0, %1, %2) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01"} : (tensor<1x2x5x5xf32>, tensor<3x2x1x1xf32>, tensor<3xf32>) -> (tensor<1x3x5x5xf32>)
  "mlconv.yield"(%3) : (tensor<1x3x5x5xf32>) -> ()

// -----
// CASE: SAME_UPPER becomes numbers
// RUN: from-onnx
^bb(%x: tensor<1x2x5x5xf32>, %k: tensor<3x2x2x2xf32>):
  %y = "onnx.Conv"(%x, %k) {auto_pad = "SAME_UPPER", strides = [2, 2], opset_version = 17} : (tensor<1x2x5x5xf32>, tensor<3x2x2x2xf32>) -> (tensor<1x3x?x?xf32, {dims = ["1", "3", "h", "w"]}>)
  "mlconv.yield"(%y) : (tensor<1x3x?x?xf32, {dims = ["1", "3", "h", "w"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x2x5x5xf32>, %1: tensor<3x2x2x2xf32>):
  %2 = "core.conv"(%0, %1) {"strides" = [2, 2], "pads" = [[0, 1], [0, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x5x5xf32>, tensor<3x2x2x2xf32>) -> (tensor<1x3x3x3xf32>)
  "mlconv.yield"(%2) : (tensor<1x3x3x3xf32>) -> ()

// -----
// CASE: pads, strides and dilations
// RUN: from-onnx
^bb(%x: tensor<1x2x5x5xf32>):
  %k = "onnx.Constant"() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]]]> : tensor<3x2x1x1xf32>} : () -> (tensor<3x2x1x1xf32>)
  %y = "onnx.Conv"(%x, %k) {pads = [1, 0, 2, 3], strides = [2, 1], dilations = [2, 2], opset_version = 17} : (tensor<1x2x5x5xf32>, tensor<3x2x1x1xf32>) -> (tensor<1x3x?x?xf32, {dims = ["1", "3", "h", "w"]}>)
  "mlconv.yield"(%y) : (tensor<1x3x?x?xf32, {dims = ["1", "3", "h", "w"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x2x5x5xf32>):
  %1 = "core.constant"() {"value" = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]]]> : tensor<3x2x1x1xf32>} : () -> (tensor<3x2x1x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [2, 1], "pads" = [[1, 2], [0, 3]], "dilations" = [2, 2], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x5x5xf32>, tensor<3x2x1x1xf32>) -> (tensor<1x3x4x8xf32>)
  "mlconv.yield"(%2) : (tensor<1x3x4x8xf32>) -> ()

// -----
// CASE: a depthwise Conv has as many groups as channels
// RUN: from-onnx
^bb(%x: tensor<1x2x5x5xf32>):
  %d = "onnx.Constant"() {value = dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>} : () -> (tensor<2x1x1x1xf32>)
  %y = "onnx.Conv"(%x, %d) {group = 2, opset_version = 17} : (tensor<1x2x5x5xf32>, tensor<2x1x1x1xf32>) -> (tensor<1x2x?x?xf32, {dims = ["1", "2", "h", "w"]}>)
  "mlconv.yield"(%y) : (tensor<1x2x?x?xf32, {dims = ["1", "2", "h", "w"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x2x5x5xf32>):
  %1 = "core.constant"() {"value" = dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>} : () -> (tensor<2x1x1x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 2, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x5x5xf32>, tensor<2x1x1x1xf32>) -> (tensor<1x2x5x5xf32>)
  "mlconv.yield"(%2) : (tensor<1x2x5x5xf32>) -> ()

// -----
// CASE: Conv over one axis
// RUN: from-onnx
^bb(%x: tensor<1x2x5xf32>, %k: tensor<3x2x3xf32>):
  %y = "onnx.Conv"(%x, %k) {opset_version = 17} : (tensor<1x2x5xf32>, tensor<3x2x3xf32>) -> (tensor<1x3x?xf32, {dims = ["1", "3", "n"]}>)
  "mlconv.yield"(%y) : (tensor<1x3x?xf32, {dims = ["1", "3", "n"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x2x5xf32>, %1: tensor<3x2x3xf32>):
  %2 = "core.conv"(%0, %1) {"strides" = [1], "pads" = [[0, 0]], "dilations" = [1], "groups" = 1, "x_layout" = "NC0", "w_layout" = "OI0", "y_layout" = "NC0", "mlconv.absent" = [2]} : (tensor<1x2x5xf32>, tensor<3x2x3xf32>) -> (tensor<1x3x3xf32>)
  "mlconv.yield"(%2) : (tensor<1x3x3xf32>) -> ()

// -----
// CASE: channels that do not fit are refused, with both numbers
// RUN: from-onnx
^bb(%x: tensor<1x4x5x5xf32>, %k: tensor<3x2x1x1xf32>):
  %y = "onnx.Conv"(%x, %k) {opset_version = 17} : (tensor<1x4x5x5xf32>, tensor<3x2x1x1xf32>) -> (tensor<1x3x5x5xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x5x5xf32>) -> ()
// DIAGNOSTICS
error[MLC0201]: weights expect 2 input channels, the input has 4
  = node: y  onnx.Conv (float32[1,4,5,5], float32[3,2,1,1])

// -----
// CASE: ConvTranspose with output_shape
// RUN: from-onnx
^bb(%x: tensor<1x2x3x3xf32>, %k: tensor<2x3x2x2xf32>):
  %y = "onnx.ConvTranspose"(%x, %k) {strides = [2, 2], output_shape = [7, 7], opset_version = 17} : (tensor<1x2x3x3xf32>, tensor<2x3x2x2xf32>) -> (tensor<1x3x7x7xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x7x7xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x3x3xf32>, %1: tensor<2x3x2x2xf32>):
  %2 = "core.conv_transpose"(%0, %1) {"strides" = [2, 2], "pads" = [[0, -1], [0, -1]], "output_pads" = [0, 0], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "IO01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x3x3xf32>, tensor<2x3x2x2xf32>) -> (tensor<1x3x7x7xf32>)
  "mlconv.yield"(%2) : (tensor<1x3x7x7xf32>) -> ()

// -----
// CASE: MaxPool with ceil_mode
// RUN: from-onnx
^bb(%x: tensor<1x1x5x5xf32>):
  %y = "onnx.MaxPool"(%x) {kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1, opset_version = 17} : (tensor<1x1x5x5xf32>) -> (tensor<1x1x?x?xf32, {dims = ["1", "1", "h", "w"]}>)
  "mlconv.yield"(%y) : (tensor<1x1x?x?xf32, {dims = ["1", "1", "h", "w"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x1x5x5xf32>):
  %1 = "core.max_pool"(%0) {"window" = [2, 2], "strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = true, "layout" = "NC01"} : (tensor<1x1x5x5xf32>) -> (tensor<1x1x3x3xf32>)
  "mlconv.yield"(%1) : (tensor<1x1x3x3xf32>) -> ()

// -----
// CASE: AveragePool leaves pads out of the mean
// RUN: from-onnx
^bb(%x: tensor<1x1x4x4xf32>):
  %y = "onnx.AveragePool"(%x) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], opset_version = 17} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x?x?xf32, {dims = ["1", "1", "h", "w"]}>)
  "mlconv.yield"(%y) : (tensor<1x1x?x?xf32, {dims = ["1", "1", "h", "w"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x1x4x4xf32>):
  %1 = "core.avg_pool"(%0) {"window" = [3, 3], "strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "ceil_mode" = false, "count_include_pad" = false, "layout" = "NC01"} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%1) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: GlobalAveragePool is a mean that keeps its axes
// RUN: from-onnx
^bb(%x: tensor<1x2x4x4xf32>):
  %y = "onnx.GlobalAveragePool"(%x) {opset_version = 17} : (tensor<1x2x4x4xf32>) -> (tensor<1x2x1x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x1x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.reduce_mean"(%0) {"axes" = [2, 3], "keepdims" = true} : (tensor<1x2x4x4xf32>) -> (tensor<1x2x1x1xf32>)
  "mlconv.yield"(%1) : (tensor<1x2x1x1xf32>) -> ()

// -----
// CASE: LpPool is a root of a sum of powers
// RUN: from-onnx
^bb(%x: tensor<1x1x4x4xf32>):
  %y = "onnx.LpPool"(%x) {kernel_shape = [2, 2], strides = [2, 2], p = 2, opset_version = 17} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x1x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x4x4xf32>):
  %1 = "core.abs"(%0) : (tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>)
  %2 = "core.mul"(%1, %1) : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>)
  %3 = "core.avg_pool"(%2) {"window" = [2, 2], "strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = false, "count_include_pad" = false, "layout" = "NC01"} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>)
  %4 = "core.constant"() {"value" = dense<4.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.mul"(%3, %4) : (tensor<1x1x2x2xf32>, tensor<f32>) -> (tensor<1x1x2x2xf32>)
  %6 = "core.sqrt"(%5) : (tensor<1x1x2x2xf32>) -> (tensor<1x1x2x2xf32>)
  "mlconv.yield"(%6) : (tensor<1x1x2x2xf32>) -> ()

// -----
// CASE: a window larger than the image is refused
// RUN: from-onnx
^bb(%x: tensor<1x1x2x2xf32>):
  %y = "onnx.MaxPool"(%x) {kernel_shape = [3, 3], opset_version = 17} : (tensor<1x1x2x2xf32>) -> (tensor<1x1x?x?xf32, {dims = ["1", "1", "h", "w"]}>)
  "mlconv.yield"(%y) : (tensor<1x1x?x?xf32, {dims = ["1", "1", "h", "w"]}>) -> ()
// DIAGNOSTICS
error[MLC0201]: a window of 3 (dilation 1) does not fit into the size 2 with pads 0 and 0
  = node: y  onnx.MaxPool (float32[1,1,2,2])

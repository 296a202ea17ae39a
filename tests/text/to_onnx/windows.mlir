// CASE: a convolution has a window and the numbers of its axes
// RUN: to-onnx
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x2x3xf32>} : () -> (tensor<3x3x2x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "onnx.Transpose"(%0) {"perm" = [0, 3, 1, 2], "opset_version" = 17} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x4x4xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<3x2x3x3xf32>} : () -> (tensor<3x2x3x3xf32>)
  %3 = "onnx.Conv"(%1, %2) {"group" = 1, "kernel_shape" = [3, 3], "strides" = [1, 1], "pads" = [1, 1, 1, 1], "opset_version" = 17} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> (tensor<1x3x4x4xf32>)
  %4 = "onnx.Transpose"(%3) {"perm" = [0, 2, 3, 1], "opset_version" = 17} : (tensor<1x3x4x4xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%4) : (tensor<1x4x4x3xf32>) -> ()

// -----
// CASE: groups are a number; a bias is an addition
// RUN: to-onnx
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<2x1x1x1xf32>} : () -> (tensor<2x1x1x1xf32>)
  %y = "core.conv"(%x, %c2, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], groups = 2, x_layout = "NC01", w_layout = "OI01", y_layout = "NC01"} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<2x1x1x1xf32>} : () -> (tensor<2x1x1x1xf32>)
  %3 = "onnx.Conv"(%0, %2, %1) {"group" = 2, "kernel_shape" = [1, 1], "strides" = [1, 1], "opset_version" = 17} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%3) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: a transposed convolution spreads its operand and turns its weights around
// RUN: to-onnx
^bb(%x: tensor<1x2x2x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x2xf32>} : () -> (tensor<2x2x1x2xf32>)
  %y = "core.conv_transpose"(%x, %c1) {strides = [2, 2], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x2xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x2xf32>):
  %1 = "onnx.Transpose"(%0) {"perm" = [0, 3, 1, 2], "opset_version" = 17} : (tensor<1x2x2x2xf32>) -> (tensor<1x2x2x2xf32>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<2x1x2x2xf32>} : () -> (tensor<2x1x2x2xf32>)
  %3 = "onnx.ConvTranspose"(%1, %2) {"kernel_shape" = [2, 2], "strides" = [2, 2], "group" = 1, "opset_version" = 17} : (tensor<1x2x2x2xf32>, tensor<2x1x2x2xf32>) -> (tensor<1x1x4x4xf32>)
  %4 = "onnx.Transpose"(%3) {"perm" = [0, 2, 3, 1], "opset_version" = 17} : (tensor<1x1x4x4xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%4) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a maximum over windows is a reduce-window
// RUN: to-onnx
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "onnx.Transpose"(%0) {"perm" = [0, 3, 1, 2], "opset_version" = 17} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x4x4xf32>)
  %2 = "onnx.MaxPool"(%1) {"kernel_shape" = [2, 2], "strides" = [2, 2], "opset_version" = 17} : (tensor<1x2x4x4xf32>) -> (tensor<1x2x2x2xf32>)
  %3 = "onnx.Transpose"(%2) {"perm" = [0, 2, 3, 1], "opset_version" = 17} : (tensor<1x2x2x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%3) : (tensor<1x2x2x2xf32>) -> ()

// -----
// CASE: a mean over windows divides by the number of elements
// RUN: to-onnx
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.avg_pool"(%x) {window = [3, 3], strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "onnx.Transpose"(%0) {"perm" = [0, 3, 1, 2], "opset_version" = 17} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x4x4xf32>)
  %2 = "onnx.AveragePool"(%1) {"kernel_shape" = [3, 3], "strides" = [1, 1], "pads" = [1, 1, 1, 1], "opset_version" = 17} : (tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>)
  %3 = "onnx.Transpose"(%2) {"perm" = [0, 2, 3, 1], "opset_version" = 17} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: open sizes are refused, with what to do
// RUN: to-onnx
^bb(%x: tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>) -> (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>)
  "mlconv.yield"(%y) : (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>):
  %1 = "onnx.Transpose"(%0) {"perm" = [0, 3, 1, 2], "opset_version" = 17} : (tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>) -> (tensor<1x2x?x?xf32, {dims = ["1", "2", "H", "W"]}>)
  %2 = "onnx.MaxPool"(%1) {"kernel_shape" = [2, 2], "strides" = [2, 2], "opset_version" = 17} : (tensor<1x2x?x?xf32, {dims = ["1", "2", "H", "W"]}>) -> (tensor<1x2x?x?xf32, {dims = ["1", "2", "floordiv(H, 2)", "floordiv(W, 2)"]}>)
  %3 = "onnx.Transpose"(%2) {"perm" = [0, 2, 3, 1], "opset_version" = 17} : (tensor<1x2x?x?xf32, {dims = ["1", "2", "floordiv(H, 2)", "floordiv(W, 2)"]}>) -> (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>)
  "mlconv.yield"(%3) : (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>) -> ()

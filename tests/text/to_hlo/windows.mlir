// CASE: a convolution has a window and the numbers of its axes
// RUN: to-hlo
^bb(%x: tensor<1x4x4x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x2x3xf32>} : () -> (tensor<3x3x2x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.constant"} : (tensor<f32>) -> (tensor<3x3x2x3xf32>)
  %3 = "hlo.convolution"(%0, %2) {"window" = [[3, 1, 1, 1, 1, 1], [3, 1, 1, 1, 1, 1]], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "op_type" = "core.conv"} : (tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x3xf32>) -> ()

// -----
// CASE: groups are a number; a bias is an addition
// RUN: to-hlo
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<2x1x1x1xf32>} : () -> (tensor<2x1x1x1xf32>)
  %y = "core.conv"(%x, %c2, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], groups = 2, x_layout = "NC01", w_layout = "OI01", y_layout = "NC01"} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.constant"} : (tensor<f32>) -> (tensor<2x1x1x1xf32>)
  %4 = "hlo.convolution"(%0, %3) {"window" = [[1, 1, 0, 0, 1, 1], [1, 1, 0, 0, 1, 1]], "groups" = 2, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "op_type" = "core.conv"} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %5 = "hlo.broadcast"(%1) {"dimensions" = [1], "op_type" = "core.conv"} : (tensor<2xf32>) -> (tensor<1x2x4x4xf32>)
  %6 = "hlo.add"(%4, %5) {"op_type" = "core.conv"} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%6) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: a transposed convolution spreads its operand and turns its weights around
// RUN: to-hlo
^bb(%x: tensor<1x2x2x2xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x2xf32>} : () -> (tensor<2x2x1x2xf32>)
  %y = "core.conv_transpose"(%x, %c1) {strides = [2, 2], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x2xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.constant"} : (tensor<f32>) -> (tensor<2x2x1x2xf32>)
  %3 = "hlo.convolution"(%0, %2) {"window" = [[2, 1, 1, 1, 1, 2], [2, 1, 1, 1, 1, 2]], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01OI", "y_layout" = "N01C", "op_type" = "core.conv_transpose"} : (tensor<1x2x2x2xf32>, tensor<2x2x1x2xf32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: a maximum over windows is a reduce-window
// RUN: to-hlo
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.reduce-window"(%0, %1) ({
  ^bb(%3: tensor<f32>, %4: tensor<f32>):
    %5 = "hlo.maximum"(%3, %4) {"op_type" = "core.max_pool"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%5) : (tensor<f32>) -> ()
  }) {"window" = [[1, 1, 0, 0, 1, 1], [2, 2, 0, 0, 1, 1], [2, 2, 0, 0, 1, 1], [1, 1, 0, 0, 1, 1]], "op_type" = "core.max_pool"} : (tensor<1x4x4x2xf32>, tensor<f32>) -> (tensor<1x2x2x2xf32>)
  "mlconv.yield"(%2) : (tensor<1x2x2x2xf32>) -> ()

// -----
// CASE: a mean over windows divides by the number of elements
// RUN: to-hlo
^bb(%x: tensor<1x4x4x2xf32>):
  %y = "core.avg_pool"(%x) {window = [3, 3], strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1]} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.reduce-window"(%0, %1) ({
  ^bb(%3: tensor<f32>, %4: tensor<f32>):
    %5 = "hlo.add"(%3, %4) {"op_type" = "core.avg_pool"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%5) : (tensor<f32>) -> ()
  }) {"window" = [[1, 1, 0, 0, 1, 1], [3, 1, 1, 1, 1, 1], [3, 1, 1, 1, 1, 1], [1, 1, 0, 0, 1, 1]], "op_type" = "core.avg_pool"} : (tensor<1x4x4x2xf32>, tensor<f32>) -> (tensor<1x4x4x2xf32>)
  %6 = "core.constant"() {"value" = dense<[[[4.0, 6.0, 6.0, 4.0], [6.0, 9.0, 9.0, 6.0], [6.0, 9.0, 9.0, 6.0], [4.0, 6.0, 6.0, 4.0]]]> : tensor<1x4x4xf32>} : () -> (tensor<1x4x4xf32>)
  %7 = "hlo.broadcast"(%6) {"dimensions" = [0, 1, 2], "op_type" = "core.avg_pool"} : (tensor<1x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %8 = "hlo.divide"(%2, %7) {"op_type" = "core.avg_pool"} : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%8) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: open sizes are refused, with what to do
// RUN: to-hlo
^bb(%x: tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1]} : (tensor<1x?x?x2xf32, {dims = ["1", "H", "W", "2"]}>) -> (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>)
  "mlconv.yield"(%y) : (tensor<1x?x?x2xf32, {dims = ["1", "floordiv(H, 2)", "floordiv(W, 2)", "2"]}>) -> ()
// DIAGNOSTICS
error[MLC0203]: input x is float32[1,H,W,2]: HLO needs sizes, or a range for H, W
  = node: x  input (float32[1,H,W,2])
  = help: pin it with --shape x=1,1,1,2 or give a range with --shape x=1,1..32,1..32,2

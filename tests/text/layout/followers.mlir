// CASE: a pool follows the convolution
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %y = "core.max_pool"(%a) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], layout = "NC01"} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x2x2xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %z = "core.conv"(%y, %c2) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x4x2x2xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x1x2x2xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.max_pool"(%3) {"window" = [2, 2], "strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = false, "layout" = "N01C"} : (tensor<1x4x4x4xf32>) -> (tensor<1x2x2x4xf32>)
  %5 = "core.constant"() {"value" = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %6 = "core.conv"(%4, %5) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x2x2x4xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x2x2x1xf32>)
  %7 = "core.constant"() {"value" = dense<[1, 1, 2, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %8 = "core.reshape"(%6, %7) : (tensor<1x2x2x1xf32>, tensor<4xi64>) -> (tensor<1x1x2x2xf32>)
  "mlconv.yield"(%8) : (tensor<1x1x2x2xf32>) -> ()

// -----
// CASE: a constant per channel of lower rank is turned with the value
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[[[0.0]], [[1.0]], [[2.0]], [[3.0]]]> : tensor<4x1x1xf32>} : () -> (tensor<4x1x1xf32>)
  %y = "core.add"(%a, %c2) : (tensor<1x4x4x4xf32>, tensor<4x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %z = "core.conv"(%y, %c3) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.constant"() {"value" = dense<[[[[0.0, 1.0, 2.0, 3.0]]]]> : tensor<1x1x1x4xf32>} : () -> (tensor<1x1x1x4xf32>)
  %5 = "core.add"(%3, %4) : (tensor<1x4x4x4xf32>, tensor<1x1x1x4xf32>) -> (tensor<1x4x4x4xf32>)
  %6 = "core.constant"() {"value" = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %7 = "core.conv"(%5, %6) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x4x4x1xf32>)
  %8 = "core.constant"() {"value" = dense<[1, 1, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %9 = "core.reshape"(%7, %8) : (tensor<1x4x4x1xf32>, tensor<4xi64>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%9) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: an addition of two convolutions follows them
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<4x2x3x3xf32>} : () -> (tensor<4x2x3x3xf32>)
  %b = "core.conv"(%x, %c2) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x3x3xf32>) -> (tensor<1x4x4x4xf32>)
  %y = "core.add"(%a, %b) : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x3x3xf32>} : () -> (tensor<4x2x3x3xf32>)
  %5 = "core.conv"(%2, %4) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x3x3xf32>) -> (tensor<1x4x4x4xf32>)
  %6 = "core.add"(%3, %5) : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  %7 = "core.transpose"(%6) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  "mlconv.yield"(%7) : (tensor<1x4x4x4xf32>) -> ()

// -----
// CASE: a mean over the spatial axes needs no turn behind it
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %y = "core.reduce_mean"(%a) {axes = [2, 3]} : (tensor<1x4x4x4xf32>) -> (tensor<1x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.reduce_mean"(%3) {"axes" = [1, 2], "keepdims" = false} : (tensor<1x4x4x4xf32>) -> (tensor<1x4xf32>)
  "mlconv.yield"(%4) : (tensor<1x4xf32>) -> ()

// -----
// CASE: a mean over channels that keeps its axes is over the last axis
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %y = "core.reduce_mean"(%a) {axes = [1], keepdims = true} : (tensor<1x4x4x4xf32>) -> (tensor<1x1x4x4xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<1x1x1x1xf32>} : () -> (tensor<1x1x1x1xf32>)
  %z = "core.conv"(%y, %c2) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.reduce_mean"(%3) {"axes" = [3], "keepdims" = true} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x1xf32>)
  %5 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x1x1xf32>} : () -> (tensor<1x1x1x1xf32>)
  %6 = "core.conv"(%4, %5) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x1xf32>, tensor<1x1x1x1xf32>) -> (tensor<1x4x4x1xf32>)
  %7 = "core.constant"() {"value" = dense<[1, 1, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %8 = "core.reshape"(%6, %7) : (tensor<1x4x4x1xf32>, tensor<4xi64>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%8) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: a softmax over channels is over the last axis
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %y = "core.softmax"(%a) {axis = 1} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %z = "core.conv"(%y, %c2) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.softmax"(%3) {"axis" = 3} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  %5 = "core.constant"() {"value" = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %6 = "core.conv"(%4, %5) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x4x4x1xf32>)
  %7 = "core.constant"() {"value" = dense<[1, 1, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %8 = "core.reshape"(%6, %7) : (tensor<1x4x4x1xf32>, tensor<4xi64>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%8) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: a softmax over an inner axis alone is not worth two transposes
// RUN: layout,canonicalize,dce
^bb(%x: tensor<2x4x3xf32>):
  %y = "core.softmax"(%x) {axis = 1} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4x3xf32>):
  %1 = "core.softmax"(%0) {"axis" = 1} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>)
  "mlconv.yield"(%1) : (tensor<2x4x3xf32>) -> ()

// -----
// CASE: a concat over channels is over the last axis
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<1x2x1x1xf32>} : () -> (tensor<1x2x1x1xf32>)
  %b = "core.conv"(%x, %c2) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> (tensor<1x1x4x4xf32>)
  %y = "core.concat"(%a, %b) {axis = 1} : (tensor<1x4x4x4xf32>, tensor<1x1x4x4xf32>) -> (tensor<1x5x4x4xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<1x5x1x1xf32>} : () -> (tensor<1x5x1x1xf32>)
  %z = "core.conv"(%y, %c3) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x5x4x4xf32>, tensor<1x5x1x1xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<1x2x1x1xf32>} : () -> (tensor<1x2x1x1xf32>)
  %5 = "core.conv"(%2, %4) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<1x2x1x1xf32>) -> (tensor<1x4x4x1xf32>)
  %6 = "core.concat"(%3, %5) {"axis" = 3} : (tensor<1x4x4x4xf32>, tensor<1x4x4x1xf32>) -> (tensor<1x4x4x5xf32>)
  %7 = "core.constant"() {"value" = dense<0.5> : tensor<1x5x1x1xf32>} : () -> (tensor<1x5x1x1xf32>)
  %8 = "core.conv"(%6, %7) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x5xf32>, tensor<1x5x1x1xf32>) -> (tensor<1x4x4x1xf32>)
  %9 = "core.constant"() {"value" = dense<[1, 1, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %10 = "core.reshape"(%8, %9) : (tensor<1x4x4x1xf32>, tensor<4xi64>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%10) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: both parts of a split over channels are turned
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %p, %p1 = "core.split"(%a) {sizes = [1, 3], axis = 1} : (tensor<1x4x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x3x4x4xf32>)
  "mlconv.yield"(%p, %p1) : (tensor<1x1x4x4xf32>, tensor<1x3x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4, %5 = "core.split"(%3) {"sizes" = [1, 3], "axis" = 3} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x1xf32>, tensor<1x4x4x3xf32>)
  %6 = "core.constant"() {"value" = dense<[1, 1, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %7 = "core.reshape"(%4, %6) : (tensor<1x4x4x1xf32>, tensor<4xi64>) -> (tensor<1x1x4x4xf32>)
  %8 = "core.transpose"(%5) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x4x3xf32>) -> (tensor<1x3x4x4xf32>)
  "mlconv.yield"(%7, %8) : (tensor<1x1x4x4xf32>, tensor<1x3x4x4xf32>) -> ()

// -----
// CASE: the rows of pads change places
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[[0, 0], [1, 2], [3, 4], [5, 6]]> : tensor<4x2xi64>} : () -> (tensor<4x2xi64>)
  %c3 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%a, %c2, %c3) : (tensor<1x4x4x4xf32>, tensor<4x2xi64>, tensor<f32>) -> (tensor<1x7x11x15xf32>)
  %c4 = "core.constant"() {value = dense<0.5> : tensor<1x7x1x1xf32>} : () -> (tensor<1x7x1x1xf32>)
  %z = "core.conv"(%y, %c4) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x7x11x15xf32>, tensor<1x7x1x1xf32>) -> (tensor<1x1x11x15xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x11x15xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.constant"() {"value" = dense<[[0, 0], [3, 4], [5, 6], [1, 2]]> : tensor<4x2xi64>} : () -> (tensor<4x2xi64>)
  %6 = "core.pad"(%3, %5, %4) {"mode" = "constant"} : (tensor<1x4x4x4xf32>, tensor<4x2xi64>, tensor<f32>) -> (tensor<1x11x15x7xf32>)
  %7 = "core.constant"() {"value" = dense<0.5> : tensor<1x7x1x1xf32>} : () -> (tensor<1x7x1x1xf32>)
  %8 = "core.conv"(%6, %7) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x11x15x7xf32>, tensor<1x7x1x1xf32>) -> (tensor<1x11x15x1xf32>)
  %9 = "core.constant"() {"value" = dense<[1, 1, 11, 15]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %10 = "core.reshape"(%8, %9) : (tensor<1x11x15x1xf32>, tensor<4xi64>) -> (tensor<1x1x11x15xf32>)
  "mlconv.yield"(%10) : (tensor<1x1x11x15xf32>) -> ()

// -----
// CASE: bounds and masks of a slice change places
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[0, 1, 0, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %c3 = "core.constant"() {value = dense<[1, 3, 9, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %c4 = "core.constant"() {value = dense<[1, 1, 1, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %y = "core.slice"(%a, %c2, %c3, %c4) {end_mask = 4} : (tensor<1x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x2x4x2xf32>)
  %c5 = "core.constant"() {value = dense<0.5> : tensor<1x2x1x1xf32>} : () -> (tensor<1x2x1x1xf32>)
  %z = "core.conv"(%y, %c5) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x2xf32>, tensor<1x2x1x1xf32>) -> (tensor<1x1x4x2xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.constant"() {"value" = dense<[0, 0, 2, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %5 = "core.constant"() {"value" = dense<[1, 9, 4, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %6 = "core.constant"() {"value" = dense<[1, 1, 1, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %7 = "core.slice"(%3, %4, %5, %6) {"begin_mask" = 0, "end_mask" = 2} : (tensor<1x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x2xf32>)
  %8 = "core.constant"() {"value" = dense<0.5> : tensor<1x2x1x1xf32>} : () -> (tensor<1x2x1x1xf32>)
  %9 = "core.conv"(%7, %8) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x2x2xf32>, tensor<1x2x1x1xf32>) -> (tensor<1x4x2x1xf32>)
  %10 = "core.constant"() {"value" = dense<[1, 1, 4, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %11 = "core.reshape"(%9, %10) : (tensor<1x4x2x1xf32>, tensor<4xi64>) -> (tensor<1x1x4x2xf32>)
  "mlconv.yield"(%11) : (tensor<1x1x4x2xf32>) -> ()

// -----
// CASE: repetitions of a tile change places
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[1, 2, 1, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %y = "core.tile"(%a, %c2) : (tensor<1x4x4x4xf32>, tensor<4xi64>) -> (tensor<1x8x4x12xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<1x8x1x1xf32>} : () -> (tensor<1x8x1x1xf32>)
  %z = "core.conv"(%y, %c3) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x8x4x12xf32>, tensor<1x8x1x1xf32>) -> (tensor<1x1x4x12xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x4x12xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.constant"() {"value" = dense<[1, 1, 3, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %5 = "core.tile"(%3, %4) : (tensor<1x4x4x4xf32>, tensor<4xi64>) -> (tensor<1x4x12x8xf32>)
  %6 = "core.constant"() {"value" = dense<0.5> : tensor<1x8x1x1xf32>} : () -> (tensor<1x8x1x1xf32>)
  %7 = "core.conv"(%5, %6) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x12x8xf32>, tensor<1x8x1x1xf32>) -> (tensor<1x4x12x1xf32>)
  %8 = "core.constant"() {"value" = dense<[1, 1, 4, 12]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %9 = "core.reshape"(%7, %8) : (tensor<1x4x12x1xf32>, tensor<4xi64>) -> (tensor<1x1x4x12xf32>)
  "mlconv.yield"(%9) : (tensor<1x1x4x12xf32>) -> ()

// -----
// CASE: a resize of the spatial axes names them anew
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[8, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.resize"(%a, %c2) {axes = [2, 3]} : (tensor<1x4x4x4xf32>, tensor<2xi64>) -> (tensor<1x4x8x8xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %z = "core.conv"(%y, %c3) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x1x8x8xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x8x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.constant"() {"value" = dense<[8, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.resize"(%3, %4) {"axes" = [1, 2], "mode" = "linear", "coordinates" = "half_pixel", "nearest_mode" = "round_prefer_floor", "cubic_a" = -0.75 : f64, "exclude_outside" = false, "antialias" = false, "single" = false, "extrapolation" = 0.0 : f64} : (tensor<1x4x4x4xf32>, tensor<2xi64>) -> (tensor<1x8x8x4xf32>)
  %6 = "core.constant"() {"value" = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %7 = "core.conv"(%5, %6) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x8x8x4xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x8x8x1xf32>)
  %8 = "core.constant"() {"value" = dense<[1, 1, 8, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %9 = "core.reshape"(%7, %8) : (tensor<1x8x8x1xf32>, tensor<4xi64>) -> (tensor<1x1x8x8xf32>)
  "mlconv.yield"(%9) : (tensor<1x1x8x8xf32>) -> ()

// -----
// CASE: a cumulative sum over channels is over the last axis
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %y = "core.cumsum"(%a) {axis = 1} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %z = "core.conv"(%y, %c2) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.cumsum"(%3) {"axis" = 3, "exclusive" = false, "reverse" = false} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  %5 = "core.constant"() {"value" = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %6 = "core.conv"(%4, %5) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x4x4x1xf32>)
  %7 = "core.constant"() {"value" = dense<[1, 1, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %8 = "core.reshape"(%6, %7) : (tensor<1x4x4x1xf32>, tensor<4xi64>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%8) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: a reversed axis is named anew
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %y = "core.reverse"(%a) {axes = [2]} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %z = "core.conv"(%y, %c2) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.reverse"(%3) {"axes" = [1]} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  %5 = "core.constant"() {"value" = dense<0.5> : tensor<1x4x1x1xf32>} : () -> (tensor<1x4x1x1xf32>)
  %6 = "core.conv"(%4, %5) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> (tensor<1x4x4x1xf32>)
  %7 = "core.constant"() {"value" = dense<[1, 1, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %8 = "core.reshape"(%6, %7) : (tensor<1x4x4x1xf32>, tensor<4xi64>) -> (tensor<1x1x4x4xf32>)
  "mlconv.yield"(%8) : (tensor<1x1x4x4xf32>) -> ()

// -----
// CASE: depth to space becomes that of channels last
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %y = "core.depth_to_space"(%a) {block_size = 2, layout = "NCHW"} : (tensor<1x4x4x4xf32>) -> (tensor<1x1x8x8xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<1x1x1x1xf32>} : () -> (tensor<1x1x1x1xf32>)
  %z = "core.conv"(%y, %c2) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x1x8x8xf32>, tensor<1x1x1x1xf32>) -> (tensor<1x1x8x8xf32>)
  "mlconv.yield"(%z) : (tensor<1x1x8x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.depth_to_space"(%3) {"block_size" = 2, "layout" = "NHWC", "mode" = "dcr"} : (tensor<1x4x4x4xf32>) -> (tensor<1x8x8x1xf32>)
  %5 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x1x1xf32>} : () -> (tensor<1x1x1x1xf32>)
  %6 = "core.conv"(%4, %5) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x8x8x1xf32>, tensor<1x1x1x1xf32>) -> (tensor<1x8x8x1xf32>)
  %7 = "core.constant"() {"value" = dense<[1, 1, 8, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %8 = "core.reshape"(%6, %7) : (tensor<1x8x8x1xf32>, tensor<4xi64>) -> (tensor<1x1x8x8xf32>)
  "mlconv.yield"(%8) : (tensor<1x1x8x8xf32>) -> ()

// -----
// CASE: a flatten wants channels first
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[1, 64]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%a, %c2) : (tensor<1x4x4x4xf32>, tensor<2xi64>) -> (tensor<1x64xf32>)
  "mlconv.yield"(%y) : (tensor<1x64xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.constant"() {"value" = dense<[1, 64]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.transpose"(%3) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  %6 = "core.reshape"(%5, %4) : (tensor<1x4x4x4xf32>, tensor<2xi64>) -> (tensor<1x64xf32>)
  "mlconv.yield"(%6) : (tensor<1x64xf32>) -> ()

// -----
// CASE: a flatten behind a global pool does not care
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %v2 = "core.reduce_mean"(%a) {axes = [2, 3], keepdims = true} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x1x1xf32>)
  %c3 = "core.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%v2, %c3) : (tensor<1x4x1x1xf32>, tensor<2xi64>) -> (tensor<1x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x2x1x1xf32>} : () -> (tensor<4x2x1x1xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<4x2x1x1xf32>) -> (tensor<1x4x4x4xf32>)
  %4 = "core.reduce_mean"(%3) {"axes" = [1, 2], "keepdims" = true} : (tensor<1x4x4x4xf32>) -> (tensor<1x1x1x4xf32>)
  %5 = "core.constant"() {"value" = dense<[1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<1x1x1x4xf32>, tensor<2xi64>) -> (tensor<1x4xf32>)
  "mlconv.yield"(%6) : (tensor<1x4xf32>) -> ()

// -----
// CASE: places are turned, and not the more that is found at them
// RUN: layout{left-weights=true},canonicalize,dce
^bb(%x: tensor<2x3x4xf32>):
  %p = "core.arg_max"(%x) {axis = 2} : (tensor<2x3x4xf32>) -> (tensor<2x3xi64>)
  %t = "core.transpose"(%p) {perm = [1, 0]} : (tensor<2x3xi64>) -> (tensor<3x2xi64>)
  %k = "core.constant"() {value = dense<0.5> : tensor<4x8xf32>} : () -> (tensor<4x8xf32>)
  %g = "core.gather"(%k, %t) {axis = 0, batch_dims = 0} : (tensor<4x8xf32>, tensor<3x2xi64>) -> (tensor<3x2x8xf32>)
  %e = "core.exp"(%g) : (tensor<3x2x8xf32>) -> (tensor<3x2x8xf32>)
  %w = "core.constant"() {value = dense<0.5> : tensor<8x5xf32>} : () -> (tensor<8x5xf32>)
  %m = "core.matmul"(%e, %w) {transpose_a = false, transpose_b = false} : (tensor<3x2x8xf32>, tensor<8x5xf32>) -> (tensor<3x2x5xf32>)
  %c = "core.constant"() {value = dense<[6, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%m, %c) : (tensor<3x2x5xf32>, tensor<2xi64>) -> (tensor<6x5xf32>)
  "mlconv.yield"(%y) : (tensor<6x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.arg_max"(%0) {"axis" = 2, "keepdims" = false, "select_last" = false, "dtype" = i64} : (tensor<2x3x4xf32>) -> (tensor<2x3xi64>)
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<4x8xf32>} : () -> (tensor<4x8xf32>)
  %3 = "core.transpose"(%1) {"perm" = [1, 0]} : (tensor<2x3xi64>) -> (tensor<3x2xi64>)
  %4 = "core.gather"(%2, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<4x8xf32>, tensor<3x2xi64>) -> (tensor<3x2x8xf32>)
  %5 = "core.exp"(%4) : (tensor<3x2x8xf32>) -> (tensor<3x2x8xf32>)
  %6 = "core.constant"() {"value" = dense<0.5> : tensor<8x5xf32>} : () -> (tensor<8x5xf32>)
  %7 = "core.matmul"(%5, %6) {"transpose_a" = false, "transpose_b" = false} : (tensor<3x2x8xf32>, tensor<8x5xf32>) -> (tensor<3x2x5xf32>)
  %8 = "core.constant"() {"value" = dense<[6, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %9 = "core.reshape"(%7, %8) : (tensor<3x2x5xf32>, tensor<2xi64>) -> (tensor<6x5xf32>)
  "mlconv.yield"(%9) : (tensor<6x5xf32>) -> ()

// -----
// CASE: parts that are moved alike are moved before they are cut
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x20x32xf32>):
  %s = "core.constant"() {value = dense<[1, 20, 4, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %h = "core.reshape"(%x, %s) : (tensor<1x20x32xf32>, tensor<4xi64>) -> (tensor<1x20x4x8xf32>)
  %p, %q = "core.split"(%h) {axis = 1, sizes = [12, 8]} : (tensor<1x20x4x8xf32>) -> (tensor<1x12x4x8xf32>, tensor<1x8x4x8xf32>)
  %a = "core.constant"() {value = dense<[3, 4, 4, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %b = "core.constant"() {value = dense<[2, 4, 4, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %u = "core.reshape"(%p, %a) : (tensor<1x12x4x8xf32>, tensor<4xi64>) -> (tensor<3x4x4x8xf32>)
  %v = "core.reshape"(%q, %b) : (tensor<1x8x4x8xf32>, tensor<4xi64>) -> (tensor<2x4x4x8xf32>)
  %t = "core.transpose"(%u) {perm = [2, 0, 1, 3]} : (tensor<3x4x4x8xf32>) -> (tensor<4x3x4x8xf32>)
  %w = "core.transpose"(%v) {perm = [2, 0, 1, 3]} : (tensor<2x4x4x8xf32>) -> (tensor<4x2x4x8xf32>)
  "mlconv.yield"(%t, %w) : (tensor<4x3x4x8xf32>, tensor<4x2x4x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x20x32xf32>):
  %1 = "core.constant"() {"value" = dense<[5, 4, 4, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<1x20x32xf32>, tensor<4xi64>) -> (tensor<5x4x4x8xf32>)
  %3 = "core.transpose"(%2) {"perm" = [2, 0, 1, 3]} : (tensor<5x4x4x8xf32>) -> (tensor<4x5x4x8xf32>)
  %4, %5 = "core.split"(%3) {"sizes" = [3, 2], "axis" = 1} : (tensor<4x5x4x8xf32>) -> (tensor<4x3x4x8xf32>, tensor<4x2x4x8xf32>)
  "mlconv.yield"(%4, %5) : (tensor<4x3x4x8xf32>, tensor<4x2x4x8xf32>) -> ()

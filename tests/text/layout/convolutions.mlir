// CASE: a convolution with channels first runs with channels last
// Transposes stay at the borders.
// RUN: layout
^bb(%x: tensor<1x3x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x3x4x4xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x3x4x4xf32>) -> (tensor<1x4x4x3xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x3xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x4x4x2xf32>)
  %4 = "core.transpose"(%3) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%4) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: a convolution with channels last stays as it is
// RUN: layout
^bb(%x: tensor<1x4x4x3xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x3x3x2xf32>} : () -> (tensor<3x3x3x2xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<1x4x4x3xf32>, tensor<3x3x3x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<3x3x3x2xf32>} : () -> (tensor<3x3x3x2xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x3xf32>, tensor<3x3x3x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: nothing is turned between two convolutions and what lies between them
// RUN: layout
^bb(%x: tensor<1x3x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x3x4x4xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x2x4x4xf32>)
  %r = "core.clamp"(%a) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<2x2x3x3xf32>} : () -> (tensor<2x2x3x3xf32>)
  %y = "core.conv"(%r, %c2) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x3x4x4xf32>) -> (tensor<1x4x4x3xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x3xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x4x4x2xf32>)
  %4 = "core.clamp"(%3) {"lo" = 0.0 : f64, "hi" = 0x7FF0000000000000 : f64} : (tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>)
  %5 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x3x3xf32>} : () -> (tensor<2x2x3x3xf32>)
  %6 = "core.conv"(%4, %5) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<2x2x3x3xf32>) -> (tensor<1x4x4x2xf32>)
  %7 = "core.transpose"(%6) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x4x2xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%7) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: transposes around a convolution go when they are those that it wants
// What an exporter of a channels-last framework writes.
// RUN: layout,dce
^bb(%x: tensor<1x4x4x3xf32>):
  %t = "core.transpose"(%x) {perm = [0, 3, 1, 2]} : (tensor<1x4x4x3xf32>) -> (tensor<1x3x4x4xf32>)
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %a = "core.conv"(%t, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x3x4x4xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x2x4x4xf32>)
  %y = "core.transpose"(%a) {perm = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x3xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%2) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: a transposed convolution runs with channels last
// RUN: layout
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %y = "core.conv_transpose"(%x, %c1) {strides = [2, 2], pads = [[0, 0], [0, 0]], output_pads = [0, 0], dilations = [1, 1], x_layout = "NC01", w_layout = "IO01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x3x9x9xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x9x9xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> (tensor<1x4x4x2xf32>)
  %3 = "core.conv_transpose"(%2, %1) {"strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "output_pads" = [0, 0], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "IO01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x9x9x3xf32>)
  %4 = "core.transpose"(%3) {"perm" = [0, 3, 1, 2]} : (tensor<1x9x9x3xf32>) -> (tensor<1x3x9x9xf32>)
  "mlconv.yield"(%4) : (tensor<1x3x9x9xf32>) -> ()

// -----
// CASE: a convolution over one axis runs with channels last
// RUN: layout
^bb(%x: tensor<1x2x8xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<3x2x3xf32>} : () -> (tensor<3x2x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1], pads = [[1, 1]], dilations = [1], x_layout = "NC0", w_layout = "OI0", y_layout = "NC0", mlconv.absent = [2]} : (tensor<1x2x8xf32>, tensor<3x2x3xf32>) -> (tensor<1x3x8xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x8xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<3x2x3xf32>} : () -> (tensor<3x2x3xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 1]} : (tensor<1x2x8xf32>) -> (tensor<1x8x2xf32>)
  %3 = "core.conv"(%2, %1) {"strides" = [1], "pads" = [[1, 1]], "dilations" = [1], "groups" = 1, "x_layout" = "N0C", "w_layout" = "OI0", "y_layout" = "N0C", "mlconv.absent" = [2]} : (tensor<1x8x2xf32>, tensor<3x2x3xf32>) -> (tensor<1x8x3xf32>)
  %4 = "core.transpose"(%3) {"perm" = [0, 2, 1]} : (tensor<1x8x3xf32>) -> (tensor<1x3x8xf32>)
  "mlconv.yield"(%4) : (tensor<1x3x8xf32>) -> ()

// -----
// CASE: open sizes are turned like fixed ones
// RUN: layout
^bb(%x: tensor<?x3x?x?xf32, {dims = ["N", "3", "H", "W"]}>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<?x3x?x?xf32, {dims = ["N", "3", "H", "W"]}>, tensor<2x3x3x3xf32>) -> (tensor<?x2x?x?xf32, {dims = ["N", "2", "H", "W"]}>)
  "mlconv.yield"(%y) : (tensor<?x2x?x?xf32, {dims = ["N", "2", "H", "W"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3x?x?xf32, {dims = ["N", "3", "H", "W"]}>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<?x3x?x?xf32, {dims = ["N", "3", "H", "W"]}>) -> (tensor<?x?x?x3xf32, {dims = ["N", "H", "W", "3"]}>)
  %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<?x?x?x3xf32, {dims = ["N", "H", "W", "3"]}>, tensor<2x3x3x3xf32>) -> (tensor<?x?x?x2xf32, {dims = ["N", "H", "W", "2"]}>)
  %4 = "core.transpose"(%3) {"perm" = [0, 3, 1, 2]} : (tensor<?x?x?x2xf32, {dims = ["N", "H", "W", "2"]}>) -> (tensor<?x2x?x?xf32, {dims = ["N", "2", "H", "W"]}>)
  "mlconv.yield"(%4) : (tensor<?x2x?x?xf32, {dims = ["N", "2", "H", "W"]}>) -> ()

// -----
// CASE: where moving costs the same on both sides, limits stay with the convolution that they become a part of
// RUN: layout,canonicalize,dce
^bb(%x: tensor<1x4x4x2xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<1x1x2x3xf32>} : () -> (tensor<1x1x2x3xf32>)
  %c = "core.conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x3x4x4xf32>)
  %r = "core.clamp"(%c) {lo = 0.0, hi = 6.0} : (tensor<1x3x4x4xf32>) -> (tensor<1x3x4x4xf32>)
  %s = "core.constant"() {value = dense<[1, 48]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%r, %s) : (tensor<1x3x4x4xf32>, tensor<2xi64>) -> (tensor<1x48xf32>)
  "mlconv.yield"(%y) : (tensor<1x48xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x2xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<1x1x2x3xf32>} : () -> (tensor<1x1x2x3xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x4x4x3xf32>)
  %3 = "core.clamp"(%2) {"lo" = 0.0 : f64, "hi" = 6.0 : f64} : (tensor<1x4x4x3xf32>) -> (tensor<1x4x4x3xf32>)
  %4 = "core.constant"() {"value" = dense<[1, 48]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.transpose"(%3) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x4x3xf32>) -> (tensor<1x3x4x4xf32>)
  %6 = "core.reshape"(%5, %4) : (tensor<1x3x4x4xf32>, tensor<2xi64>) -> (tensor<1x48xf32>)
  "mlconv.yield"(%6) : (tensor<1x48xf32>) -> ()

// -----
// CASE: one transpose before parts of an image, not one for each of them
// RUN: layout
^bb(%x: tensor<8x8xf32>):
  %c0 = "core.constant"() {value = dense<[1, 4, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %e = "core.reshape"(%x, %c0) : (tensor<8x8xf32>, tensor<4xi64>) -> (tensor<1x4x4x4xf32>)
  %p, %q = "core.split"(%e) {sizes = [2, 2], axis = 1} : (tensor<1x4x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>)
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x3x3xf32>} : () -> (tensor<2x2x3x3xf32>)
  %c2 = "core.constant"() {value = dense<0.25> : tensor<2x2x3x3xf32>} : () -> (tensor<2x2x3x3xf32>)
  %a = "core.conv"(%p, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "N01C", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) -> (tensor<1x4x4x2xf32>)
  %b = "core.conv"(%q, %c2) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "N01C", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%a, %b) : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<8x8xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 4, 4, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<8x8xf32>, tensor<4xi64>) -> (tensor<1x4x4x4xf32>)
  %3 = "core.transpose"(%2) {"perm" = [0, 2, 3, 1]} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>)
  %4, %5 = "core.split"(%3) {"sizes" = [2, 2], "axis" = 3} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>)
  %6 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x3x3xf32>} : () -> (tensor<2x2x3x3xf32>)
  %7 = "core.constant"() {"value" = dense<0.25> : tensor<2x2x3x3xf32>} : () -> (tensor<2x2x3x3xf32>)
  %8 = "core.conv"(%4, %6) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<2x2x3x3xf32>) -> (tensor<1x4x4x2xf32>)
  %9 = "core.conv"(%5, %7) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x2xf32>, tensor<2x2x3x3xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%8, %9) : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: pools and blocks of pixels stay where they are for targets that have them along any axes
// RUN: layout{windows-anywhere=true}
^bb(%x: tensor<1x32x16x64xf32>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], layout = "NC01"} : (tensor<1x32x16x64xf32>) -> (tensor<1x32x8x32xf32>)
  %z = "core.space_to_depth"(%y) {block_size = 2, layout = "NCHW"} : (tensor<1x32x8x32xf32>) -> (tensor<1x128x4x16xf32>)
  "mlconv.yield"(%z) : (tensor<1x128x4x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x32x16x64xf32>):
  %1 = "core.max_pool"(%0) {"window" = [2, 2], "strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = false, "layout" = "NC01"} : (tensor<1x32x16x64xf32>) -> (tensor<1x32x8x32xf32>)
  %2 = "core.space_to_depth"(%1) {"block_size" = 2, "layout" = "NCHW"} : (tensor<1x32x8x32xf32>) -> (tensor<1x128x4x16xf32>)
  "mlconv.yield"(%2) : (tensor<1x128x4x16xf32>) -> ()

// -----
// CASE: pools whose lines are short have channels last, and those between convolutions
// RUN: layout{windows-anywhere=true}
^bb(%x: tensor<1x64x8x8xf32>, %v: tensor<1x3x64x64xf32>):
  %y = "core.max_pool"(%x) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], layout = "NC01"} : (tensor<1x64x8x8xf32>) -> (tensor<1x64x4x4xf32>)
  %c1 = "core.constant"() {value = dense<0.5> : tensor<32x3x3x3xf32>} : () -> (tensor<32x3x3x3xf32>)
  %a = "core.conv"(%v, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x3x64x64xf32>, tensor<32x3x3x3xf32>) -> (tensor<1x32x64x64xf32>)
  %b = "core.max_pool"(%a) {window = [2, 2], strides = [2, 2], pads = [[0, 0], [0, 0]], dilations = [1, 1], layout = "NC01"} : (tensor<1x32x64x64xf32>) -> (tensor<1x32x32x32xf32>)
  "mlconv.yield"(%y, %b) : (tensor<1x64x4x4xf32>, tensor<1x32x32x32xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x64x8x8xf32>, %1: tensor<1x3x64x64xf32>):
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x64x8x8xf32>) -> (tensor<1x8x8x64xf32>)
  %3 = "core.max_pool"(%2) {"window" = [2, 2], "strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = false, "layout" = "N01C"} : (tensor<1x8x8x64xf32>) -> (tensor<1x4x4x64xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<32x3x3x3xf32>} : () -> (tensor<32x3x3x3xf32>)
  %5 = "core.transpose"(%1) {"perm" = [0, 2, 3, 1]} : (tensor<1x3x64x64xf32>) -> (tensor<1x64x64x3xf32>)
  %6 = "core.conv"(%5, %4) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x64x64x3xf32>, tensor<32x3x3x3xf32>) -> (tensor<1x64x64x32xf32>)
  %7 = "core.max_pool"(%6) {"window" = [2, 2], "strides" = [2, 2], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = false, "layout" = "N01C"} : (tensor<1x64x64x32xf32>) -> (tensor<1x32x32x32xf32>)
  %8 = "core.transpose"(%3) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x4x64xf32>) -> (tensor<1x64x4x4xf32>)
  %9 = "core.transpose"(%7) {"perm" = [0, 3, 1, 2]} : (tensor<1x32x32x32xf32>) -> (tensor<1x32x32x32xf32>)
  "mlconv.yield"(%8, %9) : (tensor<1x64x4x4xf32>, tensor<1x32x32x32xf32>) -> ()

// -----
// CASE: pools whose windows share lines stay where they are, unless a convolution is next to them
// RUN: layout{windows-anywhere=true}
^bb(%x: tensor<1x64x56x56xf32>, %v: tensor<1x3x64x64xf32>):
  %y = "core.max_pool"(%x) {window = [3, 3], strides = [2, 2], pads = [[1, 1], [1, 1]], dilations = [1, 1], layout = "NC01"} : (tensor<1x64x56x56xf32>) -> (tensor<1x64x28x28xf32>)
  %c1 = "core.constant"() {value = dense<0.5> : tensor<32x3x3x3xf32>} : () -> (tensor<32x3x3x3xf32>)
  %a = "core.conv"(%v, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x3x64x64xf32>, tensor<32x3x3x3xf32>) -> (tensor<1x32x64x64xf32>)
  %b = "core.max_pool"(%a) {window = [3, 3], strides = [2, 2], pads = [[1, 1], [1, 1]], dilations = [1, 1], layout = "NC01"} : (tensor<1x32x64x64xf32>) -> (tensor<1x32x32x32xf32>)
  "mlconv.yield"(%y, %b) : (tensor<1x64x28x28xf32>, tensor<1x32x32x32xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x64x56x56xf32>, %1: tensor<1x3x64x64xf32>):
  %2 = "core.max_pool"(%0) {"window" = [3, 3], "strides" = [2, 2], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "ceil_mode" = false, "layout" = "NC01"} : (tensor<1x64x56x56xf32>) -> (tensor<1x64x28x28xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<32x3x3x3xf32>} : () -> (tensor<32x3x3x3xf32>)
  %4 = "core.transpose"(%1) {"perm" = [0, 2, 3, 1]} : (tensor<1x3x64x64xf32>) -> (tensor<1x64x64x3xf32>)
  %5 = "core.conv"(%4, %3) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x64x64x3xf32>, tensor<32x3x3x3xf32>) -> (tensor<1x64x64x32xf32>)
  %6 = "core.max_pool"(%5) {"window" = [3, 3], "strides" = [2, 2], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "ceil_mode" = false, "layout" = "N01C"} : (tensor<1x64x64x32xf32>) -> (tensor<1x32x32x32xf32>)
  %7 = "core.transpose"(%6) {"perm" = [0, 3, 1, 2]} : (tensor<1x32x32x32xf32>) -> (tensor<1x32x32x32xf32>)
  "mlconv.yield"(%2, %7) : (tensor<1x64x28x28xf32>, tensor<1x32x32x32xf32>) -> ()

// -----
// CASE: a convolution of few channels writes its results where they are wanted
// RUN: layout{windows-anywhere=true}
^bb(%x: tensor<1x1x50xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<32x1x10xf32>} : () -> (tensor<32x1x10xf32>)
  %y = "core.conv"(%x, %c1) {strides = [5], pads = [[0, 0]], dilations = [1], x_layout = "NC0", w_layout = "OI0", y_layout = "NC0", mlconv.absent = [2]} : (tensor<1x1x50xf32>, tensor<32x1x10xf32>) -> (tensor<1x32x9xf32>)
  "mlconv.yield"(%y) : (tensor<1x32x9xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x1x50xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<32x1x10xf32>} : () -> (tensor<32x1x10xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [5], "pads" = [[0, 0]], "dilations" = [1], "groups" = 1, "x_layout" = "NC0", "w_layout" = "OI0", "y_layout" = "NC0", "mlconv.absent" = [2]} : (tensor<1x1x50xf32>, tensor<32x1x10xf32>) -> (tensor<1x32x9xf32>)
  "mlconv.yield"(%2) : (tensor<1x32x9xf32>) -> ()

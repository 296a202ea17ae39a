// CASE: a scale goes into the weights and a shift into the bias
// The weights are not read: a recipe over them is written down.
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[[[2.0]], [[4.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  %m = "core.mul"(%a, %c2) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %c3 = "core.constant"() {value = dense<[[[1.0]], [[-1.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  %y = "core.add"(%m, %c3) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2, 2, 1, 1], [2, 2, 1, 1], \"mul\", [], [dense<0.5> : tensor<2x2x1x1xf32>, dense<[[[[2.0]]], [[[4.0]]]]> : tensor<2x1x1x1xf32>]]">} : () -> (tensor<2x2x1x1xf32>)
  %2 = "core.constant"() {"value" = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %3 = "core.conv"(%0, %1, %2) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%3) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: a subtraction goes into the bias
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[[[1.0]], [[-1.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  %y = "core.sub"(%a, %c2) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %2 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2], [2], \"sub\", [], [#mlconv.derived<\"[f32, [2], [2], \\\"sub\\\", [], [dense<[1.0, -1.0]> : tensor<2xf32>, dense<[1.0, -1.0]> : tensor<2xf32>]]\">, dense<[1.0, -1.0]> : tensor<2xf32>]]">} : () -> (tensor<2xf32>)
  %3 = "core.conv"(%0, %1, %2) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%3) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: a subtraction from a constant stays
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[[[1.0]], [[-1.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  %y = "core.sub"(%c2, %a) : (tensor<2x1x1xf32>, tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %3 = "core.constant"() {"value" = dense<[[[1.0]], [[-1.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  %4 = "core.sub"(%3, %2) : (tensor<2x1x1xf32>, tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%4) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: a scale along a spatial axis stays
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %y = "core.mul"(%a, %c2) : (tensor<1x2x4x4xf32>, tensor<4xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %3 = "core.constant"() {"value" = dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %4 = "core.mul"(%2, %3) : (tensor<1x2x4x4xf32>, tensor<4xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%4) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: one number is a scale of every channel
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %c2 = "core.constant"() {value = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.mul"(%a, %c2) : (tensor<1x2x4x4xf32>, tensor<f32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2, 2, 1, 1], [2, 2, 1, 1], \"mul\", [], [dense<0.5> : tensor<2x2x1x1xf32>, #mlconv.derived<\"[f32, [2, 1, 1, 1], [2], \\\"broadcast\\\", [2], [dense<[3.0]> : tensor<1xf32>]]\">]]">} : () -> (tensor<2x2x1x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%2) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: a convolution with two uses keeps its weights
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[[[2.0]], [[4.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  %y = "core.mul"(%a, %c2) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y, %a) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %3 = "core.constant"() {"value" = dense<[[[2.0]], [[4.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  %4 = "core.mul"(%2, %3) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%4, %2) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: weights that are an input stay
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>):
  %a = "core.conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %c1 = "core.constant"() {value = dense<[[[2.0]], [[4.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  %y = "core.mul"(%a, %c1) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>, %1: tensor<2x2x1x1xf32>):
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %3 = "core.constant"() {"value" = dense<[[[2.0]], [[4.0]]]> : tensor<2x1x1xf32>} : () -> (tensor<2x1x1xf32>)
  %4 = "core.mul"(%2, %3) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%4) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: a pad by zeros goes into the convolution
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [0, 0], [1, 2], [0, 1]]> : tensor<4x2xi64>} : () -> (tensor<4x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.pad"(%x, %c1, %c2) : (tensor<1x2x4x4xf32>, tensor<4x2xi64>, tensor<f32>) -> (tensor<1x2x7x5xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %y = "core.conv"(%p, %c3) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x7x5xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x7x5xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x7x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[1, 2], [0, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x7x5xf32>)
  "mlconv.yield"(%2) : (tensor<1x2x7x5xf32>) -> ()

// -----
// CASE: pads of sizes, as far as the last window goes beyond them, are SAME_UPPER
// RUN: refine-shapes,fold-batch-norm
^bb(%x: tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>):
  %s = "core.shape_of"(%x) : (tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>) -> (tensor<4xi64>)
  %i = "core.constant"() {value = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %h = "core.gather"(%s, %i) {axis = 0} : (tensor<4xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %1 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.constant"() {value = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %z = "core.constant"() {value = dense<0> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %o = "core.constant"() {value = dense<0> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.add"(%h, %1) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %q = "core.floor_div"(%a, %2) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %m = "core.mul"(%q, %2) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %t = "core.sub"(%m, %h) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %u = "core.add"(%t, %1) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %f = "core.floor_div"(%u, %2) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %b = "core.sub"(%u, %f) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %v = "core.concat"(%z, %f, %b, %o) {axis = 0} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<8xi64>)
  %r = "core.constant"() {value = dense<[4, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.reshape"(%v, %r) : (tensor<8xi64>, tensor<2xi64>) -> (tensor<4x2xi64>)
  %n = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.pad"(%x, %w, %n) : (tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>, tensor<4x2xi64>, tensor<f32>) -> (tensor<1x2x?x4xf32>)
  %k = "core.constant"() {value = dense<0.5> : tensor<2x2x3x1xf32>} : () -> (tensor<2x2x3x1xf32>)
  %y = "core.conv"(%p, %k) {strides = [2, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x?x4xf32>, tensor<2x2x3x1xf32>) -> (tensor<1x2x?x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x?x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x3x1xf32>} : () -> (tensor<2x2x3x1xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [2, 1], "pads" = "SAME_UPPER", "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>, tensor<2x2x3x1xf32>) -> (tensor<1x2x?x4xf32, {dims = ["1", "2", "floordiv(h+1, 2)", "4"]}>)
  "mlconv.yield"(%2) : (tensor<1x2x?x4xf32, {dims = ["1", "2", "floordiv(h+1, 2)", "4"]}>) -> ()

// -----
// CASE: pads that go further are none
// RUN: refine-shapes,fold-batch-norm
^bb(%x: tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>):
  %s = "core.shape_of"(%x) : (tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>) -> (tensor<4xi64>)
  %i = "core.constant"() {value = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %h = "core.gather"(%s, %i) {axis = 0} : (tensor<4xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %1 = "core.constant"() {value = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.constant"() {value = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %z = "core.constant"() {value = dense<0> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %o = "core.constant"() {value = dense<0> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.add"(%h, %1) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %q = "core.floor_div"(%a, %2) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %m = "core.mul"(%q, %2) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %t = "core.sub"(%m, %h) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %u = "core.add"(%t, %1) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %f = "core.floor_div"(%u, %2) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %b = "core.sub"(%u, %f) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %v = "core.concat"(%z, %f, %b, %o) {axis = 0} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<8xi64>)
  %r = "core.constant"() {value = dense<[4, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.reshape"(%v, %r) : (tensor<8xi64>, tensor<2xi64>) -> (tensor<4x2xi64>)
  %n = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.pad"(%x, %w, %n) : (tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>, tensor<4x2xi64>, tensor<f32>) -> (tensor<1x2x?x4xf32>)
  %k = "core.constant"() {value = dense<0.5> : tensor<2x2x3x1xf32>} : () -> (tensor<2x2x3x1xf32>)
  %y = "core.conv"(%p, %k) {strides = [2, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x?x4xf32>, tensor<2x2x3x1xf32>) -> (tensor<1x2x?x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x?x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>) -> (tensor<4xi64>)
  %2 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.gather"(%1, %2) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<4xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.constant"() {"value" = dense<0> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %7 = "core.constant"() {"value" = dense<0> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %8 = "core.add"(%3, %4) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %9 = "core.floor_div"(%8, %5) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %10 = "core.mul"(%9, %5) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %11 = "core.sub"(%10, %3) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %12 = "core.add"(%11, %4) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %13 = "core.floor_div"(%12, %5) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %14 = "core.sub"(%12, %13) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %15 = "core.concat"(%6, %13, %14, %7) {"axis" = 0} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<8xi64>)
  %16 = "core.constant"() {"value" = dense<[4, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %17 = "core.reshape"(%15, %16) : (tensor<8xi64>, tensor<2xi64>) -> (tensor<4x2xi64>)
  %18 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %19 = "core.pad"(%0, %17, %18) {"mode" = "constant"} : (tensor<1x2x?x4xf32, {dims = ["1", "2", "h", "4"]}>, tensor<4x2xi64>, tensor<f32>) -> (tensor<1x2x?x4xf32, {dims = ["1", "2", "2*floordiv(h+3, 2)+3", "4"]}>)
  %20 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x3x1xf32>} : () -> (tensor<2x2x3x1xf32>)
  %21 = "core.conv"(%19, %20) {"strides" = [2, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x?x4xf32, {dims = ["1", "2", "2*floordiv(h+3, 2)+3", "4"]}>, tensor<2x2x3x1xf32>) -> (tensor<1x2x?x4xf32, {dims = ["1", "2", "floordiv(h+3, 2)+1", "4"]}>)
  "mlconv.yield"(%21) : (tensor<1x2x?x4xf32, {dims = ["1", "2", "floordiv(h+3, 2)+1", "4"]}>) -> ()

// -----
// CASE: a pad by ones stays
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [0, 0], [1, 2], [0, 1]]> : tensor<4x2xi64>} : () -> (tensor<4x2xi64>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.pad"(%x, %c1, %c2) : (tensor<1x2x4x4xf32>, tensor<4x2xi64>, tensor<f32>) -> (tensor<1x2x7x5xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %y = "core.conv"(%p, %c3) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x7x5xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x7x5xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x7x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<[[0, 0], [0, 0], [1, 2], [0, 1]]> : tensor<4x2xi64>} : () -> (tensor<4x2xi64>)
  %2 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.pad"(%0, %1, %2) {"mode" = "constant"} : (tensor<1x2x4x4xf32>, tensor<4x2xi64>, tensor<f32>) -> (tensor<1x2x7x5xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %5 = "core.conv"(%3, %4) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x7x5xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x7x5xf32>)
  "mlconv.yield"(%5) : (tensor<1x2x7x5xf32>) -> ()

// -----
// CASE: a pad of channels stays
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [1, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>} : () -> (tensor<4x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.pad"(%x, %c1, %c2) : (tensor<1x2x4x4xf32>, tensor<4x2xi64>, tensor<f32>) -> (tensor<1x3x4x4xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<2x3x1x1xf32>} : () -> (tensor<2x3x1x1xf32>)
  %y = "core.conv"(%p, %c3) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = dense<[[0, 0], [1, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>} : () -> (tensor<4x2xi64>)
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.pad"(%0, %1, %2) {"mode" = "constant"} : (tensor<1x2x4x4xf32>, tensor<4x2xi64>, tensor<f32>) -> (tensor<1x3x4x4xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<2x3x1x1xf32>} : () -> (tensor<2x3x1x1xf32>)
  %5 = "core.conv"(%3, %4) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%5) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: a transpose that a flatten hides goes into the rows of the weights
// RUN: fold-batch-norm
^bb(%x: tensor<2x2x3xf32>):
  %t = "core.transpose"(%x) {perm = [0, 2, 1]} : (tensor<2x2x3xf32>) -> (tensor<2x3x2xf32>)
  %c1 = "core.constant"() {value = dense<[2, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %r = "core.reshape"(%t, %c1) : (tensor<2x3x2xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %c2 = "core.constant"() {value = dense<[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<6x1xf32>} : () -> (tensor<6x1xf32>)
  %y = "core.matmul"(%r, %c2) : (tensor<2x6xf32>, tensor<6x1xf32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%y) : (tensor<2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = #mlconv.derived<"[f32, [6, 1], [2, 3, 1], \"transpose\", [1, 0, 2], [dense<[[[0.0], [1.0]], [[2.0], [3.0]], [[4.0], [5.0]]]> : tensor<3x2x1xf32>]]">} : () -> (tensor<6x1xf32>)
  %3 = "core.reshape"(%0, %1) : (tensor<2x2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %4 = "core.matmul"(%3, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x6xf32>, tensor<6x1xf32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%4) : (tensor<2x1xf32>) -> ()

// -----
// CASE: a transpose that a flatten hides goes into the columns of transposed weights
// RUN: fold-batch-norm
^bb(%x: tensor<2x2x3xf32>):
  %t = "core.transpose"(%x) {perm = [0, 2, 1]} : (tensor<2x2x3xf32>) -> (tensor<2x3x2xf32>)
  %c1 = "core.constant"() {value = dense<[2, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %r = "core.reshape"(%t, %c1) : (tensor<2x3x2xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %c2 = "core.constant"() {value = dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]]> : tensor<1x6xf32>} : () -> (tensor<1x6xf32>)
  %y = "core.matmul"(%r, %c2) {transpose_b = true} : (tensor<2x6xf32>, tensor<1x6xf32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%y) : (tensor<2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = #mlconv.derived<"[f32, [1, 6], [1, 2, 3], \"transpose\", [0, 2, 1], [dense<[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]]> : tensor<1x3x2xf32>]]">} : () -> (tensor<1x6xf32>)
  %3 = "core.reshape"(%0, %1) : (tensor<2x2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %4 = "core.matmul"(%3, %2) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x6xf32>, tensor<1x6xf32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%4) : (tensor<2x1xf32>) -> ()

// -----
// CASE: a transpose that moves the batch stays
// RUN: fold-batch-norm
^bb(%x: tensor<2x2x3xf32>):
  %t = "core.transpose"(%x) {perm = [1, 0, 2]} : (tensor<2x2x3xf32>) -> (tensor<2x2x3xf32>)
  %c1 = "core.constant"() {value = dense<[2, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %r = "core.reshape"(%t, %c1) : (tensor<2x2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<6x1xf32>} : () -> (tensor<6x1xf32>)
  %y = "core.matmul"(%r, %c2) : (tensor<2x6xf32>, tensor<6x1xf32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%y) : (tensor<2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x2x3xf32>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0, 2]} : (tensor<2x2x3xf32>) -> (tensor<2x2x3xf32>)
  %2 = "core.constant"() {"value" = dense<[2, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<2x2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %4 = "core.constant"() {"value" = dense<0.5> : tensor<6x1xf32>} : () -> (tensor<6x1xf32>)
  %5 = "core.matmul"(%3, %4) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x6xf32>, tensor<6x1xf32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%5) : (tensor<2x1xf32>) -> ()

// -----
// CASE: a shift behind a reshape that drops an axis of size 1 goes into the bias
// RUN: fold-batch-norm
^bb(%x: tensor<2x1x4x3xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<2x1x1x3xf32>} : () -> (tensor<2x1x1x3xf32>)
  %a = "core.conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "N01C", w_layout = "O01I", y_layout = "N01C", mlconv.absent = [2]} : (tensor<2x1x4x3xf32>, tensor<2x1x1x3xf32>) -> (tensor<2x1x4x2xf32>)
  %s = "core.constant"() {value = dense<[2, 4, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %r = "core.reshape"(%a, %s) : (tensor<2x1x4x2xf32>, tensor<3xi64>) -> (tensor<2x4x2xf32>)
  %b = "core.constant"() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %y = "core.add"(%r, %b) : (tensor<2x4x2xf32>, tensor<2xf32>) -> (tensor<2x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1x4x3xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x1x1x3xf32>} : () -> (tensor<2x1x1x3xf32>)
  %2 = "core.constant"() {"value" = dense<[2, 4, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %3 = "core.constant"() {"value" = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %4 = "core.conv"(%0, %1, %3) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "O01I", "y_layout" = "N01C"} : (tensor<2x1x4x3xf32>, tensor<2x1x1x3xf32>, tensor<2xf32>) -> (tensor<2x1x4x2xf32>)
  %5 = "core.reshape"(%4, %2) : (tensor<2x1x4x2xf32>, tensor<3xi64>) -> (tensor<2x4x2xf32>)
  "mlconv.yield"(%5) : (tensor<2x4x2xf32>) -> ()

// -----
// CASE: a scale of an image that was resized goes into the weights
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x2x1xui8>):
  %f = "core.cast"(%x) {dtype = f32} : (tensor<1x2x2x1xui8>) -> (tensor<1x2x2x1xf32>)
  %n = "core.constant"() {value = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %r = "core.resize"(%f, %n) {axes = [1, 2], mode = "linear", coordinates = "half_pixel"} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  %c = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%r, %c) : (tensor<1x4x4x1xf32>, tensor<f32>) -> (tensor<1x4x4x1xf32>)
  %w = "core.constant"() {value = dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>} : () -> (tensor<2x1x1x1xf32>)
  %y = "core.conv"(%m, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "N01C", w_layout = "O01I", y_layout = "N01C", mlconv.absent = [2]} : (tensor<1x4x4x1xf32>, tensor<2x1x1x1xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x1xui8>):
  %1 = "core.cast"(%0) {"dtype" = f32, "saturate" = false} : (tensor<1x2x2x1xui8>) -> (tensor<1x2x2x1xf32>)
  %2 = "core.constant"() {"value" = dense<[4, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.resize"(%1, %2) {"axes" = [1, 2], "mode" = "linear", "coordinates" = "half_pixel", "nearest_mode" = "round_prefer_floor", "cubic_a" = -0.75 : f64, "exclude_outside" = false, "antialias" = false, "single" = false, "extrapolation" = 0.0 : f64} : (tensor<1x2x2x1xf32>, tensor<2xi64>) -> (tensor<1x4x4x1xf32>)
  %4 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2, 1, 1, 1], [2, 1, 1, 1], \"mul\", [], [dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>, dense<[[[[0.5]]]]> : tensor<1x1x1x1xf32>]]">} : () -> (tensor<2x1x1x1xf32>)
  %5 = "core.conv"(%3, %4) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "O01I", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x1xf32>, tensor<2x1x1x1xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%5) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: scale and shift behind a dense layer go into its weights and its bias
// RUN: fold-batch-norm
// OPTIONS: locations
^bb(%x: tensor<4x2xf32>):
  %w = "core.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %b = "core.constant"() {value = dense<[0.5, 1.5, 2.5]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %c = "core.constant"() {value = dense<[2.0, 4.0, 8.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %d = "core.constant"() {value = dense<[[1.0, -1.0, 0.0]]> : tensor<1x3xf32>} : () -> (tensor<1x3xf32>)
  %p = "core.matmul"(%x, %w) : (tensor<4x2xf32>, tensor<2x3xf32>) -> (tensor<4x3xf32>)
  %a = "core.add"(%p, %b) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>)
  %m = "core.mul"(%a, %c) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>)
  %y = "core.sub"(%m, %d) : (tensor<4x3xf32>, tensor<1x3xf32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x2xf32>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2, 3], [2, 3], \"mul\", [], [dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>, dense<[[2.0, 4.0, 8.0]]> : tensor<1x3xf32>]]">} : () -> (tensor<2x3xf32>) loc("#fused fold-scale"(fused["m", "p", "a"]))
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<4x2xf32>, tensor<2x3xf32>) -> (tensor<4x3xf32>) loc("#fused fold-scale"(fused["m", "p", "a"]))
  %3 = "core.constant"() {"value" = #mlconv.derived<"[f32, [3], [3], \"sub\", [], [#mlconv.derived<\"[f32, [3], [3], \\\"mul\\\", [], [dense<[0.5, 1.5, 2.5]> : tensor<3xf32>, dense<[2.0, 4.0, 8.0]> : tensor<3xf32>]]\">, dense<[1.0, -1.0, 0.0]> : tensor<3xf32>]]">} : () -> (tensor<3xf32>) loc("#fused fold-shift"(fused["y", "m", "p", "a"]))
  %4 = "core.add"(%2, %3) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>) loc("#fused fold-shift"(fused["y", "m", "p", "a"]))
  "mlconv.yield"(%4) : (tensor<4x3xf32>) -> () loc("mlconv.yield")

// -----
// CASE: a scale of a product whose weights another one reads, or of its rows, stays
// RUN: fold-batch-norm
^bb(%x: tensor<3x2xf32>, %z: tensor<4x2xf32>):
  %w = "core.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %v = "core.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %c = "core.constant"() {value = dense<[2.0, 4.0, 8.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %k = "core.constant"() {value = dense<[[2.0], [4.0], [8.0]]> : tensor<3x1xf32>} : () -> (tensor<3x1xf32>)
  %p = "core.matmul"(%x, %w) : (tensor<3x2xf32>, tensor<2x3xf32>) -> (tensor<3x3xf32>)
  %q = "core.matmul"(%z, %w) : (tensor<4x2xf32>, tensor<2x3xf32>) -> (tensor<4x3xf32>)
  %r = "core.matmul"(%x, %v) : (tensor<3x2xf32>, tensor<2x3xf32>) -> (tensor<3x3xf32>)
  %m = "core.mul"(%p, %c) : (tensor<3x3xf32>, tensor<3xf32>) -> (tensor<3x3xf32>)
  %n = "core.mul"(%r, %k) : (tensor<3x3xf32>, tensor<3x1xf32>) -> (tensor<3x3xf32>)
  "mlconv.yield"(%m, %n, %q) : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x2xf32>, %1: tensor<4x2xf32>):
  %2 = "core.constant"() {"value" = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %3 = "core.constant"() {"value" = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %4 = "core.constant"() {"value" = dense<[2.0, 4.0, 8.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %5 = "core.constant"() {"value" = dense<[[2.0], [4.0], [8.0]]> : tensor<3x1xf32>} : () -> (tensor<3x1xf32>)
  %6 = "core.matmul"(%0, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<3x2xf32>, tensor<2x3xf32>) -> (tensor<3x3xf32>)
  %7 = "core.matmul"(%1, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<4x2xf32>, tensor<2x3xf32>) -> (tensor<4x3xf32>)
  %8 = "core.matmul"(%0, %3) {"transpose_a" = false, "transpose_b" = false} : (tensor<3x2xf32>, tensor<2x3xf32>) -> (tensor<3x3xf32>)
  %9 = "core.mul"(%6, %4) : (tensor<3x3xf32>, tensor<3xf32>) -> (tensor<3x3xf32>)
  %10 = "core.mul"(%8, %5) : (tensor<3x3xf32>, tensor<3x1xf32>) -> (tensor<3x3xf32>)
  "mlconv.yield"(%9, %10, %7) : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<4x3xf32>) -> ()

// -----
// CASE: branches that read one value are one convolution
// RUN: fold-batch-norm
^bb(%x: tensor<1x2x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x1x3x3xf32>} : () -> (tensor<2x1x3x3xf32>)
  %a = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], groups = 2, x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x1x3x3xf32>) -> (tensor<1x2x4x4xf32>)
  %c2 = "core.constant"() {value = dense<[[[[2.0]]], [[[4.0]]]]> : tensor<2x1x1x1xf32>} : () -> (tensor<2x1x1x1xf32>)
  %b = "core.conv"(%x, %c2) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], groups = 2, x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> (tensor<1x2x4x4xf32>)
  %y = "core.add"(%a, %b) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x4x4xf32>):
  %1 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2, 1, 3, 3], [2, 1, 3, 3], \"add\", [], [dense<0.5> : tensor<2x1x3x3xf32>, #mlconv.derived<\"[f32, [2, 1, 3, 3], [2, 1, 3, 3], \\\"pad\\\", [[0, 0], [0, 0], [1, 1], [1, 1]], [dense<[[[[2.0]]], [[[4.0]]]]> : tensor<2x1x1x1xf32>]]\">]]">} : () -> (tensor<2x1x3x3xf32>)
  %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 2, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x4x4xf32>, tensor<2x1x3x3xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%2) : (tensor<1x2x4x4xf32>) -> ()

// -----
// CASE: softmax over two branches is the logistic function of differences, which weights and bias take
// RUN: fold-batch-norm
^bb(%x: tensor<?x3x1x1xf32, {dims = ["b", "3", "1", "1"]}>):
  %w = "core.constant"() {value = dense<[[[[1.0]], [[2.0]], [[3.0]]], [[[4.0]], [[5.0]], [[6.0]]], [[[0.5]], [[0.5]], [[0.5]]], [[[1.0]], [[1.0]], [[1.0]]]]> : tensor<4x3x1x1xf32>} : () -> (tensor<4x3x1x1xf32>)
  %b = "core.constant"() {value = dense<[1.0, 2.0, 3.0, 5.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %c = "core.conv"(%x, %w, %b) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01"} : (tensor<?x3x1x1xf32, {dims = ["b", "3", "1", "1"]}>, tensor<4x3x1x1xf32>, tensor<4xf32>) -> (tensor<?x4x1x1xf32, {dims = ["b", "4", "1", "1"]}>)
  %n = "core.constant"() {value = dense<[-1, 2, 2, 1, 1]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %r = "core.reshape"(%c, %n) : (tensor<?x4x1x1xf32, {dims = ["b", "4", "1", "1"]}>, tensor<5xi64>) -> (tensor<?x2x2x1x1xf32, {dims = ["b", "2", "2", "1", "1"]}>)
  %y = "core.softmax"(%r) {axis = 1} : (tensor<?x2x2x1x1xf32, {dims = ["b", "2", "2", "1", "1"]}>) -> (tensor<?x2x2x1x1xf32, {dims = ["b", "2", "2", "1", "1"]}>)
  "mlconv.yield"(%y) : (tensor<?x2x2x1x1xf32, {dims = ["b", "2", "2", "1", "1"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3x1x1xf32, {dims = ["b", "3", "1", "1"]}>):
  %1 = "core.constant"() {"value" = dense<[-1, 2, 2, 1, 1]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %2 = "core.constant"() {"value" = #mlconv.derived<"[f32, [4, 3, 1, 1], [1, 2, 2, 3, 1, 1], \"sub\", [], [dense<[[[[[[1.0]], [[2.0]], [[3.0]]], [[[4.0]], [[5.0]], [[6.0]]]], [[[[0.5]], [[0.5]], [[0.5]]], [[[1.0]], [[1.0]], [[1.0]]]]]]> : tensor<1x2x2x3x1x1xf32>, #mlconv.derived<\"[f32, [1, 2, 2, 3, 1, 1], [1, 2, 2, 3, 1, 1], \\\"flip\\\", [1], [dense<[[[[[[1.0]], [[2.0]], [[3.0]]], [[[4.0]], [[5.0]], [[6.0]]]], [[[[0.5]], [[0.5]], [[0.5]]], [[[1.0]], [[1.0]], [[1.0]]]]]]> : tensor<1x2x2x3x1x1xf32>]]\">]]">} : () -> (tensor<4x3x1x1xf32>)
  %3 = "core.constant"() {"value" = #mlconv.derived<"[f32, [4], [1, 2, 2], \"sub\", [], [dense<[[[1.0, 2.0], [3.0, 5.0]]]> : tensor<1x2x2xf32>, #mlconv.derived<\"[f32, [1, 2, 2], [1, 2, 2], \\\"flip\\\", [1], [dense<[[[1.0, 2.0], [3.0, 5.0]]]> : tensor<1x2x2xf32>]]\">]]">} : () -> (tensor<4xf32>)
  %4 = "core.conv"(%0, %2, %3) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01"} : (tensor<?x3x1x1xf32, {dims = ["b", "3", "1", "1"]}>, tensor<4x3x1x1xf32>, tensor<4xf32>) -> (tensor<?x4x1x1xf32, {dims = ["b", "4", "1", "1"]}>)
  %5 = "core.reshape"(%4, %1) : (tensor<?x4x1x1xf32, {dims = ["b", "4", "1", "1"]}>, tensor<5xi64>) -> (tensor<?x2x2x1x1xf32, {dims = ["b", "2", "2", "1", "1"]}>)
  %6 = "core.sigmoid"(%5) : (tensor<?x2x2x1x1xf32, {dims = ["b", "2", "2", "1", "1"]}>) -> (tensor<?x2x2x1x1xf32, {dims = ["b", "2", "2", "1", "1"]}>)
  "mlconv.yield"(%6) : (tensor<?x2x2x1x1xf32, {dims = ["b", "2", "2", "1", "1"]}>) -> ()

// -----
// CASE: softmax over two neighbours among columns, with a transpose between
// RUN: fold-batch-norm
^bb(%x: tensor<5x3xf32>):
  %w = "core.constant"() {value = dense<[[1.0, 2.0, 3.0, 5.0], [0.0, 1.0, 0.0, 1.0], [4.0, 2.0, 4.0, 2.0]]> : tensor<3x4xf32>} : () -> (tensor<3x4xf32>)
  %m = "core.matmul"(%x, %w) : (tensor<5x3xf32>, tensor<3x4xf32>) -> (tensor<5x4xf32>)
  %n = "core.constant"() {value = dense<[5, 2, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %r = "core.reshape"(%m, %n) : (tensor<5x4xf32>, tensor<3xi64>) -> (tensor<5x2x2xf32>)
  %t = "core.transpose"(%r) {perm = [2, 0, 1]} : (tensor<5x2x2xf32>) -> (tensor<2x5x2xf32>)
  %y = "core.softmax"(%t) {axis = 0} : (tensor<2x5x2xf32>) -> (tensor<2x5x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x5x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x3xf32>):
  %1 = "core.constant"() {"value" = dense<[5, 2, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = #mlconv.derived<"[f32, [3, 4], [3, 2, 2, 1], \"sub\", [], [dense<[[[[1.0], [2.0]], [[3.0], [5.0]]], [[[0.0], [1.0]], [[0.0], [1.0]]], [[[4.0], [2.0]], [[4.0], [2.0]]]]> : tensor<3x2x2x1xf32>, #mlconv.derived<\"[f32, [3, 2, 2, 1], [3, 2, 2, 1], \\\"flip\\\", [2], [dense<[[[[1.0], [2.0]], [[3.0], [5.0]]], [[[0.0], [1.0]], [[0.0], [1.0]]], [[[4.0], [2.0]], [[4.0], [2.0]]]]> : tensor<3x2x2x1xf32>]]\">]]">} : () -> (tensor<3x4xf32>)
  %3 = "core.matmul"(%0, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<5x3xf32>, tensor<3x4xf32>) -> (tensor<5x4xf32>)
  %4 = "core.reshape"(%3, %1) : (tensor<5x4xf32>, tensor<3xi64>) -> (tensor<5x2x2xf32>)
  %5 = "core.transpose"(%4) {"perm" = [2, 0, 1]} : (tensor<5x2x2xf32>) -> (tensor<2x5x2xf32>)
  %6 = "core.sigmoid"(%5) : (tensor<2x5x2xf32>) -> (tensor<2x5x2xf32>)
  "mlconv.yield"(%6) : (tensor<2x5x2xf32>) -> ()

// -----
// CASE: softmax over two rows of a product, or over weights that another product reads, stays
// RUN: fold-batch-norm
^bb(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<3x4xf32>} : () -> (tensor<3x4xf32>)
  %m = "core.matmul"(%x, %w) : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  %y = "core.softmax"(%m) {axis = 0} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x3xf32>):
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<3x4xf32>} : () -> (tensor<3x4xf32>)
  %3 = "core.matmul"(%0, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  %4 = "core.softmax"(%3) {"axis" = 0} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%4) : (tensor<2x4xf32>) -> ()

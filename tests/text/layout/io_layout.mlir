// CASE: an image goes in and out with channels last
// RUN: layout,io-layout
^bb(%x: tensor<1x3x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x3x4x4xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x2x4x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x4xf32>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<1x4x4x3xf32>):
    %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
    %2 = "core.conv"(%0, %1) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x3xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x4x4x2xf32>)
    "mlconv.yield"(%2) : (tensor<1x4x4x2xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "io_layout" = #fact.layout<inputs = {"x" = [0, 2, 3, 1]}, outputs = {"y0" = [0, 2, 3, 1]}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: an input with two uses keeps its shape
// RUN: layout,io-layout
^bb(%x: tensor<1x3x4x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
  %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x3x4x4xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x2x4x4xf32>)
  %z = "core.neg"(%x) : (tensor<1x3x4x4xf32>) -> (tensor<1x3x4x4xf32>)
  "mlconv.yield"(%y, %z) : (tensor<1x2x4x4xf32>, tensor<1x3x4x4xf32>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<1x3x4x4xf32>):
    %1 = "core.constant"() {"value" = dense<0.5> : tensor<2x3x3x3xf32>} : () -> (tensor<2x3x3x3xf32>)
    %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x3x4x4xf32>) -> (tensor<1x4x4x3xf32>)
    %3 = "core.conv"(%2, %1) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x4x4x3xf32>, tensor<2x3x3x3xf32>) -> (tensor<1x4x4x2xf32>)
    %4 = "core.neg"(%0) : (tensor<1x3x4x4xf32>) -> (tensor<1x3x4x4xf32>)
    "mlconv.yield"(%3, %4) : (tensor<1x4x4x2xf32>, tensor<1x3x4x4xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0", "y1"], "signature" = "serving_default", "io_layout" = #fact.layout<inputs = {}, outputs = {"y0" = [0, 2, 3, 1]}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a transpose of a matrix is not one of images
// RUN: layout,io-layout
^bb(%x: tensor<2x3xf32>):
  %y = "core.transpose"(%x) {perm = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%1) : (tensor<3x2xf32>) -> ()

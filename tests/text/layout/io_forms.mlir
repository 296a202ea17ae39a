// CASE: an image goes in and out with channels last
// RUN: io-forms{layouts="{\"x\": \"nchw:nhwc\", \"y0\": \"nchw:nhwc\"}"}
^bb(%x: tensor<1x3x4x5xf32>):
  %y = "core.neg"(%x) : (tensor<1x3x4x5xf32>) -> (tensor<1x3x4x5xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x4x5xf32>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<1x4x5x3xf32>):
    %1 = "core.transpose"(%0) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x5x3xf32>) -> (tensor<1x3x4x5xf32>)
    %2 = "core.neg"(%1) : (tensor<1x3x4x5xf32>) -> (tensor<1x3x4x5xf32>)
    %3 = "core.transpose"(%2) {"perm" = [0, 2, 3, 1]} : (tensor<1x3x4x5xf32>) -> (tensor<1x4x5x3xf32>)
    "mlconv.yield"(%3) : (tensor<1x4x5x3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "forms" = #fact.forms<inputs = {"x" = #fact.input_form<perm = [0, 2, 3, 1]>}, outputs = {"y0" = [0, 2, 3, 1]}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: pixels with channels last are normalized as the source takes them
// RUN: io-forms{layouts="{\"x\": \"nchw:nhwc\"}",means="{\"x\": \"3\"}",stds="{\"x\": \"2,4\"}",types="{\"x\": \"uint8\"}"}
^bb(%x: tensor<1x2x4x5xf32>):
  %y = "core.neg"(%x) : (tensor<1x2x4x5xf32>) -> (tensor<1x2x4x5xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x5xf32>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<1x4x5x2xui8>):
    %1 = "core.cast"(%0) {"dtype" = f32, "saturate" = false} : (tensor<1x4x5x2xui8>) -> (tensor<1x4x5x2xf32>)
    %2 = "core.constant"() {"value" = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
    %3 = "core.sub"(%1, %2) : (tensor<1x4x5x2xf32>, tensor<f32>) -> (tensor<1x4x5x2xf32>)
    %4 = "core.constant"() {"value" = dense<[[[[0.5, 0.25]]]]> : tensor<1x1x1x2xf32>} : () -> (tensor<1x1x1x2xf32>)
    %5 = "core.mul"(%3, %4) : (tensor<1x4x5x2xf32>, tensor<1x1x1x2xf32>) -> (tensor<1x4x5x2xf32>)
    %6 = "core.transpose"(%5) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x5x2xf32>) -> (tensor<1x2x4x5xf32>)
    %7 = "core.neg"(%6) : (tensor<1x2x4x5xf32>) -> (tensor<1x2x4x5xf32>)
    "mlconv.yield"(%7) : (tensor<1x2x4x5xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "forms" = #fact.forms<inputs = {"x" = #fact.input_form<perm = [0, 2, 3, 1], mean = [3.0 : f64], std = [2.0 : f64, 4.0 : f64], axis = 1, dtype = f32>}, outputs = {}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: what normalizes an input goes into a convolution without padding
// RUN: io-forms{layouts="{\"x\": \"nchw:nhwc\"}",means="{\"x\": \"3\"}",stds="{\"x\": \"2,4\"}",types="{\"x\": \"uint8\"}"},fold-batch-norm
^bb(%x: tensor<1x2x4x5xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<2x2x1x1xf32>} : () -> (tensor<2x2x1x1xf32>)
  %y = "core.conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x5xf32>, tensor<2x2x1x1xf32>) -> (tensor<1x2x4x5xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x5xf32>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<1x4x5x2xui8>):
    %1 = "core.cast"(%0) {"dtype" = f32, "saturate" = false} : (tensor<1x4x5x2xui8>) -> (tensor<1x4x5x2xf32>)
    %2 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2, 2, 1, 1], [2, 2, 1, 1], \"mul\", [], [dense<0.5> : tensor<2x2x1x1xf32>, dense<[[[[0.5]], [[0.25]]]]> : tensor<1x2x1x1xf32>]]">} : () -> (tensor<2x2x1x1xf32>)
    %3 = "core.transpose"(%1) {"perm" = [0, 3, 1, 2]} : (tensor<1x4x5x2xf32>) -> (tensor<1x2x4x5xf32>)
    %4 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2], [1, 2], \"combine\", [[-3.0 : f64, -3.0 : f64]], [#mlconv.derived<\"[f32, [2, 2], [2, 1, 1, 2], \\\"transpose\\\", [1, 2, 3, 0], [#mlconv.derived<\\\"[f32, [2, 2, 1, 1], [2, 2, 1, 1], \\\\\\\"mul\\\\\\\", [], [dense<0.5> : tensor<2x2x1x1xf32>, dense<[[[[0.5]], [[0.25]]]]> : tensor<1x2x1x1xf32>]]\\\">]]\">]]">} : () -> (tensor<2xf32>)
    %5 = "core.conv"(%3, %2, %4) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01"} : (tensor<1x2x4x5xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> (tensor<1x2x4x5xf32>)
    "mlconv.yield"(%5) : (tensor<1x2x4x5xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "forms" = #fact.forms<inputs = {"x" = #fact.input_form<perm = [0, 2, 3, 1], mean = [3.0 : f64], std = [2.0 : f64, 4.0 : f64], axis = 1, dtype = f32>}, outputs = {}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a scale goes into a padded convolution, a shift does not
// RUN: io-forms{means="{\"x\": \"3\"}",stds="{\"x\": \"2\"}"},fold-batch-norm
^bb(%x: tensor<1x2x4x5xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<2x2x3x3xf32>} : () -> (tensor<2x2x3x3xf32>)
  %y = "core.conv"(%x, %w) {strides = [1, 1], pads = [[1, 1], [1, 1]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x2x4x5xf32>, tensor<2x2x3x3xf32>) -> (tensor<1x2x4x5xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x4x5xf32>) -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<1x2x4x5xf32>):
    %1 = "core.constant"() {"value" = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
    %2 = "core.sub"(%0, %1) : (tensor<1x2x4x5xf32>, tensor<f32>) -> (tensor<1x2x4x5xf32>)
    %3 = "core.constant"() {"value" = #mlconv.derived<"[f32, [2, 2, 3, 3], [2, 2, 3, 3], \"mul\", [], [dense<0.5> : tensor<2x2x3x3xf32>, dense<[[[[0.5]]]]> : tensor<1x1x1x1xf32>]]">} : () -> (tensor<2x2x3x3xf32>)
    %4 = "core.conv"(%2, %3) {"strides" = [1, 1], "pads" = [[1, 1], [1, 1]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "NC01", "w_layout" = "OI01", "y_layout" = "NC01", "mlconv.absent" = [2]} : (tensor<1x2x4x5xf32>, tensor<2x2x3x3xf32>) -> (tensor<1x2x4x5xf32>)
    "mlconv.yield"(%4) : (tensor<1x2x4x5xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0"], "signature" = "serving_default", "forms" = #fact.forms<inputs = {"x" = #fact.input_form<mean = [3.0 : f64], std = [2.0 : f64]>}, outputs = {}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

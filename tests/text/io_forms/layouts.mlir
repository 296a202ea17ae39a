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

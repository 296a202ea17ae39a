// CASE: a size with a range is an input, and goes out with the results
// RUN: to-hlo
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
    %y = "core.neg"(%x) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<?x3xf32, {dims = ["N", "3"]}>)
    "mlconv.yield"(%y) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], "where" = ["1 <= N <= 8"]} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<8x3xf32>, %1: tensor<i32>):
    %2 = "hlo.reshape"(%1) {"op_type" = ""} : (tensor<i32>) -> (tensor<1xi32>)
    %3 = "core.constant"() {"value" = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %4 = "hlo.concatenate"(%2, %3) {"op_type" = "", "dimensions" = [0]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
    %5 = "hlo.negate"(%0) {"op_type" = "core.neg"} : (tensor<8x3xf32>) -> (tensor<8x3xf32>)
    "mlconv.yield"(%5, %4) : (tensor<8x3xf32>, tensor<2xi32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "N"], "output_names" = ["y0", "y0.shape"], "signature" = "serving_default", "where" = ["1 <= N <= 8"], "sizes" = #fact.entry<inputs = ["x"], outputs = ["y0"], sizes = [#fact.size<name = "N", low = 1, high = 8>], shapes = {"x" = [#mlconv.dim<"N">, 3], "y0" = [#mlconv.dim<"N">, 3]}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a sum over it is told the size
// RUN: to-hlo
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
    %y = "core.reduce_sum"(%x) {axes = [0]} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<3xf32>)
    "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], "where" = ["1 <= N <= 8"]} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<8x3xf32>, %1: tensor<i32>):
    %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %3 = "hlo.set-dimension-size"(%0, %1) {"dimensions" = [0], "op_type" = "core.reduce_sum"} : (tensor<8x3xf32>, tensor<i32>) -> (tensor<?x3xf32, {dims = ["<=8", "3"]}>)
    %4 = "hlo.reduce"(%3, %2) ({
    ^bb(%5: tensor<f32>, %6: tensor<f32>):
      %7 = "hlo.add"(%5, %6) {"op_type" = "core.reduce_sum"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
      "mlconv.yield"(%7) : (tensor<f32>) -> ()
    }) {"dimensions" = [0], "op_type" = "core.reduce_sum"} : (tensor<?x3xf32, {dims = ["<=8", "3"]}>, tensor<f32>) -> (tensor<3xf32>)
    "mlconv.yield"(%4) : (tensor<3xf32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "N"], "output_names" = ["y0"], "signature" = "serving_default", "where" = ["1 <= N <= 8"], "sizes" = #fact.entry<inputs = ["x"], outputs = ["y0"], sizes = [#fact.size<name = "N", low = 1, high = 8>], shapes = {"x" = [#mlconv.dim<"N">, 3]}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a softmax along another axis needs no mask
// RUN: to-hlo
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
    %y = "core.softmax"(%x) {axis = 1} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<?x3xf32, {dims = ["N", "3"]}>)
    "mlconv.yield"(%y) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], "where" = ["1 <= N <= 8"]} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<8x3xf32>, %1: tensor<i32>):
    %2 = "hlo.reshape"(%1) {"op_type" = ""} : (tensor<i32>) -> (tensor<1xi32>)
    %3 = "core.constant"() {"value" = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %4 = "hlo.concatenate"(%2, %3) {"op_type" = "", "dimensions" = [0]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
    %5 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
    %6 = "hlo.reduce"(%0, %5) ({
    ^bb(%7: tensor<f32>, %8: tensor<f32>):
      %9 = "hlo.maximum"(%7, %8) {"op_type" = "core.reduce_max"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
      "mlconv.yield"(%9) : (tensor<f32>) -> ()
    }) {"dimensions" = [1], "op_type" = "core.reduce_max"} : (tensor<8x3xf32>, tensor<f32>) -> (tensor<8xf32>)
    %10 = "hlo.reshape"(%6) {"op_type" = "core.reduce_max"} : (tensor<8xf32>) -> (tensor<8x1xf32>)
    %11 = "hlo.reshape"(%10) {"op_type" = "core.softmax"} : (tensor<8x1xf32>) -> (tensor<8xf32>)
    %12 = "hlo.broadcast"(%11) {"dimensions" = [0], "op_type" = "core.softmax"} : (tensor<8xf32>) -> (tensor<8x3xf32>)
    %13 = "hlo.subtract"(%0, %12) {"op_type" = "core.softmax"} : (tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<8x3xf32>)
    %14 = "hlo.exponential"(%13) {"op_type" = "core.softmax"} : (tensor<8x3xf32>) -> (tensor<8x3xf32>)
    %15 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %16 = "hlo.reduce"(%14, %15) ({
    ^bb(%17: tensor<f32>, %18: tensor<f32>):
      %19 = "hlo.add"(%17, %18) {"op_type" = "core.reduce_sum"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
      "mlconv.yield"(%19) : (tensor<f32>) -> ()
    }) {"dimensions" = [1], "op_type" = "core.reduce_sum"} : (tensor<8x3xf32>, tensor<f32>) -> (tensor<8xf32>)
    %20 = "hlo.reshape"(%16) {"op_type" = "core.reduce_sum"} : (tensor<8xf32>) -> (tensor<8x1xf32>)
    %21 = "hlo.reshape"(%20) {"op_type" = "core.softmax"} : (tensor<8x1xf32>) -> (tensor<8xf32>)
    %22 = "hlo.broadcast"(%21) {"dimensions" = [0], "op_type" = "core.softmax"} : (tensor<8xf32>) -> (tensor<8x3xf32>)
    %23 = "hlo.divide"(%14, %22) {"op_type" = "core.softmax"} : (tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<8x3xf32>)
    "mlconv.yield"(%23, %4) : (tensor<8x3xf32>, tensor<2xi32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "N"], "output_names" = ["y0", "y0.shape"], "signature" = "serving_default", "where" = ["1 <= N <= 8"], "sizes" = #fact.entry<inputs = ["x"], outputs = ["y0"], sizes = [#fact.size<name = "N", low = 1, high = 8>], shapes = {"x" = [#mlconv.dim<"N">, 3], "y0" = [#mlconv.dim<"N">, 3]}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a running sum over it from behind is refused
// RUN: to-hlo
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
    %y = "core.cumsum"(%x) {axis = 0, reverse = true} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<?x3xf32, {dims = ["N", "3"]}>)
    "mlconv.yield"(%y) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], "where" = ["1 <= N <= 8"]} : () -> ()
}) : () -> ()
// DIAGNOSTICS
error[MLC0401]: core.cumsum over the size N goes backwards along it
  = node: y  core.cumsum (float32[8,3])
  = help: pin the size with --shape NAME=D,D,...

// -----
// CASE: a size without a range beside it is refused
// RUN: to-hlo
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>, %w: tensor<?x3xf32, {dims = ["M", "3"]}>):
    %y = "core.add"(%x, %w) : (tensor<?x3xf32, {dims = ["N", "3"]}>, tensor<?x3xf32, {dims = ["M", "3"]}>) -> (tensor<?x3xf32, {dims = ["max(M, N)", "3"]}>)
    "mlconv.yield"(%y) : (tensor<?x3xf32, {dims = ["max(M, N)", "3"]}>) -> ()
  }) {sym_name = "main", input_names = ["x", "w"], output_names = ["y0"], "where" = ["1 <= N <= 8"]} : () -> ()
}) : () -> ()
// DIAGNOSTICS
error[MLC0203]: input w is float32[M,3]: HLO needs sizes, or a range for M
  = node: w  input (float32[M,3])
  = help: pin it with --shape w=1,3 or give a range with --shape w=1..32,3

// -----
// CASE: a reshape that mixes it with another size is refused
// RUN: to-hlo
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
    %c1 = "core.constant"() {value = dense<[3, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %y = "core.reshape"(%x, %c1) : (tensor<?x3xf32, {dims = ["N", "3"]}>, tensor<2xi64>) -> (tensor<3x?xf32, {dims = ["3", "N"]}>)
    "mlconv.yield"(%y) : (tensor<3x?xf32, {dims = ["3", "N"]}>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], "where" = ["1 <= N <= 8"]} : () -> ()
}) : () -> ()
// DIAGNOSTICS
error[MLC0401]: core.reshape over a size with a range: reshape from [N, 3] to [3, 8] does not come out even
  = node: y  hlo.reshape (float32[8,3])
  = help: pin the size with --shape NAME=D,D,...

// -----
// CASE: a convolution over a batch of it
// RUN: to-hlo
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<?x4x4x2xf32, {dims = ["N", "4", "4", "2"]}>):
    %c1 = "core.constant"() {value = dense<0.5> : tensor<1x1x2x1xf32>} : () -> (tensor<1x1x2x1xf32>)
    %y = "core.conv"(%x, %c1) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], mlconv.absent = [2]} : (tensor<?x4x4x2xf32, {dims = ["N", "4", "4", "2"]}>, tensor<1x1x2x1xf32>) -> (tensor<?x4x4x1xf32, {dims = ["N", "4", "4", "1"]}>)
    "mlconv.yield"(%y) : (tensor<?x4x4x1xf32, {dims = ["N", "4", "4", "1"]}>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"], "where" = ["1 <= N <= 8"]} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<8x4x4x2xf32>, %1: tensor<i32>):
    %2 = "hlo.reshape"(%1) {"op_type" = ""} : (tensor<i32>) -> (tensor<1xi32>)
    %3 = "core.constant"() {"value" = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %4 = "core.constant"() {"value" = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %6 = "hlo.concatenate"(%2, %3, %4, %5) {"op_type" = "", "dimensions" = [0]} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<4xi32>)
    %7 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
    %8 = "hlo.broadcast"(%7) {"dimensions" = [], "op_type" = "core.constant"} : (tensor<f32>) -> (tensor<1x1x2x1xf32>)
    %9 = "hlo.convolution"(%0, %8) {"window" = [[1, 1, 0, 0, 1, 1], [1, 1, 0, 0, 1, 1]], "groups" = 1, "x_layout" = "N01C", "w_layout" = "01IO", "y_layout" = "N01C", "op_type" = "core.conv"} : (tensor<8x4x4x2xf32>, tensor<1x1x2x1xf32>) -> (tensor<8x4x4x1xf32>)
    "mlconv.yield"(%9, %6) : (tensor<8x4x4x1xf32>, tensor<4xi32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "N"], "output_names" = ["y0", "y0.shape"], "signature" = "serving_default", "where" = ["1 <= N <= 8"], "sizes" = #fact.entry<inputs = ["x"], outputs = ["y0"], sizes = [#fact.size<name = "N", low = 1, high = 8>], shapes = {"x" = [#mlconv.dim<"N">, 4, 4, 2], "y0" = [#mlconv.dim<"N">, 4, 4, 1]}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

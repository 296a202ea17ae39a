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
    %3 = "hlo.iota"() {"dimensions" = [0], "op_type" = "core.reduce_sum"} : () -> (tensor<8x3xi32>)
    %4 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.reduce_sum"} : (tensor<i32>) -> (tensor<8x3xi32>)
    %5 = "hlo.compare"(%3, %4) {"direction" = "LT", "op_type" = "core.reduce_sum"} : (tensor<8x3xi32>, tensor<8x3xi32>) -> (tensor<8x3xi1>)
    %6 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.reduce_sum"} : (tensor<f32>) -> (tensor<8x3xf32>)
    %7 = "hlo.select"(%5, %0, %6) {"op_type" = "core.reduce_sum"} : (tensor<8x3xi1>, tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<8x3xf32>)
    %8 = "hlo.reduce"(%7, %2) ({
    ^bb(%9: tensor<f32>, %10: tensor<f32>):
      %11 = "hlo.add"(%9, %10) {"op_type" = "core.reduce_sum"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
      "mlconv.yield"(%11) : (tensor<f32>) -> ()
    }) {"dimensions" = [0], "op_type" = "core.reduce_sum"} : (tensor<8x3xf32>, tensor<f32>) -> (tensor<3xf32>)
    "mlconv.yield"(%8) : (tensor<3xf32>) -> ()
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
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<8x3xf32>, %1: tensor<i32>):
    %2 = "hlo.reshape"(%1) {"op_type" = ""} : (tensor<i32>) -> (tensor<1xi32>)
    %3 = "core.constant"() {"value" = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %4 = "hlo.concatenate"(%2, %3) {"op_type" = "", "dimensions" = [0]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
    %5 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
    %6 = "hlo.iota"() {"dimensions" = [0], "op_type" = "core.cumsum"} : () -> (tensor<8x3xi32>)
    %7 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.cumsum"} : (tensor<i32>) -> (tensor<8x3xi32>)
    %8 = "hlo.compare"(%6, %7) {"direction" = "LT", "op_type" = "core.cumsum"} : (tensor<8x3xi32>, tensor<8x3xi32>) -> (tensor<8x3xi1>)
    %9 = "hlo.broadcast"(%5) {"dimensions" = [], "op_type" = "core.cumsum"} : (tensor<f32>) -> (tensor<8x3xf32>)
    %10 = "hlo.select"(%8, %0, %9) {"op_type" = "core.cumsum"} : (tensor<8x3xi1>, tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<8x3xf32>)
    %11 = "hlo.pad"(%10, %5) {"padding" = [[-1, 1, 0], [0, 0, 0]], "op_type" = "core.cumsum"} : (tensor<8x3xf32>, tensor<f32>) -> (tensor<8x3xf32>)
    %12 = "hlo.add"(%10, %11) {"op_type" = "core.cumsum"} : (tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<8x3xf32>)
    %13 = "hlo.pad"(%12, %5) {"padding" = [[-2, 2, 0], [0, 0, 0]], "op_type" = "core.cumsum"} : (tensor<8x3xf32>, tensor<f32>) -> (tensor<8x3xf32>)
    %14 = "hlo.add"(%12, %13) {"op_type" = "core.cumsum"} : (tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<8x3xf32>)
    %15 = "hlo.pad"(%14, %5) {"padding" = [[-4, 4, 0], [0, 0, 0]], "op_type" = "core.cumsum"} : (tensor<8x3xf32>, tensor<f32>) -> (tensor<8x3xf32>)
    %16 = "hlo.add"(%14, %15) {"op_type" = "core.cumsum"} : (tensor<8x3xf32>, tensor<8x3xf32>) -> (tensor<8x3xf32>)
    "mlconv.yield"(%16, %4) : (tensor<8x3xf32>, tensor<2xi32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "N"], "output_names" = ["y0", "y0.shape"], "signature" = "serving_default", "where" = ["1 <= N <= 8"], "sizes" = #fact.entry<inputs = ["x"], outputs = ["y0"], sizes = [#fact.size<name = "N", low = 1, high = 8>], shapes = {"x" = [#mlconv.dim<"N">, 3], "y0" = [#mlconv.dim<"N">, 3]}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

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
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<8x3xf32>, %1: tensor<i32>):
    %2 = "core.constant"() {"value" = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %3 = "hlo.reshape"(%1) {"op_type" = ""} : (tensor<i32>) -> (tensor<1xi32>)
    %4 = "hlo.concatenate"(%2, %3) {"op_type" = "", "dimensions" = [0]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
    %5 = "hlo.reshape"(%0) {"op_type" = "core.reshape"} : (tensor<8x3xf32>) -> (tensor<24x1xf32>)
    %6 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %7 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
    %8 = "hlo.iota"() {"dimensions" = [1], "op_type" = "core.reshape"} : () -> (tensor<3x8xi32>)
    %9 = "hlo.broadcast"(%7) {"dimensions" = [], "op_type" = "core.reshape"} : (tensor<i32>) -> (tensor<3x8xi32>)
    %10 = "hlo.multiply"(%8, %9) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %11 = "hlo.broadcast"(%6) {"dimensions" = [], "op_type" = "core.reshape"} : (tensor<i32>) -> (tensor<3x8xi32>)
    %12 = "hlo.add"(%11, %10) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %13 = "hlo.multiply"(%7, %1) {"op_type" = "core.reshape"} : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %14 = "hlo.iota"() {"dimensions" = [0], "op_type" = "core.reshape"} : () -> (tensor<3x8xi32>)
    %15 = "hlo.broadcast"(%13) {"dimensions" = [], "op_type" = "core.reshape"} : (tensor<i32>) -> (tensor<3x8xi32>)
    %16 = "hlo.multiply"(%14, %15) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %17 = "hlo.add"(%12, %16) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %18 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i32>">} : () -> (tensor<i32>)
    %19 = "hlo.multiply"(%13, %18) {"op_type" = "core.reshape"} : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %20 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %21 = "hlo.broadcast"(%20) {"dimensions" = [], "op_type" = "core.reshape"} : (tensor<i32>) -> (tensor<3x8xi32>)
    %22 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i32>">} : () -> (tensor<i32>)
    %23 = "hlo.broadcast"(%22) {"dimensions" = [], "op_type" = "core.reshape"} : (tensor<i32>) -> (tensor<3x8xi32>)
    %24 = "hlo.remainder"(%17, %23) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %25 = "hlo.broadcast"(%22) {"dimensions" = [], "op_type" = "core.reshape"} : (tensor<i32>) -> (tensor<3x8xi32>)
    %26 = "hlo.divide"(%17, %25) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %27 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
    %28 = "hlo.broadcast"(%27) {"dimensions" = [], "op_type" = "core.reshape"} : (tensor<i32>) -> (tensor<3x8xi32>)
    %29 = "hlo.multiply"(%24, %28) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %30 = "hlo.add"(%21, %29) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %31 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.reshape"} : (tensor<i32>) -> (tensor<3x8xi32>)
    %32 = "hlo.divide"(%26, %31) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %33 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i32>">} : () -> (tensor<i32>)
    %34 = "hlo.broadcast"(%33) {"dimensions" = [], "op_type" = "core.reshape"} : (tensor<i32>) -> (tensor<3x8xi32>)
    %35 = "hlo.multiply"(%26, %34) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %36 = "hlo.add"(%30, %35) {"op_type" = "core.reshape"} : (tensor<3x8xi32>, tensor<3x8xi32>) -> (tensor<3x8xi32>)
    %37 = "hlo.gather"(%5, %36) {"offset_dims" = [2], "collapsed_slice_dims" = [0], "start_index_map" = [0], "operand_batching_dims" = [], "start_indices_batching_dims" = [], "index_vector_dim" = 2, "slice_sizes" = [1, 1], "op_type" = "core.reshape"} : (tensor<24x1xf32>, tensor<3x8xi32>) -> (tensor<3x8x1xf32>)
    %38 = "hlo.reshape"(%37) {"op_type" = "core.reshape"} : (tensor<3x8x1xf32>) -> (tensor<3x8xf32>)
    "mlconv.yield"(%38, %4) : (tensor<3x8xf32>, tensor<2xi32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "N"], "output_names" = ["y0", "y0.shape"], "signature" = "serving_default", "where" = ["1 <= N <= 8"], "sizes" = #fact.entry<inputs = ["x"], outputs = ["y0"], sizes = [#fact.size<name = "N", low = 1, high = 8>], shapes = {"x" = [#mlconv.dim<"N">, 3], "y0" = [3, #mlconv.dim<"N">]}>} : () -> ()
}) {mlconv.source = {}} : () -> ()

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

// -----
// CASE: a size that data decide is a scalar behind the op that defines it
// RUN: data-sizes{shapes=false},to-hlo
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<5xi1>):
    %y = "core.nonzero"(%x) : (tensor<5xi1>) -> (tensor<?x1xi64, {dims = ["?1", "1"]}>)
    "mlconv.yield"(%y) : (tensor<?x1xi64, {dims = ["?1", "1"]}>) -> ()
  }) {sym_name = "main", input_names = ["x"], output_names = ["y0"]} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<5xi1>):
    %1 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
    %2 = "hlo.convert"(%0) {"op_type" = "core.cast"} : (tensor<5xi1>) -> (tensor<5xi64>)
    %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
    %4 = "hlo.reduce"(%2, %3) ({
    ^bb(%5: tensor<i64>, %6: tensor<i64>):
      %7 = "hlo.add"(%5, %6) {"op_type" = "core.reduce_sum"} : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
      "mlconv.yield"(%7) : (tensor<i64>) -> ()
    }) {"dimensions" = [0], "op_type" = "core.reduce_sum"} : (tensor<5xi64>, tensor<i64>) -> (tensor<i64>)
    %8 = "hlo.not"(%0) {"op_type" = "core.nonzero"} : (tensor<5xi1>) -> (tensor<5xi1>)
    %9 = "hlo.convert"(%8) {"op_type" = "core.nonzero"} : (tensor<5xi1>) -> (tensor<5xi32>)
    %10 = "hlo.iota"() {"dimensions" = [0], "op_type" = "core.nonzero"} : () -> (tensor<5xi32>)
    %11, %12 = "hlo.sort"(%9, %10) ({
    ^bb(%13: tensor<i32>, %14: tensor<i32>, %15: tensor<i32>, %16: tensor<i32>):
      %17 = "hlo.compare"(%13, %14) {"direction" = "LT", "op_type" = "core.nonzero"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
      "mlconv.yield"(%17) : (tensor<i1>) -> ()
    }) {"dimensions" = [0], "is_stable" = true, "op_type" = "core.nonzero"} : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>)
    %18 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %19 = "hlo.broadcast"(%18) {"dimensions" = [], "op_type" = "core.nonzero"} : (tensor<i32>) -> (tensor<5xi32>)
    %20 = "hlo.compare"(%11, %19) {"direction" = "EQ", "op_type" = "core.nonzero"} : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi1>)
    %21 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %22 = "hlo.broadcast"(%21) {"dimensions" = [], "op_type" = "core.nonzero"} : (tensor<i32>) -> (tensor<5xi32>)
    %23 = "hlo.select"(%20, %12, %22) {"op_type" = "core.nonzero"} : (tensor<5xi1>, tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>)
    %24 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
    %25 = "hlo.broadcast"(%24) {"dimensions" = [], "op_type" = "core.nonzero"} : (tensor<i32>) -> (tensor<5xi32>)
    %26 = "hlo.divide"(%23, %25) {"op_type" = "core.nonzero"} : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>)
    %27 = "core.constant"() {"value" = #mlconv.splat<"dense<5> : tensor<i32>">} : () -> (tensor<i32>)
    %28 = "hlo.broadcast"(%27) {"dimensions" = [], "op_type" = "core.nonzero"} : (tensor<i32>) -> (tensor<5xi32>)
    %29 = "hlo.remainder"(%26, %28) {"op_type" = "core.nonzero"} : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>)
    %30 = "hlo.reshape"(%29) {"op_type" = "core.nonzero"} : (tensor<5xi32>) -> (tensor<5x1xi32>)
    %31 = "hlo.convert"(%30) {"op_type" = "core.nonzero"} : (tensor<5x1xi32>) -> (tensor<5x1xi64>)
    %32 = "hlo.convert"(%4) {"op_type" = "core.define_size"} : (tensor<i64>) -> (tensor<i32>)
    %33 = "hlo.reshape"(%32) {"op_type" = ""} : (tensor<i32>) -> (tensor<1xi32>)
    %34 = "hlo.concatenate"(%33, %1) {"op_type" = "", "dimensions" = [0]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
    %35 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %36 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %37 = "hlo.dynamic-slice"(%31, %35, %36) {"sizes" = [5, 1], "op_type" = "core.slice"} : (tensor<5x1xi64>, tensor<i32>, tensor<i32>) -> (tensor<5x1xi64>)
    "mlconv.yield"(%37, %34) : (tensor<5x1xi64>, tensor<2xi32>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x"], "output_names" = ["y0", "y0.shape"], "signature" = "serving_default", "where" = ["0 <= count0 <= 5"], "sizes" = #fact.entry<inputs = ["x"], outputs = ["y0"], sizes = [], shapes = {"y0" = [#mlconv.dim<"count0">, 1]}, counted = [#fact.size<name = "count0", low = 0, high = 5>]>} : () -> ()
}) {mlconv.source = {}} : () -> ()

// -----
// CASE: a size that is defined, and positions with room for all
// RUN: to-hlo
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%x: tensor<2x3xi1>, %n: tensor<i64>, %r: tensor<6xf32>):
    %y = "core.nonzero"(%x) {padded = true} : (tensor<2x3xi1>) -> (tensor<6x2xi64>)
    %d = "core.define_size"(%n) {symbol = "count0", bound = 6} : (tensor<i64>) -> (tensor<i64>)
    "mlconv.yield"(%y, %d) : (tensor<6x2xi64>, tensor<i64>) -> ()
  }) {sym_name = "main", input_names = ["x", "n", "r"], output_names = ["y0", "d"]} : () -> ()
}) : () -> ()
// EXPECT
"builtin.module"() ({
  "mlconv.func"() ({
  ^bb(%0: tensor<2x3xi1>, %1: tensor<i64>, %2: tensor<6xf32>):
    %3 = "hlo.reshape"(%0) {"op_type" = "core.nonzero"} : (tensor<2x3xi1>) -> (tensor<6xi1>)
    %4 = "hlo.not"(%3) {"op_type" = "core.nonzero"} : (tensor<6xi1>) -> (tensor<6xi1>)
    %5 = "hlo.convert"(%4) {"op_type" = "core.nonzero"} : (tensor<6xi1>) -> (tensor<6xi32>)
    %6 = "hlo.iota"() {"dimensions" = [0], "op_type" = "core.nonzero"} : () -> (tensor<6xi32>)
    %7, %8 = "hlo.sort"(%5, %6) ({
    ^bb(%9: tensor<i32>, %10: tensor<i32>, %11: tensor<i32>, %12: tensor<i32>):
      %13 = "hlo.compare"(%9, %10) {"direction" = "LT", "op_type" = "core.nonzero"} : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
      "mlconv.yield"(%13) : (tensor<i1>) -> ()
    }) {"dimensions" = [0], "is_stable" = true, "op_type" = "core.nonzero"} : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>)
    %14 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %15 = "hlo.broadcast"(%14) {"dimensions" = [], "op_type" = "core.nonzero"} : (tensor<i32>) -> (tensor<6xi32>)
    %16 = "hlo.compare"(%7, %15) {"direction" = "EQ", "op_type" = "core.nonzero"} : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi1>)
    %17 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
    %18 = "hlo.broadcast"(%17) {"dimensions" = [], "op_type" = "core.nonzero"} : (tensor<i32>) -> (tensor<6xi32>)
    %19 = "hlo.select"(%16, %8, %18) {"op_type" = "core.nonzero"} : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>)
    %20 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i32>">} : () -> (tensor<i32>)
    %21 = "hlo.broadcast"(%20) {"dimensions" = [], "op_type" = "core.nonzero"} : (tensor<i32>) -> (tensor<6xi32>)
    %22 = "hlo.divide"(%19, %21) {"op_type" = "core.nonzero"} : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>)
    %23 = "core.constant"() {"value" = #mlconv.splat<"dense<2> : tensor<i32>">} : () -> (tensor<i32>)
    %24 = "hlo.broadcast"(%23) {"dimensions" = [], "op_type" = "core.nonzero"} : (tensor<i32>) -> (tensor<6xi32>)
    %25 = "hlo.remainder"(%22, %24) {"op_type" = "core.nonzero"} : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>)
    %26 = "hlo.reshape"(%25) {"op_type" = "core.nonzero"} : (tensor<6xi32>) -> (tensor<6x1xi32>)
    %27 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
    %28 = "hlo.broadcast"(%27) {"dimensions" = [], "op_type" = "core.nonzero"} : (tensor<i32>) -> (tensor<6xi32>)
    %29 = "hlo.divide"(%19, %28) {"op_type" = "core.nonzero"} : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>)
    %30 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i32>">} : () -> (tensor<i32>)
    %31 = "hlo.broadcast"(%30) {"dimensions" = [], "op_type" = "core.nonzero"} : (tensor<i32>) -> (tensor<6xi32>)
    %32 = "hlo.remainder"(%29, %31) {"op_type" = "core.nonzero"} : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>)
    %33 = "hlo.reshape"(%32) {"op_type" = "core.nonzero"} : (tensor<6xi32>) -> (tensor<6x1xi32>)
    %34 = "hlo.concatenate"(%26, %33) {"dimensions" = [1], "op_type" = "core.nonzero"} : (tensor<6x1xi32>, tensor<6x1xi32>) -> (tensor<6x2xi32>)
    %35 = "hlo.convert"(%34) {"op_type" = "core.nonzero"} : (tensor<6x2xi32>) -> (tensor<6x2xi64>)
    %36 = "hlo.convert"(%1) {"op_type" = "core.define_size"} : (tensor<i64>) -> (tensor<i32>)
    "mlconv.yield"(%35, %1) : (tensor<6x2xi64>, tensor<i64>) -> ()
  }) {"sym_name" = "main", "input_names" = ["x", "n", "r"], "output_names" = ["y0", "d"], "signature" = "serving_default", "sizes" = #fact.entry<inputs = ["x", "n", "r"], outputs = ["y0", "d"], sizes = [], shapes = {}, counted = [#fact.size<name = "count0", low = 0, high = 6>]>} : () -> ()
}) {mlconv.source = {}} : () -> ()

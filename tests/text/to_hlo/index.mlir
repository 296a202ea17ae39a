// CASE: gather has the numbers of its axes
// RUN: to-hlo
^bb(%x: tensor<3x4xf32>, %k: tensor<2xi64>):
  %y = "core.gather"(%x, %k) {axis = 1} : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2xi64>):
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<4> : tensor<i64>">} : () -> (tensor<i64>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %4 = "hlo.broadcast"(%3) {"dimensions" = [], "op_type" = "core.gather"} : (tensor<i64>) -> (tensor<2xi64>)
  %5 = "hlo.compare"(%1, %4) {"direction" = "LT", "op_type" = "core.gather"} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi1>)
  %6 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.gather"} : (tensor<i64>) -> (tensor<2xi64>)
  %7 = "hlo.add"(%1, %6) {"op_type" = "core.gather"} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %8 = "hlo.select"(%5, %7, %1) {"op_type" = "core.gather"} : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %9 = "hlo.gather"(%0, %8) {"offset_dims" = [0], "collapsed_slice_dims" = [1], "start_index_map" = [1], "operand_batching_dims" = [], "start_indices_batching_dims" = [], "index_vector_dim" = 1, "slice_sizes" = [3, 1], "op_type" = "core.gather"} : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%9) : (tensor<3x2xf32>) -> ()

// -----
// CASE: gather of places of two numbers
// RUN: to-hlo
^bb(%x: tensor<3x4xf32>, %k: tensor<2x2xi64>):
  %y = "core.gather_nd"(%x, %k) : (tensor<3x4xf32>, tensor<2x2xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x2xi64>):
  %2 = "core.constant"() {"value" = dense<[3, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %4 = "hlo.broadcast"(%3) {"dimensions" = [], "op_type" = "core.gather_nd"} : (tensor<i64>) -> (tensor<2x2xi64>)
  %5 = "hlo.compare"(%1, %4) {"direction" = "LT", "op_type" = "core.gather_nd"} : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x2xi1>)
  %6 = "hlo.broadcast"(%2) {"dimensions" = [1], "op_type" = "core.gather_nd"} : (tensor<2xi64>) -> (tensor<2x2xi64>)
  %7 = "hlo.add"(%1, %6) {"op_type" = "core.gather_nd"} : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x2xi64>)
  %8 = "hlo.select"(%5, %7, %1) {"op_type" = "core.gather_nd"} : (tensor<2x2xi1>, tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x2xi64>)
  %9 = "hlo.gather"(%0, %8) {"offset_dims" = [], "collapsed_slice_dims" = [0, 1], "start_index_map" = [0, 1], "operand_batching_dims" = [], "start_indices_batching_dims" = [], "index_vector_dim" = 1, "slice_sizes" = [1, 1], "op_type" = "core.gather_nd"} : (tensor<3x4xf32>, tensor<2x2xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%9) : (tensor<2xf32>) -> ()

// -----
// CASE: gather_elements
// RUN: to-hlo
^bb(%x: tensor<3x4xf32>, %k: tensor<2x4xi64>):
  %y = "core.gather_elements"(%x, %k) {axis = 0} : (tensor<3x4xf32>, tensor<2x4xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x4xi64>):
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i64>">} : () -> (tensor<i64>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %4 = "hlo.broadcast"(%3) {"dimensions" = [], "op_type" = "core.gather_elements"} : (tensor<i64>) -> (tensor<2x4xi64>)
  %5 = "hlo.compare"(%1, %4) {"direction" = "LT", "op_type" = "core.gather_elements"} : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x4xi1>)
  %6 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.gather_elements"} : (tensor<i64>) -> (tensor<2x4xi64>)
  %7 = "hlo.add"(%1, %6) {"op_type" = "core.gather_elements"} : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x4xi64>)
  %8 = "hlo.select"(%5, %7, %1) {"op_type" = "core.gather_elements"} : (tensor<2x4xi1>, tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x4xi64>)
  %9 = "hlo.gather"(%0, %8) {"offset_dims" = [], "collapsed_slice_dims" = [0], "start_index_map" = [0], "operand_batching_dims" = [1], "start_indices_batching_dims" = [1], "index_vector_dim" = 2, "slice_sizes" = [1, 1], "op_type" = "core.gather_elements"} : (tensor<3x4xf32>, tensor<2x4xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%9) : (tensor<2x4xf32>) -> ()

// -----
// CASE: scatter with a computation
// RUN: to-hlo
^bb(%x: tensor<4xf32>, %k: tensor<2x1xi64>, %u: tensor<2xf32>):
  %y = "core.scatter_nd"(%x, %k, %u) {reduction = "add"} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<2x1xi64>, %2: tensor<2xf32>):
  %3 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %5 = "hlo.broadcast"(%4) {"dimensions" = [], "op_type" = "core.scatter_nd"} : (tensor<i64>) -> (tensor<2x1xi64>)
  %6 = "hlo.compare"(%1, %5) {"direction" = "LT", "op_type" = "core.scatter_nd"} : (tensor<2x1xi64>, tensor<2x1xi64>) -> (tensor<2x1xi1>)
  %7 = "hlo.broadcast"(%3) {"dimensions" = [1], "op_type" = "core.scatter_nd"} : (tensor<1xi64>) -> (tensor<2x1xi64>)
  %8 = "hlo.add"(%1, %7) {"op_type" = "core.scatter_nd"} : (tensor<2x1xi64>, tensor<2x1xi64>) -> (tensor<2x1xi64>)
  %9 = "hlo.select"(%6, %8, %1) {"op_type" = "core.scatter_nd"} : (tensor<2x1xi1>, tensor<2x1xi64>, tensor<2x1xi64>) -> (tensor<2x1xi64>)
  %10 = "hlo.scatter"(%0, %9, %2) ({
  ^bb(%11: tensor<f32>, %12: tensor<f32>):
    %13 = "hlo.add"(%11, %12) {"op_type" = "core.scatter_nd"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%13) : (tensor<f32>) -> ()
  }) {"update_window_dims" = [], "inserted_window_dims" = [0], "scatter_dims_to_operand_dims" = [0], "index_vector_dim" = 1, "op_type" = "core.scatter_nd"} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%10) : (tensor<4xf32>) -> ()

// -----
// CASE: scatter_elements
// RUN: to-hlo
^bb(%x: tensor<3x4xf32>, %k: tensor<1x4xi64>, %u: tensor<1x4xf32>):
  %y = "core.scatter_elements"(%x, %k, %u) {axis = 0} : (tensor<3x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<1x4xi64>, %2: tensor<1x4xf32>):
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i64>">} : () -> (tensor<i64>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %5 = "hlo.broadcast"(%4) {"dimensions" = [], "op_type" = "core.scatter_elements"} : (tensor<i64>) -> (tensor<1x4xi64>)
  %6 = "hlo.compare"(%1, %5) {"direction" = "LT", "op_type" = "core.scatter_elements"} : (tensor<1x4xi64>, tensor<1x4xi64>) -> (tensor<1x4xi1>)
  %7 = "hlo.broadcast"(%3) {"dimensions" = [], "op_type" = "core.scatter_elements"} : (tensor<i64>) -> (tensor<1x4xi64>)
  %8 = "hlo.add"(%1, %7) {"op_type" = "core.scatter_elements"} : (tensor<1x4xi64>, tensor<1x4xi64>) -> (tensor<1x4xi64>)
  %9 = "hlo.select"(%6, %8, %1) {"op_type" = "core.scatter_elements"} : (tensor<1x4xi1>, tensor<1x4xi64>, tensor<1x4xi64>) -> (tensor<1x4xi64>)
  %10 = "hlo.iota"() {"dimensions" = [1], "op_type" = "core.scatter_elements"} : () -> (tensor<1x4xi64>)
  %11 = "hlo.reshape"(%9) {"op_type" = "core.scatter_elements"} : (tensor<1x4xi64>) -> (tensor<1x4x1xi64>)
  %12 = "hlo.reshape"(%10) {"op_type" = "core.scatter_elements"} : (tensor<1x4xi64>) -> (tensor<1x4x1xi64>)
  %13 = "hlo.concatenate"(%11, %12) {"dimensions" = [2], "op_type" = "core.scatter_elements"} : (tensor<1x4x1xi64>, tensor<1x4x1xi64>) -> (tensor<1x4x2xi64>)
  %14 = "hlo.scatter"(%0, %13, %2) ({
  ^bb(%15: tensor<f32>, %16: tensor<f32>):
    "mlconv.yield"(%16) : (tensor<f32>) -> ()
  }) {"update_window_dims" = [], "inserted_window_dims" = [0, 1], "scatter_dims_to_operand_dims" = [0, 1], "index_vector_dim" = 2, "op_type" = "core.scatter_elements"} : (tensor<3x4xf32>, tensor<1x4x2xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%14) : (tensor<3x4xf32>) -> ()

// -----
// CASE: scatter into zeros
// RUN: to-hlo
^bb(%k: tensor<2x1xi32>, %u: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "core.scatter_fill"(%k, %u, %c1) : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi32>, %1: tensor<2xf32>):
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.scatter_fill"} : (tensor<f32>) -> (tensor<4xf32>)
  %4 = "hlo.scatter"(%3, %0, %1) ({
  ^bb(%5: tensor<f32>, %6: tensor<f32>):
    %7 = "hlo.add"(%5, %6) {"op_type" = "core.scatter_fill"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%7) : (tensor<f32>) -> ()
  }) {"update_window_dims" = [], "inserted_window_dims" = [0], "scatter_dims_to_operand_dims" = [0], "index_vector_dim" = 1, "op_type" = "core.scatter_fill"} : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: a one-hot is a comparison with an iota
// RUN: to-hlo
^bb(%k: tensor<3xi32>):
  %c1 = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.one_hot"(%k, %c1, %c2, %c3) : (tensor<3xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xi32>):
  %1 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "hlo.reshape"(%0) {"op_type" = "core.one_hot"} : (tensor<3xi32>) -> (tensor<3x1xi32>)
  %4 = "hlo.reshape"(%3) {"op_type" = "core.one_hot"} : (tensor<3x1xi32>) -> (tensor<3xi32>)
  %5 = "hlo.broadcast"(%4) {"dimensions" = [0], "op_type" = "core.one_hot"} : (tensor<3xi32>) -> (tensor<3x4xi32>)
  %6 = "hlo.iota"() {"dimensions" = [1], "op_type" = "core.one_hot"} : () -> (tensor<3x4xi32>)
  %7 = "hlo.compare"(%5, %6) {"direction" = "EQ", "op_type" = "core.one_hot"} : (tensor<3x4xi32>, tensor<3x4xi32>) -> (tensor<3x4xi1>)
  %8 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.one_hot"} : (tensor<f32>) -> (tensor<3x4xf32>)
  %9 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.one_hot"} : (tensor<f32>) -> (tensor<3x4xf32>)
  %10 = "hlo.select"(%7, %8, %9) {"op_type" = "core.one_hot"} : (tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%10) : (tensor<3x4xf32>) -> ()

// -----
// CASE: the largest numbers are cut off a sort
// RUN: to-hlo
^bb(%x: tensor<2x5xf32>):
  %c1 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %t, %t1 = "core.top_k"(%x, %c1) {index_dtype = i32} : (tensor<2x5xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  "mlconv.yield"(%t, %t1) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>):
  %1 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %2 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.top_k"} : (tensor<f32>) -> (tensor<2x5xf32>)
  %3 = "hlo.compare"(%0, %2) {"direction" = "EQ", "op_type" = "core.top_k"} : (tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<2x5xi1>)
  %4 = "hlo.broadcast"(%1) {"dimensions" = [], "op_type" = "core.top_k"} : (tensor<f32>) -> (tensor<2x5xf32>)
  %5 = "hlo.select"(%3, %4, %0) {"op_type" = "core.top_k"} : (tensor<2x5xi1>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<2x5xf32>)
  %6 = "hlo.iota"() {"dimensions" = [1], "op_type" = "core.top_k"} : () -> (tensor<2x5xi32>)
  %7, %8 = "hlo.sort"(%5, %6) ({
  ^bb(%9: tensor<f32>, %10: tensor<f32>, %11: tensor<i32>, %12: tensor<i32>):
    %13 = "hlo.compare"(%9, %10) {"direction" = "GT", "op_type" = "core.top_k"} : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%13) : (tensor<i1>) -> ()
  }) {"dimensions" = [1], "is_stable" = true, "op_type" = "core.top_k"} : (tensor<2x5xf32>, tensor<2x5xi32>) -> (tensor<2x5xf32>, tensor<2x5xi32>)
  %14 = "hlo.slice"(%7) {"starts" = [0, 0], "limits" = [2, 2], "strides" = [1, 1], "op_type" = "core.top_k"} : (tensor<2x5xf32>) -> (tensor<2x2xf32>)
  %15 = "hlo.slice"(%8) {"starts" = [0, 0], "limits" = [2, 2], "strides" = [1, 1], "op_type" = "core.top_k"} : (tensor<2x5xi32>) -> (tensor<2x2xi32>)
  "mlconv.yield"(%14, %15) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()

// -----
// CASE: segments are a scatter
// RUN: to-hlo
^bb(%x: tensor<4x2xf32>, %s: tensor<4xi32>):
  %c1 = "core.constant"() {value = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.segment_reduce"(%x, %s, %c1) : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x2xf32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [], "op_type" = "core.segment_reduce"} : (tensor<f32>) -> (tensor<3x2xf32>)
  %4 = "hlo.reshape"(%1) {"op_type" = "core.segment_reduce"} : (tensor<4xi32>) -> (tensor<4x1xi32>)
  %5 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %6 = "hlo.broadcast"(%5) {"dimensions" = [], "op_type" = "core.segment_reduce"} : (tensor<f32>) -> (tensor<3x2xf32>)
  %7 = "hlo.scatter"(%6, %4, %0) ({
  ^bb(%8: tensor<f32>, %9: tensor<f32>):
    %10 = "hlo.add"(%8, %9) {"op_type" = "core.segment_reduce"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%10) : (tensor<f32>) -> ()
  }) {"update_window_dims" = [1], "inserted_window_dims" = [0], "scatter_dims_to_operand_dims" = [0], "index_vector_dim" = 1, "op_type" = "core.segment_reduce"} : (tensor<3x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>) -> (tensor<3x2xf32>)
  %11 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %12 = "hlo.broadcast"(%11) {"dimensions" = [], "op_type" = "core.segment_reduce"} : (tensor<i32>) -> (tensor<3xi32>)
  %13 = "core.constant"() {"value" = #mlconv.splat<"dense<1> : tensor<i32>">} : () -> (tensor<i32>)
  %14 = "hlo.broadcast"(%13) {"dimensions" = [], "op_type" = "core.segment_reduce"} : (tensor<i32>) -> (tensor<4xi32>)
  %15 = "hlo.scatter"(%12, %4, %14) ({
  ^bb(%16: tensor<i32>, %17: tensor<i32>):
    %18 = "hlo.add"(%16, %17) {"op_type" = "core.segment_reduce"} : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%18) : (tensor<i32>) -> ()
  }) {"update_window_dims" = [], "inserted_window_dims" = [0], "scatter_dims_to_operand_dims" = [0], "index_vector_dim" = 1, "op_type" = "core.segment_reduce"} : (tensor<3xi32>, tensor<4x1xi32>, tensor<4xi32>) -> (tensor<3xi32>)
  %19 = "hlo.reshape"(%15) {"op_type" = "core.segment_reduce"} : (tensor<3xi32>) -> (tensor<3x1xi32>)
  %20 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %21 = "hlo.broadcast"(%20) {"dimensions" = [], "op_type" = "core.segment_reduce"} : (tensor<i32>) -> (tensor<3x1xi32>)
  %22 = "hlo.compare"(%19, %21) {"direction" = "EQ", "op_type" = "core.segment_reduce"} : (tensor<3x1xi32>, tensor<3x1xi32>) -> (tensor<3x1xi1>)
  %23 = "hlo.reshape"(%22) {"op_type" = "core.segment_reduce"} : (tensor<3x1xi1>) -> (tensor<3xi1>)
  %24 = "hlo.broadcast"(%23) {"dimensions" = [0], "op_type" = "core.segment_reduce"} : (tensor<3xi1>) -> (tensor<3x2xi1>)
  %25 = "hlo.select"(%24, %3, %7) {"op_type" = "core.segment_reduce"} : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%25) : (tensor<3x2xf32>) -> ()

// -----
// CASE: as many places as there are has no form
// RUN: to-hlo
^bb(%x: tensor<2x3xi1>):
  %y = "core.nonzero"(%x) : (tensor<2x3xi1>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  "mlconv.yield"(%y) : (tensor<?x2xi64, {dims = ["?1", "2"]}>) -> ()
// DIAGNOSTICS
error[MLC0203]: HLO needs every size, or a range that it follows from, and the shape is int64[?,2]
  = node: y  core.nonzero (bool[2,3])
  = help: give the shapes of inputs with --shape NAME=D,D,...

// CASE: a product has the numbers of its axes, and none is turned
// RUN: to-hlo
^bb(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>):
  %y = "core.matmul"(%a, %b) {transpose_b = true} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<2x5x4xf32>):
  %2 = "hlo.dot"(%0, %1) {"lhs_contracting" = [2], "rhs_contracting" = [2], "lhs_batch" = [0], "rhs_batch" = [0], "op_type" = "core.matmul"} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x5xf32>) -> ()

// -----
// CASE: a factor without batch
// RUN: to-hlo
^bb(%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<4x5xf32>):
  %2 = "hlo.dot"(%0, %1) {"lhs_contracting" = [2], "rhs_contracting" = [0], "lhs_batch" = [], "rhs_batch" = [], "op_type" = "core.matmul"} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x5xf32>) -> ()

// -----
// CASE: batches that broadcast
// RUN: to-hlo
^bb(%a: tensor<2x1x3x4xf32>, %b: tensor<1x5x4x2xf32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x1x3x4xf32>, tensor<1x5x4x2xf32>) -> (tensor<2x5x3x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x5x3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1x3x4xf32>, %1: tensor<1x5x4x2xf32>):
  %2 = "hlo.reshape"(%0) {"op_type" = "core.matmul"} : (tensor<2x1x3x4xf32>) -> (tensor<2x3x4xf32>)
  %3 = "hlo.broadcast"(%2) {"dimensions" = [0, 2, 3], "op_type" = "core.matmul"} : (tensor<2x3x4xf32>) -> (tensor<2x5x3x4xf32>)
  %4 = "hlo.reshape"(%1) {"op_type" = "core.matmul"} : (tensor<1x5x4x2xf32>) -> (tensor<5x4x2xf32>)
  %5 = "hlo.broadcast"(%4) {"dimensions" = [1, 2, 3], "op_type" = "core.matmul"} : (tensor<5x4x2xf32>) -> (tensor<2x5x4x2xf32>)
  %6 = "hlo.dot"(%3, %5) {"lhs_contracting" = [3], "rhs_contracting" = [2], "lhs_batch" = [0, 1], "rhs_batch" = [0, 1], "op_type" = "core.matmul"} : (tensor<2x5x3x4xf32>, tensor<2x5x4x2xf32>) -> (tensor<2x5x3x2xf32>)
  "mlconv.yield"(%6) : (tensor<2x5x3x2xf32>) -> ()

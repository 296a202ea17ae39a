// CASE: products
// RUN: to-tf
^bb(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>):
  %y = "core.matmul"(%a, %b) {transpose_b = true} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<2x5x4xf32>):
  %2 = "tf.BatchMatMulV2"(%0, %1) {"T" = f32, "adj_x" = false, "adj_y" = true} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x5xf32>) -> ()

// -----
// CASE: a factor without batch
// RUN: to-tf
^bb(%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<4x5xf32>):
  %2 = "tf.BatchMatMulV2"(%0, %1) {"T" = f32, "adj_x" = false, "adj_y" = false} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x5xf32>) -> ()

// -----
// CASE: batches that broadcast
// RUN: to-tf
^bb(%a: tensor<2x1x3x4xf32>, %b: tensor<1x5x4x2xf32>):
  %y = "core.matmul"(%a, %b) : (tensor<2x1x3x4xf32>, tensor<1x5x4x2xf32>) -> (tensor<2x5x3x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x5x3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1x3x4xf32>, %1: tensor<1x5x4x2xf32>):
  %2 = "tf.BatchMatMulV2"(%0, %1) {"T" = f32, "adj_x" = false, "adj_y" = false} : (tensor<2x1x3x4xf32>, tensor<1x5x4x2xf32>) -> (tensor<2x5x3x2xf32>)
  "mlconv.yield"(%2) : (tensor<2x5x3x2xf32>) -> ()

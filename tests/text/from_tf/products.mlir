// CASE: MatMul with transposed factors
// RUN: from-tf
^bb(%a_0: tensor<3x2xf32>, %b_0: tensor<4x3xf32>):
  %y = "tf.MatMul"(%a_0, %b_0) {T = f32, transpose_a = true, transpose_b = true, grad_a = false, grad_b = false} : (tensor<3x2xf32>, tensor<4x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x2xf32>, %1: tensor<4x3xf32>):
  %2 = "core.matmul"(%0, %1) {"transpose_a" = true, "transpose_b" = true} : (tensor<3x2xf32>, tensor<4x3xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: BatchMatMulV2
// RUN: from-tf
^bb(%a_0: tensor<2x3x4xf32>, %b_0: tensor<2x5x4xf32>):
  %y = "tf.BatchMatMulV2"(%a_0, %b_0) {T = f32, adj_x = false, adj_y = true, grad_x = false, grad_y = false} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<2x5x4xf32>):
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x5xf32>) -> ()

// -----
// CASE: Einsum of a product over the middle axis
// RUN: from-tf
^bb(%a_0: tensor<2x3x4xf32>, %b_0: tensor<3x5xf32>):
  %y = "tf.Einsum"(%a_0, %b_0) {N = 2, T = f32, equation = "bij,ik->bjk"} : (tensor<2x3x4xf32>, tensor<3x5xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<3x5xf32>):
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 1]} : (tensor<2x3x4xf32>) -> (tensor<2x4x3xf32>)
  %3 = "core.constant"() {"value" = dense<[8, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.reshape"(%2, %3) : (tensor<2x4x3xf32>, tensor<2xi64>) -> (tensor<8x3xf32>)
  %5 = "core.matmul"(%4, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<8x3xf32>, tensor<3x5xf32>) -> (tensor<8x5xf32>)
  %6 = "core.constant"() {"value" = dense<[2, 4, 5]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %7 = "core.reshape"(%5, %6) : (tensor<8x5xf32>, tensor<3xi64>) -> (tensor<2x4x5xf32>)
  "mlconv.yield"(%7) : (tensor<2x4x5xf32>) -> ()

// -----
// CASE: inner sizes that differ are refused
// RUN: from-tf
^bb(%a_0: tensor<2x3xf32>, %b_0: tensor<4x5xf32>):
  %y = "tf.MatMul"(%a_0, %b_0) {T = f32, transpose_a = false, transpose_b = false, grad_a = false, grad_b = false} : (tensor<2x3xf32>, tensor<4x5xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// DIAGNOSTICS
error[MLC0201]: MatMul of float32[2,3] and float32[4,5]: inner sizes 3 and 4 differ
  = node: y  tf.MatMul (float32[2,3], float32[4,5])

// -----
// CASE: MatrixDiagPart of a matrix
// RUN: from-tf
^bb(%x_0: tensor<3x3xf32>):
  %y = "tf.MatrixDiagPart"(%x_0) {T = f32} : (tensor<3x3xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x3xf32>):
  %1 = "core.constant"() {"value" = dense<[9]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<3x3xf32>, tensor<1xi64>) -> (tensor<9xf32>)
  %3 = "core.constant"() {"value" = dense<[0, 4, 8]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %4 = "core.gather"(%2, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<9xf32>, tensor<3xi32>) -> (tensor<3xf32>)
  "mlconv.yield"(%4) : (tensor<3xf32>) -> ()

// -----
// CASE: Einsum with a batch behind an axis of open size, which is a batch too: nothing moves
// RUN: from-tf,canonicalize,dce
^bb(%a_0: tensor<?x4x5x3xf32, {dims = ["n", "4", "5", "3"]}>, %b_0: tensor<4x3x6xf32>):
  %y = "tf.Einsum"(%a_0, %b_0) {N = 2, T = f32, equation = "nhwc,hck->nhwk"} : (tensor<?x4x5x3xf32, {dims = ["n", "4", "5", "3"]}>, tensor<4x3x6xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<?x4x5x3xf32, {dims = ["n", "4", "5", "3"]}>, %1: tensor<4x3x6xf32>):
  %2 = "core.constant"() {"value" = dense<[1, 4, 3, 6]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<4x3x6xf32>, tensor<4xi64>) -> (tensor<1x4x3x6xf32>)
  %4 = "core.matmul"(%0, %3) {"transpose_a" = false, "transpose_b" = false} : (tensor<?x4x5x3xf32, {dims = ["n", "4", "5", "3"]}>, tensor<1x4x3x6xf32>) -> (tensor<?x4x5x6xf32, {dims = ["n", "4", "5", "6"]}>)
  "mlconv.yield"(%4) : (tensor<?x4x5x6xf32, {dims = ["n", "4", "5", "6"]}>) -> ()

// -----
// CASE: Einsum of a vector with several matrices for each element of the batch, which stay where they are
// RUN: from-tf,canonicalize,dce
^bb(%a_0: tensor<2x4xf32>, %b_0: tensor<2x3x4x5xf32>):
  %y = "tf.Einsum"(%a_0, %b_0) {N = 2, T = f32, equation = "bi,bkij->bkj"} : (tensor<2x4xf32>, tensor<2x3x4x5xf32>) -> (tensor<*xf32>)
  "mlconv.yield"(%y) : (tensor<*xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>, %1: tensor<2x3x4x5xf32>):
  %2 = "core.constant"() {"value" = dense<[2, 1, 1, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %3 = "core.reshape"(%0, %2) : (tensor<2x4xf32>, tensor<4xi64>) -> (tensor<2x1x1x4xf32>)
  %4 = "core.matmul"(%3, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x1x1x4xf32>, tensor<2x3x4x5xf32>) -> (tensor<2x3x1x5xf32>)
  %5 = "core.constant"() {"value" = dense<[2, 3, 5]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<2x3x1x5xf32>, tensor<3xi64>) -> (tensor<2x3x5xf32>)
  "mlconv.yield"(%6) : (tensor<2x3x5xf32>) -> ()

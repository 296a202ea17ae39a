// CASE: heads of queries that share keys are rows of one product
// RUN: canonicalize,dce
^bb(%q: tensor<2x6x5x8xf32>, %k: tensor<2x3x7x8xf32>):
  %e = "core.expand_dims"(%k) {axes = [2]} : (tensor<2x3x7x8xf32>) -> (tensor<2x3x1x7x8xf32>)
  %w = "core.constant"() {value = dense<[2, 3, 2, 7, 8]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %b = "core.broadcast_to"(%e, %w) : (tensor<2x3x1x7x8xf32>, tensor<5xi64>) -> (tensor<2x3x2x7x8xf32>)
  %s = "core.constant"() {value = dense<[2, 6, 7, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %r = "core.reshape"(%b, %s) : (tensor<2x3x2x7x8xf32>, tensor<4xi64>) -> (tensor<2x6x7x8xf32>)
  %m = "core.matmul"(%q, %r) {transpose_b = true} : (tensor<2x6x5x8xf32>, tensor<2x6x7x8xf32>) -> (tensor<2x6x5x7xf32>)
  "mlconv.yield"(%m) : (tensor<2x6x5x7xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x6x5x8xf32>, %1: tensor<2x3x7x8xf32>):
  %2 = "core.constant"() {"value" = dense<[2, 3, 10, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %3 = "core.reshape"(%0, %2) : (tensor<2x6x5x8xf32>, tensor<4xi64>) -> (tensor<2x3x10x8xf32>)
  %4 = "core.matmul"(%3, %1) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x3x10x8xf32>, tensor<2x3x7x8xf32>) -> (tensor<2x3x10x7xf32>)
  %5 = "core.constant"() {"value" = dense<[2, 6, 5, 7]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<2x3x10x7xf32>, tensor<4xi64>) -> (tensor<2x6x5x7xf32>)
  "mlconv.yield"(%6) : (tensor<2x6x5x7xf32>) -> ()

// -----
// CASE: those that alternate are repeated
// RUN: canonicalize,dce
^bb(%q: tensor<2x6x5x8xf32>, %k: tensor<2x3x8x7xf32>):
  %e = "core.expand_dims"(%k) {axes = [1]} : (tensor<2x3x8x7xf32>) -> (tensor<2x1x3x8x7xf32>)
  %w = "core.constant"() {value = dense<[2, 2, 3, 8, 7]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %b = "core.broadcast_to"(%e, %w) : (tensor<2x1x3x8x7xf32>, tensor<5xi64>) -> (tensor<2x2x3x8x7xf32>)
  %s = "core.constant"() {value = dense<[2, 6, 8, 7]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %r = "core.reshape"(%b, %s) : (tensor<2x2x3x8x7xf32>, tensor<4xi64>) -> (tensor<2x6x8x7xf32>)
  %m = "core.matmul"(%q, %r) : (tensor<2x6x5x8xf32>, tensor<2x6x8x7xf32>) -> (tensor<2x6x5x7xf32>)
  "mlconv.yield"(%m) : (tensor<2x6x5x7xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x6x5x8xf32>, %1: tensor<2x3x8x7xf32>):
  %2 = "core.constant"() {"value" = dense<[2, 1, 3, 8, 7]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<2x3x8x7xf32>, tensor<5xi64>) -> (tensor<2x1x3x8x7xf32>)
  %4 = "core.constant"() {"value" = dense<[2, 2, 3, 8, 7]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %5 = "core.broadcast_to"(%3, %4) : (tensor<2x1x3x8x7xf32>, tensor<5xi64>) -> (tensor<2x2x3x8x7xf32>)
  %6 = "core.constant"() {"value" = dense<[2, 6, 8, 7]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %7 = "core.reshape"(%5, %6) : (tensor<2x2x3x8x7xf32>, tensor<4xi64>) -> (tensor<2x6x8x7xf32>)
  %8 = "core.matmul"(%0, %7) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x6x5x8xf32>, tensor<2x6x8x7xf32>) -> (tensor<2x6x5x7xf32>)
  "mlconv.yield"(%8) : (tensor<2x6x5x7xf32>) -> ()

// CASE: a bias behind a reshape into heads becomes one of columns, and so does a factor
// RUN: canonicalize
^bb(%x: tensor<6x8xf32>, %w: tensor<2x3x2x4xf32>):
  %k = "core.constant"() {value = dense<0.5> : tensor<8x8xf32>} : () -> (tensor<8x8xf32>)
  %p = "core.matmul"(%x, %k) {transpose_a = false, transpose_b = false} : (tensor<6x8xf32>, tensor<8x8xf32>) -> (tensor<6x8xf32>)
  %s = "core.constant"() {value = dense<[2, 3, 2, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %h = "core.reshape"(%p, %s) : (tensor<6x8xf32>, tensor<4xi64>) -> (tensor<2x3x2x4xf32>)
  %b = "core.constant"() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>} : () -> (tensor<2x4xf32>)
  %a = "core.add"(%h, %b) : (tensor<2x3x2x4xf32>, tensor<2x4xf32>) -> (tensor<2x3x2x4xf32>)
  %f = "core.constant"() {value = dense<0.25> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%a, %f) : (tensor<2x3x2x4xf32>, tensor<f32>) -> (tensor<2x3x2x4xf32>)
  %y = "core.mul"(%m, %w) : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) -> (tensor<2x3x2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<6x8xf32>, %1: tensor<2x3x2x4xf32>):
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<8x8xf32>} : () -> (tensor<8x8xf32>)
  %3 = "core.matmul"(%0, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<6x8xf32>, tensor<8x8xf32>) -> (tensor<6x8xf32>)
  %4 = "core.constant"() {"value" = dense<[2, 3, 2, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %5 = "core.constant"() {"value" = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>} : () -> (tensor<8xf32>)
  %6 = "core.add"(%3, %5) : (tensor<6x8xf32>, tensor<8xf32>) -> (tensor<6x8xf32>)
  %7 = "core.constant"() {"value" = dense<[0.25]> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %8 = "core.mul"(%6, %7) : (tensor<6x8xf32>, tensor<1xf32>) -> (tensor<6x8xf32>)
  %9 = "core.reshape"(%8, %4) : (tensor<6x8xf32>, tensor<4xi64>) -> (tensor<2x3x2x4xf32>)
  %10 = "core.mul"(%9, %1) : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) -> (tensor<2x3x2x4xf32>)
  "mlconv.yield"(%10) : (tensor<2x3x2x4xf32>) -> ()

// -----
// CASE: a bias of other axes than the columns stays behind the reshape
// RUN: canonicalize
^bb(%x: tensor<6x8xf32>):
  %k = "core.constant"() {value = dense<0.5> : tensor<8x8xf32>} : () -> (tensor<8x8xf32>)
  %p = "core.matmul"(%x, %k) {transpose_a = false, transpose_b = false} : (tensor<6x8xf32>, tensor<8x8xf32>) -> (tensor<6x8xf32>)
  %s = "core.constant"() {value = dense<[2, 3, 2, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %h = "core.reshape"(%p, %s) : (tensor<6x8xf32>, tensor<4xi64>) -> (tensor<2x3x2x4xf32>)
  %b = "core.constant"() {value = dense<[[[[1.0]], [[2.0]], [[3.0]]]]> : tensor<1x3x1x1xf32>} : () -> (tensor<1x3x1x1xf32>)
  %a = "core.add"(%h, %b) : (tensor<2x3x2x4xf32>, tensor<1x3x1x1xf32>) -> (tensor<2x3x2x4xf32>)
  "mlconv.yield"(%a) : (tensor<2x3x2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<6x8xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<8x8xf32>} : () -> (tensor<8x8xf32>)
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<6x8xf32>, tensor<8x8xf32>) -> (tensor<6x8xf32>)
  %3 = "core.constant"() {"value" = dense<[2, 3, 2, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %4 = "core.reshape"(%2, %3) : (tensor<6x8xf32>, tensor<4xi64>) -> (tensor<2x3x2x4xf32>)
  %5 = "core.constant"() {"value" = dense<[[[[1.0]], [[2.0]], [[3.0]]]]> : tensor<1x3x1x1xf32>} : () -> (tensor<1x3x1x1xf32>)
  %6 = "core.add"(%4, %5) : (tensor<2x3x2x4xf32>, tensor<1x3x1x1xf32>) -> (tensor<2x3x2x4xf32>)
  "mlconv.yield"(%6) : (tensor<2x3x2x4xf32>) -> ()

// -----
// CASE: scores of keys by queries, transposed, are those of queries by keys
// RUN: canonicalize
^bb(%k: tensor<2x5x3x4xf32>, %q: tensor<2x6x3x4xf32>):
  %a = "core.transpose"(%k) {perm = [0, 2, 1, 3]} : (tensor<2x5x3x4xf32>) -> (tensor<2x3x5x4xf32>)
  %b = "core.transpose"(%q) {perm = [0, 2, 3, 1]} : (tensor<2x6x3x4xf32>) -> (tensor<2x3x4x6xf32>)
  %p = "core.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<2x3x5x4xf32>, tensor<2x3x4x6xf32>) -> (tensor<2x3x5x6xf32>)
  %y = "core.transpose"(%p) {perm = [0, 1, 3, 2]} : (tensor<2x3x5x6xf32>) -> (tensor<2x3x6x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x6x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x5x3x4xf32>, %1: tensor<2x6x3x4xf32>):
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 1, 3]} : (tensor<2x5x3x4xf32>) -> (tensor<2x3x5x4xf32>)
  %3 = "core.transpose"(%1) {"perm" = [0, 2, 1, 3]} : (tensor<2x6x3x4xf32>) -> (tensor<2x3x6x4xf32>)
  %4 = "core.matmul"(%3, %2) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x3x6x4xf32>, tensor<2x3x5x4xf32>) -> (tensor<2x3x6x5xf32>)
  "mlconv.yield"(%4) : (tensor<2x3x6x5xf32>) -> ()

// -----
// CASE: a product whose right operand is read in its own order is not turned
// RUN: canonicalize
^bb(%a: tensor<2x5x4xf32>, %b: tensor<2x4x6xf32>):
  %p = "core.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<2x5x4xf32>, tensor<2x4x6xf32>) -> (tensor<2x5x6xf32>)
  %y = "core.transpose"(%p) {perm = [0, 2, 1]} : (tensor<2x5x6xf32>) -> (tensor<2x6x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x6x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x5x4xf32>, %1: tensor<2x4x6xf32>):
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x5x4xf32>, tensor<2x4x6xf32>) -> (tensor<2x5x6xf32>)
  %3 = "core.transpose"(%2) {"perm" = [0, 2, 1]} : (tensor<2x5x6xf32>) -> (tensor<2x6x5xf32>)
  "mlconv.yield"(%3) : (tensor<2x6x5xf32>) -> ()

// -----
// CASE: one-hot rows of merged indices, that a product reads, are made of the indices as they are
// RUN: canonicalize
^bb(%i: tensor<2x3xi32>):
  %s = "core.constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %r = "core.reshape"(%i, %s) : (tensor<2x3xi32>, tensor<1xi64>) -> (tensor<6xi32>)
  %d = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %on = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %off = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %h = "core.one_hot"(%r, %d, %on, %off) {axis = -1} : (tensor<6xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<6x4xf32>)
  %k = "core.constant"() {value = dense<0.5> : tensor<4x8xf32>} : () -> (tensor<4x8xf32>)
  %p = "core.matmul"(%h, %k) {transpose_a = false, transpose_b = false} : (tensor<6x4xf32>, tensor<4x8xf32>) -> (tensor<6x8xf32>)
  "mlconv.yield"(%p) : (tensor<6x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi32>):
  %1 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.one_hot"(%0, %1, %2, %3) {"axis" = -1} : (tensor<2x3xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %5 = "core.constant"() {"value" = dense<[-1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<6x4xf32>)
  %7 = "core.constant"() {"value" = dense<0.5> : tensor<4x8xf32>} : () -> (tensor<4x8xf32>)
  %8 = "core.matmul"(%6, %7) {"transpose_a" = false, "transpose_b" = false} : (tensor<6x4xf32>, tensor<4x8xf32>) -> (tensor<6x8xf32>)
  "mlconv.yield"(%8) : (tensor<6x8xf32>) -> ()

// -----
// CASE: a product that is computed before a loop is not turned in it
// RUN: canonicalize
^bb(%p: tensor<5x4xf32>, %q: tensor<6x4xf32>):
  %r = "core.matmul"(%p, %q) {transpose_a = false, transpose_b = true} : (tensor<5x4xf32>, tensor<6x4xf32>) -> (tensor<5x6xf32>)
  %z = "core.constant"() {value = dense<0.0> : tensor<6x5xf32>} : () -> (tensor<6x5xf32>)
  %w = "core.while"(%z) ({
  ^bb(%a: tensor<6x5xf32>):
    %m = "core.reduce_sum"(%a) {axes = [0, 1]} : (tensor<6x5xf32>) -> (tensor<f32>)
    %c = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%m, %c) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%b: tensor<6x5xf32>):
    %y = "core.transpose"(%r) {perm = [1, 0]} : (tensor<5x6xf32>) -> (tensor<6x5xf32>)
    %n = "core.add"(%b, %y) : (tensor<6x5xf32>, tensor<6x5xf32>) -> (tensor<6x5xf32>)
    "mlconv.yield"(%n) : (tensor<6x5xf32>) -> ()
  }) : (tensor<6x5xf32>) -> (tensor<6x5xf32>)
  "mlconv.yield"(%w) : (tensor<6x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x4xf32>, %1: tensor<6x4xf32>):
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = true} : (tensor<5x4xf32>, tensor<6x4xf32>) -> (tensor<5x6xf32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<6x5xf32>} : () -> (tensor<6x5xf32>)
  %4 = "core.while"(%3) ({
  ^bb(%5: tensor<6x5xf32>):
    %6 = "core.reduce_sum"(%5) {"axes" = [0, 1], "keepdims" = false} : (tensor<6x5xf32>) -> (tensor<f32>)
    %7 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %8 = "core.less"(%6, %7) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%8) : (tensor<i1>) -> ()
  }, {
  ^bb(%9: tensor<6x5xf32>):
    %10 = "core.transpose"(%2) {"perm" = [1, 0]} : (tensor<5x6xf32>) -> (tensor<6x5xf32>)
    %11 = "core.add"(%9, %10) : (tensor<6x5xf32>, tensor<6x5xf32>) -> (tensor<6x5xf32>)
    "mlconv.yield"(%11) : (tensor<6x5xf32>) -> ()
  }) : (tensor<6x5xf32>) -> (tensor<6x5xf32>)
  "mlconv.yield"(%4) : (tensor<6x5xf32>) -> ()

// CASE: a transpose of the last two axes goes into a product
// RUN: layout,canonicalize,dce
^bb(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>):
  %t = "core.transpose"(%b) {perm = [1, 0]} : (tensor<4x3xf32>) -> (tensor<3x4xf32>)
  %y = "core.matmul"(%a, %t) : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<4x3xf32>):
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x3xf32>, tensor<4x3xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: a transpose of the left factor goes into a product
// RUN: layout,canonicalize,dce
^bb(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>):
  %t = "core.transpose"(%a) {perm = [1, 0]} : (tensor<3x2xf32>) -> (tensor<2x3xf32>)
  %y = "core.matmul"(%t, %b) : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x2xf32>, %1: tensor<3x4xf32>):
  %2 = "core.matmul"(%0, %1) {"transpose_a" = true, "transpose_b" = false} : (tensor<3x2xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: keys of an attention need no transpose of their own
// RUN: layout,canonicalize,dce
^bb(%x: tensor<2x5x3x4xf32>):
  %q = "core.transpose"(%x) {perm = [0, 2, 1, 3]} : (tensor<2x5x3x4xf32>) -> (tensor<2x3x5x4xf32>)
  %k = "core.transpose"(%x) {perm = [0, 2, 3, 1]} : (tensor<2x5x3x4xf32>) -> (tensor<2x3x4x5xf32>)
  %s = "core.matmul"(%q, %k) : (tensor<2x3x5x4xf32>, tensor<2x3x4x5xf32>) -> (tensor<2x3x5x5xf32>)
  %y = "core.softmax"(%s) {axis = 3} : (tensor<2x3x5x5xf32>) -> (tensor<2x3x5x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x5x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x5x3x4xf32>):
  %1 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<2x5x3x4xf32>) -> (tensor<2x3x4x5xf32>)
  %2 = "core.matmul"(%1, %1) {"transpose_a" = true, "transpose_b" = false} : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> (tensor<2x3x5x5xf32>)
  %3 = "core.softmax"(%2) {"axis" = 3} : (tensor<2x3x5x5xf32>) -> (tensor<2x3x5x5xf32>)
  "mlconv.yield"(%3) : (tensor<2x3x5x5xf32>) -> ()

// -----
// CASE: a product whose result is wanted against its order is computed the other way round
// Attention over the pixels of an image: (v p^T)^T is p v^T, with v as the convolution gives it.
// RUN: layout,dce
^bb(%v: tensor<1x16x49xf32>, %s: tensor<1x49x49xf32>):
  %p = "core.softmax"(%s) {axis = 2} : (tensor<1x49x49xf32>) -> (tensor<1x49x49xf32>)
  %t = "core.transpose"(%v) {perm = [0, 2, 1]} : (tensor<1x16x49xf32>) -> (tensor<1x49x16xf32>)
  %w = "core.tanh"(%t) : (tensor<1x49x16xf32>) -> (tensor<1x49x16xf32>)
  %m = "core.matmul"(%w, %p) {transpose_a = true, transpose_b = true} : (tensor<1x49x16xf32>, tensor<1x49x49xf32>) -> (tensor<1x16x49xf32>)
  %y = "core.transpose"(%m) {perm = [0, 2, 1]} : (tensor<1x16x49xf32>) -> (tensor<1x49x16xf32>)
  "mlconv.yield"(%y) : (tensor<1x49x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x16x49xf32>, %1: tensor<1x49x49xf32>):
  %2 = "core.softmax"(%1) {"axis" = 2} : (tensor<1x49x49xf32>) -> (tensor<1x49x49xf32>)
  %3 = "core.tanh"(%0) : (tensor<1x16x49xf32>) -> (tensor<1x16x49xf32>)
  %4 = "core.matmul"(%2, %3) {"transpose_a" = false, "transpose_b" = true} : (tensor<1x49x49xf32>, tensor<1x16x49xf32>) -> (tensor<1x49x16xf32>)
  "mlconv.yield"(%4) : (tensor<1x49x16xf32>) -> ()

// -----
// CASE: a product is not turned where its left operand would be read against its order
// RUN: layout,dce
^bb(%v: tensor<1x16x49xf32>, %p: tensor<1x49x49xf32>):
  %m = "core.matmul"(%v, %p) : (tensor<1x16x49xf32>, tensor<1x49x49xf32>) -> (tensor<1x16x49xf32>)
  %y = "core.transpose"(%m) {perm = [0, 2, 1]} : (tensor<1x16x49xf32>) -> (tensor<1x49x16xf32>)
  "mlconv.yield"(%y) : (tensor<1x49x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x16x49xf32>, %1: tensor<1x49x49xf32>):
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x16x49xf32>, tensor<1x49x49xf32>) -> (tensor<1x16x49xf32>)
  %3 = "core.transpose"(%2) {"perm" = [0, 2, 1]} : (tensor<1x16x49xf32>) -> (tensor<1x49x16xf32>)
  "mlconv.yield"(%3) : (tensor<1x49x16xf32>) -> ()

// -----
// CASE: a product over the places of a mixer has its weights on the left
// RUN: layout{left-weights=true},canonicalize,dce
^bb(%x: tensor<2x6x5xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<6x4xf32>} : () -> (tensor<6x4xf32>)
  %b = "core.constant"() {value = dense<0.25> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %t = "core.transpose"(%x) {perm = [0, 2, 1]} : (tensor<2x6x5xf32>) -> (tensor<2x5x6xf32>)
  %m = "core.matmul"(%t, %w) : (tensor<2x5x6xf32>, tensor<6x4xf32>) -> (tensor<2x5x4xf32>)
  %a = "core.add"(%m, %b) : (tensor<2x5x4xf32>, tensor<4xf32>) -> (tensor<2x5x4xf32>)
  %y = "core.transpose"(%a) {perm = [0, 2, 1]} : (tensor<2x5x4xf32>) -> (tensor<2x4x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x4x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x6x5xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x6xf32>} : () -> (tensor<4x6xf32>)
  %2 = "core.matmul"(%1, %0) {"transpose_a" = false, "transpose_b" = false} : (tensor<4x6xf32>, tensor<2x6x5xf32>) -> (tensor<2x4x5xf32>)
  %3 = "core.constant"() {"value" = dense<0.25> : tensor<1x4x1xf32>} : () -> (tensor<1x4x1xf32>)
  %4 = "core.add"(%2, %3) : (tensor<2x4x5xf32>, tensor<1x4x1xf32>) -> (tensor<2x4x5xf32>)
  "mlconv.yield"(%4) : (tensor<2x4x5xf32>) -> ()

// -----
// CASE: heads that are mixed stay in front of what they weigh
// RUN: layout{left-weights=true},canonicalize,fold,dce
^bb(%q: tensor<1x4x7x3xf32>, %k: tensor<1x4x7x3xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<2x4x1x1xf32>} : () -> (tensor<2x4x1x1xf32>)
  %b = "core.constant"() {value = dense<0.25> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %s = "core.matmul"(%q, %k) {transpose_b = true} : (tensor<1x4x7x3xf32>, tensor<1x4x7x3xf32>) -> (tensor<1x4x7x7xf32>)
  %c = "core.conv"(%s, %w, %b) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], x_layout = "NC01", w_layout = "OI01", y_layout = "NC01"} : (tensor<1x4x7x7xf32>, tensor<2x4x1x1xf32>, tensor<2xf32>) -> (tensor<1x2x7x7xf32>)
  %y = "core.softmax"(%c) {axis = 3} : (tensor<1x2x7x7xf32>) -> (tensor<1x2x7x7xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x7x7xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x7x3xf32>, %1: tensor<1x4x7x3xf32>):
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = true} : (tensor<1x4x7x3xf32>, tensor<1x4x7x3xf32>) -> (tensor<1x4x7x7xf32>)
  %3 = "core.constant"() {"value" = dense<[1, 4, 49]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "core.reshape"(%2, %3) : (tensor<1x4x7x7xf32>, tensor<3xi64>) -> (tensor<1x4x49xf32>)
  %5 = "core.constant"() {"value" = dense<0.5> : tensor<2x4xf32>} : () -> (tensor<2x4xf32>)
  %6 = "core.matmul"(%5, %4) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x4xf32>, tensor<1x4x49xf32>) -> (tensor<1x2x49xf32>)
  %7 = "core.constant"() {"value" = dense<[[0.25], [0.25]]> : tensor<2x1xf32>} : () -> (tensor<2x1xf32>)
  %8 = "core.add"(%6, %7) : (tensor<1x2x49xf32>, tensor<2x1xf32>) -> (tensor<1x2x49xf32>)
  %9 = "core.constant"() {"value" = dense<[1, 2, 7, 7]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %10 = "core.reshape"(%8, %9) : (tensor<1x2x49xf32>, tensor<4xi64>) -> (tensor<1x2x7x7xf32>)
  %11 = "core.softmax"(%10) {"axis" = 3} : (tensor<1x2x7x7xf32>) -> (tensor<1x2x7x7xf32>)
  "mlconv.yield"(%11) : (tensor<1x2x7x7xf32>) -> ()

// -----
// CASE: rows of a product that stand in another order stay in it
// RUN: layout{left-weights=true},canonicalize,dce
^bb(%x: tensor<2x3x4x5xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<5x6xf32>} : () -> (tensor<5x6xf32>)
  %t = "core.transpose"(%x) {perm = [0, 2, 1, 3]} : (tensor<2x3x4x5xf32>) -> (tensor<2x4x3x5xf32>)
  %m = "core.matmul"(%t, %w) : (tensor<2x4x3x5xf32>, tensor<5x6xf32>) -> (tensor<2x4x3x6xf32>)
  %y = "core.transpose"(%m) {perm = [0, 2, 1, 3]} : (tensor<2x4x3x6xf32>) -> (tensor<2x3x4x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4x5xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<5x6xf32>} : () -> (tensor<5x6xf32>)
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x3x4x5xf32>, tensor<5x6xf32>) -> (tensor<2x3x4x6xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x4x6xf32>) -> ()

// -----
// CASE: weights stay on the right for targets that read them there
// RUN: layout,canonicalize,dce
^bb(%x: tensor<2x6x5xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<6x4xf32>} : () -> (tensor<6x4xf32>)
  %t = "core.transpose"(%x) {perm = [0, 2, 1]} : (tensor<2x6x5xf32>) -> (tensor<2x5x6xf32>)
  %m = "core.matmul"(%t, %w) : (tensor<2x5x6xf32>, tensor<6x4xf32>) -> (tensor<2x5x4xf32>)
  %y = "core.transpose"(%m) {perm = [0, 2, 1]} : (tensor<2x5x4xf32>) -> (tensor<2x4x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x4x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x6x5xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<6x4xf32>} : () -> (tensor<6x4xf32>)
  %2 = "core.matmul"(%0, %1) {"transpose_a" = true, "transpose_b" = false} : (tensor<2x6x5xf32>, tensor<6x4xf32>) -> (tensor<2x5x4xf32>)
  %3 = "core.transpose"(%2) {"perm" = [0, 2, 1]} : (tensor<2x5x4xf32>) -> (tensor<2x4x5xf32>)
  "mlconv.yield"(%3) : (tensor<2x4x5xf32>) -> ()

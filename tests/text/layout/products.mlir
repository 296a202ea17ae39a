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

// -----
// CASE: keys behind a convolution are stored as it gives them, whichever of both sides of their product that is
// RUN: layout,dce
^bb(%x: tensor<1x7x6x6xf32>, %w: tensor<4x7x3x3xf32>, %q: tensor<1x9x4xf32>):
  %c = "core.conv"(%x, %w) {strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], groups = 1, x_layout = "NC01", w_layout = "OI01", y_layout = "NC01", mlconv.absent = [2]} : (tensor<1x7x6x6xf32>, tensor<4x7x3x3xf32>) -> (tensor<1x4x4x4xf32>)
  %s = "core.constant"() {value = dense<[1, 4, 16]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %r = "core.reshape"(%c, %s) : (tensor<1x4x4x4xf32>, tensor<3xi64>) -> (tensor<1x4x16xf32>)
  %t = "core.transpose"(%r) {perm = [0, 2, 1]} : (tensor<1x4x16xf32>) -> (tensor<1x16x4xf32>)
  %m = "core.reduce_max"(%t) {axes = [2], keepdims = true} : (tensor<1x16x4xf32>) -> (tensor<1x16x1xf32>)
  %d = "core.sub"(%t, %m) : (tensor<1x16x4xf32>, tensor<1x16x1xf32>) -> (tensor<1x16x4xf32>)
  %k = "core.transpose"(%d) {perm = [0, 2, 1]} : (tensor<1x16x4xf32>) -> (tensor<1x4x16xf32>)
  %y = "core.matmul"(%q, %k) : (tensor<1x9x4xf32>, tensor<1x4x16xf32>) -> (tensor<1x9x16xf32>)
  "mlconv.yield"(%y) : (tensor<1x9x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x7x6x6xf32>, %1: tensor<4x7x3x3xf32>, %2: tensor<1x9x4xf32>):
  %3 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<1x7x6x6xf32>) -> (tensor<1x6x6x7xf32>)
  %4 = "core.conv"(%3, %1) {"strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "groups" = 1, "x_layout" = "N01C", "w_layout" = "OI01", "y_layout" = "N01C", "mlconv.absent" = [2]} : (tensor<1x6x6x7xf32>, tensor<4x7x3x3xf32>) -> (tensor<1x4x4x4xf32>)
  %5 = "core.constant"() {"value" = dense<[1, 16, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<1x4x4x4xf32>, tensor<3xi64>) -> (tensor<1x16x4xf32>)
  %7 = "core.reduce_max"(%6) {"axes" = [2], "keepdims" = true} : (tensor<1x16x4xf32>) -> (tensor<1x16x1xf32>)
  %8 = "core.sub"(%6, %7) : (tensor<1x16x4xf32>, tensor<1x16x1xf32>) -> (tensor<1x16x4xf32>)
  %9 = "core.matmul"(%2, %8) {"transpose_a" = false, "transpose_b" = true} : (tensor<1x9x4xf32>, tensor<1x16x4xf32>) -> (tensor<1x9x16xf32>)
  "mlconv.yield"(%9) : (tensor<1x9x16xf32>) -> ()

// -----
// CASE: parts that each would be moved behind a reshape are moved at once before they are parted
// RUN: layout,dce
^bb(%x: tensor<3x4x6xf32>):
  %t = "core.transpose"(%x) {perm = [1, 0, 2]} : (tensor<3x4x6xf32>) -> (tensor<4x3x6xf32>)
  %one, %two = "core.split"(%t) {sizes = [2, 2], axis = 0} : (tensor<4x3x6xf32>) -> (tensor<2x3x6xf32>, tensor<2x3x6xf32>)
  %s = "core.constant"() {value = dense<[2, 3, 3, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %a = "core.reshape"(%one, %s) : (tensor<2x3x6xf32>, tensor<4xi64>) -> (tensor<2x3x3x2xf32>)
  %b = "core.reshape"(%two, %s) : (tensor<2x3x6xf32>, tensor<4xi64>) -> (tensor<2x3x3x2xf32>)
  %c = "core.neg"(%a) : (tensor<2x3x3x2xf32>) -> (tensor<2x3x3x2xf32>)
  %d = "core.neg"(%b) : (tensor<2x3x3x2xf32>) -> (tensor<2x3x3x2xf32>)
  %r = "core.constant"() {value = dense<[2, 3, 6]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %u = "core.constant"() {value = dense<[6, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %e = "core.reshape"(%c, %r) : (tensor<2x3x3x2xf32>, tensor<3xi64>) -> (tensor<2x3x6xf32>)
  %f = "core.reshape"(%d, %r) : (tensor<2x3x3x2xf32>, tensor<3xi64>) -> (tensor<2x3x6xf32>)
  %g = "core.reshape"(%c, %u) : (tensor<2x3x3x2xf32>, tensor<2xi64>) -> (tensor<6x6xf32>)
  %h = "core.reshape"(%d, %u) : (tensor<2x3x3x2xf32>, tensor<2xi64>) -> (tensor<6x6xf32>)
  "mlconv.yield"(%e, %f, %g, %h) : (tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4x6xf32>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0, 2]} : (tensor<3x4x6xf32>) -> (tensor<4x3x6xf32>)
  %2, %3 = "core.split"(%1) {"sizes" = [2, 2], "axis" = 0} : (tensor<4x3x6xf32>) -> (tensor<2x3x6xf32>, tensor<2x3x6xf32>)
  %4 = "core.constant"() {"value" = dense<[2, 3, 3, 2]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %5 = "core.reshape"(%2, %4) : (tensor<2x3x6xf32>, tensor<4xi64>) -> (tensor<2x3x3x2xf32>)
  %6 = "core.reshape"(%3, %4) : (tensor<2x3x6xf32>, tensor<4xi64>) -> (tensor<2x3x3x2xf32>)
  %7 = "core.neg"(%5) : (tensor<2x3x3x2xf32>) -> (tensor<2x3x3x2xf32>)
  %8 = "core.neg"(%6) : (tensor<2x3x3x2xf32>) -> (tensor<2x3x3x2xf32>)
  %9 = "core.constant"() {"value" = dense<[2, 3, 6]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %10 = "core.constant"() {"value" = dense<[6, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %11 = "core.reshape"(%7, %9) : (tensor<2x3x3x2xf32>, tensor<3xi64>) -> (tensor<2x3x6xf32>)
  %12 = "core.reshape"(%8, %9) : (tensor<2x3x3x2xf32>, tensor<3xi64>) -> (tensor<2x3x6xf32>)
  %13 = "core.reshape"(%7, %10) : (tensor<2x3x3x2xf32>, tensor<2xi64>) -> (tensor<6x6xf32>)
  %14 = "core.reshape"(%8, %10) : (tensor<2x3x3x2xf32>, tensor<2xi64>) -> (tensor<6x6xf32>)
  "mlconv.yield"(%11, %12, %13, %14) : (tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>) -> ()

// -----
// CASE: weights on the left of what is stored by rows are turned to its right, with all that multiplies the result
// What lies behind the product, and behind the reshape, moves together: neither would alone.
// RUN: layout,canonicalize,dce
^bb(%x: tensor<2x9x4xf32>, %s: tensor<2x9x6xf32>):
  %w = "core.constant"() {value = dense<0.5> : tensor<6x4xf32>} : () -> (tensor<6x4xf32>)
  %t = "core.transpose"(%x) {perm = [0, 2, 1]} : (tensor<2x9x4xf32>) -> (tensor<2x4x9xf32>)
  %m = "core.matmul"(%w, %t) {transpose_a = false, transpose_b = false} : (tensor<6x4xf32>, tensor<2x4x9xf32>) -> (tensor<2x6x9xf32>)
  %e = "core.exp"(%m) : (tensor<2x6x9xf32>) -> (tensor<2x6x9xf32>)
  %c = "core.constant"() {value = dense<[2, 6, 9, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %a = "core.reshape"(%e, %c) : (tensor<2x6x9xf32>, tensor<4xi64>) -> (tensor<2x6x9x1xf32>)
  %k = "core.constant"() {value = dense<0.25> : tensor<1x6x1x3xf32>} : () -> (tensor<1x6x1x3xf32>)
  %d = "core.mul"(%k, %a) : (tensor<1x6x1x3xf32>, tensor<2x6x9x1xf32>) -> (tensor<2x6x9x3xf32>)
  %u = "core.transpose"(%s) {perm = [0, 2, 1]} : (tensor<2x9x6xf32>) -> (tensor<2x6x9xf32>)
  %b = "core.reshape"(%u, %c) : (tensor<2x6x9xf32>, tensor<4xi64>) -> (tensor<2x6x9x1xf32>)
  %y = "core.mul"(%d, %b) : (tensor<2x6x9x3xf32>, tensor<2x6x9x1xf32>) -> (tensor<2x6x9x3xf32>)
  %z = "core.reduce_sum"(%y) {axes = [1, 3], keepdims = false} : (tensor<2x6x9x3xf32>) -> (tensor<2x9xf32>)
  "mlconv.yield"(%z) : (tensor<2x9xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x9x4xf32>, %1: tensor<2x9x6xf32>):
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<6x4xf32>} : () -> (tensor<6x4xf32>)
  %3 = "core.matmul"(%0, %2) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x9x4xf32>, tensor<6x4xf32>) -> (tensor<2x9x6xf32>)
  %4 = "core.exp"(%3) : (tensor<2x9x6xf32>) -> (tensor<2x9x6xf32>)
  %5 = "core.constant"() {"value" = dense<[2, 9, 1, 6]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<2x9x6xf32>, tensor<4xi64>) -> (tensor<2x9x1x6xf32>)
  %7 = "core.constant"() {"value" = dense<0.25> : tensor<1x1x3x6xf32>} : () -> (tensor<1x1x3x6xf32>)
  %8 = "core.mul"(%7, %6) : (tensor<1x1x3x6xf32>, tensor<2x9x1x6xf32>) -> (tensor<2x9x3x6xf32>)
  %9 = "core.constant"() {"value" = dense<[2, 9, 1, 6]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %10 = "core.reshape"(%1, %9) : (tensor<2x9x6xf32>, tensor<4xi64>) -> (tensor<2x9x1x6xf32>)
  %11 = "core.mul"(%8, %10) : (tensor<2x9x3x6xf32>, tensor<2x9x1x6xf32>) -> (tensor<2x9x3x6xf32>)
  %12 = "core.reduce_sum"(%11) {"axes" = [2, 3], "keepdims" = false} : (tensor<2x9x3x6xf32>) -> (tensor<2x9xf32>)
  "mlconv.yield"(%12) : (tensor<2x9xf32>) -> ()

// -----
// CASE: operands of products that read them as they lie are stored so, by one transpose
// RUN: layout{plain-products=true},canonicalize,dce
^bb(%x: tensor<2x9x4xf32>, %q: tensor<2x5x4xf32>):
  %t = "core.transpose"(%x) {perm = [0, 2, 1]} : (tensor<2x9x4xf32>) -> (tensor<2x4x9xf32>)
  %e = "core.exp"(%t) : (tensor<2x4x9xf32>) -> (tensor<2x4x9xf32>)
  %f = "core.tanh"(%x) : (tensor<2x9x4xf32>) -> (tensor<2x9x4xf32>)
  %y = "core.matmul"(%q, %e) : (tensor<2x5x4xf32>, tensor<2x4x9xf32>) -> (tensor<2x5x9xf32>)
  %z = "core.matmul"(%q, %f) {transpose_b = true} : (tensor<2x5x4xf32>, tensor<2x9x4xf32>) -> (tensor<2x5x9xf32>)
  "mlconv.yield"(%y, %z) : (tensor<2x5x9xf32>, tensor<2x5x9xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x9x4xf32>, %1: tensor<2x5x4xf32>):
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 1]} : (tensor<2x9x4xf32>) -> (tensor<2x4x9xf32>)
  %3 = "core.exp"(%2) : (tensor<2x4x9xf32>) -> (tensor<2x4x9xf32>)
  %4 = "core.tanh"(%2) : (tensor<2x4x9xf32>) -> (tensor<2x4x9xf32>)
  %5 = "core.matmul"(%1, %3) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x5x4xf32>, tensor<2x4x9xf32>) -> (tensor<2x5x9xf32>)
  %6 = "core.matmul"(%1, %4) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x5x4xf32>, tensor<2x4x9xf32>) -> (tensor<2x5x9xf32>)
  "mlconv.yield"(%5, %6) : (tensor<2x5x9xf32>, tensor<2x5x9xf32>) -> ()

// -----
// CASE: heads that several queries share are repeated where the source has them
// RUN: layout{plain-products=true},canonicalize,dce
^bb(%k: tensor<2x3x1x5x4xf32>, %q: tensor<2x6x7x4xf32>):
  %a = "core.constant"() {value = dense<[2, 3, 2, 5, 4]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %b = "core.broadcast_to"(%k, %a) : (tensor<2x3x1x5x4xf32>, tensor<5xi64>) -> (tensor<2x3x2x5x4xf32>)
  %c = "core.constant"() {value = dense<[2, 6, 5, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %h = "core.reshape"(%b, %c) : (tensor<2x3x2x5x4xf32>, tensor<4xi64>) -> (tensor<2x6x5x4xf32>)
  %t = "core.transpose"(%h) {perm = [0, 1, 3, 2]} : (tensor<2x6x5x4xf32>) -> (tensor<2x6x4x5xf32>)
  %y = "core.matmul"(%q, %t) : (tensor<2x6x7x4xf32>, tensor<2x6x4x5xf32>) -> (tensor<2x6x7x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x6x7x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x1x5x4xf32>, %1: tensor<2x6x7x4xf32>):
  %2 = "core.constant"() {"value" = dense<[2, 3, 14, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<2x6x7x4xf32>, tensor<4xi64>) -> (tensor<2x3x14x4xf32>)
  %4 = "core.constant"() {"value" = dense<[2, 3, 5, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %5 = "core.reshape"(%0, %4) : (tensor<2x3x1x5x4xf32>, tensor<4xi64>) -> (tensor<2x3x5x4xf32>)
  %6 = "core.matmul"(%3, %5) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x3x14x4xf32>, tensor<2x3x5x4xf32>) -> (tensor<2x3x14x5xf32>)
  %7 = "core.constant"() {"value" = dense<[2, 6, 7, 5]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %8 = "core.reshape"(%6, %7) : (tensor<2x3x14x5xf32>, tensor<4xi64>) -> (tensor<2x6x7x5xf32>)
  "mlconv.yield"(%8) : (tensor<2x6x7x5xf32>) -> ()

// -----
// CASE: what is normalized along its last axis is stored so where that is one op
// RUN: layout{channels-first=true},canonicalize,dce
^bb(%x: tensor<2x9x4xf32>):
  %t = "core.transpose"(%x) {perm = [0, 2, 1]} : (tensor<2x9x4xf32>) -> (tensor<2x4x9xf32>)
  %m = "core.reduce_mean"(%t) {axes = [2], keepdims = true} : (tensor<2x4x9xf32>) -> (tensor<2x4x1xf32>)
  %c = "core.sub"(%t, %m) : (tensor<2x4x9xf32>, tensor<2x4x1xf32>) -> (tensor<2x4x9xf32>)
  %y = "core.transpose"(%c) {perm = [0, 2, 1]} : (tensor<2x4x9xf32>) -> (tensor<2x9x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x9x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x9x4xf32>):
  %1 = "core.transpose"(%0) {"perm" = [0, 2, 1]} : (tensor<2x9x4xf32>) -> (tensor<2x4x9xf32>)
  %2 = "core.reduce_mean"(%1) {"axes" = [2], "keepdims" = true} : (tensor<2x4x9xf32>) -> (tensor<2x4x1xf32>)
  %3 = "core.sub"(%1, %2) : (tensor<2x4x9xf32>, tensor<2x4x1xf32>) -> (tensor<2x4x9xf32>)
  %4 = "core.transpose"(%3) {"perm" = [0, 2, 1]} : (tensor<2x4x9xf32>) -> (tensor<2x9x4xf32>)
  "mlconv.yield"(%4) : (tensor<2x9x4xf32>) -> ()

// -----
// CASE: probabilities may stand on the right
// RUN: layout,dce
^bb(%a: tensor<2x3x5x5xf32>, %x: tensor<2x3x4x5xf32>):
  %p = "core.softmax"(%a) {axis = 3} : (tensor<2x3x5x5xf32>) -> (tensor<2x3x5x5xf32>)
  %n = "core.neg"(%x) : (tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>)
  %v = "core.transpose"(%n) {perm = [0, 1, 3, 2]} : (tensor<2x3x4x5xf32>) -> (tensor<2x3x5x4xf32>)
  %y = "core.matmul"(%p, %v) : (tensor<2x3x5x5xf32>, tensor<2x3x5x4xf32>) -> (tensor<2x3x5x4xf32>)
  %t = "core.transpose"(%y) {perm = [0, 1, 3, 2]} : (tensor<2x3x5x4xf32>) -> (tensor<2x3x4x5xf32>)
  %z = "core.add"(%t, %n) : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>)
  "mlconv.yield"(%z) : (tensor<2x3x4x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x5x5xf32>, %1: tensor<2x3x4x5xf32>):
  %2 = "core.softmax"(%0) {"axis" = 3} : (tensor<2x3x5x5xf32>) -> (tensor<2x3x5x5xf32>)
  %3 = "core.neg"(%1) : (tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>)
  %4 = "core.matmul"(%3, %2) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x3x4x5xf32>, tensor<2x3x5x5xf32>) -> (tensor<2x3x4x5xf32>)
  %5 = "core.add"(%4, %3) : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>)
  "mlconv.yield"(%5) : (tensor<2x3x4x5xf32>) -> ()

// -----
// CASE: probabilities that will be integers stay on the left
// RUN: layout{rounded=true},dce
^bb(%a: tensor<2x3x5x5xf32>, %x: tensor<2x3x4x5xf32>):
  %p = "core.softmax"(%a) {axis = 3} : (tensor<2x3x5x5xf32>) -> (tensor<2x3x5x5xf32>)
  %n = "core.neg"(%x) : (tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>)
  %v = "core.transpose"(%n) {perm = [0, 1, 3, 2]} : (tensor<2x3x4x5xf32>) -> (tensor<2x3x5x4xf32>)
  %y = "core.matmul"(%p, %v) : (tensor<2x3x5x5xf32>, tensor<2x3x5x4xf32>) -> (tensor<2x3x5x4xf32>)
  %t = "core.transpose"(%y) {perm = [0, 1, 3, 2]} : (tensor<2x3x5x4xf32>) -> (tensor<2x3x4x5xf32>)
  %z = "core.add"(%t, %n) : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>)
  "mlconv.yield"(%z) : (tensor<2x3x4x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x5x5xf32>, %1: tensor<2x3x4x5xf32>):
  %2 = "core.softmax"(%0) {"axis" = 3} : (tensor<2x3x5x5xf32>) -> (tensor<2x3x5x5xf32>)
  %3 = "core.neg"(%1) : (tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>)
  %4 = "core.matmul"(%2, %3) {"transpose_a" = false, "transpose_b" = true} : (tensor<2x3x5x5xf32>, tensor<2x3x4x5xf32>) -> (tensor<2x3x5x4xf32>)
  %5 = "core.transpose"(%4) {"perm" = [0, 1, 3, 2]} : (tensor<2x3x5x4xf32>) -> (tensor<2x3x4x5xf32>)
  %6 = "core.add"(%5, %3) : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>)
  "mlconv.yield"(%6) : (tensor<2x3x4x5xf32>) -> ()

// CASE: scores whose heads become rows for a softmax keep the axes that they have
// RUN: canonicalize
^bb(%x: tensor<2x12x5xf32>):
  %s = "core.constant"() {value = dense<[2, 4, 3, 5]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %r = "core.reshape"(%x, %s) : (tensor<2x12x5xf32>, tensor<4xi64>) -> (tensor<2x4x3x5xf32>)
  %c = "core.constant"() {value = dense<8.0> : tensor<f32>} : () -> (tensor<f32>)
  %d = "core.div"(%r, %c) : (tensor<2x4x3x5xf32>, tensor<f32>) -> (tensor<2x4x3x5xf32>)
  %m = "core.softmax"(%d) {axis = 3} : (tensor<2x4x3x5xf32>) -> (tensor<2x4x3x5xf32>)
  %t = "core.constant"() {value = dense<[2, 12, 5]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.reshape"(%m, %t) : (tensor<2x4x3x5xf32>, tensor<3xi64>) -> (tensor<2x12x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x12x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x12x5xf32>):
  %1 = "core.constant"() {"value" = dense<8.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.div"(%0, %1) : (tensor<2x12x5xf32>, tensor<f32>) -> (tensor<2x12x5xf32>)
  %3 = "core.softmax"(%2) {"axis" = 2} : (tensor<2x12x5xf32>) -> (tensor<2x12x5xf32>)
  "mlconv.yield"(%3) : (tensor<2x12x5xf32>) -> ()

// -----
// CASE: a softmax of an axis that the reshape makes stays behind it
// RUN: canonicalize
^bb(%x: tensor<2x12xf32>):
  %s = "core.constant"() {value = dense<[2, 4, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %r = "core.reshape"(%x, %s) : (tensor<2x12xf32>, tensor<3xi64>) -> (tensor<2x4x3xf32>)
  %m = "core.softmax"(%r) {axis = 2} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>)
  %t = "core.constant"() {value = dense<[2, 12]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%m, %t) : (tensor<2x4x3xf32>, tensor<2xi64>) -> (tensor<2x12xf32>)
  "mlconv.yield"(%y) : (tensor<2x12xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x12xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 4, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<2x12xf32>, tensor<3xi64>) -> (tensor<2x4x3xf32>)
  %3 = "core.softmax"(%2) {"axis" = 2} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>)
  %4 = "core.constant"() {"value" = dense<[2, 12]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %5 = "core.reshape"(%3, %4) : (tensor<2x4x3xf32>, tensor<2xi64>) -> (tensor<2x12xf32>)
  "mlconv.yield"(%5) : (tensor<2x12xf32>) -> ()

// -----
// CASE: rows of a dense network are those of its result
// RUN: canonicalize
^bb(%x: tensor<?x3x4xf32, {dims = ["b", "3", "4"]}>):
  %s = "core.constant"() {value = dense<[-1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %r = "core.reshape"(%x, %s) : (tensor<?x3x4xf32, {dims = ["b", "3", "4"]}>, tensor<2xi64>) -> (tensor<?x4xf32, {dims = ["3*b", "4"]}>)
  %k = "core.constant"() {value = dense<0.5> : tensor<4x8xf32>} : () -> (tensor<4x8xf32>)
  %p = "core.matmul"(%r, %k) {transpose_a = false, transpose_b = false} : (tensor<?x4xf32, {dims = ["3*b", "4"]}>, tensor<4x8xf32>) -> (tensor<?x8xf32, {dims = ["3*b", "8"]}>)
  %c = "core.constant"() {value = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>} : () -> (tensor<8xf32>)
  %a = "core.add"(%p, %c) : (tensor<?x8xf32, {dims = ["3*b", "8"]}>, tensor<8xf32>) -> (tensor<?x8xf32, {dims = ["3*b", "8"]}>)
  %g = "core.tanh"(%a) : (tensor<?x8xf32, {dims = ["3*b", "8"]}>) -> (tensor<?x8xf32, {dims = ["3*b", "8"]}>)
  %t = "core.constant"() {value = dense<[-1, 3, 8]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.reshape"(%g, %t) : (tensor<?x8xf32, {dims = ["3*b", "8"]}>, tensor<3xi64>) -> (tensor<?x3x8xf32, {dims = ["b", "3", "8"]}>)
  "mlconv.yield"(%y) : (tensor<?x3x8xf32, {dims = ["b", "3", "8"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3x4xf32, {dims = ["b", "3", "4"]}>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<4x8xf32>} : () -> (tensor<4x8xf32>)
  %2 = "core.constant"() {"value" = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>} : () -> (tensor<8xf32>)
  %3 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<?x3x4xf32, {dims = ["b", "3", "4"]}>, tensor<4x8xf32>) -> (tensor<?x3x8xf32, {dims = ["b", "3", "8"]}>)
  %4 = "core.add"(%3, %2) : (tensor<?x3x8xf32, {dims = ["b", "3", "8"]}>, tensor<8xf32>) -> (tensor<?x3x8xf32, {dims = ["b", "3", "8"]}>)
  %5 = "core.tanh"(%4) : (tensor<?x3x8xf32, {dims = ["b", "3", "8"]}>) -> (tensor<?x3x8xf32, {dims = ["b", "3", "8"]}>)
  "mlconv.yield"(%5) : (tensor<?x3x8xf32, {dims = ["b", "3", "8"]}>) -> ()

// -----
// CASE: what is computed before a loop is not computed in each turn
// RUN: canonicalize
^bb(%x: tensor<2x12xf32>):
  %s = "core.constant"() {value = dense<[8, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %r = "core.reshape"(%x, %s) : (tensor<2x12xf32>, tensor<2xi64>) -> (tensor<8x3xf32>)
  %e = "core.exp"(%r) : (tensor<8x3xf32>) -> (tensor<8x3xf32>)
  %z = "core.constant"() {value = dense<0.0> : tensor<2x4x3xf32>} : () -> (tensor<2x4x3xf32>)
  %w = "core.while"(%z) ({
  ^bb(%a: tensor<2x4x3xf32>):
    %m = "core.reduce_sum"(%a) {axes = [0, 1, 2]} : (tensor<2x4x3xf32>) -> (tensor<f32>)
    %c = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%m, %c) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%b: tensor<2x4x3xf32>):
    %t = "core.constant"() {value = dense<[2, 4, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
    %y = "core.reshape"(%e, %t) : (tensor<8x3xf32>, tensor<3xi64>) -> (tensor<2x4x3xf32>)
    %n = "core.add"(%b, %y) : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>)
    "mlconv.yield"(%n) : (tensor<2x4x3xf32>) -> ()
  }) : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>)
  "mlconv.yield"(%w) : (tensor<2x4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x12xf32>):
  %1 = "core.constant"() {"value" = dense<[8, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<2x12xf32>, tensor<2xi64>) -> (tensor<8x3xf32>)
  %3 = "core.exp"(%2) : (tensor<8x3xf32>) -> (tensor<8x3xf32>)
  %4 = "core.constant"() {"value" = dense<0.0> : tensor<2x4x3xf32>} : () -> (tensor<2x4x3xf32>)
  %5 = "core.while"(%4) ({
  ^bb(%6: tensor<2x4x3xf32>):
    %7 = "core.reduce_sum"(%6) {"axes" = [0, 1, 2], "keepdims" = false} : (tensor<2x4x3xf32>) -> (tensor<f32>)
    %8 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %9 = "core.less"(%7, %8) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%9) : (tensor<i1>) -> ()
  }, {
  ^bb(%10: tensor<2x4x3xf32>):
    %11 = "core.constant"() {"value" = dense<[2, 4, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
    %12 = "core.reshape"(%3, %11) : (tensor<8x3xf32>, tensor<3xi64>) -> (tensor<2x4x3xf32>)
    %13 = "core.add"(%10, %12) : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>)
    "mlconv.yield"(%13) : (tensor<2x4x3xf32>) -> ()
  }) : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>)
  "mlconv.yield"(%5) : (tensor<2x4x3xf32>) -> ()

// -----
// CASE: a product of one row keeps the axis of rows
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %s = "core.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %r = "core.reshape"(%x, %s) : (tensor<4xf32>, tensor<2xi64>) -> (tensor<1x4xf32>)
  %k = "core.constant"() {value = dense<0.5> : tensor<4x8xf32>} : () -> (tensor<4x8xf32>)
  %p = "core.matmul"(%r, %k) {transpose_a = false, transpose_b = false} : (tensor<1x4xf32>, tensor<4x8xf32>) -> (tensor<1x8xf32>)
  %t = "core.constant"() {value = dense<[8]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "core.reshape"(%p, %t) : (tensor<1x8xf32>, tensor<1xi64>) -> (tensor<8xf32>)
  "mlconv.yield"(%y) : (tensor<8xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<4xf32>, tensor<2xi64>) -> (tensor<1x4xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<4x8xf32>} : () -> (tensor<4x8xf32>)
  %4 = "core.matmul"(%2, %3) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x4xf32>, tensor<4x8xf32>) -> (tensor<1x8xf32>)
  %5 = "core.constant"() {"value" = dense<[8]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.reshape"(%4, %5) : (tensor<1x8xf32>, tensor<1xi64>) -> (tensor<8xf32>)
  "mlconv.yield"(%6) : (tensor<8xf32>) -> ()

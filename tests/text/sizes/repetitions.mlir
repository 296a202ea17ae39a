// CASE: what two ops that meet again read stays repeated, since the result would be smaller
// RUN: simplify-indices
^bb(%x: tensor<?x1xf32, {dims = ["n", "1"]}>, %w: tensor<?x32xf32, {dims = ["n", "32"]}>):
  %shape = "core.shape_of"(%w) {dtype = i64} : (tensor<?x32xf32, {dims = ["n", "32"]}>) -> (tensor<2xi64>)
  %r = "core.broadcast_to"(%x, %shape) : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<2xi64>) -> (tensor<?x32xf32, {dims = ["n", "32"]}>)
  %z = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %c = "core.less"(%r, %z) : (tensor<?x32xf32, {dims = ["n", "32"]}>, tensor<f32>) -> (tensor<?x32xi1, {dims = ["n", "32"]}>)
  %a = "core.neg"(%r) : (tensor<?x32xf32, {dims = ["n", "32"]}>) -> (tensor<?x32xf32, {dims = ["n", "32"]}>)
  %s = "core.select"(%c, %a, %x) : (tensor<?x32xi1, {dims = ["n", "32"]}>, tensor<?x32xf32, {dims = ["n", "32"]}>, tensor<?x1xf32, {dims = ["n", "1"]}>) -> (tensor<?x32xf32, {dims = ["n", "32"]}>)
  %flat = "core.constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "core.reshape"(%s, %flat) : (tensor<?x32xf32, {dims = ["n", "32"]}>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["32*n"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["32*n"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1xf32, {dims = ["n", "1"]}>, %1: tensor<?x32xf32, {dims = ["n", "32"]}>):
  %2 = "core.shape_of"(%1) {"dtype" = i64} : (tensor<?x32xf32, {dims = ["n", "32"]}>) -> (tensor<2xi64>)
  %3 = "core.broadcast_to"(%0, %2) : (tensor<?x1xf32, {dims = ["n", "1"]}>, tensor<2xi64>) -> (tensor<?x32xf32, {dims = ["n", "32"]}>)
  %4 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.less"(%3, %4) : (tensor<?x32xf32, {dims = ["n", "32"]}>, tensor<f32>) -> (tensor<?x32xi1, {dims = ["n", "32"]}>)
  %6 = "core.neg"(%3) : (tensor<?x32xf32, {dims = ["n", "32"]}>) -> (tensor<?x32xf32, {dims = ["n", "32"]}>)
  %7 = "core.select"(%5, %6, %0) : (tensor<?x32xi1, {dims = ["n", "32"]}>, tensor<?x32xf32, {dims = ["n", "32"]}>, tensor<?x1xf32, {dims = ["n", "1"]}>) -> (tensor<?x32xf32, {dims = ["n", "32"]}>)
  %8 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.reshape"(%7, %8) : (tensor<?x32xf32, {dims = ["n", "32"]}>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["32*n"]}>)
  "mlconv.yield"(%9) : (tensor<?xf32, {dims = ["32*n"]}>) -> ()

// -----
// CASE: a table that is repeated for a batch axis is projected once where a product spreads it
// RUN: simplify-indices
^bb(%x: tensor<?x2x3x?xf32, {dims = ["n", "2", "3", "t"]}>, %t: tensor<1x1x4x6xf32>, %w: tensor<6x6xf32>):
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?x2x3x?xf32, {dims = ["n", "2", "3", "t"]}>) -> (tensor<4xi64>)
  %zero = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %one = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %n = "core.gather"(%shape, %zero) : (tensor<4xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %times = "core.concat"(%one, %n, %one, %one) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %r = "core.tile"(%t, %times) : (tensor<1x1x4x6xf32>, tensor<4xi64>) -> (tensor<1x?x4x6xf32, {dims = ["1", "n", "4", "6"]}>)
  %p = "core.matmul"(%r, %w) : (tensor<1x?x4x6xf32, {dims = ["1", "n", "4", "6"]}>, tensor<6x6xf32>) -> (tensor<1x?x4x6xf32, {dims = ["1", "n", "4", "6"]}>)
  %heads = "core.constant"() {value = dense<[-1, 4, 2, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %h = "core.reshape"(%p, %heads) : (tensor<1x?x4x6xf32, {dims = ["1", "n", "4", "6"]}>, tensor<4xi64>) -> (tensor<?x4x2x3xf32, {dims = ["n", "4", "2", "3"]}>)
  %q = "core.transpose"(%h) {perm = [0, 2, 1, 3]} : (tensor<?x4x2x3xf32, {dims = ["n", "4", "2", "3"]}>) -> (tensor<?x2x4x3xf32, {dims = ["n", "2", "4", "3"]}>)
  %y = "core.matmul"(%q, %x) : (tensor<?x2x4x3xf32, {dims = ["n", "2", "4", "3"]}>, tensor<?x2x3x?xf32, {dims = ["n", "2", "3", "t"]}>) -> (tensor<?x2x4x?xf32, {dims = ["n", "2", "4", "t"]}>)
  "mlconv.yield"(%y) : (tensor<?x2x4x?xf32, {dims = ["n", "2", "4", "t"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x2x3x?xf32, {dims = ["n", "2", "3", "t"]}>, %1: tensor<1x1x4x6xf32>, %2: tensor<6x6xf32>):
  %3 = "core.matmul"(%1, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x1x4x6xf32>, tensor<6x6xf32>) -> (tensor<1x1x4x6xf32>)
  %4 = "core.constant"() {"value" = dense<[-1, 4, 2, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %5 = "core.reshape"(%3, %4) : (tensor<1x1x4x6xf32>, tensor<4xi64>) -> (tensor<1x4x2x3xf32>)
  %6 = "core.transpose"(%5) {"perm" = [0, 2, 1, 3]} : (tensor<1x4x2x3xf32>) -> (tensor<1x2x4x3xf32>)
  %7 = "core.matmul"(%6, %0) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x2x4x3xf32>, tensor<?x2x3x?xf32, {dims = ["n", "2", "3", "t"]}>) -> (tensor<?x2x4x?xf32, {dims = ["n", "2", "4", "t"]}>)
  "mlconv.yield"(%7) : (tensor<?x2x4x?xf32, {dims = ["n", "2", "4", "t"]}>) -> ()

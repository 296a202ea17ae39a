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

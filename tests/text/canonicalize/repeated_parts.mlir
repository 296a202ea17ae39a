// CASE: embeddings of positions that are repeated for a batch are computed once
// RUN: canonicalize,fold,canonicalize,fold,canonicalize,dce
^bb(%x: tensor<?x4x2xf32, {dims = ["b", "4", "2"]}>, %s: tensor<3xi64>):
  %c = "core.constant"() {value = dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>} : () -> (tensor<1x2x1xf32>)
  %two = "core.constant"() {value = dense<2> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %w = "core.shape_of"(%x) {dtype = i64} : (tensor<?x4x2xf32, {dims = ["b", "4", "2"]}>) -> (tensor<3xi64>)
  %zero = "core.constant"() {value = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %b = "core.gather"(%w, %zero) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %t = "core.concat"(%b, %two, %two) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xi64>)
  %p = "core.broadcast_to"(%c, %t) : (tensor<1x2x1xf32>, tensor<3xi64>) -> (tensor<?x2x2xf32, {dims = ["b", "2", "2"]}>)
  %q = "core.mul"(%p, %c) : (tensor<?x2x2xf32, {dims = ["b", "2", "2"]}>, tensor<1x2x1xf32>) -> (tensor<?x2x2xf32, {dims = ["b", "2", "2"]}>)
  %r = "core.concat"(%p, %q) {axis = 1} : (tensor<?x2x2xf32, {dims = ["b", "2", "2"]}>, tensor<?x2x2xf32, {dims = ["b", "2", "2"]}>) -> (tensor<?x4x2xf32, {dims = ["b", "4", "2"]}>)
  %m = "core.reduce_sum"(%r) {axes = [1], keepdims = true} : (tensor<?x4x2xf32, {dims = ["b", "4", "2"]}>) -> (tensor<?x1x2xf32, {dims = ["b", "1", "2"]}>)
  %d = "core.sub"(%r, %m) : (tensor<?x4x2xf32, {dims = ["b", "4", "2"]}>, tensor<?x1x2xf32, {dims = ["b", "1", "2"]}>) -> (tensor<?x4x2xf32, {dims = ["b", "4", "2"]}>)
  %e = "core.transpose"(%d) {perm = [0, 2, 1]} : (tensor<?x4x2xf32, {dims = ["b", "4", "2"]}>) -> (tensor<?x2x4xf32, {dims = ["b", "2", "4"]}>)
  %k = "core.constant"() {value = dense<[-1, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%e, %k) : (tensor<?x2x4xf32, {dims = ["b", "2", "4"]}>, tensor<2xi64>) -> (tensor<?x8xf32, {dims = ["b", "8"]}>)
  "mlconv.yield"(%y) : (tensor<?x8xf32, {dims = ["b", "8"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4x2xf32, {dims = ["b", "4", "2"]}>, %1: tensor<3xi64>):
  %2 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x4x2xf32, {dims = ["b", "4", "2"]}>) -> (tensor<3xi64>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.gather"(%2, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[[-7.0, -6.0, -7.0, -4.0, -7.0, -6.0, -7.0, -4.0]]> : tensor<1x8xf32>} : () -> (tensor<1x8xf32>)
  %6 = "core.constant"() {"value" = dense<[8]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %7 = "core.concat"(%4, %6) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %8 = "core.broadcast_to"(%5, %7) : (tensor<1x8xf32>, tensor<2xi64>) -> (tensor<?x8xf32, {dims = ["b", "8"]}>)
  "mlconv.yield"(%8) : (tensor<?x8xf32, {dims = ["b", "8"]}>) -> ()

// -----
// CASE: what is repeated by tiles, along an axis that the op works along stays
// RUN: canonicalize,fold,canonicalize,dce
^bb(%x: tensor<?x2xf32, {dims = ["b", "2"]}>):
  %c = "core.constant"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> (tensor<1x2xf32>)
  %w = "core.shape_of"(%x) {dtype = i64} : (tensor<?x2xf32, {dims = ["b", "2"]}>) -> (tensor<2xi64>)
  %zero = "core.constant"() {value = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %one = "core.constant"() {value = dense<1> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %b = "core.gather"(%w, %zero) {axis = 0} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %t = "core.concat"(%b, %one) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %p = "core.tile"(%c, %t) : (tensor<1x2xf32>, tensor<2xi64>) -> (tensor<?x2xf32, {dims = ["b", "2"]}>)
  %m = "core.reduce_sum"(%p) {axes = [0], keepdims = true} : (tensor<?x2xf32, {dims = ["b", "2"]}>) -> (tensor<1x2xf32>)
  %y = "core.reduce_sum"(%p) {axes = [1], keepdims = true} : (tensor<?x2xf32, {dims = ["b", "2"]}>) -> (tensor<?x1xf32, {dims = ["b", "1"]}>)
  "mlconv.yield"(%y, %m) : (tensor<?x1xf32, {dims = ["b", "1"]}>, tensor<1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<?x2xf32, {dims = ["b", "2"]}>):
  %1 = "core.constant"() {"value" = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> (tensor<1x2xf32>)
  %2 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x2xf32, {dims = ["b", "2"]}>) -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.gather"(%2, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %6 = "core.concat"(%5, %4) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %7 = "core.tile"(%1, %6) : (tensor<1x2xf32>, tensor<2xi64>) -> (tensor<?x2xf32, {dims = ["b", "2"]}>)
  %8 = "core.reduce_sum"(%7) {"axes" = [0], "keepdims" = true} : (tensor<?x2xf32, {dims = ["b", "2"]}>) -> (tensor<1x2xf32>)
  %9 = "core.constant"() {"value" = dense<[[3.0]]> : tensor<1x1xf32>} : () -> (tensor<1x1xf32>)
  %10 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %11 = "core.concat"(%5, %10) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %12 = "core.broadcast_to"(%9, %11) : (tensor<1x1xf32>, tensor<2xi64>) -> (tensor<?x1xf32, {dims = ["b", "1"]}>)
  "mlconv.yield"(%12, %8) : (tensor<?x1xf32, {dims = ["b", "1"]}>, tensor<1x2xf32>) -> ()

// CASE: a tree that compares with infinity or NaN means it
// RUN: check-finite
^bb(%x: tensor<5x3xf32>):
  %f = "core.constant"() {value = dense<[0, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %t = "core.constant"() {value = dense<[0x7F800000, 0x7FC00000]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %c = "core.constant"() {value = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %r = "core.constant"() {value = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %l = "core.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %z = "core.constant"() {value = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "core.tree_ensemble"(%x, %f, %t, %c, %r, %l, %z) {targets = 1, mlconv.absent = [7]} : (tensor<5x3xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2x2xi32>, tensor<1xi32>, tensor<3xf32>, tensor<1xi32>) -> (tensor<5x1xf32>)
  "mlconv.yield"(%y) : (tensor<5x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x3xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[0x7F800000, 0x7FC00000]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %3 = "core.constant"() {"value" = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %4 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %5 = "core.constant"() {"value" = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %6 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %7 = "core.tree_ensemble"(%0, %1, %2, %3, %4, %5, %6) {"targets" = 1, "reduction" = "add", "mlconv.absent" = [7]} : (tensor<5x3xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2x2xi32>, tensor<1xi32>, tensor<3xf32>, tensor<1xi32>) -> (tensor<5x1xf32>)
  "mlconv.yield"(%7) : (tensor<5x1xf32>) -> ()

// -----
// CASE: a constant with NaN is warned of, and nothing changes
// RUN: check-finite
^bb(%x: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<[1.0, 0x7FC00000]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %y = "core.mul"(%x, %c1) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
warning[MLC0502]: constant 'c1' (float32[2]) holds nan
  = node: c1
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 0x7FC00000]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.mul"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2) : (tensor<2xf32>) -> ()

// -----
// CASE: infinity in a few numbers is a mask or a bound
// RUN: check-finite
^bb(%x: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<[1.0, 0xFF800000]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %y = "core.mul"(%x, %c1) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 0xFF800000]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %2 = "core.mul"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%2) : (tensor<2xf32>) -> ()

// -----
// CASE: infinity in many numbers is warned of
// RUN: check-finite
^bb(%x: tensor<20xf32>):
  %c1 = "core.constant"() {value = dense<0x7F800000> : tensor<20xf32>} : () -> (tensor<20xf32>)
  %y = "core.mul"(%x, %c1) : (tensor<20xf32>, tensor<20xf32>) -> (tensor<20xf32>)
  "mlconv.yield"(%y) : (tensor<20xf32>) -> ()
// DIAGNOSTICS
warning[MLC0502]: constant 'c1' (float32[20]) holds inf
  = node: c1
// EXPECT
^bb(%0: tensor<20xf32>):
  %1 = "core.constant"() {"value" = dense<0x7F800000> : tensor<20xf32>} : () -> (tensor<20xf32>)
  %2 = "core.mul"(%0, %1) : (tensor<20xf32>, tensor<20xf32>) -> (tensor<20xf32>)
  "mlconv.yield"(%2) : (tensor<20xf32>) -> ()

// -----
// CASE: an infinite bound is no constant
// RUN: check-finite
^bb(%x: tensor<2xf32>):
  %y = "core.clamp"(%x) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.clamp"(%0) {"lo" = 0.0 : f64, "hi" = 0x7FF0000000000000 : f64} : (tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%1) : (tensor<2xf32>) -> ()

// -----
// CASE: a NaN that is only chosen is meant
// RUN: check-finite
^bb(%c: tensor<3xi1>, %x: tensor<3xf32>):
  %n = "core.constant"() {value = dense<0x7FC00000> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.select"(%c, %x, %n) : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xi1>, %1: tensor<3xf32>):
  %2 = "core.constant"() {"value" = dense<0x7FC00000> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.select"(%0, %1, %2) : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>)
  "mlconv.yield"(%3) : (tensor<3xf32>) -> ()

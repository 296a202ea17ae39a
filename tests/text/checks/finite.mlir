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

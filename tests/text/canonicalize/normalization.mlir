// CASE: a normalization takes the difference that its variance is made of
// RUN: canonicalize
// OPTIONS: locations
^bb(%x: tensor<2x6xf32>, %f: tensor<2x6xf32>, %b: tensor<6xf32>):
  %m = "core.reduce_mean"(%x) {axes = [1], keepdims = true} : (tensor<2x6xf32>) -> (tensor<2x1xf32>)
  %d = "core.sub"(%x, %m) : (tensor<2x6xf32>, tensor<2x1xf32>) -> (tensor<2x6xf32>)
  %p = "core.mul"(%x, %f) : (tensor<2x6xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>)
  %q = "core.mul"(%m, %f) : (tensor<2x1xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>)
  %r = "core.sub"(%b, %q) : (tensor<6xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>)
  %y = "core.add"(%p, %r) : (tensor<2x6xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%y, %d) : (tensor<2x6xf32>, tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x6xf32>, %1: tensor<2x6xf32>, %2: tensor<6xf32>):
  %3 = "core.reduce_mean"(%0) {"axes" = [1], "keepdims" = true} : (tensor<2x6xf32>) -> (tensor<2x1xf32>) loc("m")
  %4 = "core.sub"(%0, %3) : (tensor<2x6xf32>, tensor<2x1xf32>) -> (tensor<2x6xf32>) loc("d")
  %5 = "core.mul"(%4, %1) : (tensor<2x6xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>) loc("#fused subtract-mean-once"(fused["y", "p"]))
  %6 = "core.add"(%5, %2) : (tensor<2x6xf32>, tensor<6xf32>) -> (tensor<2x6xf32>) loc("#fused subtract-mean-once"(fused["y", "p"]))
  "mlconv.yield"(%6, %4) : (tensor<2x6xf32>, tensor<2x6xf32>) -> () loc("mlconv.yield")

// -----
// CASE: a limit of one by the length of a row is one of the length, and nothing is divided by 0
// RUN: canonicalize
^bb(%x: tensor<2x6xf32>):
  %q = "core.mul"(%x, %x) : (tensor<2x6xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>)
  %s = "core.reduce_sum"(%q) {axes = [1], keepdims = true} : (tensor<2x6xf32>) -> (tensor<2x1xf32>)
  %r = "core.rsqrt"(%s) : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %c = "core.constant"() {value = dense<1.0e6> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.minimum"(%r, %c) : (tensor<2x1xf32>, tensor<f32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%m) : (tensor<2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x6xf32>):
  %1 = "core.mul"(%0, %0) : (tensor<2x6xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>)
  %2 = "core.reduce_sum"(%1) {"axes" = [1], "keepdims" = true} : (tensor<2x6xf32>) -> (tensor<2x1xf32>)
  %3 = "core.clamp"(%2) {"lo" = 1.0e-12 : f64, "hi" = 0x7FF0000000000000 : f64} : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %4 = "core.rsqrt"(%3) : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%4) : (tensor<2x1xf32>) -> ()

// -----
// CASE: a limit of one by the root of what may be negative stays
// RUN: canonicalize
^bb(%x: tensor<2x6xf32>):
  %r = "core.rsqrt"(%x) : (tensor<2x6xf32>) -> (tensor<2x6xf32>)
  %y = "core.clamp"(%r) {lo = 0xFFF0000000000000 : f64, hi = 1.0e6 : f64} : (tensor<2x6xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x6xf32>):
  %1 = "core.rsqrt"(%0) : (tensor<2x6xf32>) -> (tensor<2x6xf32>)
  %2 = "core.clamp"(%1) {"lo" = 0xFFF0000000000000 : f64, "hi" = 1000000.0 : f64} : (tensor<2x6xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%2) : (tensor<2x6xf32>) -> ()

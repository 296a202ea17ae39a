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

// CASE: equal ops become one, operands of a sum in any order, and the one has both places
// RUN: cse
// OPTIONS: locations
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %a = "core.add"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %b = "core.add"(%z, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.mul"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "core.add"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) loc("#fused cse"(fused["a", "b"]))
  %3 = "core.mul"(%2, %2) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) loc("y")
  "mlconv.yield"(%3) : (tensor<4xf32>) -> () loc("mlconv.yield")

// -----
// CASE: differences in another order stay
// RUN: cse
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %a = "core.sub"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %b = "core.sub"(%z, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %y = "core.mul"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "core.sub"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.sub"(%1, %0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.mul"(%2, %3) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: equal constants become one
// RUN: cse
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %a = "core.mul"(%x, %c1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %c2 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %b = "core.mul"(%x, %c2) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %y = "core.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.mul"(%0, %1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %3 = "core.add"(%2, %2) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: 0.0 and -0.0 are not equal
// RUN: cse
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %a = "core.mul"(%x, %c1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %c2 = "core.constant"() {value = dense<-0.0> : tensor<f32>} : () -> (tensor<f32>)
  %b = "core.mul"(%x, %c2) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %y = "core.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.mul"(%0, %1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %3 = "core.constant"() {"value" = dense<-0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.mul"(%0, %3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %5 = "core.add"(%2, %4) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%5) : (tensor<4xf32>) -> ()

// -----
// CASE: random numbers are drawn twice
// RUN: cse
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %a = "core.random_uniform"(%c1) {seed = 3} : (tensor<1xi64>) -> (tensor<4xf32>)
  %b = "core.random_uniform"(%c1) {seed = 3} : (tensor<1xi64>) -> (tensor<4xf32>)
  %y = "core.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.random_uniform"(%1) {"dtype" = f32, "seed" = 3, "seed2" = 0} : (tensor<1xi64>) -> (tensor<4xf32>)
  %3 = "core.random_uniform"(%1) {"dtype" = f32, "seed" = 3, "seed2" = 0} : (tensor<1xi64>) -> (tensor<4xf32>)
  %4 = "core.add"(%2, %3) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: an op of a branch is one with an equal op before it
// RUN: cse
^bb(%x: tensor<4xf32>, %p: tensor<i1>):
  %n = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %r = "core.if"(%p) ({
    %m = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%m) : (tensor<4xf32>) -> ()
  }, {
    "mlconv.yield"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%r, %n) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<i1>):
  %2 = "core.neg"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.if"(%1) ({
    "mlconv.yield"(%2) : (tensor<4xf32>) -> ()
  }, {
    "mlconv.yield"(%0) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%3, %2) : (tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: equal ops of two branches stay
// RUN: cse
^bb(%x: tensor<4xf32>, %p: tensor<i1>):
  %r = "core.if"(%p) ({
    %m = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%m) : (tensor<4xf32>) -> ()
  }, {
    %k = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%k) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<i1>):
  %2 = "core.if"(%1) ({
    %3 = "core.neg"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%3) : (tensor<4xf32>) -> ()
  }, {
    %4 = "core.neg"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%4) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: ops of targets that may change places are merged too
// RUN: cse
^bb(%x: tensor<2xf32>, %z: tensor<2xf32>):
  %a = "hlo.add"(%x, %z) {op_type = ""} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %b = "hlo.add"(%z, %x) {op_type = ""} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %c = "hlo.subtract"(%a, %b) {op_type = ""} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%c) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>, %1: tensor<2xf32>):
  %2 = "hlo.add"(%0, %1) {"op_type" = ""} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %3 = "hlo.subtract"(%2, %2) {"op_type" = ""} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%3) : (tensor<2xf32>) -> ()

// -----
// CASE: equal constants become one, with the places of both
// RUN: cse
// OPTIONS: locations
^bb(%x: tensor<2xf32>):
  %a = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %b = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %c = "core.add"(%a, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %d = "core.mul"(%c, %b) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%d) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>) loc("#fused cse"(fused["a", "b"]))
  %2 = "core.add"(%1, %0) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>) loc("c")
  %3 = "core.mul"(%2, %1) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>) loc("d")
  "mlconv.yield"(%3) : (tensor<2xf32>) -> () loc("mlconv.yield")

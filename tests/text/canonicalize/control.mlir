// CASE: an if with a constant condition is its branch
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<false> : tensor<i1>} : () -> (tensor<i1>)
  %r, %r1 = "core.if"(%c1) ({
    %c2 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
    %m = "core.mul"(%x, %c2) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    %n = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%m, %n) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }, {
    %c3 = "core.constant"() {value = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
    %m_1 = "core.mul"(%x, %c3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    %n_1 = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%m_1, %n_1) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.mul"(%0, %1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: an if with an open condition stays
// RUN: canonicalize
^bb(%x: tensor<4xf32>, %p: tensor<i1>):
  %r, %r1 = "core.if"(%p) ({
    %c1 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
    %m = "core.mul"(%x, %c1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    %n = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%m, %n) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }, {
    %c2 = "core.constant"() {value = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
    %m_1 = "core.mul"(%x, %c2) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    %n_1 = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%m_1, %n_1) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%r, %r1) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<i1>):
  %2, %3 = "core.if"(%1) ({
    %4 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
    %5 = "core.mul"(%0, %4) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    %6 = "core.neg"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%5, %6) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }, {
    %7 = "core.constant"() {"value" = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
    %8 = "core.mul"(%0, %7) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    %9 = "core.neg"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%8, %9) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%2, %3) : (tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: a loop that never runs gives its initial value
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %w = "core.while"(%x) ({
  ^bb(%a1: tensor<4xf32>):
    %c1 = "core.constant"() {value = dense<false> : tensor<i1>} : () -> (tensor<i1>)
    "mlconv.yield"(%c1) : (tensor<i1>) -> ()
  }, {
  ^bb(%a3: tensor<4xf32>):
    %d = "core.add"(%a3, %a3) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%d) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%w) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  "mlconv.yield"(%0) : (tensor<4xf32>) -> ()

// -----
// CASE: ops in the body of a loop are simplified
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %w = "core.while"(%x) ({
  ^bb(%a1: tensor<4xf32>):
    %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a5: tensor<4xf32>):
    %d = "core.add"(%a5, %a5) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
    %m = "core.mul"(%d, %c2) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%m) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%w) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.while"(%0) ({
  ^bb(%2: tensor<4xf32>):
    %3 = "core.reduce_sum"(%2) {"axes" = [0], "keepdims" = false} : (tensor<4xf32>) -> (tensor<f32>)
    %4 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %5 = "core.less"(%3, %4) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%5) : (tensor<i1>) -> ()
  }, {
  ^bb(%6: tensor<4xf32>):
    %7 = "core.add"(%6, %6) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%7) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

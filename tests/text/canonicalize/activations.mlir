// CASE: gelu by erf of x divided by the root of two
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<1.4142135> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.div"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %e1 = "core.erf"(%s) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.add"(%e1, %c2) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %m = "core.mul"(%x, %p) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.mul"(%m, %c3) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.gelu"(%0) {"approximate" = false} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: gelu by erf of x times the root of a half
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<0.70710677> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.mul"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %e1 = "core.erf"(%s) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.add"(%e1, %c2) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %m = "core.mul"(%x, %p) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.mul"(%m, %c3) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.gelu"(%0) {"approximate" = false} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: gelu with the half first keeps all its places
// RUN: canonicalize
// OPTIONS: locations
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %h = "core.mul"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<1.4142135> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.div"(%x, %c2) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %e1 = "core.erf"(%s) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c3 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.add"(%c3, %e1) : (tensor<f32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %y = "core.mul"(%h, %p) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.gelu"(%0) {"approximate" = false} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) loc("#fused recognise-gelu"(fused["y", "h", "p", "e1", "s"]))
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> () loc("mlconv.yield")

// -----
// CASE: gelu by erfc of -x
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %n = "core.neg"(%x) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c1 = "core.constant"() {value = dense<0.70710677> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.mul"(%n, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %e1 = "core.erfc"(%s) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %h = "core.mul"(%x, %c2) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %y = "core.mul"(%h, %e1) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.gelu"(%0) {"approximate" = false} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: erf of 0.8 x is no gelu
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<0.8> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.mul"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %e1 = "core.erf"(%s) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.add"(%e1, %c2) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %m = "core.mul"(%x, %p) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.mul"(%m, %c3) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.8> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.mul"(%0, %1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %3 = "core.erf"(%2) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %4 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %5 = "core.add"(%3, %4) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %6 = "core.mul"(%0, %5) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %7 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %8 = "core.mul"(%6, %7) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%8) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: erf of another value than the factor is no gelu
// RUN: canonicalize
^bb(%x: tensor<4xf32>, %z: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<1.4142135> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.div"(%x, %c1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %e1 = "core.erf"(%s) : (tensor<4xf32>) -> (tensor<4xf32>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.add"(%e1, %c2) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %m = "core.mul"(%z, %p) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %c3 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.mul"(%m, %c3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "core.constant"() {"value" = dense<1.4142135> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.div"(%0, %2) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %4 = "core.erf"(%3) : (tensor<4xf32>) -> (tensor<4xf32>)
  %5 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %6 = "core.add"(%4, %5) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %7 = "core.mul"(%1, %6) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %8 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %9 = "core.mul"(%7, %8) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%9) : (tensor<4xf32>) -> ()

// -----
// CASE: hard swish as x * (clamp / 6)
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.add"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %k = "core.clamp"(%p) {lo = 0.0 : f64, hi = 6.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<6.0> : tensor<f32>} : () -> (tensor<f32>)
  %d = "core.div"(%k, %c2) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %y = "core.mul"(%x, %d) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.hard_swish"(%0) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: hard swish as (x * clamp) * 1/6
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.add"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %k = "core.clamp"(%p) {lo = 0.0 : f64, hi = 6.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %m = "core.mul"(%x, %k) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<0.16666667> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.mul"(%m, %c2) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.hard_swish"(%0) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: hard swish as x * clamp(x / 6 + 1/2)
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<0.16666667> : tensor<f32>} : () -> (tensor<f32>)
  %q = "core.mul"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.add"(%q, %c2) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %k = "core.clamp"(%p) {lo = 0.0 : f64, hi = 1.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %y = "core.mul"(%x, %k) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.hard_swish"(%0) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a hard sigmoid of slope 0.2 makes no hard swish
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<0.2> : tensor<f32>} : () -> (tensor<f32>)
  %q = "core.mul"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.add"(%q, %c2) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %k = "core.clamp"(%p) {lo = 0.0 : f64, hi = 1.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %y = "core.mul"(%x, %k) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.2> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.mul"(%0, %1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.add"(%2, %3) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %5 = "core.clamp"(%4) {"lo" = 0.0 : f64, "hi" = 1.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %6 = "core.mul"(%0, %5) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%6) : (tensor<2x3x4xf32>) -> ()

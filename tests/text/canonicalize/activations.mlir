// CASE: gelu by tanh of x and its cube
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %e = "core.constant"() {value = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.pow"(%x, %e) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %k = "core.constant"() {value = dense<0.044715> : tensor<f32>} : () -> (tensor<f32>)
  %q = "core.mul"(%p, %k) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %s = "core.add"(%x, %q) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %r = "core.constant"() {value = dense<0.7978846> : tensor<f32>} : () -> (tensor<f32>)
  %t = "core.mul"(%s, %r) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %h = "core.tanh"(%t) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %o = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %g = "core.add"(%h, %o) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %f = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%x, %f) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %y = "core.mul"(%m, %g) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.gelu"(%0) {"approximate" = true} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x4xf32>) -> ()

// -----
// CASE: gelu by tanh of x times one and its square
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %k = "core.constant"() {value = dense<0.044715> : tensor<f32>} : () -> (tensor<f32>)
  %q = "core.mul"(%x, %k) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %p = "core.mul"(%q, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %o = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.add"(%p, %o) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %r = "core.constant"() {value = dense<0.79788456> : tensor<f32>} : () -> (tensor<f32>)
  %w = "core.mul"(%x, %r) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %t = "core.mul"(%w, %s) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %h = "core.tanh"(%t) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %g = "core.add"(%h, %o) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %f = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%x, %f) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %y = "core.mul"(%m, %g) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.gelu"(%0) {"approximate" = true} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x4xf32>) -> ()

// -----
// CASE: another number than that of gelu stays
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %e = "core.constant"() {value = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.pow"(%x, %e) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %k = "core.constant"() {value = dense<0.05> : tensor<f32>} : () -> (tensor<f32>)
  %q = "core.mul"(%p, %k) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %s = "core.add"(%x, %q) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %r = "core.constant"() {value = dense<0.7978846> : tensor<f32>} : () -> (tensor<f32>)
  %t = "core.mul"(%s, %r) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %h = "core.tanh"(%t) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %o = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %g = "core.add"(%h, %o) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %f = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%x, %f) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %y = "core.mul"(%m, %g) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<3.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.pow"(%0, %1) {"natural" = false} : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %3 = "core.constant"() {"value" = dense<0.05> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.mul"(%2, %3) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %5 = "core.add"(%0, %4) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %6 = "core.constant"() {"value" = dense<0.7978846> : tensor<f32>} : () -> (tensor<f32>)
  %7 = "core.mul"(%5, %6) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %8 = "core.tanh"(%7) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %9 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %10 = "core.add"(%8, %9) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %11 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %12 = "core.mul"(%0, %11) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %13 = "core.mul"(%12, %10) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%13) : (tensor<2x4xf32>) -> ()

// -----
// CASE: PReLU as Keras writes it chooses by the sign
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %a = "core.constant"() {value = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %p = "core.clamp"(%x) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %n = "core.neg"(%x) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %q = "core.clamp"(%n) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %m = "core.mul"(%q, %a) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  %y = "core.add"(%p, %m) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "core.neg"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.mul"(%0, %2) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  %5 = "core.less"(%0, %3) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xi1>)
  %6 = "core.select"(%5, %4, %0) : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%6) : (tensor<2x4xf32>) -> ()

// -----
// CASE: one slope is leaky relu
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %a = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.clamp"(%x) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %n = "core.neg"(%x) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %q = "core.clamp"(%n) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %m = "core.mul"(%q, %a) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %y = "core.add"(%p, %m) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.leaky_relu"(%0) {"alpha" = -0.5 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x4xf32>) -> ()

// -----
// CASE: a choice between x and a part of it is leaky relu
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %z = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %c1 = "core.greater"(%x, %z) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xi1>)
  %a = "core.constant"() {value = dense<0.25> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%a, %x) : (tensor<f32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %y = "core.select"(%c1, %x, %m) : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.leaky_relu"(%0) {"alpha" = 0.25 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x4xf32>) -> ()

// -----
// CASE: slopes for channels are chosen by one kind of test
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %z = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %c1 = "core.greater_equal"(%x, %z) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xi1>)
  %a = "core.constant"() {value = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %m = "core.mul"(%x, %a) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  %y = "core.select"(%c1, %x, %m) : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0.5, -0.25, 0.1, 2.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.mul"(%0, %1) : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>)
  %4 = "core.less"(%0, %2) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xi1>)
  %5 = "core.select"(%4, %3, %0) : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%5) : (tensor<2x4xf32>) -> ()

// -----
// CASE: the larger one of x and a part of it is leaky relu
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %a = "core.constant"() {value = dense<0.2> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%x, %a) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %y = "core.maximum"(%m, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.leaky_relu"(%0) {"alpha" = 0.20000000298023224 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x4xf32>) -> ()

// -----
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

// -----
// CASE: a constant batch of one matrix is the matrix; where it gives the result an axis, it stays
// RUN: canonicalize,fold,dce
^bb(%x: tensor<2x3x4xf32>, %z: tensor<3x4xf32>):
  %b = "core.constant"() {value = dense<0.5> : tensor<1x4x2xf32>} : () -> (tensor<1x4x2xf32>)
  %y = "core.matmul"(%x, %b) : (tensor<2x3x4xf32>, tensor<1x4x2xf32>) -> (tensor<2x3x2xf32>)
  %w = "core.matmul"(%z, %b) : (tensor<3x4xf32>, tensor<1x4x2xf32>) -> (tensor<1x3x2xf32>)
  "mlconv.yield"(%y, %w) : (tensor<2x3x2xf32>, tensor<1x3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<3x4xf32>):
  %2 = "core.constant"() {"value" = dense<0.5> : tensor<1x4x2xf32>} : () -> (tensor<1x4x2xf32>)
  %3 = "core.constant"() {"value" = dense<0.5> : tensor<4x2xf32>} : () -> (tensor<4x2xf32>)
  %4 = "core.matmul"(%0, %3) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x3x4xf32>, tensor<4x2xf32>) -> (tensor<2x3x2xf32>)
  %5 = "core.matmul"(%1, %2) {"transpose_a" = false, "transpose_b" = false} : (tensor<3x4xf32>, tensor<1x4x2xf32>) -> (tensor<1x3x2xf32>)
  "mlconv.yield"(%4, %5) : (tensor<2x3x2xf32>, tensor<1x3x2xf32>) -> ()

// -----
// CASE: the parts of x above 0 and of e^x - 1 below are elu
// RUN: canonicalize
^bb(%x: tensor<2x4xf32>):
  %r = "core.clamp"(%x) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %b = "core.clamp"(%x) {lo = 0xFFF0000000000000 : f64, hi = 0.0 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %e = "core.expm1"(%b) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %f = "core.exp"(%b) : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %c = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %g = "core.sub"(%f, %c) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>)
  %y = "core.add"(%r, %e) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %z = "core.add"(%g, %r) : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y, %z) : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.elu"(%0) {"alpha" = 1.0 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  %2 = "core.elu"(%0) {"alpha" = 1.0 : f64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%1, %2) : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()

// CASE: x * 1, x / 1, x - 0 and 0 + x are x
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %a = "core.mul"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %b = "core.div"(%a, %c2) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %c3 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.sub"(%b, %c3) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %c4 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.add"(%c4, %s) : (tensor<f32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  "mlconv.yield"(%0) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: x + 0 stays where it makes x larger
// RUN: canonicalize
^bb(%x: tensor<3xf32>):
  %c1 = "core.constant"() {value = dense<0.0> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %y = "core.add"(%x, %c1) : (tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<2x3xf32>} : () -> (tensor<2x3xf32>)
  %2 = "core.add"(%0, %1) : (tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: 0 - x stays
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.sub"(%c1, %x) : (tensor<f32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.sub"(%1, %0) : (tensor<f32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: x * 0 stays, since x may be NaN
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.mul"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.mul"(%0, %1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a cast to the own type goes
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %y = "core.cast"(%x) {dtype = f32} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  "mlconv.yield"(%0) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a cast passes over one that loses nothing
// RUN: canonicalize
^bb(%x: tensor<4xi8>):
  %c1 = "core.cast"(%x) {dtype = i32} : (tensor<4xi8>) -> (tensor<4xi32>)
  %y = "core.cast"(%c1) {dtype = f32} : (tensor<4xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xi8>):
  %1 = "core.cast"(%0) {"dtype" = f32, "saturate" = false} : (tensor<4xi8>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: a cast through float16 stays, since it rounds
// RUN: canonicalize
^bb(%x: tensor<4xf32>):
  %c1 = "core.cast"(%x) {dtype = f16} : (tensor<4xf32>) -> (tensor<4xf16>)
  %y = "core.cast"(%c1) {dtype = f32} : (tensor<4xf16>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.cast"(%0) {"dtype" = f16, "saturate" = false} : (tensor<4xf32>) -> (tensor<4xf16>)
  %2 = "core.cast"(%1) {"dtype" = f32, "saturate" = false} : (tensor<4xf16>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: a cast through float32 of 32 bit integers stays
// RUN: canonicalize
^bb(%x: tensor<4xi32>):
  %c1 = "core.cast"(%x) {dtype = f32} : (tensor<4xi32>) -> (tensor<4xf32>)
  %y = "core.cast"(%c1) {dtype = f64} : (tensor<4xf32>) -> (tensor<4xf64>)
  "mlconv.yield"(%y) : (tensor<4xf64>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>):
  %1 = "core.cast"(%0) {"dtype" = f32, "saturate" = false} : (tensor<4xi32>) -> (tensor<4xf32>)
  %2 = "core.cast"(%1) {"dtype" = f64, "saturate" = false} : (tensor<4xf32>) -> (tensor<4xf64>)
  "mlconv.yield"(%2) : (tensor<4xf64>) -> ()

// -----
// CASE: clamps whose ranges meet become one, which has both places
// RUN: canonicalize
// OPTIONS: locations
^bb(%x: tensor<2x3x4xf32>):
  %a = "core.clamp"(%x) {lo = 0.0 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %y = "core.clamp"(%a) {lo = -1.0 : f64, hi = 6.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.clamp"(%0) {"lo" = 0.0 : f64, "hi" = 6.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) loc("#fused merge-clamps"(fused["y", "a"]))
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> () loc("mlconv.yield")

// -----
// CASE: clamps whose ranges do not meet stay
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %a = "core.clamp"(%x) {lo = 0.0 : f64, hi = 1.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %y = "core.clamp"(%a) {lo = 2.0 : f64, hi = 3.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.clamp"(%0) {"lo" = 0.0 : f64, "hi" = 1.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %2 = "core.clamp"(%1) {"lo" = 2.0 : f64, "hi" = 3.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a clamp without bounds goes
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %y = "core.clamp"(%x) {lo = 0xFFF0000000000000 : f64, hi = 0x7FF0000000000000 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  "mlconv.yield"(%0) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a minimum and a maximum with numbers are one clamp
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %a = "core.maximum"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  %c2 = "core.constant"() {value = dense<6.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.minimum"(%c2, %a) : (tensor<f32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.clamp"(%0) {"lo" = 0.0 : f64, "hi" = 6.0 : f64} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a maximum with several numbers stays
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %y = "core.maximum"(%x, %c1) : (tensor<2x3x4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>} : () -> (tensor<4xf32>)
  %2 = "core.maximum"(%0, %1) : (tensor<2x3x4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a maximum of integers stays
// RUN: canonicalize
^bb(%x: tensor<4xi32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.maximum"(%x, %c1) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>)
  "mlconv.yield"(%y) : (tensor<4xi32>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.maximum"(%0, %1) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>)
  "mlconv.yield"(%2) : (tensor<4xi32>) -> ()

// -----
// CASE: a minimum with NaN stays
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<0x7FC00000> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.minimum"(%x, %c1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<0x7FC00000> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.minimum"(%0, %1) : (tensor<2x3x4xf32>, tensor<f32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a select with a constant condition is one side
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<false> : tensor<i1>} : () -> (tensor<i1>)
  %y = "core.select"(%c1, %x, %z) : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2x3xf32>):
  "mlconv.yield"(%1) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a select with a constant condition stays where the side is broadcast
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>, %z: tensor<3xf32>):
  %c1 = "core.constant"() {value = dense<false> : tensor<i1>} : () -> (tensor<i1>)
  %y = "core.select"(%c1, %x, %z) : (tensor<i1>, tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
  %2 = "core.constant"() {"value" = dense<false> : tensor<i1>} : () -> (tensor<i1>)
  %3 = "core.select"(%2, %0, %1) : (tensor<i1>, tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3) : (tensor<2x3xf32>) -> ()

// -----
// CASE: an explicit broadcast before an addition goes
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>, %z: tensor<3xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.broadcast_to"(%z, %c1) : (tensor<3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %y = "core.add"(%x, %w) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
  %2 = "core.add"(%0, %1) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: an explicit broadcast that the other operand does not make stays
// RUN: canonicalize
^bb(%x: tensor<1x3xf32>, %z: tensor<3xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.broadcast_to"(%z, %c1) : (tensor<3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %y = "core.add"(%x, %w) : (tensor<1x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3xf32>, %1: tensor<3xf32>):
  %2 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.broadcast_to"(%1, %2) : (tensor<3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>)
  %4 = "core.add"(%0, %3) : (tensor<1x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()

// -----
// CASE: a cast of what is cut off cuts off itself; of another sign it does not
// RUN: canonicalize,cse,dce
^bb(%x: tensor<3xf32>, %z: tensor<3xf32>):
  %a = "core.abs"(%x) : (tensor<3xf32>) -> (tensor<3xf32>)
  %f = "core.floor"(%a) : (tensor<3xf32>) -> (tensor<3xf32>)
  %g = "core.sign"(%x) : (tensor<3xf32>) -> (tensor<3xf32>)
  %t = "core.mul"(%g, %f) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  %i = "core.cast"(%t) {"dtype" = i32} : (tensor<3xf32>) -> (tensor<3xi32>)
  %h = "core.sign"(%z) : (tensor<3xf32>) -> (tensor<3xf32>)
  %u = "core.mul"(%h, %f) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  %j = "core.cast"(%u) {"dtype" = i32} : (tensor<3xf32>) -> (tensor<3xi32>)
  "mlconv.yield"(%i, %j) : (tensor<3xi32>, tensor<3xi32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>, %1: tensor<3xf32>):
  %2 = "core.abs"(%0) : (tensor<3xf32>) -> (tensor<3xf32>)
  %3 = "core.floor"(%2) : (tensor<3xf32>) -> (tensor<3xf32>)
  %4 = "core.cast"(%0) {"dtype" = i32, "saturate" = false} : (tensor<3xf32>) -> (tensor<3xi32>)
  %5 = "core.sign"(%1) : (tensor<3xf32>) -> (tensor<3xf32>)
  %6 = "core.mul"(%5, %3) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  %7 = "core.cast"(%6) {"dtype" = i32, "saturate" = false} : (tensor<3xf32>) -> (tensor<3xi32>)
  "mlconv.yield"(%4, %7) : (tensor<3xi32>, tensor<3xi32>) -> ()

// -----
// CASE: one number, however often it stands in a constant, is repeated by what chooses it
// RUN: canonicalize
^bb(%c: tensor<4x1xi1>, %x: tensor<1x6xf32>, %y: tensor<4x6xf32>):
  %k = "core.constant"() {value = dense<-1.0> : tensor<4x6xf32>} : () -> (tensor<4x6xf32>)
  %a = "core.select"(%c, %k, %x) : (tensor<4x1xi1>, tensor<4x6xf32>, tensor<1x6xf32>) -> (tensor<4x6xf32>)
  "mlconv.yield"(%a) : (tensor<4x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x1xi1>, %1: tensor<1x6xf32>, %2: tensor<4x6xf32>):
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<-1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %4 = "core.select"(%0, %3, %1) : (tensor<4x1xi1>, tensor<f32>, tensor<1x6xf32>) -> (tensor<4x6xf32>)
  "mlconv.yield"(%4) : (tensor<4x6xf32>) -> ()

// -----
// CASE: a repeated number that gives the result its shape stays
// RUN: canonicalize
^bb(%x: tensor<1x6xf32>):
  %k = "core.constant"() {value = dense<2.0> : tensor<4x6xf32>} : () -> (tensor<4x6xf32>)
  %a = "core.add"(%k, %x) : (tensor<4x6xf32>, tensor<1x6xf32>) -> (tensor<4x6xf32>)
  "mlconv.yield"(%a) : (tensor<4x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x6xf32>):
  %1 = "core.constant"() {"value" = dense<2.0> : tensor<4x6xf32>} : () -> (tensor<4x6xf32>)
  %2 = "core.add"(%1, %0) : (tensor<4x6xf32>, tensor<1x6xf32>) -> (tensor<4x6xf32>)
  "mlconv.yield"(%2) : (tensor<4x6xf32>) -> ()

// -----
// CASE: sums of tiles of columns and rows are sums of columns and rows, and what is added as a negative is subtracted
// RUN: canonicalize
^bb(%x: tensor<4x1xf32>, %y: tensor<1x6xf32>):
  %n = "core.neg"(%y) : (tensor<1x6xf32>) -> (tensor<1x6xf32>)
  %m = "core.neg"(%n) : (tensor<1x6xf32>) -> (tensor<1x6xf32>)
  %r = "core.constant"() {value = dense<[1, 6]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.tile"(%x, %r) : (tensor<4x1xf32>, tensor<2xi64>) -> (tensor<4x6xf32>)
  %s = "core.constant"() {value = dense<[4, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %b = "core.tile"(%n, %s) : (tensor<1x6xf32>, tensor<2xi64>) -> (tensor<4x6xf32>)
  %z = "core.add"(%a, %b) : (tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<4x6xf32>)
  %w = "core.sub"(%z, %m) : (tensor<4x6xf32>, tensor<1x6xf32>) -> (tensor<4x6xf32>)
  "mlconv.yield"(%w) : (tensor<4x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x1xf32>, %1: tensor<1x6xf32>):
  %2 = "core.sub"(%0, %1) : (tensor<4x1xf32>, tensor<1x6xf32>) -> (tensor<4x6xf32>)
  %3 = "core.sub"(%2, %1) : (tensor<4x6xf32>, tensor<1x6xf32>) -> (tensor<4x6xf32>)
  "mlconv.yield"(%3) : (tensor<4x6xf32>) -> ()

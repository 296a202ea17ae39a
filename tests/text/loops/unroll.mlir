// CASE: a loop of two turns is written out
// RUN: unroll,fold,dce
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %w, %w1 = "core.while"(%c1, %x) ({
  ^bb(%a2: tensor<i32>, %a3: tensor<4xf32>):
    %c2 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
    %l = "core.less"(%a2, %c2) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<i32>, %a7: tensor<4xf32>):
    %c3 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %n = "core.add"(%a6, %c3) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %q = "core.cast"(%a6) {dtype = f32} : (tensor<i32>) -> (tensor<f32>)
    %m = "core.mul"(%a7, %q) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%n, %m) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%w1) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.mul"(%0, %1) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %3 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.mul"(%2, %3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: a loop without a turn gives its initial value
// RUN: unroll,dce
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %w, %w1 = "core.while"(%c1, %x) ({
  ^bb(%a2: tensor<i32>, %a3: tensor<4xf32>):
    %c2 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
    %l = "core.less"(%a2, %c2) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<i32>, %a7: tensor<4xf32>):
    %c3 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %n = "core.add"(%a6, %c3) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %q = "core.cast"(%a6) {dtype = f32} : (tensor<i32>) -> (tensor<f32>)
    %m = "core.mul"(%a7, %q) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%n, %m) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%w1) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  "mlconv.yield"(%0) : (tensor<4xf32>) -> ()

// -----
// CASE: a loop of more turns than the limit stays
// RUN: unroll{turns=3}
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %w, %w1 = "core.while"(%c1, %x) ({
  ^bb(%a2: tensor<i32>, %a3: tensor<4xf32>):
    %c2 = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
    %l = "core.less"(%a2, %c2) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<i32>, %a7: tensor<4xf32>):
    %c3 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %n = "core.add"(%a6, %c3) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %q = "core.cast"(%a6) {dtype = f32} : (tensor<i32>) -> (tensor<f32>)
    %m = "core.mul"(%a7, %q) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%n, %m) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%w1) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2, %3 = "core.while"(%1, %0) ({
  ^bb(%4: tensor<i32>, %5: tensor<4xf32>):
    %6 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
    %7 = "core.less"(%4, %6) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<i32>, %9: tensor<4xf32>):
    %10 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %11 = "core.add"(%8, %10) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %12 = "core.cast"(%8) {"dtype" = f32, "saturate" = false} : (tensor<i32>) -> (tensor<f32>)
    %13 = "core.mul"(%9, %12) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%11, %13) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: a loop of more ops than the limit stays
// RUN: unroll{ops=10}
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %w, %w1 = "core.while"(%c1, %x) ({
  ^bb(%a2: tensor<i32>, %a3: tensor<4xf32>):
    %c2 = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
    %l = "core.less"(%a2, %c2) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<i32>, %a7: tensor<4xf32>):
    %c3 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %n = "core.add"(%a6, %c3) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %q = "core.cast"(%a6) {dtype = f32} : (tensor<i32>) -> (tensor<f32>)
    %m = "core.mul"(%a7, %q) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%n, %m) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%w1) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2, %3 = "core.while"(%1, %0) ({
  ^bb(%4: tensor<i32>, %5: tensor<4xf32>):
    %6 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
    %7 = "core.less"(%4, %6) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<i32>, %9: tensor<4xf32>):
    %10 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %11 = "core.add"(%8, %10) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %12 = "core.cast"(%8) {"dtype" = f32, "saturate" = false} : (tensor<i32>) -> (tensor<f32>)
    %13 = "core.mul"(%9, %12) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%11, %13) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: turns that a table decides are counted
// 0, 2, 3, 1
// RUN: unroll,fold,dce
^bb(%x: tensor<f32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %w, %w1 = "core.while"(%c1, %x) ({
  ^bb(%a2: tensor<i64>, %a3: tensor<f32>):
    %c2 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %l = "core.not_equal"(%a2, %c2) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<i64>, %a7: tensor<f32>):
    %c3 = "core.constant"() {value = dense<[2, 0, 3, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
    %n = "core.gather"(%c3, %a6) : (tensor<4xi64>, tensor<i64>) -> (tensor<i64>)
    %d = "core.add"(%a7, %a7) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%n, %d) : (tensor<i64>, tensor<f32>) -> ()
  }) : (tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>)
  "mlconv.yield"(%w1) : (tensor<f32>) -> ()
// EXPECT
^bb(%0: tensor<f32>):
  %1 = "core.add"(%0, %0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %2 = "core.add"(%1, %1) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %3 = "core.add"(%2, %2) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  "mlconv.yield"(%3) : (tensor<f32>) -> ()

// -----
// CASE: a table that is read beyond its end is left to whoever runs the loop
// RUN: unroll
^bb(%x: tensor<f32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %w, %w1 = "core.while"(%c1, %x) ({
  ^bb(%a2: tensor<i64>, %a3: tensor<f32>):
    %c2 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %l = "core.not_equal"(%a2, %c2) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<i64>, %a7: tensor<f32>):
    %c3 = "core.constant"() {value = dense<[2, 0, 9, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
    %n = "core.gather"(%c3, %a6) : (tensor<4xi64>, tensor<i64>) -> (tensor<i64>)
    %d = "core.add"(%a7, %a7) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%n, %d) : (tensor<i64>, tensor<f32>) -> ()
  }) : (tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>)
  "mlconv.yield"(%w1) : (tensor<f32>) -> ()
// EXPECT
^bb(%0: tensor<f32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %2, %3 = "core.while"(%1, %0) ({
  ^bb(%4: tensor<i64>, %5: tensor<f32>):
    %6 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
    %7 = "core.not_equal"(%4, %6) : (tensor<i64>, tensor<i64>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<i64>, %9: tensor<f32>):
    %10 = "core.constant"() {"value" = dense<[2, 0, 9, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
    %11 = "core.gather"(%10, %8) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<4xi64>, tensor<i64>) -> (tensor<i64>)
    %12 = "core.add"(%9, %9) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
    "mlconv.yield"(%11, %12) : (tensor<i64>, tensor<f32>) -> ()
  }) : (tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>)
  "mlconv.yield"(%3) : (tensor<f32>) -> ()

// -----
// CASE: lean: what is more ops written out stays a loop
// RUN: unroll{lean=true},fold,dce
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %w, %w1 = "core.while"(%c1, %x) ({
  ^bb(%a2: tensor<i32>, %a3: tensor<4xf32>):
    %c2 = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
    %l = "core.less"(%a2, %c2) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<i32>, %a7: tensor<4xf32>):
    %c3 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %n = "core.add"(%a6, %c3) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %m = "core.mul"(%a7, %a7) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %t = "core.tanh"(%m) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%n, %t) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%w1) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2, %3 = "core.while"(%1, %0) ({
  ^bb(%4: tensor<i32>, %5: tensor<4xf32>):
    %6 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
    %7 = "core.less"(%4, %6) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<i32>, %9: tensor<4xf32>):
    %10 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %11 = "core.add"(%8, %10) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %12 = "core.mul"(%9, %9) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %13 = "core.tanh"(%12) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%11, %13) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: lean: two turns of one op are less than a loop, and weights that the turn picks are constants
// RUN: unroll{lean=true},fold,dce
^bb(%x: tensor<4xf32>, %z: tensor<1x2xf32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %w, %w1 = "core.while"(%c1, %x) ({
  ^bb(%a2: tensor<i32>, %a3: tensor<4xf32>):
    %c2 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
    %l = "core.less"(%a2, %c2) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<i32>, %a7: tensor<4xf32>):
    %c3 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %n = "core.add"(%a6, %c3) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %t = "core.tanh"(%a7) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%n, %t) : (tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %k = "core.constant"() {value = dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[1.0, 0.0], [0.0, 1.0]]]> : tensor<3x2x2xf32>} : () -> (tensor<3x2x2xf32>)
  %v, %v1 = "core.while"(%c1, %z) ({
  ^bb(%b2: tensor<i32>, %b3: tensor<1x2xf32>):
    %d2 = "core.constant"() {value = dense<3> : tensor<i32>} : () -> (tensor<i32>)
    %o = "core.less"(%b2, %d2) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%o) : (tensor<i1>) -> ()
  }, {
  ^bb(%b6: tensor<i32>, %b7: tensor<1x2xf32>):
    %d3 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %s = "core.add"(%b6, %d3) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %g = "core.gather"(%k, %b6) {axis = 0} : (tensor<3x2x2xf32>, tensor<i32>) -> (tensor<2x2xf32>)
    %p = "core.matmul"(%b7, %g) : (tensor<1x2xf32>, tensor<2x2xf32>) -> (tensor<1x2xf32>)
    %u = "core.tanh"(%p) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %h = "core.neg"(%u) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %i = "core.exp"(%h) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
    "mlconv.yield"(%s, %i) : (tensor<i32>, tensor<1x2xf32>) -> ()
  }) : (tensor<i32>, tensor<1x2xf32>) -> (tensor<i32>, tensor<1x2xf32>)
  "mlconv.yield"(%w1, %v1) : (tensor<4xf32>, tensor<1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<1x2xf32>):
  %2 = "core.tanh"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.tanh"(%2) : (tensor<4xf32>) -> (tensor<4xf32>)
  %4 = "core.constant"() {"value" = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %5 = "core.matmul"(%1, %4) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x2xf32>, tensor<2x2xf32>) -> (tensor<1x2xf32>)
  %6 = "core.tanh"(%5) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %7 = "core.neg"(%6) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %8 = "core.exp"(%7) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %9 = "core.constant"() {"value" = dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %10 = "core.matmul"(%8, %9) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x2xf32>, tensor<2x2xf32>) -> (tensor<1x2xf32>)
  %11 = "core.tanh"(%10) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %12 = "core.neg"(%11) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %13 = "core.exp"(%12) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %14 = "core.constant"() {"value" = dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>} : () -> (tensor<2x2xf32>)
  %15 = "core.matmul"(%13, %14) {"transpose_a" = false, "transpose_b" = false} : (tensor<1x2xf32>, tensor<2x2xf32>) -> (tensor<1x2xf32>)
  %16 = "core.tanh"(%15) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %17 = "core.neg"(%16) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  %18 = "core.exp"(%17) : (tensor<1x2xf32>) -> (tensor<1x2xf32>)
  "mlconv.yield"(%3, %18) : (tensor<4xf32>, tensor<1x2xf32>) -> ()

// CASE: a variable that never changes is read from outside, and what is made of it is made before the loop
// RUN: loops
^bb(%x: tensor<4xf32>, %k: tensor<4xf32>):
  %w, %w1 = "core.while"(%x, %k) ({
  ^bb(%a2: tensor<4xf32>, %a3: tensor<4xf32>):
    %s = "core.reduce_sum"(%a2) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a7: tensor<4xf32>, %a8: tensor<4xf32>):
    %q = "core.mul"(%a8, %a8) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    %d = "core.add"(%a7, %q) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%d, %a8) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%w, %w1) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "core.mul"(%1, %1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.while"(%0) ({
  ^bb(%4: tensor<4xf32>):
    %5 = "core.reduce_sum"(%4) {"axes" = [0], "keepdims" = false} : (tensor<4xf32>) -> (tensor<f32>)
    %6 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %7 = "core.less"(%5, %6) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<4xf32>):
    %9 = "core.add"(%8, %2) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%9) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3, %1) : (tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: the bound of a condition is computed once
// RUN: loops
^bb(%x: tensor<4xf32>, %k: tensor<4xf32>):
  %w = "core.while"(%x) ({
  ^bb(%a2: tensor<4xf32>):
    %s = "core.reduce_sum"(%a2) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %ab = "core.abs"(%k) : (tensor<4xf32>) -> (tensor<4xf32>)
    %t = "core.reduce_sum"(%ab) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %l = "core.less"(%s, %t) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a7: tensor<4xf32>):
    %d = "core.add"(%a7, %a7) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%d) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%w) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<4xf32>):
  %2 = "core.abs"(%1) : (tensor<4xf32>) -> (tensor<4xf32>)
  %3 = "core.reduce_sum"(%2) {"axes" = [0], "keepdims" = false} : (tensor<4xf32>) -> (tensor<f32>)
  %4 = "core.while"(%0) ({
  ^bb(%5: tensor<4xf32>):
    %6 = "core.reduce_sum"(%5) {"axes" = [0], "keepdims" = false} : (tensor<4xf32>) -> (tensor<f32>)
    %7 = "core.less"(%6, %3) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<4xf32>):
    %9 = "core.add"(%8, %8) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%9) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: random numbers are drawn in every turn
// RUN: loops
^bb(%x: tensor<4xf32>):
  %w = "core.while"(%x) ({
  ^bb(%a1: tensor<4xf32>):
    %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a5: tensor<4xf32>):
    %c2 = "core.constant"() {value = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %n = "core.random_uniform"(%c2) {seed = 1} : (tensor<1xi64>) -> (tensor<4xf32>)
    %d = "core.add"(%a5, %n) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%d) : (tensor<4xf32>) -> ()
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
    %7 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %8 = "core.random_uniform"(%7) {"dtype" = f32, "seed" = 1, "seed2" = 0} : (tensor<1xi64>) -> (tensor<4xf32>)
    %9 = "core.add"(%6, %8) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%9) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%1) : (tensor<4xf32>) -> ()

// -----
// CASE: variables that change places are not invariant
// RUN: loops
^bb(%x: tensor<4xf32>):
  %w, %w1 = "core.while"(%x, %x) ({
  ^bb(%a1: tensor<4xf32>, %a2: tensor<4xf32>):
    %s = "core.reduce_sum"(%a1) {axes = [0]} : (tensor<4xf32>) -> (tensor<f32>)
    %c1 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %l = "core.less"(%s, %c1) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<4xf32>, %a7: tensor<4xf32>):
    %d = "core.add"(%a6, %a6) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%a7, %d) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%w, %w1) : (tensor<4xf32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1, %2 = "core.while"(%0, %0) ({
  ^bb(%3: tensor<4xf32>, %4: tensor<4xf32>):
    %5 = "core.reduce_sum"(%3) {"axes" = [0], "keepdims" = false} : (tensor<4xf32>) -> (tensor<f32>)
    %6 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
    %7 = "core.less"(%5, %6) : (tensor<f32>, tensor<f32>) -> (tensor<i1>)
    "mlconv.yield"(%7) : (tensor<i1>) -> ()
  }, {
  ^bb(%8: tensor<4xf32>, %9: tensor<4xf32>):
    %10 = "core.add"(%8, %8) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%9, %10) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  "mlconv.yield"(%1, %2) : (tensor<4xf32>, tensor<4xf32>) -> ()

// -----
// CASE: variables that begin alike and that each turn makes alike are one, and another one stays
// RUN: loops,cse,dce
^bb(%x: tensor<4xf32>, %n: tensor<i32>):
  %c = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %d = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %w, %w1, %w2, %w3 = "core.while"(%c, %d, %d, %x) ({
  ^bb(%a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<i32>, %a5: tensor<4xf32>):
    %l = "core.less"(%a2, %n) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    %m = "core.less"(%a3, %n) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    %o = "core.and"(%l, %m) : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    "mlconv.yield"(%o) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<i32>, %a7: tensor<i32>, %a8: tensor<i32>, %a9: tensor<4xf32>):
    %c1 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %c2 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %i = "core.add"(%a6, %c1) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %j = "core.add"(%c2, %a7) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %k = "core.add"(%a8, %i) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %q = "core.cast"(%a7) {dtype = f32} : (tensor<i32>) -> (tensor<f32>)
    %y = "core.mul"(%a9, %q) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%i, %j, %k, %y) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%w1, %w2, %w3) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<i32>):
  %2 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %3, %4, %5 = "core.while"(%2, %2, %0) ({
  ^bb(%6: tensor<i32>, %7: tensor<i32>, %8: tensor<4xf32>):
    %9 = "core.less"(%6, %1) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    %10 = "core.and"(%9, %9) : (tensor<i1>, tensor<i1>) -> (tensor<i1>)
    "mlconv.yield"(%10) : (tensor<i1>) -> ()
  }, {
  ^bb(%11: tensor<i32>, %12: tensor<i32>, %13: tensor<4xf32>):
    %14 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %15 = "core.add"(%11, %14) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %16 = "core.add"(%12, %15) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %17 = "core.cast"(%11) {"dtype" = f32, "saturate" = false} : (tensor<i32>) -> (tensor<f32>)
    %18 = "core.mul"(%13, %17) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%15, %16, %18) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> ()
  }) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<i32>, tensor<4xf32>)
  "mlconv.yield"(%3, %4, %5) : (tensor<i32>, tensor<i32>, tensor<4xf32>) -> ()

// -----
// CASE: places that are counted need no limits that they keep
// RUN: loops,dce
^bb(%x: tensor<5x2xf32>):
  %i = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %s = "core.constant"() {value = dense<0.0> : tensor<1x2xf32>} : () -> (tensor<1x2xf32>)
  %w, %w1 = "core.while"(%i, %s) ({
  ^bb(%a2: tensor<i32>, %a3: tensor<1x2xf32>):
    %c2 = "core.constant"() {value = dense<5> : tensor<i32>} : () -> (tensor<i32>)
    %l = "core.less"(%a2, %c2) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%l) : (tensor<i1>) -> ()
  }, {
  ^bb(%a6: tensor<i32>, %a7: tensor<1x2xf32>):
    %c3 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %n = "core.add"(%a6, %c3) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %c = "core.cast"(%a6) {dtype = i64} : (tensor<i32>) -> (tensor<i64>)
    %k = "core.constant"() {value = dense<1> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %r = "core.reshape"(%c, %k) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
    %z = "core.constant"() {value = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %b = "core.concat"(%r, %z) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
    %o = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
    %u = "core.maximum"(%b, %o) : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>)
    %h = "core.constant"() {value = dense<[4, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %m = "core.minimum"(%u, %h) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
    %g = "core.constant"() {value = dense<[3, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %q = "core.minimum"(%b, %g) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
    %f = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %d = "core.dynamic_slice"(%x, %m, %f) : (tensor<5x2xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x2xf32>)
    %e = "core.dynamic_slice"(%x, %q, %f) : (tensor<5x2xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x2xf32>)
    %p = "core.add"(%a7, %d) : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %t = "core.add"(%p, %e) : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    "mlconv.yield"(%n, %t) : (tensor<i32>, tensor<1x2xf32>) -> ()
  }) : (tensor<i32>, tensor<1x2xf32>) -> (tensor<i32>, tensor<1x2xf32>)
  "mlconv.yield"(%w1) : (tensor<1x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<5x2xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<1x2xf32>} : () -> (tensor<1x2xf32>)
  %3, %4 = "core.while"(%1, %2) ({
  ^bb(%5: tensor<i32>, %6: tensor<1x2xf32>):
    %7 = "core.constant"() {"value" = dense<5> : tensor<i32>} : () -> (tensor<i32>)
    %8 = "core.less"(%5, %7) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%8) : (tensor<i1>) -> ()
  }, {
  ^bb(%9: tensor<i32>, %10: tensor<1x2xf32>):
    %11 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %12 = "core.add"(%9, %11) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    %13 = "core.cast"(%9) {"dtype" = i64, "saturate" = false} : (tensor<i32>) -> (tensor<i64>)
    %14 = "core.constant"() {"value" = dense<1> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %15 = "core.reshape"(%13, %14) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
    %16 = "core.constant"() {"value" = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
    %17 = "core.concat"(%15, %16) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
    %18 = "core.constant"() {"value" = dense<[3, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %19 = "core.minimum"(%17, %18) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
    %20 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
    %21 = "core.dynamic_slice"(%0, %17, %20) : (tensor<5x2xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x2xf32>)
    %22 = "core.dynamic_slice"(%0, %19, %20) : (tensor<5x2xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x2xf32>)
    %23 = "core.add"(%10, %21) : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    %24 = "core.add"(%23, %22) : (tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>)
    "mlconv.yield"(%12, %24) : (tensor<i32>, tensor<1x2xf32>) -> ()
  }) : (tensor<i32>, tensor<1x2xf32>) -> (tensor<i32>, tensor<1x2xf32>)
  "mlconv.yield"(%4) : (tensor<1x2xf32>) -> ()

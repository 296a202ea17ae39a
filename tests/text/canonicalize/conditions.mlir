// CASE: the larger of a number and itself is the number
// RUN: canonicalize
^bb(%x: tensor<2xf32>):
  %y = "core.maximum"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  "mlconv.yield"(%0) : (tensor<2xf32>) -> ()

// -----
// CASE: a mask as torch writes it, `where(tril(ones) == 0, -inf, 0)`, chooses by its condition
// RUN: canonicalize
^bb(%c: tensor<2x2xi1>):
  %one = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %zero = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %low = "core.constant"() {value = dense<-9.0> : tensor<f32>} : () -> (tensor<f32>)
  %ones = "core.select"(%c, %one, %zero) : (tensor<2x2xi1>, tensor<f32>, tensor<f32>) -> (tensor<2x2xf32>)
  %outside = "core.equal"(%ones, %zero) : (tensor<2x2xf32>, tensor<f32>) -> (tensor<2x2xi1>)
  %y = "core.select"(%outside, %low, %zero) : (tensor<2x2xi1>, tensor<f32>, tensor<f32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x2xi1>):
  %1 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<-9.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.select"(%0, %1, %2) : (tensor<2x2xi1>, tensor<f32>, tensor<f32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%3) : (tensor<2x2xf32>) -> ()

// -----
// CASE: a condition that became a number is compared with one, on either side
// RUN: canonicalize
^bb(%c: tensor<2xi1>):
  %half = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %n = "core.cast"(%c) {dtype = f32, saturate = true} : (tensor<2xi1>) -> (tensor<2xf32>)
  %y = "core.less"(%half, %n) : (tensor<f32>, tensor<2xf32>) -> (tensor<2xi1>)
  %z = "core.less"(%n, %half) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xi1>)
  "mlconv.yield"(%y, %z) : (tensor<2xi1>, tensor<2xi1>) -> ()
// EXPECT
^bb(%0: tensor<2xi1>):
  %1 = "core.logical_not"(%0) : (tensor<2xi1>) -> (tensor<2xi1>)
  "mlconv.yield"(%0, %1) : (tensor<2xi1>, tensor<2xi1>) -> ()

// -----
// CASE: a choice whose sides compare alike, and one that is broadcast by comparing, stay
// RUN: canonicalize
^bb(%c: tensor<2xi1>, %d: tensor<1xi1>):
  %one = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %two = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %ones = "core.constant"() {value = dense<1> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %n = "core.select"(%c, %one, %two) : (tensor<2xi1>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>)
  %m = "core.select"(%d, %one, %two) : (tensor<1xi1>, tensor<i32>, tensor<i32>) -> (tensor<1xi32>)
  %y = "core.greater_equal"(%n, %one) : (tensor<2xi32>, tensor<i32>) -> (tensor<2xi1>)
  %z = "core.equal"(%m, %ones) : (tensor<1xi32>, tensor<2xi32>) -> (tensor<2xi1>)
  "mlconv.yield"(%y, %z) : (tensor<2xi1>, tensor<2xi1>) -> ()
// EXPECT
^bb(%0: tensor<2xi1>, %1: tensor<1xi1>):
  %2 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %4 = "core.constant"() {"value" = dense<1> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %5 = "core.select"(%0, %2, %3) : (tensor<2xi1>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>)
  %6 = "core.select"(%1, %2, %3) : (tensor<1xi1>, tensor<i32>, tensor<i32>) -> (tensor<1xi32>)
  %7 = "core.greater_equal"(%5, %2) : (tensor<2xi32>, tensor<i32>) -> (tensor<2xi1>)
  %8 = "core.equal"(%6, %4) : (tensor<1xi32>, tensor<2xi32>) -> (tensor<2xi1>)
  "mlconv.yield"(%7, %8) : (tensor<2xi1>, tensor<2xi1>) -> ()

// -----
// CASE: not equal is one op; not less is one of integers, and two of floats, for the sake of NaN
// RUN: canonicalize
^bb(%x: tensor<2xf32>, %i: tensor<2xi32>):
  %a = "core.equal"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xi1>)
  %b = "core.less"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi1>)
  %c = "core.less"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xi1>)
  %na = "core.logical_not"(%a) : (tensor<2xi1>) -> (tensor<2xi1>)
  %nb = "core.logical_not"(%b) : (tensor<2xi1>) -> (tensor<2xi1>)
  %nc = "core.logical_not"(%c) : (tensor<2xi1>) -> (tensor<2xi1>)
  %nnc = "core.logical_not"(%nc) : (tensor<2xi1>) -> (tensor<2xi1>)
  "mlconv.yield"(%na, %nb, %nc, %nnc) : (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>, %1: tensor<2xi32>):
  %2 = "core.less"(%0, %0) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xi1>)
  %3 = "core.not_equal"(%0, %0) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xi1>)
  %4 = "core.greater_equal"(%1, %1) : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi1>)
  %5 = "core.logical_not"(%2) : (tensor<2xi1>) -> (tensor<2xi1>)
  "mlconv.yield"(%3, %4, %5, %2) : (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) -> ()

// -----
// CASE: conditions beside what is decided, and a choice of true and false
// RUN: canonicalize,cse,dce
^bb(%c: tensor<?xi1, {dims = ["n"]}>, %d: tensor<?xi1, {dims = ["n"]}>):
  %t = "core.constant"() {value = dense<true> : tensor<i1>} : () -> (tensor<i1>)
  %f = "core.constant"() {value = dense<false> : tensor<i1>} : () -> (tensor<i1>)
  %o = "core.or"(%t, %d) : (tensor<i1>, tensor<?xi1, {dims = ["n"]}>) -> (tensor<?xi1, {dims = ["n"]}>)
  %a = "core.and"(%o, %c) : (tensor<?xi1, {dims = ["n"]}>, tensor<?xi1, {dims = ["n"]}>) -> (tensor<?xi1, {dims = ["n"]}>)
  %s = "core.select"(%a, %t, %f) : (tensor<?xi1, {dims = ["n"]}>, tensor<i1>, tensor<i1>) -> (tensor<?xi1, {dims = ["n"]}>)
  %n = "core.select"(%d, %f, %t) : (tensor<?xi1, {dims = ["n"]}>, tensor<i1>, tensor<i1>) -> (tensor<?xi1, {dims = ["n"]}>)
  %z = "core.and"(%d, %f) : (tensor<?xi1, {dims = ["n"]}>, tensor<i1>) -> (tensor<?xi1, {dims = ["n"]}>)
  "mlconv.yield"(%s, %n, %z) : (tensor<?xi1, {dims = ["n"]}>, tensor<?xi1, {dims = ["n"]}>, tensor<?xi1, {dims = ["n"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xi1, {dims = ["n"]}>, %1: tensor<?xi1, {dims = ["n"]}>):
  %2 = "core.logical_not"(%1) : (tensor<?xi1, {dims = ["n"]}>) -> (tensor<?xi1, {dims = ["n"]}>)
  %3 = "core.constant"() {"value" = dense<false> : tensor<i1>} : () -> (tensor<i1>)
  %4 = "core.shape_of"(%1) {"dtype" = i64} : (tensor<?xi1, {dims = ["n"]}>) -> (tensor<1xi64>)
  %5 = "core.broadcast_to"(%3, %4) : (tensor<i1>, tensor<1xi64>) -> (tensor<?xi1, {dims = ["n"]}>)
  "mlconv.yield"(%0, %2, %5) : (tensor<?xi1, {dims = ["n"]}>, tensor<?xi1, {dims = ["n"]}>, tensor<?xi1, {dims = ["n"]}>) -> ()

// -----
// CASE: differences of positions compared with 0; of numbers that may be negative they may wrap
// RUN: canonicalize,cse,dce
^bb(%x: tensor<?xf32, {dims = ["n"]}>, %y: tensor<?xi32, {dims = ["n"]}>):
  %s = "core.shape_of"(%x) {dtype = i32} : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<1xi32>)
  %e = "core.constant"() {value = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %n = "core.reshape"(%s, %e) : (tensor<1xi32>, tensor<0xi64>) -> (tensor<i32>)
  %0 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %1 = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %r = "core.range"(%0, %n, %1) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["n"]}>)
  %k = "core.constant"() {value = dense<[-1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c = "core.reshape"(%r, %k) : (tensor<?xi32, {dims = ["n"]}>, tensor<2xi64>) -> (tensor<?x1xi32, {dims = ["n", "1"]}>)
  %d = "core.sub"(%r, %c) : (tensor<?xi32, {dims = ["n"]}>, tensor<?x1xi32, {dims = ["n", "1"]}>) -> (tensor<?x?xi32, {dims = ["n", "n"]}>)
  %a = "core.less_equal"(%d, %0) : (tensor<?x?xi32, {dims = ["n", "n"]}>, tensor<i32>) -> (tensor<?x?xi1, {dims = ["n", "n"]}>)
  %g = "core.sub"(%y, %c) : (tensor<?xi32, {dims = ["n"]}>, tensor<?x1xi32, {dims = ["n", "1"]}>) -> (tensor<?x?xi32, {dims = ["n", "n"]}>)
  %b = "core.less_equal"(%g, %0) : (tensor<?x?xi32, {dims = ["n", "n"]}>, tensor<i32>) -> (tensor<?x?xi1, {dims = ["n", "n"]}>)
  "mlconv.yield"(%a, %b) : (tensor<?x?xi1, {dims = ["n", "n"]}>, tensor<?x?xi1, {dims = ["n", "n"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["n"]}>, %1: tensor<?xi32, {dims = ["n"]}>):
  %2 = "core.shape_of"(%0) {"dtype" = i32} : (tensor<?xf32, {dims = ["n"]}>) -> (tensor<1xi32>)
  %3 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %4 = "core.reshape"(%2, %3) : (tensor<1xi32>, tensor<0xi64>) -> (tensor<i32>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %6 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %7 = "core.range"(%5, %4, %6) {"wide" = false} : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["n"]}>)
  %8 = "core.constant"() {"value" = dense<[-1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %9 = "core.reshape"(%7, %8) : (tensor<?xi32, {dims = ["n"]}>, tensor<2xi64>) -> (tensor<?x1xi32, {dims = ["n", "1"]}>)
  %10 = "core.less_equal"(%7, %9) : (tensor<?xi32, {dims = ["n"]}>, tensor<?x1xi32, {dims = ["n", "1"]}>) -> (tensor<?x?xi1, {dims = ["n", "n"]}>)
  %11 = "core.sub"(%1, %9) : (tensor<?xi32, {dims = ["n"]}>, tensor<?x1xi32, {dims = ["n", "1"]}>) -> (tensor<?x?xi32, {dims = ["n", "n"]}>)
  %12 = "core.less_equal"(%11, %5) : (tensor<?x?xi32, {dims = ["n", "n"]}>, tensor<i32>) -> (tensor<?x?xi1, {dims = ["n", "n"]}>)
  "mlconv.yield"(%10, %12) : (tensor<?x?xi1, {dims = ["n", "n"]}>, tensor<?x?xi1, {dims = ["n", "n"]}>) -> ()

// -----
// CASE: a choice by the opposite of what another one was made by, or by the same, is made once; NaN is neither less nor not less
// RUN: canonicalize,dce
^bb(%x: tensor<3xf32>, %a: tensor<3xf32>):
  %z = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %e = "core.equal"(%x, %z) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xi1>)
  %n = "core.not_equal"(%x, %z) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xi1>)
  %l = "core.less"(%x, %z) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xi1>)
  %g = "core.greater_equal"(%x, %z) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xi1>)
  %i = "core.select"(%n, %a, %x) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  %o = "core.select"(%e, %z, %i) : (tensor<3xi1>, tensor<f32>, tensor<3xf32>) -> (tensor<3xf32>)
  %p = "core.select"(%n, %i, %z) : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>)
  %j = "core.select"(%g, %a, %x) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  %q = "core.select"(%l, %z, %j) : (tensor<3xi1>, tensor<f32>, tensor<3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%o, %p, %q) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>, %1: tensor<3xf32>):
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.equal"(%0, %2) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xi1>)
  %4 = "core.not_equal"(%0, %2) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xi1>)
  %5 = "core.less"(%0, %2) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xi1>)
  %6 = "core.greater_equal"(%0, %2) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xi1>)
  %7 = "core.select"(%3, %2, %1) : (tensor<3xi1>, tensor<f32>, tensor<3xf32>) -> (tensor<3xf32>)
  %8 = "core.select"(%4, %1, %2) : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>)
  %9 = "core.select"(%6, %1, %0) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
  %10 = "core.select"(%5, %2, %9) : (tensor<3xi1>, tensor<f32>, tensor<3xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%7, %8, %10) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()

// CASE: axes put back behind what is computed of reductions
// RUN: canonicalize
^bb(%x: tensor<2x8xf32>):
  %s = "core.reduce_sum"(%x) {axes = [1]} : (tensor<2x8xf32>) -> (tensor<2xf32>)
  %n = "core.constant"() {value = dense<8.0> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.div"(%s, %n) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  %q = "core.mul"(%x, %x) : (tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %t = "core.reduce_sum"(%q) {axes = [1]} : (tensor<2x8xf32>) -> (tensor<2xf32>)
  %u = "core.div"(%t, %n) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  %mm = "core.mul"(%m, %m) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %v = "core.sub"(%u, %mm) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %k = "core.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.reshape"(%m, %k) : (tensor<2xf32>, tensor<2xi64>) -> (tensor<2x1xf32>)
  %b = "core.reshape"(%v, %k) : (tensor<2xf32>, tensor<2xi64>) -> (tensor<2x1xf32>)
  %c = "core.sub"(%x, %a) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  %y = "core.div"(%c, %b) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%y) : (tensor<2x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.mul"(%0, %0) : (tensor<2x8xf32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %2 = "core.reduce_mean"(%0) {"axes" = [1], "keepdims" = true} : (tensor<2x8xf32>) -> (tensor<2x1xf32>)
  %3 = "core.reduce_mean"(%0) {"axes" = [1], "keepdims" = true} : (tensor<2x8xf32>) -> (tensor<2x1xf32>)
  %4 = "core.mul"(%3, %3) : (tensor<2x1xf32>, tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %5 = "core.reduce_mean"(%1) {"axes" = [1], "keepdims" = true} : (tensor<2x8xf32>) -> (tensor<2x1xf32>)
  %6 = "core.sub"(%5, %4) : (tensor<2x1xf32>, tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %7 = "core.sub"(%0, %2) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  %8 = "core.div"(%7, %6) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%8) : (tensor<2x8xf32>) -> ()

// -----
// CASE: a reduction that is used as it is leaves its axes out
// RUN: canonicalize
^bb(%x: tensor<2x8xf32>):
  %s = "core.reduce_max"(%x) {axes = [1]} : (tensor<2x8xf32>) -> (tensor<2xf32>)
  %k = "core.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.reshape"(%s, %k) : (tensor<2xf32>, tensor<2xi64>) -> (tensor<2x1xf32>)
  %c = "core.sub"(%x, %a) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%c, %s) : (tensor<2x8xf32>, tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.reduce_max"(%0) {"axes" = [1], "keepdims" = false} : (tensor<2x8xf32>) -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<2xf32>, tensor<2xi64>) -> (tensor<2x1xf32>)
  %4 = "core.sub"(%0, %3) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%4, %1) : (tensor<2x8xf32>, tensor<2xf32>) -> ()

// -----
// CASE: a sum over another number is no mean
// RUN: canonicalize
^bb(%x: tensor<2x8xf32>):
  %s = "core.reduce_sum"(%x) {axes = [1]} : (tensor<2x8xf32>) -> (tensor<2xf32>)
  %n = "core.constant"() {value = dense<7.0> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.div"(%s, %n) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  "mlconv.yield"(%m) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.reduce_sum"(%0) {"axes" = [1], "keepdims" = false} : (tensor<2x8xf32>) -> (tensor<2xf32>)
  %2 = "core.constant"() {"value" = dense<7.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.div"(%1, %2) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  "mlconv.yield"(%3) : (tensor<2xf32>) -> ()

// -----
// CASE: a sum times the inverse of its number of elements
// RUN: canonicalize
^bb(%x: tensor<2x10xf32>):
  %s = "core.reduce_sum"(%x) {axes = [1]} : (tensor<2x10xf32>) -> (tensor<2xf32>)
  %n = "core.constant"() {value = dense<0.1> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%s, %n) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  "mlconv.yield"(%m) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x10xf32>):
  %1 = "core.reduce_mean"(%0) {"axes" = [1], "keepdims" = false} : (tensor<2x10xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%1) : (tensor<2xf32>) -> ()

// -----
// CASE: softmax, with axes put back
// RUN: canonicalize
^bb(%x: tensor<2x8xf32>):
  %s = "core.reduce_max"(%x) {axes = [1]} : (tensor<2x8xf32>) -> (tensor<2xf32>)
  %k = "core.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %a = "core.reshape"(%s, %k) : (tensor<2xf32>, tensor<2xi64>) -> (tensor<2x1xf32>)
  %c = "core.sub"(%x, %a) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  %e = "core.exp"(%c) : (tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %t = "core.reduce_sum"(%e) {axes = [1], keepdims = true} : (tensor<2x8xf32>) -> (tensor<2x1xf32>)
  %y = "core.div"(%e, %t) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%y) : (tensor<2x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.softmax"(%0) {"axis" = 1} : (tensor<2x8xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%1) : (tensor<2x8xf32>) -> ()

// -----
// CASE: the largest along another axis is not that of softmax
// RUN: canonicalize
^bb(%x: tensor<8x8xf32>):
  %a = "core.reduce_max"(%x) {axes = [0], keepdims = true} : (tensor<8x8xf32>) -> (tensor<1x8xf32>)
  %c = "core.sub"(%x, %a) : (tensor<8x8xf32>, tensor<1x8xf32>) -> (tensor<8x8xf32>)
  %e = "core.exp"(%c) : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
  %t = "core.reduce_sum"(%e) {axes = [1], keepdims = true} : (tensor<8x8xf32>) -> (tensor<8x1xf32>)
  %y = "core.div"(%e, %t) : (tensor<8x8xf32>, tensor<8x1xf32>) -> (tensor<8x8xf32>)
  "mlconv.yield"(%y) : (tensor<8x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<8x8xf32>):
  %1 = "core.reduce_max"(%0) {"axes" = [0], "keepdims" = true} : (tensor<8x8xf32>) -> (tensor<1x8xf32>)
  %2 = "core.sub"(%0, %1) : (tensor<8x8xf32>, tensor<1x8xf32>) -> (tensor<8x8xf32>)
  %3 = "core.exp"(%2) : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
  %4 = "core.reduce_sum"(%3) {"axes" = [1], "keepdims" = true} : (tensor<8x8xf32>) -> (tensor<8x1xf32>)
  %5 = "core.div"(%3, %4) : (tensor<8x8xf32>, tensor<8x1xf32>) -> (tensor<8x8xf32>)
  "mlconv.yield"(%5) : (tensor<8x8xf32>) -> ()

// -----
// CASE: logarithm of softmax
// RUN: canonicalize
^bb(%x: tensor<2x8xf32>):
  %a = "core.reduce_max"(%x) {axes = [1], keepdims = true} : (tensor<2x8xf32>) -> (tensor<2x1xf32>)
  %c = "core.sub"(%x, %a) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  %e = "core.exp"(%c) : (tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %t = "core.reduce_sum"(%e) {axes = [1], keepdims = true} : (tensor<2x8xf32>) -> (tensor<2x1xf32>)
  %l = "core.log"(%t) : (tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %y = "core.sub"(%c, %l) : (tensor<2x8xf32>, tensor<2x1xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%y) : (tensor<2x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.log_softmax"(%0) {"axis" = 1} : (tensor<2x8xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%1) : (tensor<2x8xf32>) -> ()

// -----
// CASE: sums of windows over their size
// RUN: canonicalize
^bb(%x: tensor<1x6x6x2xf32>):
  %p = "core.avg_pool"(%x) {window = [3, 3], strides = [1, 1], pads = [[0, 0], [0, 0]], dilations = [1, 1], count_include_pad = true} : (tensor<1x6x6x2xf32>) -> (tensor<1x4x4x2xf32>)
  %n = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %s = "core.mul"(%p, %n) : (tensor<1x4x4x2xf32>, tensor<f32>) -> (tensor<1x4x4x2xf32>)
  %y = "core.div"(%s, %n) : (tensor<1x4x4x2xf32>, tensor<f32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x6x6x2xf32>):
  %1 = "core.avg_pool"(%0) {"window" = [3, 3], "strides" = [1, 1], "pads" = [[0, 0], [0, 0]], "dilations" = [1, 1], "ceil_mode" = false, "count_include_pad" = true, "layout" = "N01C"} : (tensor<1x6x6x2xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%1) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: a sigmoid that is written out
// RUN: canonicalize
^bb(%x: tensor<2x8xf32>):
  %n = "core.neg"(%x) : (tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %e = "core.exp"(%n) : (tensor<2x8xf32>) -> (tensor<2x8xf32>)
  %o = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.add"(%e, %o) : (tensor<2x8xf32>, tensor<f32>) -> (tensor<2x8xf32>)
  %y = "core.div"(%o, %p) : (tensor<f32>, tensor<2x8xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%y) : (tensor<2x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.sigmoid"(%0) : (tensor<2x8xf32>) -> (tensor<2x8xf32>)
  "mlconv.yield"(%1) : (tensor<2x8xf32>) -> ()

// -----
// CASE: what is made of constants alone has no axes to keep
// RUN: canonicalize
^bb():
  %a = "core.constant"() {value = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %b = "core.constant"() {value = dense<3> : tensor<i64>} : () -> (tensor<i64>)
  %s = "core.sub"(%a, %b) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %k = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "core.reshape"(%s, %k) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  "mlconv.yield"(%y) : (tensor<1xi64>) -> ()
// EXPECT
  %0 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %1 = "core.constant"() {"value" = dense<3> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "core.sub"(%0, %1) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.reshape"(%2, %3) : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  "mlconv.yield"(%4) : (tensor<1xi64>) -> ()

// -----
// CASE: numbers that stand everywhere have no axes where others are kept
// RUN: canonicalize
^bb(%x: tensor<2x8xf32>):
  %s = "core.reduce_max"(%x) {axes = [1]} : (tensor<2x8xf32>) -> (tensor<2xf32>)
  %n = "core.constant"() {value = dense<[8.0, 8.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %m = "core.add"(%s, %n) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %k = "core.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%m, %k) : (tensor<2xf32>, tensor<2xi64>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%y) : (tensor<2x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x8xf32>):
  %1 = "core.reduce_max"(%0) {"axes" = [1], "keepdims" = true} : (tensor<2x8xf32>) -> (tensor<2x1xf32>)
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<8.0> : tensor<f32>">} : () -> (tensor<f32>)
  %3 = "core.add"(%1, %2) : (tensor<2x1xf32>, tensor<f32>) -> (tensor<2x1xf32>)
  "mlconv.yield"(%3) : (tensor<2x1xf32>) -> ()

// -----
// CASE: one element is what it is reduced to
// RUN: canonicalize
^bb(%x: tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>):
  %s = "core.reduce_mean"(%x) {axes = [1], keepdims = true} : (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>) -> (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>)
  %t = "core.reduce_max"(%x) {axes = [1]} : (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>) -> (tensor<?x8xf32, {dims = ["n", "8"]}>)
  "mlconv.yield"(%s, %t) : (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>, tensor<?x8xf32, {dims = ["n", "8"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>):
  %1 = "core.constant"() {"value" = dense<[-1, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>, tensor<2xi64>) -> (tensor<?x8xf32, {dims = ["n", "8"]}>)
  "mlconv.yield"(%0, %2) : (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>, tensor<?x8xf32, {dims = ["n", "8"]}>) -> ()

// -----
// CASE: the smaller of two integers that are joined for it
// RUN: canonicalize
^bb(%x: tensor<1xi64>, %y: tensor<1xi64>):
  %j = "core.concat"(%x, %y) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %m = "core.reduce_min"(%j) {axes = [0]} : (tensor<2xi64>) -> (tensor<i64>)
  "mlconv.yield"(%m) : (tensor<i64>) -> ()
// EXPECT
^bb(%0: tensor<1xi64>, %1: tensor<1xi64>):
  %2 = "core.minimum"(%0, %1) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %4 = "core.reshape"(%2, %3) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  "mlconv.yield"(%4) : (tensor<i64>) -> ()

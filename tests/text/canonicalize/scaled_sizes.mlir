// CASE: a size times a factor is a size
// RUN: canonicalize
^bb(%x: tensor<2x?xf32, {dims = ["2", "w"]}>):
  %s = "core.shape_of"(%x) : (tensor<2x?xf32, {dims = ["2", "w"]}>) -> (tensor<2xi64>)
  %c = "core.cast"(%s) {"dtype" = f64} : (tensor<2xi64>) -> (tensor<2xf64>)
  %k = "core.constant"() {value = dense<[1.7, 0.6]> : tensor<2xf64>} : () -> (tensor<2xf64>)
  %m = "core.mul"(%c, %k) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>)
  %f = "core.floor"(%m) : (tensor<2xf64>) -> (tensor<2xf64>)
  %i = "core.cast"(%f) {"dtype" = i64} : (tensor<2xf64>) -> (tensor<2xi64>)
  "mlconv.yield"(%i) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x?xf32, {dims = ["2", "w"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<2x?xf32, {dims = ["2", "w"]}>) -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[17, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[10, 5]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.mul"(%1, %2) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %5 = "core.floor_div"(%4, %3) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  "mlconv.yield"(%5) : (tensor<2xi64>) -> ()

// -----
// CASE: of a factor for which floats round up and down no fraction gives the same sizes
// RUN: canonicalize
^bb(%x: tensor<?xf32, {dims = ["w"]}>):
  %s = "core.shape_of"(%x) : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %c = "core.cast"(%s) {"dtype" = f32} : (tensor<1xi64>) -> (tensor<1xf32>)
  %k = "core.constant"() {value = dense<1.3> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.mul"(%c, %k) : (tensor<1xf32>, tensor<f32>) -> (tensor<1xf32>)
  %i = "core.cast"(%m) {"dtype" = i32} : (tensor<1xf32>) -> (tensor<1xi32>)
  "mlconv.yield"(%i) : (tensor<1xi32>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["w"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %2 = "core.cast"(%1) {"dtype" = f32, "saturate" = false} : (tensor<1xi64>) -> (tensor<1xf32>)
  %3 = "core.constant"() {"value" = dense<1.3> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.mul"(%2, %3) : (tensor<1xf32>, tensor<f32>) -> (tensor<1xf32>)
  %5 = "core.cast"(%4) {"dtype" = i32, "saturate" = false} : (tensor<1xf32>) -> (tensor<1xi32>)
  "mlconv.yield"(%5) : (tensor<1xi32>) -> ()

// -----
// CASE: the next multiple, by way of floats, is a size
// RUN: canonicalize
^bb(%x: tensor<?xf32, {dims = ["w"]}>):
  %s = "core.shape_of"(%x) : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %c = "core.cast"(%s) {"dtype" = f32} : (tensor<1xi64>) -> (tensor<1xf32>)
  %m = "core.reduce_max"(%c) {axes = [0], keepdims = false} : (tensor<1xf32>) -> (tensor<f32>)
  %n = "core.constant"() {value = dense<32.0> : tensor<f32>} : () -> (tensor<f32>)
  %q = "core.div"(%m, %n) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %u = "core.ceil"(%q) : (tensor<f32>) -> (tensor<f32>)
  %p = "core.mul"(%u, %n) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
  %i = "core.cast"(%p) {"dtype" = i64} : (tensor<f32>) -> (tensor<i64>)
  "mlconv.yield"(%i) : (tensor<i64>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["w"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %2 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<1xi64>, tensor<0xi64>) -> (tensor<i64>)
  %4 = "core.constant"() {"value" = dense<31> : tensor<i64>} : () -> (tensor<i64>)
  %5 = "core.add"(%3, %4) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %6 = "core.constant"() {"value" = dense<32> : tensor<i64>} : () -> (tensor<i64>)
  %7 = "core.floor_div"(%5, %6) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  %8 = "core.constant"() {"value" = dense<32> : tensor<i64>} : () -> (tensor<i64>)
  %9 = "core.mul"(%7, %8) : (tensor<i64>, tensor<i64>) -> (tensor<i64>)
  "mlconv.yield"(%9) : (tensor<i64>) -> ()

// -----
// CASE: floats that are not made of sizes alone stay floats
// RUN: canonicalize
^bb(%x: tensor<?xf32, {dims = ["w"]}>, %k: tensor<1xf32>):
  %s = "core.shape_of"(%x) : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %c = "core.cast"(%s) {"dtype" = f32} : (tensor<1xi64>) -> (tensor<1xf32>)
  %q = "core.div"(%c, %k) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %u = "core.ceil"(%q) : (tensor<1xf32>) -> (tensor<1xf32>)
  %i = "core.cast"(%u) {"dtype" = i64} : (tensor<1xf32>) -> (tensor<1xi64>)
  "mlconv.yield"(%i) : (tensor<1xi64>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["w"]}>, %1: tensor<1xf32>):
  %2 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %3 = "core.cast"(%2) {"dtype" = f32, "saturate" = false} : (tensor<1xi64>) -> (tensor<1xf32>)
  %4 = "core.div"(%3, %1) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %5 = "core.ceil"(%4) : (tensor<1xf32>) -> (tensor<1xf32>)
  %6 = "core.cast"(%5) {"dtype" = i64, "saturate" = false} : (tensor<1xf32>) -> (tensor<1xi64>)
  "mlconv.yield"(%6) : (tensor<1xi64>) -> ()

// -----
// CASE: sizes that floats computed are known to what reads them: the shape has no zeros to be copied
// RUN: canonicalize,cse,dce
^bb(%x: tensor<?x4xf32, {dims = ["w", "4"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x4xf32, {dims = ["w", "4"]}>) -> (tensor<2xi64>)
  %0 = "core.constant"() {value = dense<0> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %1 = "core.constant"() {value = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %f = "core.constant"() {value = dense<[2.0]> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %n = "core.gather"(%s, %0) {axis = 0} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %c = "core.cast"(%n) {"dtype" = f32} : (tensor<1xi64>) -> (tensor<1xf32>)
  %m = "core.mul"(%c, %f) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %i = "core.cast"(%m) {"dtype" = i64} : (tensor<1xf32>) -> (tensor<1xi64>)
  %t = "core.concat"(%i, %1) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %z = "core.equal"(%t, %0) : (tensor<2xi64>, tensor<1xi64>) -> (tensor<2xi1>)
  %q = "core.select"(%z, %s, %t) : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %q) : (tensor<?x4xf32, {dims = ["w", "4"]}>, tensor<2xi64>) -> (tensor<?x?xf32, {dims = ["?1", "?2"]}>)
  %r = "core.exp"(%y) : (tensor<?x?xf32, {dims = ["?1", "?2"]}>) -> (tensor<?x?xf32, {dims = ["?1", "?2"]}>)
  "mlconv.yield"(%r) : (tensor<?x?xf32, {dims = ["?1", "?2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4xf32, {dims = ["w", "4"]}>):
  %1 = "core.constant"() {"value" = dense<[-1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<?x4xf32, {dims = ["w", "4"]}>, tensor<2xi64>) -> (tensor<?x2xf32, {dims = ["2*w", "2"]}>)
  %3 = "core.exp"(%2) : (tensor<?x2xf32, {dims = ["2*w", "2"]}>) -> (tensor<?x2xf32, {dims = ["2*w", "2"]}>)
  "mlconv.yield"(%3) : (tensor<?x2xf32, {dims = ["2*w", "2"]}>) -> ()

// -----
// CASE: what floats give a window at both ends are sizes: limits, differences of sizes, and halves that are cut off
// RUN: canonicalize,cse,dce
^bb(%x: tensor<?xf32, {dims = ["w"]}>):
  %s = "core.shape_of"(%x) : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %c = "core.cast"(%s) {"dtype" = f32} : (tensor<1xi64>) -> (tensor<1xf32>)
  %2 = "core.constant"() {value = dense<[2.0]> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %1 = "core.constant"() {value = dense<[1.0]> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %q = "core.div"(%c, %2) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %u = "core.ceil"(%q) : (tensor<1xf32>) -> (tensor<1xf32>)
  %m = "core.mul"(%u, %2) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %a = "core.add"(%m, %1) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %d = "core.sub"(%a, %c) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %k = "core.clamp"(%d) {lo = 0.0 : f64, hi = 3.4028234663852886e+38 : f64} : (tensor<1xf32>) -> (tensor<1xf32>)
  %h = "core.div"(%k, %2) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %i = "core.cast"(%h) {"dtype" = i64} : (tensor<1xf32>) -> (tensor<1xi64>)
  %f = "core.cast"(%i) {"dtype" = f32} : (tensor<1xi64>) -> (tensor<1xf32>)
  %r = "core.sub"(%k, %f) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %t = "core.concat"(%f, %r) {axis = 0} : (tensor<1xf32>, tensor<1xf32>) -> (tensor<2xf32>)
  %y = "core.cast"(%t) {"dtype" = i64} : (tensor<2xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%y) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["w"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %2 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.add"(%1, %2) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %5 = "core.floor_div"(%3, %4) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %6 = "core.mul"(%5, %4) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %7 = "core.add"(%6, %2) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %8 = "core.sub"(%7, %1) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %10 = "core.maximum"(%8, %9) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %11 = "core.floor_div"(%10, %4) : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %12 = "core.sub"(%10, %11) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %13 = "core.concat"(%11, %12) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  "mlconv.yield"(%13) : (tensor<2xi64>) -> ()

// -----
// CASE: what is cut off of a quotient that may be negative is no size
// RUN: canonicalize,cse,dce
^bb(%x: tensor<?xf32, {dims = ["w"]}>):
  %s = "core.shape_of"(%x) : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %c = "core.cast"(%s) {"dtype" = f32} : (tensor<1xi64>) -> (tensor<1xf32>)
  %2 = "core.constant"() {value = dense<[2.0]> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %7 = "core.constant"() {value = dense<[7.0]> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %d = "core.sub"(%c, %7) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %h = "core.div"(%d, %2) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %i = "core.cast"(%h) {"dtype" = i64} : (tensor<1xf32>) -> (tensor<1xi64>)
  "mlconv.yield"(%i) : (tensor<1xi64>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["w"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["w"]}>) -> (tensor<1xi64>)
  %2 = "core.cast"(%1) {"dtype" = f32, "saturate" = false} : (tensor<1xi64>) -> (tensor<1xf32>)
  %3 = "core.constant"() {"value" = dense<[2.0]> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %4 = "core.constant"() {"value" = dense<[7.0]> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %5 = "core.sub"(%2, %4) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %6 = "core.div"(%5, %3) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  %7 = "core.cast"(%6) {"dtype" = i64, "saturate" = false} : (tensor<1xf32>) -> (tensor<1xi64>)
  "mlconv.yield"(%7) : (tensor<1xi64>) -> ()

// -----
// CASE: bounds of windows, by way of floats and without their signs, are sizes
// RUN: canonicalize,cse,dce
^bb(%x: tensor<?x?xf32, {dims = ["h", "w"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x?xf32, {dims = ["h", "w"]}>) -> (tensor<2xi64>)
  %k = "core.constant"() {value = dense<[0, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %p = "core.mul"(%s, %k) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %c = "core.cast"(%p) {"dtype" = f32} : (tensor<2xi64>) -> (tensor<2xf32>)
  %2 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %d = "core.div"(%c, %2) : (tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>)
  %a = "core.abs"(%d) : (tensor<2xf32>) -> (tensor<2xf32>)
  %f = "core.floor"(%a) : (tensor<2xf32>) -> (tensor<2xf32>)
  %g = "core.sign"(%d) : (tensor<2xf32>) -> (tensor<2xf32>)
  %t = "core.mul"(%f, %g) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %i = "core.cast"(%t) {"dtype" = i64} : (tensor<2xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%i) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["h", "w"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x?xf32, {dims = ["h", "w"]}>) -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[0, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.mul"(%1, %2) : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %4 = "core.constant"() {"value" = dense<2> : tensor<i64>} : () -> (tensor<i64>)
  %5 = "core.floor_div"(%3, %4) : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>)
  "mlconv.yield"(%5) : (tensor<2xi64>) -> ()

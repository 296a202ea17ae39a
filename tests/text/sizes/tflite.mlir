// CASE: vectors of sizes are gathered from one table
// RUN: to-tfl,tfl-merge,tfl-sizes
^bb(%x: tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>):
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>) -> (tensor<3xi64>)
  %zero = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %one = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %four = "core.constant"() {value = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %eight = "core.constant"() {value = dense<[8]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %b = "core.gather"(%shape, %zero) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %s = "core.gather"(%shape, %one) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %heads = "core.concat"(%b, %s, %four, %eight) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %y = "core.reshape"(%x, %heads) : (tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>, tensor<4xi64>) -> (tensor<?x?x4x8xf32, {dims = ["b", "s", "4", "8"]}>)
  %rows = "core.mul"(%b, %four) : (tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %flat = "core.concat"(%rows, %s, %eight) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xi64>)
  %t = "core.transpose"(%y) {perm = [0, 2, 1, 3]} : (tensor<?x?x4x8xf32, {dims = ["b", "s", "4", "8"]}>) -> (tensor<?x4x?x8xf32, {dims = ["b", "4", "s", "8"]}>)
  %z = "core.reshape"(%t, %flat) : (tensor<?x4x?x8xf32, {dims = ["b", "4", "s", "8"]}>, tensor<3xi64>) -> (tensor<?x?x8xf32, {dims = ["4*b", "s", "8"]}>)
  "mlconv.yield"(%z) : (tensor<?x?x8xf32, {dims = ["4*b", "s", "8"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>):
  %1 = "tfl.SHAPE"(%0) {"out_type" = "INT32"} : (tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>) -> (tensor<3xi32>)
  %2 = "core.constant"() {"value" = dense<[4, 8]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "tfl.CONCATENATION"(%1, %2) {"axis" = 0} : (tensor<3xi32>, tensor<2xi32>) -> (tensor<5xi32>)
  %4 = "core.constant"() {"value" = dense<[0, 1, 3, 4]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %5 = "tfl.GATHER"(%3, %4) {"axis" = 0, "batch_dims" = 0} : (tensor<5xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %6 = "tfl.RESHAPE"(%0, %5) : (tensor<?x?x32xf32, {dims = ["b", "s", "32"]}>, tensor<4xi32>) -> (tensor<?x?x4x8xf32, {dims = ["b", "s", "4", "8"]}>)
  %7 = "core.constant"() {"value" = dense<[0, 2, 1, 3]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %8 = "tfl.TRANSPOSE"(%6, %7) : (tensor<?x?x4x8xf32, {dims = ["b", "s", "4", "8"]}>, tensor<4xi32>) -> (tensor<?x4x?x8xf32, {dims = ["b", "4", "s", "8"]}>)
  %9 = "core.constant"() {"value" = dense<[0, 1, 4]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %10 = "tfl.GATHER"(%3, %9) {"axis" = 0, "batch_dims" = 0} : (tensor<5xi32>, tensor<3xi32>) -> (tensor<3xi32>)
  %11 = "core.constant"() {"value" = dense<[4, 1, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %12 = "tfl.MUL"(%10, %11) : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>)
  %13 = "tfl.RESHAPE"(%8, %12) : (tensor<?x4x?x8xf32, {dims = ["b", "4", "s", "8"]}>, tensor<3xi32>) -> (tensor<?x?x8xf32, {dims = ["4*b", "s", "8"]}>)
  "mlconv.yield"(%13) : (tensor<?x?x8xf32, {dims = ["4*b", "s", "8"]}>) -> ()

// -----
// CASE: axes of size 1 come and go without a vector of sizes
// RUN: to-tfl,tfl-merge,tfl-sizes
^bb(%x: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %y = "core.expand_dims"(%x) {axes = [1]} : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>)
  %z = "core.neg"(%y) : (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>) -> (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>)
  %s = "core.squeeze"(%z) {axes = [1]} : (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>) -> (tensor<?x?xf32, {dims = ["b", "s"]}>)
  "mlconv.yield"(%s) : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["b", "s"]}>):
  %1 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %2 = "tfl.EXPAND_DIMS"(%0, %1) : (tensor<?x?xf32, {dims = ["b", "s"]}>, tensor<1xi32>) -> (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>)
  %3 = "tfl.NEG"(%2) : (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>) -> (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>)
  %4 = "tfl.SQUEEZE"(%3) {"squeeze_dims" = [1]} : (tensor<?x1x?xf32, {dims = ["b", "1", "s"]}>) -> (tensor<?x?xf32, {dims = ["b", "s"]}>)
  "mlconv.yield"(%4) : (tensor<?x?xf32, {dims = ["b", "s"]}>) -> ()

// -----
// CASE: what is picked at its own position is the front
// RUN: simplify-indices
^bb(%x: tensor<?x4xf32, {dims = ["n", "4"]}>, %y: tensor<?x4xf32, {dims = ["s", "4"]}>):
  %shape = "core.shape_of"(%y) {dtype = i64} : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> (tensor<2xi64>)
  %zero = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %one = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %s = "core.gather"(%shape, %zero) {axis = 0} : (tensor<2xi64>, tensor<i64>) -> (tensor<i64>)
  %r = "core.range"(%zero, %s, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  %g = "core.gather"(%x, %r) {axis = 0} : (tensor<?x4xf32, {dims = ["n", "4"]}>, tensor<?xi64, {dims = ["s"]}>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  "mlconv.yield"(%g) : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4xf32, {dims = ["n", "4"]}>, %1: tensor<?x4xf32, {dims = ["s", "4"]}>):
  %2 = "core.shape_of"(%1) {"dtype" = i64} : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.slice"(%2, %3, %4, %5) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %7 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %8 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.concat"(%6, %8) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %10 = "core.dynamic_slice"(%0, %7, %9) : (tensor<?x4xf32, {dims = ["n", "4"]}>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x4xf32, {dims = ["s", "4"]}>)
  "mlconv.yield"(%10) : (tensor<?x4xf32, {dims = ["s", "4"]}>) -> ()

// -----
// CASE: positions are counted in 32 bits, and their comparison with 0 is decided
// RUN: simplify-indices
^bb(%x: tensor<?xf32, {dims = ["s"]}>, %m: tensor<?xi1, {dims = ["s"]}>):
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?xf32, {dims = ["s"]}>) -> (tensor<1xi64>)
  %zero = "core.constant"() {value = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %one = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %s = "core.gather"(%shape, %zero) {axis = 0} : (tensor<1xi64>, tensor<i64>) -> (tensor<i64>)
  %r = "core.range"(%zero, %s, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  %c = "core.greater_equal"(%r, %zero) : (tensor<?xi64, {dims = ["s"]}>, tensor<i64>) -> (tensor<?xi1, {dims = ["s"]}>)
  %a = "core.and"(%c, %m) : (tensor<?xi1, {dims = ["s"]}>, tensor<?xi1, {dims = ["s"]}>) -> (tensor<?xi1, {dims = ["s"]}>)
  %p = "core.add"(%r, %one) : (tensor<?xi64, {dims = ["s"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["s"]}>)
  %f = "core.cast"(%p) {dtype = f32} : (tensor<?xi64, {dims = ["s"]}>) -> (tensor<?xf32, {dims = ["s"]}>)
  "mlconv.yield"(%a, %f) : (tensor<?xi1, {dims = ["s"]}>, tensor<?xf32, {dims = ["s"]}>) -> ()
// EXPECT
^bb(%0: tensor<?xf32, {dims = ["s"]}>, %1: tensor<?xi1, {dims = ["s"]}>):
  %2 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?xf32, {dims = ["s"]}>) -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.gather"(%2, %3) {"axis" = 0, "batch_dims" = 0} : (tensor<1xi64>, tensor<i64>) -> (tensor<i64>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %6 = "core.cast"(%4) {"dtype" = i32, "saturate" = false} : (tensor<i64>) -> (tensor<i32>)
  %7 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %8 = "core.range"(%5, %6, %7) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %9 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %10 = "core.add"(%8, %9) : (tensor<?xi32, {dims = ["s"]}>, tensor<i32>) -> (tensor<?xi32, {dims = ["s"]}>)
  %11 = "core.cast"(%10) {"dtype" = f32, "saturate" = false} : (tensor<?xi32, {dims = ["s"]}>) -> (tensor<?xf32, {dims = ["s"]}>)
  "mlconv.yield"(%1, %11) : (tensor<?xi1, {dims = ["s"]}>, tensor<?xf32, {dims = ["s"]}>) -> ()

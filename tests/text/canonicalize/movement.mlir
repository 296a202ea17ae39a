// CASE: queries, keys and values are taken where they lie
// RUN: canonicalize
// OPTIONS: locations
^bb(%x: tensor<1x?x?x3x4xf32, {dims = ["1", "t", "b", "3", "4"]}>):
  %t1 = "core.transpose"(%x) {perm = [3, 1, 2, 0, 4]} : (tensor<1x?x?x3x4xf32, {dims = ["1", "t", "b", "3", "4"]}>) -> (tensor<3x?x?x1x4xf32, {dims = ["3", "t", "b", "1", "4"]}>)
  %s = "core.squeeze"(%t1) {axes = [3]} : (tensor<3x?x?x1x4xf32, {dims = ["3", "t", "b", "1", "4"]}>) -> (tensor<3x?x?x4xf32, {dims = ["3", "t", "b", "4"]}>)
  %c1 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %y = "core.gather"(%s, %c1) {axis = 0, batch_dims = 0} : (tensor<3x?x?x4xf32, {dims = ["3", "t", "b", "4"]}>, tensor<i64>) -> (tensor<?x?x4xf32, {dims = ["t", "b", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x?x4xf32, {dims = ["t", "b", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x?x?x3x4xf32, {dims = ["1", "t", "b", "3", "4"]}>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>) loc("c1")
  %2 = "core.gather"(%0, %1) {"axis" = 3, "batch_dims" = 0, "from_start" = false} : (tensor<1x?x?x3x4xf32, {dims = ["1", "t", "b", "3", "4"]}>, tensor<i64>) -> (tensor<1x?x?x4xf32, {dims = ["1", "t", "b", "4"]}>) loc("y")
  %3 = "core.squeeze"(%2) {"axes" = [0]} : (tensor<1x?x?x4xf32, {dims = ["1", "t", "b", "4"]}>) -> (tensor<?x?x4xf32, {dims = ["t", "b", "4"]}>) loc("#fused row-of-transpose"(fused["y", "t1", "s"]))
  "mlconv.yield"(%3) : (tensor<?x?x4xf32, {dims = ["t", "b", "4"]}>) -> () loc("mlconv.yield")

// -----
// CASE: a row of a transpose that moves the rest too stays
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %t1 = "core.transpose"(%x) {perm = [1, 2, 0]} : (tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>)
  %c1 = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %y = "core.gather"(%t1, %c1) {axis = 0, batch_dims = 0} : (tensor<3x4x2xf32>, tensor<i64>) -> (tensor<4x2xf32>)
  "mlconv.yield"(%y) : (tensor<4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.transpose"(%0) {"perm" = [1, 2, 0]} : (tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>)
  %2 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "core.gather"(%1, %2) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3x4x2xf32>, tensor<i64>) -> (tensor<4x2xf32>)
  "mlconv.yield"(%3) : (tensor<4x2xf32>) -> ()

// -----
// CASE: transposes that undo one another go
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %t = "core.transpose"(%x) {perm = [1, 2, 0]} : (tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>)
  %u = "core.transpose"(%t) {perm = [2, 0, 1]} : (tensor<3x4x2xf32>) -> (tensor<2x3x4xf32>)
  %y = "core.neg"(%u) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.neg"(%0) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: two transposes become one, which has both places
// RUN: canonicalize
// OPTIONS: locations
^bb(%x: tensor<2x3x4xf32>):
  %t = "core.transpose"(%x) {perm = [1, 2, 0]} : (tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>)
  %y = "core.transpose"(%t) {perm = [0, 2, 1]} : (tensor<3x4x2xf32>) -> (tensor<3x2x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0, 2]} : (tensor<2x3x4xf32>) -> (tensor<3x2x4xf32>) loc("#fused join-transposes"(fused["y", "t"]))
  "mlconv.yield"(%1) : (tensor<3x2x4xf32>) -> () loc("mlconv.yield")

// -----
// CASE: a transpose that keeps the order goes
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %y = "core.transpose"(%x) {perm = [0, 1, 2]} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  "mlconv.yield"(%0) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a transpose that moves an axis of size one is a reshape
// RUN: canonicalize
^bb(%x: tensor<1x3x4xf32>):
  %y = "core.transpose"(%x) {perm = [1, 2, 0]} : (tensor<1x3x4xf32>) -> (tensor<3x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<3x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[3, 4, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<1x3x4xf32>, tensor<3xi64>) -> (tensor<3x4x1xf32>)
  "mlconv.yield"(%2) : (tensor<3x4x1xf32>) -> ()

// -----
// CASE: a transpose of open sizes stays, though it moves an axis of size one
// RUN: canonicalize
^bb(%x: tensor<?x1x4xf32, {dims = ["N", "1", "4"]}>):
  %y = "core.transpose"(%x) {perm = [1, 0, 2]} : (tensor<?x1x4xf32, {dims = ["N", "1", "4"]}>) -> (tensor<1x?x4xf32, {dims = ["1", "N", "4"]}>)
  "mlconv.yield"(%y) : (tensor<1x?x4xf32, {dims = ["1", "N", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1x4xf32, {dims = ["N", "1", "4"]}>):
  %1 = "core.transpose"(%0) {"perm" = [1, 0, 2]} : (tensor<?x1x4xf32, {dims = ["N", "1", "4"]}>) -> (tensor<1x?x4xf32, {dims = ["1", "N", "4"]}>)
  "mlconv.yield"(%1) : (tensor<1x?x4xf32, {dims = ["1", "N", "4"]}>) -> ()

// -----
// CASE: a reshape to the own shape goes
// RUN: canonicalize
^bb(%x: tensor<?x4xf32, {dims = ["N", "4"]}>):
  %v1 = "core.shape_of"(%x) : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %v1) : (tensor<?x4xf32, {dims = ["N", "4"]}>, tensor<2xi64>) -> (tensor<?x4xf32, {dims = ["N", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4xf32, {dims = ["N", "4"]}>):
  "mlconv.yield"(%0) : (tensor<?x4xf32, {dims = ["N", "4"]}>) -> ()

// -----
// CASE: two reshapes become one
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[6, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %r = "core.reshape"(%x, %c1) : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<6x4xf32>)
  %c2 = "core.constant"() {value = dense<[3, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%r, %c2) : (tensor<6x4xf32>, tensor<2xi64>) -> (tensor<3x8xf32>)
  "mlconv.yield"(%y) : (tensor<3x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[3, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<3x8xf32>)
  "mlconv.yield"(%2) : (tensor<3x8xf32>) -> ()

// -----
// CASE: a reshape takes up a change of rank before it
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %r = "core.expand_dims"(%x) {axes = [0]} : (tensor<2x3x4xf32>) -> (tensor<1x2x3x4xf32>)
  %c1 = "core.constant"() {value = dense<[6, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %s = "core.reshape"(%r, %c1) : (tensor<1x2x3x4xf32>, tensor<2xi64>) -> (tensor<6x4xf32>)
  %y = "core.neg"(%s) : (tensor<6x4xf32>) -> (tensor<6x4xf32>)
  "mlconv.yield"(%y) : (tensor<6x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[6, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<6x4xf32>)
  %3 = "core.neg"(%2) : (tensor<6x4xf32>) -> (tensor<6x4xf32>)
  "mlconv.yield"(%3) : (tensor<6x4xf32>) -> ()

// -----
// CASE: a computed shape with one open size is a constant with -1
// The shape [N, 4 * 6] is followed symbolically.
// RUN: canonicalize
^bb(%x: tensor<?x4x6xf32, {dims = ["N", "4", "6"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x4x6xf32, {dims = ["N", "4", "6"]}>) -> (tensor<3xi64>)
  %c1 = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %n = "core.gather"(%s, %c1) : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %c2 = "core.constant"() {value = dense<[24]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %k = "core.concat"(%n, %c2) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %k) : (tensor<?x4x6xf32, {dims = ["N", "4", "6"]}>, tensor<2xi64>) -> (tensor<?x24xf32, {dims = ["N", "24"]}>)
  "mlconv.yield"(%y) : (tensor<?x24xf32, {dims = ["N", "24"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x4x6xf32, {dims = ["N", "4", "6"]}>):
  %1 = "core.constant"() {"value" = dense<[-1, 24]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<?x4x6xf32, {dims = ["N", "4", "6"]}>, tensor<2xi64>) -> (tensor<?x24xf32, {dims = ["N", "24"]}>)
  "mlconv.yield"(%2) : (tensor<?x24xf32, {dims = ["N", "24"]}>) -> ()

// -----
// CASE: a computed shape with two open sizes stays computed
// RUN: canonicalize
^bb(%x: tensor<?x?x6xf32, {dims = ["N", "M", "6"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x?x6xf32, {dims = ["N", "M", "6"]}>) -> (tensor<3xi64>)
  %c1 = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %c2 = "core.constant"() {value = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %c3 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %n = "core.slice"(%s, %c1, %c2, %c3) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %c4 = "core.constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %k = "core.concat"(%n, %c4) {axis = 0} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<4xi64>)
  %y = "core.reshape"(%x, %k) : (tensor<?x?x6xf32, {dims = ["N", "M", "6"]}>, tensor<4xi64>) -> (tensor<?x?x2x3xf32, {dims = ["N", "M", "2", "3"]}>)
  "mlconv.yield"(%y) : (tensor<?x?x2x3xf32, {dims = ["N", "M", "2", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x6xf32, {dims = ["N", "M", "6"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x?x6xf32, {dims = ["N", "M", "6"]}>) -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.slice"(%1, %2, %3, %4) {"begin_mask" = 0, "end_mask" = 0} : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %6 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %7 = "core.concat"(%5, %6) {"axis" = 0} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<4xi64>)
  %8 = "core.reshape"(%0, %7) : (tensor<?x?x6xf32, {dims = ["N", "M", "6"]}>, tensor<4xi64>) -> (tensor<?x?x2x3xf32, {dims = ["N", "M", "2", "3"]}>)
  "mlconv.yield"(%8) : (tensor<?x?x2x3xf32, {dims = ["N", "M", "2", "3"]}>) -> ()

// -----
// CASE: expand_dims of fixed sizes is a reshape
// RUN: canonicalize
^bb(%x: tensor<2x3xf32>):
  %y = "core.expand_dims"(%x) {axes = [0, 3]} : (tensor<2x3xf32>) -> (tensor<1x2x3x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x2x3x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2, 3, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<2x3xf32>, tensor<4xi64>) -> (tensor<1x2x3x1xf32>)
  "mlconv.yield"(%2) : (tensor<1x2x3x1xf32>) -> ()

// -----
// CASE: squeeze with one open size is a reshape with -1
// RUN: canonicalize
^bb(%x: tensor<?x1x3x1xf32, {dims = ["N", "1", "3", "1"]}>):
  %y = "core.squeeze"(%x) {axes = [1, 3]} : (tensor<?x1x3x1xf32, {dims = ["N", "1", "3", "1"]}>) -> (tensor<?x3xf32, {dims = ["N", "3"]}>)
  "mlconv.yield"(%y) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1x3x1xf32, {dims = ["N", "1", "3", "1"]}>):
  %1 = "core.constant"() {"value" = dense<[-1, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<?x1x3x1xf32, {dims = ["N", "1", "3", "1"]}>, tensor<2xi64>) -> (tensor<?x3xf32, {dims = ["N", "3"]}>)
  "mlconv.yield"(%2) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> ()

// -----
// CASE: expand_dims with two open sizes stays
// RUN: canonicalize
^bb(%x: tensor<?x?xf32, {dims = ["N", "M"]}>):
  %y = "core.expand_dims"(%x) {axes = [1]} : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> (tensor<?x1x?xf32, {dims = ["N", "1", "M"]}>)
  "mlconv.yield"(%y) : (tensor<?x1x?xf32, {dims = ["N", "1", "M"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["N", "M"]}>):
  %1 = "core.expand_dims"(%0) {"axes" = [1]} : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> (tensor<?x1x?xf32, {dims = ["N", "1", "M"]}>)
  "mlconv.yield"(%1) : (tensor<?x1x?xf32, {dims = ["N", "1", "M"]}>) -> ()

// -----
// CASE: a squeeze that asks at run time whether a size is one stays
// RUN: canonicalize
^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %y = "core.squeeze"(%x) {axes = [0]} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<3xf32>)
  "mlconv.yield"(%y) : (tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %1 = "core.squeeze"(%0) {"axes" = [0]} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<3xf32>)
  "mlconv.yield"(%1) : (tensor<3xf32>) -> ()

// -----
// CASE: a slice of the whole goes
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %c2 = "core.constant"() {value = dense<[2, 3, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %c3 = "core.constant"() {value = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.slice"(%x, %c1, %c2, %c3) : (tensor<2x3x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  "mlconv.yield"(%0) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a slice that turns the whole around stays
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[-1, -1, -1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %c2 = "core.constant"() {value = dense<[-3, -4, -5]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %c3 = "core.constant"() {value = dense<[-1, -1, -1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.slice"(%x, %c1, %c2, %c3) : (tensor<2x3x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[-1, -1, -1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[-3, -4, -5]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %3 = "core.constant"() {"value" = dense<[-1, -1, -1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "core.slice"(%0, %1, %2, %3) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2x3x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%4) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a dynamic slice of the whole goes
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %c2 = "core.constant"() {value = dense<[2, 3, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.dynamic_slice"(%x, %c1, %c2) : (tensor<2x3x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  "mlconv.yield"(%0) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: an operand without elements goes from a concat of two, and with it the concat
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[0, 0, 0]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %c2 = "core.constant"() {value = dense<[0, 3, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %c3 = "core.constant"() {value = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %z = "core.slice"(%x, %c1, %c2, %c3) : (tensor<2x3x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<0x3x4xf32>)
  %y = "core.concat"(%x, %z) {axis = 0} : (tensor<2x3x4xf32>, tensor<0x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  "mlconv.yield"(%0) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: an operand without elements goes from a concat of three
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %n = "core.neg"(%x) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %c1 = "core.constant"() {value = dense<0.0> : tensor<2x0x4xf32>} : () -> (tensor<2x0x4xf32>)
  %y = "core.concat"(%x, %c1, %n) {axis = 1} : (tensor<2x3x4xf32>, tensor<2x0x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x6x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x6x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.neg"(%0) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %2 = "core.concat"(%0, %1) {"axis" = 1} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x6x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x6x4xf32>) -> ()

// -----
// CASE: a split into one part goes
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %p = "core.split"(%x) {sizes = [2], axis = 0} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %y = "core.neg"(%p) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.neg"(%0) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%1) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a pad by nothing goes
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [0, 0], [0, 0]]> : tensor<3x2xi64>} : () -> (tensor<3x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) : (tensor<2x3x4xf32>, tensor<3x2xi64>, tensor<f32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  "mlconv.yield"(%0) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a tile of one repetition goes
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[1, 1, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.tile"(%x, %c1) : (tensor<2x3x4xf32>, tensor<3xi64>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  "mlconv.yield"(%0) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: a tile of two repetitions stays
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[1, 2, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.tile"(%x, %c1) : (tensor<2x3x4xf32>, tensor<3xi64>) -> (tensor<2x6x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x6x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.tile"(%0, %1) : (tensor<2x3x4xf32>, tensor<3xi64>) -> (tensor<2x6x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x6x4xf32>) -> ()

// -----
// CASE: a broadcast to the own shape goes
// RUN: canonicalize
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[2, 3, 4]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %y = "core.broadcast_to"(%x, %c1) : (tensor<2x3x4xf32>, tensor<3xi64>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  "mlconv.yield"(%0) : (tensor<2x3x4xf32>) -> ()

// -----
// CASE: queries, keys and values that were given an axis in front are picked without it
// RUN: canonicalize
^bb(%x: tensor<?x?x3x8xf32, {dims = ["T", "B", "3", "8"]}>):
  %one = "core.constant"() {value = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %a = "core.expand_dims"(%x) {axes = [0]} : (tensor<?x?x3x8xf32, {dims = ["T", "B", "3", "8"]}>) -> (tensor<1x?x?x3x8xf32, {dims = ["1", "T", "B", "3", "8"]}>)
  %y = "core.gather"(%a, %one) {axis = 3} : (tensor<1x?x?x3x8xf32, {dims = ["1", "T", "B", "3", "8"]}>, tensor<i64>) -> (tensor<1x?x?x8xf32, {dims = ["1", "T", "B", "8"]}>)
  "mlconv.yield"(%y) : (tensor<1x?x?x8xf32, {dims = ["1", "T", "B", "8"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x3x8xf32, {dims = ["T", "B", "3", "8"]}>):
  %1 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "core.gather"(%0, %1) {"axis" = 2, "batch_dims" = 0, "from_start" = false} : (tensor<?x?x3x8xf32, {dims = ["T", "B", "3", "8"]}>, tensor<i64>) -> (tensor<?x?x8xf32, {dims = ["T", "B", "8"]}>)
  %3 = "core.expand_dims"(%2) {"axes" = [0]} : (tensor<?x?x8xf32, {dims = ["T", "B", "8"]}>) -> (tensor<1x?x?x8xf32, {dims = ["1", "T", "B", "8"]}>)
  "mlconv.yield"(%3) : (tensor<1x?x?x8xf32, {dims = ["1", "T", "B", "8"]}>) -> ()

// -----
// CASE: heads that are merged with the batch behind a reshape, and split again behind a transpose
// RUN: canonicalize
^bb(%x: tensor<?x?x12xf32, {dims = ["t", "b", "12"]}>):
  %shape = "core.shape_of"(%x) {dtype = i64} : (tensor<?x?x12xf32, {dims = ["t", "b", "12"]}>) -> (tensor<3xi64>)
  %0 = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %1 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %t = "core.gather"(%shape, %0) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %b = "core.gather"(%shape, %1) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %three = "core.constant"() {value = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %four = "core.constant"() {value = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %open = "core.constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %merged = "core.concat"(%t, %open, %four) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xi64>)
  %split = "core.concat"(%b, %three, %t, %four) {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %h = "core.reshape"(%x, %merged) : (tensor<?x?x12xf32, {dims = ["t", "b", "12"]}>, tensor<3xi64>) -> (tensor<?x?x4xf32, {dims = ["t", "3*b", "4"]}>)
  %turned = "core.transpose"(%h) {perm = [1, 0, 2]} : (tensor<?x?x4xf32, {dims = ["t", "3*b", "4"]}>) -> (tensor<?x?x4xf32, {dims = ["3*b", "t", "4"]}>)
  %y = "core.reshape"(%turned, %split) : (tensor<?x?x4xf32, {dims = ["3*b", "t", "4"]}>, tensor<4xi64>) -> (tensor<?x3x?x4xf32, {dims = ["b", "3", "t", "4"]}>)
  "mlconv.yield"(%y) : (tensor<?x3x?x4xf32, {dims = ["b", "3", "t", "4"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x12xf32, {dims = ["t", "b", "12"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x?x12xf32, {dims = ["t", "b", "12"]}>) -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.gather"(%1, %2) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %5 = "core.gather"(%1, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %6 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %7 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %8 = "core.concat"(%5, %6, %4, %7) {"axis" = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>)
  %9 = "core.constant"() {"value" = dense<[2, 0, 1, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %10 = "core.gather"(%8, %9) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>)
  %11 = "core.reshape"(%0, %10) : (tensor<?x?x12xf32, {dims = ["t", "b", "12"]}>, tensor<4xi64>) -> (tensor<?x?x3x4xf32, {dims = ["t", "b", "3", "4"]}>)
  %12 = "core.transpose"(%11) {"perm" = [1, 2, 0, 3]} : (tensor<?x?x3x4xf32, {dims = ["t", "b", "3", "4"]}>) -> (tensor<?x3x?x4xf32, {dims = ["b", "3", "t", "4"]}>)
  "mlconv.yield"(%12) : (tensor<?x3x?x4xf32, {dims = ["b", "3", "t", "4"]}>) -> ()

// -----
// CASE: a slice of all elements is the whole, wherever it begins
// RUN: canonicalize
^bb(%x: tensor<1x4xf32>, %b: tensor<2xi32>):
  %s = "core.constant"() {value = dense<[1, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %y = "core.dynamic_slice"(%x, %b, %s) : (tensor<1x4xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<1x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4xf32>, %1: tensor<2xi32>):
  "mlconv.yield"(%0) : (tensor<1x4xf32>) -> ()

// -----
// CASE: a reshape reads what is behind a transpose of axes of size 1, one of others stays
// RUN: canonicalize
^bb(%x: tensor<?x1x?x8xf32, {dims = ["b", "1", "n", "8"]}>, %z: tensor<?x2x?x8xf32, {dims = ["b", "2", "n", "8"]}>):
  %s = "core.constant"() {value = dense<[-1, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %t = "core.transpose"(%x) {perm = [0, 2, 1, 3]} : (tensor<?x1x?x8xf32, {dims = ["b", "1", "n", "8"]}>) -> (tensor<?x?x1x8xf32, {dims = ["b", "n", "1", "8"]}>)
  %y = "core.reshape"(%t, %s) : (tensor<?x?x1x8xf32, {dims = ["b", "n", "1", "8"]}>, tensor<2xi64>) -> (tensor<?x8xf32, {dims = ["b*n", "8"]}>)
  %u = "core.transpose"(%z) {perm = [0, 2, 1, 3]} : (tensor<?x2x?x8xf32, {dims = ["b", "2", "n", "8"]}>) -> (tensor<?x?x2x8xf32, {dims = ["b", "n", "2", "8"]}>)
  %w = "core.reshape"(%u, %s) : (tensor<?x?x2x8xf32, {dims = ["b", "n", "2", "8"]}>, tensor<2xi64>) -> (tensor<?x8xf32, {dims = ["2*b*n", "8"]}>)
  "mlconv.yield"(%y, %w) : (tensor<?x8xf32, {dims = ["b*n", "8"]}>, tensor<?x8xf32, {dims = ["2*b*n", "8"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1x?x8xf32, {dims = ["b", "1", "n", "8"]}>, %1: tensor<?x2x?x8xf32, {dims = ["b", "2", "n", "8"]}>):
  %2 = "core.constant"() {"value" = dense<[-1, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.reshape"(%0, %2) : (tensor<?x1x?x8xf32, {dims = ["b", "1", "n", "8"]}>, tensor<2xi64>) -> (tensor<?x8xf32, {dims = ["b*n", "8"]}>)
  %4 = "core.transpose"(%1) {"perm" = [0, 2, 1, 3]} : (tensor<?x2x?x8xf32, {dims = ["b", "2", "n", "8"]}>) -> (tensor<?x?x2x8xf32, {dims = ["b", "n", "2", "8"]}>)
  %5 = "core.reshape"(%4, %2) : (tensor<?x?x2x8xf32, {dims = ["b", "n", "2", "8"]}>, tensor<2xi64>) -> (tensor<?x8xf32, {dims = ["2*b*n", "8"]}>)
  "mlconv.yield"(%3, %5) : (tensor<?x8xf32, {dims = ["b*n", "8"]}>, tensor<?x8xf32, {dims = ["2*b*n", "8"]}>) -> ()

// -----
// CASE: a transpose between reshapes that give and take an axis of size 1
// RUN: canonicalize
^bb(%x: tensor<1x4x3x5xf32>):
  %a = "core.constant"() {value = dense<[1, 4, 1, 3, 5]> : tensor<5xi64>} : () -> (tensor<5xi64>)
  %u = "core.reshape"(%x, %a) : (tensor<1x4x3x5xf32>, tensor<5xi64>) -> (tensor<1x4x1x3x5xf32>)
  %t = "core.transpose"(%u) {perm = [0, 1, 2, 4, 3]} : (tensor<1x4x1x3x5xf32>) -> (tensor<1x4x1x5x3xf32>)
  %b = "core.constant"() {value = dense<[4, 5, 1, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %y = "core.reshape"(%t, %b) : (tensor<1x4x1x5x3xf32>, tensor<4xi64>) -> (tensor<4x5x1x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x5x1x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x3x5xf32>):
  %1 = "core.transpose"(%0) {"perm" = [1, 3, 0, 2]} : (tensor<1x4x3x5xf32>) -> (tensor<4x5x1x3xf32>)
  "mlconv.yield"(%1) : (tensor<4x5x1x3xf32>) -> ()

// -----
// CASE: a transpose that an axis of size 1 comes and goes beside, of open sizes
// RUN: canonicalize
^bb(%x: tensor<1x?x?xf32, {dims = ["1", "N", "M"]}>):
  %s = "core.squeeze"(%x) {axes = [0]} : (tensor<1x?x?xf32, {dims = ["1", "N", "M"]}>) -> (tensor<?x?xf32, {dims = ["N", "M"]}>)
  %t = "core.transpose"(%s) {perm = [1, 0]} : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> (tensor<?x?xf32, {dims = ["M", "N"]}>)
  %y = "core.expand_dims"(%t) {axes = [2]} : (tensor<?x?xf32, {dims = ["M", "N"]}>) -> (tensor<?x?x1xf32, {dims = ["M", "N", "1"]}>)
  "mlconv.yield"(%y) : (tensor<?x?x1xf32, {dims = ["M", "N", "1"]}>) -> ()
// EXPECT
^bb(%0: tensor<1x?x?xf32, {dims = ["1", "N", "M"]}>):
  %1 = "core.transpose"(%0) {"perm" = [2, 1, 0]} : (tensor<1x?x?xf32, {dims = ["1", "N", "M"]}>) -> (tensor<?x?x1xf32, {dims = ["M", "N", "1"]}>)
  "mlconv.yield"(%1) : (tensor<?x?x1xf32, {dims = ["M", "N", "1"]}>) -> ()

// -----
// CASE: a transpose stays where reshapes merge axes
// RUN: canonicalize
^bb(%x: tensor<1x4x3x5xf32>):
  %t = "core.transpose"(%x) {perm = [0, 2, 1, 3]} : (tensor<1x4x3x5xf32>) -> (tensor<1x3x4x5xf32>)
  %b = "core.constant"() {value = dense<[1, 3, 20, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %y = "core.reshape"(%t, %b) : (tensor<1x3x4x5xf32>, tensor<4xi64>) -> (tensor<1x3x20x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x3x20x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x3x5xf32>):
  %1 = "core.transpose"(%0) {"perm" = [0, 2, 1, 3]} : (tensor<1x4x3x5xf32>) -> (tensor<1x3x4x5xf32>)
  %2 = "core.constant"() {"value" = dense<[1, 3, 20, 1]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %3 = "core.reshape"(%1, %2) : (tensor<1x3x4x5xf32>, tensor<4xi64>) -> (tensor<1x3x20x1xf32>)
  "mlconv.yield"(%3) : (tensor<1x3x20x1xf32>) -> ()

// -----
// CASE: an axis of size 1 goes where others are split behind a transpose
// RUN: canonicalize
^bb(%x: tensor<1x12x4x8xf32>):
  %a = "core.constant"() {value = dense<[1, 12, 32]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %m = "core.reshape"(%x, %a) : (tensor<1x12x4x8xf32>, tensor<3xi64>) -> (tensor<1x12x32xf32>)
  %t = "core.transpose"(%m) {perm = [0, 2, 1]} : (tensor<1x12x32xf32>) -> (tensor<1x32x12xf32>)
  %b = "core.constant"() {value = dense<[4, 8, 3, 4]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %y = "core.reshape"(%t, %b) : (tensor<1x32x12xf32>, tensor<4xi64>) -> (tensor<4x8x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<4x8x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x12x4x8xf32>):
  %1 = "core.constant"() {"value" = dense<[3, 4, 4, 8]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %2 = "core.reshape"(%0, %1) : (tensor<1x12x4x8xf32>, tensor<4xi64>) -> (tensor<3x4x4x8xf32>)
  %3 = "core.transpose"(%2) {"perm" = [2, 3, 0, 1]} : (tensor<3x4x4x8xf32>) -> (tensor<4x8x3x4xf32>)
  "mlconv.yield"(%3) : (tensor<4x8x3x4xf32>) -> ()

// -----
// CASE: heads that are merged, turned, and split into images of more of them are turned as they were
// RUN: canonicalize
^bb(%x: tensor<2x6x4x8xf32>):
  %merged = "core.constant"() {value = dense<[2, 6, 32]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %split = "core.constant"() {value = dense<[8, 8, 2, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %a = "core.reshape"(%x, %merged) : (tensor<2x6x4x8xf32>, tensor<3xi64>) -> (tensor<2x6x32xf32>)
  %b = "core.transpose"(%a) {perm = [0, 2, 1]} : (tensor<2x6x32xf32>) -> (tensor<2x32x6xf32>)
  %y = "core.reshape"(%b, %split) : (tensor<2x32x6xf32>, tensor<4xi64>) -> (tensor<8x8x2x3xf32>)
  "mlconv.yield"(%y) : (tensor<8x8x2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x6x4x8xf32>):
  %1 = "core.constant"() {"value" = dense<[8, 8, 2, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %2 = "core.transpose"(%0) {"perm" = [0, 2, 3, 1]} : (tensor<2x6x4x8xf32>) -> (tensor<2x4x8x6xf32>)
  %3 = "core.reshape"(%2, %1) : (tensor<2x4x8x6xf32>, tensor<4xi64>) -> (tensor<8x8x2x3xf32>)
  "mlconv.yield"(%3) : (tensor<8x8x2x3xf32>) -> ()

// -----
// CASE: axes that are cut anew in front of a transpose stay so
// RUN: canonicalize
^bb(%x: tensor<2x6x4x8xf32>):
  %merged = "core.constant"() {value = dense<[2, 12, 16]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %split = "core.constant"() {value = dense<[8, 4, 12]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %a = "core.reshape"(%x, %merged) : (tensor<2x6x4x8xf32>, tensor<3xi64>) -> (tensor<2x12x16xf32>)
  %b = "core.transpose"(%a) {perm = [0, 2, 1]} : (tensor<2x12x16xf32>) -> (tensor<2x16x12xf32>)
  %y = "core.reshape"(%b, %split) : (tensor<2x16x12xf32>, tensor<3xi64>) -> (tensor<8x4x12xf32>)
  "mlconv.yield"(%y) : (tensor<8x4x12xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x6x4x8xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 12, 16]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[8, 4, 12]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %3 = "core.reshape"(%0, %1) : (tensor<2x6x4x8xf32>, tensor<3xi64>) -> (tensor<2x12x16xf32>)
  %4 = "core.transpose"(%3) {"perm" = [0, 2, 1]} : (tensor<2x12x16xf32>) -> (tensor<2x16x12xf32>)
  %5 = "core.reshape"(%4, %2) : (tensor<2x16x12xf32>, tensor<3xi64>) -> (tensor<8x4x12xf32>)
  "mlconv.yield"(%5) : (tensor<8x4x12xf32>) -> ()

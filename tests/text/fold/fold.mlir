// CASE: an op over constants is computed, at its own place
// RUN: fold,dce
// OPTIONS: locations
^bb(%x: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %c2 = "core.constant"() {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %s = "core.add"(%c1, %c2) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  %y = "core.mul"(%x, %s) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2xf32>):
  %1 = "core.constant"() {"value" = dense<[4.0, 6.0]> : tensor<2xf32>} : () -> (tensor<2xf32>) loc("s")
  %2 = "core.mul"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>) loc("y")
  "mlconv.yield"(%2) : (tensor<2xf32>) -> () loc("mlconv.yield")

// -----
// CASE: the shape of fixed sizes is a constant
// RUN: fold,dce
^bb(%x: tensor<2x3xf32>):
  %y = "core.shape_of"(%x) : (tensor<2x3xf32>) -> (tensor<2xi64>)
  "mlconv.yield"(%y) : (tensor<2xi64>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 3]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  "mlconv.yield"(%1) : (tensor<2xi64>) -> ()

// -----
// CASE: the fixed part of an open shape is a constant
// RUN: fold,dce
^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<2xi64>)
  %c1 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "core.gather"(%s, %c1) : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  "mlconv.yield"(%y) : (tensor<1xi64>) -> ()
// EXPECT
^bb(%0: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %1 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  "mlconv.yield"(%1) : (tensor<1xi64>) -> ()

// -----
// CASE: the open part of a shape stays
// RUN: fold,dce
^bb(%x: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<2xi64>)
  %c1 = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "core.gather"(%s, %c1) : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  "mlconv.yield"(%y) : (tensor<1xi64>) -> ()
// EXPECT
^bb(%0: tensor<?x3xf32, {dims = ["N", "3"]}>):
  %1 = "core.shape_of"(%0) {"dtype" = i64} : (tensor<?x3xf32, {dims = ["N", "3"]}>) -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.gather"(%1, %2) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<2xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  "mlconv.yield"(%3) : (tensor<1xi64>) -> ()

// -----
// CASE: a broadcast of more bytes than the limit stays
// RUN: fold{limit=128},dce
^bb(%x: tensor<1xf32>):
  %c1 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %c2 = "core.constant"() {value = dense<[8, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.broadcast_to"(%c1, %c2) : (tensor<f32>, tensor<2xi64>) -> (tensor<8x8xf32>)
  %y = "core.mul"(%x, %w) : (tensor<1xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>)
  "mlconv.yield"(%y) : (tensor<8x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1xf32>):
  %1 = "core.constant"() {"value" = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<[8, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.broadcast_to"(%1, %2) : (tensor<f32>, tensor<2xi64>) -> (tensor<8x8xf32>)
  %4 = "core.mul"(%0, %3) : (tensor<1xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>)
  "mlconv.yield"(%4) : (tensor<8x8xf32>) -> ()

// -----
// CASE: a broadcast of no more bytes than the limit is computed
// RUN: fold{limit=256},dce
^bb(%x: tensor<1xf32>):
  %c1 = "core.constant"() {value = dense<2.0> : tensor<f32>} : () -> (tensor<f32>)
  %c2 = "core.constant"() {value = dense<[8, 8]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.broadcast_to"(%c1, %c2) : (tensor<f32>, tensor<2xi64>) -> (tensor<8x8xf32>)
  %y = "core.mul"(%x, %w) : (tensor<1xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>)
  "mlconv.yield"(%y) : (tensor<8x8xf32>) -> ()
// EXPECT
^bb(%0: tensor<1xf32>):
  %1 = "core.constant"() {"value" = dense<2.0> : tensor<8x8xf32>} : () -> (tensor<8x8xf32>)
  %2 = "core.mul"(%0, %1) : (tensor<1xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>)
  "mlconv.yield"(%2) : (tensor<8x8xf32>) -> ()

// -----
// CASE: a transpose of one repeated number is written down, not computed
// RUN: fold,dce
^bb(%x: tensor<2x64xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<32x64xf32>} : () -> (tensor<32x64xf32>)
  %w = "core.transpose"(%c1) {perm = [1, 0]} : (tensor<32x64xf32>) -> (tensor<64x32xf32>)
  %y = "core.matmul"(%x, %w) : (tensor<2x64xf32>, tensor<64x32xf32>) -> (tensor<2x32xf32>)
  "mlconv.yield"(%y) : (tensor<2x32xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x64xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<64x32xf32>} : () -> (tensor<64x32xf32>)
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x64xf32>, tensor<64x32xf32>) -> (tensor<2x32xf32>)
  "mlconv.yield"(%2) : (tensor<2x32xf32>) -> ()

// -----
// CASE: a reshape of a large constant stays one repeated number
// RUN: fold,dce
^bb(%x: tensor<2x64xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<32x2x32xf32>} : () -> (tensor<32x2x32xf32>)
  %c2 = "core.constant"() {value = dense<[64, 32]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %w = "core.reshape"(%c1, %c2) : (tensor<32x2x32xf32>, tensor<2xi64>) -> (tensor<64x32xf32>)
  %y = "core.matmul"(%x, %w) : (tensor<2x64xf32>, tensor<64x32xf32>) -> (tensor<2x32xf32>)
  "mlconv.yield"(%y) : (tensor<2x32xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x64xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<64x32xf32>} : () -> (tensor<64x32xf32>)
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x64xf32>, tensor<64x32xf32>) -> (tensor<2x32xf32>)
  "mlconv.yield"(%2) : (tensor<2x32xf32>) -> ()

// -----
// CASE: a cast of one repeated number is written down, not computed
// RUN: fold,dce
^bb(%x: tensor<2x64xf32>):
  %c1 = "core.constant"() {value = dense<0.5> : tensor<64x32xf16>} : () -> (tensor<64x32xf16>)
  %w = "core.cast"(%c1) {dtype = f32} : (tensor<64x32xf16>) -> (tensor<64x32xf32>)
  %y = "core.matmul"(%x, %w) : (tensor<2x64xf32>, tensor<64x32xf32>) -> (tensor<2x32xf32>)
  "mlconv.yield"(%y) : (tensor<2x32xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x64xf32>):
  %1 = "core.constant"() {"value" = dense<0.5> : tensor<64x32xf32>} : () -> (tensor<64x32xf32>)
  %2 = "core.matmul"(%0, %1) {"transpose_a" = false, "transpose_b" = false} : (tensor<2x64xf32>, tensor<64x32xf32>) -> (tensor<2x32xf32>)
  "mlconv.yield"(%2) : (tensor<2x32xf32>) -> ()

// -----
// CASE: random numbers are never computed here
// RUN: fold,dce
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %n = "core.random_uniform"(%c1) {seed = 3} : (tensor<1xi64>) -> (tensor<4xf32>)
  %y = "core.add"(%x, %n) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.random_uniform"(%1) {"dtype" = f32, "seed" = 3, "seed2" = 0} : (tensor<1xi64>) -> (tensor<4xf32>)
  %3 = "core.add"(%0, %2) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: constants inside a branch are computed
// RUN: fold,dce
^bb(%x: tensor<4xf32>, %p: tensor<i1>):
  %r = "core.if"(%p) ({
    %c1 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
    %n = "core.neg"(%c1) : (tensor<f32>) -> (tensor<f32>)
    %a = "core.add"(%x, %n) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%a) : (tensor<4xf32>) -> ()
  }, {
    %m = "core.neg"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%m) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%r) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<i1>):
  %2 = "core.if"(%1) ({
    %3 = "core.constant"() {"value" = dense<-1.0> : tensor<f32>} : () -> (tensor<f32>)
    %4 = "core.add"(%0, %3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
    "mlconv.yield"(%4) : (tensor<4xf32>) -> ()
  }, {
    %5 = "core.neg"(%0) : (tensor<4xf32>) -> (tensor<4xf32>)
    "mlconv.yield"(%5) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<4xf32>)
  "mlconv.yield"(%2) : (tensor<4xf32>) -> ()

// -----
// CASE: all results of an op are computed
// RUN: fold,dce
^bb(%x: tensor<3xf32>):
  %c1 = "core.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %p, %p1 = "core.split"(%c1) {sizes = [1, 2], axis = 0} : (tensor<3xf32>) -> (tensor<1xf32>, tensor<2xf32>)
  %y = "core.mul"(%x, %p) : (tensor<3xf32>, tensor<1xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%y, %p1) : (tensor<3xf32>, tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xf32>):
  %1 = "core.constant"() {"value" = dense<[1.0]> : tensor<1xf32>} : () -> (tensor<1xf32>)
  %2 = "core.constant"() {"value" = dense<[2.0, 3.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %3 = "core.mul"(%0, %1) : (tensor<3xf32>, tensor<1xf32>) -> (tensor<3xf32>)
  "mlconv.yield"(%3, %2) : (tensor<3xf32>, tensor<2xf32>) -> ()

// -----
// CASE: an index that the constant does not have is an error at its place
// RUN: fold,dce
^bb(%x: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<[1, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %k = "core.reduce_sum"(%c1) {axes = [0], keepdims = true} : (tensor<2xi64>) -> (tensor<1xi64>)
  %c2 = "core.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %q = "core.gather"(%c2, %k) : (tensor<2xf32>, tensor<1xi64>) -> (tensor<1xf32>)
  %y = "core.mul"(%x, %q) : (tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// DIAGNOSTICS
error[MLC0201]: gather: index 5 is out of bounds for an axis of size 2
  = node: q  core.gather (float32[2], int64[1])

// -----
// CASE: what a folded constant tells reaches the ops behind it
// RUN: fold
^bb(%x: tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>):
  %a = "core.constant"() {value = dense<[1.0, 4.0, 1.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %c = "core.cast"(%a) {"dtype" = i64} : (tensor<3xf32>) -> (tensor<3xi64>)
  %t = "core.tile"(%x, %c) : (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>, tensor<3xi64>) -> (tensor<?x?x?xf32, {dims = ["?1", "?2", "?3"]}>)
  %y = "core.exp"(%t) : (tensor<?x?x?xf32, {dims = ["?1", "?2", "?3"]}>) -> (tensor<?x?x?xf32, {dims = ["?1", "?2", "?3"]}>)
  "mlconv.yield"(%y) : (tensor<?x?x?xf32, {dims = ["?1", "?2", "?3"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>):
  %1 = "core.constant"() {"value" = dense<[1.0, 4.0, 1.0]> : tensor<3xf32>} : () -> (tensor<3xf32>)
  %2 = "core.constant"() {"value" = dense<[1, 4, 1]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %3 = "core.tile"(%0, %2) : (tensor<?x1x8xf32, {dims = ["n", "1", "8"]}>, tensor<3xi64>) -> (tensor<?x4x8xf32, {dims = ["n", "4", "8"]}>)
  %4 = "core.exp"(%3) : (tensor<?x4x8xf32, {dims = ["n", "4", "8"]}>) -> (tensor<?x4x8xf32, {dims = ["n", "4", "8"]}>)
  "mlconv.yield"(%4) : (tensor<?x4x8xf32, {dims = ["n", "4", "8"]}>) -> ()

// CASE: RESHAPE of an open batch
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>):
  %c1 = "core.constant"() {value = dense<[-1, 12]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %c1) : (tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>, tensor<2xi64>) -> (tensor<?x12xf32, {dims = ["N", "12"]}>)
  "mlconv.yield"(%y) : (tensor<?x12xf32, {dims = ["N", "12"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>):
  %1 = "core.constant"() {"value" = dense<[-1, 12]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tfl.RESHAPE"(%0, %1) {"new_shape" = [-1, 12]} : (tensor<?x3x4xf32, {dims = ["N", "3", "4"]}>, tensor<2xi32>) -> (tensor<?x12xf32, {dims = ["N", "12"]}>)
  "mlconv.yield"(%2) : (tensor<?x12xf32, {dims = ["N", "12"]}>) -> ()

// -----
// CASE: the batch of a reshape is left open, so that the file can be resized
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3x4xf32>):
  %c1 = "core.constant"() {value = dense<[2, 12]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.reshape"(%x, %c1) : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<2x12xf32>)
  "mlconv.yield"(%y) : (tensor<2x12xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[-1, 12]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tfl.RESHAPE"(%0, %1) {"new_shape" = [-1, 12]} : (tensor<2x3x4xf32>, tensor<2xi32>) -> (tensor<2x12xf32>)
  "mlconv.yield"(%2) : (tensor<2x12xf32>) -> ()

// -----
// CASE: a computed shape is cast to 32 bits
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<?x?x2xf32, {dims = ["N", "M", "2"]}>):
  %s = "core.shape_of"(%x) : (tensor<?x?x2xf32, {dims = ["N", "M", "2"]}>) -> (tensor<3xi64>)
  %c1 = "core.constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %c2 = "core.constant"() {value = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %c3 = "core.constant"() {value = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %t = "core.slice"(%s, %c1, %c2, %c3) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %c4 = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %k = "core.concat"(%t, %c4) {axis = 0} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<4xi64>)
  %y = "core.reshape"(%x, %k) : (tensor<?x?x2xf32, {dims = ["N", "M", "2"]}>, tensor<4xi64>) -> (tensor<?x?x1x2xf32, {dims = ["N", "M", "1", "2"]}>)
  "mlconv.yield"(%y) : (tensor<?x?x1x2xf32, {dims = ["N", "M", "1", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?x2xf32, {dims = ["N", "M", "2"]}>):
  %1 = "tfl.SHAPE"(%0) {"out_type" = "INT64"} : (tensor<?x?x2xf32, {dims = ["N", "M", "2"]}>) -> (tensor<3xi64>)
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %3 = "core.constant"() {"value" = dense<[2]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %5 = "tfl.STRIDED_SLICE"(%1, %2, %3, %4) {"begin_mask" = 0, "end_mask" = 0} : (tensor<3xi64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi64>)
  %6 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %7 = "tfl.CONCATENATION"(%5, %6) {"axis" = 0} : (tensor<2xi64>, tensor<2xi64>) -> (tensor<4xi64>)
  %8 = "tfl.CAST"(%7) {"in_data_type" = "INT64", "out_data_type" = "INT32"} : (tensor<4xi64>) -> (tensor<4xi32>)
  %9 = "tfl.RESHAPE"(%0, %8) : (tensor<?x?x2xf32, {dims = ["N", "M", "2"]}>, tensor<4xi32>) -> (tensor<?x?x1x2xf32, {dims = ["N", "M", "1", "2"]}>)
  "mlconv.yield"(%9) : (tensor<?x?x1x2xf32, {dims = ["N", "M", "1", "2"]}>) -> ()

// -----
// CASE: ranks of open sizes change by RESHAPE to computed sizes
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<?x?xf32, {dims = ["N", "M"]}>):
  %a = "core.expand_dims"(%x) {axes = [1]} : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> (tensor<?x1x?xf32, {dims = ["N", "1", "M"]}>)
  %y = "core.squeeze"(%a) {axes = [1]} : (tensor<?x1x?xf32, {dims = ["N", "1", "M"]}>) -> (tensor<?x?xf32, {dims = ["N", "M"]}>)
  "mlconv.yield"(%y) : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> ()
// EXPECT
^bb(%0: tensor<?x?xf32, {dims = ["N", "M"]}>):
  %1 = "tfl.SHAPE"(%0) {"out_type" = "INT32"} : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "tfl.STRIDED_SLICE"(%1, %2, %3, %3) : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>)
  %5 = "core.constant"() {"value" = dense<[2]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %6 = "tfl.STRIDED_SLICE"(%1, %3, %5, %3) : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>)
  %7 = "tfl.CONCATENATION"(%4, %3, %6) {"axis" = 0} : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xi32>)
  %8 = "tfl.RESHAPE"(%0, %7) : (tensor<?x?xf32, {dims = ["N", "M"]}>, tensor<3xi32>) -> (tensor<?x1x?xf32, {dims = ["N", "1", "M"]}>)
  %9 = "tfl.SHAPE"(%8) {"out_type" = "INT32"} : (tensor<?x1x?xf32, {dims = ["N", "1", "M"]}>) -> (tensor<3xi32>)
  %10 = "tfl.STRIDED_SLICE"(%9, %2, %3, %3) : (tensor<3xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>)
  %11 = "core.constant"() {"value" = dense<[3]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %12 = "tfl.STRIDED_SLICE"(%9, %5, %11, %3) : (tensor<3xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>)
  %13 = "tfl.CONCATENATION"(%10, %12) {"axis" = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %14 = "tfl.RESHAPE"(%8, %13) : (tensor<?x1x?xf32, {dims = ["N", "1", "M"]}>, tensor<2xi32>) -> (tensor<?x?xf32, {dims = ["N", "M"]}>)
  "mlconv.yield"(%14) : (tensor<?x?xf32, {dims = ["N", "M"]}>) -> ()

// -----
// CASE: TRANSPOSE
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3x4xf32>):
  %y = "core.transpose"(%x) {perm = [2, 0, 1]} : (tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[2, 0, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %2 = "tfl.TRANSPOSE"(%0, %1) : (tensor<2x3x4xf32>, tensor<3xi32>) -> (tensor<4x2x3xf32>)
  "mlconv.yield"(%2) : (tensor<4x2x3xf32>) -> ()

// -----
// CASE: SPLIT into equal parts, SPLIT_V into others
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %p, %p1 = "core.split"(%x) {sizes = [1, 1], axis = 0} : (tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
  %q, %q1 = "core.split"(%x) {sizes = [1, 2], axis = 1} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  "mlconv.yield"(%p, %p1, %q, %q1) : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<2x1xf32>, tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2, %3 = "tfl.SPLIT"(%1, %0) {"num_splits" = 2} : (tensor<i32>, tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
  %4 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %5 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %6, %7 = "tfl.SPLIT_V"(%0, %4, %5) {"num_splits" = 2} : (tensor<2x3xf32>, tensor<2xi32>, tensor<i32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  "mlconv.yield"(%2, %3, %6, %7) : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<2x1xf32>, tensor<2x2xf32>) -> ()

// -----
// CASE: CONCATENATION
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %y = "core.concat"(%x, %x) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "tfl.CONCATENATION"(%0, %0) {"axis" = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%1) : (tensor<2x6xf32>) -> ()

// -----
// CASE: STRIDED_SLICE with masks
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4x5xf32>):
  %c1 = "core.constant"() {value = dense<[1, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c2 = "core.constant"() {value = dense<[3, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %c3 = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.slice"(%x, %c1, %c2, %c3) {end_mask = 2} : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[3, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tfl.STRIDED_SLICE"(%0, %1, %2, %3) {"begin_mask" = 0, "end_mask" = 2} : (tensor<4x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%4) : (tensor<2x3xf32>) -> ()

// -----
// CASE: SLICE with places that are computed
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4x5xf32>, %b: tensor<2xi64>):
  %c1 = "core.constant"() {value = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.dynamic_slice"(%x, %b, %c1) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%y) : (tensor<2x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>, %1: tensor<2xi64>):
  %2 = "core.constant"() {"value" = dense<[2, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "tfl.CAST"(%1) {"in_data_type" = "INT64", "out_data_type" = "INT32"} : (tensor<2xi64>) -> (tensor<2xi32>)
  %4 = "core.constant"() {"value" = dense<[2, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %5 = "tfl.SLICE"(%0, %3, %4) : (tensor<4x5xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%5) : (tensor<2x2xf32>) -> ()

// -----
// CASE: TILE, BROADCAST_TO and REVERSE_V2
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %t = "core.tile"(%x, %c1) : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x6xf32>)
  %c2 = "core.constant"() {value = dense<[4, 2, 3]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %b = "core.broadcast_to"(%x, %c2) : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<4x2x3xf32>)
  %r = "core.reverse"(%x) {axes = [1]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%t, %b, %r) : (tensor<2x6xf32>, tensor<4x2x3xf32>, tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[1, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "tfl.TILE"(%0, %2) : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x6xf32>)
  %4 = "core.constant"() {"value" = dense<[4, 2, 3]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %5 = "tfl.BROADCAST_TO"(%0, %4) : (tensor<2x3xf32>, tensor<3xi32>) -> (tensor<4x2x3xf32>)
  %6 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %7 = "tfl.REVERSE_V2"(%0, %6) : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%3, %5, %7) : (tensor<2x6xf32>, tensor<4x2x3xf32>, tensor<2x3xf32>) -> ()

// -----
// CASE: REVERSE_SEQUENCE
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>, %n: tensor<2xi32>):
  %y = "core.reverse_sequence"(%x, %n) {time_axis = 1, batch_axis = 0} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%y) : (tensor<2x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>, %1: tensor<2xi32>):
  %2 = "tfl.REVERSE_SEQUENCE"(%0, %1) {"seq_dim" = 1, "batch_dim" = 0} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  "mlconv.yield"(%2) : (tensor<2x3xf32>) -> ()

// -----
// CASE: RANGE
// RUN: to-tfl,tfl-merge
^bb(%n: tensor<i32>):
  %c1 = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.range"(%c1, %n, %c2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["?1"]}>)
  "mlconv.yield"(%y) : (tensor<?xi32, {dims = ["?1"]}>) -> ()
// EXPECT
^bb(%0: tensor<i32>):
  %1 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "tfl.MAXIMUM"(%0, %1) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %4 = "tfl.RANGE"(%1, %3, %2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<?xi32, {dims = ["?1"]}>)
  "mlconv.yield"(%4) : (tensor<?xi32, {dims = ["?1"]}>) -> ()

// -----
// CASE: DEPTH_TO_SPACE and SPACE_TO_DEPTH
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x4xf32>):
  %e = "core.depth_to_space"(%x) {block_size = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x4x1xf32>)
  %s = "core.space_to_depth"(%x) {block_size = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x1x1x16xf32>)
  "mlconv.yield"(%e, %s) : (tensor<1x4x4x1xf32>, tensor<1x1x1x16xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x4xf32>):
  %1 = "tfl.DEPTH_TO_SPACE"(%0) {"block_size" = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x4x4x1xf32>)
  %2 = "tfl.SPACE_TO_DEPTH"(%0) {"block_size" = 2} : (tensor<1x2x2x4xf32>) -> (tensor<1x1x1x16xf32>)
  "mlconv.yield"(%1, %2) : (tensor<1x4x4x1xf32>, tensor<1x1x1x16xf32>) -> ()

// -----
// CASE: depth to space of another order turns the channels before
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x2x2x8xf32>):
  %y = "core.depth_to_space"(%x) {block_size = 2, mode = "crd"} : (tensor<1x2x2x8xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x2x2x8xf32>):
  %1 = "core.constant"() {"value" = dense<[-1, 2, 2, 2, 4]> : tensor<5xi32>} : () -> (tensor<5xi32>)
  %2 = "tfl.RESHAPE"(%0, %1) {"new_shape" = [-1, 2, 2, 2, 4]} : (tensor<1x2x2x8xf32>, tensor<5xi32>) -> (tensor<1x2x2x2x4xf32>)
  %3 = "core.constant"() {"value" = dense<[0, 1, 2, 4, 3]> : tensor<5xi32>} : () -> (tensor<5xi32>)
  %4 = "tfl.TRANSPOSE"(%2, %3) : (tensor<1x2x2x2x4xf32>, tensor<5xi32>) -> (tensor<1x2x2x4x2xf32>)
  %5 = "core.constant"() {"value" = dense<[-1, 2, 2, 8]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %6 = "tfl.RESHAPE"(%4, %5) {"new_shape" = [-1, 2, 2, 8]} : (tensor<1x2x2x4x2xf32>, tensor<4xi32>) -> (tensor<1x2x2x8xf32>)
  %7 = "tfl.DEPTH_TO_SPACE"(%6) {"block_size" = 2} : (tensor<1x2x2x8xf32>) -> (tensor<1x4x4x2xf32>)
  "mlconv.yield"(%7) : (tensor<1x4x4x2xf32>) -> ()

// -----
// CASE: SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<1x4x4x1xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %s = "core.space_to_batch"(%x, %c1) {block_size = [2, 2]} : (tensor<1x4x4x1xf32>, tensor<2x2xi64>) -> (tensor<4x2x2x1xf32>)
  %c2 = "core.constant"() {value = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %y = "core.batch_to_space"(%s, %c2) {block_size = [2, 2]} : (tensor<4x2x2x1xf32>, tensor<2x2xi64>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%y) : (tensor<1x4x4x1xf32>) -> ()
// EXPECT
^bb(%0: tensor<1x4x4x1xf32>):
  %1 = "core.constant"() {"value" = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %2 = "core.constant"() {"value" = dense<[2, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<[[0, 0], [0, 0]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %4 = "tfl.SPACE_TO_BATCH_ND"(%0, %2, %3) : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> (tensor<4x2x2x1xf32>)
  %5 = "tfl.BATCH_TO_SPACE_ND"(%4, %2, %3) : (tensor<4x2x2x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> (tensor<1x4x4x1xf32>)
  "mlconv.yield"(%5) : (tensor<1x4x4x1xf32>) -> ()

// -----
// CASE: PAD of zeros, PADV2 of others, MIRROR_PAD of reflections
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %p = "core.pad"(%x, %c1, %c2) : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x6xf32>)
  %c3 = "core.constant"() {value = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %c4 = "core.constant"() {value = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %q = "core.pad"(%x, %c3, %c4) : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x6xf32>)
  %c5 = "core.constant"() {value = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %c6 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %m = "core.pad"(%x, %c5, %c6) {mode = "reflect"} : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%p, %q, %m) : (tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[[0, 0], [1, 2]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %2 = "tfl.PAD"(%0, %1) : (tensor<2x3xf32>, tensor<2x2xi32>) -> (tensor<2x6xf32>)
  %3 = "core.constant"() {"value" = dense<9.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "tfl.PADV2"(%0, %1, %3) : (tensor<2x3xf32>, tensor<2x2xi32>, tensor<f32>) -> (tensor<2x6xf32>)
  %5 = "tfl.MIRROR_PAD"(%0, %1) {"mode" = "REFLECT"} : (tensor<2x3xf32>, tensor<2x2xi32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%2, %4, %5) : (tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) -> ()

// -----
// CASE: a pad that repeats the edge is a gather
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) {mode = "edge"} : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%y) : (tensor<2x6xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 0, 1, 2, 2, 2]> : tensor<6xi32>} : () -> (tensor<6xi32>)
  %2 = "tfl.GATHER"(%0, %1) {"axis" = 1, "batch_dims" = 0} : (tensor<2x3xf32>, tensor<6xi32>) -> (tensor<2x6xf32>)
  "mlconv.yield"(%2) : (tensor<2x6xf32>) -> ()

// -----
// CASE: a negative pad is a slice
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x4xf32>):
  %c1 = "core.constant"() {value = dense<[[0, 0], [-1, 2]]> : tensor<2x2xi64>} : () -> (tensor<2x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) : (tensor<2x4xf32>, tensor<2x2xi64>, tensor<f32>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %3 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "tfl.STRIDED_SLICE"(%0, %1, %2, %3) {"begin_mask" = 1, "end_mask" = 3} : (tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2x3xf32>)
  %5 = "core.constant"() {"value" = dense<[[0, 0], [0, 2]]> : tensor<2x2xi32>} : () -> (tensor<2x2xi32>)
  %6 = "tfl.PAD"(%4, %5) : (tensor<2x3xf32>, tensor<2x2xi32>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%6) : (tensor<2x5xf32>) -> ()

// -----
// CASE: a pad that wraps around more than once
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<[[5, 0]]> : tensor<1x2xi64>} : () -> (tensor<1x2xi64>)
  %c2 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.pad"(%x, %c1, %c2) {mode = "wrap"} : (tensor<4xf32>, tensor<1x2xi64>, tensor<f32>) -> (tensor<9xf32>)
  "mlconv.yield"(%y) : (tensor<9xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[3, 0, 1, 2, 3, 0, 1, 2, 3]> : tensor<9xi32>} : () -> (tensor<9xi32>)
  %2 = "tfl.GATHER"(%0, %1) {"axis" = 0, "batch_dims" = 0} : (tensor<4xf32>, tensor<9xi32>) -> (tensor<9xf32>)
  "mlconv.yield"(%2) : (tensor<9xf32>) -> ()

// -----
// CASE: a piece is written at computed places
// RUN: to-tfl
^bb(%x: tensor<4x3xf32>, %u: tensor<1x3xf32>, %i: tensor<i32>):
  %zero = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.update_slice"(%x, %u, %i, %zero) : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<1x3xf32>, %2: tensor<i32>):
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "tfl.RESHAPE"(%2, %3) {"new_shape" = [1]} : (tensor<i32>, tensor<1xi32>) -> (tensor<1xi32>)
  %5 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %6 = "tfl.CONCATENATION"(%4, %5) {"axis" = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %7 = "tfl.DYNAMIC_UPDATE_SLICE"(%0, %1, %6) : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<2xi32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%7) : (tensor<4x3xf32>) -> ()

// -----
// CASE: a TRANSPOSE that undoes the one before goes with it
// RUN: to-tfl,tfl-merge,tfl-fuse,tfl-contract
^bb(%x: tensor<2x3x4xf32>):
  %e = "core.exp"(%x) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %t = "core.transpose"(%e) {perm = [1, 2, 0]} : (tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>)
  %u = "core.transpose"(%t) {perm = [2, 0, 1]} : (tensor<3x4x2xf32>) -> (tensor<2x3x4xf32>)
  %y = "core.neg"(%u) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>):
  %1 = "tfl.EXP"(%0) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  %2 = "tfl.NEG"(%1) : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x3x4xf32>) -> ()

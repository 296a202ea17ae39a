// CASE: indices of a GATHER that are computed may count from the end
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<3x4xf32>, %i: tensor<2xi64>):
  %y = "core.gather"(%x, %i) {axis = 1} : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2xi64>):
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<4> : tensor<i64>">} : () -> (tensor<i64>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %4 = "tfl.LESS"(%1, %3) : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi1>)
  %5 = "tfl.ADD"(%1, %2) : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>)
  %6 = "tfl.SELECT_V2"(%4, %5, %1) : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %7 = "tfl.GATHER"(%0, %6) {"axis" = 1, "batch_dims" = 0} : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%7) : (tensor<3x2xf32>) -> ()

// -----
// CASE: negative indices that are known are counted from the start
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<3x4xf32>):
  %c1 = "core.constant"() {value = dense<[0, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "core.gather"(%x, %c1) : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %2 = "tfl.GATHER"(%0, %1) {"axis" = 0, "batch_dims" = 0} : (tensor<3x4xf32>, tensor<2xi32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: GATHER_ND
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<3x4xf32>, %k: tensor<2x2xi64>):
  %y = "core.gather_nd"(%x, %k) : (tensor<3x4xf32>, tensor<2x2xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x2xi64>):
  %2 = "tfl.CAST"(%1) {"in_data_type" = "INT64", "out_data_type" = "INT32"} : (tensor<2x2xi64>) -> (tensor<2x2xi32>)
  %3 = "core.constant"() {"value" = dense<[3, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %4 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "tfl.LESS"(%2, %4) : (tensor<2x2xi32>, tensor<i32>) -> (tensor<2x2xi1>)
  %6 = "tfl.ADD"(%2, %3) : (tensor<2x2xi32>, tensor<2xi32>) -> (tensor<2x2xi32>)
  %7 = "tfl.SELECT_V2"(%5, %6, %2) : (tensor<2x2xi1>, tensor<2x2xi32>, tensor<2x2xi32>) -> (tensor<2x2xi32>)
  %8 = "tfl.GATHER_ND"(%0, %7) : (tensor<3x4xf32>, tensor<2x2xi32>) -> (tensor<2xf32>)
  "mlconv.yield"(%8) : (tensor<2xf32>) -> ()

// -----
// CASE: gather_elements is GATHER_ND with the other places filled in
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<3x4xf32>, %k: tensor<2x4xi64>):
  %y = "core.gather_elements"(%x, %k) {axis = 0} : (tensor<3x4xf32>, tensor<2x4xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x4xi64>):
  %2 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i64>">} : () -> (tensor<i64>)
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %4 = "tfl.LESS"(%1, %3) : (tensor<2x4xi64>, tensor<i64>) -> (tensor<2x4xi1>)
  %5 = "tfl.ADD"(%1, %2) : (tensor<2x4xi64>, tensor<i64>) -> (tensor<2x4xi64>)
  %6 = "tfl.SELECT_V2"(%4, %5, %1) : (tensor<2x4xi1>, tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x4xi64>)
  %7 = "tfl.CAST"(%6) {"in_data_type" = "INT64", "out_data_type" = "INT32"} : (tensor<2x4xi64>) -> (tensor<2x4xi32>)
  %8 = "core.constant"() {"value" = dense<[-1, 4, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %9 = "tfl.RESHAPE"(%7, %8) {"new_shape" = [-1, 4, 1]} : (tensor<2x4xi32>, tensor<3xi32>) -> (tensor<2x4x1xi32>)
  %10 = "core.constant"() {"value" = dense<[[[0], [1], [2], [3]]]> : tensor<1x4x1xi32>} : () -> (tensor<1x4x1xi32>)
  %11 = "core.constant"() {"value" = dense<[2, 4, 1]> : tensor<3xi32>} : () -> (tensor<3xi32>)
  %12 = "tfl.BROADCAST_TO"(%10, %11) : (tensor<1x4x1xi32>, tensor<3xi32>) -> (tensor<2x4x1xi32>)
  %13 = "tfl.CONCATENATION"(%9, %12) {"axis" = 2} : (tensor<2x4x1xi32>, tensor<2x4x1xi32>) -> (tensor<2x4x2xi32>)
  %14 = "tfl.GATHER_ND"(%0, %13) : (tensor<3x4xf32>, tensor<2x4x2xi32>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%14) : (tensor<2x4xf32>) -> ()

// -----
// CASE: scatter_nd writes over what is there
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>, %k: tensor<2x1xi64>, %u: tensor<2xf32>):
  %y = "core.scatter_nd"(%x, %k, %u) : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<2x1xi64>, %2: tensor<2xf32>):
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<4> : tensor<i64>">} : () -> (tensor<i64>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %5 = "tfl.LESS"(%1, %4) : (tensor<2x1xi64>, tensor<i64>) -> (tensor<2x1xi1>)
  %6 = "tfl.ADD"(%1, %3) : (tensor<2x1xi64>, tensor<i64>) -> (tensor<2x1xi64>)
  %7 = "tfl.SELECT_V2"(%5, %6, %1) : (tensor<2x1xi1>, tensor<2x1xi64>, tensor<2x1xi64>) -> (tensor<2x1xi64>)
  %8 = "tfl.CAST"(%7) {"in_data_type" = "INT64", "out_data_type" = "INT32"} : (tensor<2x1xi64>) -> (tensor<2x1xi32>)
  %9 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %10 = "tfl.RESHAPE"(%8, %9) {"new_shape" = [-1]} : (tensor<2x1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %11 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %12 = "core.constant"() {"value" = dense<[4, 5]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %13 = "tfl.UNSORTED_SEGMENT_MAX"(%12, %10, %11) : (tensor<2xi32>, tensor<2xi32>, tensor<i32>) -> (tensor<4xi32>)
  %14 = "tfl.CONCATENATION"(%0, %2) {"axis" = 0} : (tensor<4xf32>, tensor<2xf32>) -> (tensor<6xf32>)
  %15 = "core.constant"() {"value" = dense<[0, 1, 2, 3]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %16 = "tfl.MAXIMUM"(%13, %15) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %17 = "tfl.GATHER"(%14, %16) {"axis" = 0} : (tensor<6xf32>, tensor<4xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%17) : (tensor<4xf32>) -> ()

// -----
// CASE: scatter_nd that adds
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xf32>, %k: tensor<2x1xi64>, %u: tensor<2xf32>):
  %y = "core.scatter_nd"(%x, %k, %u) {reduction = "add"} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<2x1xi64>, %2: tensor<2xf32>):
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<4> : tensor<i64>">} : () -> (tensor<i64>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %5 = "tfl.LESS"(%1, %4) : (tensor<2x1xi64>, tensor<i64>) -> (tensor<2x1xi1>)
  %6 = "tfl.ADD"(%1, %3) : (tensor<2x1xi64>, tensor<i64>) -> (tensor<2x1xi64>)
  %7 = "tfl.SELECT_V2"(%5, %6, %1) : (tensor<2x1xi1>, tensor<2x1xi64>, tensor<2x1xi64>) -> (tensor<2x1xi64>)
  %8 = "tfl.CAST"(%7) {"in_data_type" = "INT64", "out_data_type" = "INT32"} : (tensor<2x1xi64>) -> (tensor<2x1xi32>)
  %9 = "core.constant"() {"value" = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %10 = "tfl.SCATTER_ND"(%8, %2, %9) : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> (tensor<4xf32>)
  %11 = "tfl.ADD"(%0, %10) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%11) : (tensor<4xf32>) -> ()

// -----
// CASE: scatter_elements
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<3x4xf32>, %k: tensor<1x4xi64>, %u: tensor<1x4xf32>):
  %y = "core.scatter_elements"(%x, %k, %u) {axis = 0} : (tensor<3x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<1x4xi64>, %2: tensor<1x4xf32>):
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<3> : tensor<i64>">} : () -> (tensor<i64>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %5 = "tfl.LESS"(%1, %4) : (tensor<1x4xi64>, tensor<i64>) -> (tensor<1x4xi1>)
  %6 = "tfl.ADD"(%1, %3) : (tensor<1x4xi64>, tensor<i64>) -> (tensor<1x4xi64>)
  %7 = "tfl.SELECT_V2"(%5, %6, %1) : (tensor<1x4xi1>, tensor<1x4xi64>, tensor<1x4xi64>) -> (tensor<1x4xi64>)
  %8 = "tfl.CAST"(%7) {"in_data_type" = "INT64", "out_data_type" = "INT32"} : (tensor<1x4xi64>) -> (tensor<1x4xi32>)
  %9 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %10 = "tfl.MUL"(%8, %9) : (tensor<1x4xi32>, tensor<i32>) -> (tensor<1x4xi32>)
  %11 = "core.constant"() {"value" = dense<[[0, 1, 2, 3]]> : tensor<1x4xi32>} : () -> (tensor<1x4xi32>)
  %12 = "tfl.ADD"(%10, %11) : (tensor<1x4xi32>, tensor<1x4xi32>) -> (tensor<1x4xi32>)
  %13 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %14 = "tfl.RESHAPE"(%12, %13) {"new_shape" = [-1]} : (tensor<1x4xi32>, tensor<1xi32>) -> (tensor<4xi32>)
  %15 = "core.constant"() {"value" = dense<12> : tensor<i32>} : () -> (tensor<i32>)
  %16 = "core.constant"() {"value" = dense<[12, 13, 14, 15]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %17 = "tfl.UNSORTED_SEGMENT_MAX"(%16, %14, %15) : (tensor<4xi32>, tensor<4xi32>, tensor<i32>) -> (tensor<12xi32>)
  %18 = "tfl.RESHAPE"(%2, %13) {"new_shape" = [-1]} : (tensor<1x4xf32>, tensor<1xi32>) -> (tensor<4xf32>)
  %19 = "core.constant"() {"value" = dense<[12]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %20 = "tfl.RESHAPE"(%0, %19) {"new_shape" = [12]} : (tensor<3x4xf32>, tensor<1xi32>) -> (tensor<12xf32>)
  %21 = "tfl.CONCATENATION"(%20, %18) {"axis" = 0} : (tensor<12xf32>, tensor<4xf32>) -> (tensor<16xf32>)
  %22 = "core.constant"() {"value" = dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]> : tensor<12xi32>} : () -> (tensor<12xi32>)
  %23 = "tfl.MAXIMUM"(%17, %22) : (tensor<12xi32>, tensor<12xi32>) -> (tensor<12xi32>)
  %24 = "tfl.GATHER"(%21, %23) {"axis" = 0} : (tensor<16xf32>, tensor<12xi32>) -> (tensor<12xf32>)
  %25 = "core.constant"() {"value" = dense<[3, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %26 = "tfl.RESHAPE"(%24, %25) {"new_shape" = [3, 4]} : (tensor<12xf32>, tensor<2xi32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%26) : (tensor<3x4xf32>) -> ()

// -----
// CASE: SCATTER_ND fills with zeros
// RUN: to-tfl,tfl-merge
^bb(%k: tensor<2x1xi32>, %u: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "core.scatter_fill"(%k, %u, %c1) : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi32>, %1: tensor<2xf32>):
  %2 = "core.constant"() {"value" = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %3 = "tfl.SCATTER_ND"(%0, %1, %2) : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: ONE_HOT
// RUN: to-tfl,tfl-merge
^bb(%i: tensor<3xi32>):
  %c1 = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.one_hot"(%i, %c1, %c2, %c3) : (tensor<3xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xi32>):
  %1 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "tfl.ONE_HOT"(%0, %1, %2, %3) {"axis" = -1} : (tensor<3xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%4) : (tensor<3x4xf32>) -> ()

// -----
// CASE: WHERE
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x3xi1>):
  %y = "core.nonzero"(%x) : (tensor<2x3xi1>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  "mlconv.yield"(%y) : (tensor<?x2xi64, {dims = ["?1", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi1>):
  %1 = "tfl.WHERE"(%0) : (tensor<2x3xi1>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  "mlconv.yield"(%1) : (tensor<?x2xi64, {dims = ["?1", "2"]}>) -> ()

// -----
// CASE: TOPK_V2
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x5xf32>):
  %c1 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %t, %t1 = "core.top_k"(%x, %c1) {index_dtype = i32} : (tensor<2x5xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  "mlconv.yield"(%t, %t1) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>):
  %1 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %2, %3 = "tfl.TOPK_V2"(%0, %1) : (tensor<2x5xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  "mlconv.yield"(%2, %3) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()

// -----
// CASE: the smallest are the largest of the negative
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<2x5xf32>):
  %c1 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %t, %t1 = "core.top_k"(%x, %c1) {largest = false, index_dtype = i32} : (tensor<2x5xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  "mlconv.yield"(%t, %t1) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>):
  %1 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "tfl.NEG"(%0) : (tensor<2x5xf32>) -> (tensor<2x5xf32>)
  %3, %4 = "tfl.TOPK_V2"(%2, %1) : (tensor<2x5xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %5 = "tfl.NEG"(%3) : (tensor<2x2xf32>) -> (tensor<2x2xf32>)
  "mlconv.yield"(%5, %4) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()

// -----
// CASE: UNIQUE
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4xi32>):
  %u, %u1, %u2, %u3 = "core.unique"(%x) {axis = 0, sorted = false, index_dtype = i32} : (tensor<4xi32>) -> (tensor<?xi32, {dims = ["?1"]}>, tensor<?xi32, {dims = ["?1"]}>, tensor<4xi32>, tensor<?xi32, {dims = ["?1"]}>)
  "mlconv.yield"(%u, %u1, %u2, %u3) : (tensor<?xi32, {dims = ["?1"]}>, tensor<?xi32, {dims = ["?1"]}>, tensor<4xi32>, tensor<?xi32, {dims = ["?1"]}>) -> ()
// EXPECT
^bb(%0: tensor<4xi32>):
  %1, %2 = "tfl.UNIQUE"(%0) {"idx_out_type" = "INT32"} : (tensor<4xi32>) -> (tensor<?xi32, {dims = ["?1"]}>, tensor<4xi32>)
  %3 = "tfl.SHAPE"(%1) {"out_type" = "INT32"} : (tensor<?xi32, {dims = ["?1"]}>) -> (tensor<1xi32>)
  %4 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %5 = "tfl.RESHAPE"(%3, %4) {"new_shape" = []} : (tensor<1xi32>, tensor<0xi32>) -> (tensor<i32>)
  %6 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %7 = "core.constant"() {"value" = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %8 = "tfl.FILL"(%7, %6) : (tensor<1xi32>, tensor<i32>) -> (tensor<4xi32>)
  %9 = "tfl.UNSORTED_SEGMENT_SUM"(%8, %2, %5) : (tensor<4xi32>, tensor<4xi32>, tensor<i32>) -> (tensor<?xi32, {dims = ["?1"]}>)
  %10 = "core.constant"() {"value" = dense<[0, 1, 2, 3]> : tensor<4xi32>} : () -> (tensor<4xi32>)
  %11 = "tfl.UNSORTED_SEGMENT_MIN"(%10, %2, %5) : (tensor<4xi32>, tensor<4xi32>, tensor<i32>) -> (tensor<?xi32, {dims = ["?1"]}>)
  "mlconv.yield"(%1, %11, %2, %9) : (tensor<?xi32, {dims = ["?1"]}>, tensor<?xi32, {dims = ["?1"]}>, tensor<4xi32>, tensor<?xi32, {dims = ["?1"]}>) -> ()

// -----
// CASE: UNSORTED_SEGMENT_SUM
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4x2xf32>, %s: tensor<4xi32>):
  %c1 = "core.constant"() {value = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.segment_reduce"(%x, %s, %c1) : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x2xf32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "tfl.UNSORTED_SEGMENT_SUM"(%0, %1, %2) : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%3) : (tensor<3x2xf32>) -> ()

// -----
// CASE: NON_MAX_SUPPRESSION gives a fixed number, of which a part counts
// RUN: to-tfl,tfl-merge
^bb(%b: tensor<4x4xf32>, %s: tensor<4xf32>):
  %c1 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %c4 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %n, %n1, %n2 = "core.non_max_suppression"(%b, %s, %c1, %c2, %c3, %c4) : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32, {dims = ["?1"]}>, tensor<?xf32, {dims = ["?1"]}>, tensor<i32>)
  "mlconv.yield"(%n, %n1, %n2) : (tensor<?xi32, {dims = ["?1"]}>, tensor<?xf32, {dims = ["?1"]}>, tensor<i32>) -> ()
// EXPECT
^bb(%0: tensor<4x4xf32>, %1: tensor<4xf32>):
  %2 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "core.constant"() {"value" = dense<0xFF800000> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %6 = "tfl.MAXIMUM"(%2, %5) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %7 = "tfl.MINIMUM"(%6, %4) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %8 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %9 = "tfl.RANGE"(%5, %4, %8) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>)
  %10 = "tfl.GREATER"(%1, %3) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xi1>)
  %11 = "core.constant"() {"value" = #mlconv.splat<"dense<0xFF800000> : tensor<f32>">} : () -> (tensor<f32>)
  %12 = "tfl.SELECT_V2"(%10, %1, %11) : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %13, %14 = "tfl.TOPK_V2"(%12, %4) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  %15 = "tfl.SUB"(%4, %9) : (tensor<i32>, tensor<4xi32>) -> (tensor<4xi32>)
  %16 = "tfl.CAST"(%15) {"in_data_type" = "INT32", "out_data_type" = "FLOAT32"} : (tensor<4xi32>) -> (tensor<4xf32>)
  %17 = "tfl.GATHER"(%10, %14) {"axis" = 0} : (tensor<4xi1>, tensor<4xi32>) -> (tensor<4xi1>)
  %18 = "core.constant"() {"value" = #mlconv.splat<"dense<0.0> : tensor<f32>">} : () -> (tensor<f32>)
  %19 = "tfl.SELECT_V2"(%17, %16, %18) : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  %20 = "core.constant"() {"value" = dense<[0, 0]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %21 = "core.constant"() {"value" = dense<[0, 2]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %22 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %23 = "tfl.STRIDED_SLICE"(%0, %20, %21, %22) {"begin_mask" = 1, "end_mask" = 1} : (tensor<4x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<4x2xf32>)
  %24 = "tfl.STRIDED_SLICE"(%0, %21, %20, %22) {"begin_mask" = 1, "end_mask" = 3} : (tensor<4x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<4x2xf32>)
  %25 = "tfl.SUB"(%24, %23) : (tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<4x2xf32>)
  %26 = "tfl.ABS"(%25) : (tensor<4x2xf32>) -> (tensor<4x2xf32>)
  %27 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %28 = "tfl.REDUCE_PROD"(%26, %27) {"keep_dims" = true} : (tensor<4x2xf32>, tensor<1xi32>) -> (tensor<4x1xf32>)
  %29 = "tfl.ABS"(%0) : (tensor<4x4xf32>) -> (tensor<4x4xf32>)
  %30 = "tfl.REDUCE_MAX"(%29, %27) {"keep_dims" = true} : (tensor<4x4xf32>, tensor<1xi32>) -> (tensor<4x1xf32>)
  %31 = "core.constant"() {"value" = #mlconv.splat<"dense<0x7F800000> : tensor<f32>">} : () -> (tensor<f32>)
  %32 = "tfl.LESS"(%29, %31) : (tensor<4x4xf32>, tensor<f32>) -> (tensor<4x4xi1>)
  %33 = "tfl.REDUCE_ALL"(%32, %27) {"keep_dims" = true} : (tensor<4x4xi1>, tensor<1xi32>) -> (tensor<4x1xi1>)
  %34 = "tfl.GREATER"(%28, %18) : (tensor<4x1xf32>, tensor<f32>) -> (tensor<4x1xi1>)
  %35 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0e+38> : tensor<f32>">} : () -> (tensor<f32>)
  %36 = "tfl.LESS"(%28, %35) : (tensor<4x1xf32>, tensor<f32>) -> (tensor<4x1xi1>)
  %37 = "tfl.LOGICAL_AND"(%34, %36) : (tensor<4x1xi1>, tensor<4x1xi1>) -> (tensor<4x1xi1>)
  %38 = "tfl.LOGICAL_AND"(%33, %37) : (tensor<4x1xi1>, tensor<4x1xi1>) -> (tensor<4x1xi1>)
  %39 = "core.constant"() {"value" = #mlconv.splat<"dense<1.0> : tensor<f32>">} : () -> (tensor<f32>)
  %40 = "tfl.SELECT_V2"(%38, %30, %39) : (tensor<4x1xi1>, tensor<4x1xf32>, tensor<f32>) -> (tensor<4x1xf32>)
  %41 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %42 = "tfl.REDUCE_MAX"(%40, %41) {"keep_dims" = true} : (tensor<4x1xf32>, tensor<1xi32>) -> (tensor<1x1xf32>)
  %43 = "core.constant"() {"value" = #mlconv.splat<"dense<2.0> : tensor<f32>">} : () -> (tensor<f32>)
  %44 = "tfl.MUL"(%42, %43) : (tensor<1x1xf32>, tensor<f32>) -> (tensor<1x1xf32>)
  %45 = "tfl.MAXIMUM"(%44, %39) : (tensor<1x1xf32>, tensor<f32>) -> (tensor<1x1xf32>)
  %46 = "core.constant"() {"value" = dense<[-1, 1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %47 = "tfl.RESHAPE"(%9, %46) {"new_shape" = [-1, 1]} : (tensor<4xi32>, tensor<2xi32>) -> (tensor<4x1xi32>)
  %48 = "tfl.CAST"(%47) {"in_data_type" = "INT32", "out_data_type" = "FLOAT32"} : (tensor<4x1xi32>) -> (tensor<4x1xf32>)
  %49 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %50 = "tfl.ADD"(%48, %49) : (tensor<4x1xf32>, tensor<f32>) -> (tensor<4x1xf32>)
  %51 = "tfl.MUL"(%50, %45) : (tensor<4x1xf32>, tensor<1x1xf32>) -> (tensor<4x1xf32>)
  %52 = "core.constant"() {"value" = #mlconv.splat<"dense<0.5> : tensor<f32>">} : () -> (tensor<f32>)
  %53 = "tfl.MUL"(%45, %52) : (tensor<1x1xf32>, tensor<f32>) -> (tensor<1x1xf32>)
  %54 = "tfl.ADD"(%51, %53) : (tensor<4x1xf32>, tensor<1x1xf32>) -> (tensor<4x1xf32>)
  %55 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %56 = "tfl.MUL"(%48, %55) : (tensor<4x1xf32>, tensor<f32>) -> (tensor<4x1xf32>)
  %57 = "tfl.ADD"(%56, %39) : (tensor<4x1xf32>, tensor<f32>) -> (tensor<4x1xf32>)
  %58 = "tfl.CONCATENATION"(%51, %56, %54, %57) {"axis" = 1} : (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) -> (tensor<4x4xf32>)
  %59 = "tfl.SELECT_V2"(%38, %0, %58) : (tensor<4x1xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>)
  %60 = "tfl.GATHER"(%59, %14) {"axis" = 0} : (tensor<4x4xf32>, tensor<4xi32>) -> (tensor<4x4xf32>)
  %61 = "core.constant"() {"value" = dense<0.50000006> : tensor<f32>} : () -> (tensor<f32>)
  %62 = "core.constant"() {"value" = dense<0.5> : tensor<f32>} : () -> (tensor<f32>)
  %63, %64 = "tfl.NON_MAX_SUPPRESSION_V4"(%60, %19, %7, %61, %62) : (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32, {dims = ["?1"]}>, tensor<i32>)
  %65 = "tfl.RESHAPE"(%64, %27) {"new_shape" = [1]} : (tensor<i32>, tensor<1xi32>) -> (tensor<1xi32>)
  %66 = "tfl.SLICE"(%63, %41, %65) : (tensor<?xi32, {dims = ["?1"]}>, tensor<1xi32>, tensor<1xi32>) -> (tensor<?xi32, {dims = ["?2"]}>)
  %67 = "tfl.GATHER"(%14, %66) {"axis" = 0} : (tensor<4xi32>, tensor<?xi32, {dims = ["?2"]}>) -> (tensor<?xi32, {dims = ["?3"]}>)
  %68 = "tfl.GATHER"(%1, %67) {"axis" = 0} : (tensor<4xf32>, tensor<?xi32, {dims = ["?3"]}>) -> (tensor<?xf32, {dims = ["?3"]}>)
  "mlconv.yield"(%67, %68, %64) : (tensor<?xi32, {dims = ["?3"]}>, tensor<?xf32, {dims = ["?3"]}>, tensor<i32>) -> ()

// -----
// CASE: a scatter of a single tuple is DYNAMIC_UPDATE_SLICE
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4x3xf32>, %i: tensor<i32>, %a: tensor<1x3xf32>):
  %s = "core.constant"() {value = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %p = "core.reshape"(%i, %s) : (tensor<i32>, tensor<2xi64>) -> (tensor<1x1xi32>)
  %y = "core.scatter_nd"(%x, %p, %a) : (tensor<4x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%y) : (tensor<4x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<i32>, %2: tensor<1x3xf32>):
  %3 = "core.constant"() {"value" = #mlconv.splat<"dense<4> : tensor<i32>">} : () -> (tensor<i32>)
  %4 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i32>">} : () -> (tensor<i32>)
  %5 = "tfl.LESS"(%1, %4) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
  %6 = "tfl.ADD"(%1, %3) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %7 = "tfl.SELECT_V2"(%5, %6, %1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %8 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %9 = "tfl.RESHAPE"(%7, %8) {"new_shape" = [1]} : (tensor<i32>, tensor<1xi32>) -> (tensor<1xi32>)
  %10 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %11 = "tfl.CONCATENATION"(%9, %10) {"axis" = 0} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>)
  %12 = "tfl.DYNAMIC_UPDATE_SLICE"(%0, %2, %11) : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<2xi32>) -> (tensor<4x3xf32>)
  "mlconv.yield"(%12) : (tensor<4x3xf32>) -> ()

// -----
// CASE: sums of sorted segments may leave some empty, which SEGMENT_SUM refuses
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4x3xf32>, %i: tensor<4xi32>):
  %b = "core.constant"() {value = dense<-1> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %e = "core.constant"() {value = dense<0> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %o = "core.constant"() {value = dense<1> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %l = "core.slice"(%i, %b, %e, %o) {end_mask = 1} : (tensor<4xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>)
  %n = "core.constant"() {value = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %r = "core.reshape"(%l, %n) : (tensor<1xi32>, tensor<0xi64>) -> (tensor<i32>)
  %u = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %c = "core.add"(%r, %u) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %y = "core.segment_reduce"(%x, %i, %c) : (tensor<4x3xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<?x3xf32>)
  "mlconv.yield"(%y) : (tensor<?x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %5 = "tfl.STRIDED_SLICE"(%1, %2, %3, %4) {"begin_mask" = 0, "end_mask" = 1} : (tensor<4xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<1xi32>)
  %6 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %7 = "tfl.RESHAPE"(%5, %6) {"new_shape" = []} : (tensor<1xi32>, tensor<0xi32>) -> (tensor<i32>)
  %8 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %9 = "tfl.ADD"(%7, %8) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
  %10 = "tfl.UNSORTED_SEGMENT_SUM"(%0, %1, %9) : (tensor<4x3xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<?x3xf32, {dims = ["?1", "3"]}>)
  "mlconv.yield"(%10) : (tensor<?x3xf32, {dims = ["?1", "3"]}>) -> ()

// -----
// CASE: the counter of a loop is no negative index
// RUN: to-tfl,tfl-merge
^bb(%x: tensor<4x3xf32>, %a: tensor<3xf32>):
  %z = "core.constant"() {value = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %i, %s = "core.while"(%z, %a) ({
  ^bb(%j: tensor<i32>, %t: tensor<3xf32>):
    %n = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
    %c = "core.less"(%j, %n) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb(%j: tensor<i32>, %t: tensor<3xf32>):
    %r = "core.gather"(%x, %j) {axis = 0} : (tensor<4x3xf32>, tensor<i32>) -> (tensor<3xf32>)
    %u = "core.add"(%t, %r) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    %o = "core.constant"() {value = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %k = "core.add"(%j, %o) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%k, %u) : (tensor<i32>, tensor<3xf32>) -> ()
  }) : (tensor<i32>, tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>)
  "mlconv.yield"(%s) : (tensor<3xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x3xf32>, %1: tensor<3xf32>):
  %2 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %3, %4, %5 = "tfl.WHILE"(%2, %1, %0) ({
  ^bb(%6: tensor<i32>, %7: tensor<3xf32>, %8: tensor<4x3xf32>):
    %9 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
    %10 = "tfl.LESS"(%6, %9) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
    "mlconv.yield"(%10) : (tensor<i1>) -> ()
  }, {
  ^bb(%11: tensor<i32>, %12: tensor<3xf32>, %13: tensor<4x3xf32>):
    %14 = "tfl.GATHER"(%13, %11) {"axis" = 0, "batch_dims" = 0} : (tensor<4x3xf32>, tensor<i32>) -> (tensor<3xf32>)
    %15 = "tfl.ADD"(%12, %14) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>)
    %16 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
    %17 = "tfl.ADD"(%11, %16) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
    "mlconv.yield"(%17, %15, %13) : (tensor<i32>, tensor<3xf32>, tensor<4x3xf32>) -> ()
  }) {"mlconv.arguments" = [["", "", "x"], ["", "", "x"]]} : (tensor<i32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<i32>, tensor<3xf32>, tensor<4x3xf32>)
  "mlconv.yield"(%4) : (tensor<3xf32>) -> ()

// -----
// CASE: places that limits, and what is added to them, keep from being negative
// RUN: to-tfl
^bb(%t: tensor<9x2xf32>, %i: tensor<?xi64, {dims = ["n"]}>):
  %l = "core.clamp"(%i) {lo = -4.0, hi = 4.0} : (tensor<?xi64, {dims = ["n"]}>) -> (tensor<?xi64, {dims = ["n"]}>)
  %m = "core.constant"() {value = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %j = "core.add"(%l, %m) : (tensor<?xi64, {dims = ["n"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %y = "core.gather"(%t, %j) {axis = 0, batch_dims = 0, from_start = false} : (tensor<9x2xf32>, tensor<?xi64, {dims = ["n"]}>) -> (tensor<?x2xf32, {dims = ["n", "2"]}>)
  "mlconv.yield"(%y) : (tensor<?x2xf32, {dims = ["n", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<9x2xf32>, %1: tensor<?xi64, {dims = ["n"]}>):
  %2 = "core.constant"() {"value" = dense<-4> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "tfl.MAXIMUM"(%1, %2) : (tensor<?xi64, {dims = ["n"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %4 = "core.constant"() {"value" = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %5 = "tfl.MINIMUM"(%3, %4) : (tensor<?xi64, {dims = ["n"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %6 = "core.constant"() {"value" = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %7 = "tfl.ADD"(%5, %6) : (tensor<?xi64, {dims = ["n"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %8 = "tfl.GATHER"(%0, %7) {"axis" = 0, "batch_dims" = 0} : (tensor<9x2xf32>, tensor<?xi64, {dims = ["n"]}>) -> (tensor<?x2xf32, {dims = ["n", "2"]}>)
  "mlconv.yield"(%8) : (tensor<?x2xf32, {dims = ["n", "2"]}>) -> ()

// -----
// CASE: places that may be negative are counted from the end
// RUN: to-tfl
^bb(%t: tensor<9x2xf32>, %i: tensor<?xi64, {dims = ["n"]}>):
  %l = "core.clamp"(%i) {lo = -4.0, hi = 4.0} : (tensor<?xi64, {dims = ["n"]}>) -> (tensor<?xi64, {dims = ["n"]}>)
  %m = "core.constant"() {value = dense<3> : tensor<i64>} : () -> (tensor<i64>)
  %j = "core.add"(%l, %m) : (tensor<?xi64, {dims = ["n"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %y = "core.gather"(%t, %j) {axis = 0, batch_dims = 0, from_start = false} : (tensor<9x2xf32>, tensor<?xi64, {dims = ["n"]}>) -> (tensor<?x2xf32, {dims = ["n", "2"]}>)
  "mlconv.yield"(%y) : (tensor<?x2xf32, {dims = ["n", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<9x2xf32>, %1: tensor<?xi64, {dims = ["n"]}>):
  %2 = "core.constant"() {"value" = dense<-4> : tensor<i64>} : () -> (tensor<i64>)
  %3 = "tfl.MAXIMUM"(%1, %2) : (tensor<?xi64, {dims = ["n"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %4 = "core.constant"() {"value" = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %5 = "tfl.MINIMUM"(%3, %4) : (tensor<?xi64, {dims = ["n"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %6 = "core.constant"() {"value" = dense<3> : tensor<i64>} : () -> (tensor<i64>)
  %7 = "tfl.ADD"(%5, %6) : (tensor<?xi64, {dims = ["n"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %8 = "core.constant"() {"value" = #mlconv.splat<"dense<9> : tensor<i64>">} : () -> (tensor<i64>)
  %9 = "core.constant"() {"value" = #mlconv.splat<"dense<0> : tensor<i64>">} : () -> (tensor<i64>)
  %10 = "tfl.LESS"(%7, %9) : (tensor<?xi64, {dims = ["n"]}>, tensor<i64>) -> (tensor<?xi1, {dims = ["n"]}>)
  %11 = "tfl.ADD"(%7, %8) : (tensor<?xi64, {dims = ["n"]}>, tensor<i64>) -> (tensor<?xi64, {dims = ["n"]}>)
  %12 = "tfl.SELECT_V2"(%10, %11, %7) : (tensor<?xi1, {dims = ["n"]}>, tensor<?xi64, {dims = ["n"]}>, tensor<?xi64, {dims = ["n"]}>) -> (tensor<?xi64, {dims = ["n"]}>)
  %13 = "tfl.GATHER"(%0, %12) {"axis" = 0, "batch_dims" = 0} : (tensor<9x2xf32>, tensor<?xi64, {dims = ["n"]}>) -> (tensor<?x2xf32, {dims = ["n", "2"]}>)
  "mlconv.yield"(%13) : (tensor<?x2xf32, {dims = ["n", "2"]}>) -> ()

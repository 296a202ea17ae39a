// CASE: places below zero are counted from the end before
// RUN: to-tf
^bb(%x: tensor<3x4xf32>, %k: tensor<2xi64>):
  %y = "core.gather"(%x, %k) {axis = 1} : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2xi64>):
  %2 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %4 = "tf.Reshape"(%2, %3) {"Tshape" = i32, "T" = i64} : (tensor<1xi64>, tensor<0xi32>) -> (tensor<i64>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %6 = "tf.Less"(%1, %5) {"T" = i64} : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi1>)
  %7 = "tf.AddV2"(%1, %4) {"T" = i64} : (tensor<2xi64>, tensor<i64>) -> (tensor<2xi64>)
  %8 = "tf.SelectV2"(%6, %7, %1) {"T" = i64} : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>)
  %9 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %10 = "tf.GatherV2"(%0, %8, %9) {"Tindices" = i64, "Taxis" = i32, "Tparams" = f32, "batch_dims" = 0} : (tensor<3x4xf32>, tensor<2xi64>, tensor<i32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%10) : (tensor<3x2xf32>) -> ()

// -----
// CASE: places of two numbers
// RUN: to-tf
^bb(%x: tensor<3x4xf32>, %k: tensor<2x2xi64>):
  %y = "core.gather_nd"(%x, %k) : (tensor<3x4xf32>, tensor<2x2xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x2xi64>):
  %2 = "core.constant"() {"value" = dense<[3, 4]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "tf.Less"(%1, %3) {"T" = i64} : (tensor<2x2xi64>, tensor<i64>) -> (tensor<2x2xi1>)
  %5 = "tf.AddV2"(%1, %2) {"T" = i64} : (tensor<2x2xi64>, tensor<2xi64>) -> (tensor<2x2xi64>)
  %6 = "tf.SelectV2"(%4, %5, %1) {"T" = i64} : (tensor<2x2xi1>, tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x2xi64>)
  %7 = "tf.GatherNd"(%0, %6) {"Tindices" = i64, "Tparams" = f32} : (tensor<3x4xf32>, tensor<2x2xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%7) : (tensor<2xf32>) -> ()

// -----
// CASE: single elements are gathered at tuples
// RUN: to-tf
^bb(%x: tensor<3x4xf32>, %k: tensor<2x4xi64>):
  %y = "core.gather_elements"(%x, %k) {axis = 0} : (tensor<3x4xf32>, tensor<2x4xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x4xi64>):
  %2 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %4 = "tf.Reshape"(%2, %3) {"Tshape" = i32, "T" = i64} : (tensor<1xi64>, tensor<0xi32>) -> (tensor<i64>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %6 = "tf.Less"(%1, %5) {"T" = i64} : (tensor<2x4xi64>, tensor<i64>) -> (tensor<2x4xi1>)
  %7 = "tf.AddV2"(%1, %4) {"T" = i64} : (tensor<2x4xi64>, tensor<i64>) -> (tensor<2x4xi64>)
  %8 = "tf.SelectV2"(%6, %7, %1) {"T" = i64} : (tensor<2x4xi1>, tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x4xi64>)
  %9 = "core.constant"() {"value" = dense<[0, 1, 2, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %10 = "core.constant"() {"value" = dense<[1, -1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %11 = "tf.Reshape"(%9, %10) {"Tshape" = i32, "T" = i64} : (tensor<4xi64>, tensor<2xi32>) -> (tensor<1x4xi64>)
  %12 = "core.constant"() {"value" = dense<[2, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %13 = "tf.BroadcastTo"(%11, %12) {"T" = i64, "Tidx" = i32} : (tensor<1x4xi64>, tensor<2xi32>) -> (tensor<2x4xi64>)
  %14 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %15 = "tf.ExpandDims"(%8, %14) {"Tdim" = i32, "T" = i64} : (tensor<2x4xi64>, tensor<i32>) -> (tensor<2x4x1xi64>)
  %16 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %17 = "tf.ExpandDims"(%13, %16) {"Tdim" = i32, "T" = i64} : (tensor<2x4xi64>, tensor<i32>) -> (tensor<2x4x1xi64>)
  %18 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %19 = "tf.ConcatV2"(%15, %17, %18) {"Tidx" = i32, "N" = 2, "T" = i64} : (tensor<2x4x1xi64>, tensor<2x4x1xi64>, tensor<i32>) -> (tensor<2x4x2xi64>)
  %20 = "tf.GatherNd"(%0, %19) {"Tindices" = i64, "Tparams" = f32} : (tensor<3x4xf32>, tensor<2x4x2xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%20) : (tensor<2x4xf32>) -> ()

// -----
// CASE: updates are written and added
// RUN: to-tf
^bb(%x: tensor<4xf32>, %k: tensor<2x1xi64>, %u: tensor<2xf32>):
  %y = "core.scatter_nd"(%x, %k, %u) {reduction = "add"} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<2x1xi64>, %2: tensor<2xf32>):
  %3 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %5 = "tf.Reshape"(%3, %4) {"Tshape" = i32, "T" = i64} : (tensor<1xi64>, tensor<0xi32>) -> (tensor<i64>)
  %6 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %7 = "tf.Less"(%1, %6) {"T" = i64} : (tensor<2x1xi64>, tensor<i64>) -> (tensor<2x1xi1>)
  %8 = "tf.AddV2"(%1, %5) {"T" = i64} : (tensor<2x1xi64>, tensor<i64>) -> (tensor<2x1xi64>)
  %9 = "tf.SelectV2"(%7, %8, %1) {"T" = i64} : (tensor<2x1xi1>, tensor<2x1xi64>, tensor<2x1xi64>) -> (tensor<2x1xi64>)
  %10 = "tf.TensorScatterAdd"(%0, %9, %2) {"T" = f32, "Tindices" = i64} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%10) : (tensor<4xf32>) -> ()

// -----
// CASE: single elements are written at tuples
// RUN: to-tf
^bb(%x: tensor<3x4xf32>, %k: tensor<1x4xi64>, %u: tensor<1x4xf32>):
  %y = "core.scatter_elements"(%x, %k, %u) {axis = 0} : (tensor<3x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<1x4xi64>, %2: tensor<1x4xf32>):
  %3 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %5 = "tf.Reshape"(%3, %4) {"Tshape" = i32, "T" = i64} : (tensor<1xi64>, tensor<0xi32>) -> (tensor<i64>)
  %6 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %7 = "tf.Less"(%1, %6) {"T" = i64} : (tensor<1x4xi64>, tensor<i64>) -> (tensor<1x4xi1>)
  %8 = "tf.AddV2"(%1, %5) {"T" = i64} : (tensor<1x4xi64>, tensor<i64>) -> (tensor<1x4xi64>)
  %9 = "tf.SelectV2"(%7, %8, %1) {"T" = i64} : (tensor<1x4xi1>, tensor<1x4xi64>, tensor<1x4xi64>) -> (tensor<1x4xi64>)
  %10 = "core.constant"() {"value" = dense<[0, 1, 2, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %11 = "core.constant"() {"value" = dense<[1, -1]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %12 = "tf.Reshape"(%10, %11) {"Tshape" = i32, "T" = i64} : (tensor<4xi64>, tensor<2xi32>) -> (tensor<1x4xi64>)
  %13 = "core.constant"() {"value" = dense<[1, 4]> : tensor<2xi32>} : () -> (tensor<2xi32>)
  %14 = "tf.BroadcastTo"(%12, %13) {"T" = i64, "Tidx" = i32} : (tensor<1x4xi64>, tensor<2xi32>) -> (tensor<1x4xi64>)
  %15 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %16 = "tf.ExpandDims"(%9, %15) {"Tdim" = i32, "T" = i64} : (tensor<1x4xi64>, tensor<i32>) -> (tensor<1x4x1xi64>)
  %17 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %18 = "tf.ExpandDims"(%14, %17) {"Tdim" = i32, "T" = i64} : (tensor<1x4xi64>, tensor<i32>) -> (tensor<1x4x1xi64>)
  %19 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %20 = "tf.ConcatV2"(%16, %18, %19) {"Tidx" = i32, "N" = 2, "T" = i64} : (tensor<1x4x1xi64>, tensor<1x4x1xi64>, tensor<i32>) -> (tensor<1x4x2xi64>)
  %21 = "tf.TensorScatterUpdate"(%0, %20, %2) {"T" = f32, "Tindices" = i64} : (tensor<3x4xf32>, tensor<1x4x2xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%21) : (tensor<3x4xf32>) -> ()

// -----
// CASE: scatter into zeros
// RUN: to-tf
^bb(%k: tensor<2x1xi32>, %u: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "core.scatter_fill"(%k, %u, %c1) : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi32>, %1: tensor<2xf32>):
  %2 = "core.constant"() {"value" = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %3 = "tf.ScatterNd"(%0, %1, %2) {"Tindices" = i32, "T" = f32} : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: one-hot
// RUN: to-tf
^bb(%k: tensor<3xi32>):
  %c1 = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.one_hot"(%k, %c1, %c2, %c3) : (tensor<3xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xi32>):
  %1 = "core.constant"() {"value" = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "tf.OneHot"(%0, %1, %2, %3) {"TI" = i32, "T" = f32, "axis" = -1} : (tensor<3xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%4) : (tensor<3x4xf32>) -> ()

// -----
// CASE: the largest numbers along another axis than the last
// RUN: to-tf
^bb(%x: tensor<2x5xf32>):
  %c1 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %t, %t1 = "core.top_k"(%x, %c1) {index_dtype = i32} : (tensor<2x5xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  "mlconv.yield"(%t, %t1) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>):
  %1 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %2, %3 = "tf.TopKV2"(%0, %1) {"T" = f32, "sorted" = true, "index_type" = i32, "Tk" = i32} : (tensor<2x5xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  "mlconv.yield"(%2, %3) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()

// -----
// CASE: segments
// RUN: to-tf
^bb(%x: tensor<4x2xf32>, %s: tensor<4xi32>):
  %c1 = "core.constant"() {value = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.segment_reduce"(%x, %s, %c1) : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x2xf32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "tf.UnsortedSegmentSum"(%0, %1, %2) {"T" = f32, "Tindices" = i32, "Tnumsegments" = i32} : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%3) : (tensor<3x2xf32>) -> ()

// -----
// CASE: distinct numbers, in order
// RUN: to-tf
^bb(%x: tensor<9xf32>):
  %y, %f, %i, %c = "core.unique"(%x) {sorted = false, index_dtype = i32} : (tensor<9xf32>) -> (tensor<?xf32, {dims = ["?1"]}>, tensor<?xi32, {dims = ["?1"]}>, tensor<9xi32>, tensor<?xi32, {dims = ["?1"]}>)
  "mlconv.yield"(%y, %i) : (tensor<?xf32, {dims = ["?1"]}>, tensor<9xi32>) -> ()
// EXPECT
^bb(%0: tensor<9xf32>):
  %1 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %2 = "tf.Reshape"(%0, %1) {"Tshape" = i32, "T" = f32} : (tensor<9xf32>, tensor<1xi32>) -> (tensor<9xf32>)
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4, %5, %6 = "tf.UniqueWithCountsV2"(%2, %3) {"T" = f32, "Taxis" = i64, "out_idx" = i64} : (tensor<9xf32>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["?1"]}>, tensor<*xi64>, tensor<*xi64>)
  %7 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %8 = "tf.Reshape"(%5, %7) {"Tshape" = i32, "T" = i64} : (tensor<*xi64>, tensor<1xi32>) -> (tensor<*xi64>)
  %9 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %10 = "tf.Reshape"(%6, %9) {"Tshape" = i32, "T" = i64} : (tensor<*xi64>, tensor<1xi32>) -> (tensor<*xi64>)
  %11 = "tf.Shape"(%10) {"out_type" = i64, "T" = i64} : (tensor<*xi64>) -> (tensor<1xi64>)
  %12 = "tf.Shape"(%8) {"out_type" = i64, "T" = i64} : (tensor<*xi64>) -> (tensor<1xi64>)
  %13 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %14 = "tf.Reshape"(%12, %13) {"Tshape" = i32, "T" = i64} : (tensor<1xi64>, tensor<0xi32>) -> (tensor<i64>)
  %15 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %16 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %17 = "tf.Range"(%15, %14, %16) {"Tidx" = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xi64, {dims = ["?2"]}>)
  %18 = "core.constant"() {"value" = dense<> : tensor<0xi32>} : () -> (tensor<0xi32>)
  %19 = "tf.Reshape"(%11, %18) {"Tshape" = i32, "T" = i64} : (tensor<1xi64>, tensor<0xi32>) -> (tensor<i64>)
  %20 = "tf.UnsortedSegmentMin"(%17, %8, %19) {"T" = i64, "Tindices" = i64, "Tnumsegments" = i64} : (tensor<?xi64, {dims = ["?2"]}>, tensor<*xi64>, tensor<i64>) -> (tensor<*xi64>)
  %21 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %22 = "tf.Reshape"(%20, %21) {"Tshape" = i32, "T" = i64} : (tensor<*xi64>, tensor<1xi32>) -> (tensor<?xi64, {dims = ["?1"]}>)
  %23 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %24 = "tf.Reshape"(%8, %23) {"Tshape" = i32, "T" = i64} : (tensor<*xi64>, tensor<1xi32>) -> (tensor<9xi64>)
  %25 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %26 = "tf.Reshape"(%10, %25) {"Tshape" = i32, "T" = i64} : (tensor<*xi64>, tensor<1xi32>) -> (tensor<?xi64, {dims = ["?1"]}>)
  %27 = "tf.Cast"(%24) {"SrcT" = i64, "DstT" = i32} : (tensor<9xi64>) -> (tensor<9xi32>)
  "mlconv.yield"(%4, %27) : (tensor<?xf32, {dims = ["?1"]}>, tensor<9xi32>) -> ()

// -----
// CASE: places of what is not zero
// RUN: to-tf
^bb(%x: tensor<2x3xi1>):
  %y = "core.nonzero"(%x) : (tensor<2x3xi1>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  "mlconv.yield"(%y) : (tensor<?x2xi64, {dims = ["?1", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi1>):
  %1 = "tf.Where"(%0) {"T" = i1} : (tensor<2x3xi1>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  "mlconv.yield"(%1) : (tensor<?x2xi64, {dims = ["?1", "2"]}>) -> ()

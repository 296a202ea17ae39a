// CASE: gather has the numbers of its axes
// RUN: to-onnx
^bb(%x: tensor<3x4xf32>, %k: tensor<2xi64>):
  %y = "core.gather"(%x, %k) {axis = 1} : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2xi64>):
  %2 = "onnx.Gather"(%0, %1) {"axis" = 1, "opset_version" = 17} : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%2) : (tensor<3x2xf32>) -> ()

// -----
// CASE: gather of places of two numbers
// RUN: to-onnx
^bb(%x: tensor<3x4xf32>, %k: tensor<2x2xi64>):
  %y = "core.gather_nd"(%x, %k) : (tensor<3x4xf32>, tensor<2x2xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x2xi64>):
  %2 = "onnx.GatherND"(%0, %1) {"opset_version" = 17} : (tensor<3x4xf32>, tensor<2x2xi64>) -> (tensor<2xf32>)
  "mlconv.yield"(%2) : (tensor<2xf32>) -> ()

// -----
// CASE: gather_elements
// RUN: to-onnx
^bb(%x: tensor<3x4xf32>, %k: tensor<2x4xi64>):
  %y = "core.gather_elements"(%x, %k) {axis = 0} : (tensor<3x4xf32>, tensor<2x4xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x4xi64>):
  %2 = "onnx.GatherElements"(%0, %1) {"axis" = 0, "opset_version" = 17} : (tensor<3x4xf32>, tensor<2x4xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: scatter with a computation
// RUN: to-onnx
^bb(%x: tensor<4xf32>, %k: tensor<2x1xi64>, %u: tensor<2xf32>):
  %y = "core.scatter_nd"(%x, %k, %u) {reduction = "add"} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<2x1xi64>, %2: tensor<2xf32>):
  %3 = "onnx.ScatterND"(%0, %1, %2) {"reduction" = "add", "opset_version" = 17} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: scatter_elements
// RUN: to-onnx
^bb(%x: tensor<3x4xf32>, %k: tensor<1x4xi64>, %u: tensor<1x4xf32>):
  %y = "core.scatter_elements"(%x, %k, %u) {axis = 0} : (tensor<3x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<1x4xi64>, %2: tensor<1x4xf32>):
  %3 = "onnx.ScatterElements"(%0, %1, %2) {"axis" = 0, "opset_version" = 17} : (tensor<3x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%3) : (tensor<3x4xf32>) -> ()

// -----
// CASE: scatter into zeros
// RUN: to-onnx
^bb(%k: tensor<2x1xi32>, %u: tensor<2xf32>):
  %c1 = "core.constant"() {value = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %y = "core.scatter_fill"(%k, %u, %c1) : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x1xi32>, %1: tensor<2xf32>):
  %2 = "core.constant"() {"value" = dense<[4]> : tensor<1xi32>} : () -> (tensor<1xi32>)
  %3 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %4 = "onnx.Cast"(%2) {"to" = 7, "opset_version" = 17} : (tensor<1xi32>) -> (tensor<1xi64>)
  %5 = "onnx.Expand"(%3, %4) {"opset_version" = 17} : (tensor<f32>, tensor<1xi64>) -> (tensor<4xf32>)
  %6 = "onnx.Cast"(%0) {"to" = 7, "opset_version" = 17} : (tensor<2x1xi32>) -> (tensor<2x1xi64>)
  %7 = "onnx.ScatterND"(%5, %6, %1) {"reduction" = "add", "opset_version" = 17} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%7) : (tensor<4xf32>) -> ()

// -----
// CASE: a one-hot is a comparison with an iota
// RUN: to-onnx
^bb(%k: tensor<3xi32>):
  %c1 = "core.constant"() {value = dense<4> : tensor<i32>} : () -> (tensor<i32>)
  %c2 = "core.constant"() {value = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %c3 = "core.constant"() {value = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %y = "core.one_hot"(%k, %c1, %c2, %c3) : (tensor<3xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xi32>):
  %1 = "core.constant"() {"value" = dense<1.0> : tensor<f32>} : () -> (tensor<f32>)
  %2 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %3 = "core.constant"() {"value" = dense<[0, 1, 2, 3]> : tensor<4xi64>} : () -> (tensor<4xi64>)
  %4 = "onnx.Cast"(%3) {"to" = 6, "opset_version" = 17} : (tensor<4xi64>) -> (tensor<4xi32>)
  %5 = "core.constant"() {"value" = dense<[1, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %6 = "onnx.Reshape"(%4, %5) {"opset_version" = 17} : (tensor<4xi32>, tensor<2xi64>) -> (tensor<1x4xi32>)
  %7 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %8 = "onnx.Unsqueeze"(%0, %7) {"opset_version" = 17} : (tensor<3xi32>, tensor<1xi64>) -> (tensor<3x1xi32>)
  %9 = "onnx.Equal"(%8, %6) {"opset_version" = 17} : (tensor<3x1xi32>, tensor<1x4xi32>) -> (tensor<3x4xi1>)
  %10 = "onnx.Where"(%9, %1, %2) {"opset_version" = 17} : (tensor<3x4xi1>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%10) : (tensor<3x4xf32>) -> ()

// -----
// CASE: the largest numbers are cut off a sort
// RUN: to-onnx
^bb(%x: tensor<2x5xf32>):
  %c1 = "core.constant"() {value = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %t, %t1 = "core.top_k"(%x, %c1) {index_dtype = i32} : (tensor<2x5xf32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  "mlconv.yield"(%t, %t1) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()
// EXPECT
^bb(%0: tensor<2x5xf32>):
  %1 = "core.constant"() {"value" = dense<2> : tensor<i32>} : () -> (tensor<i32>)
  %2 = "onnx.Cast"(%1) {"to" = 7, "opset_version" = 17} : (tensor<i32>) -> (tensor<i64>)
  %3 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "onnx.Reshape"(%2, %3) {"opset_version" = 17} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %5, %6 = "onnx.TopK"(%0, %4) {"axis" = -1, "largest" = 1, "sorted" = 1, "opset_version" = 17} : (tensor<2x5xf32>, tensor<1xi64>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  %7 = "onnx.Cast"(%6) {"to" = 6, "opset_version" = 17} : (tensor<2x2xi64>) -> (tensor<2x2xi32>)
  "mlconv.yield"(%5, %7) : (tensor<2x2xf32>, tensor<2x2xi32>) -> ()

// -----
// CASE: segments are a scatter
// RUN: to-onnx
^bb(%x: tensor<4x2xf32>, %s: tensor<4xi32>):
  %c1 = "core.constant"() {value = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %y = "core.segment_reduce"(%x, %s, %c1) : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%y) : (tensor<3x2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x2xf32>, %1: tensor<4xi32>):
  %2 = "core.constant"() {"value" = dense<3> : tensor<i32>} : () -> (tensor<i32>)
  %3 = "onnx.Cast"(%2) {"to" = 7, "opset_version" = 17} : (tensor<i32>) -> (tensor<i64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "onnx.Reshape"(%3, %4) {"opset_version" = 17} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>)
  %6 = "onnx.Cast"(%1) {"to" = 7, "opset_version" = 17} : (tensor<4xi32>) -> (tensor<4xi64>)
  %7 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %8 = "onnx.Less"(%6, %7) {"opset_version" = 17} : (tensor<4xi64>, tensor<i64>) -> (tensor<4xi1>)
  %9 = "onnx.GreaterOrEqual"(%6, %5) {"opset_version" = 17} : (tensor<4xi64>, tensor<1xi64>) -> (tensor<4xi1>)
  %10 = "onnx.Or"(%8, %9) {"opset_version" = 17} : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>)
  %11 = "onnx.Where"(%10, %5, %6) {"opset_version" = 17} : (tensor<4xi1>, tensor<1xi64>, tensor<4xi64>) -> (tensor<4xi64>)
  %12 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %13 = "onnx.Unsqueeze"(%11, %12) {"opset_version" = 17} : (tensor<4xi64>, tensor<1xi64>) -> (tensor<4x1xi64>)
  %14 = "core.constant"() {"value" = dense<1> : tensor<i64>} : () -> (tensor<i64>)
  %15 = "onnx.Add"(%5, %14) {"opset_version" = 17} : (tensor<1xi64>, tensor<i64>) -> (tensor<1xi64>)
  %16 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %17 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %18 = "onnx.Concat"(%15, %17) {"axis" = 0, "opset_version" = 17} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>)
  %19 = "onnx.Expand"(%16, %18) {"opset_version" = 17} : (tensor<f32>, tensor<2xi64>) -> (tensor<4x2xf32>)
  %20 = "onnx.ScatterND"(%19, %13, %0) {"reduction" = "add", "opset_version" = 17} : (tensor<4x2xf32>, tensor<4x1xi64>, tensor<4x2xf32>) -> (tensor<4x2xf32>)
  %21 = "core.constant"() {"value" = dense<1> : tensor<i32>} : () -> (tensor<i32>)
  %22 = "core.constant"() {"value" = dense<[4]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %23 = "onnx.Expand"(%21, %22) {"opset_version" = 17} : (tensor<i32>, tensor<1xi64>) -> (tensor<4xi32>)
  %24 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %25 = "onnx.Expand"(%24, %15) {"opset_version" = 17} : (tensor<i32>, tensor<1xi64>) -> (tensor<4xi32>)
  %26 = "onnx.ScatterND"(%25, %13, %23) {"reduction" = "add", "opset_version" = 17} : (tensor<4xi32>, tensor<4x1xi64>, tensor<4xi32>) -> (tensor<4xi32>)
  %27 = "core.constant"() {"value" = dense<[4, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %28 = "onnx.Reshape"(%26, %27) {"opset_version" = 17} : (tensor<4xi32>, tensor<2xi64>) -> (tensor<4x1xi32>)
  %29 = "core.constant"() {"value" = dense<0> : tensor<i32>} : () -> (tensor<i32>)
  %30 = "onnx.Equal"(%28, %29) {"opset_version" = 17} : (tensor<4x1xi32>, tensor<i32>) -> (tensor<4x1xi1>)
  %31 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %32 = "onnx.Where"(%30, %31, %20) {"opset_version" = 17} : (tensor<4x1xi1>, tensor<f32>, tensor<4x2xf32>) -> (tensor<4x2xf32>)
  %33 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %34 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %35 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %36 = "onnx.Slice"(%32, %33, %34, %35) {"opset_version" = 17} : (tensor<4x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3x2xf32>)
  "mlconv.yield"(%36) : (tensor<3x2xf32>) -> ()

// -----
// CASE: as many places as there are has no form
// RUN: to-onnx
^bb(%x: tensor<2x3xi1>):
  %y = "core.nonzero"(%x) : (tensor<2x3xi1>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  "mlconv.yield"(%y) : (tensor<?x2xi64, {dims = ["?1", "2"]}>) -> ()
// EXPECT
^bb(%0: tensor<2x3xi1>):
  %1 = "onnx.NonZero"(%0) {"opset_version" = 17} : (tensor<2x3xi1>) -> (tensor<2x?xi64, {dims = ["2", "?1"]}>)
  %2 = "onnx.Transpose"(%1) {"perm" = [1, 0], "opset_version" = 17} : (tensor<2x?xi64, {dims = ["2", "?1"]}>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  "mlconv.yield"(%2) : (tensor<?x2xi64, {dims = ["?1", "2"]}>) -> ()

// -----
// CASE: distinct numbers, whose places are int64
// RUN: to-onnx
^bb(%x: tensor<9xf32>):
  %y, %f, %i, %c = "core.unique"(%x) {sorted = false, index_dtype = i32} : (tensor<9xf32>) -> (tensor<?1xf32>, tensor<?1xi32>, tensor<9xi32>, tensor<?1xi32>)
  "mlconv.yield"(%y, %i) : (tensor<?1xf32>, tensor<9xi32>) -> ()
// DIAGNOSTICS
error[MLC0602]: IR text, line 4 column 103: unknown element type '?1xf32'

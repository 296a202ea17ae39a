// CASE: Slice takes numbers as attributes before opset 10
// RUN: from-onnx
^bb(%x: tensor<4x5xf32>):
  %y = "onnx.Slice"(%x) {axes = [0], starts = [1], ends = [3], opset_version = 9} : (tensor<4x5xf32>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%y) : (tensor<2x5xf32>) -> ()
// EXPECT
^bb(%0: tensor<4x5xf32>):
  %1 = "core.constant"() {"value" = dense<[1, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.constant"() {"value" = dense<[3, 0]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %3 = "core.constant"() {"value" = dense<[1, 1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %4 = "core.slice"(%0, %1, %2, %3) {"begin_mask" = 2, "end_mask" = 2} : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2x5xf32>)
  "mlconv.yield"(%4) : (tensor<2x5xf32>) -> ()

// -----
// CASE: Slice backwards to the start
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %s = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %e = "onnx.Constant"() {value = dense<[-9223372036854775807]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %a = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %d = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "onnx.Slice"(%x, %s, %e, %a, %d) {opset_version = 17} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %2 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %3 = "core.constant"() {"value" = dense<[-1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.slice"(%0, %1, %2, %3) {"begin_mask" = 0, "end_mask" = 1} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xf32>)
  "mlconv.yield"(%4) : (tensor<4xf32>) -> ()

// -----
// CASE: Slice with computed bounds
// RUN: from-onnx
^bb(%x: tensor<4xf32>, %s: tensor<1xi64>, %e: tensor<1xi64>):
  %y = "onnx.Slice"(%x, %s, %e) {opset_version = 17} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["n"]}>)
  "mlconv.yield"(%y) : (tensor<?xf32, {dims = ["n"]}>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<1xi64>, %2: tensor<1xi64>):
  %3 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %4 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %5 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %6 = "core.slice"(%1, %3, %4, %5) {"begin_mask" = 0, "end_mask" = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %7 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %8 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %10 = "core.slice"(%2, %7, %8, %9) {"begin_mask" = 0, "end_mask" = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>)
  %11 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %12 = "core.slice"(%0, %6, %10, %11) {"begin_mask" = 0, "end_mask" = 0} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<?xf32, {dims = ["?1"]}>)
  "mlconv.yield"(%12) : (tensor<?xf32, {dims = ["?1"]}>) -> ()

// -----
// CASE: Gather with negative places
// RUN: from-onnx
^bb(%x: tensor<3x4xf32>):
  %i = "onnx.Constant"() {value = dense<[0, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %y = "onnx.Gather"(%x, %i) {opset_version = 17} : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>):
  %1 = "core.constant"() {"value" = dense<[0, -1]> : tensor<2xi64>} : () -> (tensor<2xi64>)
  %2 = "core.gather"(%0, %1) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<3x4xf32>, tensor<2xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: Gather with a place that is not there is refused
// RUN: from-onnx
^bb(%x: tensor<3x4xf32>):
  %i = "onnx.Constant"() {value = dense<[3]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %y = "onnx.Gather"(%x, %i) {opset_version = 17} : (tensor<3x4xf32>, tensor<1xi64>) -> (tensor<1x4xf32>)
  "mlconv.yield"(%y) : (tensor<1x4xf32>) -> ()
// DIAGNOSTICS
error[MLC0201]: gather: index 3 is out of bounds for an axis of size 3
  = node: y  onnx.Gather (float32[3,4], int64[1])

// -----
// CASE: GatherElements
// RUN: from-onnx
^bb(%x: tensor<3x4xf32>, %i: tensor<2x4xi64>):
  %y = "onnx.GatherElements"(%x, %i) {opset_version = 17} : (tensor<3x4xf32>, tensor<2x4xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<2x4xi64>):
  %2 = "core.gather_elements"(%0, %1) {"axis" = 0} : (tensor<3x4xf32>, tensor<2x4xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: GatherND with batch dimensions
// RUN: from-onnx
^bb(%x: tensor<2x3x4xf32>, %i: tensor<2x1xi64>):
  %y = "onnx.GatherND"(%x, %i) {batch_dims = 1, opset_version = 17} : (tensor<2x3x4xf32>, tensor<2x1xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%y) : (tensor<2x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<2x3x4xf32>, %1: tensor<2x1xi64>):
  %2 = "core.gather_nd"(%0, %1) {"batch_dims" = 1, "from_start" = false} : (tensor<2x3x4xf32>, tensor<2x1xi64>) -> (tensor<2x4xf32>)
  "mlconv.yield"(%2) : (tensor<2x4xf32>) -> ()

// -----
// CASE: ScatterND with a sum
// RUN: from-onnx
^bb(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>):
  %y = "onnx.ScatterND"(%x, %i, %u) {reduction = "add", opset_version = 17} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%y) : (tensor<4xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>, %1: tensor<2x1xi64>, %2: tensor<2xf32>):
  %3 = "core.scatter_nd"(%0, %1, %2) {"reduction" = "add", "from_start" = false} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  "mlconv.yield"(%3) : (tensor<4xf32>) -> ()

// -----
// CASE: ScatterElements along an axis
// RUN: from-onnx
^bb(%x: tensor<3x4xf32>, %i: tensor<1x4xi64>, %u: tensor<1x4xf32>):
  %y = "onnx.ScatterElements"(%x, %i, %u) {axis = 0, opset_version = 17} : (tensor<3x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x4xf32>, %1: tensor<1x4xi64>, %2: tensor<1x4xf32>):
  %3 = "core.scatter_elements"(%0, %1, %2) {"axis" = 0, "reduction" = "none"} : (tensor<3x4xf32>, tensor<1x4xi64>, tensor<1x4xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%3) : (tensor<3x4xf32>) -> ()

// -----
// CASE: OneHot with two values
// RUN: from-onnx
^bb(%i: tensor<3xi64>):
  %d = "onnx.Constant"() {value = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %v = "onnx.Constant"() {value = dense<[0.0, 5.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %y = "onnx.OneHot"(%i, %d, %v) {opset_version = 17} : (tensor<3xi64>, tensor<i64>, tensor<2xf32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%y) : (tensor<3x4xf32>) -> ()
// EXPECT
^bb(%0: tensor<3xi64>):
  %1 = "core.constant"() {"value" = dense<4> : tensor<i64>} : () -> (tensor<i64>)
  %2 = "core.constant"() {"value" = dense<[0.0, 5.0]> : tensor<2xf32>} : () -> (tensor<2xf32>)
  %3 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %4 = "core.less"(%0, %3) : (tensor<3xi64>, tensor<i64>) -> (tensor<3xi1>)
  %5 = "core.add"(%0, %1) : (tensor<3xi64>, tensor<i64>) -> (tensor<3xi64>)
  %6 = "core.select"(%4, %5, %0) : (tensor<3xi1>, tensor<3xi64>, tensor<3xi64>) -> (tensor<3xi64>)
  %7 = "core.constant"() {"value" = dense<[0]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %8 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %9 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %10 = "core.slice"(%2, %7, %8, %9) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xf32>)
  %11 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %12 = "core.reshape"(%10, %11) : (tensor<1xf32>, tensor<0xi64>) -> (tensor<f32>)
  %13 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %14 = "core.constant"() {"value" = dense<[2]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %15 = "core.constant"() {"value" = dense<[1]> : tensor<1xi64>} : () -> (tensor<1xi64>)
  %16 = "core.slice"(%2, %13, %14, %15) {"begin_mask" = 0, "end_mask" = 0} : (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xf32>)
  %17 = "core.constant"() {"value" = dense<> : tensor<0xi64>} : () -> (tensor<0xi64>)
  %18 = "core.reshape"(%16, %17) : (tensor<1xf32>, tensor<0xi64>) -> (tensor<f32>)
  %19 = "core.one_hot"(%6, %1, %18, %12) {"axis" = 1} : (tensor<3xi64>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>)
  "mlconv.yield"(%19) : (tensor<3x4xf32>) -> ()

// -----
// CASE: NonZero has as many columns as there are
// RUN: from-onnx
^bb(%x: tensor<2x3xf32>):
  %y = "onnx.NonZero"(%x) {opset_version = 17} : (tensor<2x3xf32>) -> (tensor<2x?xi64, {dims = ["2", "n"]}>)
  "mlconv.yield"(%y) : (tensor<2x?xi64, {dims = ["2", "n"]}>) -> ()
// EXPECT
^bb(%0: tensor<2x3xf32>):
  %1 = "core.nonzero"(%0) {"padded" = false} : (tensor<2x3xf32>) -> (tensor<?x2xi64, {dims = ["?1", "2"]}>)
  %2 = "core.transpose"(%1) {"perm" = [1, 0]} : (tensor<?x2xi64, {dims = ["?1", "2"]}>) -> (tensor<2x?xi64, {dims = ["2", "?1"]}>)
  "mlconv.yield"(%2) : (tensor<2x?xi64, {dims = ["2", "?1"]}>) -> ()

// -----
// CASE: Compress by a constant
// RUN: from-onnx
^bb(%x: tensor<4xf32>):
  %c = "onnx.Constant"() {value = dense<[true, false, true, false]> : tensor<4xi1>} : () -> (tensor<4xi1>)
  %y = "onnx.Compress"(%x, %c) {axis = 0, opset_version = 17} : (tensor<4xf32>, tensor<4xi1>) -> (tensor<2xf32>)
  "mlconv.yield"(%y) : (tensor<2xf32>) -> ()
// EXPECT
^bb(%0: tensor<4xf32>):
  %1 = "core.constant"() {"value" = dense<[true, false, true, false]> : tensor<4xi1>} : () -> (tensor<4xi1>)
  %2 = "core.nonzero"(%1) {"padded" = false} : (tensor<4xi1>) -> (tensor<?x1xi64, {dims = ["?1", "1"]}>)
  %3 = "core.squeeze"(%2) {"axes" = [1]} : (tensor<?x1xi64, {dims = ["?1", "1"]}>) -> (tensor<?xi64, {dims = ["?1"]}>)
  %4 = "core.gather"(%0, %3) {"axis" = 0, "batch_dims" = 0, "from_start" = false} : (tensor<4xf32>, tensor<?xi64, {dims = ["?1"]}>) -> (tensor<?xf32, {dims = ["?1"]}>)
  "mlconv.yield"(%4) : (tensor<?xf32, {dims = ["?1"]}>) -> ()

// -----
// CASE: Trilu keeps the lower half
// RUN: from-onnx
^bb(%x: tensor<3x3xf32>):
  %y = "onnx.Trilu"(%x) {upper = 0, opset_version = 17} : (tensor<3x3xf32>) -> (tensor<3x3xf32>)
  "mlconv.yield"(%y) : (tensor<3x3xf32>) -> ()
// EXPECT
^bb(%0: tensor<3x3xf32>):
  %1 = "core.constant"() {"value" = dense<[0, 1, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %2 = "core.expand_dims"(%1) {"axes" = [1]} : (tensor<3xi64>) -> (tensor<3x1xi64>)
  %3 = "core.constant"() {"value" = dense<[0, 1, 2]> : tensor<3xi64>} : () -> (tensor<3xi64>)
  %4 = "core.expand_dims"(%3) {"axes" = [0]} : (tensor<3xi64>) -> (tensor<1x3xi64>)
  %5 = "core.constant"() {"value" = dense<0> : tensor<i64>} : () -> (tensor<i64>)
  %6 = "core.add"(%2, %5) : (tensor<3x1xi64>, tensor<i64>) -> (tensor<3x1xi64>)
  %7 = "core.less_equal"(%4, %6) : (tensor<1x3xi64>, tensor<3x1xi64>) -> (tensor<3x3xi1>)
  %8 = "core.constant"() {"value" = dense<0.0> : tensor<f32>} : () -> (tensor<f32>)
  %9 = "core.select"(%7, %0, %8) : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<f32>) -> (tensor<3x3xf32>)
  "mlconv.yield"(%9) : (tensor<3x3xf32>) -> ()
